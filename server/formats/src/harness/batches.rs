//! The output files of batches at OpenAI and at Anthropic. `custom_id` tells the task; an answer is a chat response.

use model::submission::{Reported, Shape};
use serde_json::Value;

use super::{Entries, Entry, Fields, Text, detail, fault, id};
use crate::{
    lines::{Fault, Object, short_id},
    outputs::{Asked, joined},
};

/// `{"custom_id": …, "response": {"status_code": 200, "body": {…}}, "error": null}`; the body is a chat completion or a
/// response.
pub fn openai_line<'l>(object: &'l dyn Fields, asked: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    let custom_id = id(object.field("custom_id"))?;
    if object.field("url").is_some() && object.field("method").is_some() && object.field("body").is_some() {
        return Some(Err(fault(
            ("the line is a request of a batch, not its result".into(), "该行是批处理的请求，而不是结果".into()),
            ("Upload the output file of the batch", "请上传批处理的输出文件"),
        )));
    }
    let response = object.field("response")?;
    Some(openai(&custom_id, response, object.field("error"), asked))
}

fn openai<'l>(
    custom_id: &str,
    response: &'l Value,
    error: Option<&'l Value>,
    asked: &Asked,
) -> Result<Entries<'l>, Fault> {
    let status = response.get("status_code").filter(|status| !status.is_null());
    let is_good = status.is_none_or(|status| status.as_u64().is_some_and(|status| (200..300).contains(&status)));
    let body = response.get("body").filter(|_| is_good);
    let Some(body) = body.filter(|body| body.is_object()) else {
        let inner = response.get("body").and_then(|body| body.get("error"));
        let error = error.filter(|error| !error.is_null()).or(inner);
        return Err(failed(error.and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or_default()));
    };
    let mut reported = Reported::by(Shape::OpenaiBatch);
    reported.model = body.get("model").and_then(Value::as_str).and_then(detail);
    reported.input_tokens = tokens(body, &INPUT_TOKENS)?;
    reported.output_tokens = tokens(body, &OUTPUT_TOKENS)?;
    let task_id = task(short_id(custom_id)?, asked);
    if let Some(items) = body.get("output").and_then(Value::as_array) {
        let (mut text, mut reasoning) = (Vec::new(), Vec::new());
        for item in items {
            match item.get("type").and_then(Value::as_str) {
                Some("message") => text.extend(texts(item.get("content"), "text")),
                Some("reasoning") => reasoning.extend(texts(item.get("summary"), "text")),
                _ => {}
            }
        }
        let end_by = body.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
        let end_by = end_by.map(|why| if why == "max_output_tokens" { "length" } else { why });
        return Ok(one(entry(&task_id, &text, &reasoning, end_by, reported)));
    }
    let choices = body.get("choices").and_then(Value::as_array).filter(|choices| !choices.is_empty());
    let choices = choices.ok_or_else(|| {
        fault(
            ("the response has neither \"choices\" nor \"output\"".into(), "响应中没有“choices”或“output”".into()),
            (
                "Upload the output of a batch of chat completions or responses",
                "请上传 chat completions 或 responses 批处理的输出",
            ),
        )
    })?;
    let many = choices.len() > 1;
    let read = move |(at, choice): (usize, &Value)| {
        let message = choice.get("message").unwrap_or(choice);
        let text = match message.get("content") {
            None => texts(message.get("text"), "text"),
            content => texts(content, "text"),
        };
        let reasoning = texts(message.get("reasoning_content").or(message.get("reasoning")), "text");
        let mut reported = reported.clone();
        reported.epoch = super::nth(at).filter(|_| many);
        entry(&task_id, &text, &reasoning, choice.get("finish_reason").and_then(Value::as_str), reported)
    };
    Ok(Box::new(choices.iter().enumerate().map(read)))
}

fn one(entry: Result<Entry, Fault>) -> Entries<'static> {
    Box::new(std::iter::once(entry))
}

/// `{"custom_id": …, "result": {"type": "succeeded", "message": {…}}}`.
pub fn anthropic_line<'l>(object: &'l dyn Fields, asked: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    let custom_id = id(object.field("custom_id"))?;
    if object.field("params").is_some() {
        return Some(Err(fault(
            ("the line is a request of a batch, not its result".into(), "该行是批处理的请求，而不是结果".into()),
            ("Upload the results of the batch", "请上传批处理的结果"),
        )));
    }
    let result = object.field("result").filter(|result| result.get("type").is_some())?;
    Some(anthropic(&custom_id, result, asked))
}

