//! A dataset's comparison: any number of models, people's ratings and automated tests together.
//!
//! [`Selection`] is the selection; it is in the address, so that a link reproduces it. [`ComparisonFigures`] contains
//! every figure. Formulas are in docs/statistics.md.

use serde::{Deserialize, Serialize};

#[cfg(not(target_arch = "wasm32"))]
use super::stats::Figure;
use super::{
    conversation::InstructionKind,
    dataset::{TaskRow, TestText},
    ids::{ModelId, OutputId, RunId, StudyId, TaskId, UserId},
    lang::{Bilingual, Lang},
    published::PublishedChecked,
    ratings::{Comparison, DimensionScores, Interval, OutputRatings},
    rubric::{Dimension, Rubric},
    run::{Metrics, PassAtK, Verdict},
    stats::{Adjusted, AltTest, Correlation, DecidingTest, Estimate, Known, McNemar, Paired, Reliability, Tested},
};

/// Number of colors and shapes in the models' palette. With more models they repeat in other combinations.
pub const SERIES: usize = 6;

/// The scores of an output that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CountedScores {
    #[default]
    Raw,
    /// The adjudicated score instead of the ratings, if there is one.
    Final,
}

/// The selection of a comparison. A `None` list selects everything; an empty list selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Selection {
    /// Short name of the dataset.
    pub dataset: String,
    /// The models, in display order.
    #[serde(default)]
    pub models: Option<Vec<ModelId>>,
    /// Studies whose ratings count, all with one rubric.
    #[serde(default)]
    pub studies: Option<Vec<StudyId>>,
    /// Runs whose verdicts count: at most one per model.
    #[serde(default)]
    pub runs: Option<Vec<RunId>>,
    /// Only ratings by these people.
    #[serde(default)]
    pub raters: Option<Vec<UserId>>,
    /// Only tasks in this description language.
    #[serde(default)]
    pub nl_lang: Option<Lang>,
    /// Raw or adjudicated scores.
    #[serde(default)]
    pub scores: CountedScores,
}

impl Selection {
    /// Parses an address's query. `all` gives every value of a key; a list may be repeated fields or one
    /// with commas, and `none` stands for an empty one. Unknown values are ignored, so that old links work.
    pub fn read(dataset: &str, all: impl Fn(&str) -> Vec<String>) -> Selection {
        fn list<T>(values: Vec<String>, id: fn(i64) -> T) -> Option<Vec<T>> {
            let mut given = false;
            let mut found: Vec<i64> = Vec::new();
            for word in values.iter().flat_map(|value| value.split(',')).filter(|word| !word.is_empty()) {
                given = true;
                if let Ok(number) = word.parse()
                    && !found.contains(&number)
                {
                    found.push(number);
                }
            }
            given.then(|| found.into_iter().map(id).collect())
        }
        Selection {
            dataset: dataset.to_owned(),
            models: list(all("models"), ModelId),
            studies: list(all("studies"), StudyId),
            runs: list(all("runs"), RunId),
            raters: list(all("raters"), UserId),
            nl_lang: all("nl_lang").last().and_then(|word| word.parse().ok()),
            scores: match all("scores").last().map(String::as_str) {
                Some("final") => CountedScores::Final,
                _ => CountedScores::Raw,
            },
        }
    }

    /// The query for this selection; empty if everything is the default.
    pub fn query(&self) -> String {
        fn list(out: &mut Vec<String>, key: &str, ids: Option<Vec<String>>) {
            match ids {
                None => {}
                Some(ids) if ids.is_empty() => out.push(format!("{key}=none")),
                Some(ids) => out.push(format!("{key}={}", ids.join(","))),
            }
        }
        fn texts<T: ToString>(ids: &Option<Vec<T>>) -> Option<Vec<String>> {
            ids.as_ref().map(|ids| ids.iter().map(T::to_string).collect())
        }
        let mut out = Vec::new();
        list(&mut out, "models", texts(&self.models));
        list(&mut out, "studies", texts(&self.studies));
        list(&mut out, "runs", texts(&self.runs));
        list(&mut out, "raters", texts(&self.raters));
        out.extend(self.nl_lang.map(|lang| format!("nl_lang={lang}")));
        if self.scores == CountedScores::Final {
            out.push("scores=final".into());
        }
        out.join("&")
    }
}

