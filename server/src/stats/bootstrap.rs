//! Means over tasks with percentile-bootstrap intervals: tasks are resampled, and within each drawn
//! task its ratings (docs/statistics.md, "Means and their intervals").

use app::model::comparison::Interval;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The ratings that one model's outputs of one task got on one dimension.
pub type Cell = Vec<f64>;

/// The share of resamples left outside on each side of a 95 % interval.
const TAIL: f64 = 0.025;

/// The mean over tasks of the mean over ratings. Tasks without ratings do not count; `None` without
/// any.
pub fn mean(tasks: &[Cell]) -> Option<f64> {
    average(tasks.iter().filter_map(|cell| average(cell.iter().copied())))
}

/// The 95 % interval of [`mean`]; `None` with fewer than two tasks that have ratings.
pub fn mean_interval(tasks: &[Cell], resamples: u32, seed: u64) -> Option<Interval> {
    let rated: Vec<&Cell> = tasks.iter().filter(|cell| !cell.is_empty()).collect();
    interval(rated.len(), resamples, seed, |rng, i| draw(rng, rated[i]))
}

/// The mean over tasks that both have ratings for, of the first's mean minus the second's; with how
/// many such tasks there are.
pub fn difference(first: &[Cell], second: &[Cell]) -> (Option<f64>, u64) {
    let pairs = paired(first, second);
    let each = pairs.iter().filter_map(|(a, b)| Some(average(a.iter().copied())? - average(b.iter().copied())?));
    (average(each), pairs.len() as u64)
}

/// The 95 % interval of [`difference`]: a drawn task brings both its cells. `None` with fewer than two
/// such tasks.
pub fn difference_interval(first: &[Cell], second: &[Cell], resamples: u32, seed: u64) -> Option<Interval> {
    let pairs = paired(first, second);
    interval(pairs.len(), resamples, seed, |rng, i| {
        let (a, b) = pairs[i];
        draw(rng, a) - draw(rng, b)
    })
}

fn paired<'a>(first: &'a [Cell], second: &'a [Cell]) -> Vec<(&'a Cell, &'a Cell)> {
    first.iter().zip(second).filter(|(a, b)| !a.is_empty() && !b.is_empty()).collect()
}

/// The percentile interval of the mean over `n` units, where `value` draws a unit's figure.
fn interval(n: usize, resamples: u32, seed: u64, value: impl Fn(&mut ChaCha8Rng, usize) -> f64) -> Option<Interval> {
    if n < 2 || resamples == 0 {
        return None;
    }
    // ChaCha's stream for a seed is fixed for good; the library's default generator is not.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let sum: f64 = (0..n)
                .map(|_| {
                    let unit = rng.random_range(0..n);
                    value(&mut rng, unit)
                })
                .sum();
            sum / n as f64
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Some(Interval { low: quantile(&means, TAIL), high: quantile(&means, 1.0 - TAIL) })
}

/// The mean of as many ratings as the cell has, drawn from it with replacement. One rating is itself.
fn draw(rng: &mut ChaCha8Rng, cell: &Cell) -> f64 {
    match cell.as_slice() {
        [only] => *only,
        many => (0..many.len()).map(|_| many[rng.random_range(0..many.len())]).sum::<f64>() / many.len() as f64,
    }
}

/// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, numpy's default).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // What never varies has no width.
        let flat: Vec<Cell> = vec![vec![2.0, 2.0]; 5];
        assert_eq!(mean_interval(&flat, 100, 1), Some(Interval { low: 2.0, high: 2.0 }));
    }

    #[test]
    fn quantiles_interpolate() {
        let check = |q, expected: f64| assert!((quantile(&[1.0, 2.0, 4.0, 8.0], q) - expected).abs() < 1e-12, "{q}");
        check(0.0, 1.0);
        check(0.25, 1.75);
        check(0.5, 3.0);
        check(1.0, 8.0);
    }
}
