//! The warm compiler's client: one sandboxed JVM that compiles many sources, started when it is
//! first needed and again when it was lost.

use std::{
    collections::BTreeSet,
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    EngineError,
    toolchain::{COMPILE_COLLECTOR, IN_PLACE, Toolchain, mounts},
    wire::{Files, Frame, PROTOCOL, Reader},
};
use crate::sandbox::{Child, Command, Limits, Sandbox};

/// How long one source may take. Ordinary ones take 20 ms; this is for a host that is very busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A fresh JVM after so many sources: whatever a source may have made the compiler keep, goes.
const SOURCES_A_JVM: u32 = 2000;

/// The compiler is told to stop after 30 errors; notes come beside them.
const MOST_MESSAGES: u32 = 1000;

/// Longer messages are cut, at so many characters: a type's name in one may be as long as the source.
const LONGEST_MESSAGE: usize = 2000;

/// What to compile.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Compiled classes on the class path, under a name that stands for their content.
    pub library: (&'a str, &'a Files),
    /// Jars on the class path, as seen inside.
    pub jars: &'a [String],
    /// Sources by file name.
    pub sources: Vec<(&'a str, &'a str)>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// The classes, by binary name.
    Classes(Files),
    /// What the compiler said.
    Refused(Vec<Message>),
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file it is about; empty where it is about none.
    pub file: String,
    /// The line, counted from 1; absent where there is none.
    pub line: Option<u32>,
    /// The compiler's own name for what is wrong, as `compiler.err.cant.resolve.location`.
    pub code: String,
    /// Its words.
    pub text: String,
}

/// A compiler that stays warm.
pub struct Compiler {
    sandbox: Arc<dyn Sandbox>,
    toolchain: Arc<Toolchain>,
    jars: Vec<(PathBuf, String)>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    libraries: BTreeSet<String>,
    compiled: u32,
}

impl Compiler {
    /// A compiler that sees these jars (host's path, path inside). Nothing is started yet.
    pub fn new(sandbox: Arc<dyn Sandbox>, toolchain: Arc<Toolchain>, jars: Vec<(PathBuf, String)>) -> Compiler {
        Compiler { sandbox, toolchain, jars, running: None }
    }

    /// Starts the JVM if it does not run, so that it warms up while other things happen.
    ///
    /// # Errors
    /// Our own failure.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        Ok(())
    }

    /// Compiles.
    ///
    /// A source that takes the compiler's JVM down is tried once more in a fresh one; when that is
    /// lost too, it is the source's doing and a refusal.
    ///
    /// # Errors
    /// Our own failure.
    pub fn compile(&mut self, request: &Request<'_>) -> Result<Compiled, EngineError> {
        for _ in 0..2 {
            match self.ask(request) {
                Err(EngineError::Io(_)) => self.running = None,
                answer => return answer,
            }
        }
        Ok(Compiled::Refused(vec![Message {
            file: String::new(),
            line: None,
            code: String::new(),
            text: "the compiler ended or took more than a minute over this source, twice".into(),
        }]))
    }

    /// Every type that an import may name with these jars, in order.
    ///
    /// # Errors
    /// Our own failure.
    pub fn index(&mut self, jars: &[String]) -> Result<Vec<String>, EngineError> {
        self.warm()?;
        let Some(running) = &mut self.running else { return Err(EngineError::Harness("no compiler".into())) };
        running.child.send(&Frame::new(b'I').strings(jars.iter().map(String::as_str)).done())?;
        let mut answer = Reader::receive(&mut running.child, Instant::now() + PATIENCE)?;
        expect(&mut answer, b'I')?;
        Ok(answer.strings()?)
    }

    /// Ends the JVM; the next request starts another. For an engine that has nothing to do.
    pub fn rest(&mut self) {
        self.running = None;
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Compiled, EngineError> {
        self.warm()?;
        let Some(running) = &mut self.running else { return Err(EngineError::Harness("no compiler".into())) };
        let (name, classes) = request.library;
        if running.libraries.insert(name.to_owned()) {
            let frame = Frame::new(b'L').string(name).files(classes.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
            running.child.send(&frame.done())?;
            expect(&mut Reader::receive(&mut running.child, Instant::now() + PATIENCE)?, b'L')?;
        }
        let frame = Frame::new(b'C')
            .string(name)
            .strings(request.jars.iter().map(String::as_str))
            .strings(OPTIONS.iter().copied())
            .files(request.sources.iter().map(|(n, t)| (*n, t.as_bytes())).collect::<Vec<_>>().into_iter());
        running.child.send(&frame.done())?;
        let mut answer = Reader::receive(&mut running.child, Instant::now() + PATIENCE)?;
        let compiled = read(&mut answer)?;
        running.compiled += 1;
        if running.compiled >= SOURCES_A_JVM {
            self.running = None;
        }
        Ok(compiled)
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
                // It lives long; each source has its own deadline.
                cpu_s: 24 * 3600,
                data_bytes: 2 << 30,
                threads: 128,
                file_bytes: 1 << 20,
                open_files: 512,
                scratch_bytes: 4 << 20,
                scratch_files: 64,
                printed_bytes: 16 << 20,
            },
        };
        let mut child = self.sandbox.start(&command).map_err(|e| EngineError::Sandbox(e.to_string()))?;
        greet(&mut child)?;
        Ok(Running { child, libraries: BTreeSet::new(), compiled: 0 })
    }
}

/// The compiler's switches. No annotation processors (they would run inside the compiler), no
/// warnings, line numbers for stack traces; joined texts as plain calls, because working them out at
/// run time is a good part of a fresh JVM's life.
pub const OPTIONS: &[&str] =
    &["-proc:none", "-nowarn", "-Xlint:none", "-g", "-Xmaxerrs", "30", "-XDstringConcat=inline"];

/// The environment of every JVM.
pub fn environment() -> Vec<(String, String)> {
    let pairs = [("LC_ALL", "C.UTF-8"), ("LD_LIBRARY_PATH", "/java/lib/server:/java/lib"), ("HOME", "/work")];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Waits for the Java side's first frame.
pub fn greet(child: &mut Child) -> Result<(), EngineError> {
    let deadline = Instant::now() + PATIENCE;
    let hello = Reader::receive(child, deadline).and_then(|mut hello| Ok((hello.kind()?, hello.number()?)));
    match hello {
        Ok((b'H', PROTOCOL)) => Ok(()),
        Ok(other) => Err(EngineError::Harness(format!("it said {other:?} and not hello"))),
        Err(e) => {
            let why = match child.end(Instant::now() + Duration::from_secs(5)) {
                Ok((report, printed, _)) => match report.fault {
                    Some(fault) => fault,
                    None => format!("it ended with {:?} before hello and printed {:?}", report.code, printed.trim()),
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
        found => Err(EngineError::Harness(format!("an answer of kind {:?}", char::from(found)))),
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
        // The Java side says -1 for "no line".
        let line = i32::try_from(line).ok().filter(|&line| line > 0).map(i32::cast_unsigned);
        messages.push(Message { file, line, code, text });
    }
    let classes = answer.files()?;
    if !failure.is_empty() {
        let text = format!("the compiler gave up: {failure}");
        messages.push(Message { file: String::new(), line: None, code: String::new(), text });
    }
    Ok(if fine { Compiled::Classes(classes) } else { Compiled::Refused(messages) })
}

impl From<EngineError> for io::Error {
    fn from(e: EngineError) -> Self {
        io::Error::other(e.to_string())
    }
}
