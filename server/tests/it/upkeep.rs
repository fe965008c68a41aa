//! Renaming, archiving and deleting: what is offered, what is refused, and what is left afterwards.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use axum::http::{Method, StatusCode};
use base::clock;
use db::staging;
use model::{
    api::Scope,
    audit::Object,
    caller::System,
    comparison::Selection,
    grading::Receipt,
    ids::{StudyId, SubmissionId},
    page::PageOf,
    run::NewRun,
    study::{NewStudy, StudySettings, StudyStatus},
    upkeep::{DependentKind, UNDO_MS},
};
use port::{Runs, Studies, Submissions, upkeep::Upkeeps};
use rand::SeedableRng;
use serde_json::{Value, json};

use crate::{
    stalls::{rate_next, study},
    util::TestApp,
};

async fn listed(app: &TestApp) -> Vec<SubmissionId> {
    let page = PageOf::first(PageOf::MOST);
    let rows = app.services.submissions.list(&System.admin(), None, page).await.unwrap().rows;
    rows.into_iter().map(|row| row.id).collect()
}

fn count(app: &TestApp, query: &str) -> i64 {
    app.services.db.read_blocking(|conn| Ok(conn.query_row(query, [], |row| row.get(0))?)).unwrap()
}

fn is_sound(app: &TestApp) {
    assert_eq!(count(app, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/// A copy of the demo's study with all its submissions, which nobody has rated in.
async fn unrated_study(app: &TestApp) -> StudyId {
    let admin = System.admin();
    let raters = app.services.db.read_blocking(|conn| {
        let mut statement = conn.prepare("SELECT user_id FROM study_raters WHERE study_id = 1")?;
        let rows = statement.query_map([], |row| Ok(model::ids::UserId(row.get(0)?)))?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?)
    });
    let new = NewStudy {
        title: "Started by mistake".into(),
        dataset: "starter".into(),
        submissions: listed(app).await,
        raters: raters.unwrap(),
        settings: StudySettings { raters_per_output: 1, ..StudySettings::default() },
        ..NewStudy::default()
    };
    app.services.studies.create(&admin, new).await.unwrap()
}

#[tokio::test]
async fn deleted_objects_can_be_restored_and_leave_no_rows() {
    let app = TestApp::demo().await;
    let (upkeep, admin) = (&app.services.upkeep, System.admin());
    // A started study without a rating.
    let before = (count(&app, "SELECT count(*) FROM assignments"), count(&app, "SELECT count(*) FROM users"));
    let study = unrated_study(&app).await;
    let object = Object::Study(study);
    let found = upkeep.get(&admin, object.clone()).await.unwrap();
    assert!(found.in_use.is_empty() && found.deleted_with[0].kind == DependentKind::PlannedRatings);
    upkeep.delete(&admin, object.clone()).await.unwrap();
    assert!(app.services.studies.get(&admin, study).await.is_err(), "hidden at once");
    assert!(upkeep.get(&admin, object.clone()).await.unwrap().deleted);
    upkeep.restore(&admin, object.clone()).await.unwrap();
    assert_eq!(app.services.studies.get(&admin, study).await.unwrap().row.status, StudyStatus::Running);
    upkeep.delete(&admin, object.clone()).await.unwrap();
    // Within the time for undoing it, nothing is deleted; afterwards everything is.
    let soon = model::time::Timestamp(clock::now().0);
    app.services.db.clear_imports(soon).unwrap();
    assert!(upkeep.get(&admin, object.clone()).await.unwrap().deleted);
    let later = model::time::Timestamp(clock::now().0 + UNDO_MS + 1);
    assert!(!app.services.db.clear_imports(later).unwrap());
    assert!(upkeep.get(&admin, object.clone()).await.is_err());
    assert!(upkeep.restore(&admin, object).await.is_err(), "too late");
    assert_eq!((count(&app, "SELECT count(*) FROM assignments"), count(&app, "SELECT count(*) FROM users")), before);
    is_sound(&app);

    // A submission with a run, after its study.
    let app = TestApp::demo().await;
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let submission = listed(&app).await[0];
    app.services.runs.start(&admin, NewRun::of(submission).fresh()).await.unwrap();
    let object = Object::Submission(submission);
    let in_use = app.services.upkeep.get(&admin, object.clone()).await.unwrap().in_use;
    let kinds: Vec<_> = in_use.iter().map(|one| one.kind).collect();
    assert!(kinds.contains(&DependentKind::Studies) && kinds.contains(&DependentKind::RunningRuns), "{kinds:?}");
    assert!(app.services.upkeep.delete(&admin, object.clone()).await.is_err());
    app.run_all(&mut random).await;
    for run in app.services.runs.list(&admin, None, PageOf::first(PageOf::MOST)).await.unwrap().rows {
        app.services.runs.cancel(&admin, run.id).await.unwrap();
    }
    app.services.upkeep.delete_now(&admin, Object::Study(StudyId(1))).await.unwrap();
    app.services.upkeep.delete_now(&admin, object).await.unwrap();
    let id = submission.0;
    for query in [
        format!("SELECT count(*) FROM outputs WHERE submission_id = {id}"),
        format!("SELECT count(*) FROM runs WHERE submission_id = {id}"),
        format!("SELECT count(*) FROM all_submissions WHERE id = {id}"),
        "SELECT count(*) FROM all_studies".into(),
        "SELECT count(*) FROM study_raters".into(),
    ] {
        assert_eq!(count(&app, &query), 0, "{query}");
    }
    is_sound(&app);
    // The dataset only without the other submissions.
    let dataset = Object::Dataset("starter".into());
    assert!(app.services.upkeep.delete(&admin, dataset.clone()).await.is_err());
    for other in listed(&app).await {
        app.services.upkeep.delete_now(&admin, Object::Submission(other)).await.unwrap();
    }
    assert!(count(&app, "SELECT count(*) FROM blobs") > 0);
    app.services.upkeep.delete_now(&admin, dataset).await.unwrap();
    // With its test files.
    assert_eq!(count(&app, "SELECT (SELECT count(*) FROM blobs) + (SELECT count(*) FROM test_tree_files)"), 0);
    assert_eq!(count(&app, "SELECT count(*) FROM datasets WHERE slug = 'starter'"), 0);
    is_sound(&app);
    assert!(!app.services.db.read_blocking(staging::any).unwrap());
}

#[tokio::test]
async fn work_is_never_deleted() {
    let app = TestApp::demo().await;
    let (upkeep, admin) = (&app.services.upkeep, System.admin());
    let mut rater = app.rater().await;
    let own = study(&mut rater).await;
    // A rater who has an output open may be writing.
    rater.rpc("next_item", json!({"study": own, "holding": []})).await;
    let open = upkeep.get(&admin, Object::Study(StudyId(1))).await.unwrap().in_use;
    assert_eq!(open.iter().map(|one| one.kind).collect::<Vec<_>>(), [DependentKind::Drafts]);
    assert_eq!(rate_next(&mut rater, &own, "").await, Some(Receipt::Stored));
    let object = Object::Study(StudyId(1));
    assert_eq!(upkeep.get(&admin, object.clone()).await.unwrap().in_use[0].kind, DependentKind::Ratings);
    let refused = upkeep.delete(&admin, object.clone()).await.unwrap_err().to_string();
    assert!(refused.contains("Archive it instead"), "{refused}");
    // People rate in it, so it cannot be archived either.
    let refused = upkeep.set_archived(&admin, object.clone(), true).await.unwrap_err().to_string();
    assert!(refused.contains("Close it"), "{refused}");
}

#[tokio::test]
async fn archived_objects_are_in_no_list_and_no_default_selection() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let token = app.token(&[Scope::Read, Scope::Admin]).await;
    let all = listed(&app).await;
    let compared = || async {
        let selection = Selection { dataset: "starter".into(), ..Selection::default() };
        app.services.comparisons.resolve(&admin, selection).await.unwrap().selection.models.unwrap().len()
    };
    let models = compared().await;
    let mut client = app.anonymous();
    let path = format!("/api/v1/objects/submission/{}", all[0]);
    let answer = client.api(&token, Method::PATCH, &path, Some(json!({"archived": true}))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert!(!listed(&app).await.contains(&all[0]));
    assert_eq!(compared().await, models - 1);
    let archive: Value = client.api(&token, Method::GET, "/api/v1/archive", None).await.json();
    assert_eq!(archive[0]["object"], format!("submission {}", all[0]));
    // Its page stays.
    let mut browser = app.admin().await;
    assert_eq!(browser.get(&format!("/admin/submissions/{}", all[0])).await.status, StatusCode::OK);
    let page = browser.get("/admin/archive").await;
    let unarchive = format!("value=\"submission {}\"", all[0]);
    assert!(page.body.contains(&unarchive), "{}", page.body);
    client.api(&token, Method::PATCH, &path, Some(json!({"archived": false}))).await;
    assert_eq!((listed(&app).await, compared().await), (all, models));
    let entries: Value = client.api(&token, Method::GET, "/api/v1/audit?action=object.archive", None).await.json();
    assert_eq!(entries["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn renamed_models_keep_their_other_submissions() {
    let app = TestApp::demo().await;
    let (upkeep, admin) = (&app.services.upkeep, System.admin());
    let [first, second, ..] = listed(&app).await[..] else { panic!("the demo has two submissions") };
    let name = async |id| app.services.submissions.get(&admin, id).await.unwrap().model_name;
    upkeep.rename(&admin, Object::Submission(first), "Renamed").await.unwrap();
    assert_eq!(name(first).await, "Renamed");
    let models = count(&app, "SELECT count(*) FROM models");
    // Another submission joins the model, and leaves it again.
    let other = name(second).await;
    upkeep.rename(&admin, Object::Submission(second), "renamed").await.unwrap();
    assert_eq!(name(second).await, "Renamed");
    upkeep.rename(&admin, Object::Submission(second), &other).await.unwrap();
    assert_eq!((name(first).await, name(second).await), ("Renamed".into(), other));
    assert_eq!(count(&app, "SELECT count(*) FROM models"), models);
    upkeep.rename(&admin, Object::Study(StudyId(1)), "  New title ").await.unwrap();
    assert_eq!(app.services.studies.get(&admin, StudyId(1)).await.unwrap().row.title, "New title");
    assert!(upkeep.rename(&admin, Object::Submission(first), " ").await.is_err());
    assert!(upkeep.rename(&admin, Object::Dataset("starter".into()), "x").await.is_err());
    assert!(upkeep.rename(&admin, Object::Storage, "x").await.is_err());
}
