//! Runs one output in a fresh sandboxed JVM, which is started before its output is known, receives one job and returns
//! one result.

use std::{
    convert::Infallible,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use model::{
    reason::{Flag, Reason, Setting, Sign},
    run::{CaseResult, Dates, LimitHit, Outcome, Verdict},
};
use rand::Rng;

use super::{
    EngineError,
    compiler::{environment, greet},
    dates, shareable,
    stop::Stop,
    suite::{Suite, TaskTests},
    toolchain::{IN_PLACE, RUN_COLLECTOR, Toolchain, mounts},
    wire::{Files, Frame, Reader},
};
use sandbox::{Child, Command, Limits, Profile, Report, Sandbox, process::Used};

/// The limits of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// CPU time in seconds. An output that uses more is a timeout.
    pub cpu_s: u64,
    /// Waiting time in seconds: wall time in which none of its threads ran or was ready to run. Load on the host does
    /// not add to it.
    pub wait_s: u64,
    /// Java heap in MiB.
    pub heap_mib: u64,
    /// Threads of the output, in addition to those of the JVM.
    pub threads: u64,
    /// Whether harmless outputs share a JVM: see [`super::batch`].
    pub fast: bool,
    /// The date that the output sees; `None` for the current one.
    pub dates: Option<Dates>,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance { cpu_s: 10, wait_s: 60, heap_mib: 256, threads: 64, fast: false, dates: None }
    }
}

/// After this many times `wait_s` of wall time, an output that is still ready to run is an engine error: the host was
/// too busy to judge it.
const HOST_PATIENCE: u32 = 10;

/// How often a waiting worker checks whether its attempt ends early.
const LOOK: Duration = Duration::from_millis(200);

/// Threads that the JVM, bubblewrap and the harness need.
const OWN_THREADS: u64 = 32;

/// A JVM that has loaded a suite's shared classes and waits for its job.
pub struct ReadyJvm {
    child: Child,
}

/// Starts a JVM for a suite, without waiting until it is ready.
///
/// # Errors
/// Engine errors only.
pub fn start(
    sandbox: &Arc<dyn Sandbox>,
    toolchain: &Toolchain,
    suite: &Suite,
    allowance: Allowance,
) -> Result<ReadyJvm, EngineError> {
    Ok(ReadyJvm { child: launch(sandbox, toolchain, suite, allowance, 1)? })
}

/// Starts a JVM that accepts `jobs` jobs one after another, and sends it what the jobs share.
///
/// # Errors
/// Engine errors only.
pub fn launch(
    sandbox: &Arc<dyn Sandbox>,
    toolchain: &Toolchain,
    suite: &Suite,
    allowance: Allowance,
    jobs: u64,
) -> Result<Child, EngineError> {
    let command = command(toolchain, suite, allowance, jobs).map_err(|e| EngineError::Sandbox(e.to_string()))?;
    let mut child = sandbox.start(&command).map_err(|e| EngineError::Sandbox(e.to_string()))?;
    // If the sandbox has failed already, `greet` reports the reason.
    let _ = child.send(&suite.preparation);
    Ok(child)
}

/// A job for a waiting JVM.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The task's tests.
    pub tests: &'a TaskTests,
    /// The name of the solution's main class.
    pub class: &'a str,
    /// The solution's classes.
    pub classes: &'a Files,
    /// The prefix of the class name by which a published test class finds its solution; the task's number follows.
    pub prefix: &'a str,
    /// Whether to record or replay the solution's answers.
    pub answer_record: AnswerRecord<'a>,
}

/// Whether a JVM records the solution's answers or replays recorded ones: see [`super::answer_record`].
#[derive(Clone, Copy, Debug)]
pub enum AnswerRecord<'a> {
    /// Neither.
    Off,
    /// Records answers.
    Record,
    /// Replays these answers.
    Replay(&'a [u8]),
}

impl ReadyJvm {
    /// Runs the job and judges how it ended. The caller adds source and changes to the outcome.
    ///
    /// # Errors
    /// Engine errors: the JVM did not start, the sandbox helper was lost, or the attempt ended.
    pub fn run(self, suite: &Suite, job: Job<'_>, allowance: Allowance, stop: &Stop) -> Result<Outcome, EngineError> {
        self.run_recorded(suite, job, allowance, stop).map(|(outcome, _)| outcome)
    }

