//! A request of the chat completions protocol, and what its answer means.
//!
//! Whatever an endpoint answers is bounded in size and time, and is either a response or an error with a cause. No
//! redirect is followed and no proxy is used, so a request reaches the host that the operator named, or none.

use std::time::{Duration, SystemTime};

use model::{
    collection::{ChatMessage, RequestForm},
    fault::RequestFault,
};
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
    stream::{self, Stream},
    wait,
};
use base::error::chain;

/// Maximum length of a response's text in bytes, that of an output.
pub const LONGEST_RESPONSE: usize = 256 * 1024;
/// Maximum size of an HTTP body in bytes: a response whose every character is escaped, with room for reasoning.
const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// Maximum size of a stream in bytes. Each token has an event of its own, of a few hundred bytes; only its text is kept.
const LARGEST_STREAM: usize = 64 * 1024 * 1024;
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
    /// How the endpoint wants the request, as far as it is known.
    pub form: RequestForm,
    /// Whether responses may be streamed if the endpoint wants that.
    pub may_stream: bool,
}

impl Ask<'_> {
    /// Fields that requests have of their own, which [`Ask::parameters`] cannot replace.
    pub const OWN: [&'static str; 8] =
        ["model", "messages", "temperature", "top_p", "seed", "max_tokens", "n", "stream"];

    /// The request's body.
    fn body(&self) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct StreamOptions {
            include_usage: bool,
        }
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
            #[serde(skip_serializing_if = "Option::is_none")]
            max_completion_tokens: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            stream: Option<bool>,
            #[serde(skip_serializing_if = "Option::is_none")]
            stream_options: Option<StreamOptions>,
            #[serde(flatten)]
            parameters: &'a Map<String, Value>,
        }
        let RequestForm { stream, no_stream_options, max_completion_tokens } = self.form;
        let has_options = self.parameters.contains_key("stream_options");
        serde_json::to_vec(&Body {
            model: self.model,
            messages: self.messages,
            temperature: self.temperature,
            top_p: self.top_p,
            seed: self.seed,
            max_tokens: self.max_tokens.filter(|_| !max_completion_tokens),
            max_completion_tokens: self.max_tokens.filter(|_| max_completion_tokens),
            stream: stream.then_some(true),
            stream_options: (stream && !no_stream_options && !has_options)
                .then_some(StreamOptions { include_usage: true }),
            parameters: self.parameters,
        })
    }
}

impl Ask<'_> {
    /// The form in which the endpoint wants the request, if that is what an error says.
    fn other_form(&self, said: &Said) -> Option<RequestForm> {
        let (form, message) = (self.form, said.message.to_lowercase());
        let is_about = |field: &str| said.param.as_deref() == Some(field) || message.contains(field);
        if form.stream && !form.no_stream_options && (is_about("stream_options") || is_about("include_usage")) {
            return Some(RequestForm { no_stream_options: true, ..form });
        }
        let is_stream = |word: &&str| has_word(&message, word);
        let about_streams = ["stream", "streaming", "streamed"].iter().any(is_stream) || message.contains("流式");
        if !form.stream && self.may_stream && (said.param.as_deref() == Some("stream") || about_streams) {
            return Some(RequestForm { stream: true, ..form });
        }
        let has_limit = self.max_tokens.is_some() && !form.max_completion_tokens;
        (has_limit && message.contains("max_completion_tokens"))
            .then_some(RequestForm { max_completion_tokens: true, ..form })
    }

    /// The field of the request that an error is about.
    fn field(&self, said: &Said) -> Option<String> {
        // It depends on the prompt, so that other requests may pass.
        let message = said.message.to_lowercase();
        if ["context", "too long", "input tokens"].iter().any(|words| message.contains(words)) {
            return None;
        }
        let own = [
            ("temperature", self.temperature.is_some()),
            ("top_p", self.top_p.is_some()),
            ("seed", self.seed.is_some()),
            ("max_completion_tokens", self.max_tokens.is_some() && self.form.max_completion_tokens),
            ("max_tokens", self.max_tokens.is_some() && !self.form.max_completion_tokens),
            ("stream_options", self.form.stream),
            ("stream", true),
        ];
        let own = own.iter().filter(|(_, is_sent)| *is_sent).map(|(name, _)| *name);
        let mut sent = own.chain(self.parameters.keys().map(String::as_str));
        // Some servers name it with its place, such as `body.temperature`.
        let param = said.param.as_deref().and_then(|param| param.rsplit(['.', '/']).next());
        match param {
            Some(param) if sent.clone().any(|name| name == param) => Some(param.to_owned()),
            _ => sent.find(|name| has_word(&message, &name.to_lowercase())).map(str::to_owned),
        }
    }
}

