//! Runs from start to end: leases, a killed engine, access, and the starter dataset's expected results.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    process::{Output, Stdio},
};

use crate::util::{TestApp, program::program};
use axum::http::StatusCode;
use base::clock;
use db::{
    queue::{self, Taker},
    run_how,
    runs::{self, Basis, Finish},
};
use engine::dates;
use model::{
    caller::System,
    error::AppError,
    ids::{RunId, StudyId, SubmissionId, UserId},
    page::PageOf,
    plan::Reads,
    reason::Fault,
    run::{Dates, EngineNeed, EngineReadiness, NewRun, Outcome, Rerun, RunStatus, Verdict},
    time::Timestamp,
};
use port::{Runs, Submissions};
use serde_json::Value;
use services::Services;

async fn submission(app: &TestApp, file: &str) -> SubmissionId {
    let all = app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    all.into_iter().find(|s| s.file == file).unwrap().id
}

#[tokio::test]
async fn expired_lease_is_taken_over_and_counts_once() {
    let app = TestApp::demo().await;
    let run = app
        .services
        .runs
        .start(&System.admin(), NewRun::of(submission(&app, "northwind.jsonl").await).fresh())
        .await
        .unwrap();
    let db = &app.services.db;
    let (later, past) = (Timestamp(clock::now().0 + runs::LEASE_MS), Timestamp(clock::now().0 - 1));
    let claim = |holder: &'static str, until| {
        db.write_blocking(move |tx| runs::claim(tx, run, holder, until, false)).unwrap().unwrap()
    };
    let finish =
        |of: &runs::Leased, how: Finish<'_>| db.write_blocking(|tx| runs::finish(tx, of.ticket(), &how)).unwrap();
    let outcome = Outcome::new(Verdict::Passed);
    let basis = Basis { key: "k", fingerprint: "f", worker: None };

    // Two holders never have the same item while its lease lasts.
    let first = claim("one", later);
    let second = claim("two", past);
    assert_ne!(first.item, second.item);
    // The second's lease has expired: a third takes the item, and the second's result is ignored.
    let third = claim("three", later);
    assert_eq!(third.item, second.item);
    assert!(!finish(&second, Finish::Done(&outcome, basis, false)));
    assert!(finish(&third, Finish::Done(&outcome, basis, false)));
    assert!(!finish(&third, Finish::Done(&outcome, basis, false)), "an item is done once");
    // An engine error moves an item to the queue of those that run alone; a second one ends it.
    assert!(finish(&first, Finish::Failed { fault: Fault::NoTests, again: true, worker: None }));
    let alone = db.write_blocking(|tx| runs::claim(tx, run, "one", later, true)).unwrap().unwrap();
    assert_eq!(alone.item, first.item);
    assert!(finish(&alone, Finish::Failed { fault: Fault::NoTests, again: false, worker: None }));
    let counts = db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    assert_eq!((counts.1, counts.2), (2, 1), "done, of these given up");
    // A stopped run assigns no more items.
    app.services.runs.cancel(&System.admin(), run).await.unwrap();
    assert_eq!(db.write_blocking(|tx| runs::claim(tx, run, "one", later, false)).unwrap(), None);
}

#[tokio::test]
async fn lease_made_before_the_clock_was_set_back_counts_as_expired() {
    let app = TestApp::demo().await;
    let run = app
        .services
        .runs
        .start(&System.admin(), NewRun::of(submission(&app, "northwind.jsonl").await).fresh())
        .await
        .unwrap();
    let db = &app.services.db;
    let future = Timestamp(clock::now().0 + 2 * 3600 * 1000);
    let left = || db.read_blocking(|conn| runs::left(conn, run)).unwrap();
    let before = left();
    let gone = db.write_blocking(|tx| runs::claim(tx, run, "gone", future, false)).unwrap().unwrap();
    assert_eq!(left(), before, "none is leased");
    let lease = Timestamp(clock::now().0 + runs::LEASE_MS);
    let taken = db.write_blocking(|tx| runs::claim(tx, run, "here", lease, false)).unwrap().unwrap();
    assert_eq!(taken.item, gone.item);
    assert_eq!(left(), (before.0 - 1, 1));

    // A rater's output, likewise.
    let (study, holder, other) = (StudyId(1), UserId(2), UserId(3));
    let lapsed = |until: Timestamp| {
        db.write_blocking(|tx| {
            let own: i64 = tx.query_row(
                "SELECT a.id FROM assignments a WHERE a.study_id = ?1 AND a.user_id = ?2 AND NOT EXISTS (
                     SELECT 1 FROM assignments b WHERE b.output_id = a.output_id AND b.user_id = ?3) LIMIT 1",
                [study.0, holder.0, other.0],
                |row| row.get(0),
            )?;
            queue::hand_over(tx, study, own, holder, until)?;
            let taker = Taker { study, rater: other, reads: Reads::BOTH, served: Vec::new() };
            Ok(queue::run_out(tx, &taker, clock::now())?.map(|(at, place)| (at, place.assignment == own)))
        })
        .unwrap()
    };
    assert_eq!(lapsed(Timestamp(clock::now().0 + queue::LEASE_MS)), None);
    let (at, is_own) = lapsed(future).unwrap();
    assert!(is_own && at <= clock::now());
}

