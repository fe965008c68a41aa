//! Results of all models on all datasets: the leaderboard, and one model's results.
//!
//! Figures are those of each dataset's comparison with every default and final scores; formulas are in
//! docs/statistics.md.

use serde::{Deserialize, Serialize};

use super::{
    comparison::Selection,
    ids::{ModelId, RunId, StudyId, SubmissionId},
    lang::Bilingual,
    ratings::Interval,
    run::RunStatus,
    slices::DatasetSlice,
    stats::{DecidingTest, Tested},
    time::Timestamp,
};

/// The filter and order of the leaderboard, as in the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardQuery {
    /// Short name of the only dataset shown; empty for all.
    #[serde(default)]
    pub dataset: String,
    /// Words of the models' names.
    #[serde(default)]
    pub q: String,
    /// Column by which rows are ordered: `model`, or a dataset and a metric ([`BoardQuery::column`]); empty for
    /// the first column with data.
    #[serde(default)]
    pub sort: String,
    /// Whether the order is reversed: lowest figure, or last name, first.
    #[serde(default)]
    pub reverse: bool,
    /// The page, counted from 0.
    #[serde(default)]
    pub page: u32,
    /// Short name of the last dataset on the page of datasets before; empty for the first.
    #[serde(default)]
    pub after: String,
    /// Name of the slice of tasks that figures are of (`slices::BoardSlice`); empty for all tasks.
    #[serde(default)]
    pub slice: String,
}

impl BoardQuery {
    /// Models on a page.
    pub const PAGE: usize = 100;

    /// Reads an address's query and passes over what it cannot read, but for the slice: with figures of other tasks, the page
    /// would not be what the address says, so what reads its name refuses it.
    pub fn read(get: impl Fn(&str) -> String) -> BoardQuery {
        BoardQuery {
            dataset: get("dataset"),
            q: get("q"),
            sort: get("sort"),
            reverse: get("order") == "reverse",
            page: get("page").parse().unwrap_or(0),
            after: get("after"),
            slice: get("slice"),
        }
    }

    /// Name of a metric's column, for `sort`.
    pub fn column(dataset: &str, metric: &str) -> String {
        format!("{dataset}.{metric}")
    }
}

/// Which of the datasets a page of results shows, in the order of their short names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DatasetPage {
    /// Number of datasets before these.
    pub before: u64,
    /// Number of datasets in all.
    pub all: u64,
    /// What `after` is for the previous page, empty for the first; absent on the first page.
    pub previous: Option<String>,
    /// What `after` is for the next page; absent on the last page.
    pub next: Option<String>,
}

impl DatasetPage {
    /// Datasets on a page.
    pub const SIZE: usize = 20;

    /// The page after the dataset `after` of these, which are in order, and the datasets on it.
    pub fn of<'a>(all: &'a [String], after: &str) -> (DatasetPage, &'a [String]) {
        let from = all.partition_point(|slug| !after.is_empty() && slug.as_str() <= after);
        let to = (from + Self::SIZE).min(all.len());
        let before = |at: usize| at.checked_sub(1).and_then(|last| all.get(last)).cloned().unwrap_or_default();
        let page = DatasetPage {
            before: from as u64,
            all: all.len() as u64,
            previous: (from > 0).then(|| before(from.saturating_sub(Self::SIZE))),
            next: (to < all.len()).then(|| before(to)),
        };
        (page, all.get(from..to).unwrap_or_default())
    }
}

/// Models × datasets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Board {
    /// The datasets shown, in the order of each row's results.
    pub datasets: Vec<BoardDataset>,
    /// Which of the datasets these are.
    pub page: DatasetPage,
    /// Every dataset that can be chosen: short name and name.
    pub all_datasets: Vec<(String, Bilingual)>,
    /// One page of models with results, in the requested order; models without data for the column come last.
    pub rows: Vec<BoardRow>,
    /// Number of models with results that the filter selects.
    pub found: u64,
    /// Models that the filter selects without any result on the datasets shown, in the order of their names: the first
    /// 200.
    pub empty: Vec<EmptyModel>,
    /// Number of models that the filter selects without any result.
    pub found_empty: u64,
    /// Number of models with outputs for any dataset shown.
    pub models: u64,
    /// The column by which rows are ordered.
    pub sort: String,
    /// Name of the slice of tasks that figures, ranks and highest values are of, such as `difficulty.hard`; empty for all
    /// tasks.
    pub slice: String,
}

