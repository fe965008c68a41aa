//! Python projects with tests: the operator's sources and environments, copied once to folders that the sandbox mounts
//! read-only, and one process for each test. An environment that several projects share is copied once.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use model::run::Verdict;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{HARNESS, complete, copy_library, scripts::ScriptEnd, without_result};
use crate::{
    RunContext, command, image,
    process::{Budget, Next},
};
use engine::EngineError;
use sandbox::{Profile, tool};

/// Increase when images are built differently.
const GENERATION: u32 = 2;

/// The folder of a virtual environment inside a project, or next to the projects' sources.
pub const ENVIRONMENT: &str = ".venv";

/// What is not part of a project: history, environments, and caches of other interpreters.
const LEFT_OUT: [&str; 4] = [".git", ENVIRONMENT, "__pycache__", ".pytest_cache"];

/// Writable memory and files that a test has besides the copy of its project.
const SCRATCH_BYTES: u64 = 64 << 20;
const SCRATCH_FILES: u64 = 4096;

/// An environment's report about its interpreter.
#[derive(Deserialize)]
struct Interpreter {
    program: PathBuf,
    stdlib: PathBuf,
    /// For example `python3.11`.
    name: String,
    version: String,
    /// Folders with the packages of the interpreter itself.
    packages: Vec<PathBuf>,
}

/// Without `site`, so that no code of the environment's packages runs outside the sandbox.
const QUESTION: &str = "
import json, os, sys, sysconfig
print(json.dumps({
    'program': os.path.realpath(sys.executable),
    'stdlib': sysconfig.get_path('stdlib'),
    'name': 'python%d.%d' % sys.version_info[:2],
    'version': sys.version.split()[0],
    'packages': [sysconfig.get_path(kind, vars={'base': sys.base_prefix, 'platbase': sys.base_exec_prefix})
        for kind in ('purelib', 'platlib')],
}))";

/// A virtual environment with pytest.
pub struct Environment {
    /// Its folder, without links.
    root: PathBuf,
    interpreter: Interpreter,
    sites: Vec<PathBuf>,
    pytest: String,
}

/// The files of a project.
struct Listing {
    digest: String,
    bytes: u64,
    count: u64,
    /// Relative to the project's folder, folders before what they contain.
    entries: Vec<(PathBuf, Entry)>,
}

enum Entry {
    Folder,
    File,
    /// A link that stays inside the project, with its text.
    Link(PathBuf),
}

/// A project that can run tests.
pub struct Project {
    /// The interpreter and pytest.
    pub version: String,
    /// A hash of everything in project and environment that can affect an outcome.
    pub digest: String,
    /// The folder with the copy of its sources.
    pub sources: PathBuf,
    mounts: Vec<(PathBuf, String)>,
    sites: Vec<String>,
    /// Shared libraries, relative to the project.
    native: Vec<PathBuf>,
    bytes: u64,
    count: u64,
}

/// A test to run.
pub struct Order<'a> {
    /// The test's ID, as pytest takes it.
    pub test: &'a str,
    /// The file with the function, relative to the project.
    pub file: &'a str,
    /// The lines that the completion replaces, from 1.
    pub lines: (u32, u32),
    /// The blanks before each line of the completion.
    pub indent: u32,
    /// What replaces the lines; `None` tests the project as it is.
    pub completion: Option<&'a str>,
}

/// How a test ended.
pub struct TestEnd {
    pub end: ScriptEnd,
    /// Number of tests that ran and were not skipped.
    pub ran: u32,
}

