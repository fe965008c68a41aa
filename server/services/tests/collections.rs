//! What a collection makes of every answer of an endpoint. Collections in a whole server are in `server/tests/it`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

#[path = "../../tests/util/endpoint.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod endpoint;

use std::time::Duration;

use clients::endpoint::Endpoints;
use model::{
    caller::{Admin, System},
    collection::{
        CollectionResume, CollectionRow, CollectionSettings, CollectionStatus, NewCollection, RequestDetail,
        RequestRow, StopReason,
    },
    ids::CollectionId,
    page::PageOf,
    run::EngineReadiness,
    submission::{InvalidLines, Matching, OutputFilter},
};
use port::{Submissions as _, collections::Collections as _};
use serde_json::{Value, json};
use services::{Services, collections::Pace, starter};

use endpoint::{Asked, Does, FakeEndpoint};

const OPERATOR: Admin = System.admin();

/// A data folder with the starter dataset, whose process may send requests to an endpoint.
struct Bench {
    services: Services,
    endpoint: FakeEndpoint,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new(script: impl Fn(&Asked) -> Does + Send + Sync + 'static) -> Bench {
        let endpoint = FakeEndpoint::start(script).await;
        let folder = tempfile::tempdir().unwrap();
        let services = Services::open_with(folder.path(), |_| EngineReadiness::default()).unwrap();
        starter::load(&services).await.unwrap();
        let entries = [format!("fake={}", endpoint.url)];
        services.collections.allow(Endpoints::read(&entries, &[], |_| None).unwrap());
        // Waits that do not slow tests down.
        services.collections.set_pace(Pace {
            first_wait: Duration::from_millis(2),
            longest_wait: Duration::from_millis(10),
            look: Duration::from_millis(20),
        });
        Bench { services, endpoint, _folder: folder }
    }

    /// A collection of the first tasks, with these settings.
    async fn create(&self, tasks: usize, settings: CollectionSettings) -> CollectionId {
        let new = NewCollection {
            dataset: "starter".into(),
            model: "Collected".into(),
            endpoint: "fake".into(),
            tasks: (1..=tasks).map(|n| format!("S{n:02}")).collect(),
            settings,
            ..NewCollection::default()
        };
        self.services.collections.create(&OPERATOR, new).await.unwrap()
    }

    /// Sends the requests of a new collection until it ends.
    async fn run(&self, tasks: usize, settings: CollectionSettings) -> CollectionRow {
        let id = self.create(tasks, settings).await;
        self.go_on(id).await
    }

    async fn go_on(&self, id: CollectionId) -> CollectionRow {
        let collections = &self.services.collections;
        collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
        assert!(collections.send(id).await.unwrap());
        collections.get(&OPERATOR, id).await.unwrap().row
    }

    async fn requests(&self, id: CollectionId) -> Vec<RequestRow> {
        self.services.collections.requests(&OPERATOR, id, PageOf::first(PageOf::MOST)).await.unwrap().rows
    }

    async fn request(&self, id: CollectionId, at: usize) -> RequestDetail {
        let request = self.requests(id).await[at].id;
        self.services.collections.request(&OPERATOR, id, request).await.unwrap()
    }

    /// Fields of the requests that the endpoint got, without the messages.
    fn fields(&self) -> Vec<Value> {
        let without = |asked: Asked| {
            let mut fields = asked.body;
            fields.as_object_mut().unwrap().remove("messages");
            fields
        };
        self.endpoint.asked().into_iter().map(without).collect()
    }
}

/// An answer of status 200 with this body.
fn body(value: &Value) -> Does {
    Does::Sends(200, Vec::new(), value.to_string())
}

/// A completion of one choice.
fn choice(message: Value, finish_reason: Value) -> Does {
    body(&json!({
        "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 20 },
    }))
}

/// One request at a time, so that the nth request is for the nth task.
fn in_turn() -> CollectionSettings {
    CollectionSettings { at_once: 1, ..CollectionSettings::default() }
}

