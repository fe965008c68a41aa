//! A comparison's results by slices of tasks, and their CSV. Pure; docs/statistics.md, "Slices of tasks".

use std::collections::{BTreeSet, HashSet};

use model::{
    code_lang::CodeLang,
    lang::Lang,
    results::BoardDimension,
    slices::{Difficulty, Slice, SliceBy, SliceFigure, SliceMetric, SliceOf, Slices},
    stats::{Estimate, Known},
};

use super::{
    comparison_figures::{MEANS, key, resamples},
    csv::Table,
};
use base::error::Failure;
use comparison::{arranged::Counted, input::ComparisonInput};
use stats::{
    bootstrap::{self, Cell, KeyedCells},
    passk::{self, Sample},
    random::Draws,
};

/// By length of the description, tasks are in this many slices of about the same size.
const LENGTHS: usize = 3;

/// The input's runs, arranged: a model's index, and what counts of its run.
type Runs = Vec<(usize, Counted)>;

/// The figures over every slice, and what is behind them.
pub struct Sliced {
    pub slices: Slices,
    /// Tasks with ratings or tests.
    pub tasks: u64,
    /// For each slice, what is behind the figures of each model.
    pub behind: Vec<Vec<Behind>>,
}

/// What is behind a model's figures over a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Tasks with ratings.
    pub rated: u64,
    pub ratings: u64,
    /// Tasks of the model's run.
    pub tested: u64,
    /// How many of these have a verdict.
    pub answered: u64,
}

/// The figures over every slice.
pub fn compute(input: &ComparisonInput, by: SliceBy) -> Sliced {
    let runs: Runs = input.runs.iter().map(|run| (run.model as usize, input.counted(run))).collect();
    let rated = !input.ratings.is_empty();
    let dimensions = if rated { input.dimensions() } else { 0 };
    let cells: Vec<Vec<Vec<Cell>>> = (0..dimensions).map(|dimension| input.cells(dimension)).collect();
    let mut has_data = vec![false; input.tasks.len()];
    let tested = runs.iter().flat_map(|(_, counted)| counted.tasks.iter().map(|task| *task as usize));
    for task in input.ratings.iter().map(|rating| rating.task as usize).chain(tested) {
        if let Some(has_data) = has_data.get_mut(task) {
            *has_data = true;
        }
    }
    let (slices, sliced) = sliced(input, by, &has_data, &runs);
    let dimension = |at: usize| {
        let dimension = input.rubric.as_ref()?.dimensions.get(at)?;
        let ((low, high), checklist) = (dimension.range(), dimension.checklist);
        Some(BoardDimension { key: dimension.key.clone(), name: dimension.name.clone(), low, high, checklist })
    };
    // Where a model's slice is not another's, the figures of a slice are those of a model's own tasks.
    let of_people = cells.iter().enumerate().map(|(at, cells)| {
        let over = |slice: Option<usize>| means(input, at, (cells, slice, by.is_shared() || slice.is_none()), &sliced);
        let (all, is_adjusted) = over(None);
        let mut adjusted = vec![is_adjusted];
        let of_slices = (0..slices.len()).map(|slice| {
            let (figures, is_adjusted) = over(Some(slice));
            adjusted.push(is_adjusted);
            figures
        });
        SliceMetric { dimension: dimension(at), all, slices: of_slices.collect(), adjusted }
    });
    let mut metrics: Vec<SliceMetric> = of_people.collect();
    if !runs.is_empty() {
        metrics.push(SliceMetric {
            dimension: None,
            all: passes(input, &runs, None, &sliced),
            slices: (0..slices.len()).map(|slice| passes(input, &runs, Some(slice), &sliced)).collect(),
            adjusted: vec![false; slices.len() + 1],
        });
    }
    let (models, tested) = (input.models.clone(), runs.len() as u64);
    let with_data = || input.tasks.iter().zip(&has_data).filter(|(_, has_data)| **has_data);
    let nl_langs = with_data().map(|(task, _)| task.nl_lang.code()).collect::<BTreeSet<_>>().len() as u64;
    let (tasks, behind) = (with_data().count() as u64, behind(input, &runs, &sliced, slices.len()));
    Sliced { slices: Slices { by, models, slices, metrics, tested, nl_langs, computing: false }, tasks, behind }
}

