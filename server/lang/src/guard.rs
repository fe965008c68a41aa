//! The verdict that counts: a sample passes if the tests, in a process that the sample never enters, accept the
//! sample's answers.
//!
//! Two processes run at the same time, each in its own sandbox. The *solver* has the sample and none of the tests: it
//! receives arguments and sends answers. The *judge* has the task's prompt and tests, both from the dataset; in place
//! of the function that the tests call, it has one that sends its arguments to the server and waits for the answer.
//! Only plain values are exchanged. When its tests have ended, the judge reports it and receives a nonce, which it must
//! return. Whatever a sample does to its process (exit, replace assertions, write frames, read memory), all that
//! reaches the tests is its answers, and it cannot see what they expect. What an answer may contain is measured against
//! the dataset's own solution ([`answers`]).
//!
//! Two ways are faster than a fresh judge and a process for each verdict. A judge from a [`JudgePool`] serves several
//! samples, and the solver's process can give the published verdict afterwards ([`Toolchain::both_verdicts`]).

use std::sync::{Mutex, PoisonError};

use model::{
    reason::Reason,
    run::{LimitHit, Outcome, Verdict},
};
use rand::Rng;

use super::{
    Judged, RunContext, Toolchain,
    answers::{self, Answer, Calls},
    process::{Budget, Ended, Next, Running},
};
use benchmarks::humaneval::Task;
use engine::EngineError;

/// Maximum number of calls; no test makes as many.
const MOST_CALLS: usize = 100_000;

/// Maximum number of samples that one judge process serves.
const SAMPLES_PER_JUDGE: u32 = 100;

/// Idle judge processes, each with the number of samples that it may still serve.
///
/// A judge never runs a sample's code, and it runs the tests of each sample in a new namespace. Its samples share the
/// process: an exploit of the reader that parses a sample's answers could affect the samples that it serves later.
#[derive(Default)]
pub struct JudgePool(Mutex<Vec<(Running, u32)>>);

/// A judge process taken from a [`JudgePool`]. It returns to the pool if it can serve another sample after its tests;
/// otherwise it ends when this value is dropped.
pub struct PooledJudge<'a> {
    pool: &'a JudgePool,
    running: Running,
    /// Number of samples that it may serve after this one.
    samples_left: u32,
}

impl JudgePool {
    /// Whether the pool has an idle judge.
    pub fn is_warm(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Takes an idle judge with these limits, or starts a new one with `start`.
    ///
    /// # Errors
    /// The errors of `start`.
    pub fn take(
        &self,
        context: &RunContext,
        budget: Budget,
        start: impl FnOnce() -> Result<Running, EngineError>,
    ) -> Result<PooledJudge<'_>, EngineError> {
        let idle = {
            let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let at = idle.iter().position(|(judge, _)| judge.budget() == budget);
            at.map(|at| idle.swap_remove(at))
        };
        let (mut running, samples) = match idle {
            Some(judge) => judge,
            None => (start()?, SAMPLES_PER_JUDGE),
        };
        running.begin(context.stop.clone());
        Ok(PooledJudge { pool: self, running, samples_left: samples - 1 })
    }
}

impl PooledJudge<'_> {
    /// Sends a part of a task's tests: a text or classes. The language defines the parts and their order.
    pub fn send_tests(&mut self, part: &[u8]) {
        self.running.send(b'G', part);
    }

    /// Runs the tests over the solver's answers. Afterwards the judge returns to the pool if it can serve another sample.
    fn run(mut self, solver: &mut Running, calls: &mut Calls<'_>) -> Result<TestResult, EngineError> {
        let result = run_tests(&mut self.running, solver, calls)?;
        if self.samples_left > 0 && !matches!(result, TestResult::JudgeUnusable) {
            self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).push((self.running, self.samples_left));
        }
        Ok(result)
    }
}

/// A sample's outcome under the guard.
pub struct Guarded {
    pub outcome: Outcome,
    /// The published result, if the solver's process gave it, too.
    pub published: Option<Judged>,
}

