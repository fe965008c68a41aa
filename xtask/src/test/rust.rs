//! Rust tests: all of them, or those whose path contains a name.

use std::{fs, path::Path, process::Command, thread};

use anyhow::{Result, anyhow, bail};

use super::{
    Counts,
    prerequisites::{self, Prerequisites, Skip},
};
use crate::{server, setup, tools};

/// The test program that mostly waits, for brokers, leases and lost connections. It runs beside all others, which keep
/// the processor busy for about as long.
const WAITS: &str = "cluster";

/// Runs the tests of the app, the server and the helper.
pub fn all(prerequisites: &Prerequisites) -> Result<Counts> {
    setup::for_rust_tests()?;
    // Tests of the sandbox start the helper, which no test program builds.
    server::build(false)?;
    // Built at once, because a cargo that builds lets no other one start tests.
    tools::run(tools::cargo().args(["test", "--locked", "--no-run", "--quiet"]))?;
    let mut programs: Vec<String> = find()?
        .into_iter()
        .filter(|t| t.target.contains(&"--test".to_owned()))
        .flat_map(|t| t.target.last().cloned())
        .collect();
    programs.sort();
    programs.dedup();
    let command = |programs: &[&str]| {
        let mut cargo = tools::cargo();
        cargo.args(["test", "--locked", "--no-fail-fast"]);
        cargo.args(programs.iter().flat_map(|program| ["--test", program]));
        // Many tests wait for programs that they start, or until a lease expires.
        let threads = 2 * thread::available_parallelism().map_or(1, usize::from);
        cargo.env("RUST_TEST_THREADS", threads.to_string());
        prerequisites.pass_to(&mut cargo);
        cargo
    };
    let others: Vec<&str> = programs.iter().map(String::as_str).filter(|program| *program != WAITS).collect();
    let (mut waiting, mut others) = (command(&[WAITS]), command(&others));
    others.args(["--lib", "--bins"]);
    thread::scope(|scope| {
        let beside = scope.spawn(|| run(&mut waiting));
        let mut counts = run(&mut others)?;
        counts.add(beside.join().map_err(|_| anyhow!("the tests of `{WAITS}` were not counted"))??);
        Ok(counts)
    })
}

/// Runs the tests whose path contains `name`, and builds only their test programs.
pub fn some(prerequisites: &Prerequisites, name: &str) -> Result<Counts> {
    setup::for_rust_tests()?;
    let mut targets: Vec<Vec<String>> =
        find()?.into_iter().filter(|t| t.path.contains(name)).map(|t| t.target).collect();
    targets.sort();
    targets.dedup();
    if targets.iter().any(|target| target.contains(&"--test".to_owned())) {
        // Tests of the sandbox start the helper, which no test program builds.
        server::build(false)?;
    }
    let mut counts = Counts::default();
    for target in targets {
        let mut cargo = tools::cargo();
        cargo.args(["test", "--locked"]).args(target).args(["--", name]);
        prerequisites.pass_to(&mut cargo);
        counts.add(run(&mut cargo)?);
    }
    if counts.passed + counts.failed == 0 && counts.skipped.is_empty() {
        bail!("the sources contain `{name}`, but no test of that name ran");
    }
    Ok(counts)
}

/// Runs `cargo test`, shows its output, and adds up its results.
pub fn run(cargo: &mut Command) -> Result<Counts> {
    let mut counts = Counts::default();
    let (good, skipped) = prerequisites::collect(cargo, |cargo| {
        tools::run_lines(cargo, |line| {
            println!("{line}");
            if let Some((passed, failed)) = result(line) {
                counts.passed += passed;
                counts.failed += failed;
            } else if let Some(name) = ignored(line) {
                counts.skipped.push(Skip::ignored(name));
            }
        })
    })?;
    // The test program counts a test that skipped itself as passed.
    counts.passed = counts.passed.saturating_sub(skipped.len() as u64);
    counts.skipped.extend(skipped);
    if !good && counts.failed == 0 {
        bail!("`{}` failed", tools::shown(cargo));
    }
    Ok(counts)
}

/// The passed and failed counts of a line `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn result(line: &str) -> Option<(u64, u64)> {
    let (_, list) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what: &str| {
        list.split(';').find_map(|part| part.trim().strip_suffix(what)?.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    Some((count("passed"), count("failed")))
}

/// The name in a line `test a::b ... ignored`.
fn ignored(line: &str) -> Option<&str> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (verdict == "ignored" || verdict.starts_with("ignored,")).then_some(name)
}

