//! Paths, running commands and printing progress. Used by every other module here.

use std::{
    env,
    ffi::OsStr,
    fmt::Write as _,
    hash::{DefaultHasher, Hash, Hasher},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The workspace's folder. Cargo passes the running package's path at run time: with a target folder shared by several
/// checkouts, the compiled-in path may be another checkout's.
pub fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    let workspace = package.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file());
    workspace.map(Path::to_path_buf).unwrap_or(package)
}

/// A command that runs in the workspace's folder.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs us, without the settings that it made for us: these would reach build scripts and
/// change their fingerprints, so that a bare `cargo build` and ours would undo each other's work.
pub fn cargo() -> Command {
    without_ours(command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())))
}

/// A program that cargo has built, as cargo runs it: in its package's folder.
pub fn of_package(program: &Path, package: &Path) -> Command {
    let mut command = without_ours(Command::new(program));
    command.current_dir(package).env("CARGO_MANIFEST_DIR", package);
    command
}

/// A command without what cargo has set in our environment about our package.
fn without_ours(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO_PRIMARY_PACKAGE" {
            command.env_remove(&name);
        }
    }
    command
}

/// Prints what is being done.
pub fn say(what: impl AsRef<str>) {
    println!("==> {}", what.as_ref());
}

/// The same on standard error, so that standard output has only the result.
pub fn say_aside(what: impl AsRef<str>) {
    eprintln!("==> {}", what.as_ref());
}

/// Runs a command and shows its output; fails if the command does.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and shows its output only if it fails.
pub fn run_quietly(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({}):\n{}", shown(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command and passes every line of its standard output to `each`; returns whether it succeeded.
pub fn run_lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            each(&String::from_utf8_lossy(&line?));
        }
    }
    Ok(child.wait()?.success())
}

/// What a cargo build has made.
pub struct Artifact {
    /// The target's name.
    pub name: String,
    /// `lib`, `bin`, `test`, `bench` and so on.
    pub kind: String,
    /// The package's folder.
    pub package: PathBuf,
    /// Whether it is a program that runs tests.
    pub is_test: bool,
    pub files: Vec<PathBuf>,
}

impl Artifact {
    /// The program, without the files next to it.
    pub fn program(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|file| file.extension().is_none())
    }
}

/// Runs a cargo build and returns what it has made, what was up to date included.
pub fn artifacts(command: &mut Command) -> Result<Vec<Artifact>> {
    let mut artifacts = Vec::new();
    let built = run_lines(command.arg("--message-format=json-render-diagnostics"), |line| {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        if message["reason"] == "compiler-artifact" {
            let made = message["filenames"].as_array().into_iter().flatten();
            artifacts.push(Artifact {
                name: text(&message["target"]["name"]),
                kind: text(&message["target"]["kind"][0]),
                package: folder_of(&message["manifest_path"]),
                is_test: message["profile"]["test"] == true,
                files: made.filter_map(|file| file.as_str()).map(PathBuf::from).collect(),
            });
        }
    })?;
    if !built {
        bail!("`{}` failed", shown(command));
    }
    Ok(artifacts)
}

/// Runs a cargo build and returns the program `name` that it has made.
pub fn built_program(command: &mut Command, name: &str) -> Result<PathBuf> {
    let artifacts = artifacts(command)?;
    let program = artifacts.iter().filter(|artifact| artifact.name == name).find_map(Artifact::program);
    program.map(Path::to_path_buf).with_context(|| format!("cargo built no `{name}`"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The folder of the file that a value names.
fn folder_of(value: &Value) -> PathBuf {
    Path::new(&text(value)).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A package of the workspace.
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
    /// Whether a bare `cargo test` tests it.
    pub is_default: bool,
    /// Names of the packages of the workspace that it is made of.
    pub needs: Vec<String>,
    pub targets: Vec<Target>,
}

/// A library or a program of a package.
pub struct Target {
    pub name: String,
    /// `lib`, `bin`, `test`, `bench` and so on.
    pub kind: String,
    /// Its first source file.
    pub source: PathBuf,
    /// Whether it has unit tests.
    pub is_tested: bool,
}

/// The workspace's packages.
pub fn packages() -> Result<Vec<Package>> {
    let described = run_quietly(cargo().args(["metadata", "--no-deps", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&described).context("cargo's description of the workspace")?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let default = list(&metadata["workspace_default_members"]);
    let target = |target: &Value| Target {
        name: text(&target["name"]),
        kind: text(&target["kind"][0]),
        source: text(&target["src_path"]).into(),
        is_tested: target["test"] == true,
    };
    let package = |package: &Value| Package {
        name: text(&package["name"]),
        folder: folder_of(&package["manifest_path"]),
        is_default: default.contains(&package["id"]),
        needs: list(&package["dependencies"])
            .iter()
            .filter(|needed| needed["path"].is_string() && needed["kind"] != "dev")
            .map(|needed| text(&needed["name"]))
            .collect(),
        targets: list(&package["targets"]).iter().map(target).collect(),
    };
    Ok(list(&metadata["packages"]).iter().map(package).collect())
}

/// Adds every file below a folder to `found`.
pub fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// A short name for content, to see whether it has changed: not for names that somebody could want to forge.
pub fn fingerprint<T: AsRef<[u8]>>(content: impl IntoIterator<Item = T>) -> String {
    let mut hasher = DefaultHasher::new();
    for part in content {
        part.as_ref().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Whether a program of this name is on the path.
pub fn on_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// A command as a person would type it.
pub fn shown(command: &Command) -> String {
    let mut text = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        let _ = write!(text, " {}", argument.to_string_lossy());
    }
    text
}
