//! Model outputs: the preview before the import, and the imported submissions.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    conversation::Way,
    dataset::TaskRow,
    ids::{CollectionId, ModelId, OutputId, SubmissionId, UploadId},
    names::names,
    problem::Problem,
    reading::Reading,
    reason::{Fault, Reason},
    run::{PublishedVerdict, Verdict},
    table::Table,
    time::Timestamp,
    usual_failure::{OneFailure, UsualFailure},
};

names! {
    /// The format that an output was read from.
    pub enum Shape as name {
        /// AixBench's own: `task_id`, `raw_nl`, `signature`, `code`, `end_by`.
        Aixbench = "aixbench",
        /// HumanEval-X's: `task_id`, `generation`.
        HumanEvalX = "human_eval_x",
        /// CodeIF-Bench's: `task_id`, `completion`, a chat response.
        CodeIfBench = "code_if_bench",
        /// An archive with one Java class per task, numbered in its name, as AixBench packages hand-assembled
        /// outputs.
        Classes = "classes",
        /// OpenAI human-eval: `task_id` `HumanEval/N`, `completion`.
        HumanEval = "human_eval",
        /// EvalPlus: `solution` in lines, folders `HumanEval_N`, or its results.
        EvalPlus = "eval_plus",
        /// bigcode-evaluation-harness: lists of programs in the order of the tasks.
        Bigcode = "bigcode",
        /// lm-evaluation-harness: `doc`, `resps`.
        LmEval = "lm_eval",
        /// Inspect: a log as `.eval` or `.json`.
        Inspect = "inspect",
        /// MultiPL-E: a file for each task, with `completions` or `results`.
        MultiplE = "multipl_e",
        /// The output of a batch at OpenAI.
        OpenaiBatch = "openai_batch",
        /// The results of a batch at Anthropic.
        AnthropicBatch = "anthropic_batch",
        /// A table (CSV or Parquet) with chosen columns.
        Table = "table",
    }
}

impl Shape {
    /// The name of the tool or benchmark, for texts on screen.
    pub fn title(self) -> &'static str {
        match self {
            Shape::Aixbench => "AixBench",
            Shape::HumanEvalX => "HumanEval-X",
            Shape::CodeIfBench => "CodeIF-Bench",
            Shape::Classes => "Java",
            Shape::HumanEval => "human-eval",
            Shape::EvalPlus => "EvalPlus",
            Shape::Bigcode => "bigcode-evaluation-harness",
            Shape::LmEval => "lm-evaluation-harness",
            Shape::Inspect => "Inspect",
            Shape::MultiplE => "MultiPL-E",
            Shape::OpenaiBatch => "OpenAI batch",
            Shape::AnthropicBatch => "Anthropic batch",
            Shape::Table => "CSV / Parquet",
        }
    }
}

/// A verdict that came with an output: of a benchmark's authors, or of the tool that wrote the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TheirVerdict {
    pub passed: bool,
    /// Whether they computed it from another text than the output.
    pub other_text: bool,
}

/// What a file says about an output besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Reported {
    /// The format of the file.
    pub by: Shape,
    /// Absent if the file has no verdict, or a score that is neither passed nor failed.
    pub verdict: Option<TheirVerdict>,
    /// The verdict in the tool's own words.
    pub detail: Option<String>,
    /// The model's name in the file.
    pub model: Option<String>,
    /// The number of the sample of its task, from 1.
    pub epoch: Option<u32>,
    pub input_tokens: Option<u32>,
    pub output_tokens: Option<u32>,
}

impl Reported {
    /// Nothing yet, in a file of this format.
    pub fn by(by: Shape) -> Reported {
        Reported { by, verdict: None, detail: None, model: None, epoch: None, input_tokens: None, output_tokens: None }
    }

    /// With this verdict about the output's own text.
    pub fn passed(mut self, passed: Option<bool>) -> Reported {
        self.verdict = passed.map(|passed| TheirVerdict { passed, other_text: false });
        self
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Reported::by(self.by)
    }
}

/// How lines are matched to tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// By `task_id`, unless the descriptions show that the ids belong to another dataset.
    #[default]
    Auto,
    /// By `task_id` alone.
    TaskId,
    /// By the description's text (with white space collapsed).
    Description,
}

/// How a file with invalid lines is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InvalidLines {
    /// Nothing of it is imported.
    #[default]
    Refuse,
    /// They are left out, and the submission records their number. Their tasks may have no output.
    LeaveOut,
}

