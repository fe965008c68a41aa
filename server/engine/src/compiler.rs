//! Client of the warm compiler: one sandboxed JVM that compiles many sources, and the [`Pool`] of compilers that
//! workers share.
//!
//! Invariant: a source delays other sources by at most `WARM_CPU`. What a warm compiler cannot finish is decided in a
//! fresh JVM, by CPU time, stack and memory, never by wall time.

use std::{
    collections::BTreeSet,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use model::{reason::Reason, run::LimitHit};

use super::{
    EngineError,
    stop::Stop,
    toolchain::{COMPILE_COLLECTOR, IN_PLACE, Toolchain, mounts},
    wire::{Files, Frame, PROTOCOL, Reader},
};
use sandbox::{Child, Command, Limits, Profile, Sandbox};

/// CPU time limit of one source in a shared compiler. Most sources take 20 ms, the first one of a cold JVM 1 s. The
/// limit decides nothing: a source that needs more is compiled again, alone, in a fresh JVM.
const WARM_CPU: Duration = Duration::from_secs(2);

/// CPU time limit of one source in a fresh JVM, which decides. The same as the default CPU time limit of an output.
const ALONE_CPU: Duration = Duration::from_secs(10);

/// CPU time limit of a dataset's tests, which are one request.
const TESTS_CPU: Duration = Duration::from_secs(300);

/// How long a worker waits for a busy compiler before it starts another one: longer than a cold compiler takes for its
/// first source, because starting another one costs more than that.
const QUEUE: Duration = Duration::from_secs(2);

/// Wall time limit of a request. Reaching it is an engine error, never a verdict: the host gave the compiler no CPU
/// time.
const HOST_PATIENCE: Duration = Duration::from_secs(600);

/// Time limit for starting the JVM and for requests without compilation.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many threads of the compiler's JVM can be busy at once: javac, the JIT compiler, the garbage collector.
const BUSY_THREADS: u32 = 3;

/// A JVM is replaced after this many sources, which releases whatever they made the compiler keep.
const SOURCES_A_JVM: u32 = 2000;

/// Maximum number of messages. The compiler stops after 30 errors; notes are added to these.
const MOST_MESSAGES: u32 = 1000;

/// Maximum length of a message in characters; longer ones are cut. A type's name can be as long as the source.
const LONGEST_MESSAGE: usize = 2000;

/// A request to compile sources.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Compiled classes on the class path, with a name that identifies their content.
    pub library: (&'a str, &'a Files),
    /// Jars on the class path, by their paths in the sandbox.
    pub jars: &'a [String],
    /// Sources by file name.
    pub sources: Vec<(&'a str, &'a str)>,
}

/// The result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// The compiled classes, by binary name.
    Classes(Files),
    /// The compiler's messages about sources that do not compile.
    Refused(Vec<Message>),
    /// The compiler could not finish.
    Exceeded(Exceeded),
}

/// The resource that a source used up, or a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// CPU time.
    Cpu,
    /// Stack.
    Stack,
    /// Heap, or the sandbox's memory.
    Memory,
    /// The JVM ended by itself.
    Crash,
}

impl Exceeded {
    /// The limit to report in an outcome.
    pub fn limit(self) -> Option<LimitHit> {
        match self {
            Exceeded::Cpu => Some(LimitHit::Cpu),
            Exceeded::Stack => Some(LimitHit::Stack),
            Exceeded::Memory => Some(LimitHit::Heap),
            Exceeded::Crash => None,
        }
    }

    /// The reason to report in an outcome.
    pub fn reason(self) -> Reason {
        match self {
            Exceeded::Cpu => Reason::CompilerCpu,
            Exceeded::Stack => Reason::CompilerStack,
            Exceeded::Memory => Reason::CompilerMemory,
            Exceeded::Crash => Reason::CompilerCrash,
        }
    }
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file that the message is about, or empty.
    pub file: String,
    /// The line, counted from 1, if there is one.
    pub line: Option<u32>,
    /// The compiler's key for the message, such as `compiler.err.cant.resolve.location`.
    pub code: String,
    /// The message text.
    pub text: String,
}