/// Everything that can be selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Options {
    /// The dataset's name.
    pub name: Bilingual,
    /// Models with outputs.
    pub models: Vec<(ModelId, String)>,
    /// Those of which every submission is archived: they are not selected by default.
    pub archived_models: Vec<ModelId>,
    /// Those of `models` without ratings and without verdicts: not chosen by default.
    pub empty: Vec<ModelId>,
    /// Studies, newest first.
    pub studies: Vec<StudyOption>,
    /// Runs, newest first.
    pub runs: Vec<RunOption>,
    /// People who rated in any of the studies.
    pub raters: Vec<(UserId, String)>,
    /// Groups with those of `raters` that are in them.
    pub groups: Vec<(String, Vec<UserId>)>,
}

/// A study that can be selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct StudyOption {
    /// The study.
    pub id: StudyId,
    /// Its title.
    pub title: String,
    /// Its rubric's name and version: only studies of one rubric can be combined.
    pub rubric: String,
    /// Ratings that count.
    pub ratings: u64,
    /// Whether it still accepts ratings.
    pub open: bool,
    /// Whether it is archived: then it is not selected by default.
    pub archived: bool,
}

/// A run that can be selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RunOption {
    /// The run.
    pub id: RunId,
    /// Its model.
    pub model: ModelId,
    /// Outputs that have a verdict.
    pub done: u32,
    /// Whether it is in progress.
    pub open: bool,
    /// Whether its submission is archived: then it is not selected by default.
    pub archived: bool,
}

/// What the comparison of a study is about, without its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyComparison {
    /// The study's models by its raters, without tests.
    pub selection: Selection,
    /// Ratings that count.
    pub ratings: u64,
    /// People who gave them.
    pub raters: u64,
}

/// A comparison for its page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ComparisonView {
    /// Everything that can be selected.
    pub options: Options,
    /// The selection with every default resolved, for a permanent link.
    pub selection: Selection,
    pub figures: ComparisonFigures,
    /// The raters' names; figures refer to them by index.
    pub raters: Vec<String>,
    /// Revision of the data behind the figures; it changes with the data.
    pub revision: String,
    /// Whether newer figures are being computed.
    pub behind: bool,
    /// Whether the first figures are being computed and `figures` is empty.
    pub counting: bool,
    /// Whether ratings or verdicts can still be added.
    pub live: bool,
    /// Captions of the figures, for papers.
    pub captions: Vec<Caption>,
}

/// The caption of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Caption {
    /// The figure's id, which is its file's name.
    pub id: String,
    /// In English and Chinese.
    pub text: Bilingual,
}

/// Every figure of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ComparisonFigures {
    /// Names of the models, in the order of every list below.
    pub models: Vec<String>,
    /// Figures by people; `None` if no selected study has a rating of a selected model.
    pub human: Option<Human>,
    /// Figures by automated tests; `None` if no run is selected.
    pub automated: Option<Automated>,
    /// Figures over outputs with both ratings and verdicts.
    pub both: Option<TestsAndRatings>,
    /// Judge models compared with people.
    pub judges: Vec<Judge>,
    /// Tokens of the outputs, one entry per model; empty if no output has a number of tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<TokenUse>,
}

/// The tokens of a model's outputs, as far as the files of the outputs report them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TokenUse {
    /// Outputs of the compared submissions.
    pub outputs: u64,
    /// How many of them have a number of generated tokens.
    pub reported: u64,
    /// Mean number of generated tokens of these; `None` if there are none.
    pub generated: Option<f64>,
    /// Mean number of tokens of the prompt, over the outputs that have it.
    pub prompt: Option<f64>,
}

