//! Gives an output two verdicts: the published evaluator's, and the guarded one.

use std::time::Instant;

use model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Published, PublishedVerdict, Verdict},
};

use super::{RunContext, Toolchain, guard, language};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;

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
    let _kept = Kept { toolchain, solution: &solution };
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

/// Deletes what a toolchain kept of a sample, however its grading ends.
struct Kept<'a> {
    toolchain: &'a dyn Toolchain,
    solution: &'a str,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.toolchain.forget(self.solution);
    }
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

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;
    use crate::{
        Judged,
        native::BuiltSamples,
        process::{Budget, Running},
    };
    use sandbox::{Child, Command, Sandbox};

    /// A sandbox that starts nothing.
    struct Nothing;

    impl Sandbox for Nothing {
        fn start(&self, _command: &Command) -> io::Result<Child> {
            Err(io::Error::other("nothing is started"))
        }
    }

    /// A file of a sample. Counts those that exist.
    struct File(Arc<AtomicUsize>);

    impl Drop for File {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// A toolchain whose samples pass as published and whose solvers do not start.
    #[derive(Default)]
    struct NoSolvers {
        files: Arc<AtomicUsize>,
        built: BuiltSamples<File>,
        /// Whether a solver panics instead of being cancelled.
        panics: bool,
    }

    impl Toolchain for NoSolvers {
        fn lang(&self) -> CodeLang {
            CodeLang::Cpp
        }

        fn version(&self) -> &'static str {
            "none"
        }

        fn published(&self, _: &RunContext, _: &Task, program: &str) -> Result<Judged, EngineError> {
            self.files.fetch_add(1, Ordering::SeqCst);
            self.built.put(program.strip_suffix("tests").unwrap(), File(Arc::clone(&self.files)));
            Ok(Judged { passed: true, result: "passed".into(), outcome: Outcome::new(Verdict::Passed) })
        }

        fn solver(&self, _: &RunContext, _: &Task, _: &str) -> Result<Result<Running, String>, EngineError> {
            assert_eq!(self.files.load(Ordering::SeqCst), 1, "the file is there for the solver");
            assert!(!self.panics, "a solver can panic");
            Err(EngineError::Cancelled)
        }

        fn judge(&self, _: &RunContext, _: &Task) -> Result<Running, EngineError> {
            Err(EngineError::Cancelled)
        }

        fn forget(&self, solution: &str) {
            self.built.take(solution);
        }
    }

    #[test]
    fn files_of_a_sample_whose_solver_never_starts_are_deleted() {
        let budget = Budget { cpu_s: 1, wait_s: 1, data_mib: 1, threads: 1 };
        let folder = std::env::temp_dir();
        let (sandbox, cancelled, own_answers) = (Arc::new(Nothing), Arc::default(), Arc::default());
        let context = RunContext { sandbox, folder, cancelled, budget, own_answers };
        let task = Task { prompt: "int f() {".into(), test: "tests".into(), ..Task::default() };
        for panics in [false, true] {
            let toolchain = NoSolvers { panics, ..NoSolvers::default() };
            let graded = std::thread::scope(|scope| {
                let grade = || grade(&toolchain, &context, CodeLang::Cpp, &task, Sample::of("}"));
                scope.spawn(grade).join()
            });
            match graded {
                Ok(outcome) => assert!(!panics && matches!(outcome, Err(EngineError::Cancelled))),
                Err(_) => assert!(panics),
            }
            assert_eq!(toolchain.files.load(Ordering::SeqCst), 0, "panics: {panics}");
        }
    }
}
