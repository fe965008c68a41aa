//! Importing datasets and model outputs: by form, by script and through the services.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;

use crate::util::{Answer, Client, TestApp};
use axum::http::{Method, StatusCode};
use model::{
    caller::System,
    dataset::{DatasetDetail, ImportReport, TaskRow},
    error::AppError,
    ids::{SubmissionId, UploadId},
    page::PageOf,
    reading::Why,
    submission::{FileLine, InvalidLines, Matching, OutputDetail, OutputFilter, Preview},
};
use port::{Datasets, Submissions};
use serde_json::{Value, json};

pub const MANUAL: &str = "dataset_manual_nl.jsonl";
pub const TASKS: &str = "{\"task_id\": 0, \"raw_nl\": \"Stops all jobs.\"}\n{\"task_id\": 1, \"raw_nl\": \"关闭连接\"}\n{\"task_id\": 2, \"raw_nl\": \"Sorts the list.\"}\n";

/// Sends a multipart form as a browser does: fields, then files.
pub async fn send(
    client: &mut Client,
    path: &str,
    accept: &str,
    fields: &[(&str, &str)],
    files: &[(&str, &str, &[u8])],
) -> Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        write!(body, "--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").unwrap();
    }
    for (name, file, bytes) in files {
        write!(body, "--XX\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\r\n").unwrap();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--XX--\r\n");
    let headers =
        [("content-type", "multipart/form-data; boundary=XX"), ("accept", accept), ("sec-fetch-site", "same-origin")];
    client.send(Method::POST, path, &headers, body).await
}

pub async fn import(admin: &mut Client, files: &[(&str, &str)]) -> Answer {
    let files: Vec<_> = files.iter().map(|(name, text)| ("files", *name, text.as_bytes())).collect();
    send(admin, "/admin/upload/dataset", "text/html", &[], &files).await
}

/// Uploads a file of outputs as the page's script does; returns the upload's number.
pub async fn upload(admin: &mut Client, dataset: &str, file: &str, bytes: &[u8]) -> UploadId {
    let path = "/admin/upload/submission";
    let answer = send(admin, path, "application/json", &[("dataset", dataset)], &[("file", file, bytes)]).await;
    let location = answer.json::<Value>()["location"].as_str().unwrap().to_owned();
    let id =
        location.strip_prefix("/admin/uploads/").and_then(|rest| rest.strip_suffix(&format!("?dataset={dataset}")));
    id.unwrap_or_else(|| panic!("{location}")).parse().unwrap()
}

async fn tasks(app: &TestApp, slug: &str) -> Vec<TaskRow> {
    let of = PageOf::first(PageOf::MOST);
    app.services.datasets.tasks(&System.admin(), slug, None, of).await.unwrap().rows
}

async fn detail(app: &TestApp, slug: &str) -> DatasetDetail {
    app.services.datasets.get(&System.admin(), slug, None).await.unwrap()
}

#[tokio::test]
async fn importing_twice_changes_nothing_and_a_change_is_a_version() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let slug = "aixbench-manual";
    for outcome in ["imported", "same"] {
        let place = format!("/admin/datasets?{outcome}={slug}");
        assert_eq!(import(&mut admin, &[(MANUAL, TASKS)]).await.location(), place);
        let first = detail(&app, slug).await;
        assert_eq!((first.row.number, first.row.tasks, first.row.human), (1, 3, 3));
        let read = tasks(&app, slug).await;
        assert_eq!(read[1].raw_nl, "关闭连接");
        assert_eq!(read[1].nl_lang.code(), "zh");
    }
    let tasks_before = tasks(&app, slug).await;
    import(&mut admin, &[(MANUAL, &TASKS.replace("Sorts the list.", "Sorts it."))]).await;
    let (second, tasks_second) = (detail(&app, slug).await, tasks(&app, slug).await);
    assert_eq!((second.row.number, second.versions[0].changed), (2, 1));
    assert_eq!(tasks_second[0].revision, tasks_before[0].revision, "what did not change is shared");
    assert_ne!(tasks_second[2].revision, tasks_before[2].revision);
    // Back to the first content: a third version, which importing again does not change.
    for _ in 0..2 {
        import(&mut admin, &[(MANUAL, TASKS)]).await;
        let third = detail(&app, slug).await;
        assert_eq!(third.row.number, 3);
        assert_eq!(tasks(&app, slug).await, tasks_before);
    }
}