/// A judge model compared with people over the outputs that both scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Judge {
    /// Name of the judge.
    pub name: String,
    /// Outputs of the compared models that the judge scored.
    pub outputs: u64,
    /// Number of these that people also rated. Every figure is over these.
    pub both: u64,
    /// One entry per dimension.
    pub dimensions: Vec<JudgeDimension>,
    /// The answers about instructions, one entry per kind of instruction that both answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<JudgeInstructions>,
}

/// A judge's answers about one kind of instruction, with yes = 1 and no = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JudgeInstructions {
    pub kind: InstructionKind,
    /// The figures of a dimension, over the instructions of outputs in place of outputs.
    pub figures: JudgeDimension,
}

/// A judge on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JudgeDimension {
    /// Agreement over all pairs of the judge's score and one person's; `kappas` has the judge with each
    /// rater, as the rater after the last.
    pub agreement: Reliability,
    /// Correlation of the judge's score and the mean of people's scores.
    pub correlation: Correlation,
    /// One entry per model.
    pub means: Vec<JudgeMeans>,
    /// Whether the judge may replace a rater.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<AltTest>))]
    #[serde(with = "super::stats::known")]
    pub replacement: Known<AltTest>,
    /// Number of pairs of a person's score and the judge's: a row for each score of a person, a column for each of the judge,
    /// both from the lowest.
    pub confusion: Vec<Vec<u64>>,
    /// Spearman's rho of the judge's score minus the mean of people's and the length of the code.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "super::stats::known")]
    pub length: Known<Estimate>,
}

/// Mean scores of one model's outputs that both scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JudgeMeans {
    /// Number of outputs, or of their instructions.
    pub outputs: u64,
    /// The judge's mean score; `None` without outputs.
    pub judge: Option<f64>,
    /// Mean of people's mean scores; `None` without outputs.
    pub people: Option<f64>,
    /// The judge's score minus the mean of people's: the mean over tasks of the mean over outputs.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<Estimate>))]
    #[serde(with = "super::stats::known")]
    pub bias: Known<Estimate>,
}

/// Comparison by people's ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Human {
    /// Number of raters.
    pub raters: u64,
    /// Number of outputs whose adjudicated score replaces their ratings.
    pub adjudicated: u64,
    /// Means, distributions, differences, agreement.
    pub comparison: Comparison,
    /// Tests of the differences, in the order of `comparison.differences`.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Vec<Figure<Paired>>))]
    #[serde(with = "super::stats::known::each")]
    pub tests: Vec<Known<Paired>>,
    /// Wilcoxon's p-value of each difference after Holm's correction over all.
    pub holm: Vec<Option<f64>>,
    /// Means adjusted for the raters' leniency, one entry per dimension.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Vec<Figure<Adjusted>>))]
    #[serde(with = "super::stats::known::each")]
    pub adjusted: Vec<Known<Adjusted>>,
    /// Agreement coefficients, one entry per dimension. Raters are indices into [`ComparisonView::raters`].
    pub reliability: Vec<Reliability>,
    /// Whether raters find that outputs follow their instructions, one entry per kind of instruction with answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<FollowedInstructions>,
}

impl Human {
    /// The test of the difference at this place in `comparison.differences`; absent if it has none.
    pub fn tested(&self, at: usize) -> Option<Tested> {
        let p = self.tests.get(at)?.as_ref().ok()?.wilcoxon.p;
        Some(Tested { test: DecidingTest::Wilcoxon, p, holm: self.holm.get(at).copied()?? })
    }
}

/// Raters' answers about one kind of instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FollowedInstructions {
    pub kind: InstructionKind,
    /// The name of the kind on screen.
    pub name: Bilingual,
    /// Number of answers.
    pub answers: u64,
    /// The share of yes of each model; the mean of yes = 1 and no = 0.
    pub models: Vec<DimensionScores>,
    /// Agreement on the same instruction of the same output.
    pub reliability: Reliability,
}

