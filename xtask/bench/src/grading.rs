//! Grading without think time: raters over HTTP on loopback, each rating and requesting the next output as
//! fast as the server answers.
//!
//! With `--beside`, the same while admins import, download and run tests, and with think time. It measures
//! how long a submission waits for the admins' work.
//!
//! The study has room for every rating, planned as every study is; raters log in as people do and call the
//! functions of the page (`submit_rating`, `next`), with gzip like browsers. One thread generates the load,
//! because it shares the machine's cores with the server.

pub(super) mod client;
mod load;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Report, Target, release_server};
use crate::tools;
pub(super) use client::Rater;
pub(super) use load::{Activities, Load};

/// `bench grading`
#[derive(Args)]
pub struct Options {
    /// Total number of ratings
    #[arg(long, default_value_t = 100_000)]
    ratings: usize,
    /// Number of simultaneous raters
    #[arg(long, default_value_t = 16)]
    raters: usize,
    /// Concurrent work of admins; the same raters are measured alone before
    #[arg(long = "beside", value_enum, value_delimiter = ',', value_name = "WHAT")]
    load: Vec<Load>,
    /// Think time between two ratings, in milliseconds [default: none; 250 with --beside]
    #[arg(long, value_name = "MS")]
    think: Option<u64>,
    /// Measure this server, to compare with another [default: the release is built]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

const MODELS: usize = 5;
const RATERS_PER_OUTPUT: usize = 8;
/// A fast rater needs seconds for an output; this many raters at this pace leave a core to the server.
const THINK: u64 = 250;
/// Number of ratings at the beginning and at the end that are measured separately, to see whether they
/// differ.
const WINDOW: usize = 5_000;

impl Options {
    /// A study for that many ratings.
    pub(super) fn of(ratings: usize, raters: usize, load: Vec<Load>) -> Options {
        Options { ratings, raters, load, think: None, server: None }
    }
}

/// Resource usage of a series of ratings.
struct Stretch {
    cycles: usize,
    wall: Duration,
    cpu: Duration,
    /// Every submission's time in milliseconds, ascending.
    submits: Vec<f64>,
    nexts: Vec<f64>,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<Report> {
    if options.raters < RATERS_PER_OUTPUT || options.ratings < 2 * WINDOW.min(options.ratings / 2).max(1) {
        bail!("at least {RATERS_PER_OUTPUT} raters are needed, and 2 ratings");
    }
    let binary = match &options.server {
        Some(file) => file.clone(),
        None => release_server()?,
    };
    let think = options.think.unwrap_or(if options.load.is_empty() { 0 } else { THINK });
    let think = Duration::from_millis(think);
    let mut report = Report::new("Grading over HTTP on loopback");
    let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
    let fsync = fsync(folder.path())?;
    let study = prepare(&binary, &folder, options)?;
    tools::say_aside(format!("{} raters, {} ratings", options.raters, options.ratings));
    let server = Server::start(&binary, &folder.path().join("data"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut raters = runtime.block_on(async {
        let mut raters = Vec::new();
        for n in 0..options.raters {
            raters.push(Rater::log_in(&server.address, &name(n), PASSWORD, &study).await?);
        }
        anyhow::Ok(raters)
    })?;
    if !options.load.is_empty() {
        let token = token(&binary, &folder)?;
        measure_under_load(&mut report, options, &runtime, (&mut raters, think), (&server, &token))?;
        report.figure("fsync of 4 KiB in the same folder, median", fsync, "ms");
        return Ok(report);
    }
    let window = WINDOW.min(options.ratings / 2);
    let rest = options.ratings - 2 * window;
    let mut stretches = Vec::new();
    for part in [window, rest, window].into_iter().filter(|part| *part > 0) {
        let (cpu, begun) = (server.cpu()?, Instant::now());
        let (submits, nexts) = runtime.block_on(client::rate(&mut raters, part, think))?;
        let wall = begun.elapsed();
        stretches.push(Stretch { cycles: submits.len(), wall, cpu: server.cpu()?.saturating_sub(cpu), submits, nexts });
    }
    let resident = server.resident()?;
    let acknowledged: usize = stretches.iter().map(|stretch| stretch.cycles).sum();
    drop(server);
    let counted = counted(&binary, &folder)?;
    if counted != acknowledged {
        bail!("{acknowledged} ratings were acknowledged and {counted} are in the study");
    }

    let whole = Stretch {
        cycles: acknowledged,
        wall: stretches.iter().map(|s| s.wall).sum(),
        cpu: stretches.iter().map(|s| s.cpu).sum(),
        submits: sorted(stretches.iter().flat_map(|s| s.submits.iter().copied()).collect()),
        nexts: sorted(stretches.iter().flat_map(|s| s.nexts.iter().copied()).collect()),
    };
    report.figure("fsync of 4 KiB in the same folder, median", fsync, "ms");
    report.promised("rate-and-next cycles per second", whole.per_second(), "/s", Target::AtLeast(400.0));
    report.figure("submit, p50", at(&whole.submits, 0.5), "ms");
    match fsync < 1.0 {
        true => report.promised("submit, p99", at(&whole.submits, 0.99), "ms", Target::AtMost(50.0)),
        false => report.figure("submit, p99", at(&whole.submits, 0.99), "ms"),
    }
    report.figure("next, p50", at(&whole.nexts, 0.5), "ms");
    report.figure("next, p99", at(&whole.nexts, 0.99), "ms");
    report.promised("server's CPU time per cycle", whole.cpu_ms(), "ms", Target::AtMost(3.0));
    report.promised(format!("resident after {acknowledged} ratings"), resident, "MiB", Target::AtMost(80.0));
    if let (Some(first), Some(last)) = (stretches.first(), stretches.last()) {
        for (what, stretch) in [("first", first), ("last", last)] {
            report.figure(format!("the {what} {}: cycles per second", stretch.cycles), stretch.per_second(), "/s");
            report.figure(format!("the {what} {}: submit, p99", stretch.cycles), at(&stretch.submits, 0.99), "ms");
            report.figure(format!("the {what} {}: CPU time per cycle", stretch.cycles), stretch.cpu_ms(), "ms");
        }
    }
    report.note(format!(
        "{} raters, {MODELS} models, {RATERS_PER_OUTPUT} raters per output. A cycle is a rating, acknowledged after its commit \
         (synchronous=FULL), and the next output. The load comes from one thread on the same cores. Every \
         acknowledged rating was found in the study afterwards.",
        options.raters
    ));
    Ok(report)
}

/// Half of the ratings alone, half with the admins' work.
fn measure_under_load(
    report: &mut Report,
    options: &Options,
    runtime: &tokio::runtime::Runtime,
    (raters, think): (&mut [Rater], Duration),
    (server, token): (&Server, &str),
) -> Result<()> {
    let half = options.ratings / 2;
    let (alone, _) = runtime.block_on(client::rate(raters, half, think))?;
    tools::say_aside("Beside it: imports, downloads, runs as asked");
    let activities = Activities::start(&options.load, &server.address, token, tasks(options.ratings));
    let rated = runtime.block_on(client::rate(raters, half, think));
    let finished = activities.end()?;
    let (busy, _) = rated?;
    for (what, submits) in [("alone", &alone), ("beside", &busy)] {
        report.figure(format!("submit {what}, p50"), at(submits, 0.5), "ms");
        report.figure(format!("submit {what}, p99"), at(submits, 0.99), "ms");
        report.figure(format!("submit {what}, the longest"), at(submits, 1.0), "ms");
    }
    let delay = at(&busy, 1.0) - at(&alone, 0.5);
    report.promised("the longest delay beside", delay, "ms", Target::AtMost(50.0));
    for (what, count) in finished {
        report.promised(format!("{what} finished meanwhile"), count as f64, "", Target::AtLeast(1.0));
    }
    report.note(format!(
        "{} raters who think for {} ms between two ratings, {half} ratings alone and {half} beside. The longest delay is \
         the slowest submission beside, less the median alone. The load comes from the same cores.",
        options.raters,
        think.as_millis()
    ));
    Ok(())
}

impl Stretch {
    fn per_second(&self) -> f64 {
        self.cycles as f64 / self.wall.as_secs_f64()
    }

    fn cpu_ms(&self) -> f64 {
        self.cpu.as_secs_f64() * 1000.0 / self.cycles as f64
    }
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// The time below which this share of all lies.
pub(super) fn at(sorted: &[f64], part: f64) -> f64 {
    let place = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// Median time to write 4 KiB to disk, in milliseconds.
fn fsync(folder: &Path) -> Result<f64> {
    let mut file = fs::File::create(folder.join("fsync"))?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(at(&sorted(times), 0.5))
}

/// A new token of an admin.
pub(super) fn token(binary: &Path, folder: &TempDir) -> Result<String> {
    add_user(binary, folder, "bench-admin", "admin")?;
    let mut args = vec!["token", "create", "--user", "bench-admin", "--label", "bench"];
    for scope in ["read", "write:data", "write:runs"] {
        args.extend(["--scope", scope]);
    }
    let made = json_output(binary, folder, &args)?;
    Ok(made["secret"].as_str().context("no token was created")?.to_owned())
}

pub(super) const PASSWORD: &str = "a-password-for-the-bench";

pub(super) fn name(rater: usize) -> String {
    format!("rater{rater}")
}

fn command(binary: &Path, folder: &TempDir, args: &[&str]) -> Command {
    let mut command = tools::command(binary);
    command.arg("--data").arg(folder.path().join("data")).arg("--json").args(args);
    command
}

fn json_output(binary: &Path, folder: &TempDir, args: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(tools::run_quietly(&mut command(binary, folder, args))?.trim())?)
}

/// Number of tasks for that many ratings.
pub(super) fn tasks(ratings: usize) -> usize {
    ratings.div_ceil(MODELS * RATERS_PER_OUTPUT) + 1
}

/// Creates a dataset, outputs, raters and a study for this many ratings; returns the study's opaque name.
pub(super) fn prepare(binary: &Path, folder: &TempDir, options: &Options) -> Result<String> {
    tools::say_aside("Preparing a data folder");
    let tasks = tasks(options.ratings);
    let dataset = folder.path().join("dataset");
    fs::create_dir(&dataset)?;
    let text = |en: &str, zh: &str| json!({ "en": en, "zh": zh });
    let about = json!({ "format": 1, "slug": "bench", "name": text("Bench", "测试"), "license": "MIT" });
    fs::write(dataset.join("dataset.json"), about.to_string())?;
    let mut lines = String::new();
    for task in 0..tasks {
        let raw_nl = format!("Returns the text without the characters at odd places, {task} times over.");
        lines.push_str(&json!({ "task_id": format!("T{task}"), "raw_nl": raw_nl, "checks": ["human"] }).to_string());
        lines.push('\n');
    }
    fs::write(dataset.join("tasks.jsonl"), lines)?;
    json_output(binary, folder, &["import", "dataset", &dataset.to_string_lossy()])?;
    if options.load.contains(&Load::Run) {
        json_output(binary, folder, &["import", "dataset", &load::starter()])?;
    }
    let mut submissions = Vec::new();
    for model in 0..MODELS {
        let file = folder.path().join(format!("outputs{model}.jsonl"));
        let lines: String = (0..tasks)
            .map(|task| json!({ "task_id": format!("T{task}"), "completion": code(model, task) }))
            .fold(String::new(), |mut lines, line| {
                lines.push_str(&line.to_string());
                lines.push('\n');
                lines
            });
        fs::write(&file, lines)?;
        let model = format!("Model {model}");
        let args = ["submissions", "upload", "--dataset", "bench", "--model", &model, &file.to_string_lossy()];
        let taken = json_output(binary, folder, &args)?;
        submissions.push(taken["submission"].as_i64().context("the upload was not imported")?.to_string());
    }
    let mut create: Vec<String> =
        ["studies", "create", "--title", "Bench", "--dataset", "bench", "--seed", "7"].map(String::from).into();
    create.extend(["--raters-per-output".into(), RATERS_PER_OUTPUT.to_string()]);
    create.extend(submissions.into_iter().flat_map(|id| ["--submission".to_owned(), id]));
    for rater in 0..options.raters {
        add_user(binary, folder, &name(rater), "rater")?;
        create.extend(["--rater".into(), name(rater)]);
    }
    json_output(binary, folder, &create.iter().map(String::as_str).collect::<Vec<_>>())?;
    let studies = json_output(binary, folder, &["studies", "list"])?;
    Ok(studies[0]["token"].as_str().context("the study has no name")?.to_owned())
}

/// Twenty lines that differ between tasks and models.
fn code(model: usize, task: usize) -> String {
    let lines: String =
        (0..16).map(|n| format!("    if (text.length() > {n}) {{ kept.append(text.charAt({n}));}}\n")).collect();
    format!(
        "public String everyOther{task}(String text) {{\n    // version {model}\n    StringBuilder kept = new StringBuilder();\n{lines}    return kept.toString();\n}}"
    )
}

fn add_user(binary: &Path, folder: &TempDir, name: &str, role: &str) -> Result<()> {
    let mut command = command(binary, folder, &["user", "add", name, "--lasting", "--role", role]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    child.stdin.take().context("no standard input")?.write_all(PASSWORD.as_bytes())?;
    if !child.wait()?.success() {
        bail!("the account {name} could not be made");
    }
    Ok(())
}

/// Number of ratings that count in the study.
pub(super) fn counted(binary: &Path, folder: &TempDir) -> Result<usize> {
    let studies = json_output(binary, folder, &["studies", "list"])?;
    Ok(usize::try_from(studies[0]["done"].as_u64().context("the study says no number")?)?)
}

/// A running server; dropping this value ends it.
pub(super) struct Server {
    child: Child,
    address: String,
    /// Kept open, because a server that cannot write its output ends.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server on a free port.
    pub(super) fn start(binary: &Path, data: &Path) -> Result<Server> {
        Server::start_with(binary, data, None)
    }

    /// Starts a server with an additional environment variable.
    pub(super) fn start_with(binary: &Path, data: &Path, variable: Option<(&str, &Path)>) -> Result<Server> {
        let mut command = tools::command(binary);
        command.arg("--data").arg(data).args(["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        command.envs(variable);
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().context("the server has no standard output")?;
        let mut stdout = BufReader::new(out);
        let mut first = String::new();
        stdout.read_line(&mut first)?;
        let address = first.trim().rsplit("http://").next().unwrap_or_default().to_owned();
        if !first.contains("http://") {
            bail!("the server did not say where it is: {first}");
        }
        Ok(Server { child, address, _stdout: stdout })
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// CPU time so far.
    fn cpu(&self) -> Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // After the name in brackets, which may contain anything, user and system time are fields 14 and
        // 15.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = fields.iter().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        // The kernel reports ticks of a hundredth of a second.
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Resident memory, in MiB.
    pub(super) fn resident(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_observed_values() {
        let times: Vec<f64> = (1..=100).map(f64::from).collect();
        let check = |part, value: f64| assert_eq!(at(&times, part), value);
        check(0.5, 50.0);
        check(0.99, 99.0);
        check(1.0, 100.0);
        check(0.0, 1.0);
        assert!(at(&[], 0.5).is_nan());
    }
}