impl Environment {
    /// Finds the environment of a project: inside the project's folder, or the one of all projects below `repositories`.
    ///
    /// # Errors
    /// Says what is missing and how to install it.
    pub fn find(repositories: &Path, project: &Path) -> io::Result<Environment> {
        let roots = [project.join(ENVIRONMENT), repositories.join(ENVIRONMENT)];
        let found = roots.iter().map(|root| (root, root.join("bin/python"))).find(|(_, program)| program.exists());
        let Some((root, program)) = found else {
            let [own, shared] = roots.map(|root| root.display().to_string());
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!(
                    "there is no virtual environment. Create it with `python3 -m venv {own}` (or {shared} for all \
                     projects), and install the project's dependencies and pytest into it"
                ),
            ));
        };
        let said = tool::run(&program, ["-I", "-S", "-c", QUESTION])?;
        let interpreter: Interpreter = serde_json::from_str(&said).map_err(io::Error::other)?;
        let own = ["lib", "lib64"].map(|lib| root.join(lib).join(&interpreter.name).join("site-packages"));
        let settings = fs::read_to_string(root.join("pyvenv.cfg")).unwrap_or_default();
        let shares = settings.lines().any(|line| {
            line.split_once('=').is_some_and(|(name, value)| {
                name.trim() == "include-system-site-packages" && value.trim().eq_ignore_ascii_case("true")
            })
        });
        let shared = interpreter.packages.iter().filter(|_| shares).cloned();
        let mut sites: Vec<PathBuf> = Vec::new();
        for site in own.into_iter().chain(shared).filter_map(|site| site.canonicalize().ok()) {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        match sites.iter().find_map(|site| distribution(site, "pytest")) {
            Some(pytest) => Ok(Environment { root: root.canonicalize()?, interpreter, sites, pytest }),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!(
                    "{} lacks pytest. Run `{} -m pip install pytest`",
                    root.display(),
                    root.join("bin/python").display()
                ),
            )),
        }
    }

    /// The versions of the interpreter and pytest, for display.
    pub fn version(&self) -> String {
        format!("Python {}, pytest {}", self.interpreter.version, self.pytest)
    }

    /// Copies the environment below `folder` unless it is there. Returns the name of the copy, its folder, and where its
    /// packages are in the sandbox.
    fn image(&self, folder: &Path) -> io::Result<(String, PathBuf, Vec<String>)> {
        let Interpreter { program, stdlib, name: library, .. } = &self.interpreter;
        let mut digest = Sha256::new();
        digest.update(format!("{GENERATION} {} {program:?} {stdlib:?} {:?}", self.version(), self.sites));
        for site in &self.sites {
            stamp(site, &mut digest)?;
        }
        // The first part is the kind, of which the newest copy is in use.
        let kind = hex::encode(Sha256::digest(self.root.as_os_str().as_encoded_bytes()));
        let name = format!("environment-{}-{}", &kind[..8], &hex::encode(digest.finalize())[..16]);
        let inside = |number: usize| format!("python/site-{number}");
        let place = image::prepared(folder, &name, |place| {
            let library = place.join("python/lib").join(library);
            copy_library(stdlib, &library, &["site-packages", "dist-packages", "__pycache__"])?;
            let mut compiled = vec![library];
            for (number, site) in self.sites.iter().enumerate() {
                let to = place.join(inside(number));
                image::copy_tree(site, &to, &|path| !path.ends_with("__pycache__"))?;
                compiled.push(to);
            }
            complete(program, place, compiled)
        })?;
        Ok((name, place, (0..self.sites.len()).map(|number| format!("/{}", inside(number))).collect()))
    }
}

/// The version of a distribution that is installed in a folder of packages.
fn distribution(site: &Path, name: &str) -> Option<String> {
    let names = fs::read_dir(site).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let version = |file: String| {
        let (found, version) = file.strip_suffix(".dist-info")?.split_once('-')?;
        (found == name).then(|| version.to_owned())
    };
    names.filter_map(version).next()
}

/// Adds names, sizes and modification times of everything below a folder to a hash.
fn stamp(folder: &Path, digest: &mut Sha256) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let data = entry.metadata()?;
        if data.is_dir() {
            if entry.file_name() != "__pycache__" {
                stamp(&entry.path(), digest)?;
            }
            continue;
        }
        let changed = data.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        digest.update(format!("{:?} {} {changed:?}\n", entry.path(), data.size()));
    }
    Ok(())
}

