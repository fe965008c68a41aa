//! `pass@k` and `AvgPassRatio` (docs/statistics.md).

use std::collections::{BTreeMap, BTreeSet};

use model::{
    run::{Metrics, PassAtK, PublishedVerdict, Verdict},
    stats::{Automated, Estimate, Joint, Known, Undefined},
};

use super::{
    bootstrap::{Cell, KeyedCells, joint},
    paired::mcnemar,
    random::Draws,
};

/// The result of one sample of one task. In a conversation, samples of a task are answers to the same turn; answers to
/// different turns are different work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Whether it passed every test case.
    pub solved: bool,
    /// Test cases passed divided by test cases, as reported; 0 if the tests reported nothing. Exceeds 1 for an
    /// anomaly.
    pub ratio: f64,
    /// The turn that it answers; 0 if the task is no conversation.
    pub turn: u32,
}

impl Sample {
    /// By the guarded verdict. Counts of test cases are used as reported if the tests finished; those of a tampered result
    /// are not.
    pub fn guarded(verdict: Verdict, passed: u32, total: u32) -> Sample {
        let ratio = match verdict {
            Verdict::Passed | Verdict::Failed | Verdict::Anomaly if total > 0 => f64::from(passed) / f64::from(total),
            _ => 0.0,
        };
        Sample { solved: verdict == Verdict::Passed, ratio, turn: 0 }
    }

    /// By the verdict as published: passed or not.
    pub fn published(verdict: Option<PublishedVerdict>) -> Sample {
        let solved = verdict == Some(PublishedVerdict::Passed);
        Sample { solved, ratio: f64::from(u8::from(solved)), turn: 0 }
    }
}

/// The samples of a task's outputs that count in figures; an output that does not count, because it cannot be judged, is
/// `None`. A task does not count, and the result is `None`, if it has outputs and none of them counts. A task without an
/// output counts.
pub fn counted(outputs: impl IntoIterator<Item = Option<Sample>>) -> Option<Vec<Sample>> {
    let mut outputs = outputs.into_iter().peekable();
    let has_outputs = outputs.peek().is_some();
    let samples: Vec<Sample> = outputs.flatten().collect();
    (!has_outputs || !samples.is_empty()).then_some(samples)
}

/// The figures over all tasks with tests. A task without a sample, that is a missing output, counts 0 in every
/// figure; a task with several samples counts with their mean, `pass@1` of a conversation with the mean over its turns.
pub fn metrics(tasks: &[Vec<Sample>]) -> Metrics {
    let mean = |samples: &[Sample], value: fn(&Sample) -> f64| match samples.len() {
        0 => 0.0,
        n => samples.iter().map(value).sum::<f64>() / n as f64,
    };
    let sum = |value: fn(&Sample) -> f64| tasks.iter().map(|samples| mean(samples, value)).sum::<f64>();
    let count = |of: &dyn Fn(&Vec<Sample>) -> bool| u32::try_from(tasks.iter().filter(|t| of(t)).count()).unwrap_or(0);
    let over = |sum: f64| if tasks.is_empty() { 0.0 } else { sum / tasks.len() as f64 };
    let passes = tasks.iter().map(|samples| chance(samples, 1)).sum();
    let (ratio_sum, clamped) = (sum(|s| s.ratio), sum(|s| s.ratio.clamp(0.0, 1.0)));
    Metrics {
        tasks: count(&|_| true),
        answered: count(&|samples| !samples.is_empty()),
        solved: count(&|samples| is_solved(samples)),
        pass_at_1: over(passes),
        ratio_sum,
        ratio_mean: over(ratio_sum),
        ratio_sum_clamped: clamped,
        ratio_mean_clamped: over(clamped),
        // Only the caller knows of outputs that are no samples.
        not_counted: 0,
    }
}

/// Whether the first sample of the task solves it; in a conversation, the first of each turn.
fn is_solved(samples: &[Sample]) -> bool {
    let mut seen = BTreeSet::new();
    !samples.is_empty() && samples.iter().filter(|sample| seen.insert(sample.turn)).all(|first| first.solved)
}

/// The k that benchmarks publish.
const PUBLISHED: [usize; 3] = [1, 10, 100];

/// Seed of the intervals of automated figures. Fixed, because no study is behind them.
const SEED: u64 = 0;

/// The figure's number, by which its random streams differ from those of other figures.
const FIGURE: u64 = 4 << 16;

