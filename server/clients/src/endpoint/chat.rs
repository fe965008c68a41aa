//! A request of the chat completions protocol, and what its answer means.
//!
//! Whatever an endpoint answers is bounded in size and time, and is either a response or an error with a cause. No
//! redirect is followed and no proxy is used, so a request reaches the host that the operator named, or none.

use std::time::Duration;

use model::{collection::ChatMessage, fault::RequestFault};
use reqwest::{
    StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use super::{Endpoint, Key};
use base::{clock, error::chain};

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
/// Longest wait that an endpoint can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Its text as it came; empty if the model said nothing.
    pub text: String,
    /// Why it ended.
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
        let (status, wait) = (answer.status(), wait(answer.headers()));
        if status.is_success() {
            return match self.body(answer, LARGEST_BODY).await {
                Ok((body, true)) => self.read(&body),
                Ok((_, false)) => {
                    Reply::Refused { fault: RequestFault::BodyTooLarge { limit_bytes: LARGEST_BODY as u64 } }
                }
                Err(fault) => Reply::Failed { fault, wait },
            };
        }
        let body = self.body(answer, LARGEST_ERROR).await.map(|(body, _)| body).unwrap_or_default();
        let code = status.as_u16();
        let fault = RequestFault::Status { status: code, detail: self.message(&body) };
        match status {
            StatusCode::TOO_MANY_REQUESTS => Reply::Limited { fault, wait },
            StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_EARLY => Reply::Failed { fault, wait },
            StatusCode::UNAUTHORIZED
            | StatusCode::PAYMENT_REQUIRED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED => Reply::RefusedAll { fault },
            _ if status.is_server_error() => Reply::Failed { fault, wait },
            _ if status.is_redirection() => Reply::RefusedAll { fault: RequestFault::Redirect { status: code } },
            _ => Reply::Refused { fault },
        }
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
    fn read(&self, body: &[u8]) -> Reply {
        #[derive(Deserialize)]
        struct Completion {
            choices: Vec<Choice>,
            model: Option<String>,
            usage: Option<Usage>,
        }
        #[derive(Deserialize)]
        struct Choice {
            message: Message,
            finish_reason: Option<String>,
        }
        #[derive(Deserialize)]
        struct Message {
            content: Option<String>,
        }
        #[derive(Deserialize)]
        struct Usage {
            prompt_tokens: Option<u64>,
            completion_tokens: Option<u64>,
        }
        let completion = match serde_json::from_slice::<Completion>(body) {
            Ok(completion) => completion,
            Err(e) => {
                let said = match self.message(body) {
                    said if said.is_empty() => e.to_string(),
                    said => format!("{e}: {said}"),
                };
                let fault = RequestFault::NotACompletion { detail: clean(&said, self.key.as_ref()) };
                return Reply::Failed { fault, wait: None };
            }
        };
        let Some(choice) = completion.choices.into_iter().next() else {
            return Reply::Failed { fault: RequestFault::NoChoice, wait: None };
        };
        let text = choice.message.content.unwrap_or_default();
        if text.len() > LONGEST_RESPONSE {
            let limit_bytes = LONGEST_RESPONSE as u64;
            return Reply::Refused { fault: RequestFault::ResponseTooLong { limit_bytes } };
        }
        let word = |text: Option<String>| text.map(|text| clean(&text, self.key.as_ref()));
        let (prompt_tokens, response_tokens) =
            completion.usage.map_or((None, None), |usage| (usage.prompt_tokens, usage.completion_tokens));
        // Counts that no model can reach are not counts.
        let plausible = |count: &u64| *count <= u64::from(u32::MAX);
        Reply::Answered(Response {
            text,
            finish_reason: word(choice.finish_reason),
            model: word(completion.model),
            prompt_tokens: prompt_tokens.filter(plausible),
            response_tokens: response_tokens.filter(plausible),
        })
    }

    /// The endpoint's own words about an error: the protocol's `error.message`, or the body's beginning.
    fn message(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let value: Option<Value> = serde_json::from_slice(body).ok();
        let error = value.as_ref().map(|value| value.get("error").unwrap_or(value));
        let message = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
        clean(message.unwrap_or(&text), self.key.as_ref())
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

/// The wait that `Retry-After` asks for, in seconds or as a date.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => seconds.max(0.0),
        Ok(_) => return None,
        Err(_) => {
            let until = OffsetDateTime::parse(text, &Rfc2822).ok()?.unix_timestamp();
            (until - clock::now().0.div_euclid(1000)).max(0) as f64
        }
    };
    Some(Duration::from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64())))
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
    fn waits_are_seconds_or_dates() {
        let check = |text: &str, seconds: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(text).unwrap())]);
            assert_eq!(wait(&headers), seconds.map(Duration::from_secs), "{text}");
        };
        check("7", Some(7));
        check("-7", Some(0));
        check("1e9", Some(3600));
        check("Wed, 21 Oct 2015 07:28:00 GMT", Some(0));
        check("Fri, 21 Oct 2095 07:28:00 GMT", Some(3600));
        check("soon", None);
        check("NaN", None);
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
