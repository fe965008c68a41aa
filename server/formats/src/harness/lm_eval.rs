//! lm-evaluation-harness: `samples_TASK_DATE.jsonl`, written with `--log_samples`.
//!
//! `resps` has what the model answered, `filtered_resps` what the task made of it and judged. The former is read where
//! outputs continue a prompt, the latter elsewhere.

use model::submission::{Reported, Shape};
use serde_json::Value;

use super::{Entries, Entry, Fields, Text, detail, fault, id, nth};
use crate::{
    lines::{Fault, short_id},
    outputs::Asked,
};

pub fn line<'l>(object: &'l dyn Fields, asked: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    let (doc, doc_id) = (object.field("doc")?, object.field("doc_id")?);
    let answers = object.field("resps");
    let filtered = object.field("filtered_resps");
    answers.or(filtered)?;
    Some(read(object, asked, doc, doc_id, answers, filtered))
}

fn read<'l>(
    object: &'l dyn Fields,
    asked: &'l Asked,
    doc: &'l Value,
    doc_id: &'l Value,
    answers: Option<&'l Value>,
    filtered: Option<&'l Value>,
) -> Result<Entries<'l>, Fault> {
    let named = ["task_id", "id", "question_id"].into_iter().find_map(|name| id(doc.get(name)));
    let place = || {
        let known = asked.tasks.as_ref()?;
        known.tasks.id_at(usize::try_from(doc_id.as_u64()?).ok()?).map(str::to_owned)
    };
    let task_id = named.or_else(place).ok_or_else(|| {
        fault(
            ("\"doc\" has no \"task_id\"".into(), "“doc”中没有“task_id”".into()),
            ("Add the ID of the task to \"doc\" as \"task_id\"", "请在“doc”中以“task_id”补上任务编号"),
        )
    })?;
    short_id(&task_id)?;
    let (answers, filtered) = (texts(answers), texts(filtered));
    let (texts, made): (_, fn(String) -> Text) = match (asked.continued, filtered.is_empty(), answers.is_empty()) {
        (true, _, false) | (_, true, false) => (answers, Text::Response),
        _ => (filtered, Text::Program),
    };
    if texts.is_empty() {
        return Err(fault(
            ("\"resps\" contains no text".into(), "“resps”中没有文本".into()),
            (
                "Upload the samples of a task whose output is text (generate_until)",
                "请上传输出为文本的任务（generate_until）的样本",
            ),
        ));
    }
    let (is_one, score) = (texts.len() == 1, score(object));
    let entry = move |(at, text): (usize, &str)| {
        let mut reported = Reported::by(Shape::LmEval);
        reported.epoch = nth(at).filter(|_| !is_one);
        if let Some((name, value, per_sample)) = score {
            // Of several samples, a rate between 0 and 1 does not say which of them passed.
            let verdict = if value == 1.0 { Some(true) } else { (value == 0.0).then_some(false) };
            reported = reported.passed(verdict.filter(|passed| is_one || !passed || per_sample));
            reported.detail = detail(&format!("{}: {value}", detail(name).unwrap_or_default()));
        }
        Entry::new(&task_id, made(text.to_owned()), reported)
    };
    Ok(Box::new(texts.into_iter().enumerate().map(entry)))
}

/// The first metric of a line with its value, and whether 1 means that every sample passed.
fn score(object: &dyn Fields) -> Option<(&str, f64, bool)> {
    let metrics = object.field("metrics")?.as_array()?;
    metrics.iter().filter_map(Value::as_str).find_map(|name| {
        let value = match object.field(name)? {
            Value::Bool(passed) => f64::from(u8::from(*passed)),
            value => value.as_f64()?,
        };
        let rate = ["pass_at_1", "pass@1"].iter().any(|rate| name.starts_with(rate));
        let more = name.trim_start_matches("pass_at_1").trim_start_matches("pass@1");
        Some((name, value, rate && !more.starts_with(|c: char| c.is_ascii_digit())))
    })
}

/// The texts in a list of answers: lists of texts, or texts.
fn texts(value: Option<&Value>) -> Vec<&str> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .flat_map(|item| match item {
            Value::Array(inner) => inner.iter().filter_map(Value::as_str).collect(),
            item => item.as_str().into_iter().collect::<Vec<_>>(),
        })
        .collect()
}
