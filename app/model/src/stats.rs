//! Statistical results for pages, exports and the API. Formulas and sources: docs/statistics.md.

use serde::{Deserialize, Serialize};

use super::{names::names, ratings::Interval};

/// A figure, or the reason why it is undefined.
pub type Known<T> = Result<T, Undefined>;

/// Reason why a figure is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// There is no data.
    Nothing,
    /// At least two units or tasks are needed.
    TooFew,
    /// No output was rated twice, or not by these two raters.
    NoPairs,
    /// All values are equal.
    NoVariation,
    /// No two outputs were rated by every rater.
    NotCrossed,
    /// The divisor, the variance of a mean, is 0.
    NoDivisor,
    /// The raters form this many groups without a common output.
    Disconnected(u32),
    /// A task has several samples, and the test needs one.
    SeveralSamples,
    /// More than half of the resamples were undefined.
    Unstable,
}

/// JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Figure<T> {
    Known(T),
    Undefined(Undefined),
}

/// Reads and writes a [`Known`] as a [`Figure`].
pub(super) mod known {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Figure, Known};

    fn form<T>(figure: &Known<T>) -> Figure<&T> {
        match figure {
            Ok(figure) => Figure::Known(figure),
            Err(reason) => Figure::Undefined(*reason),
        }
    }

    fn known<T>(form: Figure<T>) -> Known<T> {
        match form {
            Figure::Known(figure) => Ok(figure),
            Figure::Undefined(reason) => Err(reason),
        }
    }

    pub fn serialize<T: Serialize, S: Serializer>(figure: &Known<T>, to: S) -> Result<S::Ok, S::Error> {
        form(figure).serialize(to)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Known<T>, D::Error> {
        Figure::deserialize(from).map(known)
    }

    /// The same for a list.
    pub mod each {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        use super::{Figure, Known, form, known};

        pub fn serialize<T: Serialize, S: Serializer>(figures: &[Known<T>], to: S) -> Result<S::Ok, S::Error> {
            to.collect_seq(figures.iter().map(form))
        }

        pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<Known<T>>, D::Error> {
            Ok(Vec::<Figure<T>>::deserialize(from)?.into_iter().map(known).collect())
        }
    }
}

/// A figure with its 95 % interval, which can be undefined by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Estimate {
    pub value: f64,
    /// Its 95 % interval.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Interval>))]
    #[serde(with = "known")]
    pub interval: Known<Interval>,
}

/// The alternative annotator test: whether a judge may replace a rater.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AltTest {
    /// Mean over raters of the share of outputs on which the judge is at least as close to the other raters.
    pub advantage: Estimate,
    /// The test's result for each value of epsilon.
    pub winning: Vec<Winning>,
    /// The raters that it is about.
    pub raters: Vec<RaterAdvantage>,
    /// Raters with too few outputs.
    pub left_out: u32,
}

/// The alternative annotator test for one value of epsilon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Winning {
    /// The share of outputs that the judge may lose because it costs less than a rater.
    pub epsilon: f64,
    /// Raters against whom the judge wins.
    pub raters: u32,
}

impl AltTest {
    /// Whether the judge wins against at least half of the raters.
    pub fn passes(&self, winning: &Winning) -> bool {
        winning.raters as usize * 2 >= self.raters.len()
    }
}

/// A judge compared with one rater.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterAdvantage {
    /// Index of the rater.
    pub rater: u32,
    /// Outputs that the rater, another rater and the judge scored.
    pub outputs: u64,
    /// Share of these on which the judge is at least as close to the other raters as this one.
    pub advantage: f64,
    /// Share on which this rater is at least as close as the judge.
    pub of_rater: f64,
}

/// How a p-value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Exact enumeration.
    Exact,
    /// Normal approximation with tie correction.
    Normal,
    /// Monte Carlo.
    MonteCarlo,
}

/// Wilcoxon's signed-rank test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Wilcoxon {
    /// Number of non-zero differences.
    pub n: u32,
    /// Number of zero differences, which are dropped.
    pub zeros: u32,
    /// Rank sum of the positive differences.
    pub plus: f64,
    /// Rank sum of the negative differences.
    pub minus: f64,
    pub p: f64,
    pub method: Method,
}

/// A permutation test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Permutation {
    pub p: f64,
    pub method: Method,
    /// Sign assignments examined, including the observed one.
    pub looked_at: u64,
}

/// Approximate number of ratings needed to confirm the observed difference between two models with a power
/// of 80 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Needed {
    /// Total tasks, each rated as often as now.
    pub tasks: u64,
    /// Ratings of both models for the additional tasks; 0 if the present ones are enough.
    pub more_ratings: u64,
    /// Ratings per model and task, on the present tasks. Undefined if no number of them is enough
    /// ([`Undefined::TooFew`]), or if no task was rated twice ([`Undefined::NoPairs`]).
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<u64>))]
    #[serde(with = "known")]
    pub per_task: Known<u64>,
}

