//! What is specific to a programming language: a folder for each, and the tables that list them.
//!
//! [`display`] is how code is shown and found in chat responses. The rest runs tests that are programs: [`TABLE`] lists
//! the languages with a toolchain, [`humaneval`] assembles a benchmark's programs, a
//! [`Toolchain`] builds and runs them, [`grader`] brings an output to its two verdicts, [`guard`] is how the one that
//! counts is reached. [`process`] is one sandboxed process, [`image`] what it sees of a toolchain. Called by `jobs`
//! and the command line; knows no database. Java's test classes run in [`crate::engine`].
//!
//! What must stay true: model code runs and is compiled only in the sandbox; a process that has run model code decides
//! nothing but its own answers; processor time decides time-outs.

pub mod cpp;
pub mod go;
pub mod grader;
pub mod guard;
pub mod humaneval;
pub mod image;
pub mod java;
pub mod javascript;
mod leftovers;
pub mod native;
pub mod process;
pub mod python;
pub mod rust;
pub mod suite;
pub mod trials;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use app::model::{code_lang::CodeLang, run::Outcome};
use guard::Lasting;
use humaneval::Task;
use process::{Budget, Running};
use trials::Trials;

use crate::{
    engine::EngineError,
    sandbox::{Command, Profile, Sandbox},
};

/// How code in a language is shown to people, and found in chat answers.
pub struct Display {
    /// The grammar that colours it.
    pub grammar: fn() -> tree_sitter::Language,
    /// The queries that say which node gets which colour; a later one goes on where an earlier one ends.
    pub highlights: &'static [&'static str],
    /// The words after ``` that mark code in the language, in lower case.
    pub fences: &'static [&'static str],
    /// What a solution holds and what a command, an example of a call or its output does not.
    pub solution: &'static str,
}

/// How code in this language is shown.
pub fn display(lang: CodeLang) -> &'static Display {
    match lang {
        CodeLang::Java => &java::display::DISPLAY,
        CodeLang::Python => &python::display::DISPLAY,
        CodeLang::Cpp => &cpp::display::DISPLAY,
        CodeLang::JavaScript => &javascript::display::DISPLAY,
        CodeLang::Go => &go::display::DISPLAY,
        CodeLang::Rust => &rust::display::DISPLAY,
    }
}

/// A language that outputs can be run in.
pub struct Language {
    /// Which one.
    pub code: CodeLang,
    /// Looks for its toolchain on this machine. An error says what is missing and how to get it.
    pub look: fn(places: &Places) -> io::Result<()>,
    /// The same, and prepares below `folder` what the sandbox will see of it.
    pub find: fn(places: &Places, folder: &Path) -> io::Result<Arc<dyn Toolchain>>,
    /// Programs that try toolchain and sandbox.
    pub trials: &'static Trials,
}

/// Every language that outputs can be run in, in the order of [`CodeLang::ALL`].
pub static TABLE: [Language; 5] = [python::LANGUAGE, cpp::LANGUAGE, java::LANGUAGE, javascript::LANGUAGE, go::LANGUAGE];

/// The language's line in the table, if outputs can be run in it.
pub fn language(code: CodeLang) -> Option<&'static Language> {
    TABLE.iter().find(|language| language.code == code)
}

/// Where toolchains are looked for: in a folder that the operator names, then on the search path.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The operator's folder, with a subfolder for each language that has a toolchain of its own there.
    pub folder: Option<PathBuf>,
}

impl Places {
    /// The folder that `AIXGRADE_TOOLCHAINS` names.
    pub fn from_environment() -> Places {
        Places { folder: std::env::var_os("AIXGRADE_TOOLCHAINS").map(PathBuf::from) }
    }

    /// A file or folder below the operator's folder, if it exists.
    pub fn own(&self, path: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(path)).filter(|path| path.exists())
    }

    /// A program: the operator's own at `path`, else `name` on the search path.
    pub fn program(&self, path: &str, name: &str) -> Option<PathBuf> {
        self.own(path).or_else(|| crate::sandbox::bubblewrap::find(name))
    }

    /// How the operator's folder is called in instructions.
    pub fn shown(&self) -> String {
        self.folder.as_ref().map_or_else(|| "DIR".to_owned(), |folder| folder.display().to_string())
    }

    /// What instructions say after a command that fills `DIR`.
    pub fn hint(&self) -> &'static str {
        if self.folder.is_some() { "" } else { ", and set AIXGRADE_TOOLCHAINS=DIR" }
    }
}

