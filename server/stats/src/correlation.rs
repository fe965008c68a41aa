//! Correlation of test results and ratings (docs/statistics.md, "Tests and human ratings").

use std::collections::{BTreeMap, BTreeSet};

use model::stats::{Correlation, Estimate, Known, Undefined};

use super::random::{Draws, percentile};

/// One output with a pass ratio and a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Index of the task. Resampling draws a task with all its points.
    pub task: usize,
    /// Pass ratio.
    pub x: f64,
    /// Mean score.
    pub y: f64,
}

/// Spearman's rho and Kendall's tau-b with their intervals.
pub fn correlation(points: &[Point], draws: Draws) -> Correlation {
    let table = ContingencyTable::of(points);
    let mut all = [f64::NAN; 2];
    table.figures(&mut table.buffers(), &vec![1; table.tasks], &mut all);
    let n = u32::try_from(points.len()).unwrap_or(u32::MAX);
    let why = match points.len() {
        0 => Some(Undefined::Nothing),
        1 => Some(Undefined::TooFew),
        _ if !all[0].is_finite() => Some(Undefined::NoVariation),
        _ => None,
    };
    if let Some(why) = why {
        return Correlation { n, spearman: Err(why), kendall: Err(why) };
    }
    let mut columns = if table.tasks >= 2 {
        draws
            .columns(table.tasks, 2, || table.buffers(), |buffers, counts, row| table.figures(buffers, counts, row))
            .into_iter()
    } else {
        Vec::new().into_iter()
    };
    let mut estimate = |value: f64| -> Known<Estimate> {
        let interval = columns.next().map_or(Err(Undefined::TooFew), percentile);
        Ok(Estimate { value, interval })
    };
    Correlation { n, spearman: estimate(all[0]), kendall: estimate(all[1]) }
}

/// The points as a contingency table: outputs with equal values share a cell, and a resample is a count per
/// cell. There are far fewer distinct values than outputs.
struct ContingencyTable {
    tasks: usize,
    /// Ranks of x and y.
    cells: Vec<(usize, usize)>,
    /// The cells of each task's points, task after task, and the end of each task's range.
    of_tasks: Vec<u32>,
    ends: Vec<usize>,
    levels: (usize, usize),
}

/// Buffers for one resample.
struct Buffers {
    times: Vec<u32>,
    by_x: Vec<f64>,
    by_y: Vec<f64>,
}

impl ContingencyTable {
    fn of(points: &[Point]) -> Self {
        let tasks = places(points.iter().map(|p| p.task as i64));
        let (x, y) = (places(points.iter().map(|p| grains(p.x))), places(points.iter().map(|p| grains(p.y))));
        let mut placed: Vec<(usize, (usize, usize))> =
            points.iter().map(|p| (tasks[&(p.task as i64)], (x[&grains(p.x)], y[&grains(p.y)]))).collect();
        placed.sort_unstable();
        let cells: BTreeSet<(usize, usize)> = placed.iter().map(|(_, cell)| *cell).collect();
        let cells: Vec<(usize, usize)> = cells.into_iter().collect();
        // Every point's cell is in the list.
        let number = |cell| cells.binary_search(cell).unwrap_or_default() as u32;
        let of_tasks = placed.iter().map(|(_, cell)| number(cell)).collect();
        let ends = (0..tasks.len()).map(|task| placed.partition_point(|(of, _)| *of <= task)).collect();
        ContingencyTable { tasks: tasks.len(), of_tasks, ends, levels: (x.len(), y.len()), cells }
    }

    fn buffers(&self) -> Buffers {
        Buffers { times: vec![0; self.cells.len()], by_x: vec![0.0; self.levels.0], by_y: vec![0.0; self.levels.1] }
    }

    /// Rho and tau-b with each task counted as often as drawn; NaN if a variable does not vary.
    fn figures(&self, buffers: &mut Buffers, counts: &[u32], row: &mut [f64]) {
        let Buffers { times, by_x, by_y } = buffers;
        times.fill(0);
        let mut begin = 0;
        for (end, count) in self.ends.iter().zip(counts) {
            for cell in &self.of_tasks[begin..*end] {
                times[*cell as usize] += count;
            }
            begin = *end;
        }
        by_x.fill(0.0);
        by_y.fill(0.0);
        for ((x, y), times) in self.cells.iter().zip(&*times) {
            by_x[*x] += f64::from(*times);
            by_y[*y] += f64::from(*times);
        }
        row[0] = self.spearman(times, by_x, by_y);
        row[1] = self.kendall(times, by_x, by_y);
    }

