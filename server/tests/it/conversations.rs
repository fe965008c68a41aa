//! Conversations of CodeIF-Bench, with tasks and outputs of our own: import, what the database keeps, figures.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use db::conversations;
use jobs::cluster::{Broker, coordinator::Coordinator};
use model::{
    api::Scope,
    caller::System,
    comparison::Selection,
    conversation::{InstructionKind, Way},
    error::AppError,
    ids::{RunId, SubmissionId},
    page::PageOf,
    run::NewRun,
    submission::OutputFilter,
    user::Role,
};
use port::{Runs, Submissions};
use serde_json::{Value, json};

use crate::{
    comparisons::compared,
    languages::upload,
    util::{TestApp, program::program},
};

/// A task with two instructions, of which the conversation has both, in the other order.
pub fn task(id: u32) -> Value {
    json!({
        "prompt": format!("Write f{id}."), "test": [format!("assert f{id}() == {id}")], "code": "", "task_id": id,
        "requirements": {
            "Exception Handling": { "requirement": "Raise ValueError.", "unit_test": "assert 1" },
            "Code Standard": { "requirement": "Follow PEP 8.", "unit_test": ["import pycodestyle"] },
        },
        "multi-turn": ["Code Standard", "Exception Handling"],
    })
}

/// The short name of the dataset with these tasks at function level.
pub async fn import(app: &TestApp, file: &str, tasks: &[Value]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    std::fs::write(&path, tasks.iter().map(|task| format!("{task}\n")).collect::<String>()).unwrap();
    let report = app.services.imports.paths(System, vec![path]).await.unwrap();
    assert!(report.notes.iter().any(|note| note.contains("no published file")), "{:?}", report.notes);
    report.datasets[0].slug.clone()
}

async fn outputs(app: &TestApp, submission: SubmissionId) -> Vec<model::submission::OutputRow> {
    let of = PageOf::first(PageOf::MOST);
    app.services.submissions.outputs(&System.admin(), submission, OutputFilter::default(), of).await.unwrap().rows
}

#[tokio::test]
async fn an_output_has_the_turns_that_the_model_saw() {
    let app = TestApp::empty().await;
    let dataset = import(&app, "L_1_part_1.jsonl", &[task(1), task(2)]).await;
    let answer = |turn: u32, text: &str, way: &str| {
        json!({ "task_id": 1, "turn": turn, "way": way, "completion": format!("Sure:\n```python\n{text}\n```") })
            .to_string()
    };
    let base = upload(&app, &dataset, "M", &answer(0, "base", "base")).await;
    let lines = [(1, "first"), (2, "second"), (1, "other"), (2, "second")].map(|(turn, text)| answer(turn, text, "n"));
    let all = upload(&app, &dataset, "M", &lines.join("\n")).await;
    let single = upload(&app, &dataset, "M", &answer(2, "alone", "single")).await;
    let rows = outputs(&app, all).await;
    assert_eq!(rows.iter().map(|row| row.sample).collect::<Vec<_>>(), [0, 1, 2, 3], "no answer is a repeat");

    let read =
        |output| app.services.db.read_blocking(move |conn| conversations::of_output(conn, output)).unwrap().unwrap();
    let texts = |found: &model::conversation::Conversation| {
        let answer =
            |turn: &model::conversation::AnsweredTurn| turn.answer.as_ref().map(|answer| answer.code.trim().to_owned());
        found.turns.iter().map(|turn| (turn.asked.kind, answer(turn))).collect::<Vec<_>>()
    };
    use InstructionKind::{Base, CodeStandard, ExceptionHandling};
    let said = |text: &str| Some(text.to_owned());
    let second = read(rows[1].id);
    assert_eq!(second.way, Way::N);
    let expected = [(Base, said("base")), (CodeStandard, said("first")), (ExceptionHandling, said("second"))];
    assert_eq!(texts(&second), expected);
    assert_eq!(second.turns[0].answer.as_ref().unwrap().submission, base);
    assert_eq!(second.turns[2].answer.as_ref().unwrap().surrounding_text, "Sure:");
    // The second conversation has its own answers; the base prompt was answered once.
    let other = [(Base, None), (CodeStandard, said("other")), (ExceptionHandling, said("second"))];
    assert_eq!(texts(&read(rows[3].id)), other);
    let alone = read(outputs(&app, single).await[0].id);
    assert_eq!(texts(&alone), [(Base, None), (ExceptionHandling, said("alone"))]);
    assert_eq!(texts(&read(outputs(&app, base).await[0].id)), [(Base, said("base"))]);
}

