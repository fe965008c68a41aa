//! From the ground to every figure of a comparison. Pure; formulas are in docs/statistics.md.

use std::collections::BTreeSet;

use app::model::{
    compare::{Automated, Both, Checked, Human, Pair, Point, Related, Sheet},
    comparison::{Agreement, Comparison, Difference, DimensionScores, Interval, ModelScores},
    rubric::{Dimension, Rubric},
    run::Verdict,
    stats::{Estimate, Known, Reliability},
};

use super::{
    ground::{Ground, GroundRun},
    judges,
};
use crate::stats::{
    bootstrap::{self, Cell, Scores},
    correlation::{self, correlation},
    family::holm,
    paired::paired,
    passk::{self, Sample},
    random::{Draws, RESAMPLES},
    ratings::Unit,
    reliability::reliability,
    severity::adjusted,
};

/// What automated figures are drawn from: no study is behind them, so none may change them.
const AUTOMATED_SEED: u64 = 0;

// Every figure draws from streams of its own, so that one more changes no other.
const MEANS: u64 = 1 << 16;
const PAIRED: u64 = 2 << 16;
const AGREEMENT: u64 = 3 << 16;
const AUTOMATED: u64 = 4 << 16;
const BOTH: u64 = 5 << 16;
pub(super) const JUDGES: u64 = 6 << 16;

/// A draw of a large study's every rating, ten thousand times over, would take minutes: beyond 10,000
/// ratings there are fewer resamples, down to a thousand. The page says how many.
pub(super) fn resamples(ground: &Ground) -> u32 {
    let ratings = u32::try_from(ground.ratings.len()).unwrap_or(u32::MAX).max(1);
    (100_000_000 / ratings).clamp(1000, RESAMPLES)
}

/// Every figure.
pub fn compute(ground: &Ground) -> Sheet {
    let dimensions: Vec<Drawn> = (0..ground.dimensions()).map(|d| Drawn::of(ground, d)).collect();
    let rubric = ground.rubric.as_ref().filter(|_| !ground.ratings.is_empty());
    Sheet {
        models: ground.models.iter().map(|(_, name)| name.clone()).collect(),
        human: rubric.map(|rubric| human(ground, rubric, &dimensions)),
        automated: (!ground.runs.is_empty()).then(|| automated(ground)),
        both: both(ground, &dimensions),
        judges: judges::judges(ground),
    }
}

/// One dimension's ratings in the two shapes that figures take.
struct Drawn {
    /// A place a model, in it a cell for every task.
    cells: Vec<Vec<Cell>>,
    /// Outputs with who gave which score.
    units: Vec<Unit>,
}

impl Drawn {
    fn of(ground: &Ground, dimension: usize) -> Drawn {
        Drawn { cells: ground.cells(dimension), units: ground.units(dimension) }
    }
}

/// The model's own number, by which its draws are found.
fn key(ground: &Ground, model: usize) -> u64 {
    ground.models.get(model).map_or(0, |(id, _)| id.0.unsigned_abs())
}

fn interval(estimate: Known<Estimate>) -> Option<Interval> {
    estimate.ok()?.interval.ok()
}

