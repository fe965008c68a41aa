//! Paths, running commands and printing progress. Used by every other module here.

use std::{
    env,
    ffi::OsStr,
    fmt::Write as _,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The workspace's folder. Cargo passes xtask's path at run time: with a target folder shared by several
/// checkouts, the compiled-in path may be another checkout's.
pub fn root() -> PathBuf {
    let xtask = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    xtask.parent().map_or_else(|| xtask.clone(), Path::to_path_buf)
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
    let mut command = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
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

/// Runs a cargo build and returns the files of the target `name`.
pub fn build_artifacts(command: &mut Command, name: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let built = run_lines(command.arg("--message-format=json-render-diagnostics"), |line| {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        if message["reason"] == "compiler-artifact" && message["target"]["name"] == name {
            let made = message["filenames"].as_array().into_iter().flatten();
            files.extend(made.filter_map(|file| file.as_str()).map(PathBuf::from));
        }
    })?;
    if !built {
        bail!("`{}` failed", shown(command));
    }
    Ok(files)
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
