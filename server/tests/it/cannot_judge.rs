//! Outputs that the tests cannot judge because of a defect of the benchmark's data count in no guarded figure, wherever
//! figures are shown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use axum::http::Method;
use model::{
    api::Scope,
    caller::System,
    comparison::Selection,
    conversation_results::DifferenceReason,
    ids::{RunId, SubmissionId},
    page::PageOf,
    reason::{DataDefect, Reason},
    results::BoardQuery,
    run::{ItemFilter, ItemResult, Metrics, Outcome, Verdict},
    run_pair::Passes,
};
use port::{Results, Runs};
use report::{bundle, comparison_figures};
use serde_json::{Value, json};

use crate::{
    comparisons::{bundle_of, compared, filled},
    conversations::{import, task},
    languages::upload,
    util::{TestApp, program::program},
};

/// Stores a run as the engine would leave it. `passes` are the tasks whose first turn passes. The second turn of a task, and
/// both of task 3, cannot be judged; the published evaluator passes the second turns.
async fn ran(app: &TestApp, run: i64, submission: SubmissionId, passes: &'static str) {
    let unjudged = Outcome {
        reason: Some(Reason::CannotJudge { defect: DataDefect::EarlyLines { lines: 2 } }),
        ..Outcome::new(Verdict::Anomaly)
    };
    let outcomes = [Outcome::new(Verdict::Passed), Outcome::new(Verdict::Failed), unjudged];
    let [passed, failed, unjudged] =
        outcomes.map(|outcome| serde_json::to_string(&Outcome { total: 1, ..outcome }).unwrap());
    let stored = move |tx: &rusqlite::Transaction<'_>| {
        tx.execute(
            "INSERT INTO runs (id, submission_id, status, fresh, created_at, finished_at) VALUES (?1, ?2, 'finished', 0, 1, 1)",
            [run, submission.0],
        )?;
        let cannot = "(o.turn = 2 OR t.external_id = '3')";
        tx.execute(
            "INSERT INTO run_items (run_id, output_id, state)
             SELECT ?1, id, 'waiting' FROM outputs WHERE submission_id = ?2 ORDER BY id",
            [run, submission.0],
        )?;
        let passes = format!("t.external_id IN ({passes})");
        let done = format!(
            "UPDATE run_items SET state = 'done', total = 1, passed = NOT {cannot} AND {passes},
                 outcome = iif({cannot}, ?2, iif({passes}, ?3, ?4)),
                 verdict = iif({cannot}, 'anomaly', iif({passes}, 'passed', 'failed')),
                 published = iif(o.turn = 2 OR {passes}, 'passed', 'failed')
             FROM outputs o JOIN task_revisions r ON r.id = o.revision_id JOIN tasks t ON t.id = r.task_id
             WHERE o.id = run_items.output_id AND run_items.run_id = ?1"
        );
        Ok(tx.execute(&done, rusqlite::params![run, unjudged, passed, failed])?)
    };
    assert_eq!(app.services.db.write(stored).await.unwrap(), 6);
}

/// Three tasks with two turns each, and two models' runs of them: 1 and 2. The verdicts that came with the outputs are all
/// passes.
async fn two_runs(app: &TestApp) -> String {
    let dataset = import(app, "L_1_part_1.jsonl", &[task(1), task(2), task(3)]).await;
    for (run, model, passes) in [(1, "M", "'1'"), (2, "N", "'1', '2'")] {
        let line = |task: u32, turn: u32| {
            json!({ "task_id": task, "turn": turn, "way": "n", "completion": format!("{model} = {turn}"), "passed": true })
                .to_string()
        };
        let lines: Vec<String> = (1..=3).flat_map(|task| [line(task, 1), line(task, 2)]).collect();
        let submission = upload(app, &dataset, model, &lines.join("\n")).await;
        ran(app, run, submission, passes).await;
    }
    dataset
}

fn counted(m: &Metrics) -> (u32, u32, u32, f64, f64, u32) {
    (m.tasks, m.answered, m.solved, m.pass_at_1, m.ratio_mean, m.not_counted)
}

