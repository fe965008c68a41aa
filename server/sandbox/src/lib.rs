//! Runs untrusted code in isolation, one process at a time.
//!
//! A [`Command`] is plain data: the program, the files that it sees, its limits. A [`Sandbox`] starts it and returns a
//! [`Child`]: a control socket to the program inside, its printed text (bounded), and at the end a [`Report`].
//! [`bubblewrap`] is the one real backend, [`fake`] the one for tests. Called by `engine`, `lang`, `jobs` and the
//! command line. No process is started outside of this crate, `helper` and xtask.
//!
//! Invariants: nothing outside a [`Command`] is visible inside; a child never outlives the server; a command that
//! cannot be isolated is not started. This crate may not know what it runs.

pub mod bubblewrap;
pub mod cgroup;
pub mod fake;
pub mod fork_server;
pub mod process;
pub mod tool;
pub mod user_id;

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

pub use helper::{Command, Keep, Limits, Profile, Report};
use model::run::Sums;
use process::{Process, Used};

/// Maximum length of the printed text that is kept, in bytes. It is only displayed.
pub const PRINTED_KEPT: usize = 32 << 10;

/// Starts isolated processes.
pub trait Sandbox: Send + Sync {
    /// Starts a process.
    ///
    /// # Errors
    /// Engine errors only: the host lacks a prerequisite.
    fn start(&self, command: &Command) -> io::Result<Child>;

    /// The isolation layers of this host, of those that not every host provides.
    fn optional_layers(&self) -> OptionalLayers {
        OptionalLayers::default()
    }

    /// The program that sets up the isolation, for display.
    fn started_by(&self) -> Option<String> {
        None
    }
}

/// Isolation layers that not every host provides. The other layers do not depend on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalLayers {
    /// Landlock: TCP, abstract sockets and signals, as far as the kernel supports it.
    pub landlock: bool,
    /// The totals that control groups limit for a sandbox as a whole.
    pub groups: Option<Sums>,
}

/// A started process.
#[derive(Debug)]
pub struct Child {
    /// Our end of the control socket.
    control: UnixStream,
    /// Bytes that were received and not consumed yet.
    came: Vec<u8>,
    printed: Arc<Printed>,
    /// The process inside, once it has started.
    inside: Arc<OnceLock<Process>>,
    ended: Option<Receiver<io::Result<Report>>>,
    /// Its control groups, if any.
    groups: Option<Arc<cgroup::Groups>>,
}

/// The text that a process printed on standard output and standard error.
#[derive(Debug, Default)]
pub struct Printed {
    kept: Mutex<Vec<u8>>,
    flooded: AtomicBool,
}

impl Child {
    /// A child with this control socket and printed text. `wait` runs on a separate thread; it waits for the end of the
    /// process and returns its report.
    pub fn new(
        control: UnixStream,
        printed: Arc<Printed>,
        wait: impl FnOnce() -> io::Result<Report> + Send + 'static,
    ) -> Child {
        let (sender, ended) = channel();
        thread::spawn(move || {
            // `end` and `drop` wait for the report, so the receiver still exists.
            let _ = sender.send(wait());
        });
        Child { control, came: Vec::new(), printed, inside: Arc::default(), ended: Some(ended), groups: None }
    }

    /// Adds the control groups.
    fn in_groups(mut self, groups: Arc<cgroup::Groups>) -> Child {
        self.groups = Some(groups);
        self
    }

    /// Adds the process inside, which is set once it has started.
    pub fn known_as(mut self, inside: Arc<OnceLock<Process>>) -> Child {
        self.inside = inside;
        self
    }

    /// CPU time of the process inside; `None` before its start and after its end.
    pub fn cpu(&self) -> Option<Duration> {
        self.inside.get()?.cpu()
    }

    /// Scheduler counts of the process inside; `None` before its start and after its end.
    pub fn used(&self) -> Option<Used> {
        self.inside.get()?.used()
    }

    /// Sends bytes to the program inside. Fails if the program has not read enough of them after 10 s.
    pub fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.send_part(&mut bytes, Instant::now() + Duration::from_secs(10))
    }

    /// Sends bytes until the deadline, and removes those that were sent. Fails with [`io::ErrorKind::TimedOut`] if some are
    /// left then.
    pub fn send_part(&mut self, bytes: &mut &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.control.set_write_timeout(Some(left))?;
            match self.control.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => *bytes = bytes.get(count..).unwrap_or_default(),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(io::ErrorKind::TimedOut.into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Receives exactly `length` bytes, or fails: [`io::ErrorKind::TimedOut`] at the deadline,
    /// [`io::ErrorKind::UnexpectedEof`] if the program ended. Bytes received before a failure stay available for the
    /// next call.
    pub fn receive(&mut self, length: usize, deadline: Instant) -> io::Result<Vec<u8>> {
        self.await_bytes(length, deadline)?;
        Ok(self.came.drain(..length).collect())
    }

    /// Waits for `length` bytes and returns them without consuming them. Fails as [`Child::receive`] does.
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

    /// Whether the program sent more bytes than were consumed. Call this after the program has ended.
    pub fn more(&mut self) -> bool {
        !self.came.is_empty()
            || self.control.set_nonblocking(true).is_ok() && matches!(self.control.read(&mut [0; 1]), Ok(1))
    }

    /// Ends the process and everything that it started.
    pub fn kill(&self) {
        // The helper watches this socket. An error means that it is closed already.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
    }

    /// Waits for the end of the process, which is killed at the deadline. Returns how it ended, what it printed, and
    /// whether it printed too much.
    ///
    /// # Errors
    /// Fails if the helper itself was lost.
    pub fn end(&mut self, deadline: Instant) -> io::Result<(Report, String, bool)> {
        let Some(ended) = self.ended.take() else { return Err(io::Error::other("the process was already waited for")) };
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
    /// The kept text.
    pub fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Reads `output` to its end on a separate thread. A process that prints more than `most` bytes loses its control
    /// connection, which ends it.
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

    /// Reads to the end and keeps the beginning. Calls `flood` once if there are more than `most` bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that reads a byte at a time does not prolong the deadline, and what was not sent is known.
    #[test]
    fn sending_ends_at_its_deadline() {
        let (control, mut theirs) = UnixStream::pair().unwrap();
        let mut child = Child::new(control, Arc::default(), || Ok(Report::default()));
        let reader = thread::spawn(move || {
            let mut read = 0;
            while matches!(theirs.read(&mut [0]), Ok(1)) {
                read += 1;
                if read < 100 {
                    thread::sleep(Duration::from_millis(5));
                }
            }
            read
        });
        let all = vec![0; 8 << 20];
        let mut left = &all[..];
        let sent = child.send_part(&mut left, Instant::now() + Duration::from_millis(50));
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(!left.is_empty());
        child.kill();
        assert_eq!(reader.join().unwrap(), all.len() - left.len());
    }
}