/// Determines a sample's guarded outcome, and runs nothing that has both the sample and the tests before it is final.
///
/// A pooled judge decides if the task has one and it stays usable; otherwise a fresh judge does. The first solver may be
/// one of [`Toolchain::both_verdicts`]. After the judge has decided, the server sends it the published program, which it
/// then runs. Its published verdict comes from a process that has already run the sample: a sample that evades the
/// language's checks of its text could change its own, as a single call of `exit` also could. That is why it counts only
/// if both verdicts agree.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn judge(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    program: &str,
    solution: &str,
) -> Result<Guarded, EngineError> {
    let alone = |outcome| Guarded { outcome, published: None };
    if !toolchain.has_tests(task) {
        let reason = Reason::ImpossibleCounts { passed: 0, total: 0 };
        return Ok(alone(failed(Verdict::Anomaly, reason, String::new())));
    }
    if let Some(guarded) = judge_by_both(toolchain, context, task, program, solution)? {
        return Ok(guarded);
    }
    if let Some(outcome) = judge_by_pool(toolchain, context, task, solution)? {
        return Ok(alone(outcome));
    }
    judge_afresh(toolchain, context, task, solution).map(alone)
}

/// The outcome by a solver that can also give the published verdict; `None` if there is none for the sample, or if it
/// reached one of its limits, which are lower than those of other solvers.
fn judge_by_both(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    program: &str,
    solution: &str,
) -> Result<Option<Guarded>, EngineError> {
    let Some((mut solver, content)) = toolchain.both_verdicts(context, task, program, solution)? else {
        return Ok(None);
    };
    let Some(judge) = toolchain.pooled_judge(context, task)? else { return Ok(None) };
    let outcome = match judge.run(&mut solver, &mut Calls::new(toolchain, context, task))? {
        TestResult::Accepted => Outcome::new(Verdict::Passed),
        TestResult::Rejected(reason, why) => failed(Verdict::Failed, reason, why),
        other => {
            let outcome = rejected(other, solver)?.filter(|outcome| outcome.limit.is_none());
            return Ok(outcome.map(|outcome| Guarded { outcome, published: None }));
        }
    };
    solver.send(b'P', &content);
    let judged = toolchain.published_by(solver)?;
    let Outcome { cpu_ms, memory_kib, .. } = judged.outcome;
    let outcome = Outcome { cpu_ms, memory_kib, ..outcome };
    // If the verdicts differ, a fresh process decides the published one.
    let agrees = judged.passed == (outcome.verdict == Verdict::Passed) && judged.outcome.limit.is_none();
    Ok(Some(Guarded { outcome, published: agrees.then_some(judged) }))
}

/// The outcome by a pooled judge; `None` if the task has none, if it became unusable, or if the sample has no solver.
fn judge_by_pool(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    solution: &str,
) -> Result<Option<Outcome>, EngineError> {
    let Some(judge) = toolchain.pooled_judge(context, task)? else { return Ok(None) };
    let Ok(mut solver) = toolchain.solver(context, task, solution)? else { return Ok(None) };
    match judge.run(&mut solver, &mut Calls::new(toolchain, context, task))? {
        TestResult::Accepted => Ok(Some(measured(Outcome::new(Verdict::Passed), &solver.stop()?))),
        other => rejected(other, solver),
    }
}

/// The outcome of a sample that a pooled judge did not accept; `None` if the judge cannot decide.
fn rejected(result: TestResult, solver: Running) -> Result<Option<Outcome>, EngineError> {
    match result {
        TestResult::Rejected(reason, why) => Ok(Some(measured(failed(Verdict::Failed, reason, why), &solver.stop()?))),
        TestResult::AnswerRefused(reason) => Ok(Some(measured(answer_refused(reason), &solver.stop()?))),
        TestResult::Unanswered(next) => no_answer(next, solver).map(Some),
        TestResult::Accepted | TestResult::JudgeUnusable => Ok(None),
    }
}

