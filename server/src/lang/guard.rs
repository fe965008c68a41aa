//! The verdict that counts: a sample passes if the tests, in a process that the sample never enters, accept the
//! sample's answers.
//!
//! Two processes run at the same time, each in its own sandbox. The *solver* has the sample and none of the tests: it
//! receives arguments and sends answers. The *judge* has the task's prompt and tests, both from the dataset; in place
//! of the function that the tests call, it has one that sends its arguments to the server and waits for the answer.
//! Only plain values are exchanged. When its tests have ended, the judge reports it and receives a nonce, which it must
//! return. Whatever a sample does to its process (exit, replace assertions, write frames, read memory), all that
//! reaches the tests is its answers, and it cannot see what they expect.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI32, Ordering},
};

use app::model::{
    reason::Reason,
    run::{LimitHit, Outcome, Verdict},
};
use rand::Rng;

use super::{
    Bench, Judged, Toolchain,
    humaneval::Task,
    process::{Budget, Ended, Next, Running},
};
use crate::engine::EngineError;

/// Maximum number of calls; no test makes as many.
const MOST_CALLS: usize = 100_000;

/// How many samples a judge serves before another takes its place.
const MOST_SAMPLES: u32 = 100;

/// Judges between two samples. A judge has never run a sample's code; it keeps nothing of a sample but what its
/// language's reader and interpreter keep of plain values, and runs each sample's tests in names of their own.
#[derive(Default)]
pub struct Judges(Mutex<Vec<(Running, u32)>>);

/// A judge that has a task's tests. It ends with this value unless it is asked for its opinion.
pub struct Lasting<'a> {
    judges: &'a Judges,
    running: Running,
    /// How many samples it may serve after this one.
    left: u32,
}

impl Judges {
    /// Whether one waits.
    pub fn is_warm(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// One that waits, or a new one.
    ///
    /// # Errors
    /// `start` fails.
    pub fn take(
        &self,
        bench: &Bench,
        budget: Budget,
        start: impl FnOnce() -> Result<Running, EngineError>,
    ) -> Result<Lasting<'_>, EngineError> {
        let waiting = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let at = waiting.iter().position(|(judge, _)| judge.budget() == budget);
            at.map(|at| waiting.swap_remove(at))
        };
        let (mut running, left) = match waiting {
            Some(judge) => judge,
            None => (start()?, MOST_SAMPLES),
        };
        running.belong_to(Arc::clone(&bench.cancelled));
        Ok(Lasting { judges: self, running, left: left - 1 })
    }
}

impl Lasting<'_> {
    /// Sends it a text.
    pub fn give(&mut self, text: &str) {
        self.running.send(b'G', text.as_bytes());
    }

    /// Whether its tests end and accept all answers. It waits for its next sample then.
    fn accepts(mut self, solver: &mut Running) -> Result<bool, EngineError> {
        let opinion = opinion(&mut self.running, solver)?;
        if self.left > 0 && opinion != Opinion::Lost {
            self.judges.0.lock().unwrap_or_else(PoisonError::into_inner).push((self.running, self.left));
        }
        Ok(opinion == Opinion::Accepted)
    }
}

/// Whether it pays to begin with [`Toolchain::both`], by how samples fared there: one that fails has cost a process more
/// than without. Where most fail, few are tried. No verdict depends on it.
#[derive(Default)]
pub struct Luck(AtomicI32);

impl Luck {
    /// So many samples are not tried after one that failed.
    const STEP: i32 = 3;

    /// Whether to try the next sample.
    pub fn pays(&self) -> bool {
        let pays = self.0.load(Ordering::Relaxed) >= 0;
        if !pays {
            self.change(1);
        }
        pays
    }

    /// Counts how a sample fared.
    pub fn tell(&self, passed: bool) {
        self.change(if passed { Self::STEP } else { -Self::STEP });
    }

    fn change(&self, by: i32) {
        let change = |luck: i32| Some((luck + by).clamp(-4 * Self::STEP, 4 * Self::STEP));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }
}

/// Both verdicts of a sample that passes, from one process of its own: it answers a waiting judge's calls, and when the
/// judge has accepted all answers, and only then, it is sent the published program and runs that. Nothing where anything
/// else happens: fresh processes decide then.
///
/// The language sees to it that a sample's first run leaves nothing for the second. A sample that found a way around
/// that would have answered right before, and could deceive the published evaluator more simply.
///
/// # Errors
/// Our own failure, or a cancelled run.
pub fn both(
    toolchain: &dyn Toolchain,
    bench: &Bench,
    task: &Task,
    program: &str,
    solution: &str,
) -> Result<Option<Judged>, EngineError> {
    let Some(mut solver) = toolchain.both(bench, task, solution)? else { return Ok(None) };
    let Some(judge) = toolchain.lasting_judge(bench, task)? else { return Ok(None) };
    let mut passed = None;
    if judge.accepts(&mut solver)? {
        solver.send(b'P', program.as_bytes());
        let judged = toolchain.published_by(solver)?;
        passed = (judged.passed && judged.outcome.limit.is_none()).then_some(judged);
    }
    toolchain.tell(passed.is_some());
    Ok(passed)
}

