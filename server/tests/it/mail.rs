//! Email with an SMTP server on this machine: the queue, verification, notices, invitations, and the links that end email.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::time::Duration;

use axum::http::{Method, StatusCode};
use clients::mail::{MailServer, Outgoing, Tls};
use model::{
    api::Scope,
    caller::{Admin, System},
    day::Day,
    fault::{MailFault, MailStep},
    grading::{Draft, GradingItem, MyStudy, Next},
    ids::{StudyId, Token},
    lang::Lang,
    mail::{MailQueue, MailState},
    page::PageOf,
    quality::QualitySettings,
    server::ServerState,
    study::StudyStatus,
    time::{DAY_MS, Timestamp},
    user::{Joins, Role},
};
use port::{Accounts, Studies, quality::Quality as _};
use prerequisites::PATIENCE;
use rusqlite::Connection;
use serde_json::{Value, json};
use services::Services;
use texts::faults::mail_fault;

use crate::util::{
    Client, TestApp, change_to,
    smtp::{ENDLESS, Smtp},
};

const OPERATOR: Admin = System.admin();
const STUDY: StudyId = StudyId(1);
const HOUR_MS: i64 = 60 * 60 * 1000;
/// Words that no message to a rater may contain.
const MODELS: [&str; 3] = ["northwind", "quillmoor", "saltmarsh"];

/// A demo that sends email.
async fn set_up(smtp: &Smtp) -> TestApp {
    let app = TestApp::demo().await;
    turn_on(&app, smtp.client(|_| ()));
    app
}

fn turn_on(app: &TestApp, server: MailServer) {
    app.services.mail.configure(server, "https://grade.example.org/");
}

async fn sql(services: &Services, statement: &'static str) -> usize {
    services.db.write(move |tx| Ok(tx.execute(statement, [])?)).await.unwrap()
}

async fn count(services: &Services, query: &'static str) -> i64 {
    services.db.read(move |conn: &Connection| Ok(conn.query_row(query, [], |row| row.get(0))?)).await.unwrap()
}

/// Makes all waiting messages due, without waiting.
async fn later(services: &Services) {
    sql(services, "UPDATE mail_outbox SET next_at = 0 WHERE state = 'waiting'").await;
}

/// Gives an account a verified address, and notices about due dates.
async fn verified(app: &TestApp, smtp: &Smtp, name: &str) -> Client {
    let mut client = app.demo_user(name).await;
    let address = format!("{name}@example.org");
    let saved = client.form("/account/email", &[("address", &address), ("due", "true")]).await;
    assert_eq!(saved.location(), "/account/email?mail=sent");
    app.services.mail.deliver_due().await.unwrap();
    let link = smtp.take().pop().unwrap().link("/mail/");
    assert!(client.form(&link, &[]).await.location().ends_with("?done=verified"));
    client
}

async fn queue(admin: &mut Client) -> MailQueue {
    admin.rpc("server_state", json!({})).await.json::<ServerState>().mail.unwrap()
}

async fn rate(client: &mut Client, item: &GradingItem) {
    let draft = Draft { scores: vec![Some(2); item.rubric.dimensions.len()], ..Draft::default() };
    let sent = json!({ "assignment": item.token, "draft": draft, "key": "k" });
    assert_eq!(client.rpc("submit_rating", sent).await.status, StatusCode::OK);
}

async fn set_due(app: &TestApp, due: &str) {
    let settings = QualitySettings { due: Some(due.parse().unwrap()), ..QualitySettings::default() };
    app.services.quality.set(&OPERATOR, STUDY, change_to(&settings)).await.unwrap();
}

/// A time in UTC.
fn at(day: &str, hour: i64) -> Timestamp {
    let day: Day = day.parse().unwrap();
    Timestamp(day.number() * DAY_MS + hour * HOUR_MS)
}

