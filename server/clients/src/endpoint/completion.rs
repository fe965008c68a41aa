//! What a chat completion says: its text, its reasoning apart, and why it ended. Pure.
//!
//! Servers that speak the protocol differ in the shape of a message. Only what a server calls text is text, and only what
//! it calls reasoning is reasoning; a part of any other type is named, never guessed.

use serde_json::{Map, Value};

use super::{LONGEST_RESPONSE, Response};

/// Maximum length of the reasoning that is kept, in bytes: that of the longest responses of today's models. It is not
/// graded, so the rest is left out.
pub const LONGEST_REASONING: usize = 512 * 1024;
/// Maximum length of a finish reason, a model's name and a part's type, in characters.
const LONGEST_WORD: usize = 100;
/// Maximum number of types of parts that are named.
const MOST_OTHER_PARTS: usize = 10;

/// Where a message has its reasoning. Some servers repeat it in several places, so the first one that has any counts.
const REASONING_FIELDS: [&str; 5] =
    ["reasoning_content", "reasoning", "thinking", "thinking_blocks", "reasoning_details"];
/// Types of a part whose text is the model's answer.
const TEXT_TYPES: [&str; 2] = ["text", "output_text"];
/// Types of a part whose text is reasoning.
const REASONING_TYPES: [&str; 8] = [
    "thinking",
    "reasoning",
    "reasoning_content",
    "reasoning_text",
    "reasoning.text",
    "reasoning.summary",
    "summary_text",
    "redacted_thinking",
];
/// Where a part has its text.
const PART_FIELDS: [&str; 7] = ["text", "thinking", "reasoning", "reasoning_content", "summary", "content", "value"];

/// Why an answer is no completion.
#[derive(Debug, PartialEq, Eq)]
pub enum NoCompletion {
    /// The endpoint says that something went wrong: the object in which it says so.
    Error(Value),
    /// It has no choice.
    NoChoice,
    /// It is not JSON; what is wrong with it.
    NotJson(String),
    /// It has another shape; what is wrong with it.
    Shape(String),
    /// The text is longer than an output can be.
    TooLong,
}

/// A completion that is read as a whole, or chunk by chunk.
#[derive(Debug, Default)]
pub struct Completion {
    text: String,
    refusal: String,
    /// Reasoning by where it was: [`REASONING_FIELDS`], and parts of the content before them.
    reasoning: [String; REASONING_FIELDS.len() + 1],
    other_parts: Vec<String>,
    finish_reason: Option<String>,
    model: Option<String>,
    prompt_tokens: Option<u64>,
    response_tokens: Option<u64>,
    /// Whether a choice was read.
    has_choice: bool,
}

impl Completion {
    /// Reads a whole completion.
    pub fn read(body: &Value) -> Result<Response, NoCompletion> {
        let mut completion = Completion::default();
        completion.add(body)?;
        completion.end()
    }

    /// Reads a completion, or a chunk of one.
    pub fn add(&mut self, body: &Value) -> Result<(), NoCompletion> {
        if let Some(error) = error_of(body) {
            return Err(NoCompletion::Error(error.clone()));
        }
        let Value::Object(fields) = body else {
            return Err(NoCompletion::Shape(format!("it is {}", kind(body))));
        };
        if let Some(model) = fields.get("model").and_then(Value::as_str).filter(|name| !name.is_empty()) {
            self.model = Some(word(model));
        }
        self.count(fields.get("usage"));
        match fields.get("choices") {
            Some(Value::Array(choices)) => {
                // One choice is asked for; a server that gives several gives the first one first.
                let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or_default() == 0;
                choices.iter().find(is_first).map_or(Ok(()), |choice| self.choice(choice))
            }
            Some(Value::Null) => Ok(()),
            Some(other) => Err(NoCompletion::Shape(format!("\"choices\" is {}, not a list", kind(other)))),
            // A chunk that only counts tokens.
            None if fields.contains_key("usage") && self.has_choice => Ok(()),
            None => Err(NoCompletion::Shape("the field \"choices\" is missing".into())),
        }
    }

