//! The commands `completions` and `man`.

use std::{io::Write, path::PathBuf};

use clap::Args;
use clap_complete::Shell;

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

/// Prints a script that completes a program's commands and options.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(completions: &Completions, mut program: clap::Command) -> Result<(), Failure> {
    let (mut script, name) = (Vec::new(), program.get_name().to_owned());
    clap_complete::generate(completions.shell, &mut program, name, &mut script);
    match std::io::stdout().lock().write_all(&script) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}

/// Writes a manual page for each of a program's commands.
///
/// # Errors
/// The folder cannot be written.
pub fn man(man: &Man, program: clap::Command) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(&man.folder).and_then(|()| clap_mangen::generate_to(program, &man.folder));
    made.map_err(|e| {
        let what = format!("{} cannot be written: {e}", man.folder.display());
        Failure::invalid("folder", what, "Name another folder")
    })
}
