//! `aixgrade codeif`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use projects::{Prepared, Request};
use serde::Serialize;

use super::Global;
use base::error::Failure;
use command::toolchains::provide;

/// `codeif`
#[derive(Subcommand)]
pub enum Codeif {
    /// Prepare the projects of the tests at repository level: sources in DIR/Source_Code, and Python environments. Also
    /// install Python's toolchain, as `toolchains install python` does, if the data folder needs it
    Prepare(Prepare),
}

/// `codeif prepare`
#[derive(Args)]
pub struct Prepare {
    /// The folder to fill, for --repositories. What is complete stays, so a stopped command can be started again
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Projects to prepare, as TOPIC/PROJECT [default: all]
    #[arg(value_name = "PROJECT")]
    projects: Vec<String>,
    /// A checkout of CodeIF-Bench, which has the tests of the instructions
    #[arg(long, value_name = "CHECKOUT")]
    benchmark: PathBuf,
    /// A folder or an archive (.tar.gz, .tar, .zip) with projects, such as the authors' Source_Code. Projects that none
    /// has come from pip and git
    #[arg(long, value_name = "PATH")]
    from: Vec<PathBuf>,
    /// The address or folder below which git finds OWNER/NAME, for projects whose releases have no tests
    #[arg(long, value_name = "BASE")]
    git: Option<String>,
    /// A folder with wheels and releases to use instead of pip's index
    #[arg(long, value_name = "DIR")]
    packages: Option<PathBuf>,
    /// A Python interpreter, of the version that it says [default: those on the search path, of pyenv and of uv]
    #[arg(long = "python", value_name = "PROGRAM")]
    pythons: Vec<PathBuf>,
}

/// A project in the report.
#[derive(Serialize)]
struct Row {
    project: String,
    ready: bool,
    /// Whether this command prepared it.
    is_new: bool,
    /// The versions that it runs with, or what is missing and how to get it.
    detail: String,
    /// Instructions whose tests its files do not have.
    left_out: Vec<String>,
}

/// Runs a command. Needs no database.
pub async fn run(global: &Global, command: Codeif) -> Result<(), Failure> {
    let Codeif::Prepare(asked) = command;
    let global = global.clone();
    tokio::task::spawn_blocking(move || prepare(&global, asked)).await.map_err(Failure::internal)?
}

fn prepare(global: &Global, asked: Prepare) -> Result<(), Failure> {
    let Prepare { folder, projects, benchmark, from, git, packages, pythons } = asked;
    let absent = from.iter().chain(&packages).chain(&pythons).find(|path| !path.exists());
    if let Some(absent) = absent {
        return Err(Failure::conflict(format!("{} does not exist; name an existing path", absent.display())));
    }
    let request = Request { folder, benchmark, from, git, packages, pythons, projects };
    let prepared = projects::prepare(projects::recipe(), &request, &mut |step| eprintln!("{step}"));
    let rows: Vec<Row> = prepared.map_err(|why| Failure::conflict(why.to_string()))?.into_iter().map(row).collect();
    global.show(&rows, |rows| {
        let line = |row: &Row| {
            let state = if row.ready { "ok  " } else { "FAIL" };
            let more: String = row.left_out.iter().map(|why| format!("\n        without a test: {why}")).collect();
            format!("{state}  {}: {}{more}", row.project, row.detail)
        };
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    let ready = rows.iter().filter(|row| row.ready).count();
    eprintln!("{ready} of {} projects are ready", rows.len());
    // A run of these tests checks its sandbox with Python.
    provide(&global.folder()?, "python")?;
    match ready == rows.len() {
        true => Ok(()),
        false => Err(Failure::conflict("some projects are not ready; see above")),
    }
}

fn row(prepared: Prepared) -> Row {
    let Prepared { project, state, is_new, left_out } = prepared;
    let ready = state.is_ok();
    Row { project, ready, is_new, detail: state.unwrap_or_else(|why| why), left_out }
}
