//! Grades one output: assemble, compile, run, judge.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use model::{
    reason::{FailedCheck, Flag, Reason},
    run::{Conditions, Diagnostic, Environment, Outcome, Verdict},
};
use sha2::{Digest, Sha256};

use super::{
    EngineError, answer_record,
    batch::{self, Batch},
    compiler::{Compiled, Compiler, Message, OPTIONS, Pool, Request},
    must_fail_tests,
    runner::{self, Allowance, AnswerRecord, Job, ReadyJvm, SETTINGS},
    stop::Stop,
    suite::{self, SOLUTION_BASE, SOLUTION_PACKAGE, SOLUTION_PREFIX, Suite, TestKind, TestTree},
    toolchain::Toolchain,
};
use crate::assemble::{self, Assembled, Budget, Refusal, Target, imports::Index, wanted};
use sandbox::{OptionalLayers, Sandbox};

/// Increase when the same output can get another outcome, so that outcomes cached by an older engine are not reused.
const GENERATION: u32 = 2;

/// How many workers normally share one compiler, which is busy for a quarter of an output's time.
const WORKERS_A_COMPILER: usize = 4;

/// The properties of a task that grading needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The test class.
    pub test_class: String,
    /// The required signature.
    pub signature: Option<String>,
}

/// Grades outputs of one dataset version. Shared by all workers.
pub struct Grader {
    sandbox: Arc<dyn Sandbox>,
    toolchain: Arc<Toolchain>,
    /// Stores images, compiled tests and type lists for later runs.
    folder: PathBuf,
    suite: Suite,
    index: Index,
    /// Shared with graders that [`Grader::with_tests`] returns.
    compilers: Arc<Pool>,
    allowance: Allowance,
}

/// A worker of a grader. It keeps the next JVM started.
pub struct Worker {
    grader: Arc<Grader>,
    /// Set by the caller to cancel the current work.
    cancelled: Arc<AtomicBool>,
    /// Ends the current attempt.
    stop: Stop,
    ready: Option<ReadyJvm>,
    /// The JVM that several outputs share in the fast mode.
    batch: Option<Batch>,
}

impl Grader {
    /// Prepares a dataset's tests for `workers` workers. `folder` stores what is built for later runs.
    ///
    /// # Errors
    /// Engine errors, also if the tests do not compile.
    pub fn prepare(
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        kind: TestKind,
        tree: &TestTree,
        classes: &BTreeSet<String>,
        allowance: Allowance,
        workers: usize,
    ) -> Result<Grader, EngineError> {
        let toolchain = Arc::new(Toolchain::prepare(folder)?);
        let compiler =
            |jars: &[(PathBuf, String)]| Compiler::new(Arc::clone(&sandbox), Arc::clone(&toolchain), jars.to_vec());
        let suite = Suite::prepare(kind, tree, classes, &toolchain, folder, compiler)?;
        let make = {
            let (sandbox, toolchain, jars) = (Arc::clone(&sandbox), Arc::clone(&toolchain), suite.jars.clone());
            move || Compiler::new(Arc::clone(&sandbox), Arc::clone(&toolchain), jars.clone())
        };
        let compilers = Arc::new(Pool::new(workers.div_ceil(WORKERS_A_COMPILER), make));
        let index = index(&toolchain, &suite, folder, &compilers)?;
        let folder = folder.to_path_buf();
        Ok(Grader { sandbox, toolchain, folder, index, suite, compilers, allowance })
    }

    /// A grader for other tests without jars, which uses this grader's compilers.
    ///
    /// # Errors
    /// Engine errors, also if the tests do not compile.
    pub fn with_tests(
        &self,
        kind: TestKind,
        tree: &TestTree,
        classes: &BTreeSet<String>,
        allowance: Allowance,
    ) -> Result<Grader, EngineError> {
        let (sandbox, toolchain) = (Arc::clone(&self.sandbox), Arc::clone(&self.toolchain));
        let compiler =
            |jars: &[(PathBuf, String)]| Compiler::new(Arc::clone(&sandbox), Arc::clone(&toolchain), jars.to_vec());
        let suite = Suite::prepare(kind, tree, classes, &toolchain, &self.folder, compiler)?;
        let index = index(&toolchain, &suite, &self.folder, &self.compilers)?;
        let (folder, compilers) = (self.folder.clone(), Arc::clone(&self.compilers));
        Ok(Grader { sandbox, toolchain, folder, index, suite, compilers, allowance })
    }