#[tokio::test]
async fn every_place_leaves_them_out_and_says_how_many() {
    let app = TestApp::demo().await;
    let dataset = two_runs(&app).await;
    let admin = System.admin();
    // Of six turns, four cannot be judged.
    let expected = (2, 2, 1, 0.5, 0.5, 4);
    let detail = app.services.runs.get(&admin, RunId(1)).await.unwrap();
    assert_eq!(counted(&detail.row.metrics), expected);
    assert_eq!((detail.pass_at[0].value, detail.published_pass_at[0].value), (0.5, 4.0 / 6.0));
    assert_eq!((detail.published_tasks, detail.row.published.unwrap().solved), (6, 4));
    let list = app.services.runs.list(&admin, None, PageOf::default()).await.unwrap();
    assert_eq!(counted(&list.rows.iter().find(|row| row.id == RunId(1)).unwrap().metrics), expected);
    let theirs = detail.theirs;
    assert_eq!((theirs.agree, theirs.theirs_only, theirs.ours_only), (1, 1, 0));
    let theirs_only = ItemFilter { result: Some(ItemResult::TheirsOnly), ..ItemFilter::default() };
    let listed = app.services.runs.items(&admin, RunId(1), theirs_only, PageOf::default()).await.unwrap();
    assert_eq!(listed.rows.iter().map(|row| &*row.task_id).collect::<Vec<_>>(), ["2"]);

    // The comparison has tasks, not turns; so do leaderboard, bundle and pair.
    let selection = Selection { dataset: dataset.clone(), ..Selection::default() };
    let figures = compared(&app, selection.clone()).await.figures.automated.unwrap();
    let checked: Vec<_> = figures.models.iter().flatten().collect();
    assert_eq!(counted(&checked[0].metrics), expected);
    assert_eq!(counted(&checked[1].metrics), (2, 2, 2, 1.0, 1.0, 4));
    assert_eq!(checked[0].published.as_ref().unwrap().figures.pass_at_1, 4.0 / 6.0);
    assert_eq!((figures.pairs[0].tasks, figures.pairs[0].pass, figures.pairs[0].table), (2, -0.5, [1, 0, 1, 0]));
    let query = BoardQuery { dataset: dataset.clone(), ..BoardQuery::default() };
    let board = app.services.results.board(&admin, query).await.unwrap();
    let shown = board.rows.iter().map(|row| row.results[0].tests.as_ref().unwrap());
    assert_eq!(
        shown.map(|tests| (tests.values[0].unwrap().value, tests.tasks)).collect::<Vec<_>>(),
        [(1.0, 2), (0.5, 2)]
    );
    let bytes = bundle_of(&app, selection).await;
    let read = bundle::read("b.zip", std::io::Cursor::new(&bytes)).unwrap();
    let again = comparison_figures::compute(&read.input);
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&read.figures).unwrap());
    assert_eq!(counted(&again.automated.unwrap().models[0].as_ref().unwrap().metrics), expected);
    let pair = app.services.runs.compare(&admin, RunId(1), RunId(2), None).await.unwrap();
    assert_eq!(pair.passes, Passes { both: 1, only_b: 1, not_counted: 1, ..Passes::default() });

    let results = app.services.runs.conversations(&admin).await.unwrap();
    let way = &results.datasets.iter().find(|of| of.slug == dataset).unwrap().models[0].ways[0];
    let guarded = way.guarded.unwrap();
    assert_eq!((way.published.count(), way.published.of, guarded.count(), guarded.of), (4, 6, 1, 2));
    assert_eq!(way.not_counted(), 4);
    let authors = way.authors.as_ref().unwrap();
    assert_eq!((authors.compared, authors.equal, authors.defective, authors.defective_equal), (6, 4, 4, 3));
    let reasons: Vec<_> = authors.differences.iter().map(|of| (&*of.task_id, of.reason)).collect();
    assert_eq!(reasons, [("2", DifferenceReason::Unknown), ("3", DifferenceReason::Defect)]);
}

#[tokio::test]
async fn pages_files_rest_and_command_line_show_the_same() {
    let app = TestApp::demo().await;
    let dataset = two_runs(&app).await;
    let printed = |arguments: &[&str]| {
        let output = program(&app, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = printed(&["runs", "show", "1"]);
    assert!(
        text.contains("Guarded: 1 of 2 turns, pass@1 50.00%") && text.contains("4 outputs are not counted"),
        "{text}"
    );
    assert!(printed(&["runs", "list"]).contains("50.00% (4 not counted)"));
    assert!(printed(&["runs", "compare", "1", "2"]).contains("by neither: 0. 1 task is not counted"));
    let text = printed(&["runs", "conversations"]);
    assert!(text.contains("(4 not counted)") && text.contains("4/6 (1/2 without defects)"), "{text}");

    let mut admin = app.admin().await;
    for (path, words) in [
        ("/admin/runs/1".to_owned(), vec!["50.0%", "4 outputs are not counted"]),
        ("/admin/runs".into(), vec!["4 not counted"]),
        ("/admin/runs/compare?a=1&b=2".into(), vec!["Not counted", "1 task is not counted"]),
        (format!("/admin/compare/{dataset}"), vec!["Outputs not counted", "1 · 50.0%"]),
        ("/admin/conversations".into(), vec!["50.0% guarded", "4 not counted", "verdict: 3 of 4"]),
    ] {
        let page = admin.get(&path).await.body;
        words.iter().for_each(|word| assert!(page.contains(word), "{path}: {word}: {page}"));
    }
    let csv = admin.get("/admin/conversations.csv").await.body;
    assert!(
        csv.contains(",pass_rate_guarded,,0.5,2,") && csv.contains(",equal_to_authors,without_defects,0.5,2,"),
        "{csv}"
    );
    let lines = admin.get("/admin/runs/1/results.jsonl").await.body;
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["metrics"]["pass_at_1"], &last["metrics"]["not_counted"]), (&json!(0.5), &json!(4)));
    let token = app.token(&[Scope::Read]).await;
    let answer: Value = app.anonymous().api(&token, Method::GET, "/api/v1/runs/1", None).await.json();
    let metrics = answer.pointer("/metrics").or_else(|| answer.pointer("/row/metrics")).unwrap();
    assert_eq!((&metrics["pass_at_1"], &metrics["not_counted"]), (&json!(0.5), &json!(4)), "{answer}");
}

