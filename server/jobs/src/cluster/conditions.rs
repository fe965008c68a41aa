//! The conditions of a worker's results, and bounds of them.
//!
//! The conditions come from the run and from what the worker presented itself with, never from a report: a cached outcome
//! is found by them, also by other runs.

use model::run::{Environment, Outcome, Verdict};
use sandbox::OptionalLayers;

use super::messages::{Limits, Options};
use crate::{
    job::{Job, JobKind, MadeIn},
    suites::Tests,
};
use engine::{grader, suite::fingerprint, toolchain};
use lang::{codeif, grader::LONGEST_TEXT, suite};

/// The most cases of a test class, as in the engine.
const MOST_CASES: u32 = 1_000_000;

/// The most bytes of an outcome besides its source: a frame with results (`engine::runner::LONGEST_RESULT`), which JSON can
/// make longer.
const MOST_BYTES: usize = 2 << 20;

/// The most bytes that assembling adds to a model's text, besides the tests.
const MOST_ADDED: usize = 1 << 20;

/// The conditions under which results are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    pub made_in: MadeIn,
    pub environment: Environment,
}

/// The conditions of results of a worker whose toolchain has this version and whose sandbox has these layers.
pub fn of(
    kind: JobKind,
    version: &str,
    layers: OptionalLayers,
    tests: &Tests,
    (limits, options): (Limits, Options),
) -> Conditions {
    let allowance = limits.allowance(options);
    let from_one = |environment: Environment| Conditions {
        made_in: MadeIn::from_one(environment.fingerprint.clone()),
        environment,
    };
    match (kind, tests) {
        (JobKind::Classes, Tests::Classes(format, classes, tree)) => {
            let suite = fingerprint(*format, tree, classes, &toolchain::fingerprint(version));
            let fingerprint = grader::fingerprint(&suite, allowance);
            from_one(grader::environment(layers, allowance, version.to_owned(), fingerprint, Vec::new()))
        }
        (JobKind::Conversations, _) => {
            let budget = codeif::budget(allowance);
            let fingerprint = codeif::fingerprint(version, budget, options.profile);
            from_one(suite::environment(layers, budget, version.to_owned(), fingerprint, Vec::new()))
        }
        _ => {
            let budget = suite::budget(allowance);
            let key_basis = suite::key_basis(version, budget);
            let fingerprint = suite::digest(&key_basis);
            let parts = vec![fingerprint.clone()];
            let whole = suite::fingerprint(version, budget);
            let environment = suite::environment(layers, budget, version.to_owned(), whole, Vec::new());
            Conditions { made_in: MadeIn { key_basis, fingerprint }, environment: Environment { parts, ..environment } }
        }
    }
}

/// Whether an engine can have reached an outcome of a job whose suite has `suite_bytes`.
pub fn is_possible(job: &Job, outcome: &Outcome, suite_bytes: usize) -> bool {
    let Outcome { verdict, passed, total, source, message, .. } = outcome;
    let most_cases = if job.kind == JobKind::Classes { MOST_CASES } else { 1 };
    let is_whole = *passed == *total && *total > 0;
    let counts = *passed <= most_cases && *total <= most_cases && (*verdict != Verdict::Passed || is_whole);
    let most_source = job.code.len() + job.prompt.as_ref().map_or(0, String::len) + suite_bytes + MOST_ADDED;
    let rest = Outcome { source: String::new(), ..outcome.clone() };
    counts
        && source.len() <= most_source
        && message.chars().count() <= LONGEST_TEXT
        && serde_json::to_vec(&rest).is_ok_and(|json| json.len() <= MOST_BYTES)
}

#[cfg(test)]
mod tests {
    use model::code_lang::CodeLang;

    use super::*;

    fn job(kind: JobKind) -> Job {
        Job {
            item: 1,
            attempt: 1,
            kind,
            tests: "t".into(),
            signature: None,
            prompt: None,
            published_text: None,
            code: "code".into(),
            turn: None,
            answered: None,
            alone: false,
        }
    }

    #[test]
    fn outcomes_that_no_engine_reaches_are_not_possible() {
        let python = job(JobKind::Programs(CodeLang::Python));
        let passed = Outcome { passed: 1, total: 1, ..Outcome::new(Verdict::Passed) };
        let check = |job: &Job, outcome: Outcome, expected: bool| {
            assert_eq!(is_possible(job, &outcome, 1000), expected, "{:?} {}", outcome.verdict, outcome.total);
        };
        check(&python, passed.clone(), true);
        check(&python, Outcome { total: 1, ..Outcome::new(Verdict::Failed) }, true);
        check(&python, Outcome::new(Verdict::Passed), false);
        check(&python, Outcome { total: 2, ..passed.clone() }, false);
        check(&python, Outcome { passed: u32::MAX, total: u32::MAX, ..passed.clone() }, false);
        let classes = job(JobKind::Classes);
        check(&classes, Outcome { passed: 7, total: 7, ..passed.clone() }, true);
        // The published tests of a task count more passes than cases.
        check(&classes, Outcome { passed: 7, total: 6, ..Outcome::new(Verdict::Anomaly) }, true);
        check(&classes, Outcome { passed: 7, total: 8, ..passed.clone() }, false);
        check(&classes, Outcome { total: MOST_CASES + 1, ..Outcome::new(Verdict::Failed) }, false);
        check(&python, Outcome { message: "x".repeat(LONGEST_TEXT + 1), ..passed.clone() }, false);
        check(&python, Outcome { printed: "x".repeat(MOST_BYTES), ..passed.clone() }, false);
        check(&python, Outcome { source: "x".repeat(MOST_ADDED + 1000), ..passed.clone() }, true);
        check(&python, Outcome { source: "x".repeat(MOST_ADDED + 1005), ..passed }, false);
    }
}
