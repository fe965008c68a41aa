//! Paired tests and effect sizes for two models over their common tasks, and the number of further ratings
//! needed (docs/statistics.md, "Differences between models").

use model::stats::{Known, McNemar, Method, Needed, Paired, Permutation, Undefined, Wilcoxon};
use rand::RngCore;
use statrs::function::erf::erfc;

use super::{
    bootstrap::{Cell, differences},
    random::{Draws, SIGNS},
};

/// Up to this many non-zero differences, Wilcoxon's test is exact. scipy uses the same limit, and 2^50 is
/// still exact in an f64.
const EXACT_RANKS: usize = 50;
/// Up to this many non-zero differences, the permutation test enumerates all 2^20 sign assignments.
const EXACT_SIGNS: usize = 20;
/// Differences are rounded to multiples of this: equal means of thirds differ in the last binary digit.
const GRAIN: f64 = 1e-9;
/// Sum of the normal quantiles for a two-sided level of 5 % and a power of 80 %.
const REACH: f64 = 1.959_963_984_540_054 + 0.841_621_233_572_914_2;

/// All figures for two models on one dimension. Both slices cover the same tasks in the same order.
pub fn paired(first: &[Cell], second: &[Cell], draws: Draws) -> Known<Paired> {
    let each = differences(first, second);
    if each.is_empty() {
        return Err(Undefined::Nothing);
    }
    let wilcoxon = wilcoxon(&each);
    Ok(Paired {
        tasks: u32::try_from(each.len()).unwrap_or(u32::MAX),
        mean: mean(&each),
        permutation: permutation(&each, draws),
        rank_biserial: rank_biserial(&wilcoxon),
        cohen_dz: cohen_dz(&each),
        cliff_delta: cliff_delta(first, second),
        needed: needed(first, second),
        wilcoxon,
    })
}

/// Wilcoxon's signed-rank test. Zeros are dropped and ties get mid-ranks. Exact for at most 50 non-zero
/// differences, otherwise the normal approximation with tie correction.
pub fn wilcoxon(differences: &[f64]) -> Wilcoxon {
    let grains: Vec<i64> = differences.iter().map(|d| grains(*d)).filter(|d| *d != 0).collect();
    let mut sizes: Vec<i64> = grains.iter().map(|d| d.abs()).collect();
    sizes.sort_unstable();
    // Doubled mid-ranks are integers.
    let doubled = |size: i64| {
        let (before, upto) = (sizes.partition_point(|s| *s < size), sizes.partition_point(|s| *s <= size));
        before + upto + 1
    };
    let sum = |sign: i64| grains.iter().filter(|d| d.signum() == sign).map(|d| doubled(d.abs())).sum::<usize>();
    let (plus, minus) = (sum(1), sum(-1));
    let n = grains.len();
    let (p, method) = if n <= EXACT_RANKS {
        let ranks: Vec<usize> = sizes.iter().map(|s| doubled(*s)).collect();
        (exact_ranks(&ranks, plus.min(minus)), Method::Exact)
    } else {
        (normal_ranks(&sizes, plus.min(minus) as f64 / 2.0), Method::Normal)
    };
    Wilcoxon {
        n: u32::try_from(n).unwrap_or(u32::MAX),
        zeros: u32::try_from(differences.len() - n).unwrap_or(u32::MAX),
        plus: plus as f64 / 2.0,
        minus: minus as f64 / 2.0,
        p,
        method,
    }
}

/// Twice the share of sign assignments whose sum of positive (doubled) ranks is at most `least`.
fn exact_ranks(doubled: &[usize], least: usize) -> f64 {
    let mut ways = vec![0.0; doubled.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    let mut reach = 0;
    for rank in doubled {
        reach += rank;
        for sum in (*rank..=reach).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all: f64 = ways.iter().sum();
    (2.0 * ways[..=least].iter().sum::<f64>() / all).min(1.0)
}

fn normal_ranks(sorted: &[i64], statistic: f64) -> f64 {
    let n = sorted.len() as f64;
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|tie| (tie.len() as f64).powi(3) - tie.len() as f64).sum();
    let spread = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0).sqrt();
    two_sided((statistic - n * (n + 1.0) / 4.0) / spread)
}

