//! A dataset's comparison: any number of models, people's ratings and automated tests together.
//!
//! [`Choice`] is what is compared; it lives in the address, so that a link shows a colleague the same.
//! [`Sheet`] holds every figure of it. Formulas are in docs/statistics.md.

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use super::stats::Figure;
use super::{
    comparison::{Comparison, Interval, OutputRatings},
    dataset::TaskRow,
    ids::{ModelId, OutputId, RunId, StudyId, TaskId, UserId},
    lang::{Bilingual, Lang},
    rubric::{Dimension, Rubric},
    run::{Metrics, PassAtK, Verdict},
    stats::{Adjusted, Correlation, Known, McNemar, Paired, Reliability},
};

/// Which scores of an output count where people disagreed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scores {
    /// Every rating.
    #[default]
    Raw,
    /// The adjudicator's say where there is one, in the place of the ratings.
    Final,
}

/// What is compared. A list that is absent stands for everything there is; an empty one for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Choice {
    /// The dataset's short name.
    pub dataset: String,
    /// The models, in the order in which they are shown.
    #[serde(default)]
    pub models: Option<Vec<ModelId>>,
    /// Whose ratings count: studies of one rubric.
    #[serde(default)]
    pub studies: Option<Vec<StudyId>>,
    /// Whose verdicts count: at most one run a model.
    #[serde(default)]
    pub runs: Option<Vec<RunId>>,
    /// Only ratings by these people.
    #[serde(default)]
    pub raters: Option<Vec<UserId>>,
    /// Only tasks in this language.
    #[serde(default)]
    pub lang: Option<Lang>,
    /// Raw or adjudicated scores.
    #[serde(default)]
    pub scores: Scores,
}

impl Choice {
    /// Reads an address's query. `all` gives every value of a key; a list may be repeated fields or one
    /// with commas, and `none` stands for an empty one. What it cannot read it passes over: an old link
    /// still opens.
    pub fn read(dataset: &str, all: impl Fn(&str) -> Vec<String>) -> Choice {
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
        Choice {
            dataset: dataset.to_owned(),
            models: list(all("models"), ModelId),
            studies: list(all("studies"), StudyId),
            runs: list(all("runs"), RunId),
            raters: list(all("raters"), UserId),
            lang: all("lang").last().and_then(|word| word.parse().ok()),
            scores: match all("scores").last().map(String::as_str) {
                Some("final") => Scores::Final,
                _ => Scores::Raw,
            },
        }
    }

    /// The address's query that says the same; empty where everything is left to the default.
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
        out.extend(self.lang.map(|lang| format!("lang={lang}")));
        if self.scores == Scores::Final {
            out.push("scores=final".into());
        }
        out.join("&")
    }
}

/// What there is to choose from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Options {
    /// The dataset's name.
    pub name: Bilingual,
    /// Models with outputs.
    pub models: Vec<(ModelId, String)>,
    /// Studies, newest first.
    pub studies: Vec<StudyOption>,
    /// Runs, newest first.
    pub runs: Vec<RunOption>,
    /// People who rated in any of the studies.
    pub raters: Vec<(UserId, String)>,
}

/// A study that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct StudyOption {
    /// The study.
    pub id: StudyId,
    /// Its title.
    pub title: String,
    /// Its rubric's name and version: only studies of one rubric go together.
    pub rubric: String,
    /// Ratings that count.
    pub ratings: u64,
    /// Whether ratings may still come.
    pub open: bool,
}

/// A run that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RunOption {
    /// The run.
    pub id: RunId,
    /// Whose outputs.
    pub model: ModelId,
    /// Outputs that have a verdict.
    pub done: u32,
    /// Whether it is still at work.
    pub open: bool,
}

/// A comparison as its page shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Compared {
    /// What there is to choose from.
    pub options: Options,
    /// The choice with nothing left to a default: a link with it shows the same tomorrow.
    pub choice: Choice,
    /// Every figure.
    pub sheet: Sheet,
    /// The raters' names, in the order in which figures number them.
    pub raters: Vec<String>,
    /// What the figures were computed from; another stamp, newer figures.
    pub stamp: String,
    /// Whether newer ratings or verdicts are being counted while these figures are shown.
    pub behind: bool,
    /// Whether the figures are being computed for the first time: the sheet is empty as yet.
    pub counting: bool,
    /// Whether ratings or verdicts may still come.
    pub live: bool,
}

/// Every figure of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Sheet {
    /// The models, in the order of every list below.
    pub models: Vec<String>,
    /// By people; absent where no chosen study has a rating of a chosen model.
    pub human: Option<Human>,
    /// By tests; absent where no run is chosen.
    pub automated: Option<Automated>,
    /// Where tasks have both.
    pub both: Option<Both>,
    /// Judge models beside people.
    #[serde(default)]
    pub judges: Vec<Judge>,
}

