//! `cargo xtask test`: every check of the project, in stages. The first stage that fails ends the run; the summary
//! names the stages that did not run and the tests that were skipped. Counts come from the tools' own reports.

mod journeys;
mod prerequisites;
mod rust;

use std::{
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, bail};

use crate::{client, server, setup, tools};
use prerequisites::{Prerequisites, Skip};

/// The report of a stage. A stage that is one check (format, lints) counts as one test.
#[derive(Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: Vec<Skip>,
}

impl Counts {
    fn one(good: bool) -> Counts {
        Counts { passed: u64::from(good), failed: u64::from(!good), skipped: Vec::new() }
    }

    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
    }
}

/// One stage of the whole run.
struct Stage {
    /// The name on the command line.
    name: &'static str,
    /// Runs the check.
    about: &'static str,
    run: fn(&Prerequisites) -> Result<Counts>,
}

/// The stage that compiles for minutes on one core. In a whole run it begins beside the stage [`BESIDE`], in which the
/// server's own crates leave a core idle.
const CLIENT: &str = "client";
const BESIDE: &str = "build";

/// Ordered by how soon they fail: lints and Rust tests take minutes, the optimized client is the longest
/// step.
const STAGES: [Stage; 8] = [
    Stage { name: "format", about: "formatting", run: format },
    Stage { name: "lint", about: "lints of the app and the server", run: lint },
    Stage { name: "build", about: "build of the server and the sandbox helper", run: build },
    Stage { name: "rust", about: "Rust tests, with the Java harness", run: rust::all },
    Stage { name: "xtask", about: "lints and tests of xtask", run: xtask },
    Stage { name: "lint-client", about: "lints of the client", run: lint_client },
    Stage { name: CLIENT, about: "build of the optimized client", run: optimized_client },
    Stage { name: "journeys", about: "browser journeys", run: journeys::all },
];

/// Runs every stage, or what `names` selects, and prints the summary.
pub fn test(names: &[String]) -> Result<ExitCode> {
    let prerequisites = Prerequisites::find()?;
    prerequisites.announce();
    let planned = plan(names)?;
    let done = run(&planned, &prerequisites, names.is_empty());
    let not_run: Vec<&str> = planned[done.len()..].iter().map(|step| step.title.as_str()).collect();
    Ok(summary(&done, &not_run, &prerequisites))
}

/// Runs the steps up to the first that fails. In a whole run, the client is built beside other stages.
fn run<'a>(planned: &'a [Step], prerequisites: &Prerequisites, whole: bool) -> Vec<Done<'a>> {
    let mut done: Vec<Done> = Vec::new();
    thread::scope(|scope| {
        let mut client = None;
        for step in planned {
            tools::say(&step.title);
            let start = Instant::now();
            if whole && step.is(BESIDE) {
                // Installed first: two installations at once would fail.
                client = Some(setup::wasm_target().map(|_| scope.spawn(|| optimized_client(prerequisites))));
            }
            let counts = match client.take_if(|_| step.is(CLIENT)) {
                Some(begun) => {
                    begun.and_then(|build| build.join().map_err(|_| anyhow!("the client's build panicked"))?)
                }
                None => step.run(prerequisites),
            };
            let counts = counts.unwrap_or_else(|e| {
                eprintln!("error: {e:#}");
                Counts::one(false)
            });
            let passed = good(&counts, prerequisites);
            done.push(Done { title: &step.title, counts, passed, time: start.elapsed() });
            if !passed {
                break;
            }
        }
    });
    done
}

/// Prints the names that `cargo xtask test NAME` accepts.
pub fn list() -> Result<ExitCode> {
    println!("Stages:");
    for stage in &STAGES {
        println!("    {:12} {}", stage.name, stage.about);
    }
    println!("\nJourneys:");
    for name in journeys::names()? {
        println!("    {name}");
    }
    println!("\nRust tests, by any part of their path:");
    for test in rust::find()? {
        println!("    {}", test.path);
    }
    Ok(ExitCode::SUCCESS)
}

/// A stage, or the requested part of one.
struct Step {
    title: String,
    what: What,
}

enum What {
    Stage(fn(&Prerequisites) -> Result<Counts>),
    Journeys(Vec<String>),
    Rust(String),
}

impl Step {
    /// Whether this is the whole stage of this name.
    fn is(&self, name: &str) -> bool {
        matches!(self.what, What::Stage(_)) && self.title.split(':').next() == Some(name)
    }

    fn run(&self, prerequisites: &Prerequisites) -> Result<Counts> {
        match &self.what {
            What::Stage(run) => run(prerequisites),
            What::Journeys(names) => journeys::some(prerequisites, names),
            What::Rust(name) => rust::some(prerequisites, name),
        }
    }
}

/// The stages to run: all of them without names. A name is a stage, otherwise a journey, otherwise part of a
/// Rust test's path.
fn plan(names: &[String]) -> Result<Vec<Step>> {
    let stage =
        |stage: &Stage| Step { title: format!("{}: {}", stage.name, stage.about), what: What::Stage(stage.run) };
    if names.is_empty() {
        return Ok(STAGES.iter().map(stage).collect());
    }
    let all_journeys = journeys::names()?;
    let (mut steps, mut chosen) = (Vec::new(), Vec::new());
    for name in names {
        let file = name.trim_end_matches(".ts").trim_end_matches(".spec");
        if let Some(found) = STAGES.iter().find(|stage| stage.name == name) {
            steps.push(stage(found));
        } else if all_journeys.iter().any(|journey| journey == file) {
            chosen.push(file.to_owned());
        } else if rust::find()?.iter().any(|test| test.path.contains(name.as_str())) {
            steps.push(Step { title: format!("rust: {name}"), what: What::Rust(name.clone()) });
        } else {
            bail!("no stage, journey or Rust test is named `{name}`; `cargo xtask test --list` prints all names");
        }
    }
    if !chosen.is_empty() {
        steps.push(Step { title: format!("journeys: {}", chosen.join(", ")), what: What::Journeys(chosen) });
    }
    Ok(steps)
}

