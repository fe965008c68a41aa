//! The statements about models that a comparison's figures support: facts, which `i18n::claims` puts into
//! sentences and tables mark.
//!
//! Only models with data take part. A model without ratings or without a run is counted, never compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    comparison::{Automated, Checked, Human},
    ratings::{ALPHA, Interval},
    run::Metrics,
    stats::Tested,
};

/// A pair of models whose difference has an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contest {
    /// Index of the model with the higher mean over the common tasks.
    pub better: usize,
    /// Index of the other model.
    pub worse: usize,
    /// Mean of `better` minus mean of `worse`, 0 or more. In the figure's own unit.
    pub by: f64,
    /// Lower end of the 95 % interval of `by`.
    pub low: f64,
    /// Upper end of the 95 % interval of `by`.
    pub high: f64,
    /// Tasks with data of both models.
    pub tasks: u64,
    /// Its test; absent if none applies.
    pub tested: Option<Tested>,
    /// Whether `better` is significantly better: see [`significant`].
    pub significant: bool,
    /// Index of the pair in its source list.
    pub at: usize,
}

impl Contest {
    /// Whether the interval excludes zero although the corrected test is not significant.
    pub fn is_suggestive(&self) -> bool {
        !self.significant && self.low > 0.0
    }
}

/// Whether a difference is significant: its 95 % interval excludes zero, and its p-value, corrected over
/// the whole family, is below [`ALPHA`]. A difference without a p-value is not.
pub fn significant(interval: Option<Interval>, p: Option<f64>) -> bool {
    interval.is_some_and(|i| i.low > 0.0 || i.high < 0.0) && p.is_some_and(|p| p < ALPHA)
}

/// Whether two differences, one of means and one over common tasks, have opposite signs. Sums of the same scores in another
/// order can differ in the last digits, so a difference that small has no sign.
pub fn opposed(of_means: f64, over_common_tasks: f64) -> bool {
    const NONE: f64 = 1e-9;
    of_means.abs() > NONE && over_common_tasks.abs() > NONE && (of_means > 0.0) != (over_common_tasks > 0.0)
}

/// The models on one figure: a dimension of the rubric, or the share of tasks passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Indices of the models with data, highest mean first; equal means in the models' order.
    pub ranked: Vec<usize>,
    /// The mean of each model in `ranked`, adjusted where the models have different tasks.
    pub means: Vec<f64>,
    /// Number of models without data.
    pub without_data: usize,
    /// Every pair of ranked models whose difference has an interval.
    pub contests: Vec<Contest>,
    /// Number of p-values that the correction covers.
    pub family: usize,
}

impl Standing {
    /// One dimension of the ratings.
    pub fn of_ratings(human: &Human, dimension: usize) -> Standing {
        let c = &human.comparison;
        let means: Vec<_> = c.models.iter().map(|m| m.dimensions.get(dimension).and_then(|s| s.mean)).collect();
        let pairs = c.differences.iter().enumerate().filter(|(_, x)| x.dimension == dimension);
        let pairs =
            pairs.filter_map(|(at, x)| Some((at, x.first, x.second, x.mean?, x.interval?, x.tasks, human.tested(at))));
        Standing::new(&means, pairs, human.holm.iter().flatten().count())
    }

    /// pass@1 of the automated tests.
    pub fn of_tests(automated: &Automated) -> Standing {
        let mean = |m: &Option<Checked>| Some(m.as_ref()?.metrics).filter(Metrics::has_tasks).map(|m| m.pass_at_1);
        let means: Vec<_> = automated.models.iter().map(mean).collect();
        let pairs = automated.pairs.iter().enumerate();
        let pairs =
            pairs.filter_map(|(at, x)| Some((at, x.first, x.second, x.pass, x.pass_interval?, x.tasks, x.tested())));
        Standing::new(&means, pairs, automated.pairs.iter().filter(|pair| pair.holm.is_some()).count())
    }