#[tokio::test]
async fn invalid_dataset_changes_nothing() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let check = async |admin: &mut Client, files: &[(&str, &str)], expected: &[&str]| {
        let answer = import(admin, files).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.body);
        for expected in expected {
            assert!(answer.body.contains(expected), "{} does not say {expected}", answer.body);
        }
        assert_eq!(
            app.services.datasets.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
            1,
            "the starter dataset alone"
        );
    };
    check(&mut admin, &[], &["no file selected"]).await;
    check(&mut admin, &[(MANUAL, "")], &["dataset_manual_nl.jsonl: the file is empty"]).await;
    let bad = format!("{TASKS}{{\"task_id\": 3}}\nnonsense\n");
    check(
        &mut admin,
        &[(MANUAL, &bad)],
        &["line 4: the field \"raw_nl\" is missing", "line 5: the line is not a JSON object"],
    )
    .await;
    check(&mut admin, &[("a.zip", "no archive")], &["a.zip: the zip archive cannot be read"]).await;
    check(&mut admin, &[("a.zip", "x"), (MANUAL, TASKS)], &["an archive cannot be combined with other files"]).await;
    check(&mut admin, &[("dataset.json", "{}")], &["dataset.json: the file does not follow the format"]).await;
}

#[tokio::test]
async fn outputs_are_previewed_and_imported_once() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    import(&mut admin, &[(MANUAL, TASKS)]).await;
    let file = concat!(
        "{\"task_id\": 0, \"code\": \"void stop ( ) { jobs . clear ( ) ; }\"}\n",
        "{\"task_id\": \"Java/2\", \"completion\": \"Sure, as Claude:\\n```java\\nint f() { return 1; }\\n```\"}\n",
        "{\"task_id\": 2, \"generation\": \"int g() { return 2; }\"}\n",
        "{\"task_id\": 2, \"generation\": \"int g() { return 2; }\"}\n",
        "{\"task_id\": 9, \"code\": \"x\"}\n",
    );
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(file.as_bytes()).unwrap();
    let id = upload(&mut admin, "aixbench-manual", "out.jsonl.gz", &packer.finish().unwrap()).await;
    let arguments = json!({"upload": id, "dataset": "aixbench-manual", "matching": "auto"});
    let preview: Preview = admin.rpc("preview_upload", arguments).await.json();
    assert_eq!((preview.lines, preview.matched, preview.tasks_covered), (5, 4, 2));
    assert_eq!(preview.missing, ["1"]);
    assert_eq!(preview.unknown, [FileLine { line: 5, label: "9".into() }]);
    assert_eq!(preview.duplicates, [FileLine { line: 4, label: "2".into() }]);
    let leaks: Vec<_> = preview.identity_leaks.iter().map(|t| (t.line, t.name.as_str())).collect();
    assert_eq!((preview.identity_leak_count, leaks), (1, vec![(2, "Claude")]));
    // The repeat counts: task 2 has different outputs, so the file contains samples.
    assert_eq!((preview.samples_max, preview.same_as), (3, None));

    let id = preview.upload;
    let admin = System.admin();
    let take = |model: &'static str| {
        app.services.submissions.import(&admin, id, "aixbench-manual", Matching::Auto, model, InvalidLines::Refuse)
    };
    assert!(matches!(take(" ").await, Err(AppError::Invalid(_))));
    let taken: SubmissionId = take("Model A").await.unwrap();
    assert!(matches!(take("model a").await, Err(AppError::Conflict(_))), "the same file for the same model");
    take("Model B").await.unwrap();

    let admin = &admin;
    let read = |of, empty| {
        let filter = OutputFilter { words: String::new(), empty };
        app.services.submissions.outputs(admin, taken, filter, of)
    };
    let found = read(PageOf::default(), false).await.unwrap().rows;
    let outputs: Vec<_> = found.iter().map(|o| (o.task_id.as_str(), o.sample)).collect();
    assert_eq!(outputs, [("0", 0), ("2", 0), ("2", 1), ("2", 2)]);
    let page = read(PageOf::first(3), false).await.unwrap();
    assert_eq!((page.rows.as_slice(), page.previous), (&found[..3], None));
    let rest = read(PageOf { after: page.next, ..PageOf::default() }, false).await.unwrap();
    assert_eq!((rest.rows.as_slice(), rest.next), (&found[3..], None));
    assert_eq!(read(PageOf::default(), true).await.unwrap().rows, []);
    let output: OutputDetail = app.services.submissions.output(&System.admin(), found[1].id).await.unwrap();
    assert_eq!((output.code.surrounding_text.as_str(), output.code.laid_out.unwrap().len()), ("Sure, as Claude:", 3));
    let reading = output.reading.unwrap();
    assert_eq!((reading.why, reading.blocks.len(), reading.reasoning.as_str()), (Why::Only, 1, ""));
    let again = app.services.submissions.preview(&System.admin(), id, "aixbench-manual", Matching::Auto).await.unwrap();
    assert_eq!(again.same_as, Some(taken));
}

