//! HumanEval-X with the number of samples of its paper: 200 for each of 164 tasks.
//!
//! Nothing is executed. What grows with the square of the number of samples would make this test take hours.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use base::{clock, error::Failure};
use db::runs::{self, Basis, Finish, Leased};
use lang::{Places, language};
use model::{
    caller::System,
    code_lang::CodeLang,
    comparison::Selection,
    ids::{RunId, TaskRevisionId},
    page::PageOf,
    reason::Reason,
    run::{ItemFilter, NewRun, Outcome, Published, PublishedVerdict, RunStatus, Verdict},
};
use port::{Comparisons, Runs, Submissions};
use serde_json::json;

use super::languages::{import, task, upload};
use crate::util::TestApp;

const TASKS: u32 = 164;
const SAMPLES: u32 = 200;

/// Number of items that one transaction finishes.
const BATCH: usize = 1000;

/// Claims up to `count` items.
fn claim(conn: &rusqlite::Connection, run: RunId, count: usize) -> Result<Vec<Leased>, Failure> {
    let until = model::time::Timestamp(clock::now().0 + runs::LEASE_MS);
    let mut claimed = Vec::new();
    while claimed.len() < count
        && let Some(item) = runs::claim(conn, run, "test", until, false)?
    {
        claimed.push(item);
    }
    Ok(claimed)
}

/// The outcome of a sample: every second one passes, and every fourth passes only as published.
fn outcome(number: usize) -> Outcome {
    let (verdict, published) = match number % 4 {
        0 | 2 => (Verdict::Passed, PublishedVerdict::Passed),
        1 => (Verdict::Failed, PublishedVerdict::Passed),
        _ => (Verdict::Failed, PublishedVerdict::Failed),
    };
    let published = Published { verdict: published, reason: String::new(), failure: None };
    let reason = (verdict == Verdict::Failed).then_some(Reason::AnswersRefused);
    let passed = u32::from(verdict == Verdict::Passed);
    Outcome { passed, total: 1, published: Some(published), reason, ..Outcome::new(verdict) }
}

/// Finishes every item of a run. Returns the items' tasks in the order of the queue.
fn finish(app: &TestApp, run: RunId) -> Vec<TaskRevisionId> {
    let mut order = Vec::new();
    loop {
        let taken = order.len();
        let batch = app
            .services
            .db
            .write_blocking(|tx| {
                let claimed = claim(tx, run, BATCH)?;
                for (at, item) in claimed.iter().enumerate() {
                    let (outcome, key) = (outcome(taken + at), item.item.to_string());
                    let how = Finish::Done(&outcome, Basis { key: &key, fingerprint: "f", worker: None }, true);
                    runs::finish(tx, item.ticket(), &how)?;
                }
                Ok(claimed)
            })
            .unwrap();
        if batch.is_empty() {
            break;
        }
        order.extend(batch.into_iter().map(|item| item.revision));
    }
    app.services.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Finished, None)).unwrap();
    order
}

#[tokio::test]
async fn two_hundred_samples_of_every_task_are_uploaded_queued_listed_and_compared() {
    let python = (language(CodeLang::Python).unwrap().look)(&Places::from_environment());
    let Some(()) = prerequisites::toolchain("python", python) else { return };
    let app = TestApp::empty().await;
    import(&app, &(0..TASKS).map(|number| task(number, "assert True")).collect::<String>()).await;
    // As a generator writes them: all samples of a task, then those of the next one.
    let line = |number: u32, sample: u32| {
        let line = json!({"task_id": format!("Python/{number}"), "generation": format!("    return x + {sample}\n")});
        format!("{line}\n")
    };
    let lines: String = (0..TASKS).flat_map(|number| (0..SAMPLES).map(move |sample| line(number, sample))).collect();
    let (admin, all) = (System.admin(), TASKS * SAMPLES);
    let submission = upload(&app, "humaneval-x-python", "M", &lines).await;
    assert_eq!(app.services.submissions.get(&admin, submission).await.unwrap().outputs, u64::from(all));

    let run = app.services.runs.start(&admin, NewRun::of(submission).fresh()).await.unwrap();
    let order = finish(&app, run);
    assert_eq!(order.len(), all as usize);
    // The queue takes a sample of each task before the next sample of any.
    for (round, revisions) in order.chunks(TASKS as usize).enumerate() {
        assert_eq!(revisions.iter().collect::<BTreeSet<_>>().len(), TASKS as usize, "round {round}");
    }

    // The list goes task by task, a page at a time.
    let mut of = PageOf::first(PageOf::MOST);
    let mut listed: BTreeMap<String, u32> = BTreeMap::new();
    loop {
        let page = app.services.runs.items(&admin, run, ItemFilter::default(), of.clone()).await.unwrap();
        for row in &page.rows {
            let before = listed.entry(row.task_id.clone()).or_default();
            assert_eq!(row.sample, *before);
            *before += 1;
        }
        match page.next {
            Some(next) => of = PageOf { after: Some(next), ..of },
            None => break,
        }
    }
    assert_eq!(listed.len(), TASKS as usize);
    assert!(listed.values().all(|samples| *samples == SAMPLES));

    let detail = app.services.runs.get(&admin, run).await.unwrap();
    assert_eq!(detail.pass_at.iter().map(|at| at.k).collect::<Vec<_>>(), [1, 10, 100]);
    assert!((detail.row.metrics.pass_at_1 - 0.5).abs() < 0.01, "{:?}", detail.row.metrics);
    assert_eq!(detail.row.published.map(|published| published.differ), Some(all / 4));
    // A second run looks up what the first one took; two runs and a comparison of models read every result.
    let second = app.services.runs.start(&admin, NewRun::of(submission)).await.unwrap();
    let pair = app.services.runs.compare(&admin, run, second, None).await.unwrap();
    assert_eq!(pair.tasks.len(), TASKS as usize);
    assert!(pair.tasks.iter().all(|task| (task.a.len(), task.b.len()) == (SAMPLES as usize, SAMPLES as usize)));
    let selection = Selection { dataset: "humaneval-x-python".into(), ..Selection::default() };
    // As the page does, this asks until the figures are computed.
    let view = loop {
        let view = app.services.comparisons.get(&admin, selection.clone()).await.unwrap();
        if !view.counting {
            break view;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert_eq!(view.figures.automated.unwrap().models.len(), 1);
}
