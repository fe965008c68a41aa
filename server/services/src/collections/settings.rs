//! Checks the settings of collections.

use model::{
    collection::{CollectionSettings, MOST_AT_ONCE, MOST_SAMPLES},
    message::Message,
};
use serde_json::{Map, Value};

use base::error::Failure;
use clients::endpoint::Ask;

/// Maximum length of a system message or a template, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// The field of newer models for the maximum of tokens per response.
const LIMIT_FIELD: &str = "max_completion_tokens";

/// Checks the ranges of settings.
pub fn check(settings: &CollectionSettings) -> Result<(), Failure> {
    let within = |field: &str, ok: bool, en: &str, zh: &str| match ok {
        true => Ok(()),
        false => Err(Failure::invalid(
            field,
            (format!("it must be {en}"), format!("必须{zh}")),
            ("Choose another value", "请另选一个值"),
        )),
    };
    let s = settings;
    within("samples", (1..=MOST_SAMPLES).contains(&s.samples), "from 1 to 1000", "在 1 到 1000 之间")?;
    within("temperature", s.temperature.is_none_or(|t| (0.0..=2.0).contains(&t)), "from 0 to 2", "在 0 到 2 之间")?;
    within("top_p", s.top_p.is_none_or(|p| p > 0.0 && p <= 1.0), "above 0 and at most 1", "大于 0 且不超过 1")?;
    within("response_tokens", s.response_tokens != Some(0), "at least 1", "不小于 1")?;
    within("at_once", (1..=MOST_AT_ONCE).contains(&s.at_once), "from 1 to 64", "在 1 到 64 之间")?;
    within(
        "per_minute",
        s.per_minute.is_none_or(|n| (1..=60_000).contains(&n)),
        "from 1 to 60000",
        "在 1 到 60000 之间",
    )?;
    within("timeout_s", (1..=3600).contains(&s.timeout_s), "from 1 to 3600", "在 1 到 3600 之间")?;
    let texts = [
        ("system", &s.system),
        ("template", &s.template.en),
        ("template", &s.template.zh),
        ("turn_template", &s.turn_template.en),
        ("turn_template", &s.turn_template.zh),
        ("feedback_template", &s.feedback_template.en),
        ("feedback_template", &s.feedback_template.zh),
    ];
    for (field, text) in texts {
        within(field, text.len() <= LONGEST_TEXT, "at most 64 KiB long", "不超过 64 KiB")?;
    }
    within("parameters", s.parameters.len() <= LONGEST_TEXT, "at most 64 KiB long", "不超过 64 KiB")?;
    let fields = parameters(&s.parameters).map_err(|(what, remedy)| Failure::invalid("parameters", what, remedy))?;
    if s.response_tokens.is_some() && fields.contains_key(LIMIT_FIELD) {
        let what = (
            "the maximum tokens per response are set twice, here and as max_completion_tokens",
            "单个响应的最大词元数设置了两次：此处和 max_completion_tokens",
        );
        return Err(Failure::invalid("response_tokens", what, ("Leave one of them out", "请去掉其中一个")));
    }
    Ok(())
}

/// The further fields of a request.
pub fn parameters(text: &str) -> Result<Map<String, Value>, (Message, Message)> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let map: Map<String, Value> = serde_json::from_str(text).map_err(|e| {
        let what = (format!("this is not a JSON object: {e}"), format!("这不是 JSON 对象：{e}"));
        (what.into(), ("Write it as {\"top_k\": 20}", "请写成 {\"top_k\": 20} 的形式").into())
    })?;
    match Ask::OWN.iter().find(|name| map.contains_key(**name)) {
        Some(name) => {
            let (option, remedy) = own(name);
            let what = (format!("the field {name} cannot be set here"), format!("不能在此设置字段 {name}"));
            let remedy = match option {
                Some(option) => {
                    (format!("Remove it, and set {remedy} ({option})"), format!("请将其去掉，改用 {option}"))
                }
                None => (format!("Remove it: {remedy}"), "请将其去掉：该字段由程序填写".into()),
            };
            Err((what.into(), remedy.into()))
        }
        None => Ok(map),
    }
}

/// The option that sets a field which requests have of their own, and what it is; or why there is none.
fn own(field: &str) -> (Option<&'static str>, &'static str) {
    match field {
        "model" => (Some("--endpoint-model"), "the model's name at the endpoint"),
        "temperature" => (Some("--temperature"), "the temperature"),
        "top_p" => (Some("--top-p"), "top-p"),
        "seed" => (Some("--seed"), "the seed"),
        "max_tokens" => (Some("--response-tokens"), "the maximum tokens per response"),
        "n" => (Some("--samples"), "the samples per task, which have requests of their own"),
        "stream" => (Some("--stream"), "whether responses are streamed"),
        _ => (None, "it is made of the prompt template"),
    }
}

/// The maximum of tokens per response, in whichever field it is sent.
pub fn response_limit(settings: &CollectionSettings) -> Option<u64> {
    let in_parameters = || parameters(&settings.parameters).ok()?.get(LIMIT_FIELD)?.as_u64();
    settings.response_tokens.map(u64::from).or_else(in_parameters)
}
