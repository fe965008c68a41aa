//! `cargo xtask bench results`: comparisons and exports over a million ratings and a million verdicts.
//!
//! `server/benches/fill.rs` fills a data folder with invented ones; then a logged-in admin requests pages over HTTP on
//! loopback, and exports are read to the end as fast as they arrive.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::{Report, Target};
use crate::{server, tools};

/// Options of the benchmark.
#[derive(Args)]
pub struct Options {
    /// A data folder that an earlier measurement filled, to save filling it again
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The program to measure [default: an optimized build of this checkout]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Studies of 50,000 ratings; 20 make a million
    #[arg(long, default_value_t = 20)]
    studies: u32,
    /// Runs of each of ten models over 1,000 tasks; 100 make a million
    #[arg(long, default_value_t = 100)]
    runs: u32,
}

/// Requests per page.
const TIMES: usize = 20;

/// Measures.
#[allow(clippy::too_many_lines, reason = "the steps of one measurement, in order")]
pub fn run(options: &Options) -> Result<Report> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => super::release_server()?,
    };
    let scratch = tempfile::tempdir()?;
    let data = options.data.clone().unwrap_or_else(|| scratch.path().join("data"));
    if !data.join("aixgrade.sqlite3").is_file() {
        tools::say_aside("Filling a database (minutes)");
        let sizes = ["--studies", &options.studies.to_string(), "--runs", &options.runs.to_string()].map(str::to_owned);
        let mut fill = Command::new(server::bench("fill")?);
        let said = tools::run_quietly(fill.arg("--data").arg(&data).args(sizes)).context("filling failed")?;
        tools::say_aside(said.trim());
    }
    let mut report = Report::new("Comparisons and exports");
    let server = Server::start(&program, &data)?;
    let cookie = server.log_in(Person::Admin)?;
    let size = std::fs::metadata(data.join("aixgrade.sqlite3"))?.len();
    report.figure("database", size as f64 / 1e6, "MB");

    let study = server.some_study(&cookie)?;
    let pages = [
        (
            "one study, two models",
            format!("/admin/compare/bench?studies={study}&models={}", server.two_models(&cookie)?),
        ),
        ("one study, ten models", format!("/admin/compare/bench?studies={study}")),
        ("every study, every model", "/admin/compare/bench".to_owned()),
        ("a filter over every study", "/admin/compare/bench?spread=2&sort=gap".to_owned()),
        ("the paper's layout", "/admin/compare/bench?layout=paper".to_owned()),
    ];
    for (name, path) in &pages {
        let (first, body) = server.get(path, &cookie)?;
        // A new selection: the page arrives at once, its figures when they are computed.
        report.promised(format!("{name}: first answer"), first.as_secs_f64() * 1e3, "ms", Target::AtMost(100.0));
        let begun = Instant::now();
        let mut body = body;
        while is_counting(&body) {
            std::thread::sleep(Duration::from_millis(200));
            body = server.get(path, &cookie)?.1;
        }
        report.figure(format!("{name}: figures after"), (begun.elapsed() + first).as_secs_f64(), "s");
        let mut times = Vec::new();
        for _ in 0..TIMES {
            times.push(server.get(path, &cookie)?.0);
        }
        times.sort();
        report.promised(
            format!("{name}: median"),
            times[times.len() / 2].as_secs_f64() * 1e3,
            "ms",
            Target::AtMost(100.0),
        );
        report.figure(format!("{name}: slowest of {TIMES}"), times[times.len() - 1].as_secs_f64() * 1e3, "ms");
    }
    // A separate server, so that comparisons cached in memory do not count.
    drop(server);
    let server = Server::start(&program, &data)?;
    let cookie = server.log_in(Person::Admin)?;
    let before = server.peak_mib()?;
    for file in ["ratings.csv", "ratings.jsonl", "verdicts.csv", "verdicts.jsonl"] {
        let (took, body) = server.get(&format!("/admin/compare/bench/export/{file}"), &cookie)?;
        let rows = body.iter().filter(|byte| **byte == b'\n').count();
        report.promised(
            format!("{file}: {rows} lines, a second"),
            rows as f64 / took.as_secs_f64(),
            "lines",
            Target::AtLeast(100_000.0),
        );
    }
    report.figure("peak memory before exporting", before, "MiB");
    report.figure("peak memory after exporting", server.peak_mib()?, "MiB");
    drop(server);
    let measured = tools::run_quietly(&mut Command::new(server::bench("bootstrap")?))?;
    let measured: serde_json::Value = serde_json::from_str(&measured).context("the bench printed no figures")?;
    report.promised(
        "bootstrap, 10,000 resamples x 161 tasks x 5 models x 3 raters x 3 dimensions",
        measured["seconds"].as_f64().unwrap_or(f64::NAN),
        "s",
        Target::AtMost(1.0),
    );
    report.note(
        "Pages are whole HTML pages over HTTP on loopback, uncompressed; verdicts.csv is of ten runs, one a model.",
    );
    report.note(
        "The first response for a large, uncached selection says that its figures are being computed; after \
         that the last figures are shown while newer ones are computed.",
    );
    Ok(report)
}

