//! Means over tasks and their differences, with percentile-bootstrap intervals: tasks are resampled, and
//! within each drawn task its ratings (docs/statistics.md, "Means and their intervals").

use model::stats::{Estimate, Gap, Joint, Known, Undefined};
use rand_chacha::ChaCha8Rng;

use super::{
    random::{Draws, TASKS, percentile, pick, transpose},
    task_adjusted::Solver,
};

/// The scores of one model's outputs for one task, on one dimension.
pub type Cell = Vec<f64>;

/// One model's ratings on one dimension.
#[derive(Clone, Copy, Debug)]
pub struct KeyedCells<'a> {
    /// The model's key, above 0. It selects the random stream, so other models do not change this model's draws.
    pub key: u64,
    /// One cell per task, in the same order for all models. May be shorter if the last tasks have no ratings.
    pub tasks: &'a [Cell],
}

/// The mean over tasks of the mean over ratings. Tasks without ratings are skipped; `None` if all are.
pub fn mean(tasks: &[Cell]) -> Option<f64> {
    average(tasks.iter().filter_map(|cell| average(cell.iter().copied())))
}

/// The mean difference, first minus second, over the tasks with ratings of both models, and the number of
/// those tasks.
pub fn difference(first: &[Cell], second: &[Cell]) -> (Option<f64>, u64) {
    let each = differences(first, second);
    (average(each.iter().copied()), each.len() as u64)
}

/// The difference of the means for each task with ratings of both models.
pub fn differences(first: &[Cell], second: &[Cell]) -> Vec<f64> {
    let each = first.iter().zip(second);
    each.filter_map(|(a, b)| Some(average(a.iter().copied())? - average(b.iter().copied())?)).collect()
}

/// Every model's mean and every pairwise difference, from the same drawn tasks.
pub fn joint(models: &[KeyedCells], draws: Draws) -> Joint {
    let pairs = (0..models.len()).flat_map(|a| (a + 1..models.len()).map(move |b| (a, b)));
    figures(models, &pairs.collect::<Vec<_>>(), draws)
}

/// Every model's mean as in [`joint`], without the differences: a thousand models have half a million pairs.
pub fn means(models: &[KeyedCells], draws: Draws) -> Vec<Known<Estimate>> {
    figures(models, &[], draws).means
}

/// Every model's mean and these pairs' differences, from the same drawn tasks.
fn figures(models: &[KeyedCells], pairs: &[(usize, usize)], draws: Draws) -> Joint {
    let drawn_from = rated_tasks(models);
    let model_cells: Vec<ModelCells> = models.iter().map(|m| ModelCells::of(m, &drawn_from)).collect();
    let columns = resample(&model_cells, pairs, drawn_from.len(), draws);
    let mut columns = columns.into_iter();
    // Takes one column per figure, in the order in which they were filled.
    let mut next = |value, tasks| estimate(value, tasks, columns.next().unwrap_or_default());
    let means = models.iter().zip(&model_cells).map(|(m, g)| next(mean(m.tasks), g.rated())).collect();
    let gap = |&(a, b): &(usize, usize)| {
        let (value, tasks) = difference(models[a].tasks, models[b].tasks);
        let difference = next(value, tasks as usize);
        Gap { first: a, second: b, tasks: u32::try_from(tasks).unwrap_or(u32::MAX), difference }
    };
    Joint { means, differences: pairs.iter().map(gap).collect() }
}

/// Every model's task-adjusted mean, from the same drawn tasks and ratings as [`joint`]; `None` if all models with
/// ratings have the same tasks, so that it is the mean.
pub fn task_adjusted(models: &[KeyedCells], draws: Draws) -> Option<Vec<Known<Estimate>>> {
    let drawn_from = rated_tasks(models);
    let model_cells: Vec<ModelCells> = models.iter().map(|m| ModelCells::of(m, &drawn_from)).collect();
    let is_complete = |m: &ModelCells| m.rated() == drawn_from.len() || m.rated() == 0;
    if model_cells.iter().all(is_complete) {
        return None;
    }
    let (count, tasks) = (models.len(), drawn_from.len());
    let rows = draws.blocks(|block, size| {
        let mut solver = Solver::new(count, tasks);
        let mut rows = vec![f64::NAN; count * size as usize];
        let mut rows_left = rows.chunks_exact_mut(count);
        each_resample(&model_cells, tasks, draws, (block, size), |values| {
            if let Some(row) = rows_left.next() {
                solver.means(values, row);
            }
        });
        rows
    });
    let cell_mean = |cells: &KeyedCells, task: usize| {
        cells.tasks.get(task).and_then(|cell| average(cell.iter().copied())).unwrap_or(f64::NAN)
    };
    let values = models.iter().map(|m| drawn_from.iter().map(|task| cell_mean(m, *task)).collect());
    let mut means = vec![f64::NAN; count];
    Solver::new(count, tasks).means(&values.collect::<Vec<_>>(), &mut means);
    let each = model_cells.iter().zip(means).zip(transpose(&rows, count));
    Some(
        each.map(|((cells, mean), column)| estimate((!mean.is_nan()).then_some(mean), cells.rated(), column)).collect(),
    )
}