/// Two-sided tail probability of the standard normal at `z`.
fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The sign-flip permutation test of the mean difference: exact for at most 20 non-zero differences, Monte
/// Carlo otherwise.
pub fn permutation(differences: &[f64], draws: Draws) -> Permutation {
    let grains: Vec<i64> = differences.iter().map(|d| grains(*d)).filter(|d| *d != 0).collect();
    // Each rounded number can be off by half a grain.
    let observed = grains.iter().sum::<i64>().abs() - grains.len() as i64;
    if grains.len() <= EXACT_SIGNS {
        let all = 1u64 << grains.len();
        let mut sum: i64 = grains.iter().sum();
        let mut negative = 0u64;
        let mut hits = 1u64;
        // A Gray code changes one sign at a time.
        for step in 1..all {
            let at = step.trailing_zeros() as usize;
            negative ^= 1 << at;
            sum += if negative >> at & 1 == 1 { -2 * grains[at] } else { 2 * grains[at] };
            hits += u64::from(sum.abs() >= observed);
        }
        return Permutation { p: hits as f64 / all as f64, method: Method::Exact, looked_at: all };
    }
    let hits: u64 = draws
        .blocks(|block, size| {
            let mut rng = draws.stream(SIGNS, block);
            let drawn = || {
                let flip = |part: &[i64]| {
                    let signs = rng.next_u64();
                    part.iter().enumerate().map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d }).sum::<i64>()
                };
                u64::from(grains.chunks(64).map(flip).sum::<i64>().abs() >= observed)
            };
            std::iter::repeat_with(drawn).take(size as usize).sum::<u64>()
        })
        .into_iter()
        .sum();
    let looked_at = u64::from(draws.resamples) + 1;
    Permutation { p: (hits + 1) as f64 / looked_at as f64, method: Method::MonteCarlo, looked_at }
}

/// The matched-pairs rank-biserial correlation, (W⁺ − W⁻) / (W⁺ + W⁻).
pub fn rank_biserial(test: &Wilcoxon) -> Known<f64> {
    if test.n == 0 { Err(Undefined::NoVariation) } else { Ok((test.plus - test.minus) / (test.plus + test.minus)) }
}

/// Cohen's d_z: the mean difference divided by the standard deviation of the differences.
pub fn cohen_dz(differences: &[f64]) -> Known<f64> {
    if differences.len() < 2 {
        return Err(Undefined::TooFew);
    }
    let spread = variance(differences).sqrt();
    if spread < GRAIN { Err(Undefined::NoVariation) } else { Ok(mean(differences) / spread) }
}

/// Cliff's delta between the two models' task means over their common tasks; 0 without common tasks.
pub fn cliff_delta(first: &[Cell], second: &[Cell]) -> f64 {
    let shared = || first.iter().zip(second).filter(|(a, b)| !a.is_empty() && !b.is_empty());
    let ordered = |means: Vec<f64>| {
        let mut all: Vec<i64> = means.into_iter().map(grains).collect();
        all.sort_unstable();
        all
    };
    let a = ordered(shared().map(|(a, _)| mean(a)).collect());
    let b = ordered(shared().map(|(_, b)| mean(b)).collect());
    if a.is_empty() {
        return 0.0;
    }
    let ahead = |v: &i64| {
        let (below, not_above) = (b.partition_point(|w| w < v), b.partition_point(|w| w <= v));
        below as i64 - (b.len() - not_above) as i64
    };
    a.iter().map(ahead).sum::<i64>() as f64 / (a.len() as f64 * b.len() as f64)
}

/// Approximate number of ratings needed to confirm the observed difference with a power of 80 %.
pub fn needed(first: &[Cell], second: &[Cell]) -> Known<Needed> {
    let shared: Vec<(&Cell, &Cell)> =
        first.iter().zip(second).filter(|(a, b)| !a.is_empty() && !b.is_empty()).collect();
    let each: Vec<f64> = shared.iter().map(|(a, b)| mean(a) - mean(b)).collect();
    let difference = if each.is_empty() { return Err(Undefined::Nothing) } else { mean(&each) };
    if each.len() < 2 {
        return Err(Undefined::TooFew);
    }
    if grains(difference) == 0 {
        return Err(Undefined::NoVariation);
    }
    let (n, spread) = (each.len() as f64, variance(&each));
    let allowed = (difference / REACH).powi(2);
    let tasks = whole(spread / allowed).max(2);
    let ratings: usize = shared.iter().map(|(a, b)| a.len() + b.len()).sum();
    let beyond = tasks.saturating_sub(each.len() as u64);
    let more_ratings = whole(beyond as f64 * ratings as f64 / n);
    Ok(Needed { tasks, more_ratings, per_task: per_task(&shared, spread, allowed * n) })
}