struct Done<'a> {
    title: &'a str,
    counts: Counts,
    passed: bool,
    time: Duration,
}

/// A stage passes if a test passed, none failed, and none was skipped that this machine can run.
fn good(counts: &Counts, prerequisites: &Prerequisites) -> bool {
    let skipped_wrongly = counts.skipped.iter().any(|skip| prerequisites.forbid(skip));
    counts.failed == 0 && !skipped_wrongly && counts.passed + counts.skipped.len() as u64 > 0
}

fn summary(done: &[Done<'_>], not_run: &[&str], prerequisites: &Prerequisites) -> ExitCode {
    println!();
    let mut all = Counts::default();
    let mut good = not_run.is_empty();
    for stage in done {
        let Counts { passed, failed, skipped } = &stage.counts;
        let mut detail = match passed + failed {
            0 | 1 => String::new(),
            _ => format!("{passed} passed, {failed} failed"),
        };
        if !skipped.is_empty() {
            detail += &format!("{}{} skipped", if detail.is_empty() { "" } else { ", " }, skipped.len());
        }
        let verdict = if stage.passed { "passed" } else { "FAILED" };
        println!("{verdict}   {:>6.1} s  {}  {detail}", stage.time.as_secs_f64(), stage.title);
        good &= stage.passed;
        all.add(Counts { passed: *passed, failed: *failed, skipped: skipped.clone() });
    }
    for title in not_run {
        println!("not run            {title}");
    }
    for skip in &all.skipped {
        let verdict = if prerequisites.forbid(skip) { "SKIPPED, which fails here" } else { "skipped" };
        println!("{verdict}  {}: {}", skip.name, skip.why);
    }
    // A test that was skipped although it could run counts as failed.
    let (forbidden, allowed): (Vec<_>, Vec<_>) = all.skipped.iter().partition(|skip| prerequisites.forbid(skip));
    let mut line = format!("{} passed, {} failed", all.passed, all.failed + forbidden.len() as u64);
    if !allowed.is_empty() {
        line += &format!(", {} skipped", allowed.len());
    }
    println!("{line}");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn format(_: &Prerequisites) -> Result<Counts> {
    one(tools::cargo().args(["fmt", "--all", "--check"]))
}

fn lint(_: &Prerequisites) -> Result<Counts> {
    one(tools::cargo().args(["clippy", "--locked", "--quiet", "--all-targets", "--", "-D", "warnings"]))
}

fn build(_: &Prerequisites) -> Result<Counts> {
    server::build(false).map(|_| Counts::one(true))
}

/// Separate, because its dependencies enable features that would rebuild the server's.
fn xtask(_: &Prerequisites) -> Result<Counts> {
    let package = ["--locked", "--quiet", "--package", "xtask", "--all-targets", "--", "-D", "warnings"];
    let mut counts = one(tools::cargo().arg("clippy").args(package))?;
    counts.add(rust::run(tools::cargo().args(["test", "--locked", "--package", "xtask"]))?);
    Ok(counts)
}

fn lint_client(_: &Prerequisites) -> Result<Counts> {
    let toolchain = setup::wasm_target()?;
    let check = |cargo: &mut Command| {
        let package = ["--locked", "--quiet", "--package", "app", "--lib", "--target", setup::WASM];
        cargo.args(package).args(["--features", "hydrate"]);
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

/// All journeys run with the release client, whose size they measure, in one build.
fn optimized_client(_: &Prerequisites) -> Result<Counts> {
    client::build(client::Profile::Release).map(|()| Counts::one(true))
}

fn one(command: &mut Command) -> Result<Counts> {
    tools::run(command).map(|()| Counts::one(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_stage_a_journey_or_a_rust_test() {
        let titles = |names: &[&str]| -> Vec<String> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            plan(&names).unwrap().into_iter().map(|step| step.title).collect()
        };
        assert_eq!(titles(&[]).len(), STAGES.len());
        assert_eq!(titles(&["format"]), ["format: formatting"]);
        assert_eq!(titles(&["kill", "runs.spec.ts"]), ["journeys: kill, runs"]);
        let this = "a_name_is_a_stage_a_journey_or_a_rust_test";
        assert_eq!(titles(&[this]), [format!("rust: {this}")]);
        // The name must not occur in this file as a test's.
        assert!(plan(&["no_such_test_anywhere".to_owned()]).is_err());
    }

    #[test]
    fn a_stage_without_any_test_fails() {
        let check = |passed, failed, skipped: &[Skip], strict, expected| {
            let counts = Counts { passed, failed, skipped: skipped.to_vec() };
            let prerequisites = Prerequisites { strict, ..Prerequisites::default() };
            assert_eq!(good(&counts, &prerequisites), expected, "{counts:?}, strict: {strict}");
        };
        let skip = |kind| Skip { kind, name: "a".into(), why: "b".into() };
        use prerequisites::Kind;
        check(3, 0, &[], true, true);
        check(0, 0, &[], false, false);
        check(3, 1, &[], false, false);
        check(3, 0, &[skip(Kind::Data)], false, true);
        check(3, 0, &[skip(Kind::Data)], true, false);
        check(3, 0, &[skip(Kind::Host)], true, true);
        check(3, 0, &[skip(Kind::Ignored)], false, false);
    }
}
