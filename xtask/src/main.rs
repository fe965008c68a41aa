//! The command line of `cargo xtask`.

#![allow(clippy::disallowed_methods, reason = "starting compilers and servers is what xtask is for")]

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::{client, deb, dev, image, serve, server, test, tools};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Builds, serves and tests AixGrade",
    disable_help_subcommand = true
)]
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
        serve: serve::Options,
        /// Serve the optimized build
        #[arg(long)]
        release: bool,
    },
    /// Serve the development build; rebuild, restart and reload pages when a source file changes
    Dev(serve::Options),
    /// Run every check: format, lints, Rust and Java tests, browser journeys
    Test(test::Options),
    /// Build the container images of the server and of a worker, with podman
    Image(image::Options),
    /// Build the package for Debian
    Deb(deb::Options),
    /// Measure the performance targets on this machine: `cargo xtask bench --help` lists what can be measured
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
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
        Command::Build { release, client: true } => {
            client::build(client::Profile::of(release))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Build { release, client: false } => {
            let binary = server::build_with_client(release)?;
            println!("The server is {}", binary.display());
            if release {
                let size = std::fs::metadata(&binary)?.len() / 1024 / 1024;
                println!(
                    "It includes the client and the styles ({size} MB). Install aixgrade-sandbox, which starts sandboxes, next to it. \
                     On machines that only run outputs, install aixgrade-worker and aixgrade-sandbox."
                );
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Serve { serve, release } => serve::serve(&serve, release),
        Command::Dev(args) => dev::dev(&args),
        Command::Test(options) => test::test(&options),
        Command::Image(options) => image::image(&options).map(|()| ExitCode::SUCCESS),
        Command::Deb(options) => deb::deb(&options).map(|()| ExitCode::SUCCESS),
        Command::Bench { arguments } => bench(&arguments),
    }
}

/// Runs the program that measures (`xtask/bench`), optimized: it loads the server from the same machine, and unoptimized
/// it would take more of the cores than the server.
fn bench(arguments: &[OsString]) -> Result<ExitCode> {
    let mut cargo = tools::cargo();
    cargo.args(["run", "--locked", "--quiet", "--release", "--package", "bench", "--"]);
    tools::say_aside("Building what measures, optimized");
    // Paths are relative to the caller's folder.
    let status = cargo.args(arguments).current_dir(std::env::current_dir()?).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_can_be_parsed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn arguments_of_benches_are_passed_on() {
        for given in [&["grading", "--ratings", "3"][..], &["--help"], &[]] {
            let line = ["cargo xtask", "bench"].iter().chain(given);
            let Command::Bench { arguments } = Cli::try_parse_from(line).unwrap().command else { panic!("{given:?}") };
            assert_eq!(arguments, given);
        }
    }
}