/// Comparison by automated tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Automated {
    /// One entry per model; `None` without a run.
    pub models: Vec<Option<Checked>>,
    /// Every pair of models that have runs.
    pub pairs: Vec<Pair>,
}

/// One model's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Checked {
    /// The run; `None` for imported results.
    pub run: Option<RunId>,
    pub metrics: Metrics,
    /// The 95 % interval of pass@1, by bootstrap over tasks.
    pub pass_interval: Option<Interval>,
    /// The 95 % interval of AvgPassRatio, as published.
    pub ratio_interval: Option<Interval>,
    /// pass@k for k = 1, 10 and 100 as far as there are samples, or for every k below ten samples.
    pub pass_at: Vec<PassAtK>,
    /// The same by the verdicts as published, if the benchmark has an evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedChecked>,
    /// Number of outputs per verdict, in the verdicts' order.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Ids of tasks whose tests reported more passes than cases.
    pub anomalies: Vec<String>,
    /// Outputs without a verdict.
    pub missing: u32,
}

/// Two models' runs over their common tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Pair {
    /// Index of the first model.
    pub first: usize,
    /// Index of the second model.
    pub second: usize,
    /// Common tasks, answered or not.
    pub tasks: u64,
    /// Tasks solved by both, only the first, only the second, neither model, by first samples.
    pub table: [u64; 4],
    /// McNemar's test; undefined if tasks have several samples.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Figure<McNemar>))]
    #[serde(with = "super::stats::known")]
    pub mcnemar: Known<McNemar>,
    /// Difference in pass@1, first minus second.
    pub pass: f64,
    /// Its 95 % interval, by paired bootstrap over tasks.
    pub pass_interval: Option<Interval>,
    /// Difference in AvgPassRatio, first minus second.
    pub ratio: f64,
    pub ratio_interval: Option<Interval>,
    /// The test of the pass@1 difference: McNemar's mid-p (`mcnemar_mid`), or the permutation test over tasks
    /// (`permutation`) where a task has several samples. Absent without a common task, as are `p` and `holm`.
    pub test: Option<DecidingTest>,
    /// Its p-value before correction.
    pub p: Option<f64>,
    /// Its p-value after Holm's correction over all pairs.
    pub holm: Option<f64>,
}

impl Pair {
    /// The test of the pass@1 difference; absent without a common task.
    pub fn tested(&self) -> Option<Tested> {
        Some(Tested { test: self.test?, p: self.p?, holm: self.holm? })
    }
}

/// Test results compared with ratings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TestsAndRatings {
    /// Index of the dimension that is compared with the pass ratio.
    pub dimension: usize,
    /// One row per model, then one for all models together.
    pub rows: Vec<Related>,
    /// Every output with both, if there are at most [`TestsAndRatings::SINGLY`]; otherwise empty.
    pub points: Vec<Point>,
    /// With more outputs: counts per cell of a grid.
    pub bins: Vec<Bin>,
    /// The outputs on which tests and people disagree most, at most [`TestsAndRatings::PARTING`].
    pub parting: Vec<Point>,
}

impl TestsAndRatings {
    /// With more outputs, single dots would hide one another and a table would be too long.
    pub const SINGLY: usize = 600;
    /// Maximum length of the list of disagreements between tests and people.
    pub const PARTING: usize = 10;
}

/// The outputs in one cell of pass ratio and score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Bin {
    pub grid_cell: GridCell,
    /// Number of outputs per model.
    pub models: Vec<u64>,
}

/// A cell of pass ratio and score, on a grid of 21 by 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GridCell {
    /// Pass ratio in twentieths, 0 to 20. An anomaly above 1 counts as 1.
    pub ratio: u8,
    /// Position on the scale in twelfths, 0 to 12: quarters of a level on a scale from 1 to 4.
    pub score: u8,
}