    /// The version of the Java build.
    pub fn java_version(&self) -> &str {
        &self.toolchain.java
    }

    /// The conditions that all outputs share, to be recorded with a run. `failed_checks` are the sandbox checks that
    /// failed and that the operator allows to fail.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        let java = self.toolchain.java.clone();
        environment(self.sandbox.optional_layers(), self.allowance, java, self.fingerprint(), failed_checks)
    }

    /// A hash of everything except the output and its task that can affect an outcome.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.suite.fingerprint, self.allowance)
    }

    fn target(&self, task: &Task) -> Target {
        let file = format!("{}.java", task.test_class.rsplit('.').next().unwrap_or_default());
        let sources = &self.suite.sources;
        let named = |name: &str| {
            sources.iter().find(|(path, _)| path.rsplit('/').next() == Some(name)).map_or("", |(_, text)| text)
        };
        let test = named(&file);
        let mut methods: Vec<String> =
            task.signature.as_deref().and_then(wanted::method_of_signature).into_iter().collect();
        let mut hints = wanted::imports(test);
        match self.suite.kind {
            TestKind::Aixgrade => {
                methods.extend(wanted::interface_methods(test, "Solution"));
                Target {
                    package: String::new(),
                    class: "Output".into(),
                    extends: None,
                    implements: Some(format!("{}.Solution", task.test_class)),
                    methods,
                    signature: task.signature.clone(),
                    hints,
                }
            }
            TestKind::Aixbench => {
                let base = suite::solution_base(&self.suite.library);
                // The base class imports the types of all signatures, so its imports come first.
                hints.splice(0..0, wanted::imports(named(&format!("{SOLUTION_BASE}.java"))));
                let number: String = task.test_class.chars().rev().take_while(char::is_ascii_digit).collect();
                let number: String = number.chars().rev().collect();
                Target {
                    package: SOLUTION_PACKAGE.into(),
                    class: format!("{SOLUTION_PREFIX}{number}"),
                    extends: base.cloned(),
                    implements: None,
                    methods,
                    signature: task.signature.clone(),
                    hints,
                }
            }
        }
    }
}

/// The conditions that outputs share under these limits and options.
pub fn environment(
    layers: OptionalLayers,
    allowance: Allowance,
    java: String,
    fingerprint: String,
    failed_checks: Vec<FailedCheck>,
) -> Environment {
    let setting = |key: &str| SETTINGS.iter().find(|(k, _)| *k == key).map_or("", |(_, value)| value).to_owned();
    let Allowance { cpu_s, wait_s, heap_mib, threads, fast, dates } = allowance;
    let OptionalLayers { landlock, groups } = layers;
    let dates = dates.map(|dates| dates.name().to_owned());
    let conditions = Conditions { cpu_s, wait_s, heap_mib, threads, fast, dates, landlock, groups, failed_checks };
    Environment {
        java,
        time_zone: setting("user.timezone"),
        locale: format!("{}-{}", setting("user.language"), setting("user.country")),
        encoding: setting("file.encoding"),
        conditions,
        fingerprint,
        parts: Vec::new(),
    }
}

/// [`Grader::fingerprint`] of tests with this [`super::suite::fingerprint`].
pub fn fingerprint(suite: &str, allowance: Allowance) -> String {
    hex::encode(Sha256::digest(format!("{GENERATION} {suite} {allowance:?} {OPTIONS:?} {SETTINGS:?}")))
}

/// The cache key of an output: a hash of everything that can affect its outcome. The same key means the same outcome
/// if the code is deterministic. `basis` is [`Grader::fingerprint`].
pub fn key(basis: &str, Task { test_class, signature }: &Task, code: &str) -> String {
    hex::encode(Sha256::digest(format!("{basis}\0{test_class}\0{signature:?}\0{code}")))
}

impl Worker {
    /// A worker that stops its current work, with [`EngineError::Cancelled`], once `cancelled` is set.
    pub fn new(grader: Arc<Grader>, cancelled: Arc<AtomicBool>) -> Worker {
        Worker { grader, cancelled, stop: Stop::default(), ready: None, batch: None }
    }

