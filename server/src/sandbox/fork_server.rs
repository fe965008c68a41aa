//! A sandboxed process that forks a fresh process for each program, so that an interpreter starts and loads its
//! libraries once.
//!
//! The fork server itself runs no model code and cannot be reached by its processes: each has process and mount
//! namespaces and scratch of its own, and puts itself under the filter of [`Profile::Run`] before it runs a program
//! (`server/src/lang/python/fork_server.py`). It has one process at a time, so limits of the sandbox as a whole are that
//! process's limits.

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

/// How long it may take to load its libraries on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a fork server lives, in seconds of processor time.
const LIFE_S: u64 = 24 * 3600;

/// Threads and processes of the fork server itself.
const OWN_THREADS: u64 = 2;

/// A fork server that waits for its next order.
pub struct ForkServer {
    server: Child,
    limits: Limits,
    /// How many of its processes the kernel has killed because of the memory limit.
    killed: Arc<AtomicU64>,
}

/// What a fork server is told before anything else.
#[derive(Serialize)]
struct Settings<'a> {
    /// The filter of [`Profile::Run`], in hexadecimal.
    filter: String,
    scratch: &'a [String],
    scratch_bytes: u64,
    scratch_files: u64,
    cores: usize,
}

impl ForkServer {
    /// Starts one with the command of a single program, whose limits its processes get, and waits until it is ready.
    ///
    /// # Errors
    /// Fails if the host lacks what it takes: a kernel of at least 5.8, bubblewrap that may keep a capability.
    pub fn start(sandbox: &dyn Sandbox, command: &Command) -> io::Result<ForkServer> {
        let limits = command.limits;
        let own = Limits { cpu_s: LIFE_S, threads: limits.threads + OWN_THREADS, ..limits };
        let mut server = sandbox.start(&Command { limits: own, profile: Profile::ForkServer, ..command.clone() })?;
        let settings = Settings {
            filter: hex::encode(filter(Profile::Run)?),
            scratch: &command.scratch,
            scratch_bytes: limits.scratch_bytes,
            scratch_files: limits.scratch_files,
            cores: thread::available_parallelism().map_or(1, usize::from),
        };
        let settings = serde_json::to_vec(&settings)?;
        let length = u32::try_from(settings.len() + 1).map_err(io::Error::other)?;
        server.send(&[&length.to_be_bytes(), &b"S"[..], &settings].concat())?;
        if server.receive(5, Instant::now() + PATIENCE)? != [0, 0, 0, 1, b'H'] {
            return Err(io::Error::other("the fork server did not say that it is ready"));
        }
        Ok(ForkServer { server, limits, killed: Arc::default() })
    }

    /// Starts a process that does what `mode` stands for and may use `cpu_s` seconds of processor time. The next one can
    /// be started when it has ended.
    ///
    /// # Errors
    /// Fails if the fork server is gone.
    pub fn fork(&mut self, mode: u8, cpu_s: u64) -> io::Result<Child> {
        let (control, theirs) = UnixStream::pair()?;
        let (output, output_in) = io::pipe()?;
        let (report, report_in) = UnixStream::pair()?;
        // Tells with the first message which process sent it, by its number here.
        setsockopt(&report, sockopt::PassCred, &true)?;
        let order = [&[mode][..], &cpu_s.to_be_bytes()].concat();
        let descriptors = [theirs.as_raw_fd(), output_in.as_raw_fd(), report_in.as_raw_fd()];
        let descriptors = [ControlMessage::ScmRights(&descriptors)];
        let to = self.server.control.as_raw_fd();
        sendmsg::<()>(to, &[IoSlice::new(&order)], &descriptors, MsgFlags::MSG_NOSIGNAL, None)?;
        drop((theirs, output_in, report_in));

        let (printed, reader) = Printed::read(output, self.limits.printed_bytes, &control)?;
        let inside = Arc::new(OnceLock::new());
        let (known, groups, killed) = (Arc::clone(&inside), self.server.groups.clone(), Arc::clone(&self.killed));
        let wait = move || {
            let mut line = String::new();
            match greeting(report.as_raw_fd())? {
                Some((b'H', process)) => {
                    let _ = known.set(Process::new(process));
                }
                // A fault, or the end of a process that was ended before it could say anything.
                Some((first, _)) => line.push(char::from(first)),
                None => {}
            }
            BufReader::new(report).read_line(&mut line)?;
            let _ = reader.join();
            let report = serde_json::from_str::<Report>(&line)
                .map_err(|_| io::Error::other(format!("the fork server ended and said {line:?}")))?;
            let killed_now = groups.map_or(0, |groups| groups.out_of_memory());
            Ok(Report { out_of_memory: killed_now > killed.swap(killed_now, Ordering::Relaxed), ..report })
        };
        Ok(Child::new(control, printed, wait).known_as(inside))
    }
}

/// The first byte of a report, with the number of the process that sent it; nothing if the fork server has ended.
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