    fn spearman(&self, times: &[u32], by_x: &[f64], by_y: &[f64]) -> f64 {
        let n: f64 = by_x.iter().sum();
        let center = (n + 1.0) / 2.0;
        let ranks = |by: &[f64]| -> Vec<f64> {
            let mut before = 0.0;
            by.iter()
                .map(|count| {
                    let rank = before + (count + 1.0) / 2.0 - center;
                    before += count;
                    rank
                })
                .collect()
        };
        let (rx, ry) = (ranks(by_x), ranks(by_y));
        let spread = |by: &[f64], ranks: &[f64]| by.iter().zip(ranks).map(|(n, r)| n * r * r).sum::<f64>();
        let cells = self.cells.iter().zip(times);
        let both: f64 = cells.map(|((x, y), times)| f64::from(*times) * rx[*x] * ry[*y]).sum();
        let scale = (spread(by_x, &rx) * spread(by_y, &ry)).sqrt();
        if scale > 0.0 { both / scale } else { f64::NAN }
    }

    fn kendall(&self, times: &[u32], by_x: &[f64], by_y: &[f64]) -> f64 {
        let pairs = |n: f64| n * (n - 1.0) / 2.0;
        let tied = |by: &[f64]| by.iter().map(|n| pairs(*n)).sum::<f64>();
        let all = pairs(by_x.iter().sum());
        let (tied_x, tied_y) = (tied(by_x), tied(by_y));
        let mut tied_both = 0.0;
        let mut concordant = 0.0;
        // A Fenwick tree counts the points with a smaller x by their y in logarithmic time.
        let mut below = Fenwick::new(self.levels.1);
        let mut at = 0;
        for same_x in self.cells.chunk_by(|a, b| a.0 == b.0) {
            let times = &times[at..at + same_x.len()];
            at += same_x.len();
            for ((_, y), times) in same_x.iter().zip(times) {
                let times = f64::from(*times);
                tied_both += pairs(times);
                concordant += times * below.before(*y);
            }
            for ((_, y), times) in same_x.iter().zip(times) {
                below.add(*y, f64::from(*times));
            }
        }
        let discordant = all - tied_x - tied_y + tied_both - concordant;
        let scale = ((all - tied_x) * (all - tied_y)).sqrt();
        if scale > 0.0 { (concordant - discordant) / scale } else { f64::NAN }
    }
}

/// Prefix sums.
struct Fenwick(Vec<f64>);

impl Fenwick {
    fn new(size: usize) -> Self {
        Fenwick(vec![0.0; size + 1])
    }

    fn add(&mut self, place: usize, value: f64) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += value;
            at += at & at.wrapping_neg();
        }
    }

    fn before(&self, place: usize) -> f64 {
        let (mut at, mut sum) = (place, 0.0);
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

fn places(values: impl Iterator<Item = i64>) -> BTreeMap<i64, usize> {
    values.collect::<BTreeSet<_>>().into_iter().enumerate().map(|(place, value)| (value, place)).collect()
}

/// Rounds so that equal means of thirds, which differ in the last binary digit, stay ties.
fn grains(value: f64) -> i64 {
    (value * 1e9).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(f64, f64)]) -> Vec<Point> {
        values.iter().enumerate().map(|(task, (x, y))| Point { task, x: *x, y: *y }).collect()
    }

    #[test]
    fn undefined_figures_have_a_reason() {
        let check = |values: &[(f64, f64)], why| {
            let found = correlation(&points(values), Draws::new(1, 1));
            assert_eq!((found.spearman, found.kendall), (Err(why), Err(why)), "{values:?}");
        };
        check(&[], Undefined::Nothing);
        check(&[(1.0, 1.0)], Undefined::TooFew);
        check(&[(1.0, 1.0), (1.0, 2.0)], Undefined::NoVariation);
        // Two outputs of one task: a figure, but nothing to resample.
        let one = [Point { task: 4, x: 0.0, y: 1.0 }, Point { task: 4, x: 1.0, y: 2.0 }];
        let found = correlation(&one, Draws::new(1, 1)).spearman;
        assert_eq!(found, Ok(Estimate { value: 1.0, interval: Err(Undefined::TooFew) }));
    }

    #[test]
    fn perfect_correlation_has_no_width() {
        let rising: Vec<(f64, f64)> = (0..30).map(|i| (f64::from(i), f64::from(i * i))).collect();
        let found = correlation(&points(&rising), Draws { resamples: 500, ..Draws::new(1, 1) });
        let (rho, tau) = (found.spearman.unwrap(), found.kendall.unwrap());
        assert!((rho.value - 1.0).abs() < 1e-12 && (tau.value - 1.0).abs() < 1e-12);
        assert!((rho.interval.unwrap().low - 1.0).abs() < 1e-12 && (tau.interval.unwrap().low - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_interval_is_as_wide_as_theory_says() {
        // Pearson's correlation of 400 independent ranks has standard error 1/sqrt(399) = 0.0501.
        let value = |i: u32, prime: u32| f64::from(i * prime % 401);
        let apart: Vec<(f64, f64)> = (1..=400).map(|i| (value(i, 19), value(i * i % 401, 7))).collect();
        let found = correlation(&points(&apart), Draws { resamples: 2000, ..Draws::new(1, 1) }).spearman.unwrap();
        let i = found.interval.unwrap();
        assert!((i.high - i.low - 2.0 * 1.96 * 0.0501).abs() < 0.03, "{i:?}");
    }
}
