//! Models side by side. Every figure here has its formula in docs/statistics.md.

use serde::{Deserialize, Serialize};

use super::{code::CodeView, dataset::TaskRow, grading::Flag, note::LineNote, rubric::Rubric, time::Timestamp};

/// The comparison of a study's models by people's ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Comparison {
    /// The rubric that was used.
    pub rubric: Rubric,
    /// The models, in the order of their submissions.
    pub models: Vec<ModelScores>,
    /// A row for each pair of models and each dimension.
    pub differences: Vec<Difference>,
    /// Agreement between raters, one place a dimension.
    pub agreement: Vec<Agreement>,
    /// How many resamples the intervals rest on.
    pub resamples: u32,
    /// What the resamples were drawn from. As text: JavaScript's numbers end at 2^53.
    pub seed: String,
}

/// The level of significance: a p-value below it, after correction, counts as significant.
pub const ALPHA: f64 = 0.05;

/// One model's scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ModelScores {
    /// The model's name.
    pub model: String,
    /// Ratings that count (superseded ones do not).
    pub ratings: u64,
    /// Tasks with at least one of them.
    pub tasks: u64,
    /// One place a dimension.
    pub dimensions: Vec<DimensionScores>,
}

/// One model's scores on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DimensionScores {
    /// The mean over tasks of the mean over raters; absent without ratings.
    pub mean: Option<f64>,
    /// Its 95 % interval; absent with fewer than two tasks.
    pub interval: Option<Interval>,
    /// How many ratings gave each score, lowest score first.
    pub distribution: Vec<u64>,
}

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// How much better one model is than another on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Difference {
    /// The dimension's place in the rubric.
    pub dimension: usize,
    /// The model that is subtracted from, as its place in [`Comparison::models`].
    pub first: usize,
    /// The model that is subtracted.
    pub second: usize,
    /// Tasks that both have ratings for; the difference is over these alone.
    pub tasks: u64,
    /// Mean over those tasks of first minus second; absent without such tasks.
    pub mean: Option<f64>,
    /// Its 95 % interval; absent with fewer than two such tasks.
    pub interval: Option<Interval>,
}

/// How far raters agree on one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Agreement {
    /// Krippendorff's alpha, ordinal; absent where it is undefined (no output rated twice, or no
    /// variation at all).
    pub alpha: Option<f64>,
    /// Share of pairs of ratings of one output that are equal; absent without such pairs.
    pub exact: Option<f64>,
    /// Share of such pairs that differ by at most one.
    pub within_one: Option<f64>,
    /// How many such pairs.
    pub pairs: u64,
}

/// A row of the table of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskScores {
    /// The task.
    pub task: TaskRow,
    /// One place a model: mean score per dimension (absent without ratings), and how many ratings.
    pub models: Vec<(Vec<Option<f64>>, u64)>,
    /// The widest distance between two ratings of one output on one dimension.
    pub spread: u8,
}

/// One task with every model's output and every rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskRatings {
    /// The study's title.
    pub title: String,
    /// The task.
    pub task: TaskRow,
    /// The rubric.
    pub rubric: Rubric,
    /// Each output under its model's name.
    pub outputs: Vec<OutputRatings>,
}

/// One output with its ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OutputRatings {
    /// The model's name.
    pub model: String,
    /// Counts from 0 where a task has several samples.
    pub sample: u32,
    /// The code.
    pub code: CodeView,
    /// The ratings, oldest first, superseded ones after their successors' rater.
    pub ratings: Vec<RatingRow>,
}

/// One rating, with its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RatingRow {
    /// Who gave it.
    pub rater: String,
    /// One place a dimension.
    pub scores: Vec<u8>,
    /// What they said.
    pub comment: String,
    /// The flag they raised.
    pub flag: Option<Flag>,
    /// What they said about single lines, in the order of the code.
    #[serde(default)]
    pub notes: Vec<LineNote>,
    /// When it was committed.
    pub at: Timestamp,
    /// Whether a later rating by the same rater replaced it.
    pub superseded: bool,
}