impl GridCell {
    const RATIOS: f64 = 20.0;
    const SCORES: f64 = 12.0;

    /// The cell nearest to a pass ratio and a position on the scale, both 0 to 1.
    pub fn near(ratio: f64, share: f64) -> GridCell {
        let step = |value: f64, steps: f64| (value.clamp(0.0, 1.0) * steps).round() as u8;
        GridCell { ratio: step(ratio, Self::RATIOS), score: step(share, Self::SCORES) }
    }

    /// The cell's pass ratio and position on the scale, 0 to 1.
    pub fn place(self) -> (f64, f64) {
        (f64::from(self.ratio) / Self::RATIOS, f64::from(self.score) / Self::SCORES)
    }

    /// Parses the output of [`Display`](std::fmt::Display).
    pub fn read(text: &str) -> Option<GridCell> {
        let (ratio, score) = text.split_once('.')?;
        let grid_cell = GridCell { ratio: ratio.parse().ok()?, score: score.parse().ok()? };
        (f64::from(grid_cell.ratio) <= Self::RATIOS && f64::from(grid_cell.score) <= Self::SCORES).then_some(grid_cell)
    }
}

impl std::fmt::Display for GridCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.ratio, self.score)
    }
}

/// Correlation of tests and people.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Related {
    /// Index of the model; `None` for all models together.
    pub model: Option<usize>,
    /// The correlations, with the number of outputs.
    pub correlation: Correlation,
}

/// An output with a pass ratio and a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Point {
    /// Index of the model.
    pub model: usize,
    pub task: TaskId,
    /// The task's `task_id`.
    pub task_id: String,
    /// Mean pass ratio of its samples, 0 to 1; an anomaly can exceed 1.
    pub ratio: f64,
    /// Mean score by people.
    pub score: f64,
    /// Position of the score on the scale minus the pass ratio, −1 to 1.
    pub difference: f64,
    /// The cell of the output.
    pub grid_cell: GridCell,
}

/// Filter and order of the list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskFilter {
    /// Text in the `task_id` or the description.
    #[serde(default)]
    pub q: String,
    #[serde(default)]
    pub nl_lang: Option<Lang>,
    /// Model to which `score` and `verdict` apply; `None` for any.
    #[serde(default)]
    pub model: Option<ModelId>,
    /// Tasks with this score on the dimension with this key.
    #[serde(default)]
    pub score: Option<(String, u8)>,
    /// Tasks with this verdict.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Tasks with two ratings of one output that differ by at least this much.
    #[serde(default)]
    pub spread: u8,
    /// Tasks whose verdicts or mean scores differ between models.
    #[serde(default)]
    pub differ: bool,
    /// Tasks with an output in this cell.
    #[serde(default)]
    pub grid_cell: Option<GridCell>,
    #[serde(default)]
    pub sort: Sort,
    /// The column by which tasks are sorted; it goes before `sort`.
    #[serde(default)]
    pub column: Option<SortColumn>,
    /// The model from which the differences of the others are marked.
    #[serde(default)]
    pub base: Option<ModelId>,
    /// Index of the first model whose results are listed; `None` for all models.
    #[serde(default)]
    pub from: Option<u32>,
    /// The page, counted from 0.
    #[serde(default)]
    pub page: u32,
    /// The content of the grid of tasks: a dimension's key, `tests`, or empty for the default.
    #[serde(default)]
    pub grid: String,
}

/// The order of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    #[default]
    Dataset,
    /// Largest disagreement between raters first.
    Spread,
    /// Largest difference between models first.
    Gap,
    /// Largest disagreement between tests and people first.
    Difference,
}

/// A model's mean scores on a dimension, or its results in tests, as an order of tasks. Tasks without one come last.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SortColumn {
    pub model: ModelId,
    /// A dimension's key, or [`SortColumn::TESTS`].
    pub metric: String,
    /// Whether the lowest come first.
    pub ascending: bool,
}

