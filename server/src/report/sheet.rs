//! From the ground to every figure of a comparison. Pure; formulas are in docs/statistics.md.

use std::collections::BTreeSet;

use app::model::{
    compare::{Automated, Both, Checked, Human, Pair, Point, Related, Sheet, Tested},
    comparison::{Comparison, Difference, DimensionScores, Interval, ModelScores},
    rubric::{Dimension, Rubric},
    run::Verdict,
};

use super::ground::{Ground, GroundRun};
use crate::stats::{
    agreement::agreement,
    bootstrap::{self, Cell},
    passk::{self, Sample},
};

/// Resamples behind every interval: its ends are then steady to about a twentieth of its width.
pub const RESAMPLES: u32 = 2000;

/// Every figure.
pub fn compute(ground: &Ground) -> Sheet {
    let cells: Vec<Vec<Vec<Cell>>> = (0..ground.dimensions()).map(|d| ground.cells(d)).collect();
    Sheet {
        models: ground.models.iter().map(|(_, name)| name.clone()).collect(),
        human: ground
            .rubric
            .as_ref()
            .filter(|_| !ground.ratings.is_empty())
            .map(|rubric| human(ground, rubric, &cells)),
        automated: (!ground.runs.is_empty()).then(|| automated(ground)),
        both: both(ground, &cells),
    }
}

/// Each interval draws from a stream of its own, so that one more model changes no other figure.
fn stream(seed: u64, first: usize, second: usize, what: usize) -> u64 {
    seed ^ (((first as u64) << 48) | ((second as u64) << 32) | (what as u64 + 1))
}

/// Streams of automated figures lie apart from those of the dimensions.
const PASS: usize = 1000;
const RATIO: usize = 1001;

fn human(ground: &Ground, rubric: &Rubric, cells: &[Vec<Vec<Cell>>]) -> Human {
    let models = ground.models.iter().enumerate().map(|(m, (_, name))| {
        let dimensions =
            rubric.dimensions.iter().enumerate().map(|(d, dimension)| scores(ground, cells, m, d, dimension));
        let own = || ground.ratings.iter().filter(|rating| rating.model as usize == m);
        ModelScores {
            model: name.clone(),
            ratings: own().count() as u64,
            tasks: own().map(|rating| rating.task).collect::<BTreeSet<_>>().len() as u64,
            dimensions: dimensions.collect(),
        }
    });
    let mut differences = Vec::new();
    for (first, second) in pairs(ground.models.len()) {
        for (d, cells) in cells.iter().enumerate() {
            let (a, b) = (&cells[first], &cells[second]);
            let (mean, tasks) = bootstrap::difference(a, b);
            let interval = bootstrap::difference_interval(a, b, RESAMPLES, stream(ground.seed, first, second, d));
            differences.push(Difference { dimension: d, first, second, tasks, mean, interval });
        }
    }
    let comparison = Comparison {
        models: models.collect(),
        agreement: rubric
            .dimensions
            .iter()
            .enumerate()
            .map(|(d, dimension)| {
                let (low, high) = dimension.range();
                agreement(&ground.units(d), low, high)
            })
            .collect(),
        rubric: rubric.clone(),
        resamples: RESAMPLES,
        seed: ground.seed.to_string(),
        differences,
    };
    Human {
        raters: ground.raters.len() as u64,
        adjudicated: ground.adjudicated,
        tests: vec![Tested::default(); comparison.differences.len()],
        adjusted: Vec::new(),
        not_adjusted: Vec::new(),
        comparison,
    }
}

fn scores(ground: &Ground, cells: &[Vec<Vec<Cell>>], m: usize, d: usize, dimension: &Dimension) -> DimensionScores {
    let (low, high) = dimension.range();
    let own = &cells[d][m];
    let mut distribution = vec![0; usize::from(high.saturating_sub(low)) + 1];
    for score in own.iter().flatten() {
        // Scores are whole numbers of the scale.
        if let Some(count) = distribution.get_mut((*score - f64::from(low)) as usize) {
            *count += 1;
        }
    }
    DimensionScores {
        mean: bootstrap::mean(own),
        interval: bootstrap::mean_interval(own, RESAMPLES, stream(ground.seed, m, m, d)),
        distribution,
    }
}

/// Every pair of so many, each once.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

fn automated(ground: &Ground) -> Automated {
    let run_of = |m: usize| ground.runs.iter().find(|run| run.model as usize == m);
    let models = (0..ground.models.len()).map(|m| run_of(m).map(|run| checked(ground, run))).collect();
    let pairs = pairs(ground.models.len()).filter_map(|(first, second)| {
        let (a, b) = (run_of(first)?, run_of(second)?);
        Some(pair(ground, (first, a), (second, b)))
    });
    Automated { models, pairs: pairs.collect() }
}

