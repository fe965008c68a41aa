//! `cargo xtask serve`.

use std::{os::unix::process::CommandExt, process::ExitCode};

use anyhow::{Context, Result};

use crate::{client, server, tools};

/// Builds, then becomes the server: Ctrl-C and other signals reach it without help.
pub fn serve(args: crate::Serve) -> Result<ExitCode> {
    client::build(client::Profile::of(args.release))?;
    let binary = server::build(args.release)?;
    let mut command = tools::command(&binary);
    let data = match args.data {
        // As typed: from where it was typed, not from where we run it.
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
    tools::say(tools::shown(&command));
    let failure = command.exec();
    Err(failure).with_context(|| format!("cannot start {}", binary.display()))
}
