//! What the command lines of `aixgrade` and `aixgrade-worker` have in common: how results and errors are printed, the
//! options of the broker and of logs, and the commands `toolchains`, `completions` and `man`.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 internal error, 2 invalid
//! input. This crate may not know services, pages and the web server: the worker is linked without them.

pub mod broker;
pub mod log;
pub mod shell;
pub mod toolchains;

use std::{io::Write, process::ExitCode};

use model::error::AppError;
use serde::Serialize;

use base::error::Failure;

/// What [`ExitCode`]s mean, for a program's help.
pub const EXIT_CODES: &str = "Exit codes: 0 success, 1 internal error, 2 invalid input.";

/// How results are printed.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub json: bool,
}

impl Output {
    /// Prints a result: as JSON if requested, otherwise as text.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn show<T: Serialize>(self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Failure> {
        let printed = if self.json { serde_json::to_string(value)? } else { text(value) };
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{}", printed.trim_end()) {
            // The reader closed the pipe early, as `| head` does.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }
}

/// Runs a command on a new runtime and returns the exit code. `lists` has kinds of objects, each with the command of
/// `program` that lists them.
pub fn exit_code(
    program: &str,
    lists: &[(&str, &str)],
    command: impl Future<Output = Result<(), Failure>>,
) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Failure::internal).and_then(|runtime| runtime.block_on(command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(program, lists, &failure),
    }
}

/// Prints why a command failed to standard error and returns the exit code.
pub fn fail(program: &str, lists: &[(&str, &str)], failure: &Failure) -> ExitCode {
    let code = match failure {
        Failure::App(AppError::Internal(_)) | Failure::Internal(_) => 1,
        Failure::App(_) | Failure::Routine(_) => 2,
    };
    match failure {
        Failure::App(AppError::Invalid(problems)) => {
            for problem in problems {
                eprintln!("{program}: {problem}");
            }
        }
        Failure::App(AppError::NotFound(what)) => {
            let list = lists.iter().find(|(kind, _)| kind == what);
            let remedy = list.map_or_else(String::new, |(_, list)| format!(". List them with `{program} {list}`."));
            eprintln!("{program}: {what} not found{remedy}");
        }
        Failure::App(e) => eprintln!("{program}: {e}"),
        Failure::Routine(_) | Failure::Internal(_) => eprintln!("{program}: {failure}"),
    }
    ExitCode::from(code)
}

/// Formats rows as a text table: columns as wide as their widest cell, two spaces between them.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(head.get(column).map(|h| h.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(head.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

/// A size in MB with one decimal.
pub fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Waits for Ctrl-C or a service manager's signal.
pub async fn stop() {
    let ctrl_c = async {
        // If signals are unavailable, the program runs until it is killed, which loses nothing.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! { () = ctrl_c => {}, () = terminate => {} }
}
