//! Runs from start to end: leases, a killed engine, who may see them, and the starter dataset's
//! expected results.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use crate::util::{TestApp, prerequisites};
use app::{
    model::{
        ids::{RunId, SubmissionId},
        run::{Outcome, RunStatus, StartHow, Verdict},
        time::Timestamp,
    },
    port::{Caller, Runs, Submissions},
};
use axum::http::StatusCode;
use serde_json::Value;
use server::{
    clock,
    db::{
        run_how,
        runs::{self, Basis, Finish},
    },
    engine::dates::Dates,
};

async fn submission(app: &TestApp, file: &str) -> SubmissionId {
    let all = app.services.submissions.list(&Caller::Operator, None).await.unwrap();
    all.into_iter().find(|s| s.file == file).unwrap().id
}

#[tokio::test]
async fn a_lost_lease_is_somebody_elses_and_counts_once() {
    let app = TestApp::demo().await;
    let run =
        app.services.runs.start(&Caller::Operator, submission(&app, "northwind.jsonl").await, true).await.unwrap();
    let db = &app.services.db;
    let (later, past) = (Timestamp(clock::now().0 + 60_000), Timestamp(clock::now().0 - 1));
    let claim = |holder: &'static str, until| {
        db.write_blocking(move |tx| runs::claim(tx, run, holder, until, false)).unwrap().unwrap()
    };
    let finish = |item, holder: &'static str, how: Finish<'_>| {
        db.write_blocking(|tx| runs::finish(tx, item, holder, &how)).unwrap()
    };
    let outcome = Outcome::new(Verdict::Passed);
    let basis = Basis { key: "k", fingerprint: "f" };

    // Two holders never have the same item while its lease lasts.
    let first = claim("one", later);
    let second = claim("two", past);
    assert_ne!(first.item, second.item);
    // The second's lease has run out: a third takes the item, and the second's word comes to nothing.
    let third = claim("three", later);
    assert_eq!(third.item, second.item);
    assert!(!finish(second.item, "two", Finish::Done(&outcome, basis, false)));
    assert!(finish(third.item, "three", Finish::Done(&outcome, basis, false)));
    assert!(!finish(third.item, "three", Finish::Done(&outcome, basis, false)), "an item is done once");
    // Our own failure sends an item to the queue of those that run alone, then it is given up.
    assert!(finish(first.item, "one", Finish::Failed { fault: "f", again: true }));
    let alone = db.write_blocking(|tx| runs::claim(tx, run, "one", later, true)).unwrap().unwrap();
    assert_eq!(alone.item, first.item);
    assert!(finish(alone.item, "one", Finish::Failed { fault: "f", again: false }));
    let counts = db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    assert_eq!((counts.1, counts.2), (2, 1), "done, of these given up");
    // A run that was stopped gives out nothing more.
    app.services.runs.cancel(&Caller::Operator, run).await.unwrap();
    assert_eq!(db.write_blocking(|tx| runs::claim(tx, run, "one", later, false)).unwrap(), None);
}

#[tokio::test]
async fn what_took_long_goes_first_the_next_time() {
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let db = &app.services.db;
    let later = Timestamp(clock::now().0 + 60_000);
    let claim = |run| db.write_blocking(|tx| runs::claim(tx, run, "one", later, false)).unwrap();
    let run = app.services.runs.start(&Caller::Operator, submission, true).await.unwrap();
    // Everything is quick but the output of the dataset's last task.
    let last = app.services.runs.get(&Caller::Operator, run).await.unwrap().items.len();
    let mut items = Vec::new();
    while let Some(item) = claim(run) {
        items.push(item);
    }
    assert_eq!(items.len(), last);
    items.sort_by_key(|item| item.item);
    let slow = items.last().unwrap().clone();
    for item in &items {
        let wall_ms = if *item == slow { 9_000 } else { 50 };
        let outcome = Outcome { wall_ms, ..Outcome::new(Verdict::Failed) };
        let finish = Finish::Done(&outcome, Basis { key: "k", fingerprint: "f" }, false);
        assert!(db.write_blocking(|tx| runs::finish(tx, item.item, "one", &finish)).unwrap());
    }
    let next = app.services.runs.start(&Caller::Operator, submission, true).await.unwrap();
    let claimed: Vec<_> = (0..items.len()).map(|_| claim(next).unwrap()).collect();
    assert_eq!(claimed[0].code, slow.code);
    // And then the others in the dataset's order.
    assert!(claimed[1..].is_sorted_by_key(|item| item.item) && claimed[1].item < claimed[0].item);
}

