//! Runs jobs of one suite: with the Java engine, or with the languages whose tests are programs. Coordinators in this
//! process and workers on other machines use the same.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use model::{
    code_lang::CodeLang,
    conversation::TestProfile,
    ids::TaskRevisionId,
    reason::{FailedCheck, Fault},
    run::{Environment, Outcome},
};

use super::{
    job::{Job, JobKind, MadeIn},
    suites::Tests,
};
use engine::{
    EngineError, dates,
    grader::{Grader, Worker},
    runner::Allowance,
    self_test::{self, CheckResult},
};
use lang::{
    codeif::{Answer, Conversations},
    repositories::Repositories,
    suite::{Suite, digest},
};
use sandbox::Sandbox;

/// Tests that are ready to run outputs: one implementation for each kind of tests.
pub trait Backend: Send + Sync {
    /// The conditions that all outputs of a run share, with the failed checks that the operator allows.
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment;

    /// The conditions of results of this kind.
    fn made_in(&self, kind: JobKind) -> MadeIn;

    /// A name for which the sandbox checks need to run only once: backends of the same name have the same checks.
    fn name(&self) -> String;

    /// Runs the sandbox checks with `workers` workers.
    ///
    /// # Errors
    /// Engine errors: the sandbox or a toolchain does not work.
    fn checks(&self, workers: usize) -> Result<Vec<CheckResult>, EngineError>;

    /// How many outputs to work on at once with this number of processors.
    fn workers(&self, processors: usize) -> usize {
        processors
    }

    /// A worker that stops its current work once `cancelled` is set.
    fn worker(&self, cancelled: Arc<AtomicBool>) -> Box<dyn ItemWorker>;
}

/// Runs outputs on a backend.
pub trait ItemWorker: Send {
    /// Runs the output of a job.
    ///
    /// # Errors
    /// Engine errors only. The output then has no outcome.
    fn run(&mut self, job: &Job) -> Result<Outcome, EngineError>;
}

/// The options with which outputs run.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub allowance: Allowance,
    pub profile: TestProfile,
    /// Number of workers.
    pub workers: usize,
    /// The operator's folder with the sources of projects, if there is one.
    pub repositories: Option<&'a Path>,
}

/// Prepares tests. `folder` stores what is built for later runs. The inner error is a fault that no engine error
/// describes.
///
/// # Errors
/// Engine errors: a toolchain is missing, or the tests do not compile.
pub fn prepare(
    tests: &Tests,
    sandbox: Arc<dyn Sandbox>,
    folder: &Path,
    how: Setup<'_>,
) -> Result<Result<Box<dyn Backend>, Fault>, EngineError> {
    let Setup { allowance, profile, workers, repositories } = how;
    match tests {
        Tests::Programs(programs) => {
            let texts = programs.iter().flat_map(|(lang, texts)| texts.iter().map(|text| (*lang, text.as_str())));
            Ok(Ok(Box::new(Programs(Arc::new(Suite::prepare(sandbox, folder, texts, allowance)?)))))
        }
        Tests::Conversations(texts) => {
            let suite = |tests: &[_]| Conversations::prepare(sandbox, folder, tests, allowance, profile);
            Ok(Ok(Box::new(Talks::prepare(texts, suite)?)))
        }
        Tests::Repositories(texts) => {
            let Some(sources) = repositories else { return Ok(Err(Fault::NoRepositories)) };
            let suite = |tests: &[_]| Repositories::prepare(sandbox, folder, sources, tests, allowance, profile);
            Ok(Ok(Box::new(Talks::prepare(texts, suite)?)))
        }
        Tests::Classes(kind, classes, tree) => {
            if let Some(Err(missing)) = allowance.dates.map(dates::needs) {
                return Ok(Err(Fault::Toolchain { detail: missing.to_string() }));
            }
            let grader = Grader::prepare(sandbox, folder, *kind, tree, classes, allowance, workers)?;
            Ok(Ok(Box::new(Classes(Arc::new(grader)))))
        }
    }
}

/// Runs the sandbox checks of a backend and returns those that failed.
///
/// # Errors
/// The same as [`Backend::checks`].
pub fn failed_checks(backend: &dyn Backend, workers: usize) -> Result<Vec<FailedCheck>, EngineError> {
    Ok(backend.checks(workers)?.into_iter().filter_map(|check| check.failed).collect())
}

/// Test classes, run by the Java engine.
struct Classes(Arc<Grader>);

impl Backend for Classes {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        self.0.environment(failed_checks)
    }

    fn made_in(&self, _: JobKind) -> MadeIn {
        MadeIn::from_one(self.0.fingerprint())
    }

    fn name(&self) -> String {
        "java".to_owned()
    }

    fn checks(&self, workers: usize) -> Result<Vec<CheckResult>, EngineError> {
        self_test::run_with(&self.0, workers)
    }

    fn worker(&self, cancelled: Arc<AtomicBool>) -> Box<dyn ItemWorker> {
        Box::new(Worker::new(Arc::clone(&self.0), cancelled))
    }
}

impl ItemWorker for Worker {
    fn run(&mut self, job: &Job) -> Result<Outcome, EngineError> {
        self.grade(&job.task(), &job.code)
    }
}

