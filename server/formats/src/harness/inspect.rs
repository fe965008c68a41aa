//! Inspect: a log, as a zip archive (`.eval`, with a JSON file for each sample) or as one JSON document.
//!
//! A sample's output is a chat response. Its first score that is right or wrong is the verdict.

use std::{
    collections::BTreeMap,
    io::{Read, Seek},
};

use model::submission::{Reported, Shape};
use serde::{
    Deserialize,
    de::{DeserializeSeed as _, IgnoredAny, MapAccess},
};
use serde_json::{Value, value::RawValue};

use super::{
    Entry, Sink, Text, detail,
    document::{self, Budget, Items, LONGEST_ITEM, Members, Nulls, Whole},
    fault, id,
};
use crate::{
    lines::{Fault, short_id},
    outputs::{joined, within_limit},
    values,
};

/// Maximum number of samples of an archive, and the most that they may unpack to, in bytes.
const MOST_SAMPLES: usize = 1_000_000;
const LARGEST: u64 = 2 * 1024 * 1024 * 1024;
/// Maximum length of a score's value that is read, in bytes.
const LONGEST_SCORE: usize = 4096;

#[derive(Deserialize, Default)]
struct Header {
    #[serde(default)]
    eval: Eval,
}

#[derive(Deserialize, Default)]
struct Eval {
    #[serde(default)]
    model: Option<String>,
}

