//! EvalPlus: lines with `solution`, folders `HumanEval_N` with `0.py`, `1.py`, …, and its results, which contain the
//! solutions. A solution is a whole program.
//!
//! EvalPlus judges with the tests of HumanEval (`base_status`) and with more of its own (`plus_status`). Ours are those of
//! HumanEval, so theirs is the verdict of the former; the other one stands in its words.

use std::{collections::BTreeMap, io::Read};

use model::submission::{Reported, Shape};
use serde::de::{IgnoredAny, MapAccess};
use serde_json::Value;

use super::{
    Entries, Entry, Fields, Sink, Text, detail,
    document::{self, Budget, Items, MaybeText, Members, Whole},
    fault, id, nth,
};
use crate::{
    files::Files,
    lines::{Fault, short_id},
    outputs::Asked,
};

pub fn line<'l>(object: &'l dyn Fields, _: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    let solution = object.field("solution")?;
    if ["code", "generation", "completion"].iter().any(|name| object.field(name).is_some()) {
        return None;
    }
    let task_id = id(object.field("task_id"))?;
    let texts = match solution {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    if texts.is_empty() {
        return Some(Err(fault(
            ("\"solution\" is an empty list".into(), "“solution”是空列表".into()),
            ("Remove the line, or write an empty string for no output", "请删除该行；没有输出则写空字符串"),
        )));
    }
    if !texts.iter().all(Value::is_string) {
        return Some(Err(no_text()));
    }
    if let Err(fault) = short_id(&task_id) {
        return Some(Err(fault));
    }
    let is_one = texts.len() == 1;
    let entries = texts.iter().filter_map(Value::as_str).enumerate().map(move |(at, text)| {
        let mut reported = Reported::by(Shape::EvalPlus);
        reported.epoch = nth(at).filter(|_| !is_one);
        Entry::new(&task_id, Text::Program(text.to_owned()), reported)
    });
    Some(Ok(Box::new(entries)))
}

fn no_text() -> Fault {
    fault(
        ("\"solution\" is not a string".into(), "“solution”不是字符串".into()),
        ("Write \"solution\" as a string with the program", "请将“solution”写成含程序的字符串"),
    )
}

/// A sample of the results.
#[derive(serde::Deserialize)]
struct Judged {
    solution: Option<MaybeText>,
    #[serde(default)]
    base_status: Option<String>,
    #[serde(default)]
    plus_status: Option<String>,
}

/// Reads `…_eval_results.json`.
pub fn read_results(text: impl Read, sink: &mut Sink<'_>) -> bool {
    struct Results<'r, 's>(&'r mut Sink<'s>);
    struct Tasks<'r, 's>(&'r mut Sink<'s>);
    impl Members for Results<'_, '_> {
        fn member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, budget: &Budget) -> Result<(), A::Error> {
            match name {
                "eval" => map.next_value_seed(Whole(&mut Tasks(self.0), budget)),
                _ => map.next_value::<IgnoredAny>().map(|_| ()),
            }
        }
    }
    impl Members for Tasks<'_, '_> {
        fn member<'de, A: MapAccess<'de>>(&mut self, task: &str, map: &mut A, budget: &Budget) -> Result<(), A::Error> {
            if let Err(fault) = short_id(task) {
                self.0.put("eval", Err(fault));
                return map.next_value::<IgnoredAny>().map(|_| ());
            }
            map.next_value_seed(Items::new(budget, |at, judged: Judged| {
                self.0.put(&format!("eval[{task:?}][{at}]"), entry(task, at, judged));
            }))
        }
    }
    document::read("", text, sink, |json, budget, sink| {
        use serde::de::DeserializeSeed as _;
        Whole(&mut Results(sink), budget).deserialize(json)
    })
}

fn entry(task: &str, at: usize, judged: Judged) -> Result<Entry, Fault> {
    let Some(MaybeText::Text(solution)) = judged.solution else {
        return Err(fault(
            ("the result has no \"solution\"".into(), "该结果没有“solution”".into()),
            ("Upload the file of samples instead", "请改为上传样本文件"),
        ));
    };
    let is_pass = |status: &String| status == "pass";
    let mut reported = Reported::by(Shape::EvalPlus).passed(judged.base_status.as_ref().map(is_pass));
    reported.epoch = nth(at);
    let statuses = [("base", judged.base_status), ("plus", judged.plus_status)];
    let words = statuses.into_iter().filter_map(|(tests, status)| Some(format!("{tests} {}", status?)));
    reported.detail = detail(&words.collect::<Vec<_>>().join(", "));
    Entry::new(task, Text::Program(solution), reported)
}

/// The task and the sample of a file: `…/HumanEval_0/1.py`.
pub fn of_path(path: &str) -> Option<(String, u32)> {
    let (folder, file) = path.rsplit_once('/')?;
    let sample = file.rsplit_once('.')?.0.parse().ok()?;
    let folder = folder.rsplit('/').next()?;
    let (benchmark, number) = folder.rsplit_once('_')?;
    let number: u64 = number.parse().ok()?;
    ["HumanEval", "Mbpp"].contains(&benchmark).then(|| (format!("{benchmark}/{number}"), sample))
}

/// Reads the programs below one folder. Where there are several samples, they are in their numbers' order.
pub fn read_folder(files: &Files, sink: &mut Sink<'_>) -> bool {
    /// A program's task, sample, path and bytes.
    type Program<'f> = (String, u32, &'f str, &'f [u8]);
    let mut roots: BTreeMap<&str, Vec<Program<'_>>> = BTreeMap::new();
    for (path, bytes) in files.below("") {
        if let Some((task, sample)) = of_path(path) {
            let root = path.rsplitn(3, '/').nth(2).unwrap_or_default();
            roots.entry(root).or_default().push((task, sample, path, bytes));
        }
    }
    let mut names = roots.keys().map(|name| if name.is_empty() { "/" } else { name });
    if let (Some(first), Some(second)) = (names.next(), names.next()) {
        let what = (
            format!("the archive contains programs of several models ({first}, {second})"),
            format!("压缩包中有多个模型的程序（{first}、{second}）"),
        );
        sink.refuse(what, ("Upload the folder of one model", "请只上传一个模型的文件夹"));
        return false;
    }
    let mut programs = roots.into_values().next().unwrap_or_default();
    programs.sort();
    for (task, sample, path, bytes) in programs {
        let program = match std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) {
            Ok(text) => {
                let mut reported = Reported::by(Shape::EvalPlus);
                reported.epoch = sample.checked_add(1);
                Entry::new(&task, Text::Program(text.to_owned()), reported)
            }
            Err(e) => Err(fault(
                (
                    format!("byte {} is not UTF-8", e.valid_up_to() + 1),
                    format!("第 {} 个字节不是 UTF-8", e.valid_up_to() + 1),
                ),
                ("Save the file as UTF-8", "请保存为 UTF-8 编码"),
            )),
        };
        sink.put(path, program);
    }
    true
}