impl Board {
    /// Models without results that a page names.
    pub const EMPTY: usize = 200;
}

/// A model without any result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct EmptyModel {
    pub model: ModelId,
    pub name: String,
}

/// A dataset of the leaderboard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct BoardDataset {
    /// Short name.
    pub slug: String,
    pub name: Bilingual,
    /// Dimensions of the rubric that people rate.
    pub dimensions: Vec<BoardDimension>,
    /// The k of each pass@k; empty without runs.
    pub pass_at: Vec<u32>,
    /// The highest value of each dimension, then of each pass@k, of all models; `None` with fewer than two values, and in a
    /// slice by difficulty, where each model has its own tasks.
    pub highest: Vec<Option<f64>>,
    /// Models with outputs but without ratings.
    pub without_ratings: u64,
    /// Models with outputs but without a test run.
    pub without_runs: u64,
    /// Whether the first figures are being computed, so that none are shown yet.
    pub computing: bool,
    /// Whether newer figures are being computed.
    pub behind: bool,
    /// The selection behind the figures, with every default resolved.
    pub selection: Selection,
    /// The tasks of the slice that figures are of; `None` for all tasks, and while the first figures are computed.
    pub slice: Option<DatasetSlice>,
}

/// A dimension of the rubric, as a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct BoardDimension {
    pub key: String,
    pub name: Bilingual,
    /// Lowest score.
    pub low: u8,
    /// Highest score.
    pub high: u8,
    /// Whether it is an item of the checklist, whose mean is the share of yes.
    pub checklist: bool,
}

/// A model of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct BoardRow {
    pub model: ModelId,
    pub name: String,
    /// One more than the number of models with a higher value in the column by which rows are ordered; `None` without a
    /// value, in the order of names, and in a slice by difficulty, where each model has its own tasks.
    pub rank: Option<u64>,
    /// One entry per dataset.
    pub results: Vec<BoardResults>,
}

/// One model's results on one dataset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct BoardResults {
    /// Whether the model has outputs for the dataset.
    pub outputs: bool,
    /// Mean final scores by people, one value per dimension; `None` without ratings.
    pub people: Option<Measured>,
    /// pass@k by tests, 0 to 1, one value per k; `None` without a run.
    pub tests: Option<Measured>,
}

/// Values of one kind for one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Measured {
    /// One entry per column; `None` where the value is undefined.
    pub values: Vec<Option<Estimated>>,
    /// Tasks behind them.
    pub tasks: u64,
    /// How many of these have a verdict; the others count as not solved.
    pub answered: u64,
    /// Outputs without a verdict, because the engine failed on them or has yet to run them; `None` for ratings and for a
    /// slice of tasks.
    #[serde(default)]
    pub missing: Option<u64>,
    /// Ratings behind them; 0 for tests.
    pub ratings: u64,
    /// Time of the newest rating, or of the run's end; `None` for ratings of a slice of tasks.
    pub at: Option<Timestamp>,
    /// The run; `None` for people.
    pub run: Option<RunId>,
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Estimated {
    pub value: f64,
    /// `None` with fewer than two tasks, in a slice with fewer than five.
    pub interval: Option<Interval>,
}

/// Everything about one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelResults {
    pub model: ModelId,
    pub name: String,
    /// The model that it is compared with, if one was chosen.
    pub baseline: Option<(ModelId, String)>,
    /// Models with outputs for any of the same datasets: possible baselines.
    pub others: Vec<(ModelId, String)>,
    /// Datasets that the model has outputs for.
    pub datasets: Vec<ModelDataset>,
    /// Which of them these are.
    pub page: DatasetPage,
}

/// A model on one dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelDataset {
    pub dataset: BoardDataset,
    pub own: BoardResults,
    /// The baseline's results; `None` without a baseline.
    pub baseline: Option<BoardResults>,
    /// Differences from the baseline, model minus baseline: one entry per dimension, then pass@1; empty without a
    /// baseline.
    pub differences: Vec<Option<Versus>>,
    /// The model's submissions, newest first.
    pub submissions: Vec<ModelSubmission>,
    /// Runs of these submissions that have results, oldest first.
    pub history: Vec<HistoryRun>,
    /// Runs beyond [`ModelResults::HISTORY`], which have no figures here.
    pub older_runs: u64,
}