/// For each of `slices` slices, what is behind the figures of each model.
fn behind(input: &ComparisonInput, runs: &Runs, sliced: &SliceOfTask, slices: usize) -> Vec<Vec<Behind>> {
    let mut all = vec![vec![Behind::default(); input.models.len()]; slices];
    let mut rated: HashSet<(u32, u32)> = HashSet::new();
    for rating in &input.ratings {
        let slice = sliced.of(rating.model as usize, rating.task as usize);
        if let Some(behind) = slice.and_then(|slice| all.get_mut(slice)?.get_mut(rating.model as usize)) {
            behind.ratings += 1;
            behind.rated += u64::from(rated.insert((rating.model, rating.task)));
        }
    }
    for (model, counted) in runs {
        for (task, samples) in counted.tasks.iter().zip(&counted.samples) {
            let slice = sliced.of(*model, *task as usize);
            if let Some(behind) = slice.and_then(|slice| all.get_mut(slice)?.get_mut(*model)) {
                behind.tested += 1;
                behind.answered += u64::from(!samples.is_empty());
            }
        }
    }
    all
}

/// The slice of each task, by its index; where a model's own tasks decide, for each model.
enum SliceOfTask {
    Same(Vec<Option<usize>>),
    ByModel(Vec<Vec<Option<usize>>>),
}

impl SliceOfTask {
    /// Whether the task is in the slice, for this model; every task is in `None`, all slices together.
    fn has(&self, slice: Option<usize>, model: usize, task: usize) -> bool {
        slice.is_none() || self.of(model, task) == slice
    }

    /// The slice of a task, for this model; `None` for a task without data.
    fn of(&self, model: usize, task: usize) -> Option<usize> {
        let of_task = match self {
            SliceOfTask::Same(tasks) => tasks.get(task),
            SliceOfTask::ByModel(models) => models.get(model).and_then(|tasks| tasks.get(task)),
        };
        of_task.copied().flatten()
    }
}

/// The slices that have tasks, in order, and the slice of each task with data.
fn sliced(input: &ComparisonInput, by: SliceBy, has_data: &[bool], runs: &Runs) -> (Vec<Slice>, SliceOfTask) {
    let tasks = || input.tasks.iter().zip(has_data).map(|(task, has_data)| has_data.then_some(task));
    let of: Vec<Option<SliceOf>> = match by {
        SliceBy::CodeLang => tasks().map(|task| Some(SliceOf::CodeLang(task?.code_lang))).collect(),
        SliceBy::NlLang => tasks().map(|task| Some(SliceOf::NlLang(task?.nl_lang))).collect(),
        SliceBy::Length => by_length(&tasks().map(|task| Some(task?.raw_nl.chars().count())).collect::<Vec<_>>()),
        SliceBy::Difficulty => return by_difficulty(input, has_data, runs),
    };
    let mut all: Vec<SliceOf> = match by {
        SliceBy::CodeLang => CodeLang::ALL.map(SliceOf::CodeLang).to_vec(),
        SliceBy::NlLang => Lang::ALL.map(SliceOf::NlLang).to_vec(),
        _ => Vec::new(),
    };
    if by == SliceBy::Length {
        all = of.iter().flatten().copied().collect();
        all.sort_by_key(|of| match of {
            SliceOf::Length { shortest, .. } => *shortest,
            _ => 0,
        });
        all.dedup();
    }
    let count = |slice: &SliceOf| of.iter().filter(|of| of.as_ref() == Some(slice)).count() as u64;
    let slices: Vec<Slice> =
        all.into_iter().map(|of| Slice { of, tasks: count(&of) }).filter(|s| s.tasks > 0).collect();
    let place = |of: &Option<SliceOf>| slices.iter().position(|slice| Some(slice.of) == *of);
    let sliced = of.iter().map(place).collect();
    (slices, SliceOfTask::Same(sliced))
}

