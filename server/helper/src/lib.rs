//! The small process between server and walls: `aixgrade-sandbox`, which lies beside `aixgrade`.
//!
//! Where it does not, `aixgrade` is started again with the same hidden argument and does the same. That is
//! one file less to install, and some milliseconds more for each sandbox: most of a large program's start is
//! its size, which is also why this is a crate of its own with few dependencies, linked without a loader.
//!
//! It gives up root, makes a private mount name space with scratch that cannot be executed from,
//! sets the limits, starts bubblewrap, and waits. It ends everything inside when the control socket
//! closes, because the server wants an end or is gone itself, and when the processor time is used up.
//! It writes two lines to standard error: [`Started`] once the program runs, and the [`Report`] at the
//! end. Where the program could not be started, the report is the only line.
//!
//! All of this could not be done between fork and exec in the server without `unsafe`, and a
//! process of its own also gets the exact processor time of everything it started.

pub mod landlock;
mod seccomp;
mod walls;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

/// What to run and what it sees. Every path on the left of a pair is the host's, on the right the
/// sandbox's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments, as seen inside. `{control}` becomes the control descriptor's number.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// Files and folders that can be read, mounted in this order.
    pub read_only: Vec<(PathBuf, String)>,
    /// Folders made of memory that can be written, gone with the process; never executable. The
    /// first is where the program starts.
    pub scratch: Vec<String>,
    /// What it may use up.
    pub limits: Limits,
    /// Which system calls it may make.
    #[serde(default)]
    pub profile: Profile,
    /// A file that it leaves behind, if any.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// Whether the control socket is its standard input, too: for a program that holds nothing from the code beside it.
    #[serde(default)]
    pub control_is_input: bool,
}

/// The system calls of a sandbox. Network, namespaces, tracing and mounts are in none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One process with threads: an interpreter, a JVM or a compiled program. It cannot start another.
    #[default]
    Run,
    /// A compiler, which starts the programs it consists of. It reads model code and never runs it.
    Build,
    /// A fork server: it may start processes in process and mount namespaces of their own, which put themselves under
    /// the filter of [`Profile::Run`] before they run model code. It never runs any itself.
    ForkServer,
}

/// The filter of a profile as the kernel reads it, for a fork server that puts its processes under it.
///
/// # Errors
/// Fails on a processor that the filter does not support.
pub fn filter(profile: Profile) -> io::Result<Vec<u8>> {
    seccomp::program(profile)
}

/// A file that is copied out of the first scratch folder when the command has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// The file's name in the first scratch folder, without folders.
    pub name: String,
    /// Where the host gets it: a file that exists and is empty. It stays empty if the command left none.
    pub host: PathBuf,
}

/// What one process may use up. Reaching a limit is the program's failure, never ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time in seconds over all threads, the start of the JVM included. The helper ends the
    /// process when its own processor clock reaches this; see [`Report::over_cpu`].
    pub cpu_s: u64,
    /// Bytes of private writable memory of one process, the JVM's own included; with control groups
    /// also the most that all of them and their scratch have together.
    pub data_bytes: u64,
    /// Threads, the JVM's own (about twenty) included.
    pub threads: u64,
    /// Size of one file in bytes.
    pub file_bytes: u64,
    /// Open files.
    pub open_files: u64,
    /// Size of all scratch folders together in bytes.
    pub scratch_bytes: u64,
    /// Files and folders in scratch.
    pub scratch_files: u64,
    /// Bytes printed before the process is ended.
    pub printed_bytes: u64,
}

/// How a process ended, as its waiting parent saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its exit code, 128 and more for a signal.
    pub code: Option<i32>,
    /// Processor time in microseconds, of all threads, children included.
    pub cpu_us: u64,
    /// Whether the helper ended it because it had used up [`Limits::cpu_s`].
    #[serde(default)]
    pub over_cpu: bool,
    /// The most memory resident at once, in KiB.
    pub memory_kib: u64,
    /// Whether the kernel ended it because all its processes together reached the memory limit.
    #[serde(default)]
    pub out_of_memory: bool,
    /// Why the walls could not be put up: our own failure. Absent when they stood.
    pub fault: Option<String>,
}

/// That the program runs, and as which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// The process inside, by its number outside.
    pub inside: i32,
}

/// The argument that makes a program this helper. Not for people, so not in `--help`.
pub const ARGUMENT: &str = "__sandbox";

/// The version of both sides, with what this crate's sources come to (`build.rs`). They must be the same:
/// another helper may lack a wall.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("AIXGRADE_HELPER_SOURCES"));

/// What the helper is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The server's [`VERSION`].
    pub version: String,
    /// What to run.
    pub command: Command,
    /// Bubblewrap.
    pub bwrap: PathBuf,
    /// Whom to be, where the server is root; a number of its own for each sandbox, so that the
    /// kernel's count of a user's threads is this sandbox's count.
    pub uid: u32,
    /// Control groups to join, made and removed by the server.
    pub groups: Vec<PathBuf>,
}

/// Runs the helper if this process was started as one; returns the exit code then. Must be called
/// before any thread is started.
#[must_use]
pub fn main(mut args: impl Iterator<Item = String>) -> Option<u8> {
    args.next();
    if args.next().as_deref() != Some(ARGUMENT) {
        return None;
    }
    let report = args
        .next()
        .ok_or_else(|| io::Error::other("no order"))
        .and_then(|text| serde_json::from_str::<Order>(&text).map_err(io::Error::other))
        .and_then(
            |order| if order.version == VERSION { walls::run(&order) } else { Err(other_version(&order.version)) },
        )
        .unwrap_or_else(|e| Report { fault: Some(e.to_string()), ..Report::default() });
    let line = serde_json::to_string(&report).unwrap_or_default();
    Some(u8::from(writeln!(io::stderr(), "{line}").is_err()))
}

fn other_version(server: &str) -> io::Error {
    io::Error::other(format!(
        "aixgrade has helper version {server}, but its sandbox helper has {VERSION}; install both from the same build"
    ))
}