/// The random numbers of automated figures: the same on every page, so that a model's intervals are, too.
pub fn draws() -> Draws {
    Draws::new(SEED, FIGURE)
}

/// The k for which `pass@k` is given when the fewest samples of a task are `fewest`: 1, 10 and 100 as far as samples
/// suffice; every k below ten samples.
fn ks(fewest: usize) -> Vec<usize> {
    match fewest {
        0..10 => (1..=fewest).collect(),
        _ => PUBLISHED.into_iter().filter(|k| *k <= fewest).collect(),
    }
}

/// The smallest number of samples of any turn of any answered task; 1 if there is none.
fn fewest(tasks: &[Vec<Sample>]) -> usize {
    tasks.iter().flat_map(|samples| by_turn(samples)).map(|(n, _)| n).min().unwrap_or(1)
}

/// Number of a task's samples and of those that are solved, for each turn that has any.
fn by_turn(samples: &[Sample]) -> Vec<(usize, usize)> {
    let mut turns = BTreeMap::new();
    for sample in samples {
        let (all, solved) = turns.entry(sample.turn).or_insert((0, 0));
        *all += 1;
        *solved += usize::from(sample.solved);
    }
    turns.into_values().collect()
}

/// `pass@k` of a task: the mean over its turns; 0 without a sample.
pub fn chance(samples: &[Sample], k: usize) -> f64 {
    let turns = by_turn(samples);
    match turns.len() {
        0 => 0.0,
        n => turns.into_iter().map(|(all, solved)| pass_at_k(all, solved, k)).sum::<f64>() / n as f64,
    }
}

/// `pass@k` for k = 1, and for more where every turn of every answered task has as many samples: k = 10 and 100, or every k below ten
/// samples. Tasks without a sample count 0. Without intervals.
pub fn pass_at(tasks: &[Vec<Sample>]) -> Vec<PassAtK> {
    let mean = |k: usize| match tasks.len() {
        0 => 0.0,
        n => tasks.iter().map(|samples| chance(samples, k)).sum::<f64>() / n as f64,
    };
    let number = |k: usize| u32::try_from(k).unwrap_or(u32::MAX);
    ks(fewest(tasks)).into_iter().map(|k| PassAtK { k: number(k), value: mean(k), interval: None }).collect()
}

/// [`pass_at`] with intervals over tasks. `key` is the model's, above 0.
pub fn estimated(key: u64, tasks: &[Vec<Sample>]) -> Vec<PassAtK> {
    let joints = pass_joints(&[(key, tasks)], draws());
    let interval = |joint: &Joint| joint.means.first()?.ok()?.interval.ok();
    pass_at(tasks)
        .into_iter()
        .zip(&joints)
        .map(|(at, (_, joint))| PassAtK { interval: interval(joint), ..at })
        .collect()
}

/// `pass@1` of one model as in [`estimated`], without the other k.
pub fn pass_at_1(key: u64, tasks: &[Vec<Sample>]) -> Known<Estimate> {
    let value = |_: usize, samples: &[Sample]| Some(chance(samples, 1));
    let found = each_task(&[(key, tasks)], &value, draws(), part(1));
    found.means.first().copied().unwrap_or(Err(Undefined::Nothing))
}

/// The part of the random streams of `pass@k`.
fn part(k: usize) -> u64 {
    k as u64 + 1
}

/// Computes a task's figure from the index of the model and its samples of the task.
type Value<'a> = dyn Fn(usize, &[Sample]) -> Option<f64> + 'a;

/// A figure of several models with intervals over tasks; each `part` has its own random streams.
fn each_task(models: &[(u64, &[Vec<Sample>])], value: &Value, draws: Draws, part: u64) -> Joint {
    let tasks = models.iter().map(|(_, tasks)| tasks.len()).max().unwrap_or(0);
    let cell = |model: usize, own: &[Vec<Sample>], task: usize| -> Cell {
        value(model, own.get(task).map_or(&[], Vec::as_slice)).into_iter().collect()
    };
    let cells = models.iter().enumerate();
    let cells: Vec<Vec<Cell>> =
        cells.map(|(model, (_, own))| (0..tasks).map(|task| cell(model, own, task)).collect()).collect();
    let scores: Vec<KeyedCells> =
        models.iter().zip(&cells).map(|((key, _), tasks)| KeyedCells { key: *key, tasks }).collect();
    // Each figure of a table has its own number, so that no two share a random stream.
    joint(&scores, Draws { figure: draws.figure.wrapping_add(part << 32), ..draws })
}

