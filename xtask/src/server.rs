//! Builds the server's binary.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{client, setup, tools};

/// Builds `aixgrade`, with its sandbox helper beside it, and returns where it is. For a release, which embeds it, the
/// client must have been built before.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::say(if release { "Building the server, optimised" } else { "Building the server" });
    build_quietly(release)
}

/// The same without a word on standard output.
pub fn build_quietly(release: bool) -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--package", "server", "--bin", "aixgrade"]);
    if release {
        // A change of this value is what makes cargo embed the client anew: it cannot know that the
        // folder holds other files than last time.
        cargo.arg("--release").env("AIXGRADE_CLIENT", client::stamp().unwrap_or_default());
    }
    let aixgrade = built(&mut cargo, "aixgrade")?;
    helper(&aixgrade.with_file_name(HELPER))?;
    Ok(aixgrade)
}

/// Builds one of the server's bench programs, optimised, and returns where it is.
pub fn bench(name: &str) -> Result<PathBuf> {
    built(tools::cargo().args(["build", "--locked", "--release", "--package", "server", "--bench", name]), name)
}

const HELPER: &str = "aixgrade-sandbox";

/// Builds the sandbox's helper and puts it into its place.
///
/// It is started for every sandbox, so it is optimised whatever the rest is, and linked without a loader where
/// the compiler can: that is a millisecond less of each start.
fn helper(place: &Path) -> Result<()> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--release", "--package", "helper", "--bin", HELPER]);
    if let Some(target) = setup::without_loader() {
        cargo.args(["--target", &target]);
    }
    let made = built(&mut cargo, HELPER)?;
    if made != place {
        // One that is running cannot be written to, but another can take its place.
        let new = place.with_extension("new");
        fs::copy(&made, &new).and_then(|_| fs::rename(&new, place))?;
    }
    Ok(())
}

/// The program that cargo made, without the files beside it.
fn built(cargo: &mut Command, name: &str) -> Result<PathBuf> {
    let files = tools::build_artifacts(cargo, name)?;
    let program = files.into_iter().find(|file| file.extension().is_none());
    program.with_context(|| format!("cargo built no `{name}`"))
}
