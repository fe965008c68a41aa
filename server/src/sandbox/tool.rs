//! Runs trusted tools: the JDK's `javac`, `jlink` and `java` on our own files, and `ldd`.
//!
//! They run outside the sandbox because they build what it contains. They never see model code.

use std::{ffi::OsStr, io, path::Path, process::Command as Process};

/// Runs a tool and returns its standard output.
///
/// # Errors
/// Fails if the tool cannot be started or exits with an error; includes its output.
#[allow(clippy::disallowed_methods, reason = "tools start here, and nowhere else in the server")]
pub fn run(program: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<String> {
    let output = Process::new(program)
        .args(args)
        .output()
        .map_err(|e| io::Error::new(e.kind(), format!("{} cannot be started: {e}", program.display())))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(io::Error::other(format!(
        "{} failed ({}): {}{}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )))
}
