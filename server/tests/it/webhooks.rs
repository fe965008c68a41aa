//! Webhooks with a receiver on this machine: signatures, attempts, restarts, and disallowed hosts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::{Arc, Mutex};

use crate::util::TestApp;
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::IntoResponse,
    routing::any,
};
use model::{
    api::{CreatedWebhook, DeliveryRow, DeliveryState, NewWebhook, WebhookEvent},
    caller::{Admin, System},
    fault::RequestFault,
    ids::{RunId, StudyId},
    lang::Lang,
    page::PageOf,
    run::NewRun,
    study::StudyStatus,
    time::Timestamp,
};
use port::{Runs, Studies, Submissions, api::Webhooks};
use serde_json::Value;
use services::{
    Services,
    webhooks::{Origins, sign},
};
use texts::faults::request_fault;

const OPERATOR: Admin = System.admin();

/// A received request.
#[derive(Clone)]
struct Arrived {
    path: String,
    headers: HeaderMap,
    body: String,
}

/// The receiver: answers each request with its next status, and records the request.
#[derive(Clone, Default)]
struct Other {
    answers: Arc<Mutex<Vec<u16>>>,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

async fn answer(State(other): State<Other>, uri: Uri, headers: HeaderMap, body: Bytes) -> impl IntoResponse {
    let body = String::from_utf8(body.to_vec()).unwrap();
    other.arrived.lock().unwrap().push(Arrived { path: uri.path().into(), headers, body });
    let mut answers = other.answers.lock().unwrap();
    let status = if answers.is_empty() { 204 } else { answers.remove(0) };
    (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, "/elsewhere")])
}

impl Other {
    /// Listens; returns the origin.
    async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(any(answer)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        origin
    }

    fn will(&self, answers: &[u16]) {
        *self.answers.lock().unwrap() = answers.to_vec();
    }

    fn take(&self) -> Vec<Arrived> {
        std::mem::take(&mut *self.arrived.lock().unwrap())
    }
}

/// A demo whose operator allows the receiver, with a webhook to it.
async fn set_up(other: &Other) -> (TestApp, String, CreatedWebhook) {
    let app = TestApp::demo().await;
    let origin = other.listen().await;
    app.services.webhooks.allow(Origins::parse([origin.as_str()]).unwrap());
    let new = NewWebhook { url: format!("{origin}/hook"), events: vec![] };
    let created = app.services.webhooks.create(&OPERATOR, new).await.unwrap();
    (app, origin, created)
}

async fn log(services: &Services, created: &CreatedWebhook) -> Vec<DeliveryRow> {
    services.webhooks.deliveries(&OPERATOR, created.row.id, PageOf::first(PageOf::MOST)).await.unwrap().rows
}

/// Makes all pending deliveries due, without waiting.
async fn later(services: &Services) {
    let sql = "UPDATE webhook_deliveries SET next_at = 0 WHERE state = 'waiting'";
    services.db.write(move |tx| Ok(tx.execute(sql, [])?)).await.unwrap();
}

fn check_signed(arrived: &Arrived, secret: &str) {
    let header = |name: &str| arrived.headers[name].to_str().unwrap().to_owned();
    let seconds = header("webhook-timestamp").parse().unwrap();
    let signature = sign(secret, &header("webhook-id"), seconds, &arrived.body).unwrap();
    assert_eq!(header("webhook-signature"), signature);
    assert_eq!(header("content-type"), "application/json");
    assert!(!arrived.body.contains(secret));
}

#[tokio::test]
async fn ends_are_delivered_once_signed_and_without_secrets() {
    let other = Other::default();
    let (app, _, created) = set_up(&other).await;
    let services = &app.services;
    let submission =
        Submissions::list(&*services.submissions, &OPERATOR, None, PageOf::first(PageOf::MOST)).await.unwrap().rows[0]
            .id;
    let run: RunId = services.runs.start(&OPERATOR, NewRun::of(submission)).await.unwrap();
    services.runs.cancel(&OPERATOR, run).await.unwrap();
    services.studies.set_status(&OPERATOR, StudyId(1), StudyStatus::Paused).await.unwrap();
    services.studies.set_status(&OPERATOR, StudyId(1), StudyStatus::Closed).await.unwrap();
    assert_eq!(services.webhooks.deliver_due().await.unwrap(), 2);
    let arrived = other.take();
    let messages: Vec<Value> = arrived.iter().map(|one| serde_json::from_str(&one.body).unwrap()).collect();
    assert_eq!(messages[0]["type"], "run.ended");
    assert_eq!(messages[0]["data"]["run"]["id"], run.0);
    assert_eq!(messages[1]["type"], "study.closed");
    assert_eq!(messages[1]["data"]["study"]["status"], "closed");
    for one in &arrived {
        assert_eq!(one.path, "/hook");
        check_signed(one, &created.secret);
        for rater in ["ada", "chen"] {
            assert!(!one.body.contains(&format!("\"{rater}\"")), "{}", one.body);
        }
    }
    // Nothing is delivered twice.
    later(services).await;
    assert_eq!(services.webhooks.deliver_due().await.unwrap(), 0);
    assert!(log(services, &created).await.iter().all(|row| row.state == DeliveryState::Delivered && row.attempts == 1));
}

