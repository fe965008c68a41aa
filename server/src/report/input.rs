//! Arranges a comparison's input for the figures. Pure.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use app::model::{conversation::InstructionKind, ids::OutputId, run::Verdict};

use crate::{
    comparison::input::{ComparisonInput, InputRating, InputRun, InputVerdict},
    stats::{bootstrap::Cell, passk::Sample, ratings::Unit},
};

impl InputVerdict {
    /// As a sample for the figures.
    pub fn sample(&self) -> Sample {
        let ratio = || if self.total > 0 { f64::from(self.passed) / f64::from(self.total) } else { 0.0 };
        match self.verdict {
            // Counts are used as reported if the tests finished; those of a tampered result are not.
            Some(verdict @ (Verdict::Passed | Verdict::Failed | Verdict::Anomaly)) => {
                Sample { solved: verdict == Verdict::Passed, ratio: ratio() }
            }
            Some(_) => Sample { solved: false, ratio: 0.0 },
            // The published runner's own rule: as many passes as cases, and at least one case.
            None => Sample { solved: self.total > 0 && self.passed == self.total, ratio: ratio() },
        }
    }
}

impl ComparisonInput {
    pub fn dimensions(&self) -> usize {
        self.rubric.as_ref().map_or(0, |rubric| rubric.dimensions.len())
    }

    /// Every rating with its scores.
    pub fn scored(&self) -> impl Iterator<Item = (&InputRating, &[u8])> {
        self.ratings.iter().zip(self.scores.chunks_exact(self.dimensions().max(1)))
    }

    /// The ratings of a dimension: for each model one cell per task.
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

    /// Outputs whose ratings a final score replaces, by study.
    pub fn decided(&self) -> HashSet<(u32, OutputId)> {
        self.finals.iter().map(|one| (one.study, one.output)).collect()
    }

    /// The outputs with people's scores, by study and output, for agreement and leniency, which ignore final
    /// scores. An output in two studies is two units, so that no rater agrees with themselves.
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

    /// The kinds of instructions with answers, in the benchmark's order.
    pub fn instruction_kinds(&self) -> BTreeSet<InstructionKind> {
        self.instructions.iter().map(|answer| answer.kind).collect()
    }

    /// The answers about one kind of instruction, as scores: for each model one cell per task, and the instructions of
    /// the outputs with their raters' answers.
    pub fn followed(&self, kind: InstructionKind) -> (Vec<Vec<Cell>>, Vec<Unit>) {
        let mut cells = vec![vec![Cell::new(); self.tasks.len()]; self.models.len()];
        let mut units: BTreeMap<(u32, OutputId, u32), Unit> = BTreeMap::new();
        for answer in self.instructions.iter().filter(|answer| answer.kind == kind) {
            let (model, task) = (answer.model as usize, answer.task as usize);
            if let Some(cell) = cells.get_mut(model).and_then(|tasks| tasks.get_mut(task)) {
                cell.push(f64::from(answer.follows));
            }
            let unit = units.entry((answer.study, answer.output, answer.turn));
            let unit = unit.or_insert_with(|| Unit { model, task, ratings: Vec::new() });
            unit.ratings.push((answer.rater, answer.follows));
        }
        (cells, units.into_values().collect())
    }

    /// The samples of a run, one entry per task.
    pub fn samples(&self, run: &InputRun) -> Vec<Vec<Sample>> {
        self.samples_as(run, InputVerdict::sample)
    }

    /// The same by the verdicts as published.
    pub fn published(&self, run: &InputRun) -> Vec<Vec<Sample>> {
        self.samples_as(run, |checked| Sample::published(checked.published))
    }

    fn samples_as(&self, run: &InputRun, sample: impl Fn(&InputVerdict) -> Sample) -> Vec<Vec<Sample>> {
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
                task.push(sample(checked));
            }
        }
        samples
    }
}
