//! `cargo xtask serve`.

use std::{
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::{client, server, setup, toolchains, tools};

/// Builds, then replaces itself with the server, so that Ctrl-C and other signals reach it directly.
pub fn serve(args: &crate::ServeOptions, release: bool) -> Result<ExitCode> {
    setup::for_serving();
    client::build(client::Profile::of(release))?;
    let binary = server::build(release)?;
    let mut command = command(&binary, args)?;
    command.env(toolchains::VARIABLE, toolchains::prepared());
    tools::say(tools::shown(&command));
    let failure = command.exec();
    Err(failure).with_context(|| format!("cannot start {}", binary.display()))
}

/// The command that starts a server with `args`.
pub fn command(binary: &Path, args: &crate::ServeOptions) -> Result<Command> {
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
        command.arg("--demo");
    }
    command.args(&args.more);
    Ok(command)
}