/// Runs the judge's tests over the solver's answers.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn judge(toolchain: &dyn Toolchain, bench: &Bench, task: &Task, solution: &str) -> Result<Outcome, EngineError> {
    if let Some(outcome) = judge_quickly(toolchain, bench, task, solution)? {
        return Ok(outcome);
    }
    let mut solver = match toolchain.solver(bench, task, solution)? {
        Ok(solver) => solver,
        Err(why) => return Ok(failed(Verdict::CompileError, Reason::CompilerError { line: None }, why)),
    };
    let mut judge = toolchain.judge(bench, task)?;
    for _ in 0..MOST_CALLS {
        match judge.receive()? {
            Next::Frame(b'C', arguments) => {
                solver.send(b'C', &arguments);
                match solver.receive()? {
                    Next::Frame(b'A', answer) => judge.send(b'A', &answer),
                    other => {
                        judge.stop()?;
                        return no_answer(other, solver);
                    }
                }
            }
            Next::Frame(b'E', _) => {
                let outcome = finished(judge)?;
                let ended = solver.stop()?;
                return Ok(measured(outcome, &ended));
            }
            Next::Frame(b'F', why) => {
                judge.stop()?;
                let ended = solver.stop()?;
                let why = String::from_utf8_lossy(&why).into_owned();
                return Ok(measured(failed(Verdict::Failed, Reason::AnswersRefused, why), &ended));
            }
            Next::Frame(..) => return Err(EngineError::Harness("the judge sent an unknown frame".into())),
            Next::End(ended) => {
                let stopped = solver.stop()?;
                return Ok(measured(refused(&ended)?, &stopped));
            }
        }
    }
    judge.stop()?;
    solver.stop()?;
    Err(EngineError::Tests(format!("the tests of {} made more than {MOST_CALLS} calls", task.task_id)))
}

/// The outcome of a sample whose answers a waiting judge accepts.
fn judge_quickly(
    toolchain: &dyn Toolchain,
    bench: &Bench,
    task: &Task,
    solution: &str,
) -> Result<Option<Outcome>, EngineError> {
    let Some(judge) = toolchain.lasting_judge(bench, task)? else { return Ok(None) };
    let Ok(mut solver) = toolchain.solver(bench, task, solution)? else { return Ok(None) };
    if !judge.accepts(&mut solver)? {
        return Ok(None);
    }
    let ended = solver.stop()?;
    Ok(Some(measured(Outcome::new(Verdict::Passed), &ended)))
}

/// What a judge that waited makes of a solver's answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opinion {
    /// The tests ended and accept all answers.
    Accepted,
    /// They do not, or there was no answer. The judge can serve the next sample.
    Refused,
    /// The judge can no longer be used.
    Lost,
}

/// Lets a judge that waited run its tests.
fn opinion(judge: &mut Running, solver: &mut Running) -> Result<Opinion, EngineError> {
    for _ in 0..MOST_CALLS {
        match judge.receive()? {
            Next::Frame(b'C', arguments) => {
                solver.send(b'C', &arguments);
                match solver.receive()? {
                    Next::Frame(b'A', answer) => judge.send(b'A', &answer),
                    // The tests end without an answer.
                    _ => judge.send(b'Q', b""),
                }
            }
            Next::Frame(b'E', _) => {
                let nonce: [u8; 16] = rand::rng().random();
                judge.send(b'N', &nonce);
                let is_confirmed = matches!(judge.receive()?, Next::Frame(b'R', returned) if returned == nonce);
                return Ok(if is_confirmed { Opinion::Accepted } else { Opinion::Lost });
            }
            Next::Frame(b'F', _) => return Ok(Opinion::Refused),
            _ => return Ok(Opinion::Lost),
        }
    }
    Ok(Opinion::Lost)
}

/// The judge's tests have ended: the sample passes if the judge returns the nonce, prints nothing and exits with code
/// 0.
fn finished(mut judge: Running) -> Result<Outcome, EngineError> {
    let nonce: [u8; 16] = rand::rng().random();
    judge.send(b'N', &nonce);
    match judge.receive()? {
        Next::Frame(b'R', returned) if returned == nonce => {}
        _ => return Err(EngineError::Harness("the judge did not confirm that its tests ended".into())),
    }
    let ended = judge.end()?;
    // A failed assertion in a JavaScript test prints to standard error and does not end the test.
    if ended.is_success() && ended.printed.is_empty() { Ok(Outcome::new(Verdict::Passed)) } else { refused(&ended) }
}

/// The judge ended before its tests did: an assertion failed, or an answer made the tests fail.
fn refused(ended: &Ended) -> Result<Outcome, EngineError> {
    match ended.limit {
        Some(LimitHit::Wall) => Err(EngineError::Busy("the judge reached its waiting time limit".into())),
        Some(limit) => {
            Ok(Outcome { limit: Some(limit), ..failed(Verdict::Timeout, Reason::AnswersRefused, String::new()) })
        }
        None => {
            let first = ended.printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let first: String = first.chars().take(300).collect();
            Ok(failed(Verdict::Failed, Reason::AnswersRefused, first))
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
