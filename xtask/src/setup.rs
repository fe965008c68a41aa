//! Installs missing tools if possible, otherwise names them exactly.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use ::toolchains::{
    LANGUAGES, install, language,
    system::{self, Distribution, Need},
};
use anyhow::{Result, bail};

use crate::toolchains;
use crate::tools::{self, command, on_path, run, run_quietly, say, say_aside};

/// The target that the client is compiled for.
pub const WASM: &str = "wasm32-unknown-unknown";

/// The compiler for the client.
#[derive(Clone, Copy)]
pub enum Toolchain {
    /// The compiler for everything else.
    Own,
    /// Debian's compiler, which includes the standard library as source.
    Debian,
}

impl Toolchain {
    /// Its cargo.
    pub fn cargo(self) -> Command {
        match self {
            Toolchain::Own => tools::cargo(),
            Toolchain::Debian => debian_cargo(),
        }
    }
}

/// Ensures what compilers need for the client and the sandbox's helper.
pub fn targets() -> Result<()> {
    without_loader();
    wasm_target().map(|_| ())
}

/// Ensures that a compiler can build for the browser.
pub fn wasm_target() -> Result<Toolchain> {
    if obtained(WASM) {
        return Ok(Toolchain::Own);
    }
    if !Path::new(DEBIAN_STD).is_dir() {
        packages(&["rustc-web", "cargo-web", "rust-web-src", "lld"], "compiling for the browser")?;
    }
    say("Building the client with Debian's compiler and its library's source (minutes the first time)");
    Ok(Toolchain::Debian)
}

/// A target for static programs on this machine's processor; `None` if the compiler lacks it.
pub fn without_loader() -> Option<String> {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    if obtained(&target) {
        return Some(target);
    }
    say_aside(format!(
        "The sandbox helper is linked dynamically and starts a little slower, because {target} is missing"
    ));
    None
}

/// Whether the compiler in use has a target, after trying to install it with rustup.
fn obtained(target: &str) -> bool {
    if !has(target) && on_path("rustup") {
        say_aside(format!("Adding {target} with rustup"));
        // rustup may be unreachable on this machine while Debian's packages are available.
        match run_quietly(command("rustup").args(["target", "add", target])) {
            Ok(_) if has(target) => {}
            Ok(_) => eprintln!("rustup added the target to a toolchain that is not in use"),
            Err(e) => eprintln!("{e:#}"),
        }
    }
    has(target)
}

const DEBIAN_STD: &str = "/usr/lib/rustlib/src/rust/library";

