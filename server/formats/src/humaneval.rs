//! HumanEval-X: the files `humaneval_<language>.jsonl.gz` of its repository, one dataset for each language.

use std::{collections::BTreeMap, io::Read};

use model::{
    code_lang::CodeLang,
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Found, FoundDataset, FoundTask, TestTree,
    files::Files,
    lines::{self, Fault},
    prose, read_tasks,
};

/// Prefix of the datasets' short names.
pub const SLUG: &str = "humaneval-x-";

/// The most that a file may unpack to, in bytes; the published ones have less than 1 MiB.
const LARGEST: u64 = 32 * 1024 * 1024;

/// A task as the benchmark has it. Its JSON is what the database keeps of it as the task's tests (`task_tests`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Always the same: tells this JSON from other tests.
    pub benchmark: Benchmark,
    /// The id, such as `Python/0`.
    pub task_id: String,
    /// The prompt that models continue: imports, signature and description.
    pub prompt: String,
    /// The imports and the signature alone.
    pub declaration: String,
    /// Go only: the imports of `prompt`, to the letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<String>,
    /// Go only: the comment before the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docstring: Option<String>,
    /// The program text that judges an output; it stands after it.
    pub test: String,
    /// Go only: the package clause and the imports of `test`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_setup: Option<String>,
    /// The tests that the description mentions; empty for some tasks.
    pub example_test: String,
    /// The benchmark's own continuation of `prompt`.
    pub canonical_solution: String,
    /// Translation only: what must be translated. A solution then continues `declaration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

impl Task {
    /// The text that an output continues.
    pub fn beginning(&self) -> &str {
        if self.source.is_some() { &self.declaration } else { &self.prompt }
    }
}

/// The solution in another language that a task of the translation task starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub lang: CodeLang,
    /// The id of its task, which is also that of the translation.
    pub task_id: String,
    /// Its declaration and body.
    pub code: String,
}

/// The name of the benchmark in [`Task::benchmark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Benchmark {
    /// HumanEval-X.
    #[serde(rename = "humaneval-x")]
    HumanevalX,
}

/// One language's file.
struct Part {
    lang: CodeLang,
    /// The language in the names of files and datasets.
    name: &'static str,
    /// Prefix of the tasks' IDs.
    prefix: &'static str,
    /// SHA-256 of the published file's content, unpacked: how it is packed says nothing about it.
    content: &'static str,
}

/// The languages. The packed files have the SHA-256 that a test below names.
const PARTS: [Part; 6] = [
    Part {
        lang: CodeLang::Python,
        name: "python",
        prefix: "Python/",
        content: "f0e21637407b08a725dbc5bfcc20f909049f73564dd0d55dcc11619fa0838849",
    },
    Part {
        lang: CodeLang::Cpp,
        name: "cpp",
        prefix: "CPP/",
        content: "af420b4b58c1b5e7f4cac9c1257daad7b20b5c77e88d59ccc120e63825f03325",
    },
    Part {
        lang: CodeLang::Java,
        name: "java",
        prefix: "Java/",
        content: "2157a77a6ff808020adc20142228b4ff698048c0696b33110786400c47c5d79c",
    },
    Part {
        lang: CodeLang::JavaScript,
        name: "js",
        prefix: "JavaScript/",
        content: "da529500a73fcbc86bc8f6c7855c0f2c0fc7af1c4dc530e26a54bbfd17f97cef",
    },
    Part {
        lang: CodeLang::Go,
        name: "go",
        prefix: "Go/",
        content: "87aba5e8ab3be26aec48a355b77c73790900ebae3731c44ea9e3fdd5ea51f1fe",
    },
    Part {
        lang: CodeLang::Rust,
        name: "rust",
        prefix: "Rust/",
        content: "36938439d536c34418b582db82f7bfa5d0331990424fc69b1915c5067634b4e7",
    },
];

/// The language's file of that path: `humaneval_python.jsonl.gz`, in whatever folder, packed or not.
fn part(path: &str) -> Option<&'static Part> {
    let name = path.rsplit('/').next()?.strip_prefix("humaneval_")?;
    let name = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".jsonl")?;
    PARTS.iter().find(|part| part.name == name)
}

/// Whether a path is that of a file of the benchmark.
pub fn is_own_file(path: &str) -> bool {
    part(path).is_some()
}

/// Reads the benchmark's files: a checkout, a folder of them, or single ones. `None` where there are none.
pub fn read(files: &Files) -> Option<Result<Found, Vec<Problem>>> {
    let own: Vec<_> = files.below("").filter_map(|(path, bytes)| Some((path, part(path)?, bytes))).collect();
    (!own.is_empty()).then(|| read_parts(own))
}

