//! Measures workers on other machines, all on this one, and prints the figures as JSON. Built and run by
//! `cargo xtask bench cluster`.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on ends")]
#![allow(clippy::disallowed_methods, reason = "what is measured are processes")]

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use async_nats::jetstream::{consumer::PullConsumer, message::PublishMessage};
use clap::Parser;
use db::uploads::Purpose;
use futures::StreamExt as _;
use jobs::{
    cluster::{
        Broker, JOBS, WORKER, consumer_name,
        coordinator::Coordinator,
        jetstream,
        messages::{Ability, Assignment, BUILD, Delivery, Hello, pack, unpack},
        result_subject,
    },
    job::{Ended, JobKind, MadeIn, Report},
};
use lang::suite;
use model::{
    caller::System,
    code_lang::CodeLang,
    ids::{RunId, SubmissionId},
    run::{EngineReadiness, NewRun, Outcome, RunStatus, Verdict},
    submission::{InvalidLines, Matching},
};
use port::{Runs, Submissions};
use serde::Serialize;
use services::Services;

/// What to measure.
#[derive(Parser)]
struct Bench {
    /// The `aixgrade` of server and workers
    #[arg(long)]
    program: PathBuf,
    /// The broker's program
    #[arg(long, default_value = "/usr/sbin/nats-server")]
    nats_server: PathBuf,
    /// Outputs in Python to run
    #[arg(long, default_value_t = 2_000)]
    outputs: usize,
    /// Numbers of workers
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    workers: Vec<usize>,
    /// Outputs that workers answer at once
    #[arg(long, default_value_t = 50_000)]
    results: usize,
    /// Ignored: cargo passes it
    #[arg(long)]
    bench: bool,
}

#[derive(Serialize)]
struct Measured {
    /// Outputs per second of `aixgrade run`, from the beginning of the run to its end.
    embedded: f64,
    /// The same for each number of workers with one slot.
    workers: Vec<(usize, f64)>,
    /// Reports per second from workers that answer at once, until they are in the database.
    results: f64,
}

/// A process that ends with the measurement.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const TASKS: usize = 100;

