//! CodeIF-Bench: its data files, at function level (`L_1_part_1.jsonl`) and at repository level. The benchmark states no
//! license, so its files are read where the user has them, and none is part of this program.

mod defects;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    code_lang::CodeLang,
    conversation::{InstructionKind, TaskTurn, TurnDefect},
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use sha2::{Digest, Sha256};

use super::{
    Found, FoundDataset, FoundTask, TestTree,
    files::Files,
    harness::document,
    lines::{Fault, Object, short_id},
    read_numbered_tasks, values,
};
use benchmarks::place::Place;

/// Maximum number of blanks before a function's lines.
const MOST_INDENT: u32 = 64;

/// Maximum length of a path in a project, in bytes.
const LONGEST_PATH: usize = 1024;

/// What the short names of the datasets begin with.
pub const SLUG: &str = "codeif-bench-";

/// SHA-256 of the function level's file in the first release (commit 93b17ef), to which the published outputs belong.
const V0: &str = "2710a5b421e510b46fa10a9697a9307f39e341cf73e0cafe0ea78cf008981e48";
/// SHA-256 of the function level's file since July 2025, on both branches.
const V1: &str = "198bbd931946cdd614b4b53239a003ccdf33a440fec8af921db612e75b5f1bac";
/// SHA-256 of the repository level's files, on both branches.
const REPOSITORY: [&str; 5] = [
    "06bb7ff27741fa73d3f79913811f8c08a5a51177cedd12891dd0c3605ab00cbe",
    "261b23e45b1415ef9fdba5c072a51bdb5f934f7d7367bffc3931ed9cba85e1ab",
    "b1f68d4b6e869e7f43f8aa8943a963b3c2f68b1e0e7103b4272292d53d45c31c",
    "b343c78dd64559d93a952192e84b7d7b51e0bab9dbe8deac55d44f29386a8015",
    "c51aa987f8dba3a2532657626e88e7f02306a8f96a6d16f1634480e1e3c6f0e2",
];

/// The tasks of the first release whose test of exception handling did not parse when the authors computed the published
/// verdicts. The published tracebacks show it; the tests were corrected before the release.
const UNPARSABLE_AS_RUN: [&str; 3] = ["23", "24", "38"];

/// The tests of a task. Its JSON is what the database keeps of it (`task_tests`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Always the same: tells this JSON from other tests.
    pub benchmark: Benchmark,
    pub task_id: String,
    /// The benchmark's own solution of the base prompt.
    pub code: String,
    /// The tests of every turn, in the turns' order.
    pub turns: Vec<TurnTests>,
    /// At repository level: the function that the task asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// At repository level: why tests cannot judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<TurnDefect>,
}

/// The tests of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTests {
    pub kind: InstructionKind,
    /// Whether the turn is judged in a conversation of all turns ([`TaskTurn::judged`]).
    pub judged: bool,
    /// Program texts, which stand after the output; at repository level, IDs of the project's tests.
    pub tests: Vec<String>,
    /// Whether the tests did not parse when the authors ran them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unparsable_as_run: bool,
}

/// The name of the benchmark in [`Task::benchmark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Benchmark {
    /// CodeIF-Bench.
    #[serde(rename = "codeif-bench")]
    CodeIfBench,
}

/// Whether a file has tasks of the benchmark, by its first line.
fn is_own_file(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if !name.ends_with(".jsonl") && !name.ends_with(".json") {
        return false;
    }
    let line = bytes.split(|b| *b == b'\n').find(|line| !line.iter().all(u8::is_ascii_whitespace)).unwrap_or_default();
    !values::are_too_many(line) && serde_json::from_slice::<Value>(line).is_ok_and(|object| is_own_task(&object))
}

/// Whether an object is a task of the benchmark.
pub fn is_own_task(object: &Value) -> bool {
    let has = |field: &str| object.get(field).is_some();
    let is_task = object.get("requirements").is_some_and(Value::is_object) && has("prompt");
    is_task && (has("test") || has("namespace")) && !has("completion")
}

/// Reads the benchmark's data files: a checkout of either branch, a folder of them, or single ones. `None` where there
/// are none.
pub fn read(files: &Files) -> Option<Result<Found, Vec<Problem>>> {
    let own: Vec<_> = files.below("").filter(|(path, bytes)| is_own_file(path, bytes)).collect();
    (!own.is_empty()).then(|| read_files(own))
}

