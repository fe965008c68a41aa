//! Runs and judges outputs whose tests are programs, conversations or projects: one folder per language, and the table
//! that lists them.
//!
//! [`TABLE`] lists the languages with a toolchain, `benchmarks::humaneval` assembles a benchmark's programs, a
//! [`Toolchain`] builds and runs them, [`grader`] gives an output its two verdicts, and [`guard`] determines the one that
//! counts. [`process`] is one sandboxed process, [`image`] the part of a toolchain that it sees. Java's test classes run
//! in the crate `engine`. This crate may not know the database, jobs and pages.
//!
//! Invariants: model code is compiled and run only in the sandbox. A process that has run model code decides nothing
//! but its own answers. Timeouts depend on CPU time and waiting time, never on wall time alone.

pub mod answers;
pub mod codeif;
pub mod cpp;
pub mod failures;
pub mod go;
pub mod grader;
pub mod guard;
pub mod image;
pub mod java;
pub mod javascript;
mod leftovers;
pub mod native;
pub mod process;
pub mod python;
pub mod repositories;
pub mod rust;
pub mod suite;
pub mod trials;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use answers::OwnAnswers;
use benchmarks::humaneval::Task;
use failures::Failures;
use guard::PooledJudge;
use model::{code_lang::CodeLang, run::Outcome};
use process::{Budget, Running};
use trials::Trials;

use engine::{EngineError, stop::Stop};
use sandbox::{Command, Profile, Sandbox};

/// A language in which outputs can be run.
pub struct Language {
    /// The language.
    pub code: CodeLang,
    /// Checks whether its toolchain exists on this host. An error says what is missing and how to install it.
    pub look: fn(places: &Places) -> io::Result<()>,
    /// Finds the toolchain and prepares, below `folder`, the files that the sandbox sees.
    pub find: fn(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>>,
    /// How failures as published are classified.
    pub failures: Failures,
    /// Programs that test toolchain and sandbox.
    pub trials: &'static Trials,
}

/// All languages in which outputs can be run, in the order of [`CodeLang::ALL`].
pub static TABLE: [Language; 6] =
    [python::LANGUAGE, cpp::LANGUAGE, java::LANGUAGE, javascript::LANGUAGE, go::LANGUAGE, rust::LANGUAGE];

/// The language's entry in the table; `None` if outputs in it cannot be run.
pub fn language(code: CodeLang) -> Option<&'static Language> {
    TABLE.iter().find(|language| language.code == code)
}

/// Checks whether outputs in a language, or of CodeIF-Bench, can be run here. `code` is the one in the list of
/// [`toolchains`]. Starts programs.
///
/// # Errors
/// Says what is missing and how to install it.
pub fn look(code: &str, places: &Places) -> io::Result<()> {
    match TABLE.iter().find(|language| language.code.code() == code) {
        Some(language) => (language.look)(places),
        None => python::scripts::look(places),
    }
}

/// The places to search for toolchains: the operator's folder, the data folder's own, then the search path.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders with a subfolder for each part of a toolchain that is there, the first one that counts first.
    pub folders: Vec<PathBuf>,
    /// The data folder, for instructions.
    pub data: Option<PathBuf>,
}

impl Places {
    /// The places of a data folder.
    pub fn of(data: &Path) -> Places {
        let folder = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        Places { folders: toolchains::folders(data), data: Some(folder) }
    }

    /// The places of the data folder that has this folder of images.
    pub fn of_images(images: &Path) -> Places {
        images.parent().map_or_else(Places::from_environment, Places::of)
    }

    /// The places without a data folder.
    pub fn from_environment() -> Places {
        Places { folders: toolchains::named().into_iter().collect(), data: None }
    }

    /// A file or folder below the first folder that has it.
    pub fn own(&self, path: &str) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(path)).find(|path| path.exists())
    }

    /// A program: `path` in one of the folders if it exists, otherwise `name` on the search path.
    pub fn program(&self, path: &str, name: &str) -> Option<PathBuf> {
        self.own(path).or_else(|| sandbox::bubblewrap::find(name))
    }

    /// An error that ends with what installs a language's toolchain. `code` is the language's in the list of
    /// [`toolchains`].
    pub fn missing(&self, code: &str, what: &str) -> io::Error {
        let remedy = |language: &toolchains::Language| language.remedy(&self.folders, self.data.as_deref());
        let remedy = toolchains::language(code).map(remedy).unwrap_or_default();
        io::Error::new(io::ErrorKind::NotFound, format!("{what}. {remedy}").trim_end().to_owned())
    }
}

/// One language's toolchain on this host.
pub trait Toolchain: Send + Sync {
    /// The language.
    fn lang(&self) -> CodeLang;

    /// The versions that affect verdicts, for display.
    fn version(&self) -> &str;

    /// Whether the processes that serve several samples (fork servers, pooled judges) have started and are idle. Always
    /// `false` for a language without such processes.
    fn is_warm(&self) -> bool {
        false
    }

    /// Number of outputs to work on at once with this number of processors. It is larger for a language that builds
    /// outputs in batches, because the outputs of a batch wait for each other.
    fn workers(&self, processors: usize) -> usize {
        processors
    }

    /// The program that the published evaluator runs. It has the sample and the tests, and must not run before everything
    /// that has the sample only ([`grader`]). Nor may a compiler see both that code can program, as macros do: a later
    /// process could notice how long it took. So this builds at most what has no tests.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    fn published<'a>(
        &'a self,
        context: &'a RunContext,
        task: &'a Task,
        program: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError>;