impl ModelResults {
    /// Newest runs of a dataset that are shown with figures of their own.
    pub const HISTORY: usize = 8;
}

/// The difference of a model and its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Versus {
    /// Model minus baseline, over the common tasks.
    pub difference: Estimated,
    /// Common tasks.
    pub tasks: u64,
    /// The test of the difference: `wilcoxon` for scores; `mcnemar_mid` for pass@1, or `permutation` where a task has
    /// several samples. Absent if none applies, as are the p-values.
    pub test: Option<DecidingTest>,
    /// Its p-value before correction.
    pub uncorrected_p: Option<f64>,
    /// Its p-value after Holm's correction over all pairs of the dataset's comparison.
    pub p: Option<f64>,
    /// Whether interval and test agree that the two differ.
    pub significant: bool,
}

impl Versus {
    /// The test of the difference; absent if none applies.
    pub fn tested(&self) -> Option<Tested> {
        Some(Tested { test: self.test?, p: self.uncorrected_p?, holm: self.p? })
    }
}

/// One upload of a model's outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelSubmission {
    pub id: SubmissionId,
    /// Name of the file.
    pub file: String,
    pub at: Timestamp,
    /// The dataset's version that it answers.
    pub version: u32,
    /// Number of outputs.
    pub outputs: u64,
    /// Its runs, newest first.
    pub runs: Vec<(RunId, RunStatus)>,
    /// Studies that include it, newest first.
    pub studies: Vec<(StudyId, String)>,
}

/// A run of one of the model's submissions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct HistoryRun {
    pub run: RunId,
    pub submission: SubmissionId,
    /// When the run ended, or began if it is still open.
    pub at: Timestamp,
    /// pass@1 with its interval; `None` while it is computed.
    pub pass: Option<Estimated>,
    /// Tasks behind it.
    pub tasks: u64,
    /// How many of these have a verdict; the others count as not solved.
    #[serde(default)]
    pub answered: u64,
    /// Difference in pass@1 from the baseline's newest run, corrected for the one comparison alone.
    pub versus: Option<Versus>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_datasets_cover_each_once() {
        for count in [0, 1, 19, 20, 21, 40, 57] {
            let all: Vec<String> = (0..count).map(|n| format!("d{n:03}")).collect();
            let (mut seen, mut after, mut pages) = (Vec::new(), String::new(), Vec::new());
            loop {
                let (page, shown) = DatasetPage::of(&all, &after);
                assert_eq!((page.before, page.all), (seen.len() as u64, count));
                seen.extend_from_slice(shown);
                pages.push(after.clone());
                let before = pages.len().checked_sub(2).map(|at| pages[at].clone());
                assert_eq!(page.previous, before, "the page before leads back");
                match page.next {
                    Some(next) => after = next,
                    None => break,
                }
            }
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn page_after_a_deleted_dataset_goes_on_where_it_was() {
        let all = ["a", "b", "d"].map(str::to_owned);
        let (page, shown) = DatasetPage::of(&all, "c");
        assert_eq!((page.before, shown), (2, &all[2..]));
        assert_eq!(page.previous.as_deref(), Some(""));
        assert_eq!(DatasetPage::of(&all, "z").1, [] as [String; 0]);
    }

    #[test]
    fn query_passes_over_what_it_cannot_read() {
        let of = |pairs: &'static [(&str, &str)]| {
            BoardQuery::read(|key| {
                pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| (*v).to_owned()).unwrap_or_default()
            })
        };
        assert_eq!(of(&[("page", "-1"), ("order", "?")]), BoardQuery::default());
        let asked = of(&[("dataset", "d"), ("sort", "d.pass@1"), ("order", "reverse"), ("page", "2")]);
        assert_eq!((asked.sort.as_str(), asked.reverse, asked.page), ("d.pass@1", true, 2));
        assert_eq!(BoardQuery::column("d", "pass@1"), asked.sort);
    }
}