    /// Starts the compiler and a JVM, so that the first output does not wait for them.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        self.start_ahead()?;
        self.grader.compilers.warm()
    }

    /// Grades one output.
    ///
    /// # Errors
    /// Engine errors only. The output then has no outcome.
    pub fn grade(&mut self, task: &Task, code: &str) -> Result<Outcome, EngineError> {
        let grader = Arc::clone(&self.grader);
        let target = grader.target(task);
        self.stop = Stop::begin(&self.cancelled);
        let mut budget = Budget::until(&self.cancelled);
        let assembled = match assemble::assemble(code, &target, &grader.index, &mut budget) {
            Ok(assembled) => assembled,
            Err(Refusal::Cancelled) => return Err(EngineError::Cancelled),
            Err(why) => {
                let (limit, reason) = (why.limit(), Some(why.reason()));
                return Ok(Outcome { limit, reason, ..Outcome::new(Verdict::CompileError) });
            }
        };
        let Some(tests) = grader.suite.tests(&task.test_class) else {
            return Err(EngineError::Tests(format!("test class {} not found", task.test_class)));
        };
        if !grader.allowance.fast {
            self.start_ahead()?;
        }
        let folder = if target.package.is_empty() { String::new() } else { target.package.replace('.', "/") + "/" };
        let file = format!("{folder}{}.java", target.class);
        let jars: Vec<String> = grader.suite.jars.iter().map(|(_, inside)| inside.clone()).collect();
        let request = Request {
            library: (&grader.suite.fingerprint, &grader.suite.library),
            jars: &jars,
            sources: vec![(&file, &assembled.source)],
        };
        let outcome = match grader.compilers.compile(&request, &self.stop)? {
            Compiled::Exceeded(exceeded) => {
                let (limit, reason) = (exceeded.limit(), Some(exceeded.reason()));
                Outcome { limit, reason, ..Outcome::new(Verdict::CompileError) }
            }
            Compiled::Refused(messages) => refused(&messages, &assembled),
            Compiled::Classes(classes) => {
                let class = match target.package.as_str() {
                    "" => target.class.clone(),
                    package => format!("{package}.{}", target.class),
                };
                let job = Job {
                    tests,
                    class: &class,
                    classes: &classes,
                    prefix: SOLUTION_PREFIX,
                    answer_record: AnswerRecord::Off,
                };
                match self.shared(job, &assembled.flags)? {
                    Some(passed) => passed,
                    None => {
                        let outcome = self.alone(job)?.0;
                        let flags = [&assembled.flags[..], &outcome.flags].concat();
                        let suspicious = outcome.verdict == Verdict::Passed
                            && answer_record::is_suspicious(&grader.suite, job, &flags);
                        if suspicious { self.confirm(outcome, job, &target)? } else { outcome }
                    }
                }
            }
        };
        Ok(complete(outcome, assembled))
    }

    /// The outcome from a shared JVM; `None` if the run is not fast or the output must be judged in a JVM of its own.
    fn shared(&mut self, job: Job<'_>, flags: &[Flag]) -> Result<Option<Outcome>, EngineError> {
        let grader = &self.grader;
        let suite = &grader.suite;
        if !grader.allowance.fast || !batch::may_share(suite, job) || answer_record::is_suspicious(suite, job, flags) {
            return Ok(None);
        }
        let start = || Batch::start(&grader.sandbox, &grader.toolchain, &grader.suite, grader.allowance);
        let mut batch = match self.batch.take() {
            Some(batch) => batch,
            None => start()?,
        };
        let (passed, goes_on) = batch.pass(&grader.suite, job, grader.allowance);
        self.batch = goes_on.then_some(batch);
        Ok(passed)
    }

    /// Judges a suspicious pass again, without the solution's code: one fresh JVM records the solution's answers, and
    /// another runs the tests over the record.
    fn confirm(&mut self, passed: Outcome, job: Job<'_>, target: &Target) -> Result<Outcome, EngineError> {
        let grader = Arc::clone(&self.grader);
        let Some(recorder) = answer_record::recorder(&grader.suite, job, target) else {
            return self.doubt(passed, job);
        };
        let jars: Vec<String> = grader.suite.jars.iter().map(|(_, inside)| inside.clone()).collect();
        let request = Request {
            library: (&grader.suite.fingerprint, &grader.suite.library),
            jars: &jars,
            sources: vec![(&recorder.file, &recorder.source)],
        };
        let compiled = grader.compilers.compile(&request, &self.stop)?;
        let Compiled::Classes(between) = compiled else { return self.doubt(passed, job) };
        let mut both = job.classes.clone();
        both.extend(between.clone());
        let job = Job { class: &recorder.class, prefix: &recorder.prefix, ..job };
        let (recorded, answers) = self.alone(Job { classes: &both, answer_record: AnswerRecord::Record, ..job })?;
        if recorded.verdict != Verdict::Passed {
            // The code is nondeterministic or detects the recording. The worse of two runs counts.
            return Ok(recorded);
        }
        let played = match &answers {
            Some(answers) => {
                Some(self.alone(Job { classes: &between, answer_record: AnswerRecord::Replay(answers), ..job })?.0)
            }
            None => None,
        };
        Ok(match played {
            Some(played) if played.verdict == Verdict::Passed && played.total == passed.total => passed,
            _ => Outcome { reason: Some(Reason::Unconfirmed), verdict: Verdict::Tampered, ..passed },
        })
    }

    /// Judges a suspicious pass that cannot be replayed without the solution: it counts, with a warning, if the same
    /// program fails tests that must fail.
    fn doubt(&mut self, passed: Outcome, job: Job<'_>) -> Result<Outcome, EngineError> {
        let Some(tests) = must_fail_tests::of(self.grader.suite.kind, job.tests) else {
            return Ok(must_fail_tests::unconfirmed(passed));
        };
        let found = self.alone(Job { tests: &tests, ..job })?.0;
        Ok(must_fail_tests::judge(passed, found))
    }

    fn alone(&mut self, job: Job<'_>) -> Result<(Outcome, Option<Vec<u8>>), EngineError> {
        self.stop.check()?;
        self.start_ahead()?;
        let Some(ready) = self.ready.take() else { return Err(EngineError::Harness("no JVM".into())) };
        // The next JVM starts while this one works.
        self.start_ahead()?;
        let grader = &self.grader;
        ready.run_recorded(&grader.suite, job, grader.allowance, &self.stop)
    }

    fn start_ahead(&mut self) -> Result<(), EngineError> {
        if self.ready.is_none() {
            let grader = &self.grader;
            self.ready = Some(runner::start(&grader.sandbox, &grader.toolchain, &grader.suite, grader.allowance)?);
        }
        Ok(())
    }
}

