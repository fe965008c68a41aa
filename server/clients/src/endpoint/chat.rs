//! A request of the chat completions protocol, and what its answer means.
//!
//! Whatever an endpoint answers is bounded in size and time, and is either a response or an error with a cause. No
//! redirect is followed and no proxy is used, so a request reaches the host that the operator named, or none.

use std::time::{Duration, SystemTime};

use model::{collection::ChatMessage, fault::RequestFault};
use reqwest::{
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect::Policy,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Endpoint, Key,
    completion::{Completion, NoCompletion},
    refusal::Said,
    wait,
};
use base::error::chain;

/// Maximum length of a response's text in bytes, that of an output.
pub const LONGEST_RESPONSE: usize = 256 * 1024;
/// Maximum size of an HTTP body in bytes: a response whose every character is escaped, with room for reasoning.
const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// Maximum size of the body of an error of which a part is shown, in bytes.
const LARGEST_ERROR: usize = 64 * 1024;
/// Maximum length of an error's text in characters.
const LONGEST_ERROR: usize = 300;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// A request.
pub struct Ask<'a> {
    /// The model's name at the endpoint.
    pub model: &'a str,
    pub messages: &'a [ChatMessage],
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub seed: Option<i64>,
    /// Maximum tokens of the response.
    pub max_tokens: Option<u32>,
    /// Further fields.
    pub parameters: &'a Map<String, Value>,
}

impl Ask<'_> {
    /// Fields that requests have of their own, which [`Ask::parameters`] cannot replace.
    pub const OWN: [&'static str; 8] =
        ["model", "messages", "temperature", "top_p", "seed", "max_tokens", "n", "stream"];

    /// The request's body.
    fn body(&self) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            model: &'a str,
            messages: &'a [ChatMessage],
            #[serde(skip_serializing_if = "Option::is_none")]
            temperature: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            top_p: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            seed: Option<i64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            max_tokens: Option<u32>,
            #[serde(flatten)]
            parameters: &'a Map<String, Value>,
        }
        serde_json::to_vec(&Body {
            model: self.model,
            messages: self.messages,
            temperature: self.temperature,
            top_p: self.top_p,
            seed: self.seed,
            max_tokens: self.max_tokens,
            parameters: self.parameters,
        })
    }
}

/// A model's response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Its text as it came; empty if the model said nothing.
    pub text: String,
    /// Its reasoning, where the endpoint sends it apart from the text.
    pub reasoning: Option<String>,
    /// The words with which the model refuses to answer, where the endpoint sends them apart from the text.
    pub refusal: Option<String>,
    /// Types of the parts that are neither text nor reasoning, which are left out.
    pub other_parts: Vec<String>,
    /// Why it ended, in the endpoint's word.
    pub finish_reason: Option<String>,
    /// The model's name as the endpoint reported it.
    pub model: Option<String>,
    /// Tokens, as the endpoint counted them.
    pub prompt_tokens: Option<u64>,
    pub response_tokens: Option<u64>,
}

/// The result of a request. Messages of the endpoint and the network are without control characters and keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Answered(Response),
    /// The endpoint asks for fewer requests.
    Limited {
        fault: RequestFault,
        wait: Option<Duration>,
    },
    /// Sent again later, the request may succeed.
    Failed {
        fault: RequestFault,
        wait: Option<Duration>,
    },
    /// The endpoint will never answer this request.
    Refused {
        fault: RequestFault,
    },
    /// The endpoint will not answer any request.
    RefusedAll {
        fault: RequestFault,
    },
}

/// Sends requests to one endpoint.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    key: Option<Key>,
    timeout: Duration,
}

