//! Figures about raters (docs/statistics.md, "Raters"): pace, leniency, agreement with known scores, with
//! other raters and with their own earlier ratings, and signs of careless scores.

use std::collections::BTreeMap;

use model::{
    quality::{Match, Projection, RaterFigures},
    time::{DAY_MS, Timestamp},
};

use super::agreement::alpha_ordinal;

/// The window that a projection looks back over, in milliseconds: a day, so that it includes a night.
const WINDOW_MS: i64 = DAY_MS;
/// A projection needs at least this many ratings over this many milliseconds.
const ENOUGH_RATINGS: u64 = 5;
const ENOUGH_MS: i64 = 10 * 60 * 1000;

/// One rating that counts. `U` names outputs, `R` raters.
#[derive(Clone, Debug)]
pub struct CountedRating<U, R> {
    pub output: U,
    pub rater: R,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// When it was submitted.
    pub at: Timestamp,
    /// Active time in milliseconds, if it was measured.
    pub active_ms: Option<u64>,
}

/// A study's ratings indexed by rater and by output, so that the figures of all raters take time linear in
/// the ratings.
#[derive(Debug)]
pub struct Ratings<U, R> {
    all: Vec<CountedRating<U, R>>,
    by_rater: BTreeMap<R, Vec<usize>>,
    by_output: BTreeMap<U, Vec<usize>>,
}

impl<U: Ord + Copy, R: Ord + Copy> Ratings<U, R> {
    /// Builds the index of `all`.
    pub fn new(all: Vec<CountedRating<U, R>>) -> Self {
        let (mut by_rater, mut by_output) = (BTreeMap::<R, Vec<usize>>::new(), BTreeMap::<U, Vec<usize>>::new());
        for (at, one) in all.iter().enumerate() {
            by_rater.entry(one.rater).or_default().push(at);
            by_output.entry(one.output).or_default().push(at);
        }
        Ratings { all, by_rater, by_output }
    }

    /// The time of each rating.
    pub fn times(&self) -> impl Iterator<Item = Timestamp> {
        self.all.iter().map(|one| one.at)
    }

    /// Each output's scores on one dimension, in the order of the outputs.
    pub fn units(&self, dimension: usize) -> Vec<Vec<u8>> {
        let of = |places: &Vec<usize>| self.at(places).filter_map(|one| one.scores.get(dimension).copied()).collect();
        self.by_output.values().map(of).collect()
    }

    fn of(&self, rater: R) -> impl Iterator<Item = &CountedRating<U, R>> {
        self.by_rater.get(&rater).into_iter().flat_map(|places| self.at(places))
    }

    fn on(&self, output: U) -> impl Iterator<Item = &CountedRating<U, R>> {
        self.by_output.get(&output).into_iter().flat_map(|places| self.at(places))
    }

    fn at<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = &'a CountedRating<U, R>> + 'a {
        places.iter().filter_map(|at| self.all.get(*at))
    }
}

/// A rater's scores of one output and the reference scores.
#[derive(Clone, Debug)]
pub struct MatchedScores {
    /// The rater's scores, one per dimension.
    pub scores: Vec<u8>,
    /// The reference scores, one per dimension.
    pub reference: Vec<u8>,
}

/// A rater's ratings in chronological order: scores and measured active time.
pub type RatingHistory = Vec<(Timestamp, Vec<u8>, Option<u64>)>;