#[tokio::test]
async fn an_answer_has_the_earlier_turns_of_its_own_conversation() {
    let app = TestApp::empty().await;
    let dataset = import(&app, "L_1_part_1.jsonl", &[task(1), task(2)]).await;
    let lines = |way: &str| {
        let line = |task: u32, turn: u32| json!({ "task_id": task, "turn": turn, "way": way, "completion": "x" });
        [line(1, 1), line(1, 2), line(2, 2)].map(|line| line.to_string()).join("\n")
    };
    let (whole, alone) =
        (upload(&app, &dataset, "M", &lines("n")).await, upload(&app, &dataset, "M", &lines("single")).await);
    let waiting = async |submission: SubmissionId| {
        let begun = move |tx: &rusqlite::Transaction<'_>| {
            tx.execute(
                "INSERT INTO runs (id, submission_id, status, fresh, created_at) VALUES (?1, ?1, 'running', 0, 1)",
                [submission.0],
            )?;
            let items = "INSERT INTO run_items (run_id, output_id, state)
                SELECT ?1, id, 'waiting' FROM outputs WHERE submission_id = ?1 ORDER BY id";
            Ok(tx.execute(items, [submission.0])?)
        };
        app.services.db.write(begun).await.unwrap();
        let read = move |conn: &rusqlite::Connection| db::runs::waiting(conn, RunId(submission.0), 0, 10);
        app.services.db.read(read).await.unwrap().into_iter().map(|leased| leased.answered).collect::<Vec<_>>()
    };
    assert_eq!(waiting(whole).await, [Some(vec![]), Some(vec![1]), Some(vec![])]);
    assert_eq!(waiting(alone).await, [None, None, None], "single instructions are no conversation");
}