/// Whether a text contains a word by itself, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            !before.chars().next_back().is_some_and(is_part) && !after.chars().next().is_some_and(is_part)
        })
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
    /// The endpoint wants the request in another form.
    OtherForm {
        form: RequestForm,
        fault: RequestFault,
    },
    /// The endpoint refuses a field of the request.
    RefusedField {
        field: String,
        fault: RequestFault,
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
            return match self.receive(answer).await {
                Ok(read) => self.answer(ask, read, wait),
                Err(fault @ RequestFault::BodyTooLarge { .. }) => Reply::Refused { fault },
                Err(fault) => Reply::Failed { fault, wait },
            };
        }
        if !status.is_client_error() && !status.is_server_error() {
            return Reply::RefusedAll { fault: RequestFault::Redirect { status: status.as_u16() } };
        }
        let body = self.body(answer, LARGEST_ERROR).await.map(|(body, _)| body).unwrap_or_default();
        self.refusal(ask, &Said::read(&body), Some(status.as_u16()), wait)
    }

    /// What follows from an error.
    fn refusal(&self, ask: &Ask<'_>, said: &Said, status: Option<u16>, wait: Option<Duration>) -> Reply {
        match said.reply(status, wait, self.key.as_ref()) {
            Reply::Refused { fault } => match (ask.other_form(said), ask.field(said)) {
                (Some(form), _) => Reply::OtherForm { form, fault },
                (None, Some(field)) => Reply::RefusedField { field, fault },
                (None, None) => Reply::Refused { fault },
            },
            reply => reply,
        }
    }

    /// Reads a completion, as a whole or as a stream: a server may send either, whatever it was asked for.
    async fn receive(&self, mut answer: reqwest::Response) -> Result<Result<Response, NoCompletion>, RequestFault> {
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_said = kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream");
        let (mut body, mut size, mut stream) = (Vec::new(), 0, None::<Stream>);
        loop {
            let chunk = match (answer.chunk().await, &stream) {
                (Ok(Some(chunk)), _) => chunk,
                (Ok(None), _) => break,
                (Err(_), Some(stream)) if stream.has_ended() => break,
                (Err(e), _) => return Err(self.network(e)),
            };
            size += chunk.len();
            let most = if stream.is_some() { LARGEST_STREAM } else { LARGEST_BODY };
            if size > most {
                return Err(RequestFault::BodyTooLarge { limit_bytes: most as u64 });
            }
            let added = match &mut stream {
                Some(stream) => stream.add(&chunk),
                None => {
                    body.extend_from_slice(&chunk);
                    match stream::begins(&body, is_said) {
                        true => stream.insert(Stream::default()).add(&std::mem::take(&mut body)),
                        false => Ok(()),
                    }
                }
            };
            if let Err(why) = added {
                return Ok(Err(why));
            }
            if stream.as_ref().is_some_and(Stream::is_done) {
                break;
            }
        }
        match stream {
            Some(stream) => match stream.end() {
                Ok(Some(response)) => Ok(Ok(response)),
                Ok(None) => Err(RequestFault::StreamCutOff),
                Err(why) => Ok(Err(why)),
            },
            None if is_said && body.trim_ascii().is_empty() => Err(RequestFault::StreamCutOff),
            None => Ok(match serde_json::from_slice(&body) {
                Ok(body) => Completion::read(&body),
                Err(e) => Err(NoCompletion::NotJson(format!("{e}: {}", String::from_utf8_lossy(&body)))),
            }),
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

    /// What follows from a completion.
    fn answer(&self, ask: &Ask<'_>, read: Result<Response, NoCompletion>, wait: Option<Duration>) -> Reply {
        let word = |text: String| clean(&text, self.key.as_ref());
        match read {
            Ok(response) => Reply::Answered(Response {
                other_parts: response.other_parts.into_iter().map(word).collect(),
                finish_reason: response.finish_reason.map(word),
                model: response.model.map(word),
                ..response
            }),
            Err(NoCompletion::Error(error)) => self.refusal(ask, &Said::of(&error), None, wait),
            Err(NoCompletion::NotJson(detail)) => {
                Reply::Failed { fault: RequestFault::NotJson { detail: word(detail) }, wait }
            }
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
            form: RequestForm::default(),
            may_stream: true,
        };
        let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":0.2,"seed":3,"top_k":5}"#;
        assert_eq!(String::from_utf8(ask.body().unwrap()).unwrap(), body);
    }
}
