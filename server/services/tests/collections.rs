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
    fault::RequestFault,
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
    for says in
        ["4 responses are empty", "token limit", "content filter", "declined", "a tool", "not known", "left out"]
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

/// A refusal of a field.
fn refusal(status: u16, message: &str, param: Option<&str>) -> Does {
    let error = json!({ "error": { "message": message, "type": "invalid_request_error", "param": param } });
    Does::Sends(status, Vec::new(), error.to_string())
}

/// A stream of these pieces of text.
fn events(pieces: &[&str], end: &str) -> Does {
    let chunk = |content: &&str| {
        let choice = json!({ "index": 0, "delta": { "content": content }, "finish_reason": null });
        format!("data: {}\n\n", json!({ "object": "chat.completion.chunk", "model": "m", "choices": [choice] }))
    };
    let all = pieces.iter().map(chunk).collect::<String>();
    Does::Sends(200, vec![("content-type", "text/event-stream".into())], format!(": ping\n\n{all}{end}"))
}

const CODE: [&str; 3] = ["```java\nint", " a;\n", "```"];
const DONE: &str = "data: [DONE]\n\n";

#[tokio::test]
async fn the_first_request_finds_out_what_the_endpoint_wants() {
    let bench = Bench::new(|asked| match &asked.body {
        body if body.get("max_tokens").is_some() => refusal(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some("max_tokens"),
        ),
        body if body["stream"] != true => {
            refusal(400, "This model only support stream mode, please enable the stream parameter.", None)
        }
        body if body.get("stream_options").is_some() => refusal(422, "Unknown field: stream_options", None),
        _ => events(&CODE, DONE),
    })
    .await;
    let settings = CollectionSettings { response_tokens: Some(500), seed: Some(1), ..CollectionSettings::default() };
    let row = bench.run(6, settings).await;
    assert_eq!((row.status, row.answered, row.failed, row.sent), (CollectionStatus::Finished, 6, 0, 9), "{row:?}");
    let fields = bench.fields();
    let last = json!({ "model": "Collected", "seed": 1, "max_completion_tokens": 500, "stream": true });
    assert!(fields[3..].iter().all(|sent| *sent == last), "{fields:?}");
    let keys: std::collections::BTreeSet<String> = bench.endpoint.asked().iter().map(Asked::key).collect();
    assert_eq!(keys.len(), 9, "another request has another idempotency key");
    let response = bench.request(row.id, 0).await.response;
    assert_eq!(response.as_deref(), Some(&*CODE.concat()));
    let detail = bench.services.collections.get(&OPERATOR, row.id).await.unwrap();
    let form = detail.form.unwrap();
    assert!(form.stream && form.max_completion_tokens && form.no_stream_options, "{form:?}");
}

#[tokio::test]
async fn what_was_found_out_holds_when_a_collection_goes_on() {
    let bench = Bench::new(|asked| match asked.body["stream"] == true {
        true => events(&CODE, DONE),
        false => refusal(400, "Streaming is required", None),
    })
    .await;
    let settings = CollectionSettings { max_requests: Some(3), ..in_turn() };
    let row = bench.run(4, settings).await;
    assert_eq!((row.reason, row.answered), (Some(StopReason::MaxRequests), 2));
    let how = CollectionResume { max_requests: Some(20), ..CollectionResume::default() };
    bench.services.collections.resume(&OPERATOR, row.id, how).await.unwrap();
    assert!(bench.services.collections.send(row.id).await.unwrap());
    let streamed = bench.fields().iter().filter(|sent| sent["stream"] == true).count();
    assert_eq!((bench.endpoint.asked().len(), streamed), (5, 4), "one request found it out, once");
}

#[tokio::test]
async fn a_refused_field_stops_it_after_one_request_and_it_says_what_to_change() {
    let words = "does not support 0.2 with this model";
    let check = async |settings: CollectionSettings, does: Does, says: [&str; 3]| {
        let bench = Bench::new(move |_| does.clone()).await;
        let row = bench.run(5, settings).await;
        assert_eq!((row.status, row.sent, row.failed), (CollectionStatus::Stopped, 1, 0), "{row:?}");
        let reason = texts::collections::stop_reason(row.reason.as_ref().unwrap());
        for says in says {
            assert!(reason.en.contains(says), "{} does not say {says}", reason.en);
        }
    };
    let usual = CollectionSettings::default;
    let temperature = || CollectionSettings { temperature: Some(0.2), ..usual() };
    let refused = refusal(400, &format!("Unsupported value: 'temperature' {words}."), Some("temperature"));
    check(temperature(), refused, ["the field temperature", words, "--temperature"]).await;
    let refused = refusal(400, "litellm.UnsupportedParamsError: model does not support temperature=0.2", None);
    check(temperature(), refused, ["the field temperature", "UnsupportedParamsError", "--temperature"]).await;
    let settings = CollectionSettings { seed: Some(1), ..usual() };
    let detail = json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Not permitted" }] });
    let refused = Does::Sends(422, Vec::new(), detail.to_string());
    check(settings, refused, ["the field seed", "Not permitted", "--seed"]).await;
    let settings = CollectionSettings { parameters: r#"{"top_k": 5}"#.into(), ..usual() };
    check(
        settings,
        refusal(400, "Unrecognized argument: top_k", None),
        ["the field top_k", "Unrecognized", "--parameters"],
    )
    .await;
    let settings = CollectionSettings { stream: Some(false), ..usual() };
    let refused = refusal(400, "This model only supports stream mode", None);
    check(settings, refused, ["the field stream", "only supports stream", "--stream"]).await;
    let settings = CollectionSettings { response_tokens: Some(9999), ..usual() };
    let refused = refusal(400, "max_tokens is too large: 9999. At most 4096 are possible.", Some("max_tokens"));
    check(settings, refused, ["the field max_tokens", "too large", "--response-tokens"]).await;
}

#[tokio::test]
async fn a_prompt_that_is_too_long_fails_alone() {
    let long = refusal(400, "This model's maximum context length is 8192 tokens. Reduce max_tokens.", Some("messages"));
    let good = choice(json!({ "content": "int a;" }), json!("stop"));
    let bench = Bench::new(each(vec![long, good])).await;
    let row = bench.run(4, CollectionSettings { response_tokens: Some(100), ..in_turn() }).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 3, 1), "{row:?}");
}

