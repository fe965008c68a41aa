//! `aixgrade completions` and `aixgrade man`

use std::{io::Write, path::PathBuf};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use base::error::Failure;

/// `completions`
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// `man`
#[derive(Args)]
pub struct Man {
    /// Folder for the pages; it is created if it is missing
    folder: PathBuf,
}

/// Prints a script that completes commands and options.
pub fn completions(completions: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Cli::command(), "aixgrade", &mut script);
    match std::io::stdout().lock().write_all(&script) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}

/// Writes a manual page for each command.
pub fn man(man: &Man) -> Result<(), Failure> {
    let made =
        std::fs::create_dir_all(&man.folder).and_then(|()| clap_mangen::generate_to(Cli::command(), &man.folder));
    made.map_err(|e| {
        let what = format!("{} cannot be written: {e}", man.folder.display());
        Failure::invalid("folder", what, "Name another folder")
    })
}