/// A script whose nth request gets the nth answer, and all others the last.
fn each(answers: Vec<Does>) -> impl Fn(&Asked) -> Does + Send + Sync + 'static {
    let sent = std::sync::atomic::AtomicUsize::new(0);
    move |_| {
        let at = sent.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        answers[at.min(answers.len() - 1)].clone()
    }
}

#[tokio::test]
async fn a_response_is_stored_with_what_is_apart_from_it_and_counted_by_its_end() {
    let code = "```java\nint a;\n```";
    let thinking = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "Hm." }] });
    let bench = Bench::new(each(vec![
        choice(
            json!({ "content": [thinking, { "type": "text", "text": code }, { "type": "image_url" }] }),
            json!("stop"),
        ),
        choice(json!({ "content": null, "reasoning_content": format!("A draft: {code}") }), json!("length")),
        choice(json!({ "content": " \n", "reasoning": "Hm." }), json!("stop")),
        choice(json!({ "content": null, "refusal": "No." }), json!("content_filter")),
        choice(json!({ "content": null, "tool_calls": [{ "type": "function" }] }), json!("tool_calls")),
        choice(json!({ "content": code }), json!(null)),
        choice(json!({ "content": code }), json!("whatever")),
    ]))
    .await;
    let row = bench.run(7, in_turn()).await;
    assert_eq!((row.status, row.answered, row.sent), (CollectionStatus::Finished, 7, 7), "{row:?}");
    let ends: Vec<(Option<&str>, u64)> = row.ends.iter().map(|end| (end.reason.as_deref(), end.responses)).collect();
    assert_eq!(ends[0], (Some("stop"), 2));
    for one in [None, Some("length"), Some("content_filter"), Some("tool_calls"), Some("whatever")] {
        assert!(ends.contains(&(one, 1)), "{ends:?}");
    }
    assert_eq!((row.empty, row.refused, row.other_parts), (4, 1, 1));
    let texts = [texts::collections::EN.warnings(&row), texts::collections::ZH.warnings(&row)];
    let [en, zh] = texts.map(|all| all.join("\n"));
    for says in ["4 responses are empty", "token limit", "content filter", "refuses", "a tool", "not known", "left out"]
    {
        assert!(en.contains(says), "{en} does not say {says}");
    }
    assert_eq!(zh.lines().count(), en.lines().count());

    let parts = bench.request(row.id, 0).await;
    assert_eq!((parts.response.as_deref(), parts.reasoning.as_deref()), (Some(code), Some("Hm.")));
    assert_eq!(parts.other_parts, ["image_url"]);
    let refused = bench.request(row.id, 3).await;
    assert_eq!((refused.response.as_deref(), refused.refusal.as_deref()), (Some(""), Some("No.")));

    // Reasoning goes with the output, but is no part of it.
    let upload = bench.services.collections.upload(&OPERATOR, row.id).await.unwrap();
    let submissions = &bench.services.submissions;
    let preview = submissions.preview(&OPERATOR, upload, "starter", Matching::Auto).await.unwrap();
    assert_eq!(preview.empty_count, 4);
    let (matching, invalid) = (Matching::Auto, InvalidLines::Refuse);
    let submission = submissions.import(&OPERATOR, upload, "starter", matching, "Collected", invalid).await.unwrap();
    let page = PageOf::first(PageOf::MOST);
    let outputs = submissions.outputs(&OPERATOR, submission, OutputFilter::default(), page).await.unwrap().rows;
    let mut found = Vec::new();
    for output in outputs {
        let detail = submissions.output(&OPERATOR, output.id).await.unwrap();
        assert!(!format!("{:?}", detail.code).contains("Hm."), "{:?}", detail.code);
        found.push((output.task_id, detail.reasoning));
    }
    found.sort();
    let reasoning: Vec<Option<&str>> = found.iter().map(|(_, text)| text.as_deref()).collect();
    assert_eq!(reasoning, [Some("Hm."), Some(&*format!("A draft: {code}")), Some("Hm."), None, None, None, None]);
}