impl InvalidLines {
    /// From the choice of a form or request to import only the valid lines.
    pub fn of(good_lines_only: bool) -> InvalidLines {
        if good_lines_only { InvalidLines::LeaveOut } else { InvalidLines::Refuse }
    }
}

/// A line in a list of a preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FileLine {
    /// Number of the line, from 1; 0 for a class of an archive.
    pub line: u64,
    /// The task's ID in the file, or the class's file name.
    pub label: String,
}

/// The content of a file of outputs, before the import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Preview {
    /// The upload.
    pub upload: UploadId,
    /// The client's file name.
    pub file: String,
    /// Its size in bytes, as uploaded.
    pub bytes: u64,
    /// The dataset it is matched against.
    pub dataset: String,
    /// How the lines were matched: the result of [`Matching::Auto`].
    pub matching: Matching,
    /// The reason, if it was chosen automatically.
    pub matching_reason: String,
    /// The same in Chinese.
    pub matching_reason_zh: String,
    /// The shapes found, with the number of lines each.
    pub shapes: Vec<(Shape, u64)>,
    /// Number of lines without blank ones.
    pub lines: u64,
    /// Matched lines.
    pub matched: u64,
    /// Tasks with at least one output.
    pub tasks_covered: u64,
    /// Tasks of the dataset.
    pub tasks_total: u64,
    /// Ids of tasks without an output, at most [`PREVIEW_LIST`].
    pub missing: Vec<String>,
    /// Number of tasks without an output.
    pub missing_count: u64,
    /// Ids in the file that the dataset does not have, at most [`PREVIEW_LIST`].
    pub unknown: Vec<FileLine>,
    /// Number of such lines.
    pub unknown_count: u64,
    /// Other datasets that have tasks of the IDs in `unknown`, most tasks first.
    #[serde(default)]
    pub other_datasets: Vec<OtherDataset>,
    /// Repeated lines with the same task and text. They are imported once, unless any task has different
    /// outputs: then they are samples.
    pub duplicates: Vec<FileLine>,
    /// Number of such lines.
    pub duplicate_count: u64,
    /// How the model was asked, if the tasks are conversations; that of the first line.
    pub way: Option<Way>,
    /// The file's own verdicts.
    pub their_verdicts: TheirVerdicts,
    /// The largest number of samples of a task; more than 1 allows pass@k.
    pub samples_max: u64,
    /// Tasks with several samples.
    pub tasks_with_samples: u64,
    /// Lines whose description differs from that of the task with their ID, at most [`PREVIEW_LIST`]; they are
    /// imported.
    pub differing: Vec<FileLine>,
    /// Number of such lines.
    pub differing_count: u64,
    /// Outputs without code; they are imported and count as unsolved.
    pub empty: Vec<FileLine>,
    /// Number of such lines.
    pub empty_count: u64,
    /// Lines that cannot be parsed, at most [`PREVIEW_LIST`].
    pub problems: Vec<Problem>,
    /// Number of such lines. If there are any, nothing is imported, unless the admin chooses to leave them out.
    pub problem_count: u64,
    /// Whether the file could not be read to its end. Then lines are missing, and its valid lines cannot be imported
    /// alone.
    pub cut_short: bool,
    /// Whether the file has no lines that could be downloaded: it is an archive, one document, or a Parquet file.
    pub archive: bool,
    /// The first outputs, at most [`PREVIEW_OUTPUTS`].
    pub first: Vec<PreviewOutput>,
    /// Outputs whose comments or text may name a model, which a rater would see; at most [`PREVIEW_LIST`],
    /// each with its first match.
    pub identity_leaks: Vec<IdentityLeak>,
    /// Number of such lines.
    pub identity_leak_count: u64,
    /// What will probably be read or judged in another way than the file's author expects, by kind. These outputs are
    /// imported.
    #[serde(default)]
    pub warnings: Vec<PreviewWarning>,
    /// An existing submission of the same file.
    pub same_as: Option<SubmissionId>,
    /// The file's columns, if it is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
}

/// A dataset that a file's unknown IDs may belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OtherDataset {
    /// Its short name.
    pub dataset: String,
    /// How many of the listed IDs name one of its tasks.
    pub known: u64,
    /// Number of the listed IDs.
    pub of: u64,
}

/// Outputs of a file about which a preview warns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PreviewWarning {
    pub kind: WarningKind,
    /// Number of outputs.
    pub count: u64,
    /// The outputs, at most [`PREVIEW_LIST`].
    pub examples: Vec<FileLine>,
}

