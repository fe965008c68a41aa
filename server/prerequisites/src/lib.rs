//! Prerequisites of some tests that not every machine has. A test without its prerequisite is skipped and
//! reported: `cargo xtask test` lists it by name, and fails in CI if the machine should have it.
//!
//! Tests read: `let Some(data) = prerequisites::aixbench_data() else { return };`. No other early return for
//! lack of something is allowed (`server/tests/it/sources.rs`). A development dependency of the crates whose tests need it.
//!
//! This crate may not know any other crate of ours.

#![allow(clippy::panic, reason = "a test that cannot go on ends")]

use std::{
    env,
    fmt::Display,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
    thread,
    time::Duration,
};

/// How long tests wait for what hangs otherwise: longer than anything takes while every other test runs on two cores.
pub const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// The program next to which the sandbox looks for its helper, `aixgrade-sandbox`: named in the environment, because
/// several checkouts may share a build folder, otherwise that of the build to which the running test belongs.
///
/// # Panics
/// The helper is not built.
pub fn program() -> PathBuf {
    let named = env::var_os("AIXGRADE_PROGRAM").map(PathBuf::from);
    let of_build = || env::current_exe().ok()?.parent()?.parent().map(|build| build.join("aixgrade"));
    let program = named.or_else(of_build).unwrap_or_default();
    let helper = program.with_file_name("aixgrade-sandbox");
    assert!(helper.is_file(), "{} is missing: run `cargo build -p helper`", helper.display());
    program
}

/// The folder with AixBench's published data files.
pub fn aixbench_data() -> Option<PathBuf> {
    folder("AIXGRADE_TEST_DATA", "the published data files of AixBench")
}

/// A checkout of AixBench's published repository.
pub fn aixbench_checkout() -> Option<PathBuf> {
    folder("AIXGRADE_TEST_AIXBENCH", "a checkout of AixBench")
}

/// Tasks of AixBench whose results are not the same every time: 160 draws at random; 128 and 129 look at the clock; an answer to
/// 125 returns the number of days of the current month, which in months of 31 days is what one of its tests expects
/// (docs/engine.md).
pub const UNSTEADY_TASKS: [&str; 4] = ["125", "128", "129", "160"];

/// The folder with the published files of HumanEval-X, `humaneval_<language>.jsonl.gz`.
pub fn humaneval_x() -> Option<PathBuf> {
    folder("AIXGRADE_TEST_HUMANEVAL_X", "the published files of HumanEval-X")
}

/// A checkout of CodeIF-Bench with its history, and the folder with the verdicts that its programs give.
pub fn codeif_bench() -> Option<(PathBuf, PathBuf)> {
    let checkout =
        folder_or_skip("unlicensed", "AIXGRADE_TEST_CODEIF_BENCH", "a checkout of CodeIF-Bench with its history")?;
    let vectors = folder("AIXGRADE_TEST_CODEIF_VECTORS", "the verdicts of CodeIF-Bench's programs")?;
    Some((checkout, vectors))
}

/// The series of CodeIF-Bench's outputs to run, separated by commas, or `all`; `None` for the test's own choice.
pub fn codeif_series() -> Option<String> {
    env::var("AIXGRADE_TEST_CODEIF_SERIES").ok()
}

/// Whose tasks are all tried with degenerate answers: a language's code (HumanEval-X) or `aixbench`; `None` for a sample of each.
pub fn constants() -> Option<String> {
    env::var("AIXGRADE_TEST_CONSTANTS").ok()
}

/// Whether tests try every task of HumanEval-X in the languages whose programs take a compiler a second each; otherwise
/// they try an eighth.
pub fn every_task() -> bool {
    env::var_os("AIXGRADE_TEST_EVERY_TASK").is_some()
}

/// The program Litestream: named in the environment, otherwise the one that xtask installs.
pub fn litestream() -> Option<PathBuf> {
    match env::var_os("AIXGRADE_TEST_LITESTREAM") {
        Some(program) => Some(program.into()),
        None => packages("litestream").map(|folder| folder.join("bin/litestream")),
    }
}

/// Something that the kernel, its settings or a package provides; if it is missing, the test is skipped with
/// the error.
pub fn host<T, E: Display>(provided: Result<T, E>) -> Option<T> {
    provided.map_err(|missing| skip("host", &missing.to_string())).ok()
}

/// The toolchain of a programming language, by the language's code; if it is missing, the test is skipped with the
/// error. In CI that fails for languages whose toolchains xtask installs (`server/toolchains`).
pub fn toolchain<T, E: Display>(lang: &str, provided: Result<T, E>) -> Option<T> {
    provided.map_err(|missing| skip(&format!("toolchain {lang}"), &missing.to_string())).ok()
}

/// A folder with packages that xtask installs (`xtask/src/toolchains.rs`): `analysis` for the Python client in `docs/python`
/// and `servers` for servers that answer as OpenAI's does, both with their Python as `bin/python3`; `litestream`.
pub fn packages(name: &str) -> Option<PathBuf> {
    let installed = env::var_os("AIXGRADE_TOOLCHAINS").map(|folder| PathBuf::from(folder).join(name));
    // The last file that the installation writes.
    let complete = installed.filter(|folder| folder.join("complete").is_file());
    if complete.is_none() {
        let why = format!("needs the packages \"{name}\", which `cargo xtask test` installs");
        skip(&format!("toolchain {name}"), &why);
    }
    complete
}

fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    folder_or_skip("data", variable, what)
}

fn folder_or_skip(kind: &str, variable: &str, what: &str) -> Option<PathBuf> {
    let Some(folder) = env::var_os(variable).map(PathBuf::from) else {
        skip(kind, &format!("needs {what}, named in {variable}"));
        return None;
    };
    assert!(folder.is_dir(), "{variable} is {}, which is not a folder", folder.display());
    Some(folder)
}

/// Reports the running test as skipped: to the file that `cargo xtask test` names, otherwise on standard
/// error, bypassing the test program's capture.
fn skip(kind: &str, why: &str) {
    let thread = thread::current();
    let name = thread.name().unwrap_or("a test without a name");
    let reported = match env::var_os("AIXGRADE_TEST_SKIPPED") {
        Some(file) => {
            let line = format!("{kind}\t{name}\t{}\n", why.replace(['\n', '\t'], " "));
            OpenOptions::new().append(true).open(file).and_then(|mut file| file.write_all(line.as_bytes()))
        }
        None => writeln!(io::stderr(), "skipped {name}: {why}"),
    };
    if let Err(e) = reported {
        panic!("{name} is skipped ({why}), and that cannot be reported: {e}");
    }
}
