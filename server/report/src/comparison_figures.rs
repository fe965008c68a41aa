//! Computes every figure of a comparison from its input. Pure; docs/statistics.md has the formulas.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    comparison::{
        Automated, Bin, Checked, ComparisonFigures, FollowedInstructions, GridCell, Human, Pair, Point, Related,
        TestsAndRatings, TokenUse,
    },
    conversation::InstructionKind,
    lang::{Bilingual, Lang},
    published::{AsPublished, PublishedChecked, differ},
    ratings::{Agreement, Comparison, Difference, DimensionScores, Interval, ModelScores},
    rubric::{Dimension, Rubric},
    run::{Metrics, Verdict},
    stats::{DecidingTest, Estimate, Known, McNemar, Reliability},
};
use texts::I18n;

use super::judges;
use comparison::{
    arranged::Counted,
    input::{ComparisonInput, InputRun, InputTokens},
};
use stats::{
    bootstrap::{self, Cell, KeyedCells},
    correlation::{self, correlation},
    family::holm,
    leniency::adjusted,
    paired::{paired, permutation},
    passk::{self, Sample},
    random::{Draws, RESAMPLES},
    ratings::Unit,
    reliability::reliability,
};

// Each figure has its own random streams, so that adding one does not change another. 4 << 16 is `passk::draws`, 8 << 16
// `stats::conversations`.
pub(super) const MEANS: u64 = 1 << 16;
const PAIRED: u64 = 2 << 16;
const AGREEMENT: u64 = 3 << 16;
const BOTH: u64 = 5 << 16;
const PERMUTED: u64 = 7 << 16;
const FOLLOWED: u64 = 8 << 16;
const FOLLOWED_AGREEMENT: u64 = 9 << 16;
pub(super) const JUDGES: u64 = 6 << 16;
pub(super) const JUDGES_FOLLOWED: u64 = 10 << 16;

/// Resampling a large study ten thousand times would take minutes. Above 10,000
/// ratings the number of resamples drops, to a minimum of a thousand. The page states it.
pub(super) fn resamples(input: &ComparisonInput) -> u32 {
    let ratings = u32::try_from(input.ratings.len()).unwrap_or(u32::MAX).max(1);
    (100_000_000 / ratings).clamp(1000, RESAMPLES)
}

/// Every figure.
pub fn compute(input: &ComparisonInput) -> ComparisonFigures {
    let dimensions: Vec<Drawn> = (0..input.dimensions()).map(|d| Drawn::of(input, d)).collect();
    let rubric = input.rubric.as_ref().filter(|_| !input.ratings.is_empty());
    ComparisonFigures {
        models: input.models.iter().map(|(_, name)| name.clone()).collect(),
        human: rubric.map(|rubric| human(input, rubric, &dimensions)),
        automated: (!input.runs.is_empty()).then(|| automated(input)),
        both: both(input, &dimensions),
        judges: judges::judges(input),
        tokens: input.tokens.iter().map(token_use).collect(),
    }
}

fn token_use(of: &InputTokens) -> TokenUse {
    let mean = |(count, sum): (u64, u64)| (count > 0).then(|| sum as f64 / count as f64);
    TokenUse { outputs: of.outputs, reported: of.generated.0, generated: mean(of.generated), prompt: mean(of.prompt) }
}

/// The comparison of a study without ratings: models and no figures. `None` without a rubric.
pub fn unrated(input: &ComparisonInput) -> Option<Comparison> {
    let dimensions: Vec<Drawn> = (0..input.dimensions()).map(|d| Drawn::of(input, d)).collect();
    Some(human(input, input.rubric.as_ref()?, &dimensions).comparison)
}

/// One dimension's ratings in the two shapes that the figures need.
struct Drawn {
    /// For each model, one cell per task.
    cells: Vec<Vec<Cell>>,
    /// Outputs with their raters' scores.
    units: Vec<Unit>,
}

impl Drawn {
    fn of(input: &ComparisonInput, dimension: usize) -> Drawn {
        Drawn { cells: input.cells(dimension), units: input.units(dimension) }
    }
}

