//! Overload: what is too much is refused with a time to wait, and nothing is lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::mpsc;

use axum::{
    body::{Body, Bytes},
    http::{Method, StatusCode, header},
};
use base::error::Failure;
use serde_json::{Value, json};
use web::capacity::{Capacity, Kind};

use crate::util::{Answer, Client, TestApp};

/// A rater with an output: the client, its name for the output.
async fn with_output(app: &TestApp, name: &str) -> (Client, String) {
    let mut client = app.demo_user(name).await;
    let studies: Value = client.rpc("my_studies", json!({})).await.json();
    let next: Value = client.rpc("next_item", json!({"study": studies[0]["token"]})).await.json();
    let token = next["Item"]["token"].as_str().unwrap().to_owned();
    (client, token)
}

async fn submit(client: &mut Client, token: &str, key: &str) -> Answer {
    let draft = json!({"scores": [1, 2, 3], "comment": "", "flag": null});
    client.rpc("submit_rating", json!({"assignment": token, "draft": draft, "key": key})).await
}

fn ratings(app: &TestApp) -> i64 {
    let count = |conn: &rusqlite::Connection| Ok(conn.query_row("SELECT count(*) FROM ratings", [], |row| row.get(0))?);
    app.services.db.read_blocking(count).unwrap()
}

fn is_refused(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.body);
    assert_eq!(answer.headers.get(header::RETRY_AFTER).unwrap(), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_much_is_refused_and_nothing_is_lost() {
    let app = TestApp::demo().await;
    let mut people = [with_output(&app, "ada").await, with_output(&app, "bo").await, with_output(&app, "chen").await];
    let app = app.with_capacity(Capacity { calls: 2, ..Capacity::default() });
    for (client, _) in &mut people {
        *client = client.moved_to(&app);
    }
    let [(mut ada, of_ada), (mut bo, of_bo), (mut chen, of_chen)] = people;

    // Somebody writes and does not end.
    let (go, wait) = mpsc::channel::<()>();
    let (begun, is_begun) = mpsc::channel::<()>();
    let db = app.services.db.clone();
    let stuck = tokio::spawn(async move {
        db.write(move |_| {
            begun.send(()).map_err(|_| Failure::internal("the test has ended"))?;
            wait.recv().map_err(|_| Failure::internal("the test has ended"))
        })
        .await
    });
    tokio::task::spawn_blocking(move || is_begun.recv().unwrap()).await.unwrap();
    let waiting = [
        tokio::spawn(async move { submit(&mut ada, &of_ada, "a").await }),
        tokio::spawn(async move { submit(&mut bo, &of_bo, "b").await }),
    ];
    while app.places.taken(Kind::Call) < 2 {
        tokio::task::yield_now().await;
    }

    // There is no third place, and the refusal is immediate.
    let refused = submit(&mut chen, &of_chen, "c").await;
    is_refused(&refused);
    assert_eq!(refused.json::<Value>(), json!({"Busy": 2}));
    // Probes and what needs no writer are answered meanwhile.
    for path in ["/healthz", "/log-in"] {
        assert_eq!(app.anonymous().get(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(ratings(&app), 0);

    go.send(()).unwrap();
    stuck.await.unwrap().unwrap();
    for submission in waiting {
        let answer = submission.await.unwrap();
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    }
    assert_eq!(ratings(&app), 2, "whatever had a place is stored");
    // The browser sends the same submission again.
    for _ in 0..2 {
        assert_eq!(submit(&mut chen, &of_chen, "c").await.status, StatusCode::OK);
    }
    assert_eq!(ratings(&app), 3, "it counts once");
    assert_eq!(app.places.taken(Kind::Call), 0);
}

#[tokio::test]
async fn public_pages_take_no_place_of_other_pages() {
    let app = TestApp::demo().await.with_capacity(Capacity { public: 0, ..Capacity::default() });
    let mut reader = app.anonymous();
    for path in ["/public/abc", "/public/abc/figures/means.png", "/public/abc/embed.svg"] {
        is_refused(&reader.get(path).await);
    }
    assert_eq!(app.rater().await.get("/my-studies").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_refusal_has_the_form_that_its_client_reads() {
    let none = Capacity { log_ins: 0, calls: 0, pages: 0, public: 0, operations: 0, uploads: 0, large_bodies_kib: 0 };
    let app = TestApp::empty().await.with_capacity(none);
    let mut client = app.anonymous();
    let page = client.get("/my-studies").await;
    is_refused(&page);
    assert!(page.body.contains("http-equiv=\"refresh\"") && page.body.contains("服务器繁忙"), "{}", page.body);
    for path in ["/log-in", "/grade/abc", "/rpc/submit_rating"] {
        let form = client.form(path, &[("comment", "text")]).await;
        is_refused(&form);
        assert!(form.body.contains("was not saved") && !form.body.contains("refresh\""), "{}", form.body);
    }
    let upload = client.send(Method::POST, "/admin/upload/dataset", &[("sec-fetch-site", "same-origin")], "x").await;
    is_refused(&upload);
    let file = [("content-type", "application/octet-stream")];
    for answer in [
        client.api("", Method::GET, "/api/v1/me", None).await,
        client.send(Method::POST, "/api/v1/uploads?file=x.jsonl", &file, "x").await,
    ] {
        is_refused(&answer);
        assert_eq!(answer.headers.get(header::CONTENT_TYPE).unwrap(), "application/problem+json");
        assert_eq!(answer.json::<Value>()["status"], 503);
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(client.get(path).await.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn a_slow_sender_takes_nobodys_place() {
    let app = TestApp::empty().await.with_capacity(Capacity { log_ins: 1, ..Capacity::default() });
    let mut slow = app.anonymous();
    let (mut sender, body) = futures::channel::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    sender.try_send(Ok(Bytes::from_static(b"name="))).unwrap();
    let form = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let slow = tokio::spawn(async move { slow.send(Method::POST, "/log-in", &form, Body::from_stream(body)).await });
    let other = app.anonymous().form("/log-in", &[("name", "ada"), ("password", "wrong")]).await;
    assert_ne!(other.status, StatusCode::SERVICE_UNAVAILABLE, "{}", other.body);
    assert_eq!(app.places.taken(Kind::LogIn), 0);
    sender.try_send(Ok(Bytes::from_static(b"ada&password=wrong"))).unwrap();
    drop(sender);
    assert_ne!(slow.await.unwrap().status, StatusCode::SERVICE_UNAVAILABLE);
}