#[tokio::test]
async fn nothing_is_asked_or_sent_without_an_smtp_server() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let page = ada.get("/account").await.body;
    assert!(!page.contains("Email notices") && !page.contains("/account/email"), "{page}");
    assert_eq!(ada.get("/account/email").await.status, StatusCode::NOT_FOUND);
    let saved = ada.form("/account/email", &[("address", "ada@example.org"), ("due", "true")]).await;
    assert_eq!(saved.location(), "/account/email?mail=refused");
    let refused =
        app.services.accounts.invite_by_mail(&OPERATOR, "a@b.example", Role::Rater, 7, Joins::default()).await;
    assert!(refused.unwrap_err().to_string().contains("--smtp-server"));
    set_due(&app, "2026-12-02").await;
    assert_eq!(app.services.write_notices(System, at("2026-12-01", 9)).await.unwrap(), 0);
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    let mut admin = app.admin().await;
    assert!(!admin.get("/admin/server").await.body.contains("Send a test message to"));
    assert!(!admin.get("/admin/people").await.body.contains("by email; the label"));
    assert_eq!(admin.rpc("test_mail", json!({"address": "a@b.example"})).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_outbox").await, 0);
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_addresses").await, 0);
}

#[tokio::test]
async fn an_address_is_verified_by_a_link_that_ends() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = app.rater().await;
    assert!(ada.get("/account").await.body.contains("Email notices"));
    assert!(!ada.get("/account/email").await.body.contains("Digest of what waits"));
    for wrong in ["ada", "ada@example.org\r\nBcc: eve@example.org", "a@b@c", "Ada <ada@example.org>"] {
        let refused = ada.form("/account/email", &[("address", wrong), ("due", "true")]).await;
        assert_eq!(refused.location(), "/account/email?mail=bad", "{wrong}");
    }
    ada.form("/account/email", &[("address", "ada@example.org"), ("due", "true")]).await;
    assert!(ada.get("/account/email").await.body.contains("ada@example.org is not verified"));
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    let message = smtp.take().pop().unwrap();
    assert_eq!((message.from.as_str(), message.to.as_str()), ("aixgrade@example.org", "ada@example.org"));
    assert_eq!(message.header("From"), "AixGrade <aixgrade@example.org>");
    assert_eq!(message.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert!(message.text().contains("account ada at https://grade.example.org"), "{}", message.text());
    let link = message.link("/mail/");
    // Nobody has to log in, and opening the page changes nothing.
    let mut anybody = app.anonymous();
    assert!(anybody.get(&link).await.body.contains("Verify address"));
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_addresses WHERE verified_at IS NOT NULL").await, 0);
    let done = anybody.form(&link, &[]).await.location().to_owned();
    assert!(anybody.get(&done).await.body.contains("Your email address is verified"));
    assert!(ada.get("/account/email").await.body.contains("Messages are sent to ada@example.org."));
    assert_eq!(anybody.get(&link).await.status, StatusCode::NOT_FOUND);
    // Another address begins again, and its link ends.
    ada.form("/account/email", &[("address", "other@example.org"), ("due", "true")]).await;
    app.services.mail.deliver_due().await.unwrap();
    let link = smtp.take().pop().unwrap().link("/mail/");
    sql(&app.services, "UPDATE mail_addresses SET expires_at = 1").await;
    assert_eq!(anybody.get(&link).await.status, StatusCode::NOT_FOUND);
    anybody.form(&link, &[]).await;
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_addresses WHERE verified_at IS NOT NULL").await, 0);
    // Without an address, nothing is stored.
    assert_eq!(ada.form("/account/email", &[("address", " ")]).await.location(), "/account/email?mail=removed");
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_addresses").await, 0);
}

