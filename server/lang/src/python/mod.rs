//! Python: an image has the interpreter, its standard library and numpy; a fork server starts a fresh process for each
//! program.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use model::{
    code_lang::CodeLang,
    reason::Reason,
    run::{Outcome, Verdict},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Judged, Language, Places, PublishedProgram, RunContext, Toolchain, command,
    guard::{JudgePool, PooledJudge},
    image,
    process::{Budget, Ended, ForkServers, Next, Running},
};
use benchmarks::humaneval::{self, Task};
use engine::EngineError;
use sandbox::{Command, Profile, fork_server::ForkServer, tool};

mod failures;
mod harmless;
pub mod projects;
pub mod scripts;
mod trials;

/// The program that runs in the sandbox: the values' reader and writer, the harness, scripts, the fork server.
const HARNESS: &str = concat!(
    include_str!("values.py"),
    "\n",
    include_str!("harness.py"),
    "\n",
    include_str!("script.py"),
    "\n",
    include_str!("project.py"),
    "\n",
    include_str!("fork_server.py")
);

/// Increase when images are built differently.
const GENERATION: u32 = 3;

/// An interpreter's report about itself.
#[derive(Deserialize)]
struct Interpreter {
    program: PathBuf,
    stdlib: PathBuf,
    /// For example `python3.11`.
    name: String,
    version: String,
    numpy: PathBuf,
    numpy_version: String,
    /// What every program finds bound: builtins, and what it imports from `typing` and `collections` without a list.
    names: BTreeSet<String>,
}

const QUESTION: &str = "
import builtins, collections, importlib.metadata, importlib.util, json, os, sys, sysconfig, typing
numpy = importlib.util.find_spec('numpy').origin
try:
    numpy_version = importlib.metadata.version('numpy')
except importlib.metadata.PackageNotFoundError:
    from numpy import __version__ as numpy_version
print(json.dumps({
    'program': os.path.realpath(sys.executable),
    'stdlib': sysconfig.get_path('stdlib'),
    'name': 'python%d.%d' % sys.version_info[:2],
    'version': sys.version.split()[0],
    'numpy': os.path.dirname(numpy),
    'numpy_version': numpy_version,
    'names': dir(builtins) + typing.__all__ + collections.__all__,
}))";

/// Python's entry in the table of languages.
pub const LANGUAGE: Language = Language {
    code: CodeLang::Python,
    look: |places| locate(places).map(drop),
    find,
    failures: failures::FAILURES,
    trials: &trials::TRIALS,
};

struct Python {
    version: String,
    names: BTreeSet<String>,
    /// For processes with tests.
    judging: Side,
    /// For processes that start without tests.
    solving: Side,
    /// For processes that receive the tests afterwards.
    both: Side,
    judges: JudgePool,
    /// Set if a fork server could not be started. Each program then starts its own interpreter.
    without_servers: AtomicBool,
}

/// One copy of the image, and the fork servers that see it.
struct Side {
    mounts: Vec<(PathBuf, String)>,
    servers: Arc<ForkServers>,
    /// Fork servers that have loaded numpy.
    numpy_servers: Arc<ForkServers>,
}

impl Side {
    fn new(mounts: Vec<(PathBuf, String)>) -> Side {
        Side { mounts, servers: Arc::default(), numpy_servers: Arc::default() }
    }

    /// The command that starts an interpreter in a mode.
    fn interpreter(&self, mode: &str, budget: Budget) -> Command {
        let arguments = ["/python/bin/python3", "-I", "-S", "-c", HARNESS, "{control}", mode];
        let mut command = command(&arguments, self.mounts.clone(), budget, Profile::Run);
        command.env.push(("OPENBLAS_NUM_THREADS".into(), "1".into()));
        command.env.push(("OMP_NUM_THREADS".into(), "1".into()));
        command
    }
}

/// The role of a process: see `harness.py`.
#[derive(Clone, Copy)]
enum Mode {
    Published,
    Solver,
    Judge,
    Both,
}

