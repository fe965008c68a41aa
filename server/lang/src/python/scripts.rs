//! Python programs that run as scripts, with the packages that CodeIF-Bench's tests import.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use model::run::Verdict;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{GENERATION, HARNESS, Interpreter, build};
use crate::{
    Places, RunContext, command, image,
    process::{Budget, Ended, ForkServers, Next, Running},
};
use engine::EngineError;
use sandbox::{Command, Profile, fork_server::ForkServer, tool};

/// The packages that the tests import besides numpy, and what these import: module and distribution.
const PACKAGES: [(&str, &str); 8] = [
    ("pycodestyle", "pycodestyle"),
    ("mccabe", "mccabe"),
    ("radon", "radon"),
    ("mando", "mando"),
    ("six", "six"),
    ("colorama", "colorama"),
    ("sympy", "sympy"),
    ("mpmath", "mpmath"),
];

/// A package in the interpreter's environment.
#[derive(Deserialize)]
struct Package {
    /// Its folder, or its file if it is a single module.
    place: PathBuf,
    version: String,
}

/// Runs scripts.
pub struct Scripts {
    version: String,
    mounts: Vec<(PathBuf, String)>,
    servers: Arc<ForkServers>,
    without_servers: AtomicBool,
}

/// How a script ended.
pub struct ScriptEnd {
    /// Whether a caller who looks at the exit code and reads the output as UTF-8 would accept it.
    pub passed: bool,
    /// Whether it ran to its last line. A script can end with exit code 0 before.
    pub finished: bool,
    /// What happened if it did not finish.
    pub verdict: Verdict,
    /// The exception that ended it; empty without one.
    pub message: String,
    pub ended: Ended,
}

/// The interpreter with every package.
///
/// # Errors
/// Names the packages that are missing, and the command that installs them.
fn locate(places: &Places) -> io::Result<(Interpreter, Vec<Package>)> {
    let interpreter = super::locate(places)?;
    let program = places.program("python/bin/python3", "python3");
    let program = program.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no python3 was found on the path"))?;
    let question = format!(
        "
import importlib.metadata, importlib.util, json, os
found = []
for name, distribution in {}:
    spec = importlib.util.find_spec(name)
    if spec is None:
        found.append(None)
        continue
    place = os.path.dirname(spec.origin) if spec.submodule_search_locations else spec.origin
    found.append({{'place': place, 'version': importlib.metadata.version(distribution)}})
print(json.dumps(found))",
        serde_json::to_string(&PACKAGES)?
    );
    let said = tool::run(&program, ["-I", "-c", &question])?;
    let found: Vec<Option<Package>> = serde_json::from_str(&said).map_err(io::Error::other)?;
    let missing = PACKAGES.iter().zip(&found).filter(|(_, package)| package.is_none());
    let missing: Vec<&str> = missing.map(|((_, distribution), _)| *distribution).collect();
    match found.into_iter().collect::<Option<Vec<_>>>() {
        Some(packages) => Ok((interpreter, packages)),
        None => {
            let (program, missing) = (program.display(), missing.join(", "));
            let what = format!("{program} lacks packages that the tests of CodeIF-Bench import: {missing}");
            Err(places.missing("codeif", &what))
        }
    }
}

/// Whether the packages are there.
///
/// # Errors
/// Says what is missing.
pub fn look(places: &Places) -> io::Result<()> {
    locate(places).map(drop)
}

impl Scripts {
    /// Finds the interpreter and builds its image below `folder`.
    ///
    /// # Errors
    /// Fails if the interpreter or a package is missing.
    pub fn find(places: &Places, folder: &Path) -> io::Result<Scripts> {
        let (found, packages) = locate(places)?;
        let versions = PACKAGES.iter().zip(&packages);
        let versions: Vec<String> =
            versions.map(|((name, _), package)| format!("{name} {}", package.version)).collect();
        let version = format!("Python {}, numpy {}, {}", found.version, found.numpy_version, versions.join(", "));
        let mut digest = Sha256::new();
        digest.update(format!("{GENERATION} {version} {:?} {:?}", found.program, found.numpy));
        let name = format!("python-scripts-{}", &hex::encode(digest.finalize())[..16]);
        let place = image::prepared(folder, &name, |place| {
            let site = place.join("python/site");
            std::fs::create_dir_all(&site)?;
            for package in &packages {
                add(&package.place, &site)?;
            }
            build(&found, place)
        })?;
        Ok(Scripts {
            version,
            mounts: image::mounts(&place)?,
            servers: Arc::default(),
            without_servers: AtomicBool::new(false),
        })
    }