#[tokio::test]
async fn finished_items_are_rechecked_and_recalled_in_batches() {
    let app = TestApp::demo().await;
    let run =
        app.services.runs.start(&System.admin(), NewRun::of(submission(&app, "northwind.jsonl").await)).await.unwrap();
    let db = &app.services.db;
    let all = db.read_blocking(|conn| runs::waiting(conn, run, 0, usize::MAX >> 1)).unwrap();
    let mut paged = Vec::new();
    while paged.len() < all.len() {
        let after = paged.last().map_or(0, |last: &runs::Leased| last.item);
        let page = db.read_blocking(|conn| runs::waiting(conn, run, after, 2)).unwrap();
        assert!((1..=2).contains(&page.len()));
        paged.extend(page);
    }
    assert!(all.len() > 2 && paged == all);
    // Adding a run's items again adds none.
    jobs::add_items(db, run).unwrap();
    assert_eq!(db.read_blocking(|conn| runs::counts(conn, run)).unwrap().0 as usize, all.len());

    // The first outcome is in the cache under its key; a text that is no outcome counts as missing.
    let outcome = serde_json::to_string(&Outcome::new(Verdict::Passed)).unwrap();
    db.write_blocking(|tx| {
        for (key, json) in [("first", outcome.as_str()), ("damaged", "no outcome")] {
            tx.execute("INSERT INTO outcomes (key, outcome, created_at) VALUES (?1, ?2, 0)", [key, json])?;
        }
        Ok(())
    })
    .unwrap();
    let wanted = [(0, "first"), (1, "damaged"), (2, "none")].map(|(at, key): (usize, &str)| runs::Wanted {
        item: all[at].item,
        attempt: None,
        key: key.to_owned(),
        fingerprint: "f".to_owned(),
    });
    let kept = db.read_blocking(|conn| runs::cached_outcomes(conn, wanted.to_vec())).unwrap();
    assert_eq!(kept.len(), 1);
    db.write_blocking(|tx| runs::reuse_outcomes(tx, &kept)).unwrap();
    let done = db.read_blocking(|conn| runs::done(conn, run, 0, 100)).unwrap();
    assert_eq!((done.len(), done[0].0.item, done[0].1.as_deref()), (1, all[0].item, Some("first")));
    db.write_blocking(|tx| runs::reset(tx, &[all[0].item], true)).unwrap();
    let again = db.read_blocking(|conn| runs::waiting(conn, run, 0, 1)).unwrap().remove(0);
    assert!(again.item == all[0].item && again.fresh);
}

#[tokio::test]
async fn slow_outputs_go_first_next_time() {
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let db = &app.services.db;
    let later = Timestamp(clock::now().0 + runs::LEASE_MS);
    let claim = |run| db.write_blocking(|tx| runs::claim(tx, run, "one", later, false)).unwrap();
    let run = app.services.runs.start(&System.admin(), NewRun::of(submission).fresh()).await.unwrap();
    // All are quick except the output of the dataset's last task.
    let last = app.services.runs.get(&System.admin(), run).await.unwrap().row.items as usize;
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
        let finish = Finish::Done(&outcome, Basis { key: "k", fingerprint: "f", worker: None }, false);
        assert!(db.write_blocking(|tx| runs::finish(tx, item.ticket(), &finish)).unwrap());
    }
    let next = app.services.runs.start(&System.admin(), NewRun::of(submission).fresh()).await.unwrap();
    let claimed: Vec<_> = (0..items.len()).map(|_| claim(next).unwrap()).collect();
    assert_eq!(claimed[0].code, slow.code);
    // And then the others in the dataset's order.
    assert!(claimed[1..].is_sorted_by_key(|item| item.item) && claimed[1].item < claimed[0].item);
}

#[tokio::test]
async fn run_copies_the_options_of_another() {
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let how = |run| app.services.db.read_blocking(|conn| run_how::get(conn, run)).unwrap();
    let admin = System.admin();
    let new = NewRun::of(submission);
    let start = |new| app.services.runs.start(&admin, new);
    let fast = start(NewRun { fast: true, ..new }).await.unwrap();
    assert!(how(fast).fast && how(fast).dates.is_none());
    let again = start(NewRun { like: Some(fast), ..new.fresh() }).await.unwrap();
    assert_eq!(how(again), how(fast));
    let usual = start(new).await.unwrap();
    assert!(!how(usual).fast);
}

#[tokio::test]
async fn a_run_keeps_the_date_that_it_was_started_with() {
    let Some(_) = prerequisites::host(dates::needs(Dates::June2022)) else { return };
    let app = TestApp::demo().await;
    let submission = submission(&app, "northwind.jsonl").await;
    let dated = NewRun { dates: Some(Dates::June2022), ..NewRun::of(submission) };
    let run = app.services.runs.start(&System.admin(), dated).await.unwrap();
    let how = app.services.db.read_blocking(|conn| run_how::get(conn, run)).unwrap();
    assert_eq!(how.dates, Some(Dates::June2022));
}