/// Every figure about `rater`. `ratings` holds all raters' ratings of the study; `check_ratings` the rater's own
/// ratings of hidden checks; `known_items` and `again` those of known-score items with the known scores, and of
/// repeats with their first ratings; `right` how many of `known_items` are within the study's tolerance. `scales`
/// are the lowest and highest score of each dimension.
pub fn figures<U: Ord + Copy, R: Ord + Copy>(
    rater: R,
    ratings: &Ratings<U, R>,
    check_ratings: RatingHistory,
    known_items: &[MatchedScores],
    known_items_right: u64,
    again: &[MatchedScores],
    scales: &[(u8, u8)],
) -> RaterFigures {
    let mut own: RatingHistory = ratings.of(rater).map(|g| (g.at, g.scores.clone(), g.active_ms)).collect();
    own.extend(check_ratings);
    own.sort_by_key(|(at, ..)| *at);
    let timed: Vec<u64> = own.iter().filter_map(|(_, _, ms)| *ms).collect();
    let active_ms: u64 = timed.iter().sum();
    let vectors: Vec<&[u8]> = own.iter().map(|(_, scores, _)| scores.as_slice()).collect();
    let levels = scales.iter().take_while(|(low, _)| *low > 0).count();
    RaterFigures {
        ratings: own.len() as u64,
        timed: timed.len() as u64,
        active_ms,
        per_hour: (active_ms > 0).then(|| timed.len() as f64 * 3_600_000.0 / active_ms as f64),
        peers: peers(rater, ratings, scales),
        known_items: with_reference(known_items, scales),
        known_items_right,
        again: with_reference(again, scales),
        // The checklist has no levels to vary.
        flat: flat(&vectors.iter().map(|v| v.get(..levels).unwrap_or(v)).collect::<Vec<_>>()),
        longest_run: longest_run(&vectors),
    }
}

/// Compares the rater with everyone else who rated the same outputs.
pub fn peers<U: Ord + Copy, R: Ord + Copy>(rater: R, ratings: &Ratings<U, R>, scales: &[(u8, u8)]) -> Match {
    let mut own: BTreeMap<U, &[u8]> = BTreeMap::new();
    for one in ratings.of(rater) {
        own.insert(one.output, &one.scores);
    }
    let shared = own.into_iter().map(|(output, own)| {
        let others = ratings.on(output).filter(|one| one.rater != rater);
        (own, others.map(|one| one.scores.as_slice()).collect::<Vec<_>>())
    });
    compare(&shared.filter(|(_, others)| !others.is_empty()).collect::<Vec<_>>(), scales)
}

/// Compares the rater with one reference per output.
pub fn with_reference(matched: &[MatchedScores], scales: &[(u8, u8)]) -> Match {
    let shared: Vec<(&[u8], Vec<&[u8]>)> =
        matched.iter().map(|h| (h.scores.as_slice(), vec![h.reference.as_slice()])).collect();
    compare(&shared, scales)
}

fn compare(shared: &[(&[u8], Vec<&[u8]>)], scales: &[(u8, u8)]) -> Match {
    let (mut pairs, mut exact, mut near) = (0u64, 0u64, 0u64);
    let mut difference = Vec::with_capacity(scales.len());
    let mut alpha = Vec::with_capacity(scales.len());
    for (d, (low, high)) in scales.iter().enumerate() {
        let (mut sum, mut outputs) = (0.0, 0u64);
        let mut units = Vec::with_capacity(shared.len());
        for (own, others) in shared {
            let Some(mine) = own.get(d).copied() else { continue };
            let theirs: Vec<u8> = others.iter().filter_map(|o| o.get(d).copied()).collect();
            if theirs.is_empty() {
                continue;
            }
            for other in &theirs {
                pairs += 1;
                exact += u64::from(mine == *other);
                near += u64::from(mine.abs_diff(*other) <= 1);
            }
            let mean = theirs.iter().map(|s| f64::from(*s)).sum::<f64>() / theirs.len() as f64;
            sum += f64::from(mine) - mean;
            outputs += 1;
            units.push(std::iter::once(mine).chain(theirs).collect::<Vec<u8>>());
        }
        difference.push((outputs > 0).then(|| sum / outputs as f64));
        alpha.push(alpha_ordinal(&units, *low, *high));
    }
    let share = |n: u64| (pairs > 0).then(|| n as f64 / pairs as f64);
    Match { outputs: shared.len() as u64, pairs, exact: share(exact), within_one: share(near), difference, alpha }
}

/// The share of ratings with the same score on every dimension; `None` without ratings or with fewer than
/// two dimensions.
fn flat(ratings: &[&[u8]]) -> Option<f64> {
    if ratings.is_empty() || ratings.iter().any(|r| r.len() < 2) {
        return None;
    }
    let same = ratings.iter().filter(|r| r.windows(2).all(|w| w[0] == w[1])).count();
    Some(same as f64 / ratings.len() as f64)
}

