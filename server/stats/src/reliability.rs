//! Inter-rater reliability on one dimension, every coefficient with its interval (docs/statistics.md,
//! "Agreement"). A resample is a count per task; all coefficients except the intraclass correlations are
//! computed from sums over the drawn tasks.

use std::collections::{BTreeMap, BTreeSet};

use model::stats::{Estimate, Kappa, Known, Reliability, Undefined};

use super::{
    agreement::{Gwet, Square, Weights, alpha, coincide, kappa},
    icc,
    random::{Draws, percentile},
    ratings::Unit,
};

/// Number of columns before the kappas.
const EXACT: usize = 0;
const WITHIN_ONE: usize = 1;
const ALPHA: usize = 2;
const AC2: usize = 3;
const KAPPAS: usize = 4;

/// All coefficients for ratings on a scale from `low` to `high`. Scores outside the scale are ignored.
pub fn reliability(units: &[Unit], low: u8, high: u8, draws: Draws) -> Reliability {
    let ratings = RatingTable::of(units, low, high);
    let mut all = vec![f64::NAN; KAPPAS + ratings.raters.len()];
    ratings.figures(&mut ratings.buffers(), &vec![1; ratings.tasks], &mut all);
    let columns = if ratings.tasks >= 2 && !ratings.raters.is_empty() {
        draws.columns(
            ratings.tasks,
            all.len(),
            || ratings.buffers(),
            |buffers, counts, row| ratings.figures(buffers, counts, row),
        )
    } else {
        vec![Vec::new(); all.len()]
    };
    let mut estimates: Vec<Known<Estimate>> = columns
        .into_iter()
        .zip(all)
        .map(|(column, value)| {
            if !value.is_finite() {
                return Err(if ratings.pairs == 0 { Undefined::NoPairs } else { Undefined::NoVariation });
            }
            let interval = if ratings.tasks >= 2 { percentile(column) } else { Err(Undefined::TooFew) };
            Ok(Estimate { value, interval })
        })
        .collect();
    let kappas = estimates.split_off(KAPPAS).into_iter().zip(&ratings.raters);
    let kappas = kappas.map(|(kappa, ((first, second), (outputs, _)))| Kappa {
        first: *first,
        second: *second,
        outputs: number(*outputs),
        kappa,
    });
    let kappas = kappas.collect();
    let many: Vec<Vec<f64>> = ratings.units.iter().filter(|u| u.levels.len() > 1).map(Output::numbers).collect();
    let crossed = crossed(units);
    let two_way = match icc::icc2(&crossed) {
        Err(Undefined::Nothing | Undefined::TooFew) if ratings.pairs > 0 => Err(Undefined::NotCrossed),
        Err(Undefined::Nothing | Undefined::TooFew) => Err(Undefined::NoPairs),
        other => other,
    };
    Reliability {
        outputs: number(many.len()),
        pairs: ratings.pairs,
        exact: estimates[EXACT],
        within_one: estimates[WITHIN_ONE],
        alpha: estimates[ALPHA],
        ac2: estimates[AC2],
        icc1: icc::icc1(&many).map_err(|e| if e == Undefined::Nothing { Undefined::NoPairs } else { e }),
        icc1_unequal: many.windows(2).any(|w| w[0].len() != w[1].len()),
        icc2: two_way.map(|(single, _)| single),
        icc2k: two_way.and_then(|(_, mean)| mean),
        crossed: number(crossed.len()),
        kappas,
    }
}

/// Gwet's AC2 alone, with either weights.
pub fn ac2(units: &[Unit], low: u8, high: u8, weights: Weights) -> Known<f64> {
    let ratings = RatingTable::of(units, low, high);
    let mut gwet = Gwet::new(ratings.size, weights);
    for unit in &ratings.units {
        let agreement = gwet.agreement(&unit.levels);
        gwet.add(&unit.levels, agreement, 1.0);
    }
    gwet.ac2().ok_or(Undefined::NoPairs)
}

/// One output's scores, as levels from 0.
struct Output {
    task: usize,
    levels: Vec<usize>,
    /// Numbers of pairs of its scores: all, equal, at most one apart.
    pairs: [f64; 3],
    agreement: Option<f64>,
}

impl Output {
    fn numbers(&self) -> Vec<f64> {
        self.levels.iter().map(|level| *level as f64).collect()
    }
}

/// The ratings, arranged for fast resampling.
struct RatingTable {
    size: usize,
    tasks: usize,
    units: Vec<Output>,
    /// Each task's contribution to the sums, so that a resample takes time linear in the tasks, not in the
    /// ratings.
    sums: Vec<Sums>,
    pairs: u64,
    /// For each pair of raters, the outputs that both rated: their number and the contingency table.
    raters: Vec<(RaterPair, (usize, Vec<LevelPairCount>))>,
}

/// Two raters, the smaller number first.
type RaterPair = (u32, u32);
/// A task, and the levels that two raters gave one of its outputs.
type LevelPair = (usize, usize, usize);

/// One task's contribution to the sums.
struct Sums {
    /// Numbers of pairs of scores: all, equal, at most one apart.
    pairs: [f64; 3],
    coincidences: Vec<(usize, f64)>,
    gwet: Gwet,
}

/// The levels that two raters gave outputs of one task, and the number of outputs.
struct LevelPairCount {
    task: usize,
    first: usize,
    second: usize,
    times: f64,
}