    /// Like [`ReadyJvm::run`]. Also returns the recorded answers, if the job asked for a record and one could be made.
    ///
    /// # Errors
    /// The same as [`ReadyJvm::run`].
    pub fn run_recorded(
        mut self,
        suite: &Suite,
        job: Job<'_>,
        allowance: Allowance,
        stop: &Stop,
    ) -> Result<(Outcome, Option<Vec<u8>>), EngineError> {
        greet(&mut self.child)?;
        let nonce = nonce();
        let begun = Instant::now();
        let watch = shareable::may_change_defaults(job.classes, &[&suite.harmless, job.classes]);
        let frame = suite.job(job, watch);
        let longest = if matches!(job.answer_record, AnswerRecord::Record) { LONGEST_RECORD } else { LONGEST_RESULT };
        let answer = match self.child.send(&frame) {
            Ok(()) => answer(&mut self.child, Wait { begun, allowance, stop }, &nonce, longest)?,
            Err(e) => Err(e),
        };
        let timed_out = matches!(&answer, Err(e) if e.kind() == io::ErrorKind::TimedOut);
        if answer.is_err() {
            self.child.kill();
        }
        // After its result the JVM halts by itself; 5 s is more than enough.
        let (report, printed, flooded) = self.child.end(Instant::now() + Duration::from_secs(5))?;
        let wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        if let Some(fault) = report.fault {
            return Err(EngineError::Sandbox(fault));
        }
        let end = End { timed_out, flooded, more: self.child.more(), report: &report, allowance };
        let (mut outcome, answer_record) = judge(answer, &nonce, &end);
        outcome.cpu_ms = u32::try_from(report.cpu_us / 1000).unwrap_or(u32::MAX);
        outcome.memory_kib = u32::try_from(report.memory_kib).unwrap_or(u32::MAX);
        outcome.wall_ms = wall_ms;
        outcome.printed = printed;
        Ok((outcome, answer_record))
    }
}

/// Waits for the end of the tests, sends the nonce and waits for the result. Fails with [`io::ErrorKind::TimedOut`]
/// once the process has been idle for `wait_s` seconds in total. While the tests run, the nonce is not in their
/// process; threads that the solution leaves running make a pass suspicious.
///
/// # Errors
/// [`EngineError::Busy`] if the host kept the process from running for too long to judge it, and the errors of
/// [`Stop::check`].
fn answer(child: &mut Child, wait: Wait<'_>, nonce: &str, longest: usize) -> Result<io::Result<Reader>, EngineError> {
    let before = child.used().unwrap_or_default();
    handshake(child, nonce, longest, |child, longest| frame(child, wait, before, longest))
}

/// How long to wait for a process.
#[derive(Clone, Copy)]
struct Wait<'a> {
    begun: Instant,
    allowance: Allowance,
    stop: &'a Stop,
}

/// Waits for the end of the tests, sends the nonce and waits for the result. `wait` receives a frame of at most so many
/// bytes.
fn handshake<E>(
    child: &mut Child,
    nonce: &str,
    longest: usize,
    wait: impl Fn(&mut Child, usize) -> Result<io::Result<Reader>, E>,
) -> Result<io::Result<Reader>, E> {
    let mut over = match wait(child, 1)? {
        Ok(over) => over,
        failed => return Ok(failed),
    };
    if let Err(e) = reported_end(&mut over).and_then(|()| child.send(&Frame::new(b'N').string(nonce).done())) {
        return Ok(Err(e));
    }
    wait(child, longest)
}

