//! Runs the tests of single answers that belong to no run: those of a dynamic conversation, which decide what its model is
//! asked next. The backend, the sandbox and its checks are those of runs.

use std::sync::Arc;

use model::{
    collection::TestedAnswer,
    conversation::{TestProfile, Way},
    ids::{DatasetVersionId, TaskRevisionId},
    reason::Fault,
    run::{Outcome, PublishedVerdict},
};
use texts::runs::EN;

use super::{Engine, early::ReadyTests};
use db::Db;

/// Maximum length of a failure that a model is told, in characters.
const LONGEST_FAILURE: usize = 2000;

/// What a model is told of a program that fails and says nothing.
const SILENT: &str = "The program ended with an error and without a message.";

/// The tests of a dataset version whose tasks are conversations, ready to run. Cheap to clone.
#[derive(Clone)]
pub struct AnswerTests {
    engine: Engine,
    ready: Arc<ReadyTests>,
}

/// An answer of a dynamic conversation.
#[derive(Clone, Debug)]
pub struct AnswerToTest {
    pub revision: TaskRevisionId,
    /// The turn of the task whose instruction it answers.
    pub instruction: u32,
    /// Its code, as the published evaluator cuts it out of the response.
    pub code: String,
}

impl AnswerTests {
    /// Prepares the tests of a version and checks the sandbox. A degraded sandbox is refused, whatever the operator allows
    /// for runs. Blocks.
    ///
    /// # Errors
    /// Says why no test can run: no sandbox, no Python, missing packages.
    pub fn prepare(engine: &Engine, db: &Db, version: DatasetVersionId) -> Result<AnswerTests, Fault> {
        let ready = ReadyTests::prepare(engine, db, version, TestProfile::V1, false)?;
        Ok(AnswerTests { engine: engine.clone(), ready: Arc::new(ready) })
    }

    /// Runs the tests of every instruction of the conversation on an answer. Blocks.
    ///
    /// # Errors
    /// The engine failed, which says nothing about the answer.
    pub fn run(&self, answer: AnswerToTest) -> Result<TestedAnswer, Fault> {
        let ReadyTests { backend, tests } = &*self.ready;
        let job = tests.answer_job(answer.revision, (Way::Dynamic, answer.instruction), answer.code);
        let ended = backend.worker(Arc::default()).run(&job);
        match &ended {
            Ok(outcome) => self.engine.counts.record(outcome.verdict),
            Err(_) => {
                self.engine.counts.faults.inc();
            }
        }
        let outcome = ended.map_err(|e| self.engine.fault(e))?;
        Ok(TestedAnswer { failure: failure(&outcome), checks: outcome.turns })
    }
}

/// Why an answer fails the tests of its own instruction, in the words of the interpreter; empty if it passes.
fn failure(outcome: &Outcome) -> String {
    if outcome.published.as_ref().is_some_and(|published| published.verdict == PublishedVerdict::Passed) {
        return String::new();
    }
    let reason = outcome.reason.as_ref().map(|reason| EN.reason(reason));
    let (printed, error) = (plain_end(&outcome.printed), plain_end(&outcome.message));
    // What the program prints can hide the error, or leave no place for it.
    let error = Some(error).filter(|error| !printed.ends_with(&**error));
    let parts = reason.into_iter().chain([printed]).chain(error).filter(|part| !part.is_empty());
    let text = parts.collect::<Vec<_>>().join("\n");
    if text.is_empty() { SILENT.to_owned() } else { text }
}

/// The end of a text, where an interpreter names the error, without control characters.
fn plain_end(text: &str) -> String {
    let text = text.trim();
    let count = text.chars().count();
    let kept = text.chars().skip(count.saturating_sub(LONGEST_FAILURE));
    let plain: String = kept.filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use model::{
        reason::Reason,
        run::{Published, Verdict},
    };

    use super::*;

    fn outcome(verdict: PublishedVerdict, printed: &str, message: &str, reason: Option<Reason>) -> Outcome {
        Outcome {
            printed: printed.into(),
            message: message.into(),
            reason,
            published: Some(Published { verdict, reason: String::new(), failure: None }),
            ..Outcome::new(Verdict::Failed)
        }
    }

    #[test]
    fn a_failure_is_what_the_interpreter_said() {
        let failed = PublishedVerdict::Failed;
        assert_eq!(failure(&outcome(PublishedVerdict::Passed, "printed", "", None)), "");
        let traceback = "Traceback:\r\n  assert f() == 1\n\u{1b}[31mAssertionError\n";
        let expected = "Traceback:\n  assert f() == 1\n[31mAssertionError";
        assert_eq!(failure(&outcome(failed, traceback, "AssertionError", None)), expected);
        assert_eq!(failure(&outcome(failed, " \n", "AssertionError", None)), "AssertionError");
        assert_eq!(failure(&outcome(failed, "debug", "NameError: x", None)), "debug\nNameError: x");
        let long = format!("{}数NameError", "x".repeat(3 * LONGEST_FAILURE));
        let end = failure(&outcome(failed, &long, "NameError", None));
        assert!(end.ends_with("x数NameError") && end.chars().count() == LONGEST_FAILURE, "{end}");
        assert_eq!(failure(&outcome(failed, "", "", None)), SILENT);
        let early = Reason::EndedEarly { exit_code: Some(3) };
        let told = failure(&outcome(failed, "", "", Some(early.clone())));
        assert_eq!(told, EN.reason(&early));
    }
}
