//! Datasets and their tasks, as admins see them.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    code_lang::CodeLang,
    conversation::InstructionKind,
    ids::{DatasetId, DatasetVersionId, TaskId, TaskRevisionId},
    lang::{Bilingual, Lang},
    names::names,
    reason::DataDefect,
    time::Timestamp,
};

/// How a task's outputs are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Checks {
    /// By people.
    pub human: bool,
    /// By automated tests.
    pub tests: bool,
}

names! {
    /// How a dataset's tests are run.
    pub enum TestKind as name {
        /// Java test classes over `aixgrade.api`: the dataset is in our own format.
        Aixgrade = "aixgrade",
        /// The Java test classes of AixBench.
        Aixbench = "aixbench",
        /// HumanEval-X: each task has its own tests.
        HumanevalX = "humaneval-x",
        /// Test programs of our own format, in languages other than Java: each task has its own tests.
        Programs = "programs",
        /// CodeIF-Bench: tasks are conversations, and each turn has its own tests.
        CodeIfBench = "codeif-bench",
        /// CodeIF-Bench at repository level: its turns' tests are those of projects, whose sources the operator supplies.
        Repositories = "codeif-bench-repositories",
    }
}

/// A part of what judges the outputs of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestPart {
    Tests,
    /// Tests that the description mentions, which do not decide.
    Examples,
    /// The benchmark's own solution.
    Reference,
    /// The tests of a turn of a conversation, from 0.
    Turn(u32),
}

/// A text that judges the outputs of a task, or its reference solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TestText {
    pub part: TestPart,
    pub code: CodeView,
}

impl TestKind {
    /// Whether each task has its own tests, which are a program.
    pub fn is_program(self) -> bool {
        matches!(self, TestKind::HumanevalX | TestKind::Programs | TestKind::CodeIfBench | TestKind::Repositories)
    }

    /// Whether tasks are conversations, whose tests have profiles.
    pub fn is_conversation(self) -> bool {
        matches!(self, TestKind::CodeIfBench | TestKind::Repositories)
    }
}

/// A row of the dataset list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DatasetRow {
    /// The dataset.
    pub id: DatasetId,
    /// Short name, used in URLs and on the command line.
    pub slug: String,
    /// Display name.
    pub name: Bilingual,
    /// Newest version, which new studies and runs use.
    pub version: DatasetVersionId,
    /// Number of the newest version, from 1.
    pub number: u32,
    /// Number of tasks in the newest version.
    pub tasks: u64,
    /// Number of these that people grade.
    pub human: u64,
    /// Number of these with tests.
    pub tests: u64,
    /// Programming languages of the tasks, in the order of [`CodeLang::ALL`].
    pub code_langs: Vec<CodeLang>,
    /// Number of submissions for all versions.
    pub submissions: u64,
    /// Import time of the newest version.
    pub imported_at: Timestamp,
}

/// A dataset with the tasks of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DatasetDetail {
    pub row: DatasetRow,
    /// The dataset's own description.
    pub description: Bilingual,
    /// License as stated by the source.
    pub license: String,
    /// Name of the file or folder that it was imported from, without its path.
    pub source: String,
    /// Every version, newest first.
    pub versions: Vec<VersionRow>,
    /// Defects of its data, in the order of the tasks.
    pub defects: Vec<TaskDefect>,
}

/// A defect of a task's data, because of which tests cannot judge its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskDefect {
    pub task_id: String,
    /// The instruction that cannot be judged; absent if none of the task's answers can.
    pub instruction: Option<InstructionKind>,
    pub defect: DataDefect,
}

/// An imported version of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct VersionRow {
    /// The version.
    pub id: DatasetVersionId,
    /// Version number, from 1.
    pub number: u32,
    /// When it was imported.
    pub imported_at: Timestamp,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of tasks that differ from, or are missing in, the previous version.
    pub changed: u64,
}

/// A task in one revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskRow {
    /// The task.
    pub id: TaskId,
    /// Revision of the task.
    pub revision: TaskRevisionId,
    /// The source's `task_id`.
    pub task_id: String,
    /// The description (`raw_nl`), unchanged.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// Requested signature, if any.
    pub signature: Option<String>,
    /// How its outputs are checked.
    pub checks: Checks,
    /// The requested programming language; Java in bundles that are older than this field.
    pub code_lang: CodeLang,
}

/// Result of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ImportReport {
    /// One entry per dataset found.
    pub datasets: Vec<ImportedDataset>,
    /// Name of the rubric whose wording was imported, if any.
    pub rubric: Option<String>,
    /// Notices that are not errors.
    pub notes: Vec<String>,
}

/// Result of an import for one dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ImportedDataset {
    /// Short name of the dataset.
    pub slug: String,
    /// Newest version after the import.
    pub number: u32,
    /// Whether the import created this version; otherwise nothing had changed.
    pub new: bool,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of tasks in English.
    pub english: u64,
    /// Number of tasks in Chinese.
    pub chinese: u64,
    /// Number of tasks that are new or differ from the previous version.
    pub changed: u64,
}
