//! Whether a judge model may replace a rater: the alternative annotator test (docs/statistics.md, "May a judge replace a
//! rater?").

use std::collections::BTreeMap;

use model::stats::{AltTest, Estimate, Known, RaterAdvantage, Undefined, Winning};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::random::{Draws, percentile};

/// The share of outputs that the judge's lower cost is worth (the paper's epsilon): for raters from a crowd,
/// skilled raters and experts.
pub const EPSILONS: [f64; 3] = [0.1, 0.15, 0.2];
/// Raters who share fewer outputs with the judge and another rater are left out.
pub const LEAST_OUTPUTS: usize = 30;
/// With fewer raters, the test is not defined.
pub const LEAST_RATERS: usize = 3;
/// The false discovery rate at which the raters' tests are judged together.
const FALSE_DISCOVERIES: f64 = 0.05;

/// An output that a judge and people scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Index of the task. Resampling draws a task with all its outputs.
    pub task: usize,
    pub judge: f64,
    /// Raters with their scores, one each.
    pub ratings: Vec<(u32, f64)>,
}

/// One rater on one output: whether the judge is at least as close to the other raters as this rater, and the converse.
/// Both hold for a tie.
#[derive(Clone, Copy)]
struct Duel {
    task: usize,
    judge: bool,
    rater: bool,
}

/// The test over these outputs.
pub fn alt_test(outputs: &[Judged], draws: Draws) -> Known<AltTest> {
    let mut duels: BTreeMap<u32, Vec<Duel>> = BTreeMap::new();
    for output in outputs.iter().filter(|output| output.ratings.len() >= 2) {
        for (rater, own) in &output.ratings {
            let others = output.ratings.iter().filter(|(other, _)| other != rater).map(|(_, score)| *score);
            // The mean of squares orders scores as its root does, without rounding.
            let distance = |score: f64| others.clone().map(|other| (score - other).powi(2)).sum::<f64>();
            let (judge, rater_distance) = (distance(output.judge), distance(*own));
            let duel = Duel { task: output.task, judge: judge <= rater_distance, rater: rater_distance <= judge };
            duels.entry(*rater).or_default().push(duel);
        }
    }
    let all = duels.len();
    duels.retain(|_, own| own.len() >= LEAST_OUTPUTS);
    if duels.len() < LEAST_RATERS {
        return Err(if all == 0 { Undefined::NoPairs } else { Undefined::TooFew });
    }
    let raters: Vec<RaterAdvantage> = duels
        .iter()
        .map(|(rater, own)| RaterAdvantage {
            rater: *rater,
            outputs: own.len() as u64,
            advantage: share(own, |duel| duel.judge),
            of_rater: share(own, |duel| duel.rater),
        })
        .collect();
    let winning = EPSILONS.map(|epsilon| {
        let p: Vec<f64> = duels.values().map(|own| p_value(own, epsilon)).collect();
        Winning { epsilon, raters: rejected(&p) }
    });
    let mean = raters.iter().map(|rater| rater.advantage).sum::<f64>() / raters.len() as f64;
    let left_out = u32::try_from(all - raters.len()).unwrap_or(u32::MAX);
    let advantage = Estimate { value: mean, interval: interval(&duels, draws) };
    Ok(AltTest { advantage, winning: winning.into(), raters, left_out })
}

fn share(duels: &[Duel], of: impl Fn(&Duel) -> bool) -> f64 {
    duels.iter().filter(|duel| of(duel)).count() as f64 / duels.len() as f64
}

/// The one-sided p-value of the paired t-test that the rater's advantage exceeds the judge's by less than `epsilon`.
fn p_value(duels: &[Duel], epsilon: f64) -> f64 {
    let n = duels.len() as f64;
    let differences = || duels.iter().map(|duel| f64::from(u8::from(duel.rater)) - f64::from(u8::from(duel.judge)));
    let mean = differences().sum::<f64>() / n;
    let variance = differences().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
    if variance <= 0.0 {
        return if mean < epsilon { 0.0 } else { 1.0 };
    }
    let t = (mean - epsilon) / (variance / n).sqrt();
    StudentsT::new(0.0, 1.0, n - 1.0).map_or(1.0, |distribution| distribution.cdf(t))
}

