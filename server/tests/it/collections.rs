//! Collections from an endpoint on this machine, which also misbehaves: nothing is lost, asked twice or counted twice.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Stdio,
    time::Duration,
};

use clients::endpoint::Endpoints;
use model::{
    audit::Object,
    caller::{Admin, System},
    collection::{
        CollectionResume, CollectionRow, CollectionSettings, CollectionStatus, End, NewCollection, RequestRow,
        RequestStatus, StopReason,
    },
    error::AppError,
    fault::RequestFault,
    ids::{CollectionId, OutputId, SubmissionId},
    lang::{Bilingual, Lang},
    page::PageOf,
    submission::{InvalidLines, Matching, OutputFilter},
    upkeep::{Dependent, DependentKind},
};
use port::{Submissions, collections::Collections, upkeep::Upkeeps};
use serde_json::{Value, json};
use services::collections::Pace;
use texts::faults::request_fault;

use crate::util::{
    TestApp,
    endpoint::{Asked, Does, FakeEndpoint},
    program::program,
};

const OPERATOR: Admin = System.admin();
/// The number of tasks of the starter dataset.
const TASKS: usize = 40;
/// The endpoint's key.
const KEY: &str = "sk-very-secret";

/// Waits that do not slow tests down.
const PACE: Pace = Pace {
    first_wait: Duration::from_millis(5),
    longest_wait: Duration::from_millis(20),
    look: Duration::from_millis(20),
};

/// A demo whose operator allows the endpoint under the name `fake`, with a key.
pub async fn set_up(endpoint: &FakeEndpoint) -> TestApp {
    let app = TestApp::demo().await;
    allow(&app, endpoint);
    app
}

/// Allows the endpoint under the name `fake`, with a key, and shortens waits.
pub fn allow(app: &TestApp, endpoint: &FakeEndpoint) {
    let entries = [format!("fake={}", endpoint.url)];
    let endpoints = Endpoints::read(&entries, &[], |_| Some(KEY.into())).unwrap();
    app.services.collections.allow(endpoints);
    app.services.collections.set_pace(PACE);
}

fn new(settings: CollectionSettings) -> NewCollection {
    NewCollection {
        dataset: "starter".into(),
        model: "Collected".into(),
        endpoint: "fake".into(),
        settings,
        ..NewCollection::default()
    }
}

async fn create(app: &TestApp, settings: CollectionSettings) -> CollectionId {
    app.services.collections.create(&OPERATOR, new(settings)).await.unwrap()
}

/// Starts or resumes a collection and sends its requests until it ends.
pub async fn run(app: &TestApp, id: CollectionId, how: CollectionResume) -> CollectionRow {
    let collections = &app.services.collections;
    collections.resume(&OPERATOR, id, how).await.unwrap();
    assert!(collections.send(id).await.unwrap());
    collections.get(&OPERATOR, id).await.unwrap().row
}

pub async fn requests(app: &TestApp, id: CollectionId) -> Vec<RequestRow> {
    app.services.collections.requests(&OPERATOR, id, PageOf::first(PageOf::MOST)).await.unwrap().rows
}

async fn import(app: &TestApp, id: CollectionId) -> SubmissionId {
    let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
    let (matching, invalid) = (Matching::Auto, InvalidLines::Refuse);
    app.services.submissions.import(&OPERATOR, upload, "starter", matching, "Collected", invalid).await.unwrap()
}

/// The task's ID that a prompt of [`numbered`] begins with.
fn task_of(asked: &Asked) -> String {
    asked.prompt().split_whitespace().next().unwrap_or_default().to_owned()
}

/// Settings with a template in which the signature tells tasks apart.
fn numbered() -> CollectionSettings {
    let template = Bilingual { en: "{signature}\n\n{description}".into(), zh: String::new() };
    CollectionSettings { template, ..CollectionSettings::default() }
}

pub fn texts(error: &AppError) -> String {
    format!("{error} {error:?}")
}

