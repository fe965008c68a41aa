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
    self_test,
};
use lang::{
    codeif::Conversations,
    repositories::Repositories,
    suite::{Suite, digest},
};
use sandbox::Sandbox;

/// Tests that are ready to run outputs.
pub enum Backend {
    /// Test classes, run by the Java engine.
    Java(Arc<Grader>),
    /// Test programs, in any language.
    Programs(Arc<Suite>),
    /// Conversations of CodeIF-Bench.
    Conversations(Arc<Talks<Conversations>>),
    /// The same at repository level.
    Repositories(Arc<Talks<Repositories>>),
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

/// Conversations, whose tests are named by the digest of their text.
pub struct Talks<S> {
    suite: S,
    revisions: HashMap<String, TaskRevisionId>,
}

impl<S> Talks<S> {
    /// Prepares a suite of these tests.
    fn prepare(
        texts: &[String],
        suite: impl FnOnce(&[(TaskRevisionId, CodeLang, String)]) -> Result<S, EngineError>,
    ) -> Result<Arc<Talks<S>>, EngineError> {
        let tests: Vec<_> = (0..)
            .map(TaskRevisionId)
            .zip(texts)
            .map(|(revision, text)| (revision, CodeLang::Python, text.clone()))
            .collect();
        let revisions = tests.iter().map(|(revision, _, text)| (digest(text), *revision)).collect();
        Ok(Arc::new(Talks { suite: suite(&tests)?, revisions }))
    }

    /// The task with the tests of a job.
    fn revision(&self, job: &Job) -> Result<TaskRevisionId, EngineError> {
        let found = self.revisions.get(&job.tests).copied();
        found.ok_or_else(|| EngineError::Tests("the task has no tests".to_owned()))
    }
}

/// A worker that runs outputs on a backend.
pub enum ItemWorker {
    Java(Box<Worker>),
    Programs(Arc<Suite>, Arc<AtomicBool>),
    Conversations(Arc<Talks<Conversations>>, Arc<AtomicBool>),
    Repositories(Arc<Talks<Repositories>>, Arc<AtomicBool>),
}

impl Backend {
    /// Prepares tests. `folder` stores what is built for later runs. The inner error is a fault that
    /// no engine error describes.
    ///
    /// # Errors
    /// Engine errors: a toolchain is missing, or the tests do not compile.
    pub fn prepare(
        tests: &Tests,
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        how: Setup<'_>,
    ) -> Result<Result<Backend, Fault>, EngineError> {
        let Setup { allowance, profile, workers, repositories } = how;
        match tests {
            Tests::Programs(programs) => {
                let texts = programs.iter().flat_map(|(lang, texts)| texts.iter().map(|text| (*lang, text.as_str())));
                Ok(Ok(Backend::Programs(Arc::new(Suite::prepare(sandbox, folder, texts, allowance)?))))
            }
            Tests::Conversations(texts) => {
                let suite = |tests: &[_]| Conversations::prepare(sandbox, folder, tests, allowance, profile);
                Ok(Ok(Backend::Conversations(Talks::prepare(texts, suite)?)))
            }
            Tests::Repositories(texts) => {
                let Some(sources) = repositories else { return Ok(Err(Fault::NoRepositories)) };
                let suite = |tests: &[_]| Repositories::prepare(sandbox, folder, sources, tests, allowance, profile);
                Ok(Ok(Backend::Repositories(Talks::prepare(texts, suite)?)))
            }
            Tests::Classes(kind, classes, tree) => {
                if let Some(Err(missing)) = allowance.dates.map(dates::needs) {
                    return Ok(Err(Fault::Toolchain { detail: missing.to_string() }));
                }
                let grader = Grader::prepare(sandbox, folder, *kind, tree, classes, allowance, workers)?;
                Ok(Ok(Backend::Java(Arc::new(grader))))
            }
        }
    }

    /// The conditions that all outputs of a run share, with the failed checks that the operator allows.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        match self {
            Backend::Java(grader) => grader.environment(failed_checks),
            Backend::Programs(suite) => suite.environment(failed_checks),
            Backend::Conversations(talks) => talks.suite.environment(failed_checks),
            Backend::Repositories(talks) => talks.suite.environment(failed_checks),
        }
    }

    /// The conditions of results of this kind.
    pub fn made_in(&self, kind: JobKind) -> MadeIn {
        match self {
            Backend::Java(grader) => MadeIn::from_one(grader.fingerprint()),
            Backend::Programs(suite) => {
                MadeIn { key_basis: suite.key_basis(kind.lang()), fingerprint: suite.fingerprint_of(kind.lang()) }
            }
            Backend::Conversations(talks) => MadeIn::from_one(talks.suite.fingerprint()),
            Backend::Repositories(talks) => MadeIn::from_one(talks.suite.fingerprint()),
        }
    }

    /// A name for which the sandbox checks need to run only once: backends of the same name have the same checks.
    pub fn name(&self) -> String {
        match self {
            Backend::Java(_) => "java".to_owned(),
            Backend::Programs(suite) => suite.versions(),
            Backend::Conversations(talks) => talks.suite.versions(),
            Backend::Repositories(talks) => talks.suite.sandbox_name(),
        }
    }

    /// Runs the sandbox checks with `workers` workers and returns those that failed.
    ///
    /// # Errors
    /// Engine errors: the sandbox or a toolchain does not work.
    pub fn failed_checks(&self, workers: usize) -> Result<Vec<FailedCheck>, EngineError> {
        let shown = match self {
            Backend::Java(grader) => self_test::run_with(grader, workers)?,
            Backend::Programs(suite) => suite.trials()?,
            Backend::Conversations(talks) => talks.suite.trials()?,
            Backend::Repositories(talks) => talks.suite.trials()?,
        };
        Ok(shown.into_iter().filter_map(|shown| shown.failed).collect())
    }

    /// How many outputs to work on at once with this number of processors.
    pub fn workers(&self, processors: usize) -> usize {
        match self {
            Backend::Java(_) | Backend::Conversations(_) => processors,
            Backend::Programs(suite) => suite.workers(processors),
            Backend::Repositories(talks) => talks.suite.workers(processors),
        }
    }

    /// A worker that stops its current work once `cancelled` is set.
    pub fn worker(&self, cancelled: Arc<AtomicBool>) -> ItemWorker {
        match self {
            Backend::Java(grader) => ItemWorker::Java(Box::new(Worker::new(Arc::clone(grader), cancelled))),
            Backend::Programs(suite) => ItemWorker::Programs(Arc::clone(suite), cancelled),
            Backend::Conversations(talks) => ItemWorker::Conversations(Arc::clone(talks), cancelled),
            Backend::Repositories(talks) => ItemWorker::Repositories(Arc::clone(talks), cancelled),
        }
    }
}

impl ItemWorker {
    /// Runs the output of a job.
    ///
    /// # Errors
    /// Engine errors only. The output then has no outcome.
    pub fn run(&mut self, job: &Job) -> Result<Outcome, EngineError> {
        match self {
            ItemWorker::Java(worker) => worker.grade(&job.task(), &job.code),
            ItemWorker::Programs(suite, cancelled) => suite.grade(&job.tests, job.sample(), cancelled),
            ItemWorker::Conversations(talks, cancelled) => {
                talks.suite.grade(talks.revision(job)?, job.answer(), cancelled)
            }
            ItemWorker::Repositories(talks, cancelled) => {
                talks.suite.grade(talks.revision(job)?, job.answer(), cancelled)
            }
        }
    }
}