#[tokio::test]
async fn every_defect_of_the_data_is_on_the_datasets_page() {
    let app = TestApp::demo().await;
    let of = |name: &str, changes: &[(&str, Value)]| {
        let mut task = task(1);
        let place = json!({
            "namespace": format!("{name}.f"), "code": "def f():\n    pass\n", "tests": ["t.py::base"], "indent": 0,
            "project_path": "Text/a", "completion_path": "Text/a/a.py", "signature_position": [1, 1], "body_position": [2, 2],
        });
        task.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        for (kind, requirement) in task["requirements"].as_object_mut().unwrap() {
            requirement["test"] = format!("t.py::{name}_{}", kind.to_lowercase().replace(' ', "_")).into();
        }
        for (at, value) in changes {
            *task.pointer_mut(at).unwrap() = value.clone();
        }
        task
    };
    let (id, text) = ("/requirements/Code Standard/test", "/requirements/Code Standard/unit_test");
    let tasks = [
        of("right", &[]),
        of("indented", &[("/indent", json!(8))]),
        of("early", &[("/code", json!("\n\ndef f():\n    pass\n"))]),
        of("one", &[(id, json!("t.py::same"))]),
        of("other", &[(id, json!("t.py::same"))]),
        of("quoted", &[(id, json!("'t.py::quoted"))]),
        of("invalid", &[(text, json!(["def f(:"]))]),
    ];
    let dataset = import(&app, "L_9.jsonl", &tasks).await;
    let page = app.admin().await.get(&format!("/admin/datasets/{dataset}")).await.body;
    let (_, listed) = page.split_once("id=\"defects\"").unwrap();
    let (listed, _) = listed.split_once("</table>").unwrap();
    let rows: Vec<&str> = listed.split("<tr").filter(|row| row.contains(".f")).collect();
    assert_eq!(rows.len(), 6, "{listed}");
    for (task, words) in [
        ("indented.f", "answers are indented by 8 spaces and the code that they replace by 0"),
        ("early.f", "begin 2 lines before the function"),
        ("one.f", "several tests have the ID t.py::same (also of other.f)"),
        ("other.f", "several tests have the ID t.py::same (also of one.f)"),
        ("quoted.f", "begins with a quotation mark, so pytest finds no such file"),
        ("invalid.f", "the text of the test t.py::invalid_code_standard is not valid Python"),
    ] {
        assert!(rows.iter().any(|row| row.contains(task) && row.contains(words)), "{task}: {listed}");
    }
}

/// Outputs on which the engine failed count 0, and everything that has pass@1 says how many they are.
#[tokio::test]
async fn pass_at_1_is_next_to_the_outputs_without_a_verdict() {
    let app = filled().await;
    let failed = app
        .services
        .db
        .write(|tx| {
            Ok(tx.execute(
                "UPDATE run_items SET state = 'failed', fault = '{\"code\":\"no_tests\"}', outcome = NULL, verdict = NULL
                 WHERE run_id = 1 AND id > (SELECT min(id) FROM run_items WHERE run_id = 1)",
                [],
            )?)
        })
        .await
        .unwrap();
    assert!(failed > 10, "{failed}");
    let printed = |arguments: &[&str]| {
        let output = program(&app, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let count = format!("{failed} without a verdict");
    let list = printed(&["runs", "list"]);
    assert_eq!(list.lines().filter(|line| line.contains(&format!("% ({count})"))).count(), 1, "{list}");
    let shown = printed(&["runs", "show", "1"]);
    assert!(shown.contains(&format!("The engine failed on {failed} outputs")), "{shown}");
    let compared_runs = printed(&["runs", "compare", "1", "2"]);
    assert!(compared_runs.contains("without a verdict"), "{compared_runs}");

    let mut admin = app.admin().await;
    let of_tasks = "verdicts for 1 of ".to_owned();
    compared(&app, Selection { dataset: "starter".into(), ..Selection::default() }).await;
    app.services.results.board(&System.admin(), BoardQuery::default()).await.unwrap();
    for (path, words) in [
        ("/admin/runs", vec![&count, &of_tasks]),
        ("/admin/runs/1", vec![&count, &of_tasks]),
        ("/admin/runs/compare?a=1&b=2", vec![&"Engine errors (outputs without a verdict)".to_owned()]),
        ("/admin/compare/starter", vec![&"Outputs without a verdict".to_owned(), &of_tasks]),
        ("/admin/results", vec![&count, &of_tasks]),
    ] {
        let page = admin.get(path).await.body;
        for word in words {
            assert!(page.contains(word.as_str()), "{path}: {word}");
        }
    }
    let file = admin.get("/admin/results.csv").await.body;
    assert!(
        file.lines().any(|line| line.contains(",tests,pass@1,") && line.ends_with(&format!(",1,{failed}"))),
        "{file}"
    );
}
