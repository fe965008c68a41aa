//! One sandboxed process from start to end, and the frames that it exchanges with the server.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use model::{
    reason::Reason,
    run::{LimitHit, Outcome, Verdict},
};

use engine::{EngineError, stop::Stop};
use sandbox::{Child, Command, Limits, Report, Sandbox, fork_server::ForkServer, process::Used};

/// Maximum length of a frame in bytes: the arguments or the answer of one call.
pub const LONGEST_FRAME: usize = 16 << 20;

/// How often a waiting worker checks whether its attempt ends early.
const LOOK: Duration = Duration::from_millis(200);

/// After this many times the maximum waiting time, a process that is still ready to run is an engine error: the host
/// was too busy to judge it.
const HOST_PATIENCE: u32 = 100;

/// The other end of a process's control socket, and a clock.
trait Peer {
    /// Receives exactly `length` bytes, or fails: [`io::ErrorKind::TimedOut`] after `pause`,
    /// [`io::ErrorKind::UnexpectedEof`] if the process ended. Bytes received before a failure stay available.
    fn receive(&mut self, length: usize, pause: Duration) -> io::Result<Vec<u8>>;

    /// Sends bytes, and removes those that were sent. Fails with [`io::ErrorKind::TimedOut`] if some are left after
    /// `pause`, because the process does not read them.
    fn send(&mut self, bytes: &mut &[u8], pause: Duration) -> io::Result<()>;

    /// The time since any fixed moment.
    fn now(&self) -> Duration;

    /// The process's scheduler counts; `None` before its start and after its end.
    fn used(&self) -> Option<Used>;
}

/// A child and the moment from which its clock counts.
struct Socket<'a>(&'a mut Child, Instant);

impl Peer for Socket<'_> {
    fn receive(&mut self, length: usize, pause: Duration) -> io::Result<Vec<u8>> {
        self.0.receive(length, Instant::now() + pause)
    }

    fn send(&mut self, bytes: &mut &[u8], pause: Duration) -> io::Result<()> {
        self.0.send_part(bytes, Instant::now() + pause)
    }

    fn now(&self) -> Duration {
        self.1.elapsed()
    }

    fn used(&self) -> Option<Used> {
        self.0.used()
    }
}

/// How long the server has waited for one process, over everything that it received from it and sent to it. A process has
/// one budget of waiting: what it sends or reads, and when, gives it no more.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    /// The time spent waiting.
    waited: Duration,
    /// The process's counts when its budget began.
    begun: Used,
    /// The time in which it was idle, as of the last look.
    idle: Duration,
}

/// Why waiting ended without the bytes.
enum Stopped {
    /// The process ended, or reached a limit.
    Ended(Option<LimitHit>),
    /// The attempt ends.
    Attempt(EngineError),
    /// The host was too busy: the waiting time, and the CPU time that the process got in it.
    Busy(Duration, Duration),
    Failed(io::Error),
}

impl Waiting {
    /// Waits for `length` bytes.
    fn take<P: Peer>(
        &mut self,
        peer: &mut P,
        length: usize,
        patience: Duration,
        check: impl Fn(Duration) -> Result<(), EngineError>,
    ) -> Result<Vec<u8>, Stopped> {
        self.wait(peer, patience, check, |peer, pause| peer.receive(length, pause))
    }

    /// Waits until a process has read these bytes, or the kernel keeps them for it.
    fn give<P: Peer>(
        &mut self,
        peer: &mut P,
        mut bytes: &[u8],
        patience: Duration,
        check: impl Fn(Duration) -> Result<(), EngineError>,
    ) -> Result<(), Stopped> {
        self.wait(peer, patience, check, |peer, pause| peer.send(&mut bytes, pause))
    }

    /// Waits until `step` succeeds. `check` says whether the attempt goes on, by the peer's clock.
    fn wait<P: Peer, T>(
        &mut self,
        peer: &mut P,
        patience: Duration,
        check: impl Fn(Duration) -> Result<(), EngineError>,
        mut step: impl FnMut(&mut P, Duration) -> io::Result<T>,
    ) -> Result<T, Stopped> {
        loop {
            let before = peer.now();
            let stepped = step(peer, LOOK);
            self.waited += peer.now().saturating_sub(before);
            let done = match stepped {
                Ok(done) if self.waited < patience => return Ok(done),
                Ok(done) => Some(done),
                Err(e) if e.kind() == io::ErrorKind::TimedOut => None,
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(Stopped::Ended(None)),
                Err(e) => return Err(Stopped::Failed(e)),
            };
            check(peer.now()).map_err(Stopped::Attempt)?;
            // Only now, because the counts are read from files.
            let used = peer.used().map(|used| used.since(self.begun));
            if let Some(used) = used {
                self.idle = used.idle(self.waited);
            }
            if self.waited >= patience {
                if used.is_some() && self.idle >= patience {
                    return Err(Stopped::Ended(Some(LimitHit::Wait)));
                }
                if self.waited >= patience * HOST_PATIENCE {
                    return Err(Stopped::Busy(self.waited, used.unwrap_or_default().cpu));
                }
            }
            if let Some(done) = done {
                return Ok(done);
            }
        }
    }
}