/// Test programs, in any language.
struct Programs(Arc<Suite>);

impl Backend for Programs {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        self.0.environment(failed_checks)
    }

    fn made_in(&self, kind: JobKind) -> MadeIn {
        MadeIn { key_basis: self.0.key_basis(kind.lang()), fingerprint: self.0.fingerprint_of(kind.lang()) }
    }

    fn name(&self) -> String {
        self.0.versions()
    }

    fn checks(&self, _: usize) -> Result<Vec<CheckResult>, EngineError> {
        self.0.trials()
    }

    fn workers(&self, processors: usize) -> usize {
        self.0.workers(processors)
    }

    fn worker(&self, cancelled: Arc<AtomicBool>) -> Box<dyn ItemWorker> {
        Box::new(ProgramWorker { suite: Arc::clone(&self.0), cancelled })
    }
}

struct ProgramWorker {
    suite: Arc<Suite>,
    cancelled: Arc<AtomicBool>,
}

impl ItemWorker for ProgramWorker {
    fn run(&mut self, job: &Job) -> Result<Outcome, EngineError> {
        self.suite.grade(&job.tests, job.sample(), &self.cancelled)
    }
}

/// Tests of conversations.
trait TalkSuite: Send + Sync {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment;
    fn fingerprint(&self) -> String;
    fn name(&self) -> String;
    fn trials(&self) -> Result<Vec<CheckResult>, EngineError>;
    fn workers(&self, processors: usize) -> usize;
    fn grade(
        &self,
        task: TaskRevisionId,
        answer: Answer<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError>;
}

impl TalkSuite for Conversations {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        self.environment(failed_checks)
    }

    fn fingerprint(&self) -> String {
        self.fingerprint()
    }

    fn name(&self) -> String {
        self.versions()
    }

    fn trials(&self) -> Result<Vec<CheckResult>, EngineError> {
        self.trials()
    }

    fn workers(&self, processors: usize) -> usize {
        processors
    }

    fn grade(
        &self,
        task: TaskRevisionId,
        answer: Answer<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError> {
        self.grade(task, answer, cancelled)
    }
}

impl TalkSuite for Repositories {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        self.environment(failed_checks)
    }

    fn fingerprint(&self) -> String {
        self.fingerprint()
    }

    fn name(&self) -> String {
        self.sandbox_name()
    }

    fn trials(&self) -> Result<Vec<CheckResult>, EngineError> {
        self.trials()
    }

    fn workers(&self, processors: usize) -> usize {
        self.workers(processors)
    }

    fn grade(
        &self,
        task: TaskRevisionId,
        answer: Answer<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError> {
        self.grade(task, answer, cancelled)
    }
}

/// Conversations, at either level, whose tests are named by the digest of their text.
struct Talks<S> {
    suite: S,
    revisions: HashMap<String, TaskRevisionId>,
}

impl<S> Talks<S> {
    /// Prepares a suite of these tests.
    fn prepare(
        texts: &[String],
        suite: impl FnOnce(&[(TaskRevisionId, CodeLang, String)]) -> Result<S, EngineError>,
    ) -> Result<TalkBackend<S>, EngineError> {
        let tests: Vec<_> = (0..)
            .map(TaskRevisionId)
            .zip(texts)
            .map(|(revision, text)| (revision, CodeLang::Python, text.clone()))
            .collect();
        let revisions = tests.iter().map(|(revision, _, text)| (digest(text), *revision)).collect();
        Ok(TalkBackend(Arc::new(Talks { suite: suite(&tests)?, revisions })))
    }

    /// The task with the tests of a job.
    fn revision(&self, job: &Job) -> Result<TaskRevisionId, EngineError> {
        let found = self.revisions.get(&job.tests).copied();
        found.ok_or_else(|| EngineError::Tests("the task has no tests".to_owned()))
    }
}

struct TalkBackend<S>(Arc<Talks<S>>);

impl<S: TalkSuite + 'static> Backend for TalkBackend<S> {
    fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        self.0.suite.environment(failed_checks)
    }

    fn made_in(&self, _: JobKind) -> MadeIn {
        MadeIn::from_one(self.0.suite.fingerprint())
    }

    fn name(&self) -> String {
        self.0.suite.name()
    }

    fn checks(&self, _: usize) -> Result<Vec<CheckResult>, EngineError> {
        self.0.suite.trials()
    }

    fn workers(&self, processors: usize) -> usize {
        self.0.suite.workers(processors)
    }

    fn worker(&self, cancelled: Arc<AtomicBool>) -> Box<dyn ItemWorker> {
        Box::new(TalkWorker { talks: Arc::clone(&self.0), cancelled })
    }
}

struct TalkWorker<S> {
    talks: Arc<Talks<S>>,
    cancelled: Arc<AtomicBool>,
}

impl<S: TalkSuite> ItemWorker for TalkWorker<S> {
    fn run(&mut self, job: &Job) -> Result<Outcome, EngineError> {
        self.talks.suite.grade(self.talks.revision(job)?, job.answer(), &self.cancelled)
    }
}
