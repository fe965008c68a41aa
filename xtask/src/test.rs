//! `cargo xtask test`: every test there is, in stages; the first that fails ends it, and the summary
//! says which did not run. What it counts is what the tools reported, nothing else.

use std::{
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{client, server, setup, tools};

/// What a stage reported. A stage that is one check (format, lints) counts as one.
#[derive(Clone, Copy, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    /// Tests that were not run. None is expected to be skipped, so one fails the stage.
    skipped: u64,
}

impl Counts {
    const ONE_PASSED: Counts = Counts { passed: 1, failed: 0, skipped: 0 };
    const ONE_FAILED: Counts = Counts { passed: 0, failed: 1, skipped: 0 };

    fn good(self) -> bool {
        self.failed == 0 && self.skipped == 0 && self.passed > 0
    }
}

type Stage = (&'static str, fn() -> Result<Counts>);

const STAGES: [Stage; 9] = [
    ("format", format),
    ("lints: app and server", lints_native),
    ("lints: xtask", lints_xtask),
    ("lints: client", lints_client),
    ("build: server and its helper", build_server),
    ("tests: app and server, with the Java side", tests_native),
    ("tests: xtask", tests_xtask),
    ("build: client", build_client),
    ("journeys in a browser", journeys),
];

/// Runs every stage and prints the summary.
pub fn test() -> Result<ExitCode> {
    setup::wasm_target()?;
    setup::for_tests()?;
    match real_data() {
        Some(folder) => println!("Real data: {}", folder.display()),
        None => println!("Real data: none beside the checkout and AIXGRADE_TEST_DATA is not set; tests over it skip"),
    }
    let mut done: Vec<(&str, Counts, Duration)> = Vec::new();
    for (name, stage) in STAGES {
        tools::say(name);
        let begun = Instant::now();
        let counts = stage().unwrap_or_else(|e| {
            eprintln!("error: {e:#}");
            Counts::ONE_FAILED
        });
        done.push((name, counts, begun.elapsed()));
        if !counts.good() {
            break;
        }
    }
    Ok(summary(&done))
}

fn summary(done: &[(&str, Counts, Duration)]) -> ExitCode {
    println!();
    let mut all = Counts::default();
    for (name, counts, time) in done {
        let verdict = if counts.good() { "passed" } else { "FAILED" };
        let mut detail = match counts.passed + counts.failed {
            1 => String::new(),
            _ => format!("{} passed, {} failed", counts.passed, counts.failed),
        };
        if counts.skipped > 0 {
            detail += &format!(", {} skipped though none may be", counts.skipped);
        }
        println!("{verdict}  {:>6.1} s  {name}  {detail}", time.as_secs_f64());
        all.passed += counts.passed;
        // A skipped test is one that did not pass.
        all.failed += counts.failed + counts.skipped;
    }
    for (name, _) in &STAGES[done.len()..] {
        println!("not run            {name}");
    }
    println!("{} passed, {} failed", all.passed, all.failed);
    let good = done.len() == STAGES.len() && done.iter().all(|(_, counts, _)| counts.good());
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn format() -> Result<Counts> {
    one(tools::cargo().args(["fmt", "--all", "--check"]))
}

fn lints_native() -> Result<Counts> {
    one(tools::cargo().args(["clippy", "--locked", "--quiet", "--all-targets", "--", "-D", "warnings"]))
}

fn lints_xtask() -> Result<Counts> {
    let package = ["--package", "xtask", "--all-targets", "--", "-D", "warnings"];
    one(tools::cargo().args(["clippy", "--locked", "--quiet"]).args(package))
}

fn lints_client() -> Result<Counts> {
    let toolchain = setup::wasm_target()?;
    // All parts at once: their code is the same, only what is linked differs.
    let features = format!("hydrate,{}", client::PARTS.join(","));
    let check = |cargo: &mut Command| {
        let package = ["--locked", "--quiet", "--package", "app", "--lib", "--target", setup::WASM, "--features"];
        cargo.args(package).arg(&features);
    };
    let mut cargo = toolchain.cargo();
    match toolchain {
        setup::Toolchain::Own => {
            check(cargo.arg("clippy"));
            cargo.args(["--", "-D", "warnings"]);
        }
        // Debian's compiler for the browser comes without clippy.
        setup::Toolchain::Debian => check(cargo.arg("check")),
    }
    one(&mut cargo)
}

fn one(command: &mut Command) -> Result<Counts> {
    tools::run(command).map(|()| Counts::ONE_PASSED)
}

fn tests_native() -> Result<Counts> {
    let mut cargo = tools::cargo();
    cargo.args(["test", "--locked", "--no-fail-fast"]);
    if let Some(folder) = real_data() {
        cargo.env("AIXGRADE_TEST_DATA", folder);
    }
    rust_tests(&mut cargo)
}

fn tests_xtask() -> Result<Counts> {
    rust_tests(tools::cargo().args(["test", "--locked", "--no-fail-fast", "--package", "xtask"]))
}

/// The published data files, where a folder of them lies beside the checkout.
fn real_data() -> Option<PathBuf> {
    let given = std::env::var_os("AIXGRADE_TEST_DATA").map(PathBuf::from);
    let beside = tools::root().parent().map(|parent| parent.join("shared/data/aixbench"));
    given.or(beside.filter(|folder| folder.is_dir())).and_then(|folder| folder.canonicalize().ok())
}

/// Runs `cargo test`, showing what it says, and adds up what it reported.
fn rust_tests(cargo: &mut Command) -> Result<Counts> {
    let mut counts = Counts::default();
    let good = tools::run_lines(cargo, |line| {
        println!("{line}");
        if let Some(reported) = reported(line) {
            counts.passed += reported.passed;
            counts.failed += reported.failed;
            counts.skipped += reported.skipped;
        }
    })?;
    if !good && counts.failed == 0 {
        bail!("`{}` failed", tools::shown(cargo));
    }
    Ok(counts)
}

/// The counts of a line `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn reported(line: &str) -> Option<Counts> {
    let (_, list) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what: &str| {
        list.split(';').find_map(|part| part.trim().strip_suffix(what)?.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    Some(Counts { passed: count("passed"), failed: count("failed"), skipped: count("ignored") })
}

/// The journeys run over the client that ships, whose weight they measure.
fn build_client() -> Result<Counts> {
    client::build(client::Profile::Release).map(|()| Counts::ONE_PASSED)
}

fn build_server() -> Result<Counts> {
    server::build(false).map(|_| Counts::ONE_PASSED)
}

fn journeys() -> Result<Counts> {
    let end2end = tools::root().join("end2end");
    let report = end2end.join("test-results/report.json");
    let _ = fs::remove_file(&report);
    let mut playwright = tools::command("npx");
    playwright.args(["--no-install", "playwright", "test"]).current_dir(&end2end);
    playwright.env("AIXGRADE_BINARY", server::build(false)?).env("AIXGRADE_REPORT", &report);
    if let Some(folder) = real_data() {
        playwright.env("AIXGRADE_TEST_DATA", folder);
    }
    let ran = tools::run(&mut playwright);
    let text = match fs::read_to_string(&report) {
        Ok(text) => text,
        // It did not come as far as a report; its own failure says more than the missing file.
        Err(e) => return ran.and_then(|()| Err(e).context("the browser tests wrote no report")),
    };
    let counts = browser_counts(&serde_json::from_str(&text)?);
    if counts.good() { ran.map(|()| counts) } else { Ok(counts) }
}

/// A test that passed only at a second try is none that passed.
fn browser_counts(report: &Value) -> Counts {
    let count = |what: &str| report["stats"][what].as_u64().unwrap_or(0);
    Counts { passed: count("expected"), failed: count("unexpected") + count("flaky"), skipped: count("skipped") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_was_reported() {
        let check = |line, counts: Option<[u64; 3]>| {
            assert_eq!(reported(line).map(|c| [c.passed, c.failed, c.skipped]), counts, "{line}");
        };
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.10s",
            Some([12, 0, 0]),
        );
        check("test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 0 filtered out", Some([1, 2, 4]));
        check("test db::opens ... ok", None);
        check("running 3 tests", None);
    }

    #[test]
    fn a_browser_test_that_needed_a_second_try_failed() {
        let report = serde_json::json!({ "stats": { "expected": 7, "unexpected": 1, "flaky": 2, "skipped": 3 } });
        let counts = browser_counts(&report);
        assert_eq!([counts.passed, counts.failed, counts.skipped], [7, 3, 3]);
        assert!(!counts.good());
    }
}