/// `pass@k` of several models, for every k that one of them has.
fn pass_joints(models: &[(u64, &[Vec<Sample>])], draws: Draws) -> Vec<(usize, Joint)> {
    let fewest: Vec<usize> = models.iter().map(|(_, own)| fewest(own)).collect();
    let all: BTreeSet<usize> = fewest.iter().flat_map(|fewest| ks(*fewest)).collect();
    let at = |k: usize| {
        let has = |model: usize| fewest.get(model).is_some_and(|fewest| *fewest >= k);
        let value = |model: usize, samples: &[Sample]| has(model).then(|| chance(samples, k));
        each_task(models, &value, draws, part(k))
    };
    all.into_iter().map(|k| (k, at(k))).collect()
}

/// The figures of several models, with bootstrap intervals over tasks. Each model has a key above 0, which
/// selects its random stream, and its samples per task, with the tasks in the same order for all.
pub fn automated(models: &[(u64, &[Vec<Sample>])], draws: Draws) -> Automated {
    let tasks = models.iter().map(|(_, tasks)| tasks.len()).max().unwrap_or(0);
    let mean = |samples: &[Sample], value: fn(&Sample) -> f64| match samples.len() {
        0 => Some(0.0),
        n => Some(samples.iter().map(value).sum::<f64>() / n as f64),
    };
    let pairs = (0..models.len()).flat_map(|a| (a + 1..models.len()).map(move |b| (a, b)));
    let solved = |m: usize| -> Option<Vec<bool>> {
        let own = models[m].1;
        let single = own.iter().all(|samples| samples.len() < 2);
        single.then(|| (0..tasks).map(|task| own.get(task).is_some_and(|samples| is_solved(samples))).collect())
    };
    let test = |(a, b)| match (solved(a), solved(b)) {
        (Some(a), Some(b)) => mcnemar(&a, &b),
        _ => Err(Undefined::SeveralSamples),
    };
    Automated {
        pass_at: pass_joints(models, draws).into_iter().map(|(_, joint)| joint).collect(),
        ratio: each_task(models, &|_, samples| mean(samples, |s| s.ratio), draws, 0),
        ratio_clamped: each_task(models, &|_, samples| mean(samples, |s| s.ratio.clamp(0.0, 1.0)), draws, 1),
        mcnemar: pairs.map(test).collect(),
    }
}