/// Tests and effect sizes for two models over their common tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Paired {
    /// Number of common tasks.
    pub tasks: u32,
    /// Mean difference, first minus second.
    pub mean: f64,
    /// Wilcoxon's signed-rank test.
    pub wilcoxon: Wilcoxon,
    /// The permutation test of the mean difference.
    pub permutation: Permutation,
    /// Matched-pairs rank-biserial correlation, −1 to 1.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<f64>))]
    #[serde(with = "known")]
    pub rank_biserial: Known<f64>,
    /// Cohen's d_z.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<f64>))]
    #[serde(with = "known")]
    pub cohen_dz: Known<f64>,
    /// Cliff's delta, −1 to 1.
    pub cliff_delta: f64,
    /// Ratings needed to confirm the difference.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Needed>))]
    #[serde(with = "known")]
    pub needed: Known<Needed>,
}

names! {
    /// The test that decides whether the difference between two models is significant.
    pub enum DecidingTest as name {
        /// Wilcoxon's signed-rank test, of scores.
        Wilcoxon = "wilcoxon",
        /// The mid-p-value of McNemar's test, of pass@1 with one sample per task.
        McNemarMid = "mcnemar_mid",
        /// The permutation test of the mean difference over tasks, of pass@1 where a task has several samples.
        Permutation = "permutation",
    }
}

/// The test of a difference, with its p-value before and after Holm's correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    pub test: DecidingTest,
    pub p: f64,
    pub holm: f64,
}

/// McNemar's test, two-sided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct McNemar {
    /// Tasks solved only by the first model.
    pub first_only: u32,
    /// Tasks solved only by the second model.
    pub second_only: u32,
    /// The exact p-value.
    pub exact: f64,
    /// The mid-p-value.
    pub mid: f64,
}

/// The joint bootstrap of several models on one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Joint {
    /// Mean of each model, in the order given.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Vec<Figure<Estimate>>))]
    #[serde(with = "known::each")]
    pub means: Vec<Known<Estimate>>,
    /// Difference of every pair of models, in order.
    pub differences: Vec<Gap>,
}

/// The difference between two models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Gap {
    /// Index of the first model (minuend).
    pub first: usize,
    /// Index of the second model (subtrahend).
    pub second: usize,
    /// Number of common tasks.
    pub tasks: u32,
    /// Difference, first minus second.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub difference: Known<Estimate>,
}

/// The automated figures of several models, with intervals over tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[cfg_attr(not(target_arch = "wasm32"), schema(as = AutomatedEstimates))]
pub struct Automated {
    /// `pass@k` for k = 1, 2, …: a model with fewer samples than k is [`Undefined::Nothing`].
    pub pass_at: Vec<Joint>,
    /// `AvgPassRatio` as the tests reported it.
    pub ratio: Joint,
    /// `AvgPassRatio` with each task capped at 1.
    pub ratio_clamped: Joint,
    /// McNemar's test for every pair, in the order of [`Joint::differences`].
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Vec<Figure<McNemar>>))]
    #[serde(with = "known::each")]
    pub mcnemar: Vec<Known<McNemar>>,
}

/// Rank correlations of two variables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Correlation {
    /// Number of pairs of values.
    pub n: u32,
    /// Spearman's rank correlation.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub spearman: Known<Estimate>,
    /// Kendall's tau-b.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub kendall: Known<Estimate>,
}

/// Inter-rater reliability on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Reliability {
    /// Number of outputs with at least two ratings.
    pub outputs: u32,
    /// Number of pairs of ratings of one output.
    pub pairs: u64,
    /// Share of equal pairs, 0 to 1.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub exact: Known<Estimate>,
    /// Share of pairs at most one level apart, 0 to 1.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub within_one: Known<Estimate>,
    /// Krippendorff's alpha, ordinal.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub alpha: Known<Estimate>,
    /// Gwet's AC2, quadratic weights.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub ac2: Known<Estimate>,
    /// ICC(1): one-way random effects, one rater.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub icc1: Known<Estimate>,
    /// Whether the interval of `icc1` is approximate because outputs have unequal numbers of ratings.
    pub icc1_unequal: bool,
    /// ICC(2,1): two-way random effects, absolute agreement, one rater.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub icc2: Known<Estimate>,
    /// ICC(2,k): as ICC(2,1), for the mean of all raters.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub icc2k: Known<Estimate>,
    /// Number of outputs that every rater rated, from which `icc2` and `icc2k` are computed.
    pub crossed: u32,
    /// Quadratic-weighted kappa for each pair of raters.
    pub kappas: Vec<Kappa>,
}

/// Quadratic-weighted Cohen's kappa of two raters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Kappa {
    /// Index of the first rater.
    pub first: u32,
    /// Index of the second rater.
    pub second: u32,
    /// Number of outputs that both rated.
    pub outputs: u32,
    /// The coefficient.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "known")]
    pub kappa: Known<Estimate>,
}

/// Means adjusted for the raters' leniency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Adjusted {
    /// Adjusted mean of each model, in the order given.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Vec<Figure<f64>>))]
    #[serde(with = "known::each")]
    pub means: Vec<Known<f64>>,
    /// Each rater's leniency in levels of the scale; negative is strict. They sum to zero.
    pub raters: Vec<(u32, f64)>,
}