/// Slices of about the same number of tasks. Tasks of one length are in one slice.
fn by_length(lengths: &[Option<usize>]) -> Vec<Option<SliceOf>> {
    let mut sorted: Vec<usize> = lengths.iter().flatten().copied().collect();
    sorted.sort_unstable();
    // The longest description of each slice.
    let mut ends: Vec<usize> = (1..=LENGTHS)
        .filter_map(|part| sorted.get((sorted.len() * part).div_ceil(LENGTHS).checked_sub(1)?).copied())
        .collect();
    ends.dedup();
    let slice = |length: usize| {
        let at = ends.iter().position(|end| length <= *end)?;
        let before = at.checked_sub(1).and_then(|before| ends.get(before));
        let first = before.map_or(0, |before| sorted.partition_point(|length| length <= before));
        let (shortest, longest) = (*sorted.get(first)? as u64, *ends.get(at)? as u64);
        Some(SliceOf::Length { shortest, longest })
    };
    lengths.iter().map(|length| slice((*length)?)).collect()
}

/// By the share of the other models with an output that pass a task: a model's own result does not decide the slice in
/// which it counts.
fn by_difficulty(input: &ComparisonInput, has_data: &[bool], runs: &Runs) -> (Vec<Slice>, SliceOfTask) {
    let mut own: Vec<Vec<Option<f64>>> = vec![vec![None; input.tasks.len()]; input.models.len()];
    let mut sums = vec![(0.0, 0u64); input.tasks.len()];
    for (model, counted) in runs {
        for (task, samples) in counted.tasks.iter().zip(&counted.samples) {
            let task = *task as usize;
            let cell = own.get_mut(*model).and_then(|tasks| tasks.get_mut(task));
            // Without an output, a model says nothing about the task.
            if let (Some(cell), Some((sum, n)), false) = (cell, sums.get_mut(task), samples.is_empty()) {
                let passes = passk::chance(samples, 1);
                *cell = Some(passes);
                *sum += passes;
                *n += 1;
            }
        }
    }
    let difficulty = |own: &[Option<f64>], task: usize| {
        let (sum, n) = sums.get(task).copied().unwrap_or_default();
        let (sum, n) = match own.get(task).copied().flatten() {
            Some(passes) => (sum - passes, n - 1),
            None => (sum, n),
        };
        Difficulty::of((n > 0).then(|| sum / n as f64))
    };
    let of: Vec<Vec<Option<Difficulty>>> = own
        .iter()
        .map(|own| has_data.iter().enumerate().map(|(task, has)| has.then(|| difficulty(own, task))).collect())
        .collect();
    let count = |one: Difficulty| {
        (0..input.tasks.len()).filter(|task| of.iter().any(|tasks| tasks.get(*task) == Some(&Some(one)))).count() as u64
    };
    let slices: Vec<Slice> = Difficulty::ALL
        .into_iter()
        .map(|one| Slice { of: SliceOf::Difficulty(one), tasks: count(one) })
        .filter(|slice| slice.tasks > 0)
        .collect();
    let place = |of: &Option<Difficulty>| {
        let of = SliceOf::Difficulty((*of)?);
        slices.iter().position(|slice| slice.of == of)
    };
    let sliced = of.iter().map(|tasks| tasks.iter().map(place).collect()).collect();
    (slices, SliceOfTask::ByModel(sliced))
}

