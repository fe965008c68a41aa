//! Builds the server's binary.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Result, anyhow};

use crate::{client, setup, tools};

/// Package and name of the program.
const PACKAGE: &str = "server";
pub const PROGRAM: &str = "aixgrade";

/// Package and name of the program of workers on other machines.
const WORKER_PACKAGE: &str = "worker";
pub const WORKER: &str = "aixgrade-worker";

/// Builds the client and the server, at the same time, and returns the server's path.
///
/// A development build reads the client's files when it runs. A release has them inside: what it is made of is compiled
/// beside the client, and only the program itself waits for it.
pub fn build_with_client(release: bool) -> Result<PathBuf> {
    // Installed first, because two installations at once would fail.
    setup::targets()?;
    thread::scope(|scope| {
        let client = scope.spawn(|| client::build(client::Profile::of(release)));
        let server = if release { library() } else { build(false).map(Some) };
        client.join().map_err(|_| anyhow!("the client's build panicked"))??;
        match server? {
            Some(built) => Ok(built),
            None => build(true),
        }
    })
}

/// Builds everything of an optimized server except the program itself.
fn library() -> Result<Option<PathBuf>> {
    tools::say("Building what the optimized server is made of");
    tools::run(tools::cargo().args(["build", "--locked", "--release", "--package", PACKAGE, "--lib"]))?;
    Ok(None)
}

/// Builds `aixgrade` and its sandbox helper, and for a release `aixgrade-worker`, and returns the path of the first. For a
/// release, which embeds the client, the client must be built before.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::say(if release { "Building the server, optimized" } else { "Building the server" });
    build_quietly(release)
}

/// The same without output on standard output.
pub fn build_quietly(release: bool) -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--package", PACKAGE, "--bin", PROGRAM]);
    if release {
        // Changing this value makes cargo embed the client again; it cannot know that the folder has new
        // files.
        cargo.arg("--release").env("AIXGRADE_CLIENT", client::stamp().unwrap_or_default());
        cargo.args(["--package", WORKER_PACKAGE, "--bin", WORKER]);
    }
    let aixgrade = tools::built_program(&mut cargo, PROGRAM)?;
    helper(&aixgrade)?;
    Ok(aixgrade)
}

/// Builds one of the server's bench programs, optimized, and returns its path.
pub fn bench(name: &str) -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--release", "--package", PACKAGE, "--bench", name]);
    tools::built_program(&mut cargo, name)
}

pub const HELPER: &str = "aixgrade-sandbox";

/// Everything that is installed.
pub const PROGRAMS: [&str; 3] = [PROGRAM, WORKER, HELPER];

/// Builds the sandbox's helper and puts it next to `aixgrade`.
///
/// It is started for every sandbox, so it is always optimized, and statically linked if possible, which
/// saves a millisecond per start.
pub fn helper(aixgrade: &Path) -> Result<()> {
    let place = aixgrade.with_file_name(HELPER);
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--release", "--package", "helper", "--bin", HELPER]);
    if let Some(target) = setup::without_loader() {
        cargo.args(["--target", &target]);
    }
    let made = tools::built_program(&mut cargo, HELPER)?;
    if made != place {
        // A running program cannot be overwritten, but it can be replaced.
        let new = place.with_extension("new");
        fs::copy(&made, &new).and_then(|_| fs::rename(&new, &place))?;
    }
    Ok(())
}