/// The verdicts of another tool that a file has about its outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TheirVerdicts {
    /// Matched lines with a verdict.
    pub lines: u64,
    /// Those that pass by it.
    pub passed: u64,
}

/// A few outputs of a file that were run before the import, spread over its tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct EarlyResults {
    /// Those that ran, at most [`MOST_EARLY`].
    pub results: Vec<EarlyResult>,
    /// Why the others, or all of them, could not be run.
    pub fault: Option<Fault>,
}

/// An output that was run before the import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct EarlyResult {
    /// Its place in the file.
    pub place: FileLine,
    pub verdict: Verdict,
    /// The verdict of the benchmark's published evaluator, if it has one.
    pub published: Option<PublishedVerdict>,
    /// Why the engine reached the verdict.
    pub reason: Option<Reason>,
    /// What the compiler, the program or its tests said.
    pub message: String,
}

impl EarlyResults {
    /// Number of outputs that pass.
    pub fn passed(&self) -> usize {
        self.results.iter().filter(|one| one.verdict == Verdict::Passed).count()
    }

    /// The most frequent way to fail, if any output fails.
    pub fn usual_failure(&self) -> Option<UsualFailure> {
        let failed = self.results.iter().filter(|one| one.verdict != Verdict::Passed);
        let failures = failed.map(|EarlyResult { verdict, reason, message, .. }| OneFailure {
            verdict: *verdict,
            reason: reason.clone(),
            message: message.clone(),
            output: None,
        });
        UsualFailure::of(&failures.collect::<Vec<_>>())
    }
}

/// Maximum number of outputs that are run before the import.
pub const MOST_EARLY: usize = 10;

/// Why a preview warns about an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The code is not valid in the task's language.
    DoesNotParse,
    /// It is code in another of the languages.
    OtherLanguage,
    /// It does not define what the task asks for.
    LacksDefinition,
    /// The response ends within its code or its reasoning.
    CutOff,
    /// A `generation` has a code fence, and is continued as it is.
    FencedGeneration,
    /// The response shows reasoning, which is set apart.
    Reasoning,
    /// The response has several blocks with a version of the code.
    SeveralCandidates,
    /// The same code is given for many tasks.
    Repeated,
}

impl Preview {
    /// Whether the file can be imported: no invalid line, and at least one output.
    pub fn acceptable(&self) -> bool {
        self.problem_count == 0 && self.matched > 0
    }

    /// Whether the valid lines can be imported without the invalid ones.
    pub fn acceptable_in_part(&self) -> bool {
        self.problem_count > 0 && self.matched > 0 && !self.cut_short
    }

    /// Number of lines that are not imported: invalid ones and those without a task.
    pub fn bad_lines(&self) -> u64 {
        self.problem_count + self.unknown_count
    }
}

/// An output of a file as raters would see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PreviewOutput {
    /// The line of the file; 0 for an archive's class.
    pub line: u64,
    /// Its task.
    pub task: TaskRow,
    pub code: CodeView,
    /// The code as raters see it if names of models are masked; absent if that changes nothing.
    pub masked: Option<CodeView>,
}

/// An uploaded file of outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct UploadRow {
    /// The upload.
    pub id: UploadId,
    /// The file's name as uploaded.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Short name of the dataset that was named with the file.
    pub dataset: Option<String>,
    /// The person who uploaded it; absent for the command line.
    pub by: Option<String>,
    /// When it was uploaded.
    pub created_at: Timestamp,
    pub state: UploadState,
}

/// The state of an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum UploadState {
    /// Not imported. It is deleted a day after it was uploaded.
    Waiting,
    /// Its outputs are being stored.
    Importing {
        /// Outputs that are stored.
        stored: u64,
        /// Outputs that will be stored.
        total: u64,
    },
    /// It is imported.
    Imported {
        /// Its newest submission.
        submission: SubmissionId,
        /// The model of that submission.
        model: String,
    },
}

/// An identity leak in an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct IdentityLeak {
    /// The line of the file; 0 for an imported output.
    pub line: u64,
    /// The task's `task_id`.
    pub task_id: String,
    /// The first name found, as it is written.
    pub name: String,
    /// The other names in the output, each once.
    #[serde(default)]
    pub others: Vec<String>,
    /// The line of the code, from 1; absent if it is in the surrounding text.
    pub code_line: Option<u64>,
    /// The text around it.
    pub excerpt: String,
}