/// The model's key, which selects its random streams.
pub(super) fn key(input: &ComparisonInput, model: usize) -> u64 {
    input.models.get(model).map_or(0, |(id, _)| id.0.unsigned_abs())
}

fn interval(estimate: Known<Estimate>) -> Option<Interval> {
    estimate.ok()?.interval.ok()
}

fn human(input: &ComparisonInput, rubric: &Rubric, drawn: &[Drawn]) -> Human {
    let seed = input.seed;
    let resamples = resamples(input);
    let draws = |seed, figure| Draws { resamples, ..Draws::new(seed, figure) };
    let mut models: Vec<ModelScores> = input
        .models
        .iter()
        .enumerate()
        .map(|(m, (_, name))| {
            let own = || input.ratings.iter().filter(|rating| rating.model as usize == m);
            ModelScores {
                model: name.clone(),
                ratings: own().count() as u64,
                tasks: own().map(|rating| rating.task).collect::<BTreeSet<_>>().len() as u64,
                dimensions: Vec::new(),
            }
        })
        .collect();
    let (mut differences, mut tests) = (Vec::new(), Vec::new());
    for (d, (drawn, dimension)) in drawn.iter().zip(&rubric.dimensions).enumerate() {
        let scores = drawn.cells.iter().enumerate();
        let scores: Vec<KeyedCells> = scores.map(|(m, tasks)| KeyedCells { key: key(input, m), tasks }).collect();
        let joint = bootstrap::joint(&scores, draws(seed, MEANS + d as u64));
        let adjusted = bootstrap::task_adjusted(&scores, draws(seed, MEANS + d as u64));
        let means = adjusted.unwrap_or_else(|| joint.means.clone()).into_iter().zip(joint.means);
        for ((model, cells), (mean, own)) in models.iter_mut().zip(&drawn.cells).zip(means) {
            model.dimensions.push(dimension_scores(mean, own, distribution(cells, dimension.range())));
        }
        for gap in joint.differences {
            let (first, second) = (gap.first, gap.second);
            differences.push(Difference {
                dimension: d,
                first,
                second,
                tasks: gap.tasks.into(),
                mean: gap.difference.ok().map(|estimate| estimate.value),
                interval: interval(gap.difference),
            });
            // Keyed by the models, so that a pair's draws do not depend on the other models.
            let pair = (key(input, first) << 32) ^ key(input, second);
            let pair = draws(seed ^ pair, PAIRED + d as u64);
            tests.push(paired(&drawn.cells[first], &drawn.cells[second], pair));
        }
    }
    let reliability: Vec<Reliability> = drawn
        .iter()
        .zip(&rubric.dimensions)
        .enumerate()
        .map(|(d, (drawn, dimension))| {
            let (low, high) = dimension.range();
            reliability(&drawn.units, low, high, draws(seed, AGREEMENT + d as u64))
        })
        .collect();
    let value = |known: Known<Estimate>| known.ok().map(|estimate| estimate.value);
    let agreement = reliability.iter().map(|r| Agreement {
        alpha: value(r.alpha),
        exact: value(r.exact),
        within_one: value(r.within_one),
        pairs: r.pairs,
    });
    let ps: Vec<Option<f64>> = tests.iter().map(|test| Some(test.as_ref().ok()?.wilcoxon.p)).collect();
    Human {
        raters: input.raters.len() as u64,
        adjudicated: input.finals.len() as u64,
        holm: holm(&ps),
        tests,
        adjusted: drawn.iter().map(|drawn| adjusted(&drawn.units, input.models.len())).collect(),
        comparison: Comparison {
            rubric: rubric.clone(),
            agreement: agreement.collect(),
            models,
            differences,
            resamples,
            seed: seed.to_string(),
        },
        reliability,
        instructions: followed(input),
    }
}