/// Ratings per model and task that reduce the variance of the differences to `allowed`.
fn per_task(shared: &[(&Cell, &Cell)], spread: f64, allowed: f64) -> Known<u64> {
    let first = within(shared.iter().map(|(a, _)| *a));
    let second = within(shared.iter().map(|(_, b)| *b));
    if first.is_none() && second.is_none() {
        return Err(Undefined::NoPairs);
    }
    let (first, second) = (first.unwrap_or(0.0), second.unwrap_or(0.0));
    let n = shared.len() as f64;
    let of_raters = shared.iter().map(|(a, b)| first / a.len() as f64 + second / b.len() as f64).sum::<f64>() / n;
    let now = shared.iter().map(|(a, b)| a.len() + b.len()).sum::<usize>() as f64 / (2.0 * n);
    let room = allowed - (spread - of_raters).max(0.0);
    if room > 0.0 { Ok(whole(of_raters * now / room).max(1)) } else { Err(Undefined::TooFew) }
}

/// The variance of ratings within one task, pooled over the tasks with more than one.
fn within<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<f64> {
    let many = cells.filter(|cell| cell.len() > 1);
    let (sum, freedom) = many.fold((0.0, 0.0), |(sum, freedom), cell| {
        let rest = (cell.len() - 1) as f64;
        (sum + variance(cell) * rest, freedom + rest)
    });
    (freedom > 0.0).then(|| sum / freedom)
}

/// McNemar's test. Each slice says for every task whether the model solved it.
pub fn mcnemar(first: &[bool], second: &[bool]) -> Known<McNemar> {
    if first.is_empty() || second.is_empty() {
        return Err(Undefined::Nothing);
    }
    let count = |wanted: (bool, bool)| first.iter().zip(second).filter(|(a, b)| (**a, **b) == wanted).count();
    let (b, c) = (count((true, false)), count((false, true)));
    let (n, least) = (b + c, b.min(c));
    // C(n, k) / 2^n, computed in logarithms to avoid overflow.
    let mut log = -(n as f64) * std::f64::consts::LN_2;
    let (mut below, mut at) = (0.0, log.exp());
    for k in 1..=least {
        below += at;
        log += ((n - k + 1) as f64 / k as f64).ln();
        at = log.exp();
    }
    let number = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
    Ok(McNemar {
        first_only: number(b),
        second_only: number(c),
        exact: (2.0 * (below + at)).min(1.0),
        mid: if b == c { 1.0 } else { (2.0 * below + at).min(1.0) },
    })
}

fn grains(value: f64) -> i64 {
    (value / GRAIN).round() as i64
}