/// One language's programs on this machine.
pub trait Toolchain: Send + Sync {
    /// The versions that decide verdicts, for people.
    fn version(&self) -> &str;

    /// Whether what it keeps ready waits for the next sample: fork servers, judges.
    fn is_warm(&self) -> bool {
        false
    }

    /// Runs a program as the published evaluator does, and says what that evaluator would.
    ///
    /// # Errors
    /// Our own failure, or a cancelled run.
    fn published(&self, bench: &Bench, task: &Task, program: &str) -> Result<Judged, EngineError>;

    /// Starts the guard's process with a sample in it: see [`guard`]. The inner error says why the sample has no such
    /// process.
    ///
    /// # Errors
    /// Our own failure, or a cancelled run.
    fn solver(&self, bench: &Bench, task: &Task, solution: &str) -> Result<Result<Running, String>, EngineError>;

    /// Starts the guard's process with a task's tests in it.
    ///
    /// # Errors
    /// Our own failure, a cancelled run, or a task whose tests cannot be made to call another process.
    fn judge(&self, bench: &Bench, task: &Task) -> Result<Running, EngineError>;

    /// Gives a task's tests to a judge that serves several samples; nothing if the language has none, or if the tests
    /// could leave something behind in their process or find what other tests left.
    ///
    /// # Errors
    /// As [`Toolchain::judge`].
    fn lasting_judge(&self, _bench: &Bench, _task: &Task) -> Result<Option<Lasting<'_>>, EngineError> {
        Ok(None)
    }

    /// Starts a solver that, after the last call, is sent `P` with a program and runs it as the published evaluator does;
    /// nothing if the language has none, or if it would not save time.
    ///
    /// # Errors
    /// As [`Toolchain::solver`].
    fn both(&self, _bench: &Bench, _task: &Task, _solution: &str) -> Result<Option<Running>, EngineError> {
        Ok(None)
    }

    /// What the published evaluator says of the program that a process of [`Toolchain::both`] runs.
    ///
    /// # Errors
    /// As [`Toolchain::published`].
    fn published_by(&self, _running: Running) -> Result<Judged, EngineError> {
        Err(EngineError::Harness("the language has no process for both verdicts".into()))
    }

    /// Whether a sample passed in [`Toolchain::both`].
    fn tell(&self, _passed: bool) {}
}

/// What the published evaluator says of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether it says "passed".
    pub passed: bool,
    /// Its result in its own words: `passed`, `timed out`, `failed: …`.
    pub result: String,
    /// How the program ended, in our terms.
    pub outcome: Outcome,
}

/// What toolchains need to run something.
#[derive(Clone)]
pub struct Bench {
    pub sandbox: Arc<dyn Sandbox>,
    /// Where files for one process are written; each is deleted with its process.
    pub folder: PathBuf,
    /// Set from outside to end what is under way.
    pub cancelled: Arc<AtomicBool>,
    /// What each process may use up.
    pub budget: Budget,
}

impl Bench {
    /// Starts a command with these limits.
    ///
    /// # Errors
    /// Our own failure.
    pub fn start(&self, command: &Command, budget: Budget) -> Result<Running, EngineError> {
        Running::start(&self.sandbox, command, budget, &self.cancelled)
    }

    /// A folder on the host for the files of one process.
    ///
    /// # Errors
    /// The disk is full.
    pub fn temporary(&self) -> Result<tempfile::TempDir, EngineError> {
        fs::create_dir_all(&self.folder)?;
        Ok(tempfile::Builder::new().prefix(&leftovers::prefix()).tempdir_in(&self.folder)?)
    }
}

/// A command that sees `read_only` and starts in an empty `/work`.
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
        control_is_input: false,
    }
}