/// Finds `python/bin/python3` in a folder with toolchains or `python3` on the path, with numpy.
///
/// # Errors
/// Fails if there is no Python 3 with numpy.
fn locate(places: &Places) -> io::Result<Interpreter> {
    let missing = |what: &str| places.missing("python", what);
    let program =
        places.program("python/bin/python3", "python3").ok_or_else(|| missing("no python3 was found on the path"))?;
    let said = tool::run(&program, ["-I", "-c", QUESTION])
        .map_err(|_| missing(&format!("{} has no numpy", program.display())))?;
    serde_json::from_str(&said).map_err(io::Error::other)
}

fn find(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>> {
    let found = locate(places)?;
    let version = format!("Python {}, numpy {}", found.version, found.numpy_version);
    let mut digest = Sha256::new();
    digest.update(format!("{GENERATION} {version} {:?} {:?}", found.program, found.numpy));
    let name = format!("python-{}", &hex::encode(digest.finalize())[..16]);
    let place = image::prepared(folder, &name, |place| {
        let image = place.join("image");
        build(&found, &image)?;
        image::duplicate(&image, &image)
    })?;
    let image = place.join("image");
    let image::Copies { judging, solving, both } = image::Copies::of(&image, &image, image::mounts, image::mounts)?;
    // These processes have the tests in the end.
    image::load(&both);
    Ok(Arc::new(Python {
        version,
        names: found.names,
        judging: Side::new(judging),
        solving: Side::new(solving),
        both: Side::new(both),
        judges: JudgePool::default(),
        without_servers: AtomicBool::new(false),
    }))
}

/// Builds the image: `/python/bin/python3`, its standard library without other packages and tests, `/python/site` with
/// numpy.
fn build(found: &Interpreter, place: &Path) -> io::Result<()> {
    const LEFT_OUT: [&str; 12] = [
        "site-packages",
        "dist-packages",
        "test",
        "tests",
        "idlelib",
        "tkinter",
        "turtledemo",
        "ensurepip",
        "lib2to3",
        "distutils",
        "__pycache__",
        "config",
    ];
    let root = place.join("python");
    let library = root.join("lib").join(&found.name);
    copy_library(&found.stdlib, &library, &LEFT_OUT)?;
    let site = found.numpy.parent().unwrap_or(&found.numpy);
    let no_cache = |path: &Path| !path.ends_with("__pycache__") && !path.ends_with("tests");
    image::copy_tree(&found.numpy, &root.join("site/numpy"), &no_cache)?;
    // Wheels keep the libraries that numpy links to here.
    let libs = site.join("numpy.libs");
    if libs.is_dir() {
        image::copy_tree(&libs, &root.join("site/numpy.libs"), &|_| true)?;
    }
    complete(&found.program, place, [library, root.join("site")])
}

/// Copies the standard library without the folders and files that `left_out` names.
fn copy_library(stdlib: &Path, library: &Path, left_out: &[&str]) -> io::Result<()> {
    let wanted = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !left_out.contains(&&*name) && !name.starts_with("config-")
    };
    image::copy_tree(stdlib, library, &wanted)
}

/// Adds the interpreter and the libraries to which the image's files link, and compiles the modules in `folders`.
fn complete(interpreter: &Path, place: &Path, folders: impl IntoIterator<Item = PathBuf>) -> io::Result<()> {
    let root = place.join("python");
    let program = root.join("bin/python3");
    std::fs::create_dir_all(root.join("bin"))?;
    std::fs::copy(interpreter, &program)?;
    let mut linked = vec![program];
    shared_objects(&root, &mut linked)?;
    let mut libraries = image::libraries(&linked)?;
    // Libraries inside the image are found by their relative paths.
    libraries.retain(|path| !path.starts_with(place));
    image::copy_libraries(&libraries, place)?;
    // Hashes that are never checked: the sandbox cannot write, and modification times change with each copy.
    let arguments = ["-I", "-S", "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"];
    let folders = folders.into_iter().map(PathBuf::into_os_string);
    let arguments = arguments.iter().map(|a| (*a).into()).chain(folders);
    // Failures are ignored: the standard library contains examples of invalid syntax.
    let _ = tool::run(interpreter, arguments.collect::<Vec<std::ffi::OsString>>());
    Ok(())
}