fn read_files(own: Vec<(&str, &[u8])>) -> Result<Found, Vec<Problem>> {
    let mut found = Found { datasets: Vec::new(), rubric: None, notes: Vec::new(), bare: false };
    let mut problems = Vec::new();
    let mut slugs = BTreeMap::new();
    for (path, bytes) in own {
        match dataset(path, bytes) {
            Ok((dataset, note)) => match slugs.insert(dataset.slug.clone(), bytes) {
                Some(same) if same == bytes => {}
                Some(_) => problems.push(Problem::new(
                    path,
                    ("a second file with the tasks of this level", "该级别的任务文件重复"),
                    ("Keep only one of them", "请只保留一个"),
                )),
                None => {
                    found.datasets.push(dataset);
                    found.notes.extend(note);
                }
            },
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// A file's dataset, and a note if it is no published file.
fn dataset(path: &str, bytes: &[u8]) -> Result<(FoundDataset, Option<String>), Vec<Problem>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let digest = hex::encode(Sha256::digest(bytes));
    let mut is_function = true;
    let mut orders = Orders::of(bytes);
    let tasks = read_numbered_tasks(file, bytes, |line, object| {
        let instructions = instructions(object, orders.at(line))?;
        is_function = object.get("namespace").is_none();
        match is_function {
            true => function_task(object, &instructions, digest == V0),
            false => repository_task(object, &instructions),
        }
    })?;
    let mut tasks = tasks;
    defects::share(&mut tasks).map_err(|fault| vec![Problem::new(file, fault.0, fault.1)])?;
    let stem = file.split('.').next().unwrap_or(file).to_lowercase().replace('_', "-");
    let data = match digest.as_str() {
        V0 => "v0",
        V1 => "v1",
        other => other.get(..8).unwrap_or(other),
    };
    let known = [V0, V1].contains(&&*digest) || REPOSITORY.contains(&&*digest);
    let note = (!known).then(|| {
        format!(
            "{file} is no published file of CodeIF-Bench (SHA-256 {digest}). It is imported; published verdicts do not apply to it."
        )
    });
    let text = |en: String, zh: String| Bilingual { en, zh };
    let (slug, name, description) = if is_function {
        (
            format!("{SLUG}{data}"),
            text(format!("CodeIF-Bench, {data}"), format!("CodeIF-Bench（{data}）")),
            text(
                "Conversations about a Python function: a base prompt, then instructions, each with its tests.".into(),
                "围绕一个 Python 函数的对话：先给出基础提示，再逐条给出指令，每条指令都有测试。".into(),
            ),
        )
    } else {
        (
            format!("{SLUG}{stem}"),
            text(format!("CodeIF-Bench, repositories ({stem})"), format!("CodeIF-Bench 仓库级（{stem}）")),
            text(
                "Conversations about a function of an existing Python project. The tests need the projects' sources."
                    .into(),
                "围绕现有 Python 项目中某个函数的对话。运行测试需要这些项目的源码。".into(),
            ),
        )
    };
    let kind = if is_function { TestKind::CodeIfBench } else { TestKind::Repositories };
    let has_tests = tasks.iter().any(|task| task.checks.tests);
    let dataset = FoundDataset {
        slug,
        name,
        description,
        license: "not stated".into(),
        source: format!("{file}, SHA-256 {digest}"),
        tasks,
        tests: has_tests.then(|| TestTree { kind, files: BTreeMap::new() }),
    };
    Ok((dataset, note))
}

/// The names of the requirements of lines, in their order, which the published evaluator relies on. A JSON value does not
/// keep it.
struct Orders<'b> {
    lines: std::slice::Split<'b, u8, fn(&u8) -> bool>,
    /// Lines so far.
    count: u64,
}

impl<'b> Orders<'b> {
    fn of(bytes: &'b [u8]) -> Orders<'b> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Orders { lines: bytes.split(|byte| *byte == b'\n'), count: 0 }
    }

    /// Of the line with this number, from 1, which was read as an object, so that it is within the limits of a line. Numbers
    /// come in ascending order.
    fn at(&mut self, line: u64) -> Vec<String> {
        #[derive(Deserialize)]
        struct Line<'l> {
            #[serde(borrow, default)]
            requirements: Option<&'l RawValue>,
        }
        let skipped = usize::try_from(line - self.count - 1).unwrap_or(usize::MAX);
        self.count = line;
        let line = self.lines.nth(skipped).and_then(|text| serde_json::from_slice::<Line<'_>>(text).ok());
        let requirements = line.and_then(|line| line.requirements);
        requirements.map(|requirements| document::names(requirements.get().as_bytes())).unwrap_or_default()
    }
}

/// An instruction of a task, as its file has it.
struct Instruction {
    kind: InstructionKind,
    text: String,
    tests: Vec<String>,
    /// At repository level: the ID of its test.
    test_id: Option<String>,
}

fn function_task(object: &Object, instructions: &[Instruction], first_release: bool) -> Result<FoundTask, Fault> {
    let task_id = object.task_id()?;
    let prompt = required(object, "prompt")?;
    let base = texts(object.get("test"), "test")?;
    let turns = turns(object, &prompt, instructions)?;
    let tests = turns.iter().map(|turn| {
        let of = instructions.iter().find(|instruction| instruction.kind == turn.kind);
        TurnTests {
            kind: turn.kind,
            judged: turn.judged,
            tests: of.map_or_else(|| base.clone(), |instruction| instruction.tests.clone()),
            unparsable_as_run: first_release
                && turn.kind == InstructionKind::ExceptionHandling
                && UNPARSABLE_AS_RUN.contains(&&*task_id),
        }
    });
    let task = Task {
        benchmark: Benchmark::CodeIfBench,
        task_id: task_id.clone(),
        code: object.text("code")?.unwrap_or_default().to_owned(),
        turns: tests.collect(),
        place: None,
        defects: Vec::new(),
    };
    let body = stored(&task)?;
    Ok(FoundTask {
        task_id,
        nl_lang: Lang::detect(&prompt),
        raw_nl: prompt,
        signature: None,
        checks: Checks { human: true, tests: true },
        code_lang: CodeLang::Python,
        test_class: None,
        test_body: Some(body),
        turns,
    })
}

fn repository_task(object: &Object, instructions: &[Instruction]) -> Result<FoundTask, Fault> {
    let prompt = required(object, "prompt")?;
    let turns = turns(object, &prompt, instructions)?;
    let task_id = required(object, "namespace")?;
    short_id(&task_id)?;
    let place = place(object)?;
    let own = |turn: &TaskTurn| match turn.kind {
        InstructionKind::Base => texts(object.get("tests"), "tests").ok(),
        kind => instructions.iter().find(|of| of.kind == kind)?.test_id.clone().map(|id| vec![id]),
    };
    let tests = turns.iter().map(|turn| {
        let tests = own(turn).filter(|tests| !tests.is_empty())?;
        Some(TurnTests { kind: turn.kind, judged: turn.judged, tests, unparsable_as_run: false })
    });
    // Without the code, nothing shows whether a project is the one that the task was made from.
    let code = object.text("code")?.filter(|code| !code.trim().is_empty());
    let test_body = match (place, code, tests.collect::<Option<Vec<_>>>()) {
        (Some(place), Some(code), Some(turns)) => {
            let (code, task_id) = (code.to_owned(), task_id.clone());
            let (benchmark, place) = (Benchmark::CodeIfBench, Some(place));
            let mut task = Task { benchmark, task_id, code, turns, place, defects: Vec::new() };
            task.defects = defects::of_task(&task, instructions);
            Some(stored(&task)?)
        }
        _ => None,
    };
    Ok(FoundTask {
        task_id,
        nl_lang: Lang::detect(&prompt),
        raw_nl: prompt,
        signature: None,
        checks: Checks { human: true, tests: test_body.is_some() },
        code_lang: CodeLang::Python,
        test_class: None,
        test_body,
        turns,
    })
}

/// The function in its project; `None` for a line that does not say where it is.
fn place(object: &Object) -> Result<Option<Place>, Fault> {
    let (Some(project), Some(path)) = (object.text("project_path")?, object.text("completion_path")?) else {
        return Ok(None);
    };
    // Defects of tests name the project once for each test.
    if project.len() > LONGEST_PATH || path.len() > LONGEST_PATH {
        return Err(unusable(format!("\"project_path\" or \"completion_path\" is longer than {LONGEST_PATH} bytes")));
    }
    let outside = || unusable(format!("the file \"{path}\" is not inside the project \"{project}\""));
    let file = path.strip_prefix(project).and_then(|rest| rest.strip_prefix('/')).ok_or_else(outside)?;
    let line = |field: &str, at: usize| {
        let number = object.get(field).and_then(|lines| lines.get(at)).and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        number.ok_or_else(|| unusable(format!("\"{field}\" is no pair of line numbers")))
    };
    let indent = object.get("indent").and_then(Value::as_u64).and_then(|indent| u32::try_from(indent).ok());
    let place = Place {
        project: project.to_owned(),
        file: file.to_owned(),
        first_line: line("signature_position", 0)?,
        last_line: line("body_position", 1)?,
        indent: indent
            .filter(|indent| *indent <= MOST_INDENT)
            .ok_or_else(|| unusable("\"indent\" is no number of blanks".to_owned()))?,
    };
    if !place.is_inside() {
        return Err(outside());
    }
    if place.last_line < place.first_line {
        return Err(unusable("the function ends before it begins".to_owned()));
    }
    Ok(Some(place))
}

fn stored(task: &Task) -> Result<String, Fault> {
    serde_json::to_string(task).map_err(|e| unusable(format!("the task cannot be stored ({e})")))
}

/// The turns of a task: the base prompt, the instructions of the conversation in its order, then those that the benchmark
/// leaves out of it, as the published outputs have them.
fn turns(object: &Object, prompt: &str, instructions: &[Instruction]) -> Result<Vec<TaskTurn>, Fault> {
    let order = match object.get("multi-turn") {
        None => Vec::new(),
        Some(Value::Array(items)) => {
            let mut order: Vec<InstructionKind> = Vec::new();
            for item in items {
                let kind = kind(item.as_str().unwrap_or_default())?;
                // Every turn has a copy of its instruction's text and tests.
                if order.contains(&kind) {
                    return Err(unusable(format!("\"multi-turn\" names \"{}\" twice", kind.title())));
                }
                order.push(kind);
            }
            order
        }
        Some(_) => return Err(unusable("\"multi-turn\" is not an array".to_owned())),
    };
    let mut all = vec![TaskTurn {
        turn: 0,
        kind: InstructionKind::Base,
        instruction: prompt.to_owned(),
        listed: 0,
        judged: true,
    }];
    let rest = instructions.iter().map(|instruction| instruction.kind).filter(|kind| !order.contains(kind));
    for kind in order.iter().copied().chain(rest) {
        let listed = instructions.iter().position(|instruction| instruction.kind == kind);
        let listed = listed.ok_or_else(|| {
            unusable(format!("\"multi-turn\" names \"{}\", for which there is no requirement", kind.title()))
        })?;
        all.push(TaskTurn {
            turn: u32::try_from(all.len()).unwrap_or(u32::MAX),
            kind,
            instruction: instructions[listed].text.clone(),
            listed: u32::try_from(listed + 1).unwrap_or(u32::MAX),
            judged: order.contains(&kind) && kind != InstructionKind::FunctionalityExtension,
        });
    }
    Ok(all)
}

fn instructions(object: &Object, order: Vec<String>) -> Result<Vec<Instruction>, Fault> {
    let Some(Value::Object(requirements)) = object.get("requirements") else {
        return Err(unusable("\"requirements\" is missing or not an object".to_owned()));
    };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for title in order {
        let details = requirements.get(&title).unwrap_or(&Value::Null);
        let kind = kind(&title)?;
        if kind == InstructionKind::Base || !seen.insert(kind) {
            return Err(unusable(format!("the requirement \"{title}\" appears twice")));
        }
        let text = details.get("requirement").and_then(Value::as_str);
        let text = text.ok_or_else(|| unusable(format!("the requirement \"{title}\" has no text")))?;
        found.push(Instruction {
            kind,
            text: text.to_owned(),
            tests: texts(details.get("unit_test"), "unit_test")?,
            test_id: details.get("test").and_then(Value::as_str).map(str::to_owned),
        });
    }
    Ok(found)
}

fn kind(title: &str) -> Result<InstructionKind, Fault> {
    InstructionKind::from_title(title).ok_or_else(|| unusable(format!("\"{title}\" is no kind of instruction")))
}

/// One text or several.
fn texts(value: Option<&Value>, field: &str) -> Result<Vec<String>, Fault> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let found = match value {
        Some(Value::String(text)) => Some(vec![text.clone()]),
        Some(Value::Array(items)) => items.iter().map(text).collect(),
        _ => None,
    };
    found.ok_or_else(|| unusable(format!("\"{field}\" is neither a string nor an array of strings")))
}

fn required(object: &Object, field: &str) -> Result<String, Fault> {
    let text = object.text(field)?.filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| unusable(format!("the field \"{field}\" is missing or empty")))
}

fn unusable(what: String) -> Fault {
    let zh = format!("该行不是 CodeIF-Bench 的任务（{what}）");
    Fault((what, zh).into(), ("Use the file as the benchmark publishes it", "请使用基准发布的原始文件").into())
}

#[cfg(test)]
#[path = "codeif_test.rs"]
mod tests;