/// The tasks with ratings of any model.
fn rated_tasks(models: &[KeyedCells]) -> Vec<usize> {
    let tasks = models.iter().map(|m| m.tasks.len()).max().unwrap_or(0);
    let rated = |task: usize| models.iter().any(|m| m.tasks.get(task).is_some_and(|cell| !cell.is_empty()));
    (0..tasks).filter(|task| rated(*task)).collect()
}

/// A figure of `tasks` tasks with the interval of its resamples; without one below two tasks.
fn estimate(value: Option<f64>, tasks: usize, column: Vec<f64>) -> Known<Estimate> {
    let value = value.ok_or(Undefined::Nothing)?;
    let interval = if tasks >= 2 { percentile(column) } else { Err(Undefined::TooFew) };
    Ok(Estimate { value, interval })
}

/// One model's cells, stored contiguously for fast resampling.
struct ModelCells {
    key: u64,
    /// Start of each task's ratings in `values`, followed by the end of the last.
    starts: Vec<u32>,
    values: Vec<f64>,
}

impl ModelCells {
    fn of(model: &KeyedCells, tasks: &[usize]) -> Self {
        let (mut starts, mut values) = (vec![0], Vec::new());
        for task in tasks {
            let mut cell = model.tasks.get(*task).cloned().unwrap_or_default();
            // The order of ratings must not change the result.
            cell.sort_unstable_by(f64::total_cmp);
            values.extend(cell);
            starts.push(values.len() as u32);
        }
        ModelCells { key: model.key, starts, values }
    }

    fn cell(&self, task: usize) -> &[f64] {
        &self.values[self.starts[task] as usize..self.starts[task + 1] as usize]
    }

    fn rated(&self) -> usize {
        self.starts.windows(2).filter(|w| w[0] < w[1]).count()
    }
}

/// One column per model's mean, then one per pair's difference.
fn resample(models: &[ModelCells], pairs: &[(usize, usize)], tasks: usize, draws: Draws) -> Vec<Vec<f64>> {
    let columns = models.len() + pairs.len();
    if columns == 0 || tasks == 0 {
        return vec![Vec::new(); columns];
    }
    // If every model has every task, the paired difference is the difference of the means.
    let complete = models.iter().all(|m| m.rated() == tasks);
    let rows = draws.blocks(|block, size| {
        let mut rows = vec![f64::NAN; columns * size as usize];
        let mut rows_left = rows.chunks_exact_mut(columns);
        each_resample(models, tasks, draws, (block, size), |values| {
            let Some(row) = rows_left.next() else { return };
            let (means, gaps) = row.split_at_mut(models.len());
            for (mean, values) in means.iter_mut().zip(values) {
                *mean =
                    if complete { values.iter().sum::<f64>() / tasks as f64 } else { mean_of(values.iter().copied()) };
            }
            for (gap, (a, b)) in gaps.iter_mut().zip(pairs) {
                *gap = if complete {
                    means[*a] - means[*b]
                } else {
                    mean_of(values[*a].iter().zip(&values[*b]).map(|(a, b)| a - b))
                };
            }
        });
        rows
    });
    transpose(&rows, columns)
}

/// Draws the resamples of a block and passes each on: `values[model][i]` is the model's value of the task drawn as
/// number `i`, NaN if it has none.
fn each_resample(
    models: &[ModelCells],
    tasks: usize,
    draws: Draws,
    (block, size): (u32, u32),
    mut each: impl FnMut(&[Vec<f64>]),
) {
    let mut which = draws.stream(TASKS, block);
    let mut ratings: Vec<ChaCha8Rng> = models.iter().map(|m| draws.stream(m.key, block)).collect();
    let mut drawn = vec![0; tasks];
    let mut values = vec![vec![f64::NAN; tasks]; models.len()];
    for _ in 0..size {
        drawn.fill_with(|| pick(&mut which, tasks));
        for ((model, rng), values) in models.iter().zip(&mut ratings).zip(&mut values) {
            for (value, task) in values.iter_mut().zip(&drawn) {
                *value = draw(rng, model.cell(*task));
            }
        }
        each(&values);
    }
}