fn human(ground: &Ground, rubric: &Rubric, drawn: &[Drawn]) -> Human {
    let seed = ground.seed;
    let resamples = resamples(ground);
    let draws = |seed, figure| Draws { resamples, ..Draws::new(seed, figure) };
    let mut models: Vec<ModelScores> = ground
        .models
        .iter()
        .enumerate()
        .map(|(m, (_, name))| {
            let own = || ground.ratings.iter().filter(|rating| rating.model as usize == m);
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
        let scores: Vec<Scores> = scores.map(|(m, tasks)| Scores { key: key(ground, m), tasks }).collect();
        let joint = bootstrap::joint(&scores, draws(seed, MEANS + d as u64));
        for ((model, cells), mean) in models.iter_mut().zip(&drawn.cells).zip(joint.means) {
            model.dimensions.push(DimensionScores {
                mean: mean.ok().map(|estimate| estimate.value),
                interval: interval(mean),
                distribution: distribution(cells, dimension),
            });
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
            // By the models' own numbers: a pair's draws are the same whoever else is compared.
            let pair = (key(ground, first) << 32) ^ key(ground, second);
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
        raters: ground.raters.len() as u64,
        adjudicated: ground.finals.len() as u64,
        holm: holm(&ps),
        tests,
        adjusted: drawn.iter().map(|drawn| adjusted(&drawn.units, ground.models.len())).collect(),
        comparison: Comparison {
            rubric: rubric.clone(),
            agreement: agreement.collect(),
            models,
            differences,
            resamples,
            seed: seed.to_string(),
        },
        reliability,
    }
}

fn distribution(cells: &[Cell], dimension: &Dimension) -> Vec<u64> {
    let (low, high) = dimension.range();
    let mut counts = vec![0; usize::from(high.saturating_sub(low)) + 1];
    for score in cells.iter().flatten() {
        // Scores are whole numbers of the scale; a final score between two levels counts with the lower.
        if let Some(count) = counts.get_mut((*score - f64::from(low)) as usize) {
            *count += 1;
        }
    }
    counts
}

fn automated(ground: &Ground) -> Automated {
    let runs: Vec<(usize, &GroundRun)> = ground.runs.iter().map(|run| (run.model as usize, run)).collect();
    let samples: Vec<Vec<Vec<Sample>>> = runs.iter().map(|(_, run)| ground.samples(run)).collect();
    let places: Vec<usize> = (0..runs.len()).collect();
    let mut models: Vec<Option<Checked>> = vec![None; ground.models.len()];
    let mut pairs = Vec::new();
    // Runs over the same tasks are drawn together; others each alone, and each two over what they share.
    let same = runs.windows(2).all(|two| two[0].1.tasks == two[1].1.tasks);
    let groups: Vec<Vec<usize>> = if same { vec![places.clone()] } else { places.iter().map(|p| vec![*p]).collect() };
    for group in &groups {
        let all: Vec<&[Vec<Sample>]> = group.iter().map(|place| samples[*place].as_slice()).collect();
        let found = figures(ground, &runs, group, &all);
        for (at, place) in group.iter().enumerate() {
            let (model, run) = runs[*place];
            let of = |joint: Option<&app::model::stats::Joint>| interval(*joint?.means.get(at)?);
            if let Some(cell) = models.get_mut(model) {
                *cell = Some(checked(ground, run, &samples[*place], of(found.pass_at.first()), of(Some(&found.ratio))));
            }
        }
        pairs.extend(paired_runs(&runs, group, &all, &found));
    }
    if !same {
        for (a, b) in (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))) {
            let (first, second) = (runs[a].1, runs[b].1);
            let place = |tasks: &[u32], task: u32| tasks.iter().position(|other| *other == task);
            let shared =
                first.tasks.iter().enumerate().filter_map(|(at, task)| Some((at, place(&second.tasks, *task)?)));
            let (of_a, of_b): (Vec<_>, Vec<_>) =
                shared.map(|(at, other)| (samples[a][at].clone(), samples[b][other].clone())).unzip();
            let all = [of_a.as_slice(), of_b.as_slice()];
            let found = figures(ground, &runs, &[a, b], &all);
            pairs.extend(paired_runs(&runs, &[a, b], &all, &found));
        }
    }
    pairs.sort_by_key(|pair: &Pair| (pair.first, pair.second));
    Automated { models, pairs }
}

fn figures(
    ground: &Ground,
    runs: &[(usize, &GroundRun)],
    group: &[usize],
    samples: &[&[Vec<Sample>]],
) -> app::model::stats::Automated {
    let models: Vec<(u64, &[Vec<Sample>])> =
        group.iter().zip(samples).map(|(place, samples)| (key(ground, runs[*place].0), *samples)).collect();
    passk::automated(&models, Draws::new(AUTOMATED_SEED, AUTOMATED))
}

