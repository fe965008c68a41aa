//! The client of endpoints against servers from package registries, which are not part of this project: LiteLLM's
//! proxy, through which many reach their models, and aimock, which follows OpenAI's API.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use clients::endpoint::{Ask, Client, Endpoints, Reply, Response};
use model::collection::{ChatMessage, ChatRole, RequestForm};
use prerequisites::PATIENCE;
use serde_json::{Map, json};
use tempfile::TempDir;

const KEY: &str = "sk-server-secret";
const ANSWER: &str = "Here:\n```python\ndef f():\n    return '中文'\n```\n";

/// A server on loopback, until it is dropped.
struct Server {
    child: Child,
    url: String,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a program with the options that `options` makes of a port and a folder with a file, and waits until the server
    /// answers `ready`.
    async fn start(
        program: &mut Command,
        (file, content): (&str, String),
        options: impl Fn(&str, &Path) -> Vec<String>,
        ready: &str,
    ) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), content).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        program.args(options(&address.port().to_string(), &folder.path().join(file)));
        program.current_dir(folder.path()).env("HOME", folder.path());
        program.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = program.spawn().unwrap();
        let mut server = Server { child, url: format!("http://{address}/v1"), folder };
        while reqwest::get(format!("http://{address}{ready}")).await.is_err() {
            if let Some(status) = server.child.try_wait().unwrap() {
                panic!("the server ended with {status}: {}", server.log());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        server
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    async fn ask(&self, key: &str, model: &str, prompt: &str, stream: bool) -> Reply {
        let variable = |name: &str| (name == "AIXGRADE_ENDPOINT_KEY_SERVER").then(|| key.to_owned());
        let endpoints = Endpoints::read(&[format!("server={}", self.url)], &[], variable).unwrap();
        let client = Client::new(endpoints.get("server").unwrap(), PATIENCE).unwrap();
        let messages = [ChatMessage { role: ChatRole::User, content: prompt.into() }];
        let ask = Ask {
            model,
            messages: &messages,
            temperature: Some(0.2),
            top_p: None,
            seed: Some(1),
            max_tokens: Some(100),
            parameters: &Map::new(),
            form: RequestForm { stream, ..RequestForm::default() },
            may_stream: true,
        };
        client.ask(&ask, prompt).await
    }

    async fn answer(&self, model: &str, prompt: &str, stream: bool) -> Response {
        match self.ask(KEY, model, prompt, stream).await {
            Reply::Answered(response) => response,
            other => panic!("{other:?}, {}", self.log()),
        }
    }
}

/// How a request failed, and what the server said, which never contains the key.
fn failure(reply: &Reply) -> (&'static str, String) {
    let (how, fault) = match reply {
        Reply::Limited { fault, .. } => ("limited", fault),
        Reply::Failed { fault, .. } => ("failed", fault),
        Reply::Refused { fault } => ("refused", fault),
        Reply::RefusedAll { fault } => ("refused all", fault),
        Reply::RefusedField { fault, .. } => ("refused field", fault),
        other => panic!("{other:?}"),
    };
    let stored = serde_json::to_string(fault).unwrap();
    assert!(!stored.contains(KEY), "{stored}");
    (how, stored)
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the server is a process")]
async fn answers_and_errors_of_litellm_are_read() {
    let Some(packages) = prerequisites::packages("servers") else { return };
    let model = |name: &str, response: &str| {
        let params = json!({"model": "openai/any", "api_key": "none", "mock_response": response});
        json!({"model_name": name, "litellm_params": params})
    };
    // YAML, of which JSON is a part. Nothing is asked of a model, and nothing is sent again.
    let config = json!({
        "model_list": [
            model("answers", ANSWER),
            model("limited", "litellm.RateLimitError"),
            model("broken", "litellm.InternalServerError"),
            model("long", "litellm.ContextWindowExceededError"),
        ],
        "general_settings": {"master_key": KEY},
        "router_settings": {"num_retries": 0, "disable_cooldowns": true},
    });
    let mut program = Command::new(packages.join("bin/python3"));
    program.arg(packages.join("bin/litellm"));
    // Its list of prices is fetched otherwise.
    program.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env("NO_PROXY", "*");
    let options = |port: &str, config: &Path| {
        let config = config.to_str().unwrap();
        let options = ["--config", config, "--host", "127.0.0.1", "--port", port, "--telemetry", "False"];
        options.map(str::to_owned).to_vec()
    };
    let file = ("config.yaml", config.to_string());
    let server = Server::start(&mut program, file, options, "/health/liveliness").await;

    for stream in [false, true] {
        let response = server.answer("answers", "Write it.", stream).await;
        assert_eq!(response.text, ANSWER, "{stream}");
        assert_eq!(response.finish_reason.as_deref(), Some("stop"), "{stream}");
        assert_eq!(response.model.as_deref(), Some("answers"), "{stream}");
        assert!(response.prompt_tokens > Some(0) && response.response_tokens > Some(0), "{stream}: {response:?}");
        for (name, how, says) in [
            ("limited", "limited", "RateLimitError"),
            ("broken", "failed", "InternalServerError"),
            ("long", "refused", "ContextWindowExceededError"),
            ("nothing", "refused", "Invalid model name"),
        ] {
            let (found, stored) = failure(&server.ask(KEY, name, "Write it.", stream).await);
            assert!(found == how && stored.contains(says), "{name}, {stream}: {found}, {stored}");
        }
    }
    // A proxy without a database does not know other keys.
    let (_, stored) = failure(&server.ask("sk-other", "answers", "Write it.", false).await);
    assert!(stored.contains("No connected db"), "{stored}");
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the server is a process")]
async fn answers_and_errors_of_aimock_are_read() {
    let Some(packages) = prerequisites::packages("servers") else { return };
    let fixture =
        |prompt: &str, response: serde_json::Value| json!({"match": {"userMessage": prompt}, "response": response});
    let error = |status: u16, message: &str, kind: &str, param: Option<&str>, code: &str| json!({"status": status, "error": {"message": message, "type": kind, "param": param, "code": code}});
    let temperature = "Unsupported value: 'temperature' does not support 0.2 with this model.";
    let fixtures = json!({"fixtures": [
        fixture("plain", json!({"content": ANSWER})),
        fixture("thinking", json!({"reasoning": "First this, then that.", "content": "done"})),
        fixture("cut off", json!({"content": "def f(", "finishReason": "length"})),
        fixture("tool", json!({"toolCalls": [{"name": "run", "arguments": {"a": 1}}]})),
        fixture("limited", error(429, "Slow down", "rate_limit_error", None, "rate_limit_exceeded")),
        fixture("spent", error(429, "You exceeded your current quota", "insufficient_quota", None, "insufficient_quota")),
        fixture("broken", error(500, "The server had an error", "server_error", None, "internal")),
        fixture("temperature", error(400, temperature, "invalid_request_error", Some("temperature"), "unsupported_value")),
        {"match": {"userMessage": "broken off"}, "response": {"content": ANSWER.repeat(9)}, "truncateAfterChunks": 2},
    ]});
    let mut program = Command::new("node");
    program.arg(packages.join("node_modules/@copilotkit/aimock/dist/cli.js")).env("AIMOCK_API_KEYS", KEY);
    let options = |port: &str, fixtures: &Path| {
        let fixtures = fixtures.to_str().unwrap();
        ["--port", port, "--fixtures", fixtures, "--strict", "--validate-on-load"].map(str::to_owned).to_vec()
    };
    let file = ("fixtures.json", fixtures.to_string());
    let server = Server::start(&mut program, file, options, "/health").await;

    for stream in [false, true] {
        let response = server.answer("gpt-4o", "plain", stream).await;
        assert_eq!((response.text.as_str(), response.finish_reason.as_deref()), (ANSWER, Some("stop")), "{stream}");
        assert_eq!(response.model.as_deref(), Some("gpt-4o"), "{stream}");
        assert!(response.prompt_tokens > Some(0) && response.response_tokens > Some(0), "{stream}: {response:?}");
        let response = server.answer("deepseek-reasoner", "thinking", stream).await;
        assert_eq!((response.text.as_str(), response.reasoning.as_deref()), ("done", Some("First this, then that.")));
        let response = server.answer("gpt-4o", "cut off", stream).await;
        assert_eq!((response.text.as_str(), response.finish_reason.as_deref()), ("def f(", Some("length")), "{stream}");
        let response = server.answer("gpt-4o", "tool", stream).await;
        assert_eq!((response.text.as_str(), response.finish_reason.as_deref()), ("", Some("tool_calls")), "{stream}");

        for (prompt, how, says) in [
            ("limited", "limited", "Slow down"),
            ("spent", "refused all", "exceeded your current quota"),
            ("broken", "failed", "The server had an error"),
            ("temperature", "refused field", "does not support 0.2"),
            ("nothing like it", "failed", "no fixture matched"),
        ] {
            let (found, stored) = failure(&server.ask(KEY, "gpt-4o", prompt, stream).await);
            assert!(found == how && stored.contains(says), "{prompt}, {stream}: {found}, {stored}");
        }
        let (found, stored) = failure(&server.ask("sk-other", "gpt-4o", "plain", stream).await);
        assert!(found == "refused all" && stored.contains("Invalid API key"), "{stream}: {found}, {stored}");
    }
    let limited = server.ask(KEY, "gpt-4o", "limited", false).await;
    assert!(
        matches!(limited, Reply::Limited { wait: Some(wait), .. } if wait == Duration::from_secs(1)),
        "{limited:?}"
    );
    // A stream that ends before its end is no answer.
    let broken_off = server.ask(KEY, "gpt-4o", "broken off", true).await;
    assert_eq!(failure(&broken_off).0, "failed");
}
