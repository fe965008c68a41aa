//! An output's two verdicts: as the published evaluator has it, and guarded.

use std::time::Instant;

use app::model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Published, PublishedVerdict, Verdict},
};

use super::{Bench, Toolchain, guard, humaneval, humaneval::Task};
use crate::engine::EngineError;

/// The longest output that is run, in bytes, as in the Java engine.
const LONGEST_OUTPUT: usize = 1 << 20;

/// The longest message of an outcome, and the longest reason of a published verdict, in characters; the rest is cut. The
/// sample chooses these texts.
pub const LONGEST_TEXT: usize = 4000;

/// What a model wrote, and what it was given where that is not the task's own prompt.
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

/// Runs one sample as published, and where that passes once more under the guard, whose verdict the outcome has.
///
/// The guard costs two processes, so it runs only for what could pass: what the published evaluator fails is no pass
/// under the guard either. Some languages bring a sample that passes to both verdicts at once ([`guard::both`]).
///
/// # Errors
/// Our own failure, or a cancelled run; the output has no verdict then.
pub fn grade(
    toolchain: &dyn Toolchain,
    bench: &Bench,
    lang: CodeLang,
    task: &Task,
    Sample { prompt, generation }: Sample<'_>,
) -> Result<Outcome, EngineError> {
    if generation.len() > LONGEST_OUTPUT {
        let reason = Some(Reason::OutputTooLong { limit_bytes: LONGEST_OUTPUT as u64 });
        let published = Some(published(false, ""));
        return Ok(Outcome { reason, published, ..Outcome::new(Verdict::CompileError) });
    }
    let begun = Instant::now();
    let prompt = prompt.or_else(|| task.source.map(|_| task.declaration.as_str()));
    let program = humaneval::program(lang, task, prompt, generation);
    let solution = humaneval::sample(lang, task, prompt, generation);
    let quick = guard::both(toolchain, bench, task, &program, &solution)?;
    let is_decided = quick.is_some();
    let judged = match quick {
        Some(judged) => judged,
        None => toolchain.published(bench, task, &program)?,
    };
    let mut outcome = judged.outcome;
    outcome.total = u32::from(outcome.verdict != Verdict::CompileError);
    if judged.passed && !is_decided {
        let guarded = guard::judge(toolchain, bench, task, &solution)?;
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
    // Tests of our own format have no published evaluator.
    outcome.published = task.setup.is_none().then(|| published(judged.passed, &judged.result));
    Ok(outcome)
}

/// The published evaluator's verdict from its result text.
fn published(passed: bool, result: &str) -> Published {
    let verdict = match (passed, result) {
        (true, _) => PublishedVerdict::Passed,
        (false, "timed out") => PublishedVerdict::Timeout,
        (false, _) => PublishedVerdict::Failed,
    };
    let reason = if passed { String::new() } else { result.chars().take(LONGEST_TEXT).collect() };
    Published { verdict, reason }
}
