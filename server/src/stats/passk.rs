//! The automated figures: `pass@k` and `AvgPassRatio`, as docs/statistics.md defines them.

use app::model::run::{Metrics, PassAtK};

/// What one sample of one task came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Whether it passed every test case.
    pub solved: bool,
    /// Test cases passed over test cases as the tests reported it; 0 where there is no such figure.
    /// An anomaly can exceed 1.
    pub ratio: f64,
}

/// The figures over all tasks that have tests. A task without a sample counts 0 throughout; one with
/// several counts by their mean.
pub fn metrics(tasks: &[Vec<Sample>]) -> Metrics {
    let mean = |samples: &[Sample], value: fn(&Sample) -> f64| match samples.len() {
        0 => 0.0,
        n => samples.iter().map(value).sum::<f64>() / n as f64,
    };
    let sum = |value: fn(&Sample) -> f64| tasks.iter().map(|samples| mean(samples, value)).sum::<f64>();
    let count = |of: &dyn Fn(&Vec<Sample>) -> bool| u32::try_from(tasks.iter().filter(|t| of(t)).count()).unwrap_or(0);
    let over = |sum: f64| if tasks.is_empty() { 0.0 } else { sum / tasks.len() as f64 };
    let (ratio_sum, clamped) = (sum(|s| s.ratio), sum(|s| s.ratio.clamp(0.0, 1.0)));
    Metrics {
        tasks: count(&|_| true),
        answered: count(&|samples| !samples.is_empty()),
        solved: count(&|samples| samples.first().is_some_and(|s| s.solved)),
        pass_at_1: over(sum(|s| f64::from(u8::from(s.solved)))),
        ratio_sum,
        ratio_mean: over(ratio_sum),
        ratio_sum_clamped: clamped,
        ratio_mean_clamped: over(clamped),
    }
}

/// `pass@k` for every k up to the smallest number of samples that an answered task has; empty where
/// that is less than two. Tasks without a sample count 0.
pub fn pass_at(tasks: &[Vec<Sample>]) -> Vec<PassAtK> {
    let fewest = tasks.iter().map(Vec::len).filter(|&n| n > 0).min().unwrap_or(0);
    if fewest < 2 {
        return Vec::new();
    }
    let chance = |samples: &Vec<Sample>, k: usize| match samples.len() {
        0 => 0.0,
        n => pass_at_k(n, samples.iter().filter(|s| s.solved).count(), k),
    };
    let value = |k: usize| tasks.iter().map(|samples| chance(samples, k)).sum::<f64>() / tasks.len() as f64;
    (1..=fewest).map(|k| PassAtK { k: u32::try_from(k).unwrap_or(u32::MAX), value: value(k) }).collect()
}

/// The unbiased estimate of the chance that one of k samples passes, when c of n did:
/// `1 − C(n−c, k) / C(n, k)`, as a product so that no factorial overflows.
fn pass_at_k(n: usize, c: usize, k: usize) -> f64 {
    if n - c < k {
        return 1.0;
    }
    1.0 - (n - c + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(passed: u32, total: u32) -> Sample {
        Sample { solved: passed == total, ratio: f64::from(passed) / f64::from(total) }
    }

    #[test]
    fn counts_missing_tasks_as_nothing_and_shows_anomalies_both_ways() {
        let found = metrics(&[vec![sample(4, 4)], vec![sample(1, 4)], vec![sample(7, 4)], vec![]]);
        let expected = Metrics {
            tasks: 4,
            answered: 3,
            solved: 1,
            pass_at_1: 0.25,
            ratio_sum: 3.0,
            ratio_mean: 0.75,
            ratio_sum_clamped: 2.25,
            ratio_mean_clamped: 0.5625,
        };
        assert_eq!(found, expected);
        assert_eq!(metrics(&[]), Metrics::default());
    }

    #[test]
    fn estimates_pass_at_k_as_the_formula_says() {
        // The quotient of binomials, computed the long way.
        let choose = |n: usize, k: usize| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        for n in 1..12 {
            for c in 0..=n {
                for k in 1..=n {
                    let direct = if n - c < k { 1.0 } else { 1.0 - choose(n - c, k) / choose(n, k) };
                    assert!((pass_at_k(n, c, k) - direct).abs() < 1e-12, "n={n} c={c} k={k}");
                }
            }
        }
        let tasks = [vec![sample(1, 1), sample(0, 1), sample(0, 1)], vec![sample(0, 1), sample(0, 1)], vec![]];
        let found = pass_at(&tasks);
        assert_eq!(found.len(), 2);
        assert!((found[0].value - (1.0 / 3.0) / 3.0).abs() < 1e-12);
        assert!((found[1].value - (2.0 / 3.0) / 3.0).abs() < 1e-12);
        assert_eq!(pass_at(&[vec![sample(1, 1)]]), []);
    }
}