    /// The versions that affect verdicts, for display.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs a program as a script.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn run(&self, context: &RunContext, program: &str) -> Result<ScriptEnd, EngineError> {
        let mut running = self.start(context)?;
        running.send(b'G', program.as_bytes());
        let (verdict, message) = match running.receive()? {
            Next::Frame(b'P', _) => (Verdict::Passed, String::new()),
            Next::Frame(kind, message) => {
                let verdict = match kind {
                    b'W' => Verdict::Failed,
                    b'S' => Verdict::CompileError,
                    b'M' => Verdict::OutOfMemory,
                    _ => Verdict::Crashed,
                };
                (verdict, String::from_utf8_lossy(&message).into_owned())
            }
            Next::End(ended) => {
                let (verdict, _) = super::without_result(&ended);
                let passed = is_accepted(&ended);
                return Ok(ScriptEnd { passed, finished: false, verdict, message: String::new(), ended });
            }
        };
        // Threads and exit handlers still run, and count.
        let ended = running.end()?;
        let finished = verdict == Verdict::Passed;
        Ok(ScriptEnd { passed: is_accepted(&ended), finished, verdict, message, ended })
    }

    fn start(&self, context: &RunContext) -> Result<Running, EngineError> {
        let budget = budget(context.budget);
        if !self.without_servers.load(Ordering::Relaxed) {
            let start = || ForkServer::start(&*context.sandbox, &self.interpreter("serve-scripts", budget));
            match Running::fork(&self.servers, b'c', budget, budget, &context.stop, start) {
                Ok(running) => return Ok(running),
                Err(e) if !self.without_servers.swap(true, Ordering::Relaxed) => {
                    tracing::warn!(cause = %e, "no fork server: every script starts an interpreter");
                }
                Err(_) => {}
            }
        }
        context.start(&self.interpreter("script", budget), budget)
    }

    fn interpreter(&self, mode: &str, budget: Budget) -> Command {
        let arguments = ["/python/bin/python3", "-I", "-S", "-c", HARNESS, "{control}", mode];
        let mut command = command(&arguments, self.mounts.clone(), budget, Profile::EventLoop);
        command.env.push(("OPENBLAS_NUM_THREADS".into(), "1".into()));
        command.env.push(("OMP_NUM_THREADS".into(), "1".into()));
        command
    }
}

/// The published evaluator's limit, in seconds. It counts time on the clock; here, CPU time decides.
const PUBLISHED_S: u64 = 3;

/// The limits of a script.
pub fn budget(budget: Budget) -> Budget {
    Budget { cpu_s: PUBLISHED_S, ..super::budget(budget) }
}

/// Whether the published evaluator would accept the end: exit code 0, and output that is UTF-8.
fn is_accepted(ended: &Ended) -> bool {
    ended.is_success() && !ended.printed.contains('\u{fffd}')
}

/// Copies a package into an image.
fn add(package: &Path, site: &Path) -> io::Result<()> {
    let Some(name) = package.file_name() else { return Ok(()) };
    if !package.is_dir() {
        std::fs::copy(package, site.join(name))?;
        return Ok(());
    }
    let wanted = |path: &Path| !path.ends_with("__pycache__") && !path.ends_with("tests");
    image::copy_tree(package, &site.join(name), &wanted)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    /// Stands in for an interpreter: answers the question about itself, and the one about the packages.
    fn interpreter(folder: &Path, packages: &str) -> Places {
        let itself = r#"{"program": "/p", "stdlib": "/s", "name": "python3.11", "version": "3.11", "numpy": "/n",
            "numpy_version": "1.26", "names": []}"#;
        let script = format!(
            "#!/bin/sh\ncase \"$3\" in *pycodestyle*) echo '{packages}';; *) echo '{}';; esac\n",
            itself.replace('\n', " ")
        );
        let program = folder.join("python/bin/python3");
        fs::create_dir_all(folder.join("python/bin")).unwrap();
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Places { folders: vec![folder.to_owned()], data: None }
    }

    #[test]
    fn missing_packages_are_named_with_the_command_that_installs_all() {
        let folder = tempfile::tempdir().unwrap();
        let there = r#"{"place": "/x", "version": "1"}"#;
        let all = [there; 8];
        assert!(look(&interpreter(folder.path(), &format!("[{}]", all.join(",")))).is_ok());
        let (mut some, last) = (all, all.len() - 2);
        (some[2], some[last]) = ("null", "null");
        let error = look(&interpreter(folder.path(), &format!("[{}]", some.join(",")))).unwrap_err().to_string();
        assert!(error.contains("import: radon, sympy. Run `"), "{error}");
        assert!(error.contains("`aixgrade toolchains install codeif`"), "{error}");
    }
}