/// The mean of a resample of the cell, of the cell's own size; NaN for an empty cell.
fn draw(rng: &mut ChaCha8Rng, cell: &[f64]) -> f64 {
    match cell {
        [] => f64::NAN,
        [only] => *only,
        many => (0..many.len()).map(|_| many[pick(rng, many.len())]).sum::<f64>() / many.len() as f64,
    }
}

/// The mean of the values that are not NaN; NaN if there are none.
fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    average(values.filter(|v| !v.is_nan())).unwrap_or(f64::NAN)
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use model::ratings::Interval;

    use super::*;

    fn mean_interval(tasks: &[Cell], resamples: u32, seed: u64) -> Option<Interval> {
        let found = joint(&[KeyedCells { key: 1, tasks }], Draws { seed, figure: 0, resamples });
        known(*found.means.first()?)
    }

    fn difference_interval(first: &[Cell], second: &[Cell], resamples: u32, seed: u64) -> Option<Interval> {
        let models = [KeyedCells { key: 1, tasks: first }, KeyedCells { key: 2, tasks: second }];
        let found = joint(&models, Draws { seed, figure: 0, resamples });
        known(found.differences.first()?.difference)
    }

    fn known(estimate: Known<Estimate>) -> Option<Interval> {
        estimate.ok()?.interval.ok()
    }

    #[test]
    fn means_weigh_tasks_not_ratings() {
        let check = |tasks: &[Cell], expected: Option<f64>| assert_eq!(mean(tasks), expected, "{tasks:?}");
        check(&[vec![4.0, 2.0], vec![1.0]], Some(2.0));
        check(&[vec![], vec![3.0]], Some(3.0));
        check(&[vec![], vec![]], None);
        check(&[], None);
    }

    #[test]
    fn differences_are_over_shared_tasks() {
        let (first, second) = ([vec![4.0], vec![3.0], vec![]], [vec![2.0], vec![], vec![1.0]]);
        assert_eq!(difference(&first, &second), (Some(2.0), 1));
        assert_eq!(difference_interval(&first, &second, 100, 1), None);
        assert_eq!(difference(&[], &[]), (None, 0));
        assert_eq!(joint(&[], Draws::new(1, 1)), Joint { means: vec![], differences: vec![] });
    }

    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        // 200 tasks, one rating each, half 1 and half 3: the mean's standard error is 1/sqrt(200), so
        // the interval is 2 +- 1.96 * 0.0707 = 2 +- 0.1386; with 4,000 resamples its ends scatter by
        // some 0.004.
        let tasks: Vec<Cell> = (0..200).map(|i| vec![if i % 2 == 0 { 1.0 } else { 3.0 }]).collect();
        let i = mean_interval(&tasks, 4000, 42).unwrap();
        assert!((i.low - 1.8614).abs() < 0.02 && (i.high - 2.1386).abs() < 0.02, "{i:?}");
        assert_eq!(mean_interval(&tasks, 4000, 42), Some(i), "the same seed gives the same interval");
        assert_ne!(mean_interval(&tasks, 4000, 43), Some(i), "another seed gives another");
        // No variation, no width.
        let flat: Vec<Cell> = vec![vec![2.0, 2.0]; 5];
        assert_eq!(mean_interval(&flat, 100, 1), Some(Interval { low: 2.0, high: 2.0 }));
    }

    #[test]
    fn ratings_are_resampled_too() {
        // 100 tasks alike, two ratings each, 1 and 3: only the raters' draw varies, and a task's mean has
        // variance 1/2, so the interval is 2 +- 1.96 * sqrt(0.5 / 100) = 2 +- 0.1386.
        let tasks: Vec<Cell> = vec![vec![1.0, 3.0]; 100];
        let i = mean_interval(&tasks, 4000, 5).unwrap();
        assert!((i.low - 1.8614).abs() < 0.02 && (i.high - 2.1386).abs() < 0.02, "{i:?}");
    }

    #[test]
    fn difficulty_of_a_task_cancels_out() {
        let first: Vec<Cell> = (0..50).map(|i| vec![f64::from(i % 4) + 1.0]).collect();
        let second: Vec<Cell> = (0..50).map(|i| vec![f64::from(i % 4)]).collect();
        assert_eq!(difference_interval(&first, &second, 500, 3), Some(Interval { low: 1.0, high: 1.0 }));
    }
}