    /// Whether a task has tests that can judge an output. Without them the published evaluator passes whatever compiles,
    /// and nothing passes under the guard.
    fn has_tests(&self, _task: &Task) -> bool {
        true
    }

    /// Starts the guard's solver process with a sample: see [`guard`]. The process never gets a test. The inner
    /// error says why this sample has no solver.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    fn solver(&self, context: &RunContext, task: &Task, solution: &str)
    -> Result<Result<Running, String>, EngineError>;

    /// Starts a solver with the dataset's own solution, for [`answers`]. A sample's solver and its judge are running.
    ///
    /// # Errors
    /// As [`Toolchain::solver`].
    fn own_solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        self.solver(context, task, solution)
    }

    /// Whether a task's tests can convert an answer of another type to a number: what is none becomes NaN, so answers
    /// may only have the types of the dataset's own solution.
    fn coerces_answers(&self, _task: &Task) -> bool {
        false
    }

    /// Starts the guard's judge process with a task's tests.
    ///
    /// # Errors
    /// Engine errors, [`EngineError::Cancelled`], and tasks whose tests cannot be made to call another process.
    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError>;

    /// Takes a pooled judge and sends it a task's tests. `None` if the language has no pool, or if the tests could
    /// change or observe state that they share with other tests in the process.
    ///
    /// # Errors
    /// As [`Toolchain::judge`].
    fn pooled_judge(&self, _bench: &RunContext, _task: &Task) -> Result<Option<PooledJudge<'_>>, EngineError> {
        Ok(None)
    }

    /// Starts a solver that can give both verdicts ([`guard::judge`]): after the last call it receives a `P` frame and runs the published
    /// program as the published evaluator does. Returns the solver and the frame's content. `None` if the language has
    /// no such solver, or if the sample or the task could affect its second run or other processes.
    ///
    /// # Errors
    /// As [`Toolchain::solver`].
    fn both_verdicts(
        &self,
        _bench: &RunContext,
        _task: &Task,
        _program: &str,
        _solution: &str,
    ) -> Result<Option<(Running, Vec<u8>)>, EngineError> {
        Ok(None)
    }

    /// The published evaluator's result for the program that a running process has received.
    ///
    /// # Errors
    /// As [`Toolchain::published`].
    fn published_by(&self, _running: Running) -> Result<Judged, EngineError> {
        Err(EngineError::Harness("the language has no process for both verdicts".into()))
    }

    /// Deletes what [`Toolchain::published`] kept of a sample for its solver. Called when grading the sample ends, also
    /// if its solver never started.
    fn forget(&self, _solution: &str) {}
}

/// A program that the published evaluator runs.
pub enum PublishedProgram<'a> {
    /// It does not build, which is the result.
    Refused(Box<Judged>),
    /// Builds what has the tests, runs it, and returns the evaluator's result.
    Ready(Box<dyn FnOnce() -> Result<Judged, EngineError> + 'a>),
}

impl<'a> PublishedProgram<'a> {
    /// A program that does not build.
    pub fn refused(judged: Judged) -> PublishedProgram<'a> {
        PublishedProgram::Refused(Box::new(judged))
    }

    /// A program that is built and run when it is asked for.
    pub fn ready(run: impl FnOnce() -> Result<Judged, EngineError> + 'a) -> PublishedProgram<'a> {
        PublishedProgram::Ready(Box::new(run))
    }
}

/// The published evaluator's result for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether the result is "passed".
    pub passed: bool,
    /// The evaluator's own text: `passed`, `timed out`, `failed: …`.
    pub result: String,
    /// How the program ended, as an outcome.
    pub outcome: Outcome,
}

/// The requirements of toolchains for starting a process.
#[derive(Clone)]
pub struct RunContext {
    pub sandbox: Arc<dyn Sandbox>,
    /// Folder for temporary files of processes; each is deleted with its process.
    pub folder: PathBuf,
    /// Ends the current attempt early.
    pub stop: Stop,
    /// The limits of each process.
    pub budget: Budget,
    /// What the datasets' own solutions answered so far.
    pub own_answers: Arc<OwnAnswers>,
}

impl RunContext {
    /// Starts a command with these limits.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn start(&self, command: &Command, budget: Budget) -> Result<Running, EngineError> {
        Running::start(&self.sandbox, command, budget, &self.stop)
    }

    /// The same for an attempt at an output. The caller sets `cancelled` to stop it.
    pub fn attempt(&self, cancelled: &Arc<AtomicBool>) -> RunContext {
        RunContext { stop: Stop::begin(cancelled), ..self.clone() }
    }

    /// A temporary folder on the host for the files of one process.
    ///
    /// # Errors
    /// Fails if the disk is full.
    pub fn temporary(&self) -> Result<tempfile::TempDir, EngineError> {
        fs::create_dir_all(&self.folder)?;
        Ok(tempfile::Builder::new().prefix(&leftovers::prefix()).tempdir_in(&self.folder)?)
    }
}

/// A command that sees `read_only` and starts in the empty folder `/work`.
pub fn command(argv: &[&str], read_only: Vec<(PathBuf, String)>, budget: Budget, profile: Profile) -> Command {
    let env = [("LC_ALL", "C.UTF-8"), ("HOME", "/work"), ("PATH", "/usr/bin")];
    Command {
        argv: argv.iter().map(|&argument| argument.to_owned()).collect(),
        env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        read_only,
        scratch: vec!["/work".to_owned(), "/tmp".to_owned()],
        limits: budget.limits(),
        profile,
        keep: None,
        copies: Vec::new(),
        control_is_input: false,
    }
}
