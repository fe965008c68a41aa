//! Gives an output two verdicts: the published evaluator's, and the guarded one.

use std::time::Instant;

use model::{
    code_lang::CodeLang,
    published::PublishedText,
    reason::Reason,
    run::{Outcome, Published, PublishedVerdict, Verdict},
};

use super::{
    PublishedProgram, RunContext, Toolchain,
    guard::{self, Guarded},
    language,
};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;

/// Maximum length of an output in bytes, as in the Java engine.
const LONGEST_OUTPUT: usize = 1 << 20;

/// Maximum length, in characters, of an outcome's message and of the reason of a published verdict. The sample controls
/// these texts, so longer ones are cut.
pub const LONGEST_TEXT: usize = 4000;

/// A model's text.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// What it continues, if that is not the task's prompt.
    pub prompt: Option<&'a str>,
    pub generation: &'a str,
    /// What the published evaluator judges, if that is not the text.
    pub published_text: Option<&'a PublishedText>,
}

impl<'a> Sample<'a> {
    /// A continuation of the task's own prompt.
    pub fn of(generation: &'a str) -> Sample<'a> {
        Sample { prompt: None, generation, published_text: None }
    }
}

/// Runs one sample under the guard, then as the published evaluator does. If both pass it, or only the published
/// evaluator, the guard's verdict is that of the outcome: a text that the published evaluator fails does not pass. Where
/// the sample has another text for that evaluator, its verdict on that is the published one.
///
/// The order is by information: the published program has the sample and the tests in one process, so it runs last, when
/// every process that has the sample only has ended. So does its compiler, except Java's, which code cannot program.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`]. The output then has no verdict.
pub fn grade(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    lang: CodeLang,
    task: &Task,
    sample: Sample<'_>,
) -> Result<Outcome, EngineError> {
    let begun = Instant::now();
    let mut outcome = grade_text(toolchain, context, lang, task, sample)?;
    if let (Some(text), Some(own)) = (sample.published_text, &outcome.published) {
        let own_passed = own.verdict == PublishedVerdict::Passed;
        let of_text = publish(toolchain, context, lang, task, text)?;
        if own_passed && outcome.reason.is_none() && of_text.verdict != PublishedVerdict::Passed {
            outcome.reason = Some(Reason::PublishedReadsFences);
        }
        outcome.published = Some(of_text);
    }
    outcome.wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
    Ok(outcome)
}

/// The published evaluator's verdict on a text.
fn publish(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    lang: CodeLang,
    task: &Task,
    PublishedText { prompt, generation }: &PublishedText,
) -> Result<Published, EngineError> {
    if generation.len() > LONGEST_OUTPUT {
        return Ok(published(lang, false, ""));
    }
    let prompt = prompt.as_deref().or_else(|| task.source.map(|_| task.declaration.as_str()));
    let program = humaneval::program(lang, task, prompt, generation);
    let solution = humaneval::sample(lang, task, prompt, generation);
    let _kept = Kept { toolchain, solution: &solution };
    let judged = match toolchain.published(context, task, &program)? {
        PublishedProgram::Refused(judged) => *judged,
        PublishedProgram::Ready(run) => run()?,
    };
    Ok(published(lang, judged.passed, &judged.result))
}

fn grade_text(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    lang: CodeLang,
    task: &Task,
    Sample { prompt, generation, .. }: Sample<'_>,
) -> Result<Outcome, EngineError> {
    if generation.len() > LONGEST_OUTPUT {
        let reason = Some(Reason::OutputTooLong { limit_bytes: LONGEST_OUTPUT as u64 });
        let published = Some(published(lang, false, ""));
        return Ok(Outcome { reason, published, ..Outcome::new(Verdict::CompileError) });
    }
    let prompt = prompt.or_else(|| task.source.map(|_| task.declaration.as_str()));
    let program = humaneval::program(lang, task, prompt, generation);
    let solution = humaneval::sample(lang, task, prompt, generation);
    let _kept = Kept { toolchain, solution: &solution };
    let (judged, guarded) = match toolchain.published(context, task, &program)? {
        PublishedProgram::Refused(judged) => (*judged, None),
        PublishedProgram::Ready(run) => match guard::judge(toolchain, context, task, &program, &solution) {
            Ok(Guarded { published: Some(judged), .. }) => (judged, None),
            Ok(Guarded { outcome, published: None }) => (run()?, Some(outcome)),
            // Tests that the guard cannot run matter only for a sample that passes as published.
            Err(EngineError::Tests(why)) => match run()? {
                judged if judged.passed => return Err(EngineError::Tests(why)),
                judged => (judged, None),
            },
            Err(e) => return Err(e),
        },
    };
    let mut outcome = judged.outcome;
    outcome.total = u32::from(outcome.verdict != Verdict::CompileError);
    if judged.passed
        && let Some(guarded) = guarded
    {
        outcome.verdict = guarded.verdict;
        outcome.limit = guarded.limit;
        outcome.reason = guarded.reason;
        outcome.message = guarded.message;
        outcome.cpu_ms = outcome.cpu_ms.saturating_add(guarded.cpu_ms);
        outcome.memory_kib = outcome.memory_kib.max(guarded.memory_kib);
    }
    outcome.message = outcome.message.chars().take(LONGEST_TEXT).collect();
    outcome.passed = u32::from(outcome.verdict == Verdict::Passed);
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
        io::{self, Read, Write},
        os::unix::net::UnixStream,
        sync::{
            Arc, Mutex,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;
    use crate::{
        Judged, command,
        native::BuiltSamples,
        process::{Budget, Running},
    };
    use engine::stop::Stop;
    use sandbox::{Child, Command, Profile, Report, Sandbox, fake::Fake};

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

    /// A toolchain whose solvers do not start.
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

        fn published<'a>(
            &'a self,
            _: &'a RunContext,
            _: &'a Task,
            program: &'a str,
        ) -> Result<PublishedProgram<'a>, EngineError> {
            self.files.fetch_add(1, Ordering::SeqCst);
            self.built.put(program.strip_suffix("tests").unwrap(), File(Arc::clone(&self.files)));
            Ok(PublishedProgram::ready(|| panic!("the published program runs after the solver")))
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

    /// A toolchain that records in which order processes start and end.
    struct Ordered {
        events: Arc<Mutex<Vec<&'static str>>>,
        /// Whether the published evaluator passes the sample.
        passes: bool,
    }

    impl Ordered {
        fn note(&self, event: &'static str) {
            self.events.lock().unwrap().push(event);
        }
    }

    impl Toolchain for Ordered {
        fn lang(&self) -> CodeLang {
            CodeLang::Python
        }

        fn version(&self) -> &'static str {
            "none"
        }

        fn published<'a>(
            &'a self,
            _: &'a RunContext,
            _: &'a Task,
            _: &'a str,
        ) -> Result<PublishedProgram<'a>, EngineError> {
            self.note("built");
            Ok(PublishedProgram::ready(|| {
                self.note("published");
                let verdict = if self.passes { Verdict::Passed } else { Verdict::Failed };
                Ok(Judged { passed: self.passes, result: String::new(), outcome: Outcome::new(verdict) })
            }))
        }

        fn solver(&self, context: &RunContext, _: &Task, _: &str) -> Result<Result<Running, String>, EngineError> {
            self.note("solver");
            let command = command(&["solver"], Vec::new(), context.budget, Profile::Run);
            Ok(Ok(context.start(&command, context.budget)?))
        }

        fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
            let command = command(&["judge", &task.test], Vec::new(), context.budget, Profile::Run);
            context.start(&command, context.budget)
        }
    }

    /// Plays a solver that answers every call, or a judge that makes one call and does what its tests say.
    fn play(command: &Command, mut control: UnixStream, events: &Mutex<Vec<&'static str>>) -> Report {
        fn receive(control: &mut UnixStream) -> Option<(u8, Vec<u8>)> {
            let mut length = [0; 4];
            control.read_exact(&mut length).ok()?;
            let mut frame = vec![0; u32::from_be_bytes(length) as usize];
            control.read_exact(&mut frame).ok()?;
            Some((frame.remove(0), frame))
        }
        let send = |control: &mut UnixStream, kind: u8, content: &[u8]| {
            let length = u32::try_from(content.len() + 1).unwrap();
            control.write_all(&[&length.to_be_bytes()[..], &[kind], content].concat()).unwrap();
        };
        if command.argv[0] == "solver" {
            // Nothing unusual is in the answer of six bytes, and no argument is changed.
            let answer = [&[0_u8; 36][..], &6_u32.to_be_bytes(), b"answer"].concat();
            while receive(&mut control).is_some() {
                send(&mut control, b'A', &answer);
            }
            events.lock().unwrap().push("solver ended");
        } else {
            send(&mut control, b'C', b"arguments");
            let (kind, answer) = receive(&mut control).unwrap();
            assert!(kind == b'A' && answer.ends_with(b"answer"), "{answer:?}");
            match command.argv[1].as_str() {
                "accept" => {
                    send(&mut control, b'E', b"");
                    let (_, nonce) = receive(&mut control).unwrap();
                    send(&mut control, b'R', &nonce);
                }
                "reject" => send(&mut control, b'F', b"why"),
                // The judge ends without a word.
                _ => {}
            }
        }
        Report { code: Some(0), ..Report::default() }
    }

    /// The program that has sample and tests runs when nothing else of the sample runs any more, whatever the guard says.
    #[test]
    fn the_published_program_runs_last() {
        let budget = Budget { cpu_s: 1, wait_s: 1, data_mib: 1, threads: 1 };
        for (tests, accepts) in [("accept", true), ("reject", false), ("end", false)] {
            for passes in [true, false] {
                let events = Arc::new(Mutex::new(Vec::new()));
                let noted = Arc::clone(&events);
                let fake = move |command: &Command, control| play(command, control, &noted);
                let sandbox = Arc::new(Fake(fake));
                let folder = std::env::temp_dir();
                let context =
                    RunContext { sandbox, folder, stop: Stop::default(), budget, own_answers: Arc::default() };
                let task = Task { prompt: "int f() {".into(), test: tests.into(), ..Task::default() };
                let toolchain = Ordered { events: Arc::clone(&events), passes };
                let outcome = grade(&toolchain, &context, CodeLang::Cpp, &task, Sample::of("}")).unwrap();
                assert_eq!(
                    *events.lock().unwrap(),
                    ["built", "solver", "solver ended", "published"],
                    "{tests} {passes}"
                );
                assert_eq!(outcome.verdict == Verdict::Passed, accepts && passes, "{tests} {passes}");
            }
        }
    }

    #[test]
    fn files_of_a_sample_whose_solver_never_starts_are_deleted() {
        let budget = Budget { cpu_s: 1, wait_s: 1, data_mib: 1, threads: 1 };
        let folder = std::env::temp_dir();
        let (sandbox, stop, own_answers) = (Arc::new(Nothing), Stop::default(), Arc::default());
        let context = RunContext { sandbox, folder, stop, budget, own_answers };
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