/// A test in the sources.
pub struct Test {
    /// Its path in the test program's output.
    pub path: String,
    /// The `cargo test` arguments that build only its program.
    pub target: Vec<String>,
}

/// Every test in the sources, found by its attribute, without compiling.
pub fn find() -> Result<Vec<Test>> {
    let root = tools::root();
    let mut tests = Vec::new();
    for (folder, target) in [
        ("app/src", &["--package", "app", "--lib"][..]),
        ("server/src", &["--package", "server", "--lib"]),
        ("server/helper/src", &["--package", "helper"]),
        ("server/stats/src", &["--package", "stats", "--lib"]),
        ("server/stats/tests", &["--package", "stats", "--test"]),
        ("server/tests", &["--package", "server", "--test"]),
        ("xtask/src", &["--package", "xtask"]),
    ] {
        let mut files = Vec::new();
        tools::files(&root.join(folder), &mut files)?;
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
            let module = module(file.strip_prefix(root.join(folder))?);
            let mut target: Vec<String> = target.iter().map(|part| (*part).to_owned()).collect();
            let mut prefix = module;
            if folder.ends_with("/tests") {
                // A file there is a program of its own, and so is a folder with a `main.rs`; other folders have its
                // modules or data.
                let program = prefix.remove(0);
                if !["{}.rs", "{}/main.rs"]
                    .iter()
                    .any(|file| root.join(folder).join(file.replace("{}", &program)).is_file())
                {
                    continue;
                }
                target.push(program);
            }
            let source = fs::read_to_string(file)?;
            tests.extend(in_source(&source).into_iter().map(|name| {
                let path = prefix.iter().cloned().chain([name]).collect::<Vec<_>>().join("::");
                Test { path, target: target.clone() }
            }));
        }
    }
    Ok(tests)
}

/// The path of the module in a file: `db/runs.rs` and `db/runs/mod.rs` contain `db::runs`.
fn module(file: &Path) -> Vec<String> {
    let plain = file.with_extension("");
    let parts = plain.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.filter(|part| !["mod", "lib", "main"].contains(&part.as_str())).collect()
}

/// The tests in a source file, with the path of the modules written in it.
fn in_source(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Open inline modules, with their indentation: the sources are formatted.
    let mut modules: Vec<(usize, String)> = Vec::new();
    let mut attribute = false;
    for line in source.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text == "}" && modules.last().is_some_and(|(open, _)| *open == indent) {
            modules.pop();
        }
        if let Some(name) = text.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
            modules.push((indent, name.to_owned()));
        }
        attribute |= ["#[test]", "#[tokio::test"].iter().any(|start| text.starts_with(start));
        let function = text.strip_prefix("async fn ").or_else(|| text.strip_prefix("fn "));
        if let (true, Some(rest)) = (attribute, function) {
            let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
            found.push(modules.iter().map(|(_, m)| m.clone()).chain([name]).collect::<Vec<_>>().join("::"));
            attribute = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_was_reported() {
        let check = |line, expected: Option<(u64, u64)>| assert_eq!(result(line), expected, "{line}");
        check(
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.10s",
            Some((12, 0)),
        );
        check("test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 0 filtered out", Some((1, 2)));
        check("test db::opens ... ok", None);
        check("running 3 tests", None);
        assert_eq!(ignored("test db::opens ... ignored"), Some("db::opens"));
        assert_eq!(ignored("test db::opens ... ignored, too slow"), Some("db::opens"));
        assert_eq!(ignored("test db::ignored ... ok"), None);
    }

    #[test]
    fn finds_tests_in_sources() {
        let source = "fn helper() {}\n#[tokio::test]\nasync fn first() {\n}\nmod tests {\n    #[test]\n    #[cfg(unix)]\n    fn second() {\n    }\n}\n#[test]\nfn third() {}\n";
        assert_eq!(in_source(source), ["first", "tests::second", "third"]);
        assert_eq!(module(Path::new("db/runs.rs")), ["db", "runs"]);
        assert_eq!(module(Path::new("db/mod.rs")), ["db"]);
        let all = find().unwrap();
        let this = all.iter().find(|test| test.path == "test::rust::tests::finds_tests_in_sources");
        assert_eq!(this.unwrap().target, ["--package", "xtask"]);
        let has = |program| all.iter().any(|test| test.target.last().is_some_and(|name| name == program));
        assert_eq!(["it", "cluster", "reference", "fixtures"].map(has), [true, true, true, false]);
    }
}