/// The refusal names the command that installs what is missing, and leaves no run.
#[tokio::test]
async fn nothing_is_started_where_the_engine_lacks_something() {
    let app = TestApp::demo().await;
    let id = submission(&app, "northwind.jsonl").await;
    let run = app.services.runs.start(&System.admin(), NewRun::of(id)).await.unwrap();
    app.services.runs.cancel(&System.admin(), run).await.unwrap();
    let bare = Services::open_with(app.services.folder.as_path(), |_| EngineReadiness {
        missing: vec![EngineNeed::Jdk, EngineNeed::Bubblewrap],
        install: Some("sudo apt-get install jdk bubblewrap".into()),
    });
    let bare = bare.unwrap();
    let started = bare.runs.start(&System.admin(), NewRun::of(id)).await.unwrap_err();
    let resumed = bare.runs.rerun(&System.admin(), run, Rerun::Rest).await.unwrap_err();
    for refusal in [started, resumed] {
        let AppError::Conflict(why) = refusal else { panic!("{refusal:?}") };
        for words in [&why.en, &why.zh] {
            assert!(words.contains("sudo apt-get install jdk bubblewrap") && words.contains("JDK"), "{words}");
        }
    }
    let runs = bare.runs.list(&System.admin(), None, PageOf::default()).await.unwrap().rows;
    assert_eq!(runs.iter().map(|row| (row.id, row.status)).collect::<Vec<_>>(), [(run, RunStatus::Stopped)]);
}

#[tokio::test]
async fn only_admins_see_runs() {
    let app = TestApp::demo().await;
    let run = app
        .services
        .runs
        .start(&System.admin(), NewRun::of(submission(&app, "northwind.jsonl").await).fresh())
        .await
        .unwrap();
    let mut rater = app.rater().await;
    for path in ["progress", "results.csv", "results.jsonl", "results.parquet"] {
        let answer = rater.get(&format!("/admin/runs/{run}/{path}")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn starter_outputs_match_the_documented_figures_after_a_kill() {
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
        // One kill is enough: whoever resumes has to wait for the dead process's leases.
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
            // An output that never counted its cases has 0.
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
        let newest = app
            .services
            .runs
            .list(&System.admin(), None, PageOf::first(PageOf::MOST))
            .await
            .unwrap()
            .rows
            .into_iter()
            .next();
        match newest {
            Some(run) if run.submission.to_string() == submission && run.done > 2 => break run.id,
            _ => assert_eq!(child.try_wait().unwrap(), None, "the run ended too soon to be killed"),
        }
        tokio::task::yield_now().await;
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let detail = app.services.runs.get(&System.admin(), run).await.unwrap();
    assert_eq!(detail.row.status, RunStatus::Running, "it was not killed in its middle");
    run
}

#[tokio::test]
async fn a_runs_figures_follow_its_verdicts() {
    let app = TestApp::demo().await;
    let (services, admin) = (&app.services.runs, System.admin());
    let run = services.start(&admin, NewRun::of(submission(&app, "northwind.jsonl").await).fresh()).await.unwrap();
    // The list, the run and a comparison with itself agree, before and after each change.
    let solved = async || {
        let list = services.list(&admin, None, PageOf::default()).await.unwrap().rows;
        let listed = list.into_iter().find(|row| row.id == run).unwrap();
        let detail = services.get(&admin, run).await.unwrap();
        let pair = services.compare(&admin, run, run, None).await.unwrap();
        assert_eq!((detail.row.metrics, pair.a.metrics), (listed.metrics, listed.metrics));
        let pass = detail.pass_at.first().map(|at| at.value);
        assert_eq!(pass, Some(listed.metrics.pass_at_1));
        let answered = listed.metrics.tasks - u32::try_from(detail.missing.len()).unwrap();
        assert_eq!(answered, listed.items, "one output of each task");
        (listed.metrics.solved, listed.done)
    };
    let change = |sql: &'static str| app.services.db.write_blocking(move |tx| Ok(tx.execute(sql, [run.0])?)).unwrap();
    assert_eq!(solved().await, (0, 0));
    let all = change(
        "UPDATE run_items SET state = 'done', outcome = '{}', verdict = 'passed', passed = 1, total = 1, finished_at = 1
         WHERE run_id = ?1",
    );
    let all = u32::try_from(all).unwrap();
    assert_eq!(solved().await, (all, all));
    change(
        "UPDATE run_items SET state = 'waiting', outcome = NULL, verdict = NULL, passed = 0, total = 0, finished_at = NULL
         WHERE run_id = ?1 AND id = (SELECT min(id) FROM run_items WHERE run_id = ?1)",
    );
    assert_eq!(solved().await, (all - 1, all - 1));
    change(
        "UPDATE run_items SET state = 'done', outcome = '{}', verdict = 'failed', total = 1, finished_at = 2
         WHERE run_id = ?1 AND state = 'waiting'",
    );
    assert_eq!(solved().await, (all - 1, all));
}
