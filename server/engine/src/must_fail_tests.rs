//! Tests that must fail, for suspicious passes that cannot be replayed ([`super::answer_record`]).
//!
//! The twin of a task's tests is the same test class with one more case, which no answer passes. A program that forges
//! its result reports that every case passed in the twin, too. Unlike a replay, this check relies on the program's own
//! process: code that controls the process and knows of the twin can tell the two runs apart. The pass therefore keeps
//! its warning.

use model::{
    reason::{Flag, Reason, Sign},
    run::{Outcome, Verdict},
};

use super::{
    edit::{self, Code, Names, Original},
    suite::{TaskTests, TestKind},
};

const SUFFIX: &str = "$";

/// The added case of our own format.
const CASE: &str = "one more";

/// The twin of a task's tests; `None` if the test class itself does not declare the method that runs the cases. This
/// depends on the tests only.
pub fn of(kind: TestKind, tests: &TaskTests) -> Option<TaskTests> {
    let class = tests.classes.get(&tests.class)?;
    let class = match kind {
        TestKind::Aixbench => {
            edit::in_front(class, SUFFIX, |name, kind| (name, kind) == ("evaluation", "()[I"), counted)
        }
        TestKind::Aixgrade => {
            edit::in_front(class, SUFFIX, |name, kind| (name, kind) == ("cases", "(Laixgrade/api/Cases;)V"), collected)
        }
    }?;
    let mut must_fail = tests.clone();
    must_fail.classes.insert(tests.class.clone(), class);
    Some(must_fail)
}

/// `int[] counts = original(); counts[1]++; return counts;`
fn counted(_: &mut Names, of: &Original<'_>) -> Option<Code> {
    let [high, low] = of.entry.to_be_bytes();
    // aload 0, invokespecial, dup, iconst 1, dup2, iaload, iconst 1, iadd, iastore, areturn.
    Some(Code { stack: 5, locals: 1, bytes: vec![0x2a, 0xb7, high, low, 0x59, 4, 0x5c, 0x2e, 4, 0x60, 0x4f, 0xb0] })
}

/// `original(cases); cases.equal(CASE, null, null);` The case fails because its call is `null`.
fn collected(names: &mut Names, of: &Original<'_>) -> Option<Code> {
    let [high, low] = of.entry.to_be_bytes();
    let case = names.string(CASE)?.to_be_bytes();
    let class = names.class("aixgrade/api/Cases")?;
    let name = names.text("equal")?;
    let kind = names.text("(Ljava/lang/String;Ljava/lang/Object;Laixgrade/api/Cases$Call;)V")?;
    let equal = names.interface_method(class, name, kind)?.to_be_bytes();
    // aload 0, invokestatic, aload 0, ldc_w, aconst_null twice, invokeinterface, return.
    let bytes = vec![0x2a, 0xb8, high, low, 0x2a, 0x13, case[0], case[1], 1, 1, 0xb9, equal[0], equal[1], 4, 0, 0xb1];
    Some(Code { stack: 4, locals: 1, bytes })
}

/// Combines a pass with the outcome of its twin.
pub fn judge(passed: Outcome, mut must_fail: Outcome) -> Outcome {
    match must_fail.verdict {
        Verdict::Passed => Outcome { verdict: Verdict::Tampered, reason: Some(Reason::FalseResult), ..passed },
        Verdict::Failed => {
            must_fail.total = must_fail.total.saturating_sub(1);
            must_fail.cases.pop_if(|case| case.name == CASE);
            // If a real case fails, the program does not always pass it: the worse of two runs counts.
            if must_fail.total > 0 && must_fail.passed == must_fail.total { unconfirmed(passed) } else { must_fail }
        }
        _ => must_fail,
    }
}

/// Adds the warning that a pass was not confirmed.
pub fn unconfirmed(mut passed: Outcome) -> Outcome {
    passed.flags.push(Flag { line: None, sign: Sign::Unconfirmed });
    passed
}

#[cfg(test)]
mod tests {
    use model::run::CaseResult;

    use super::*;

    fn outcome(verdict: Verdict, passed: u32, total: u32) -> Outcome {
        Outcome { passed, total, ..Outcome::new(verdict) }
    }

    #[test]
    fn a_pass_of_must_fail_tests_is_forged() {
        let forged = judge(outcome(Verdict::Passed, 3, 3), outcome(Verdict::Passed, 3, 3));
        assert_eq!((forged.verdict, forged.reason), (Verdict::Tampered, Some(Reason::FalseResult)));
        // The same if the program reports the twin's total.
        assert_eq!(judge(outcome(Verdict::Passed, 3, 3), outcome(Verdict::Passed, 4, 4)).verdict, Verdict::Tampered);
    }

    #[test]
    fn a_pass_counts_if_only_the_added_case_fails() {
        let kept = judge(outcome(Verdict::Passed, 3, 3), outcome(Verdict::Failed, 3, 4));
        assert_eq!((kept.verdict, kept.passed, kept.total), (Verdict::Passed, 3, 3));
        assert_eq!(kept.flags, [Flag { line: None, sign: Sign::Unconfirmed }]);
    }

    #[test]
    fn the_worse_of_two_runs_counts() {
        let case = |name: &str| CaseResult { name: name.into(), passed: false, detail: String::new() };
        let mut must_fail = outcome(Verdict::Failed, 1, 4);
        must_fail.cases = vec![case("a"), case(CASE)];
        let worse = judge(outcome(Verdict::Passed, 3, 3), must_fail);
        assert_eq!((worse.verdict, worse.passed, worse.total), (Verdict::Failed, 1, 3));
        assert_eq!(worse.cases, [case("a")]);
        assert_eq!(judge(outcome(Verdict::Passed, 3, 3), Outcome::new(Verdict::Timeout)).verdict, Verdict::Timeout);
    }
}
