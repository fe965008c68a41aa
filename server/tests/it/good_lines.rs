//! Uploads with bad lines: importing the good ones, downloading the others and the original, files of the wrong kind,
//! the list of uploads, and the first outputs as raters see them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::io::Write;

use axum::http::{Method, StatusCode};
use model::{
    audit::Object,
    caller::{Caller, Capability, Person, System},
    error::AppError,
    grading::Next,
    ids::{SubmissionId, UploadId, UserId},
    lang::Lang,
    page::PageOf,
    study::{NewStudy, StudySettings},
    submission::{InvalidLines, Matching, Preview, SubmissionRow, UploadRow, UploadState},
};
use port::{Accounts, Grading, Studies, Submissions, quality::Quality};
use serde_json::{Value, json};
use services::submissions::files::{BadLinesFile, BadLinesOf};

use crate::{
    uploads::{MANUAL, TASKS, import, send, upload},
    util::TestApp,
};

const DATASET: &str = "aixbench-manual";
const GOOD: &str = "{\"task_id\": 0, \"code\": \"int a;\"}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

async fn app() -> TestApp {
    let app = TestApp::demo().await;
    import(&mut app.admin().await, &[(MANUAL, TASKS)]).await;
    app
}

async fn preview(app: &TestApp, id: UploadId) -> Preview {
    app.services.submissions.preview(&System.admin(), id, DATASET, Matching::Auto).await.unwrap()
}

async fn take(app: &TestApp, id: UploadId, invalid: InvalidLines) -> Result<SubmissionId, AppError> {
    app.services.submissions.import(&System.admin(), id, DATASET, Matching::Auto, "Model A", invalid).await
}

async fn bad(app: &TestApp, of: BadLinesOf, file: BadLinesFile) -> (String, Vec<u8>) {
    let named = app.services.submissions.bad_lines(&System.admin(), of, file).await.unwrap();
    let mut bytes = Vec::new();
    named.download.copy_to(&mut bytes).unwrap();
    (named.name, bytes)
}

fn of_upload(upload: UploadId) -> BadLinesOf {
    BadLinesOf::Upload { upload, dataset: DATASET.into(), matching: Matching::Auto }
}

async fn submissions(app: &TestApp) -> Vec<SubmissionRow> {
    let of = PageOf::first(PageOf::MOST);
    app.services.submissions.list(&System.admin(), Some(DATASET.into()), of).await.unwrap().rows
}

