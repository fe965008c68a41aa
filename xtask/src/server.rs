//! Builds the server's binary.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{client, setup, tools};

/// Builds `aixgrade` and its sandbox helper, and returns its path. For a release, which embeds the client,
/// the client must be built before.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::say(if release { "Building the server, optimized" } else { "Building the server" });
    build_quietly(release)
}

/// The same without output on standard output.
pub fn build_quietly(release: bool) -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--package", "server", "--bin", "aixgrade"]);
    if release {
        // Changing this value makes cargo embed the client again; it cannot know that the folder has new
        // files.
        cargo.arg("--release").env("AIXGRADE_CLIENT", client::stamp().unwrap_or_default());
    }
    let aixgrade = built(&mut cargo, "aixgrade")?;
    helper(&aixgrade.with_file_name(HELPER))?;
    Ok(aixgrade)
}

/// Builds one of the server's bench programs, optimized, and returns its path.
pub fn bench(name: &str) -> Result<PathBuf> {
    built(tools::cargo().args(["build", "--locked", "--release", "--package", "server", "--bench", name]), name)
}

pub const HELPER: &str = "aixgrade-sandbox";

/// Builds the sandbox's helper and moves it into place.
///
/// It is started for every sandbox, so it is always optimized, and statically linked if possible, which
/// saves a millisecond per start.
fn helper(place: &Path) -> Result<()> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--release", "--package", "helper", "--bin", HELPER]);
    if let Some(target) = setup::without_loader() {
        cargo.args(["--target", &target]);
    }
    let made = built(&mut cargo, HELPER)?;
    if made != place {
        // A running program cannot be overwritten, but it can be replaced.
        let new = place.with_extension("new");
        fs::copy(&made, &new).and_then(|_| fs::rename(&new, place))?;
    }
    Ok(())
}

/// The program from cargo's output, without the files next to it.
fn built(cargo: &mut Command, name: &str) -> Result<PathBuf> {
    let files = tools::build_artifacts(cargo, name)?;
    let program = files.into_iter().find(|file| file.extension().is_none());
    program.with_context(|| format!("cargo built no `{name}`"))
}