#[tokio::test]
async fn nobody_can_have_many_messages_sent_to_strangers() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = app.rater().await;
    for n in 0..5 {
        let saved = ada.form("/account/email", &[("address", &format!("stranger-{n}@example.org"))]).await;
        assert_eq!(saved.location(), "/account/email?mail=sent");
    }
    let slow = ada.form("/account/email", &[("address", "stranger-6@example.org")]).await;
    assert_eq!(slow.location(), "/account/email?mail=slow");
    // Only the newest address is still hers.
    app.services.mail.deliver_due().await.unwrap();
    assert_eq!(smtp.take().iter().map(|one| one.to.as_str()).collect::<Vec<_>>(), ["stranger-4@example.org"]);
    // Nor by removing each address: what is withdrawn counts, and its number is not used for another message, which a late
    // result of the attempt would change.
    sql(&app.services, "UPDATE mail_outbox SET created_at = created_at - 3600001").await;
    for n in 0..5 {
        let saved = ada.form("/account/email", &[("address", &format!("other-{n}@example.org"))]).await;
        assert_eq!(saved.location(), "/account/email?mail=sent");
        ada.form("/account/email", &[("address", "")]).await;
    }
    let slow = ada.form("/account/email", &[("address", "other-5@example.org")]).await;
    assert_eq!(slow.location(), "/account/email?mail=slow");
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_outbox WHERE address LIKE 'other-%'").await, 5);
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_outbox WHERE body <> '' OR state = 'waiting'").await, 0);
    sql(&app.services, "DELETE FROM mail_outbox").await;
    // An address gets three in an hour, by all people together.
    let accounts = &app.services.accounts;
    let invite =
        async || accounts.invite_by_mail(&OPERATOR, "Eve <Eve@example.org>", Role::Rater, 7, Joins::default()).await;
    for _ in 0..3 {
        invite().await.unwrap();
    }
    assert!(matches!(invite().await, Err(model::error::AppError::TooMany(_))));
    let before = accounts.invitations(&OPERATOR, PageOf::first(PageOf::MOST)).await.unwrap().rows.len();
    assert_eq!(before, 3, "an invitation whose message is refused is not created");
    sql(&app.services, "UPDATE mail_outbox SET created_at = created_at - 3600001").await;
    invite().await.unwrap();
    let newest = "SELECT min(id) > 10 FROM mail_outbox";
    assert_eq!(count(&app.services, newest).await, 1, "no number is used twice");
}

#[tokio::test]
async fn a_message_is_retried_after_a_temporary_refusal_and_given_up_after_a_final_one() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut admin = app.admin().await;
    let invite = async |label: &str| {
        app.services.accounts.invite_by_mail(&OPERATOR, label, Role::Rater, 7, Joins::default()).await.unwrap()
    };
    invite("Bo <bo@example.org>").await;
    smtp.will("RCPT", "451 4.7.1 greylisted, try later");
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    let greylisted =
        MailFault::Refused { step: MailStep::Recipient, status: 451, detail: "4.7.1 greylisted, try later".into() };
    let waiting = queue(&mut admin).await;
    assert_eq!((waiting.waiting, waiting.failed, waiting.problems[0].error.clone()), (1, 0, Some(greylisted)));
    // It waits until it is due, here in an hour at the earliest, however slow this machine is, and comes once.
    sql(&app.services, "UPDATE mail_outbox SET next_at = next_at + 3600000 WHERE state = 'waiting'").await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    assert_eq!(smtp.take().len(), 1);
    let sent = queue(&mut admin).await;
    assert_eq!((sent.waiting, sent.failed, sent.problems.len()), (0, 0, 0));
    assert!(sent.last_sent_at.is_some());
    // Refused for good.
    invite("nobody@example.org").await;
    smtp.will("RCPT", "550 5.1.1 no such user");
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    assert!(smtp.take().is_empty());
    let gone = MailFault::Refused { step: MailStep::Recipient, status: 550, detail: "5.1.1 no such user".into() };
    for lang in Lang::ALL {
        admin.form("/lang", &[("lang", lang.code())]).await;
        let words = mail_fault(lang, &gone);
        for path in ["/admin/server", "/admin/people"] {
            let page = admin.get(path).await.body;
            assert!(page.contains(&words), "{words} is not on {path}: {page}");
        }
    }
    // No secret link remains of what is over.
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_outbox WHERE body <> ''").await, 0);
    // What nobody accepts for a day is given up, with the last reason.
    invite("eve@example.org").await;
    for _ in 0..2 {
        smtp.will("connect", "421 4.3.2 not now");
        later(&app.services).await;
        app.services.mail.deliver_due().await.unwrap();
        sql(&app.services, "UPDATE mail_outbox SET created_at = created_at - 86400000 WHERE state = 'waiting'").await;
    }
    let over = queue(&mut admin).await;
    let problem = &over.problems[0];
    assert_eq!((problem.state, problem.attempts, problem.next_at), (MailState::Failed, 2, None));
    let busy = MailFault::Refused { step: MailStep::Greeting, status: 421, detail: "4.3.2 not now".into() };
    assert_eq!(problem.error, Some(busy));
    // Old rows go, and those that nobody will send.
    assert_eq!(app.services.mail.sweep().await.unwrap(), 0);
    sql(&app.services, "UPDATE mail_outbox SET ended_at = ended_at - 2678400000").await;
    invite("ada@example.org").await;
    assert_eq!(app.services.mail.sweep().await.unwrap(), 3);
    let app = app.restarted();
    assert_eq!(app.services.mail.sweep().await.unwrap(), 0);
    later(&app.services).await;
    assert_eq!(app.services.mail.sweep().await.unwrap(), 1);
}

