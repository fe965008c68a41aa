//! The way in which most failing outputs of a run or of a file fail: many failures with one cause are seldom the model's.

use serde::{Deserialize, Serialize};

use super::{ids::OutputId, reason::Reason, run::Verdict};

/// How an output failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneFailure {
    pub verdict: Verdict,
    pub reason: Option<Reason>,
    /// What the compiler, the program or its tests said.
    pub message: String,
    /// The output; absent before it is imported.
    pub output: Option<OutputId>,
}

/// The most frequent way to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct UsualFailure {
    pub verdict: Verdict,
    /// The reason of the first output that fails so.
    pub reason: Option<Reason>,
    /// The last line of its message, cut to its beginning; may be empty.
    pub message: String,
    /// Number of outputs that fail so.
    pub outputs: u32,
    /// Number of failing outputs that were looked at.
    pub of: u32,
    /// The first output that fails so; absent before it is imported.
    pub example: Option<OutputId>,
}

/// Maximum number of failing outputs of a run that are looked at.
pub const LOOKED_AT: usize = 200;

/// Maximum length of a message, in characters.
const LONGEST_MESSAGE: usize = 300;

/// Number of failures from which on a share of them says something.
const FEW: u32 = 5;

impl UsualFailure {
    /// The most frequent one of these failures, the first of those that are equally frequent. Messages that differ in
    /// numbers and in what is in quotation marks are alike.
    pub fn of(failures: &[OneFailure]) -> Option<UsualFailure> {
        let kinds: Vec<_> = failures
            .iter()
            .map(|one| (one.verdict, one.reason.as_ref().map(std::mem::discriminant), shape(&last_line(&one.message))))
            .collect();
        let alike = |at: usize| kinds.iter().filter(|kind| **kind == kinds[at]).count();
        let most = (0..kinds.len()).map(alike).max()?;
        let first = (0..kinds.len()).find(|at| alike(*at) == most)?;
        let one = &failures[first];
        Some(UsualFailure {
            verdict: one.verdict,
            reason: one.reason.clone(),
            message: last_line(&one.message),
            outputs: number(most),
            of: number(failures.len()),
            example: one.output,
        })
    }

    /// Whether nearly all failures are of this kind, and of one that wrong answers seldom have.
    pub fn is_suspicious(&self) -> bool {
        self.verdict != Verdict::Failed && self.of >= FEW && u64::from(self.outputs) * 10 >= u64::from(self.of) * 9
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The last line of a message that is not blank, where interpreters name an error. Without the
/// evaluator's word for a failure, which the verdict says.
fn last_line(message: &str) -> String {
    let line = message.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let line = line.strip_prefix("failed: ").unwrap_or(line);
    line.chars().take(LONGEST_MESSAGE).collect()
}

/// A message without its numbers and what is in quotation marks.
fn shape(message: &str) -> String {
    let (mut shape, mut open) = (String::new(), None);
    for c in message.chars() {
        match (open, c) {
            (Some(mark), c) => open = (c != mark).then_some(mark),
            (None, '\'' | '"' | '`') => open = Some(c),
            (None, '‘') => open = Some('’'),
            (None, c) if c.is_ascii_digit() => {}
            (None, c) => shape.push(c),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(verdict: Verdict, message: &str, output: i64) -> OneFailure {
        OneFailure { verdict, reason: None, message: message.into(), output: Some(OutputId(output)) }
    }

    #[test]
    fn messages_that_differ_in_names_and_numbers_are_alike() {
        let crash = |name: &str, at| {
            failure(Verdict::Crashed, &format!("Traceback, line {at}\nNameError: name '{name}' is not defined\n"), at)
        };
        let mut failures: Vec<OneFailure> = (1..=9).map(|at| crash(&format!("f{at}"), at)).collect();
        failures.insert(0, failure(Verdict::Timeout, "", 10));
        let usual = UsualFailure::of(&failures).unwrap();
        assert_eq!((usual.outputs, usual.of, usual.example), (9, 10, Some(OutputId(1))));
        assert_eq!(usual.message, "NameError: name 'f1' is not defined");
        assert!(usual.is_suspicious());
        failures.push(failure(Verdict::Timeout, "", 11));
        assert!(!UsualFailure::of(&failures).unwrap().is_suspicious());
    }

    #[test]
    fn the_verdict_is_not_said_twice() {
        let usual = UsualFailure::of(&[failure(Verdict::Failed, "failed: AssertionError", 1)]).unwrap();
        assert_eq!(usual.message, "AssertionError");
    }

    #[test]
    fn wrong_answers_and_few_failures_are_not_suspicious() {
        let wrong: Vec<OneFailure> = (1..=20).map(|at| failure(Verdict::Failed, "AssertionError", at)).collect();
        assert!(!UsualFailure::of(&wrong).unwrap().is_suspicious());
        let few: Vec<OneFailure> = (1..=4).map(|at| failure(Verdict::CompileError, "", at)).collect();
        assert!(!UsualFailure::of(&few).unwrap().is_suspicious());
        assert_eq!(UsualFailure::of(&[]), None);
        // Of two that are equally frequent, the first.
        let tie = [failure(Verdict::Timeout, "", 1), failure(Verdict::Crashed, "", 2)];
        assert_eq!(UsualFailure::of(&tie).unwrap().verdict, Verdict::Timeout);
    }
}