fn refused(messages: &[Message], assembled: &Assembled) -> Outcome {
    let mut outcome = Outcome::new(Verdict::CompileError);
    outcome.diagnostics = messages
        .iter()
        .map(|m| Diagnostic { line: m.line.and_then(|line| assembled.line(line)), message: m.text.clone() })
        .collect();
    let (reason, message) = match outcome.diagnostics.first() {
        Some(Diagnostic { line, message }) => (Reason::CompilerError { line: *line }, message.clone()),
        None => (Reason::CompilerSilent, String::new()),
    };
    Outcome { reason: Some(reason), message, ..outcome }
}

fn complete(outcome: Outcome, assembled: Assembled) -> Outcome {
    let Assembled { source, changes, flags, .. } = assembled;
    let flags: Vec<Flag> = flags.into_iter().chain(outcome.flags).collect();
    Outcome { source, changes, flags, ..outcome }
}

/// The types that an import may name: those of the JDK, the jars and the dataset's own helpers.
fn index(toolchain: &Toolchain, suite: &Suite, folder: &Path, compilers: &Pool) -> Result<Index, EngineError> {
    let mut types = listed(toolchain, suite, folder, compilers)?;
    types.extend(suite.library.keys().filter(|name| !name.contains('$') && suite.tests(name).is_none()).cloned());
    Ok(Index::new(types))
}

/// The importable types of the JDK and the jars, cached next to the images because listing them takes 1 s.
fn listed(toolchain: &Toolchain, suite: &Suite, folder: &Path, compilers: &Pool) -> Result<Vec<String>, EngineError> {
    let jars: Vec<_> = suite.jars.iter().map(|(path, _)| path.file_name().map(|n| n.to_owned())).collect();
    let key = hex::encode(Sha256::digest(format!("{} {jars:?}", toolchain.fingerprint)));
    let file = folder.join(format!("types-{}.txt", &key[..16]));
    match fs::read_to_string(&file) {
        Ok(text) => return Ok(text.lines().map(str::to_owned).collect()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(e.into()),
    }
    let jars: Vec<String> = suite.jars.iter().map(|(_, inside)| inside.clone()).collect();
    let types = compilers.index(&jars)?;
    suite::write_whole(&file, types.join("\n").as_bytes())?;
    Ok(types)
}
