//! Workers on other machines, and the queues that they take jobs from.

use serde::{Deserialize, Serialize};

use super::{
    ids::RunId,
    names::names,
    reason::{FailedCheck, Fault},
    time::Timestamp,
};

/// The workers of a server that was started with `--nats`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Workers {
    /// Whether the server reaches the broker.
    pub connected: bool,
    /// Every worker that was heard in the last minutes, by name.
    pub workers: Vec<WorkerRow>,
    /// The queues that have jobs, or had some lately.
    pub queues: Vec<QueueRow>,
    /// Results that were refused since the server started: of an older attempt, of another build, or unreadable.
    pub refused_results: u64,
    /// Jobs that the broker lost since the server started, and that were published again.
    pub lost_jobs: u64,
    /// Runs with results of workers that an admin removed, which are to be run again.
    pub to_run_again: Vec<ToRunAgain>,
}

/// A run with results of removed workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ToRunAgain {
    /// The run.
    pub run: RunId,
    /// How many of its results removed workers reported.
    pub outputs: u32,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct WorkerRow {
    /// Its name: its host and a random part.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Its version of AixGrade.
    pub version: String,
    /// Its build: the beginning of the SHA-256 of the program.
    pub build: String,
    /// Whether it gets jobs.
    pub state: WorkerState,
    /// Number of outputs that it runs at a time.
    pub slots: u32,
    /// Outputs in progress.
    pub running: u32,
    /// Outputs that it has run since it started.
    pub done: u64,
    /// Jobs that it began and did not report, since the server first heard it.
    pub unanswered: u64,
    /// Outputs per minute, since the server first heard it.
    pub per_minute: f64,
    /// What it runs.
    pub abilities: Vec<WorkerAbility>,
    /// When the server last heard it.
    pub last_seen: Timestamp,
}

names! {
    /// Whether a worker gets jobs, and otherwise why not.
    pub enum WorkerState as name {
        /// It gets jobs.
        Ready = "ready",
        /// It ends after its jobs in progress.
        Draining = "draining",
        /// An admin removed it.
        Removed = "removed",
        /// It is another build of AixGrade than the server.
        OtherBuild = "other_build",
        /// None of its languages passed its sandbox checks.
        FailedChecks = "failed_checks",
        /// It has been silent for half a minute.
        Gone = "gone",
    }
}

/// A kind of jobs that a worker was asked to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct WorkerAbility {
    /// The queue: `java-classes` for Java test classes, otherwise a language.
    pub kind: String,
    /// The toolchain's version.
    pub toolchain: String,
    /// Number of sandbox checks that ran.
    pub checks: u32,
    /// The sandbox checks that failed. Unless there are none, the worker gets no such jobs.
    pub failed: Vec<FailedCheck>,
    /// Why it cannot run such jobs at all.
    pub fault: Option<Fault>,
}

/// A queue of jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct QueueRow {
    /// The queue: `java-classes` for Java test classes, otherwise a language.
    pub kind: String,
    /// Jobs that no worker has yet.
    pub waiting: u64,
    /// Jobs that workers have.
    pub running: u64,
    /// Whether a worker takes jobs from it.
    pub served: bool,
}
