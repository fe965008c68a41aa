//! Readers of the formats in docs/formats.md: datasets, model outputs, ratings, answers of chat models.
//!
//! They return what they found and every problem with file, line and fix; `services::imports` and
//! `services::submissions` check and store it. This crate may not know the database, the engine and pages.

pub mod aixbench;
pub mod bundled;
pub mod chat;
pub mod classes;
pub mod codeif;
pub mod codeif_outputs;
pub mod continuation;
pub mod conversations;
mod csv_lines;
pub mod fences;
pub mod files;
mod folded;
pub mod harness;
pub mod humaneval;
pub mod identity_leaks;
pub mod judging;
pub mod kind;
pub mod lines;
pub mod markdown;
pub mod masking;
pub mod matching;
mod model_names;
pub mod native;
pub mod outputs;
mod programs;
pub mod prompts;
mod prose;
pub mod ratings;
pub mod reasoning;
pub mod rubric_text;
mod sentences;
pub mod translation;
mod values;
pub mod warnings;
mod wrapped;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    code_lang::CodeLang,
    conversation::TaskTurn,
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    problem::Problem,
    rubric::Rubric,
};

use files::Files;
use lines::Fault;

/// Maximum number of tasks in a dataset: pages and plans hold all of them.
pub const MOST_TASKS: usize = 10_000;

/// Maximum number of problems of a file of tasks that are listed: each takes more memory than a short line.
const MOST_PROBLEMS: usize = 1_000;

/// The content of an import.
#[derive(Debug)]
pub struct Found {
    /// The datasets; at least one.
    pub datasets: Vec<FoundDataset>,
    /// The rubric in the source's own wording, if it could be read.
    pub rubric: Option<Rubric>,
    /// Remarks for the admin.
    pub notes: Vec<String>,
    /// Whether the source has only tasks, without tests and rubric.
    pub bare: bool,
}

/// A dataset in its source.
#[derive(Clone, Debug)]
pub struct FoundDataset {
    /// Its short name.
    pub slug: String,
    /// Its name on screen.
    pub name: Bilingual,
    /// Its own description.
    pub description: Bilingual,
    /// Its license, as named by the source.
    pub license: String,
    /// The source: a file or folder name.
    pub source: String,
    /// Its tasks, in order.
    pub tasks: Vec<FoundTask>,
    /// The files of its tests, if the source has any.
    pub tests: Option<TestTree>,
}

/// A task in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTask {
    /// The source's id.
    pub task_id: String,
    /// The description, unchanged.
    pub raw_nl: String,
    /// The description's language.
    pub nl_lang: Lang,
    /// The requested signature.
    pub signature: Option<String>,
    /// How outputs are checked.
    pub checks: Checks,
    /// The requested programming language.
    pub code_lang: CodeLang,
    /// The full name of the class with the task's tests.
    pub test_class: Option<String>,
    /// The task's own tests, in the format of the [`TestKind`].
    pub test_body: Option<String>,
    /// Its turns, if it is a conversation.
    pub turns: Vec<TaskTurn>,
}

/// The files from which a dataset's tests run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestTree {
    pub kind: TestKind,
    /// The files by their relative path with forward slashes; none if each task has its own tests.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Reads a format's datasets from files. `None` where the files are not of that format.
type Format = fn(&Files) -> Option<Result<Found, Vec<Problem>>>;

/// The dataset formats. The first one that recognizes the files reads them; the last one accepts any file of tasks.
const FORMATS: [Format; 5] =
    [native::read, humaneval::read, codeif::read, aixbench::read_checkout, aixbench::read_bare];

/// Reads the datasets in `files`, in any format.
///
/// # Errors
///
/// Lists every problem, or that there is no dataset.
pub fn read(files: &Files) -> Result<Found, Vec<Problem>> {
    FORMATS.iter().find_map(|format| format(files)).unwrap_or_else(|| {
        Err(vec![Problem::new(
            &files.name,
            ("no dataset found", "未找到数据集"),
            (
                "Import a folder with a dataset.json, a checkout of AixBench, HumanEval-X or CodeIF-Bench, or their .jsonl files",
                "请导入含 dataset.json 的文件夹，AixBench、HumanEval-X 或 CodeIF-Bench 的仓库，或它们的 .jsonl 文件",
            ),
        )])
    })
}

