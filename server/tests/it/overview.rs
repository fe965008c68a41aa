//! The admins' first page, from an empty installation to one with late studies.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use base::clock;
use model::{
    caller::{Admin, System},
    day::Day,
    grading::{Draft, MyStudy, Next},
    ids::StudyId,
    inbox::InboxKind,
    overview::{OVERVIEW_DAYS, Overview, VISIT_MS},
    quality::QualitySettings,
    time::{DAY_MS, Timestamp},
};
use port::{announcements::Announcements as _, overview::Overviews as _, quality::Quality as _};
use serde_json::json;

use crate::util::{Client, TestApp};

const ADMIN: Admin = System.admin();

async fn overview(admin: &mut Client) -> Overview {
    admin.rpc("admin_overview", json!({})).await.json()
}

async fn rate_one(rater: &mut Client) {
    let studies: Vec<MyStudy> = rater.rpc("my_studies", json!({})).await.json();
    let next: Next = rater.rpc("next_item", json!({"study": studies[0].token, "holding": []})).await.json();
    let Next::Item(item) = next else { panic!("{next:?}") };
    let draft = Draft { scores: vec![Some(3), Some(2), Some(4)], ..Draft::default() };
    let sent = json!({"assignment": item.token, "draft": draft, "key": "k"});
    assert!(rater.rpc("submit_rating", sent).await.status.is_success());
}

#[tokio::test]
async fn an_empty_installation_says_what_to_do_first() {
    let app = TestApp::empty().await;
    let found = app.services.get(&ADMIN).await.unwrap();
    assert!(!found.has_datasets && !found.has_raters && found.studies == 0, "{found:?}");
    assert_eq!(found.days.len(), OVERVIEW_DAYS);
    assert_eq!((found.needed_a_day, found.last_visit), (None, None));
    assert!(found.in_progress.is_empty() && found.runs.is_empty() && found.changes.is_empty(), "{found:?}");
}

#[tokio::test]
async fn pace_due_dates_and_late_raters_are_in_sight() {
    let app = TestApp::demo().await;
    let (mut admin, mut ada) = (app.admin().await, app.rater().await);
    let before = overview(&mut admin).await;
    let study = &before.in_progress[0];
    assert_eq!((before.in_progress.len(), before.open_studies, study.recent), (1, 1, 0));
    assert_eq!((study.days_left, study.needed_a_day(), study.is_late()), (None, None, false));
    assert!(study.agreement.is_none() && before.late_raters.is_empty() && before.waiting.is_empty());

    rate_one(&mut ada).await;
    rate_one(&mut ada).await;
    let today = Day::of(clock::now()).unwrap();
    let settings = QualitySettings { due: Some(today), ..QualitySettings::default() };
    app.services.quality.set(&ADMIN, StudyId(1), crate::util::change_to(&settings)).await.unwrap();
    let found = overview(&mut admin).await;
    let study = &found.in_progress[0];
    assert_eq!((study.recent, study.days_left, study.row.done), (2, Some(1), 2));
    assert_eq!(found.days.last(), Some(&(today, 2)));
    assert_eq!(found.needed_a_day, Some(study.left()));
    assert!(study.is_late());
    let page = admin.get("/admin").await.body;
    assert!(page.contains("Behind") && page.contains("needed"), "{page}");

    // Nobody did anything for a week.
    let long_ago = clock::now().0 - 7 * DAY_MS;
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute("UPDATE study_raters SET last_event = ?1, added_at = ?1", [long_ago])?;
            tx.execute("UPDATE all_studies SET started_at = ?1", [long_ago])?;
            Ok(())
        })
        .unwrap();
    let late = overview(&mut admin).await.late_raters;
    assert!(
        late.iter().any(|late| late.name == "ada" && late.left > 0 && late.since == Timestamp(long_ago)),
        "{late:?}"
    );
    assert!(admin.get("/admin").await.body.contains("Raters without activity for 3 days"));
}

#[tokio::test]
async fn what_waits_leads_to_the_inbox() {
    let app = TestApp::demo().await;
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute("UPDATE routines SET failed_at = 1, failures = 1, error = '{\"code\":\"damaged\",\"detail\":\"x\"}' WHERE name = 'integrity'", [])?;
            Ok(())
        })
        .unwrap();
    let mut admin = app.admin().await;
    let waiting = overview(&mut admin).await.waiting;
    assert_eq!(waiting.iter().map(|of| (of.kind, of.waiting)).collect::<Vec<_>>(), [(InboxKind::Integrity, 1)]);
    let page = admin.get("/admin").await.body;
    assert!(page.contains("href=\"/admin/inbox?kind=integrity\"") && page.contains("Open inbox"), "{page}");
}

#[tokio::test]
async fn changes_are_those_of_others_since_the_visit_before() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let first = overview(&mut admin).await;
    assert_eq!(first.last_visit, None);
    let back = |ms: i64| {
        let sql = "UPDATE rater_settings SET overview_at = overview_at - ?1";
        app.services.db.write_blocking(|tx| Ok(tx.execute(sql, [ms])?)).unwrap();
    };
    // A reload is the same visit.
    back(VISIT_MS / 2);
    assert_eq!(overview(&mut admin).await.last_visit, None);
    back(2 * VISIT_MS);
    // The admin's own change, and one from the command line.
    admin.form("/rpc/create_group", &[("name", "Mine")]).await;
    let announced = model::announcement::NewAnnouncement {
        to: model::announcement::Audience::Everyone,
        text: model::lang::Bilingual { en: "Hello".into(), zh: String::new() },
        last_day: None,
        allow_names: false,
    };
    app.services.announcements.publish(&ADMIN, announced).await.unwrap();
    let found = overview(&mut admin).await;
    assert!(found.last_visit.is_some_and(|at| at.0 < clock::now().0 - VISIT_MS), "{found:?}");
    assert!(found.changes.iter().all(|entry| entry.action != "group.create"), "{:?}", found.changes);
    assert_eq!((found.changes[0].action.as_str(), found.changes[0].person.as_deref()), ("announcement.publish", None));
    assert!(admin.get("/admin").await.body.contains("Changes since your last visit"));
}