/// Waits for one frame of at most `longest` bytes, or until the attempt ends. Time in which the process was ready to run but
/// got no CPU does not count.
fn frame(
    child: &mut Child,
    Wait { begun, allowance, stop }: Wait<'_>,
    before: Used,
    longest: usize,
) -> Result<io::Result<Reader>, EngineError> {
    let patience = Duration::from_secs(allowance.wait_s);
    let mut deadline = begun + patience;
    loop {
        stop.check()?;
        match Reader::receive_at_most(child, deadline.min(Instant::now() + LOOK), longest) {
            Err(e) if e.kind() == io::ErrorKind::TimedOut => {}
            answer => return Ok(answer),
        }
        if Instant::now() < deadline {
            continue;
        }
        let elapsed = begun.elapsed();
        // If the process has ended or is unknown, all of the time counts as idle.
        let used = child.used().map_or_else(Used::default, |used| used.since(before));
        let idle = used.idle(elapsed);
        if idle >= patience {
            return Ok(Err(io::ErrorKind::TimedOut.into()));
        }
        if elapsed >= patience * HOST_PATIENCE {
            let seconds = elapsed.as_secs();
            return Err(EngineError::Busy(format!("an output got {:?} of CPU time in {seconds} s", used.cpu)));
        }
        // The process has been idle for `idle` so far, so it cannot reach the limit before this deadline.
        deadline = Instant::now() + (patience - idle).max(Duration::from_millis(10));
    }
}

