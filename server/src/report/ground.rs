//! What a comparison's figures are computed from, and nothing else: plain data, the same whether it
//! came from the database or out of a bundle.
//!
//! Must stay true: [`super::sheet::compute`] reads only this, in this order. Then the same ground gives
//! the same figures to the last bit, on every machine.

use std::collections::HashSet;

use app::model::{
    compare::Choice,
    dataset::TaskRow,
    ids::{ModelId, OutputId, RunId, StudyId, TaskRevisionId, UserId},
    lang::Bilingual,
    rubric::Rubric,
    run::Verdict,
};
use serde::{Deserialize, Serialize};

use crate::stats::{bootstrap::Cell, passk::Sample, ratings::Unit};

/// The ground of one comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// The dataset's name.
    pub name: Bilingual,
    /// What was chosen, nothing left to a default.
    pub choice: Choice,
    /// The models compared, in the order in which they are shown.
    pub models: Vec<(ModelId, String)>,
    /// The tasks that anything below belongs to, in the dataset's order, older wordings last.
    pub tasks: Vec<TaskRow>,
    /// The studies whose ratings count.
    pub studies: Vec<GroundStudy>,
    /// Their rubric.
    pub rubric: Option<Rubric>,
    /// What the intervals are drawn from.
    pub seed: u64,
    /// The raters; in a bundle under pseudonyms.
    pub raters: Vec<(UserId, String)>,
    /// The ratings that count, by study, output and age.
    #[serde(skip)]
    pub ratings: Vec<Counted>,
    /// Their scores: as many places a rating as the rubric has dimensions.
    #[serde(skip)]
    pub scores: Vec<u8>,
    /// Outputs with a final score in the place of their ratings; empty where raw scores were chosen.
    #[serde(default)]
    pub finals: Vec<Final>,
    /// Models that judged the outputs: compared with people, never mixed in.
    #[serde(default)]
    pub judges: Vec<GroundJudge>,
    /// The runs, by their model's place.
    pub runs: Vec<GroundRun>,
}

/// A study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundStudy {
    /// Its id.
    pub id: StudyId,
    /// Its title.
    pub title: String,
    /// Its seed.
    pub seed: u64,
    /// The version of the dataset that it grades.
    #[serde(default)]
    pub dataset_version: u32,
}

/// A rating that counts. Places are those of the ground's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The study's place.
    pub study: u32,
    /// The task's place.
    pub task: u32,
    /// The model's place.
    pub model: u32,
    /// The output.
    pub output: OutputId,
    /// The rater's place.
    pub rater: u32,
}

/// The final say on an output (docs/statistics.md, "Adjudicated scores"). Places are those of the ground's
/// lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Final {
    /// The study's place.
    pub study: u32,
    /// The task's place.
    pub task: u32,
    /// The model's place.
    pub model: u32,
    /// The output.
    pub output: OutputId,
    /// One place a dimension; a median can lie between two levels.
    pub scores: Vec<f64>,
}

/// A judge model's scores of the compared outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroundJudge {
    /// What it is called.
    pub name: String,
    /// Its scores, by output.
    pub scores: Vec<JudgeScore>,
}

/// What a judge gave one output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeScore {
    /// The task's place.
    pub task: u32,
    /// The model's place.
    pub model: u32,
    /// The output.
    pub output: OutputId,
    /// One place a dimension.
    pub scores: Vec<u8>,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroundRun {
    /// Its id; absent for imported results.
    pub id: Option<RunId>,
    /// The model's place.
    pub model: u32,
    /// Places of the tasks that have tests, in the dataset's order: every figure is over all of them.
    pub tasks: Vec<u32>,
    /// What the outputs came to.
    #[serde(skip)]
    pub verdicts: Vec<Checked>,
    /// Outputs without a verdict.
    pub missing: u32,
    /// The submission whose outputs were run; absent for imported results.
    #[serde(default)]
    pub submission: Option<i64>,
    /// The version of the dataset that it answers.
    #[serde(default)]
    pub dataset_version: Option<u32>,
    /// What the tests ran on, as the engine noted it.
    #[serde(default)]
    pub environment: Option<serde_json::Value>,
}

