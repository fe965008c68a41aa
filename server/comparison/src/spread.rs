//! How far the ratings of one output are apart.

use std::collections::{HashMap, hash_map::Entry};

use model::ids::OutputId;

/// The lowest and highest score of every output on each dimension, so far.
#[derive(Default)]
pub struct Ranges(HashMap<(OutputId, usize), (u8, u8)>);

impl Ranges {
    /// Adds a rating's scores. Returns the largest difference on one dimension between this output's ratings, this one
    /// included; `None` for its first rating, which differs from nothing.
    pub fn add(&mut self, output: OutputId, scores: &[u8]) -> Option<u8> {
        let differences = scores.iter().enumerate().map(|(dimension, score)| match self.0.entry((output, dimension)) {
            Entry::Vacant(first) => {
                first.insert((*score, *score));
                None
            }
            Entry::Occupied(mut range) => {
                let (low, high) = range.get_mut();
                (*low, *high) = ((*low).min(*score), (*high).max(*score));
                Some(*high - *low)
            }
        });
        differences.max().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_ratings_of_one_output_have_a_spread() {
        let (mut ranges, output, other) = (Ranges::default(), OutputId(1), OutputId(2));
        assert_eq!(ranges.add(output, &[4, 2, 5]), None);
        assert_eq!(ranges.add(other, &[1, 1, 1]), None, "another output");
        assert_eq!(ranges.add(output, &[4, 2, 5]), Some(0));
        assert_eq!(ranges.add(output, &[3, 2, 1]), Some(4));
        assert_eq!(ranges.add(output, &[4, 2, 5]), Some(4), "the largest of all pairs");
    }
}