/// A judge model's scores beside people's, over the outputs that both scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Judge {
    /// What it is called.
    pub name: String,
    /// Outputs of the compared models that it judged.
    pub outputs: u64,
    /// Those of them that people rated too: every figure is over these.
    pub both: u64,
    /// One place a dimension.
    pub dimensions: Vec<JudgeDimension>,
}

/// A judge on one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct JudgeDimension {
    /// Agreement over all pairs of the judge's score and one person's; `kappas` has the judge with each
    /// rater, as the rater after the last.
    pub agreement: Reliability,
    /// The judge's score against the mean of people's.
    pub correlation: Correlation,
    /// A place a model.
    pub means: Vec<JudgeMeans>,
}

/// Mean scores of one model's outputs that both scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct JudgeMeans {
    /// How many outputs.
    pub outputs: u64,
    /// The judge's mean; absent without outputs.
    pub judge: Option<f64>,
    /// People's mean of their means.
    pub people: Option<f64>,
}

/// People's ratings compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Human {
    /// How many people rated.
    pub raters: u64,
    /// How many outputs have an adjudicated score in the place of their ratings.
    pub adjudicated: u64,
    /// Means, distributions, differences, agreement.
    pub comparison: Comparison,
    /// Tests of the differences, in the order of `comparison.differences`.
    #[cfg_attr(feature = "ssr", schema(value_type = Vec<Figure<Paired>>))]
    pub tests: Vec<Known<Paired>>,
    /// Wilcoxon's p of each after Holm's correction over all of them.
    pub holm: Vec<Option<f64>>,
    /// Means freed of the raters' severity, one place a dimension.
    #[cfg_attr(feature = "ssr", schema(value_type = Vec<Figure<Adjusted>>))]
    pub adjusted: Vec<Known<Adjusted>>,
    /// Every coefficient of agreement, one place a dimension. Raters are places in [`Compared::raters`].
    pub reliability: Vec<Reliability>,
}

/// Automated tests compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Automated {
    /// A place a model; empty where it has no run.
    pub models: Vec<Option<Checked>>,
    /// Every pair of models that have runs.
    pub pairs: Vec<Pair>,
}

/// One model's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Checked {
    /// The run; absent for results that were imported.
    pub run: Option<RunId>,
    /// The figures.
    pub metrics: Metrics,
    /// The 95 % interval of pass@1, by bootstrap over tasks.
    pub pass_interval: Option<Interval>,
    /// The 95 % interval of AvgPassRatio, as published.
    pub ratio_interval: Option<Interval>,
    /// pass@k for every k, where there are several samples.
    pub pass_at: Vec<PassAtK>,
    /// How many outputs came to each verdict, in the verdicts' order.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Ids of tasks whose tests reported more passes than cases.
    pub anomalies: Vec<String>,
    /// Outputs that have no verdict yet, or never will.
    pub missing: u32,
}

/// Two models' runs over the tasks that both were run on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Pair {
    /// The first model's place.
    pub first: usize,
    /// The second's.
    pub second: usize,
    /// Tasks of both, answered or not.
    pub tasks: u64,
    /// Tasks that both solved, only the first, only the second, neither; by their first samples.
    pub table: [u64; 4],
    /// McNemar's test; undefined where tasks have several samples.
    #[cfg_attr(feature = "ssr", schema(value_type = Figure<McNemar>))]
    pub mcnemar: Known<McNemar>,
    /// First minus second, pass@1.
    pub pass: f64,
    /// Its 95 % interval, by paired bootstrap over tasks.
    pub pass_interval: Option<Interval>,
    /// First minus second, AvgPassRatio.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ratio_interval: Option<Interval>,
    /// p-value of the pass@1 difference after Holm's correction over all pairs: McNemar's mid-p, or the
    /// permutation test over tasks where tasks have several samples. Absent without a common task.
    #[serde(default)]
    pub holm: Option<f64>,
}

/// Tests against people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Both {
    /// The dimension that is compared with the pass ratio, as its place in the rubric.
    pub dimension: usize,
    /// A row for each model, and a last one for all together.
    pub rows: Vec<Related>,
    /// Every output with both, where there are at most [`Both::SINGLY`]; else none.
    pub points: Vec<Point>,
    /// Where there are more: how many lie about each place, column by column.
    #[serde(default)]
    pub crowds: Vec<Crowd>,
    /// The outputs on which tests and people part ways most, at most [`Both::PARTING`] of them.
    #[serde(default)]
    pub parting: Vec<Point>,
}

impl Both {
    /// With more outputs than this, dots one by one hide one another and no table of them is read.
    pub const SINGLY: usize = 600;
    /// How many outputs are named on which tests and people part ways.
    pub const PARTING: usize = 10;
}