#[tokio::test]
async fn a_file_with_two_ways_changes_nothing() {
    let app = TestApp::empty().await;
    let dataset = import(&app, "L_1_part_1.jsonl", &[task(1)]).await;
    let mut incoming = app.services.uploads.begin("m.jsonl").await.unwrap();
    let line = |way: &str| json!({ "task_id": 1, "turn": 1, "way": way, "completion": "x" }).to_string();
    incoming.write(format!("{}\n{}", line("n"), line("single")).as_bytes()).await.unwrap();
    let file = incoming.finish().await.unwrap();
    let (admin, submissions) = (System.admin(), &app.services.submissions);
    let purpose = db::uploads::Purpose::outputs(None);
    let sent = submissions.note_upload(&admin, file, purpose).await.unwrap();
    let preview = submissions.preview(&admin, sent, &dataset, Default::default()).await.unwrap();
    assert_eq!((preview.way, preview.matched), (Some(Way::N), 2), "the preview says how the model was asked");
    let take = submissions.import(&admin, sent, &dataset, Default::default(), "M", Default::default());
    let AppError::Invalid(problems) = take.await.unwrap_err() else { panic!("accepted or refused otherwise") };
    let said = problems[0].to_string();
    assert!(said.contains("line 2") && said.contains("asked in another way"), "{said}");
    assert!(submissions.list(&admin, None, PageOf::default()).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn repository_level_is_shown_with_the_authors_verdicts_and_not_run() {
    let app = TestApp::empty().await;
    let tasks = ["a.f", "a.g"].map(|name| {
        let mut task = task(1);
        task["namespace"] = name.into();
        task
    });
    let dataset = import(&app, "L_1_part_2.jsonl", &tasks).await;
    let line = |name: &str, result: &str| {
        json!({ "namespace": name, "type": "Code Standard", "completion": "x", "way": "single", "Result": result })
            .to_string()
    };
    let lines = [line("a.f", "Pass"), line("a.g", "Error")].join("\n");
    let submission = upload(&app, &dataset, "M", &lines).await;
    let refused = app.services.runs.start(&System.admin(), NewRun::of(submission)).await.unwrap_err().to_string();
    assert!(refused.contains("without tests"), "tasks of a file without the projects' paths have no tests: {refused}");

    let results = app.services.runs.conversations(&System.admin()).await.unwrap();
    let of = &results.datasets[0].models[0].ways[0];
    assert!(!results.datasets[0].runs && of.run.is_none() && of.guarded.is_none());
    assert_eq!((of.way, of.published.count(), of.published.of), (Way::Single, 1, 2));
    assert_eq!(
        of.kinds.iter().map(|(kind, share)| (*kind, share.of)).collect::<Vec<_>>(),
        [(InstructionKind::CodeStandard, 2)]
    );
    let interval = of.published.interval.unwrap();
    assert_eq!((interval.low, interval.high), (0.0, 1.0));
    // The figures follow a new submission.
    upload(&app, &dataset, "M", &line("a.f", "Pass")).await;
    let results = app.services.runs.conversations(&System.admin()).await.unwrap();
    assert_eq!(results.datasets[0].models[0].ways[0].published.of, 1);

    app.services
        .accounts
        .add(System, "admin", Role::Admin, "demo-password-admin", services::accounts::Validity::Lasting)
        .await
        .unwrap();
    let mut admin = app.admin().await;
    let page = admin.get("/admin/conversations").await.body;
    assert!(page.contains(&dataset) && page.contains("The tests of this level need the sources"), "{page}");
    let table = admin.get("/admin/conversations.csv").await.body;
    assert!(table.contains(&format!("{dataset},M,single,,,pass_rate_published,,1,1,,")), "{table}");
}

#[tokio::test]
async fn turns_are_no_samples_in_the_comparison() {
    let app = TestApp::empty().await;
    let dataset = import(&app, "L_1_part_1.jsonl", &[task(1), task(2)]).await;
    let line = |task: u32, turn: u32| {
        json!({ "task_id": task, "turn": turn, "way": "n", "completion": format!("x = {turn}") }).to_string()
    };
    let lines = [line(1, 1), line(1, 2), line(2, 1), line(2, 2)].join("\n");
    let submission = upload(&app, &dataset, "M", &lines).await;
    // A run as the engine would leave it: the first turn of both tasks passes, the second of neither; the evaluator judges the
    // second turn of task 1 alone.
    let finished = move |tx: &rusqlite::Transaction<'_>| {
        tx.execute(
            "INSERT INTO runs (id, submission_id, status, fresh, created_at, finished_at) VALUES (1, ?1, 'finished', 0, 1, 1)",
            [submission.0],
        )?;
        let judged = "turn = 2 AND revision_id = (SELECT min(revision_id) FROM outputs)";
        let items = format!(
            "INSERT INTO run_items (run_id, output_id, state, outcome, passed, total, verdict, published)
             SELECT 1, id, 'done', '{{}}', turn = 1, 1, iif(turn = 1, 'passed', 'failed'), iif({judged}, 'passed', NULL)
             FROM outputs WHERE submission_id = ?1"
        );
        Ok(tx.execute(&items, [submission.0])?)
    };
    assert_eq!(app.services.db.write(finished).await.unwrap(), 4);

    let found = compared(&app, Selection { dataset, runs: Some(vec![RunId(1)]), ..Selection::default() }).await;
    let automated = found.figures.automated.unwrap();
    let checked = automated.models[0].as_ref().unwrap();
    assert_eq!(checked.pass_at.iter().map(|at| (at.k, at.value)).collect::<Vec<_>>(), [(1, 0.5)]);
    assert_eq!((checked.metrics.tasks, checked.metrics.solved), (2, 0), "a task is its whole conversation");
    let published = checked.published.as_ref().unwrap();
    assert_eq!((published.figures.solved, published.figures.pass_at_1), (1, 1.0), "one judged answer, which passed");
}

#[tokio::test]
async fn a_run_that_no_process_can_work_on_says_why() {
    let app = TestApp::demo().await;
    let dataset = import(&app, "L_1_part_1.jsonl", &[task(1)]).await;
    let line = |turn: u32| json!({ "task_id": 1, "turn": turn, "way": "n", "completion": "x = 1" }).to_string();
    let submission = upload(&app, &dataset, "M", &[line(1), line(2)].join("\n")).await;
    // A run of a process that had the sources of the projects and ended in the middle.
    let begun = move |tx: &rusqlite::Transaction<'_>| {
        tx.execute("UPDATE dataset_versions SET test_kind = 'codeif-bench-repositories'", [])?;
        tx.execute(
            "INSERT INTO runs (id, submission_id, status, fresh, created_at, begun_at) VALUES (77, ?1, 'running', 0, 1, 1)",
            [submission.0],
        )?;
        let items = "INSERT INTO run_items (run_id, output_id, state)
            SELECT 77, id, 'waiting' FROM outputs WHERE submission_id = ?1";
        Ok(tx.execute(items, [submission.0])?)
    };
    assert_eq!(app.services.db.write(begun).await.unwrap(), 2);
    let (admin, runs) = (System.admin(), &app.services.runs);
    let lacks = async || {
        let (detail, progress) =
            (runs.get(&admin, RunId(77)).await.unwrap(), runs.progress(&admin, RunId(77)).await.unwrap());
        let list = runs.list(&admin, None, PageOf::default()).await.unwrap();
        let row = list.rows.iter().find(|row| row.id == RunId(77)).unwrap();
        let lacks = detail.row.lacks_sources;
        assert_eq!((lacks, lacks), (progress.lacks_sources, row.lacks_sources));
        lacks
    };
    assert!(lacks().await);
    let page = app.admin().await.get("/admin/runs/77").await.body;
    assert!(page.contains("aixgrade run --resume 77 --repositories DIR") && page.contains("Turns passed"), "{page}");
    assert!(app.admin().await.get("/admin/runs").await.body.contains("needs sources"));
    let shown = program(&app, &["runs", "show", "77"]).output().unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("Passed: 0 of 2 turns") && text.contains("--resume 77 --repositories DIR"), "{text}");

    // Another process works on it.
    let leased = |tx: &rusqlite::Transaction<'_>| {
        let until = base::clock::now().0 + 1_000;
        let query = "UPDATE run_items SET state = 'leased', holder = 'other', leased_until = ?1
            WHERE id = (SELECT min(id) FROM run_items WHERE run_id = 77)";
        Ok(tx.execute(query, [until])?)
    };
    app.services.db.write(leased).await.unwrap();
    assert!(!lacks().await);
    app.services
        .db
        .write(|tx| Ok(tx.execute("UPDATE run_items SET leased_until = 1 WHERE state = 'leased'", [])?))
        .await
        .unwrap();
    assert!(lacks().await, "it ended");
    // This process has the sources.
    runs.engine().use_repositories("/nowhere".into());
    assert!(!lacks().await);
}

