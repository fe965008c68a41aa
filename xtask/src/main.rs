//! `cargo xtask …`: builds, serves and tests AixGrade, and installs what each needs.
//!
//! The release embeds the client, so the client is always built first, and always from here: cargo alone
//! cannot run wasm-bindgen on its own output.

#![allow(clippy::disallowed_methods, reason = "starting compilers and servers is what xtask is for")]

mod bench;
mod client;
mod dev;
#[cfg(test)]
mod dockerfile;
mod glue;
mod prune;
mod serve;
mod server;
mod setup;
mod test;
mod toolchains;
mod tools;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, serves and tests AixGrade", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the client, the styles and the server
    Build {
        /// Optimise; creates one self-contained binary with client and styles
        #[arg(long)]
        release: bool,
        /// Build only the client, not the server
        #[arg(long)]
        client: bool,
    },
    /// Build, then run the server; stop it with Ctrl-C
    Serve {
        #[command(flatten)]
        serve: ServeOptions,
        /// Serve the optimized build
        #[arg(long)]
        release: bool,
    },
    /// Serve the development build; rebuild, restart and reload pages when a source file changes
    Dev(ServeOptions),
    /// Run every check: format, lints, Rust and Java tests, browser journeys
    Test {
        /// Stages, journeys or parts of Rust tests' paths to run instead of everything
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Print the names that can be given
        #[arg(long, conflicts_with = "names")]
        list: bool,
    },
    /// Measure the performance targets on this machine
    Bench(bench::Bench),
}

/// Options for serving. Arguments after `--` are passed to `aixgrade serve`.
#[derive(Args)]
struct ServeOptions {
    /// Create known accounts, a running study with invented ratings, and test runs
    #[arg(long)]
    demo: bool,
    /// Port to listen on
    #[arg(long)]
    port: Option<u16>,
    /// Data folder, created if missing [default: `data` in the workspace's folder]
    #[arg(long)]
    data: Option<PathBuf>,
    /// More arguments for `aixgrade serve`
    #[arg(last = true)]
    more: Vec<String>,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Build { release, client: only } => {
            client::build(client::Profile::of(release))?;
            if only {
                return Ok(ExitCode::SUCCESS);
            }
            let binary = server::build(release)?;
            println!("The server is {}", binary.display());
            if release {
                let size = std::fs::metadata(&binary)?.len() / 1024 / 1024;
                println!(
                    "It includes the client and the styles ({size} MB). Install aixgrade-sandbox, which starts sandboxes, next to it."
                );
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Serve { serve, release } => serve::serve(&serve, release),
        Command::Dev(args) => dev::dev(&args),
        Command::Test { list: true, .. } => test::list(),
        Command::Test { names, .. } => test::test(&names),
        Command::Bench(_) if cfg!(debug_assertions) => bench::optimized(),
        Command::Bench(args) => bench::bench(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn every_command_can_be_parsed() {
        super::Cli::command().debug_assert();
    }
}