/// The limits of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// CPU time in seconds.
    pub cpu_s: u64,
    /// Waiting time in seconds: time in which none of its threads ran or was ready to run.
    pub wait_s: u64,
    /// Private writable memory in MiB.
    pub data_mib: u64,
    /// Threads.
    pub threads: u64,
}

impl Budget {
    /// The limits of a process that can give both verdicts ([`super::Toolchain::both_verdicts`]): at most 2 s of CPU time
    /// and 1 s of waiting time. A sample that reaches them runs again in fresh processes with the full limits.
    pub fn for_quick_path(self) -> Budget {
        Budget { cpu_s: self.cpu_s.min(2), wait_s: self.wait_s.min(1), ..self }
    }

    /// The sandbox limits of a process that runs a program.
    pub fn limits(self) -> Limits {
        Limits {
            cpu_s: self.cpu_s,
            data_bytes: self.data_mib << 20,
            threads: self.threads,
            file_bytes: 32 << 20,
            open_files: 256,
            scratch_bytes: 64 << 20,
            scratch_files: 4096,
            printed_bytes: 8 << 20,
        }
    }
}

/// A running process.
pub struct Running {
    child: Child,
    /// The fork server that started it. It is idle again when the process has ended.
    _forked: Option<Lent>,
    /// Files that the process sees. They are deleted with it.
    _files: Option<tempfile::TempDir>,
    /// A resource that is released when the process ends.
    _resource: Option<Box<dyn Send>>,
    stop: Stop,
    budget: Budget,
    waiting: Waiting,
    /// The limit that it reached by not reading what was sent.
    unread: Option<LimitHit>,
    started: Instant,
}

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    pub report: Report,
    /// Its standard output and standard error; long texts are cut.
    pub printed: String,
    /// The limit that ended it.
    pub limit: Option<LimitHit>,
    /// The limits under which it ran.
    pub budget: Budget,
    /// The time in which it was idle while the server waited for it, as of the last look.
    pub idle: Duration,
}

impl Ended {
    /// Whether it exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        self.limit.is_none() && self.report.code == Some(0)
    }

    /// The verdict on a process that reached a limit, and the reason.
    pub fn limited(&self) -> Option<(Verdict, Reason)> {
        Some(match self.limit? {
            LimitHit::Cpu => (Verdict::Timeout, Reason::CpuTime { limit_ms: self.budget.cpu_s * 1000 }),
            LimitHit::Wait => (Verdict::Timeout, Reason::WaitingTime { limit_ms: self.budget.wait_s * 1000 }),
            LimitHit::Printed => (Verdict::Crashed, Reason::PrintedTooMuch),
            _ => (Verdict::OutOfMemory, Reason::SandboxMemory),
        })
    }

    /// An outcome with the resources that the process used and the text that it printed.
    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        Outcome {
            limit: self.limit,
            cpu_ms: u32::try_from(self.report.cpu_us / 1000).unwrap_or(u32::MAX),
            memory_kib: u32::try_from(self.report.memory_kib).unwrap_or(u32::MAX),
            printed: self.printed.clone(),
            ..Outcome::new(verdict)
        }
    }
}

/// Idle fork servers. There are as many as processes have run at once.
#[derive(Default)]
pub struct ForkServers(Mutex<Vec<(Budget, ForkServer)>>);

/// A fork server that is running a process.
struct Lent {
    servers: Arc<ForkServers>,
    server: Option<(Budget, ForkServer)>,
}

impl ForkServers {
    /// Whether a fork server is idle.
    pub fn is_warm(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// An idle fork server whose processes have these limits.
    fn take(&self, budget: Budget) -> Option<ForkServer> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|(of, _)| *of == budget)?;
        Some(waiting.swap_remove(at).1)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.servers.0.lock().unwrap_or_else(PoisonError::into_inner).extend(self.server.take());
    }
}