#[tokio::test]
async fn responses_become_a_submission_with_all_that_is_known_of_them() {
    let endpoint =
        FakeEndpoint::start(|asked| Does::Says(format!("Sure:\n```java\nint seed{};\n```\nDone.", asked.body["seed"])))
            .await;
    let app = set_up(&endpoint).await;
    let settings = CollectionSettings {
        samples: 2,
        temperature: Some(0.8),
        seed: Some(7),
        response_tokens: Some(100),
        system: "Be brief.".into(),
        parameters: r#"{"top_k": 5}"#.into(),
        ..CollectionSettings::default()
    };
    let id = create(&app, settings).await;
    let detail = app.services.collections.get(&OPERATOR, id).await.unwrap();
    assert_eq!((detail.row.status, endpoint.asked().len()), (CollectionStatus::Draft, 0), "a draft sends nothing");
    assert_eq!((detail.plan.requests, detail.plan.response_tokens), (2 * TASKS as u64, Some(200 * TASKS as u64)));
    assert_eq!(detail.plan.first.len(), 3);

    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 2 * TASKS as u64, 0));
    assert_eq!((row.prompt_tokens, row.response_tokens, row.estimated), (800, 1600, 0));
    let asked = endpoint.asked();
    assert_eq!(asked.len(), 2 * TASKS);
    for one in &asked {
        assert_eq!(one.path, "/v1/chat/completions");
        assert_eq!(one.headers["authorization"], format!("Bearer {KEY}"));
        let fixed = json!({"model": "Collected", "temperature": 0.8, "max_tokens": 100, "top_k": 5});
        for (field, value) in fixed.as_object().unwrap() {
            assert_eq!(&one.body[field], value);
        }
        assert_eq!(one.body["messages"][0], json!({"role": "system", "content": "Be brief."}));
    }
    let seeds: BTreeMap<i64, usize> = asked.iter().fold(BTreeMap::new(), |mut seeds, one| {
        *seeds.entry(one.body["seed"].as_i64().unwrap()).or_default() += 1;
        seeds
    });
    assert_eq!(seeds, BTreeMap::from([(7, TASKS), (8, TASKS)]));

    let submission = import(&app, id).await;
    let outputs = app
        .services
        .submissions
        .outputs(&OPERATOR, submission, OutputFilter::default(), PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows;
    assert_eq!(outputs.len(), 2 * TASKS);
    let output: OutputId = outputs.iter().find(|output| output.sample == 1).unwrap().id;
    let detail = app.services.submissions.output(&OPERATOR, output).await.unwrap();
    assert!(format!("{:?}", detail.code).contains("seed8") && !format!("{:?}", detail.code).contains("seed7"));
    let after = app.services.collections.get(&OPERATOR, id).await.unwrap();
    assert_eq!(after.submissions, [submission]);
    let row = app.services.submissions.get(&OPERATOR, submission).await.unwrap();
    assert_eq!((row.collection, row.left_out), (Some(id), 0));
    // The same responses are the same file, so they are not imported twice.
    let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
    let preview = app.services.submissions.preview(&OPERATOR, upload, "starter", Matching::Auto).await.unwrap();
    assert_eq!((preview.same_as, preview.missing_count, preview.problem_count), (Some(submission), 0, 0));

    let request = requests(&app, id).await.remove(0);
    let detail = app.services.collections.request(&OPERATOR, id, request.id).await.unwrap();
    assert!(detail.messages[1].content.contains("Implement this in Java"), "{detail:?}");
    assert_eq!(detail.response.as_deref(), Some("Sure:\n```java\nint seed7;\n```\nDone."));
    assert_eq!(
        (detail.row.reported_model.as_deref(), detail.row.finish_reason.as_deref()),
        (Some("fake-1"), Some("stop"))
    );
}