#[tokio::test]
async fn a_stream_is_read_to_its_end_or_is_an_error() {
    let half = events(&CODE[..1], "");
    let failed = events(&CODE[..1], "data: {\"error\": {\"message\": \"Overloaded\", \"code\": 503}}\n\n");
    let finish = r#"data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}"#;
    // Nobody asked for a stream, and the first two are sent again.
    let bench = Bench::new(each(vec![half, failed, events(&CODE, DONE), events(&CODE, finish)])).await;
    let row = bench.run(2, in_turn()).await;
    assert_eq!((row.answered, row.failed, row.sent), (2, 0, 4), "{row:?}");
    assert_eq!((row.ended(model::collection::End::Length), row.estimated), (1, 1));
    for at in [0, 1] {
        assert_eq!(bench.request(row.id, at).await.response.as_deref(), Some(&*CODE.concat()));
    }
    assert!(bench.fields().iter().all(|sent| sent.get("stream").is_none()));
}

#[tokio::test]
async fn fields_that_have_an_option_are_refused_with_its_name() {
    let bench = Bench::new(|_| Does::Says("int a;".into())).await;
    for (field, option) in [
        ("stream", "--stream"),
        ("n", "--samples"),
        ("max_tokens", "--response-tokens"),
        ("temperature", "--temperature"),
        ("top_p", "--top-p"),
        ("seed", "--seed"),
        ("model", "--endpoint-model"),
        ("messages", "prompt template"),
    ] {
        let settings =
            CollectionSettings { parameters: format!("{{\"{field}\": true}}"), ..CollectionSettings::default() };
        let new = NewCollection {
            dataset: "starter".into(),
            model: "M".into(),
            endpoint: "fake".into(),
            settings,
            ..NewCollection::default()
        };
        let refused = bench.services.collections.create(&OPERATOR, new).await.unwrap_err().to_string();
        assert!(refused.contains(option) && refused.contains(field), "{refused} does not say {option}");
    }
    // Another field for the same limit counts in the reckoning of tokens.
    let settings =
        CollectionSettings { parameters: r#"{"max_completion_tokens": 500}"#.into(), ..CollectionSettings::default() };
    let id = bench.create(2, settings.clone()).await;
    let plan = bench.services.collections.get(&OPERATOR, id).await.unwrap().plan;
    assert_eq!(plan.response_tokens, Some(1000));
    let twice = CollectionSettings { response_tokens: Some(100), ..settings };
    let new = NewCollection {
        dataset: "starter".into(),
        model: "M".into(),
        endpoint: "fake".into(),
        settings: twice,
        ..NewCollection::default()
    };
    assert!(bench.services.collections.create(&OPERATOR, new).await.is_err());
}

#[tokio::test]
async fn a_collection_that_waits_says_for_what() {
    let headers = vec![("retry-after", "3000".to_owned())];
    let limited = Does::Sends(429, headers, json!({ "error": { "message": "Slow down" } }).to_string());
    let bench = Bench::new(move |_| limited.clone()).await;
    let id = bench.create(3, CollectionSettings::default()).await;
    let collections = bench.services.collections.clone();
    collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    let sender = tokio::spawn({
        let collections = collections.clone();
        async move { collections.send(id).await }
    });
    let waiting = loop {
        if let Some(waiting) = collections.get(&OPERATOR, id).await.unwrap().row.waiting {
            break waiting;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(waiting.until > base::clock::now());
    assert_eq!(waiting.fault, RequestFault::Status { status: 429, detail: "Slow down".into() });
    collections.stop(&OPERATOR, id).await.unwrap();
    sender.await.unwrap().unwrap();
    let row = collections.get(&OPERATOR, id).await.unwrap().row;
    assert_eq!((row.status, row.waiting), (CollectionStatus::Stopped, None));
}

#[test]
fn reasons_of_an_end_have_a_meaning_in_every_servers_words() {
    use model::collection::End;
    let check = |end: End, reasons: &[&str]| reasons.iter().for_each(|one| assert_eq!(End::of(one), end, "{one}"));
    check(End::Stop, &["stop", "STOP", "end_turn", "eos", "stop_sequence"]);
    check(End::Length, &["length", "MAX_TOKENS", "max_output_tokens", "model_length"]);
    check(End::Filter, &["content_filter", "content_filter: SAFETY", "SAFETY", "refusal", "sensitive"]);
    check(End::Tools, &["tool_calls", "tool_use", "function_call"]);
    check(End::Other, &["", "unknown", "stopped by nobody", "7"]);
}
