//! Runs trusted tools on our own files: the JDK's `javac`, `jlink` and `java`, other languages' compilers, `ldd`.
//!
//! They run outside the sandbox because they build what it contains. They never see model code.

use std::{ffi::OsStr, io, path::Path, process::Command as Process};

/// Runs a tool and returns its standard output.
///
/// # Errors
/// Fails if the tool cannot be started or exits with an error; includes its output.
pub fn run(program: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<String> {
    run_in(Path::new("."), &[], program, args).map(|(out, _)| out)
}

/// Runs a tool in a folder, with additional environment variables, and returns its standard output and error.
///
/// # Errors
/// The same as [`run`].
#[allow(clippy::disallowed_methods, reason = "tools start here, and nowhere else in the server")]
pub fn run_in(
    folder: &Path,
    env: &[(&str, &str)],
    program: &Path,
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> io::Result<(String, String)> {
    let output = Process::new(program)
        .args(args)
        .current_dir(folder)
        .envs(env.iter().copied())
        .output()
        .map_err(|e| io::Error::new(e.kind(), format!("{} cannot be started: {e}", program.display())))?;
    if output.status.success() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return Ok((text(&output.stdout), text(&output.stderr)));
    }
    Err(io::Error::other(format!(
        "{} failed ({}): {}{}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )))
}