/// Whether a page says that its figures are being computed.
fn is_counting(body: &[u8]) -> bool {
    let said = b"are being computed for the first time. This page";
    body.windows(said.len()).any(|part| part == said)
}

/// Who logs in.
#[derive(Clone, Copy)]
pub(super) enum Person {
    Admin,
    Rater,
}

/// A running server; dropping this value ends it.
pub(super) struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub(super) fn start(program: &Path, data: &Path) -> Result<Server> {
        let mut process = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--demo=study", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the server")?;
        let said = process.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(said).lines();
        let address = loop {
            let line = lines.next().context("the server ended before it said where it is")??;
            if let Some((_, address)) = line.split_once("AixGrade is at http://") {
                break address.trim().to_owned();
            }
        };
        // Keeps reading its output, so that it never blocks.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { process, address })
    }

    /// Sends a request and reads the response to the end: status line with headers, time to the last byte, body.
    fn ask(&self, request: &str) -> Result<(String, Duration, Vec<u8>)> {
        let begun = Instant::now();
        let mut stream = TcpStream::connect(&self.address)?;
        stream.write_all(request.as_bytes())?;
        let mut reader = BufReader::with_capacity(1 << 16, stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                bail!("the response ended in its head: {head}");
            }
        }
        let mut body = Vec::new();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            loop {
                let mut size = String::new();
                reader.read_line(&mut size)?;
                let size = usize::from_str_radix(size.trim(), 16).context("the answer broke off")?;
                let from = body.len();
                body.resize(from + size, 0);
                reader.read_exact(&mut body[from..])?;
                reader.read_line(&mut String::new())?;
                if size == 0 {
                    break;
                }
            }
        } else {
            reader.read_to_end(&mut body)?;
        }
        Ok((head, begun.elapsed(), body))
    }

    pub(super) fn get(&self, path: &str, cookie: &str) -> Result<(Duration, Vec<u8>)> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/html\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
            self.address
        );
        let (head, took, body) = self.ask(&request)?;
        if !head.starts_with("HTTP/1.1 200") {
            bail!("{path} answered {}", head.lines().next().unwrap_or_default());
        }
        Ok((took, body))
    }

    pub(super) fn log_in(&self, person: Person) -> Result<String> {
        let form = match person {
            Person::Admin => "name=admin&password=demo-password-admin&next=%2Fadmin",
            Person::Rater => "name=ada&password=demo-password-ada&next=%2Fdesk",
        };
        let request = format!(
            "POST /log-in HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{form}",
            self.address,
            form.len()
        );
        let (head, _, _) = self.ask(&request)?;
        let cookies = head.lines().filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let cookie = value.trim().split(';').next()?;
            (name.eq_ignore_ascii_case("set-cookie")).then(|| cookie.to_owned())
        });
        let cookies: Vec<String> = cookies.collect();
        if cookies.is_empty() {
            bail!("the login failed: {}", head.lines().next().unwrap_or_default());
        }
        Ok(cookies.join("; "))
    }

    /// Ids in the form of the selection, by field.
    fn ids(&self, cookie: &str, field: &str) -> Result<Vec<String>> {
        let (_, body) = self.get("/admin/compare/bench?studies=none&runs=none", cookie)?;
        let body = String::from_utf8_lossy(&body).into_owned();
        let mark = format!("name=\"{field}\" value=\"");
        let ids = body.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).filter(|id| *id != "none");
        Ok(ids.map(str::to_owned).collect())
    }

    fn some_study(&self, cookie: &str) -> Result<String> {
        self.ids(cookie, "studies")?.pop().context("no study to compare")
    }

    fn two_models(&self, cookie: &str) -> Result<String> {
        Ok(self.ids(cookie, "models")?.into_iter().take(2).collect::<Vec<_>>().join(","))
    }

    fn peak_mib(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no peak in /proc")?;
        Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
    }
}