/// The longest run of consecutive equal ratings.
fn longest_run(ratings: &[&[u8]]) -> u64 {
    let (mut longest, mut run) = (0, 0);
    for (i, rating) in ratings.iter().enumerate() {
        run = if i > 0 && ratings[i - 1] == *rating { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}

/// The median of an output's ratings on each dimension; with an even number of them, the mean of the
/// middle two.
fn median(ratings: &[Vec<u8>], dimensions: usize) -> Option<Vec<f64>> {
    if ratings.is_empty() {
        return None;
    }
    let each = (0..dimensions).map(|d| {
        let mut scores: Vec<u8> = ratings.iter().filter_map(|r| r.get(d).copied()).collect();
        scores.sort_unstable();
        let (below, above) = (scores.get((scores.len().checked_sub(1)?) / 2)?, scores.get(scores.len() / 2)?);
        Some((f64::from(*below) + f64::from(*above)) / 2.0)
    });
    each.collect()
}

/// The scores that stand for an output in place of its ratings (docs/statistics.md, "Adjudicated scores"): an
/// adjudicator's decision; otherwise the median, once an extra rater was asked and all have rated (`extra_rated`).
/// `None` where the ratings count each by itself.
pub fn final_scores(
    decision: Option<&[u8]>,
    extra_rated: bool,
    ratings: &[Vec<u8>],
    dimensions: usize,
) -> Option<Vec<f64>> {
    match decision {
        Some(scores) => (scores.len() == dimensions).then(|| scores.iter().map(|score| f64::from(*score)).collect()),
        None if extra_rated => median(ratings, dimensions),
        None => None,
    }
}

/// Estimates when a study that needs `left` more ratings will be complete, at the pace of the last day.
/// `times` are its ratings' times, in any order. `None` if nothing is left or there are too few ratings to
/// tell.
pub fn projection(times: &[Timestamp], now: Timestamp, left: u64) -> Option<Projection> {
    let first = times.iter().min()?.0;
    let from = first.max(now.0 - WINDOW_MS);
    let window_ms = now.0 - from;
    let ratings = times.iter().filter(|t| t.0 >= from && t.0 <= now.0).count() as u64;
    if left == 0 || ratings < ENOUGH_RATINGS || window_ms < ENOUGH_MS {
        return None;
    }
    // Whole milliseconds are exact in f64 for the next hundred thousand years.
    let rest = (left as f64 * window_ms as f64 / ratings as f64).round();
    // An estimate of more than a hundred years is useless.
    (rest < 3.2e12).then(|| Projection { end: Timestamp(now.0 + rest as i64), ratings, window_ms, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(output: i64, rater: i64, scores: &[u8]) -> CountedRating<i64, i64> {
        CountedRating { output, rater, scores: scores.to_vec(), at: Timestamp(output), active_ms: Some(60_000) }
    }

    const SCALES: [(u8, u8); 2] = [(1, 4), (1, 5)];

    #[test]
    fn rater_is_compared_on_shared_outputs_only() {
        // By hand. Output 1: rater 1 gives (4, 5), the others (3, 5) and (2, 2): means 2.5 and 3.5. Output
        // 2: (1, 1) against (2, 3). Output 3 is not shared.
        let all = [
            rating(1, 1, &[4, 5]),
            rating(1, 2, &[3, 5]),
            rating(1, 3, &[2, 2]),
            rating(2, 1, &[1, 1]),
            rating(2, 3, &[2, 3]),
            rating(3, 1, &[1, 5]),
        ];
        let all = Ratings::new(all.to_vec());
        let found = peers(1, &all, &SCALES);
        assert_eq!((found.outputs, found.pairs), (2, 6));
        // Pairs on the first dimension differ by 1, 2, 1; on the second by 0, 3, 2.
        assert_eq!((found.exact, found.within_one), (Some(1.0 / 6.0), Some(0.5)));
        // (4 − 2.5 + 1 − 2) / 2 and (5 − 3.5 + 1 − 3) / 2.
        assert_eq!(found.difference, [Some(0.25), Some(-0.25)]);
        let alone = peers(9, &all, &SCALES);
        assert_eq!((alone.outputs, alone.exact, alone.difference), (0, None, vec![None, None]));
    }

    #[test]
    fn leniencies_of_two_raters_are_opposite() {
        let all: Vec<_> = (0..20u8)
            .flat_map(|n| [rating(n.into(), 1, &[1 + n % 4, 3]), rating(n.into(), 2, &[1 + (n / 2) % 4, 2])])
            .collect();
        let all = Ratings::new(all);
        let (a, b) = (peers(1, &all, &SCALES), peers(2, &all, &SCALES));
        for (a, b) in a.difference.iter().zip(&b.difference) {
            assert!((a.unwrap() + b.unwrap()).abs() < 1e-12);
        }
        assert_eq!((a.exact, a.within_one, &a.alpha), (b.exact, b.within_one, &b.alpha));
    }

    #[test]
    fn rater_is_compared_with_known_scores_and_own_ratings() {
        let matched = [
            MatchedScores { scores: vec![4, 5], reference: vec![4, 4] },
            MatchedScores { scores: vec![2, 1], reference: vec![4, 1] },
        ];
        let found = with_reference(&matched, &SCALES);
        assert_eq!((found.outputs, found.pairs), (2, 4));
        assert_eq!((found.exact, found.within_one), (Some(0.5), Some(0.75)));
        assert_eq!(found.difference, [Some(-1.0), Some(0.5)]);
        assert_eq!(with_reference(&[], &SCALES).exact, None);
    }

    #[test]
    fn pace_uses_measured_time_and_longest_run_is_found() {
        let mut all = vec![rating(1, 1, &[3, 3]), rating(2, 1, &[3, 3]), rating(3, 1, &[2, 4]), rating(4, 1, &[3, 3])];
        all[2].active_ms = None;
        let all = Ratings::new(all);
        let check_ratings = vec![(Timestamp(5), vec![3, 3], Some(180_000))];
        let found = figures(1, &all, check_ratings, &[], 0, &[], &SCALES);
        assert_eq!((found.ratings, found.timed, found.active_ms), (5, 4, 360_000));
        assert_eq!(found.per_hour, Some(40.0), "four in six minutes");
        assert_eq!((found.flat, found.longest_run), (Some(0.8), 2));
        let none = figures(2, &all, Vec::new(), &[], 0, &[], &SCALES);
        assert_eq!((none.per_hour, none.flat, none.longest_run), (None, None, 0));
    }

    #[test]
    fn decision_precedes_median_and_median_precedes_single_ratings() {
        let ratings = [vec![1, 2], vec![3, 2], vec![3, 5]];
        assert_eq!(final_scores(Some(&[5, 5]), true, &ratings, 2), Some(vec![5.0, 5.0]));
        assert_eq!(final_scores(None, true, &ratings, 2), Some(vec![3.0, 2.0]));
        assert_eq!(final_scores(None, false, &ratings, 2), None);
        assert_eq!(final_scores(Some(&[5]), true, &ratings, 2), None, "a decision by another rubric");
    }

    #[test]
    fn median_of_even_count_is_mean_of_middle_two() {
        let check = |ratings: &[&[u8]], expected: Option<Vec<f64>>| {
            let ratings: Vec<Vec<u8>> = ratings.iter().map(|r| r.to_vec()).collect();
            assert_eq!(median(&ratings, 2), expected, "{ratings:?}");
        };
        check(&[&[1, 5], &[4, 1], &[3, 2]], Some(vec![3.0, 2.0]));
        check(&[&[1, 5], &[4, 5]], Some(vec![2.5, 5.0]));
        check(&[], None);
    }

    #[test]
    fn estimated_finish_uses_the_last_day() {
        let hour = 3_600_000;
        let at = |hours: i64| Timestamp(hours * hour);
        let check = |times: &[Timestamp], now, left, expected: Option<(i64, u64)>| {
            let found = projection(times, now, left).map(|p| (p.end.0, p.ratings));
            assert_eq!(found, expected);
        };
        let ten: Vec<_> = (0..10).map(at).collect();
        // Ten in the ten hours since the first: twenty more take twenty hours.
        check(&ten, at(10), 20, Some((30 * hour, 10)));
        check(&ten, at(10), 0, None);
        check(&ten[..4], at(10), 20, None);
        check(&[], at(10), 20, None);
        // Ratings older than a day do not count.
        let old: Vec<_> = (0..100).map(at).collect();
        check(&old, at(100), 24, Some((at(100).0 + 24 * 24 * hour / 24, 24)));
        check(&[Timestamp(0); 9], Timestamp(1000), 5, None);
    }
}
