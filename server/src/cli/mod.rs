//! The command line. Each command calls the same services as the browser, as
//! [`Caller::Operator`](app::port::Caller): whoever can write the data folder.
//!
//! Results go to standard output (as JSON with `--json`), everything else to standard error. Exit
//! codes: 0 success, 1 our own failure, 2 bad input.

mod bench;
mod datasets;
mod doctor;
mod export;
mod fill;
mod import;
mod progress;
mod public;
mod ratings;
mod report;
mod run;
mod runs;
mod serve;
mod studies;
mod submissions;
mod token;
mod user;

use std::{io::Write, path::PathBuf, process::ExitCode};

use app::error::AppError;
use clap::{Args, Parser, Subcommand};
use serde::Serialize;

use crate::{
    error::{Failure, chain},
    services::{OpenFailure, Services},
};

/// Judge code that models wrote: grading by people, automated Java tests, comparison.
#[derive(Parser)]
#[command(name = "aixgrade", version, propagate_version = true)]
#[command(after_help = "Exit codes: 0 success, 1 a failure of the program or the machine, 2 bad input.")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone)]
pub struct Global {
    /// The data folder: database and uploaded files [default: $AIXGRADE_DATA, then the operating
    /// system's folder for application data]
    #[arg(long, global = true, env = "AIXGRADE_DATA", value_name = "DIR", hide_env = true)]
    data: Option<PathBuf>,
    /// Print results as JSON, for scripts
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Start the web server
    Serve(serve::Serve),
    /// Import a dataset: the published benchmark, or one in AixGrade's own format; or ratings from elsewhere
    #[command(subcommand)]
    Import(import::Import),
    /// List the datasets, show one
    #[command(subcommand)]
    Datasets(datasets::Datasets),
    /// Take model outputs, list what was taken
    #[command(subcommand)]
    Submissions(submissions::Submissions),
    /// Make studies, see how far they are, pause, resume or close them
    #[command(subcommand)]
    Studies(studies::Studies),
    /// Run a dataset's tests over a submission and print what came of every output
    Run(run::Run),
    /// List runs, show one, put two side by side, write results to a file
    #[command(subcommand)]
    Runs(runs::Runs),
    /// Take away ratings, verdicts, tables, or everything that a comparison rests on
    Export(export::Export),
    #[command(hide = true)]
    Fill(fill::Fill),
    /// Compute a bundle's figures again, and hold them against those in it
    Report(report::Report),
    /// Add people, reset passwords, make invitation links
    #[command(subcommand)]
    User(user::User),
    /// Make, list and revoke tokens for the REST API
    #[command(subcommand)]
    Token(token::Token),
    /// Check the data folder and the machine
    Doctor(doctor::Doctor),
    /// Measure the bootstrap (for `cargo xtask bench results`)
    #[command(hide = true)]
    BenchFigures(bench::Bench),
    /// Bring the database up to this program's schema, and say which one that is
    Migrate,
}

/// The whole program: reads the arguments, runs the command, tells the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => return fail(&Failure::internal(e)),
    };
    match runtime.block_on(run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { global, command } = cli;
    match command {
        Command::Serve(serve) => serve::run(&global, serve).await,
        Command::Import(import) => import::run(&global, import).await,
        Command::Datasets(datasets) => datasets::run(&global, datasets).await,
        Command::Submissions(submissions) => submissions::run(&global, submissions).await,
        Command::Studies(studies) => studies::run(&global, studies).await,
        Command::Run(run) => run::run(&global, run).await,
        Command::Runs(runs) => runs::run(&global, runs).await,
        Command::Export(export) => export::run(&global, export).await,
        Command::Fill(fill) => fill::run(&global, fill).await,
        Command::Report(report) => report::run(&global, &report),
        Command::User(user) => user::run(&global, user).await,
        Command::Token(token) => token::run(&global, token).await,
        Command::Doctor(doctor) => doctor::run(&global, &doctor).await,
        Command::BenchFigures(bench) => bench::run(&global, &bench),
        Command::Migrate => migrate(&global).await,
    }
}

async fn migrate(global: &Global) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Migrated {
        schema: u32,
    }
    let services = global.open()?;
    let schema = services.db.read(|conn| Ok(crate::db::migrations::version(conn)?)).await?;
    global.show(&Migrated { schema }, |_| format!("The database has schema {schema}, this program's newest."))
}

impl Global {
    /// The data folder: the argument, the environment, else the operating system's convention.
    pub fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.data {
            return Ok(folder.clone());
        }
        let dirs = directories::ProjectDirs::from("", "", "aixgrade");
        dirs.map(|dirs| dirs.data_dir().to_path_buf()).ok_or_else(|| {
            Failure::invalid(
                "--data",
                "this account has no home folder to keep data in",
                "Name a data folder with --data",
            )
        })
    }

    /// The services over the data folder.
    pub fn open(&self) -> Result<Services, Failure> {
        Services::open(&self.folder()?).map_err(|e| match e {
            // A folder that cannot be written and a database that is not ours are the operator's to
            // mend, not ours.
            OpenFailure::Folder { .. } | OpenFailure::Database(_) => Failure::App(AppError::Conflict(format!("{e}."))),
        })
    }

    /// Prints a result: as JSON where asked for, else as text.
    pub fn show<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Failure> {
        let printed = if self.json { serde_json::to_string(value)? } else { text(value) };
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{}", printed.trim_end()) {
            // Whoever read us has seen enough (`| head`).
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }
}

/// Says on standard error why the command failed, and as what it counts.
fn fail(failure: &Failure) -> ExitCode {
    match failure {
        Failure::App(e @ AppError::Internal(_)) => {
            eprintln!("aixgrade: {e}");
            ExitCode::from(1)
        }
        Failure::App(AppError::Invalid(problems)) => {
            for problem in problems {
                eprintln!("aixgrade: {problem}");
            }
            ExitCode::from(2)
        }
        Failure::App(e) => {
            eprintln!("aixgrade: {e}");
            ExitCode::from(2)
        }
        Failure::Internal(e) => {
            eprintln!("aixgrade: {}", chain(e.as_ref()));
            ExitCode::from(1)
        }
    }
}

/// Rows as a table for people: columns as wide as their widest cell, two spaces between.
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