impl IdentityLeak {
    /// Every name in the output.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.others).map(String::as_str)
    }

    /// Adds the names that a list does not have, in any case.
    pub fn add_names(&self, to: &mut Vec<String>) {
        for name in self.names() {
            if to.iter().all(|known| known.to_lowercase() != name.to_lowercase()) {
                to.push(name.to_owned());
            }
        }
    }
}

/// The masking of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct MaskState {
    /// The person who masked names, and the time; absent without masking. The name is absent for the command line.
    pub masked: Option<(Option<String>, Timestamp)>,
    /// The names that are or would be masked and occur in the outputs.
    pub names: Vec<String>,
    /// Identity leaks, at most [`PREVIEW_LIST`].
    pub identity_leaks: Vec<IdentityLeak>,
    /// Number of outputs with a leak.
    pub identity_leak_count: u64,
    /// Whether the outputs were not searched, because there are many.
    pub unread: bool,
}

/// Outputs of a study that name a model to its raters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct StudyLeaks {
    /// Number of outputs that raters of the study see and that name a model. Masked submissions have none.
    pub count: u64,
    /// The names, in lower case.
    pub names: Vec<String>,
    /// Submissions with such outputs.
    pub submissions: Vec<SubmissionLeaks>,
    /// Whether some outputs were not searched, because there are many.
    pub unread: bool,
}

impl StudyLeaks {
    /// Whether somebody should look at them before the study starts.
    pub fn any(&self) -> bool {
        self.count > 0 || self.unread
    }
}

/// Outputs of a submission that name a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SubmissionLeaks {
    pub submission: SubmissionId,
    /// Its model.
    pub model: String,
    /// Number of outputs.
    pub count: u64,
    /// The leaks, at most [`PREVIEW_LIST`].
    pub identity_leaks: Vec<IdentityLeak>,
}

/// Maximum number of rows of each kind in a preview; the counts are exact.
pub const PREVIEW_LIST: usize = 50;
/// Maximum number of outputs that a preview shows with their code.
pub const PREVIEW_OUTPUTS: usize = 3;

/// A row of the submission list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SubmissionRow {
    /// The submission.
    pub id: SubmissionId,
    /// Its model.
    pub model: ModelId,
    /// The model's name.
    pub model_name: String,
    /// Short name of the dataset.
    pub dataset: String,
    /// The version of the dataset.
    pub number: u32,
    /// The file's name as uploaded.
    pub file: String,
    /// Number of outputs.
    pub outputs: u64,
    /// Number of tasks with an output.
    pub tasks: u64,
    /// Number of invalid lines of the file that were left out; 0 if the file was imported as a whole.
    pub left_out: u64,
    /// Number of tasks of its dataset version without an output. They count as failed in every figure of tests.
    pub missing: u64,
    /// The collection from whose responses it was imported, if any.
    pub collection: Option<CollectionId>,
    /// When it was imported.
    pub created_at: Timestamp,
    /// Whether it has outputs for tasks with tests.
    pub has_tests: bool,
    /// Whether its dataset has tasks for people.
    pub for_people: bool,
    /// How the model was asked; absent if the tasks are no conversations.
    pub way: Option<Way>,
}

/// A filter for the outputs of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFilter {
    /// Words that id or description of the task contain; empty for all.
    #[serde(default)]
    pub words: String,
    /// Whether only outputs without code.
    #[serde(default)]
    pub empty: bool,
}

/// One output in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OutputRow {
    /// The output.
    pub id: OutputId,
    /// The task's external id.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    /// The sample, from 0.
    pub sample: u32,
    /// Number of lines of code.
    pub lines: u64,
    /// Whether it contains no code.
    pub empty: bool,
}

/// One output with its task and its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OutputDetail {
    /// The output.
    pub row: OutputRow,
    /// The model's name.
    pub model_name: String,
    /// The task.
    pub task: TaskRow,
    pub code: CodeView,
    /// How its code was found in the response; absent if the response is its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// Whether an admin can choose another block of the response as the code.
    #[serde(default)]
    pub can_choose: bool,
    /// Whether the benchmark's published evaluator judges the text of the file as it stands instead of the code.
    #[serde(default)]
    pub published_unread: bool,
    /// The model's reasoning, where its file or its endpoint has it apart. It is never run or graded, and raters do not
    /// see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What its file says about it besides its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Reported>,
    /// The conversation of which it is the last answer, as HTML; absent if its task is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}