/// People's means on a dimension over a slice, and whether they are adjusted for tasks; the comparison's own over all
/// tasks.
fn means(
    input: &ComparisonInput,
    dimension: usize,
    (cells, slice, adjusts): (&[Vec<Cell>], Option<usize>, bool),
    sliced: &SliceOfTask,
) -> (Vec<SliceFigure>, bool) {
    let own = cells.iter().enumerate().map(|(model, tasks)| {
        let each = tasks.iter().enumerate();
        each.map(|(task, cell)| if sliced.has(slice, model, task) { cell.clone() } else { Cell::new() }).collect()
    });
    let own: Vec<Vec<Cell>> = own.collect();
    let models = own.iter().enumerate().map(|(model, tasks)| KeyedCells { key: key(input, model), tasks });
    let models: Vec<KeyedCells> = models.collect();
    let draws = Draws { resamples: resamples(input), ..Draws::new(input.seed, MEANS + dimension as u64) };
    let adjusted = if adjusts { bootstrap::task_adjusted(&models, draws) } else { None };
    let is_adjusted = adjusted.is_some();
    let found = adjusted.unwrap_or_else(|| bootstrap::means(&models, draws));
    let rated = |tasks: &[Cell]| tasks.iter().filter(|cell| !cell.is_empty()).count() as u64;
    let figures = found.into_iter().zip(&own).map(|(mean, tasks)| figure(mean, rated(tasks), slice.is_some()));
    (figures.collect(), is_adjusted)
}

/// pass@1 of each model over a slice.
fn passes(input: &ComparisonInput, runs: &Runs, slice: Option<usize>, sliced: &SliceOfTask) -> Vec<SliceFigure> {
    let mut figures = vec![SliceFigure::default(); input.models.len()];
    for (model, counted) in runs {
        let each = counted.tasks.iter().zip(&counted.samples);
        let own: Vec<Vec<Sample>> = each
            .filter(|(task, _)| sliced.has(slice, *model, **task as usize))
            .map(|(_, samples)| samples.clone())
            .collect();
        if let Some(place) = figures.get_mut(*model) {
            *place = figure(passk::pass_at_1(key(input, *model), &own), own.len() as u64, slice.is_some());
        }
    }
    figures
}

/// A figure over these tasks. Over a slice, a few tasks have no interval; over all tasks, the comparison's rule holds.
fn figure(estimate: Known<Estimate>, tasks: u64, of_slice: bool) -> SliceFigure {
    let estimate = estimate.ok();
    let is_enough = !of_slice || tasks >= Slices::MIN_TASKS;
    let interval = estimate.and_then(|estimate| estimate.interval.ok()).filter(|_| is_enough);
    SliceFigure { tasks, value: estimate.map(|estimate| estimate.value), interval }
}

const COLUMNS: [&str; 9] =
    ["attribute", "slice", "figure", "model", "tasks", "value", "ci95_low", "ci95_high", "adjusted"];