#[tokio::test]
async fn a_message_survives_a_kill_and_is_not_sent_twice_afterwards() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    app.services.accounts.invite_by_mail(&OPERATOR, "bo@example.org", Role::Rater, 7, Joins::default()).await.unwrap();
    // The server is killed in the middle of an attempt, before the SMTP server has the message.
    let now = base::clock::now();
    let until = Timestamp(now.0 + 1000);
    let claimed = app.services.db.write(move |tx| db::mail::claim(tx, now, until)).await.unwrap();
    assert_eq!(claimed.unwrap().address, "bo@example.org");
    let app = app.restarted();
    // Until the operator's settings are read, nothing is sent.
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    turn_on(&app, smtp.client(|_| ()));
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    let app = app.restarted();
    turn_on(&app, smtp.client(|_| ()));
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    assert_eq!(smtp.take().len(), 1);
}

#[tokio::test]
async fn a_due_date_is_told_once_the_day_before_where_the_rater_is() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = verified(&app, &smtp, "ada").await;
    let mut bo = verified(&app, &smtp, "bo").await;
    ada.form("/account/display", &[("zone", "Asia/Shanghai")]).await;
    ada.form("/lang", &[("lang", "zh")]).await;
    bo.form("/account/display", &[("zone", "America/New_York")]).await;
    set_due(&app, "2026-12-02").await;
    let send = async |app: &TestApp, now: Timestamp| {
        app.services.write_notices(System, now).await.unwrap();
        later(&app.services).await;
        app.services.mail.deliver_due().await.unwrap();
        smtp.take()
    };
    assert!(send(&app, at("2026-11-30", 23)).await.is_empty());
    // Eight in the morning in Shanghai.
    let first = send(&app, at("2026-12-01", 0)).await;
    assert_eq!(first.iter().map(|one| one.to.as_str()).collect::<Vec<_>>(), ["ada@example.org"]);
    let title = app.services.studies.get(&OPERATOR, STUDY).await.unwrap().row.title;
    assert!(first[0].text().contains(&format!("评分项目“{title}”将于 ")), "{}", first[0].text());
    let app = app.restarted();
    turn_on(&app, smtp.client(|_| ()));
    let second = send(&app, at("2026-12-01", 14)).await;
    assert_eq!(second.iter().map(|one| one.to.as_str()).collect::<Vec<_>>(), ["bo@example.org"]);
    assert!(second[0].text().contains(&format!("in the study “{title}” are due on ")), "{}", second[0].text());
    for message in first.iter().chain(&second) {
        let content = format!("{}{}", message.raw, message.text()).to_lowercase();
        assert!(!MODELS.iter().any(|model| content.contains(model)), "{content}");
        assert!(!content.contains("hidden") && !content.contains("submission"), "{content}");
    }
    for hour in 0..36 {
        assert!(send(&app, at("2026-12-01", hour)).await.is_empty(), "{hour}");
    }
    // Another date gets a notice of its own.
    set_due(&app, "2026-12-09").await;
    assert_eq!(send(&app, at("2026-12-08", 15)).await.len(), 2);
}

/// A study that is due tomorrow, in which ada has skipped a hidden check or an output and rated everything else; `None` if
/// its plan has no such item.
async fn all_but_one(app: &TestApp, ada: &mut Client, token: &str, skips_check: bool) -> Option<(i64, Token)> {
    let study = json!({
        "title": "Repeated", "dataset": "starter", "submissions": [1], "raters": [2], "tasks": 8, "repeat_every": 2,
        "repeat_apart": 1, "due": "2026-12-02",
    });
    let created = app.anonymous().api(token, Method::POST, "/api/v1/studies", Some(study)).await;
    let id = created.json::<Value>()["id"].as_i64().unwrap();
    let study: Vec<MyStudy> = ada.rpc("my_studies", json!({})).await.json();
    let study = study.into_iter().find(|one| one.title == "Repeated" && one.progress.left > 0).unwrap().token;
    let mut skipped: Option<String> = None;
    loop {
        let next: Next = ada.rpc("next_item", json!({ "study": study, "holding": [] })).await.json();
        let Next::Item(item) = next else { return None };
        let name = item.token.0.clone();
        if skipped.as_ref() == Some(&name) {
            return Some((id, study));
        }
        let is_check = app.services.db.read(move |conn: &Connection| {
            Ok(conn.query_row("SELECT count(*) FROM checks WHERE token = ?1", [name], |row| row.get::<_, i64>(0))?)
        });
        if (is_check.await.unwrap() > 0) == skips_check && skipped.is_none() {
            ada.rpc("skip", json!({ "assignment": item.token })).await;
            skipped = Some(item.token.0);
            continue;
        }
        rate(ada, &item).await;
    }
}

