//! The date that outputs and tests see: the current one, or one that a run asks for.
//!
//! Some published tests hold only in the year or month in which they were written. A clock cannot be set for
//! one process (time namespaces move only the monotonic clocks, and the JVM reads the time without a system
//! call that could be intercepted), so libfaketime, which is packaged everywhere and well maintained,
//! replaces the C library's functions. The monotonic clock, which Java uses for waiting and measuring, is
//! unchanged. docs/engine.md says what this does not cover.

use std::{
    io,
    path::{Path, PathBuf},
};

use model::run::Dates;

/// The library's path in the sandbox.
const INSIDE: &str = "/faketime/libfaketime.so";

/// The mounts and variables with which a JVM sees another date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Files to mount: path on the host, path in the sandbox.
    pub mounts: Vec<(PathBuf, String)>,
    /// Environment variables.
    pub env: Vec<(String, String)>,
}

/// The time at which a JVM starts, in UTC, in libfaketime's format.
fn start(dates: Dates) -> &'static str {
    match dates {
        // Not a round time: a test that checks whether minutes were set to zero would pass by chance.
        Dates::June2022 => "@2022-06-15 12:34:56",
    }
}

/// The mounts and variables with which a JVM sees `dates`.
///
/// # Errors
/// Fails if libfaketime is not installed.
pub fn needs(dates: Dates) -> io::Result<Needs> {
    needs_with(dates, library())
}

fn needs_with(dates: Dates, library: Option<PathBuf>) -> io::Result<Needs> {
    let library = library.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            "a run with other dates needs libfaketime. Install the package `libfaketime`, or run without --dates",
        )
    })?;
    let set = [
        ("LD_PRELOAD", INSIDE),
        ("FAKETIME", start(dates)),
        // The name depends on the library's version.
        ("DONT_FAKE_MONOTONIC", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("TZ", "UTC"),
    ];
    let env = set.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Ok(Needs { mounts: vec![(library, INSIDE.to_owned())], env })
}

/// The library for multithreaded programs, in the distributions' folders.
fn library() -> Option<PathBuf> {
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(Path::new);
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let below = ["faketime".into(), format!("{triple}/faketime"), triple.clone(), String::new()];
    let all = folders.iter().flat_map(|folder| below.iter().map(move |below| folder.join(below)));
    all.map(|folder| folder.join("libfaketimeMT.so.1")).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_named_in_the_error() {
        let missing = needs_with(Dates::June2022, None).unwrap_err().to_string();
        assert!(missing.contains("libfaketime"), "{missing}");
        let needs = needs_with(Dates::June2022, Some("/usr/lib/libfaketimeMT.so.1".into())).unwrap();
        assert_eq!(needs.mounts, [(PathBuf::from("/usr/lib/libfaketimeMT.so.1"), INSIDE.to_owned())]);
        assert!(needs.env.contains(&("LD_PRELOAD".to_owned(), INSIDE.to_owned())));
    }
}
