//! What `serve --demo` adds in addition to accounts and a study.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use engine::readiness;
use model::{caller::System, page::PageOf};
use port::{Runs, Studies, Submissions};
use services::{demo_results, starter};

use crate::util::TestApp;

async fn demo() -> TestApp {
    let app = TestApp::empty().await;
    starter::load(&app.services).await.unwrap();
    starter::demo_with(&app.services, starter::RATED_STUDY).await.unwrap();
    app
}

#[tokio::test]
async fn demo_ratings_are_marked_and_leave_work() {
    let app = demo().await;
    let study = app.services.studies.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows.remove(0);
    assert!(study.title.contains("invented"), "{}", study.title);
    // A restart adds nothing.
    for _ in 0..2 {
        demo_results::rate(&app.services).await.unwrap();
        let path = format!("/admin/compare/starter/export/study-ratings.csv?studies={}&runs=none", study.id);
        let table = app.admin().await.get(&path).await.body;
        assert_eq!(table.lines().count(), 1 + 80, "{table}");
        assert_eq!(table.matches("Invented for the demo.").count(), 80);
    }
    let comparison = app.admin().await.get("/admin/compare/starter").await.body;
    assert!(comparison.contains(starter::RATED_STUDY));
    for rater in ["ada", "bo", "chen"] {
        let my_studies = app.demo_user(rater).await.get("/my-studies").await.body;
        assert!(my_studies.contains("/grade/"), "{rater} has nothing left to grade");
    }
}

#[tokio::test]
async fn demo_runs_every_model_once_if_possible() {
    let lacking = readiness::check(None);
    let ready = lacking.missing.is_empty().then_some(()).ok_or(format!("the engine lacks {:?}", lacking.missing));
    let Some(()) = prerequisites::host(ready) else { return };
    let app = demo().await;
    assert!(demo_results::run(&app.services).await.unwrap());
    assert!(!demo_results::run(&app.services).await.unwrap(), "a restart starts no more runs");
    let runs = app.services.runs.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let submissions =
        app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    assert_eq!(runs.len(), submissions.len());
}

#[tokio::test]
async fn demo_runs_the_starter_tasks_of_every_language_that_can_be_had() {
    let app = demo().await;
    let lines = demo_results::languages(&app.services).await.unwrap();
    let places = app.services.runs.engine().places();
    for code in ["python", "cpp", "javascript", "go"] {
        let dataset = format!("starter-{code}");
        let line = lines.iter().find(|line| line.contains(&dataset)).unwrap();
        let of = PageOf::first(PageOf::MOST);
        let submissions =
            app.services.submissions.list(&System.admin(), Some(dataset.clone()), of.clone()).await.unwrap().rows;
        assert_eq!(submissions.len(), 3, "{dataset}");
        let is_ready = lang::look(code, &places).is_ok() && readiness::check(None).missing.is_empty();
        for submission in submissions {
            let runs = app.services.runs.list(&System.admin(), Some(submission.id), of.clone()).await.unwrap().rows;
            assert_eq!(runs.len(), usize::from(is_ready), "{dataset}: {line}");
        }
        assert_eq!(line.starts_with("Started"), is_ready, "{line}");
    }
    // A restart starts no more runs.
    let again = demo_results::languages(&app.services).await.unwrap();
    assert!(again.iter().all(|line| !line.starts_with("Started")), "{again:?}");
}
