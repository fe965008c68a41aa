//! Rust tests: all of them, or those whose path contains a name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, OnceLock, PoisonError},
    thread,
    time::Instant,
};

use anyhow::{Context, Result, anyhow, bail};

use super::{
    Counts,
    lints::with_lints,
    prerequisites::{self, Prerequisites, Skip},
};
use crate::{client, server, setup, tools};

/// A program that runs tests.
struct Program {
    /// The package's, followed by the target's unless it has the unit tests of the package's library.
    name: String,
    /// Whether it has unit tests.
    is_unit: bool,
    file: PathBuf,
    /// The folder of its package, in which it runs.
    package: PathBuf,
}

/// What the tests need, built.
pub struct Built {
    /// The server's program.
    pub aixgrade: PathBuf,
    programs: Vec<Program>,
}

/// Lints and builds the server, its helper and all Rust tests but those of xtask; only once, so that a later stage does
/// not wait for another build that works in the same folder.
pub fn build() -> Result<&'static Built> {
    static BUILT: OnceLock<Built> = OnceLock::new();
    match BUILT.get() {
        Some(built) => Ok(built),
        None => build_afresh().map(|built| BUILT.get_or_init(|| built)),
    }
}

fn build_afresh() -> Result<Built> {
    let mut cargo = tools::cargo();
    cargo.args(["test", "--locked", "--no-run", "--quiet", "--tests"]);
    for package in tools::packages()?.iter().filter(|package| package.is_default) {
        let is_tested = package.targets.iter().any(|target| target.kind == "test");
        for target in &package.targets {
            match target.kind.as_str() {
                // By name, because `--benches` would add each program, which bare `cargo bench` would run.
                "bench" => cargo.args(["--bench", &target.name]),
                // Programs without tests of their own are built for the tests of their package. Those of other packages
                // would be neither built nor linted.
                "bin" if !target.is_tested && !is_tested => cargo.args(["--bin", &target.name]),
                _ => &mut cargo,
            };
        }
    }
    let artifacts = tools::artifacts(with_lints(&mut cargo)?)?;
    // Tests of their packages start them, so that cargo builds them with the tests. A build of their own would have other
    // features of dependencies, and compile these again.
    let program = |name: &str| {
        let made =
            artifacts.iter().filter(|made| made.name == name && !made.is_test).find_map(tools::Artifact::program);
        made.map(Path::to_path_buf).with_context(|| format!("cargo built no `{name}` with the tests"))
    };
    let aixgrade = program(server::PROGRAM)?;
    program(server::WORKER)?;
    // Tests start the sandbox's helper, which no test program builds.
    server::helper(&aixgrade)?;
    Ok(Built { aixgrade, programs: programs(artifacts) })
}

/// The programs among what was built that run tests.
fn programs(artifacts: Vec<tools::Artifact>) -> Vec<Program> {
    let tests = artifacts.into_iter().filter(|made| made.is_test && made.kind != "bench");
    tests
        .filter_map(|made| {
            let file = made.program()?.to_path_buf();
            let folder = made.package.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = if made.kind == "lib" { folder } else { format!("{folder} {}", made.name) };
            Some(Program { name, is_unit: made.kind == "lib", file, package: made.package })
        })
        .collect()
}

/// How many test programs run at the same time. One often waits for a broker, a lease or a program while the other
/// computes; more would only make each other slow.
const SIDE_BY_SIDE: usize = 2;

/// Runs the tests of every package but those of xtask.
pub fn all(prerequisites: &Prerequisites) -> Result<Counts> {
    setup::for_rust_tests()?;
    let mut programs: Vec<&Program> = build()?.programs.iter().collect();
    // The longest first, so that none of them runs alone at the end.
    let mut times = Times::read();
    programs.sort_by(|a, b| times.of(b).total_cmp(&times.of(a)));
    let command = |program: &Program| {
        let mut command = tools::of_package(&program.file, &program.package);
        // Many tests wait for programs that they start, or until a lease expires.
        let threads = 2 * thread::available_parallelism().map_or(1, usize::from);
        command.env("RUST_TEST_THREADS", threads.to_string());
        prerequisites.pass_to(&mut command);
        command
    };
    let waiting = Mutex::new(programs.iter().map(|program| (*program, command(program))).rev().collect::<Vec<_>>());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let in_turn = || {
        let mut ran = Vec::new();
        while let Some((program, mut command)) = next() {
            let begun = Instant::now();
            let counts = run_program(program, &mut command);
            ran.push((program.name.clone(), begun.elapsed().as_secs_f64(), counts));
        }
        ran
    };
    let ran: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..SIDE_BY_SIDE).map(|_| scope.spawn(in_turn)).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("tests were not counted"))).collect()
    });
    let mut all = Counts::default();
    for ran in ran {
        for (name, seconds, counts) in ran? {
            times.0.insert(name, seconds);
            all.add(counts?);
        }
    }
    times.write()?;
    Ok(all)
}

