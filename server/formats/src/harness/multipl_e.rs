//! MultiPL-E: a JSON file for each task, with `completions`, or `results` after the evaluation (`*.results.json.gz`).
//!
//! A completion continues the file's own prompt, so the output is both together. Results have whole programs with the
//! tests, which are cut off.

use std::{collections::BTreeMap, io::Read};

use model::{
    code_lang::CodeLang,
    submission::{Reported, Shape},
};
use serde::Deserialize;

use super::{
    Entries, Entry, Fields, Sink, Text, detail,
    document::{self, LONGEST_ITEM},
    fault, nth,
};
use crate::{
    files::Files,
    lines::{Fault, short_id},
    outputs::{Asked, joined, within_limit},
};

/// The fields that every file has.
pub const NAMES: [&str; 4] = ["name", "language", "prompt", "tests"];

#[derive(Deserialize)]
struct Task {
    name: String,
    language: String,
    prompt: String,
    tests: String,
    #[serde(default)]
    completions: Vec<String>,
    #[serde(default)]
    results: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    program: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    exit_code: Option<i64>,
}

pub fn line<'l>(object: &'l dyn Fields, asked: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    if NAMES.iter().any(|name| object.field(name).is_none()) {
        return None;
    }
    object.field("completions").or(object.field("results"))?;
    Some(task(object).and_then(|task| entries(task, asked)))
}

/// The task of a line.
fn task(object: &dyn Fields) -> Result<Task, Fault> {
    fn read<'l, T: Deserialize<'l> + Default>(object: &'l dyn Fields, name: &str) -> Result<T, Fault> {
        let value = object.field(name).map(T::deserialize).transpose();
        Ok(value.map_err(|e| unreadable(&format!("\"{name}\": {e}")))?.unwrap_or_default())
    }
    Ok(Task {
        name: read(object, "name")?,
        language: read(object, "language")?,
        prompt: read(object, "prompt")?,
        tests: read(object, "tests")?,
        completions: read(object, "completions")?,
        results: read(object, "results")?,
    })
}

/// Reads a file that is one task.
pub fn read(place: &str, text: impl Read, sink: &mut Sink<'_>) -> bool {
    document::read(place, text, sink, |json, budget, sink| {
        // Files of several tasks are joined sometimes.
        loop {
            let task = Task::deserialize(&mut *json)?;
            budget.refill();
            let key = if task.results.is_empty() { "completions" } else { "results" };
            let task_place = if place.is_empty() { detail(&task.name).unwrap_or_default() } else { place.to_owned() };
            match entries(task, sink.asked) {
                Ok(entries) => {
                    for (at, entry) in entries.enumerate() {
                        sink.put(&format!("{task_place} {key}[{at}]"), entry);
                    }
                }
                Err(fault) => sink.put(&task_place, Err(fault)),
            }
            if json.end().is_ok() {
                return Ok(());
            }
        }
    })
}

fn unreadable(e: &str) -> Fault {
    fault(
        (format!("the file of the task cannot be read: {e}"), format!("无法读取该任务的文件：{e}")),
        ("Use the file as MultiPL-E wrote it", "请使用 MultiPL-E 写出的原始文件"),
    )
}

fn entries(task: Task, asked: &Asked) -> Result<Entries<'static>, Fault> {
    let Task { name, language, prompt, tests, completions, results } = task;
    short_id(&name)?;
    let lang = lang(&language);
    let known = asked.tasks.as_ref();
    let task_id = match known.is_some_and(|known| known.tasks.has(&name)) {
        true => name,
        false => id_of(&name, lang),
    };
    // A language that we do not have is never the dataset's.
    let elsewhere = known.is_some_and(|known| lang.is_none_or(|lang| known.wanted.iter().all(|of| of.lang != lang)));
    let entry = move |at: usize, text: String, mut reported: Reported| {
        reported.epoch = nth(at);
        Ok(Entry { elsewhere, ..Entry::new(&task_id, Text::Program(text), reported)? })
    };
    if results.is_empty() {
        within_limit("prompt", &prompt)?;
        let all = completions.iter().map(|rest| (prompt.len() + rest.len()) as u64).sum::<u64>();
        if all > LONGEST_ITEM {
            return Err(too_much());
        }
        let made = move |(at, rest): (usize, String)| {
            let program = joined("output", [prompt.as_str(), &rest].into_iter(), "")?;
            entry(at, program, Reported::by(Shape::MultiplE))
        };
        return Ok(Box::new(completions.into_iter().enumerate().map(made)));
    }
    let end = format!("\n{tests}");
    let of_run = move |(at, run): (usize, Run)| {
        let program = run.program.strip_suffix(&end).or_else(|| run.program.strip_suffix(tests.as_str()));
        let program = program.map(|program| joined("output", [program, "\n"].into_iter(), "")).transpose()?;
        let mut reported = Reported::by(Shape::MultiplE).passed(run.status.as_ref().map(|status| status == "OK"));
        let code = run.exit_code.filter(|code| *code != 0).map(|code| format!(", exit code {code}"));
        let status = run.status.as_deref().and_then(detail);
        reported.detail = status.and_then(|status| detail(&format!("{status}{}", code.unwrap_or_default())));
        entry(at, program.unwrap_or(run.program), reported)
    };
    Ok(Box::new(results.into_iter().enumerate().map(of_run)))
}