#[tokio::test]
async fn a_run_can_be_done_in_another_ones_way() {
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let how = |run| app.services.db.read_blocking(|conn| run_how::get(conn, run)).unwrap();
    let start = |so| app.services.runs.start_so(&Caller::Operator, submission, so);
    let fast = start(StartHow { fast: true, ..StartHow::default() }).await.unwrap();
    assert!(how(fast).fast && how(fast).dates.is_none());
    let again = start(StartHow { fresh: true, like: Some(fast), ..StartHow::default() }).await.unwrap();
    assert_eq!(how(again), how(fast));
    let usual = start(StartHow::default()).await.unwrap();
    assert!(!how(usual).fast);
}

#[tokio::test]
async fn a_run_keeps_the_date_that_it_was_started_with() {
    let Some(_) = prerequisites::host(Dates::June2022.needs()) else { return };
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let dated = StartHow { june_2022: true, ..StartHow::default() };
    let run = app.services.runs.start_so(&Caller::Operator, submission, dated).await.unwrap();
    let how = app.services.db.read_blocking(|conn| run_how::get(conn, run)).unwrap();
    assert_eq!(how.dates, Some(Dates::June2022));
}

#[tokio::test]
async fn only_admins_see_runs() {
    let app = TestApp::demo().await;
    let run =
        app.services.runs.start(&Caller::Operator, submission(&app, "northwind.jsonl").await, true).await.unwrap();
    let mut rater = app.rater().await;
    for path in ["progress", "results.csv", "results.jsonl"] {
        let answer = rater.get(&format!("/admin/runs/{run}/{path}")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert!(app.services.runs.list(&Caller::Anonymous, None).await.is_err());
}

#[allow(clippy::disallowed_methods, reason = "the program under test is a process")]
fn program(app: &TestApp, args: &[&str]) -> Command {
    // A build folder that several checkouts share may hold another's program.
    let path = std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into());
    let mut command = Command::new(PathBuf::from(path));
    command.arg("--data").arg(app.services.folder.as_path()).args(args);
    command
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_starters_outputs_come_to_what_its_readme_promises_through_a_kill_too() {
    let app = TestApp::demo().await;
    let expected = include_str!("../../../datasets/starter/expected.tsv");
    let mut by_file: BTreeMap<&str, BTreeMap<&str, (u64, u64)>> = BTreeMap::new();
    for line in expected.lines().skip(1) {
        let [file, task, passed, total] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        by_file.entry(file).or_default().insert(task, (passed.parse().unwrap(), total.parse().unwrap()));
    }
    for (number, (file, expected)) in by_file.into_iter().enumerate() {
        let id = submission(&app, file).await.to_string();
        let args = ["run", "--dataset", "starter", "--submission", &id, "--json"];
        // One kill is enough: whoever goes on has to wait for the dead one's leases.
        let found = if number == 0 {
            let run = killed_in_its_middle(&app, &id, &args).await;
            lines(&program(&app, &["run", "--resume", &run.to_string(), "--json"]).output().unwrap())
        } else {
            lines(&program(&app, &args).output().unwrap())
        };
        assert_eq!(found.len(), expected.len() + 1, "{file}: a line an output, and the figures");
        for line in &found[..expected.len()] {
            let (passed, total) = expected[line["task_id"].as_str().unwrap()];
            assert_eq!(line["passed"], passed, "{file}: {line}");
            // What never got so far as to count its cases says 0.
            assert!(line["total"] == total || line["total"] == 0 && passed == 0, "{file}: {line}");
        }
        let again = lines(&program(&app, &args).output().unwrap());
        assert!(again[..expected.len()].iter().all(|line| line["cached"] == true), "{file}: nothing has changed");
        assert_eq!(again.last().unwrap()["metrics"], found.last().unwrap()["metrics"], "{file}");
    }
}

/// Starts a run, kills it once it has its first results, and returns it.
async fn killed_in_its_middle(app: &TestApp, submission: &str, args: &[&str]) -> RunId {
    let mut child = program(app, args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let run = loop {
        let newest = app.services.runs.list(&Caller::Operator, None).await.unwrap().into_iter().next();
        match newest {
            Some(run) if run.submission.to_string() == submission && run.done > 2 => break run.id,
            _ => assert_eq!(child.try_wait().unwrap(), None, "the run ended too soon to be killed"),
        }
        tokio::task::yield_now().await;
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let detail = app.services.runs.get(&Caller::Operator, run).await.unwrap();
    assert_eq!(detail.row.status, RunStatus::Running, "it was not killed in its middle");
    run
}
