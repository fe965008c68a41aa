//! Prepares the projects whose functions CodeIF-Bench asks for at repository level: their sources, with the tests of the
//! instructions, and their Python environments.
//!
//! The benchmark's data files name 42 projects and contain none of them. [`recipe()`] says where each comes from (a
//! release, or a repository and its commit), what has to change in a file so that each task's lines have the task's
//! code, and which packages its tests need. These are facts; no code of a project is part of this program.
//!
//! Promises: every release, package and changed file has the recorded SHA-256. No code of a project or a package runs:
//! packages come as wheels, or as plain Python files out of a release, and pip is stopped before it would build one.
//! Only the operator's own `pip` and `git` connect to a host. A project or an environment is made under another name and
//! renamed when it is complete, so that everything can be stopped and started again. Folders that the operator made are
//! never changed.
//!
//! This crate may not know the sandbox, the database and pages. Whether a project is ready, [`lang::repositories`]
//! decides.

mod archive;
mod benchmark;
mod environments;
mod git;
mod insert;
mod recipe;
mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use benchmarks::place::{Code, Place};
use lang::{
    python::projects::ENVIRONMENT,
    repositories::{self, SOURCES},
};
use model::reason::{Fault, ProjectProblem};
use sha2::{Digest, Sha256};
use texts::runs::EN;
pub use toolchains::Error;

pub use recipe::{Recipe, recipe};

/// What to prepare, and from what.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The folder to fill.
    pub folder: PathBuf,
    /// A checkout of CodeIF-Bench, which has the tests of the instructions and some of the changed files.
    pub benchmark: PathBuf,
    /// Folders and archives with projects, searched before the recipe's sources.
    pub from: Vec<PathBuf>,
    /// The address or folder below which the repositories are.
    pub git: Option<String>,
    /// A folder with wheels and releases, which replaces pip's index.
    pub packages: Option<PathBuf>,
    /// Python interpreters, searched before those of the machine.
    pub pythons: Vec<PathBuf>,
    /// The projects to prepare; all without any.
    pub projects: Vec<String>,
}

/// What the preparation came to for a project.
#[derive(Debug)]
pub struct Prepared {
    pub project: String,
    /// The versions that it runs with, or what is missing and how to get it.
    pub state: Result<String, String>,
    /// Whether this preparation made it.
    pub is_new: bool,
    /// Instructions whose tests its files do not have, with the reason.
    pub left_out: Vec<String>,
}

/// The problem of a project, in words.
pub fn words(project: &str, problem: &ProjectProblem) -> String {
    EN.fault_line(&Fault::Project { project: project.to_owned(), problem: problem.clone() })
}

/// Prepares projects. `note` receives each step, in words.
///
/// # Errors
/// The request or the folder cannot be used. A project that cannot be prepared is no error: its state says why.
pub fn prepare(recipe: &Recipe, request: &Request, note: &mut dyn FnMut(&str)) -> Result<Vec<Prepared>, Error> {
    let names = asked(recipe, &request.projects)?;
    let tasks = benchmark::read(&request.benchmark)?;
    fs::create_dir_all(&request.folder).map_err(at(&request.folder))?;
    let folder = request.folder.canonicalize().map_err(at(&request.folder))?;
    let _lock = lock(&folder)?;
    let work = Work { recipe, request, folder: &folder, tasks: &tasks };
    let mut environments = BTreeMap::new();
    let mut prepared = Vec::new();
    for name in names {
        prepared.push(work.project(name, &mut environments, note));
    }
    Ok(prepared)
}

/// A project of the benchmark, or of a folder.
#[derive(Debug)]
pub struct Surveyed {
    pub project: String,
    /// The versions that it runs with, or why it cannot be used and how to fix that.
    pub state: Result<String, String>,
    /// Whether the folder has it.
    pub is_there: bool,
}

/// The projects of the recipe and others below a folder, by name. Of each that a preparation would find ready, this says so,
/// too.
pub fn survey(recipe: &Recipe, folder: &Path) -> Vec<Surveyed> {
    let found = repositories::survey(folder, &recipe.tasks()).into_iter();
    let mut all: BTreeMap<String, Surveyed> = found
        .map(|(project, state)| {
            let state = state.map_err(|problem| words(&project, &problem));
            (project.clone(), Surveyed { project, state, is_there: true })
        })
        .collect();
    for (name, project) in &recipe.projects {
        all.entry(name.clone()).or_insert_with(|| {
            let how = project
                .missing
                .clone()
                .unwrap_or_else(|| format!("prepare it with `aixgrade codeif prepare {} {name}`", folder.display()));
            let why = format!("{} {how}", words(name, &ProjectProblem::Missing));
            Surveyed { project: name.clone(), state: Err(why), is_there: false }
        });
    }
    all.into_values().collect()
}

/// The projects that are asked for, in the recipe's order.
fn asked<'r>(recipe: &'r Recipe, asked: &[String]) -> Result<Vec<&'r str>, Error> {
    let unknown: Vec<&str> =
        asked.iter().map(String::as_str).filter(|name| !recipe.projects.contains_key(*name)).collect();
    if !unknown.is_empty() {
        let all: Vec<&str> = recipe.projects.keys().map(String::as_str).collect();
        let (unknown, all) = (unknown.join(", "), all.join(", "));
        return Err(Error(format!("CodeIF-Bench has no project {unknown}; its projects are: {all}")));
    }
    let wanted: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    let all = recipe.projects.keys().map(String::as_str);
    Ok(all.filter(|name| wanted.is_empty() || wanted.contains(name)).collect())
}