/// Raters' answers about each kind of instruction.
fn followed(input: &ComparisonInput) -> Vec<FollowedInstructions> {
    let each = input.instruction_kinds().into_iter().map(|kind| {
        // By its place among all kinds, so that its draws do not depend on the other ones.
        let at = InstructionKind::ALL.iter().position(|other| *other == kind).unwrap_or_default();
        let draws = |figure| Draws { resamples: resamples(input), ..Draws::new(input.seed, figure + at as u64) };
        let (cells, units) = input.followed(kind);
        let scores = cells.iter().enumerate().map(|(m, tasks)| KeyedCells { key: key(input, m), tasks });
        let joint = bootstrap::joint(&scores.collect::<Vec<_>>(), draws(FOLLOWED));
        let models = joint.means.into_iter().zip(&cells);
        let models = models.map(|(mean, cells)| dimension_scores(mean, mean, distribution(cells, (0, 1))));
        FollowedInstructions {
            kind,
            name: Bilingual {
                en: I18n::of(Lang::En).conversations().kind_name(kind).into(),
                zh: I18n::of(Lang::Zh).conversations().kind_name(kind).into(),
            },
            answers: input.instructions.iter().filter(|answer| answer.kind == kind).count() as u64,
            models: models.collect(),
            reliability: reliability(&units, 0, 1, draws(FOLLOWED_AGREEMENT)),
        }
    });
    each.collect()
}

fn dimension_scores(mean: Known<Estimate>, own: Known<Estimate>, distribution: Vec<u64>) -> DimensionScores {
    let value = |known: Known<Estimate>| known.ok().map(|estimate| estimate.value);
    DimensionScores {
        mean: value(mean),
        interval: interval(mean),
        own_mean: value(own),
        own_interval: interval(own),
        distribution,
    }
}

fn distribution(cells: &[Cell], (low, high): (u8, u8)) -> Vec<u64> {
    let mut counts = vec![0; usize::from(high.saturating_sub(low)) + 1];
    for score in cells.iter().flatten() {
        // An adjudicated score between two levels counts as the lower one.
        if let Some(count) = counts.get_mut((*score - f64::from(low)) as usize) {
            *count += 1;
        }
    }
    counts
}

fn automated(input: &ComparisonInput) -> Automated {
    let runs: Vec<(usize, &InputRun)> = input.runs.iter().map(|run| (run.model as usize, run)).collect();
    let counted: Vec<Counted> = runs.iter().map(|(_, run)| input.counted(run)).collect();
    let places: Vec<usize> = (0..runs.len()).collect();
    let mut models: Vec<Option<Checked>> = vec![None; input.models.len()];
    let mut pairs = Vec::new();
    // Runs whose figures count the same tasks are resampled together; others individually, and each pair over its common
    // tasks.
    let same = counted.windows(2).all(|two| two[0].tasks == two[1].tasks);
    let groups: Vec<Vec<usize>> = if same { vec![places.clone()] } else { places.iter().map(|p| vec![*p]).collect() };
    for group in &groups {
        let all: Vec<&[Vec<Sample>]> = group.iter().map(|place| counted[*place].samples.as_slice()).collect();
        let found = figures(input, &runs, group, &all);
        for (at, place) in group.iter().enumerate() {
            let (model, run) = runs[*place];
            let of = |joint: Option<&model::stats::Joint>| interval(*joint?.means.get(at)?);
            if let Some(cell) = models.get_mut(model) {
                let (samples, pass) = (&counted[*place].samples, of(found.pass_at.first()));
                *cell = Some(checked(input, run, samples, pass, of(Some(&found.ratio))));
            }
        }
        pairs.extend(paired_runs(&runs, group, &all, &found));
    }
    if !same {
        for (a, b) in (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))) {
            let (first, second) = (&counted[a], &counted[b]);
            let place = |tasks: &[u32], task: u32| tasks.iter().position(|other| *other == task);
            let shared =
                first.tasks.iter().enumerate().filter_map(|(at, task)| Some((at, place(&second.tasks, *task)?)));
            let (of_a, of_b): (Vec<_>, Vec<_>) =
                shared.map(|(at, other)| (first.samples[at].clone(), second.samples[other].clone())).unzip();
            let all = [of_a.as_slice(), of_b.as_slice()];
            let found = figures(input, &runs, &[a, b], &all);
            pairs.extend(paired_runs(&runs, &[a, b], &all, &found));
        }
    }
    pairs.sort_by_key(|pair: &Pair| (pair.first, pair.second));
    let ps: Vec<Option<f64>> = pairs.iter().map(|pair| pair.p).collect();
    for (pair, corrected) in pairs.iter_mut().zip(holm(&ps)) {
        pair.holm = corrected;
    }
    Automated { models, pairs }
}

