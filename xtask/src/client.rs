//! Builds the files for browsers: the client as wasm with its glue, the styles, and a small start module,
//! all under `target/client` with hashed names and a manifest. Cargo compiles the client and, at the same time,
//! `xtask/client-builder`, which makes those files of it.
//!
//! `server/web/src/assets.rs` reads that folder: from disk in a development build, embedded in a release.
//! It is the workspace's own folder even if cargo's target folder is shared, because each checkout embeds
//! its own client.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command, thread};

use anyhow::{Context, Result, anyhow};

use crate::{setup, tools};

/// The package that is compiled for browsers.
const PACKAGE: &str = "app";

/// The program that makes files of it, and the profile that it is built in: with a folder of its own below cargo's target
/// folder, because only one cargo at a time can work in one.
pub const BUILDER: &str = "client-builder";
pub const BUILDER_PROFILE: &str = "tool";

/// How much the client is optimized.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Fast to build, megabytes to load.
    Dev,
    /// Minutes to build the first time; as small as possible, compressed.
    Release,
}

impl Profile {
    /// The profile with or without `--release`.
    pub fn of(release: bool) -> Self {
        if release { Profile::Release } else { Profile::Dev }
    }

    fn cargo_name(self) -> &'static str {
        match self {
            Profile::Dev => "wasm-dev",
            Profile::Release => "wasm-release",
        }
    }
}

/// Builds the client and the styles if their inputs have changed.
pub fn build(profile: Profile) -> Result<()> {
    build_with(profile, |_, cargo| Ok(cargo)).map(|_| ())
}

/// The same with a change to the command that compiles the client. Returns whether it was compiled.
pub fn build_with(
    profile: Profile,
    change: fn(setup::Toolchain, &mut Command) -> Result<&mut Command>,
) -> Result<bool> {
    let inputs = inputs(profile)?;
    if stamp().as_deref() == Some(inputs.as_str()) && folder().join("manifest.json").is_file() {
        tools::say("The client is up to date");
        return Ok(false);
    }
    let toolchain = setup::wasm_target()?;
    tools::say(match profile {
        Profile::Dev => "Building the client",
        Profile::Release => "Building the client, optimized for size (over a minute the first time)",
    });
    let (wasm, builder) = thread::scope(|scope| {
        let builder = scope.spawn(builder);
        let artifacts = change(toolchain, &mut command(profile, toolchain)).and_then(tools::artifacts);
        let builder = builder.join().map_err(|_| anyhow!("the build of {BUILDER} panicked"))?;
        let mut files = artifacts?.into_iter().filter(|made| made.name == PACKAGE).flat_map(|made| made.files);
        let wasm = files.find(|file| file.extension().is_some_and(|e| e == "wasm"));
        anyhow::Ok((wasm.context("cargo built no wasm")?, builder?))
    })?;
    tools::say(match profile {
        Profile::Dev => "Writing target/client",
        Profile::Release => "Writing and compressing target/client",
    });
    forget()?;
    let mut build = tools::command(builder);
    if profile == Profile::Release {
        build.arg("--small");
    }
    tools::run(build.arg(wasm).arg(tools::root().join("style")).arg(folder()))?;
    // Last, so that a stamp exists only in a complete folder.
    fs::write(stamp_file(), inputs)?;
    Ok(true)
}

/// Builds the program that makes files of the compiled client.
fn builder() -> Result<PathBuf> {
    let mut cargo = tools::cargo();
    cargo.args(["build", "--locked", "--quiet", "--package", BUILDER, "--profile", BUILDER_PROFILE]);
    tools::built_program(&mut cargo, BUILDER)
}

/// The inputs of the client in `target/client`; `None` before the first build.
pub fn stamp() -> Option<String> {
    fs::read_to_string(stamp_file()).ok()
}

/// Lets the next [`build`] build the client, changed or not.
pub fn forget() -> Result<()> {
    match fs::remove_file(stamp_file()) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
        _ => Ok(()),
    }
}