/// The outcome by a fresh judge.
fn judge_afresh(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    solution: &str,
) -> Result<Outcome, EngineError> {
    let mut solver = match toolchain.solver(context, task, solution)? {
        Ok(solver) => solver,
        Err(why) => return Ok(failed(Verdict::CompileError, Reason::CompilerError { line: None }, why)),
    };
    let mut judge = toolchain.judge(context, task)?;
    let mut calls = Calls::new(toolchain, context, task);
    for _ in 0..MOST_CALLS {
        match judge.receive()? {
            Next::Frame(b'C', arguments) => match calls.call(&mut solver, &arguments)? {
                Answer::Accepted(frame) => judge.send(b'A', &frame),
                Answer::Refused(reason) => {
                    judge.stop()?;
                    return Ok(measured(answer_refused(reason), &solver.stop()?));
                }
                Answer::Missing(next) => {
                    judge.stop()?;
                    return no_answer(next, solver);
                }
            },
            Next::Frame(b'O', code) => {
                let unknown = || EngineError::Harness("the judge sent an unknown reason".into());
                let reason = answers::refusal(&code).ok_or_else(unknown)?;
                judge.stop()?;
                return Ok(measured(answer_refused(reason), &solver.stop()?));
            }
            Next::Frame(b'E', _) => {
                let outcome = finished(judge, refused_by_tests(&calls))?;
                let ended = solver.stop()?;
                return Ok(measured(outcome, &ended));
            }
            Next::Frame(b'F', why) => {
                judge.stop()?;
                let ended = solver.stop()?;
                let why = String::from_utf8_lossy(&why).into_owned();
                return Ok(measured(failed(Verdict::Failed, refused_by_tests(&calls), why), &ended));
            }
            Next::Frame(..) => return Err(EngineError::Harness("the judge sent an unknown frame".into())),
            Next::End(ended) => {
                let stopped = solver.stop()?;
                return Ok(measured(refused(&ended, refused_by_tests(&calls))?, &stopped));
            }
        }
    }
    judge.stop()?;
    solver.stop()?;
    Err(EngineError::Tests(format!("the tests of {} made more than {MOST_CALLS} calls", task.task_id)))
}

/// The result of a pooled judge's tests.
enum TestResult {
    /// The tests ran to their end without a failure, and the judge returned the nonce.
    Accepted,
    /// The tests failed, although every call had an answer. The judge can serve another sample.
    Rejected(Reason, String),
    /// An answer contains what it may not. The judge can serve another sample.
    AnswerRefused(Reason),
    /// The solver did not answer a call. The judge can serve another sample.
    Unanswered(Next),
    /// The judge ended, reached a limit, violated the protocol or made too many calls. It must be discarded.
    JudgeUnusable,
}

/// Runs the tests of a pooled judge over the solver's answers.
fn run_tests(judge: &mut Running, solver: &mut Running, calls: &mut Calls<'_>) -> Result<TestResult, EngineError> {
    // What came in place of an answer. The tests could catch the error that a missing answer raises.
    let mut missing = None;
    for _ in 0..MOST_CALLS {
        match judge.receive()? {
            Next::Frame(b'C', arguments) => {
                if missing.is_none() {
                    match calls.call(solver, &arguments)? {
                        Answer::Accepted(frame) => {
                            judge.send(b'A', &frame);
                            continue;
                        }
                        Answer::Refused(reason) => missing = Some(TestResult::AnswerRefused(reason)),
                        Answer::Missing(next) => missing = Some(TestResult::Unanswered(next)),
                    }
                }
                // Reports to the judge that the call has no answer. Its `call` then raises an error.
                judge.send(b'Q', b"");
            }
            // The answer contains what it may not. The judge's `call` raises the same error.
            Next::Frame(b'O', code) => match answers::refusal(&code) {
                Some(reason) => missing = missing.or(Some(TestResult::AnswerRefused(reason))),
                None => return Ok(TestResult::JudgeUnusable),
            },
            Next::Frame(b'E', _) if missing.is_some() => return Ok(TestResult::JudgeUnusable),
            Next::Frame(b'E', _) => {
                let nonce: [u8; 16] = rand::rng().random();
                judge.send(b'N', &nonce);
                let is_confirmed = matches!(judge.receive()?, Next::Frame(b'R', returned) if returned == nonce);
                return Ok(if is_confirmed { TestResult::Accepted } else { TestResult::JudgeUnusable });
            }
            Next::Frame(b'F', why) => {
                let rejected =
                    || TestResult::Rejected(refused_by_tests(calls), String::from_utf8_lossy(&why).into_owned());
                return Ok(missing.unwrap_or_else(rejected));
            }
            _ => return Ok(TestResult::JudgeUnusable),
        }
    }
    Ok(TestResult::JudgeUnusable)
}