/// The lock of a folder. A process that another thread is starting can have a copy of the file for a moment, so it is
/// released explicitly.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // It ends with the process at the latest.
        let _ = self.0.unlock();
    }
}

/// One preparation works in a folder at a time.
fn lock(folder: &Path) -> Result<Lock, Error> {
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => {
            Err(Error(format!("another `codeif prepare` works in {}; wait until it has ended", folder.display())))
        }
        Err(TryLockError::Error(e)) => Err(at(&path)(e)),
    }
}

/// The beginning of the names of folders that are not complete, or replaced.
const PARTIAL: &str = ".partial-";

/// A name for a folder that is not complete yet, next to the complete one. Removes what an earlier one left.
fn partial(complete: &Path) -> Result<PathBuf, Error> {
    let name = complete.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let place = complete.with_file_name(format!("{PARTIAL}{name}"));
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    if place.symlink_metadata().is_ok() {
        fs::remove_dir_all(&place).map_err(at(&place))?;
    }
    fs::create_dir(&place).map_err(at(&place))?;
    Ok(place)
}

/// Gives a complete folder its name; what had the name is removed.
fn complete(made: &Path, named: &Path) -> Result<(), Error> {
    if named.exists() {
        let old = partial(&named.with_extension("replaced"))?;
        fs::rename(named, old.join("old")).map_err(at(named))?;
        fs::rename(made, named).map_err(at(named))?;
        return fs::remove_dir_all(&old).map_err(at(&old));
    }
    fs::rename(made, named).map_err(at(named))
}

/// Adds the path to an error of the file system.
fn at(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |error| Error(format!("{}: {error}", path.display()))
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The environments that this preparation has looked at: the folder of each, or why there is none.
type Environments = BTreeMap<String, Result<PathBuf, String>>;

/// One preparation.
struct Work<'a> {
    recipe: &'a Recipe,
    request: &'a Request,
    folder: &'a Path,
    tasks: &'a [benchmark::Task],
}

impl Work<'_> {
    fn project(&self, name: &str, environments: &mut Environments, note: &mut dyn FnMut(&str)) -> Prepared {
        let made = self.make(name, environments, note);
        let (is_new, left_out, failed) = match made {
            Ok(Made { is_new, left_out }) => (is_new, left_out, None),
            Err(why) => (false, Vec::new(), Some(why.to_string())),
        };
        let ready = repositories::readiness(self.folder, name, &self.recipe.tasks_of(name));
        let state = match (failed, ready) {
            (Some(why), _) => Err(why),
            (None, ready) => ready.map_err(|problem| words(name, &problem)),
        };
        Prepared { project: name.to_owned(), state, is_new, left_out }
    }

    /// Makes what is missing of a project.
    fn make(&self, name: &str, environments: &mut Environments, note: &mut dyn FnMut(&str)) -> Result<Made, Error> {
        let Some(project) = self.recipe.projects.get(name) else { return Err(Error(format!("no project {name}"))) };
        let place = self.folder.join(SOURCES).join(name);
        let record = self.folder.join(".prepared").join(format!("{}.json", name.replace('/', ".")));
        let recorded = fs::read(&record).ok().and_then(|text| serde_json::from_slice::<Record>(&text).ok());
        if place.exists() && recorded.is_none() {
            // The operator's own.
            return Ok(Made { is_new: false, left_out: Vec::new() });
        }
        let environment = environments
            .entry(project.environment.clone())
            .or_insert_with(|| environments::make(self, &project.environment, note).map_err(|why| why.to_string()));
        let environment = environment.clone().map_err(Error)?;
        let fingerprint = self.recipe.fingerprint(name);
        if let Some(recorded) = recorded.filter(|recorded| recorded.fingerprint == fingerprint && place.is_dir()) {
            return Ok(Made { is_new: false, left_out: recorded.left_out });
        }
        note(&format!("{name}: sources"));
        let partial = partial(&place)?;
        let left_out = sources::fill(self, name, project, &environment, &partial).inspect_err(|_| {
            // The next preparation removes what remains.
            let _ = fs::remove_dir_all(&partial);
        })?;
        // Relative, so that the whole folder can be moved.
        let link = Path::new("../../..").join(environments::FOLDER).join(&project.environment);
        std::os::unix::fs::symlink(link, partial.join(ENVIRONMENT)).map_err(at(&partial))?;
        // Before the folder has its name: without a record it would be the operator's own.
        let text = serde_json::to_vec(&Record { fingerprint, left_out: left_out.clone() }).unwrap_or_default();
        write(&record, &text)?;
        complete(&partial, &place)?;
        Ok(Made { is_new: true, left_out })
    }

    /// The tasks of a project in the benchmark's files.
    fn tasks_of(&self, name: &str) -> impl Iterator<Item = &benchmark::Task> {
        self.tasks.iter().filter(move |task| task.project_path == name)
    }
}

struct Made {
    is_new: bool,
    left_out: Vec<String>,
}

/// What a project was made from.
#[derive(serde::Serialize, serde::Deserialize)]
struct Record {
    fingerprint: String,
    left_out: Vec<String>,
}

/// Writes a file under another name and renames it.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(at(folder))?;
    let mut partial = tempfile::NamedTempFile::new_in(folder).map_err(at(folder))?;
    std::io::Write::write_all(&mut partial, bytes).map_err(at(file))?;
    partial.persist(file).map_err(|e| at(file)(e.error))?;
    Ok(())
}

/// A task's lines and code, by which a project's readiness is decided.
type Lines = (Place, Code);