impl Listing {
    /// Reads what belongs to the project in a folder. Links that are absolute or lead out of the folder are left out, so
    /// that no file of the host becomes part of the copy.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    fn read(folder: &Path) -> io::Result<Listing> {
        let mut listing = Listing { digest: String::new(), bytes: 0, count: 0, entries: Vec::new() };
        let mut digest = Sha256::new();
        digest.update(format!("{GENERATION}\n"));
        listing.add(&folder.canonicalize()?, Path::new(""), &mut digest)?;
        listing.digest = hex::encode(digest.finalize());
        Ok(listing)
    }

    fn add(&mut self, root: &Path, below: &Path, digest: &mut Sha256) -> io::Result<()> {
        let mut entries = fs::read_dir(root.join(below))?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            let (path, kind) = (below.join(entry.file_name()), entry.file_type()?);
            let found = if kind.is_symlink() {
                let text = fs::read_link(entry.path())?;
                let stays =
                    !text.is_absolute() && entry.path().canonicalize().is_ok_and(|target| target.starts_with(root));
                if !stays {
                    continue;
                }
                digest.update(format!("link {path:?} {text:?}\n"));
                Entry::Link(text)
            } else if kind.is_dir() {
                digest.update(format!("folder {path:?}\n"));
                Entry::Folder
            } else if kind.is_file() {
                let size = hash_file(&entry.path(), &path, digest)?;
                self.bytes += size;
                Entry::File
            } else {
                // A socket, a pipe or a device.
                continue;
            };
            self.count += 1;
            let is_folder = matches!(found, Entry::Folder);
            self.entries.push((path.clone(), found));
            if is_folder {
                self.add(root, &path, digest)?;
            }
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        for (path, entry) in &self.entries {
            let target = to.join(path);
            match entry {
                Entry::Folder => fs::create_dir(target)?,
                Entry::File => drop(fs::copy(from.join(path), target)?),
                Entry::Link(text) => symlink(text, target)?,
            }
        }
        Ok(())
    }

    /// Lets everybody write a copy, with the compiled modules that are next to the files: in a sandbox, each test has a
    /// copy of its own under another user. The original is in the data folder, which nobody else can enter.
    fn open(copy: &Path) -> io::Result<()> {
        fs::set_permissions(copy, fs::Permissions::from_mode(0o777))?;
        for entry in fs::read_dir(copy)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                Listing::open(&entry.path())?;
            } else if kind.is_file() {
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o666))?;
            }
        }
        Ok(())
    }

    fn native(&self) -> Vec<PathBuf> {
        let is_native = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
        let files = self.entries.iter().filter(|(path, entry)| matches!(entry, Entry::File) && is_native(path));
        files.map(|(path, _)| path.clone()).collect()
    }
}

/// Copies a project's sources to a new folder, without what does not belong to it.
///
/// # Errors
/// Fails if a file cannot be read or the disk is full.
pub fn copy_sources(from: &Path, to: &Path) -> io::Result<()> {
    Listing::read(from)?.copy(from, to)
}

fn hash_file(file: &Path, name: &Path, digest: &mut Sha256) -> io::Result<u64> {
    let mut own = Sha256::new();
    let size = io::copy(&mut fs::File::open(file)?, &mut own)?;
    digest.update(format!("file {name:?} {size} {}\n", hex::encode(own.finalize())));
    Ok(size)
}