#[tokio::test]
async fn a_server_with_workers_elsewhere_refuses_repository_level_by_name() {
    let app = TestApp::demo().await;
    let mut task = task(1);
    let place = json!({
        "namespace": "a.f", "code": "def f():\n    pass\n", "tests": ["tests/test_a.py::test_f"], "project_path": "Text/a",
        "completion_path": "Text/a/a.py", "signature_position": [1, 1], "body_position": [2, 2], "indent": 0,
    });
    task.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
    for (at, requirement) in task["requirements"].as_object_mut().unwrap().values_mut().enumerate() {
        requirement["test"] = format!("tests/test_a.py::test_{at}").into();
    }
    let dataset = import(&app, "L_1_part_2.jsonl", &[task]).await;
    let line = json!({ "namespace": "a.f", "type": "Base", "completion": "x", "way": "base" }).to_string();
    let submission = upload(&app, &dataset, "M", &line).await;
    let start =
        async || app.services.runs.start(&System.admin(), NewRun::of(submission)).await.unwrap_err().to_string();
    let refused = start().await;
    assert!(refused.contains(&dataset) && refused.contains("--repositories DIR, where DIR/Source_Code"), "{refused}");

    // The server's own folder does not help: workers do the work, and have no sources.
    let engine = app.services.runs.engine();
    engine.use_repositories("/nowhere".into());
    let broker = Broker { url: "nats://127.0.0.1:9".into(), credentials: None, ca: None, certificate: None };
    Coordinator::connect(engine.clone(), &broker, 1).await.unwrap();
    let refused = start().await;
    let advice = "Run them with `aixgrade run --repositories DIR` on the server's machine";
    assert!(refused.contains("Workers on other machines do not have the sources of the projects"), "{refused}");
    assert!(refused.contains(&dataset) && refused.contains(advice), "{refused}");
    let listed = app.services.runs.list(&System.admin(), Some(submission), PageOf::default()).await.unwrap();
    assert!(listed.rows.is_empty(), "nothing was started");
    let (token, asked) = (app.token(&[Scope::WriteRuns]).await, json!({ "submission": submission }));
    let answer = app.anonymous().api(&token, Method::POST, "/api/v1/runs", Some(asked)).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.body.contains(&dataset) && answer.body.contains("Workers on other machines"), "{}", answer.body);
}