#[derive(Deserialize)]
struct Sample {
    id: Box<RawValue>,
    #[serde(default)]
    epoch: Option<u32>,
    #[serde(default)]
    output: Option<Output>,
    #[serde(default)]
    scores: Option<BTreeMap<String, Score>>,
    #[serde(default)]
    error: Option<SampleError>,
    #[serde(default)]
    attachments: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Score {
    #[serde(default)]
    value: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct SampleError {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize, Default)]
struct Output {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    completion: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: Option<u32>,
    #[serde(default)]
    output_tokens: Option<u32>,
}

/// Reads a log that is one JSON document.
pub fn read_json(text: impl Read, sink: &mut Sink<'_>) -> bool {
    struct Log<'l, 's> {
        sink: &'l mut Sink<'s>,
        model: Option<String>,
    }
    impl Members for Log<'_, '_> {
        fn member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, budget: &Budget) -> Result<(), A::Error> {
            match name {
                "eval" => self.model = map.next_value::<Eval>()?.model.as_deref().and_then(detail),
                "samples" => {
                    let model = self.model.clone();
                    return map.next_value_seed(Items::new(budget, |at, sample: Sample| {
                        self.sink.put(&format!("samples[{at}]"), entry(sample, model.as_deref()));
                    }));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let text = Nulls::new(std::io::BufReader::new(text));
    document::read("", text, sink, |json, budget, sink| Whole(&mut Log { sink, model: None }, budget).deserialize(json))
}

/// Reads an `.eval` archive, epoch by epoch.
pub fn read_archive(archive: impl Read + Seek, sink: &mut Sink<'_>) -> bool {
    let mut zip = match archives::zip(archive) {
        Ok(zip) => zip,
        Err(e) => {
            let what = (format!("the log cannot be read ({e})"), format!("无法读取该日志（{e}）"));
            sink.refuse(what, ("Upload the complete file", "请上传完整的文件"));
            return false;
        }
    };
    let header: Option<Header> = ["header.json", "_journal/start.json"].into_iter().find_map(|name| {
        let entry = zip.by_name(name).ok()?;
        serde_json::from_reader(document::bounded(entry).0).ok()
    });
    let model = header.and_then(|header| header.eval.model).as_deref().and_then(detail);
    let mut samples: Vec<(u32, usize, String)> = Vec::new();
    for at in 0..zip.len() {
        let name = zip.by_index_raw(at).ok().and_then(|entry| Some(entry.name().ok()?.into_owned()));
        if let Some(name) = name.filter(|name| name.starts_with("samples/") && name.ends_with(".json")) {
            samples.push((epoch(&name), at, name));
        }
    }
    if samples.len() > MOST_SAMPLES {
        let what =
            (format!("the log has more than {MOST_SAMPLES} samples"), format!("日志中的样本超过 {MOST_SAMPLES} 条"));
        sink.refuse(what, ("Leave out some epochs", "请减少 epoch 数"));
        return false;
    }
    samples.sort();
    let mut left = LARGEST;
    for (_, at, name) in samples {
        let read = match zip.by_index(at) {
            Ok(file) => {
                let mut file = std::io::BufReader::new(file.take(LONGEST_ITEM.min(left)));
                let read: Result<Sample, _> = serde_json::from_reader(document::bounded(Nulls::new(&mut file)).0);
                left = left.saturating_sub(LONGEST_ITEM.min(left) - file.get_ref().limit());
                read.map_err(|e| unreadable(&e.to_string()))
            }
            Err(e) => Err(unreadable(&e.to_string())),
        };
        sink.put(&name, read.and_then(|sample| entry(sample, model.as_deref())));
        if left == 0 {
            let what = ("the log unpacks to more than 2 GiB", "日志解压后超过 2 GiB");
            sink.refuse(what, ("Leave out some epochs", "请减少 epoch 数"));
            return false;
        }
    }
    true
}

fn unreadable(e: &str) -> Fault {
    fault(
        (format!("the sample cannot be read: {e}"), format!("无法读取该样本：{e}")),
        (
            "Use the log as Inspect wrote it; a sample has at most 64 MiB",
            "请使用 Inspect 写出的原始日志；每个样本最多 64 MiB",
        ),
    )
}

/// The epoch in a sample's name: `samples/ID_epoch_2.json`.
fn epoch(name: &str) -> u32 {
    let number = name.strip_suffix(".json").and_then(|name| name.rsplit_once("_epoch_"));
    number.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

fn entry(sample: Sample, model: Option<&str>) -> Result<Entry, Fault> {
    let task_id = id(small(&sample.id)?.as_ref()).ok_or_else(|| {
        fault(
            ("the sample has no ID".into(), "该样本没有编号".into()),
            ("Give each sample of the task an \"id\"", "请为每个样本设置“id”"),
        )
    })?;
    short_id(&task_id)?;
    let output = sample.output.unwrap_or_default();
    let choice = output.choices.first();
    let attachments = Attachments(sample.attachments.unwrap_or_default());
    let content = choice.and_then(|choice| choice.message.content.as_deref()).map(small).transpose()?.flatten();
    let mut text = texts(content.as_ref(), "text", "output", &attachments)?;
    let reasoning = texts(content.as_ref(), "reasoning", "reasoning", &attachments)?;
    if let (true, Some(completion)) = (text.is_empty(), &output.completion) {
        text = within_limit("output", attachments.resolved(completion))?.to_owned();
    }
    if let (Some(error), true) = (&sample.error, text.is_empty()) {
        let message: String = error.message.chars().take(200).collect();
        return Err(fault(
            (
                format!("the sample ended with an error and has no output: {message}"),
                format!("该样本因错误结束，没有输出：{message}"),
            ),
            (
                "Run it again with inspect eval-retry, or import only the valid samples",
                "请用 inspect eval-retry 重新运行，或只导入有效的样本",
            ),
        ));
    }
    let mut reported = Reported::by(Shape::Inspect);
    if let Some((passed, words)) = sample.scores.as_ref().and_then(verdict) {
        reported = reported.passed(passed);
        reported.detail = detail(&words);
    }
    reported.model = output.model.as_deref().and_then(detail).or_else(|| model.map(str::to_owned));
    reported.epoch = sample.epoch;
    if let Some(usage) = output.usage {
        reported.input_tokens = usage.input_tokens;
        reported.output_tokens = usage.output_tokens;
    }
    let end_by = choice.and_then(|choice| choice.stop_reason.as_deref()).and_then(detail);
    Ok(Entry {
        reasoning: Some(reasoning).filter(|text| !text.is_empty()),
        end_by,
        ..Entry::new(&task_id, Text::Response(text), reported)?
    })
}

/// A value of any form, read whole; nothing for null.
fn small(raw: &RawValue) -> Result<Option<Value>, Fault> {
    if values::are_too_many(raw.get().as_bytes()) {
        let (most, zh) = values::most();
        return Err(fault(
            (
                format!("the answer, the ID or a score of the sample has more than {most}"),
                format!("该样本的回答、编号或评分超过{zh}"),
            ),
            ("Use the log as Inspect wrote it", "请使用 Inspect 写出的原始日志"),
        ));
    }
    let value: Value = serde_json::from_str(raw.get()).map_err(|e| unreadable(&e.to_string()))?;
    Ok(Some(value).filter(|value| !value.is_null()))
}

/// Long texts of a sample by the names that stand for them. A sample can name one many times.
struct Attachments(BTreeMap<String, String>);

impl Attachments {
    fn resolved<'t>(&'t self, text: &'t str) -> &'t str {
        text.strip_prefix("attachment://").and_then(|name| self.0.get(name)).map_or(text, String::as_str)
    }
}

/// The texts of a message's parts of a kind, joined. A message that is one text has no other parts.
fn texts(content: Option<&Value>, kind: &str, field: &str, attachments: &Attachments) -> Result<String, Fault> {
    let parts = match content {
        Some(Value::String(text)) if kind == "text" => {
            return within_limit(field, attachments.resolved(text)).map(str::to_owned);
        }
        Some(Value::Array(parts)) => parts.as_slice(),
        _ => return Ok(String::new()),
    };
    let of_kind = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some(kind));
    let texts = of_kind.filter_map(|part| part.get(kind)?.as_str());
    joined(field, texts.map(|text| attachments.resolved(text)), "\n")
}

/// The first score that is right or wrong, or else the first score, with its name.
fn verdict(scores: &BTreeMap<String, Score>) -> Option<(Option<bool>, String)> {
    let read = |(name, score): (&String, &Score)| {
        let raw = score.value.as_deref()?.get();
        // A number, a letter or a word; of something longer, the beginning is read.
        let value = if raw.len() <= LONGEST_SCORE { serde_json::from_str(raw).ok()? } else { Value::Null };
        let passed = match &value {
            Value::Bool(passed) => Some(*passed),
            Value::String(text) => match text.as_str() {
                "C" => Some(true),
                "I" | "N" => Some(false),
                _ => None,
            },
            Value::Number(number) => match number.as_f64() {
                Some(1.0) => Some(true),
                Some(0.0) => Some(false),
                _ => None,
            },
            _ => None,
        };
        let words = value.as_str().unwrap_or(raw);
        let words = words.get(..words.floor_char_boundary(LONGEST_SCORE)).unwrap_or_default();
        Some((passed, format!("{}: {words}", detail(name).unwrap_or_default())))
    };
    let mut first = None;
    for found in scores.iter().filter_map(read) {
        if found.0.is_some() {
            return Some(found);
        }
        first.get_or_insert(found);
    }
    first
}
