//! The code of an output as an admin chose it, and results before the import.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use db::runs::{self, Basis, Finish};
use model::{
    caller::System,
    error::AppError,
    ids::{OutputId, RunId, SubmissionId},
    page::PageOf,
    reading::{BlockRole, Why},
    run::{NewRun, Outcome, RunStatus, Verdict},
    submission::{EarlyResults, InvalidLines, Matching, OutputDetail, OutputFilter},
    time::Timestamp,
};
use port::{Runs, Submissions};
use serde_json::json;

use crate::{
    uploads::upload,
    util::{TestApp, program::program},
};

/// A response whose first block defines what S01 asks for; the second one is a part of an explanation.
const RESPONSE: &str = "First:\n```java\npublic String ellipsize(String text, int max) { return text; }\n```\nShorter:\n\
    ```java\npublic String shorten(String text, int max) { return \"\"; }\n```\n";

async fn imported(app: &TestApp, responses: &[&str]) -> (SubmissionId, Vec<OutputId>) {
    let lines: Vec<String> =
        responses.iter().map(|text| json!({"task_id": "S01", "completion": text}).to_string()).collect();
    let id = upload(&mut app.admin().await, "starter", "a.jsonl", lines.join("\n").as_bytes()).await;
    let (admin, submissions) = (System.admin(), &app.services.submissions);
    let submission =
        submissions.import(&admin, id, "starter", Matching::Auto, "Model A", InvalidLines::Refuse).await.unwrap();
    let of = PageOf::first(PageOf::MOST);
    let outputs = submissions.outputs(&admin, submission, OutputFilter::default(), of).await.unwrap().rows;
    (submission, outputs.into_iter().map(|row| row.id).collect())
}

async fn shown(app: &TestApp, id: OutputId) -> OutputDetail {
    app.services.submissions.output(&System.admin(), id).await.unwrap()
}

fn code(output: &OutputDetail) -> String {
    output.code.raw.iter().map(model::code::Line::text).collect::<Vec<_>>().join("\n")
}

/// Gives the only free item of a run this verdict.
fn judge(app: &TestApp, run: RunId, verdict: Verdict) -> bool {
    let until = Timestamp(base::clock::now().0 + runs::LEASE_MS);
    let item = app.services.db.write_blocking(|tx| runs::claim(tx, run, "one", until, false)).unwrap().unwrap();
    finish(app, item.ticket(), verdict)
}

fn finish(app: &TestApp, ticket: runs::Ticket, verdict: Verdict) -> bool {
    let basis = Basis { key: "k", fingerprint: "f", worker: None };
    let outcome = Outcome::new(verdict);
    app.services.db.write_blocking(|tx| runs::finish(tx, ticket, &Finish::Done(&outcome, basis, false))).unwrap()
}