impl Project {
    /// Copies a project and its environment below `folder`, unless they are there already.
    ///
    /// # Errors
    /// Fails if a file cannot be read or the disk is full.
    pub fn prepare(sources: &Path, name: &str, environment: &Environment, folder: &Path) -> io::Result<Project> {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '.' }).collect();
        let (environment_name, environment_place, sites) = environment.image(folder)?;
        let listing = Listing::read(sources)?;
        let interpreter = &environment.interpreter;
        let digest = Sha256::digest(format!("{} {}", listing.digest, interpreter.version));
        let image = format!("project-{name}-{}", &hex::encode(digest)[..16]);
        let place = image::prepared(folder, &image, |place| {
            let copy = place.join("project");
            listing.copy(sources, &copy)?;
            // Failures are ignored: projects contain examples of invalid syntax.
            let arguments = ["-I", "-S", "-m", "compileall", "-q", "-j", "0"].map(OsStr::new);
            let _ = tool::run(&interpreter.program, arguments.into_iter().chain([copy.as_os_str()]));
            Listing::open(&copy)
        })?;
        let sources = place.join("project");
        let mut mounts = image::mounts(&environment_place)?;
        mounts.push((sources.clone(), "/source".to_owned()));
        Ok(Project {
            version: environment.version(),
            digest: format!("{environment_name} {}", listing.digest),
            sources,
            mounts,
            sites,
            native: listing.native(),
            bytes: listing.bytes,
            count: listing.count,
        })
    }

    /// Runs one test in a process of its own, with a copy of the project of its own.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn run(&self, context: &RunContext, budget: Budget, order: &Order<'_>) -> Result<TestEnd, EngineError> {
        #[derive(Serialize)]
        struct Sent<'a> {
            test: &'a str,
            file: &'a str,
            first_line: u32,
            last_line: u32,
            indent: u32,
            completion: Option<&'a str>,
            sites: &'a [String],
            native: &'a [PathBuf],
        }
        let Order { test, file, lines: (first_line, last_line), indent, completion } = *order;
        let sent =
            Sent { test, file, first_line, last_line, indent, completion, sites: &self.sites, native: &self.native };
        let sent = serde_json::to_vec(&sent).map_err(|e| EngineError::Harness(e.to_string()))?;
        let arguments = ["/python/bin/python3", "-I", "-S", "-c", HARNESS, "{control}", "project"];
        let mut command = command(&arguments, self.mounts.clone(), budget, Profile::EventLoop);
        command.copies = vec![(self.sources.clone(), "/work/project".to_owned())];
        // Room for the copy with its compiled modules, where the kernel cannot share the files.
        command.limits.scratch_bytes = SCRATCH_BYTES + 3 * self.bytes;
        command.limits.scratch_files = SCRATCH_FILES + 2 * self.count;
        command.limits.file_bytes = command.limits.file_bytes.max(self.bytes);
        let mut running = context.start(&command, budget)?;
        running.send(b'G', &sent);
        match running.receive()? {
            Next::Frame(b'B', _) => {}
            Next::Frame(..) => return Err(EngineError::Harness("the project's runner sent another frame".into())),
            Next::End(ended) if ended.limit.is_some() => return Ok(TestEnd::without_result(ended)),
            Next::End(ended) => {
                let said: String =
                    ended.printed.chars().rev().take(500).collect::<Vec<_>>().into_iter().rev().collect();
                return Err(EngineError::Harness(format!("the project's copy could not be made: {}", said.trim())));
            }
        }
        let (kind, content) = match running.receive()? {
            Next::Frame(kind, content) => (kind, content),
            Next::End(ended) => return Ok(TestEnd::without_result(ended)),
        };
        #[derive(Default, Deserialize)]
        struct Said {
            ran: u32,
            message: String,
        }
        // The process has run the output's code, so what it sends need not be ours.
        let Said { ran, message } = serde_json::from_slice(&content).unwrap_or_default();
        let verdict = match kind {
            b'P' => Verdict::Passed,
            b'N' => Verdict::Anomaly,
            b'W' => Verdict::Failed,
            b'S' => Verdict::CompileError,
            b'M' => Verdict::OutOfMemory,
            _ => Verdict::Crashed,
        };
        // Threads and exit handlers still run, and count.
        let ended = running.end()?;
        let (passed, finished) = (ended.is_success(), verdict == Verdict::Passed);
        Ok(TestEnd { end: ScriptEnd { passed, finished, verdict, message, ended }, ran })
    }
}

impl TestEnd {
    fn without_result(ended: crate::process::Ended) -> TestEnd {
        let (verdict, _) = without_result(&ended);
        let passed = ended.is_success();
        TestEnd { end: ScriptEnd { passed, finished: false, verdict, message: String::new(), ended }, ran: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_no_file_of_the_host() {
        let host = tempfile::tempdir().unwrap();
        fs::write(host.path().join("secret"), "s").unwrap();
        let source = host.path().join("project");
        fs::create_dir_all(source.join("a/__pycache__")).unwrap();
        fs::create_dir_all(source.join(".git")).unwrap();
        for (name, text) in [("a/f.py", "f"), ("a/__pycache__/f.pyc", "x"), (".git/HEAD", "x"), ("same.py", "f")] {
            fs::write(source.join(name), text).unwrap();
        }
        let links = ["../secret", "/etc/hostname", "missing", "a/f.py", "a/../../secret"];
        for (number, text) in links.iter().enumerate() {
            symlink(text, source.join(format!("link-{number}"))).unwrap();
        }
        symlink("..", source.join("a/up")).unwrap();
        let names =
            |listing: &Listing| listing.entries.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>();
        let listing = Listing::read(&source).unwrap();
        assert_eq!(names(&listing), ["a", "a/f.py", "a/up", "link-3", "same.py"]);
        assert_eq!((listing.bytes, listing.count), (2, 5));
        let copy = host.path().join("copy");
        listing.copy(&source, &copy).unwrap();
        assert_eq!(fs::read_link(copy.join("link-3")).unwrap(), Path::new("a/f.py"));
        assert_eq!(Listing::read(&copy).unwrap().digest, listing.digest);
        fs::write(source.join("same.py"), "g").unwrap();
        assert_ne!(Listing::read(&source).unwrap().digest, listing.digest);
    }
}
