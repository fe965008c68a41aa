//! `cargo xtask serve`.

use std::{
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};
use clap::Args;

use crate::{server, setup, toolchains, tools};

/// Options for serving. Arguments after `--` are passed to `aixgrade serve`.
#[derive(Args)]
pub struct Options {
    /// Create known accounts, a running study with invented ratings, and test runs in all languages that can be had
    #[arg(long)]
    pub(crate) demo: bool,
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

/// Builds, then replaces itself with the server, so that Ctrl-C and other signals reach it directly.
pub fn serve(args: &Options, release: bool) -> Result<ExitCode> {
    setup::for_serving(args.demo);
    let binary = server::build_with_client(release)?;
    let mut command = command(&binary, args)?;
    command.env(toolchains::VARIABLE, toolchains::prepared());
    tools::say(tools::shown(&command));
    let failure = command.exec();
    Err(failure).with_context(|| format!("cannot start {}", binary.display()))
}

/// The command that starts a server with `args`.
pub fn command(binary: &Path, args: &Options) -> Result<Command> {
    let mut command = tools::command(binary);
    let data = match &args.data {
        // Relative to the caller's folder.
        Some(folder) => std::path::absolute(folder)?,
        None => tools::root().join("data"),
    };
    command.arg("serve").arg("--data").arg(data);
    if let Some(port) = args.port {
        command.arg("--listen").arg(format!("127.0.0.1:{port}"));
    }
    if args.demo {
        // With the starter tasks of all languages, whose toolchains are prepared.
        command.arg("--demo=languages");
    }
    command.args(&args.more);
    Ok(command)
}