#[tokio::test]
async fn an_admin_chooses_the_code_and_the_response_stays() {
    let app = TestApp::demo().await;
    let (submission, outputs) = imported(&app, &[RESPONSE]).await;
    let id = outputs[0];
    let before = shown(&app, id).await;
    assert!(before.can_choose);
    assert_eq!(before.reading.as_ref().unwrap().why, Why::Defines("ellipsize".into()));
    let run = app.services.runs.start(&System.admin(), NewRun::of(submission)).await.unwrap();
    assert!(judge(&app, run, Verdict::Failed));
    app.services.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Finished, None)).unwrap();
    // No output passes, so the run says how they fail.
    let usual = app.services.runs.get(&System.admin(), run).await.unwrap().usual_failure.unwrap();
    assert_eq!((usual.verdict, usual.outputs, usual.of, usual.example), (Verdict::Failed, 1, 1, Some(id)));

    let token = app.token(&[model::api::Scope::Read, model::api::Scope::WriteData]).await;
    let path = format!("/api/v1/outputs/{id}/block");
    let answer = app.anonymous().api(&token, Method::PUT, &path, Some(json!({"block": 2}))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let after = shown(&app, id).await;
    let reading = after.reading.as_ref().unwrap();
    assert_eq!(reading.why, Why::Chosen);
    assert_eq!(reading.blocks.iter().map(|block| block.role).collect::<Vec<_>>(), [BlockRole::Left, BlockRole::Code]);
    assert!(code(&after).contains("shorten") && !code(&after).contains("ellipsize"), "{}", code(&after));
    assert!(after.code.surrounding_text.contains("ellipsize"));
    // Its result is gone, and its run goes on.
    let row = app.services.runs.get(&System.admin(), run).await.unwrap().row;
    assert_eq!((row.status, row.done), (RunStatus::Running, 0));
    assert_eq!(app.services.runs.get(&System.admin(), run).await.unwrap().usual_failure, None);
    let audit = app.admin().await.get("/admin/audit.csv?action=output.choose_block").await.body;
    assert!(audit.contains(&format!(r#"[{{""output"":{id}}},{{""block"":2}}]"#)), "{audit}");

    // A result of the code before does not count.
    let until = Timestamp(base::clock::now().0 + runs::LEASE_MS);
    let leased = app.services.db.write_blocking(|tx| runs::claim(tx, run, "one", until, false)).unwrap().unwrap();
    assert!(leased.code.contains("shorten"));
    app.services.submissions.choose_block(&System.admin(), id, None).await.unwrap();
    assert!(!finish(&app, leased.ticket(), Verdict::Passed));
    let again = shown(&app, id).await;
    assert_eq!((code(&again), again.reading), (code(&before), before.reading));
    assert!(judge(&app, run, Verdict::Passed));
}

#[tokio::test]
async fn code_that_was_seen_or_has_no_such_block_stays() {
    let app = TestApp::demo().await;
    let (_, outputs) =
        imported(&app, &[RESPONSE, "public String ellipsize(String text, int max) { return text; }"]).await;
    let choose = async |id, block| app.services.submissions.choose_block(&System.admin(), id, block).await;
    for (id, block, expected) in [
        (outputs[0], 3, "the response has 2 code blocks"),
        (outputs[0], 0, "the response has 2 code blocks"),
        (outputs[1], 1, "the response has 0 code blocks"),
    ] {
        let refused = choose(id, Some(block)).await.unwrap_err();
        assert!(format!("{refused:?}").contains(expected), "{refused:?}");
    }
    assert!(!shown(&app, outputs[1]).await.can_choose);
    // A rater has seen it.
    let show = "UPDATE assignments SET shown_at = 1 WHERE id = (SELECT min(id) FROM assignments) RETURNING output_id";
    let seen = app.services.db.write_blocking(|tx| Ok(tx.query_row(show, [], |row| row.get(0))?));
    let refused = choose(OutputId(seen.unwrap()), None).await.unwrap_err();
    assert!(matches!(refused, AppError::Conflict(_)), "{refused:?}");
    assert!(matches!(choose(OutputId(4711), None).await, Err(AppError::NotFound(_))));
}

#[tokio::test]
async fn some_outputs_run_before_the_import() {
    let app = TestApp::demo().await;
    let right = include_str!("../../../datasets/starter/reference/S01.java");
    let lines = [
        json!({"task_id": "S01", "code": right}),
        json!({"task_id": "S04", "code": "public int workingDays(LocalDate start, LocalDate end) { return x; }"}),
        json!({"task_id": "S10", "code": "public int other() { return y; }"}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = app.services.folder.join("outputs.jsonl");
    std::fs::write(&file, text).unwrap();
    let list = async || app.services.runs.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let runs = list().await;
    let args = [
        "submissions",
        "upload",
        file.to_str().unwrap(),
        "--dataset",
        "starter",
        "--model",
        "M",
        "--dry-run",
        "--json",
    ];
    let shown = program(&app, &args).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    let early: EarlyResults = serde_json::from_value(shown["early_results"].clone()).unwrap();
    assert_eq!(early.fault, None);
    let verdicts: Vec<_> = early.results.iter().map(|one| (&*one.place.label, one.verdict)).collect();
    let expected = [("S01", Verdict::Passed), ("S04", Verdict::CompileError), ("S10", Verdict::CompileError)];
    assert_eq!(verdicts, expected);
    assert_eq!(early.passed(), 1);
    assert_eq!(early.usual_failure().unwrap().verdict, Verdict::CompileError);
    // The same over the REST API, from a table whose columns are chosen.
    let token = app.token(&[model::api::Scope::Read, model::api::Scope::WriteData]).await;
    let data = format!("Nr,Antwort\nS01,\"{}\"\n", right.replace('"', "\"\""));
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let mut client = app.anonymous();
    let sent = client.send(Method::POST, "/api/v1/uploads?file=a.csv", &headers, data).await;
    let upload = sent.json::<serde_json::Value>()["upload"].as_i64().unwrap();
    let columns = json!({"columns": {"task_id": "Nr", "code": "Antwort"}});
    let chosen = client.api(&token, Method::PUT, &format!("/api/v1/uploads/{upload}/columns"), Some(columns)).await;
    assert_eq!(chosen.status, StatusCode::NO_CONTENT);
    let early = format!("/api/v1/uploads/{upload}/early-results?dataset=starter");
    let early: EarlyResults = client.api(&token, Method::POST, &early, None).await.json();
    // Only the program itself can be the sandbox helper, and this server is in a test: the answer says that nothing ran.
    assert!(early.results.is_empty() && early.fault.is_some(), "{early:?}");
    // Nothing is imported, and no run begins.
    assert_eq!(list().await, runs);
}