/// Reads the tasks of a `.jsonl` file; `task` converts a line.
fn read_tasks(
    file: &str,
    bytes: &[u8],
    mut task: impl FnMut(&lines::Object) -> Result<FoundTask, Fault>,
) -> Result<Vec<FoundTask>, Vec<Problem>> {
    read_numbered_tasks(file, bytes, |_, object| task(object))
}

/// As [`read_tasks`]; `task` gets the number of the line as well.
fn read_numbered_tasks(
    file: &str,
    bytes: &[u8],
    mut task: impl FnMut(u64, &lines::Object) -> Result<FoundTask, Fault>,
) -> Result<Vec<FoundTask>, Vec<Problem>> {
    let mut tasks: Vec<FoundTask> = Vec::new();
    let mut seen = BTreeSet::new();
    let (mut problems, mut more) = (Vec::new(), 0_u64);
    let mut too_many = false;
    lines::read(file, bytes, |line, object| {
        // What comes after too many tasks is not read.
        if too_many {
            return;
        }
        let read = object.and_then(|object| {
            let found = task(line, &object).map_err(|fault| lines::problem(file, line, fault))?;
            if !seen.insert(found.task_id.clone()) {
                let fault = Fault(
                    (
                        format!("the task \"{}\" appears twice", found.task_id),
                        format!("任务“{}”出现了两次", found.task_id),
                    )
                        .into(),
                    ("Give each task a unique ID", "每个任务的编号须唯一").into(),
                );
                return Err(lines::problem(file, line, fault));
            }
            Ok(found)
        });
        match read {
            Ok(_) if tasks.len() == MOST_TASKS => too_many = true,
            Ok(found) => tasks.push(found),
            Err(problem) if problems.len() < MOST_PROBLEMS => problems.push(problem),
            Err(_) => more += 1,
        }
    });
    if more > 0 {
        problems.push(Problem::new(
            file,
            (format!("{more} more lines have problems"), format!("另有 {more} 行存在问题")),
            ("Correct the lines above first", "请先修正上面列出的行"),
        ));
    }
    if too_many {
        problems.push(Problem::new(
            file,
            (format!("the file has more than {MOST_TASKS} tasks"), format!("文件包含超过 {MOST_TASKS} 个任务")),
            ("Split it into several datasets", "请拆分成多个数据集"),
        ));
    }
    if problems.is_empty() { Ok(tasks) } else { Err(problems) }
}

/// The description of a task.
fn description(object: &lines::Object) -> Result<String, Fault> {
    match object.text("raw_nl")? {
        Some(text) if text.trim().is_empty() => Err(Fault(
            ("\"raw_nl\" is empty", "“raw_nl”为空").into(),
            ("Add the description of the task", "请补上任务描述").into(),
        )),
        Some(text) if text.chars().count() > 20_000 => Err(Fault(
            ("\"raw_nl\" is longer than 20,000 characters", "“raw_nl”超过 20,000 字").into(),
            ("Shorten it", "请缩短").into(),
        )),
        Some(text) => Ok(text.to_owned()),
        None => Err(Fault(
            ("the field \"raw_nl\" is missing", "缺少“raw_nl”字段").into(),
            ("Add the description of the task", "请补上任务描述").into(),
        )),
    }
}

/// The signature of a task, if it has one.
fn signature(object: &lines::Object) -> Result<Option<String>, Fault> {
    match object.text("signature")?.map(str::trim) {
        Some(text) if text.chars().count() > 2000 => Err(Fault(
            ("\"signature\" is longer than 2,000 characters", "“signature”超过 2,000 字").into(),
            ("Shorten it", "请缩短").into(),
        )),
        Some("") | None => Ok(None),
        // Unchanged: the published ones contain spaces that models saw.
        Some(_) => Ok(object.text("signature")?.map(str::to_owned)),
    }
}
