//! The engine: from an output's text and its dataset's tests to an [`Outcome`].
//!
//! [`toolchain`] makes the Java images of the sandbox, [`suite`] prepares a dataset's tests, [`compiler`]
//! and [`runner`] talk to the Java side, and [`grader`] combines them: assemble, compile, run, judge.
//! [`batch`] runs [`shareable`] outputs in one JVM if a run asks for it, [`dates`] sets the clock, [`self_test`]
//! checks the sandbox with our own fixtures, [`readiness`] looks for missing prerequisites. Called by
//! `jobs`; it uses no database. The sandbox is a trait object, so that tests can play the Java side.
//!
//! What must stay true: a program's failure is an [`Outcome`], a failure of ours is an [`EngineError`], and
//! neither ever becomes the other.
//!
//! [`Outcome`]: app::model::run::Outcome

mod answer_record;
pub mod batch;
mod classfile;
pub mod compiler;
pub mod dates;
mod deceptive_answers;
mod edit;
pub mod grader;
mod must_fail_tests;
mod native_gate;
mod patched_base;
pub mod readiness;
pub mod runner;
pub mod self_test;
pub mod shareable;
pub mod suite;
pub mod toolchain;
pub mod wire;

use std::io;

use app::model::reason::{Fault, Reason};

/// Our own failure: the host, the sandbox, the harness. It says nothing about the output.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The sandbox could not be set up.
    #[error("the sandbox could not be started: {0}")]
    Sandbox(String),
    /// The Java side failed.
    #[error("the Java side failed: {0}")]
    Harness(String),
    /// The host gave a process too little CPU time to judge it.
    #[error("the host is too busy: {0}")]
    Busy(String),
    /// The run was cancelled.
    #[error("the run was stopped")]
    Cancelled,
    /// The dataset's tests do not compile or are missing.
    #[error("the dataset's tests cannot be used: {0}")]
    Tests(String),
    /// The compiler could not finish the dataset's tests, or refused them without a message.
    #[error("the dataset's tests cannot be compiled: {0:?}")]
    TestsNotCompiled(Reason),
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<EngineError> for Fault {
    fn from(e: EngineError) -> Self {
        match e {
            EngineError::Sandbox(detail) => Fault::Sandbox { detail },
            EngineError::Harness(detail) => Fault::Harness { detail },
            EngineError::Busy(detail) => Fault::Busy { detail },
            EngineError::Tests(detail) => Fault::Tests { reason: None, detail },
            EngineError::TestsNotCompiled(reason) => Fault::Tests { reason: Some(reason), detail: String::new() },
            EngineError::Cancelled | EngineError::Io(_) => Fault::System { detail: e.to_string() },
        }
    }
}
