//! Ratings, verdicts and outputs as they are exported, one at a time. docs/formats.md describes the columns.

use model::{
    dataset::TaskRow,
    ids::{OutputId, RunId, StudyId},
    lang::Lang,
    reason::Reason,
    run::LimitHit,
    time::Timestamp,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Scores as they are stored, one digit per dimension. Only digits are stored.
pub fn digits(scores: &str) -> impl Iterator<Item = u8> + '_ {
    scores.bytes().map(|digit| digit.wrapping_sub(b'0'))
}

/// One rating, replaced ones included.
pub struct RatingLine<'a> {
    pub study: StudyId,
    /// The version of the study's dataset.
    pub dataset_version: u32,
    /// The submission of the output.
    pub submission: i64,
    /// The task's external id.
    pub task_id: &'a str,
    /// The description's language.
    pub nl_lang: Lang,
    /// The model.
    pub model: &'a str,
    /// Counts from 0.
    pub sample: u32,
    /// The rater's name, in the requested form.
    pub rater: &'a str,
    /// One digit per dimension.
    pub scores: &'a str,
    /// The answers about instructions, as `TURN:ANSWER` separated by spaces; absent without any.
    pub instructions: Option<&'a str>,
    /// The comment.
    pub comment: &'a str,
    /// The flag.
    pub flag: Option<&'a RawValue>,
    /// The line notes; absent without any.
    pub notes: Option<&'a RawValue>,
    /// When the output was first shown to them.
    pub shown_at: Option<Timestamp>,
    /// When they rated.
    pub at: Timestamp,
    /// When a later rating replaced this one.
    pub replaced_at: Option<Timestamp>,
}

/// The part of an outcome that goes into a line.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Spent {
    pub limit: Option<LimitHit>,
    pub cpu_ms: u32,
    pub wall_ms: u32,
    #[serde(default)]
    pub reason: Option<Reason>,
}

/// One output of a run.
pub struct VerdictLine<'a> {
    pub run: RunId,
    /// The dataset version of the outputs.
    pub dataset_version: Option<u32>,
    /// The submission of the outputs.
    pub submission: Option<i64>,
    /// The task's external id.
    pub task_id: &'a str,
    /// The description's language.
    pub nl_lang: Lang,
    /// The model.
    pub model: &'a str,
    /// Counts from 0.
    pub sample: u32,
    /// The verdict; absent if it was not run or the engine failed.
    pub verdict: Option<&'a str>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// What its outcome tells besides; absent without one.
    pub spent: Option<Spent>,
    /// Whether it came from the cache.
    pub cached: bool,
    /// The verdict as published, if the benchmark has an evaluator.
    pub published: Option<&'a str>,
    /// Whether it passes by the verdict that came with it, and that verdict in its tool's own words.
    pub theirs: Option<bool>,
    pub their_words: Option<&'a str>,
    /// Time of the result.
    pub finished_at: Option<Timestamp>,
}

/// One output of a submission that is compared.
pub struct OutputLine<'a> {
    pub output: OutputId,
    /// The dataset version of the submission.
    pub dataset_version: u32,
    pub submission: i64,
    pub task: &'a TaskRow,
    /// The model.
    pub model: &'a str,
    /// Counts from 0.
    pub sample: u32,
    /// The turn that it answers; absent if the task is no conversation.
    pub turn: Option<u32>,
    /// The code without fences.
    pub code: &'a str,
    /// The selected run of the submission.
    pub run: Option<RunId>,
    /// The run's verdict; absent if it was not run or the engine failed.
    pub verdict: Option<&'a str>,
    /// Test cases passed; absent without a verdict.
    pub passed: Option<u32>,
    /// Test cases; absent without a verdict.
    pub total: Option<u32>,
    /// The verdict as published, if the benchmark has an evaluator.
    pub published: Option<&'a str>,
}