/// The outputs about one place of pass ratio and score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Crowd {
    /// The place.
    pub spot: Spot,
    /// How many outputs, a place a model.
    pub models: Vec<u64>,
}

/// A place of pass ratio and score, to the nearest of 21 and 13 steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Spot {
    /// The pass ratio in twentieths, 0 to 20; an anomaly's above 1 counts as 1.
    pub ratio: u8,
    /// The share of the scale in twelfths, 0 to 12: quarters of a score on a scale from 1 to 4.
    pub score: u8,
}

impl Spot {
    const RATIOS: f64 = 20.0;
    const SCORES: f64 = 12.0;

    /// The spot nearest to a pass ratio and a share of the scale, both 0 to 1.
    pub fn near(ratio: f64, share: f64) -> Spot {
        let step = |value: f64, steps: f64| (value.clamp(0.0, 1.0) * steps).round() as u8;
        Spot { ratio: step(ratio, Self::RATIOS), score: step(share, Self::SCORES) }
    }

    /// Its pass ratio and its share of the scale, 0 to 1.
    pub fn place(self) -> (f64, f64) {
        (f64::from(self.ratio) / Self::RATIOS, f64::from(self.score) / Self::SCORES)
    }

    /// Reads what [`Display`](std::fmt::Display) writes; none where it is something else.
    pub fn read(text: &str) -> Option<Spot> {
        let (ratio, score) = text.split_once('.')?;
        let spot = Spot { ratio: ratio.parse().ok()?, score: score.parse().ok()? };
        (f64::from(spot.ratio) <= Self::RATIOS && f64::from(spot.score) <= Self::SCORES).then_some(spot)
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.ratio, self.score)
    }
}

/// How far tests and people agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Related {
    /// The model's place; absent for all together.
    pub model: Option<usize>,
    /// Outputs with both, and the correlations.
    pub correlation: Correlation,
}

/// One output with both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Point {
    /// The model's place.
    pub model: usize,
    /// The task.
    pub task: TaskId,
    /// The task's id in its source.
    pub task_id: String,
    /// Mean pass ratio of its samples, 0 to 1 (an anomaly can exceed 1).
    pub ratio: f64,
    /// Mean score by people.
    pub score: f64,
    /// How far the two part: the scale's share that people gave, minus the pass ratio; -1 to 1.
    pub apart: f64,
    /// The spot about which it lies.
    pub spot: Spot,
}

/// Which tasks are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskFilter {
    /// Words of the task's id or description, English or Chinese.
    #[serde(default)]
    pub q: String,
    /// The description's language.
    #[serde(default)]
    pub lang: Option<Lang>,
    /// The model that `score` and `verdict` are about; any where absent.
    #[serde(default)]
    pub model: Option<ModelId>,
    /// Tasks where somebody gave this score on this dimension (by its key).
    #[serde(default)]
    pub score: Option<(String, u8)>,
    /// Tasks with this verdict.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Tasks where two ratings of one output lie at least so far apart.
    #[serde(default)]
    pub spread: u8,
    /// Tasks where verdicts or mean scores differ between the models.
    #[serde(default)]
    pub differ: bool,
    /// Tasks with an output whose tests and people's mean score lie about here.
    #[serde(default)]
    pub spot: Option<Spot>,
    /// The order.
    #[serde(default)]
    pub sort: Sort,
    /// The page, counted from 0.
    #[serde(default)]
    pub page: u32,
    /// What the picture of the tasks shows: a dimension by its key, `tests`, or what there is.
    #[serde(default)]
    pub grid: String,
}

/// The order of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// The dataset's.
    #[default]
    Dataset,
    /// Where raters disagree most.
    Spread,
    /// Where models lie farthest apart.
    Gap,
    /// Where tests and people part ways most.
    Apart,
}

impl TaskFilter {
    /// Tasks on a page.
    pub const PAGE: usize = 100;

    /// Reads an address's query.
    pub fn read(get: impl Fn(&str) -> String) -> TaskFilter {
        TaskFilter {
            q: get("q"),
            lang: get("tasklang").parse().ok(),
            model: get("model").parse().ok().map(ModelId),
            score: get("score").split_once('.').and_then(|(key, s)| Some((key.to_owned(), s.parse().ok()?))),
            verdict: Verdict::from_name(&get("verdict")),
            spread: get("spread").parse().unwrap_or(0),
            differ: get("differ") == "1",
            spot: Spot::read(&get("spot")),
            sort: match get("sort").as_str() {
                "spread" => Sort::Spread,
                "gap" => Sort::Gap,
                "apart" => Sort::Apart,
                _ => Sort::Dataset,
            },
            page: get("page").parse().unwrap_or(0),
            grid: get("grid"),
        }
    }
}

