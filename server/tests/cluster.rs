//! A server and workers over three brokers, while all of them are killed and cut off: every output gets the verdict that
//! it gets in one process, once. A program of its own, because it starts and kills processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![allow(clippy::disallowed_methods, reason = "the programs under test are processes")]

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use db::uploads::Purpose;
use lang::Places;
use model::{
    caller::System,
    code_lang::CodeLang,
    ids::{RunId, SubmissionId},
    page::PageOf,
    run::{EngineReadiness, ItemFilter, ItemState, NewRun, RunStatus},
    submission::{InvalidLines, Matching},
};
use port::{Runs, Submissions};
use prerequisites::PATIENCE;
use services::Services;

#[path = "cluster/access.rs"]
mod access;
#[path = "cluster/brokers.rs"]
mod brokers;
#[path = "cluster/credentials.rs"]
mod credentials;
#[path = "cluster/malice.rs"]
mod malice;
#[path = "cluster/network.rs"]
mod network;
#[path = "cluster/poison.rs"]
mod poison;
#[path = "cluster/replicas.rs"]
mod replicas;
#[path = "cluster/workers.rs"]
mod workers;

use brokers::{Brokers, Process};
use network::Network;

fn program() -> PathBuf {
    std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into()).into()
}

/// The program of workers.
fn worker_program() -> PathBuf {
    program().with_file_name("aixgrade-worker")
}

/// The broker's program.
fn nats_server() -> Result<PathBuf, &'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).chain(["/usr/sbin".into()]).map(|folder| folder.join("nats-server"));
    found.into_iter().find(|file| file.is_file()).ok_or("needs nats-server (Debian's package of that name)")
}

/// The broker's program and the files of HumanEval-X, on a machine that can run Python.
fn prerequisites_of_workers() -> Option<(PathBuf, PathBuf)> {
    let (nats, humaneval_x) = (prerequisites::host(nats_server())?, prerequisites::humaneval_x()?);
    let python = lang::language(CodeLang::Python)?;
    prerequisites::toolchain("python", (python.look)(&Places::from_environment()))?;
    Some((nats, humaneval_x))
}

/// Waits until something holds.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited for too long: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Starts a program and waits for a line that contains `ready`.
fn start(command: &mut Command, ready: &str) -> Process {
    start_and_read(command, ready).0
}

/// Does the same, and returns that line.
fn start_and_read(command: &mut Command, ready: &str) -> (Process, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let process = Process(child);
    let mut said = Vec::new();
    for line in lines.by_ref() {
        let line = line.unwrap();
        if line.contains(ready) {
            // The rest is read, so that the program can write it.
            thread::spawn(move || lines.for_each(drop));
            return (process, line);
        }
        said.push(line);
    }
    panic!("the program ended without \"{ready}\": {said:?}");
}

fn serve(data: &Path, url: &str, replicas: usize) -> Process {
    let mut command = Command::new(program());
    command.arg("--data").arg(data).args(["serve", "--listen", "127.0.0.1:0", "--nats", url]);
    command.args(["--nats-replicas", &replicas.to_string()]);
    start(&mut command, "Data folder")
}

/// Starts a worker. All share a cache, so that images are built once.
fn worker(folder: &Path, url: &str, languages: &str) -> Process {
    let mut command = Command::new(worker_program());
    command.args(["--slots", "1", "--languages", languages, "--nats", url]);
    command.arg("--cache").arg(folder.join("cache"));
    start(&mut command, "takes jobs from the broker")
}

/// A data folder with outputs.
struct Data {
    folder: PathBuf,
    services: Services,
    runtime: tokio::runtime::Runtime,
    submissions: Vec<SubmissionId>,
}

/// The verdict, passed and all cases, and the verdict as published of each output.
type Verdicts = BTreeMap<String, String>;

impl Data {
    fn empty(folder: &Path) -> Data {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let services = Services::open_with(folder, |_| EngineReadiness::default()).unwrap();
        Data { folder: folder.to_path_buf(), services, runtime, submissions: Vec::new() }
    }

    /// `tasks` tasks of HumanEval-X in Python with `samples` samples each: right ones and wrong ones.
    fn create(folder: &Path, humaneval_x: &Path, tasks: usize, samples: usize) -> Data {
        Data::create_with(folder, humaneval_x, tasks, samples, |_, _| None)
    }

