//! What an answer may contain, measured against the dataset's own solution.
//!
//! Tests trust more than they compare: a test that fails only if `abs(a - b) > eps` accepts NaN, and one that evaluates
//! the answer with its arguments accepts anything if the solver may empty them. So a solver sends, with each answer, what
//! is unusual in it and which arguments the function changed. If there is anything, the same call goes to a solver with
//! the dataset's own solution, in a sandbox of its own, and the answer may contain what that one contains, and changes
//! only the arguments that it changes. The judge's reader counts again and refuses what exceeds this, so a solver that
//! declares nothing gains nothing.
//!
//! An ordinary answer costs no such call. Without a solution of the dataset's own, nothing unusual is accepted.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use benchmarks::humaneval::{self, Task};
use engine::EngineError;
use model::{code_lang::CodeLang, reason::Reason};
use sha2::{Digest, Sha256};

use super::{
    RunContext, Toolchain,
    process::{Next, Running},
};

/// An answer of at most so many bytes is accepted whatever the dataset's own solution answers.
const MODEST_BYTES: usize = 64 << 10;

/// Keys of maps and elements of sets that are accepted likewise: a set of keys that collide takes a time that grows with
/// their square.
const MODEST_ENTRIES: u32 = 4096;

/// Numbers up to this magnitude are accepted likewise. Arithmetic with greater ones overflows to infinities, whose
/// differences are NaN.
const MODEST_NUMBER: f64 = 1e12;

/// An answer may be so many times as large as that of the dataset's own solution: bytes, keys and elements.
const TIMES: usize = 2;

/// A number may be so many times as large as the largest one of the dataset's own solution.
const TIMES_NUMBER: f64 = 1000.0;

/// Calls whose answers are remembered.
const MOST_KNOWN: usize = 100_000;

/// The dataset's own solution is given up for a sample if it gave no answer so often.
const MOST_FAILURES: u32 = 3;

/// What is unusual in an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The positions of the arguments that the function changed, as bits.
    changed: u64,
    /// The kinds of its values by depth, as bits, in a language whose tests coerce values to numbers (JavaScript).
    shape: u64,
    /// The largest magnitude among its numbers.
    largest: f64,
    /// How many of its numbers are NaN.
    nans: u32,
    /// How many are infinite, or the smallest of their type, whose absolute value is not positive.
    infinities: u32,
    /// Keys of its maps and elements of its sets.
    entries: u32,
}

impl Facts {
    const BYTES: usize = 40;

    /// What an answer may contain without a look at the dataset's own solution.
    const MODEST: Facts =
        Facts { changed: 0, shape: 0, largest: MODEST_NUMBER, nans: 0, infinities: 0, entries: MODEST_ENTRIES };

    fn is_modest(&self) -> bool {
        let Facts { changed, largest, nans, infinities, entries, .. } = *self;
        changed == 0 && largest <= MODEST_NUMBER && nans == 0 && infinities == 0 && entries <= MODEST_ENTRIES
    }

    /// What an answer may contain if the dataset's own solution answers so.
    fn allowed(&self) -> Facts {
        let entries = self.entries.saturating_mul(u32::try_from(TIMES).unwrap_or(u32::MAX));
        Facts { largest: MODEST_NUMBER.max(self.largest * TIMES_NUMBER), entries: entries.max(MODEST_ENTRIES), ..*self }
    }
}

/// A solver's frame: facts, the answer, and the changed arguments in the order of their positions.
#[derive(Debug, PartialEq)]
struct Answered<'a> {
    facts: Facts,
    answer: &'a [u8],
    changes: Vec<&'a [u8]>,
}

impl<'a> Answered<'a> {
    /// Reads a frame. All numbers are big-endian: changed, shape and largest have eight bytes; nans, infinities, entries
    /// and the answer's length four; each change comes after its length in four bytes.
    fn read(frame: &'a [u8]) -> Option<Answered<'a>> {
        let (head, mut left) = frame.split_at_checked(Facts::BYTES)?;
        let long = |at: usize| head.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes);
        let short = |at: usize| head.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
        let facts = Facts {
            changed: long(0)?,
            shape: long(8)?,
            largest: f64::from_bits(long(16)?),
            nans: short(24)?,
            infinities: short(28)?,
            entries: short(32)?,
        };
        let (answer, rest) = left.split_at_checked(short(36)? as usize)?;
        left = rest;
        let mut changes = Vec::new();
        for _ in 0..facts.changed.count_ones() {
            let (length, rest) = left.split_at_checked(4)?;
            let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
            let (change, rest) = rest.split_at_checked(length)?;
            changes.push(change);
            left = rest;
        }
        left.is_empty().then_some(Answered { facts, answer, changes })
    }

