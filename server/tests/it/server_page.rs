//! The page about the server: what it shows, what it does not, and the maintenance that admins start from it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{fs, time::Duration};

use axum::http::StatusCode;
use model::{
    audit::Action,
    audit_details::Unused,
    caller::System,
    error::AppError,
    server::{Freed, Maintenance, ServerNotice, ServerState, Setting, Source, Work},
};
use port::server::Server as _;
use serde_json::json;
use services::backup::schedule::{Daily, DailyFigures, Keep};

use crate::util::{Client, TestApp};

const KEEP: Keep = Keep { days: 7, weeks: 5, months: 12 };

async fn state(admin: &mut Client) -> ServerState {
    admin.rpc("server_state", json!({})).await.json()
}

async fn start(admin: &mut Client, what: Maintenance) -> StatusCode {
    admin.form("/rpc/start_maintenance", &[("what", what.code())]).await.status
}

/// Starts maintenance and waits for its end.
async fn done(admin: &mut Client, what: Maintenance) -> Work {
    assert_eq!(start(admin, what).await, StatusCode::FOUND);
    loop {
        match state(admin).await.work.unwrap() {
            work if work.is_running() => tokio::time::sleep(Duration::from_millis(10)).await,
            work => break work,
        }
    }
}

async fn notices(admin: &mut Client) -> Vec<ServerNotice> {
    admin.rpc("server_notices", json!({})).await.json()
}

#[tokio::test]
async fn admins_back_up_into_the_operators_folder_and_nowhere_else() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    assert!(notices(&mut admin).await.contains(&ServerNotice::NoBackups));
    assert!(admin.get("/admin").await.body.contains("This server makes no backups."));
    let found = state(&mut admin).await;
    assert_eq!((found.backups.folder, found.backups.newest.len(), found.work), (None, 0, None));
    let refused = app.services.start(&System.admin(), Maintenance::BackUp).await;
    assert!(matches!(refused, Err(AppError::Conflict(_))), "{refused:?}");

    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("backups");
    let daily = Daily { folder: folder.clone(), keep: KEEP, figures: DailyFigures::default() };
    daily.check(&app.services).unwrap();
    app.services.server.back_up_to(daily);
    assert_eq!(state(&mut admin).await.backups.count, 0);
    let work = done(&mut admin, Maintenance::BackUp).await;
    assert_eq!((work.what, work.error), (Maintenance::BackUp, None));
    let found = state(&mut admin).await.backups;
    assert_eq!((found.folder.as_deref(), found.count, found.keep), (folder.to_str(), 1, (7, 5, 12)));
    assert!(found.newest[0].files > 1 && found.newest[0].bytes > 0, "{found:?}");
    assert!(found.last.succeeded_at.is_some() && found.last.failed.is_none());
    assert!(!notices(&mut admin).await.iter().any(|notice| !matches!(notice, ServerNotice::DiskShort { .. })));

    // Two on the same day: the newer one is kept.
    done(&mut admin, Maintenance::BackUp).await;
    assert_eq!(state(&mut admin).await.backups.count, 1);

    // A failure is on the page and in the inbox, and leaves both with the next success.
    let held = services::backup::store::Store::create(&folder).unwrap();
    let work = done(&mut admin, Maintenance::BackUp).await;
    assert!(matches!(work.error, Some(AppError::Conflict(_))), "{work:?}");
    assert!(state(&mut admin).await.backups.last.failed.is_some());
    assert!(admin.get("/admin/inbox").await.body.contains("Another process writes"));
    drop(held);
    assert_eq!(done(&mut admin, Maintenance::BackUp).await.error, None);
    assert!(state(&mut admin).await.backups.last.failed.is_none());

    let log = admin.get(&format!("/admin/audit?action={}", Action::StorageBackUp.name())).await.body;
    assert_eq!(log.matches("Started a backup").count(), 5, "four entries, and the filter");
}

#[tokio::test]
async fn what_is_deleted_is_shown_before() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let killed = app.services.folder.join("uploads/incoming-killed");
    fs::create_dir_all(killed.parent().unwrap()).unwrap();
    fs::write(&killed, b"half").unwrap();
    let unused: Vec<Freed> = admin.rpc("unused_data", json!({"asked": true})).await.json();
    let uploads = Freed { what: Unused::UnfinishedUploads, count: 1, bytes: 4, skipped: None };
    assert!(unused.contains(&uploads), "{unused:?}");
    assert!(killed.exists());
    let page = admin.get("/admin/server?unused=1").await.body;
    assert!(page.contains("unfinished uploads") && page.contains("Delete unused data"), "{page}");
    let not_asked: Option<Vec<Freed>> = admin.rpc("unused_data", json!({"asked": false})).await.json();
    assert_eq!(not_asked, None);

    let work = done(&mut admin, Maintenance::Prune).await;
    assert!(work.error.is_none() && work.freed.contains(&uploads), "{work:?}");
    assert!(!killed.exists());
    assert!(admin.get("/admin/server?unused=1").await.body.contains("There is no unused data."));
}

#[tokio::test]
async fn the_check_says_when_the_database_was_intact() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let before = state(&mut admin).await;
    assert_eq!((before.database.succeeded_at, before.admins), (None, 1));
    assert!(before.disk.database > 0 && before.schema > 0, "{before:?}");
    assert!(!before.languages.is_empty(), "this machine runs the outputs");
    app.services.check_database(System).await.unwrap();
    let after = state(&mut admin).await.database;
    assert!(after.succeeded_at.is_some() && after.failed.is_none(), "{after:?}");
    let page = admin.get("/admin/server").await.body;
    assert!(page.contains("No damage found."), "{page}");
}

#[tokio::test]
async fn settings_are_listed_with_their_source() {
    let app = TestApp::demo().await;
    let setting = |name: &str, value: &str, source| Setting { name: name.into(), value: value.into(), source };
    app.services.server.configure(vec![
        setting("listen", "127.0.0.1:3000", Source::Default),
        setting("nats", "nats://server:…@n1:4222", Source::File { path: "/etc/aixgrade.toml".into(), line: 7 }),
    ]);
    let mut admin = app.admin().await;
    let page = admin.get("/admin/server").await.body;
    assert!(page.contains("/etc/aixgrade.toml, line 7") && page.contains("nats://server:…@n1:4222"), "{page}");
    assert!(page.contains("Settings with their default: 1"), "{page}");
    admin.form("/lang", &[("lang", "zh")]).await;
    assert!(admin.get("/admin/server").await.body.contains("/etc/aixgrade.toml 第 7 行"));
}
