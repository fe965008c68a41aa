//! The process between the server and a sandbox: `aixgrade-sandbox`, which is installed next to `aixgrade`.
//!
//! If it is missing, `aixgrade` starts itself with the same hidden argument and does the same. That is one file fewer
//! to install, but costs each sandbox some milliseconds: most of a large program's start time comes from its size. This
//! is also why the helper is a separate crate with few dependencies, linked without a dynamic loader.
//!
//! It gives up root, creates a private mount namespace with scratch folders from which nothing can be executed, sets
//! the limits, starts bubblewrap, and waits. It kills everything inside when the control socket closes, because the
//! server wants to end the sandbox or has ended itself, and when the CPU time is used up. It writes two lines to
//! standard error: [`Started`] once the program runs, and the [`Report`] at the end. If the program could not be
//! started, the report is the only line.
//!
//! This crate may not know any other crate of ours.
//!
//! The server could not do this between fork and exec without `unsafe`, and a separate process also gets the exact CPU
//! time of everything that it started.

mod isolation;
pub mod landlock;
mod seccomp;

use std::{
    io::{self, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

/// The command to run and the files that it sees. In a pair of paths, the first is on the host and the second in the
/// sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Program and arguments, with paths in the sandbox. `{control}` becomes the control descriptor's number. Without it,
    /// the program gets the control socket only as [`Command::control_is_input`] says.
    pub argv: Vec<String>,
    /// All environment variables.
    pub env: Vec<(String, String)>,
    /// Files and folders that can be read, mounted in this order.
    pub read_only: Vec<(PathBuf, String)>,
    /// Folders of which the program sees a copy that it can write, below a scratch folder. What it writes is in memory and
    /// counts toward [`Limits::scratch_bytes`].
    #[serde(default)]
    pub copies: Vec<(PathBuf, String)>,
    /// Folders in memory that can be written, deleted with the process and never executable. The program starts in the
    /// first one.
    pub scratch: Vec<String>,
    /// Its limits.
    pub limits: Limits,
    /// The system calls that it may make.
    #[serde(default)]
    pub profile: Profile,
    /// A file to keep when the command has ended, if any.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// Whether the control socket is also standard input, for a program that need not hide it from the code that it
    /// runs.
    #[serde(default)]
    pub control_is_input: bool,
}

/// The system calls that a sandbox allows. None allows network access or tracing, and only [`Profile::ForkServer`]
/// allows namespaces and mounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One process with threads: an interpreter or a compiled program. It cannot start other processes.
    #[default]
    Run,
    /// As [`Profile::Run`], for a runtime that creates pipes or socket pairs when it starts: a JVM, Node.js, Go's.
    EventLoop,
    /// A compiler, which starts the programs that it consists of. It reads model code and never runs it.
    Build,
    /// A fork server. It may start processes in their own process and mount namespaces, which apply the filter of a
    /// program's profile before they run model code. It never runs model code itself.
    ForkServer,
}

/// The filter of a profile in the kernel's format, for a fork server that applies it to its processes.
///
/// # Errors
/// Fails on a CPU architecture that the filter does not support.
pub fn filter(profile: Profile) -> io::Result<Vec<u8>> {
    seccomp::program(profile)
}

/// A file that is copied out of the first scratch folder when the command has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// The file's name in the first scratch folder, without folders.
    pub name: String,
    /// The file on the host to copy it to. It must exist and be empty; it stays empty if the command left no file.
    pub host: PathBuf,
}

/// The limits of one process. Reaching one is the program's failure, never an engine error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time in seconds over all threads, including the start of the JVM. The helper kills the process when its CPU
    /// clock reaches this; see [`Report::over_cpu`].
    pub cpu_s: u64,
    /// Bytes of private writable memory of one process, including the JVM's own. With control groups, also the limit
    /// for all processes and their scratch folders together.
    pub data_bytes: u64,
    /// Threads, including the JVM's own (about 20).
    pub threads: u64,
    /// Size of one file in bytes.
    pub file_bytes: u64,
    /// Open files.
    pub open_files: u64,
    /// Size of all scratch folders together in bytes.
    pub scratch_bytes: u64,
    /// Files and folders in scratch.
    pub scratch_files: u64,
    /// Bytes printed before the process is killed.
    pub printed_bytes: u64,
}

/// How a process ended, as the helper saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its exit code; 128 plus the signal's number if a signal ended it.
    pub code: Option<i32>,
    /// CPU time in microseconds, of all threads and children.
    pub cpu_us: u64,
    /// Whether the helper killed it because it had used up [`Limits::cpu_s`].
    #[serde(default)]
    pub over_cpu: bool,
    /// Maximum resident memory in KiB.
    pub memory_kib: u64,
    /// Whether it was killed because of its memory: by the helper, or by the kernel because all its processes together reached
    /// the limit.
    #[serde(default)]
    pub out_of_memory: bool,
    /// Why the isolation could not be set up, which is an engine error; absent if it was set up.
    pub fault: Option<String>,
}

/// Reports that the program runs, and as which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// The process inside, by its ID outside.
    pub inside: i32,
}

/// The argument that makes a program the helper. People do not use it, so it is not in `--help`.
pub const ARGUMENT: &str = "__sandbox";

/// The version of server and helper, with a hash of this crate's sources (`build.rs`). Both must be the same, because
/// another helper may lack an isolation layer.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("AIXGRADE_HELPER_SOURCES"));

/// The helper's input.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The server's [`VERSION`].
    pub version: String,
    /// The command.
    pub command: Command,
    /// The path of bubblewrap.
    pub bwrap: PathBuf,
    /// The user ID of the sandbox if the server runs as root. Each sandbox has its own, so that the kernel's count of a
    /// user's threads is this sandbox's count.
    pub uid: u32,
    /// Control groups to join. The server creates and removes them.
    pub groups: Vec<PathBuf>,
}

/// Runs the helper if this process was started as one, and returns its exit code. Must be called before any thread is
/// started.
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
            |order| if order.version == VERSION { isolation::run(&order) } else { Err(other_version(&order.version)) },
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
