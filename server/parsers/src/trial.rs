//! Trials: a text is parsed in a process of this program first, which has limits and nothing to lose. Parsing is
//! deterministic, so a text that the trial survives takes no more here.

use std::{
    fmt::Display,
    fs,
    io::{self, ErrorKind, Read, Write},
    num::NonZero,
    ops::ControlFlow,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::Duration,
};

use model::code_lang::CodeLang;
use nix::{
    sys::{
        resource::{Resource, getrlimit, setrlimit},
        signal::Signal,
    },
    time::{ClockId, clock_gettime},
};

use super::Refusal;

/// The first argument of a process that tries texts.
const ARGUMENT: &str = "aixgrade-parser";

/// Memory for parsing a text: this, and [`BYTES_A_BYTE`] for each byte of the text. Real programs take a third of the
/// latter.
const MEMORY: u64 = 64 << 20;
/// See [`MEMORY`].
const BYTES_A_BYTE: u64 = 256;

/// A process whose memory has grown by this much ends after its answer; the next text gets a new one.
const LARGEST: u64 = 16 << 20;

/// CPU time, in seconds, beyond the parser's own limit, at which the process is ended.
const GRACE: u64 = 2;

/// The signals by which a text ends its process: it aborts, reads or writes where it may not, or exceeds its CPU time.
const OWN_ENDS: [Signal; 4] = [Signal::SIGABRT, Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGXCPU];

/// Number of processes that somebody else may end before a text is refused. The operating system does when memory is short,
/// and a service manager when it stops the server.
const ATTEMPTS: usize = 5;

/// The answers: the text passed, and it did not.
const PASSED: u8 = b'+';
const REFUSED: u8 = b'-';
/// What follows an answer: the process waits for the next text, or it ends.
const WAITS: u8 = b' ';
const ENDS: u8 = b'.';

/// The program that tries texts; without one, they are not tried.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Processes that wait for a text.
static WAITING: Mutex<Vec<Trial>> = Mutex::new(Vec::new());

