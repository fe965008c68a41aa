//! Figures of conversations: pass rates by kind, accuracy by round, forgetting (docs/statistics.md, "Conversations").

use model::{
    conversation::TurnCheck,
    conversation_results::{ConversationFigures, RoundFigures, Share},
};

use super::random::{Draws, percentile};

/// Seed of the intervals: fixed, because no study is behind them.
const SEED: u64 = 0;
/// The figure's number, by which its random streams differ from those of other figures.
const FIGURE: u64 = 8 << 16;

/// The answer to a turn that is judged in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundAnswer {
    pub turn: u32,
    /// Whether it passes all tests so far.
    pub passed: bool,
    /// Single turns: its own and, if it failed, the earlier ones.
    pub checks: Vec<TurnCheck>,
}

/// What an answer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Whether it passes the tests of its own instruction alone (IA).
    pub follows: bool,
    /// Whether it passes all tests so far (CA).
    pub passed: bool,
    /// The share of earlier followed instructions that it no longer follows (IFR).
    pub forgotten: f64,
    /// The same as published: where it fails, the base prompt counts as forgotten.
    pub forgotten_as_coded: f64,
}

/// The rounds of a conversation after the base prompt, in order. `base_passed` tells whether the answer to the base prompt
/// passes its tests.
///
/// An instruction counts as followed from the round in which all tests so far passed.
pub fn rounds(base_passed: bool, answers: &[RoundAnswer]) -> Vec<Round> {
    let mut followed: Vec<u32> = base_passed.then_some(0).into_iter().collect();
    let mut rounds = Vec::with_capacity(answers.len());
    for answer in answers {
        let fails = |turn: u32| answer.checks.iter().any(|check| check.turn == turn && !check.published);
        let share = |count: usize| if followed.is_empty() { 0.0 } else { count as f64 / followed.len() as f64 };
        let lost = |as_coded: bool| followed.iter().filter(|turn| fails(**turn) || as_coded && **turn == 0).count();
        rounds.push(Round {
            follows: answer.checks.iter().any(|check| check.turn == answer.turn && check.published),
            passed: answer.passed,
            forgotten: if answer.passed { 0.0 } else { share(lost(false)) },
            forgotten_as_coded: if answer.passed { 0.0 } else { share(lost(true)) },
        });
        if answer.passed {
            followed.push(answer.turn);
        }
    }
    rounds
}

/// A task's part of a share: what counts, and what it is counted of.
pub type Part = (f64, u32);

/// Shares over all tasks with intervals: `parts` has, for each task, its part of every share. Answers are pooled, so a task
/// with more answers weighs more, as in the published figures. Tasks are resampled as a whole.
pub fn shares(parts: &[Vec<Part>]) -> Vec<Share> {
    let columns = parts.first().map_or(0, Vec::len);
    let at = |task: &Vec<Part>, column: usize| task.get(column).copied().unwrap_or_default();
    let resampled = Draws::new(SEED, FIGURE).columns(
        parts.len(),
        columns,
        || (),
        |(), counts, row| {
            for (column, figure) in row.iter_mut().enumerate() {
                let drawn = counts.iter().zip(parts).map(|(count, task)| (f64::from(*count), at(task, column)));
                let (sum, of) = drawn.fold((0.0, 0.0), |(sum, all), (count, (counted, of))| {
                    (count.mul_add(counted, sum), count.mul_add(f64::from(of), all))
                });
                *figure = if of > 0.0 { sum / of } else { f64::NAN };
            }
        },
    );
    let each = resampled.into_iter().enumerate().map(|(column, drawn)| {
        let sum: f64 = parts.iter().map(|task| at(task, column).0).sum();
        let of: u32 = parts.iter().map(|task| at(task, column).1).sum();
        let tasks = parts.iter().filter(|task| at(task, column).1 > 0).count();
        let interval = if tasks >= 2 { percentile(drawn).ok() } else { None };
        Share { value: if of > 0 { sum / f64::from(of) } else { 0.0 }, of, interval }
    });
    each.collect()
}

/// A task's conversation: whether the answer to the base prompt passes, if there is one, and the rounds after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskRounds {
    pub base: Option<bool>,
    pub rounds: Vec<Round>,
    /// Whether answers that are not judged pass the tests of their own instruction. They count for IA only.
    pub unjudged: Vec<bool>,
}

/// The figures of conversations; those of several conversations of a task follow each other.
pub fn figures(tasks: &[Vec<TaskRounds>]) -> ConversationFigures {
    const FIRST: usize = 3;
    const EACH: usize = 4;
    let longest = tasks.iter().flatten().map(|task| task.rounds.len()).max().unwrap_or(0);
    let parts: Vec<Vec<Part>> = tasks
        .iter()
        .map(|conversations| {
            let mut parts = vec![(0.0, 0); FIRST + EACH * (longest + 1)];
            let mut add = |column: usize, value: f64| {
                parts[column].0 += value;
                parts[column].1 += 1;
            };
            let flag = |passed: bool| f64::from(u8::from(passed));
            for conversation in conversations {
                if let Some(base) = conversation.base {
                    add(FIRST, flag(base));
                    add(FIRST + 1, flag(base));
                }
                for follows in &conversation.unjudged {
                    add(0, flag(*follows));
                }
                for (at, round) in conversation.rounds.iter().enumerate() {
                    let values = [flag(round.passed), flag(round.follows), round.forgotten, round.forgotten_as_coded];
                    for (offset, value) in values.into_iter().enumerate() {
                        add(FIRST + EACH * (at + 1) + offset, value);
                        if offset > 0 {
                            add(offset - 1, value);
                        }
                    }
                }
            }
            parts
        })
        .collect();
    let shares = shares(&parts);
    let share = |column: usize| shares.get(column).copied().unwrap_or_default();
    let round = |at: usize| RoundFigures {
        round: u32::try_from(at + 1).unwrap_or(u32::MAX),
        accuracy: share(FIRST + EACH * at),
        instruction_accuracy: share(FIRST + EACH * at + 1),
        forgotten: share(FIRST + EACH * at + 2),
        forgotten_as_coded: share(FIRST + EACH * at + 3),
    };
    ConversationFigures {
        instruction_accuracy: share(0),
        forgotten: share(1),
        forgotten_as_coded: share(2),
        rounds: (0..=longest).map(round).filter(|round| round.accuracy.of > 0).collect(),
    }
}