fn shared_objects(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            shared_objects(&path, found)?;
        } else if path.to_string_lossy().contains(".so") {
            found.push(path);
        }
    }
    Ok(())
}

impl Python {
    fn start(&self, context: &RunContext, mode: Mode, texts: &[&str]) -> Result<Running, EngineError> {
        let server_budget = budget(context.budget);
        let budget = if let Mode::Both = mode { server_budget.for_quick_path() } else { server_budget };
        let (letter, name) = match mode {
            Mode::Published => (b'p', "published"),
            Mode::Solver => (b's', "solver"),
            Mode::Judge => (b'j', "judge"),
            Mode::Both => (b'b', "both"),
        };
        let side = match mode {
            Mode::Published | Mode::Judge => &self.judging,
            Mode::Solver => &self.solving,
            Mode::Both => &self.both,
        };
        // This affects only speed: a process without numpy loads it when it first uses it.
        let (servers, serve) = if texts.iter().any(|text| uses_numpy(text)) {
            (&side.numpy_servers, "serve-numpy")
        } else {
            (&side.servers, "serve")
        };
        let forked = (!self.without_servers.load(Ordering::Relaxed)).then(|| {
            let start = || ForkServer::start(&*context.sandbox, &side.interpreter(serve, server_budget));
            Running::fork(servers, letter, server_budget, budget, &context.stop, start)
        });
        let mut running = match forked {
            Some(Ok(running)) => running,
            other => {
                if let Some(Err(e)) = other
                    && !self.without_servers.swap(true, Ordering::Relaxed)
                {
                    tracing::warn!(cause = %e, "no fork server: every Python program starts an interpreter");
                }
                context.start(&side.interpreter(name, budget), budget)?
            }
        };
        for text in texts {
            running.send(b'G', text.as_bytes());
        }
        Ok(running)
    }
}

/// The limits of a process. Ordinary solutions create arrays of hundreds of megabytes, and numpy itself needs memory,
/// so a process may use at least 2 GiB.
fn budget(budget: Budget) -> Budget {
    Budget { data_mib: budget.data_mib.max(2048), ..budget }
}

/// Whether a text mentions numpy after the imports with which every program begins.
fn uses_numpy(text: &str) -> bool {
    let own = text.strip_prefix(humaneval::PYTHON_IMPORTS).unwrap_or(text);
    own.contains("numpy") || own.contains("np.")
}

/// Words with which code could change modules or observe a change. Modules are shared by everything that runs in a
/// process: the tests of several samples in a judge, or both runs of a sample.
const SHARED_STATE_WORDS: [&str; 20] = [
    "__",
    "async",
    "builtins",
    "decimal.",
    "environ",
    "eval(",
    "exec(",
    "getcontext",
    "global",
    "locale",
    "np.",
    "numpy",
    "open(",
    "os.",
    "random.",
    "seed",
    "setattr",
    "sys.",
    "thread",
    "warnings",
];

/// Whether a pooled judge can run a task's tests: they contain no word with which they could depend on earlier tests.
fn can_use_pooled_judge(task: &Task) -> bool {
    !task.test.contains("import")
        && [&task.prompt, &task.test].iter().all(|text| !SHARED_STATE_WORDS.iter().any(|word| text.contains(word)))
}

impl Toolchain for Python {
    fn lang(&self) -> CodeLang {
        CodeLang::Python
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn is_warm(&self) -> bool {
        self.both.servers.is_warm() && self.judges.is_warm()
    }

    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        _task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        Ok(PublishedProgram::ready(move || self.published_by(self.start(context, Mode::Published, &[program])?)))
    }