impl SortColumn {
    /// The metric of the tests: the pass ratio.
    pub const TESTS: &str = "tests";

    /// The column of a `sort` such as `3.correctness`.
    fn read(sort: &str, ascending: bool) -> Option<SortColumn> {
        let (model, metric) = sort.split_once('.')?;
        Some(SortColumn { model: ModelId(model.parse().ok()?), metric: metric.to_owned(), ascending })
    }

    /// The value of `sort` in an address.
    pub fn sort(&self) -> String {
        format!("{}.{}", self.model, self.metric)
    }
}

impl TaskFilter {
    /// Tasks on a page.
    pub const PAGE: usize = 100;

    /// Reads the query of an address.
    pub fn read(get: impl Fn(&str) -> String) -> TaskFilter {
        TaskFilter {
            q: get("q"),
            nl_lang: get("task_nl_lang").parse().ok(),
            model: get("model").parse().ok().map(ModelId),
            score: get("score").split_once('.').and_then(|(key, s)| Some((key.to_owned(), s.parse().ok()?))),
            verdict: Verdict::from_name(&get("verdict")),
            spread: get("spread").parse().unwrap_or(0),
            differ: get("differ") == "1",
            grid_cell: GridCell::read(&get("grid_cell")),
            sort: match get("sort").as_str() {
                "spread" => Sort::Spread,
                "gap" => Sort::Gap,
                "difference" => Sort::Difference,
                _ => Sort::Dataset,
            },
            column: SortColumn::read(&get("sort"), get("order") == "reverse"),
            base: get("base").parse().ok().map(ModelId),
            // The API lists all models; a page asks for a part.
            from: None,
            page: get("page").parse().unwrap_or(0),
            grid: get("grid"),
        }
    }
}

/// One page of tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskPage {
    /// The models' names.
    pub models: Vec<String>,
    /// Their numbers, in the same order.
    pub model_ids: Vec<ModelId>,
    /// The dimensions' keys and names.
    pub rubric: Option<Rubric>,
    /// Indices of the models whose cells the lines have, in their order.
    pub columns: Vec<usize>,
    /// The page's tasks.
    pub lines: Vec<TaskLine>,
    /// Number of matching tasks.
    pub found: u64,
    /// Number of items.
    pub all: u64,
    /// Every matching task, for the chart.
    pub grid: TaskGrid,
}

impl TaskPage {
    /// Columns of results on a page, as far as one model has no more.
    const RESULTS: usize = 48;

    /// Number of models that a page lists, if each has so many columns of results.
    pub fn models_of(each: usize) -> usize {
        (Self::RESULTS / each.max(1)).max(1)
    }
}

/// One figure of every model for each task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskGrid {
    /// The dimension of these mean scores; absent for pass ratios.
    pub dimension: Option<Dimension>,
    /// Whether there are verdicts, so that pass ratios can be shown.
    pub tested: bool,
    /// The tasks, in the filter's order.
    pub tasks: Vec<GridLine>,
    /// Number of tasks omitted because the chart is full.
    pub left_off: u64,
}

impl TaskGrid {
    /// Maximum number of cells of a chart: larger ones are slow to draw and hard to read.
    pub const MOST: usize = 2000;
}

/// A task of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GridLine {
    pub task: TaskId,
    /// The task's `task_id`.
    pub task_id: String,
    /// One entry per model: its mean score, or its pass ratio (an anomaly can exceed 1).
    pub values: Vec<Option<f64>>,
}

/// One task of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskLine {
    pub task: TaskRow,
    /// One entry per model.
    pub cells: Vec<TaskCell>,
    /// Largest difference between two ratings of one output on one dimension; `None` if no output has two ratings.
    pub spread: Option<u8>,
}

/// One model's part of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskCell {
    /// Mean score per dimension.
    pub means: Vec<Option<f64>>,
    /// Ratings that count.
    pub ratings: u64,
    /// The first sample's verdict with passed and total.
    pub verdict: Option<(Verdict, u32, u32)>,
}