/// The endpoint's behavior on each task's first request.
fn trouble(at: usize) -> Does {
    let sends =
        |status: u16, headers: Vec<(&'static str, String)>, body: &str| Does::Sends(status, headers, body.into());
    match at {
        0 => sends(429, vec![("retry-after", "0".into())], "slow down"),
        1 => sends(500, vec![], r#"{"error": {"message": "out of memory"}}"#),
        2 => sends(503, vec![("retry-after", "0".into())], ""),
        3 => Does::CutsOff,
        4 => sends(200, vec![], "<html>a proxy's page</html>"),
        5 => sends(200, vec![], r#"{"choices": []}"#),
        6 => sends(200, vec![], r#"{"error": {"message": "try again"}}"#),
        7 => Does::Hangs,
        8 => sends(408, vec![], ""),
        9 => sends(200, vec![], r#"{"choices": [{"message": {"content": "int a"}, "finish_reason": "length"}]}"#),
        _ => Does::Says("int a;".into()),
    }
}

#[tokio::test]
async fn trouble_of_an_endpoint_delays_and_loses_nothing() {
    let endpoint = FakeEndpoint::start(|asked| {
        let tasks: BTreeSet<usize> =
            BTreeSet::from([asked.body["messages"][0]["content"].as_str().unwrap().len() % 10]);
        if asked.earlier == 0 { trouble(*tasks.first().unwrap()) } else { Does::Says("int a;".into()) }
    })
    .await;
    let app = set_up(&endpoint).await;
    let id = create(&app, CollectionSettings { samples: 3, timeout_s: 1, at_once: 8, ..numbered() }).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 3 * TASKS as u64, 0), "{row:?}");
    let cut_off = requests(&app, id).await.iter().filter(|r| r.finish_reason.as_deref() == Some("length")).count();
    assert_eq!(endpoint.generated() + cut_off, 3 * TASKS, "no request was answered twice");
    assert_eq!((row.ended(End::Length), row.estimated), (cut_off as u64, cut_off as u64));
    assert_eq!(row.sent as usize, endpoint.asked().len());
    assert!(row.sent > row.answered, "there was trouble");
    let all = requests(&app, id).await;
    assert!(all.iter().all(|request| request.status == RequestStatus::Answered && request.error.is_none()));
}

#[tokio::test]
async fn requests_that_fail_for_good_are_listed_and_sent_again_on_request() {
    let endpoint = FakeEndpoint::start(|asked| {
        let at = asked.prompt().len() % 5;
        match at {
            0 if asked.earlier == 0 => Does::Sends(400, vec![], r#"{"error": {"message": "too\u0007 long"}}"#.into()),
            1 if asked.earlier == 0 => Does::Endless,
            _ => Does::Says("int a;".into()),
        }
    })
    .await;
    let app = set_up(&endpoint).await;
    let id = create(&app, CollectionSettings { at_once: 1, ..numbered() }).await;
    let mut row = run(&app, id, CollectionResume::default()).await;
    // Five failures in a row stop it; what the prompts' lengths give is not known here.
    while row.status == CollectionStatus::Stopped {
        assert!(matches!(row.reason, Some(StopReason::Failing(_))), "{row:?}");
        row = run(&app, id, CollectionResume::default()).await;
    }
    assert!(row.failed > 0 && row.failed + row.answered == TASKS as u64, "{row:?}");
    let failed: Vec<_> = requests(&app, id).await.into_iter().filter(|r| r.status == RequestStatus::Failed).collect();
    for request in failed {
        let fault = request.error.unwrap();
        let refused = RequestFault::Status { status: 400, detail: "too long".into() };
        assert!(fault == refused || fault == RequestFault::BodyTooLarge { limit_bytes: 4 << 20 }, "{fault:?}");
    }
    let row = run(&app, id, CollectionResume { failed: true, ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, TASKS as u64, 0));
}

#[tokio::test]
async fn an_endpoint_that_refuses_everything_ends_it_and_shows_no_key() {
    let refusals = [
        (401, format!(r#"{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}"#)),
        (404, "no such model".into()),
        (302, String::new()),
    ];
    for (status, body) in refusals {
        let elsewhere = vec![("location", "http://127.0.0.1:9/".to_owned())];
        let endpoint = FakeEndpoint::start(move |_| Does::Sends(status, elsewhere.clone(), body.clone())).await;
        let app = set_up(&endpoint).await;
        let id = create(&app, CollectionSettings { at_once: 1, ..numbered() }).await;
        let row = run(&app, id, CollectionResume::default()).await;
        let Some(StopReason::Refused(fault)) = &row.reason else { panic!("{row:?}") };
        let why = request_fault(Lang::En, fault);
        assert!(why.contains(&status.to_string()) && !why.contains(KEY), "{why}");
        assert_eq!((endpoint.asked().len(), row.failed), (1, 0), "nothing else is sent, and nothing is given up");
        let database = std::fs::read(app.services.db.path()).unwrap();
        let log = std::fs::read(app.services.db.path().with_extension("sqlite3-wal")).unwrap_or_default();
        for bytes in [database, log] {
            assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "the key is stored");
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_is_gone_ends_it_and_it_resumes() {
    let endpoint = FakeEndpoint::start(|_| Does::Says("int a;".into())).await;
    let app = set_up(&endpoint).await;
    // Nobody listens on the port of a socket that was just closed.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let entries = [format!("fake=http://{gone}")];
    app.services.collections.allow(Endpoints::read(&entries, &[], |_| None).unwrap());
    let id = create(&app, CollectionSettings { at_once: 2, ..numbered() }).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert!(matches!(row.reason, Some(StopReason::Failing(_))), "{row:?}");
    // Its URL is part of what is known of the responses, so another one is refused.
    let entries = [format!("fake={}", endpoint.url)];
    app.services.collections.allow(Endpoints::read(&entries, &[], |_| None).unwrap());
    let refused = app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap_err();
    assert!(texts(&refused).contains(&format!("--endpoint fake=http://{gone}")), "{refused}");
}

#[tokio::test]
async fn limits_end_it_exactly_and_can_be_raised() {
    let endpoint = FakeEndpoint::start(|_| Does::Says("int a;".into())).await;
    let app = set_up(&endpoint).await;
    let id = create(&app, CollectionSettings { max_requests: Some(7), ..numbered() }).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.reason, row.sent, endpoint.asked().len()), (Some(StopReason::MaxRequests), 7, 7));
    let row = run(&app, id, CollectionResume { max_requests: Some(TASKS as u64), ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.answered), (CollectionStatus::Finished, TASKS as u64), "the last one is not too many");

    let limit = 1000;
    let settings = CollectionSettings { max_tokens: Some(limit), response_tokens: Some(20), at_once: 8, ..numbered() };
    let id = create(&app, CollectionSettings { samples: 10, ..settings }).await;
    let row = run(&app, id, CollectionResume::default()).await;
    let used = row.prompt_tokens + row.response_tokens;
    assert_eq!(row.reason, Some(StopReason::MaxTokens));
    assert!(used <= limit && used + 300 > limit, "{used} tokens of {limit}");
}

#[tokio::test]
async fn one_process_sends_and_a_stop_waits_for_responses() {
    let endpoint = FakeEndpoint::start(|_| Does::Slowly(Duration::from_millis(50), "int a;".into())).await;
    let app = set_up(&endpoint).await;
    let id = create(&app, CollectionSettings { samples: 2, at_once: 2, ..numbered() }).await;
    let collections = app.services.collections.clone();
    collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    let [a, b] = [collections.clone(), collections.clone()].map(|c| tokio::spawn(async move { c.send(id).await }));
    while endpoint.asked().len() < 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Stopped and resumed at once: the holder ends, and nobody is stuck.
    collections.stop(&OPERATOR, id).await.unwrap();
    let sent = [a.await.unwrap().unwrap(), b.await.unwrap().unwrap()];
    assert_eq!(sent.iter().filter(|sent| **sent).count(), 1, "one process holds it");
    let row = collections.get(&OPERATOR, id).await.unwrap().row;
    assert_eq!(
        (row.reason, row.answered, row.sent as usize),
        (Some(StopReason::Admin), row.sent, endpoint.asked().len())
    );
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.status, row.answered), (CollectionStatus::Finished, 2 * TASKS as u64));
    assert_eq!(endpoint.asked().len(), 2 * TASKS, "nothing was asked twice");
}

/// The command line is killed with SIGKILL again and again while responses arrive.
#[tokio::test(flavor = "multi_thread")]
async fn killed_programs_lose_no_response_and_repeat_no_answered_request() {
    const AT_ONCE: usize = 4;
    let endpoint = FakeEndpoint::start(|_| Does::Slowly(Duration::from_millis(60), "int a;".into())).await;
    let app = set_up(&endpoint).await;
    let id = create(&app, CollectionSettings { samples: 6, at_once: AT_ONCE as u32, ..numbered() }).await;
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    let (name, number) = (format!("fake={}", endpoint.url), id.to_string());
    let (mut kills, mut stored) = (0, BTreeMap::new());
    loop {
        let mut child = program(&app, &["collect", "--resume", &number, "--endpoint", &name, "--no-import"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let asked = endpoint.asked().len();
        let mut ended = false;
        while endpoint.asked().len() < asked + 17 && !ended {
            ended = child.try_wait().unwrap().is_some();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // A later process takes over when the lease of the killed one has expired.
        app.services.db.write(move |tx| Ok(tx.execute("UPDATE collections SET leased_until = 0", [])?)).await.unwrap();
        for request in requests(&app, id).await.into_iter().filter(|r| r.status == RequestStatus::Answered) {
            let before = stored.insert(request.id, request.clone());
            assert!(before.is_none_or(|before| before == request), "a stored response changed");
        }
        if ended {
            break;
        }
        kills += 1;
        assert!(kills < 100, "it never ends");
    }
    let row = app.services.collections.get(&OPERATOR, id).await.unwrap().row;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 6 * TASKS as u64, 0));
    assert!(kills >= 3, "{kills} kills");
    assert_eq!(endpoint.generated(), 6 * TASKS, "each request has its own key, and no other");
    let most = 6 * TASKS + kills * AT_ONCE;
    assert!(
        endpoint.asked().len() <= most,
        "{} requests, but at most those in flight are repeated",
        endpoint.asked().len()
    );
    assert_eq!((row.prompt_tokens, row.response_tokens), (10 * 240, 20 * 240), "nothing is counted twice");
}

#[tokio::test]
async fn the_command_line_collects_imports_and_shows_what_it_would_send() {
    let endpoint = FakeEndpoint::start(|asked| match task_of(asked).as_str() {
        _ if asked.body["model"] != "small" => Does::Sends(404, vec![], String::new()),
        _ => Does::Says("\u{1b}[31m=cmd()|<script>alert(1)</script>\u{0}".into()),
    })
    .await;
    let app = set_up(&endpoint).await;
    let name = format!("fake={}", endpoint.url);
    let call = |more: &[&str]| {
        let fixed =
            ["--json", "collect", "starter", "--model", "Small", "--endpoint", &name, "--endpoint-model", "small"];
        let mut command = program(&app, &[&fixed[..], more].concat());
        tokio::task::spawn_blocking(move || command.output().unwrap())
    };
    let planned = call(&["--dry-run", "--samples", "2", "--task", "S02", "--task", "S01"]).await.unwrap();
    let plan: Value = serde_json::from_slice(&planned.stdout).unwrap();
    assert_eq!((&plan["requests"], &plan["first"][0]["task_id"]), (&json!(4), &json!("S01")));
    assert_eq!(endpoint.asked().len(), 0);
    let made = call(&[]).await.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(made["collection"]["answered"], TASKS);
    assert!(made["submission"].is_number());
    let id = made["collection"]["id"].to_string();
    for command in [&["collections", "list"][..], &["collections", "show", &id], &["collections", "requests", &id]] {
        let mut command = program(&app, command);
        let shown = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.status.success() && !text.contains('\u{1b}'), "{text}");
    }
    let refused = call(&["--samples", "0"]).await.unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let refused = call(&["--parameters", "{\"model\": 1}"]).await.unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--endpoint-model"));
    let deleted = program(&app, &["collections", "delete", &id]).status().unwrap();
    assert!(deleted.success());
}

#[tokio::test]
async fn the_command_says_for_what_it_waits_and_fails_if_a_request_has_no_answer() {
    let sent = std::sync::atomic::AtomicUsize::new(0);
    let error = |message: &str| json!({ "error": { "message": message } }).to_string();
    let endpoint = FakeEndpoint::start(move |_| match sent.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => Does::Sends(429, vec![("retry-after", "3".into())], error("Slow down")),
        1 => Does::Sends(400, vec![], error("Not this prompt")),
        _ => Does::Says(String::new()),
    })
    .await;
    let app = set_up(&endpoint).await;
    let name = format!("fake={}", endpoint.url);
    let arguments = ["collect", "starter", "--model", "Small", "--endpoint", &name, "--task", "S01", "--task", "S02"];
    let mut command = program(&app, &arguments);
    let made = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let (out, err) = (String::from_utf8(made.stdout).unwrap(), String::from_utf8(made.stderr).unwrap());
    assert_eq!(made.status.code(), Some(2), "{out}{err}");
    for says in ["Waiting 3 s", "Slow down", "1 of 2 requests have no answer", "Not this prompt", "--failed"] {
        assert!(err.contains(says), "{err} does not say {says}");
    }
    for says in
        ["1 of 2 requests answered, 1 failed", "ended by: stop 1", "1 response is empty", "Imported as submission"]
    {
        assert!(out.contains(says), "{out} does not say {says}");
    }
}

/// A dataset of HumanEval-X with two tasks, of which the second has this test.
async fn import_humaneval(app: &TestApp, test: &str) {
    let line = |id: &str, name: &str, test: &str| {
        json!({
            "task_id": format!("Python/{id}"), "prompt": format!("def {name}(x):\n    \"\"\" Same. \"\"\"\n"),
            "declaration": format!("def {name}(x):\n"), "canonical_solution": "    return x\n", "test": test,
            "example_test": "",
        })
    };
    let lines = format!("{}\n{}\n", line("0", "first", "assert first(1) == 1"), line("1", "second", test));
    crate::languages::import(app, &lines).await;
}

#[tokio::test]
async fn whole_functions_become_continuations_and_a_changed_task_ends_the_import() {
    let endpoint = FakeEndpoint::start(|asked| {
        let name = if asked.prompt().contains("def first") { "first" } else { "second" };
        Does::Says(format!("Here:\n```python\ndef {name}(x):\n    return x\n```\nAn example: {name}(1)."))
    })
    .await;
    let app = set_up(&endpoint).await;
    import_humaneval(&app, "assert second(1) == 1").await;
    let dataset = "humaneval-x-python";
    let make = async |tasks: &[&str]| {
        let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
        let new = NewCollection { dataset: dataset.into(), tasks, ..new(CollectionSettings::default()) };
        let id = app.services.collections.create(&OPERATOR, new).await.unwrap();
        run(&app, id, CollectionResume::default()).await;
        id
    };
    let (both, first) = (make(&[]).await, make(&["Python/0"]).await);
    let upload = app.services.collections.upload(&OPERATOR, both).await.unwrap();
    let preview = app.services.submissions.preview(&OPERATOR, upload, dataset, Matching::Auto).await.unwrap();
    assert_eq!((preview.matched, preview.problem_count, preview.missing_count), (2, 0, 0));
    let codes: Vec<String> = preview.first.iter().map(|output| format!("{:?}", output.code)).collect();
    assert!(codes.iter().all(|code| code.contains("return") && !code.contains("example")), "{codes:?}");
    // The second task changes; the collection of the first one still fits.
    import_humaneval(&app, "assert second(2) == 2").await;
    let refused = app.services.collections.upload(&OPERATOR, both).await.unwrap_err();
    assert!(texts(&refused).contains("Tasks of this collection have changed"), "{refused}");
    assert!(app.services.collections.get(&OPERATOR, both).await.unwrap().outdated);
    assert!(!app.services.collections.get(&OPERATOR, first).await.unwrap().outdated);
    let upload = app.services.collections.upload(&OPERATOR, first).await.unwrap();
    let (matching, invalid) = (Matching::Auto, InvalidLines::Refuse);
    let submission = app.services.submissions.import(&OPERATOR, upload, dataset, matching, "M", invalid).await.unwrap();
    assert_eq!(app.services.submissions.get(&OPERATOR, submission).await.unwrap().collection, Some(first));
    // Its answers were paid for, so the dataset cannot be deleted before its collections.
    let upkeep = Upkeeps::get(&*app.services.upkeep, &OPERATOR, Object::Dataset(dataset.into())).await.unwrap();
    let collections = Dependent { kind: DependentKind::Collections, count: 2 };
    assert!(upkeep.in_use.contains(&collections), "{upkeep:?}");
}
