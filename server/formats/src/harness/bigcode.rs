//! bigcode-evaluation-harness: `generations_TASK.json`, a list of programs for each task, in the order of the tasks. A
//! program contains the prompt.
//!
//! The lists have no task IDs, so their places tell the task, unless the references lie beside them in an archive: then
//! the function that a reference checks does.

use std::{collections::HashMap, io::Read};

use model::submission::{Reported, Shape};
use serde::de::DeserializeSeed;

use super::{
    Entry, Sink, Text,
    document::{self, Items, MaybeText},
    fault, nth,
};
use crate::{files::Files, lines::Fault, outputs::KnownTasks, values};

/// Reads the generations. `checked` has the names of the functions that the references check.
pub fn read(text: impl Read, checked: Option<&[Option<String>]>, sink: &mut Sink<'_>) -> bool {
    let known = sink.asked.tasks.clone();
    let by_name = known.as_deref().zip(checked).map(|(known, checked)| places(known, checked));
    document::read("", text, sink, |json, budget, sink| {
        let mut each = |at: usize, samples: Option<Vec<MaybeText>>| {
            let samples = samples.unwrap_or_default();
            if samples.is_empty() {
                return;
            }
            let task_id = task(known.as_deref(), by_name.as_deref(), at);
            for (sample, text) in samples.into_iter().enumerate() {
                let entry = match (&task_id, text) {
                    (Err(Fault(what, remedy)), _) => Err(Fault(what.clone(), remedy.clone())),
                    (Ok(id), MaybeText::Text(text)) => {
                        let mut reported = Reported::by(Shape::Bigcode);
                        reported.epoch = nth(sample);
                        Entry::new(id, Text::Program(text), reported)
                    }
                    (Ok(_), MaybeText::Other) => Err(fault(
                        ("the output is not a string".into(), "该输出不是字符串".into()),
                        ("Write an empty string for no output", "没有输出则写空字符串"),
                    )),
                };
                sink.put(&format!("[{at}][{sample}]"), entry);
            }
        };
        Items::new(budget, &mut each).deserialize(json)
    })
}

/// The task of the list at a place.
fn task(known: Option<&KnownTasks>, by_name: Option<&[Option<usize>]>, at: usize) -> Result<String, Fault> {
    let Some(known) = known else { return Ok(at.to_string()) };
    let place = match by_name {
        Some(places) => places.get(at).copied().flatten().ok_or_else(|| {
            fault(
                (
                    format!("the dataset has no task for reference {at}"),
                    format!("数据集中没有第 {at} 条 reference 对应的任务"),
                ),
                ("Choose the dataset of these outputs", "请选择这些输出对应的数据集"),
            )
        })?,
        None => at,
    };
    known.tasks.id_at(place).map(str::to_owned).ok_or_else(|| {
        let tasks = known.tasks.len();
        fault(
            (
                format!("the file has more lists than the dataset has tasks, {tasks}"),
                format!("列表数超过数据集的任务数（{tasks}）"),
            ),
            ("Choose the dataset of these outputs", "请选择这些输出对应的数据集"),
        )
    })
}

/// The places of the tasks that define the checked functions.
fn places(known: &KnownTasks, checked: &[Option<String>]) -> Vec<Option<usize>> {
    let named = known.wanted.iter().enumerate().filter_map(|(at, wanted)| Some((wanted.name.as_deref()?, at)));
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (name, at) in named {
        by_name.entry(name).or_insert(at);
    }
    checked.iter().map(|name| by_name.get(name.as_deref()?).copied()).collect()
}

/// The function that a reference checks: `check(NAME)` in its last line.
fn checked(reference: &str) -> Option<String> {
    let last = reference.trim_end().lines().next_back()?;
    let name = last.trim().strip_prefix("check(")?.strip_suffix(')')?;
    (!name.is_empty()).then(|| name.to_owned())
}

pub fn is_generations(path: &str) -> bool {
    is_named(path, "generations")
}

pub fn is_references(path: &str) -> bool {
    is_named(path, "references")
}

fn is_named(path: &str, start: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with(start) && name.ends_with(".json") && !name.ends_with("_intermediate.json")
}

/// Reads generations with their references, from a folder.
pub fn read_folder(files: &Files, sink: &mut Sink<'_>) -> bool {
    let all = |is: fn(&str) -> bool| files.below("").filter(move |(path, _)| is(path)).collect::<Vec<_>>();
    let (generations, references) = (all(is_generations), all(is_references));
    let [(_, generations)] = generations.as_slice() else {
        let count = generations.len();
        let what = (
            format!("the archive has {count} files with generations"),
            format!("压缩包中有 {count} 个 generations 文件"),
        );
        sink.refuse(what, ("Upload the file of one task", "请只上传一项任务的文件"));
        return false;
    };
    let names = match references.as_slice() {
        [(_, text)] if !values::are_too_many(text) => serde_json::from_slice::<Vec<MaybeText>>(text).ok(),
        _ => None,
    };
    let names: Option<Vec<Option<String>>> = names.map(|texts| {
        let name = |text| if let MaybeText::Text(text) = text { checked(&text) } else { None };
        texts.into_iter().map(name).collect()
    });
    // References of another form say nothing about the tasks.
    let names = names.filter(|names| names.iter().all(Option::is_some));
    read(*generations, names.as_deref(), sink)
}