fn figures(
    input: &ComparisonInput,
    runs: &[(usize, &InputRun)],
    group: &[usize],
    samples: &[&[Vec<Sample>]],
) -> model::stats::Automated {
    let models: Vec<(u64, &[Vec<Sample>])> =
        group.iter().zip(samples).map(|(place, samples)| (key(input, runs[*place].0), *samples)).collect();
    passk::automated(&models, passk::draws())
}

fn checked(
    input: &ComparisonInput,
    run: &InputRun,
    samples: &[Vec<Sample>],
    pass_interval: Option<Interval>,
    ratio_interval: Option<Interval>,
) -> Checked {
    let count = |verdict| {
        let found = run.verdicts.iter().filter(|checked| checked.verdict == Some(verdict)).count();
        (verdict, u32::try_from(found).unwrap_or(u32::MAX))
    };
    let anomalies = run.verdicts.iter().filter(|checked| checked.total > 0 && checked.passed > checked.total);
    let anomalies = anomalies.filter_map(|checked| input.tasks.get(checked.task as usize));
    let mut pass_at = passk::pass_at(samples);
    match pass_at.as_mut_slice() {
        [only] => only.interval = pass_interval,
        _ => pass_at = passk::estimated(key(input, run.model as usize), samples),
    }
    let not_counted = run.verdicts.iter().filter(|checked| checked.cannot_judge).count();
    let not_counted = u32::try_from(not_counted).unwrap_or(u32::MAX);
    Checked {
        run: run.id,
        metrics: Metrics { not_counted, ..passk::metrics(samples) },
        pass_interval,
        ratio_interval,
        pass_at,
        published: published(input, run),
        verdicts: Verdict::ALL.into_iter().map(count).collect(),
        anomalies: anomalies.map(|task| task.task_id.clone()).collect(),
        missing: run.missing,
    }
}

/// The run's figures by the verdicts as published, if the benchmark has an evaluator.
fn published(input: &ComparisonInput, run: &InputRun) -> Option<PublishedChecked> {
    run.verdicts.iter().find_map(|checked| checked.published)?;
    let samples = input.published(run);
    let (metrics, pass_at) = (passk::metrics(&samples), passk::estimated(key(input, run.model as usize), &samples));
    let differ = run.verdicts.iter().filter(|checked| differ(checked.published, checked.verdict)).count();
    Some(PublishedChecked {
        figures: AsPublished {
            solved: metrics.solved,
            pass_at_1: metrics.pass_at_1,
            differ: u32::try_from(differ).unwrap_or(u32::MAX),
        },
        pass_interval: pass_at.first().and_then(|at| at.interval),
        pass_at,
        differences: run.differences.clone(),
    })
}

/// Every pair of a group, over the group's common tasks.
fn paired_runs(
    runs: &[(usize, &InputRun)],
    group: &[usize],
    samples: &[&[Vec<Sample>]],
    found: &model::stats::Automated,
) -> Vec<Pair> {
    let Some(pass) = found.pass_at.first() else { return Vec::new() };
    let each = pass.differences.iter().zip(&found.ratio.differences).zip(&found.mcnemar);
    let solved = |samples: &Vec<Sample>| samples.first().is_some_and(|sample| sample.solved);
    let value = |known: Known<Estimate>| known.map_or(0.0, |estimate| estimate.value);
    each.map(|((pass, ratio), mcnemar)| {
        let tested = tested(*mcnemar, samples[pass.first], samples[pass.second]);
        let mut table = [0u64; 4];
        for (a, b) in samples[pass.first].iter().zip(samples[pass.second]) {
            let at = match (solved(a), solved(b)) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            table[at] += 1;
        }
        Pair {
            first: runs[group[pass.first]].0,
            second: runs[group[pass.second]].0,
            tasks: pass.tasks.into(),
            table,
            mcnemar: *mcnemar,
            pass: value(pass.difference),
            pass_interval: interval(pass.difference),
            ratio: value(ratio.difference),
            ratio_interval: interval(ratio.difference),
            test: tested.map(|(test, _)| test),
            p: tested.map(|(_, p)| p),
            // The caller corrects it over all pairs.
            holm: None,
        }
    })
    .collect()
}

