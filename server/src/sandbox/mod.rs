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
pub mod fork_server;
pub mod process;
pub mod tool;

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use app::model::run::Sums;
pub use helper::{Command, Keep, Limits, Profile, Report};
use process::{Process, Used};

/// How much of what was printed is kept. A page shows it; more helps nobody.
pub const PRINTED_KEPT: usize = 32 << 10;

/// Starts processes inside walls.
pub trait Sandbox: Send + Sync {
    /// Starts one.
    ///
    /// # Errors
    /// Only for our own failures: the host lacks what it takes.
    fn start(&self, command: &Command) -> io::Result<Child>;

    /// Which of the walls that not every host has stand here.
    fn optional_walls(&self) -> OptionalWalls {
        OptionalWalls::default()
    }

    /// What puts the walls up, for people.
    fn started_by(&self) -> Option<String> {
        None
    }
}

/// The walls that not every host has; the others stand without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalWalls {
    /// Landlock: TCP, abstract sockets and signals, as far as the kernel can.
    pub landlock: bool,
    /// What control groups hold as one sum.
    pub groups: Option<Sums>,
}

/// A started process.
#[derive(Debug)]
pub struct Child {
    /// The socket whose other end the program inside holds.
    control: UnixStream,
    /// What came over the socket and was not taken yet.
    came: Vec<u8>,
    printed: Arc<Printed>,
    /// The process inside, once it has started.
    inside: Arc<OnceLock<Process>>,
    ended: Option<Receiver<io::Result<Report>>>,
    /// Its control groups, where it has some.
    groups: Option<Arc<cgroup::Groups>>,
}

/// What the process printed on standard output and error together.
#[derive(Debug, Default)]
pub struct Printed {
    kept: Mutex<Vec<u8>>,
    flooded: AtomicBool,
}

impl Child {
    /// Puts together a child from its parts; `wait` runs on a thread of its own, waits for the child's end and reports
    /// it.
    pub fn new(
        control: UnixStream,
        printed: Arc<Printed>,
        wait: impl FnOnce() -> io::Result<Report> + Send + 'static,
    ) -> Child {
        let (sender, ended) = channel();
        thread::spawn(move || {
            // Nobody waits for a child that was dropped without `end`.
            let _ = sender.send(wait());
        });
        Child { control, came: Vec::new(), printed, inside: Arc::default(), ended: Some(ended), groups: None }
    }

    /// The same, with its control groups.
    fn in_groups(mut self, groups: Arc<cgroup::Groups>) -> Child {
        self.groups = Some(groups);
        self
    }

    /// The same, with the process inside, which is known once it has started.
    pub fn known_as(mut self, inside: Arc<OnceLock<Process>>) -> Child {
        self.inside = inside;
        self
    }

    /// Processor time of the process inside; `None` before its start and after its end.
    pub fn cpu(&self) -> Option<Duration> {
        self.inside.get()?.cpu()
    }

    /// What the process inside has used of the processors; `None` before its start and after its end.
    pub fn used(&self) -> Option<Used> {
        self.inside.get()?.used()
    }

    /// Sends bytes to the program inside. A program that does not read is given ten seconds.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.control.set_write_timeout(Some(Duration::from_secs(10)))?;
        self.control.write_all(bytes)
    }

    /// Takes exactly so many bytes, or fails: [`io::ErrorKind::TimedOut`] at the deadline,
    /// [`io::ErrorKind::UnexpectedEof`] when the program ended. What came before a failure is still there for the
    /// next call.
    pub fn receive(&mut self, length: usize, deadline: Instant) -> io::Result<Vec<u8>> {
        self.await_bytes(length, deadline)?;
        Ok(self.came.drain(..length).collect())
    }

    /// The first so many bytes without taking them, or fails as [`Child::receive`] does.
    pub fn await_bytes(&mut self, length: usize, deadline: Instant) -> io::Result<&[u8]> {
        let mut part = [0; 1 << 14];
        while self.came.len() < length {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.control.set_read_timeout(Some(left))?;
            let want = part.len().min(length - self.came.len());
            match self.control.read(&mut part[..want]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.came.extend_from_slice(&part[..count]),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(io::ErrorKind::TimedOut.into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(e) => return Err(e),
            }
        }
        Ok(&self.came[..length])
    }

    /// Whether the program wrote anything more on the control socket that nobody asked for. To be
    /// called once it has ended.
    pub fn more(&mut self) -> bool {
        !self.came.is_empty()
            || self.control.set_nonblocking(true).is_ok() && matches!(self.control.read(&mut [0; 1]), Ok(1))
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
        let report = match ended.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                ended.recv().ok()
            }
            other => other.ok(),
        };
        let report = report.ok_or_else(|| io::Error::other("the waiting thread panicked"))??;
        Ok((report, self.printed.text(), self.printed.flooded.load(Ordering::SeqCst)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        if let Some(ended) = self.ended.take() {
            let _ = ended.recv();
        }
    }
}

impl Printed {
    /// What was kept, as text.
    pub fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Reads `output` to its end on a thread of its own. A process that prints more than `most` bytes loses its control
    /// connection, and ends.
    ///
    /// # Errors
    /// The connection cannot be duplicated.
    pub fn read(
        output: impl Read + Send + 'static,
        most: u64,
        control: &UnixStream,
    ) -> io::Result<(Arc<Printed>, JoinHandle<()>)> {
        let (printed, control) = (Arc::new(Printed::default()), control.try_clone()?);
        let read = Arc::clone(&printed);
        let reader = thread::spawn(move || {
            read.take(output, most, || {
                let _ = control.shutdown(std::net::Shutdown::Both);
            });
        });
        Ok((printed, reader))
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