/// The numbers behind a figure of the leaderboard's column L-1: passed and judged answers at function level, passed and
/// counted answers of repository level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaderboard {
    pub function: (u32, u32),
    pub repository: (u32, u32),
}

/// Kinds of instructions at repository level, the first answer of each of which the published report does not count.
const UNCOUNTED: u32 = 7;

impl Leaderboard {
    /// The share over both levels.
    pub fn value(&self) -> f64 {
        self.of(self.repository.1)
    }

    /// The published figure. `repo/test/report.py` begins to count a kind's answers at 0 with its first one, so that its
    /// denominator lacks one for each of the seven kinds. The base prompt is not counted in this way.
    pub fn published(&self) -> f64 {
        self.of(self.repository.1.saturating_sub(UNCOUNTED))
    }

    fn of(&self, repository: u32) -> f64 {
        match self.function.1 + repository {
            0 => 0.0,
            of => f64::from(self.function.0 + self.repository.0) / f64::from(of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(turn: u32, published: bool) -> TurnCheck {
        TurnCheck { turn, published, guarded: published }
    }

    #[test]
    fn forgetting_counts_earlier_followed_instructions() {
        let answers = [
            RoundAnswer { turn: 1, passed: true, checks: vec![check(1, true)] },
            // Turn 2 fails: it breaks turn 1 and keeps the base.
            RoundAnswer { turn: 2, passed: false, checks: vec![check(0, true), check(1, false), check(2, true)] },
            // Turn 3 passes alone only; turn 2 was never followed and does not count.
            RoundAnswer {
                turn: 4,
                passed: false,
                checks: vec![check(0, false), check(1, true), check(2, false), check(4, false)],
            },
        ];
        let found = rounds(true, &answers);
        let lost: Vec<_> = found.iter().map(|round| (round.forgotten, round.forgotten_as_coded)).collect();
        assert_eq!(lost, [(0.0, 0.0), (0.5, 1.0), (0.5, 0.5)]);
        assert_eq!(found.iter().map(|round| round.follows).collect::<Vec<_>>(), [true, true, false]);
        // Nothing was followed before, so nothing can be forgotten.
        assert_eq!(rounds(false, &answers[1..2])[0].forgotten_as_coded, 0.0);
    }

    #[test]
    fn shares_pool_answers_and_resample_tasks() {
        let same = vec![vec![(1.0, 2)]; 5];
        let share = shares(&same)[0];
        assert_eq!((share.value, share.of), (0.5, 10));
        let interval = share.interval.unwrap();
        assert_eq!((interval.low, interval.high), (0.5, 0.5));
        let mixed = shares(&[vec![(3.0, 3), (0.0, 0)], vec![(0.0, 1), (1.0, 1)]]);
        assert_eq!((mixed[0].value, mixed[0].of), (0.75, 4));
        let interval = mixed[0].interval.unwrap();
        assert_eq!((interval.low, interval.high), (0.0, 1.0));
        assert_eq!((mixed[1].value, mixed[1].interval), (1.0, None));
        assert!(shares(&[]).is_empty());
    }

    #[test]
    fn figures_count_rounds_of_every_conversation() {
        let round = |passed| Round { follows: true, passed, forgotten: 0.25, forgotten_as_coded: 0.5 };
        let long = TaskRounds { base: Some(true), rounds: vec![round(true), round(false)], unjudged: vec![] };
        let short = TaskRounds { base: None, rounds: vec![round(false)], unjudged: vec![false] };
        let figures = figures(&[vec![long.clone(), long], vec![short]]);
        let rounds: Vec<_> = figures.rounds.iter().map(|r| (r.round, r.accuracy.of, r.accuracy.count())).collect();
        assert_eq!(rounds, [(1, 2, 2), (2, 3, 2), (3, 2, 0)]);
        assert_eq!((figures.instruction_accuracy.of, figures.instruction_accuracy.count()), (6, 5));
        assert_eq!((figures.forgotten.value, figures.forgotten_as_coded.value), (0.25, 0.5));
    }

    #[test]
    fn leaderboard_leaves_out_one_answer_of_each_kind() {
        // 217 of 422, as printed for one model; with every answer counted, the share is lower.
        let cell = Leaderboard { function: (151, 295), repository: (66, 134) };
        assert!((cell.published() - 217.0 / 422.0).abs() < 1e-12);
        assert!((cell.value() - 217.0 / 429.0).abs() < 1e-12);
    }
}
