//! Model outputs: the preview before they are taken, and what was taken.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    dataset::TaskRow,
    ids::{ModelId, OutputId, SubmissionId, UploadId},
    problem::Problem,
    time::Timestamp,
};

/// The shape of a line of model outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// AixBench's own: `task_id`, `raw_nl`, `signature`, `code`, `end_by`.
    Aixbench,
    /// HumanEval-X's: `task_id`, `generation`.
    HumanEvalX,
    /// CodeIF-Bench's: `task_id`, `completion`, a chat answer.
    CodeIfBench,
    /// No lines but an archive with a Java class a task, numbered in its name, as AixBench packages
    /// hand-assembled answers.
    Classes,
}

/// How lines find their tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// By `task_id`, unless the descriptions say that the ids are another dataset's.
    #[default]
    Auto,
    /// By `task_id` alone.
    TaskId,
    /// By the description's text (white space folded).
    Description,
}

/// What a file of outputs holds, before anything is taken from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Preview {
    /// The upload that waits.
    pub upload: UploadId,
    /// The file's name as its owner knows it.
    pub file: String,
    /// Its size in bytes, as uploaded.
    pub bytes: u64,
    /// The dataset it is matched against.
    pub dataset: String,
    /// How the lines were matched: what [`Matching::Auto`] came to.
    pub matching: Matching,
    /// Why that was chosen, where it was chosen for the admin.
    pub matching_reason: String,
    /// The same in Chinese.
    #[serde(default)]
    pub matching_reason_zh: String,
    /// The shapes met, with how many lines each.
    pub shapes: Vec<(Shape, u64)>,
    /// Lines read, blank ones not counted.
    pub lines: u64,
    /// Lines that found their task.
    pub matched: u64,
    /// Tasks that get at least one output.
    pub tasks_covered: u64,
    /// Tasks of the dataset.
    pub tasks_total: u64,
    /// Ids of tasks that get none, at most [`PREVIEW_LIST`].
    pub missing: Vec<String>,
    /// How many tasks get none.
    pub missing_count: u64,
    /// Ids in the file that the dataset does not have, at most [`PREVIEW_LIST`], with their line. Here
    /// and below an archive's class has line 0 and its file's name.
    pub unknown: Vec<(u64, String)>,
    /// How many such lines.
    pub unknown_count: u64,
    /// Lines that say the same task and the same text again. They are taken once, unless some task
    /// has different outputs: then they are samples.
    pub duplicates: Vec<(u64, String)>,
    /// How many such lines.
    pub duplicate_count: u64,
    /// The most samples one task has; more than 1 makes pass@k possible.
    pub samples_max: u64,
    /// Tasks with several samples.
    pub tasks_with_samples: u64,
    /// Outputs whose code is empty; they are taken, and count as no answer.
    pub empty: Vec<(u64, String)>,
    /// How many such lines.
    pub empty_count: u64,
    /// Lines that cannot be read, at most [`PREVIEW_LIST`].
    pub problems: Vec<Problem>,
    /// How many such lines. While there is one, nothing can be taken.
    pub problem_count: u64,
    /// Outputs whose comments or text may name a model, which a rater would see; at most
    /// [`PREVIEW_LIST`], each with its first place.
    pub telltales: Vec<Telltale>,
    /// How many such lines.
    #[serde(default)]
    pub telltale_count: u64,
    /// A submission that already holds this very file.
    pub same_as: Option<SubmissionId>,
}

impl Preview {
    /// Whether the file may be taken: no bad line, and at least one output.
    pub fn acceptable(&self) -> bool {
        self.problem_count == 0 && self.matched > 0
    }
}

/// A place in an output that may tell which model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Telltale {
    /// The line of the file; 0 for an output that was taken already.
    pub line: u64,
    /// The task's `task_id`.
    pub task_id: String,
    /// The name found, in lower case.
    pub name: String,
    /// The line of the code, from 1; absent where it stands in the words around the code.
    pub code_line: Option<u64>,
    /// What stands around it.
    pub excerpt: String,
}

/// What of a submission raters do not get to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct MaskState {
    /// Who masked names, and when; absent where nothing is masked. The name is absent for the command
    /// line.
    pub masked: Option<(Option<String>, Timestamp)>,
    /// The names that are or would be masked and stand in some output.
    pub names: Vec<String>,
    /// Places that name a model, at most [`PREVIEW_LIST`].
    pub telltales: Vec<Telltale>,
    /// How many outputs have one.
    pub telltale_count: u64,
}

/// How many rows of each kind a preview carries; the counts are exact.
pub const PREVIEW_LIST: usize = 50;

/// A row of the submission list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SubmissionRow {
    /// The submission.
    pub id: SubmissionId,
    /// Whose outputs they are.
    pub model: ModelId,
    /// The model's name.
    pub model_name: String,
    /// Short name of the dataset.
    pub dataset: String,
    /// The version of the dataset they answer.
    pub number: u32,
    /// The file's name as uploaded.
    pub file: String,
    /// Number of outputs.
    pub outputs: u64,
    /// How many tasks have one.
    pub tasks: u64,
    /// When it was taken.
    pub created_at: Timestamp,
    /// Whether an output of it answers a task that has tests.
    pub has_tests: bool,
    /// Whether its dataset has tasks that are meant for people.
    pub for_people: bool,
}

/// A submission with its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SubmissionDetail {
    pub row: SubmissionRow,
    /// Every output, in the dataset's order.
    pub outputs: Vec<OutputRow>,
}

/// One output in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OutputRow {
    /// The output.
    pub id: OutputId,
    /// The source's id of its task.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    /// Counts from 0 where a task has several samples.
    pub sample: u32,
    /// How many lines of code.
    pub lines: u64,
    /// Whether it holds no code.
    pub empty: bool,
}

/// One output with its task and its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OutputDetail {
    /// The output.
    pub row: OutputRow,
    /// The model's name.
    pub model_name: String,
    /// The task.
    pub task: TaskRow,
    pub code: CodeView,
}