#[tokio::test]
async fn a_due_date_does_not_tell_a_hidden_check_from_work() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = verified(&app, &smtp, "ada").await;
    let now = at("2026-12-01", 9);
    let written = async || app.services.write_notices(System, now).await.unwrap();
    let token = app.token(&[Scope::WriteStudies]).await;
    for skips_check in [true, false] {
        let (id, study) = loop {
            // Plans are drawn at random, and some have no hidden check.
            if let Some(found) = all_but_one(&app, &mut ada, &token, skips_check).await {
                break found;
            }
        };
        let open = app.services.db.read(move |conn: &Connection| {
            Ok(conn.query_row("SELECT open FROM study_raters WHERE study_id = ?1", [id], |row| row.get::<_, i64>(0))?)
        });
        assert_eq!(open.await.unwrap(), i64::from(!skips_check));
        assert_eq!(written().await, 1, "the skipped item is a check: {skips_check}");
        later(&app.services).await;
        app.services.mail.deliver_due().await.unwrap();
        assert_eq!(smtp.take().len(), 1);
        // She rates it, and has nothing left.
        let Next::Item(item) = ada.rpc("next_item", json!({ "study": study, "holding": [] })).await.json() else {
            panic!("the end")
        };
        rate(&mut ada, &item).await;
        sql(&app.services, "DELETE FROM due_notices").await;
        assert_eq!(written().await, 0);
    }
}

#[tokio::test]
async fn a_due_date_is_not_told_to_who_need_not_know() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = verified(&app, &smtp, "ada").await;
    set_due(&app, "2026-12-02").await;
    let now = at("2026-12-01", 9);
    let written = async || app.services.write_notices(System, now).await.unwrap();
    let studies = &app.services.studies;
    studies.set_status(&OPERATOR, STUDY, StudyStatus::Paused).await.unwrap();
    assert_eq!(written().await, 0);
    studies.set_status(&OPERATOR, STUDY, StudyStatus::Running).await.unwrap();
    ada.form("/account/email", &[("address", "ada@example.org")]).await;
    assert_eq!(written().await, 0, "she has not asked for it");
    ada.form("/account/email", &[("address", "ada@example.org"), ("due", "true")]).await;
    sql(&app.services, "UPDATE users SET disabled = 1 WHERE name = 'ada'").await;
    assert_eq!(written().await, 0, "her account is deactivated");
    sql(&app.services, "UPDATE users SET disabled = 0 WHERE name = 'ada'").await;
    assert_eq!(written().await, 1);
    // She is paused, and then the study is closed, before the SMTP server takes the message.
    let waiting = "SELECT count(*) FROM mail_outbox WHERE state = 'waiting'";
    smtp.will("connect", "421 4.3.2 not now");
    later(&app.services).await;
    app.services.mail.deliver_due().await.unwrap();
    sql(
        &app.services,
        "INSERT INTO rater_limits (study_id, user_id, judged, paused_at) SELECT 1, id, 0, 1 FROM users WHERE name = 'ada'",
    )
    .await;
    later(&app.services).await;
    app.services.mail.deliver_due().await.unwrap();
    assert_eq!(count(&app.services, waiting).await, 0);
    sql(&app.services, "DELETE FROM rater_limits").await;
    sql(&app.services, "DELETE FROM due_notices").await;
    assert_eq!(written().await, 1);
    smtp.will("connect", "421 4.3.2 not now");
    later(&app.services).await;
    app.services.mail.deliver_due().await.unwrap();
    studies.set_status(&OPERATOR, STUDY, StudyStatus::Closed).await.unwrap();
    later(&app.services).await;
    app.services.mail.deliver_due().await.unwrap();
    assert!(smtp.take().is_empty());
    assert_eq!(count(&app.services, waiting).await, 0);
}