#[tokio::test]
async fn failed_deliveries_are_retried_after_a_restart() {
    let other = Other::default();
    let (app, origin, created) = set_up(&other).await;
    other.will(&[500, 503, 200]);
    app.services.studies.set_status(&OPERATOR, StudyId(1), StudyStatus::Closed).await.unwrap();
    assert_eq!(app.services.webhooks.deliver_due().await.unwrap(), 1);
    let first = log(&app.services, &created).await.remove(0);
    assert_eq!((first.state, first.attempts, first.status), (DeliveryState::Waiting, 1, Some(500)));
    assert_eq!(first.error, Some(RequestFault::Status { status: 500, detail: String::new() }));
    // It waits until it is due, here in an hour at the earliest, however slow this machine is.
    let postpone = "UPDATE webhook_deliveries SET next_at = next_at + 3600000 WHERE state = 'waiting'";
    app.services.db.write(move |tx| Ok(tx.execute(postpone, [])?)).await.unwrap();
    assert_eq!(app.services.webhooks.deliver_due().await.unwrap(), 0);
    // At most the first pause, and at least the second.
    let wait = |row: &DeliveryRow, from: Timestamp| row.next_at.unwrap().0 - from.0;
    let first_wait = wait(&first, base::clock::now());
    later(&app.services).await;
    let before = base::clock::now();
    app.services.webhooks.deliver_due().await.unwrap();
    let second = log(&app.services, &created).await.remove(0);
    assert_eq!((second.state, second.attempts, second.status), (DeliveryState::Waiting, 2, Some(503)));
    let second_wait = wait(&second, before);
    assert!(second_wait > 2 * first_wait, "{first_wait} then {second_wait}");
    // The queue is in the database. Until the operator's list is set, nothing is sent.
    let app = app.restarted();
    later(&app.services).await;
    app.services.webhooks.deliver_due().await.unwrap();
    let refused = log(&app.services, &created).await.remove(0);
    assert_eq!((refused.state, refused.status), (DeliveryState::Waiting, None));
    assert_eq!(refused.error, Some(RequestFault::HostNotAllowed));
    app.services.webhooks.allow(Origins::parse([origin.as_str()]).unwrap());
    later(&app.services).await;
    app.services.webhooks.deliver_due().await.unwrap();
    let last = log(&app.services, &created).await.remove(0);
    assert_eq!((last.state, last.attempts, last.status), (DeliveryState::Delivered, 4, Some(200)));
    // Every attempt sent the same under the same id.
    let arrived = other.take();
    assert_eq!(arrived.len(), 3);
    for one in &arrived {
        check_signed(one, &created.secret);
        assert_eq!((&one.body, &one.headers["webhook-id"]), (&arrived[0].body, &arrived[0].headers["webhook-id"]));
    }
}

#[tokio::test]
async fn delivery_fails_after_the_last_attempt() {
    let other = Other::default();
    let (app, _, created) = set_up(&other).await;
    other.will(&[500; 20]);
    app.services.studies.set_status(&OPERATOR, StudyId(1), StudyStatus::Closed).await.unwrap();
    let mut tries = 0;
    while log(&app.services, &created).await.iter().any(|row| row.state == DeliveryState::Waiting) {
        later(&app.services).await;
        tries += app.services.webhooks.deliver_due().await.unwrap();
        assert!(tries < 20, "it is never given up");
    }
    let row = log(&app.services, &created).await.remove(0);
    assert_eq!((row.state, row.attempts as usize, row.next_at), (DeliveryState::Failed, tries, None));
    assert!(tries >= 5);
}

#[tokio::test]
async fn redirects_and_other_hosts_are_not_contacted() {
    let other = Other::default();
    let (app, _, created) = set_up(&other).await;
    other.will(&[302]);
    let tested = app.services.webhooks.test(&OPERATOR, created.row.id).await.unwrap();
    assert_eq!((tested.event, tested.state, tested.status), (WebhookEvent::Test, DeliveryState::Waiting, Some(302)));
    assert_eq!(tested.error, Some(RequestFault::Redirect { status: 302 }));
    assert_eq!(other.take().iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/hook"]);
    let tested = app.services.webhooks.test(&OPERATOR, created.row.id).await.unwrap();
    assert_eq!(tested.state, DeliveryState::Delivered);
    assert_eq!(other.take().len(), 1);
    // A webhook remains when the operator no longer allows its host, but nothing is sent.
    app.services.webhooks.allow(Origins::default());
    assert!(!app.services.webhooks.list(&OPERATOR, PageOf::default()).await.unwrap().rows[0].allowed);
    let tested = app.services.webhooks.test(&OPERATOR, created.row.id).await.unwrap();
    assert_eq!((tested.state, tested.status), (DeliveryState::Waiting, None));
    assert!(other.take().is_empty());
    // The page says why, in its reader's language.
    let mut admin = app.admin().await;
    for lang in Lang::ALL {
        admin.form("/lang", &[("lang", lang.code())]).await;
        let page = admin.get(&format!("/admin/api/webhooks?of={}", created.row.id)).await.body;
        for fault in [RequestFault::HostNotAllowed, RequestFault::Redirect { status: 302 }] {
            let words = request_fault(lang, &fault);
            assert!(page.contains(&words), "{words} is not in {page}");
        }
    }
    let stranger = Other::default();
    let new = NewWebhook { url: format!("{}/", stranger.listen().await), events: vec![] };
    assert!(app.services.webhooks.create(&OPERATOR, new).await.is_err());
    // Pending deliveries are deleted with their webhook.
    app.services.webhooks.remove(&OPERATOR, created.row.id).await.unwrap();
    later(&app.services).await;
    assert_eq!(app.services.webhooks.deliver_due().await.unwrap(), 0);
}
