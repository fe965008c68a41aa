//! The order in which a rater sees their units: tasks come in an order that all raters of a plan share, and units of one task
//! are far apart.

use std::{collections::HashMap, mem};

use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Minimum number of other units between two units of one task, if there are enough.
pub const APART: usize = 8;

/// The indices of `tasks` (one entry per item) in an order that completes some tasks before it begins others, and keeps at
/// least [`APART`] others between two items of one task, or as many as possible.
///
/// `seed` gives an order of tasks, the same for every rater, and blocks of twice `APART + 1` tasks or somewhat more follow
/// it. So all raters rate the outputs of a task at about the same time, and ratings that are compared before the end are
/// mostly of the same tasks. Within a block, `rng` draws one of the orders that keep items of one task apart. In smaller
/// blocks there would be few such orders, all of them nearly periodic, and an item that is out of step would stand out.
pub fn spread(tasks: &[i64], seed: u64, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut by_task: HashMap<i64, Vec<usize>> = HashMap::new();
    for (item, task) in tasks.iter().enumerate() {
        by_task.entry(*task).or_default().push(item);
    }
    let mut groups: Vec<(u64, i64, Vec<usize>)> =
        by_task.into_iter().map(|(task, items)| (place(task, seed), task, items)).collect();
    groups.sort_unstable();
    let (count, blocks) = (groups.len(), (groups.len() / BLOCK).max(1));
    let mut order = Vec::with_capacity(tasks.len());
    for block in 0..blocks {
        let block = groups.get_mut(block * count / blocks..(block + 1) * count / blocks).unwrap_or_default();
        block.shuffle(rng);
        let mut block: Vec<Vec<usize>> = block.iter_mut().map(|(.., items)| mem::take(items)).collect();
        block.iter_mut().for_each(|items| items.shuffle(rng));
        let most = APART.min(block.len().saturating_sub(1));
        let drawn = (0..=most)
            .rev()
            .find_map(|apart| (0..DRAWS).find_map(|_| draw(&block, apart, rng)).or_else(|| keep_apart(&block, apart)));
        order.extend(drawn.unwrap_or_default());
    }
    order
}

/// The least number of tasks in a block, if there are as many.
const BLOCK: usize = 2 * (APART + 1);

/// How often an order is drawn before one in rounds is made.
const DRAWS: usize = 8;

/// The items of all tasks of a block in a random order with at least `apart` others between two of one task; `None` if the
/// draw ends with only such items left that would be too near. Each step draws among the items that may come next, so tasks
/// with more items left come with a higher probability.
fn draw(block: &[Vec<usize>], apart: usize, rng: &mut ChaCha8Rng) -> Option<Vec<usize>> {
    let total = block.iter().map(Vec::len).sum();
    let mut order = Vec::with_capacity(total);
    // Of each task: how many of its items have come, and from which position the next one may come.
    let mut state = vec![(0, 0); block.len()];
    while order.len() < total {
        let (at, left) = (order.len(), total - order.len());
        let open = || state.iter().zip(block).enumerate().filter(|(_, ((come, _), items))| *come < items.len());
        let free = || open().filter(|(_, ((_, from), _))| *from <= at);
        // Tasks whose other items need all positions that are left.
        let urgent = |items: usize| (items - 1) * (apart + 1) + 1 >= left;
        let weight = |all_urgent: bool, (_, ((come, _), items)): &(usize, (&(usize, usize), &Vec<usize>))| {
            let items = items.len() - come;
            if urgent(items) == all_urgent { items } else { 0 }
        };
        let has_urgent = free().any(|one| weight(true, &one) > 0);
        let sum: usize = free().map(|one| weight(has_urgent, &one)).sum();
        if sum == 0 {
            return None;
        }
        let mut drawn = rng.random_range(0..sum);
        let (task, _) = free().find(|one| match drawn.checked_sub(weight(has_urgent, one)) {
            Some(rest) => {
                drawn = rest;
                false
            }
            None => true,
        })?;
        let (come, from) = &mut state[task];
        order.push(*block[task].get(*come)?);
        (*come, *from) = (*come + 1, at + apart + 1);
    }
    Some(order)
}

/// A task's place among others, the same for every rater.
fn place(task: i64, seed: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task.cast_unsigned());
    rng.random()
}

/// The items of all tasks of a block in rounds with one item of each task, those with the most items first, with every
/// item postponed while its task is among the last `apart`; `None` if only such items remain.
fn keep_apart(block: &[Vec<usize>], apart: usize) -> Option<Vec<usize>> {
    let mut tasks: Vec<usize> = (0..block.len()).collect();
    tasks.sort_by_key(|task| std::cmp::Reverse(block[*task].len()));
    let rounds = tasks.first().map_or(0, |task| block[*task].len());
    let mut waiting: Vec<(usize, usize)> = (0..rounds)
        .flat_map(|round| tasks.iter().filter_map(move |task| Some((*task, *block[*task].get(round)?))))
        .collect();
    let mut order = Vec::with_capacity(waiting.len());
    let mut free_from = vec![0; block.len()];
    while !waiting.is_empty() {
        let next = waiting.iter().position(|(task, _)| free_from[*task] <= order.len())?;
        let (task, item) = waiting.remove(next);
        free_from[task] = order.len() + apart + 1;
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
                prop_assert!(begun < 2 * BLOCK, "{begun} tasks");
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
                prop_assert!((one[&item] - other[&item]).unsigned_abs() as usize <= 2 * BLOCK - 2);
            }
        }

        #[test]
        fn outputs_of_a_task_are_apart(tasks in 2_usize..40, each in 2_usize..5, seed: u64) {
            let all: Vec<i64> = (0..tasks).flat_map(|t| std::iter::repeat_n(t as i64, each)).collect();
            let order = spread(&all, seed, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert!(nearest(&all, &order) >= APART.min(tasks - 1), "{:?}", order);
        }
    }
    /// Were an output of every task to come before a second one of any, an output that comes too early would stand out.
    #[test]
    fn orders_have_no_rounds() {
        let (tasks, each) = (20, 4);
        let all: Vec<i64> = (0..tasks).flat_map(|t| std::iter::repeat_n(t, each)).collect();
        let mut gaps: HashMap<usize, usize> = HashMap::new();
        for seed in 0..50 {
            let order = spread(&all, seed, &mut ChaCha8Rng::seed_from_u64(seed));
            let mut last = HashMap::new();
            let mut again = 0;
            for (at, item) in order.iter().enumerate() {
                if let Some(before) = last.insert(all[*item], at) {
                    *gaps.entry(at - before).or_default() += 1;
                    again += usize::from(at < tasks as usize);
                }
            }
            assert!(again > 0, "every task comes once among the first {tasks} outputs: {order:?}");
        }
        let all: usize = gaps.values().sum();
        let most = gaps.values().max().unwrap();
        assert!(most * 5 < all, "most second outputs come after the same number of others: {gaps:?}");
    }

    #[test]
    fn tasks_with_many_outputs_are_apart_as_far_as_possible() {
        // 20 outputs of one task and 40 of others: two others fit between two of the first.
        let all: Vec<i64> = (0..60).map(|item| if item < 20 { 0 } else { item }).collect();
        let order = spread(&all, 7, &mut ChaCha8Rng::seed_from_u64(7));
        let places: Vec<usize> = (0..60).filter(|at| all[order[*at]] == 0).collect();
        assert_eq!(places.len(), 20);
        assert!(nearest(&all, &order) >= 1, "{places:?}");
    }
}