fn checked(ground: &Ground, run: &GroundRun) -> Checked {
    let samples = ground.samples(run);
    let count = |verdict| {
        let found = run.verdicts.iter().filter(|checked| checked.verdict == Some(verdict)).count();
        (verdict, u32::try_from(found).unwrap_or(u32::MAX))
    };
    let anomalies = run.verdicts.iter().filter(|checked| checked.total > 0 && checked.passed > checked.total);
    let anomalies = anomalies.filter_map(|checked| ground.tasks.get(checked.task as usize));
    Checked {
        run: run.id,
        metrics: passk::metrics(&samples),
        pass_interval: task_interval(ground, run, &samples, passed, PASS),
        ratio_interval: task_interval(ground, run, &samples, ratio, RATIO),
        pass_at: passk::pass_at(&samples),
        verdicts: Verdict::ALL.into_iter().map(count).collect(),
        anomalies: anomalies.map(|task| task.task_id.clone()).collect(),
        missing: run.missing,
    }
}

/// The share of a task's samples that solve it; 0 without one.
fn passed(samples: &[Sample]) -> f64 {
    mean_of(samples, |sample| f64::from(u8::from(sample.solved)))
}

/// The mean pass ratio of a task's samples, as published; 0 without one.
fn ratio(samples: &[Sample]) -> f64 {
    mean_of(samples, |sample| sample.ratio)
}

fn mean_of(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    match samples.len() {
        0 => 0.0,
        n => samples.iter().map(value).sum::<f64>() / n as f64,
    }
}

fn task_interval(
    ground: &Ground,
    run: &GroundRun,
    samples: &[Vec<Sample>],
    value: fn(&[Sample]) -> f64,
    what: usize,
) -> Option<Interval> {
    let cells: Vec<Cell> = samples.iter().map(|samples| vec![value(samples)]).collect();
    let m = run.model as usize;
    bootstrap::mean_interval(&cells, RESAMPLES, stream(ground.seed, m, m, what))
}

fn pair(ground: &Ground, (first, a): (usize, &GroundRun), (second, b): (usize, &GroundRun)) -> Pair {
    let (samples_a, samples_b) = (ground.samples(a), ground.samples(b));
    let place = |tasks: &[u32], task: u32| tasks.iter().position(|other| *other == task);
    let shared: Vec<(&[Sample], &[Sample])> = a
        .tasks
        .iter()
        .enumerate()
        .filter_map(|(at, task)| {
            Some((samples_a.get(at)?.as_slice(), samples_b.get(place(&b.tasks, *task)?)?.as_slice()))
        })
        .collect();
    let solved = |samples: &[Sample]| samples.first().is_some_and(|sample| sample.solved);
    let mut table = [0u64; 4];
    for (a, b) in &shared {
        let at = match (solved(a), solved(b)) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        table[at] += 1;
    }
    let cells = |value: fn(&[Sample]) -> f64| -> (Vec<Cell>, Vec<Cell>) {
        shared.iter().map(|(a, b)| (vec![value(a)], vec![value(b)])).unzip()
    };
    let of = |value, what| {
        let (a, b) = cells(value);
        let (mean, _) = bootstrap::difference(&a, &b);
        let seed = stream(ground.seed, first, second, what);
        (mean.unwrap_or(0.0), bootstrap::difference_interval(&a, &b, RESAMPLES, seed))
    };
    let ((pass, pass_interval), (ratio, ratio_interval)) = (of(passed, PASS), of(ratio, RATIO));
    Pair { first, second, tasks: shared.len() as u64, table, mcnemar: None, pass, pass_interval, ratio, ratio_interval }
}

/// Tests against people, on the rubric's dimension of correctness (its first, where none is called so).
fn both(ground: &Ground, cells: &[Vec<Vec<Cell>>]) -> Option<Both> {
    let rubric = ground.rubric.as_ref()?;
    let dimension = rubric.dimensions.iter().position(|d| d.key == "correctness").unwrap_or(0);
    let (low, high) = rubric.dimensions.get(dimension)?.range();
    let width = f64::from(high.saturating_sub(low)).max(1.0);
    let mut points = Vec::new();
    for run in &ground.runs {
        let (model, samples) = (run.model as usize, ground.samples(run));
        for (task, samples) in run.tasks.iter().zip(&samples) {
            let cell = cells.get(dimension)?.get(model)?.get(*task as usize);
            let score = cell.and_then(|cell| bootstrap::mean(std::slice::from_ref(cell)));
            if let (Some(score), Some(row), false) = (score, ground.tasks.get(*task as usize), samples.is_empty()) {
                let ratio = ratio(samples);
                let apart = (score - f64::from(low)) / width - ratio.clamp(0.0, 1.0);
                points.push(Point { model, task: row.id, task_id: row.task_id.clone(), ratio, score, apart });
            }
        }
    }
    if points.is_empty() {
        return None;
    }
    let with_points: BTreeSet<usize> = points.iter().map(|point| point.model).collect();
    let rows = with_points.into_iter().map(Some).chain([None]).map(|model| related(ground.seed, model, &points));
    Some(Both { dimension, rows: rows.collect(), points })
}

fn related(_seed: u64, model: Option<usize>, points: &[Point]) -> Related {
    let own = points.iter().filter(|point| model.is_none_or(|model| model == point.model));
    Related {
        model,
        n: own.count() as u64,
        spearman: None,
        spearman_interval: None,
        kendall: None,
        kendall_interval: None,
    }
}