/// The slices as CSV, one line for each slice, figure and model; docs/formats.md describes the columns.
pub fn csv(all: &[Slices]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut table = Table::new(&mut bytes, COLUMNS)?;
    for found in all {
        for metric in &found.metrics {
            let each = found.slices.iter().zip(&metric.slices).zip(metric.adjusted.iter().skip(1));
            for ((slice, figures), adjusted) in each {
                for ((_, model), figure) in found.models.iter().zip(figures) {
                    table.value(found.by)?;
                    table.value(slice.of.name())?;
                    table.text(metric.key())?;
                    table.text(model)?;
                    table.value(figure.tasks)?;
                    table.optional(figure.value)?;
                    table.optional(figure.interval.map(|i| i.low))?;
                    table.optional(figure.interval.map(|i| i.high))?;
                    table.value(adjusted)?;
                    table.end_line()?;
                }
            }
        }
    }
    table.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::{
        dataset::{Checks, TaskRow},
        ids::{ModelId, OutputId, TaskId, TaskRevisionId},
        lang::Bilingual,
        ratings::Interval,
        rubric::{Dimension, Level, Rubric},
        run::Verdict,
    };

    use super::*;
    use crate::comparison_figures;

    fn compute(input: &ComparisonInput, by: SliceBy) -> Slices {
        super::compute(input, by).slices
    }
    use comparison::input::{InputRating, InputRun, InputVerdict};

    /// What each model did for each task: `.` no output, `0` and `1` failed and passed; a rated output has the score 1 or 4.
    /// A task's description is as long as its number.
    fn input(models: &[&str]) -> ComparisonInput {
        let none = Bilingual::default;
        let levels = (1..=4).map(|score| Level { score, label: none(), text: none() }).collect();
        let dimension =
            Dimension { key: "correctness".into(), checklist: false, name: none(), question: none(), levels };
        let tasks = models.first().map_or(0, |first| first.len() as u32);
        let row = |n: u32| TaskRow {
            id: TaskId(n.into()),
            revision: TaskRevisionId(n.into()),
            task_id: n.to_string(),
            raw_nl: "字".repeat(n as usize),
            nl_lang: if n.is_multiple_of(2) { Lang::En } else { Lang::Zh },
            signature: None,
            checks: Checks { human: true, tests: true },
            code_lang: CodeLang::Java,
        };
        let outputs = |model: usize| {
            (0u32..).zip(models[model].chars()).filter(|(_, c)| *c != '.').map(|(task, c)| (task, c == '1'))
        };
        let each =
            || (0..models.len()).flat_map(|model| outputs(model).map(move |(task, pass)| (model as u32, task, pass)));
        ComparisonInput {
            models: (1..).zip(models).map(|(id, _)| (ModelId(id), format!("m{id}"))).collect(),
            tasks: (0..tasks).map(row).collect(),
            rubric: Some(Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension] }),
            seed: 7,
            ratings: each()
                .map(|(model, task, _)| InputRating {
                    study: 0,
                    task,
                    model,
                    output: OutputId(i64::from(model * 1000 + task)),
                    rater: 0,
                })
                .collect(),
            scores: each().map(|(_, _, pass)| if pass { 4 } else { 1 }).collect(),
            runs: (0..models.len())
                .map(|model| InputRun {
                    model: model as u32,
                    tasks: (0..tasks).collect(),
                    verdicts: outputs(model)
                        .map(|(task, pass)| InputVerdict {
                            task,
                            output: None,
                            sample: 0,
                            turn: None,
                            verdict: Some(if pass { Verdict::Passed } else { Verdict::Failed }),
                            passed: u32::from(pass),
                            total: 1,
                            published: None,
                            cannot_judge: false,
                        })
                        .collect(),
                    ..InputRun::default()
                })
                .collect(),
            ..ComparisonInput::default()
        }
    }

    /// For each slice its name and, for each model, tasks, value and whether there is an interval.
    fn figures<'a>(found: &'a Slices, metric: &str) -> BTreeMap<String, Vec<(u64, Option<f64>, bool)>> {
        let metric = found.metrics.iter().find(|one| one.key() == metric).unwrap();
        let each = found.slices.iter().zip(&metric.slices);
        let of = |figure: &'a SliceFigure| (figure.tasks, figure.value, figure.interval.is_some());
        each.map(|(slice, figures)| (slice.of.name(), figures.iter().map(of).collect())).collect()
    }

    #[test]
    fn all_tasks_have_the_figures_of_the_comparison() {
        // Complete, and with missing outputs, so that means are adjusted.
        for models in [["110101", "011100", "000111"], ["1101..", "0.1100", "..0111"]] {
            let input = input(&models);
            let figures = comparison_figures::compute(&input);
            let (human, automated) = (figures.human.unwrap(), figures.automated.unwrap());
            for by in SliceBy::ALL {
                let found = compute(&input, by);
                let all = |at: usize| found.metrics[at].all.iter().map(|f| (f.value, f.interval)).collect::<Vec<_>>();
                let people = human.comparison.models.iter().map(|m| (m.dimensions[0].mean, m.dimensions[0].interval));
                assert_eq!(all(0), people.collect::<Vec<_>>(), "{by}");
                let tests = automated.models.iter().flatten().map(|c| (Some(c.metrics.pass_at_1), c.pass_interval));
                assert_eq!(all(1), tests.collect::<Vec<_>>(), "{by}");
            }
        }
    }

    #[test]
    fn a_slice_with_every_task_is_the_comparison() {
        let found = compute(&input(&["110101", "011100"]), SliceBy::CodeLang);
        assert_eq!(found.slices, [Slice { of: SliceOf::CodeLang(CodeLang::Java), tasks: 6 }]);
        for metric in &found.metrics {
            assert_eq!(metric.slices, std::slice::from_ref(&metric.all));
        }
    }

    #[test]
    fn the_other_models_decide_how_difficult_a_task_is() {
        // Task 0: only the first passes. Task 1: all. Task 2: none. Task 3: the first has no output.
        let found = compute(&input(&["110.", "0101", "0100"]), SliceBy::Difficulty);
        let tests = figures(&found, "pass@1");
        let figure = |tasks, value| (tasks, value, false);
        assert_eq!(tests.keys().collect::<Vec<_>>(), ["easy", "hard", "medium"]);
        // For the first model, task 0 is hard, though it passes it; it fails task 2. Task 3 is medium, and no output is no pass.
        assert_eq!(tests["hard"][0], figure(2, Some(0.5)));
        assert_eq!(tests["medium"][0], figure(1, Some(0.0)));
        // For the second one, task 0 is medium: one of two others passes. Of task 3, only the third says something.
        assert_eq!(tests["medium"][1], figure(1, Some(0.0)));
        assert_eq!(tests["hard"][1], figure(2, Some(0.5)));
        // Task 3 is easy for the third: the only other model with an output passes it.
        assert_eq!(tests["easy"][2], figure(2, Some(0.5)));
        // A missing output has no rating: the mean is over the rated task alone.
        let people = figures(&found, "correctness");
        assert_eq!(people["medium"][0], figure(0, None));
        assert_eq!(people["hard"][0], figure(2, Some(2.5)));
    }

    #[test]
    fn each_model_has_counts_of_what_is_behind_its_figures() {
        let found = super::compute(&input(&["110.", "0101", "0100"]), SliceBy::Difficulty);
        let names = found.slices.slices.iter().map(|slice| slice.of.name());
        let behind: BTreeMap<String, &Vec<Behind>> = names.zip(&found.behind).collect();
        let counts = |rated, tested, answered| Behind { rated, ratings: rated, tested, answered };
        // The first model has no output for task 3, which is medium for it.
        assert_eq!((behind["hard"][0], behind["medium"][0]), (counts(2, 2, 2), counts(0, 1, 0)));
        assert_eq!(found.tasks, 4);
        // Each task is in one slice of each model, and its figures have the same tasks.
        for by in SliceBy::ALL {
            let found = super::compute(&input(&["110.", "0101", "0100"]), by);
            for model in 0..3 {
                assert_eq!(found.behind.iter().map(|models| models[model].tested).sum::<u64>(), 4, "{by}");
            }
            for metric in &found.slices.metrics {
                for (figures, behind) in metric.slices.iter().zip(&found.behind) {
                    let tasks = behind.iter().map(|of| if metric.dimension.is_some() { of.rated } else { of.tested });
                    assert!(figures.iter().map(|figure| figure.tasks).eq(tasks), "{by}");
                }
            }
        }
    }

    #[test]
    fn difficulty_is_unknown_without_another_model() {
        let found = compute(&input(&["1100"]), SliceBy::Difficulty);
        assert_eq!(found.slices, [Slice { of: SliceOf::Difficulty(Difficulty::Unknown), tasks: 4 }]);
        assert_eq!(found.tested, 1);
        assert!(found.metrics[0].slices[0][0].interval.is_none(), "four tasks have no interval");
    }

    #[test]
    fn five_tasks_have_an_interval_and_four_have_none() {
        let found = compute(&input(&["110101010"]), SliceBy::NlLang);
        let tests = figures(&found, "pass@1");
        // Even tasks, 0 to 8, are English.
        assert_eq!((tests["en"][0].0, tests["en"][0].2), (5, true));
        assert_eq!((tests["zh"][0].0, tests["zh"][0].2), (4, false));
        assert_eq!(found.nl_langs, 2);
    }

    #[test]
    fn nothing_has_no_slices() {
        let found = compute(&ComparisonInput::default(), SliceBy::Length);
        assert_eq!((found.slices.len(), found.metrics.len()), (0, 0));
        let found = compute(&input(&[]), SliceBy::Difficulty);
        assert_eq!((found.slices.len(), found.metrics.len()), (0, 0));
    }

    #[test]
    fn csv_has_a_line_for_each_slice_figure_and_model() {
        let all = SliceBy::ALL.map(|by| compute(&input(&["110101", "011100"]), by));
        let text = String::from_utf8(csv(&all).unwrap()).unwrap();
        let slices: usize = all.iter().map(|found| found.slices.len()).sum();
        assert_eq!(text.lines().count(), 1 + slices * 2 * 2, "{text}");
        assert!(text.contains("\ncode_lang,java,correctness,m1,6,3,"), "{text}");
        assert!(text.contains("\nlength,0-1,pass@1,m2,2,0.5,,,false\n"), "{text}");
    }

    #[test]
    fn intervals_are_around_their_values() {
        let models: Vec<String> =
            (0..40).map(|m| (0..30).map(|task| if task % (m + 2) == 0 { '1' } else { '0' }).collect()).collect();
        let models: Vec<&str> = models.iter().map(String::as_str).collect();
        for by in SliceBy::ALL {
            for figure in compute(&input(&models), by).metrics.iter().flat_map(|metric| metric.slices.iter().flatten())
            {
                let SliceFigure { tasks, value, interval } = *figure;
                assert_eq!(value.is_some(), tasks > 0);
                assert_eq!(interval.is_some(), tasks >= Slices::MIN_TASKS);
                let holds =
                    |Interval { low, high }: Interval| value.is_some_and(|v| low - 1e-9 <= v && v <= high + 1e-9);
                assert!(interval.is_none_or(holds), "{figure:?}");
            }
        }
    }

    #[test]
    fn lengths_split_into_thirds_and_ties_stay_together() {
        let check = |lengths: &[usize], expected: &[(u64, u64)]| {
            let lengths: Vec<Option<usize>> = lengths.iter().map(|length| Some(*length)).collect();
            let mut found: Vec<(u64, u64)> = Vec::new();
            for (length, of) in lengths.iter().zip(by_length(&lengths)) {
                let Some(SliceOf::Length { shortest, longest }) = of else { panic!("{length:?} is in no slice") };
                assert!((shortest..=longest).contains(&(length.unwrap() as u64)));
                found.push((shortest, longest));
            }
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected);
        };
        check(&[1, 2, 3, 4, 5, 6], &[(1, 2), (3, 4), (5, 6)]);
        check(&[6, 1, 5, 2, 4, 3, 7], &[(1, 3), (4, 5), (6, 7)]);
        check(&[9, 9, 9, 9], &[(9, 9)]);
        check(&[1, 9, 9, 9, 9], &[(1, 9)]);
        check(&[4], &[(4, 4)]);
        check(&[4, 8], &[(4, 4), (8, 8)]);
        check(&[], &[]);
        assert_eq!(by_length(&[None, Some(3)])[0], None, "a task without data is in no slice");
    }
}