/// One page of tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskPage {
    /// The models' names, in the order of each task's cells.
    pub models: Vec<String>,
    /// The dimensions' keys and names.
    pub rubric: Option<Rubric>,
    /// The page's tasks.
    pub lines: Vec<TaskLine>,
    /// How many tasks the filter lets through.
    pub found: u64,
    /// How many there are.
    pub all: u64,
    /// Every task that the filter lets through, for the picture.
    pub grid: TaskGrid,
}

/// One figure of every model for each task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskGrid {
    /// The dimension whose mean scores these are; absent for pass ratios.
    pub dimension: Option<Dimension>,
    /// Whether there are verdicts, so that pass ratios can be shown.
    pub tested: bool,
    /// The tasks, in the filter's order.
    pub tasks: Vec<GridLine>,
    /// How many tasks were left off because a picture holds no more.
    pub left_off: u64,
}

impl TaskGrid {
    /// The most cells of a picture: larger ones are slow to draw and to look at.
    pub const MOST: usize = 2000;
}

/// A task of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct GridLine {
    /// The task.
    pub task: TaskId,
    /// The task's id in its source.
    pub task_id: String,
    /// A place a model: its mean score, or its pass ratio (an anomaly can exceed 1).
    pub values: Vec<Option<f64>>,
}

/// One task of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskLine {
    /// The task.
    pub task: TaskRow,
    /// A place a model.
    pub cells: Vec<TaskCell>,
    /// The widest distance between two ratings of one output on one dimension.
    pub spread: u8,
}

/// One model's part of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskCell {
    /// Mean score a dimension.
    pub means: Vec<Option<f64>>,
    /// Ratings that count.
    pub ratings: u64,
    /// The first sample's verdict with passed and total.
    pub verdict: Option<(Verdict, u32, u32)>,
}

/// One task with every model's outputs, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskCompared {
    /// The dataset's name.
    pub name: Bilingual,
    /// The task.
    pub task: TaskRow,
    /// The rubric, where there are ratings.
    pub rubric: Option<Rubric>,
    /// Each output, in the models' order.
    pub outputs: Vec<OutputCompared>,
    /// The task before it in the list that one came from.
    pub before: Option<TaskId>,
    /// The task after it.
    pub after: Option<TaskId>,
}

/// One output with what tests and people made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OutputCompared {
    /// The output.
    pub id: OutputId,
    /// Verdict, passed and total, with the run they are from.
    pub verdict: Option<(RunId, Verdict, u32, u32)>,
    /// Its code and every rating of it in the chosen studies.
    pub rated: OutputRatings,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Choice {
        let fields: Vec<(String, String)> = query
            .split('&')
            .filter_map(|field| field.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())))
            .collect();
        Choice::read("d", |key| fields.iter().filter(|(k, _)| k == key).map(|(_, v)| v.clone()).collect())
    }

    #[test]
    fn a_choice_survives_its_address() {
        let check = |query: &str, same: &str| {
            let choice = read(query);
            assert_eq!(choice.query(), same, "{query}");
            assert_eq!(read(&choice.query()), choice, "{query}");
        };
        check("", "");
        check("models=2,1", "models=2,1");
        // A form without scripts repeats the field, and says `none` for nothing ticked.
        check("studies=none&studies=3&studies=4&studies=3", "studies=3,4");
        check("studies=none", "studies=none");
        check("lang=zh&scores=final&raters=7", "raters=7&lang=zh&scores=final");
        check("lang=&models=&runs=x", "runs=none");
    }

    #[test]
    fn a_filter_passes_over_what_it_cannot_read() {
        let of = |pairs: &'static [(&str, &str)]| {
            TaskFilter::read(|key| {
                pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| (*v).to_owned()).unwrap_or_default()
            })
        };
        assert_eq!(of(&[]), TaskFilter::default());
        assert_eq!(of(&[("score", "correctness.4")]).score, Some(("correctness".into(), 4)));
        assert_eq!(of(&[("score", "4"), ("verdict", "fine"), ("sort", "?"), ("page", "-1")]), TaskFilter::default());
        assert_eq!(of(&[("verdict", "timeout")]).verdict, Some(Verdict::Timeout));
        assert_eq!(of(&[("spot", "19.8")]).spot, Some(Spot { ratio: 19, score: 8 }));
        for wrong in ["21.0", "0.13", "-1.0", "5", "a.b", "1.2.3"] {
            assert_eq!(Spot::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_spot_is_the_nearest_and_survives_its_address() {
        let check = |ratio, share, text: &str| {
            let spot = Spot::near(ratio, share);
            assert_eq!(spot.to_string(), text);
            assert_eq!(Spot::read(text), Some(spot));
        };
        check(0.0, 0.0, "0.0");
        check(1.0, 1.0, "20.12");
        // Every case passed is a spot of its own, not one with nineteen of twenty; an anomaly lies with it.
        check(0.95, 0.5, "19.6");
        check(2.0, 1.0 / 3.0, "20.4");
    }
}
