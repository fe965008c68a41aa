//! Arranges a comparison's input for the figures. Pure.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::{conversation::InstructionKind, ids::OutputId, run::Verdict};

use crate::input::{ComparisonInput, FinalInstruction, InputInstruction, InputRating, InputRun, InputVerdict};
use stats::{
    bootstrap::Cell,
    passk::{self, Sample},
    ratings::Unit,
};

impl InputVerdict {
    /// As a sample for the figures; absent if it counts in none.
    pub fn sample(&self) -> Option<Sample> {
        let verdict = self.verdict.unwrap_or_else(|| {
            // The published runner's own rule: as many passes as cases, and at least one case.
            let passed = self.total > 0 && self.passed == self.total;
            if passed { Verdict::Passed } else { Verdict::Failed }
        });
        let sample = Sample::guarded(verdict, self.passed, self.total);
        (!self.cannot_judge).then(|| Sample { turn: self.turn.unwrap_or(0), ..sample })
    }

    /// The same by the verdict as published; absent for an answer in a conversation that the benchmark's evaluator does
    /// not judge.
    pub fn published_sample(&self) -> Option<Sample> {
        let is_judged = self.turn.is_none() || self.published.is_some();
        is_judged.then(|| Sample { turn: self.turn.unwrap_or(0), ..Sample::published(self.published) })
    }
}

/// A person's answer about an instruction. Fields with indices refer to the input's lists.
#[derive(Clone, Copy, Debug)]
pub struct PeoplesAnswer {
    /// Index of the study.
    pub study: u32,
    /// Index of the task.
    pub task: u32,
    /// Index of the model.
    pub model: u32,
    pub output: OutputId,
    /// The turn of the instruction.
    pub turn: u32,
    /// 1 if the output follows it, otherwise 0.
    pub follows: u8,
    /// Index of the rater; absent for an adjudicated answer.
    pub rater: Option<u32>,
    /// Whether no adjudicated answer replaces it.
    pub counts: bool,
}

/// The tasks of a run that count in its guarded figures. A task does not count if none of its outputs can be judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Indices of the tasks, in the dataset's order.
    pub tasks: Vec<u32>,
    /// The samples of each of these tasks.
    pub samples: Vec<Vec<Sample>>,
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

    /// People's answers about one kind of instruction: the raters', by study, output and age, then the adjudicated ones.
    /// Whatever combines answers uses these.
    pub fn answers(&self, kind: InstructionKind) -> impl Iterator<Item = PeoplesAnswer> {
        let decided: HashSet<(u32, OutputId, u32)> =
            self.final_instructions.iter().map(|one| (one.study, one.output, one.turn)).collect();
        let raters = self.instructions.iter().filter(move |answer| answer.kind == kind).map(move |answer| {
            let InputInstruction { study, task, model, output, rater, turn, follows, .. } = *answer;
            let counts = !decided.contains(&(study, output, turn));
            PeoplesAnswer { study, task, model, output, turn, follows, rater: Some(rater), counts }
        });
        let adjudicated = self.final_instructions.iter().filter(move |answer| answer.kind == kind).map(|answer| {
            let FinalInstruction { study, task, model, output, turn, follows, .. } = *answer;
            PeoplesAnswer { study, task, model, output, turn, follows, rater: None, counts: true }
        });
        raters.chain(adjudicated)
    }

    /// The answers about one kind of instruction, as scores: for each model one cell per task of those that count, and the
    /// instructions of the outputs with their raters' answers, adjudicated or not.
    pub fn followed(&self, kind: InstructionKind) -> (Vec<Vec<Cell>>, Vec<Unit>) {
        let mut cells = vec![vec![Cell::new(); self.tasks.len()]; self.models.len()];
        let mut units: BTreeMap<(u32, OutputId, u32), Unit> = BTreeMap::new();
        for answer in self.answers(kind) {
            let (model, task) = (answer.model as usize, answer.task as usize);
            let cell = cells.get_mut(model).and_then(|tasks| tasks.get_mut(task));
            if let Some(cell) = cell.filter(|_| answer.counts) {
                cell.push(f64::from(answer.follows));
            }
            let Some(rater) = answer.rater else { continue };
            let unit = units.entry((answer.study, answer.output, answer.turn));
            let unit = unit.or_insert_with(|| Unit { model, task, ratings: Vec::new() });
            unit.ratings.push((rater, answer.follows));
        }
        (cells, units.into_values().collect())
    }

    /// The tasks and samples that count in a run's guarded figures.
    pub fn counted(&self, run: &InputRun) -> Counted {
        let samples = |task: Vec<&InputVerdict>| passk::counted(task.into_iter().map(InputVerdict::sample));
        let all = run.tasks.iter().zip(self.by_task(run));
        let (tasks, samples) = all.filter_map(|(at, task)| Some((*at, samples(task)?))).unzip();
        Counted { tasks, samples }
    }

    /// The same by the verdicts as published, without tasks of which the evaluator judges no answer.
    pub fn published(&self, run: &InputRun) -> Vec<Vec<Sample>> {
        let judged = |task: Vec<&InputVerdict>| passk::counted(task.into_iter().map(InputVerdict::published_sample));
        self.by_task(run).filter_map(judged).collect()
    }

    /// The results of a run, one entry per task.
    pub fn by_task<'r>(&self, run: &'r InputRun) -> impl Iterator<Item = Vec<&'r InputVerdict>> + use<'r> {
        let mut at = vec![usize::MAX; self.tasks.len()];
        for (place, task) in run.tasks.iter().enumerate() {
            if let Some(at) = at.get_mut(*task as usize) {
                *at = place;
            }
        }
        let mut tasks = vec![Vec::new(); run.tasks.len()];
        for checked in &run.verdicts {
            let place = at.get(checked.task as usize).copied().unwrap_or(usize::MAX);
            if let Some(task) = tasks.get_mut(place) {
                task.push(checked);
            }
        }
        tasks.into_iter()
    }
}
