//! Logging in and out, joining, passwords, and access to pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::{Arc, Mutex};

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    caller::{Admin, Caller, Capability, System},
    error::AppError,
    ids::{StudyId, SubmissionId},
    keys::Settings,
    lang::Lang,
    page::PageOf,
    plan::Reads,
    run::NewRun,
    study::StudyStatus,
    time_zone::TimeZone,
    user::{Joins, Me, Role},
};
use port::{Accounts, Plans as _, Runs as _, Studies as _};
use serde_json::json;
use services::accounts::Validity;
use texts::common;

use crate::util::TestApp;

#[tokio::test]
async fn session_survives_a_restart_and_ends_at_log_out() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    assert_eq!(ada.get("/").await.status, StatusCode::OK);

    // The same cookies at a new server over the same folder.
    let app = app.restarted();
    let mut moved = ada.moved_to(&app);
    assert_eq!(moved.get("/").await.status, StatusCode::OK);

    assert_eq!(moved.form("/log-out", &[]).await.location(), "/log-in");
    assert_eq!(moved.get("/").await.location(), "/log-in");
    // The old cookie is worthless, too.
    assert_eq!(ada.moved_to(&app).get("/").await.location(), "/log-in");
}

#[tokio::test]
async fn wrong_names_and_passwords_look_alike_and_are_slowed() {
    let app = TestApp::demo().await;
    for name in ["ada", "nobody-here"] {
        let mut client = app.anonymous();
        let mut answers = Vec::new();
        for _ in 0..6 {
            let answer = client.form("/log-in", &[("name", name), ("password", "wrong-password")]).await;
            answers.push(answer.location().split(['?', '&']).nth(1).unwrap().to_owned());
        }
        assert_eq!(answers[..5], ["error=wrong"; 5], "{name}");
        assert_eq!(answers[5], "error=slow", "{name}");
        // Slowed with the right password as well; otherwise guessing would go on.
        let right = [("name", "ADA"), ("password", "demo-password-ada")];
        if name == "ada" {
            let answer = app.anonymous().form("/log-in", &right).await;
            assert!(answer.location().starts_with("/log-in?error=slow&wait="), "{}", answer.location());
        }
    }
}

#[tokio::test]
async fn simultaneous_guesses_are_all_counted() {
    let app = TestApp::demo().await;
    let guesses = (0..30).map(|n| {
        let mut client = app.anonymous();
        async move {
            let password = format!("guess-number-{n}");
            let answer = client.form("/log-in", &[("name", "bo"), ("password", &password)]).await;
            answer.location().contains("error=wrong")
        }
    });
    let start = std::time::Instant::now();
    let heard = futures::future::join_all(guesses).await;
    // On a busy machine, the waits of 1, 2, 4 … seconds after the fifth failure may end while guesses still arrive.
    let seconds = start.elapsed().as_secs();
    let waits_over = (1..30).take_while(|n| 2_u64.pow(*n) - 1 <= seconds).count();
    let wrong = heard.iter().filter(|wrong| **wrong).count();
    assert!((5..=5 + waits_over).contains(&wrong), "{wrong} after {seconds} s: {heard:?}");
}

#[tokio::test]
async fn guesses_slow_unknown_browsers_only() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    ada.form("/log-out", &[]).await;
    // More guesses than an account as a whole may have, from as many networks as an attacker likes.
    for n in 0..60 {
        let mut guesser = app.anonymous().at(&format!("203.0.113.{n}"));
        guesser.form("/log-in", &[("name", "ada"), ("password", "wrong-password")]).await;
    }
    // Ada's browser gets in at once, from any network, and once more.
    let fields = [("name", "ada"), ("password", "demo-password-ada")];
    let mut ada = ada.at("198.51.100.7");
    let tokens = || {
        let query = "SELECT d.token_hash FROM known_devices d JOIN users u ON u.id = d.user_id WHERE u.name = 'ada'";
        let read = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        app.services.db.read_blocking(|c| Ok(c.prepare(query)?.query_map([], read)?.collect::<Result<Vec<_>, _>>()?))
    };
    let mut before = tokens().unwrap();
    for _ in 0..2 {
        assert_eq!(ada.form("/log-in", &fields).await.location(), "/");
        ada.form("/log-out", &[]).await;
        // Each login changes the browser's cookie, so an old copy is worthless.
        let after = tokens().unwrap();
        assert_eq!(after.len(), 1);
        assert_ne!(after, before);
        before = after;
    }
    // A password reset makes every browser unknown.
    app.services.accounts.reset_password(System, "ada", "another-password", Validity::Lasting).await.unwrap();
    assert!(tokens().unwrap().is_empty());
}

