//! The Java engine: turns an output's text and its dataset's tests into an [`Outcome`].
//!
//! [`toolchain`] builds the Java images of the sandbox, [`suite`] prepares a dataset's tests, [`compiler`] and
//! [`runner`] talk to the Java side, and [`grader`] combines them: assemble, compile, run, judge. [`batch`] runs
//! outputs that [`shareable`] accepts in one shared JVM if a run asks for it, [`dates`] sets the clock, [`self_test`] checks the
//! sandbox with our own fixtures, [`readiness`] looks for missing prerequisites. [`assemble`] makes a class of an output. Called by `jobs`, and in
//! parts by `lang`, `services` and the command line. This crate may not know the database, jobs and pages. The sandbox is a trait object, so that tests can
//! replace the Java side.
//!
//! Invariant: a failure of the tested program is an [`Outcome`], a failure of the host or of our code is an
//! [`EngineError`]. One is never converted to the other.
//!
//! [`Outcome`]: model::run::Outcome

mod answer_record;
mod arguments;
pub mod assemble;
pub mod batch;
mod classfile;
pub mod compiler;
pub mod dates;
mod deceptive_answers;
mod descriptor;
mod edit;
pub mod grader;
mod must_fail_tests;
mod native_gate;
mod patched_base;
pub mod readiness;
pub mod runner;
pub mod self_test;
pub mod shareable;
pub mod stop;
pub mod suite;
pub mod toolchain;
pub mod wire;

use std::io;

use model::reason::{Fault, ProjectProblem, Reason};

/// A failure of the host, the sandbox or the harness. It implies nothing about the output.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The sandbox could not be set up.
    #[error("the sandbox could not be started: {0}")]
    Sandbox(String),
    /// A compiler or a library that tests need is not installed.
    #[error("a toolchain is missing: {0}")]
    Toolchain(String),
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
    /// The compiler could not finish the dataset's tests, or rejected them without a message.
    #[error("the dataset's tests cannot be compiled: {0:?}")]
    TestsNotCompiled(Reason),
    /// A project that the operator supplies cannot be used.
    #[error("the project {project} cannot be used: {problem:?}")]
    Project { project: String, problem: ProjectProblem },
    /// An operating system call failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<EngineError> for Fault {
    fn from(e: EngineError) -> Self {
        match e {
            EngineError::Sandbox(detail) => Fault::Sandbox { detail },
            EngineError::Toolchain(detail) => Fault::Toolchain { detail },
            EngineError::Harness(detail) => Fault::Harness { detail },
            EngineError::Busy(detail) => Fault::Busy { detail },
            EngineError::Tests(detail) => Fault::Tests { reason: None, detail },
            EngineError::TestsNotCompiled(reason) => Fault::Tests { reason: Some(reason), detail: String::new() },
            EngineError::Project { project, problem } => Fault::Project { project, problem },
            EngineError::Cancelled | EngineError::Io(_) => Fault::System { detail: e.to_string() },
        }
    }
}