/// A process's next step.
pub enum Next {
    /// It sends a frame: kind and content.
    Frame(u8, Vec<u8>),
    /// It ends, reaches a limit, or sends something that is not a frame.
    End(Ended),
}

impl Running {
    /// Starts a command.
    ///
    /// # Errors
    /// Engine errors: the sandbox cannot be started.
    pub fn start(
        sandbox: &Arc<dyn Sandbox>,
        command: &Command,
        budget: Budget,
        stop: &Stop,
    ) -> Result<Running, EngineError> {
        let child = sandbox.start(command).map_err(|e| EngineError::Sandbox(e.to_string()))?;
        Ok(Running::of(child, None, budget, stop))
    }

    /// Forks a process from an idle fork server, or from one that `start` starts. `mode` selects what the process does.
    /// `budget` has its limits; of these, only the CPU and waiting times may be lower than those of `server_budget`,
    /// which are the limits of all processes of the fork server.
    ///
    /// # Errors
    /// Fails if no fork server can be started.
    pub fn fork(
        servers: &Arc<ForkServers>,
        mode: u8,
        server_budget: Budget,
        budget: Budget,
        stop: &Stop,
        start: impl FnOnce() -> io::Result<ForkServer>,
    ) -> io::Result<Running> {
        // A fork server that has been lost fails here and is replaced.
        let waiting =
            servers.take(server_budget).and_then(|mut server| Some((server.fork(mode, budget.cpu_s).ok()?, server)));
        let (child, server) = match waiting {
            Some(forked) => forked,
            None => {
                let mut server = start()?;
                (server.fork(mode, budget.cpu_s)?, server)
            }
        };
        let lent = Lent { servers: Arc::clone(servers), server: Some((server_budget, server)) };
        Ok(Running::of(child, Some(lent), budget, stop))
    }

    fn of(child: Child, forked: Option<Lent>, budget: Budget, stop: &Stop) -> Running {
        Running {
            child,
            _forked: forked,
            _files: None,
            _resource: None,
            stop: stop.clone(),
            budget,
            waiting: Waiting::default(),
            unread: None,
            started: Instant::now(),
        }
    }

    /// The limits of the process.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Begins work for another attempt: a new budget of waiting.
    pub fn begin(&mut self, stop: Stop) {
        self.stop = stop;
        self.waiting = Waiting { begun: self.child.used().unwrap_or_default(), ..Waiting::default() };
    }

    /// Keeps a folder of files until the process ends.
    pub fn with_files(self, files: tempfile::TempDir) -> Running {
        Running { _files: Some(files), ..self }
    }

    /// Keeps a value until the process ends.
    pub fn with_resource(self, resource: impl Send + 'static) -> Running {
        Running { _resource: Some(Box::new(resource)), ..self }
    }

    /// Sends a frame. If the process has ended or does not read, the next call of `receive` reports it.
    pub fn send(&mut self, kind: u8, content: &[u8]) {
        let length = u32::try_from(content.len() + 1).unwrap_or(u32::MAX);
        let mut frame = length.to_be_bytes().to_vec();
        frame.push(kind);
        frame.extend_from_slice(content);
        let Running { child, stop, waiting, started, budget, .. } = self;
        let patience = Duration::from_secs(budget.wait_s);
        let sent = waiting.give(&mut Socket(child, *started), &frame, patience, |_| stop.check());
        if let Err(Stopped::Ended(limit)) = sent {
            self.unread = self.unread.or(limit);
        }
    }

