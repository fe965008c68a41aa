//! Metrics, health and readiness; and that dashboard, alerts and documentation name metrics that exist.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeSet, sync::mpsc};

use axum::{
    Router,
    body::Body,
    http::{Method, Request, StatusCode},
};
use http_body_util::BodyExt;
use model::{
    caller::System,
    ids::SubmissionId,
    run::{NewRun, Verdict},
};
use port::Runs;
use services::backup::schedule::DailyFigures;
use tower::ServiceExt;
use web::{self as http, config::Config, state::AppState};

use crate::{
    stalls::{rate_next, study},
    util::TestApp,
};

async fn get(router: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::builder().uri(path).body(Body::empty()).unwrap();
    let answer = router.clone().oneshot(request).await.unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// The address for people and the one for operators, over the same state.
fn routers(app: &TestApp) -> (Router, Router) {
    let state = AppState::new(app.services.clone(), Config::default());
    (http::router(state.clone()), http::watched(state, Some(DailyFigures::default())))
}

async fn metrics(watched: &Router) -> String {
    let (status, text) = get(watched, "/metrics").await;
    assert_eq!(status, StatusCode::OK, "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    text
}

/// The value of a sample with exactly these labels.
fn value(text: &str, sample: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {sample} in {text}")).parse().unwrap()
}

/// Names of metrics as samples have them.
fn samples(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(['{', ' ']).next().unwrap()).collect()
}

/// Every word of a text that begins as our metrics do.
fn named(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("aixgrade_")).collect()
}

#[tokio::test]
async fn requests_ratings_and_outputs_are_counted() {
    let app = TestApp::demo().await;
    let (people, watched) = routers(&app);
    for path in ["/log-in", "/healthz", "/healthz", "/no/such/page", "/rpc/invented_1", "/rpc/invented_2"] {
        get(&people, path).await;
    }
    let odd = Request::builder().method("INVENTED").uri("/healthz").body(Body::empty()).unwrap();
    people.clone().oneshot(odd).await.unwrap();
    let request = Request::builder().method(Method::POST).uri("/rpc/invented_3").body(Body::empty()).unwrap();
    people.clone().oneshot(request).await.unwrap();
    let text = metrics(&watched).await;
    let requests = |route: &str, status: u16| {
        format!("aixgrade_http_requests_total{{method=\"GET\",route=\"{route}\",status=\"{status}\"}}")
    };
    assert_eq!(value(&text, &requests("/healthz", 200)), 2.0);
    assert_eq!(value(&text, &requests("/log-in", 200)), 1.0);
    assert_eq!(value(&text, "aixgrade_http_request_duration_seconds_count{route=\"/healthz\"}"), 3.0);
    // A client can invent paths and methods without end; none of them becomes a label.
    assert!(!text.contains("invented") && !text.contains("INVENTED") && !text.contains("/no/such"), "{text}");

    let before = value(&text, "aixgrade_ratings_submitted_total");
    let mut rater = app.rater().await;
    let study = study(&mut rater).await;
    rate_next(&mut rater, &study, "").await.unwrap();
    let text = metrics(&watched).await;
    assert_eq!(value(&text, "aixgrade_ratings_submitted_total"), before + 1.0);
    assert!(value(&text, "aixgrade_database_write_seconds_count") > 0.0);
    assert!(value(&text, "aixgrade_database_reader_wait_seconds_count") > 0.0);
    assert!(value(&text, "aixgrade_database_size_bytes{file=\"main\"}") > 0.0);
    assert!(value(&text, "aixgrade_disk_size_bytes") > value(&text, "aixgrade_disk_free_bytes"));

    // Runs that wait, and the same runs when they have ended.
    let submissions = "SELECT id FROM submissions LIMIT 1";
    let id = app.services.db.read_blocking(|c| Ok(c.query_row(submissions, [], |row| row.get(0))?)).unwrap();
    app.services.runs.start(&System.admin(), NewRun::of(SubmissionId(id)).fresh()).await.unwrap();
    let text = metrics(&watched).await;
    assert_eq!(value(&text, "aixgrade_runs_in_progress"), 1.0);
    assert!(value(&text, "aixgrade_outputs_waiting") > 1.0);
    assert_eq!(value(&text, "aixgrade_outputs_running"), 0.0);
    // Whoever reads metrics learns nothing about people and models.
    assert!(!text.contains("Northwind") && !text.contains("\"ada\""), "{text}");
}

#[tokio::test]
async fn metrics_are_on_their_own_address_only() {
    let app = TestApp::demo().await;
    let (people, watched) = routers(&app);
    // Visitors are sent to the login, as from any address that does not exist.
    assert_eq!(get(&people, "/metrics").await.0, get(&people, "/no/such/page").await.0);
    assert!(!get(&people, "/metrics").await.1.contains("# EOF"));
    for path in ["/", "/log-in", "/rpc/log_in", "/api/v1/openapi.json"] {
        assert_eq!(get(&watched, path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

/// A held writer is what a full disk or a hung one looks like: the process lives, but nobody can be served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_database_does_not_answer_lives_and_is_not_ready() {
    let app = TestApp::demo().await;
    let (people, watched) = routers(&app);
    for router in [&people, &watched] {
        assert_eq!(get(router, "/readyz").await, (StatusCode::OK, "ready\n".to_owned()));
    }
    let (db, (release, wait)) = (app.services.db.clone(), mpsc::channel::<()>());
    let (begun, is_begun) = mpsc::channel();
    let holder = std::thread::spawn(move || {
        db.write_blocking(|_| {
            begun.send(()).unwrap();
            wait.recv().unwrap();
            Ok(())
        })
        .unwrap();
    });
    is_begun.recv().unwrap();
    loop {
        // The last answer counts for a second.
        let (status, why) = get(&people, "/readyz").await;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            assert_eq!(why, "not ready: the database does not answer: the writer is busy\n");
            break;
        }
    }
    assert_eq!(get(&watched, "/healthz").await, (StatusCode::OK, "ok\n".to_owned()));
    release.send(()).unwrap();
    holder.join().unwrap();
    while get(&watched, "/readyz").await.0 != StatusCode::OK {}
}

#[tokio::test]
async fn dashboard_alerts_and_documentation_name_the_metrics_that_exist() {
    let app = TestApp::demo().await;
    let (people, watched) = routers(&app);
    get(&people, "/healthz").await;
    app.services.runs.engine().counts().record(Verdict::Passed);
    let text = metrics(&watched).await;
    let exist = samples(&text);
    let dashboard = include_str!("../../../docs/operating/dashboard.json");
    let alerts = include_str!("../../../docs/operating/alerts.yml");
    let manual = include_str!("../../../docs/operating.md");
    let parsed: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    assert!(parsed["panels"].as_array().unwrap().len() > 5);
    for (file, text) in [("dashboard.json", dashboard), ("alerts.yml", alerts), ("operating.md", manual)] {
        let unknown: Vec<_> = named(text).into_iter().filter(|name| !exist.contains(name)).collect();
        assert!(unknown.is_empty(), "{file} names metrics that do not exist: {unknown:?}\n{exist:?}");
    }
    // And the documentation names all, without the endings of histograms.
    for name in exist {
        let base = name.strip_suffix("_count").or(name.strip_suffix("_sum")).unwrap_or(name);
        let is_named = manual.contains(name) || manual.contains(&format!("{base}_bucket"));
        assert!(is_named, "operating.md does not name {name}");
    }
}
