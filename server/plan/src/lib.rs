//! Assigns a study's outputs to raters. Pure and drawn from a seed; docs/plan.md describes the guarantees.
//!
//! [`make`] plans a study before it starts. [`share_out`] finds raters for units that become free when a rater
//! leaves or the study grows. [`newcomer`] picks the units that a new rater takes over. [`change`] makes of them what a
//! change of a running study does, over the planned ratings of [`rows`]. Nothing here reads a clock, a database or
//! randomness other than the seed. This crate may not know what the outputs are.

pub mod change;
mod flow;
mod order;
mod quota;
pub mod rows;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use model::{lang::Lang, plan::Reads};
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

pub use order::{APART, spread};

use flow::Network;

/// A unit of work that a rater is assigned: an output, or in side-by-side studies a task with all its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Id of the output or the task.
    pub id: i64,
    /// Id of the task.
    pub task: i64,
    /// Id of the model. The same for all units if a unit is a whole task.
    pub model: i64,
    /// The description's language.
    pub nl_lang: Lang,
}

/// A rater of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rater {
    /// Id of the rater.
    pub id: i64,
    /// Languages that the rater reads.
    pub reads: Reads,
    /// Maximum number of units, if an admin set the rater's share by hand.
    pub share: Option<u32>,
}

/// The assignment of a unit to a rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Given {
    /// Id of the unit.
    pub unit: i64,
    /// Index of the rater among the unit's raters, from 0.
    pub slot: u32,
    /// Id of the rater.
    pub rater: i64,
    /// Position in the rater's order, from 1.
    pub place: i64,
}

/// Why no plan satisfies the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// Raters per output exceed the number of raters who read the language.
    TooFewReaders {
        /// The language.
        nl_lang: Lang,
        /// Number of raters who read it.
        readers: usize,
    },
    /// The shares set by hand add up to less than the study needs.
    SharesTooSmall {
        /// Sum of the shares, each capped at what its rater can be assigned.
        shares: u64,
        /// Number of ratings that the study needs.
        wanted: u64,
    },
}

/// Assigns each of `units` to `raters_per_output` different raters.
///
/// If every rater can be assigned every unit, the raters' numbers of units differ by at most one: in total, per
/// model, per language and per task. If languages or shares set by hand prevent that, each rater gets the exact
/// number per language, and models and tasks are spread as evenly as possible.
///
/// # Errors
/// [`Impossible`] if no plan satisfies the request.
pub fn make(units: &[Unit], raters: &[Rater], raters_per_output: u32, seed: u64) -> Result<Vec<Given>, Impossible> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut units = units.to_vec();
    units.sort_unstable_by_key(|unit| unit.id);
    units.shuffle(&mut rng);
    let mut raters = raters.to_vec();
    raters.sort_unstable_by_key(|rater| rater.id);
    raters.shuffle(&mut rng);
    for lang in Lang::ALL {
        let readers = raters.iter().filter(|rater| rater.reads.has(lang)).count();
        if readers < raters_per_output as usize && units.iter().any(|unit| unit.nl_lang == lang) {
            return Err(Impossible::TooFewReaders { nl_lang: lang, readers });
        }
    }
    let even = raters.iter().all(|rater| rater.share.is_none() && rater.reads == Reads::BOTH);
    let quotas = if even { None } else { Some(quota::quotas(&units, &raters, raters_per_output)?) };
    // Raters with the largest share come first, which leaves an even demand for the others.
    let mut turn: Vec<usize> = (0..raters.len()).collect();
    if let Some(quotas) = &quotas {
        turn.sort_by_key(|rater| std::cmp::Reverse(quotas[*rater].iter().sum::<i64>()));
    }
    let mut wanted = vec![i64::from(raters_per_output); units.len()];
    let mut takers: Vec<Vec<i64>> = vec![Vec::new(); units.len()];
    let mut given = Vec::new();
    for (done, rater) in turn.iter().enumerate() {
        let left = raters.len() - done;
        let took = match &quotas {
            None => evenly(&units, &wanted, left),
            Some(quotas) => by_quota(&units, &wanted, quotas[*rater]),
        };
        let id = raters[*rater].id;
        let tasks: Vec<i64> = took.iter().map(|unit| units[*unit].task).collect();
        for (place, item) in (1..).zip(spread(&tasks, seed, &mut rng)) {
            let unit = took[item];
            wanted[unit] -= 1;
            takers[unit].push(id);
            given.push(Given { unit: units[unit].id, slot: 0, rater: id, place });
        }
    }
    // Slots must not reveal anything about raters, so they follow a shuffle of their own.
    let mut slots: HashMap<(i64, i64), u32> = HashMap::new();
    for (unit, takers) in units.iter().zip(&mut takers) {
        takers.shuffle(&mut rng);
        slots.extend((0..).zip(&*takers).map(|(slot, rater)| ((unit.id, *rater), slot)));
    }
    for one in &mut given {
        one.slot = slots.get(&(one.unit, one.rater)).copied().unwrap_or(0);
    }
    Ok(given)
}