/// The test of a pass@1 difference, with its p-value before correction.
fn tested(mcnemar: Known<McNemar>, first: &[Vec<Sample>], second: &[Vec<Sample>]) -> Option<(DecidingTest, f64)> {
    if let Ok(test) = mcnemar {
        return Some((DecidingTest::McNemarMid, test.mid));
    }
    let share = |samples: &Vec<Sample>| match samples.len() {
        0 => 0.0,
        n => samples.iter().filter(|sample| sample.solved).count() as f64 / n as f64,
    };
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| share(a) - share(b)).collect();
    let draws = Draws { figure: PERMUTED, ..passk::draws() };
    (!differences.is_empty()).then(|| (DecidingTest::Permutation, permutation(&differences, draws).p))
}

/// Test results compared with ratings.
fn both(input: &ComparisonInput, drawn: &[Drawn]) -> Option<TestsAndRatings> {
    let dimension = input.rubric.as_ref()?.against_tests()?;
    let (points, places) = points(input, dimension, &drawn.get(dimension)?.cells).into_iter().unzip();
    let (points, places): (Vec<Point>, Vec<usize>) = (points, places);
    if points.is_empty() {
        return None;
    }
    let with_points: BTreeSet<usize> = points.iter().map(|point| point.model).collect();
    let rows = with_points.into_iter().map(Some).chain([None]).map(|model| {
        let own = points.iter().zip(&places).filter(|(point, _)| model.is_none_or(|model| model == point.model));
        let own: Vec<correlation::Point> =
            own.map(|(point, task)| correlation::Point { task: *task, x: point.ratio, y: point.score }).collect();
        let figure = BOTH + model.map_or(0, |m| key(input, m));
        Related {
            model,
            correlation: correlation(&own, Draws { resamples: resamples(input), ..Draws::new(input.seed, figure) }),
        }
    });
    let rows = rows.collect();
    let mut parting: Vec<&Point> = points.iter().filter(|point| point.difference.abs() > 1e-9).collect();
    // A stable sort keeps the runs' order among equals.
    parting.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
    let parting = parting.into_iter().take(TestsAndRatings::PARTING).cloned().collect();
    let many = points.len() > TestsAndRatings::SINGLY;
    let bins = if many { bins(&points, input.models.len()) } else { Vec::new() };
    Some(TestsAndRatings { dimension, rows, parting, bins, points: if many { Vec::new() } else { points } })
}

/// Every output with both, and the index of its task. `cells` are the dimension's, one entry per model.
pub(super) fn points(input: &ComparisonInput, dimension: usize, cells: &[Vec<Cell>]) -> Vec<(Point, usize)> {
    let found = input.rubric.as_ref().and_then(|rubric| rubric.dimensions.get(dimension));
    let Some((low, high)) = found.map(Dimension::range) else { return Vec::new() };
    let width = f64::from(high.saturating_sub(low)).max(1.0);
    let mut points = Vec::new();
    for run in &input.runs {
        let (model, counted) = (run.model as usize, input.counted(run));
        let Some(cells) = cells.get(model) else { continue };
        for (task, samples) in counted.tasks.iter().zip(&counted.samples) {
            let place = *task as usize;
            let score = cells.get(place).and_then(|cell| bootstrap::mean(std::slice::from_ref(cell)));
            if let (Some(score), Some(row), false) = (score, input.tasks.get(place), samples.is_empty()) {
                let ratio = samples.iter().map(|sample| sample.ratio).sum::<f64>() / samples.len() as f64;
                let share = (score - f64::from(low)) / width;
                let difference = share - ratio.clamp(0.0, 1.0);
                let (task, task_id, grid_cell) = (row.id, row.task_id.clone(), GridCell::near(ratio, share));
                points.push((Point { model, task, task_id, ratio, score, difference, grid_cell }, place));
            }
        }
    }
    points
}

