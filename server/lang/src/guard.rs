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
//! Two faster paths decide passes only. A judge from a [`JudgePool`] serves several samples. [`both_verdicts`] also
//! takes the published verdict from the solver's process. In all other cases, fresh processes decide.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI32, Ordering},
};

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
        running.set_cancel_flag(Arc::clone(&context.cancelled));
        Ok(PooledJudge { pool: self, running, samples_left: samples - 1 })
    }
}

impl PooledJudge<'_> {
    /// Sends a part of a task's tests: a text or classes. The language defines the parts and their order.
    pub fn send_tests(&mut self, part: &[u8]) {
        self.running.send(b'G', part);
    }

    /// Runs the tests over the solver's answers, and returns whether they accept all of them. Afterwards the judge
    /// returns to the pool if it can serve another sample.
    fn accepts(mut self, solver: &mut Running, calls: &mut Calls<'_>) -> Result<bool, EngineError> {
        let result = run_tests(&mut self.running, solver, calls)?;
        if self.samples_left > 0 && result != TestResult::JudgeUnusable {
            self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).push((self.running, self.samples_left));
        }
        Ok(result == TestResult::Accepted)
    }
}

/// Decides whether to try [`both_verdicts`] for the next sample. A sample that fails there costs an extra process, so
/// few samples are tried while most of them fail. Only speed depends on this, never a verdict.
///
/// The value is a score, which starts at 0. Samples are tried while it is not negative.
#[derive(Default)]
pub struct QuickPathStats(AtomicI32);

impl QuickPathStats {
    /// A pass adds this to the score and a failure subtracts it. A skipped sample adds 1, so while all samples fail,
    /// one in `STEP + 1` is tried.
    const STEP: i32 = 3;

    /// Whether to try the next sample. Counts the sample as skipped if not.
    pub fn is_worth_trying(&self) -> bool {
        let is_worth_trying = self.0.load(Ordering::Relaxed) >= 0;
        if !is_worth_trying {
            self.change(1);
        }
        is_worth_trying
    }

    /// Records whether a sample that was tried passed.
    pub fn record(&self, passed: bool) {
        self.change(if passed { Self::STEP } else { -Self::STEP });
    }

    fn change(&self, by: i32) {
        let change = |score: i32| Some((score + by).clamp(-4 * Self::STEP, 4 * Self::STEP));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }
}

/// Determines both verdicts of a passing sample with one process for the sample. The process first answers the calls of
/// a pooled judge. Only after the judge has accepted all answers does the server send it the published program, which
/// it then runs. Returns `None` unless the sample passes both; fresh processes then decide both verdicts.
///
/// The guarded verdict is final before the published program is sent. The published verdict comes from a process that
/// has already run the sample. The language's checks of the sample's text make it unlikely that the first run affects
/// the second, but they are not a security boundary: a sample that evades them could change its own published verdict,
/// as a single call of `exit` also could.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn both_verdicts(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    program: &str,
    solution: &str,
) -> Result<Option<Judged>, EngineError> {
    let Some((mut solver, content)) = toolchain.both_verdicts(context, task, program, solution)? else {
        return Ok(None);
    };
    let Some(judge) = toolchain.pooled_judge(context, task)? else { return Ok(None) };
    let mut passed = None;
    if judge.accepts(&mut solver, &mut Calls::new(toolchain, context, task))? {
        solver.send(b'P', &content);
        let judged = toolchain.published_by(solver)?;
        passed = (judged.passed && judged.outcome.limit.is_none()).then_some(judged);
    }
    toolchain.record_quick_path(passed.is_some());
    Ok(passed)
}

/// Determines a sample's guarded outcome. A pooled judge decides if it accepts the sample; otherwise a fresh solver and
/// a fresh judge decide.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn judge(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    solution: &str,
) -> Result<Outcome, EngineError> {
    if !toolchain.has_tests(task) {
        let reason = Reason::ImpossibleCounts { passed: 0, total: 0 };
        return Ok(failed(Verdict::Anomaly, reason, String::new()));
    }
    if let Some(outcome) = judge_by_pool(toolchain, context, task, solution)? {
        return Ok(outcome);
    }
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
                    return Ok(measured(failed(Verdict::Failed, reason, String::new()), &solver.stop()?));
                }
                Answer::Missing(next) => {
                    judge.stop()?;
                    return no_answer(next, solver);
                }
            },
            Next::Frame(b'O', code) => {
                let unknown = || EngineError::Harness("the judge sent an unknown reason".into());
                let reason = answers::refusal(&code).ok_or_else(unknown)?;
                let verdict = if reason == Reason::NotAFrame { Verdict::Tampered } else { Verdict::Failed };
                judge.stop()?;
                return Ok(measured(failed(verdict, reason, String::new()), &solver.stop()?));
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

/// The outcome of a sample that a pooled judge accepts; `None` if it does not, or if the task has no pooled judge.
fn judge_by_pool(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    task: &Task,
    solution: &str,
) -> Result<Option<Outcome>, EngineError> {
    let Some(judge) = toolchain.pooled_judge(context, task)? else { return Ok(None) };
    let Ok(mut solver) = toolchain.solver(context, task, solution)? else { return Ok(None) };
    if !judge.accepts(&mut solver, &mut Calls::new(toolchain, context, task))? {
        return Ok(None);
    }
    let ended = solver.stop()?;
    Ok(Some(measured(Outcome::new(Verdict::Passed), &ended)))
}

/// The result of a pooled judge's tests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TestResult {
    /// The tests ran to their end without a failure, and the judge returned the nonce.
    Accepted,
    /// The tests failed. The judge can serve another sample.
    Rejected,
    /// The judge ended, reached a limit, violated the protocol or made too many calls. It must be discarded.
    JudgeUnusable,
}

/// Runs the tests of a pooled judge over the solver's answers.
fn run_tests(judge: &mut Running, solver: &mut Running, calls: &mut Calls<'_>) -> Result<TestResult, EngineError> {
    // Whether the solver has answered every call so far. The tests could catch the error that a missing answer raises.
    let mut is_answered = true;
    for _ in 0..MOST_CALLS {
        match judge.receive()? {
            Next::Frame(b'C', arguments) => {
                let answer = if is_answered { Some(calls.call(solver, &arguments)?) } else { None };
                match answer {
                    Some(Answer::Accepted(frame)) => judge.send(b'A', &frame),
                    // Reports to the judge that the call has no answer. Its `call` then raises an error.
                    _ => {
                        is_answered = false;
                        judge.send(b'Q', b"");
                    }
                }
            }
            // The answer contains what it may not. The judge's `call` raises the same error.
            Next::Frame(b'O', _) => is_answered = false,
            Next::Frame(b'E', _) if !is_answered => return Ok(TestResult::JudgeUnusable),
            Next::Frame(b'E', _) => {
                let nonce: [u8; 16] = rand::rng().random();
                judge.send(b'N', &nonce);
                let is_confirmed = matches!(judge.receive()?, Next::Frame(b'R', returned) if returned == nonce);
                return Ok(if is_confirmed { TestResult::Accepted } else { TestResult::JudgeUnusable });
            }
            Next::Frame(b'F', _) => return Ok(TestResult::Rejected),
            _ => return Ok(TestResult::JudgeUnusable),
        }
    }
    Ok(TestResult::JudgeUnusable)
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
