//! The program under test as a process.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::TestApp;

/// The program's file.
pub fn path() -> PathBuf {
    // A build folder that several checkouts share may contain another's program.
    std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into()).into()
}

/// The program with `args`, over the app's data.
pub fn program(app: &TestApp, args: &[&str]) -> Command {
    let mut command = program_over(&app.services.folder);
    command.args(args);
    command
}

/// The program over a data folder.
#[allow(clippy::disallowed_methods, reason = "the program under test is a process")]
pub fn program_over(data: &Path) -> Command {
    let mut command = Command::new(path());
    command.arg("--data").arg(data);
    command
}