fn main() {
    let bench = Bench::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut broker = Command::new(&bench.nats_server);
    broker.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(folder.path().join("broker"));
    let _broker = Process(broker.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let url = format!("nats://127.0.0.1:{port}");

    let data = folder.path().join("data");
    let services = Services::open_with(&data, |_| EngineReadiness::default()).unwrap();
    let submission = runtime.block_on(create(&services, folder.path(), bench.outputs));
    let start = || runtime.block_on(services.runs.start(&System.admin(), NewRun::of(submission).fresh())).unwrap();
    let mut embedded = 0.0;
    // The first run also builds the image.
    for _ in 0..2 {
        let run = start();
        let mut command = Command::new(&bench.program);
        command.arg("--data").arg(&data).args(["run", "--resume", &run.to_string()]).stdout(Stdio::null());
        assert!(command.status().unwrap().success());
        embedded = runtime.block_on(per_second(&services, run));
    }
    let mut serve = Command::new(&bench.program);
    serve.arg("--data").arg(&data).args(["serve", "--listen", "127.0.0.1:0", "--nats", &url]);
    let server = started(&mut serve, "Data folder");
    let mut workers = Vec::new();
    for count in bench.workers {
        let all: Vec<Process> = (0..count)
            .map(|_| {
                let mut worker = Command::new(bench.program.with_file_name("aixgrade-worker"));
                worker.args(["--slots", "1", "--languages", "python", "--nats", &url]);
                started(worker.arg("--cache").arg(folder.path().join("cache")), "takes jobs")
            })
            .collect();
        let run = start();
        workers.push((count, runtime.block_on(per_second(&services, run))));
        drop(all);
    }
    drop((server, services));
    let results = runtime.block_on(answer_at_once(&url, folder.path(), bench.results));
    println!("{}", serde_json::to_string(&Measured { embedded, workers, results }).unwrap());
}

/// Imports invented tasks and outputs.
async fn create(services: &Services, folder: &Path, outputs: usize) -> SubmissionId {
    let task = |number: usize| {
        serde_json::json!({
            "task_id": format!("Python/{number}"),
            "prompt": format!("def f{number}(x):\n    \"\"\" Returns x and {number}. \"\"\"\n"),
            "declaration": format!("def f{number}(x):\n"),
            "canonical_solution": format!("    return x + {number}\n"),
            "test": format!("def check(f):\n    assert f(1) == {}\n\ncheck(f{number})\n", number + 1),
            "example_test": "",
        })
    };
    let file = folder.join("humaneval_python.jsonl");
    let lines: String = (0..TASKS).map(|number| format!("{}\n", task(number))).collect();
    fs::write(&file, lines).unwrap();
    services.imports.paths(System, vec![file]).await.unwrap();
    let mut incoming = services.uploads.begin("outputs.jsonl").await.unwrap();
    for at in 0..outputs {
        let (number, sample) = (at % TASKS, at / TASKS);
        let generation = format!("    return x + {number}\n# {sample}\n");
        let line = serde_json::json!({"task_id": format!("Python/{number}"), "generation": generation});
        incoming.write(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let file = incoming.finish().await.unwrap();
    let upload = services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap();
    let (admin, refuse) = (System.admin(), InvalidLines::Refuse);
    let take = services.submissions.import(&admin, upload, "humaneval-x-python", Matching::Auto, "M", refuse);
    take.await.unwrap()
}

/// Outputs per second of a run, from the time when the engine began until it finished.
async fn per_second(services: &Services, run: RunId) -> f64 {
    let row = || async { services.db.read(move |conn| db::runs::get(conn, run)).await.unwrap().unwrap() };
    let mut found = row().await;
    while found.status != RunStatus::Finished {
        // Reads one row. Counting outputs as pages do would take processor time from what is measured.
        tokio::time::sleep(Duration::from_millis(50)).await;
        found = row().await;
    }
    let outputs = services.runs.get(&System.admin(), run).await.unwrap().row.items;
    let milliseconds = found.finished_at.unwrap().0 - found.begun_at.unwrap().0;
    f64::from(outputs) * 1000.0 / milliseconds as f64
}

/// Starts a program and waits for a line that contains `ready`.
fn started(command: &mut Command, ready: &str) -> Process {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.contains(ready)), "the program ended without \"{ready}\"");
    thread::spawn(move || lines.for_each(drop));
    Process(child)
}

/// Reports per second from workers that run nothing.
async fn answer_at_once(url: &str, folder: &Path, outputs: usize) -> f64 {
    let services = Services::open_with(&folder.join("at-once"), |_| EngineReadiness::default()).unwrap();
    let submission = create(&services, folder, outputs).await;
    let broker = Broker { url: url.to_owned(), credentials: None, ca: None, certificate: None };
    let coordinator = Coordinator::connect(services.runs.engine().clone(), &broker, 1).await.unwrap();
    coordinator.registry.hear(hello(), false, &[]).unwrap();
    tokio::spawn(coordinator.serve());
    let client = broker.connect_worker("bench").await.unwrap();
    let context = jetstream(&client);
    let kind = JobKind::Programs(CodeLang::Python);
    let consumer: PullConsumer = context.get_consumer_from_stream(consumer_name(kind, false), JOBS).await.unwrap();
    let run = services.runs.start(&System.admin(), NewRun::of(submission).fresh()).await.unwrap();
    tokio::spawn(async move {
        loop {
            let mut jobs = consumer.batch().max_messages(500).expires(Duration::from_secs(1)).messages().await.unwrap();
            let mut answered = Vec::new();
            while let Some(Ok(message)) = jobs.next().await {
                let answer = pack(&answer(&unpack(&message.payload).unwrap())).unwrap();
                let answer = PublishMessage::build().payload(answer.into());
                answered.push((context.send_publish(result_subject(WORKER, run), answer).await.unwrap(), message));
            }
            for (stored, message) in answered {
                stored.await.unwrap();
                message.ack().await.unwrap();
            }
        }
    });
    per_second(&services, run).await
}

/// The toolchain that the worker presents itself with.
const VERSION: &str = "Python 3";

fn hello() -> Hello {
    let kind = JobKind::Programs(CodeLang::Python);
    Hello {
        worker: format!("{WORKER}.bench"),
        host: "bench".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: BUILD.to_owned(),
        slots: 1,
        abilities: vec![Ability { kind, version: VERSION.to_owned(), checks: 1, failed: Vec::new(), fault: None }],
        landlock: false,
        groups: None,
        running: 0,
        done: 0,
        draining: false,
        holds: Vec::new(),
    }
}

fn answer(assignment: &Assignment) -> Delivery {
    let job = &assignment.job;
    let key_basis = suite::key_basis(VERSION, suite::budget(assignment.limits.allowance(assignment.options)));
    let outcome = Outcome { passed: 1, total: 1, ..Outcome::new(Verdict::Passed) };
    Delivery {
        worker: format!("{WORKER}.bench"),
        build: BUILD.to_owned(),
        instance: assignment.instance.clone(),
        run: assignment.run,
        kind: job.kind,
        suite: assignment.suite.clone(),
        receipt: assignment.receipt.clone(),
        report: Report {
            item: job.item,
            attempt: job.attempt,
            ended: Ended::Judged(Box::new(outcome)),
            made_in: MadeIn { fingerprint: suite::digest(&key_basis), key_basis },
        },
    }
}