#[tokio::test]
async fn digests_come_to_admins_who_ask_if_something_waits() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut admin = verified(&app, &smtp, "admin").await;
    let mut ada = verified(&app, &smtp, "ada").await;
    let form = |digest: &'static str| [("address", "admin@example.org"), ("digest", digest)];
    let since = async |day: &str| {
        let at = at(day, 9).0;
        let set =
            move |tx: &rusqlite::Transaction<'_>| Ok(tx.execute("UPDATE mail_addresses SET digest_at = ?1", [at])?);
        app.services.db.write(set).await.unwrap();
    };
    let send = async |now: Timestamp| {
        app.services.write_notices(System, now).await.unwrap();
        later(&app.services).await;
        app.services.mail.deliver_due().await.unwrap();
        smtp.take()
    };
    set_due(&app, "2026-11-20").await;
    since("2026-11-25").await;
    assert!(send(at("2026-11-27", 9)).await.is_empty(), "nobody asked");
    admin.form("/account/email", &form("daily")).await;
    // A rater cannot have one.
    let form_of_ada = [("address", "ada@example.org"), ("digest", "daily")];
    assert_eq!(ada.form("/account/email", &form_of_ada).await.location(), "/account/email?mail=saved");
    since("2026-11-25").await;
    let digests = send(at("2026-11-26", 9)).await;
    assert_eq!(digests.iter().map(|one| one.to.as_str()).collect::<Vec<_>>(), ["admin@example.org"]);
    let text = digests[0].text();
    assert!(text.contains("20 Nov 2026") && text.contains("https://grade.example.org/admin"), "{text}");
    assert!(!MODELS.iter().any(|model| text.to_lowercase().contains(model)), "{text}");
    assert!(send(at("2026-11-26", 20)).await.is_empty(), "once a day");
    assert_eq!(send(at("2026-11-27", 9)).await.len(), 1);
    // Weekly: 30 November is a Monday.
    admin.form("/account/email", &form("weekly")).await;
    since("2026-11-27").await;
    assert!(send(at("2026-11-29", 9)).await.is_empty());
    assert_eq!(send(at("2026-11-30", 9)).await.len(), 1);
    // Nothing waits, unless this machine's disk is short of space.
    admin.form("/account/email", &form("daily")).await;
    app.services.studies.set_status(&OPERATOR, STUDY, StudyStatus::Closed).await.unwrap();
    let disk_only = |text: &str| text.starts_with("Server\n- The disk is short of space.\n\nOverview: ");
    assert!(send(at("2026-12-01", 9)).await.iter().all(|one| disk_only(&one.text())));
    // Somebody who is no admin any more.
    sql(&app.services, "UPDATE users SET role = 'rater' WHERE name = 'admin'").await;
    assert!(send(at("2026-12-05", 9)).await.is_empty());
}

#[tokio::test]
async fn one_click_ends_messages_without_logging_in() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut ada = verified(&app, &smtp, "ada").await;
    set_due(&app, "2026-12-02").await;
    app.services.write_notices(System, at("2026-12-01", 9)).await.unwrap();
    later(&app.services).await;
    app.services.mail.deliver_due().await.unwrap();
    let message = smtp.take().pop().unwrap();
    let link = message.link("/mail/due.");
    assert_eq!(message.header("List-Unsubscribe"), format!("<https://grade.example.org{link}>"));
    let mut anybody = app.anonymous();
    assert!(anybody.get(&link).await.body.contains("This ends messages to ada@example.org"));
    // As a mail program does it (RFC 8058).
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let answer = anybody.send(Method::POST, &link, &headers, "List-Unsubscribe=One-Click").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(anybody.get(&link).await.body.contains("ada@example.org gets no more messages"));
    set_due(&app, "2026-12-04").await;
    assert_eq!(app.services.write_notices(System, at("2026-12-03", 9)).await.unwrap(), 0);
    // She can choose otherwise; the link works again later.
    ada.form("/account/email", &[("address", "ada@example.org"), ("due", "true")]).await;
    assert_eq!(app.services.write_notices(System, at("2026-12-03", 9)).await.unwrap(), 1);
    anybody.form(&link, &[("action", "stop")]).await;
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 1);
    assert!(smtp.take().is_empty(), "it was ended before it was sent");
    // A link that the server did not sign does nothing.
    for wrong in [link.replace("due.", "digest."), format!("{link}x"), "/mail/due.x.y".into()] {
        assert_eq!(anybody.get(&wrong).await.status, StatusCode::NOT_FOUND, "{wrong}");
        assert_eq!(
            anybody.send(Method::POST, &wrong, &headers, "List-Unsubscribe=One-Click").await.status,
            StatusCode::SEE_OTHER
        );
    }
}

