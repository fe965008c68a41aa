//! What `serve --demo` brings besides accounts and a study.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use app::port::{Caller, Runs, Studies, Submissions};
use server::{
    engine::readiness,
    services::{demo_results, starter},
};

use crate::util::{TestApp, prerequisites};

async fn demo() -> TestApp {
    let app = TestApp::empty().await;
    starter::load(&app.services).await.unwrap();
    starter::demo_with(&app.services, starter::RATED_STUDY).await.unwrap();
    app
}

#[tokio::test]
async fn invented_ratings_say_so_and_leave_work_for_every_rater() {
    let app = demo().await;
    let study = app.services.studies.list(&Caller::Operator).await.unwrap().remove(0);
    assert!(study.title.contains("invented"), "{}", study.title);
    // A restart adds nothing.
    for _ in 0..2 {
        demo_results::rate(&app.services).await.unwrap();
        let path = format!("/admin/studies/{}/ratings.csv", study.id);
        let table = app.admin().await.get(&path).await.body;
        assert_eq!(table.lines().count(), 1 + 80, "{table}");
        assert_eq!(table.matches("Invented for the demo.").count(), 80);
    }
    let comparison = app.admin().await.get("/admin/compare/starter").await.body;
    assert!(comparison.contains(starter::RATED_STUDY));
    for rater in ["ada", "bo", "chen"] {
        let desk = app.demo_user(rater).await.get("/desk").await.body;
        assert!(desk.contains("/grade/"), "{rater} has nothing left to grade");
    }
}

#[tokio::test]
async fn every_model_is_run_once_where_tests_can_run() {
    let lacking = readiness::look();
    let ready = lacking.missing.is_empty().then_some(()).ok_or(format!("the engine lacks {:?}", lacking.missing));
    let Some(()) = prerequisites::host(ready) else { return };
    let app = demo().await;
    assert!(demo_results::run(&app.services).await.unwrap());
    assert!(!demo_results::run(&app.services).await.unwrap(), "a restart starts no more runs");
    let runs = app.services.runs.list(&Caller::Operator, None).await.unwrap();
    let submissions = app.services.submissions.list(&Caller::Operator, None).await.unwrap();
    assert_eq!(runs.len(), submissions.len());
}