    fn new(
        means: &[Option<f64>],
        pairs: impl Iterator<Item = (usize, usize, usize, f64, Interval, u64, Option<Tested>)>,
        family: usize,
    ) -> Standing {
        let mut ranked: Vec<(usize, f64)> =
            means.iter().enumerate().filter_map(|(m, mean)| Some((m, (*mean)?))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (ranked, values): (Vec<usize>, Vec<f64>) = ranked.into_iter().unzip();
        let has_data = |m: usize| means.get(m).is_some_and(Option::is_some);
        let contests = pairs.filter(|(_, first, second, ..)| has_data(*first) && has_data(*second)).map(
            |(at, first, second, mean, interval, tasks, tested)| {
                let (better, worse, sign) = if mean < 0.0 { (second, first, -1.0) } else { (first, second, 1.0) };
                let (a, b) = (interval.low * sign, interval.high * sign);
                let (low, high) = (a.min(b), a.max(b));
                let significant = low > 0.0 && significant(Some(interval), tested.map(|tested| tested.holm));
                // `+ 0.0` turns -0.0 into 0.0, which would be printed with its sign.
                Contest { better, worse, by: mean * sign + 0.0, low, high, tasks, tested, significant, at }
            },
        );
        let contests: Vec<Contest> = contests.collect();
        Standing { without_data: means.len() - ranked.len(), contests, ranked, means: values, family }
    }

    /// Compact letter display: groups of ranked models such that two models share a group exactly if no significant
    /// difference between them was found. Each group is in the order of rank, groups in the order of their first
    /// models; a model that differs from all others is a group of its own.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let n = self.ranked.len();
        let place: HashMap<usize, usize> = self.ranked.iter().enumerate().map(|(at, m)| (*m, at)).collect();
        let mut alike = vec![Bits::full(n); n];
        for x in self.contests.iter().filter(|x| x.significant) {
            if let (Some(a), Some(b)) = (place.get(&x.better), place.get(&x.worse)) {
                alike[*a].remove(*b);
                alike[*b].remove(*a);
            }
        }
        // Every pair that is alike gets into some group; each group is extended as far as all its members are alike.
        let mut open: Vec<Bits> = alike.clone();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for a in 0..n {
            open[a].remove(a);
            let mut alone = (0..n).all(|b| b == a || !alike[a].has(b));
            while alone || open[a].first().is_some() {
                let mut group = vec![a];
                let mut candidates = alike[a].clone();
                candidates.remove(a);
                // Pairs that no group has yet come first.
                let next = |candidates: &Bits| {
                    let wanted = open[a].and(candidates);
                    wanted.first().or_else(|| candidates.first())
                };
                while let Some(b) = next(&candidates) {
                    group.push(b);
                    candidates.remove(b);
                    candidates = candidates.and(&alike[b]);
                }
                group.sort_unstable();
                for one in &group {
                    for other in &group {
                        open[*one].remove(*other);
                    }
                }
                groups.push(group);
                alone = false;
            }
        }
        groups.sort();
        groups.into_iter().map(|group| group.into_iter().map(|at| self.ranked[at]).collect()).collect()
    }

    /// Letters of each ranked model's groups. Empty where they would say nothing: without a significant difference all models
    /// share one, and beyond `Z` there are none.
    pub fn letters(&self) -> BTreeMap<usize, String> {
        let groups = self.groups();
        let mut found: BTreeMap<usize, String> = BTreeMap::new();
        if groups.len() < 2 || letter(groups.len() - 1).is_none() {
            return found;
        }
        for (at, group) in groups.iter().enumerate() {
            for model in group {
                found.entry(*model).or_default().extend(letter(at));
            }
        }
        found
    }

    /// Number of pairs of ranked models without an interval: too few tasks in common.
    pub fn untested(&self) -> usize {
        let n = self.ranked.len();
        (n * n.saturating_sub(1) / 2).saturating_sub(self.contests.len())
    }

    /// The significant differences, widest first.
    pub fn significant(&self) -> Vec<&Contest> {
        let mut found: Vec<&Contest> = self.contests.iter().filter(|x| x.significant).collect();
        found.sort_by(|a, b| b.by.total_cmp(&a.by));
        found
    }

    /// The model that is significantly better than every other model with data, and its closest contest.
    pub fn best(&self) -> Option<(usize, &Contest)> {
        let others = self.ranked.len().checked_sub(1).filter(|n| *n > 0)?;
        let mut wins: HashMap<usize, usize> = HashMap::new();
        for x in self.contests.iter().filter(|x| x.significant) {
            *wins.entry(x.better).or_default() += 1;
        }
        let best = *self.ranked.iter().find(|m| wins.get(m) == Some(&others))?;
        let own = self.contests.iter().filter(|x| x.better == best);
        Some((best, own.min_by(|a, b| a.by.total_cmp(&b.by))?))
    }

    /// The ranked models that were compared with at least one other and that none is significantly better
    /// than, highest mean first.
    pub fn unbeaten(&self) -> Vec<usize> {
        let compared: HashSet<usize> = self.contests.iter().flat_map(|x| [x.better, x.worse]).collect();
        let beaten: HashSet<usize> = self.contests.iter().filter(|x| x.significant).map(|x| x.worse).collect();
        self.ranked.iter().copied().filter(|m| compared.contains(m) && !beaten.contains(m)).collect()
    }

    /// The contest with the widest difference; the first of equal ones.
    pub fn widest(&self) -> Option<&Contest> {
        self.contests.iter().rev().max_by(|a, b| a.by.total_cmp(&b.by))
    }

    /// The contests whose order over common tasks is the reverse of that of the two means, each over a model's own tasks;
    /// widest first.
    pub fn reversed(&self) -> Vec<&Contest> {
        let means: HashMap<usize, f64> = self.ranked.iter().copied().zip(self.means.iter().copied()).collect();
        let is_reversed = |x: &&Contest| {
            let means = means.get(&x.better).zip(means.get(&x.worse));
            means.is_some_and(|(better, worse)| opposed(better - worse, x.by))
        };
        let mut found: Vec<&Contest> = self.contests.iter().filter(is_reversed).collect();
        found.sort_by(|a, b| b.by.total_cmp(&a.by));
        found
    }

