//! Trusted tools: the JDK's own `javac`, `jlink` and `java` over our own files, and `ldd`.
//!
//! They run outside the walls, because they make what stands inside. No model's text gets near them.

use std::{ffi::OsStr, io, path::Path, process::Command as Process};

/// Runs a tool to its end and returns what it printed on standard output.
///
/// # Errors
/// Where it cannot be started or fails; then with what it said.
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