/// The programs that run longest, in this order where no time is known, as in a fresh clone.
const LONGEST: [&str; 5] = ["server cluster", "lang lang", "server it", "engine engine", "lang repositories"];

/// Longer than any program runs, in seconds.
const LONG: f64 = 1e6;

/// How long each program ran the last time, in seconds.
struct Times(BTreeMap<String, f64>);

impl Times {
    fn file() -> PathBuf {
        tools::root().join("target/test-times.json")
    }

    fn read() -> Times {
        let text = fs::read_to_string(Times::file()).unwrap_or_default();
        Times(serde_json::from_str(&text).unwrap_or_default())
    }

    /// An unknown program may be among the longest, unless its tests are unit tests.
    fn of(&self, program: &Program) -> f64 {
        let unknown = || match LONGEST.iter().rev().position(|name| *name == program.name) {
            Some(rank) => LONG + f64::from(u32::try_from(rank).unwrap_or(u32::MAX)) + 1.0,
            None if program.is_unit => 0.0,
            None => LONG,
        };
        self.0.get(&program.name).copied().unwrap_or_else(unknown)
    }

    fn write(&self) -> Result<()> {
        fs::write(Times::file(), serde_json::to_vec_pretty(&self.0)?)?;
        Ok(())
    }
}

/// Runs a test program and shows its output at once at its end, because others run beside it.
fn run_program(program: &Program, command: &mut Command) -> Result<Counts> {
    let mut output = String::new();
    let counts = counted(command, |line| {
        // Whoever waits should see for what.
        if line.contains(" has been running for over ") {
            println!("{}: {line}", program.name);
        }
        output += line;
        output.push('\n');
    });
    print!("==> {}\n{output}", program.name);
    let mut counts = counts?;
    for failure in &mut counts.failures {
        *failure = format!("{}: {failure}", program.name);
    }
    Ok(counts)
}