fn has(target: &str) -> bool {
    run_quietly(command("rustc").args(["--print", "target-libdir", "--target", target]))
        .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// Debian has no compiled library for wasm, so it is built from source; that needs unstable flags, and a
/// separate target folder because the compiler is a different one.
fn debian_cargo() -> Command {
    let mut cargo = command("/usr/bin/cargo");
    let mut path = vec![PathBuf::from("/usr/bin")];
    if let Ok(sysroot) = run_quietly(command("rustc").args(["--print", "sysroot"])) {
        path.push(Path::new(sysroot.trim()).join("lib/rustlib/x86_64-unknown-linux-gnu/bin"));
    }
    path.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    if let Ok(path) = std::env::join_paths(path) {
        cargo.env("PATH", path);
    }
    cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env("RUSTUP_AUTO_INSTALL", "0");
    cargo.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
    cargo.env("CARGO_TARGET_DIR", tools::root().join("target/debian")).args(["-Z", "build-std=std,panic_abort"]);
    cargo
}

/// What the engine needs.
pub static ENGINE: [&Need; 2] = [&system::JDK, &system::BUBBLEWRAP];

/// Installs what the engine needs, for `demo` also what all languages need, if this machine allows it. Otherwise the
/// server reports at its start what is missing and how to install it; only automated tests depend on it.
pub fn for_serving(demo: bool) {
    let languages: Vec<&str> = LANGUAGES.iter().filter(|_| demo).map(|language| language.code).collect();
    let missing = missing(&ENGINE, &languages);
    if missing.is_empty() {
        return;
    }
    if can_install() {
        if let Err(e) = packages(&Distribution::Debian.packages(&missing), "the automated tests") {
            eprintln!("{e:#}\nThe server starts anyway, but cannot run all automated tests.");
        }
        return;
    }
    for (known, command) in system::commands(&missing) {
        say_aside(format!("For automated tests in all languages, run ({}): {command}", known.name()));
    }
}

/// What is missing of these needs and of those of languages.
fn missing(needs: &[&'static Need], languages: &[&str]) -> Vec<&'static Need> {
    let folders = [toolchains::folder()];
    let of_languages = languages.iter().filter_map(|code| language(code));
    let mut missing: Vec<&'static Need> = needs.iter().copied().filter(|need| !need.is_met(&folders)).collect();
    missing.extend(of_languages.flat_map(|language| install::missing(&folders, language)));
    missing
}

/// Ensures the prerequisites of the Rust tests: the engine's programs, and libfaketime for runs with a date.
pub fn for_rust_tests() -> Result<()> {
    let needs = self::missing(&[&system::NPM, &system::NODE], &["java", "cpp", "python"]);
    let mut missing = Distribution::Debian.packages(&needs);
    if !on_path("faketime") {
        missing.push("faketime");
    }
    // Debian installs it where a user's path may not lead.
    if !on_path("nats-server") && !Path::new("/usr/sbin/nats-server").is_file() {
        missing.push("nats-server");
    }
    install_missing(&missing, "the Rust tests")
}

/// Ensures the prerequisites of the journeys: the engine's programs, a browser, and Playwright.
pub fn for_journeys() -> Result<()> {
    let needs = missing(&[&system::JDK, &system::BUBBLEWRAP, &system::NODE, &system::NPM], &[]);
    let mut missing = Distribution::Debian.packages(&needs);
    let browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
    if std::env::var_os("CHROMIUM").is_none() && !browsers.iter().any(|file| Path::new(file).is_file()) {
        missing.push("chromium");
    }
    // Without it, Chinese is shown as boxes, and a screenshot of boxes tests nothing.
    if !run_quietly(command("fc-list").arg(":lang=zh")).is_ok_and(|fonts| !fonts.trim().is_empty()) {
        missing.push("fonts-noto-cjk");
    }
    install_missing(&missing, "the browser journeys")?;
    node_modules()
}

/// Ensures what images are built with, for `check` also what starts them with brokers.
pub fn for_images(check: bool) -> Result<()> {
    let mut programs = vec![("podman", "podman"), ("strip", "binutils"), ("mmdebstrap", "mmdebstrap")];
    // Podman only recommends its runtime and its networks.
    programs.extend([("runc", "runc"), ("iptables", "iptables")]);
    let mut missing = missing_of(&programs);
    if check && !Path::new("/usr/lib/podman/aardvark-dns").is_file() {
        missing.extend(["netavark", "aardvark-dns"]);
    }
    install_missing(&missing, "images")
}

/// Ensures what the package is made with, for `check` also what checks it.
pub fn for_packages(check: bool) -> Result<()> {
    let mut programs = vec![("strip", "binutils"), ("dpkg-shlibdeps", "dpkg-dev")];
    if check {
        programs.extend([("lintian", "lintian"), ("mmdebstrap", "mmdebstrap")]);
    }
    install_missing(&missing_of(&programs), "packages")
}

/// The packages of programs that are not on the path.
fn missing_of(programs: &[(&str, &'static str)]) -> Vec<&'static str> {
    programs.iter().filter(|(program, _)| !on_path(program)).map(|(_, package)| *package).collect()
}

fn install_missing(missing: &[&str], purpose: &str) -> Result<()> {
    if missing.is_empty() { Ok(()) } else { packages(missing, purpose) }
}

/// The browser tests' packages, exactly as locked.
fn node_modules() -> Result<()> {
    let end2end = tools::root().join("end2end");
    let lock = std::fs::read(end2end.join("package-lock.json"))?;
    let installed = end2end.join("node_modules/.aixgrade-lock");
    if std::fs::read(&installed).is_ok_and(|copy| copy == lock) {
        return Ok(());
    }
    say("Installing the browser tests' packages");
    // Playwright would download its own browsers; Debian's Chromium is used.
    let quiet = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    run(command("npm").args(quiet).current_dir(&end2end).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
    std::fs::write(installed, lock)?;
    Ok(())
}

/// Installs Debian packages, or names the ones to install.
fn packages(names: &[&str], purpose: &str) -> Result<()> {
    if !can_install() {
        bail!("missing for {purpose}; install with: sudo apt-get install --no-install-recommends {}", names.join(" "));
    }
    say(format!("Installing {} for {purpose}", names.join(", ")));
    run_quietly(command("apt-get").args(["update", "-q"]))?;
    let mut install = command("apt-get");
    install.args(["install", "--yes", "-q", "--no-install-recommends"]).args(names);
    run_quietly(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}

/// Whether packages can be installed here: on Debian and derivatives, as root.
fn can_install() -> bool {
    on_path("apt-get") && run_quietly(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