/// The cargo command that compiles the client.
fn command(profile: Profile, toolchain: setup::Toolchain) -> Command {
    let mut cargo = toolchain.cargo();
    cargo.args(["rustc", "--crate-type", "cdylib"]);
    add_selection(&mut cargo, profile);
    // The server's build, beside this one, shows its progress.
    cargo.env("CARGO_TERM_PROGRESS_WHEN", "never");
    // Flags of a target replace those of .cargo/config.toml, so `erase_components` is repeated here. The
    // splitter reads the linker's relocations. The flags are not given after `--`, because
    // `tools::artifacts` still adds an option of cargo's.
    let mut flags = vec!["--cfg=erase_components".to_owned(), "-Clink-args=--emit-relocs".to_owned()];
    if profile == Profile::Release {
        // Panic messages contain the crates' file names, without the folders of this machine, which are
        // also longer.
        flags.push(format!("--remap-path-prefix={}=", crates().display()));
    }
    let flags = serde_json::Value::from(flags);
    cargo.arg("--config").arg(format!("target.{}.rustflags={flags}", setup::WASM));
    cargo
}

/// The cargo command that lints the client: in the profile of the optimized client, whose build has compiled the macros
/// that both need.
pub fn lint(toolchain: setup::Toolchain) -> Command {
    let mut cargo = toolchain.cargo();
    match toolchain {
        setup::Toolchain::Own => cargo.arg("clippy"),
        // Debian's compiler for the browser comes without clippy.
        setup::Toolchain::Debian => cargo.arg("check"),
    };
    add_selection(cargo.arg("--quiet"), Profile::Release);
    if matches!(toolchain, setup::Toolchain::Own) {
        cargo.args(["--", "-D", "warnings"]);
    }
    cargo
}

/// What of the workspace is compiled for browsers, and how.
fn add_selection(cargo: &mut Command, profile: Profile) {
    cargo.args(["--locked", "--package", PACKAGE, "--lib"]);
    cargo.args(["--target", setup::WASM, "--profile", profile.cargo_name()]);
    // Checkouts that share a target folder would overwrite each other's client, because cargo gives a
    // cdylib a fixed name unless told otherwise.
    cargo.env("__CARGO_DEFAULT_LIB_METADATA", "aixgrade-client");
}

/// The folder in which cargo stores the sources of crates.
fn crates() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.unwrap_or_default().join("registry/src")
}

fn folder() -> PathBuf {
    tools::root().join("target/client")
}

fn stamp_file() -> PathBuf {
    tools::root().join("target/client.stamp")
}

/// A fingerprint of all inputs of the client: of its package and those of the workspace that it needs, of the styles, and of
/// what builds it.
fn inputs(profile: Profile) -> Result<String> {
    let root = tools::root();
    let mut files =
        ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "xtask/src/client.rs"].map(|f| root.join(f)).to_vec();
    tools::files(&root.join("style"), &mut files)?;
    for package in sources(&[PACKAGE, BUILDER])? {
        files.push(package.join("Cargo.toml"));
        tools::files(&package.join("src"), &mut files)?;
    }
    files.sort();
    let rustc = tools::run_quietly(tools::command("rustc").arg("--version"))?;
    let mut content = vec![profile.cargo_name().as_bytes().to_vec(), rustc.into_bytes()];
    for file in files {
        content.push(file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().as_bytes().to_vec());
        content.push(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(tools::fingerprint(content))
}

/// The folders of packages and of all packages of the workspace that they need.
fn sources(packages: &[&str]) -> Result<BTreeSet<PathBuf>> {
    let workspace = tools::packages()?;
    let mut wanted: Vec<&str> = packages.to_vec();
    let mut folders = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        let package = workspace.iter().find(|package| package.name == name);
        let package = package.with_context(|| format!("the workspace has no package `{name}`"))?;
        if folders.insert(package.folder.clone()) {
            wanted.extend(package.needs.iter().map(String::as_str));
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_sources_are_its_packages_and_what_they_need() {
        let folders = sources(&[PACKAGE, BUILDER]).unwrap();
        let names: Vec<_> = folders.iter().map(|f| f.strip_prefix(tools::root()).unwrap().to_str().unwrap()).collect();
        assert!(names.contains(&"app") && names.contains(&"xtask/client-builder"), "{names:?}");
        assert!(!names.contains(&"server"), "{names:?}");
        assert!(sources(&["no-such-package"]).is_err());
    }
}