/// A compiler whose JVM keeps running between requests.
pub struct Compiler {
    sandbox: Arc<dyn Sandbox>,
    toolchain: Arc<Toolchain>,
    jars: Vec<(PathBuf, String)>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    greeted: bool,
    libraries: BTreeSet<String>,
    compiled: u32,
}

impl Compiler {
    /// A compiler with these jars (path on the host, path in the sandbox). Starts nothing yet.
    pub fn new(sandbox: Arc<dyn Sandbox>, toolchain: Arc<Toolchain>, jars: Vec<(PathBuf, String)>) -> Compiler {
        Compiler { sandbox, toolchain, jars, running: None }
    }

    /// Starts the JVM if it is not running, without waiting until it is ready.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        Ok(())
    }

    /// Compiles a dataset's tests.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn compile(&mut self, request: &Request<'_>) -> Result<Compiled, EngineError> {
        self.ask(request, TESTS_CPU, &Stop::default())
    }

    /// All types that an import may name with these jars.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn index(&mut self, jars: &[String]) -> Result<Vec<String>, EngineError> {
        let running = self.running()?;
        running.child.send(&Frame::new(b'I').strings(jars.iter().map(String::as_str)).done())?;
        let mut answer = Reader::receive(&mut running.child, Instant::now() + PATIENCE)?;
        expect(&mut answer, b'I')?;
        Ok(answer.strings()?)
    }

    /// The JVM, started and ready.
    fn running(&mut self) -> Result<&mut Running, EngineError> {
        self.warm()?;
        let Some(running) = &mut self.running else { return Err(EngineError::Harness("no compiler".into())) };
        if !running.greeted {
            greet(&mut running.child)?;
            running.greeted = true;
        }
        Ok(running)
    }

    /// Compiles within `cpu` of CPU time. Discards the JVM after any result but classes or messages, after an engine
    /// error, and after `SOURCES_A_JVM` sources.
    fn ask(&mut self, request: &Request<'_>, cpu: Duration, stop: &Stop) -> Result<Compiled, EngineError> {
        let answer = self.running().and_then(|running| running.ask(request, cpu, stop));
        let used_up = self.running.as_ref().is_some_and(|running| running.compiled >= SOURCES_A_JVM);
        if used_up || !matches!(answer, Ok(Compiled::Classes(_) | Compiled::Refused(_))) {
            self.running = None;
        }
        answer
    }

    fn start(&self) -> Result<Running, EngineError> {
        let mut read_only = mounts(&self.toolchain.compile)?;
        read_only.extend(self.jars.iter().cloned());
        let argv = ["/java/bin/java", COMPILE_COLLECTOR, "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"];
        let rest = ["-Xmx384m", "-Xss4m", "-XX:-UseContainerSupport", "-XX:+DisableAttachMechanism"];
        let last = [
            "-Dfile.encoding=UTF-8",
            "-Duser.language=en",
            "-m",
            "aixgrade.compiler/aixgrade.compiler.Server",
            "{control}",
        ];
        let command = Command {
            argv: argv.into_iter().chain(IN_PLACE).chain(rest).chain(last).map(str::to_owned).collect(),
            env: environment(),
            read_only,
            scratch: vec!["/work".into(), "/tmp".into()],
            limits: Limits {
                // The JVM lives long; each source has its own limit.
                cpu_s: 24 * 3600,
                data_bytes: 2 << 30,
                threads: 128,
                file_bytes: 1 << 20,
                open_files: 512,
                scratch_bytes: 4 << 20,
                scratch_files: 64,
                printed_bytes: 16 << 20,
            },
            profile: Profile::EventLoop,
            keep: None,
            copies: Vec::new(),
            control_is_input: false,
        };
        let child = self.sandbox.start(&command).map_err(|e| EngineError::Sandbox(e.to_string()))?;
        Ok(Running { child, greeted: false, libraries: BTreeSet::new(), compiled: 0 })
    }
}

