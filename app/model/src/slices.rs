//! Results of slices of a dataset's tasks: the models' figures over the tasks that have an attribute in common.
//!
//! Formulas and the treatment of small slices are in docs/statistics.md, "Slices of tasks".

use serde::{Deserialize, Serialize};

use super::{code_lang::CodeLang, ids::ModelId, lang::Lang, names::names, ratings::Interval, results::BoardDimension};

names! {
    /// The attribute by which tasks are sliced.
    #[derive(Default, Hash)]
    pub enum SliceBy as name {
        /// The share of the other models that pass a task.
        #[default]
        Difficulty = "difficulty",
        /// The length of the description.
        Length = "length",
        /// The programming language.
        CodeLang = "code_lang",
        /// The language of the description.
        NlLang = "nl_lang",
    }

    /// How difficult a task is for a model, by the other models.
    pub enum Difficulty as name {
        /// Less than a third of the other models pass it.
        Hard = "hard",
        /// A third to two thirds of them.
        Medium = "medium",
        /// More than two thirds of them.
        Easy = "easy",
        /// No other model has a verdict for the task.
        Unknown = "unknown",
    }
}

impl Difficulty {
    /// By the share of other models that pass the task.
    pub fn of(share: Option<f64>) -> Difficulty {
        // A mean of thirds can differ from a third in its last binary digit.
        const EQUAL: f64 = 1e-9;
        match share {
            None => Difficulty::Unknown,
            Some(share) if share < 1.0 / 3.0 - EQUAL => Difficulty::Hard,
            Some(share) if share > 2.0 / 3.0 + EQUAL => Difficulty::Easy,
            Some(_) => Difficulty::Medium,
        }
    }
}

/// What the tasks of a slice have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SliceOf {
    Difficulty(Difficulty),
    /// Characters of the shortest and of the longest description.
    Length {
        shortest: u64,
        longest: u64,
    },
    CodeLang(CodeLang),
    NlLang(Lang),
}

impl SliceOf {
    /// Its name in files.
    pub fn name(self) -> String {
        match self {
            SliceOf::Difficulty(difficulty) => difficulty.name().to_owned(),
            SliceOf::Length { shortest, longest } => format!("{shortest}-{longest}"),
            SliceOf::CodeLang(lang) => lang.code().to_owned(),
            SliceOf::NlLang(lang) => lang.code().to_owned(),
        }
    }
}

/// A slice of a comparison's tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Slice {
    pub of: SliceOf,
    /// Tasks with ratings or tests in the slice. A task can be in several slices by difficulty, each for other models.
    pub tasks: u64,
}

/// A model's figure over the tasks of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SliceFigure {
    /// Tasks behind it.
    pub tasks: u64,
    /// `None` without tasks.
    pub value: Option<f64>,
    /// The 95 % interval; `None` with fewer than [`Slices::MIN_TASKS`] tasks.
    pub interval: Option<Interval>,
}

/// A metric over each slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SliceMetric {
    /// The dimension that people rate; absent for pass@1 by tests.
    pub dimension: Option<BoardDimension>,
    /// Figures over all tasks, one per model: those of the comparison.
    pub all: Vec<SliceFigure>,
    /// Figures over the tasks of each slice, one per model.
    pub slices: Vec<Vec<SliceFigure>>,
    /// Whether the means over all tasks, and over those of each slice, are adjusted for tasks, because the models have
    /// different ones.
    pub adjusted: Vec<bool>,
}

impl SliceMetric {
    /// The key of the metric of the tests.
    pub const TESTS: &str = "pass@1";

    /// A dimension's key, or [`SliceMetric::TESTS`].
    pub fn key(&self) -> &str {
        self.dimension.as_ref().map_or(Self::TESTS, |dimension| dimension.key.as_str())
    }
}

/// A comparison's results by slices of tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Slices {
    pub by: SliceBy,
    /// The compared models, in the order of every list below.
    pub models: Vec<(ModelId, String)>,
    /// The slices with tasks, in order. A single one has all tasks.
    pub slices: Vec<Slice>,
    /// The dimensions with ratings, then pass@1 if there are tests.
    pub metrics: Vec<SliceMetric>,
    /// Models with a test run: their verdicts say how difficult a task is.
    pub tested: u64,
    /// Languages of the descriptions of the tasks with ratings or tests.
    pub nl_langs: u64,
    /// Whether the first figures are being computed, so that there are none yet.
    #[serde(default)]
    pub computing: bool,
}

impl Slices {
    /// With fewer tasks, a bootstrap over tasks has too few different resamples for an interval.
    pub const MIN_TASKS: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_are_medium_whatever_their_rounding() {
        let check = |share, expected| assert_eq!(Difficulty::of(share), expected, "{share:?}");
        check(None, Difficulty::Unknown);
        check(Some(0.0), Difficulty::Hard);
        check(Some(0.33), Difficulty::Hard);
        check(Some((0.1 + 0.2 + 0.7) / 3.0), Difficulty::Medium);
        check(Some(1.0 - 1.0 / 3.0), Difficulty::Medium);
        check(Some(0.67), Difficulty::Easy);
        check(Some(1.0), Difficulty::Easy);
    }
}