/// One task with every model's outputs, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ComparedTask {
    /// The dataset's name.
    pub name: Bilingual,
    pub task: TaskRow,
    /// The tests of the task and its reference solution.
    pub tests: Vec<TestText>,
    /// The rubric, if there are ratings.
    pub rubric: Option<Rubric>,
    /// The outputs, in the models' order.
    pub outputs: Vec<ComparedOutput>,
    /// The previous task in the filtered list.
    pub before: Option<TaskId>,
    /// The next task.
    pub after: Option<TaskId>,
}

/// One output with its verdict and ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ComparedOutput {
    /// The output.
    pub id: OutputId,
    /// Verdict, passed and total, with their run.
    pub verdict: Option<(RunId, Verdict, u32, u32)>,
    /// Its code and its ratings in the selected studies.
    pub rated: OutputRatings,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Selection {
        let fields: Vec<(String, String)> = query
            .split('&')
            .filter_map(|field| field.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())))
            .collect();
        Selection::read("d", |key| fields.iter().filter(|(k, _)| k == key).map(|(_, v)| v.clone()).collect())
    }

    #[test]
    fn selection_round_trips_through_its_address() {
        let check = |query: &str, same: &str| {
            let selection = read(query);
            assert_eq!(selection.query(), same, "{query}");
            assert_eq!(read(&selection.query()), selection, "{query}");
        };
        check("", "");
        check("models=2,1", "models=2,1");
        // A form without scripts repeats the field, and has `none` if nothing is checked.
        check("studies=none&studies=3&studies=4&studies=3", "studies=3,4");
        check("studies=none", "studies=none");
        check("nl_lang=zh&scores=final&raters=7", "raters=7&nl_lang=zh&scores=final");
        check("nl_lang=&models=&runs=x", "runs=none");
    }

    #[test]
    fn filter_ignores_unknown_values() {
        let of = |pairs: &'static [(&str, &str)]| {
            TaskFilter::read(|key| {
                pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| (*v).to_owned()).unwrap_or_default()
            })
        };
        assert_eq!(of(&[]), TaskFilter::default());
        assert_eq!(of(&[("score", "correctness.4")]).score, Some(("correctness".into(), 4)));
        assert_eq!(of(&[("score", "4"), ("verdict", "fine"), ("sort", "?"), ("page", "-1")]), TaskFilter::default());
        assert_eq!(of(&[("verdict", "timeout")]).verdict, Some(Verdict::Timeout));
        let column = |ascending| SortColumn { model: ModelId(3), metric: "tests".into(), ascending };
        assert_eq!(of(&[("sort", "3.tests")]).column, Some(column(false)));
        assert_eq!(of(&[("sort", "3.tests"), ("order", "reverse")]).column, Some(column(true)));
        assert_eq!(column(true).sort(), "3.tests");
        assert_eq!(of(&[("sort", "x.tests"), ("base", "y")]), TaskFilter::default());
        assert_eq!(of(&[("grid_cell", "19.8")]).grid_cell, Some(GridCell { ratio: 19, score: 8 }));
        for wrong in ["21.0", "0.13", "-1.0", "5", "a.b", "1.2.3"] {
            assert_eq!(GridCell::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn cell_is_the_nearest_and_round_trips() {
        let check = |ratio, share, text: &str| {
            let grid_cell = GridCell::near(ratio, share);
            assert_eq!(grid_cell.to_string(), text);
            assert_eq!(GridCell::read(text), Some(grid_cell));
        };
        check(0.0, 0.0, "0.0");
        check(1.0, 1.0, "20.12");
        // "Every case passed" is a cell of its own, apart from nineteen of twenty; an anomaly is in it,
        // too.
        check(0.95, 0.5, "19.6");
        check(2.0, 1.0 / 3.0, "20.4");
    }
}