/// Buffers for one resample.
struct Buffers {
    coincidences: Square,
    table: Square,
    gwet: Gwet,
}

impl RatingTable {
    fn of(units: &[Unit], low: u8, high: u8) -> Self {
        let size = usize::from(high.saturating_sub(low)) + 1;
        let places: BTreeSet<usize> = units.iter().filter(|u| !u.ratings.is_empty()).map(|u| u.task).collect();
        let places: BTreeMap<usize, usize> = places.into_iter().enumerate().map(|(i, task)| (task, i)).collect();
        let gwet = Gwet::new(size, Weights::Quadratic);
        let mut raters: BTreeMap<RaterPair, Vec<LevelPair>> = BTreeMap::new();
        let (mut outputs, mut pairs) = (Vec::new(), 0);
        for unit in units {
            let Some(&task) = places.get(&unit.task) else { continue };
            let mut scores: Vec<(u32, usize)> = unit
                .ratings
                .iter()
                .filter(|(_, score)| (low..=high).contains(score))
                .map(|(rater, score)| (*rater, usize::from(score - low)))
                .collect();
            scores.sort_unstable();
            let mut of_unit = [0.0; 3];
            for (i, (first, a)) in scores.iter().enumerate() {
                for (second, b) in &scores[i + 1..] {
                    raters.entry((*first, *second)).or_default().push((task, *a, *b));
                    of_unit[0] += 1.0;
                    of_unit[1] += f64::from(u8::from(a == b));
                    of_unit[2] += f64::from(u8::from(a.abs_diff(*b) <= 1));
                    pairs += 1;
                }
            }
            let mut levels: Vec<usize> = scores.into_iter().map(|(_, level)| level).collect();
            levels.sort_unstable();
            outputs.push(Output { task, agreement: gwet.agreement(&levels), levels, pairs: of_unit });
        }
        // Sorted, so that the order of raters and outputs does not change a sum.
        outputs.sort_by(|a, b| (a.task, &a.levels).cmp(&(b.task, &b.levels)));
        let mut sums: Vec<Sums> =
            (0..places.len()).map(|_| Sums { pairs: [0.0; 3], coincidences: Vec::new(), gwet: gwet.clone() }).collect();
        for own in outputs.chunk_by(|a, b| a.task == b.task) {
            let Some(sums) = own.first().and_then(|output| sums.get_mut(output.task)) else { continue };
            let mut coincidences = Square::new(size);
            for output in own {
                for (sum, one) in sums.pairs.iter_mut().zip(output.pairs) {
                    *sum += one;
                }
                coincide(&output.levels, |a, b, weight| coincidences.add(a, b, weight));
                sums.gwet.add(&output.levels, output.agreement, 1.0);
            }
            sums.coincidences = coincidences.entries();
        }
        let raters = raters.into_iter().map(|(pair, mut both)| {
            both.sort_unstable();
            let each = both.chunk_by(|a, b| a == b).filter_map(|same| {
                let (task, first, second) = *same.first()?;
                Some(LevelPairCount { task, first, second, times: same.len() as f64 })
            });
            (pair, (both.len(), each.collect()))
        });
        RatingTable { size, tasks: places.len(), sums, pairs, raters: raters.collect(), units: outputs }
    }

    fn buffers(&self) -> Buffers {
        Buffers {
            coincidences: Square::new(self.size),
            table: Square::new(self.size),
            gwet: Gwet::new(self.size, Weights::Quadratic),
        }
    }

    /// Every figure with each task counted as often as drawn; NaN for undefined ones.
    fn figures(&self, buffers: &mut Buffers, counts: &[u32], row: &mut [f64]) {
        buffers.coincidences.clear();
        buffers.gwet.clear();
        let mut pairs = [0.0; 3];
        for (sums, times) in self.sums.iter().zip(counts) {
            let times = f64::from(*times);
            if times == 0.0 {
                continue;
            }
            for (sum, own) in pairs.iter_mut().zip(sums.pairs) {
                *sum += times * own;
            }
            buffers.coincidences.absorb(&sums.coincidences, times);
            buffers.gwet.absorb(&sums.gwet, times);
        }
        row[EXACT] = pairs[1] / pairs[0];
        row[WITHIN_ONE] = pairs[2] / pairs[0];
        row[ALPHA] = alpha(&buffers.coincidences).unwrap_or(f64::NAN);
        row[AC2] = buffers.gwet.ac2().unwrap_or(f64::NAN);
        for (place, (_, (_, both))) in row[KAPPAS..].iter_mut().zip(&self.raters) {
            buffers.table.clear();
            for one in both {
                buffers.table.add(one.first, one.second, one.times * f64::from(counts[one.task]));
            }
            *place = kappa(&buffers.table).unwrap_or(f64::NAN);
        }
    }
}

/// The outputs that every rater rated, with the raters' scores in the same order.
fn crossed(units: &[Unit]) -> Vec<Vec<f64>> {
    let raters: BTreeSet<u32> = units.iter().flat_map(|u| &u.ratings).map(|(rater, _)| *rater).collect();
    let complete = units.iter().map(|u| u.ratings.iter().copied().collect::<BTreeMap<u32, u8>>());
    let complete = complete.filter(|scores| scores.len() == raters.len() && !scores.is_empty());
    complete.map(|scores| scores.into_values().map(f64::from).collect()).collect()
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