    /// The contest of two models.
    pub fn between(&self, one: usize, other: usize) -> Option<&Contest> {
        self.contests.iter().find(|x| [(one, other), (other, one)].contains(&(x.better, x.worse)))
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    /// All numbers below `n`.
    fn full(n: usize) -> Bits {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !n.is_multiple_of(64)) {
            *last = (1 << (n % 64)) - 1;
        }
        Bits(words)
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn remove(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn first(&self) -> Option<usize> {
        let (at, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(at * 64 + word.trailing_zeros() as usize)
    }
}

/// The letter of a group: `a` to `z`, then `A` to `Z`. `None` beyond.
fn letter(group: usize) -> Option<char> {
    ('a'..='z').chain('A'..='Z').nth(group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::DecidingTest;

    type Line = (usize, usize, usize, f64, Interval, u64, Option<Tested>);

    fn pair(at: usize, first: usize, second: usize, mean: f64, half: f64, p: f64) -> Line {
        let tested = Tested { test: DecidingTest::Wilcoxon, p, holm: p };
        (at, first, second, mean, Interval { low: mean - half, high: mean + half }, 20, Some(tested))
    }

    #[test]
    fn best_model_beats_every_model_with_data() {
        let pairs = [pair(0, 0, 1, 0.5, 0.1, 0.01), pair(1, 0, 2, 0.3, 0.1, 0.01), pair(2, 1, 2, -0.2, 0.3, 0.4)];
        let standing = Standing::new(&[Some(3.0), Some(2.5), Some(2.7)], pairs.into_iter(), 3);
        let best = standing.best().map(|(m, closest)| (m, closest.worse));
        assert_eq!((best, standing.ranked, standing.without_data), (Some((0, 2)), vec![0, 2, 1], 0));
    }

    #[test]
    fn model_that_was_not_compared_with_everybody_is_not_best() {
        let standing =
            Standing::new(&[Some(3.0), Some(2.5), Some(2.7)], [pair(0, 0, 1, 0.5, 0.1, 0.01)].into_iter(), 1);
        assert_eq!((standing.best(), standing.untested(), standing.unbeaten()), (None, 2, vec![0]));
    }

    #[test]
    fn groups_of_models_that_are_not_told_apart() {
        let means = [Some(3.0), Some(2.5), Some(2.7)];
        let of = |pairs: Vec<Line>| Standing::new(&means, pairs.into_iter(), 3).groups();
        // The first differs from the last; the middle one cannot be told from either.
        let overlapping =
            vec![pair(0, 0, 1, 0.5, 0.1, 0.01), pair(1, 0, 2, 0.3, 0.9, 0.5), pair(2, 1, 2, -0.2, 0.3, 0.4)];
        assert_eq!(of(overlapping), [vec![0, 2], vec![2, 1]]);
        let all_differ =
            vec![pair(0, 0, 1, 0.5, 0.1, 0.01), pair(1, 0, 2, 0.3, 0.1, 0.01), pair(2, 1, 2, -0.2, 0.1, 0.01)];
        assert_eq!(of(all_differ), [vec![0], vec![2], vec![1]]);
        // Untested pairs count as not different.
        assert_eq!(of(Vec::new()), [vec![0, 2, 1]]);
        assert!(Standing::default().groups().is_empty());
        assert_eq!((letter(0), letter(26), letter(52)), (Some('a'), Some('A'), None));
    }

    #[test]
    fn models_without_data_are_counted_and_not_compared() {
        let pairs = [pair(0, 0, 1, 0.5, 0.1, 0.01), pair(1, 0, 2, 0.5, 0.1, 0.01)];
        let standing = Standing::new(&[Some(3.0), Some(2.5), None, None], pairs.into_iter(), 2);
        assert_eq!((standing.without_data, standing.contests.len(), standing.untested()), (2, 1, 0));
    }

    #[test]
    fn negative_difference_belongs_to_the_other_model() {
        let standing = Standing::new(&[Some(2.0), Some(2.3)], [pair(0, 0, 1, -0.3, 0.2, 0.01)].into_iter(), 1);
        let x = standing.contests[0];
        assert_eq!((x.better, x.worse, x.significant), (1, 0, true));
        assert!((x.low - 0.1).abs() < 1e-9 && (x.high - 0.5).abs() < 1e-9);
    }

    #[test]
    fn significance_takes_interval_and_test() {
        let interval = |low, high| Some(Interval { low, high });
        let check = |interval, p, expected| assert_eq!(significant(interval, p), expected, "{interval:?} {p:?}");
        check(interval(0.1, 0.5), Some(0.049), true);
        check(interval(-0.5, -0.1), Some(0.049), true);
        check(interval(0.1, 0.5), Some(0.05), false);
        check(interval(0.1, 0.5), None, false);
        check(interval(0.0, 0.5), Some(0.01), false);
        check(None, Some(0.01), false);
    }
}
