//! Figures and tables of people's ratings. docs/statistics.md has every formula.

use serde::{Deserialize, Serialize};

use super::{code::CodeView, dataset::TaskRow, flag::Flag, note::LineNote, rubric::Rubric, time::Timestamp};

/// The comparison of a study's models by people's ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Comparison {
    pub rubric: Rubric,
    /// The models, in display order.
    pub models: Vec<ModelScores>,
    /// One row per pair of models and dimension.
    pub differences: Vec<Difference>,
    /// Agreement between raters, one entry per dimension.
    pub agreement: Vec<Agreement>,
    /// Number of bootstrap resamples.
    pub resamples: u32,
    /// Seed of the resamples. A string, because JavaScript numbers are exact only up to 2^53.
    pub seed: String,
}

impl Comparison {
    /// Whether the means of a dimension are adjusted, because the models have different tasks. Rounding
    /// does not count.
    pub fn is_adjusted(&self, dimension: usize) -> bool {
        let scores = self.models.iter().filter_map(|model| model.dimensions.get(dimension));
        scores.filter_map(|of| Some(of.mean? - of.own_mean?)).any(|change| change.abs() > 1e-9)
    }

    /// Whether the means of any dimension are.
    pub fn has_adjusted(&self) -> bool {
        (0..self.rubric.dimensions.len()).any(|dimension| self.is_adjusted(dimension))
    }
}

/// The level of significance: a p-value below it, after correction, counts as significant.
pub const ALPHA: f64 = 0.05;

/// One model's scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelScores {
    pub model: String,
    /// Ratings that count; replaced ratings do not.
    pub ratings: u64,
    /// Tasks with at least one of these ratings.
    pub tasks: u64,
    pub dimensions: Vec<DimensionScores>,
}

/// One model's scores on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DimensionScores {
    /// Mean over tasks of the mean over raters; where the models have different tasks, the task-adjusted mean
    /// (docs/statistics.md). `None` without ratings.
    pub mean: Option<f64>,
    /// 95 % interval of the mean; `None` with fewer than two tasks.
    pub interval: Option<Interval>,
    /// Mean over the model's own tasks, without adjustment.
    pub own_mean: Option<f64>,
    /// 95 % interval of that mean.
    pub own_interval: Option<Interval>,
    /// Number of ratings per score, lowest score first.
    pub distribution: Vec<u64>,
}

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Difference between two models on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Difference {
    /// Index of the dimension in the rubric.
    pub dimension: usize,
    /// Index of the first model (minuend) in [`Comparison::models`].
    pub first: usize,
    /// Index of the second model (subtrahend).
    pub second: usize,
    /// Number of common tasks, over which the difference is computed.
    pub tasks: u64,
    /// Mean over these tasks of first minus second; `None` without common tasks.
    pub mean: Option<f64>,
    /// 95 % interval of the difference; `None` with fewer than two common tasks.
    pub interval: Option<Interval>,
}

/// Agreement between raters on one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Agreement {
    /// Krippendorff's ordinal alpha; `None` if undefined, that is without an output rated twice or without any
    /// variation.
    pub alpha: Option<f64>,
    /// Share of equal pairs of ratings of one output, 0 to 1; `None` without pairs.
    pub exact: Option<f64>,
    /// Share of pairs that differ by at most one level.
    pub within_one: Option<f64>,
    /// Number of pairs.
    pub pairs: u64,
}

/// A row of the table of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskScores {
    pub task: TaskRow,
    /// One entry per model.
    pub models: Vec<TaskModelScores>,
    /// Largest difference between two ratings of one output on one dimension; `None` if no output has two ratings.
    pub spread: Option<u8>,
}

/// One model's scores on one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskModelScores {
    /// Mean score per dimension; `None` without ratings.
    pub means: Vec<Option<f64>>,
    /// Number of ratings.
    pub ratings: u64,
}

/// One task with every model's output and every rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskRatings {
    pub title: String,
    pub task: TaskRow,
    pub rubric: Rubric,
    /// Every model's outputs.
    pub outputs: Vec<OutputRatings>,
}

/// One output with its ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OutputRatings {
    pub model: String,
    /// Index of the sample, from 0.
    pub sample: u32,
    pub code: CodeView,
    /// The ratings, oldest first, replaced ratings after the rater's current one.
    pub ratings: Vec<RatingRow>,
}

/// One rating, with its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatingRow {
    pub rater: String,
    pub scores: Vec<u8>,
    pub comment: String,
    pub flag: Option<Flag>,
    /// Line notes, in the order of the code.
    pub notes: Vec<LineNote>,
    /// When it was committed.
    pub at: Timestamp,
    /// Whether a later rating by the same rater replaced it.
    pub replaced: bool,
}