#[tokio::test]
async fn an_invitation_is_sent_and_its_page_says_what_came_of_it() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut admin = app.admin().await;
    assert!(admin.get("/admin/people").await.body.contains("Also send the link by email"));
    let form =
        |label: &'static str| [("label", label), ("role", "rater"), ("days", "7"), ("study", "1"), ("send", "true")];
    // A label without an address creates nothing.
    let refused = admin.form("/rpc/invite", &form("Dora")).await;
    assert_eq!(count(&app.services, "SELECT count(*) FROM invitations").await, 0, "{}", refused.body);
    admin.form("/rpc/invite", &form("Dora D. <dora@example.org>")).await;
    assert!(admin.get("/admin/people").await.body.contains("Email: being sent"));
    app.services.mail.deliver_due().await.unwrap();
    assert!(admin.get("/admin/people").await.body.contains("Email: sent"));
    let message = smtp.take().pop().unwrap();
    let title = app.services.studies.get(&OPERATOR, STUDY).await.unwrap().row.title;
    assert!(message.text().contains(&format!("in the study “{title}”.")), "{}", message.text());
    let join = message.link("/join/");
    let mut dora = app.anonymous();
    assert!(dora.get(&join).await.body.contains("Join AixGrade"));
    // One that was used meanwhile is not sent.
    let used = app.services.accounts.invite_by_mail(&OPERATOR, "x@example.org", Role::Rater, 7, Joins::default()).await;
    dora.form(&format!("/join/{}", used.unwrap()), &[("name", "dora"), ("password", "long-enough-password")]).await;
    app.services.mail.deliver_due().await.unwrap();
    assert!(smtp.take().is_empty());
    // Who wants no email from this server gets none, and the page says so.
    let stop = message.link("/mail/invitation.");
    app.anonymous().form(&stop, &[("action", "stop")]).await;
    admin.form("/rpc/invite", &form("dora@example.org")).await;
    app.services.mail.deliver_due().await.unwrap();
    assert!(smtp.take().is_empty());
    assert!(admin.get("/admin/people").await.body.contains("Email: not sent. The owner of the address wants no email"));
    let mut bo = app.demo_user("bo").await;
    let refused = bo.form("/account/email", &[("address", "dora@example.org")]).await;
    assert_eq!(refused.location(), "/account/email?mail=refused");
    app.anonymous().form(&stop, &[("action", "allow")]).await;
    admin
        .form(
            "/rpc/invite_many",
            &[
                ("lines", "dora@example.org\nEve <eve@example.org>, admin"),
                ("role", "rater"),
                ("days", "7"),
                ("send", "true"),
            ],
        )
        .await;
    app.services.mail.deliver_due().await.unwrap();
    assert_eq!(
        smtp.take().iter().map(|one| one.to.as_str()).collect::<Vec<_>>(),
        ["dora@example.org", "eve@example.org"]
    );
    // Messages go with the person whom they are about.
    verified(&app, &smtp, "ada").await;
    assert!(count(&app.services, "SELECT count(*) FROM mail_outbox WHERE user_id IS NOT NULL").await > 0);
    let delete = |tx: &rusqlite::Transaction<'_>| {
        tx.execute(
            "INSERT INTO users (id, name, role, password_hash, created_at) VALUES (900, 'gone', 'rater', 'x', 1)",
            [],
        )?;
        tx.execute("UPDATE mail_outbox SET user_id = 900 WHERE user_id IS NOT NULL", [])?;
        tx.execute("UPDATE mail_addresses SET user_id = 900", [])?;
        Ok(tx.execute("DELETE FROM users WHERE id = 900", [])?)
    };
    app.services.db.write(delete).await.unwrap();
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_outbox WHERE kind = 'verify'").await, 0);
    assert_eq!(count(&app.services, "SELECT count(*) FROM mail_addresses").await, 0);
}

