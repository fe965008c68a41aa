//! The input of a comparison's figures: plain data, the same whether it came from the database or a bundle.
//!
//! Must stay true: `report::comparison_figures::compute` reads only this, in this order, so the same input gives the
//! same figures to the last bit, on every machine.

use model::{
    comparison::Selection,
    conversation::InstructionKind,
    dataset::TaskRow,
    ids::{ModelId, OutputId, RunId, StudyId, UserId},
    lang::Bilingual,
    published::Difference,
    rubric::Rubric,
    run::{PublishedVerdict, Verdict},
};
use serde::{Deserialize, Serialize};

/// The input of one comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparisonInput {
    /// The dataset's name.
    pub name: Bilingual,
    /// The fully resolved selection.
    pub selection: Selection,
    /// The models, in display order.
    pub models: Vec<(ModelId, String)>,
    /// The tasks of everything below, in the dataset's order, older revisions last.
    pub tasks: Vec<TaskRow>,
    /// The studies whose ratings count.
    pub studies: Vec<InputStudy>,
    /// Their rubric.
    pub rubric: Option<Rubric>,
    /// Seed of the intervals.
    pub seed: u64,
    /// The raters; pseudonyms in a bundle.
    pub raters: Vec<(UserId, String)>,
    /// The ratings that count, by study, output and age.
    #[serde(skip)]
    pub ratings: Vec<InputRating>,
    /// Their scores: one per dimension of the rubric for each rating.
    #[serde(skip)]
    pub scores: Vec<u8>,
    /// Answers to "does it follow this instruction?" that count, by study, output and age.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<InputInstruction>,
    /// Outputs with a final score that replaces their ratings; empty for raw scores.
    pub finals: Vec<InputFinal>,
    /// Adjudicated answers about instructions, which replace their raters'; empty for raw scores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub final_instructions: Vec<FinalInstruction>,
    /// Judge models: compared with people, never mixed with them.
    pub judges: Vec<InputJudge>,
    /// The runs, in the order of their models.
    pub runs: Vec<InputRun>,
    /// Tokens of the outputs, one entry per model; empty if no output has a number of tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<InputTokens>,
}

/// The tokens of the outputs of a model's submissions that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputTokens {
    /// Number of outputs.
    pub outputs: u64,
    /// Outputs with a number of generated tokens, and the sum of these.
    pub generated: (u64, u64),
    /// Outputs with a number of tokens of the prompt, and the sum of these.
    pub prompt: (u64, u64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputStudy {
    pub id: StudyId,
    pub title: String,
    pub seed: u64,
    /// The version of the study's dataset.
    pub dataset_version: u32,
}

/// A rating that counts. Fields with indices refer to the input's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRating {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// Index of the rater.
    pub rater: u32,
}

/// A rater's answer about an instruction of a conversation. Fields with indices refer to the input's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputInstruction {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// Index of the rater.
    pub rater: u32,
    /// The turn of the instruction.
    pub turn: u32,
    pub kind: InstructionKind,
    /// 1 if the output follows it, otherwise 0.
    pub follows: u8,
}

/// The final scores of an output (docs/statistics.md, "Adjudicated scores"). Fields with indices refer to
/// the input's lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputFinal {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// One score per dimension; a median can lie between two levels.
    pub scores: Vec<f64>,
}

/// An adjudicated answer about an instruction of a conversation. Fields with indices refer to the input's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalInstruction {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// The turn of the instruction.
    pub turn: u32,
    pub kind: InstructionKind,
    /// 1 if the output follows it, otherwise 0.
    pub follows: u8,
}

/// A judge model's scores of the compared outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputJudge {
    /// Its name.
    pub name: String,
    /// Its scores, by output.
    pub scores: Vec<JudgeScore>,
    /// Its answers about instructions of these outputs, by output and turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<JudgeInstruction>,
}

/// A judge model's answer about an instruction of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeInstruction {
    pub output: OutputId,
    /// The turn of the instruction.
    pub turn: u32,
    /// 1 if the output follows it, otherwise 0.
    pub follows: u8,
}

/// A judge model's scores of one output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeScore {
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// Length of the output's code in bytes.
    pub length: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputRun {
    /// Its id; absent for imported results.
    pub id: Option<RunId>,
    /// Index of the model.
    pub model: u32,
    /// Indices of the tasks that have tests, in the dataset's order: every figure covers all of them.
    pub tasks: Vec<u32>,
    /// The results of the outputs.
    #[serde(skip)]
    pub verdicts: Vec<InputVerdict>,
    /// Outputs without a verdict.
    pub missing: u32,
    /// Why outputs pass only as published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// The submission; absent for imported results.
    pub submission: Option<i64>,
    /// The dataset version of the submission.
    pub dataset_version: Option<u32>,
    /// The conditions of the run, as recorded by the engine.
    pub environment: Option<serde_json::Value>,
}

/// The result of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputVerdict {
    /// Index of the task.
    pub task: u32,
    /// The output; absent for imported results.
    pub output: Option<OutputId>,
    /// Counts from 0.
    pub sample: u32,
    /// The turn that the output answers; absent if the task is no conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The verdict; absent for imported results, which are counts only.
    pub verdict: Option<Verdict>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// The verdict as published, if the benchmark has an evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedVerdict>,
    /// Whether a defect of the benchmark's data prevents a verdict: the output then counts in no guarded figure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cannot_judge: bool,
}
