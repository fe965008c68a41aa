//! Gives an output two verdicts: the published evaluator's, and the guarded one.

use std::time::Instant;

use app::model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Published, PublishedVerdict, Verdict},
};

use super::{RunContext, Toolchain, guard, humaneval, humaneval::Task, language};
use crate::engine::EngineError;

/// Maximum length of an output in bytes, as in the Java engine.
const LONGEST_OUTPUT: usize = 1 << 20;

/// Maximum length, in characters, of an outcome's message and of the reason of a published verdict. The sample controls
/// these texts, so longer ones are cut.
pub const LONGEST_TEXT: usize = 4000;

/// A model's text, and its prompt if that is not the task's own.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub prompt: Option<&'a str>,
    pub generation: &'a str,
}

impl<'a> Sample<'a> {
    /// A continuation of the task's own prompt.
    pub fn of(generation: &'a str) -> Sample<'a> {
        Sample { prompt: None, generation }
    }
}

/// Runs one sample as the published evaluator does and, if it passes, again under the guard. The guard's verdict is
/// then the verdict of the outcome.
///
/// The guard costs two processes, so it runs only for samples that can pass: a sample that the published evaluator
/// fails does not pass under the guard either. Some languages first try to determine both verdicts of a passing sample
/// with one process ([`guard::both_verdicts`]).
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`]. The output then has no verdict.
pub fn grade(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    lang: CodeLang,
    task: &Task,
    Sample { prompt, generation }: Sample<'_>,
) -> Result<Outcome, EngineError> {
    if generation.len() > LONGEST_OUTPUT {
        let reason = Some(Reason::OutputTooLong { limit_bytes: LONGEST_OUTPUT as u64 });
        let published = Some(published(lang, false, ""));
        return Ok(Outcome { reason, published, ..Outcome::new(Verdict::CompileError) });
    }
    let begun = Instant::now();
    let prompt = prompt.or_else(|| task.source.map(|_| task.declaration.as_str()));
    let program = humaneval::program(lang, task, prompt, generation);
    let solution = humaneval::sample(lang, task, prompt, generation);
    let quick = guard::both_verdicts(toolchain, context, task, &program, &solution)?;
    let is_decided = quick.is_some();
    let judged = match quick {
        Some(judged) => judged,
        None => toolchain.published(context, task, &program)?,
    };
    let mut outcome = judged.outcome;
    outcome.total = u32::from(outcome.verdict != Verdict::CompileError);
    if judged.passed && !is_decided {
        let guarded = guard::judge(toolchain, context, task, &solution)?;
        outcome.verdict = guarded.verdict;
        outcome.limit = guarded.limit;
        outcome.reason = guarded.reason;
        outcome.message = guarded.message;
        outcome.cpu_ms = outcome.cpu_ms.saturating_add(guarded.cpu_ms);
        outcome.memory_kib = outcome.memory_kib.max(guarded.memory_kib);
    }
    outcome.message = outcome.message.chars().take(LONGEST_TEXT).collect();
    outcome.passed = u32::from(outcome.verdict == Verdict::Passed);
    outcome.wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
    outcome.source = program;
    // Tests in our own format have no published evaluator.
    outcome.published = task.setup.is_none().then(|| published(lang, judged.passed, &judged.result));
    Ok(outcome)
}

/// The published evaluator's verdict from its result text.
fn published(lang: CodeLang, passed: bool, result: &str) -> Published {
    let verdict = match (passed, result) {
        (true, _) => PublishedVerdict::Passed,
        (false, "timed out") => PublishedVerdict::Timeout,
        (false, _) => PublishedVerdict::Failed,
    };
    let reason = if passed { String::new() } else { result.chars().take(LONGEST_TEXT).collect() };
    let failure = language(lang).and_then(|language| language.failures.class(verdict, result));
    Published { verdict, reason, failure }
}
