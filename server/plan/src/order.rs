//! The order in which a rater sees their units: random, with units of one task far apart.

use std::collections::{BinaryHeap, HashMap, VecDeque};

use rand::{Rng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Minimum number of other units between two units of one task, if there are enough.
pub const APART: usize = 8;

/// The indices of `tasks` (one entry per item) in a random order that keeps at least [`APART`] others between
/// two items of one task, or as many as possible.
///
/// Every item gets a random time: a task's items are spread evenly from a random start. Items are taken in the
/// order of these times; an item whose task came up too recently is postponed.
pub fn spread(tasks: &[i64], rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut by_task: HashMap<i64, Vec<usize>> = HashMap::new();
    for (item, task) in tasks.iter().enumerate() {
        by_task.entry(*task).or_default().push(item);
    }
    let mut groups: Vec<Vec<usize>> = by_task.into_values().collect();
    groups.sort_unstable();
    let mut timed: Vec<(u64, usize)> = Vec::with_capacity(tasks.len());
    for group in &mut groups {
        group.shuffle(rng);
        let step = u64::MAX / group.len().max(1) as u64;
        let begin = rng.random_range(0..=step);
        timed.extend(
            group.iter().enumerate().map(|(n, item)| ((step.saturating_mul(n as u64)).saturating_add(begin), *item)),
        );
    }
    timed.sort_unstable();
    let most = APART.min(groups.len().saturating_sub(1));
    (0..=most).rev().find_map(|apart| keep_apart(&timed, tasks, apart)).unwrap_or_default()
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
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;

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
            let order = spread(&tasks, &mut ChaCha8Rng::seed_from_u64(seed));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..tasks.len()).collect::<Vec<_>>());
            prop_assert_eq!(order, spread(&tasks, &mut ChaCha8Rng::seed_from_u64(seed)));
        }

        #[test]
        fn outputs_of_a_task_are_evenly_spaced(tasks in 2_usize..40, each in 2_usize..5, seed: u64) {
            let all: Vec<i64> = (0..tasks).flat_map(|t| std::iter::repeat_n(t as i64, each)).collect();
            let order = spread(&all, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert!(nearest(&all, &order) >= APART.min(tasks - 1), "{:?}", order);
        }
    }
}
