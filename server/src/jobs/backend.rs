//! Runs the outputs of a dataset version: with the Java engine, or with the languages whose tests are programs.

use std::sync::{Arc, atomic::AtomicBool};

use app::model::{
    conversation::Way,
    reason::FailedCheck,
    run::{Environment, Outcome},
};

use super::worker_count;
use crate::{
    db::runs::Leased,
    engine::{
        EngineError,
        grader::{Grader, Task, Worker},
        self_test,
    },
    lang::{
        codeif::{Answer, Conversations},
        grader::Sample,
        suite::Suite,
    },
};

/// A dataset version, ready to run outputs.
pub enum Backend {
    /// Test classes, run by the Java engine.
    Java(Arc<Grader>),
    /// Test programs, in any language.
    Programs(Suite),
    /// Conversations of CodeIF-Bench.
    Conversations(Conversations),
}

/// A worker that runs outputs on a backend.
pub enum ItemWorker<'a> {
    Java(Box<Worker>),
    Programs(&'a Suite, Arc<AtomicBool>),
    Conversations(&'a Conversations, Arc<AtomicBool>),
}

impl Backend {
    /// The conditions that all outputs of a run share, with the failed checks that the operator allows.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        match self {
            Backend::Java(grader) => grader.environment(failed_checks),
            Backend::Programs(suite) => suite.environment(failed_checks),
            Backend::Conversations(suite) => suite.environment(failed_checks),
        }
    }

    /// A hash of everything besides the output and its task that can affect an outcome.
    pub fn fingerprint(&self) -> String {
        match self {
            Backend::Java(grader) => grader.fingerprint(),
            Backend::Programs(suite) => suite.fingerprint(),
            Backend::Conversations(suite) => suite.fingerprint(),
        }
    }

    /// The cache key of an output: a hash of everything that can affect its outcome.
    pub fn key(&self, item: &Leased) -> String {
        match self {
            Backend::Java(grader) => grader.key(&task(item), &item.code),
            Backend::Programs(suite) => suite.key(item.revision, sample(item)),
            Backend::Conversations(suite) => suite.key(item.revision, answer(item)),
        }
    }

    /// A name for which the sandbox checks need to run only once: backends of the same name have the same checks.
    pub fn name(&self) -> String {
        match self {
            Backend::Java(_) => "java".to_owned(),
            Backend::Programs(suite) => suite.versions(),
            Backend::Conversations(suite) => suite.versions(),
        }
    }

    /// Runs the sandbox checks and returns those that failed.
    ///
    /// # Errors
    /// Engine errors: the sandbox or a toolchain does not work.
    pub fn failed_checks(&self) -> Result<Vec<FailedCheck>, EngineError> {
        let shown = match self {
            Backend::Java(grader) => self_test::run_with(grader, worker_count())?,
            Backend::Programs(suite) => suite.trials()?,
            Backend::Conversations(suite) => suite.trials()?,
        };
        Ok(shown.into_iter().filter_map(|shown| shown.failed).collect())
    }

    /// How many outputs to work on at once.
    pub fn workers(&self) -> usize {
        match self {
            Backend::Java(_) | Backend::Conversations(_) => worker_count(),
            Backend::Programs(suite) => suite.workers(worker_count()),
        }
    }

    /// A worker that stops its current work once `cancelled` is set.
    pub fn worker(&self, cancelled: Arc<AtomicBool>) -> ItemWorker<'_> {
        match self {
            Backend::Java(grader) => ItemWorker::Java(Box::new(Worker::new(Arc::clone(grader), cancelled))),
            Backend::Programs(suite) => ItemWorker::Programs(suite, cancelled),
            Backend::Conversations(suite) => ItemWorker::Conversations(suite, cancelled),
        }
    }
}

impl ItemWorker<'_> {
    /// Grades one output.
    ///
    /// # Errors
    /// Engine errors only. The output then has no outcome.
    pub fn grade(&mut self, item: &Leased) -> Result<Outcome, EngineError> {
        match self {
            ItemWorker::Java(worker) => worker.grade(&task(item), &item.code),
            ItemWorker::Programs(suite, cancelled) => suite.grade(item.revision, sample(item), cancelled),
            ItemWorker::Conversations(suite, cancelled) => suite.grade(item.revision, answer(item), cancelled),
        }
    }
}

fn task(item: &Leased) -> Task {
    Task { test_class: item.test_class.clone().unwrap_or_default(), signature: item.signature.clone() }
}

/// An output of a conversation. One without a place in it, which the import does not store, would answer the base prompt.
fn answer(item: &Leased) -> Answer<'_> {
    let (way, turn) = item.turn.unwrap_or((Way::Base, 0));
    Answer { code: &item.code, way, turn }
}

fn sample(item: &Leased) -> Sample<'_> {
    Sample { prompt: item.prompt.as_deref(), generation: &item.code }
}