    /// Whether the model has said why it ended.
    pub fn has_ended(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// The response.
    pub fn end(self) -> Result<Response, NoCompletion> {
        if !self.has_choice {
            return Err(NoCompletion::NoChoice);
        }
        let reasoning = self.reasoning.into_iter().find(|text| !text.trim().is_empty());
        Ok(Response {
            text: self.text,
            reasoning,
            refusal: Some(self.refusal).filter(|text| !text.trim().is_empty()),
            other_parts: self.other_parts,
            finish_reason: self.finish_reason,
            model: self.model,
            prompt_tokens: self.prompt_tokens,
            response_tokens: self.response_tokens,
        })
    }

    fn count(&mut self, usage: Option<&Value>) {
        // Counts that no model can reach are not counts.
        let count = |name: &str| {
            let count = usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
            count.filter(|count| *count <= u64::from(u32::MAX))
        };
        self.prompt_tokens = count("prompt_tokens").or(self.prompt_tokens);
        self.response_tokens = count("completion_tokens").or(self.response_tokens);
    }

    fn choice(&mut self, choice: &Value) -> Result<(), NoCompletion> {
        if let Some(error) = choice.get("error").filter(|error| says_something(error)) {
            return Err(NoCompletion::Error(error.clone()));
        }
        let (delta, whole) = (choice.get("delta"), choice.get("message"));
        // Some servers end a stream with the whole message, which repeats what came before.
        let is_repeated = self.has_choice && delta.is_none_or(Value::is_null);
        match delta.filter(|delta| !delta.is_null()).or(whole) {
            Some(Value::Object(_)) if is_repeated => {}
            Some(Value::Object(message)) => self.message(message)?,
            // A last chunk without a message.
            Some(Value::Null) | None if self.has_choice => {}
            Some(other) => return Err(NoCompletion::Shape(format!("\"message\" is {}, not an object", kind(other)))),
            None => return Err(NoCompletion::Shape("the choice has no \"message\"".into())),
        }
        self.has_choice = true;
        let reason = choice.get("finish_reason").filter(|reason| !reason.is_null());
        // An object names the reason as its type.
        let name = reason.map(|reason| reason.get("type").unwrap_or(reason));
        if let Some(name) = name.map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned)) {
            if is_error(&name) {
                let said = if self.text.is_empty() { String::new() } else { " after a part of the text".into() };
                let message = format!("the response ended with finish_reason \"{}\"{said}", word(&name));
                return Err(NoCompletion::Error(serde_json::json!({ "message": message })));
            }
            if !name.is_empty() {
                self.finish_reason = Some(word(&name));
            }
        }
        Ok(())
    }

    fn message(&mut self, message: &Map<String, Value>) -> Result<(), NoCompletion> {
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part)),
            Some(part @ Value::Object(_)) => self.part(part),
            Some(other) => {
                return Err(NoCompletion::Shape(format!(
                    "\"content\" is {}, neither a text nor a list of parts",
                    kind(other)
                )));
            }
        }
        if let Some(Value::String(refusal)) = message.get("refusal") {
            self.refusal.push_str(refusal);
        }
        for (at, field) in REASONING_FIELDS.iter().enumerate() {
            if let Some(value) = message.get(*field) {
                keep(&mut self.reasoning[at + 1], value);
            }
        }
        if self.text.len() > LONGEST_RESPONSE || self.refusal.len() > LONGEST_RESPONSE {
            return Err(NoCompletion::TooLong);
        }
        Ok(())
    }

    /// Reads a part of a message's content.
    fn part(&mut self, part: &Value) {
        let name = match part {
            Value::String(text) => return self.text.push_str(text),
            part => part.get("type").and_then(Value::as_str),
        };
        match name {
            // Gemini's parts have no type; reasoning among them is marked.
            _ if part.get("thought").and_then(Value::as_bool) == Some(true) => keep(&mut self.reasoning[0], part),
            Some(name) if REASONING_TYPES.contains(&name) => keep(&mut self.reasoning[0], part),
            Some("refusal") => {
                let refusal = part.get("refusal").or_else(|| part.get("text")).and_then(Value::as_str);
                self.refusal.push_str(refusal.unwrap_or_default());
            }
            Some(name) if !TEXT_TYPES.contains(&name) => self.note_other(name),
            _ => match part.get("text") {
                Some(Value::String(text)) => self.text.push_str(text),
                // The text is an object in which "value" is the text itself.
                Some(text) if text.get("value").is_some_and(Value::is_string) => {
                    self.text.push_str(text.get("value").and_then(Value::as_str).unwrap_or_default());
                }
                _ => self.note_other(name.unwrap_or("a part without a type")),
            },
        }
    }

    fn note_other(&mut self, name: &str) {
        let name = word(name);
        if self.other_parts.len() < MOST_OTHER_PARTS && !self.other_parts.contains(&name) {
            self.other_parts.push(name);
        }
    }
}