#[tokio::test]
async fn guesses_do_not_block_password_changes() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    for _ in 0..8 {
        app.anonymous().form("/log-in", &[("name", "ada"), ("password", "wrong-password")]).await;
    }
    let fields = [("current", "demo-password-ada"), ("new", "a-better-password")];
    assert_eq!(ada.form("/account/password", &fields).await.location(), "/account?done=password");
}

#[tokio::test]
async fn a_long_name_is_neither_stored_nor_repeated() {
    let app = TestApp::demo().await;
    // A body that is larger than every form of somebody without an account is refused.
    let huge = "a".repeat(500_000);
    let answer = app.anonymous().form("/log-in", &[("name", &huge), ("password", "x")]).await;
    assert!(answer.status.is_client_error(), "{}", answer.status);
    let long = "a".repeat(7_500);
    let answer = app.anonymous().form("/log-in", &[("name", &long), ("password", "x"), ("next", &long)]).await;
    assert_eq!(answer.location(), "/log-in?error=wrong");
    let secret = app.services.accounts.invite(&System.admin(), "dora", Role::Rater, 7, Joins::default()).await.unwrap();
    let fields = [("name", long.as_str()), ("password", "long-enough-password")];
    let answer = app.anonymous().form(&format!("/join/{secret}"), &fields).await;
    assert_eq!(answer.location(), format!("/join/{}?error=name", secret.replace('-', "%2D").replace('_', "%5F")));
    assert_eq!(app.anonymous().get(&format!("/admin?x={}", "a".repeat(9000))).await.location(), "/log-in");
    // The row of a long name has a fixed size and does not contain the name.
    for name in ["short", &"n".repeat(40), &"x".repeat(41)] {
        app.anonymous().form("/log-in", &[("name", name), ("password", "x")]).await;
    }
    let subjects: Vec<String> = app
        .services
        .db
        .read_blocking(|conn| {
            let mut statement = conn.prepare("SELECT subject FROM login_failures")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .unwrap();
    // Two names with an account and a network pair each, and one network.
    assert_eq!(subjects.len(), 5);
    assert!(subjects.iter().all(|subject| subject.len() == 64 && !subject.contains("short")), "{subjects:?}");
}

/// Everything that the process logs, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn logs_contain_no_secret() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let app = TestApp::demo().await;
    let invitation =
        app.services.accounts.invite(&System.admin(), "dora", Role::Rater, 7, Joins::default()).await.unwrap();
    let token = app.token(&[Scope::Read]).await;
    let mut dora = app.anonymous();
    dora.get(&format!("/join/{invitation}?error=name")).await;
    dora.form(&format!("/join/{invitation}"), &[("name", "dora"), ("password", "a-secret-password")]).await;
    dora.get("/").await;
    dora.get("/public/made-up-secret/tasks/1").await;
    dora.rpc("open_public_study", json!({"secret": "made-up-secret"})).await;
    dora.get("/reset/made-up-reset-link").await;
    dora.form("/reset/made-up-reset-link", &[("password", "another-secret-password")]).await;
    app.anonymous().api(&token, Method::GET, "/api/v1/me", None).await;
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    for route in ["/join/{secret}", "/reset/{secret}", "/public/{secret}/tasks/{task}", "/api/v1/me"] {
        assert!(logged.contains(route), "{route} is not logged: {logged}");
    }
    let cookies = dora.cookies().iter().map(|(_, value)| value.as_str());
    let passwords = ["a-secret-password", "another-secret-password"];
    let links = [invitation.as_str(), "made-up-secret", "made-up-reset-link", &token];
    for secret in passwords.into_iter().chain(links).chain(cookies) {
        assert!(!logged.contains(secret), "{secret} is logged");
    }
}

#[tokio::test]
async fn session_ids_are_not_stored() {
    let app = TestApp::demo().await;
    let ada = app.rater().await;
    let rows: Vec<String> = app
        .services
        .db
        .read_blocking(|conn| {
            let mut statement = conn.prepare("SELECT id || data FROM sessions")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .unwrap();
    assert!(!rows.is_empty());
    for (name, value) in ada.cookies() {
        assert!(rows.iter().all(|row| !row.contains(value.as_str())), "{name} is stored");
    }
}

#[tokio::test]
async fn invitation_creates_one_account() {
    let app = TestApp::demo().await;
    let secret = app.services.accounts.invite(&System.admin(), "dora", Role::Rater, 7, Joins::default()).await.unwrap();
    let path = format!("/join/{secret}");
    let mut dora = app.anonymous();
    assert_eq!(dora.get(&path).await.status, StatusCode::OK);
    let check = |answer: &str, error: &str| assert!(answer.contains(&format!("error={error}")), "{answer}");
    let fields = |name, password| [("name", name), ("password", password)];
    check(dora.form(&path, &fields("ada", "long-enough-password")).await.location(), "taken");
    check(dora.form(&path, &fields("dora", "short")).await.location(), "password");
    check(dora.form(&path, &fields("d o", "long-enough-password")).await.location(), "name");
    assert_eq!(dora.form(&path, &fields("dora", "long-enough-password")).await.location(), "/");
    assert_eq!(dora.get("/").await.status, StatusCode::OK);
    check(app.anonymous().form(&path, &fields("eve", "long-enough-password")).await.location(), "gone");
    let wrong = app.anonymous().form("/join/made-up", &fields("eve", "long-enough-password")).await;
    check(wrong.location(), "gone");
}

#[tokio::test]
async fn an_invitation_allows_some_attempts_before_it_waits() {
    let app = TestApp::demo().await;
    let secret = app.services.accounts.invite(&System.admin(), "dora", Role::Rater, 7, Joins::default()).await.unwrap();
    let path = format!("/join/{secret}");
    let fields = |name| [("name", name), ("password", "long-enough-password")];
    let mut browser = app.anonymous();
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(browser.form(&path, &fields("ada")).await.status);
    }
    assert_eq!((statuses[0], statuses[39]), (StatusCode::SEE_OTHER, StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
    // The wait is for the link, not for the person of that name.
    assert_eq!(app.rater().await.get("/my-studies").await.status, StatusCode::OK);
}

#[tokio::test]
async fn people_join_the_study_of_their_invitation() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let (accounts, studies) = (&app.services.accounts, &app.services.studies);
    let study = studies.list(&admin, PageOf::first(1)).await.unwrap().rows.remove(0);
    let joins = Joins { group: None, study: Some(study.id) };
    let unknown = Joins { study: Some(StudyId(999)), ..Joins::default() };
    assert!(accounts.invite(&admin, "dora", Role::Rater, 7, unknown).await.is_err());
    let (dora, late) = (
        accounts.invite(&admin, "dora", Role::Rater, 7, joins).await.unwrap(),
        accounts.invite(&admin, "late", Role::Rater, 7, joins).await.unwrap(),
    );
    let listed = accounts.invitations(&admin, PageOf::first(1)).await.unwrap().rows.remove(0);
    assert_eq!(listed.study.map(|study| study.title), Some(study.title.clone()));
    let mut browser = app.anonymous();
    assert!(browser.get(&format!("/join/{dora}")).await.body.contains(&study.title), "the page names the study");
    let fields = [("name", "dora"), ("password", "long-enough-password"), ("zone", "Asia/Kathmandu")];
    assert_eq!(browser.form(&format!("/join/{dora}"), &fields).await.location(), "/");
    let home = browser.get("/my-studies").await.body;
    assert!(home.contains(&study.title), "{home}");
    assert!(browser.get("/account").await.body.contains(r#"<option value="Asia/Kathmandu" selected>"#));
    let raters = app.services.plans.get(&admin, study.id).await.unwrap().raters;
    assert!(raters.iter().any(|rater| rater.name == "dora"));

    // A study that is closed meanwhile does not prevent the account.
    studies.set_status(&admin, study.id, StudyStatus::Closed).await.unwrap();
    assert!(accounts.invite(&admin, "eve", Role::Rater, 7, joins).await.is_err());
    let mut browser = app.anonymous();
    let fields = [("name", "late"), ("password", "long-enough-password"), ("zone", "Middle-earth/Shire")];
    assert_eq!(browser.form(&format!("/join/{late}"), &fields).await.location(), "/");
    let plan = app.services.plans.get(&admin, study.id).await.unwrap();
    assert!(plan.raters.iter().all(|rater| rater.name != "late"));
}

#[tokio::test]
async fn a_changed_password_ends_the_other_sessions() {
    let app = TestApp::demo().await;
    let (mut here, mut there) = (app.rater().await, app.rater().await);
    let fields = [("current", "wrong-password"), ("new", "a-better-password")];
    assert_eq!(here.form("/account/password", &fields).await.location(), "/account?error=current");
    let fields = [("current", "demo-password-ada"), ("new", "a-better-password")];
    assert_eq!(here.form("/account/password", &fields).await.location(), "/account?done=password");
    assert_eq!(here.get("/").await.status, StatusCode::OK);
    assert_eq!(there.get("/").await.location(), "/log-in");
}

#[tokio::test]
async fn deactivation_is_immediate_and_admins_cannot_deactivate_themselves() {
    let app = TestApp::demo().await;
    let (mut ada, mut admin) = (app.rater().await, app.admin().await);
    let users = app.services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let id = |name: &str| users.iter().find(|u| u.name == name).unwrap().id.to_string();
    let set = |user: String| [("user", user), ("disabled", "true".to_owned())];
    let fields = set(id("ada"));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    admin.form("/rpc/set_disabled", &fields).await;
    assert_eq!(ada.get("/").await.location(), "/log-in");
    let me = Me {
        id: id("admin").parse().unwrap(),
        name: "admin".into(),
        role: Role::Admin,
        lang: Lang::En,
        settings: Settings::default(),
    };
    let own = me.id;
    let themselves = Admin::of(&Caller::User(me)).unwrap();
    assert!(app.services.accounts.set_disabled(&themselves, own, true).await.is_err());
    assert_eq!(admin.get("/admin").await.status, StatusCode::OK);
}

#[tokio::test]
async fn roles_change_at_once_and_an_admin_remains() {
    let app = TestApp::demo().await;
    let (mut ada, mut admin) = (app.rater().await, app.admin().await);
    let accounts = &app.services.accounts;
    let row = async |name: &str| {
        let users = accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
        users.into_iter().find(|user| user.name == name).unwrap()
    };
    let (ada_id, admin_id) = (row("ada").await.id.to_string(), row("admin").await.id.to_string());
    assert_eq!(ada.get("/admin").await.status, StatusCode::FORBIDDEN);
    assert_eq!(row("bo").await.seen_at, None);
    assert!(row("ada").await.seen_at.is_some());

    // Nobody changes their own role.
    admin.form("/rpc/set_role", &[("user", &admin_id), ("role", "rater")]).await;
    assert_eq!(row("admin").await.role, Role::Admin);
    admin.form("/rpc/set_role", &[("user", &ada_id), ("role", "admin")]).await;
    // The session goes on, as an admin's.
    assert_eq!(ada.get("/admin").await.status, StatusCode::OK);
    // An admin who becomes a rater is logged out, and their token refused.
    let token = app.token(&Scope::ALL).await;
    assert_eq!(app.anonymous().api(&token, Method::GET, "/api/v1/people", None).await.status, StatusCode::OK);
    ada.form("/rpc/set_role", &[("user", &admin_id), ("role", "rater")]).await;
    assert_eq!(admin.get("/").await.location(), "/log-in");
    assert_eq!(app.anonymous().api(&token, Method::GET, "/api/v1/people", None).await.status, StatusCode::UNAUTHORIZED);
    // The last one stays, also for the command line.
    let refused = accounts.set_role(&System.admin(), row("ada").await.id, Role::Rater).await.unwrap_err();
    assert!(matches!(refused, AppError::Conflict(_)), "{refused:?}");
    assert_eq!(row("ada").await.role, Role::Admin);
}

#[tokio::test]
async fn a_reset_link_sets_one_password_and_ends_sessions() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let accounts = &app.services.accounts;
    let users = accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let ada_id = users.iter().find(|user| user.name == "ada").unwrap().id;
    let (mut ada, mut browser) = (app.rater().await, app.admin().await);
    let path: String = {
        let fields = [("user", ada_id.to_string())];
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = browser.form("/rpc/create_reset", &fields).await;
        let link = answer.location().split_once("link=").unwrap_or_else(|| panic!("{}", answer.location())).1;
        link.replace("%2F", "/")
    };
    assert!(path.starts_with("/reset/"), "{path}");
    let mut anybody = app.anonymous();
    assert!(anybody.get(&path).await.body.contains("the account ada"));
    // A bad password keeps the link.
    let short = anybody.form(&path, &[("password", "short")]).await;
    assert!(short.location().ends_with("?error=password"), "{}", short.location());
    assert_eq!(ada.get("/my-studies").await.status, StatusCode::OK);
    let done = anybody.form(&path, &[("password", "a-new-long-password")]).await;
    assert_eq!(done.location(), "/");
    assert_eq!(anybody.get("/my-studies").await.status, StatusCode::OK, "logged in");
    assert!(ada.get("/my-studies").await.location().starts_with("/log-in"), "the old session has ended");
    // It works once.
    let mut other = app.anonymous();
    assert_eq!(other.get(&path).await.status, StatusCode::NOT_FOUND);
    let again = other.form(&path, &[("password", "another-long-password")]).await;
    assert_eq!(other.get(again.location()).await.status, StatusCode::NOT_FOUND);
    let with = |password: &'static str| [("name", "ada"), ("password", password)];
    assert_eq!(app.anonymous().form("/log-in", &with("a-new-long-password")).await.location(), "/");
    assert!(app.anonymous().form("/log-in", &with("demo-password-ada")).await.location().contains("error=wrong"));

    // A newer link replaces the earlier one; a changed password and a deactivation end it, and so does time.
    let is_open = async |secret: &str| accounts.reset_name(secret).await.is_ok();
    let first = accounts.create_reset(&admin, ada_id).await.unwrap();
    let second = accounts.create_reset(&admin, ada_id).await.unwrap();
    assert!(!is_open(&first).await && is_open(&second).await);
    accounts.reset_password(System, "ada", "set-by-the-operator", Validity::Lasting).await.unwrap();
    assert!(!is_open(&second).await);
    let third = accounts.create_reset(&admin, ada_id).await.unwrap();
    app.services.db.write_blocking(|tx| Ok(tx.execute("UPDATE password_resets SET expires_at = 1", [])?)).unwrap();
    assert!(!is_open(&third).await);
    let fourth = accounts.create_reset(&admin, ada_id).await.unwrap();
    accounts.set_disabled(&admin, ada_id, true).await.unwrap();
    assert!(!is_open(&fourth).await);
    assert!(accounts.create_reset(&admin, ada_id).await.is_err(), "the account cannot log in");
}

#[tokio::test]
async fn many_people_are_invited_or_none() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let accounts = &app.services.accounts;
    let count = async || accounts.invitations(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows.len();
    let wrong = format!("Ann\n\nBob, boss\nAnn\n{}\nEve,admin", "x".repeat(101));
    let refused =
        accounts.invite_many(&admin, &wrong, Role::Rater, 7, Joins::default(), false).await.unwrap_err().to_string();
    for line in ["line 3: the text after the comma is not a role", "line 4: \"Ann\" occurs twice", "line 5: the name"] {
        assert!(refused.contains(line), "{refused}");
    }
    assert!(accounts.invite_many(&admin, " \n", Role::Rater, 7, Joins::default(), false).await.is_err());
    assert!(accounts.invite_many(&admin, "Ann", Role::Rater, 91, Joins::default(), false).await.is_err());
    assert_eq!(count().await, 0, "nothing was created");

    let made = accounts
        .invite_many(&admin, "Ann Lee\r\n王芳\nEve , admin", Role::Rater, 7, Joins::default(), false)
        .await
        .unwrap();
    let people: Vec<_> = made.iter().map(|one| (one.label.as_str(), one.role)).collect();
    assert_eq!(people, [("Ann Lee", Role::Rater), ("王芳", Role::Rater), ("Eve", Role::Admin)]);
    assert_eq!(count().await, 3);
    let secret = made[2].path.strip_prefix("/join/").unwrap();
    let zone = TimeZone::of("Asia/Shanghai").unwrap();
    let eve = accounts.join(secret, "eve", "a-long-enough-password", "zh".parse().unwrap(), zone).await.unwrap().me;
    assert_eq!((eve.role, eve.settings.display.zone), (Role::Admin, zone));
    let users = accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let reads = users.iter().find(|user| user.name == "eve").map(|user| user.reads.code());
    assert_eq!(reads, Some("zh"), "the language that the person reads");
    assert!(
        accounts.join(secret, "eve2", "a-long-enough-password", Reads::BOTH, zone).await.is_err(),
        "each link works once"
    );
}

#[tokio::test]
async fn people_show_what_a_deactivation_leaves() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let row = async |name: &str| {
        let rows = app.services.accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
        rows.into_iter().find(|user| user.name == name).unwrap()
    };
    let ada = row("ada").await;
    assert!(ada.open_ratings > 0 && (ada.open_studies, ada.alone_in) == (1, 0), "{ada:?}");
    assert_eq!((row("admin").await.open_ratings, row("admin").await.open_studies), (0, 0));
    for name in ["bo", "chen"] {
        app.services.accounts.set_disabled(&admin, row(name).await.id, true).await.unwrap();
    }
    assert_eq!(row("ada").await.alone_in, 1, "nobody else is active");
    let page = app.admin().await.get("/admin/people").await.body;
    assert!(page.contains("1 of the studies has no other rater"), "{page}");
}

/// The target of the first link that names `key` in its query.
fn link(body: &str, key: &str) -> Option<String> {
    let hrefs = body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    hrefs.map(|href| href.replace("&amp;", "&")).find(|href| href.starts_with('?') && href.contains(key))
}

#[tokio::test]
async fn long_list_is_read_page_by_page_on_screen_and_in_the_api() {
    let app = TestApp::demo().await;
    let all: Vec<String> = (0..120).map(|n| format!("rater-{n:03}")).collect();
    app.services
        .db
        .write_blocking(|tx| {
            let insert = "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, 'rater', '', 0)";
            all.iter().try_for_each(|name| Ok(tx.execute(insert, [name]).map(drop)?))
        })
        .unwrap();
    let mut admin = app.admin().await;
    let on = |body: &str| all.iter().filter(|name| body.contains(&format!(">{name}<"))).cloned().collect::<Vec<_>>();
    // Plain links, as a browser without JavaScript follows them.
    let (mut pages, mut address) = (Vec::new(), "/admin/people".to_owned());
    loop {
        let body = admin.get(&address).await.body;
        let next = link(&body, "after=");
        pages.push(body);
        let Some(query) = next else { break };
        address = format!("/admin/people{query}");
    }
    assert_eq!(pages.len(), 3);
    assert_eq!(pages.iter().flat_map(|body| on(body)).collect::<Vec<_>>(), all);
    assert!(link(&pages[0], "before=").is_none());
    let back = link(&pages[2], "before=").unwrap();
    assert_eq!(on(&admin.get(&format!("/admin/people{back}")).await.body), on(&pages[1]));
    // The API's cursor reads the same list.
    let token = app.token(&[Scope::Admin]).await;
    let (mut found, mut next) = (Vec::new(), Some("/api/v1/people?limit=50".to_owned()));
    while let Some(path) = next {
        let page: serde_json::Value = app.anonymous().api(&token, Method::GET, &path, None).await.json();
        found.extend(page["items"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()));
        next = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(found.len(), 120 + 4);
    assert_eq!(found.into_iter().filter(|name| all.contains(name)).collect::<Vec<_>>(), all);
}

#[tokio::test]
async fn pages_open_by_role() {
    let app = TestApp::demo().await;
    let (mut nobody, mut ada, mut admin) = (app.anonymous(), app.rater().await, app.admin().await);
    let pages =
        ["/admin", "/admin/datasets", "/admin/submissions", "/admin/studies", "/admin/studies/1", "/admin/people"];
    for page in pages {
        let to = nobody.get(page).await;
        assert!(to.location().starts_with("/log-in?next="), "{page}: {}", to.location());
        assert_eq!(ada.get(page).await.status, StatusCode::FORBIDDEN, "{page}");
        assert_eq!(admin.get(page).await.status, StatusCode::OK, "{page}");
    }
    for function in ["datasets", "studies", "people"] {
        assert_eq!(nobody.rpc(function, json!({})).await.status, StatusCode::UNAUTHORIZED, "{function}");
        assert_eq!(ada.rpc(function, json!({})).await.status, StatusCode::FORBIDDEN, "{function}");
        assert_eq!(admin.rpc(function, json!({})).await.status, StatusCode::OK, "{function}");
    }
    assert_eq!(admin.rpc("study", json!({"id": 4711})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(admin.rpc("study", json!({"id": "x"})).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(admin.get("/no/such/page").await.status, StatusCode::NOT_FOUND);
    assert_eq!(admin.get("/admin/studies/4711").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn forbidden_page_explains_itself_in_the_raters_language() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    for (lang, title) in [("en", common::EN.forbidden), ("zh", common::ZH.forbidden)] {
        ada.form("/lang", &[("lang", lang)]).await;
        let page = ada.get("/admin/people").await;
        assert_eq!(page.status, StatusCode::FORBIDDEN);
        assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
        for part in [title, "<header", "href=\"/\"", "action=\"/log-out\"", &format!("lang=\"{lang}")] {
            assert!(page.body.contains(part), "{part} is missing: {}", page.body);
        }
        assert!(page.headers.contains_key("content-security-policy"));
    }
    // A script that requests a file gets a line of text.
    let line = ada.send(Method::GET, "/admin/studies/1/ratings.csv", &[("accept", "text/csv")], String::new()).await;
    assert_eq!((line.status, line.body.lines().count()), (StatusCode::FORBIDDEN, 1));
}

#[tokio::test]
async fn unsuitable_actions_are_not_offered() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let (run, study) = ("action=\"/rpc/start_run\"", "/admin/studies/new?dataset=starter");
    let offered = |page: &str| (page.contains(run), page.contains(study));
    assert_eq!(offered(&admin.get("/admin/submissions/1").await.body), (true, true));
    let set = |change: &'static str| {
        let set = format!("UPDATE task_revisions SET {change}");
        app.services.db.write_blocking(|tx| Ok(tx.execute(&set, [])?)).unwrap();
    };
    set("tests = 0");
    assert_eq!(offered(&admin.get("/admin/submissions/1").await.body), (false, true));
    let refused = app.services.runs.start(&System.admin(), NewRun::of(SubmissionId(1))).await.unwrap_err().to_string();
    assert_eq!(refused, "None of the tasks of submission 1 (dataset starter) has tests, so there is nothing to run.");
    set("human = 0");
    assert_eq!(offered(&admin.get("/admin/submissions/1").await.body), (false, false));
}

#[tokio::test]
async fn cross_site_requests_change_nothing_and_headers_are_strict() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let headers = [("sec-fetch-site", "cross-site"), ("content-type", "application/x-www-form-urlencoded")];
    let answer = ada.send(Method::POST, "/log-out", &headers, String::new()).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let page = ada.get("/").await;
    assert_eq!(page.status, StatusCode::OK, "still logged in");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    assert!(!nonce.is_empty() && !policy.contains("unsafe-inline"));
    // Every script has the nonce.
    for script in page.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap();
        assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{tag}");
    }
    let again = ada.get("/").await;
    assert_ne!(again.headers["content-security-policy"], page.headers["content-security-policy"]);
    let answer = app.anonymous().form("/log-in", &[("name", "ada"), ("password", "demo-password-ada")]).await;
    let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().map(|c| c.to_str().unwrap()).collect();
    assert_eq!(cookies.len(), 2, "{cookies:?}");
    for (cookie, site) in cookies.iter().zip(["Strict", "Lax"]) {
        assert!(cookie.contains("HttpOnly") && cookie.contains(&format!("SameSite={site}")), "{cookie}");
    }
}

#[tokio::test]
async fn tls_binds_cookies_to_the_host_and_sends_hsts() {
    let app = TestApp::demo().await;
    assert!(!app.anonymous().get("/log-in").await.headers.contains_key("strict-transport-security"));
    let app = app.public_at("https://grade.example.org");
    let mut ada = app.rater().await;
    let page = ada.get("/").await;
    assert_eq!(page.headers["strict-transport-security"], "max-age=31536000");
    assert_eq!(page.status, StatusCode::OK);
    let names: Vec<_> = ada.cookies().iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.iter().all(|name| name.starts_with("__Host-aixgrade")) && names.len() == 2, "{names:?}");
}

#[tokio::test]
async fn log_in_redirects_only_to_own_pages() {
    let app = TestApp::demo().await;
    for (next, to) in [("/account", "/account"), ("https://elsewhere.example", "/"), ("//elsewhere.example", "/")] {
        let fields = [("name", "ada"), ("password", "demo-password-ada"), ("next", next)];
        assert_eq!(app.anonymous().form("/log-in", &fields).await.location(), to);
    }
}

#[tokio::test]
async fn a_password_set_by_someone_else_is_changed_first() {
    let app = TestApp::demo().await;
    let accounts = &app.services.accounts;
    accounts.add(System, "eve", Role::Admin, "set-by-the-operator", Validity::OneTime).await.unwrap();
    let new = model::api::NewToken { label: "t".into(), scopes: vec![Scope::Read], days: 1 };
    let token = app.services.tokens.create_for(System, "eve", new).await.unwrap().secret;
    let mut eve = app.anonymous();
    let fields = [("name", "eve"), ("password", "set-by-the-operator"), ("next", "/admin/people")];
    assert_eq!(eve.form("/log-in", &fields).await.location(), "/admin/people");
    // Every page leads to one; everything else is refused.
    for path in ["/admin/people", "/account", "/admin/audit.csv", "/log-in-nowhere"] {
        let to = eve.get(path).await;
        assert!(to.location().starts_with("/new-password?next="), "{path}: {}", to.location());
    }
    assert_eq!(eve.get("/").await.location(), "/new-password");
    assert_eq!(eve.rpc("people", json!({})).await.status, StatusCode::FORBIDDEN);
    assert_eq!(eve.rpc("who", json!({})).await.status, StatusCode::FORBIDDEN);
    let password = [("current", "set-by-the-operator"), ("new", "a-better-password")];
    assert!(eve.form("/account/password", &password).await.location().starts_with("/log-in"));
    eve.form("/rpc/set_role", &[("user", "2"), ("role", "admin")]).await;
    let role = accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    assert!(role.iter().any(|user| user.id.0 == 2 && user.role == Role::Rater), "{role:?}");
    // Programs are not asked.
    assert_eq!(app.anonymous().api(&token, Method::GET, "/api/v1/studies", None).await.status, StatusCode::OK);

    let page = eve.get("/new-password?next=/admin/people").await;
    assert!(page.status.is_success() && page.body.contains("action=\"/new-password\""), "{}", page.body);
    assert!(!page.body.contains("href=\"/admin/studies\""), "no navigation");
    assert_eq!(eve.form("/lang", &[("lang", "zh"), ("next", "/new-password")]).await.location(), "/new-password");
    assert!(eve.get("/new-password").await.body.contains("设置新密码"));
    for (new, error) in [("short", "password"), ("set-by-the-operator", "same")] {
        let again = eve.form("/new-password", &[("new", new), ("next", "/admin/people")]).await;
        assert_eq!(again.location(), format!("/new-password?error={error}&next=%2Fadmin%2Fpeople"));
    }
    let mut stale = eve.clone();
    let done = eve.form("/new-password", &[("new", "a-better-password"), ("next", "/admin/people")]).await;
    assert_eq!(done.location(), "/admin/people");
    assert_eq!(eve.get("/admin/people").await.status, StatusCode::OK);
    // Other sessions have ended, and the page is gone.
    assert_eq!(stale.get("/").await.location(), "/log-in");
    assert_eq!(eve.get("/new-password").await.location(), "/");
    let again = eve.form("/new-password", &[("new", "another-password")]).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    let log = eve.get("/admin/audit.csv").await.body;
    assert!(log.contains("at_first_login"), "{log}");

    // The one-time password of the first start, and a password reset.
    accounts.reset_password(System, "ada", "set-by-the-operator", Validity::OneTime).await.unwrap();
    let mut ada = app.anonymous();
    ada.form("/log-in", &[("name", "ada"), ("password", "set-by-the-operator")]).await;
    assert_eq!(ada.get("/").await.location(), "/new-password");
    assert_eq!(ada.form("/log-out", &[]).await.location(), "/log-in");
    let empty = TestApp::empty().await;
    let (name, printed) = empty.services.accounts.first_admin().await.unwrap().unwrap();
    let mut first = empty.anonymous();
    first.form("/log-in", &[("name", &name), ("password", &printed)]).await;
    assert_eq!(first.get("/").await.location(), "/new-password");
}