impl Client {
    /// A client whose requests end after `timeout`.
    ///
    /// # Errors
    ///
    /// Fails if the system's certificates cannot be read.
    pub fn new(endpoint: &Endpoint, timeout: Duration) -> Result<Client, reqwest::Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let bearer = endpoint.key.as_ref().and_then(|key| HeaderValue::from_str(&format!("Bearer {}", key.0)).ok());
        if let Some(mut bearer) = bearer {
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = reqwest::Client::builder()
            .user_agent(concat!("AixGrade/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .timeout(timeout)
            .build()?;
        Ok(Client { http, url: format!("{}/chat/completions", endpoint.url), key: endpoint.key.clone(), timeout })
    }

    /// Sends a request. `idempotency_key` names it: an endpoint that knows the header answers a repeated request without
    /// asking the model again.
    pub async fn ask(&self, ask: &Ask<'_>, idempotency_key: &str) -> Reply {
        let body = match ask.body() {
            Ok(body) => body,
            Err(e) => return Reply::Refused { fault: RequestFault::NotSent { detail: e.to_string() } },
        };
        let request = self.http.post(&self.url).header("idempotency-key", idempotency_key).body(body);
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(e) => return Reply::Failed { fault: self.network(e), wait: None },
        };
        let (status, wait) = (answer.status(), wait::of_headers(answer.headers(), SystemTime::now()));
        if status.is_success() {
            return match self.body(answer, LARGEST_BODY).await {
                Ok((body, true)) => self.read(&body, wait),
                Ok((_, false)) => {
                    Reply::Refused { fault: RequestFault::BodyTooLarge { limit_bytes: LARGEST_BODY as u64 } }
                }
                Err(fault) => Reply::Failed { fault, wait },
            };
        }
        if !status.is_client_error() && !status.is_server_error() {
            return Reply::RefusedAll { fault: RequestFault::Redirect { status: status.as_u16() } };
        }
        let body = self.body(answer, LARGEST_ERROR).await.map(|(body, _)| body).unwrap_or_default();
        Said::read(&body).reply(Some(status.as_u16()), wait, self.key.as_ref())
    }

    /// A body of at most `most` bytes, and whether it ended there.
    async fn body(&self, mut answer: reqwest::Response, most: usize) -> Result<(Vec<u8>, bool), RequestFault> {
        let mut body = Vec::new();
        loop {
            match answer.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= most => body.extend_from_slice(&chunk),
                Ok(Some(_)) => return Ok((body, false)),
                Ok(None) => return Ok((body, true)),
                Err(e) => return Err(self.network(e)),
            }
        }
    }

    /// Reads a chat completion.
    fn read(&self, body: &[u8], wait: Option<Duration>) -> Reply {
        match serde_json::from_slice(body) {
            Ok(body) => self.answer(Completion::read(&body), wait),
            Err(e) => {
                let said = clean(&String::from_utf8_lossy(body), self.key.as_ref());
                let detail = if said.is_empty() { e.to_string() } else { format!("{e}: {said}") };
                Reply::Failed { fault: RequestFault::NotJson { detail }, wait }
            }
        }
    }

    /// What follows from a completion.
    fn answer(&self, read: Result<Response, NoCompletion>, wait: Option<Duration>) -> Reply {
        let word = |text: String| clean(&text, self.key.as_ref());
        match read {
            Ok(response) => Reply::Answered(Response {
                other_parts: response.other_parts.into_iter().map(word).collect(),
                finish_reason: response.finish_reason.map(word),
                model: response.model.map(word),
                ..response
            }),
            Err(NoCompletion::Error(error)) => Said::of(&error).reply(None, wait, self.key.as_ref()),
            Err(NoCompletion::NoChoice) => Reply::Failed { fault: RequestFault::NoChoice, wait },
            // The endpoint speaks another protocol, or the model's answer is what it is: the next one would be the same.
            Err(NoCompletion::Shape(detail)) => {
                Reply::Refused { fault: RequestFault::NotACompletion { detail: word(detail) } }
            }
            Err(NoCompletion::TooLong) => {
                Reply::Refused { fault: RequestFault::ResponseTooLong { limit_bytes: LONGEST_RESPONSE as u64 } }
            }
        }
    }

    fn network(&self, error: reqwest::Error) -> RequestFault {
        if error.is_timeout() {
            let waited = if error.is_connect() { CONNECT.min(self.timeout) } else { self.timeout };
            return RequestFault::Timeout { seconds: waited.as_secs() };
        }
        RequestFault::Network { detail: clean(&chain(&error.without_url()), self.key.as_ref()) }
    }
}

/// A text of an endpoint on one line, without control characters and without its key, cut to [`LONGEST_ERROR`]
/// characters.
pub fn clean(text: &str, key: Option<&Key>) -> String {
    let text = match key {
        Some(key) => text.replace(&*key.0, "[key]"),
        None => text.to_owned(),
    };
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let mut words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = words.char_indices().nth(LONGEST_ERROR) {
        words.truncate(at);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_short_and_without_secrets() {
        let key = Key::read("sk-secret").unwrap();
        let shown = clean("Incorrect key\r\nprovided: \u{1b}[31msk-secret.", Some(&key));
        assert_eq!(shown, "Incorrect key provided: [31m[key].");
        assert_eq!(clean(&"x".repeat(1000), None).chars().count(), LONGEST_ERROR + 1);
    }

    #[test]
    fn fields_of_a_request_are_those_that_were_set() {
        let parameters = serde_json::from_str(r#"{"top_k": 5}"#).unwrap();
        let messages = [ChatMessage { role: model::collection::ChatRole::User, content: "x".into() }];
        let ask = Ask {
            model: "m",
            messages: &messages,
            temperature: Some(0.2),
            top_p: None,
            seed: Some(3),
            max_tokens: None,
            parameters: &parameters,
        };
        let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":0.2,"seed":3,"top_k":5}"#;
        assert_eq!(String::from_utf8(ask.body().unwrap()).unwrap(), body);
    }
}
