//! The order of a dynamic conversation, as the branch `v1` of CodeIF-Bench has it: which instruction a model is asked for
//! next, given what the tests of its earlier answers showed.
//!
//! The base prompt comes first, and once more with its failure if the answer fails. Then, until a limit, comes the first
//! instruction whose own tests the last answer fails, and once more with its failure if the answer still fails them. An
//! instruction that fails twice in a row is not asked for again.

use super::conversation::TurnCheck;

/// A request of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The turn of the task whose instruction it asks for; 0 is the base prompt.
    pub instruction: u32,
    /// Whether it tells the model that its last answer fails the instruction's tests.
    pub again: bool,
}

/// An answer: what was asked for, and whether it passes the tests of each instruction alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub instruction: u32,
    pub checks: Vec<TurnCheck>,
}

impl Answered {
    /// Whether the answer passes an instruction's own tests, as published.
    pub fn follows(&self, instruction: u32) -> bool {
        self.checks.iter().any(|check| check.turn == instruction && check.published)
    }
}

/// What an answer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    pub ask: Ask,
    /// Whether it passes the tests of its own instruction (IA).
    pub follows: bool,
    /// Requests for an instruction so far, without those that repeat it with its failure.
    pub asked: u32,
    /// How many of these instructions the answer follows.
    pub followed: u32,
    /// The share of instructions followed earlier that it no longer follows (IFR); 0 if none was.
    pub forgotten: f64,
}

/// A conversation so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub rounds: Vec<Round>,
    /// The next request; absent at the end of the conversation.
    pub next: Option<Ask>,
}

/// Maximum number of requests of a conversation with this many instructions after the base prompt.
pub fn most_requests(instructions: usize) -> usize {
    2 * instructions + 2
}

/// Follows a conversation. `instructions` are the turns after the base prompt that it asks for, in order.
pub fn progress(instructions: &[u32], answers: &[Answered]) -> Progress {
    let most = most_requests(instructions.len());
    let (mut rounds, mut asked, mut followed, mut given_up) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut next = Some(Ask { instruction: 0, again: false });
    for answer in answers {
        let own = answer.instruction;
        let again = next.is_some_and(|next| next.again && next.instruction == own);
        let follows = answer.follows(own);
        if !again {
            asked.push(own);
        }
        let lost = followed.iter().filter(|earlier| !answer.follows(**earlier)).count();
        rounds.push(Round {
            ask: Ask { instruction: own, again },
            follows,
            asked: u32::try_from(asked.len()).unwrap_or(u32::MAX),
            followed: u32::try_from(asked.iter().filter(|of| answer.follows(**of)).count()).unwrap_or(u32::MAX),
            forgotten: if followed.is_empty() { 0.0 } else { lost as f64 / followed.len() as f64 },
        });
        if follows && !followed.contains(&own) {
            followed.push(own);
        }
        if again && !follows {
            given_up.push(own);
            followed.retain(|earlier| *earlier != own);
        }
        let sent = rounds.len();
        // The published program does not repeat an instruction where that would be the last request, and ends.
        let ends = sent >= most || sent > 1 && !again && sent + 1 >= most;
        next = if ends {
            None
        } else if !again && !follows {
            Some(Ask { instruction: own, again: true })
        } else {
            let open = |of: &&u32| !given_up.contains(*of) && !answer.follows(**of);
            std::iter::once(&0)
                .chain(instructions)
                .find(open)
                .map(|instruction| Ask { instruction: *instruction, again: false })
        };
    }
    Progress { rounds, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conversation whose answers follow these instructions, one after the other, as `progress` asks for them.
    fn talk(instructions: &[u32], answers: &[&[u32]]) -> (Vec<(u32, bool)>, Progress) {
        let mut so_far: Vec<Answered> = Vec::new();
        let mut asks = Vec::new();
        for follows in answers {
            let Some(next) = progress(instructions, &so_far).next else { break };
            asks.push((next.instruction, next.again));
            let check = |turn: u32| {
                let passes = follows.contains(&turn);
                TurnCheck { turn, published: passes, guarded: passes }
            };
            let checks = std::iter::once(0).chain(instructions.iter().copied()).map(check).collect();
            so_far.push(Answered { instruction: next.instruction, checks });
        }
        (asks, progress(instructions, &so_far))
    }

    #[test]
    fn asks_for_what_fails_and_once_more_with_the_failure() {
        // The base prompt passes at once, together with 2; 1 passes the second time.
        let (asks, end) = talk(&[1, 2], &[&[0, 2], &[0, 2], &[0, 1, 2]]);
        assert_eq!((asks, end.next), (vec![(0, false), (1, false), (1, true)], None));
        let counts: Vec<_> = end.rounds.iter().map(|round| (round.follows, round.followed, round.asked)).collect();
        assert_eq!(counts, [(true, 1, 1), (false, 1, 2), (true, 2, 2)]);
        // Everything passes at once.
        assert_eq!(talk(&[1, 2], &[&[0, 1, 2]]).1.next, None);
        assert_eq!(talk(&[], &[&[]]).1.next, Some(Ask { instruction: 0, again: true }));
    }

    #[test]
    fn gives_an_instruction_up_that_fails_twice() {
        let (asks, end) = talk(&[1, 2], &[&[], &[], &[], &[], &[], &[0]]);
        // The base prompt is given up, too. The limit leaves out the repetition of the last one.
        assert_eq!(asks, [(0, false), (0, true), (1, false), (1, true), (2, false)]);
        assert_eq!((end.next, end.rounds.len()), (None, 5));
    }

    #[test]
    fn asks_again_for_what_was_forgotten() {
        // The answer for 1 breaks the base prompt, whose answer then breaks 1.
        let (asks, end) = talk(&[1, 2], &[&[0], &[1], &[0, 2], &[0, 1, 2]]);
        assert_eq!(asks, [(0, false), (1, false), (0, false), (1, false)]);
        assert_eq!(end.next, None);
        let lost: Vec<_> = end.rounds.iter().map(|round| round.forgotten).collect();
        assert_eq!(lost, [0.0, 1.0, 0.5, 0.0]);
        // The base prompt counts twice among what was asked for, as published.
        assert_eq!((end.rounds[3].asked, end.rounds[3].followed), (4, 4));
        // What was followed, was lost and is given up counts no longer.
        let (asks, end) = talk(&[1, 2], &[&[0], &[1], &[1], &[1], &[1, 2]]);
        assert_eq!(asks, [(0, false), (1, false), (0, false), (0, true), (2, false)]);
        assert_eq!(end.rounds[4].forgotten, 0.0);
    }

    #[test]
    fn no_conversation_exceeds_the_limit() {
        // Every sequence of answers that follow any of three instructions.
        fn walk(instructions: &[u32], so_far: &mut Vec<Answered>, longest: &mut usize) {
            *longest = (*longest).max(so_far.len());
            if let Some(Ask { instruction, .. }) = progress(instructions, so_far).next {
                for mask in 0..8_u32 {
                    let check = |turn: u32| TurnCheck { turn, published: mask >> turn & 1 == 1, guarded: false };
                    let checks = (0..3).map(check).collect();
                    so_far.push(Answered { instruction, checks });
                    walk(instructions, so_far, longest);
                    so_far.pop();
                }
            }
        }
        let mut longest = 0;
        walk(&[1, 2], &mut Vec::new(), &mut longest);
        assert_eq!(longest, most_requests(2));
    }
}
