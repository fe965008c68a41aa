//! Where untrusted code runs: the walls around one process.
//!
//! A [`Command`] is plain data: what to run, which files it sees, what it may use up. A [`Sandbox`]
//! starts it and hands back a [`Child`]: a control socket to the program inside, what it printed
//! (bounded), and at the end a [`Report`]. There is one real backend, [`bubblewrap`], and one
//! [`fake`] for tests. Called by `engine` alone; no process starts outside of this module and
//! xtask.
//!
//! What must stay true: nothing from outside a [`Command`] is visible inside; a child never outlives
//! the server; a command that cannot be contained is not started.

pub mod bubblewrap;
pub mod cgroup;
pub mod fake;
pub mod helper;
pub mod landlock;
pub mod seccomp;
pub mod tool;

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
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
}

/// What one process may use up. Reaching a limit is the program's failure, never ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time in seconds over all threads, the start of the JVM included. It decides.
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

/// How much of what was printed is kept. A page shows it; more helps nobody.
pub const PRINTED_KEPT: usize = 32 << 10;

/// Starts processes inside walls.
pub trait Sandbox: Send + Sync {
    /// Starts one.
    ///
    /// # Errors
    /// Only for our own failures: the host lacks what it takes.
    fn start(&self, command: &Command) -> io::Result<Child>;

    /// The walls that not every host has, each with what it holds here; `None` where it is missing.
    fn optional_walls(&self) -> Vec<(&'static str, Option<String>)> {
        Vec::new()
    }
}

/// A started process.
#[derive(Debug)]
pub struct Child {
    /// The socket whose other end the program inside holds.
    control: UnixStream,
    printed: Arc<Printed>,
    ended: Option<JoinHandle<io::Result<Report>>>,
}

/// What the process printed on standard output and error together.
#[derive(Debug, Default)]
pub struct Printed {
    kept: Mutex<Vec<u8>>,
    flooded: AtomicBool,
}

/// How a process ended, as its waiting parent saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its exit code, 128 and more for a signal.
    pub code: Option<i32>,
    /// Processor time in microseconds, of all threads, children included.
    pub cpu_us: u64,
    /// The most memory resident at once, in KiB.
    pub memory_kib: u64,
    /// Whether the kernel ended it because all its processes together reached the memory limit.
    #[serde(default)]
    pub out_of_memory: bool,
    /// Why the walls could not be put up: our own failure. Absent when they stood.
    pub fault: Option<String>,
}

impl Child {
    /// Puts together a child from its parts; `ended` waits for its end and tells of it.
    pub fn new(control: UnixStream, printed: Arc<Printed>, ended: JoinHandle<io::Result<Report>>) -> Child {
        Child { control, printed, ended: Some(ended) }
    }

    /// Sends bytes to the program inside. A program that does not read is given ten seconds.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.control.set_write_timeout(Some(Duration::from_secs(10)))?;
        self.control.write_all(bytes)
    }

    /// Reads exactly so many bytes, or fails: [`io::ErrorKind::TimedOut`] at the deadline,
    /// [`io::ErrorKind::UnexpectedEof`] when the program ended.
    pub fn receive(&mut self, length: usize, deadline: Instant) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length.min(1 << 20));
        let mut part = [0; 1 << 14];
        while bytes.len() < length {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.control.set_read_timeout(Some(left))?;
            let want = part.len().min(length - bytes.len());
            match self.control.read(&mut part[..want]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => bytes.extend_from_slice(&part[..count]),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(io::ErrorKind::TimedOut.into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(e) => return Err(e),
            }
        }
        Ok(bytes)
    }

    /// Whether the program wrote anything more on the control socket that nobody asked for. To be
    /// called once it has ended.
    pub fn more(&mut self) -> bool {
        self.control.set_nonblocking(true).is_ok() && matches!(self.control.read(&mut [0; 1]), Ok(1))
    }

    /// Ends the process and all it started.
    pub fn kill(&self) {
        // The waiting parent inside the walls watches this socket. One that is closed is closed.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
    }

    /// Ends the process if it still runs at the deadline, waits for its end, and returns how it
    /// ended with what it printed and whether that was too much.
    ///
    /// # Errors
    /// Where the waiting parent itself was lost: our own failure.
    pub fn end(&mut self, deadline: Instant) -> io::Result<(Report, String, bool)> {
        let Some(ended) = self.ended.take() else { return Err(io::Error::other("the process was waited for before")) };
        while !ended.is_finished() {
            if Instant::now() >= deadline {
                self.kill();
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let report = ended.join().map_err(|_| io::Error::other("the waiting thread panicked"))??;
        Ok((report, self.printed.text(), self.printed.flooded.load(Ordering::SeqCst)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        if let Some(ended) = self.ended.take() {
            let _ = ended.join();
        }
    }
}

impl Printed {
    /// What was kept, as text.
    pub fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Reads to the end, keeping the beginning; calls `flood` once when there is more than `most`.
    pub fn take(&self, mut from: impl Read, most: u64, flood: impl Fn()) {
        let mut part = [0; 1 << 14];
        let mut total = 0;
        loop {
            match from.read(&mut part) {
                Ok(0) => return,
                Ok(count) => {
                    let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = PRINTED_KEPT.saturating_sub(kept.len()).min(count);
                    kept.extend_from_slice(&part[..room]);
                    total += count as u64;
                    if total > most && !self.flooded.swap(true, Ordering::SeqCst) {
                        flood();
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}