    fn published_by(&self, mut running: Running) -> Result<Judged, EngineError> {
        match running.receive()? {
            Next::Frame(kind, result) => {
                // Threads that the program left running no longer matter.
                let ended = running.stop()?;
                let result = String::from_utf8_lossy(&result).into_owned();
                let verdict = match kind {
                    b'P' => Verdict::Passed,
                    b'W' => Verdict::Failed,
                    b'S' => Verdict::CompileError,
                    b'M' => Verdict::OutOfMemory,
                    _ => Verdict::Crashed,
                };
                let passed = verdict == Verdict::Passed;
                let message = if passed { String::new() } else { result.clone() };
                Ok(Judged { passed, outcome: Outcome { message, ..ended.outcome(verdict) }, result })
            }
            Next::End(ended) => {
                let (verdict, why) = without_result(&ended);
                // The published evaluator waits for a result until its timeout, however the process ended.
                Ok(Judged {
                    passed: false,
                    outcome: Outcome { reason: Some(why), ..ended.outcome(verdict) },
                    result: "timed out".into(),
                })
            }
        }
    }

    fn solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let entry = entry(task)?;
        Ok(Ok(self.start(context, Mode::Solver, &[solution, &entry])?))
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        self.start(context, Mode::Judge, &[&unsolved_prompt(task), &entry(task)?, &task.test])
    }

    fn both_verdicts(
        &self,
        context: &RunContext,
        task: &Task,
        program: &str,
        solution: &str,
    ) -> Result<Option<(Running, Vec<u8>)>, EngineError> {
        if !can_use_pooled_judge(task) || !can_run_twice(task, solution, &self.names) {
            return Ok(None);
        }
        let running = self.start(context, Mode::Both, &[solution, &entry(task)?])?;
        Ok(Some((running, program.as_bytes().to_vec())))
    }

    fn pooled_judge(&self, context: &RunContext, task: &Task) -> Result<Option<PooledJudge<'_>>, EngineError> {
        if !can_use_pooled_judge(task) {
            return Ok(None);
        }
        let (entry, budget) = (entry(task)?, budget(context.budget));
        let mut judge =
            self.judges.take(context, budget, || context.start(&self.judging.interpreter("judges", budget), budget))?;
        for text in [&unsolved_prompt(task), &entry, &task.test] {
            judge.send_tests(text.as_bytes());
        }
        Ok(Some(judge))
    }
}

/// The verdict on a program whose process ended without a result.
fn without_result(ended: &Ended) -> (Verdict, Reason) {
    ended.limited().unwrap_or_else(|| match ended.report.code {
        Some(code) if code >= 128 => (Verdict::Crashed, Reason::Signal { signal: code - 128 }),
        code => (Verdict::NoResult, Reason::EndedEarly { exit_code: code }),
    })
}

/// Whether a sample can run twice in a process, and can have the tests in a process that sees the solvers' files: its text
/// contains nothing with which the first run would usually affect the second, and names nothing through which it could
/// reach the system ([`harmless`]).
fn can_run_twice(task: &Task, solution: &str, names: &BTreeSet<String>) -> bool {
    let own = solution.strip_prefix(humaneval::PYTHON_IMPORTS).unwrap_or(solution);
    // The prompt is the dataset's.
    let own = own.strip_prefix(task.prompt.as_str()).unwrap_or(own);
    let lines = own.lines().filter(|line| !harmless::is_import(line));
    let own = lines.collect::<Vec<_>>().join("\n");
    !SHARED_STATE_WORDS.iter().any(|word| own.contains(word)) && harmless::is_code(&own, names)
}

/// The task's prompt with an empty function body. A judge runs it in place of a solution.
fn unsolved_prompt(task: &Task) -> String {
    humaneval::solution(CodeLang::Python, task, None, "    pass\n")
}

/// The function that a task asks for: the last one that its prompt begins.
fn entry(task: &Task) -> Result<String, EngineError> {
    let name = |line: &str| Some(line.strip_prefix("def ")?.split('(').next()?.trim().to_owned());
    let last = task.prompt.lines().rev().find_map(name);
    last.ok_or_else(|| EngineError::Tests(format!("no function signature found in the prompt of {}", task.task_id)))
}