/// The error in an answer that has one: the protocol's `error`, or what other servers put in its place. The answer may be
/// in a list, as Gemini's errors are.
pub fn error_of(body: &Value) -> Option<&Value> {
    if let Value::Array(all) = body {
        return all.first().and_then(error_of);
    }
    if let Some(error) = body.get("error").filter(|error| says_something(error)) {
        return Some(error);
    }
    // MiniMax answers 200, whatever happened.
    let status = body.get("base_resp").and_then(|of| of.get("status_code")).and_then(Value::as_i64);
    if status.is_some_and(|status| status != 0) {
        return body.get("base_resp");
    }
    let is_error = body.get("object").and_then(Value::as_str) == Some("error")
        || body.get("type").and_then(Value::as_str) == Some("error");
    let has_choices = body.get("choices").is_some_and(Value::is_array);
    let says = ["message", "msg"].iter().any(|field| body.get(*field).is_some_and(Value::is_string))
        || body.get("detail").is_some_and(says_something);
    (is_error || (!has_choices && says)).then_some(body)
}

/// Whether a field has a value: some servers send an empty error with every answer.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

/// Whether a finish reason means that something went wrong at the endpoint. DeepSeek's and Zhipu's have names of their own.
fn is_error(name: &str) -> bool {
    ["error", "insufficient_system_resource", "network_error", "abort"].contains(&name.to_lowercase().as_str())
}

/// Adds the texts of reasoning, which may be a text, a part or a list of parts, as far as they are kept.
fn keep(kept: &mut String, value: &Value) {
    let mut text = match value {
        Value::String(text) => text.as_str(),
        Value::Array(all) => return all.iter().for_each(|one| keep(kept, one)),
        Value::Object(part) => {
            let text = PART_FIELDS.iter().find_map(|field| part.get(*field).filter(|text| !text.is_null()));
            return text.map_or((), |text| keep(kept, text));
        }
        _ => return,
    };
    let room = LONGEST_REASONING.saturating_sub(kept.len());
    if text.len() > room {
        text = &text[..text.floor_char_boundary(room)];
    }
    kept.push_str(text);
}

/// A word of an endpoint, which is stored and shown: without control characters, and short.
fn word(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_WORD).collect()
}