/// The unbiased estimate of the probability that at least one of k samples passes when c of n did (Chen et al.
/// 2021): `1 − C(n−c, k) / C(n, k)`, as a product to avoid overflow.
fn pass_at_k(n: usize, c: usize, k: usize) -> f64 {
    if n - c < k {
        return 1.0;
    }
    if k == 1 {
        // The same without rounding.
        return c as f64 / n as f64;
    }
    1.0 - (n - c + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(passed: u32, total: u32) -> Sample {
        Sample { solved: passed == total, ratio: f64::from(passed) / f64::from(total), turn: 0 }
    }

    #[test]
    fn missing_tasks_count_zero_and_anomalies_are_clamped_on_request() {
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
            not_counted: 0,
        };
        assert_eq!(found, expected);
        assert_eq!(metrics(&[]), Metrics::default());
    }

    #[test]
    fn outputs_that_cannot_be_judged_do_not_count_and_missing_ones_do() {
        let passed = sample(1, 1);
        assert_eq!(counted([Some(passed), None]), Some(vec![passed]));
        assert_eq!(counted([None, None]), None);
        assert_eq!(counted([]), Some(vec![]));
        let tasks: Vec<Vec<Sample>> = [vec![Some(passed)], vec![None], vec![Some(sample(0, 1)), None], vec![]]
            .into_iter()
            .filter_map(counted)
            .collect();
        let found = metrics(&tasks);
        assert_eq!((found.tasks, found.answered, found.solved), (3, 2, 1));
        assert!((found.pass_at_1 - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn pass_at_k_follows_the_formula() {
        // Ratio of binomial coefficients, computed directly.
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
        let single = pass_at(&[vec![sample(1, 1)], vec![]]);
        assert_eq!(single, [PassAtK { k: 1, value: 0.5, interval: None }]);
        assert_eq!(pass_at(&[]), [PassAtK { k: 1, value: 0.0, interval: None }]);
    }

    #[test]
    fn turns_of_a_conversation_are_no_samples() {
        let answer = |turn, passed| Sample { turn, ..sample(passed, 1) };
        // Two turns, one answer each: half of the answers pass, and nothing is known about two attempts.
        let once = vec![answer(0, 1), answer(1, 0)];
        assert_eq!(pass_at(std::slice::from_ref(&once)), [PassAtK { k: 1, value: 0.5, interval: None }]);
        // Two conversations: turn 0 passes once of two, turn 1 never.
        let twice = vec![answer(0, 1), answer(1, 0), answer(0, 0), answer(1, 0)];
        let found = pass_at(&[twice.clone(), vec![]]);
        assert_eq!(found.iter().map(|at| (at.k, at.value)).collect::<Vec<_>>(), [(1, 0.125), (2, 0.25)]);
        // One task with a single conversation leaves pass@1 alone, in the comparison, too.
        let both = [twice, once];
        assert_eq!(pass_at(&both).len(), 1);
        // Turn 0 answered twice, turn 1 once: `pass@1` is the mean over turns in both figures.
        let uneven = [vec![answer(0, 1), answer(0, 1), answer(1, 0)]];
        assert_eq!((metrics(&uneven).pass_at_1, pass_at(&uneven)[0].value), (0.5, 0.5));
        let solved = |tasks: &[Vec<Sample>]| metrics(tasks).solved;
        assert_eq!((solved(&both), solved(&[vec![answer(0, 1), answer(1, 1), answer(0, 0)]])), (0, 1));
        assert_eq!(automated(&[(1, &both)], Draws { resamples: 10, ..Draws::new(1, 0) }).pass_at.len(), 1);
    }

    #[test]
    fn many_samples_give_the_published_k_and_intervals_over_tasks() {
        let tasks: Vec<Vec<Sample>> = (0..40)
            .map(|task| (0..120).map(|sample| super::tests::sample(u32::from(sample < task), 1)).collect())
            .collect();
        let found = estimated(7, &tasks);
        assert_eq!(found.iter().map(|at| at.k).collect::<Vec<_>>(), [1, 10, 100]);
        for at in found {
            let interval = at.interval.unwrap();
            assert!(interval.low < at.value && at.value < interval.high, "{at:?}");
        }
        assert_eq!(estimated(7, &tasks[..1])[0].interval, None, "one task has no interval");
        // The comparison's intervals are the same.
        let joint = &automated(&[(7, &tasks), (8, &tasks)], draws()).pass_at[1];
        assert_eq!(joint.means[0].unwrap().interval.ok(), estimated(7, &tasks)[1].interval);
        assert_eq!(ks(9), (1..=9).collect::<Vec<_>>());
        assert_eq!((ks(10), ks(99), ks(200)), (vec![1, 10], vec![1, 10], vec![1, 10, 100]));
    }

    #[test]
    fn joint_figures_equal_single_ones() {
        let one: Vec<Vec<Sample>> = (0..30).map(|i| vec![sample(i % 3, 2)]).collect();
        let two: Vec<Vec<Sample>> = (0..29).map(|i| vec![sample(i % 2, 1), sample(1, 1)]).collect();
        let found = automated(&[(1, &one), (2, &two)], Draws { resamples: 300, ..Draws::new(1, 0) });
        let mut longer = two.clone();
        longer.push(vec![]);
        let (first, second) = (metrics(&one), metrics(&longer));
        let value = |joint: &Joint, m: usize| joint.means[m].unwrap().value;
        assert_eq!((value(&found.ratio, 0), value(&found.ratio, 1)), (first.ratio_mean, second.ratio_mean));
        assert_eq!(value(&found.ratio_clamped, 0), first.ratio_mean_clamped);
        assert_eq!(found.pass_at.len(), 2);
        assert!((value(&found.pass_at[0], 1) - second.pass_at_1).abs() < 1e-12);
        assert!((value(&found.pass_at[1], 1) - pass_at(&longer)[1].value).abs() < 1e-12);
        assert_eq!(found.pass_at[1].means[0], Err(Undefined::Nothing), "one sample says nothing about two");
        assert_eq!(found.mcnemar, [Err(Undefined::SeveralSamples)]);
        let alike = automated(&[(1, &one), (3, &one)], Draws { resamples: 300, ..Draws::new(1, 0) });
        assert_eq!(alike.mcnemar[0].unwrap().exact, 1.0);
    }
}
