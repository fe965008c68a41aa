//! The verdict that counts: a sample passes if the tests, in a process that the sample never enters, accept the
//! sample's answers.
//!
//! Two processes run at the same time, each in its own sandbox. The *solver* has the sample and none of the tests: it
//! receives arguments and sends answers. The *judge* has the task's prompt and tests, both from the dataset; in place
//! of the function that the tests call, it has one that sends its arguments to the server and waits for the answer.
//! Only plain values are exchanged. When its tests have ended, the judge reports it and receives a nonce, which it must
//! return. Whatever a sample does to its process (exit, replace assertions, write frames, read memory), all that
//! reaches the tests is its answers, and it cannot see what they expect.

use app::model::{
    reason::Reason,
    run::{LimitHit, Outcome, Verdict},
};
use rand::Rng;

use super::{
    Bench, Toolchain,
    humaneval::Task,
    process::{Ended, Next, Running},
};
use crate::engine::EngineError;

/// Maximum number of calls; no test makes as many.
const MOST_CALLS: usize = 100_000;

/// Runs the judge's tests over the solver's answers.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn judge(toolchain: &dyn Toolchain, bench: &Bench, task: &Task, solution: &str) -> Result<Outcome, EngineError> {
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
