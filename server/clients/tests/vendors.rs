//! Answers of today's servers, in the shapes that their public documentation describes (`tests/vendors`; the values are our
//! own), as a client reads them from a connection.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

#[path = "../../tests/util/endpoint.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod endpoint;

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use clients::endpoint::{Ask, Client, Endpoints, Reply, Response};
use model::{
    collection::{ChatMessage, ChatRole, RequestForm},
    fault::RequestFault,
};
use prerequisites::PATIENCE;
use serde::Deserialize;
use serde_json::{Map, Value};

use endpoint::{Does, FakeEndpoint};

/// The servers that must be among the files.
const VENDORS: [&str; 11] = [
    "anthropic",
    "deepseek",
    "gateways",
    "gemini",
    "llama_cpp",
    "lm_studio",
    "ollama",
    "openai",
    "qwen",
    "sglang",
    "vllm",
];
const KEY: &str = "sk-vendor-secret";

/// A file: a vendor's answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vendor {
    vendor: String,
    documented: Vec<String>,
    answers: Vec<Answer>,
}

/// An answer, and what it says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    what: String,
    #[serde(default = "success")]
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Its body as JSON, as it comes, or as events: JSON is data, a text is a line, but `[DONE]` is data.
    body: Option<Value>,
    raw: Option<String>,
    #[serde(default)]
    events: Vec<Value>,
    /// Whether the request asks for a stream.
    #[serde(default)]
    stream: bool,
    reads: Option<Reads>,
    fails: Option<Fails>,
}

fn success() -> u16 {
    200
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reads {
    text: String,
    reasoning: Option<String>,
    refusal: Option<String>,
    other_parts: Vec<String>,
    finish_reason: Option<String>,
    model: String,
    tokens: [Option<u64>; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fails {
    /// `limited`, `failed`, `refused`, `refused_all`, `field: NAME` or `form: FIELD`.
    r#as: String,
    /// What the endpoint says.
    says: String,
    wait_ms: Option<u64>,
}

impl Answer {
    fn does(&self) -> Does {
        let event = |event: &Value| match event {
            Value::String(done) if done == "[DONE]" => format!("data: {done}\n\n"),
            Value::String(lines) => format!("{lines}\n\n"),
            json => format!("data: {json}\n\n"),
        };
        let body = match (&self.body, &self.raw) {
            (Some(body), None) => body.to_string(),
            (None, Some(raw)) => raw.clone(),
            _ => self.events.iter().map(event).collect(),
        };
        let mut headers: Vec<(&'static str, String)> =
            self.headers.iter().map(|(name, value)| (name.clone().leak() as &str, value.clone())).collect();
        if !self.events.is_empty() && !self.headers.contains_key("content-type") {
            headers.push(("content-type", "text/event-stream; charset=utf-8".into()));
        }
        Does::Sends(self.status, headers, body)
    }
}

async fn reply(answer: &Answer) -> Reply {
    let does = answer.does();
    let server = FakeEndpoint::start(move |_| does.clone()).await;
    let key = |name: &str| (name == "AIXGRADE_ENDPOINT_KEY_FAKE").then(|| KEY.to_owned());
    let endpoints = Endpoints::read(&[format!("fake={}", server.url)], &[], key).unwrap();
    let client = Client::new(endpoints.get("fake").unwrap(), PATIENCE).unwrap();
    let messages = [ChatMessage { role: ChatRole::User, content: "Write it.".into() }];
    let ask = Ask {
        model: "model-1",
        messages: &messages,
        temperature: Some(0.2),
        top_p: None,
        seed: Some(1),
        max_tokens: Some(100),
        parameters: &Map::new(),
        form: RequestForm { stream: answer.stream, ..RequestForm::default() },
        may_stream: true,
    };
    client.ask(&ask, "key").await
}

/// How a reply fails, its fault and its wait.
fn failure(reply: Reply) -> (String, RequestFault, Option<Duration>) {
    match reply {
        Reply::Limited { fault, wait } => ("limited".into(), fault, wait),
        Reply::Failed { fault, wait } => ("failed".into(), fault, wait),
        Reply::Refused { fault } => ("refused".into(), fault, None),
        Reply::RefusedAll { fault } => ("refused_all".into(), fault, None),
        Reply::RefusedField { field, fault } => (format!("field: {field}"), fault, None),
        Reply::OtherForm { form: RequestForm { stream, max_completion_tokens, .. }, fault } => {
            let field = match (stream, max_completion_tokens) {
                (_, true) => "max_completion_tokens",
                (true, false) => "stream",
                (false, false) => "stream_options",
            };
            (format!("form: {field}"), fault, None)
        }
        Reply::Answered(response) => panic!("{response:?}"),
    }
}

#[tokio::test]
async fn answers_of_todays_servers_mean_what_their_documentation_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendors");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, VENDORS);
    for name in names {
        let file = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let vendor: Vendor = serde_json::from_str(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!vendor.documented.is_empty() && !vendor.answers.is_empty(), "{name}");
        for answer in &vendor.answers {
            let of = format!("{}, {}", vendor.vendor, answer.what);
            let reply = reply(answer).await;
            match (&answer.reads, &answer.fails) {
                (Some(Reads { text, reasoning, refusal, other_parts, finish_reason, model, tokens }), None) => {
                    let expected = Response {
                        text: text.clone(),
                        reasoning: reasoning.clone(),
                        refusal: refusal.clone(),
                        other_parts: other_parts.clone(),
                        finish_reason: finish_reason.clone(),
                        model: Some(model.clone()),
                        prompt_tokens: tokens[0],
                        response_tokens: tokens[1],
                    };
                    assert_eq!(reply, Reply::Answered(expected), "{of}");
                }
                (None, Some(Fails { r#as, says, wait_ms })) => {
                    let (how, fault, wait) = failure(reply);
                    assert_eq!((&how, wait), (r#as, wait_ms.map(Duration::from_millis)), "{of}: {fault:?}");
                    let stored = serde_json::to_value(&fault).unwrap();
                    let detail = stored.get("detail").and_then(Value::as_str).unwrap_or_default();
                    let code = stored["code"].as_str().unwrap();
                    assert!(detail.contains(says) || code == says, "{of}: {stored} does not say {says}");
                    assert!(!stored.to_string().contains(KEY), "{of}: {stored}");
                }
                _ => panic!("{of}: either it reads or it fails"),
            }
        }
    }
}
