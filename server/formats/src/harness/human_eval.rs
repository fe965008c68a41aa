//! OpenAI human-eval: `task_id` `HumanEval/N` and `completion`; its results have `result` and `passed` as well.
//!
//! A `completion` continues the prompt. Chat models' answers are written in the same field, so it is read as a response,
//! which may be either.

use model::submission::{Reported, Shape};
use serde_json::Value;

use super::{Entries, Entry, Fields, Text, detail, id};
use crate::{lines::Fault, outputs::Asked};

pub fn line<'l>(object: &'l dyn Fields, _: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    let task_id = id(object.field("task_id")).filter(|id| id.starts_with("HumanEval/"))?;
    let Some(Value::String(completion)) = object.field("completion") else { return None };
    if object.field("code").or(object.field("generation")).is_some() {
        return None;
    }
    let mut reported = Reported::by(Shape::HumanEval).passed(object.field("passed").and_then(Value::as_bool));
    reported.detail = object.field("result").and_then(Value::as_str).and_then(detail);
    let entry = Entry::new(&task_id, Text::Response(completion.clone()), reported);
    Some(Ok(Box::new(std::iter::once(entry))))
}
