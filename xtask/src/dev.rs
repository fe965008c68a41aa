//! `cargo xtask dev`: serves the development build, and rebuilds, restarts and reloads when a source file changes.

use std::{
    path::Path,
    process::{Child, Command, ExitCode},
    sync::mpsc,
    time::Duration,
};

use anyhow::{Context, Result};
use notify_debouncer_mini::{DebounceEventResult, new_debouncer, notify::RecursiveMode};

use crate::{serve, server, setup, tools};

/// Folders and files that the program is built from.
const WATCHED: [&str; 8] =
    ["app", "server", "style", "datasets", "java-harness/src", "Cargo.toml", "Cargo.lock", ".cargo"];

/// How long nothing may change before a build starts, because editors write a file in several steps.
const SETTLED: Duration = Duration::from_millis(200);

/// Builds and serves until it is interrupted. If a build fails, the previous server keeps running.
pub fn dev(args: &serve::Options) -> Result<ExitCode> {
    setup::for_serving(args.demo);
    let (send, changes) = mpsc::channel::<DebounceEventResult>();
    let mut watcher = new_debouncer(SETTLED, send).context("cannot watch files")?;
    for path in WATCHED {
        let path = tools::root().join(path);
        watcher.watcher().watch(&path, RecursiveMode::Recursive).with_context(|| path.display().to_string())?;
    }
    let mut running: Option<Running> = None;
    loop {
        match server::build_with_client(false) {
            Ok(binary) => {
                // The old server ends before the new one opens the same data folder and port.
                drop(running.take());
                running = Some(Running::start(&binary, args)?);
                tools::say("Watching for changes; stop with Ctrl-C");
            }
            Err(e) => {
                let still =
                    if running.is_some() { "The last build keeps serving." } else { "The server has not started yet." };
                eprintln!("error: {e:#}\n{still}");
            }
        }
        // Changes during the build are in the channel, too, and start another one.
        while !changes
            .recv()
            .context("the watcher ended")?
            .is_ok_and(|events| events.iter().any(|e| is_source(&e.path)))
        {}
    }
}

/// Whether the program is built from a changed file; false for temporary files of editors.
fn is_source(path: &Path) -> bool {
    let known = ["rs", "toml", "lock", "css", "java", "json", "jsonl", "sql", "md", "tsv"];
    path.extension().and_then(|e| e.to_str()).is_some_and(|extension| known.contains(&extension))
}

/// A server; dropping this value ends it.
struct Running(Child);

impl Running {
    fn start(binary: &Path, args: &serve::Options) -> Result<Running> {
        let mut command: Command = serve::command(binary, args)?;
        // server/web/src/dev.rs
        command.env("AIXGRADE_DEV_RELOAD", "1");
        tools::say(tools::shown(&command));
        Ok(Running(command.spawn().with_context(|| format!("cannot start {}", binary.display()))?))
    }
}

impl Drop for Running {
    /// Kills at once: open connections would delay a graceful end, and an acknowledged rating survives a
    /// kill.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watched_paths_exist_and_editor_files_are_ignored() {
        for path in WATCHED {
            assert!(tools::root().join(path).exists(), "{path}");
        }
        let check = |path: &str, expected| assert_eq!(is_source(Path::new(path)), expected, "{path}");
        check("app/src/lib.rs", true);
        check("style/00-base.css", true);
        check("server/migrations/0001_schema.sql", true);
        check("app/src/.lib.rs.swp", false);
        check("app/src/lib.rs~", false);
        check("app/src/4913", false);
    }
}