#[tokio::test]
async fn an_error_inside_an_answer_is_an_error_and_is_not_asked_for_in_vain() {
    let bad = |code: Value| json!({ "code": code, "message": "Provider returned error" });
    let html = "<html>Sign in</html>";
    let check = async |does: Does, sent: usize, says: &str| {
        let bench = Bench::new(move |_| does.clone()).await;
        let row = bench.run(1, in_turn()).await;
        assert_eq!((row.answered, bench.endpoint.asked().len()), (0, sent), "{row:?}");
        let request = bench.requests(row.id).await.remove(0);
        let fault = texts::faults::request_fault(model::lang::Lang::En, request.error.as_ref().unwrap());
        assert!(fault.contains(says), "{fault} does not say {says}");
    };
    // What may pass is asked for again.
    check(body(&json!({ "error": bad(json!(502)) })), 7, "(502): Provider returned error").await;
    let failed = json!({ "choices": [{ "error": bad(json!(503)), "message": { "content": "half" }, "finish_reason": "error" }] });
    check(body(&failed), 7, "(503): Provider returned error").await;
    // Without a status, nobody knows.
    check(body(&json!({ "error": bad(json!("what")) })), 3, "Provider returned error").await;
    check(choice(json!({ "content": "half" }), json!("error")), 3, "finish_reason").await;
    check(Does::Sends(200, Vec::new(), html.into()), 3, "not JSON").await;
    check(body(&json!({ "choices": [] })), 3, "no response of the model").await;
    // The same request gets the same answer.
    check(body(&json!({ "error": bad(json!(400)) })), 1, "(400): Provider returned error").await;
    check(body(&json!({ "choices": [{ "message": "text" }] })), 1, "not a chat completion").await;
    check(body(&json!({ "result": "text" })), 1, "\"choices\" is missing").await;
    check(choice(json!({ "content": 7 }), json!("stop")), 1, "\"content\" is a number").await;
}

#[tokio::test]
async fn a_collection_stops_at_once_when_the_money_is_spent() {
    let spent = "You exceeded your current quota, please check your plan and billing details.";
    let error = |error: Value| json!({ "error": error }).to_string();
    for (status, text) in [
        (429, error(json!({ "message": spent, "type": "insufficient_quota", "code": "insufficient_quota" }))),
        (429, error(json!({ "message": spent, "type": "exceeded_current_quota_error" }))),
        (400, error(json!({ "message": spent, "code": "Arrearage" }))),
        (200, json!({ "base_resp": { "status_code": 1008, "status_msg": spent } }).to_string()),
    ] {
        let bench = Bench::new(move |_| Does::Sends(status, Vec::new(), text.clone())).await;
        let row = bench.run(5, CollectionSettings::default()).await;
        let Some(StopReason::Refused(fault)) = &row.reason else { panic!("{row:?}") };
        assert!(texts::faults::request_fault(model::lang::Lang::En, fault).contains(spent), "{fault:?}");
        assert_eq!(row.failed, 0, "resumed with money, it sends everything");
        assert!(bench.endpoint.asked().len() <= 4, "only what was in flight");
    }
}

#[tokio::test]
async fn a_limit_of_requests_waits_as_long_as_the_endpoint_says() {
    let limited =
        |headers: Vec<(&'static str, String)>| Does::Sends(429, headers, json!({ "error": "Slow down" }).to_string());
    let good = choice(json!({ "content": "int a;" }), json!("stop"));
    for header in [("retry-after-ms", "30"), ("retry-after", "0"), ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")] {
        let limited = limited(vec![(header.0, header.1.to_owned())]);
        let bench = Bench::new(each(vec![limited.clone(), limited, good.clone()])).await;
        let row = bench.run(1, in_turn()).await;
        assert_eq!((row.answered, row.sent), (1, 3), "{header:?}: {row:?}");
        assert_eq!(bench.requests(row.id).await[0].attempts, 1, "a limit is no attempt");
    }
}