    /// The same, but `other` may replace a sample, by the position of its task and its number.
    fn create_with(
        folder: &Path,
        humaneval_x: &Path,
        tasks: usize,
        samples: usize,
        other: impl Fn(usize, usize) -> Option<&'static str>,
    ) -> Data {
        let Data { services, runtime, mut submissions, .. } = Data::empty(folder);
        let packed = fs::File::open(humaneval_x.join("humaneval_python.jsonl.gz")).unwrap();
        let lines = BufReader::new(flate2::read::GzDecoder::new(packed)).lines().map(Result::unwrap);
        let lines: Vec<String> = lines.take(tasks).collect();
        let file = folder.join("humaneval_python.jsonl");
        fs::write(&file, lines.join("\n")).unwrap();
        let mut outputs = String::new();
        for (at, line) in lines.iter().enumerate() {
            let task: serde_json::Value = serde_json::from_str(line).unwrap();
            for sample in 0..samples {
                let usual = match (at + sample) % 8 {
                    1 | 4 => "    return None\n".to_owned(),
                    // Samples differ, so that none is answered by the result of another.
                    _ => format!("{}\n# {sample}\n", task["canonical_solution"].as_str().unwrap()),
                };
                let generation = other(at, sample).map_or(usual, str::to_owned);
                let line = serde_json::json!({"task_id": task["task_id"], "generation": generation});
                outputs.push_str(&format!("{line}\n"));
            }
        }
        submissions.push(runtime.block_on(async {
            services.imports.paths(System, vec![file]).await.unwrap();
            let mut incoming = services.uploads.begin("outputs.jsonl").await.unwrap();
            incoming.write(outputs.as_bytes()).await.unwrap();
            let file = incoming.finish().await.unwrap();
            let purpose = Purpose::outputs(None);
            let upload = services.submissions.note_upload(&System.admin(), file, purpose).await.unwrap();
            let (admin, matching) = (System.admin(), Matching::Auto);
            let take =
                services.submissions.import(&admin, upload, "humaneval-x-python", matching, "M", InvalidLines::Refuse);
            take.await.unwrap()
        }));
        Data { folder: folder.to_path_buf(), services, runtime, submissions }
    }

    /// Adds the classes that AixBench's repository contains, a model's outputs packaged with their tests.
    fn add_packaged_classes(&mut self, checkout: &Path) {
        let classes = checkout.join("src/main/java/com/aixcode/autoTest/generate/aixcoder");
        for args in [
            vec!["import", "aixbench", checkout.to_str().unwrap()],
            vec!["submissions", "upload", classes.to_str().unwrap(), "--dataset", "aixbench-auto", "--model", "M"],
        ] {
            let output = Command::new(program()).arg("--data").arg(&self.folder).args(args).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let newest = PageOf::first(PageOf::MOST);
        let rows = self.runtime.block_on(self.services.submissions.list(&System.admin(), None, newest)).unwrap().rows;
        let added = rows.into_iter().map(|row| row.id).filter(|id| !self.submissions.contains(id));
        self.submissions.extend(added.collect::<Vec<_>>());
    }

    /// Runs a submission in this process.
    fn run_alone(&self, submission: SubmissionId) -> Verdicts {
        let run = self.begin(submission, true);
        let mut command = Command::new(program());
        command.arg("--data").arg(&self.folder).args(["run", "--json", "--resume", &run.to_string()]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.verdicts(run)
    }

    fn begin(&self, submission: SubmissionId, fresh: bool) -> RunId {
        let new = NewRun { fresh, ..NewRun::of(submission) };
        self.runtime.block_on(self.services.runs.start(&System.admin(), new)).unwrap()
    }

    /// Status, finished outputs, and those on which the engine failed.
    fn progress(&self, run: RunId) -> (RunStatus, u32, u32) {
        let progress = self.runtime.block_on(self.services.runs.progress(&System.admin(), run)).unwrap();
        (progress.status, progress.done, progress.failed)
    }

    fn verdicts(&self, run: RunId) -> Verdicts {
        let (mut verdicts, mut of) = (Verdicts::new(), PageOf::first(PageOf::MOST));
        loop {
            let admin = System.admin();
            let page = self.services.runs.items(&admin, run, ItemFilter::default(), of.clone());
            let page = self.runtime.block_on(page).unwrap();
            for item in page.rows {
                assert_eq!(item.state, ItemState::Done, "{item:?}");
                let result = format!("{:?} {}/{} {:?}", item.verdict, item.passed, item.total, item.published);
                let twice = verdicts.insert(format!("{} {}", item.task_id, item.sample), result);
                assert_eq!(twice, None, "{} {}", item.task_id, item.sample);
            }
            of.after = page.next;
            if of.after.is_none() {
                return verdicts;
            }
        }
    }
}

/// What happens to the installation once so many outputs are finished.
enum Event {
    KillWorker(usize),
    KillBroker(usize),
    RestartBroker(usize),
    KillServer,
    /// Cuts the network between the last worker and all brokers.
    CutWorker,
    /// Restores it once the worker has noticed.
    RestoreWorker,
    /// Cuts the network between the server and all brokers until the server has noticed.
    PartServer,
    /// Cuts the network between the last broker and the others. Who is connected to it must find another.
    CutBroker,
    RestoreBroker,
}

/// A server with four workers of one slot over three brokers.
struct Cluster<'a> {
    folder: &'a Path,
    data: PathBuf,
    languages: &'a [&'a str; 4],
    brokers: Brokers,
    /// The ways of the server and of the last worker to the brokers.
    servers: Network,
    last: Network,
    server_url: String,
    worker_urls: [String; 4],
    server: Process,
    workers: Vec<Process>,
}