#[tokio::test]
async fn invalid_line_rejects_the_whole_file() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    import(&mut admin, &[(MANUAL, TASKS)]).await;
    let before =
        app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows.len();
    let check = async |admin: &mut Client, bytes: &[u8], line: u64, expected: &str| {
        let id = upload(admin, "aixbench-manual", "bad.jsonl", bytes).await;
        let submissions = &app.services.submissions;
        let preview = submissions.preview(&System.admin(), id, "aixbench-manual", Matching::Auto).await.unwrap();
        assert!(!preview.acceptable());
        let problem = &preview.problems[0];
        assert_eq!((problem.file.as_str(), problem.line), ("bad.jsonl", Some(line)));
        assert!(problem.to_string().contains(expected), "{problem}");
        let taken =
            submissions.import(&System.admin(), id, "aixbench-manual", Matching::Auto, "M", InvalidLines::Refuse).await;
        assert!(matches!(taken, Err(AppError::Invalid(_))), "{taken:?}");
        assert_eq!(
            submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
            before
        );
    };
    let good = "{\"task_id\": 0, \"code\": \"int a;\"}\n";
    check(&mut admin, format!("{good}{good}oops").as_bytes(), 3, "not a JSON object").await;
    check(&mut admin, format!("{good}{{\"task_id\": 1}}").as_bytes(), 2, "none of the fields \"code\"").await;
    check(&mut admin, b"{\"task_id\": 0, \"code\": \"\xff\"}", 1, "not UTF-8").await;
}

#[tokio::test]
async fn only_admins_upload_files() {
    let app = TestApp::demo().await;
    let check = async |client: &mut Client, error: AppError| {
        for path in ["/admin/upload/submission", "/admin/upload/dataset"] {
            let answer = send(
                client,
                path,
                "application/json",
                &[],
                &[("file", "a", b"x"), ("files", MANUAL, TASKS.as_bytes())],
            )
            .await;
            assert_eq!(answer.status.as_u16(), error.status(), "{path}");
            assert_eq!(answer.json::<Value>(), json!({"error": error}));
        }
        assert_eq!(
            app.services.datasets.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
            1
        );
    };
    check(&mut app.anonymous(), AppError::Unauthenticated).await;
    check(&mut app.rater().await, AppError::Forbidden).await;
}

#[tokio::test]
async fn published_benchmark_end_to_end() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let Some(data) = prerequisites::aixbench_data() else { return };
    let app = TestApp::demo().await;
    let imports = &app.services.imports;
    let numbers =
        |report: &ImportReport| report.datasets.iter().map(|d| (d.number, d.new, d.tasks)).collect::<Vec<_>>();
    let bare = vec![data.join("dataset_autotest_nl.jsonl"), data.join(MANUAL)];
    let report = imports.paths(System, bare.clone()).await.unwrap();
    assert_eq!(numbers(&report), [(1, true, 175), (1, true, 161)]);
    let tasks = tasks(&app, "aixbench-auto").await;
    let report = imports.paths(System, vec![checkout.clone()]).await.unwrap();
    assert_eq!(numbers(&report), [(2, true, 175), (2, true, 161)], "tests and rubric came");
    assert!(report.rubric.is_some());
    assert_eq!(self::tasks(&app, "aixbench-auto").await, tasks, "and no task changed");
    for again in [vec![checkout], bare] {
        let report = imports.paths(System, again).await.unwrap();
        assert_eq!(numbers(&report), [(2, false, 175), (2, false, 161)]);
    }

    let mut admin = app.admin().await;
    let mut check = async |dataset: &str, file: &str, matching: Matching, outputs: usize| {
        let id = upload(&mut admin, dataset, file, &std::fs::read(data.join(file)).unwrap()).await;
        let submissions = &app.services.submissions;
        let preview = submissions.preview(&System.admin(), id, dataset, Matching::Auto).await.unwrap();
        assert_eq!((preview.matching, preview.problem_count), (matching, 0));
        let taken = submissions
            .import(&System.admin(), id, dataset, Matching::Auto, "aiXcoder", InvalidLines::Refuse)
            .await
            .unwrap();
        assert_eq!(submissions.get(&System.admin(), taken).await.unwrap().outputs, outputs as u64);
    };
    check("aixbench-auto", "prediction.jsonl", Matching::TaskId, 175).await;
    check("aixbench-manual", "manual_outputs_aixcoder.jsonl", Matching::TaskId, 82).await;
    check("aixbench-manual", "prediction.jsonl", Matching::Description, 82).await;
}