#[tokio::test]
async fn a_fault_names_the_step_that_failed() {
    let smtp = Smtp::start().await;
    let message = Outgoing {
        to: "ada@example.org".into(),
        subject: "S".into(),
        text: "T".into(),
        id: "1".into(),
        stop: None,
        written_at: Timestamp(0),
    };
    let plain = smtp.client(|_| ());
    assert_eq!(plain.send(&message).await, Ok(()));
    assert_eq!(smtp.take().len(), 1);
    let steps = [
        ("connect", "554 5.7.1 your address is blocked", MailStep::Greeting, 554),
        ("MAIL", "550 5.7.60 may not send as this sender", MailStep::Sender, 550),
        ("RCPT", "550 5.1.1 no such user", MailStep::Recipient, 550),
        ("DATA", "554 5.5.1 no", MailStep::Message, 554),
        ("content", "552 5.3.4 too large", MailStep::Message, 552),
    ];
    for (command, reply, step, status) in steps {
        smtp.will(command, reply);
        let fault = plain.send(&message).await.unwrap_err();
        let detail = reply.split_once(' ').unwrap().1.to_owned();
        assert_eq!(fault, MailFault::Refused { step, status, detail }, "{command}");
    }
    smtp.commands();
    let login = smtp.with_password("right");
    assert_eq!(login.check().await, Ok(()));
    smtp.will("AUTH", "535 5.7.8 wrong password");
    let refused = login.check().await.unwrap_err();
    assert!(matches!(refused, MailFault::Refused { step: MailStep::LogIn, status: 535, .. }), "{refused:?}");
    assert!(!format!("{refused:?}{login:?}").contains("right"));
    smtp.commands();
    // A server that does not offer STARTTLS gets neither a password nor a message.
    let starttls = smtp.client(|options| {
        (options.tls, options.user, options.password) =
            (Tls::StartTls, Some("u".into()), Some(clients::Secret::new("w")));
    });
    assert_eq!(starttls.send(&message).await, Err(MailFault::NoStartTls));
    assert!(smtp.commands().iter().all(|command| command.starts_with("EHLO")));
    let tls = smtp.client(|options| options.tls = Tls::Implicit).with_patience(PATIENCE);
    smtp.will("connect", "220 no TLS here");
    let fault = tls.send(&message).await.unwrap_err();
    assert!(matches!(fault, MailFault::Tls { .. }), "{fault:?}");
    // Silence ends.
    for silent in ["connect", "EHLO", "content"] {
        smtp.will(silent, "");
        let fault = smtp.client(|_| ()).with_patience(Duration::from_millis(200)).send(&message).await;
        assert_eq!(fault, Err(MailFault::Timeout { seconds: 0 }), "{silent}");
    }
    // A server that never ends its line fills no memory.
    smtp.will("connect", ENDLESS);
    let endless = smtp.client(|_| ()).send(&message).await.unwrap_err();
    let too_much = MailFault::Connection { detail: "the SMTP server sent more than 256 KiB".into() };
    assert_eq!(endless, too_much);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap().to_string();
    drop(listener);
    let fault = smtp.client(|options| options.server = nobody).send(&message).await.unwrap_err();
    assert!(matches!(fault, MailFault::Connection { .. }), "{fault:?}");
    assert!(smtp.take().is_empty());
}

#[tokio::test]
async fn admins_test_the_smtp_server_from_its_page() {
    let smtp = Smtp::start().await;
    let app = set_up(&smtp).await;
    let mut admin = app.admin().await;
    let test = async |admin: &mut Client| admin.form("/rpc/test_mail", &[("address", "root@example.org")]).await;
    assert_eq!(test(&mut admin).await.status, StatusCode::FOUND);
    assert_eq!(smtp.take().len(), 1);
    smtp.will("MAIL", "550 5.7.60 may not send as this sender");
    test(&mut admin).await;
    let page = admin.get("/admin/server").await.body;
    assert!(
        page.contains("The SMTP server refused the sender&#x27;s address (550)")
            || page.contains("The SMTP server refused the sender's address (550)"),
        "{page}"
    );
    // A test is not repeated.
    later(&app.services).await;
    assert_eq!(app.services.mail.deliver_due().await.unwrap(), 0);
    let found = queue(&mut admin).await;
    assert_eq!((found.waiting, found.failed, found.sender.as_str()), (0, 1, "aixgrade@example.org"));
}