/// Rounds up, tolerating rounding errors.
fn whole(value: f64) -> u64 {
    (value - 1e-9).ceil().max(0.0) as u64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample variance (divided by n − 1); needs at least two values.
fn variance(values: &[f64]) -> f64 {
    let center = mean(values);
    values.iter().map(|v| (v - center).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: &[f64]) -> Vec<Cell> {
        values.iter().map(|v| vec![*v]).collect()
    }

    #[test]
    fn equal_means_of_thirds_are_ties() {
        // 5/3 − 4/3 and 2/3 − 1/3 differ in their last digit, and 1/3 + 1/3 − 2/3 is not quite zero.
        let found = wilcoxon(&[5.0 / 3.0 - 4.0 / 3.0, 2.0 / 3.0 - 1.0 / 3.0, 4.0 / 3.0 - 5.0 / 3.0]);
        assert_eq!((found.n, found.plus, found.minus), (3, 4.0, 2.0));
    }

    #[test]
    fn equal_models_do_not_differ() {
        let found = paired(&cells(&[1.0, 2.0]), &cells(&[1.0, 2.0]), Draws::new(1, 1)).unwrap();
        assert_eq!((found.wilcoxon.p, found.permutation.p, found.cliff_delta), (1.0, 1.0, 0.0));
        assert_eq!(found.rank_biserial, Err(Undefined::NoVariation));
        assert_eq!(found.cohen_dz, Err(Undefined::NoVariation));
        assert_eq!(found.needed, Err(Undefined::NoVariation));
        assert_eq!(paired(&[vec![]], &cells(&[1.0]), Draws::new(1, 1)), Err(Undefined::Nothing));
    }

    #[test]
    fn drawn_signs_approximate_the_exact_p_value() {
        let each: Vec<f64> = (0..20).map(|i| f64::from(i % 5) - 1.4).collect();
        let exact = permutation(&each, Draws::new(1, 1));
        assert_eq!(exact.method, Method::Exact);
        // One more difference, too small to change anything, switches to drawn signs.
        let more: Vec<f64> = each.into_iter().chain([2e-9]).collect();
        let drawn = permutation(&more, Draws::new(1, 1));
        assert_eq!((drawn.method, drawn.looked_at), (Method::MonteCarlo, 10_001));
        let error = (exact.p * (1.0 - exact.p) / 10_000.0).sqrt();
        assert!((exact.p - drawn.p).abs() < 4.0 * error + 1e-4, "{} {}", exact.p, drawn.p);
    }

    #[test]
    fn no_further_ratings_are_needed_once_significant() {
        // Differences 0 and 1 alternating over 40 tasks: mean 0.5, variance 10/39. Needed: 10/39 *
        // (2.8016/0.5)^2 = 8.05.
        let first: Vec<f64> = (0..40).map(|i| f64::from(i % 2) + 1.0).collect();
        let found = needed(&cells(&first), &cells(&[1.0; 40])).unwrap();
        assert_eq!((found.tasks, found.more_ratings), (9, 0));
        assert_eq!(found.per_task, Err(Undefined::NoPairs));
        // 21 differences of 1 and 19 of -1: mean 0.05, variance 40/39 * (1 - 0.05^2); two ratings per task.
        let first: Vec<f64> = (0..40).map(|i| if i < 21 { 2.0 } else { 0.0 }).collect();
        let found = needed(&cells(&first), &cells(&[1.0; 40])).unwrap();
        let expected = 40.0 / 39.0 * (1.0 - 0.0025) * (REACH / 0.05).powi(2);
        assert_eq!(found.tasks, expected.ceil() as u64);
        assert_eq!(found.more_ratings, (found.tasks - 40) * 2);
    }

    #[test]
    fn more_raters_reduce_only_rater_noise() {
        // Tasks differ only by the raters' noise: more ratings of the same tasks are enough.
        let noisy: Vec<Cell> = (0..30).map(|i| if i % 3 == 0 { vec![2.0, 2.0] } else { vec![1.0, 3.0] }).collect();
        let other: Vec<Cell> = (0..30).map(|i| if i % 2 == 0 { vec![1.0, 2.0] } else { vec![2.0, 2.0] }).collect();
        assert!(needed(&noisy, &other).unwrap().per_task.is_ok());
        // Raters always agree: the tasks differ, and no number of ratings changes that.
        let first: Vec<Cell> = (0..30).map(|i| vec![f64::from(i % 5); 2]).collect();
        let second: Vec<Cell> = (0..30).map(|i| vec![f64::from(i % 4); 2]).collect();
        assert_eq!(needed(&first, &second).unwrap().per_task, Err(Undefined::TooFew));
    }

    #[test]
    fn mcnemar_matches_the_published_example() {
        // Bentur et al.'s airways before and after transplantation, from Fagerland, Lydersen and Laake
        // 2013: 1 and 7 discordant pairs, exact 0.0703, mid-p 0.0391.
        let first: Vec<bool> = (0..21).map(|i| i < 1).collect();
        let second: Vec<bool> = (0..21).map(|i| (1..8).contains(&i)).collect();
        let found = mcnemar(&first, &second).unwrap();
        assert_eq!((found.first_only, found.second_only), (1, 7));
        assert!((found.exact - 0.0703).abs() < 5e-5 && (found.mid - 0.0391).abs() < 5e-5, "{found:?}");
        let same = mcnemar(&[true, false], &[false, true]).unwrap();
        assert_eq!((same.exact, same.mid), (1.0, 1.0));
        assert_eq!(mcnemar(&[], &[]), Err(Undefined::Nothing));
    }
}