/// Lower and upper bounds on what a rater takes.
struct Bounds<'a> {
    /// For a unit that still needs this many raters.
    unit: &'a dyn Fn(&Unit, i64) -> (i64, i64),
    /// For a task of a language with this many units left.
    task: &'a dyn Fn(Lang, i64) -> (i64, i64),
    /// For a model with this many units left per language.
    model: &'a dyn Fn([i64; 2]) -> (i64, i64),
    /// For a language.
    lang: &'a dyn Fn(Lang) -> (i64, i64),
    /// In total.
    total: (i64, i64),
}

/// Picks units for one rater within the bounds, as indices into `units`; `None` if that is impossible.
///
/// Each unit is an edge of a network: a unit flows from the source through its language and task to its model
/// and back to the source. Bounds on all of these are bounds on edges, and the flow is integral.
fn take(units: &[Unit], wanted: &[i64], bounds: &Bounds<'_>) -> Option<Vec<usize>> {
    let mut tasks: HashMap<i64, (usize, Lang, i64)> = HashMap::new();
    let mut models: HashMap<i64, (usize, [i64; 2])> = HashMap::new();
    let (mut task_order, mut model_order) = (Vec::new(), Vec::new());
    for (unit, want) in units.iter().zip(wanted) {
        let known = tasks.len();
        let task = tasks.entry(unit.task).or_insert_with(|| {
            task_order.push(unit.task);
            (known, unit.nl_lang, 0)
        });
        task.2 += want;
        let known = models.len();
        let model = models.entry(unit.model).or_insert_with(|| {
            model_order.push(unit.model);
            (known, [0; 2])
        });
        model.1[place(unit.nl_lang)] += want;
    }
    // Nodes: all, sum, two languages, tasks, models.
    let (all, sum, langs) = (0, 1, [2, 3]);
    let task_node = |task: usize| 4 + task;
    let model_node = |model: usize| 4 + tasks.len() + model;
    let mut network = Network::new(4 + tasks.len() + models.len());
    let mut of_units = Vec::new();
    for (at, (unit, want)) in units.iter().zip(wanted).enumerate() {
        let (low, high) = (bounds.unit)(unit, *want);
        if high > 0 {
            let (task, model) = (tasks.get(&unit.task)?.0, models.get(&unit.model)?.0);
            of_units.push((at, network.edge(task_node(task), model_node(model), low, high)));
        }
    }
    network.edge(sum, all, bounds.total.0, bounds.total.1);
    for lang in Lang::ALL {
        let (low, high) = (bounds.lang)(lang);
        network.edge(all, langs[place(lang)], low, high);
    }
    for id in &task_order {
        let (node, lang, left) = tasks.get(id)?;
        let (low, high) = (bounds.task)(*lang, *left);
        network.edge(langs[place(*lang)], task_node(*node), low, high);
    }
    for id in &model_order {
        let (node, left) = models.get(id)?;
        let (low, high) = (bounds.model)(*left);
        network.edge(model_node(*node), sum, low, high);
    }
    let carried = network.circulation()?;
    Some(of_units.into_iter().filter(|(_, edge)| carried[edge.0] > 0).map(|(at, _)| at).collect())
}

/// Units left per language.
fn left_of(units: &[Unit], wanted: &[i64]) -> [i64; 2] {
    let mut sums = [0; 2];
    for (unit, want) in units.iter().zip(wanted) {
        sums[place(unit.nl_lang)] += want;
    }
    sums
}

