//! Readers of the formats that docs/formats.md describes. No database here: what is read is handed
//! to `services::imports` and `services::submissions`, which check and store it.

pub mod aixbench;
pub mod bundled;
pub mod chat;
pub mod classes;
pub mod files;
pub mod formulas;
pub mod lines;
pub mod masking;
pub mod matching;
pub mod native;
pub mod outputs;
pub mod ratings;
pub mod rubric_text;
pub mod telltales;

use std::collections::{BTreeMap, BTreeSet};

use app::model::{
    dataset::Checks,
    lang::{Bilingual, Lang},
    problem::Problem,
    rubric::Rubric,
};

use files::Files;
use lines::Fault;

/// The most tasks that a dataset may have: pages and plans hold them all.
pub const MOST_TASKS: usize = 10_000;

/// What an import found.
#[derive(Debug)]
pub struct Found {
    /// The datasets; at least one.
    pub datasets: Vec<FoundDataset>,
    /// The rubric in the source's own wording, where it could be read.
    pub rubric: Option<Rubric>,
    /// What was noticed and is worth knowing.
    pub notes: Vec<String>,
    /// Whether the source is tasks alone, which says nothing about tests and rubric.
    pub bare: bool,
}

/// A dataset as its source has it.
#[derive(Clone, Debug)]
pub struct FoundDataset {
    /// Its short name.
    pub slug: String,
    /// Its name on screen.
    pub name: Bilingual,
    /// What it says about itself.
    pub description: Bilingual,
    /// Its license, as the source names it.
    pub license: String,
    /// Where it was read from: a file or folder name.
    pub source: String,
    /// Its tasks, in their order.
    pub tasks: Vec<FoundTask>,
    /// Its tests' files; absent where the source brings none.
    pub tests: Option<TestTree>,
}

/// A task as its source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTask {
    /// The source's id.
    pub task_id: String,
    /// The description, exactly as it came.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The signature asked for.
    pub signature: Option<String>,
    /// How outputs are checked.
    pub checks: Checks,
    /// The full name of the class that holds the task's tests.
    pub test_class: Option<String>,
}

/// The files that a dataset's tests are run from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestTree {
    /// How they are run: `aixgrade` or `aixbench`.
    pub kind: &'static str,
    /// The files by their path, relative, with forward slashes.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Reads whatever dataset `files` holds: one in our own format, a checkout of AixBench, or its bare
/// files.
///
/// # Errors
/// Everything that is wrong with it, or that nothing is there.
pub fn read(files: &Files) -> Result<Found, Vec<Problem>> {
    if let Some(root) = files.root_of("dataset.json") {
        return native::read(files, &root);
    }
    if let Some(root) = aixbench::checkout_root(files) {
        return aixbench::read_checkout(files, &root);
    }
    aixbench::read_bare(files)
}

/// Reads the tasks of a `.jsonl` file; `task` makes one of a line.
fn read_tasks(
    file: &str,
    bytes: &[u8],
    mut task: impl FnMut(&lines::Object) -> Result<FoundTask, Fault>,
) -> Result<Vec<FoundTask>, Vec<Problem>> {
    let mut tasks: Vec<FoundTask> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    lines::read(file, bytes, |line, object| {
        let read = object.and_then(|object| {
            let found = task(&object).map_err(|fault| lines::problem(file, line, fault))?;
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
            Ok(found) => tasks.push(found),
            Err(problem) => problems.push(problem),
        }
    });
    if tasks.len() > MOST_TASKS {
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

/// The signature of a task, where it has one.
fn signature(object: &lines::Object) -> Result<Option<String>, Fault> {
    match object.text("signature")?.map(str::trim) {
        Some(text) if text.chars().count() > 2000 => Err(Fault(
            ("\"signature\" is longer than 2,000 characters", "“signature”超过 2,000 字").into(),
            ("Shorten it", "请缩短").into(),
        )),
        Some("") | None => Ok(None),
        // As it came: the published ones carry spaces that models saw.
        Some(_) => Ok(object.text("signature")?.map(str::to_owned)),
    }
}
