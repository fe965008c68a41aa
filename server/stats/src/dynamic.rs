//! Figures of dynamic conversations by round (docs/statistics.md, "Dynamic conversations").

use model::{
    conversation_results::{DynamicFigures, DynamicRound, DynamicShares, Share},
    dynamic::Round,
};

use super::conversations::{Part, shares};

/// Figures of a round: IA, CA, IFE and IFR, in this order.
const EACH: usize = 4;

/// The figures of conversations: for each task the rounds of each of its conversations.
pub fn figures(tasks: &[Vec<Vec<Round>>]) -> DynamicFigures {
    let longest = tasks.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let parts: Vec<Vec<Part>> = tasks
        .iter()
        .map(|conversations| {
            // All answers together, then each round.
            let mut parts = vec![(0.0, 0); EACH * (longest + 1)];
            for (at, round) in conversations.iter().flat_map(|rounds| rounds.iter().enumerate()) {
                for (offset, value) in values(at, round).into_iter().enumerate() {
                    for column in [offset, EACH * (at + 1) + offset] {
                        parts[column].0 += value;
                        parts[column].1 += 1;
                    }
                }
            }
            parts
        })
        .collect();
    let found = shares(&parts);
    let of = |at: usize| {
        let share = |offset: usize| found.get(EACH * at + offset).copied().unwrap_or_default();
        let [instruction_accuracy, accuracy, efficiency, forgotten]: [Share; EACH] = std::array::from_fn(share);
        DynamicShares { instruction_accuracy, accuracy, efficiency, forgotten }
    };
    let round = |at: usize| DynamicRound { round: u32::try_from(at).unwrap_or(u32::MAX), shares: of(at) };
    DynamicFigures { all: of(0), rounds: (1..=longest).map(round).collect() }
}

fn values(at: usize, round: &Round) -> [f64; EACH] {
    let followed = f64::from(round.followed);
    [
        f64::from(u8::from(round.follows)),
        followed / f64::from(round.asked.max(1)),
        followed / (at + 1) as f64,
        round.forgotten,
    ]
}

#[cfg(test)]
mod tests {
    use model::dynamic::Ask;

    use super::*;

    fn round(follows: bool, followed: u32, asked: u32, forgotten: f64) -> Round {
        Round { ask: Ask { instruction: 0, again: false }, follows, asked, followed, forgotten }
    }

    #[test]
    fn figures_are_means_over_answers_by_round() {
        // Fails, is repaired, and fails the next instruction, for which it breaks the base prompt.
        let long = vec![round(false, 0, 1, 0.0), round(true, 1, 1, 0.0), round(false, 0, 2, 1.0)];
        let short = vec![round(true, 1, 1, 0.0)];
        let found = figures(&[vec![long], vec![short]]);
        let shown: Vec<_> = found
            .rounds
            .iter()
            .map(|of| {
                let s = &of.shares;
                let values = [s.instruction_accuracy, s.accuracy, s.efficiency, s.forgotten].map(|share| share.value);
                (of.round, s.accuracy.of, values)
            })
            .collect();
        let expected = [(1, 2, [0.5, 0.5, 0.5, 0.0]), (2, 1, [1.0, 1.0, 0.5, 0.0]), (3, 1, [0.0, 0.0, 0.0, 1.0])];
        assert_eq!(shown, expected);
        // Answers count alike, however long their conversation is.
        assert_eq!((found.all.efficiency.of, found.all.efficiency.value), (4, 0.375));
        assert!(found.all.accuracy.interval.is_some() && found.rounds[1].shares.accuracy.interval.is_none());
        assert!(figures(&[]).rounds.is_empty());
    }
}
