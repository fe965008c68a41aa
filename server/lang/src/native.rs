//! Compiled languages: a program is built in one sandbox and runs in another one.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, TryLockError},
    thread,
    time::Duration,
};

use model::{
    reason::Reason,
    run::{LimitHit, Outcome, Verdict},
};
use sha2::{Digest, Sha256};

use super::{
    Judged, RunContext, command,
    process::{Budget, Ended, Running},
};
use benchmarks::humaneval::Task;
use engine::EngineError;
use sandbox::{Keep, Profile};

/// The limits of a compilation. They stop programs that make the compiler compute endlessly; most programs take 0.5 s.
///
/// The driver waits while the compiler runs, so its waiting time says nothing about the program: CPU time decides, and
/// the waiting time is long enough for a host with four times as much work as CPUs.
const BUILD: Budget = Budget { cpu_s: 30, wait_s: 120, data_mib: 1536, threads: 64 };

/// How often a worker looks whether another one has built the file that it needs.
const LOOK: Duration = Duration::from_millis(10);

/// The file name of a built program.
pub const PROGRAM: &str = "a.out";

/// A built program in a temporary folder, or how the compiler ended if it rejected the program.
pub enum Built {
    Program(tempfile::TempDir),
    Refused(Ended),
}

/// Runs a compiler over texts, which are mounted by their names in `/program`. It must write `/work/a.out`.
///
/// # Errors
/// Engine errors, and [`EngineError::Cancelled`].
pub fn build(
    context: &RunContext,
    arguments: &[&str],
    toolchain: &[(PathBuf, String)],
    texts: &[(&str, &str)],
) -> Result<Built, EngineError> {
    build_with(context, arguments, &[], toolchain, texts)
}

/// As [`build`], with additional environment variables.
///
/// # Errors
/// As [`build`].
pub fn build_with(
    context: &RunContext,
    arguments: &[&str],
    environment: &[(&str, &str)],
    toolchain: &[(PathBuf, String)],
    texts: &[(&str, &str)],
) -> Result<Built, EngineError> {
    let files = context.temporary()?;
    let output = files.path().join("output");
    fs::write(&output, "")?;
    fs::set_permissions(&output, fs::Permissions::from_mode(0o755))?;
    let mut mounts = toolchain.to_vec();
    if !texts.is_empty() {
        let folder = files.path().join("program");
        write_texts(&folder, texts)?;
        mounts.push((folder, "/program".to_owned()));
    }
    let mut command = command(arguments, mounts, BUILD, Profile::Build);
    command.env.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    command.limits.scratch_bytes = 256 << 20;
    command.limits.file_bytes = 128 << 20;
    command.keep = Some(Keep { name: PROGRAM.to_owned(), host: output.clone() });
    let ended = context.start(&command, BUILD)?.end()?;
    if !ended.is_success() || fs::metadata(&output)?.len() == 0 {
        return Ok(Built::Refused(ended));
    }
    // A new file: the times of one that was there before the build would tell the program how long its build took, and so
    // which of the compiler's files other builds had loaded.
    fs::copy(&output, files.path().join(PROGRAM))?;
    fs::remove_file(output)?;
    Ok(Built::Program(files))
}

/// Writes texts to files in a folder, which is created. A text's name may contain a subfolder.
fn write_texts(folder: &Path, texts: &[(&str, &str)]) -> io::Result<()> {
    // The sandbox runs as another user, who must be able to read the folders.
    let make = |folder: &Path| DirBuilder::new().recursive(true).mode(0o755).create(folder);
    for (name, text) in texts {
        let file = folder.join(name);
        make(file.parent().unwrap_or(folder))?;
        fs::write(file, text)?;
    }
    Ok(())
}

/// Starts a built program.
///
/// # Errors
/// Engine errors only.
pub fn run(
    context: &RunContext,
    program: &Path,
    arguments: &[&str],
    libraries: &[(PathBuf, String)],
    profile: Profile,
) -> Result<Running, EngineError> {
    let mut mounts = libraries.to_vec();
    mounts.push((program.to_path_buf(), "/program/a.out".to_owned()));
    let budget = Budget { data_mib: context.budget.data_mib.max(1024), ..context.budget };
    let mut argv = vec!["/program/a.out"];
    argv.extend(arguments);
    context.start(&command(&argv, mounts, budget, profile), budget)
}

/// Starts a built program. Its folder is deleted when the process ends.
///
/// # Errors
/// Engine errors only.
pub fn run_once(
    context: &RunContext,
    files: tempfile::TempDir,
    arguments: &[&str],
    libraries: &[(PathBuf, String)],
    profile: Profile,
) -> Result<Running, EngineError> {
    Ok(run(context, &files.path().join(PROGRAM), arguments, libraries, profile)?.with_files(files))
}