fn checked(
    ground: &Ground,
    run: &GroundRun,
    samples: &[Vec<Sample>],
    pass_interval: Option<Interval>,
    ratio_interval: Option<Interval>,
) -> Checked {
    let count = |verdict| {
        let found = run.verdicts.iter().filter(|checked| checked.verdict == Some(verdict)).count();
        (verdict, u32::try_from(found).unwrap_or(u32::MAX))
    };
    let anomalies = run.verdicts.iter().filter(|checked| checked.total > 0 && checked.passed > checked.total);
    let anomalies = anomalies.filter_map(|checked| ground.tasks.get(checked.task as usize));
    Checked {
        run: run.id,
        metrics: passk::metrics(samples),
        pass_interval,
        ratio_interval,
        pass_at: passk::pass_at(samples),
        verdicts: Verdict::ALL.into_iter().map(count).collect(),
        anomalies: anomalies.map(|task| task.task_id.clone()).collect(),
        missing: run.missing,
    }
}

/// Every two of a group, over the tasks that all of it has.
fn paired_runs(
    runs: &[(usize, &GroundRun)],
    group: &[usize],
    samples: &[&[Vec<Sample>]],
    found: &app::model::stats::Automated,
) -> Vec<Pair> {
    let Some(pass) = found.pass_at.first() else { return Vec::new() };
    let each = pass.differences.iter().zip(&found.ratio.differences).zip(&found.mcnemar);
    let solved = |samples: &Vec<Sample>| samples.first().is_some_and(|sample| sample.solved);
    let value = |known: Known<Estimate>| known.map_or(0.0, |estimate| estimate.value);
    each.map(|((pass, ratio), mcnemar)| {
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
        }
    })
    .collect()
}

/// Tests against people, on the rubric's dimension of correctness (its first, where none is called so).
fn both(ground: &Ground, drawn: &[Drawn]) -> Option<Both> {
    let rubric = ground.rubric.as_ref()?;
    let dimension = rubric.dimensions.iter().position(|d| d.key == "correctness").unwrap_or(0);
    let (low, high) = rubric.dimensions.get(dimension)?.range();
    let width = f64::from(high.saturating_sub(low)).max(1.0);
    let mut points = Vec::new();
    let mut places = Vec::new();
    for run in &ground.runs {
        let (model, samples) = (run.model as usize, ground.samples(run));
        for (task, samples) in run.tasks.iter().zip(&samples) {
            let cell = drawn.get(dimension)?.cells.get(model)?.get(*task as usize);
            let score = cell.and_then(|cell| bootstrap::mean(std::slice::from_ref(cell)));
            if let (Some(score), Some(row), false) = (score, ground.tasks.get(*task as usize), samples.is_empty()) {
                let ratio = samples.iter().map(|sample| sample.ratio).sum::<f64>() / samples.len() as f64;
                let apart = (score - f64::from(low)) / width - ratio.clamp(0.0, 1.0);
                points.push(Point { model, task: row.id, task_id: row.task_id.clone(), ratio, score, apart });
                places.push(*task as usize);
            }
        }
    }
    if points.is_empty() {
        return None;
    }
    let with_points: BTreeSet<usize> = points.iter().map(|point| point.model).collect();
    let rows = with_points.into_iter().map(Some).chain([None]).map(|model| {
        let own = points.iter().zip(&places).filter(|(point, _)| model.is_none_or(|model| model == point.model));
        let own: Vec<correlation::Point> =
            own.map(|(point, task)| correlation::Point { task: *task, x: point.ratio, y: point.score }).collect();
        let figure = BOTH + model.map_or(0, |m| key(ground, m));
        Related {
            model,
            correlation: correlation(&own, Draws { resamples: resamples(ground), ..Draws::new(ground.seed, figure) }),
        }
    });
    Some(Both { dimension, rows: rows.collect(), points })
}