/// The fault of a task whose prompt makes its outputs many times as long as the file.
fn too_much() -> Fault {
    let most = LONGEST_ITEM / 1024 / 1024;
    fault(
        (
            format!("the completions of the task are longer than {most} MiB together, each with the prompt"),
            format!("该任务的补全（各含提示词）合计超过 {most} MiB"),
        ),
        ("Split the completions into several files", "请将补全拆分到多个文件"),
    )
}

/// The language of a translator's name.
fn lang(name: &str) -> Option<CodeLang> {
    match name {
        "py" | "python" | "notypes.py" => Some(CodeLang::Python),
        "java" => Some(CodeLang::Java),
        "cpp" => Some(CodeLang::Cpp),
        "js" | "javascript" => Some(CodeLang::JavaScript),
        "go" | "go_test.go" => Some(CodeLang::Go),
        "rs" | "rust" => Some(CodeLang::Rust),
        _ => None,
    }
}

/// The ID of a task: `Python/0` of `HumanEval_0_has_close_elements`, `mbpp/3` of `mbpp_3_is_not_prime`.
fn id_of(name: &str, lang: Option<CodeLang>) -> String {
    let mut parts = name.splitn(3, '_');
    match (parts.next(), parts.next(), lang) {
        (Some("HumanEval"), Some(number), Some(lang)) => format!("{}/{number}", prefix(lang)),
        (Some(benchmark), Some(number), _) => format!("{benchmark}/{number}"),
        _ => name.to_owned(),
    }
}

/// What HumanEval-X has before a task's number.
fn prefix(lang: CodeLang) -> &'static str {
    match lang {
        CodeLang::Python => "Python",
        CodeLang::Java => "Java",
        CodeLang::Cpp => "CPP",
        CodeLang::JavaScript => "JavaScript",
        CodeLang::Go => "Go",
        CodeLang::Rust => "Rust",
    }
}

/// The name of the task of a file `…/HumanEval_0_name.json.gz`, and whether it has results.
pub fn of_path(path: &str) -> Option<(&str, bool)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".json")?;
    let (name, has_results) = match name.strip_suffix(".results") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let mut parts = name.splitn(3, '_');
    let is_task = ["HumanEval", "mbpp"].contains(&parts.next()?)
        && parts.next().is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    is_task.then_some((name, has_results))
}

/// Reads the tasks of a folder in their numbers' order: of each the results, or else the completions.
pub fn read_folder(files: &Files, sink: &mut Sink<'_>) -> bool {
    let mut tasks: BTreeMap<(u64, &str), (bool, &str, &[u8])> = BTreeMap::new();
    for (path, bytes) in files.below("") {
        let Some((name, has_results)) = of_path(path) else { continue };
        let number = name.split('_').nth(1).and_then(|number| number.parse().ok()).unwrap_or(u64::MAX);
        match tasks.get(&(number, name)) {
            Some((known, other, _)) if *known == has_results => {
                let what = (
                    format!("two files are of the task {name}: {other} and {path}"),
                    format!("有两个文件属于任务 {name}：{other} 和 {path}"),
                );
                sink.refuse(
                    what,
                    ("Upload the folder of one model and language", "请只上传一个模型、一种语言的文件夹"),
                );
                return false;
            }
            Some((true, ..)) => {}
            _ => {
                tasks.insert((number, name), (has_results, path, bytes));
            }
        }
    }
    for (_, path, bytes) in tasks.into_values() {
        let (text, _) = crate::lines::unpacked(bytes);
        // A file that cannot be read is reported; the others are read nevertheless.
        read(path, text.take(LONGEST_ITEM), sink);
    }
    true
}