fn read_parts(own: Vec<(&str, &'static Part, &[u8])>) -> Result<Found, Vec<Problem>> {
    let mut found = Found { datasets: Vec::new(), rubric: None, notes: Vec::new(), bare: false };
    let mut problems = Vec::new();
    for part in &PARTS {
        let mut files = own.iter().filter(|(_, of, _)| of.name == part.name);
        let Some((path, _, bytes)) = files.next() else { continue };
        if let Some((second, ..)) = files.next() {
            problems.push(Problem::new(
                *second,
                (
                    format!("a second file with the tasks in {}", part.lang.name()),
                    format!("{} 的任务文件重复", part.lang.name()),
                ),
                ("Keep only one of them", "请只保留一个"),
            ));
            continue;
        }
        match dataset(path, part, bytes) {
            Ok((dataset, note)) => {
                found.datasets.push(dataset);
                found.notes.extend(note);
            }
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// A language's dataset, and a note where it is not the published one.
fn dataset(path: &str, part: &Part, bytes: &[u8]) -> Result<(FoundDataset, Option<String>), Vec<Problem>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let content = unpacked(file, bytes).map_err(|problem| vec![problem])?;
    let mut last = None;
    let tasks = read_tasks(file, &content, |object| {
        let (number, task) = task(object, part)?;
        if last.is_some_and(|last| number < last) {
            let after = format!("{}{}", part.prefix, last.unwrap_or_default());
            return Err(Fault(
                (
                    format!("the task \"{}\" comes after \"{after}\"", task.task_id),
                    format!("任务“{}”排在“{after}”之后", task.task_id),
                )
                    .into(),
                ("Put the tasks in the order of their numbers", "请按编号顺序排列任务").into(),
            ));
        }
        last = Some(number);
        found_task(task, part)
    })?;
    let digest = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let note = (digest(&content) != part.content).then(|| {
        format!("{file} is not the published file of 7 March 2023: the SHA-256 of its content is not {}.", part.content)
    });
    let name = part.lang.name();
    let text = |en: String, zh: String| Bilingual { en, zh };
    let dataset = FoundDataset {
        slug: format!("{SLUG}{}", part.name),
        name: text(format!("HumanEval-X, {name}"), format!("HumanEval-X（{name}）")),
        description: text(
            format!("Functions to complete in {name}, judged by the tests of HumanEval-X."),
            format!("补全 {name} 函数，由 HumanEval-X 的测试判定。"),
        ),
        license: "Apache-2.0".into(),
        source: format!("{file}, SHA-256 {}", digest(bytes)),
        tasks,
        tests: Some(TestTree { kind: TestKind::HumanevalX, files: BTreeMap::new() }),
    };
    Ok((dataset, note))
}

fn unpacked(file: &str, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.to_vec());
    }
    let mut content = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).take(LARGEST + 1).read_to_end(&mut content).map_err(|e| {
        Problem::new(
            file,
            (format!("the gzip file is damaged ({e})"), format!("gzip 文件已损坏（{e}）")),
            ("Download it again", "请重新下载"),
        )
    })?;
    if content.len() as u64 > LARGEST {
        return Err(Problem::new(
            file,
            (
                format!("the file unpacks to more than {} MiB", LARGEST / 1024 / 1024),
                format!("文件解压后超过 {} MiB", LARGEST / 1024 / 1024),
            ),
            ("Split it into smaller files", "请拆分成较小的文件"),
        ));
    }
    Ok(content)
}

/// A line's task and the number in its id.
fn task(object: &lines::Object, part: &Part) -> Result<(u32, Task), Fault> {
    let task_id = object.task_id()?;
    let number = task_id.strip_prefix(part.prefix).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let Some(number) = number.and_then(|digits| digits.parse().ok()) else {
        return Err(Fault(
            (
                format!("the task \"{task_id}\" is not a task in {}", part.lang.name()),
                format!("任务“{task_id}”不属于 {}", part.lang.name()),
            )
                .into(),
            (
                format!(
                    "IDs in this file are \"{0}0\", \"{0}1\" and so on; rename the file if its language is another",
                    part.prefix
                ),
                format!("此文件的编号应为“{0}0”“{0}1”等；若为其他语言，请改文件名", part.prefix),
            )
                .into(),
        ));
    };
    let go = part.lang == CodeLang::Go;
    let of_go = |field| if go { required(object, field).map(Some) } else { Ok(None) };
    Ok((
        number,
        Task {
            benchmark: Benchmark::HumanevalX,
            prompt: required(object, "prompt")?,
            declaration: required(object, "declaration")?,
            import: of_go("import")?,
            docstring: of_go("docstring")?,
            test: required(object, "test")?,
            test_setup: of_go("test_setup")?,
            example_test: required(object, "example_test")?,
            canonical_solution: required(object, "canonical_solution")?,
            source: None,
            task_id,
        },
    ))
}

fn required(object: &lines::Object, field: &str) -> Result<String, Fault> {
    object.text(field)?.map(str::to_owned).ok_or_else(|| {
        Fault(
            (format!("the field \"{field}\" is missing"), format!("缺少“{field}”字段")).into(),
            ("Use the file as the benchmark publishes it", "请使用基准发布的原始文件").into(),
        )
    })
}

fn found_task(task: Task, part: &Part) -> Result<FoundTask, Fault> {
    let body = serde_json::to_string(&task).map_err(|e| {
        Fault(
            (format!("the task cannot be stored ({e})"), format!("无法保存该任务（{e}）")).into(),
            ("Use the file as the benchmark publishes it", "请使用基准发布的原始文件").into(),
        )
    })?;
    let prose::PromptParts { description, signature } = prose::split_prompt(&task, part.lang);
    Ok(FoundTask {
        nl_lang: Lang::detect(&description),
        raw_nl: description,
        signature: Some(signature).filter(|text| !text.is_empty()),
        checks: Checks { human: true, tests: true },
        code_lang: part.lang,
        test_class: None,
        test_body: Some(body),
        turns: Vec::new(),
        task_id: task.task_id,
    })
}

#[cfg(test)]
#[path = "humaneval_test.rs"]
mod tests;