async fn uploads(app: &TestApp) -> Vec<UploadRow> {
    app.services.submissions.uploads(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows
}

#[tokio::test]
async fn good_lines_are_imported_by_choice_and_the_submission_says_so() {
    let app = app().await;
    let mut admin = app.admin().await;
    let file = format!("{GOOD}oops\n{{\"task_id\": 2, \"code\": \"int b;\"}}\n{{\"task_id\": 2}}\n");
    let id = upload(&mut admin, DATASET, "mixed.jsonl", file.as_bytes()).await;
    let found = preview(&app, id).await;
    assert!(!found.acceptable() && found.acceptable_in_part());
    assert_eq!((found.problem_count, found.matched, found.missing_count, found.bad_lines()), (2, 2, 1, 2));

    // The page states what the choice does, and the form cannot be sent without it.
    let page = admin.get(&format!("/admin/uploads/{id}?dataset={DATASET}")).await.body;
    for words in ["leave out 2 invalid lines", "1 of 3 tasks then has no output", "AvgPassRatio", "bad-lines.jsonl?"] {
        assert!(page.contains(words), "no {words}");
    }
    let fields = [("upload", &*id.to_string()), ("dataset", DATASET), ("matching", "auto"), ("model", "Model A")];
    let refused = admin.form("/rpc/import_submission", &fields).await;
    assert!(!refused.location().starts_with("/admin/submissions/"), "{}", refused.location());
    assert!(
        matches!(take(&app, id, InvalidLines::Refuse).await, Err(AppError::Invalid(problems)) if problems.len() == 2)
    );
    assert_eq!(submissions(&app).await, []);

    let chosen: Vec<_> = fields.into_iter().chain([("good_lines_only", "true")]).collect();
    let imported = admin.form("/rpc/import_submission", &chosen).await;
    let row = submissions(&app).await.remove(0);
    assert_eq!(imported.location(), format!("/admin/submissions/{}", row.id));
    assert_eq!((row.outputs, row.tasks, row.left_out, row.missing), (2, 2, 2, 1));
    let page = admin.get(imported.location()).await.body;
    assert!(page.contains("2 invalid lines of the file were left out"), "{page}");
    let audit = admin.get("/admin/audit.csv?action=submission.import").await.body;
    assert!(
        audit.contains(r#"[{""model"":""Model A""},{""dataset"":""aixbench-manual""},{""invalid_lines"":2}]"#),
        "{audit}"
    );

    // A file without invalid lines says nothing of the kind.
    let id = upload(&mut admin, DATASET, "good.jsonl", GOOD.as_bytes()).await;
    let whole = take(&app, id, InvalidLines::LeaveOut).await.unwrap();
    assert_eq!(app.services.submissions.get(&System.admin(), whole).await.unwrap().left_out, 0);
    assert!(!admin.get(&format!("/admin/submissions/{whole}")).await.body.contains("left out"));
}

#[tokio::test]
async fn bad_lines_are_downloaded_as_they_were_uploaded() {
    let app = app().await;
    let mut admin = app.admin().await;
    let long = format!("{{\"task_id\": 1, \"code\": \"{}\"}}\r\n", "x".repeat(3 * 1024 * 1024));
    let parts: [(&[u8], bool); 7] = [
        (b"\xef\xbb\xbf{\"task_id\": 7, \"code\": \"\"}\r\n", true),
        (GOOD.as_bytes(), false),
        (b"\n", false),
        (b"=oops \xff\r\n", true),
        (long.as_bytes(), true),
        (b"{\"task_id\": 1, \"code\": \"int b;\"}\n", false),
        (b"{\"task_id\": 2,", true),
    ];
    let file: Vec<u8> = parts.iter().flat_map(|(line, _)| line.iter().copied()).collect();
    let expected: Vec<u8> = parts.iter().filter(|(_, bad)| *bad).flat_map(|(line, _)| line.iter().copied()).collect();
    for (name, bytes) in [("a.jsonl", file.clone()), ("b.jsonl.gz", gzip(&file))] {
        let id = upload(&mut admin, DATASET, name, &bytes).await;
        let (saved, lines) = bad(&app, of_upload(id), BadLinesFile::Lines).await;
        assert!(lines == expected, "{name}: {} bytes, not {}", lines.len(), expected.len());
        assert_eq!(saved, format!("{}-bad-lines.jsonl", &name[..1]));
        let (_, list) = bad(&app, of_upload(id), BadLinesFile::List(Lang::En)).await;
        let list = String::from_utf8(list).unwrap();
        let places: Vec<_> = list.lines().map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
        assert_eq!(places, ["line", "1", "4", "5", "7"], "{list}");
        assert!(list.contains("\"the dataset has no task \"\"7\"\"\""), "{list}");
        let (_, list) = bad(&app, of_upload(id), BadLinesFile::List(Lang::Zh)).await;
        assert!(String::from_utf8(list).unwrap().contains("数据集中没有任务"));

        // The submission offers the same.
        let taken = take(&app, id, InvalidLines::LeaveOut).await.unwrap();
        assert!(bad(&app, BadLinesOf::Submission(taken), BadLinesFile::Lines).await.1 == expected);
        let answer = admin.get(&format!("/admin/submissions/{taken}/bad-lines.csv")).await;
        assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
        assert_eq!(answer.body.lines().count(), 5);
    }
}

#[tokio::test]
async fn a_file_that_ends_early_is_not_imported_in_part() {
    let app = app().await;
    let mut admin = app.admin().await;
    let mut packed = gzip(GOOD.repeat(5000).as_bytes());
    packed.truncate(packed.len() - 20);
    let id = upload(&mut admin, DATASET, "cut.jsonl.gz", &packed).await;
    let found = preview(&app, id).await;
    assert!(found.cut_short && found.matched > 0 && !found.acceptable_in_part(), "{found:?}");
    let Err(AppError::Invalid(problems)) = take(&app, id, InvalidLines::LeaveOut).await else { panic!("imported") };
    assert!(problems[0].what.contains("could not be read to its end"), "{problems:?}");
    let page = admin.get(&format!("/admin/uploads/{id}?dataset={DATASET}")).await.body;
    assert!(!page.contains("good_lines_only") && page.contains("The end of the file could not be read"));
}

#[tokio::test]
async fn an_archive_is_imported_without_its_wrong_classes() {
    let app = app().await;
    let mut admin = app.admin().await;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["m/G1.java", "m/Helper.java", "m/H1.java", "m/G2.java"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        write!(zip, "class X {{}} // {name}").unwrap();
    }
    let id = upload(&mut admin, DATASET, "m.zip", &zip.finish().unwrap().into_inner()).await;
    let found = preview(&app, id).await;
    assert_eq!((found.archive, found.problem_count, found.matched), (true, 2, 2));
    let files: Vec<_> = found.problems.iter().map(|problem| problem.file.as_str()).collect();
    assert_eq!(files, ["m/H1.java", "m/Helper.java"]);
    let (_, list) = bad(&app, of_upload(id), BadLinesFile::List(Lang::En)).await;
    assert!(String::from_utf8(list).unwrap().starts_with("file,line,problem,remedy\nm/H1.java,,"));
    let lines = admin.get(&format!("/admin/uploads/{id}/bad-lines.jsonl?dataset={DATASET}")).await;
    assert_eq!(lines.status, StatusCode::UNPROCESSABLE_ENTITY);
    let taken = take(&app, id, InvalidLines::LeaveOut).await.unwrap();
    let rows = app.services.submissions.outputs(&System.admin(), taken, Default::default(), PageOf::default()).await;
    let code = app.services.submissions.output(&System.admin(), rows.unwrap().rows[0].id).await.unwrap().code;
    // Of two classes for a task, the one without a problem.
    assert!(code.raw[0].text().contains("m/G1.java"), "{code:?}");
}

#[tokio::test]
async fn the_original_is_for_admins_and_stays_with_its_submission() {
    let app = app().await;
    let mut admin = app.admin().await;
    let id = upload(&mut admin, DATASET, "out'; x=<b>模型.jsonl", GOOD.as_bytes()).await;
    let taken = take(&app, id, InvalidLines::Refuse).await.unwrap();
    let address = format!("/admin/submissions/{taken}/file");
    let answer = admin.get(&address).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::OK, GOOD));
    assert_eq!(answer.headers["content-type"], "application/octet-stream");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    let saved = answer.headers["content-disposition"].to_str().unwrap();
    assert!(saved.starts_with("attachment; filename=\"out___x__b___.jsonl\"; filename*=UTF-8''out%27"), "{saved}");
    for path in [address.as_str(), "/admin/uploads/1/bad-lines.csv?dataset=starter"] {
        let refused = app.rater().await.get(path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        assert!(!refused.body.contains("int a;"));
        assert!(app.anonymous().get(path).await.location().starts_with("/log-in"));
    }
    assert_eq!(admin.get("/admin/submissions/4711/file").await.status, StatusCode::NOT_FOUND);

    // It stays while the submission exists, also while its deletion can be undone, and goes with it.
    let long_ago = |tx: &rusqlite::Transaction<'_>| Ok(tx.execute("UPDATE uploads SET created_at = 1", [])?);
    app.services.db.write_blocking(long_ago).unwrap();
    for entry in std::fs::read_dir(app.services.folder.join("uploads")).unwrap() {
        let file = std::fs::File::options().append(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let object = Object::Submission(taken);
    app.services.prune(&System.admin(), false).await.unwrap();
    assert_eq!(admin.get(&address).await.status, StatusCode::OK);
    port::upkeep::Upkeeps::delete(&*app.services.upkeep, &System.admin(), object.clone()).await.unwrap();
    assert_eq!(admin.get(&address).await.status, StatusCode::NOT_FOUND);
    app.services.prune(&System.admin(), false).await.unwrap();
    port::upkeep::Upkeeps::restore(&*app.services.upkeep, &System.admin(), object.clone()).await.unwrap();
    assert_eq!(admin.get(&address).await.body, GOOD);
    app.services.upkeep.delete_now(&System.admin(), object).await.unwrap();
    let freed = app.services.prune(&System.admin(), false).await.unwrap();
    assert_eq!(freed.iter().map(|freed| freed.count).sum::<u64>(), 1, "{freed:?}");
    assert!(uploads(&app).await.iter().all(|row| row.id != id));
}

#[tokio::test]
async fn a_file_of_the_wrong_kind_is_refused_once_with_the_page_that_accepts_it() {
    let app = app().await;
    let mut admin = app.admin().await;
    let before = uploads(&app).await.len();
    let ratings = "task_id,model,rater,correctness\n0,A,ada,4\n".repeat(100);
    let cases = [
        ("/admin/upload/submission", "ratings.csv", ratings.as_str(), "/admin/upload/ratings"),
        ("/admin/upload/submission", "tasks.jsonl", TASKS, "/admin/datasets#import"),
        ("/admin/upload/ratings", "out.jsonl", GOOD, "/admin/upload"),
        ("/admin/upload/dataset", "out.jsonl", GOOD, "/admin/upload"),
        ("/admin/upload/rubric", "out.jsonl", GOOD, "/admin/upload"),
    ];
    for (path, file, content, page) in cases {
        let field = if path.ends_with("dataset") { "files" } else { "file" };
        let files = [(field, file, content.as_bytes())];
        let answer = send(&mut admin, path, "application/json", &[("dataset", DATASET)], &files).await;
        let error: Value = answer.json();
        let problems = error["error"]["Invalid"].as_array().unwrap_or_else(|| panic!("{path}: {error}"));
        assert_eq!((problems.len(), problems[0]["page"].as_str()), (1, Some(page)), "{path}: {error}");
        // Without scripts, a page has the link.
        let answer = send(&mut admin, path, "text/html", &[("dataset", DATASET)], &files).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.body.contains(&format!("<a href=\"{page}\">")), "{path}: {}", answer.body);
    }
    assert_eq!(uploads(&app).await.len(), before, "refused files are not listed");
}

#[tokio::test]
async fn the_preview_shows_what_raters_will_see() {
    let app = app().await;
    let mut admin = app.admin().await;
    let code = "List < String > f ( ) { return null ; // by ChatGPT\\n }";
    let file = format!(
        "{{\"task_id\": 0, \"code\": \"{code}\"}}\n{{\"task_id\": 2, \"code\": \"<b>x</b>\"}}\n{{\"task_id\": 9, \"code\": \"\"}}\n"
    );
    let id = upload(&mut admin, DATASET, "named.jsonl", file.as_bytes()).await;
    let first = preview(&app, id).await.first;
    let tasks: Vec<_> = first.iter().map(|shown| (shown.line, shown.task.task_id.as_str())).collect();
    assert_eq!(tasks, [(1, "0"), (2, "2")], "outputs that have a task");
    assert!(first[1].masked.is_none());
    let page = admin.get(&format!("/admin/uploads/{id}?dataset={DATASET}")).await.body;
    assert!(page.contains("class=\"tok-") && page.contains("Stops all jobs.") && !page.contains("<b>x"));

    // A rater of a study gets the same views, without and with masked names.
    let taken = take(&app, id, InvalidLines::Refuse).await.unwrap();
    let users = app.services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let ada: UserId = users.iter().find(|user| user.name == "ada").unwrap().id;
    let study = NewStudy {
        title: "Named".into(),
        dataset: DATASET.into(),
        submissions: vec![taken],
        raters: vec![ada],
        settings: StudySettings { raters_per_output: 1, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let study = app.services.studies.create(&System.admin(), study).await.unwrap();
    let token = app.services.studies.get(&System.admin(), study).await.unwrap().row.token;
    let ada = Person::of(&Caller::User(app.services.accounts.resume(ada, 1).await.unwrap().unwrap().me)).unwrap();
    for masked in [false, true] {
        app.services.quality.set_mask(&System.admin(), taken, masked).await.unwrap();
        let mut seen = Vec::new();
        for _ in 0..2 {
            let Next::Item(item) = app.services.grading.next(&ada, &token, seen.clone()).await.unwrap() else {
                panic!("nothing to rate")
            };
            let shown = first.iter().find(|shown| shown.task.raw_nl == item.raw_nl).unwrap();
            let view = shown.masked.as_ref().filter(|_| masked).unwrap_or(&shown.code);
            assert_eq!((&item.code, &item.signature), (view, &shown.task.signature));
            seen.push(item.token.clone());
        }
    }
    assert!(first[0].masked.as_ref().unwrap().raw[0].text().contains("MASKED"));
}

#[tokio::test]
async fn uploads_are_listed_with_what_became_of_them() {
    let app = app().await;
    let mut admin = app.admin().await;
    let id = upload(&mut admin, DATASET, "listed.jsonl", GOOD.as_bytes()).await;
    let newest = uploads(&app).await.remove(0);
    assert_eq!((newest.id, newest.by.as_deref(), newest.dataset.as_deref()), (id, Some("admin"), Some(DATASET)));
    assert_eq!(newest.state, UploadState::Waiting);
    let link = format!("/admin/uploads/{id}?dataset={DATASET}");
    assert!(admin.get("/admin/upload").await.body.contains(&format!("href=\"{link}\"")));

    let taken = take(&app, id, InvalidLines::Refuse).await.unwrap();
    let imported = UploadState::Imported { submission: taken, model: "Model A".into() };
    assert_eq!(uploads(&app).await.remove(0).state, imported);
    // As during an import.
    let sql = "UPDATE all_submissions SET importing_until = 9000000000000, expected = 4 WHERE id = ?1";
    app.services.db.write_blocking(|tx| Ok(tx.execute(sql, [taken.0])?)).unwrap();
    assert_eq!(uploads(&app).await.remove(0).state, UploadState::Importing { stored: 1, total: 4 });
    assert!(admin.get("/admin/upload").await.body.contains("Importing: 1 of 4 outputs"));

    // Ratings are no outputs.
    let files = [("file", "r.csv", &b"task_id,model,rater\n"[..])];
    let fields = [("dataset", DATASET), ("kind", "people")];
    let sent = send(&mut admin, "/admin/upload/ratings", "application/json", &fields, &files).await;
    assert!(sent.json::<Value>()["location"].is_string(), "{}", sent.body);
    assert_eq!(uploads(&app).await.remove(0).id, id);
}

#[tokio::test]
async fn the_api_imports_good_lines_and_sends_files() {
    let app = app().await;
    let token = &app.token(&[model::api::Scope::Read, model::api::Scope::WriteData]).await;
    let mut program = app.anonymous();
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let file = format!("{GOOD}oops\n");
    let sent = program.send(Method::POST, "/api/v1/uploads?file=a.jsonl", &headers, file.clone()).await;
    let id = sent.json::<Value>()["upload"].as_i64().unwrap();
    let query = format!("/api/v1/uploads/{id}/bad-lines.jsonl?dataset={DATASET}");
    assert_eq!(program.api(token, Method::GET, &query, None).await.body, "oops\n");
    let query = format!("/api/v1/uploads/{id}/bad-lines.csv?dataset={DATASET}");
    assert!(
        program.api(token, Method::GET, &query, None).await.body.contains("a.jsonl,2,the line is not a JSON object")
    );
    let listed: Value = program.api(token, Method::GET, "/api/v1/uploads", None).await.json();
    assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["state"]), (&json!(id), &json!("waiting")));

    let mut new = json!({"upload": id, "dataset": DATASET, "model": "B"});
    let refused = program.api(token, Method::POST, "/api/v1/submissions", Some(new.clone())).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    new["good_lines_only"] = json!(true);
    let made: Value = program.api(token, Method::POST, "/api/v1/submissions", Some(new)).await.json();
    let at = |rest: &str| format!("/api/v1/submissions/{}{rest}", made["id"]);
    let row: Value = program.api(token, Method::GET, &at(""), None).await.json();
    assert_eq!((&row["left_out"], &row["missing"]), (&json!(1), &json!(2)));
    assert_eq!(program.api(token, Method::GET, &at("/file"), None).await.body, file);
    assert_eq!(program.api(token, Method::GET, &at("/bad-lines.jsonl"), None).await.body, "oops\n");

    let wrong = program.send(Method::POST, "/api/v1/uploads?file=t.jsonl", &headers, TASKS).await;
    assert_eq!(wrong.json::<Value>()["problems"][0]["page"], "/admin/datasets#import");
}
