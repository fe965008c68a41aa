//! An endpoint on this machine that speaks the chat completions protocol, and misbehaves as a test asks.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, StatusCode, Uri, header},
    routing::any,
};
use futures::{StreamExt, stream};
use serde_json::{Value, json};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    /// How many requests with the same idempotency key arrived before.
    pub earlier: usize,
}

impl Asked {
    /// The last message.
    pub fn prompt(&self) -> &str {
        self.body["messages"].as_array().and_then(|all| all.last()).and_then(|m| m["content"].as_str()).unwrap_or("")
    }

    pub fn key(&self) -> String {
        self.headers["idempotency-key"].to_str().unwrap().to_owned()
    }
}

/// The endpoint's behavior on a request.
#[derive(Clone, Debug)]
pub enum Does {
    /// A chat completion with this text.
    Says(String),
    /// The same after a while.
    Slowly(Duration, String),
    /// Any other answer.
    Sends(u16, Vec<(&'static str, String)>, String),
    /// Half of a body whose length was announced.
    CutsOff,
    /// A body without end, as fast as it is read.
    Endless,
    /// No answer for an hour.
    Hangs,
}

type Script = dyn Fn(&Asked) -> Does + Send + Sync;

/// The endpoint. It answers a repeated idempotency key with the text that it gave before.
#[derive(Clone)]
pub struct FakeEndpoint {
    /// The address before `/chat/completions`.
    pub url: String,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    asked: Vec<Asked>,
    /// Texts by idempotency key.
    said: BTreeMap<String, String>,
}

impl FakeEndpoint {
    pub async fn start(script: impl Fn(&Asked) -> Does + Send + Sync + 'static) -> FakeEndpoint {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let log = Arc::new(Mutex::new(Log::default()));
        let (script, seen): (Arc<Script>, _) = (Arc::new(script), log.clone());
        let router = Router::new().fallback(any(answer)).with_state((script, seen));
        tokio::spawn(async move { axum::serve(listener, router).await });
        FakeEndpoint { url, log }
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().asked.clone()
    }

    /// How many keys a model was asked for, where a repeated key does not count.
    pub fn generated(&self) -> usize {
        self.log.lock().unwrap().said.len()
    }
}

async fn answer(
    State((script, log)): State<(Arc<Script>, Arc<Mutex<Log>>)>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let (asked, said) = {
        let mut log = log.lock().unwrap();
        let key = headers.get("idempotency-key").cloned();
        let earlier = log.asked.iter().filter(|one| one.headers.get("idempotency-key") == key.as_ref()).count();
        let asked = Asked { path: uri.path().into(), headers, body, earlier };
        log.asked.push(asked.clone());
        let said = log.said.get(&asked.key()).cloned();
        (asked, said)
    };
    let does = said.map_or_else(|| script(&asked), Does::Says);
    let says = |text: String| {
        log.lock().unwrap().said.insert(asked.key(), text.clone());
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30});
        let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
        let body = json!({"model": "fake-1", "choices": [choice], "usage": usage});
        response(200, &[], Body::from(body.to_string()))
    };
    match does {
        Does::Says(text) => says(text),
        Does::Slowly(wait, text) => {
            tokio::time::sleep(wait).await;
            says(text)
        }
        Does::Sends(status, headers, body) => response(status, &headers, Body::from(body)),
        Does::CutsOff => {
            let length = [("content-length", "1000".to_owned())];
            let parts = stream::iter([Ok("{\"choices\": "), Err(std::io::Error::other("gone"))]);
            response(200, &length, Body::from_stream(parts))
        }
        Does::Endless => {
            let space = Bytes::from(vec![b' '; 64 * 1024]);
            response(200, &[], Body::from_stream(stream::repeat(space).map(Ok::<_, Infallible>)))
        }
        Does::Hangs => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            response(200, &[], Body::empty())
        }
    }
}

fn response(status: u16, headers: &[(&'static str, String)], body: Body) -> Response<Body> {
    let mut response = Response::builder().status(StatusCode::from_u16(status).unwrap());
    if headers.iter().all(|(name, _)| *name != header::CONTENT_TYPE.as_str()) {
        response = response.header(header::CONTENT_TYPE, "application/json");
    }
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(body).unwrap()
}