/// The outcome of a sample that gave an answer which it may not give.
fn answer_refused(reason: Reason) -> Outcome {
    let verdict = if reason == Reason::NotAFrame { Verdict::Tampered } else { Verdict::Failed };
    failed(verdict, reason, String::new())
}

/// Why the tests' refusal is shown: changes of arguments that were left out may be the reason.
fn refused_by_tests(calls: &Calls<'_>) -> Reason {
    if calls.changes_left_out { Reason::ChangesRefused } else { Reason::AnswersRefused }
}

/// The judge's tests have ended: the sample passes if the judge returns the nonce, prints nothing and exits with code
/// 0.
fn finished(mut judge: Running, reason: Reason) -> Result<Outcome, EngineError> {
    let nonce: [u8; 16] = rand::rng().random();
    judge.send(b'N', &nonce);
    match judge.receive()? {
        Next::Frame(b'R', returned) if returned == nonce => {}
        _ => return Err(EngineError::Harness("the judge did not confirm that its tests ended".into())),
    }
    let ended = judge.end()?;
    // A failed assertion in a JavaScript test prints to standard error and does not end the test.
    if ended.is_success() && ended.printed.is_empty() {
        Ok(Outcome::new(Verdict::Passed))
    } else {
        refused(&ended, reason)
    }
}

/// The judge ended before its tests did: an assertion failed, or an answer made the tests fail.
fn refused(ended: &Ended, reason: Reason) -> Result<Outcome, EngineError> {
    match ended.limit {
        Some(LimitHit::Wait) => Err(EngineError::Busy("the judge reached its waiting time limit".into())),
        Some(limit) => Ok(Outcome { limit: Some(limit), ..failed(Verdict::Timeout, reason, String::new()) }),
        None => {
            let first = ended.printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let first: String = first.chars().take(300).collect();
            Ok(failed(Verdict::Failed, reason, first))
        }
    }
}

/// The solver sent something other than an answer, or ended.
fn no_answer(next: Next, solver: Running) -> Result<Outcome, EngineError> {
    match next {
        Next::Frame(kind, text) => {
            let ended = solver.stop()?;
            let text = String::from_utf8_lossy(&text).into_owned();
            Ok(measured(
                match kind {
                    b'U' => failed(Verdict::Failed, Reason::AnswerNotPlain, text),
                    b'X' => failed(Verdict::Crashed, Reason::NoAnswer, text),
                    _ => failed(Verdict::Tampered, Reason::NotAFrame, String::new()),
                },
                &ended,
            ))
        }
        Next::End(ended) => {
            let (verdict, why) = match (ended.limit, ended.report.code) {
                (Some(LimitHit::Heap), _) => (Verdict::OutOfMemory, Reason::SandboxMemory),
                (Some(LimitHit::Printed), _) => (Verdict::Crashed, Reason::PrintedTooMuch),
                (Some(_), _) => (Verdict::Timeout, Reason::NoAnswer),
                (None, Some(code)) if code >= 128 => (Verdict::Crashed, Reason::NoAnswer),
                _ => (Verdict::NoResult, Reason::NoAnswer),
            };
            Ok(measured(Outcome { limit: ended.limit, ..failed(verdict, why, String::new()) }, &ended))
        }
    }
}

fn failed(verdict: Verdict, reason: Reason, message: String) -> Outcome {
    Outcome { reason: Some(reason), message, ..Outcome::new(verdict) }
}

/// Adds the resources that the solver used.
fn measured(outcome: Outcome, solver: &Ended) -> Outcome {
    Outcome {
        cpu_ms: u32::try_from(solver.report.cpu_us / 1000).unwrap_or(u32::MAX),
        memory_kib: u32::try_from(solver.report.memory_kib).unwrap_or(u32::MAX),
        ..outcome
    }
}