fn anthropic(custom_id: &str, result: &Value, asked: &Asked) -> Result<Entries<'static>, Fault> {
    let Some(message) = result.get("message").filter(|_| result["type"] == "succeeded") else {
        let error = result.get("error").map(|error| error.get("error").unwrap_or(error));
        let words = error.and_then(|error| error.get("message")).and_then(Value::as_str);
        return Err(failed(words.or(result.get("type").and_then(Value::as_str)).unwrap_or_default()));
    };
    let mut reported = Reported::by(Shape::AnthropicBatch);
    reported.model = message.get("model").and_then(Value::as_str).and_then(detail);
    reported.input_tokens = tokens(message, &INPUT_TOKENS)?;
    reported.output_tokens = tokens(message, &OUTPUT_TOKENS)?;
    let content = message.get("content");
    let (text, thinking) = (texts(content, "text"), texts(content, "thinking"));
    let end_by = message.get("stop_reason").and_then(Value::as_str);
    let task_id = task(short_id(custom_id)?, asked);
    Ok(one(entry(&task_id, &text, &thinking, end_by, reported)))
}

/// What files call the number of tokens that went into a response.
const INPUT_TOKENS: [&str; 2] = ["prompt_tokens", "input_tokens"];
/// What they call the number that came out; the first name is that of a collection's file.
const OUTPUT_TOKENS: [&str; 3] = ["response_tokens", "completion_tokens", "output_tokens"];

/// A number of tokens in the `usage` of an answer, under the first of these names that it has.
fn tokens(answer: &Value, names: &[&str]) -> Result<Option<u32>, Fault> {
    let found = names.iter().find_map(|name| Some((name, answer.get("usage")?.get(name)?)));
    let Some((name, value)) = found.filter(|(_, value)| !value.is_null()) else { return Ok(None) };
    match count(value) {
        Some(count) => Ok(Some(count)),
        None => Err(fault(
            (
                format!("\"{name}\" in \"usage\" is not a number of tokens: {}", excerpt(value)),
                format!("“usage”中的“{name}”不是词元数：{}", excerpt(value)),
            ),
            ("Write a whole number, or leave the field out", "请填写整数，或去掉该字段"),
        )),
    }
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|count| u32::try_from(count).ok())
}

/// The tokens of a line's prompt and response. Other programs' lines may have something else under these names, which
/// is passed over.
pub fn line_tokens(object: &Object) -> (Option<u32>, Option<u32>) {
    let of = |names: &[&str]| names.iter().find_map(|name| object.get(name)).and_then(count);
    (of(&INPUT_TOKENS), of(&OUTPUT_TOKENS))
}

/// The beginning of a value.
fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

fn entry(
    id: &str,
    text: &[&str],
    reasoning: &[&str],
    end_by: Option<&str>,
    reported: Reported,
) -> Result<Entry, Fault> {
    let text = joined("output", text.iter().copied(), "")?;
    let reasoning = joined("reasoning", reasoning.iter().copied(), "\n")?;
    let reasoning = Some(reasoning).filter(|text| !text.is_empty());
    let end_by = end_by.and_then(detail);
    Ok(Entry { reasoning, end_by, ..Entry::new(id, Text::Response(text), reported)? })
}

/// A text, or the texts of the parts that have this field.
fn texts<'v>(content: Option<&'v Value>, field: &str) -> Vec<&'v str> {
    match content {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get(field)?.as_str()).collect(),
        _ => Vec::new(),
    }
}

fn failed(words: &str) -> Fault {
    let words: String = words.chars().take(200).collect();
    let (en, zh) = match words.is_empty() {
        true => (String::new(), String::new()),
        false => (format!(": {words}"), format!("：{words}")),
    };
    fault(
        (format!("the request failed and has no output{en}"), format!("该请求失败，没有输出{zh}")),
        ("Request it again, or import only the valid lines", "请重新请求，或只导入有效的行"),
    )
}

/// The task that a request's own ID names. It cannot have every character that a task's ID has, and often has the number
/// of the sample at its end.
fn task(custom_id: &str, asked: &Asked) -> String {
    let found = asked.tasks.as_ref().and_then(|known| known.tasks.by_custom_id(custom_id));
    found.map_or_else(|| custom_id.to_owned(), str::to_owned)
}
