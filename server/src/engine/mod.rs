//! The engine: from an output's text and its dataset's tests to an [`Outcome`].
//!
//! [`toolchain`] makes the Java that stands inside the walls, [`suite`] readies a dataset's tests,
//! [`compiler`] and [`runner`] speak with the Java side, [`grader`] puts them together: assemble,
//! compile, run, judge; [`batch`] runs what is [`tame`] in one JVM where a run asks for it, [`dates`]
//! sets the clock, [`proof`] tries the walls with our own fixtures, [`readiness`] looks for what the
//! machine lacks. Called by `jobs`; it knows no
//! database. The sandbox is a trait object, so that tests can play the Java side.
//!
//! What must stay true: a program's failure is an [`Outcome`], our own is an [`EngineError`], and
//! neither ever becomes the other.
//!
//! [`Outcome`]: app::model::run::Outcome

pub mod batch;
mod classfile;
pub mod compiler;
pub mod dates;
pub mod grader;
mod opened;
pub mod proof;
pub mod readiness;
pub mod runner;
pub mod suite;
pub mod tame;
pub mod toolchain;
pub mod wire;

use std::io;

/// Our own failure: the host, the sandbox, the harness. It says nothing about the output.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The walls could not be put up.
    #[error("the sandbox could not be started: {0}")]
    Sandbox(String),
    /// The Java side did not do its part.
    #[error("the Java side failed: {0}")]
    Harness(String),
    /// The host gave a process too little of its processors for anything to be said of it.
    #[error("the host is too busy: {0}")]
    Busy(String),
    /// Somebody stopped the run.
    #[error("the run was stopped")]
    Cancelled,
    /// The dataset's tests do not compile or are not there.
    #[error("the dataset's tests cannot be used: {0}")]
    Tests(String),
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
}
