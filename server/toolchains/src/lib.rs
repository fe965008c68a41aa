//! What each programming language needs on a machine, and the installation of what can be had without root.
//!
//! [`list::LANGUAGES`] is the only list: for each language its parts with their versions, lock files and installation, and
//! what root must install, with the packages of five distributions. [`install()`] fills a folder with parts, [`packs`]
//! carries such a folder to a machine without a network, [`folders`] says where toolchains are searched. The command
//! line, the pages, the engine's readiness and `cargo xtask` all use this list.
//!
//! Promises: only the operator's own package managers (`pip`, `npm`, `go`, `cargo`) connect to a host, and each verifies
//! what it fetches by a lock file that is part of the program. A part is made under another name and renamed when it is
//! complete, so a stopped installation leaves nothing that looks complete. A pack writes nothing outside of its folder.
//!
//! This crate may not know languages' toolchains in the sandbox, the database and pages. `cargo xtask` waits for it, so it
//! has few dependencies.

mod fetch;
pub mod install;
pub mod list;
#[cfg(feature = "packs")]
pub mod packs;
pub mod system;

use std::{
    env, fmt, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

pub use fetch::run_with;
pub use install::{Installed, Step, install};
pub use list::{LANGUAGES, Language, Part, language};

/// The variable that names a folder with toolchains.
pub const VARIABLE: &str = "AIXGRADE_TOOLCHAINS";

/// The folder with toolchains in a data folder, with all of its path: commands run in other folders.
pub fn folder(data: &Path) -> PathBuf {
    std::path::absolute(data).unwrap_or_else(|_| data.to_owned()).join("toolchains")
}

/// The folders in which toolchains are searched, before the search path: the one that [`VARIABLE`] names, then the data
/// folder's own.
pub fn folders(data: &Path) -> Vec<PathBuf> {
    named().into_iter().chain([folder(data)]).collect()
}

/// The folder that [`VARIABLE`] names.
pub fn named() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
    Some(std::path::absolute(&named).unwrap_or(named))
}

/// The path of a program on the search path.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let is_program = |file: &PathBuf| file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    env::split_paths(&path).map(|folder| folder.join(program)).find(is_program)
}

/// Why something cannot be installed, for the operator.
#[derive(Debug)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error(error.to_string())
    }
}

/// Adds the path to an error of the file system.
fn at(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |error| Error(format!("{}: {error}", path.display()))
}
