//! The date that outputs and tests see: today's, or one that a run asks for.
//!
//! Some published tests hold only in the year or month in which they were written. A clock cannot be
//! set for one process (time name spaces move the monotonic clocks alone, and the JVM reads the time
//! without a system call that could be caught), so the C library's functions are stood in for:
//! libfaketime, packaged everywhere and kept well, is loaded before them. The monotonic clock, by which
//! Java waits and measures, is left alone. docs/engine.md says what this does not cover.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Where the library stands inside.
const INSIDE: &str = "/faketime/libfaketime.so";

/// What a JVM needs to see another date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Files to be mounted: the host's path, the path inside.
    pub mounts: Vec<(PathBuf, String)>,
    /// What is set in the environment.
    pub env: Vec<(String, String)>,
}

/// A date that a run can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dates {
    /// 15 June 2022, 12:34:56, when an output's JVM starts: the month of the benchmark's publication.
    June2022,
}

impl Dates {
    /// All of them.
    pub const ALL: [Dates; 1] = [Dates::June2022];

    /// The name on the command line and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Dates::June2022 => "june-2022",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Dates> {
        Dates::ALL.into_iter().find(|dates| dates.name() == name)
    }

    /// The moment at which a JVM starts, in UTC, as libfaketime reads it.
    fn start(self) -> &'static str {
        match self {
            // No round time: a test that looks whether minutes were set to zero would find it so anyway.
            Dates::June2022 => "@2022-06-15 12:34:56",
        }
    }

    /// What a JVM needs for it.
    ///
    /// # Errors
    /// Where the library is not installed.
    pub fn needs(self) -> io::Result<Needs> {
        self.needs_with(library())
    }

    fn needs_with(self, library: Option<PathBuf>) -> io::Result<Needs> {
        let library = library.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                "a run with other dates needs libfaketime. Install the package `libfaketime`, or run without --dates",
            )
        })?;
        let set = [
            ("LD_PRELOAD", INSIDE),
            ("FAKETIME", self.start()),
            // Two names for one thing: older and newer versions of the library.
            ("DONT_FAKE_MONOTONIC", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("TZ", "UTC"),
        ];
        let env = set.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(Needs { mounts: vec![(library, INSIDE.to_owned())], env })
    }
}

/// The library for programs with threads, where distributions put it.
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
    fn needs_name_the_package_that_is_missing() {
        let missing = Dates::June2022.needs_with(None).unwrap_err().to_string();
        assert!(missing.contains("libfaketime"), "{missing}");
        let needs = Dates::June2022.needs_with(Some("/usr/lib/libfaketimeMT.so.1".into())).unwrap();
        assert_eq!(needs.mounts, [(PathBuf::from("/usr/lib/libfaketimeMT.so.1"), INSIDE.to_owned())]);
        assert!(needs.env.contains(&("LD_PRELOAD".to_owned(), INSIDE.to_owned())));
    }
}
