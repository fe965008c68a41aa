//! The program `aixgrade-worker`: takes jobs from a broker, runs outputs in the sandbox, and reports.
//!
//! Its command line. What a worker does is in `jobs::cluster::worker`; docs/scaling.md describes it. Without a command, it
//! works until it is stopped. This crate may not know services, pages and the web server: a machine that runs outputs
//! needs none of them.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory, Parser, Subcommand};
use model::code_lang::CodeLang;

use base::error::Failure;
use command::{
    Output,
    broker::BrokerArgs,
    log::LogArgs,
    shell::{self, Completions, Man},
    toolchains::{self, Place, Toolchains},
};
use jobs::{
    cluster::worker::{self, Settings},
    job::JobKind,
};

const PROGRAM: &str = "aixgrade-worker";

/// Runs outputs for an AixGrade server on another machine, over NATS JetStream
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = command::EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(flatten)]
    work: Work,
    #[command(flatten)]
    cache: Cache,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List what each programming language needs, install it, or pack it for a machine without a network
    Toolchains(ToolchainsOf),
    /// Print a script that lets a shell complete commands and options
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// Where the files of a worker are.
#[derive(Args)]
struct Cache {
    /// Folder for suites, images, temporary files and installed toolchains; workers on one machine can share it [default:
    /// the operating system's folder for caches]
    #[arg(long, global = true, env = "AIXGRADE_WORKER_CACHE", value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// The work itself.
#[derive(Args)]
struct Work {
    /// Address of the broker, such as nats://10.0.0.1:4222; several separated by commas
    #[arg(long, env = "AIXGRADE_NATS", value_name = "URL", required = true)]
    nats: Option<String>,
    #[command(flatten)]
    broker: BrokerArgs,
    /// Programming languages whose outputs to run: java, python, cpp, javascript, go, rust [default: all whose toolchains
    /// are found]
    #[arg(long, env = "AIXGRADE_WORKER_LANGUAGES", value_delimiter = ',', value_name = "LANGUAGES")]
    languages: Vec<CodeLang>,
    /// Number of outputs to run at a time [default: the number of processors]
    #[arg(long, env = "AIXGRADE_WORKER_SLOTS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    slots: Option<u16>,
    #[command(flatten)]
    log: LogArgs,
}

/// `toolchains`
#[derive(Args)]
struct ToolchainsOf {
    #[command(flatten)]
    asked: Toolchains,
    /// Print results as JSON
    #[arg(long, global = true)]
    json: bool,
}

/// Parses the arguments, runs the command and returns the exit code.
pub fn main() -> ExitCode {
    let Cli { work, cache, command } = Cli::parse();
    command::exit_code(PROGRAM, &[], async {
        match command {
            None => run(work, cache).await,
            Some(Command::Toolchains(ToolchainsOf { asked, json })) => {
                let place = Place { program: PROGRAM, data: cache.folder()?, output: Output { json } };
                toolchains::run(place, asked).await
            }
            Some(Command::Completions(asked)) => shell::completions(&asked, Cli::command()),
            Some(Command::Man(asked)) => shell::man(&asked, Cli::command()),
        }
    })
}

impl Cache {
    fn folder(self) -> Result<PathBuf, Failure> {
        let default = || directories::ProjectDirs::from("", "", "aixgrade").map(|dirs| dirs.cache_dir().join("worker"));
        self.cache.or_else(default).ok_or_else(|| {
            let what = "no default cache folder: this account has no home folder";
            Failure::invalid("--cache", what, "Pass a folder with --cache")
        })
    }
}

/// Works until it receives Ctrl-C or SIGTERM, and then until its outputs in progress are reported.
async fn run(work: Work, cache: Cache) -> Result<(), Failure> {
    work.log.start();
    let cache = cache.folder()?;
    let chosen = |kind: &JobKind| work.languages.is_empty() || work.languages.contains(&kind.lang());
    let kinds: BTreeSet<JobKind> = JobKind::all().filter(chosen).collect();
    let slots = work.slots.map_or_else(jobs::worker_count, usize::from);
    let broker = work.broker.read(&work.nats.unwrap_or_default())?;
    let settings = Settings { broker, cache, slots, kinds };
    worker::run(settings, command::stop(), |line| println!("{line}")).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_needs_a_broker_and_other_commands_do_not() {
        Cli::command().debug_assert();
        assert!(Cli::try_parse_from([PROGRAM]).is_err());
        assert!(Cli::try_parse_from([PROGRAM, "--nats", "nats://10.0.0.1:4222", "--slots", "2"]).is_ok());
        assert!(Cli::try_parse_from([PROGRAM, "toolchains", "--cache", "folder", "install", "python"]).is_ok());
    }
}
