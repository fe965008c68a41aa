//! `cargo xtask image`: the images of the server and of a worker, by podman. No registry of images is needed: unless a base is
//! named, it is made of Debian's packages.

mod check;
mod compose;
#[cfg(test)]
mod dockerfile;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    server, setup,
    tools::{self, command, run, run_quietly, say},
};

/// `cargo xtask image`
#[derive(Args)]
pub struct Options {
    /// Folder with the programs to pack: `aixgrade`, `aixgrade-worker` and `aixgrade-sandbox` [default: an optimized build, made now]
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Image to start from, such as debian:trixie-slim [default: one made of the packages of this machine's Debian]
    #[arg(long, value_name = "IMAGE")]
    base: Option<String>,
    /// Also start the images, alone and with brokers, and check what docs/operating.md says of them
    #[arg(long)]
    check: bool,
}

/// The targets of the Dockerfile, with the images' names.
pub const IMAGES: [(&str, &str); 2] = [("server", "localhost/aixgrade"), ("worker", "localhost/aixgrade-worker")];

/// The name of the base that is made here.
const BASE: &str = "localhost/aixgrade-base";

/// Builds the images, and checks them if that is wanted.
pub fn image(options: &Options) -> Result<()> {
    setup::for_images(options.check)?;
    let context = folder()?.join("programs");
    stage(options.programs.as_deref(), &context)?;
    let base = match &options.base {
        Some(base) => base.clone(),
        None => base()?,
    };
    for (target, name) in IMAGES {
        say(format!("Building the image {name}"));
        let mut build = podman()?;
        // The other format has no health checks.
        build.args(["build", "--format", "docker", "--layers", "--target", target, "--tag", name]);
        build.arg("--build-arg").arg(format!("BASE={base}")).arg("--file").arg(tools::root().join("Dockerfile"));
        run(build.arg(&context))?;
    }
    for (_, name) in IMAGES {
        println!("{name}: {} MB", size(name)? / 1_000_000);
    }
    if options.check { check::all(&base) } else { Ok(()) }
}

/// The folder for what is made here.
fn folder() -> Result<PathBuf> {
    let folder = tools::root().join("target/image");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Copies the programs to a folder of their own, without symbols.
pub fn stage(programs: Option<&Path>, place: &Path) -> Result<()> {
    let source = match programs {
        // Relative to the caller's folder.
        Some(folder) => std::path::absolute(folder)?,
        None => server::build_with_client(true)?.parent().map(Path::to_path_buf).unwrap_or_default(),
    };
    fs::create_dir_all(place)?;
    for name in server::PROGRAMS {
        let file = source.join(name);
        if !file.is_file() {
            bail!("{} is missing; `cargo xtask build --release` makes it in target/release", file.display());
        }
        let mut strip = command("strip");
        run_quietly(strip.arg("--strip-unneeded").arg("-o").arg(place.join(name)).arg(file))?;
    }
    Ok(())
}

/// Makes the base unless it exists, and returns its name.
fn base() -> Result<String> {
    let archive = folder()?.join("base.tar");
    let mut debian = debian(&archive)?;
    let recipe = tools::fingerprint([tools::shown(&debian)]);
    let name = format!("{BASE}:{}-{recipe}", release()?);
    if podman()?.args(["image", "exists", &name]).status()?.success() {
        return Ok(name);
    }
    say(format!("Making {name} of Debian's packages"));
    run_quietly(&mut debian)?;
    run_quietly(podman()?.arg("import").arg(&archive).arg(&name))?;
    fs::remove_file(archive)?;
    Ok(name)
}

/// The command that installs a small Debian into an archive or a folder: the required packages of this machine's release, to
/// whose C library the programs are linked, without manuals and translations.
pub fn debian(target: &Path) -> Result<Command> {
    let mut debian = command("mmdebstrap");
    // Without the package that merges /usr in an old installation, which needs all of Perl.
    debian.args(["--quiet", "--variant=minbase", "--include=ca-certificates,usr-is-merged"]);
    debian.arg("--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr");
    for left_out in ["doc", "info", "locale", "man"] {
        debian.arg(format!("--dpkgopt=path-exclude=/usr/share/{left_out}/*"));
    }
    debian.arg("--dpkgopt=path-include=/usr/share/doc/*/copyright");
    debian.arg(release()?).arg(target);
    Ok(debian)
}

/// The name of this machine's release of Debian, such as `bookworm`.
fn release() -> Result<String> {
    let text = fs::read_to_string("/etc/os-release")?;
    let field =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned);
    match (field("ID").as_deref(), field("VERSION_CODENAME")) {
        (Some("debian"), Some(name)) => Ok(name),
        _ => bail!("this machine does not run Debian, of whose packages the base is made; name a base with --base"),
    }
}

/// A podman command.
fn podman() -> Result<Command> {
    let mut podman = command("podman");
    if std::env::var_os("CONTAINERS_CONF").is_none()
        && let Some(settings) = settings()?
    {
        // Builds do not read the runtime from the file.
        podman.env("CONTAINERS_CONF", settings).args(["--runtime", RUNTIME]);
    }
    Ok(podman)
}

/// The runtime for machines with control groups of version 1: crun refuses a mixture of both versions.
const RUNTIME: &str = "runc";

/// The file with settings for machines with control groups of version 1. The limits are low enough for a root without the
/// capability to raise them.
fn settings() -> Result<Option<PathBuf>> {
    if Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
        return Ok(None);
    }
    let file = folder()?.join("containers.conf");
    let limits = "default_ulimits = [\"nofile=8192:8192\", \"nproc=8192:8192\"]";
    fs::write(&file, format!("[containers]\n{limits}\n[engine]\nruntime = \"{RUNTIME}\"\n"))?;
    Ok(Some(file))
}

/// The size of an image in bytes, unpacked.
fn size(name: &str) -> Result<u64> {
    let size = run_quietly(podman()?.args(["image", "inspect", "--format", "{{.Size}}", name]))?;
    size.trim().parse().with_context(|| format!("the size of {name} is {size}"))
}
