//! A sandboxed process that forks a fresh process for each program, so that an interpreter starts and loads its
//! libraries once.
//!
//! The fork server itself runs no model code, and its processes cannot reach it: each has its own process and mount
//! namespaces and its own scratch folders, and applies the filter of a program's profile before it runs one
//! (`server/lang/src/python/fork_server.py`). It runs one process at a time, so limits of the sandbox as a whole are
//! limits of that process.

use std::{
    io::{self, BufRead, BufReader, IoSlice, IoSliceMut},
    os::{
        fd::{AsRawFd, RawFd},
        unix::net::UnixStream,
    },
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use helper::{Profile, filter};
use nix::{
    cmsg_space,
    sys::socket::{
        ControlMessage, ControlMessageOwned, MsgFlags, UnixCredentials, recvmsg, sendmsg, setsockopt, sockopt,
    },
};
use serde::Serialize;

use super::{Child, Command, Limits, Printed, Report, Sandbox, process::Process};

/// Time limit for loading its libraries, on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

/// CPU time limit of a fork server, in seconds.
const LIFE_S: u64 = 24 * 3600;

/// Threads and processes of the fork server itself.
const OWN_THREADS: u64 = 2;

/// An idle fork server.
pub struct ForkServer {
    server: Child,
    limits: Limits,
    /// Number of its processes that the kernel had killed for exceeding the memory limit when the last one ended.
    oom_kills: Arc<AtomicU64>,
}

/// The first message to a fork server.
#[derive(Serialize)]
struct Settings<'a> {
    /// The filter of the processes' profile, in hexadecimal.
    filter: String,
    scratch: &'a [String],
    scratch_bytes: u64,
    scratch_files: u64,
    cores: usize,
}

impl ForkServer {
    /// Starts a fork server with the command of a single program, and waits until it is ready. Its processes get the
    /// limits and the filter of that command.
    ///
    /// # Errors
    /// Fails if the host lacks a prerequisite: Linux 5.8 or newer, a bubblewrap that can keep a capability.
    pub fn start(sandbox: &dyn Sandbox, command: &Command) -> io::Result<ForkServer> {
        let limits = command.limits;
        let own = Limits { cpu_s: LIFE_S, threads: limits.threads + OWN_THREADS, ..limits };
        let mut server = sandbox.start(&Command { limits: own, profile: Profile::ForkServer, ..command.clone() })?;
        let settings = Settings {
            filter: hex::encode(filter(command.profile)?),
            scratch: &command.scratch,
            scratch_bytes: limits.scratch_bytes,
            scratch_files: limits.scratch_files,
            cores: thread::available_parallelism().map_or(1, usize::from),
        };
        let settings = serde_json::to_vec(&settings)?;
        let length = u32::try_from(settings.len() + 1).map_err(io::Error::other)?;
        server.send(&[&length.to_be_bytes(), &b"S"[..], &settings].concat())?;
        if server.receive(5, Instant::now() + PATIENCE)? != [0, 0, 0, 1, b'H'] {
            return Err(io::Error::other("the fork server did not report that it is ready"));
        }
        Ok(ForkServer { server, limits, oom_kills: Arc::default() })
    }

    /// Starts a process with a CPU time limit of `cpu_s` seconds. `mode` selects what it does. The next process can be
    /// started after it has ended.
    ///
    /// # Errors
    /// Fails if the fork server has ended.
    pub fn fork(&mut self, mode: u8, cpu_s: u64) -> io::Result<Child> {
        let (control, theirs) = UnixStream::pair()?;
        let (output, output_in) = io::pipe()?;
        let (report, report_in) = UnixStream::pair()?;
        // The first message then carries the ID, outside of the sandbox, of the process that sent it.
        setsockopt(&report, sockopt::PassCred, &true)?;
        let order = [&[mode][..], &cpu_s.to_be_bytes()].concat();
        let descriptors = [theirs.as_raw_fd(), output_in.as_raw_fd(), report_in.as_raw_fd()];
        let descriptors = [ControlMessage::ScmRights(&descriptors)];
        let to = self.server.control.as_raw_fd();
        sendmsg::<()>(to, &[IoSlice::new(&order)], &descriptors, MsgFlags::MSG_NOSIGNAL, None)?;
        drop((theirs, output_in, report_in));

        let (printed, reader) = Printed::read(output, self.limits.printed_bytes, &control)?;
        let inside = Arc::new(OnceLock::new());
        let (known, groups, oom_kills) = (Arc::clone(&inside), self.server.groups.clone(), Arc::clone(&self.oom_kills));
        let wait = move || {
            let mut line = String::new();
            match greeting(report.as_raw_fd())? {
                Some((b'H', process)) => {
                    let _ = known.set(Process::new(process));
                }
                // A fault, or the end of a process that was killed before it could report anything.
                Some((first, _)) => line.push(char::from(first)),
                None => {}
            }
            BufReader::new(report).read_line(&mut line)?;
            let _ = reader.join();
            let report = serde_json::from_str::<Report>(&line)
                .map_err(|_| io::Error::other(format!("the fork server exited and reported {line:?}")))?;
            let kills = groups.map_or(0, |groups| groups.out_of_memory());
            Ok(Report { out_of_memory: kills > oom_kills.swap(kills, Ordering::Relaxed), ..report })
        };
        Ok(Child::new(control, printed, wait).known_as(inside))
    }
}

/// The first byte of a report, with the ID of the process that sent it; `None` if the fork server has ended.
fn greeting(from: RawFd) -> io::Result<Option<(u8, i32)>> {
    let mut first = [0];
    let mut parts = [IoSliceMut::new(&mut first)];
    let mut space = cmsg_space!(UnixCredentials);
    let message = recvmsg::<()>(from, &mut parts, Some(&mut space), MsgFlags::empty())?;
    let mut sender = 0;
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmCredentials(credentials) = part {
            sender = credentials.pid();
        }
    }
    let count = message.bytes;
    Ok((count > 0).then_some((first[0], sender)))
}