/// The published result for a program that the compiler rejected. `first_error` finds the first error in its output.
///
/// # Errors
/// [`EngineError::Busy`] if the compiler reached its waiting time, which does not depend on the program alone.
pub fn refused(ended: Ended, first_error: impl Fn(&str) -> String) -> Result<Judged, EngineError> {
    if ended.limit == Some(LimitHit::Wait) {
        return Err(EngineError::Busy(format!("a compiler did not finish within {} s", BUILD.wait_s)));
    }
    // The kernel enforces the compiler's CPU limit with an inexact count, so 90% of it counts as reached.
    let limit = ended.limit.or_else(|| (ended.report.cpu_us >= BUILD.cpu_s * 900_000).then_some(LimitHit::Cpu));
    let failed = || format!("failed: compilation error: {}", ended.printed);
    let (reason, message, result) = match limit {
        Some(LimitHit::Cpu) => (Reason::CompilerCpu, String::new(), "timed out".to_owned()),
        Some(LimitHit::Heap) => (Reason::CompilerMemory, String::new(), failed()),
        _ => (Reason::CompilerError { line: None }, first_error(&ended.printed), failed()),
    };
    let outcome = Outcome { limit, reason: Some(reason), message, ..ended.outcome(Verdict::CompileError) };
    Ok(Judged { passed: false, result, outcome })
}

/// The published result for a program that ran: exit code 0 passes. `verdict` derives the verdict on a failure, and a
/// message, from the printed text.
pub fn judged(ended: &Ended, verdict: impl Fn(&str) -> (Verdict, String)) -> Judged {
    let failed = || format!("failed: {}", ended.printed);
    let (verdict, reason, message, result) = match (ended.limited(), ended.report.code) {
        (Some((verdict, reason)), _) => {
            let result = if verdict == Verdict::Timeout { "timed out".to_owned() } else { failed() };
            (verdict, Some(reason), String::new(), result)
        }
        (None, Some(0)) => (Verdict::Passed, None, String::new(), "passed".to_owned()),
        (None, _) => {
            let (verdict, message) = verdict(&ended.printed);
            (verdict, None, message, failed())
        }
    };
    let outcome = Outcome { reason, message, ..ended.outcome(verdict) };
    Judged { passed: verdict == Verdict::Passed, result, outcome }
}

/// A cache of built files that depend on a task and not on a sample: judges, and C++ programs and objects to which
/// samples are linked. Each one is built once and kept in a folder.
pub struct TaskPrograms {
    folder: PathBuf,
    /// A lock per file, so that two workers do not build the same one. It contains the compiler's output if the file
    /// could not be built.
    building: Mutex<HashMap<String, Arc<Mutex<Option<String>>>>>,
}

impl TaskPrograms {
    /// The cache of one toolchain.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn new(folder: PathBuf) -> io::Result<TaskPrograms> {
        fs::create_dir_all(&folder)?;
        Ok(TaskPrograms { folder, building: Mutex::default() })
    }

    /// The file that `build` creates, or its cached copy. `text` is the cache key: whatever `build` depends on.
    ///
    /// # Errors
    /// Engine errors, also if the tests do not compile, and [`EngineError::Cancelled`].
    pub fn program(
        &self,
        context: &RunContext,
        task: &Task,
        text: &str,
        build: impl FnOnce() -> Result<Built, EngineError>,
    ) -> Result<PathBuf, EngineError> {
        let name = hex::encode(Sha256::digest(text));
        let program = self.folder.join(&name);
        let lock = {
            let mut building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(building.entry(name).or_default())
        };
        let mut refused = loop {
            match lock.try_lock() {
                Ok(refused) => break refused,
                Err(TryLockError::Poisoned(refused)) => break refused.into_inner(),
                // Another worker builds the file.
                Err(TryLockError::WouldBlock) => {
                    context.stop.check()?;
                    thread::sleep(LOOK);
                }
            }
        };
        if refused.is_none() && !program.is_file() {
            match build()? {
                Built::Program(files) => fs::rename(files.path().join(PROGRAM), &program)?,
                Built::Refused(ended) => *refused = Some(ended.printed),
            }
        }
        match &*refused {
            Some(said) => {
                let id = &task.task_id;
                Err(EngineError::Tests(format!("the judge of {id} does not compile: {said}")))
            }
            None => Ok(program),
        }
    }

    /// As [`TaskPrograms::program`], for a file that is optional: `None` if it cannot be built.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn program_if_built(
        &self,
        context: &RunContext,
        task: &Task,
        text: &str,
        build: impl FnOnce() -> Result<Built, EngineError>,
    ) -> Result<Option<PathBuf>, EngineError> {
        match self.program(context, task, text, build) {
            Ok(program) => Ok(Some(program)),
            Err(EngineError::Tests(_)) => Ok(None),
            Err(e) => Err(e),
        }
    }
}

/// The build for the published verdict of a sample that passed, kept until its solver takes it or its grading ends
/// ([`super::Toolchain::forget`]). The key is a hash of the sample's text.
pub struct BuiltSamples<T>(Mutex<HashMap<[u8; 32], T>>);

impl<T> Default for BuiltSamples<T> {
    fn default() -> BuiltSamples<T> {
        BuiltSamples(Mutex::default())
    }
}

impl<T> BuiltSamples<T> {
    /// Adds a sample. It is kept until it is taken.
    pub fn put(&self, text: &str, built: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(Sha256::digest(text).into(), built);
    }

    /// Removes a sample and returns it.
    pub fn take(&self, text: &str) -> Option<T> {
        let key: [u8; 32] = Sha256::digest(text).into();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}