/// What a JSON value is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A completion of one message.
    fn of(message: Value, finish_reason: Value) -> Value {
        json!({ "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason }] })
    }

    fn read(message: Value) -> Response {
        Completion::read(&of(message, json!("stop"))).unwrap()
    }

    #[test]
    fn content_is_a_text_or_null_or_a_list_of_parts() {
        let check = |content: Value, text: &str, reasoning: Option<&str>, others: &[&str]| {
            let response = read(json!({ "role": "assistant", "content": content }));
            let found = (&*response.text, response.reasoning.as_deref(), response.other_parts);
            assert_eq!(found, (text, reasoning, others.iter().map(ToString::to_string).collect()), "{content}");
        };
        check(json!("a"), "a", None, &[]);
        check(json!(null), "", None, &[]);
        check(json!(""), "", None, &[]);
        check(json!([]), "", None, &[]);
        check(json!(["a", "b"]), "ab", None, &[]);
        check(json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]), "ab", None, &[]);
        check(json!([{ "type": "output_text", "text": "a", "annotations": [] }]), "a", None, &[]);
        check(json!([{ "type": "text", "text": { "value": "a", "annotations": [] } }]), "a", None, &[]);
        check(json!({ "type": "text", "text": "a" }), "a", None, &[]);
        check(json!([{ "text": "a" }]), "a", None, &[]);
        // Reasoning among the parts, in the forms of Mistral, Anthropic, Gemini and others.
        let text = json!({ "type": "text", "text": "a" });
        for part in [
            json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "h" }, { "type": "text", "text": "m" }] }),
            json!({ "type": "thinking", "thinking": "hm", "signature": "x" }),
            json!({ "type": "reasoning", "text": "hm" }),
            json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "hm" }] }),
            json!({ "text": "hm", "thought": true }),
            json!({ "type": "text", "text": "hm", "thought": true }),
        ] {
            check(json!([part, text]), "a", Some("hm"), &[]);
        }
        check(json!([{ "type": "redacted_thinking", "data": "x" }, text]), "a", None, &[]);
        // What is neither is named, once.
        let image = json!({ "type": "image_url", "image_url": { "url": "data:" } });
        check(
            json!([image, text, image, { "type": "x\u{1b}y" }, { "data": 1 }, 7]),
            "a",
            None,
            &["image_url", "xy", "a part without a type"],
        );
    }

    #[test]
    fn reasoning_beside_the_content_is_apart_and_counts_once() {
        for message in [
            json!({ "reasoning_content": "hm" }),
            json!({ "reasoning": "hm" }),
            json!({ "reasoning": "hm", "reasoning_content": "hm" }),
            json!({ "reasoning": "hm", "reasoning_content": null }),
            json!({ "reasoning": "hm", "reasoning_content": "" }),
            json!({ "reasoning": "hm", "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }),
            json!({ "reasoning": null, "reasoning_details": [
                { "type": "reasoning.summary", "summary": "hm" },
                { "type": "reasoning.encrypted", "data": "x" },
            ] }),
            json!({ "thinking_blocks": [{ "type": "thinking", "thinking": "hm", "signature": "x" }] }),
            json!({ "thinking": "hm" }),
        ] {
            for content in [json!("a"), json!([{ "type": "text", "text": "a" }])] {
                let mut message = message.clone();
                message["content"] = content;
                let response = read(message.clone());
                assert_eq!((&*response.text, response.reasoning.as_deref()), ("a", Some("hm")), "{message}");
            }
            // Without an answer, the reasoning is not taken for it.
            let response = read(message);
            assert_eq!((&*response.text, response.reasoning.as_deref()), ("", Some("hm")));
        }
        let long = read(json!({ "content": "a", "reasoning": "é".repeat(LONGEST_REASONING) }));
        assert!(long.reasoning.unwrap().len() <= LONGEST_REASONING);
    }

    #[test]
    fn a_refusal_is_apart() {
        for message in [
            json!({ "content": null, "refusal": "No." }),
            json!({ "content": [{ "type": "refusal", "refusal": "No." }], "refusal": null }),
        ] {
            let response = read(message);
            assert_eq!((&*response.text, response.refusal.as_deref()), ("", Some("No.")));
        }
        assert_eq!(read(json!({ "content": "a", "refusal": "" })).refusal, None);
    }

    #[test]
    fn every_reason_of_an_end_is_kept_as_it_came() {
        for reason in ["stop", "length", "content_filter", "tool_calls", "function_call", "eos", "SAFETY", "what"] {
            let response = Completion::read(&of(json!({ "content": "a" }), json!(reason))).unwrap();
            assert_eq!(response.finish_reason.as_deref(), Some(reason));
        }
        let check = |reason: Value, word: Option<&str>| {
            let response = Completion::read(&of(json!({ "content": "a" }), reason)).unwrap();
            assert_eq!(response.finish_reason.as_deref(), word);
        };
        check(json!(null), None);
        check(json!(""), None);
        check(json!({ "type": "length", "length": 3 }), Some("length"));
        check(json!(7), Some("7"));
        check(json!("x".repeat(1000)), Some(&"x".repeat(LONGEST_WORD)));
        let tool =
            json!({ "content": null, "tool_calls": [{ "id": "1", "type": "function", "function": { "name": "f" } }] });
        assert_eq!(Completion::read(&of(tool, json!("tool_calls"))).unwrap().text, "");
    }

    #[test]
    fn errors_inside_an_answer_are_errors() {
        let bad = json!({ "message": "Provider returned error", "code": 502 });
        for body in [
            json!({ "error": bad }),
            json!([{ "error": bad }]),
            json!({ "error": bad, "choices": [{ "message": { "content": "" }, "finish_reason": "stop" }] }),
            json!({ "choices": [{ "error": bad, "message": { "content": "part" }, "finish_reason": "error" }] }),
            json!({ "object": "error", "message": "Provider returned error", "type": "BadGateway", "code": 502 }),
            json!({ "type": "error", "error": { "type": "api_error", "message": "Provider returned error" } }),
            json!({ "code": "x", "message": "Provider returned error", "request_id": "1" }),
            json!({ "base_resp": { "status_code": 1000, "status_msg": "Provider returned error" }, "choices": null }),
            json!({ "detail": "Provider returned error" }),
        ] {
            match Completion::read(&body) {
                Err(NoCompletion::Error(error)) => assert!(error.to_string().contains("Provider returned"), "{body}"),
                other => panic!("{body}: {other:?}"),
            }
        }
        for reason in ["error", "ERROR", "insufficient_system_resource", "network_error"] {
            let read = Completion::read(&of(json!({ "content": "half an ans" }), json!(reason)));
            assert!(matches!(read, Err(NoCompletion::Error(_))), "{reason}");
        }
        // A field for errors that is empty, or the status of MiniMax for success, is none.
        for error in [json!(null), json!({}), json!(""), json!(false), json!([])] {
            let mut body = of(json!({ "content": "a" }), json!("stop"));
            body["error"] = error.clone();
            body["choices"][0]["error"] = error;
            body["base_resp"] = json!({ "status_code": 0, "status_msg": "" });
            body["message"] = json!("ok");
            assert_eq!(Completion::read(&body).unwrap().text, "a");
        }
    }

    #[test]
    fn other_shapes_are_named() {
        let check = |body: Value, says: &str| match Completion::read(&body) {
            Err(NoCompletion::Shape(what)) => assert!(what.contains(says), "{what} does not say {says}"),
            other => panic!("{body}: {other:?}"),
        };
        check(json!("a"), "it is a text");
        check(json!({}), "\"choices\" is missing");
        check(json!({ "message": { "role": "assistant", "content": "a" }, "done": true }), "\"choices\" is missing");
        check(json!({ "choices": {} }), "\"choices\" is an object");
        check(json!({ "choices": [{ "text": "a" }] }), "no \"message\"");
        check(json!({ "choices": [{ "message": "a" }] }), "\"message\" is a text");
        check(json!({ "choices": ["a"] }), "no \"message\"");
        check(of(json!({ "content": 7 }), json!("stop")), "\"content\" is a number");
        for choices in [json!([]), json!(null)] {
            assert_eq!(Completion::read(&json!({ "choices": choices })), Err(NoCompletion::NoChoice));
        }
        let long = "x".repeat(LONGEST_RESPONSE + 1);
        assert_eq!(Completion::read(&of(json!({ "content": long }), json!("stop"))), Err(NoCompletion::TooLong));
    }

    #[test]
    fn counts_that_are_none_are_left_out() {
        let check = |usage: Value, counts: (Option<u64>, Option<u64>)| {
            let mut body = of(json!({ "content": "a" }), json!("stop"));
            body["usage"] = usage;
            let response = Completion::read(&body).unwrap();
            assert_eq!((response.prompt_tokens, response.response_tokens), counts);
        };
        check(json!({ "prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7 }), (Some(3), Some(4)));
        check(json!(null), (None, None));
        check(json!([]), (None, None));
        check(json!({ "prompt_tokens": -3, "completion_tokens": u64::MAX }), (None, None));
        check(json!({ "prompt_tokens": "3", "completion_tokens": 0 }), (None, Some(0)));
    }
}