impl<'a> Cluster<'a> {
    fn start(folder: &'a Path, nats: PathBuf, data: &Data, languages: &'a [&'a str; 4]) -> Cluster<'a> {
        let brokers = Brokers::start(folder, nats, 3, "");
        let (servers, last) = (Network::default(), Network::default());
        let server_url = brokers.url_through(&servers, "server");
        let direct = || brokers.url("worker");
        let worker_urls = [direct(), direct(), direct(), brokers.url_through(&last, "worker")];
        let server = serve(&data.folder, &server_url, brokers.count());
        let workers = languages.iter().zip(&worker_urls).map(|(of, url)| worker(folder, url, of)).collect();
        let data = data.folder.clone();
        Cluster { folder, data, languages, brokers, servers, last, server_url, worker_urls, server, workers }
    }

    /// Runs submissions with `outputs` outputs in all. Each event happens once so many percent of them are finished.
    fn run(
        &mut self,
        data: &Data,
        submissions: &[SubmissionId],
        outputs: usize,
        events: impl IntoIterator<Item = (usize, Event)>,
    ) -> Vec<RunId> {
        let runs: Vec<RunId> = submissions.iter().map(|submission| data.begin(*submission, true)).collect();
        for (percent, event) in events {
            wait("outputs finish", || {
                let done: u32 = runs.iter().map(|run| data.progress(*run).1).sum();
                done as usize * 100 >= outputs * percent
            });
            self.happens(&event);
        }
        for run in &runs {
            wait("the run finishes", || data.progress(*run).0 == RunStatus::Finished);
        }
        runs
    }

    fn happens(&mut self, event: &Event) {
        match *event {
            Event::KillWorker(at) => {
                self.workers[at].kill();
                self.workers[at] = worker(self.folder, &self.worker_urls[at], self.languages[at]);
            }
            Event::KillBroker(at) => self.brokers.kill(at),
            Event::RestartBroker(at) => self.brokers.restart(at),
            Event::KillServer => {
                self.server.kill();
                self.server = serve(&self.data, &self.server_url, self.brokers.count());
            }
            Event::CutWorker => self.last.cut(),
            Event::RestoreWorker => {
                wait("the worker notices", || self.last.is_noticed());
                self.last.restore();
            }
            Event::PartServer => {
                self.servers.cut();
                wait("the server notices", || self.servers.is_noticed());
                self.servers.restore();
            }
            Event::CutBroker => self.brokers.last.cut(),
            Event::RestoreBroker => self.brokers.last.restore(),
        }
    }
}

/// A body of a function that does not end.
const ENDLESS: &str = "    while True:\n        pass\n";

#[test]
fn whatever_dies_or_is_cut_off_every_output_ends_with_the_verdict_that_it_has_alone() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let folder = tempfile::tempdir().unwrap();
    let endless = |at, sample| (at % 32 == 7 && sample == 0).then_some(ENDLESS);
    let mut data = Data::create_with(&folder.path().join("data"), &humaneval_x, 40, 8, endless);
    data.add_packaged_classes(&checkout);
    let alone: Vec<Verdicts> = data.submissions.iter().map(|submission| data.run_alone(*submission)).collect();
    assert_eq!(alone.iter().map(BTreeMap::len).collect::<Vec<_>>(), [320, 175]);

    let mut events = vec![
        (12, Event::KillBroker(1)),
        (22, Event::RestartBroker(1)),
        (27, Event::CutWorker),
        (43, Event::RestoreWorker),
        (48, Event::KillServer),
        (58, Event::PartServer),
        (65, Event::CutBroker),
        (73, Event::RestoreBroker),
        (77, Event::KillBroker(0)),
        (83, Event::RestartBroker(0)),
    ];
    // All but the last worker, which is cut off, and kills of which are at moments of their own.
    events.extend((1..24).map(|count| (4 * count, Event::KillWorker(count % 3))));
    events.extend([14, 54, 74].map(|percent| (percent, Event::KillWorker(3))));
    events.sort_by_key(|(percent, _)| *percent);
    let languages = ["java", "python", "python", "java,python"];
    let mut cluster = Cluster::start(folder.path(), nats, &data, &languages);
    let runs = cluster.run(&data, &data.submissions, alone.iter().map(BTreeMap::len).sum(), events);
    let steady = |verdicts: &Verdicts| -> Verdicts {
        let is_steady =
            |output: &str| prerequisites::UNSTEADY_TASKS.iter().all(|task| output.split(' ').next() != Some(*task));
        verdicts.iter().filter(|(output, _)| is_steady(output)).map(|(o, v)| (o.clone(), v.clone())).collect()
    };
    for (run, alone) in runs.iter().zip(&alone) {
        let verdicts = data.verdicts(*run);
        assert_eq!(verdicts.len(), alone.len());
        assert_eq!(steady(&verdicts), steady(alone));
    }

    // Their environment is known by now: the same outputs are answered from the cache.
    let submission = data.submissions[0];
    let again = data.begin(submission, false);
    wait("the run finishes", || data.progress(again).0 == RunStatus::Finished);
    let detail = data.runtime.block_on(data.services.runs.get(&System.admin(), again)).unwrap();
    assert!(detail.cached > 0 && detail.mixed == 0, "{} cached, {} mixed", detail.cached, detail.mixed);
    assert!(detail.environment.java.contains("Python"), "{:?}", detail.environment);
    assert_eq!(data.verdicts(again), alone[0]);
    drop(cluster);
}

#[test]
fn a_run_waits_for_workers_and_outlives_a_broker_that_forgets_everything() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = Data::create(&folder.path().join("data"), &humaneval_x, 10, 2);
    let submission = data.submissions[0];
    let mut brokers = Brokers::start(folder.path(), nats, 1, "");
    let server = serve(&data.folder, &brokers.url("server"), 1);
    let run = data.begin(submission, true);
    // Published, and then lost with the broker's disk.
    let leased = || {
        let progress = data.services.db.read_blocking(|conn| db::runs::left(conn, run)).unwrap();
        progress.1 == 20
    };
    wait("jobs are published", leased);
    brokers.kill(0);
    fs::remove_dir_all(folder.path().join("store0")).unwrap();
    brokers.restart(0);
    let mut first = worker(folder.path(), &brokers.url("worker"), "python");
    wait("the run finishes", || data.progress(run).0 == RunStatus::Finished);
    assert_eq!(data.progress(run).2, 0, "none failed");
    assert_eq!(data.verdicts(run).len(), 20);

    // A worker that is asked to end finishes what it has. A stopped run gives its jobs back.
    let second = data.begin(submission, true);
    wait("an output finishes", || data.progress(second).1 > 0);
    let asked = Command::new("kill").args(["-TERM", &first.0.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert!(first.0.wait().unwrap().success(), "it drains");
    data.runtime.block_on(data.services.runs.cancel(&System.admin(), second)).unwrap();
    let taken_back = || data.services.db.read_blocking(|conn| db::runs::left(conn, second)).unwrap().1 == 0;
    wait("jobs come back", taken_back);
    data.runtime.block_on(data.services.runs.rerun(&System.admin(), second, model::run::Rerun::Rest)).unwrap();
    let last = worker(folder.path(), &brokers.url("worker"), "python");
    wait("the run finishes", || data.progress(second).0 == RunStatus::Finished);
    assert_eq!(data.verdicts(second), data.verdicts(run));
    drop((server, last));
}