fn reported_end(over: &mut Reader) -> io::Result<()> {
    match over.kind()? {
        b'E' => Ok(()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// A secret that a result must contain: 128 random bits.
pub fn nonce() -> String {
    hex::encode(rand::rng().random::<[u8; 16]>())
}

/// The same exchange with a fixed deadline, for the shared JVMs of the fast mode.
///
/// # Errors
/// The same as [`Reader::receive_at_most`].
pub fn exchange(child: &mut Child, nonce: &str, deadline: Instant, longest: usize) -> io::Result<Reader> {
    let Ok(result) = handshake(child, nonce, longest, |child, longest| {
        Ok::<_, Infallible>(Reader::receive_at_most(child, deadline, longest))
    });
    result
}

/// How the process ended, apart from its answer.
struct End<'a> {
    timed_out: bool,
    flooded: bool,
    more: bool,
    report: &'a Report,
    allowance: Allowance,
}

/// Returns the verdict. Only a complete frame with the right nonce can make it a pass; otherwise the report says how
/// the output failed.
///
/// No limit is guessed: whatever ended the process reports it. CPU time is counted only by the scheduler; the helper's
/// limit and the report's figure both use that count. An output that used more than its limit is therefore a timeout,
/// even if its result arrived just before the helper ended it.
fn judge(answer: io::Result<Reader>, nonce: &str, end: &End<'_>) -> (Outcome, Option<Vec<u8>>) {
    let with = |verdict, limit, reason| (Outcome { limit, reason: Some(reason), ..Outcome::new(verdict) }, None);
    let limit_ms = |seconds: u64| seconds.saturating_mul(1000);
    if end.report.over_cpu || end.report.cpu_us >= end.allowance.cpu_s * 1_000_000 {
        return with(
            Verdict::Timeout,
            Some(LimitHit::Cpu),
            Reason::CpuTime { limit_ms: limit_ms(end.allowance.cpu_s) },
        );
    }
    let mut answer = match answer {
        Ok(answer) => answer,
        Err(e) if e.kind() == io::ErrorKind::InvalidData => {
            return with(Verdict::Tampered, None, Reason::NotAFrame);
        }
        Err(_) if end.flooded => return with(Verdict::Crashed, Some(LimitHit::Printed), Reason::PrintedTooMuch),
        Err(_) if end.report.out_of_memory => {
            return with(Verdict::OutOfMemory, Some(LimitHit::Heap), Reason::SandboxMemory);
        }
        Err(_) if end.timed_out => {
            return with(
                Verdict::Timeout,
                Some(LimitHit::Wait),
                Reason::WaitingTime { limit_ms: limit_ms(end.allowance.wait_s) },
            );
        }
        Err(_) => return (without_answer(end), None),
    };
    match result(&mut answer, nonce) {
        Some(reported) if !end.more => reported,
        _ => with(Verdict::Tampered, None, Reason::FalseResult),
    }
}

/// Reads a complete result frame with the right nonce; `None` for anything else.
pub fn result(answer: &mut Reader, nonce: &str) -> Option<(Outcome, Option<Vec<u8>>)> {
    let result = read(answer, nonce).ok().filter(|_| answer.is_done())?;
    let mut outcome = verdict(&result);
    outcome.cases = result.cases;
    if !result.changed.is_empty() {
        outcome.verdict = Verdict::Tampered;
        outcome.reason = Some(Reason::ChangedSettings { settings: result.changed });
    }
    if result.threads > 0 {
        outcome.flags.push(Flag { line: None, sign: Sign::ThreadsLeft { count: result.threads } });
    }
    Some((outcome, result.answer_record))
}

fn without_answer(end: &End<'_>) -> Outcome {
    let (verdict, reason) = match end.report.code {
        // An exit has a code below 128; a signal is 128 plus its number.
        Some(code) if code < 128 => (Verdict::NoResult, Reason::EndedEarly { exit_code: Some(code) }),
        Some(code) => (Verdict::Crashed, Reason::Signal { signal: code - 128 }),
        None => (Verdict::Crashed, Reason::Lost),
    };
    Outcome { reason: Some(reason), ..Outcome::new(verdict) }
}

/// The content of a result frame.
struct ReportedResult {
    outcome: String,
    passed: i32,
    total: i32,
    message: String,
    cases: Vec<CaseResult>,
    changed: Vec<Setting>,
    threads: u32,
    answer_record: Option<Vec<u8>>,
}

/// Maximum length of a result frame in bytes. The harness lists cases of at most 200,000 characters in total, with at
/// most 3 bytes per character.
pub const LONGEST_RESULT: usize = 1 << 20;

/// The same with recorded answers, of which `Tape.LONGEST` allows 4 MiB. They are never stored.
const LONGEST_RECORD: usize = 5 << 20;

/// Maximum length of a text in characters: `Runner.LONGEST_TEXT` and an ellipsis.
const LONGEST_TEXT: usize = 2001;

/// Maximum number of listed cases: `Runner.MOST_CASES_LISTED`.
const MOST_CASES_LISTED: u32 = 500;

/// Maximum number of cases, and of passed cases, that a test class may report. The published tests have a few dozen at
/// most.
const MOST_CASES: u32 = 1_000_000;

/// Maximum number of changed settings. `Defaults.java` knows eight, [`Setting::ALL`].
const MOST_CHANGED: u32 = 16;

/// Maximum length of a setting's name in characters.
const LONGEST_SETTING: usize = 64;

/// Maximum number of threads left running. A sandbox has far fewer.
const MOST_THREADS: u32 = 100_000;

/// Reads a result frame. Rejects fields that exceed their bounds or contradict each other.
fn read(answer: &mut Reader, nonce: &str) -> io::Result<ReportedResult> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    if answer.kind()? != b'R' || answer.text(nonce.len())? != nonce {
        return Err(invalid());
    }
    let (outcome, passed, total) = (answer.text(16)?, answer.number()?, answer.number()?);
    let (passed, total) = (passed.cast_signed(), total.cast_signed());
    // A faulty test class can report negative counts, which is an anomaly.
    if passed.unsigned_abs() > MOST_CASES || total.unsigned_abs() > MOST_CASES {
        return Err(invalid());
    }
    let message = answer.text(LONGEST_TEXT)?;
    let cases: Vec<CaseResult> = (0..answer.number_at_most(MOST_CASES_LISTED)?)
        .map(|_| {
            let (name, passed) = (answer.text(LONGEST_TEXT)?, answer.number_at_most(1)? == 1);
            Ok(CaseResult { name, passed, detail: answer.text(LONGEST_TEXT)? })
        })
        .collect::<io::Result<_>>()?;
    // The list may be truncated: it can have fewer cases than were counted, but never more.
    let listed = |passed| i32::try_from(cases.iter().filter(|case| case.passed == passed).count()).unwrap_or(i32::MAX);
    if !cases.is_empty() && (listed(true) > passed || listed(false) > total.saturating_sub(passed)) {
        return Err(invalid());
    }
    let changed = (0..answer.number_at_most(MOST_CHANGED)?)
        .map(|_| Setting::from_harness(&answer.text(LONGEST_SETTING)?).ok_or_else(invalid))
        .collect::<io::Result<_>>()?;
    let threads = answer.number_at_most(MOST_THREADS)?;
    let recorded = answer.number_at_most(1)? == 1;
    let answer_record = Some(answer.bytes()?).filter(|_| recorded);
    Ok(ReportedResult { outcome, passed, total, message, cases, changed, threads, answer_record })
}

fn verdict(result: &ReportedResult) -> Outcome {
    let mut outcome = Outcome::new(Verdict::Crashed);
    outcome.message.clone_from(&result.message);
    match result.outcome.as_str() {
        "memory" => {
            outcome.verdict = Verdict::OutOfMemory;
            let threads = result.message.contains("native thread");
            outcome.limit = Some(if threads { LimitHit::Threads } else { LimitHit::Heap });
        }
        "no_counts" => {
            outcome.verdict = Verdict::Anomaly;
            outcome.reason = Some(Reason::NoCounts);
        }
        "finished" => {
            outcome.passed = u32::try_from(result.passed).unwrap_or(0);
            outcome.total = u32::try_from(result.total).unwrap_or(0);
            let odd = result.passed < 0 || result.total <= 0 || result.passed > result.total;
            outcome.verdict = match () {
                () if odd => Verdict::Anomaly,
                () if result.passed == result.total => Verdict::Passed,
                () => Verdict::Failed,
            };
            if odd {
                outcome.reason = Some(Reason::ImpossibleCounts { passed: result.passed, total: result.total });
            }
        }
        // "error".
        _ => {}
    }
    outcome
}

fn command(toolchain: &Toolchain, suite: &Suite, allowance: Allowance, jobs: u64) -> io::Result<Command> {
    let mut read_only = mounts(&toolchain.run)?;
    let (mut env, mut scratch) = (environment(), vec!["/work".to_owned(), "/tmp".to_owned()]);
    if let Some(dates) = allowance.dates {
        let needs = dates::needs(dates)?;
        read_only.extend(needs.mounts);
        env.extend(needs.env);
        // libfaketime stores what several processes of a program share here.
        scratch.push("/dev/shm".into());
    }
    read_only.extend(suite.jars.iter().cloned());
    let class_path = match suite.jars.len() {
        // Without a class path, Java would use the current folder.
        0 => "/java/none".to_owned(),
        _ => suite.jars.iter().map(|(_, inside)| inside.as_str()).collect::<Vec<_>>().join(":"),
    };
    let mut argv: Vec<String> = [
        "/java/bin/java",
        // Outputs are small programs, so start time matters more than speed.
        "-XX:TieredStopAtLevel=1",
        // Most outputs end before compiling pays off; loops are compiled a little later. With Java's own thresholds,
        // compilation took a third of the CPU time.
        "-XX:CompileThresholdScaling=10",
        RUN_COLLECTOR,
        // With two JVMs on two cores, helper threads of the collector would only compete with them.
        "-XX:ParallelGCThreads=1",
        "-XX:ConcGCThreads=1",
        "-XX:G1ConcRefinementThreads=0",
        // Skips machine code for ciphers, which would be generated at every start and is hardly ever used.
        "-XX:-UseAES",
        "-XX:-UseSHA",
        // The tables grow with their content; by default they start with 750 KiB.
        "-XX:StringTableSize=4096",
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:SymbolTableSize=4096",
        "-XX:-UsePerfData",
        "-Xshare:auto",
        "-Xss1m",
        "-XX:MaxMetaspaceSize=96m",
        "-XX:CompressedClassSpaceSize=64m",
        "-XX:MaxDirectMemorySize=32m",
        "-XX:ReservedCodeCacheSize=48m",
        "-XX:-UseContainerSupport",
        "-XX:+DisableAttachMechanism",
        "-XX:ErrorFile=/dev/null",
        "-XX:-CreateCoredumpOnCrash",
    ]
    .map(str::to_owned)
    .into();
    argv.extend(IN_PLACE.map(str::to_owned));
    if has_avx512() {
        // Code for AVX-512 is also generated at every start and does not pay off in a JVM that lives for 100 ms.
        argv.push("-XX:UseAVX=2".to_owned());
    }
    argv.push(format!("-Xmx{}m", allowance.heap_mib));
    // The collector sizes its own data by the heap's initial size, so the heap starts small, too.
    argv.push(format!("-Xms{}m", allowance.heap_mib.min(32)));
    argv.extend(SETTINGS.iter().map(|(key, value)| format!("-D{key}={value}")));
    // No `-m` and no `--add-modules`: see the module aixgrade.root.
    argv.extend(["-cp", &class_path, "aixgrade.harness.Runner", "{control}"].map(str::to_owned));
    argv.push(jobs.to_string());
    Ok(Command {
        argv,
        env,
        read_only,
        scratch,
        limits: Limits {
            cpu_s: allowance.cpu_s * jobs,
            data_bytes: (allowance.heap_mib << 20) + (768 << 20),
            threads: allowance.threads + OWN_THREADS,
            file_bytes: 32 << 20,
            open_files: 256,
            scratch_bytes: 64 << 20,
            scratch_files: 4096,
            printed_bytes: 8 << 20,
        },
        profile: Profile::EventLoop,
        keep: None,
        copies: Vec::new(),
        control_is_input: false,
    })
}

/// Whether Java would use AVX-512 on this CPU.
pub fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// System properties, the same for every output of every run, and recorded with the run.
pub const SETTINGS: &[(&str, &str)] = &[
    ("file.encoding", "UTF-8"),
    ("user.timezone", "UTC"),
    ("user.language", "en"),
    ("user.country", "US"),
    ("user.name", "solution"),
    ("user.home", "/work"),
    ("java.io.tmpdir", "/tmp"),
    ("java.awt.headless", "true"),
    // The harness would call a security manager that the solution installed.
    ("java.security.manager", "disallow"),
];

#[cfg(test)]
mod tests {
    use std::{io::Read, io::Write, os::unix::net::UnixStream, sync::atomic::AtomicBool};

    use super::*;
    use crate::{
        stop::LONGEST_ATTEMPT,
        wire::{Frame, PROTOCOL},
    };
    use sandbox::fake::Fake;

    /// The fake program's behavior after it has ended the tests and received the nonce.
    type Act = fn(&mut UnixStream, nonce: &str) -> Report;

    fn outcome(act: Act) -> Outcome {
        from_job(move |control| {
            control.write_all(&Frame::new(b'E').done()).unwrap();
            let mut handed = Reader::over(frame(control));
            assert_eq!(handed.kind().unwrap(), b'N');
            let nonce = handed.string().unwrap();
            act(control, &nonce)
        })
    }

    /// The outcome if the fake program does this after it has received its job.
    fn from_job(act: impl Fn(&mut UnixStream) -> Report + Clone + Send + Sync + 'static) -> Outcome {
        from_job_until(&Stop::default(), 1, act).unwrap()
    }

    /// The same with this waiting time, for an attempt that ends early.
    fn from_job_until(
        stop: &Stop,
        wait_s: u64,
        act: impl Fn(&mut UnixStream) -> Report + Clone + Send + Sync + 'static,
    ) -> Result<Outcome, EngineError> {
        let image = tempfile::tempdir().unwrap();
        std::fs::create_dir(image.path().join("sys")).unwrap();
        let toolchain = Toolchain {
            run: image.path().into(),
            compile: image.path().into(),
            java: String::new(),
            fingerprint: String::new(),
        };
        let sandbox: Arc<dyn Sandbox> = Arc::new(Fake(move |_: &Command, mut control: UnixStream| {
            let _preparation = frame(&mut control);
            control.write_all(&Frame::new(b'H').number(PROTOCOL as usize).string("fake").done()).unwrap();
            let mut job = Reader::over(frame(&mut control));
            assert_eq!(job.kind().unwrap(), b'J');
            act(&mut control)
        }));
        let (suite, tests) = (Suite::bare(), TaskTests { class: "T".into(), classes: Files::new() });
        let allowance = Allowance { wait_s, ..Allowance::default() };
        let waiting = start(&sandbox, &toolchain, &suite, allowance).unwrap();
        let job =
            Job { tests: &tests, class: "C", classes: &Files::new(), prefix: "", answer_record: AnswerRecord::Off };
        waiting.run(&suite, job, allowance, stop)
    }

    fn frame(control: &mut UnixStream) -> Vec<u8> {
        let mut length = [0; 4];
        control.read_exact(&mut length).unwrap();
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        control.read_exact(&mut body).unwrap();
        body
    }

    fn result(nonce: &str, passed: usize, total: usize) -> Vec<u8> {
        let frame = Frame::new(b'R').string(nonce).string("finished").number(passed).number(total).string("");
        frame.number(0).number(0).number(0).number(0).bytes(&[]).done()
    }

    fn ended(code: i32) -> Report {
        Report { code: Some(code), ..Report::default() }
    }

    #[test]
    fn only_a_complete_valid_result_passes() {
        let check = |act: Act, verdict: Verdict, limit: Option<LimitHit>| {
            let outcome = outcome(act);
            assert_eq!((outcome.verdict, outcome.limit), (verdict, limit), "{outcome:?}");
        };
        check(|c, n| send(c, &result(n, 3, 3), 0), Verdict::Passed, None);
        check(|c, n| send(c, &result(n, 2, 3), 0), Verdict::Failed, None);
        check(|c, n| send(c, &result(n, 7, 4), 0), Verdict::Anomaly, None);
        check(|c, n| send(c, &result(n, 0, 0), 0), Verdict::Anomaly, None);
        // A valid result counts with any exit code; without a result, no exit code makes a pass.
        check(|c, n| send(c, &result(n, 3, 3), 1), Verdict::Passed, None);
        check(|_, _| ended(0), Verdict::NoResult, None);
        check(|_, _| ended(3), Verdict::NoResult, None);
        check(|_, _| ended(139), Verdict::Crashed, None);
        // Another nonce, a second result, a frame that is too short or too long, noise.
        check(|c, _| send(c, &result("0123", 3, 3), 0), Verdict::Tampered, None);
        check(|c, n| send(c, &[result(n, 3, 3), result(n, 3, 3)].concat(), 0), Verdict::Tampered, None);
        check(|c, n| send(c, &[&result(n, 3, 3)[..], &[1]].concat(), 0), Verdict::Tampered, None);
        check(|c, n| send(c, &Frame::new(b'R').string(n).done(), 0), Verdict::Tampered, None);
        check(|c, _| send(c, &[0xff; 8], 0), Verdict::Tampered, None);
        // Time.
        check(|_, _| Report { cpu_us: 10_000_000, ..ended(137) }, Verdict::Timeout, Some(LimitHit::Cpu));
        check(|_, _| Report { over_cpu: true, ..ended(137) }, Verdict::Timeout, Some(LimitHit::Cpu));
        check(
            |c, n| Report { cpu_us: 10_000_001, ..send(c, &result(n, 3, 3), 0) },
            Verdict::Timeout,
            Some(LimitHit::Cpu),
        );
        // Nothing reports a limit, so none was reached, however close.
        check(|_, _| Report { cpu_us: 9_999_999, ..ended(137) }, Verdict::Crashed, None);
        check(|_, _| Report { out_of_memory: true, ..ended(137) }, Verdict::OutOfMemory, Some(LimitHit::Heap));
        check(
            |c, _| {
                let _until_killed = c.read(&mut [0; 1]);
                ended(137)
            },
            Verdict::Timeout,
            Some(LimitHit::Wait),
        );
    }

    /// A JVM that waits, with all of its own waiting time left.
    #[test]
    fn an_attempt_that_ends_does_not_wait_for_its_jvm() {
        let silent = |control: &mut UnixStream| {
            let _until_killed = control.read(&mut [0; 1]);
            ended(137)
        };
        let (going, cancelled) = (Arc::default(), Arc::new(AtomicBool::new(true)));
        let long_ago = Instant::now().checked_sub(LONGEST_ATTEMPT).unwrap();
        let over = from_job_until(&Stop::since(&going, long_ago), 60, silent);
        assert!(matches!(&over, Err(EngineError::Busy(_))), "{over:?}");
        let stopped = from_job_until(&Stop::begin(&cancelled), 60, silent);
        assert!(matches!(&stopped, Err(EngineError::Cancelled)), "{stopped:?}");
    }

    #[test]
    fn results_before_the_end_of_the_tests_are_tampered() {
        let early = from_job(|control| send(control, &result("", 3, 3), 0));
        assert_eq!(early.verdict, Verdict::Tampered, "{early:?}");
        // A solution announces the end in place of the harness; then the harness announces it again.
        let over = Frame::new(b'E').done();
        let twice = from_job(move |control| {
            control.write_all(&over.repeat(2)).unwrap();
            let _nonce = frame(control);
            ended(0)
        });
        assert_eq!(twice.verdict, Verdict::Tampered, "{twice:?}");
    }

    /// Every field of a result, at its bound and one beyond it.
    #[test]
    fn results_beyond_a_bound_are_rejected() {
        struct Fields<'a> {
            outcome: &'a str,
            counts: (i32, i32),
            message: String,
            cases: Vec<(String, usize, String)>,
            changed: Vec<String>,
            threads: usize,
        }
        let honest = || Fields {
            outcome: "finished",
            counts: (1, 2),
            message: String::new(),
            cases: vec![("one".into(), 1, String::new()), ("two".into(), 0, "é".repeat(LONGEST_TEXT))],
            changed: Vec::new(),
            threads: 0,
        };
        let judged = |fields: Fields<'_>| {
            let (passed, total) = (fields.counts.0.cast_unsigned() as usize, fields.counts.1.cast_unsigned() as usize);
            let frame = Frame::new(b'R').string("nonce").string(fields.outcome).number(passed).number(total);
            let frame = frame.string(&fields.message).number(fields.cases.len());
            let frame = fields.cases.iter().fold(frame, |f, (n, p, d)| f.string(n).number(*p).string(d));
            let frame = frame.strings(fields.changed.iter().map(String::as_str)).number(fields.threads);
            let frame = frame.number(0).bytes(&[]);
            super::result(&mut Reader::over(frame.done()[4..].to_vec()), "nonce").is_some()
        };
        let check = |fits: bool, change: fn(&mut Fields<'_>)| {
            let mut fields = honest();
            change(&mut fields);
            assert_eq!(judged(fields), fits);
        };
        check(true, |_| {});
        check(false, |f| f.outcome = "finished and much more");
        check(true, |f| f.message = "x".repeat(LONGEST_TEXT));
        check(false, |f| f.message = "x".repeat(LONGEST_TEXT + 1));
        check(false, |f| f.cases[0].0 = "x".repeat(LONGEST_TEXT + 1));
        check(false, |f| f.cases[1].2 = "x".repeat(LONGEST_TEXT + 1));
        check(false, |f| f.cases[0].1 = 2);
        check(true, |f| {
            f.counts = (500, 500);
            f.cases = vec![(String::new(), 1, String::new()); 500];
        });
        check(false, |f| {
            f.counts = (501, 501);
            f.cases = vec![(String::new(), 1, String::new()); 501];
        });
        // Listed and counted cases do not agree.
        check(false, |f| f.counts = (2, 2));
        check(false, |f| f.counts = (0, 2));
        check(true, |f| (f.counts, f.cases) = ((1_000_000, 1_000_000), Vec::new()));
        check(false, |f| (f.counts, f.cases) = ((1_000_001, 1_000_001), Vec::new()));
        check(false, |f| (f.counts, f.cases) = ((i32::MAX, i32::MAX), Vec::new()));
        check(false, |f| (f.counts, f.cases) = ((i32::MIN, 1), Vec::new()));
        check(true, |f| f.changed = vec!["locale".into(); 16]);
        check(false, |f| f.changed = vec!["locale".into(); 17]);
        check(false, |f| f.changed = vec!["x".repeat(65)]);
        check(false, |f| f.threads = 100_001);
    }

    #[test]
    fn too_long_frames_are_rejected_at_once() {
        // Only the length is sent: a server that waited for the content would wait until the wall time limit.
        let flood = outcome(|c, _| {
            c.write_all(&u32::try_from(LONGEST_RESULT + 1).unwrap().to_be_bytes()).unwrap();
            let _until_killed = c.read(&mut [0; 1]);
            ended(137)
        });
        assert_eq!((flood.verdict, flood.limit), (Verdict::Tampered, None), "{flood:?}");
        assert!(flood.message.len() < 200);
    }

    fn send(control: &mut UnixStream, bytes: &[u8], code: i32) -> Report {
        control.write_all(bytes).unwrap();
        ended(code)
    }
}
