//! Our own programs that test a language's toolchain and sandbox before outputs run in them. `aixgrade doctor` reports
//! the same results.

use model::{
    code_lang::CodeLang,
    reason::{FailedCheck, SandboxCheck},
    run::{PublishedVerdict, Verdict},
};

use super::{
    RunContext, Toolchain,
    grader::{self, Sample},
};
use benchmarks::humaneval::Task;
use engine::{EngineError, self_test::CheckResult};

/// A program and its expected verdicts.
pub struct Trial {
    /// The check.
    pub check: SandboxCheck,
    /// The trial's own prompt; `None` for the prompt of [`Trials::task`].
    pub prompt: Option<&'static str>,
    /// The text that continues the prompt.
    pub generation: &'static str,
    /// Whether the published evaluator passes it.
    pub published: bool,
    /// Whether it passes under the guard.
    pub passes: bool,
}

/// One language's trials.
pub struct Trials {
    /// A task that asks for twice a number.
    pub task: fn() -> Task,
    pub trials: &'static [Trial],
}

/// Runs a language's trials.
///
/// # Errors
/// Engine errors: the sandbox or the toolchain does not work.
pub fn run(lang: CodeLang, toolchain: &dyn Toolchain, context: &RunContext) -> Result<Vec<CheckResult>, EngineError> {
    let Some(language) = super::language(lang) else { return Ok(Vec::new()) };
    let task = (language.trials.task)();
    let shown = language.trials.trials.iter().map(|trial| {
        let sample = Sample { prompt: trial.prompt, ..Sample::of(trial.generation) };
        let outcome = grader::grade(toolchain, context, lang, &task, sample)?;
        let published = outcome.published.as_ref().map(|published| published.verdict) == Some(PublishedVerdict::Passed);
        let well = published == trial.published && (outcome.verdict == Verdict::Passed) == trial.passes;
        let failed = FailedCheck {
            check: trial.check,
            lang: Some(lang),
            expected: if trial.passes { Verdict::Passed } else { Verdict::Failed },
            found: outcome.verdict,
            reason: outcome.reason,
            message: outcome.message,
        };
        Ok(CheckResult { check: trial.check, failed: (!well).then_some(failed) })
    });
    shown.collect()
}

/// A trial of something that the sandbox must prevent: the program gives the right answer only if it succeeds.
pub const fn cannot(check: SandboxCheck, generation: &'static str) -> Trial {
    Trial { check, prompt: None, generation, published: false, passes: false }
}

/// As [`cannot`], for a program with its own prompt.
pub const fn cannot_with_prompt(prompt: &'static str, check: SandboxCheck, generation: &'static str) -> Trial {
    Trial { prompt: Some(prompt), ..cannot(check, generation) }
}

/// A trial with a right answer.
pub const fn right(generation: &'static str) -> Trial {
    Trial { prompt: None, check: SandboxCheck::RightCode, generation, published: true, passes: true }
}

/// A trial with a wrong answer.
pub const fn wrong(generation: &'static str) -> Trial {
    Trial { prompt: None, check: SandboxCheck::WrongCode, generation, published: false, passes: false }
}

/// A trial that deceives the published evaluator but not the guard.
pub const fn deceives(check: SandboxCheck, generation: &'static str) -> Trial {
    Trial { check, prompt: None, generation, published: true, passes: false }
}