impl Running {
    fn ask(&mut self, request: &Request<'_>, cpu: Duration, stop: &Stop) -> Result<Compiled, EngineError> {
        let (name, classes) = request.library;
        if self.libraries.insert(name.to_owned()) {
            let frame = Frame::new(b'L').string(name).files(classes.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
            self.child.send(&frame.done())?;
            expect(&mut Reader::receive(&mut self.child, Instant::now() + PATIENCE)?, b'L')?;
        }
        let frame = Frame::new(b'C')
            .string(name)
            .strings(request.jars.iter().map(String::as_str))
            .strings(OPTIONS.iter().copied())
            .files(request.sources.iter().map(|(n, t)| (*n, t.as_bytes())).collect::<Vec<_>>().into_iter());
        let before = self.child.cpu().unwrap_or_default();
        self.child.send(&frame.done())?;
        let begun = Instant::now();
        loop {
            stop.check()?;
            let used = self.child.cpu().map_or(Duration::ZERO, |now| now.saturating_sub(before));
            if used >= cpu {
                return Ok(Compiled::Exceeded(Exceeded::Cpu));
            }
            if begun.elapsed() >= HOST_PATIENCE {
                return Err(EngineError::Busy(format!("the compiler got {used:?} of CPU time in 10 minutes")));
            }
            // Wakes up when the rest could be used up, and often enough to notice that the run was stopped.
            let pause = ((cpu - used) / BUSY_THREADS).clamp(Duration::from_millis(5), Duration::from_millis(500));
            match Reader::receive(&mut self.child, Instant::now() + pause) {
                Ok(mut answer) => {
                    self.compiled += 1;
                    return read(&mut answer);
                }
                Err(e) if e.kind() == io::ErrorKind::TimedOut => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return self.lost(),
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Determines why the JVM ended during a compilation.
    fn lost(&mut self) -> Result<Compiled, EngineError> {
        let (report, printed, _) = self.child.end(Instant::now() + Duration::from_secs(5))?;
        match (report.fault, report.code) {
            (Some(fault), _) => Err(EngineError::Sandbox(fault)),
            _ if report.out_of_memory => Ok(Compiled::Exceeded(Exceeded::Memory)),
            // SIGKILL comes from outside: nothing in the sandbox can send it.
            (None, Some(137)) => Err(EngineError::Sandbox("the compiler was killed from outside".into())),
            (None, code) => {
                tracing::warn!(?code, printed = printed.trim(), "the compiler crashed on a source");
                Ok(Compiled::Exceeded(Exceeded::Crash))
            }
        }
    }
}

/// The warm compilers that workers share.
///
/// Several workers share a compiler, because a compiler is slow until it has compiled some hundred classes and is busy
/// for a quarter of an output's time. A worker that waits longer than `QUEUE` starts another one, which ends when it is
/// no longer needed.
pub struct Pool {
    make: Box<dyn Fn() -> Compiler + Send + Sync>,
    /// The usual number of compilers.
    usual: usize,
    /// How long a worker waits before it starts another compiler: [`QUEUE`].
    queue: Duration,
    state: Mutex<PoolState>,
    returned: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Compiler>,
    lent: usize,
}

/// A compiler in use by one worker. Dropping the value returns it to the pool.
struct PooledCompiler<'a> {
    pool: &'a Pool,
    compiler: Option<Compiler>,
}

impl Pool {
    /// A pool of `usual` compilers, created on demand.
    pub fn new(usual: usize, make: impl Fn() -> Compiler + Send + Sync + 'static) -> Pool {
        Pool {
            make: Box::new(make),
            usual: usual.max(1),
            queue: QUEUE,
            state: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    /// Starts a compiler's JVM if none is idle, without waiting until it is ready.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn warm(&self) -> Result<(), EngineError> {
        self.with(Compiler::warm)
    }

    /// All types that an import may name with these jars.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn index(&self, jars: &[String]) -> Result<Vec<String>, EngineError> {
        self.with(|compiler| compiler.index(jars))
    }

    /// Compiles a source. If a warm compiler cannot finish it within its CPU time, stack and memory, a fresh JVM, which
    /// no other worker waits for, compiles it again. The fresh JVM's result counts, so that no earlier source can
    /// affect it.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn compile(&self, request: &Request<'_>, stop: &Stop) -> Result<Compiled, EngineError> {
        let answer = self.with(|compiler| {
            let answer = compiler.ask(request, WARM_CPU, stop);
            if matches!(answer, Ok(Compiled::Exceeded(_))) {
                // The replacement JVM starts while the source is compiled elsewhere.
                compiler.warm()?;
            }
            answer
        })?;
        match answer {
            Compiled::Exceeded(_) => (self.make)().ask(request, ALONE_CPU, stop),
            done => Ok(done),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Compiler) -> Result<T, EngineError>) -> Result<T, EngineError> {
        let mut lent = self.take();
        match &mut lent.compiler {
            Some(compiler) => work(compiler),
            None => Err(EngineError::Harness("no compiler".into())),
        }
    }

    fn take(&self) -> PooledCompiler<'_> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |state: &mut PoolState| state.idle.is_empty() && state.lent >= self.usual;
        let waited = self.returned.wait_timeout_while(state, self.queue, must_wait);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.lent += 1;
        let idle = state.idle.pop();
        drop(state);
        PooledCompiler { pool: self, compiler: Some(idle.unwrap_or_else(|| (self.make)())) }
    }
}

impl Drop for PooledCompiler<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.lent -= 1;
        if state.idle.len() + state.lent < self.pool.usual {
            state.idle.extend(self.compiler.take());
        }
        drop(state);
        self.pool.returned.notify_one();
        // A surplus compiler ends here, outside the lock, because that takes a moment.
        self.compiler = None;
    }
}

