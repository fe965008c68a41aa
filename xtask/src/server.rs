//! Builds the server's binary.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{client, tools};

/// Builds `aixgrade`, with its sandbox helper beside it, and returns where it is. The client must have been built before.
pub fn build(release: bool) -> Result<PathBuf> {
    tools::say(if release { "Building the server, optimised" } else { "Building the server" });
    build_quietly(release)
}

/// The same without a word on standard output.
pub fn build_quietly(release: bool) -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--package", "server", "--bin", "aixgrade", "--bin", "aixgrade-sandbox"]);
    if release {
        // A change of this value is what makes cargo embed the client anew: it cannot know that the
        // folder holds other files than last time.
        cargo.arg("--release").env("AIXGRADE_CLIENT", client::stamp().unwrap_or_default());
    }
    let files = tools::build_artifacts(&mut cargo, "aixgrade")?;
    files.into_iter().find(|file| file.extension().is_none()).context("cargo built no `aixgrade`")
}
