//! The command line. Each command calls the same services as the browser, as
//! [`System`](model::caller::System): anyone who can write the data folder.
//!
//! Results go to standard output (as JSON with `--json`), everything else to standard error. Exit
//! codes: 0 success, 1 internal error, 2 invalid input.

mod announcements;
mod audit;
mod backup;
mod codeif;
mod collect;
mod config;
mod datasets;
mod doctor;
mod export;
mod groups;
mod import;
mod inbox;
mod judge;
mod known;
mod mail;
mod objects;
mod oidc;
mod progress;
mod prune;
mod public;
mod ratings;
mod report;
mod rubrics;
mod run;
mod runs;
pub mod serve;
mod studies;
mod submissions;
mod token;
mod user;

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory, Parser, Subcommand};
use model::{
    error::{Answer, AppError},
    page::{PageOf, Paged, Which},
};
use serde::Serialize;

use base::error::Failure;
use command::{
    Output,
    shell::{self, Completions, Man},
    toolchains::{self, Place, Toolchains},
};
use services::{OpenFailure, Services};

const PROGRAM: &str = "aixgrade";

/// Evaluate code that models wrote: human ratings, automated tests, model comparison
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = command::EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone)]
pub struct Global {
    /// Data folder for the database and uploaded files [default: $AIXGRADE_DATA, then the operating
    /// system's folder for application data]
    #[arg(long, global = true, env = "AIXGRADE_DATA", value_name = "DIR", hide_env = true)]
    data: Option<PathBuf>,
    /// Settings file (TOML). Options and environment variables override it
    #[arg(long, global = true, env = "AIXGRADE_CONFIG", value_name = "FILE", hide_env = true)]
    config: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// The rows of a list to print, and their order.
#[derive(Args)]
pub struct Rows {
    /// Only rows that contain all these words, ignoring case
    #[arg(long, value_name = "WORDS", default_value = "", hide_default_value = true)]
    search: String,
    /// Sort by this column; `-` before it reverses the order, as in --sort=-created
    #[arg(long, value_name = "COLUMN", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    sort: String,
    /// Maximum number of rows to print [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Continue after the row with this key, which a list with --limit prints
    #[arg(long, value_name = "KEY")]
    after: Option<String>,
}

impl Rows {
    /// Reads the rows, a page at a time.
    async fn read<T>(self, list: impl AsyncFn(PageOf) -> Answer<Paged<T>>) -> Result<Vec<T>, Failure> {
        let most = self.limit.map_or(usize::MAX, |limit| limit as usize);
        let which = Which { search: self.search, sort: self.sort, filters: Vec::new() };
        let (mut rows, mut after) = (Vec::new(), self.after);
        loop {
            let left = u32::try_from(most - rows.len()).unwrap_or(PageOf::MOST);
            let page = list(PageOf { after, which: which.clone(), ..PageOf::first(left.min(PageOf::MOST)) }).await?;
            rows.extend(page.rows);
            after = page.next;
            if after.is_none() || rows.len() >= most {
                break;
            }
        }
        if let Some(key) = after {
            eprintln!("The list continues. For the next rows, pass --after {key}");
        }
        Ok(rows)
    }
}

#[derive(Subcommand)]
enum Command {
    /// Start the web server
    Serve(Box<serve::Serve>),
    /// Import datasets (AixBench, HumanEval-X, CodeIF-Bench or AixGrade's own format) or ratings from another tool
    #[command(subcommand)]
    Import(import::Import),
    /// List and show datasets
    #[command(subcommand)]
    Datasets(datasets::Datasets),
    /// Upload model outputs; list and show submissions
    #[command(subcommand)]
    Submissions(submissions::Submissions),
    /// Request a model's outputs for a dataset from an endpoint, and import them
    Collect(Box<collect::Collect>),
    /// Have a judge model score outputs with a study's rubric, next to people's ratings
    Judge(Box<judge::Judge>),
    /// List and show collections of outputs and scores; stop, import or delete them
    #[command(subcommand)]
    Collections(collect::Collections),
    /// Create studies, follow their progress, pause, resume and close them
    #[command(subcommand)]
    Studies(studies::Studies),
    /// List, show, import, export and archive rubrics
    #[command(subcommand)]
    Rubrics(rubrics::Rubrics),
    /// List the inbox; resolve, retry or dismiss its items
    Inbox(inbox::Inbox),
    /// Rename, archive or delete a dataset, rubric, submission or study
    #[command(subcommand)]
    Objects(objects::Objects),
    /// Run a dataset's tests over a submission and print the verdict of every output
    Run(run::Run),
    /// List, show, compare and export test runs
    #[command(subcommand)]
    Runs(runs::Runs),
    /// Export ratings, verdicts, tables, or a reproducible bundle of a comparison
    Export(export::Export),
    /// Recompute the figures of a bundle and check them against those that it contains
    Report(report::Report),
    /// Add accounts, set passwords, create invitation links
    #[command(subcommand)]
    User(user::User),
    /// Tell people something at the top of their pages
    #[command(subcommand)]
    Announcements(announcements::Announcements),
    /// Manage groups of people
    #[command(subcommand)]
    Groups(groups::Groups),
    /// Create, list and revoke access tokens for the REST API
    #[command(subcommand)]
    Token(token::Token),
    /// Show or export the audit log: who did what, when and from where
    Audit(audit::Audit),
    /// Copy the database and the uploaded files to a file or a folder of backups, while the server runs
    Backup(backup::Backup),
    /// Restore a backup into a new data folder; check or list backups
    Restore(backup::Restore),
    /// Delete unused data: uploads, cached verdicts, images of replaced toolchains, compiled tests
    Prune(prune::Prune),
    /// List what each programming language needs, install it, or pack it for a machine without a network
    Toolchains(Toolchains),
    /// Prepare what the tests of CodeIF-Bench need
    #[command(subcommand)]
    Codeif(codeif::Codeif),
    /// Check the data folder, the host, the sandbox and the SMTP server
    Doctor(doctor::Doctor),
    /// Update the database to this version's schema
    Migrate,
    /// Print every setting of the server and where it comes from: option, environment, settings file or default
    Config,
    /// Print a script that lets a shell complete commands and options
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// Parses the arguments, runs the command and returns the exit code.
pub fn main() -> ExitCode {
    let cli = match config::with_file(std::env::args_os().collect()) {
        Ok(arguments) => Cli::parse_from(arguments),
        Err(failure) => return command::fail(PROGRAM, &LISTS, &failure),
    };
    command::exit_code(PROGRAM, &LISTS, run(cli))
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { global, command } = cli;
    match command {
        Command::Serve(serve) => serve::run(&global, *serve).await,
        Command::Import(import) => import::run(&global, import).await,
        Command::Datasets(datasets) => datasets::run(&global, datasets).await,
        Command::Submissions(submissions) => submissions::run(&global, submissions).await,
        Command::Studies(studies) => studies::run(&global, studies).await,
        Command::Rubrics(rubrics) => rubrics::run(&global, rubrics).await,
        Command::Inbox(inbox) => inbox::run(&global, inbox).await,
        Command::Objects(objects) => objects::run(&global, objects).await,
        Command::Collect(collect) => collect::collect(&global, *collect).await,
        Command::Judge(judge) => judge::run(&global, *judge).await,
        Command::Collections(collections) => collect::run(&global, collections).await,
        Command::Run(run) => run::run(&global, run).await,
        Command::Runs(runs) => runs::run(&global, runs).await,
        Command::Export(export) => export::run(&global, export).await,
        Command::Report(report) => report::run(&global, &report),
        Command::User(user) => user::run(&global, user).await,
        Command::Announcements(announcements) => announcements::run(&global, announcements).await,
        Command::Groups(groups) => groups::run(&global, groups).await,
        Command::Token(token) => token::run(&global, token).await,
        Command::Audit(audit) => audit::run(&global, audit).await,
        Command::Backup(backup) => backup::back_up(&global, &backup).await,
        Command::Restore(restore) => backup::restore(&global, restore).await,
        Command::Prune(prune) => prune::run(&global, &prune).await,
        Command::Toolchains(asked) => {
            let place = Place { program: PROGRAM, data: global.folder()?, output: global.output() };
            toolchains::run(place, asked).await
        }
        Command::Codeif(command) => codeif::run(&global, command).await,
        Command::Doctor(doctor) => doctor::run(&global, &doctor).await,
        Command::Migrate => migrate(&global).await,
        Command::Config => config::print(&global),
        Command::Completions(asked) => shell::completions(&asked, Cli::command()),
        Command::Man(asked) => shell::man(&asked, Cli::command()),
    }
}

async fn migrate(global: &Global) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Migrated {
        schema: u32,
    }
    let services = global.open()?;
    let schema = services.db.read(|conn| Ok(db::migrations::version(conn)?)).await?;
    global.show(&Migrated { schema }, |_| format!("The database schema is up to date: version {schema}."))
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
                "no default data folder: this account has no home folder",
                "Pass a data folder with --data",
            )
        })
    }

    /// The services over the data folder.
    pub fn open(&self) -> Result<Services, Failure> {
        Services::open(&self.folder()?).map_err(|e| match e {
            // The operator can fix both: a folder that cannot be written, a file that is not our database.
            OpenFailure::Folder { .. } | OpenFailure::Database(_) | OpenFailure::Rubric(_) => {
                Failure::App(AppError::Conflict(format!("{e}.").into()))
            }
        })
    }

    /// Prints a result: as JSON if requested, otherwise as text.
    pub fn show<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Failure> {
        self.output().show(value, text)
    }

    fn output(&self) -> Output {
        Output { json: self.json }
    }
}

/// Kinds of objects, each with the command that lists them.
const LISTS: [(&str, &str); 7] = [
    ("account", "user list"),
    ("collection", "collections list"),
    ("dataset", "datasets list"),
    ("rubric", "rubrics list"),
    ("run", "runs list"),
    ("study", "studies list"),
    ("submission", "submissions list"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_commands_that_exist() {
        for (_, list) in LISTS {
            let command = Cli::try_parse_from(std::iter::once(PROGRAM).chain(list.split(' ')));
            assert!(command.is_ok(), "{list}");
        }
    }
}