/// Compiler options: no annotation processors (they would run inside the compiler), no warnings, line numbers for stack
/// traces, and string concatenation by plain calls, because linking it at run time takes a large part of a fresh JVM's
/// life.
pub const OPTIONS: &[&str] =
    &["-proc:none", "-nowarn", "-Xlint:none", "-g", "-Xmaxerrs", "30", "-XDstringConcat=inline"];

/// The environment variables of every JVM.
pub fn environment() -> Vec<(String, String)> {
    let pairs = [("LC_ALL", "C.UTF-8"), ("LD_LIBRARY_PATH", "/java/lib/server:/java/lib"), ("HOME", "/work")];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Waits for the hello frame of the Java side.
pub fn greet(child: &mut Child) -> Result<(), EngineError> {
    let deadline = Instant::now() + PATIENCE;
    let hello = Reader::receive(child, deadline).and_then(|mut hello| Ok((hello.kind()?, hello.number()?)));
    match hello {
        Ok((b'H', PROTOCOL)) => Ok(()),
        Ok(other) => Err(EngineError::Harness(format!("it sent {other:?} instead of hello"))),
        Err(e) => {
            let why = match child.end(Instant::now() + Duration::from_secs(5)) {
                Ok((report, printed, _)) => match report.fault {
                    Some(fault) => fault,
                    None => format!("it exited with {:?} before hello and printed {:?}", report.code, printed.trim()),
                },
                Err(lost) => lost.to_string(),
            };
            Err(EngineError::Sandbox(format!("{why} ({e})")))
        }
    }
}

fn expect(answer: &mut Reader, kind: u8) -> Result<(), EngineError> {
    match answer.kind()? {
        found if found == kind => Ok(()),
        found => Err(EngineError::Harness(format!("unexpected answer of kind {:?}", char::from(found)))),
    }
}

fn read(answer: &mut Reader) -> Result<Compiled, EngineError> {
    expect(answer, b'D')?;
    let fine = answer.number()? == 1;
    let failure = answer.string()?;
    let mut messages = Vec::new();
    for _ in 0..answer.number_at_most(MOST_MESSAGES)? {
        let file = answer.string()?;
        let (line, _column) = (answer.number()?, answer.number()?);
        let (code, mut text) = (answer.string()?, answer.string()?);
        if let Some((end, _)) = text.char_indices().nth(LONGEST_MESSAGE) {
            text.truncate(end);
            text.push('…');
        }
        // The Java side sends -1 for no line.
        let line = i32::try_from(line).ok().filter(|&line| line > 0).map(i32::cast_unsigned);
        messages.push(Message { file, line, code, text });
    }
    let classes = answer.files()?;
    Ok(match failure.as_str() {
        "" if fine => Compiled::Classes(classes),
        "" => Compiled::Refused(messages),
        "stack" => Compiled::Exceeded(Exceeded::Stack),
        "memory" => Compiled::Exceeded(Exceeded::Memory),
        failure => {
            let text = format!("the compiler failed: {failure}");
            messages.push(Message { file: String::new(), line: None, code: String::new(), text });
            Compiled::Refused(messages)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        os::unix::net::UnixStream,
        sync::{
            atomic::{AtomicBool, Ordering},
            mpsc,
        },
        thread,
    };

    use super::*;
    use sandbox::{Report, fake::Fake};

    fn frame(control: &mut UnixStream) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        control.read_exact(&mut length)?;
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        control.read_exact(&mut body)?;
        Ok(body)
    }

    /// Imitates a compiler that returns no classes. For a source with `bomb`, it sends to `got` and never answers.
    fn play(control: &mut UnixStream, got: &mpsc::Sender<()>) -> io::Result<()> {
        control.write_all(&Frame::new(b'H').number(PROTOCOL as usize).string("fake").done())?;
        loop {
            let request = frame(control)?;
            match request.first() {
                Some(b'C') if request.windows(4).any(|part| part == b"bomb") => {
                    let _ = got.send(());
                    control.read_to_end(&mut Vec::new())?;
                }
                Some(b'C') => control.write_all(&Frame::new(b'D').number(1).string("").number(0).number(0).done())?,
                _ => control.write_all(&Frame::new(b'L').done())?,
            }
        }
    }

    #[test]
    fn endless_source_does_not_delay_others() {
        let image = tempfile::tempdir().unwrap();
        std::fs::create_dir(image.path().join("sys")).unwrap();
        let toolchain = Arc::new(Toolchain {
            run: image.path().into(),
            compile: image.path().into(),
            java: String::new(),
            fingerprint: String::new(),
        });
        let (got, bomb_is_there) = mpsc::channel();
        let sandbox: Arc<dyn Sandbox> = Arc::new(Fake(move |_: &Command, mut control: UnixStream| {
            let _until_the_server_hangs_up = play(&mut control, &got);
            Report::default()
        }));
        let make = move || Compiler::new(Arc::clone(&sandbox), Arc::clone(&toolchain), Vec::new());
        let pool = Pool { queue: Duration::ZERO, ..Pool::new(1, make) };
        let (library, cancelled) = (Files::new(), Arc::<AtomicBool>::default());
        let request =
            |source| Request { library: ("tests", &library), jars: &[], sources: vec![("Output.java", source)] };
        thread::scope(|scope| {
            let bomb = scope.spawn(|| pool.compile(&request("bomb"), &Stop::begin(&cancelled)));
            bomb_is_there.recv().unwrap();
            for _ in 0..3 {
                let answer = pool.compile(&request("class Output {}"), &Stop::default()).unwrap();
                assert_eq!(answer, Compiled::Classes(Files::new()));
            }
            cancelled.store(true, Ordering::SeqCst);
            assert!(matches!(bomb.join().unwrap(), Err(EngineError::Cancelled)));
        });
        // Only the usual number of compilers is left.
        let state = pool.state.lock().unwrap();
        assert!(state.lent == 0 && state.idle.len() <= 1, "{} lent, {} idle", state.lent, state.idle.len());
    }
}