/// Bounds for one of `left` raters who share evenly: each quantity divided by `left`, rounded down and up.
/// The fractional equal shares are a flow within these bounds, so an integral one exists, too, and the rest can
/// again be shared evenly.
fn evenly(units: &[Unit], wanted: &[i64], left: usize) -> Vec<usize> {
    let left = left as i64;
    let part = |sum: i64| (sum / left, (sum + left - 1) / left);
    let sums = left_of(units, wanted);
    let bounds = Bounds {
        unit: &|_, want| (i64::from(want >= left), i64::from(want > 0)),
        task: &|_, sum| part(sum),
        model: &|sums| part(sums[0] + sums[1]),
        lang: &|lang| part(sums[place(lang)]),
        total: part(sums[0] + sums[1]),
    };
    take(units, wanted, &bounds).unwrap_or_default()
}

/// Bounds for a rater with fixed numbers of units per language. Units that still need more raters come first,
/// which keeps the rest feasible (Gale–Ryser theorem). Models and tasks stay as even as possible; each step
/// relaxes them further.
fn by_quota(units: &[Unit], wanted: &[i64], quota: [i64; 2]) -> Vec<usize> {
    let sums = left_of(units, wanted);
    let mut most = [0; 2];
    for (unit, want) in units.iter().zip(wanted) {
        let lang = place(unit.nl_lang);
        most[lang] = most[lang].max(*want);
    }
    let mut highest = [0; 2];
    for (unit, want) in units.iter().zip(wanted) {
        let lang = place(unit.nl_lang);
        highest[lang] += i64::from(*want == most[lang]);
    }
    let unit = |unit: &Unit, want: i64| {
        let lang = place(unit.nl_lang);
        let top = i64::from(want == most[lang]);
        match (want > 0 && quota[lang] > 0, quota[lang] >= highest[lang]) {
            (false, _) => (0, 0),
            (true, true) => (top, 1),
            (true, false) => (0, top),
        }
    };
    let ratio = |lang: usize| quota[lang] as f64 / (sums[lang].max(1)) as f64;
    for slack in [0, 1, 2, 4, 8, 16, i64::from(u32::MAX)] {
        // Tolerance, so that 3.0000000001 is not rounded up to 4.
        let part = |part: f64| (((part + 1e-9).floor() as i64 - slack).max(0), (part - 1e-9).ceil() as i64 + slack);
        let bounds = Bounds {
            unit: &unit,
            task: &|lang, sum| part(sum as f64 * ratio(place(lang))),
            model: &|sums| part(sums[0] as f64 * ratio(0) + sums[1] as f64 * ratio(1)),
            lang: &|lang| (quota[place(lang)], quota[place(lang)]),
            total: (quota[0] + quota[1], quota[0] + quota[1]),
        };
        if let Some(took) = take(units, wanted, &bounds) {
            return took;
        }
    }
    Vec::new()
}

fn place(lang: Lang) -> usize {
    match lang {
        Lang::En => 0,
        Lang::Zh => 1,
    }
}

/// A rater's load while a study runs.
#[derive(Clone, Debug)]
pub struct Standing {
    pub rater: Rater,
    /// Units assigned to the rater, rated or not.
    pub has: HashSet<i64>,
    /// Number of these units that are not rated.
    pub open: u64,
}