    /// The number of bytes of the answer and its changes.
    fn bytes(&self) -> usize {
        self.changes.iter().map(|change| change.len()).sum::<usize>() + self.answer.len()
    }

    /// Leaves out the changes of arguments at other positions than these.
    fn keep_changes(&mut self, positions: u64) {
        let set = (0..u64::BITS).filter(|at| self.facts.changed >> at & 1 == 1);
        let kept = self.changes.iter().zip(set).filter(|(_, at)| positions >> at & 1 == 1);
        self.changes = kept.map(|(change, _)| *change).collect();
        self.facts.changed &= positions;
    }

    /// The frame for a judge, which gets what the answer may contain instead of what it contains.
    fn for_judge(&self, allowed: &Facts) -> Vec<u8> {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes();
        let mut frame = self.facts.changed.to_be_bytes().to_vec();
        frame.extend(allowed.shape.to_be_bytes());
        frame.extend(allowed.largest.to_bits().to_be_bytes());
        frame.extend([allowed.nans, allowed.infinities, allowed.entries].into_iter().flat_map(u32::to_be_bytes));
        frame.extend(length(self.answer));
        frame.extend(self.answer);
        for change in &self.changes {
            frame.extend(length(change));
            frame.extend(*change);
        }
        frame
    }
}

/// What is known of the answer of a dataset's own solution.
#[derive(Clone, Copy, Debug)]
struct Known {
    facts: Facts,
    bytes: usize,
}

/// The answers of the datasets' own solutions, as far as samples needed them.
#[derive(Default)]
pub struct OwnAnswers(Mutex<HashMap<[u8; 32], Option<Known>>>);

/// The answer to a call.
pub enum Answer {
    /// The frame for the judge.
    Accepted(Vec<u8>),
    /// The answer contains what it may not.
    Refused(Reason),
    /// The solver sent something else, or ended.
    Missing(Next),
}

/// Sends the calls of one sample's tests to its solver.
pub struct Calls<'a> {
    toolchain: &'a dyn Toolchain,
    context: &'a RunContext,
    task: &'a Task,
    /// A solver with the dataset's own solution, once a call needed it.
    own: Option<Running>,
    failures: u32,
    /// Whether changes of arguments were left out that the dataset's own solution does not make.
    pub changes_left_out: bool,
}

impl<'a> Calls<'a> {
    /// The calls of a sample of a task.
    pub fn new(toolchain: &'a dyn Toolchain, context: &'a RunContext, task: &'a Task) -> Calls<'a> {
        Calls { toolchain, context, task, own: None, failures: 0, changes_left_out: false }
    }

    /// Sends a call to a sample's solver, and checks its answer.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn call(&mut self, solver: &mut Running, arguments: &[u8]) -> Result<Answer, EngineError> {
        solver.send(b'C', arguments);
        let frame = match solver.receive()? {
            Next::Frame(b'A', frame) => frame,
            other => return Ok(Answer::Missing(other)),
        };
        let Some(mut answered) = Answered::read(&frame) else {
            return Ok(Answer::Missing(Next::Frame(0, Vec::new())));
        };
        let coerces = self.toolchain.coerces_answers(self.task);
        if !coerces && answered.facts.is_modest() && answered.answer.len() <= MODEST_BYTES {
            let allowed = Facts { shape: u64::MAX, ..Facts::MODEST };
            return Ok(Answer::Accepted(answered.for_judge(&allowed)));
        }
        let known = self.own_answer(arguments)?;
        let mut allowed = known.map_or(Facts::MODEST, |known| known.facts.allowed());
        if !coerces || known.is_none() {
            allowed.shape = u64::MAX;
        }
        let declared = answered.facts.changed;
        answered.keep_changes(allowed.changed);
        self.changes_left_out |= declared != answered.facts.changed;
        let most = MODEST_BYTES.max(known.map_or(0, |known| known.bytes.saturating_mul(TIMES)));
        Ok(match answered.bytes() > most {
            true => Answer::Refused(Reason::AnswerTooLarge),
            false => Answer::Accepted(answered.for_judge(&allowed)),
        })
    }

    /// What the dataset's own solution answers to a call; `None` if it gives no answer or there is no such solution.
    fn own_answer(&mut self, arguments: &[u8]) -> Result<Option<Known>, EngineError> {
        if self.task.canonical_solution.trim().is_empty() {
            return Ok(None);
        }
        let key = key(self.task, arguments);
        let known = |context: &RunContext| {
            context.own_answers.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
        };
        if let Some(known) = known(self.context) {
            return Ok(known);
        }
        if self.failures >= MOST_FAILURES {
            return Ok(None);
        }
        let (answer, is_lasting) = self.ask_own(arguments)?;
        if answer.is_none() {
            self.failures += 1;
            self.own = None;
        }
        if is_lasting {
            let mut known = self.context.own_answers.0.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(key, answer);
        }
        Ok(answer)
    }