    /// Waits for the next frame.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn receive(&mut self) -> Result<Next, EngineError> {
        let length = match self.take(4)? {
            Ok(bytes) => bytes.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)),
            Err(limit) => return self.ended(limit).map(Next::End),
        };
        if length == 0 || length > LONGEST_FRAME {
            return self.ended(None).map(Next::End);
        }
        match self.take(length)? {
            Ok(mut bytes) => {
                let kind = bytes.remove(0);
                Ok(Next::Frame(kind, bytes))
            }
            Err(limit) => self.ended(limit).map(Next::End),
        }
    }

    /// Waits for the end of a process that should send nothing.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn end(mut self) -> Result<Ended, EngineError> {
        // Unexpected bytes are dropped. A process that keeps writing is ended, like one that prints too much.
        for _ in 0..1 << 10 {
            if let Err(limit) = self.take(1)? {
                return self.ended(limit);
            }
        }
        self.ended(Some(LimitHit::Printed))
    }

    /// Ends a process that is no longer needed.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn stop(mut self) -> Result<Ended, EngineError> {
        self.child.kill();
        self.ended(None)
    }

    /// Reads `length` bytes. The inner error is the limit that the process reached, or `None` if it ended.
    fn take(&mut self, length: usize) -> Result<Result<Vec<u8>, Option<LimitHit>>, EngineError> {
        if self.unread.is_some() {
            return Ok(Err(self.unread));
        }
        let Running { child, stop, waiting, started, budget, .. } = self;
        let patience = Duration::from_secs(budget.wait_s);
        match waiting.take(&mut Socket(child, *started), length, patience, |_| stop.check()) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(Stopped::Ended(limit)) => Ok(Err(limit)),
            Err(Stopped::Attempt(why)) => {
                self.child.kill();
                Err(why)
            }
            Err(Stopped::Busy(waited, cpu)) => {
                Err(EngineError::Busy(format!("a process got {cpu:?} of CPU time in {} s", waited.as_secs())))
            }
            Err(Stopped::Failed(e)) => Err(e.into()),
        }
    }

    /// Ends the process if it reached `limit`, waits for its end, and returns how it ended.
    fn ended(&mut self, limit: Option<LimitHit>) -> Result<Ended, EngineError> {
        if limit.is_some() {
            self.child.kill();
        }
        let (report, printed, flooded) = self.child.end(Instant::now() + Duration::from_secs(1))?;
        if let Some(fault) = report.fault {
            return Err(EngineError::Sandbox(fault));
        }
        let limit = if report.over_cpu || report.cpu_us >= self.budget.cpu_s * 1_000_000 {
            Some(LimitHit::Cpu)
        } else if flooded {
            Some(LimitHit::Printed)
        } else if report.out_of_memory {
            Some(LimitHit::Heap)
        } else {
            limit
        };
        Ok(Ended { report, printed, limit, budget: self.budget, idle: self.waiting.idle })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use engine::stop::LONGEST_ATTEMPT;
    use proptest::prelude::*;

    use super::*;

    /// What a process does next. Times are in milliseconds.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Sleep(u64),
        Compute(u64),
        /// Ready to run, while other programs have the processors.
        Delayed(u64),
        Send(usize),
        Read(usize),
    }

    /// A process on a simulated clock. It ends when it has used its CPU time, as the helper ends it, or when nothing is
    /// left to do.
    struct Simulated {
        steps: VecDeque<Step>,
        now: Duration,
        used: Used,
        cpu: Duration,
        sent: usize,
        /// How many bytes the kernel accepts for the process.
        room: usize,
    }

    impl Simulated {
        fn new(steps: Vec<Step>, now: Duration, cpu: Duration) -> Simulated {
            Simulated { steps: steps.into(), now, used: Used::default(), cpu, sent: 0, room: 16 }
        }

        /// Runs the process until it has sent or read something, or until the deadline.
        fn go_on(&mut self, deadline: Duration) -> io::Result<()> {
            loop {
                let left = deadline.saturating_sub(self.now);
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                let Some(step) = self.steps.front_mut().filter(|_| self.used.cpu < self.cpu) else {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                };
                let ms = match step {
                    Step::Sleep(ms) | Step::Compute(ms) | Step::Delayed(ms) => ms,
                    Step::Send(count) => {
                        self.sent += *count;
                        self.steps.pop_front();
                        return Ok(());
                    }
                    Step::Read(count) => {
                        self.room += *count;
                        self.steps.pop_front();
                        return Ok(());
                    }
                };
                let part = Duration::from_millis(*ms).min(left);
                *ms -= part.as_millis() as u64;
                let is_over = *ms == 0;
                match step {
                    Step::Compute(_) => self.used.cpu += part,
                    Step::Delayed(_) => self.used.delayed += part,
                    _ => {}
                }
                self.now += part;
                if is_over {
                    self.steps.pop_front();
                }
            }
        }
    }

    impl Peer for Simulated {
        fn receive(&mut self, length: usize, pause: Duration) -> io::Result<Vec<u8>> {
            let deadline = self.now + pause;
            while self.sent < length {
                self.go_on(deadline)?;
            }
            self.sent -= length;
            Ok(vec![0; length])
        }

        fn send(&mut self, bytes: &mut &[u8], pause: Duration) -> io::Result<()> {
            let deadline = self.now + pause;
            loop {
                let count = bytes.len().min(self.room);
                *bytes = &bytes[count..];
                self.room -= count;
                if bytes.is_empty() {
                    return Ok(());
                }
                self.go_on(deadline)?;
            }
        }

        fn now(&self) -> Duration {
            self.now
        }

        fn used(&self) -> Option<Used> {
            Some(self.used)
        }
    }

    fn step(longest_delay: u64) -> impl Strategy<Value = Step> {
        prop_oneof![
            (1_u64..4_000).prop_map(Step::Sleep),
            (1_u64..200).prop_map(Step::Sleep),
            (1_u64..3_000).prop_map(Step::Compute),
            (1..longest_delay).prop_map(Step::Delayed),
            (1_usize..40).prop_map(Step::Send),
            (1_usize..40).prop_map(Step::Read),
        ]
    }

    /// What the server does next: it receives so many bytes, or sends them.
    #[derive(Clone, Copy, Debug)]
    enum Portion {
        Receive(usize),
        Send(usize),
    }

    fn portion() -> impl Strategy<Value = Portion> {
        prop_oneof![(1_usize..12).prop_map(Portion::Receive), (1_usize..60).prop_map(Portion::Send)]
    }

    /// Talks to a process in these portions until it ends or reaches a limit.
    fn talk(
        peer: &mut Simulated,
        portions: &[Portion],
        patience: Duration,
        check: impl Fn(Duration) -> Result<(), EngineError>,
    ) -> (Stopped, Waiting) {
        let mut waiting = Waiting::default();
        for portion in portions.iter().cycle() {
            let done = match *portion {
                Portion::Receive(length) => waiting.take(peer, length, patience, &check).map(drop),
                Portion::Send(length) => waiting.give(peer, &vec![0; length], patience, &check),
            };
            if let Err(stopped) = done {
                return (stopped, waiting);
            }
        }
        unreachable!("there is a portion")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        /// Whatever a process sends, reads, sleeps and computes, and in whatever portions the server receives and sends, the
        /// server waits for it no longer than its CPU time, its one budget of waiting, and the time in which others had the
        /// processors; and a process within both limits is never stopped.
        #[test]
        fn a_process_has_one_budget_of_waiting(
            steps in proptest::collection::vec(step(2_000), 0..120),
            portions in proptest::collection::vec(portion(), 1..20),
            cpu_s in 1_u64..10,
            wait_s in 1_u64..6,
        ) {
            let (cpu, patience) = (Duration::from_secs(cpu_s), Duration::from_secs(wait_s));
            let slept: u64 = steps.iter().map(|step| if let Step::Sleep(ms) = step { *ms } else { 0 }).sum();
            let mut peer = Simulated::new(steps, Duration::ZERO, cpu);
            let (stopped, waiting) = talk(&mut peer, &portions, patience, |_| Ok(()));
            let Stopped::Ended(limit) = stopped else { panic!("neither cancelled nor busy") };
            let held = peer.now - peer.used.delayed;
            // The kernel's count and the pause between two looks.
            prop_assert!(held <= cpu + patience + LOOK * 2, "{held:?}");
            prop_assert!(waiting.idle <= patience + LOOK * 2, "{:?}", waiting.idle);
            if Duration::from_millis(slept) < patience {
                prop_assert_eq!(limit, None);
            }
        }
    }

    proptest! {
        // A case can have 18,000 looks at a process.
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// However many processes an attempt has, whatever they do, and however busy the host is, it ends at its limit.
        #[test]
        fn an_attempt_has_one_limit(
            processes in proptest::collection::vec(
                (proptest::collection::vec(step(900_000), 0..40), proptest::collection::vec(portion(), 1..8)),
                1..40,
            ),
            cpu_s in 1_u64..60,
            wait_s in 1_u64..120,
        ) {
            let (cpu, patience) = (Duration::from_secs(cpu_s), Duration::from_secs(wait_s));
            let (stop, mut now, mut delayed) = (Stop::default(), Duration::ZERO, Duration::ZERO);
            let count = u32::try_from(processes.len()).unwrap();
            for (steps, portions) in processes {
                let mut peer = Simulated::new(steps, now, cpu);
                let (stopped, _) = talk(&mut peer, &portions, patience, |now| stop.check_after(now));
                now = peer.now;
                delayed += peer.used.delayed;
                match stopped {
                    Stopped::Ended(_) => {}
                    Stopped::Attempt(EngineError::Busy(_)) => {
                        prop_assert!(now >= LONGEST_ATTEMPT);
                        break;
                    }
                    Stopped::Busy(..) => break,
                    _ => panic!("neither cancelled nor broken"),
                }
            }
            prop_assert!(now <= LONGEST_ATTEMPT + LOOK * 2, "{now:?}");
            // On a host that always has a processor, each process has its own limits.
            prop_assert!(now - delayed <= (cpu + patience + LOOK * 2) * count, "{now:?}");
        }
    }
}