/// How many hypotheses the procedure of Benjamini and Yekutieli (2001) rejects.
fn rejected(p: &[f64]) -> u32 {
    let m = p.len() as f64;
    let harmonic: f64 = (1..=p.len()).map(|i| 1.0 / i as f64).sum();
    let mut sorted = p.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let within = |(at, p): (usize, &f64)| *p <= (at + 1) as f64 / m * FALSE_DISCOVERIES / harmonic;
    let last = sorted.iter().enumerate().rev().find(|(at, p)| within((*at, *p))).map_or(0, |(at, _)| at + 1);
    u32::try_from(last).unwrap_or(u32::MAX)
}

/// The interval of the mean advantage: tasks are resampled, with all their outputs and raters.
fn interval(duels: &BTreeMap<u32, Vec<Duel>>, draws: Draws) -> Known<model::ratings::Interval> {
    let mut places = BTreeMap::new();
    for duel in duels.values().flatten() {
        let next = places.len();
        places.entry(duel.task).or_insert(next);
    }
    let tasks = places.len();
    if tasks < 2 {
        return Err(Undefined::TooFew);
    }
    // For each rater and task: outputs, and those on which the judge is at least as close.
    let counts: Vec<Vec<(u32, u32)>> = duels
        .values()
        .map(|own| {
            let mut of_tasks = vec![(0, 0); tasks];
            for duel in own {
                let cell = &mut of_tasks[places[&duel.task]];
                *cell = (cell.0 + 1, cell.1 + u32::from(duel.judge));
            }
            of_tasks
        })
        .collect();
    let column = draws.columns(
        tasks,
        1,
        || (),
        |(), drawn, row| {
            let of_rater = |tasks: &Vec<(u32, u32)>| {
                let (outputs, won) = tasks
                    .iter()
                    .zip(drawn)
                    .fold((0, 0), |(outputs, won), ((n, w), times)| (outputs + n * times, won + w * times));
                (outputs > 0).then(|| f64::from(won) / f64::from(outputs))
            };
            let shares: Vec<f64> = counts.iter().filter_map(of_rater).collect();
            row[0] = shares.iter().sum::<f64>() / shares.len() as f64;
        },
    );
    column.into_iter().next().map_or(Err(Undefined::TooFew), percentile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(n: usize, judge: impl Fn(usize) -> f64, raters: &[&dyn Fn(usize) -> f64]) -> Vec<Judged> {
        let ratings = |i: usize| raters.iter().zip(0..).map(|(score, rater)| (rater, score(i))).collect();
        (0..n).map(|i| Judged { task: i, judge: judge(i), ratings: ratings(i) }).collect()
    }

    fn test(outputs: &[Judged]) -> Known<AltTest> {
        alt_test(outputs, Draws { resamples: 500, ..Draws::new(1, 1) })
    }

    #[test]
    fn a_judge_who_agrees_with_all_wins_and_one_who_contradicts_all_loses() {
        let same = |i: usize| (i % 4) as f64;
        let opposite = |i: usize| 3.0 - (i % 4) as f64;
        let found = test(&outputs(40, same, &[&same, &same, &same])).unwrap();
        assert_eq!(
            (found.advantage.value, found.winning.iter().map(|w| w.raters).collect::<Vec<_>>()),
            (1.0, vec![3; 3])
        );
        let found = test(&outputs(40, opposite, &[&same, &same, &same])).unwrap();
        assert_eq!((found.advantage.value, found.winning[2].raters), (0.0, 0));
        assert_eq!(found.advantage.interval.map(|i| (i.low, i.high)), Ok((0.0, 0.0)));
    }

    #[test]
    fn the_outlier_among_raters_loses_against_a_typical_judge() {
        let (usual, odd) = (|i: usize| (i % 4) as f64, |i: usize| ((i + 2) % 4) as f64);
        let found = test(&outputs(60, usual, &[&usual, &usual, &odd])).unwrap();
        let odd_one = found.raters.iter().find(|rater| rater.rater == 2).unwrap();
        assert_eq!((odd_one.advantage, odd_one.of_rater), (1.0, 0.0));
    }

    #[test]
    fn three_raters_with_thirty_shared_outputs_are_needed() {
        let same = |i: usize| (i % 4) as f64;
        assert_eq!(test(&outputs(40, same, &[&same, &same])), Err(Undefined::TooFew));
        assert_eq!(test(&outputs(29, same, &[&same, &same, &same])), Err(Undefined::TooFew));
        assert_eq!(test(&outputs(40, same, &[&same])), Err(Undefined::NoPairs));
        assert_eq!(test(&[]), Err(Undefined::NoPairs));
    }
}