/// Begins a program that parses. In a process that was started to try texts, it does that and returns the exit code.
/// Any other process tries texts in such processes from now on. Programs that do not call it, such as tests of single
/// crates, parse without a trial. Must be called before any thread is started.
#[must_use]
pub fn contain(mut args: impl Iterator<Item = String>) -> Option<ExitCode> {
    if args.nth(1).as_deref() == Some(ARGUMENT) {
        return Some(if serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    // Whatever has replaced the program's file since.
    contain_in(PathBuf::from("/proc/self/exe"));
    None
}

/// Tries texts in processes of this program, which calls [`contain`]. The first call counts.
pub fn contain_in(program: PathBuf) {
    let _first = PROGRAM.set(program);
}

/// Tries to parse a text in another process. Succeeds if texts are not tried.
///
/// # Errors
///
/// Parsing takes too much CPU time or memory.
pub(super) fn pass(text: &str, lang: CodeLang, cpu: Duration) -> Result<(), Refusal> {
    let Some(program) = PROGRAM.get() else { return Ok(()) };
    for _ in 0..ATTEMPTS {
        let mut trial = match next(program) {
            Ok(trial) => trial,
            Err(e) => {
                log_untried(&e);
                return Ok(());
            }
        };
        match trial.ask(text, lang, cpu) {
            Ok([answer, then]) => {
                if then == WAITS {
                    put_back(trial);
                }
                return if answer == PASSED { Ok(()) } else { Err(Refusal::TooMuchCpu) };
            }
            Err(_) => match trial.child.wait() {
                Ok(status) => {
                    let Some(signal) = status.signal() else {
                        // It could not work, for instance because it may not limit itself.
                        log_untried(&status);
                        return Ok(());
                    };
                    if OWN_ENDS.iter().any(|own| signal == *own as i32) {
                        tracing::warn!(%lang, bytes = text.len(), %status, "a text made its parser fail");
                        let is_cpu = signal == Signal::SIGXCPU as i32;
                        return Err(if is_cpu { Refusal::TooMuchCpu } else { Refusal::TooMuchMemory });
                    }
                }
                Err(e) => {
                    log_untried(&e);
                    return Ok(());
                }
            },
        }
    }
    Err(Refusal::TooMuchMemory)
}

/// Says that a text is parsed without a trial: without its tree, an output could get a false verdict.
fn log_untried(cause: &dyn Display) {
    tracing::error!(%cause, "code is parsed without a trial in a process of its own");
}

fn waiting() -> MutexGuard<'static, Vec<Trial>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that waits, or a new one.
fn next(program: &PathBuf) -> io::Result<Trial> {
    loop {
        let Some(mut trial) = waiting().pop() else { return Trial::start(program) };
        // One that somebody ended meanwhile is not this text's fault.
        if trial.child.try_wait()?.is_none() {
            return Ok(trial);
        }
    }
}

fn put_back(trial: Trial) {
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    let mut waiting = waiting();
    if waiting.len() < most {
        waiting.push(trial);
    }
}

/// A process that tries texts.
struct Trial {
    child: Child,
    texts: ChildStdin,
    answers: ChildStdout,
}

impl Trial {
    #[allow(clippy::disallowed_methods, reason = "the program starts itself, and no model's code runs")]
    fn start(program: &PathBuf) -> io::Result<Trial> {
        let mut command = Command::new(program);
        // In a process group of its own, so that Ctrl-C ends the program and not a trial.
        command.arg(ARGUMENT).env_clear().current_dir("/").process_group(0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(texts), Some(answers)) => Ok(Trial { child, texts, answers }),
            _ => Err(io::Error::other("a process without pipes")),
        }
    }

    /// The answer, and what follows it.
    fn ask(&mut self, text: &str, lang: CodeLang, cpu: Duration) -> io::Result<[u8; 2]> {
        self.texts.write_all(&Order { lang, cpu, bytes: text.len() as u64 }.write())?;
        self.texts.write_all(text.as_bytes())?;
        let mut answer = [0; 2];
        self.answers.read_exact(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        // Of a process that has ended, both only fail.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// What comes before a text.
struct Order {
    lang: CodeLang,
    cpu: Duration,
    bytes: u64,
}

/// Bytes of an [`Order`]: the language, microseconds of CPU time, and the length of the text.
const ORDER: usize = 17;

impl Order {
    fn write(&self) -> [u8; ORDER] {
        let mut written = [0; ORDER];
        written[0] = self.lang as u8;
        written[1..9].copy_from_slice(&u64::try_from(self.cpu.as_micros()).unwrap_or(u64::MAX).to_le_bytes());
        written[9..].copy_from_slice(&self.bytes.to_le_bytes());
        written
    }

    fn read(from: &mut impl Read) -> io::Result<Order> {
        let (mut lang, mut cpu, mut bytes) = ([0; 1], [0; 8], [0; 8]);
        from.read_exact(&mut lang)?;
        from.read_exact(&mut cpu)?;
        from.read_exact(&mut bytes)?;
        let lang = CodeLang::ALL.into_iter().find(|known| *known as u8 == lang[0]);
        Ok(Order {
            lang: lang.ok_or(ErrorKind::InvalidData)?,
            cpu: Duration::from_micros(u64::from_le_bytes(cpu)),
            bytes: u64::from_le_bytes(bytes),
        })
    }
}

/// Tries the texts from standard input until it is closed.
fn serve() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    set_limit(Resource::RLIMIT_CORE, 0)?;
    let at_first = memory()?;
    loop {
        let order = match Order::read(&mut input) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            order => order?,
        };
        let mut text = String::new();
        (&mut input).take(order.bytes).read_to_string(&mut text)?;
        let used = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from)?;
        set_limit(Resource::RLIMIT_CPU, (used + order.cpu).as_secs() + GRACE)?;
        set_limit(Resource::RLIMIT_DATA, memory()? + MEMORY + BYTES_A_BYTE * order.bytes)?;
        let passed = super::run(&text, order.lang, order.cpu, &mut || ControlFlow::Continue(())).is_ok();
        let ends = memory()? > at_first + LARGEST;
        output.write_all(&[if passed { PASSED } else { REFUSED }, if ends { ENDS } else { WAITS }])?;
        output.flush()?;
        if ends {
            return Ok(());
        }
    }
}

/// Sets a limit of this process; the hard limit stays.
fn set_limit(resource: Resource, limit: u64) -> io::Result<()> {
    let (_, hard) = getrlimit(resource)?;
    Ok(setrlimit(resource, limit.min(hard), hard)?)
}

/// Writable memory of this process in bytes, as `RLIMIT_DATA` counts it.
fn memory() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:")?.trim().strip_suffix(" kB"));
    let kilobytes = data.and_then(|text| text.trim().parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes << 10).ok_or_else(|| io::Error::other("no VmData in /proc/self/status"))
}