/// Finds a rater for each entry of `free` (a unit appears once per missing rater) and returns them in the same
/// order; `None` if nobody can be assigned the unit.
///
/// Units with the fewest eligible raters come first. Each goes to the eligible rater with the fewest unrated
/// units, then the fewest of the task, then the fewest of the model. Existing assignments do not move.
pub fn share_out(free: &[Unit], known: &HashMap<i64, Unit>, standings: &mut [Standing], seed: u64) -> Vec<Option<i64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tasks: HashMap<(usize, i64), u64> = HashMap::new();
    let mut models: HashMap<(usize, i64), u64> = HashMap::new();
    for (who, standing) in standings.iter().enumerate() {
        for unit in standing.has.iter().filter_map(|id| known.get(id)) {
            *tasks.entry((who, unit.task)).or_default() += 1;
            *models.entry((who, unit.model)).or_default() += 1;
        }
    }
    let may = |standing: &Standing, unit: &Unit| {
        standing.rater.reads.has(unit.nl_lang)
            && !standing.has.contains(&unit.id)
            && standing.rater.share.is_none_or(|share| (standing.has.len() as u64) < u64::from(share))
    };
    let mut turn: Vec<usize> = (0..free.len()).collect();
    turn.shuffle(&mut rng);
    turn.sort_by_key(|at| standings.iter().filter(|standing| may(standing, &free[*at])).count());
    let mut found = vec![None; free.len()];
    for at in turn {
        let unit = &free[at];
        let mut ties: Vec<usize> = (0..standings.len()).collect();
        ties.shuffle(&mut rng);
        let best = ties.into_iter().filter(|who| may(&standings[*who], unit)).min_by_key(|who| {
            let count = |of: &HashMap<(usize, i64), u64>, id| of.get(&(*who, id)).copied().unwrap_or(0);
            (standings[*who].open, count(&tasks, unit.task), count(&models, unit.model))
        });
        if let Some(who) = best {
            *tasks.entry((who, unit.task)).or_default() += 1;
            *models.entry((who, unit.model)).or_default() += 1;
            standings[who].has.insert(unit.id);
            standings[who].open += 1;
            found[at] = Some(standings[who].rater.id);
        }
    }
    found
}

/// Picks the units that a new rater takes over, as indices into `waiting`: from the raters with the most unrated
/// units, until the new rater has as many.
///
/// `waiting` lists units that nobody has opened with the rater they are assigned to (`None` if unassigned), in
/// that rater's order. `open` is each other rater's number of unrated units.
pub fn newcomer(
    waiting: &[(Unit, Option<i64>)],
    open: &HashMap<i64, u64>,
    newcomer: &Standing,
    seed: u64,
) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut open = open.clone();
    // From the end of each rater's order, which they would reach last.
    let mut last: Vec<usize> = (0..waiting.len()).rev().collect();
    let (mut has, mut mine) = (newcomer.has.clone(), newcomer.open);
    let room = newcomer.rater.share.map_or(u64::MAX, u64::from);
    let mut models: HashMap<i64, u64> = HashMap::new();
    let mut taken = Vec::new();
    // Unassigned units come first.
    last.retain(|at| {
        let (unit, whose) = &waiting[*at];
        let fits = newcomer.rater.reads.has(unit.nl_lang) && !has.contains(&unit.id);
        if !fits {
            return false;
        }
        if whose.is_none() && (has.len() as u64) < room {
            has.insert(unit.id);
            mine += 1;
            *models.entry(unit.model).or_default() += 1;
            taken.push(*at);
            return false;
        }
        whose.is_some()
    });
    let mut piles: HashMap<i64, HashMap<i64, Vec<usize>>> = HashMap::new();
    for at in last.into_iter().rev() {
        if let (unit, Some(whose)) = &waiting[at] {
            piles.entry(*whose).or_default().entry(unit.model).or_default().push(at);
        }
    }
    while (has.len() as u64) < room {
        // The rater with the most unrated units to give; ties follow the seeded shuffle.
        let mut donors: Vec<i64> = piles.iter().filter(|(_, pile)| !pile.is_empty()).map(|(id, _)| *id).collect();
        donors.sort_unstable();
        donors.shuffle(&mut rng);
        let Some(donor) = donors.into_iter().max_by_key(|id| open.get(id).copied().unwrap_or(0)) else { break };
        let theirs = open.entry(donor).or_default();
        if newcomer.rater.share.is_none() && *theirs <= mine + 1 {
            break;
        }
        let Some(pile) = piles.get_mut(&donor) else { break };
        let mut kinds: Vec<i64> = pile.keys().copied().collect();
        kinds.sort_unstable();
        let Some(kind) = kinds.into_iter().min_by_key(|model| models.get(model).copied().unwrap_or(0)) else { break };
        let found = pile.get_mut(&kind).and_then(Vec::pop);
        if pile.get(&kind).is_none_or(Vec::is_empty) {
            pile.remove(&kind);
        }
        let Some(at) = found else { continue };
        // The new rater must not get a second copy of the unit from another rater.
        if has.insert(waiting[at].0.id) {
            *models.entry(kind).or_default() += 1;
            *theirs -= 1;
            mine += 1;
            taken.push(at);
        }
    }
    taken
}