    /// Asks the dataset's own solution. Also returns whether it would do the same again: one that reached a limit may have
    /// been slowed down by what else runs, and must not answer so for other samples.
    fn ask_own(&mut self, arguments: &[u8]) -> Result<(Option<Known>, bool), EngineError> {
        let own = match &mut self.own {
            Some(own) => own,
            none => {
                let solution = own_solution(self.toolchain.lang(), self.task);
                let Ok(started) = self.toolchain.own_solver(self.context, self.task, &solution)? else {
                    return Ok((None, true));
                };
                none.insert(started)
            }
        };
        own.send(b'C', arguments);
        let frame = match own.receive()? {
            Next::Frame(b'A', frame) => frame,
            Next::Frame(..) => return Ok((None, true)),
            Next::End(ended) => return Ok((None, ended.limit.is_none())),
        };
        let known = Answered::read(&frame).map(|answered| Known { facts: answered.facts, bytes: answered.bytes() });
        Ok((known, true))
    }
}

/// The dataset's own solution as a sample.
fn own_solution(lang: CodeLang, task: &Task) -> String {
    let prompt = task.source.map(|_| task.declaration.as_str());
    humaneval::sample(lang, task, prompt, &task.canonical_solution)
}

fn key(task: &Task, arguments: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for text in [&task.task_id, &task.prompt, &task.canonical_solution] {
        digest.update(text);
        digest.update([0]);
    }
    digest.update(arguments);
    digest.finalize().into()
}

/// The reason that a judge's reader sends if an answer contains what it may not.
pub fn refusal(code: &[u8]) -> Option<Reason> {
    Some(match code {
        b"n" => Reason::AnswerNan,
        b"i" => Reason::AnswerInfinite,
        b"l" => Reason::AnswerFarOff,
        b"s" => Reason::AnswerOfAnotherType,
        b"e" => Reason::AnswerTooLarge,
        b"f" => Reason::NotAFrame,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered<'a>(changed: u64, answer: &'a [u8], changes: &[&'a [u8]]) -> Answered<'a> {
        Answered { facts: Facts { changed, ..Facts::MODEST }, answer, changes: changes.to_vec() }
    }

    #[test]
    fn frames_are_read_as_they_are_written() {
        let whole = answered(0b101, b"answer", &[b"first", b""]);
        let frame = whole.for_judge(&whole.facts);
        assert_eq!(Answered::read(&frame), Some(answered(0b101, b"answer", &[b"first", b""])));
        for length in 0..frame.len() {
            assert_eq!(Answered::read(&frame[..length]), None, "{length}");
        }
        let longer = [&frame[..], b"x"].concat();
        assert_eq!(Answered::read(&longer), None);
        let all = answered(u64::MAX, b"", &[]);
        assert_eq!(Answered::read(&all.for_judge(&all.facts)), None, "64 changes are missing");
    }

    #[test]
    fn only_changes_at_the_given_positions_are_kept() {
        let check = |positions: u64, expected: Answered<'_>| {
            let mut all = answered(0b1101, b"", &[b"a", b"b", b"c"]);
            all.keep_changes(positions);
            assert_eq!(all, expected, "{positions:b}");
        };
        check(u64::MAX, answered(0b1101, b"", &[b"a", b"b", b"c"]));
        check(0b0110, answered(0b0100, b"", &[b"b"]));
        check(0b1001, answered(0b1001, b"", &[b"a", b"c"]));
        check(0b0010, answered(0, b"", &[]));
    }

    #[test]
    fn anything_unusual_is_compared_with_the_own_solution() {
        assert!(Facts { shape: 7, ..Facts::MODEST }.is_modest());
        for unusual in [
            Facts { changed: 1, ..Facts::MODEST },
            Facts { nans: 1, ..Facts::MODEST },
            Facts { infinities: 1, ..Facts::MODEST },
            Facts { entries: MODEST_ENTRIES + 1, ..Facts::MODEST },
            Facts { largest: 2e12, ..Facts::MODEST },
            // A solver can send anything.
            Facts { largest: f64::NAN, ..Facts::MODEST },
        ] {
            assert!(!unusual.is_modest(), "{unusual:?}");
        }
        let own = Facts { changed: 2, shape: 1, largest: 1e15, nans: 1, infinities: 0, entries: 3000 };
        assert_eq!(own.allowed(), Facts { largest: 1e18, entries: 6000, ..own });
        assert_eq!(Facts { largest: 0.0, entries: 0, ..Facts::MODEST }.allowed(), Facts::MODEST);
    }
}