/// What one output came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The task's place.
    pub task: u32,
    /// The output; absent for imported results.
    pub output: Option<OutputId>,
    /// Counts from 0.
    pub sample: u32,
    /// What came of it; absent for imported results, which are counts alone.
    pub verdict: Option<Verdict>,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
}

impl Checked {
    /// As the figures take it.
    pub fn sample(&self) -> Sample {
        let ratio = || if self.total > 0 { f64::from(self.passed) / f64::from(self.total) } else { 0.0 };
        match self.verdict {
            // Numbers count as reported where the tests came to their end; a tampered result's do not.
            Some(verdict @ (Verdict::Passed | Verdict::Failed | Verdict::Anomaly)) => {
                Sample { solved: verdict == Verdict::Passed, ratio: ratio() }
            }
            Some(_) => Sample { solved: false, ratio: 0.0 },
            // The published runner's own rule: as many passes as cases, and any case at all.
            None => Sample { solved: self.total > 0 && self.passed == self.total, ratio: ratio() },
        }
    }
}

impl Ground {
    /// How many dimensions the rubric has.
    pub fn dimensions(&self) -> usize {
        self.rubric.as_ref().map_or(0, |rubric| rubric.dimensions.len())
    }

    /// The scores of the rating at that place.
    pub fn scores_of(&self, rating: usize) -> &[u8] {
        let width = self.dimensions();
        self.scores.get(rating * width..(rating + 1) * width).unwrap_or(&[])
    }

    /// Every rating with its scores.
    pub fn scored(&self) -> impl Iterator<Item = (&Counted, &[u8])> {
        self.ratings.iter().zip(self.scores.chunks_exact(self.dimensions().max(1)))
    }

    /// The ratings of a dimension: a place a model, in it a cell for every task.
    pub fn cells(&self, dimension: usize) -> Vec<Vec<Cell>> {
        let mut cells = vec![vec![Cell::new(); self.tasks.len()]; self.models.len()];
        let mut put = |model: u32, task: u32, score: f64| {
            if let Some(cell) = cells.get_mut(model as usize).and_then(|tasks| tasks.get_mut(task as usize)) {
                cell.push(score);
            }
        };
        let decided = self.decided();
        for (rating, scores) in self.scored() {
            if let Some(score) = scores.get(dimension).filter(|_| !decided.contains(&(rating.study, rating.output))) {
                put(rating.model, rating.task, f64::from(*score));
            }
        }
        for one in &self.finals {
            if let Some(score) = one.scores.get(dimension) {
                put(one.model, one.task, *score);
            }
        }
        cells
    }

    /// Outputs whose ratings a final score stands for, by study.
    pub fn decided(&self) -> HashSet<(u32, OutputId)> {
        self.finals.iter().map(|one| (one.study, one.output)).collect()
    }

    /// The outputs with their scores by people, by study and output: what agreement and severity are
    /// about, whatever scores are final. An output in two studies is two units, so that nobody agrees with
    /// themselves.
    pub fn units(&self, dimension: usize) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let mut last = None;
        for (rating, scores) in self.scored() {
            let Some(score) = scores.get(dimension) else { continue };
            if last.replace((rating.study, rating.output)) != Some((rating.study, rating.output)) {
                units.push(Unit { model: rating.model as usize, task: rating.task as usize, ratings: Vec::new() });
            }
            if let Some(unit) = units.last_mut() {
                unit.ratings.push((rating.rater, *score));
            }
        }
        units
    }

    /// The samples of a run, a place for each of its tasks.
    pub fn samples(&self, run: &GroundRun) -> Vec<Vec<Sample>> {
        let mut at = vec![usize::MAX; self.tasks.len()];
        for (place, task) in run.tasks.iter().enumerate() {
            if let Some(at) = at.get_mut(*task as usize) {
                *at = place;
            }
        }
        let mut samples = vec![Vec::new(); run.tasks.len()];
        for checked in &run.verdicts {
            let place = at.get(checked.task as usize).copied().unwrap_or(usize::MAX);
            if let Some(task) = samples.get_mut(place) {
                task.push(checked.sample());
            }
        }
        samples
    }

    /// The place of a wording among the tasks.
    pub fn task_at(&self, revision: TaskRevisionId) -> Option<usize> {
        self.tasks.iter().position(|task| task.revision == revision)
    }
}