/// Lints and runs the tests of xtask's packages. Separate, because their dependencies enable features that would rebuild
/// the server's.
pub fn xtask(_: &Prerequisites) -> Result<Counts> {
    let packages: Vec<String> = tools::packages()?.into_iter().filter(|p| !p.is_default).map(|p| p.name).collect();
    let (builder, others): (Vec<_>, Vec<_>) = packages.iter().partition(|name| *name == client::BUILDER);
    let mut counts = Counts::default();
    for (packages, profile) in [(others, "dev"), (builder, client::BUILDER_PROFILE)] {
        let mut cargo = tools::cargo();
        cargo.args(["test", "--locked", "--profile", profile]);
        cargo.args(packages.into_iter().flat_map(|package| ["--package", package]));
        counts.add(run(with_lints(&mut cargo)?)?);
    }
    Ok(counts)
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
fn run(cargo: &mut Command) -> Result<Counts> {
    counted(cargo, |line| println!("{line}"))
}

/// Runs test programs, passes each line of their output on, and adds up their results.
fn counted(command: &mut Command, mut each: impl FnMut(&str)) -> Result<Counts> {
    let mut counts = Counts::default();
    let (good, skipped) = prerequisites::collect(command, |command| {
        tools::run_lines(command, |line| {
            each(line);
            if let Some((passed, failed)) = result(line) {
                counts.passed += passed;
                counts.failed += failed;
            } else if let Some(name) = ended(line, "ignored") {
                counts.skipped.push(Skip::ignored(name));
            } else if let Some(name) = ended(line, "FAILED") {
                counts.failures.push(name.to_owned());
            }
        })
    })?;
    // The test program counts a test that skipped itself as passed.
    counts.passed = counts.passed.saturating_sub(skipped.len() as u64);
    counts.skipped.extend(skipped);
    if !good && counts.failed == 0 {
        bail!("`{}` failed", tools::shown(command));
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

/// The name in a line `test a::b ... ignored` or, with another verdict, `test a::b ... FAILED`.
fn ended<'a>(line: &'a str, verdict: &str) -> Option<&'a str> {
    let (name, ended) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let reason = ended.strip_prefix(verdict)?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    (reason.is_empty() || reason.starts_with(',')).then_some(name)
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
    let mut tests = Vec::new();
    for package in tools::packages()? {
        let has_library = package.targets.iter().any(|target| target.kind == "lib");
        for target in &package.targets {
            let own = |option: &str| match option {
                "--lib" => vec![option.to_owned()],
                _ => vec![option.to_owned(), target.name.clone()],
            };
            let folder = target.source.parent().map(Path::to_path_buf).unwrap_or_default();
            // The files of the target, relative to the folder whose files are its first modules.
            let (folder, files, own) = match target.kind.as_str() {
                "lib" => (folder.clone(), rust_files(&folder)?, own("--lib")),
                "bin" if !target.is_tested => continue,
                // Of a package with a library, the modules are the library's.
                "bin" if has_library => (folder, BTreeSet::from([target.source.clone()]), own("--bin")),
                "bin" => (folder.clone(), rust_files(&folder)?, own("--bin")),
                "test" if target.source.ends_with("main.rs") => (folder.clone(), rust_files(&folder)?, own("--test")),
                "test" => {
                    let folder = target.source.with_extension("");
                    let mut files = if folder.is_dir() { rust_files(&folder)? } else { BTreeSet::new() };
                    files.insert(target.source.clone());
                    (folder, files, own("--test"))
                }
                _ => continue,
            };
            let mut target = vec!["--package".to_owned(), package.name.clone()];
            if package.name == client::BUILDER {
                target.extend(["--profile", client::BUILDER_PROFILE].map(str::to_owned));
            }
            target.extend(own);
            for file in files {
                let prefix = file.strip_prefix(&folder).map(module).unwrap_or_default();
                tests.extend(in_source(&fs::read_to_string(&file)?).into_iter().map(|name| {
                    let path = prefix.iter().cloned().chain([name]).collect::<Vec<_>>().join("::");
                    Test { path, target: target.clone() }
                }));
            }
        }
    }
    Ok(tests)
}

/// The sources in a folder.
fn rust_files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut files = Vec::new();
    tools::files(folder, &mut files)?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).collect())
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
        assert_eq!(ended("test db::opens ... ignored", "ignored"), Some("db::opens"));
        assert_eq!(ended("test db::opens ... ignored, too slow", "ignored"), Some("db::opens"));
        assert_eq!(ended("test db::ignored ... ok", "ignored"), None);
        assert_eq!(ended("test db::opens ... FAILED", "FAILED"), Some("db::opens"));
        assert_eq!(ended("test db::fails - should panic ... FAILED", "FAILED"), Some("db::fails"));
        assert_eq!(ended("test db::opens ... FAILED", "ignored"), None);
    }

    #[test]
    fn the_longest_programs_run_first_where_no_time_is_known() {
        let program = |name: &str| {
            let is_unit = !name.contains(' ');
            Program { name: name.to_owned(), is_unit, file: PathBuf::new(), package: PathBuf::new() }
        };
        let times = Times(BTreeMap::from([("formats memory".to_owned(), 70.0)]));
        let order = ["server cluster", "server it", "lang repositories", "lang attacks", "formats memory", "db"];
        let longest: Vec<f64> = order.iter().map(|name| times.of(&program(name))).collect();
        assert!(longest.windows(2).all(|two| two[0] > two[1]), "{longest:?}");
    }

    #[test]
    fn finds_tests_in_sources() {
        let source = "fn helper() {}\n#[tokio::test]\nasync fn first() {\n}\nmod tests {\n    #[test]\n    #[cfg(unix)]\n    fn second() {\n    }\n}\n#[test]\nfn third() {}\n";
        assert_eq!(in_source(source), ["first", "tests::second", "third"]);
        assert_eq!(module(Path::new("db/runs.rs")), ["db", "runs"]);
        assert_eq!(module(Path::new("db/mod.rs")), ["db"]);
        let all = find().unwrap();
        let this = all.iter().find(|test| test.path == "test::rust::tests::finds_tests_in_sources");
        assert_eq!(this.unwrap().target, ["--package", "xtask", "--lib"]);
        let builder = all.iter().find(|test| test.target.contains(&client::BUILDER.to_owned())).unwrap();
        assert!(builder.target.contains(&client::BUILDER_PROFILE.to_owned()));
        let has = |program| all.iter().any(|test| test.target.last().is_some_and(|name| name == program));
        assert_eq!(["it", "cluster", "reference", "fixtures"].map(has), [true, true, true, false]);
        assert!(LONGEST.iter().all(|name| name.split_once(' ').is_some_and(|(_, program)| has(program))));
    }
}
