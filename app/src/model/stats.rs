//! Statistical results as they travel from the server to pages, exports and the API. Formulas and
//! sources: docs/statistics.md.

use serde::{Deserialize, Serialize};

use super::comparison::Interval;

/// A figure, or why there is none.
pub type Known<T> = Result<T, Undefined>;

/// Why a figure is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// There is no data for it at all.
    Nothing,
    /// There is one unit, or one task, where two are needed.
    TooFew,
    /// No output was rated twice, or not by these two raters.
    NoPairs,
    /// Every value is the same, so nothing can be told apart.
    NoVariation,
    /// No two outputs were rated by every rater.
    NotCrossed,
    /// What the coefficient is divided by, the variance of a mean, is 0.
    NoDivisor,
    /// The raters fall into so many groups that rated no output in common.
    Disconnected(u32),
    /// Some task has more than one sample, and the test takes one.
    SeveralSamples,
    /// More than half of the resamples were undefined.
    Unstable,
}

/// How a [`Known`] figure is written in JSON: `{"Ok": figure}`, or `{"Err": why it is missing}`.
#[cfg(feature = "ssr")]
#[derive(utoipa::ToSchema)]
#[allow(dead_code, reason = "it is read by the API's document, never made")]
pub enum Figure<T> {
    /// The figure.
    Ok(T),
    /// Why it is missing.
    Err(Undefined),
}

/// A figure with its 95 % interval, which may be missing on its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Interval>))]
    pub interval: Known<Interval>,
}

/// How a p-value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By going through every case.
    Exact,
    /// By the normal approximation, corrected for ties.
    Normal,
    /// By drawn cases.
    MonteCarlo,
}

/// Wilcoxon's signed-rank test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Wilcoxon {
    /// Differences other than zero.
    pub n: u32,
    /// Differences of zero, which were dropped.
    pub zeros: u32,
    /// The sum of the ranks of positive differences.
    pub plus: f64,
    /// The sum of the ranks of negative ones.
    pub minus: f64,
    /// The p-value.
    pub p: f64,
    /// How it was found.
    pub method: Method,
}

/// A permutation test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Permutation {
    /// The p-value.
    pub p: f64,
    /// How it was found.
    pub method: Method,
    /// Assignments of signs that were looked at, the observed one included.
    pub looked_at: u64,
}

/// How many ratings would probably separate two models, if the observed difference is the true one.
/// An approximation, for a chance of 80 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Needed {
    /// Tasks in all, each rated as often as now.
    pub tasks: u64,
    /// Ratings of both models that the tasks beyond the present ones would take; 0 where the present ones are
    /// enough.
    pub more_ratings: u64,
    /// Ratings of each model a task, on the present tasks. Missing where no number of them is enough
    /// ([`Undefined::TooFew`]), or where no task was rated twice and nobody can tell ([`Undefined::NoPairs`]).
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<u64>))]
    pub per_task: Known<u64>,
}

/// Two models over the tasks that both have ratings for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Paired {
    /// Those tasks.
    pub tasks: u32,
    /// The mean difference, first minus second.
    pub mean: f64,
    /// Wilcoxon's signed-rank test.
    pub wilcoxon: Wilcoxon,
    /// The permutation test of the mean difference.
    pub permutation: Permutation,
    /// Matched-pairs rank-biserial correlation, −1 to 1.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<f64>))]
    pub rank_biserial: Known<f64>,
    /// Cohen's d_z.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<f64>))]
    pub cohen_dz: Known<f64>,
    /// Cliff's delta, −1 to 1.
    pub cliff_delta: f64,
    /// About how many ratings would separate them.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Needed>))]
    pub needed: Known<Needed>,
}

/// McNemar's test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct McNemar {
    /// Tasks that only the first model solved.
    pub first_only: u32,
    /// Tasks that only the second model solved.
    pub second_only: u32,
    /// The exact p-value.
    pub exact: f64,
    /// The mid-p-value.
    pub mid: f64,
}

/// The joint bootstrap of several models on one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Joint {
    /// The mean of each model, in the order given.
    #[cfg_attr(feature = "ssr", schema(value_type = Vec<Figure<Estimate>>))]
    pub means: Vec<Known<Estimate>>,
    /// Every pair, first before second.
    pub differences: Vec<Gap>,
}

/// The difference between two models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Gap {
    /// The model that is subtracted from, by its place.
    pub first: usize,
    /// The model that is subtracted.
    pub second: usize,
    /// Tasks that both have values for.
    pub tasks: u32,
    /// First minus second.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub difference: Known<Estimate>,
}

/// The automated figures of several models, with intervals over tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Automated {
    /// `pass@k` for k = 1, 2, …: a model with fewer samples than k is [`Undefined::Nothing`].
    pub pass_at: Vec<Joint>,
    /// `AvgPassRatio` as the tests reported it.
    pub ratio: Joint,
    /// The same with no task counting for more than 1.
    pub ratio_clamped: Joint,
    /// McNemar's test for every pair, in the order of [`Joint::differences`].
    #[cfg_attr(feature = "ssr", schema(value_type = Vec<Figure<McNemar>>))]
    pub mcnemar: Vec<Known<McNemar>>,
}

/// How far two variables go together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Correlation {
    /// Pairs of values.
    pub n: u32,
    /// Spearman's rank correlation.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub spearman: Known<Estimate>,
    /// Kendall's tau-b.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub kendall: Known<Estimate>,
}

/// How far raters agree on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Reliability {
    /// Outputs with at least two ratings.
    pub outputs: u32,
    /// Pairs of ratings of one output.
    pub pairs: u64,
    /// Share of such pairs that are equal.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub exact: Known<Estimate>,
    /// Share of such pairs that are at most one level apart.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub within_one: Known<Estimate>,
    /// Krippendorff's alpha, ordinal.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub alpha: Known<Estimate>,
    /// Gwet's AC2, quadratic weights.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub ac2: Known<Estimate>,
    /// ICC(1): one-way random effects, one rater.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub icc1: Known<Estimate>,
    /// Whether the interval of `icc1` is an approximation, because outputs have unequal numbers of ratings.
    pub icc1_unequal: bool,
    /// ICC(2,1): two-way random effects, absolute agreement, one rater.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub icc2: Known<Estimate>,
    /// ICC(2,k): the same of the mean of all raters.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub icc2k: Known<Estimate>,
    /// Outputs that every rater rated: `icc2` and `icc2k` are over these alone.
    pub crossed: u32,
    /// Quadratic-weighted kappa for each pair of raters.
    pub kappas: Vec<Kappa>,
}

/// Quadratic-weighted Cohen's kappa of two raters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Kappa {
    /// The first rater, as given.
    pub first: u32,
    /// The second rater.
    pub second: u32,
    /// Outputs that both rated.
    pub outputs: u32,
    /// The coefficient.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<Estimate>))]
    pub kappa: Known<Estimate>,
}

/// Means adjusted for how strict the raters were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Adjusted {
    /// The adjusted mean of each model, in the order given.
    #[cfg_attr(feature = "ssr", schema(value_type = Vec<Figure<f64>>))]
    pub means: Vec<Known<f64>>,
    /// Each rater, as given, with their leniency in levels of the scale: below zero is strict. They sum to zero.
    pub raters: Vec<(u32, f64)>,
}
