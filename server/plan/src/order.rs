//! The order in which a rater sees their units: tasks come in an order that all raters of a plan share, and units of one task
//! are far apart.

use std::collections::{BinaryHeap, HashMap, VecDeque};

use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Minimum number of other units between two units of one task, if there are enough.
pub const APART: usize = 8;

/// The indices of `tasks` (one entry per item) in an order that completes a few tasks before it begins others, and keeps at
/// least [`APART`] others between two items of one task, or as many as possible.
///
/// `seed` gives an order of tasks, the same for every rater, and blocks of `APART + 1` tasks or somewhat more follow it.
/// Within a block, items come in rounds with one item of each task, drawn from `rng`. So all raters rate the
/// outputs of a task at about the same time, and ratings that are compared before the end are mostly of the same tasks.
pub fn spread(tasks: &[i64], seed: u64, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut by_task: HashMap<i64, Vec<usize>> = HashMap::new();
    for (item, task) in tasks.iter().enumerate() {
        by_task.entry(*task).or_default().push(item);
    }
    let mut groups: Vec<(u64, i64, Vec<usize>)> =
        by_task.into_iter().map(|(task, items)| (place(task, seed), task, items)).collect();
    groups.sort_unstable();
    let (count, blocks) = (groups.len(), (groups.len() / (APART + 1)).max(1));
    let mut order = Vec::with_capacity(tasks.len());
    for block in 0..blocks {
        let block = groups.get_mut(block * count / blocks..(block + 1) * count / blocks).unwrap_or_default();
        block.shuffle(rng);
        // Those with the most items first: they come in most rounds, and the rounds get shorter.
        block.sort_by_key(|(.., items)| std::cmp::Reverse(items.len()));
        block.iter_mut().for_each(|(.., items)| items.shuffle(rng));
        let rounds = block.first().map_or(0, |(.., items)| items.len());
        order.extend(
            (0..rounds).flat_map(|round| block.iter().filter_map(move |(.., items)| items.get(round).copied())),
        );
    }
    let timed: Vec<(u64, usize)> = (0..).zip(order).collect();
    let most = APART.min(count.saturating_sub(1));
    (0..=most).rev().find_map(|apart| keep_apart(&timed, tasks, apart)).unwrap_or_default()
}

/// A task's place among others, the same for every rater.
fn place(task: i64, seed: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task.cast_unsigned());
    rng.random()
}

/// `timed` in order, with every item postponed while its task is among the last `apart`; `None` if only such
/// items remain.
fn keep_apart(timed: &[(u64, usize)], tasks: &[i64], apart: usize) -> Option<Vec<usize>> {
    let mut left: HashMap<i64, usize> = HashMap::new();
    for task in tasks {
        *left.entry(*task).or_default() += 1;
    }
    let mut order = Vec::with_capacity(timed.len());
    // Items that can come next, earliest first; items that wait, with the position from which they can come.
    let mut ready: BinaryHeap<std::cmp::Reverse<(u64, usize)>> = timed.iter().copied().map(std::cmp::Reverse).collect();
    let mut last: HashMap<i64, usize> = HashMap::new();
    let mut waiting: VecDeque<(usize, u64, usize)> = VecDeque::new();
    while order.len() < timed.len() {
        while let Some((from, ..)) = waiting.front()
            && *from <= order.len()
        {
            if let Some((_, time, item)) = waiting.pop_front() {
                ready.push(std::cmp::Reverse((time, item)));
            }
        }
        let std::cmp::Reverse((time, item)) = ready.pop()?;
        let free_from = last.get(&tasks[item]).map_or(0, |place| place + apart + 1);
        if free_from > order.len() {
            // Sorted by the position from which each can come.
            let at = waiting.iter().position(|(from, ..)| *from > free_from).unwrap_or(waiting.len());
            waiting.insert(at, (free_from, time, item));
            continue;
        }
        last.insert(tasks[item], order.len());
        order.push(item);
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nearest(tasks: &[i64], order: &[usize]) -> usize {
        let mut last = HashMap::new();
        let mut nearest = usize::MAX;
        for (place, item) in order.iter().enumerate() {
            if let Some(before) = last.insert(tasks[*item], place) {
                nearest = nearest.min(place - before - 1_usize);
            }
        }
        nearest
    }

    proptest! {
        #[test]
        fn order_is_a_seeded_permutation(counts in prop::collection::vec(1_usize..5, 1..40), seed: u64) {
            let tasks: Vec<i64> = counts.iter().enumerate().flat_map(|(t, n)| std::iter::repeat_n(t as i64, *n)).collect();
            let order = spread(&tasks, seed, &mut ChaCha8Rng::seed_from_u64(seed));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..tasks.len()).collect::<Vec<_>>());
            prop_assert_eq!(order, spread(&tasks, seed, &mut ChaCha8Rng::seed_from_u64(seed)));
        }

        #[test]
        fn few_tasks_are_begun_and_not_completed(tasks in 1_usize..80, each in 1_usize..5, seed: u64) {
            let all: Vec<i64> = (0..tasks).flat_map(|t| std::iter::repeat_n(t as i64, each)).collect();
            let mut done: HashMap<i64, usize> = HashMap::new();
            for item in spread(&all, seed, &mut ChaCha8Rng::seed_from_u64(seed)) {
                *done.entry(all[item]).or_default() += 1;
                let begun = done.values().filter(|done| **done < each).count();
                prop_assert!(begun <= 2 * APART + 1, "{begun} tasks");
            }
        }

        /// Two raters come to a task after about the same number of others.
        #[test]
        fn tasks_have_one_order_for_all_raters(tasks in 1_usize..80, seed: u64, one: u64, other: u64) {
            let all: Vec<i64> = (0..tasks as i64).collect();
            let places = |draw| {
                let order = spread(&all, seed, &mut ChaCha8Rng::seed_from_u64(draw));
                (0..).zip(order).map(|(place, item)| (item, place)).collect::<HashMap<usize, i64>>()
            };
            let (one, other) = (places(one), places(other));
            for item in 0..tasks {
                prop_assert!((one[&item] - other[&item]).unsigned_abs() as usize <= 2 * APART);
            }
        }

        #[test]
        fn outputs_of_a_task_are_evenly_spaced(tasks in 2_usize..40, each in 2_usize..5, seed: u64) {
            let all: Vec<i64> = (0..tasks).flat_map(|t| std::iter::repeat_n(t as i64, each)).collect();
            let order = spread(&all, seed, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert!(nearest(&all, &order) >= APART.min(tasks - 1), "{:?}", order);
        }
    }
}