fn bins(points: &[Point], models: usize) -> Vec<Bin> {
    let mut found: BTreeMap<GridCell, Vec<u64>> = BTreeMap::new();
    for point in points {
        let counts = found.entry(point.grid_cell).or_insert_with(|| vec![0; models]);
        if let Some(count) = counts.get_mut(point.model) {
            *count += 1;
        }
    }
    found.into_iter().map(|(grid_cell, models)| Bin { grid_cell, models }).collect()
}

#[cfg(test)]
mod tests {
    use model::{
        code_lang::CodeLang,
        dataset::{Checks, TaskRow},
        ids::{ModelId, OutputId, TaskId, TaskRevisionId},
        lang::{Bilingual, Lang},
        rubric::Level,
    };

    use super::*;
    use comparison::input::{InputRating, InputVerdict};

    /// One model, `tasks` tasks: three of four cases passed and a 3, but every tenth nothing and a 4.
    fn input(tasks: u32) -> ComparisonInput {
        let none = Bilingual::default;
        let levels = (1..=4).rev().map(|score| Level { score, label: none(), text: none() }).collect();
        let dimension =
            Dimension { key: "correctness".into(), checklist: false, name: none(), question: none(), levels };
        let row = |n: u32| TaskRow {
            id: TaskId(n.into()),
            revision: TaskRevisionId(n.into()),
            task_id: n.to_string(),
            raw_nl: String::new(),
            nl_lang: Lang::En,
            signature: None,
            checks: Checks { human: true, tests: true },
            code_lang: CodeLang::Java,
        };
        let odd = |task: u32| task.is_multiple_of(10);
        ComparisonInput {
            models: vec![(ModelId(1), "m".into())],
            tasks: (0..tasks).map(row).collect(),
            rubric: Some(Rubric { slug: "r".into(), version: 1, instructions: false, dimensions: vec![dimension] }),
            ratings: (0..tasks)
                .map(|task| InputRating { study: 0, task, model: 0, output: OutputId(task.into()), rater: 0 })
                .collect(),
            scores: (0..tasks).map(|task| if odd(task) { 4 } else { 3 }).collect(),
            runs: vec![InputRun {
                tasks: (0..tasks).collect(),
                verdicts: (0..tasks)
                    .map(|task| InputVerdict {
                        task,
                        output: None,
                        sample: 0,
                        turn: None,
                        verdict: Some(Verdict::Failed),
                        passed: if odd(task) { 0 } else { 3 },
                        total: 4,
                        published: None,
                        cannot_judge: false,
                    })
                    .collect(),
                ..InputRun::default()
            }],
            ..ComparisonInput::default()
        }
    }

    #[test]
    fn many_outputs_are_binned_instead_of_listed() {
        let of = |tasks: u32| {
            let input = input(tasks);
            both(&input, &[Drawn::of(&input, 0)]).unwrap_or_else(|| panic!("there are both"))
        };
        let few = of(TestsAndRatings::SINGLY as u32);
        assert_eq!((few.points.len(), few.bins.len()), (TestsAndRatings::SINGLY, 0));
        let many = of(1000);
        assert!(many.points.is_empty());
        let bin = |ratio, share, n| Bin { grid_cell: GridCell::near(ratio, share), models: vec![n] };
        assert_eq!(many.bins, [bin(0.0, 1.0, 100), bin(0.75, 2.0 / 3.0, 900)]);
        // The tasks on which tests and people differ most are named, however many there are.
        assert_eq!(many.parting.len(), TestsAndRatings::PARTING);
        assert!(many.parting.iter().all(|point| (point.difference - 1.0).abs() < 1e-12));
        assert_eq!(many.rows.last().map(|row| row.correlation.n), Some(1000));
    }
}
