//! `cargo xtask test`: every check of the project, in stages. The first stage that fails ends the run; the summary
//! names the stages that did not run and the tests that were skipped. Counts come from the tools' own reports.
//!
//! A whole run has two lanes, so that no core is idle while one crate compiles or tests wait: [`Lane`].

mod board;
mod deploy;
mod journeys;
mod lints;
mod plan;
mod prerequisites;
mod repeat;
mod rust;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use clap::Args;

use crate::{client, setup, toolchains, tools};
use board::Board;
use plan::{Step, plan};
use prerequisites::{Prerequisites, Skip};

/// `cargo xtask test`
#[derive(Args)]
pub struct Options {
    /// Stages, journeys or parts of Rust tests' paths to run instead of everything
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print the names that can be given
    #[arg(long, conflicts_with = "names")]
    list: bool,
    /// Run everything, or what is named, this often, and list which tests failed how often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Keep every core busy with endless loops beside every second run
    #[arg(long)]
    beside_load: bool,
}

/// The report of a stage. A stage that is one check (format, lints) counts as one test.
#[derive(Clone, Debug, Default)]
struct Counts {
    passed: u64,
    failed: u64,
    /// The names of tests that failed, as far as they are known.
    failures: Vec<String>,
    skipped: Vec<Skip>,
}

impl Counts {
    fn one(good: bool) -> Counts {
        Counts { passed: u64::from(good), failed: u64::from(!good), ..Counts::default() }
    }

    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.skipped.extend(other.skipped);
    }
}

/// What runs one after the other; the two lanes of a whole run run at the same time. Cargo lets only one build work in a
/// target folder of a profile, so each lane has its own while the other builds, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    /// The server and its Rust tests, which often wait for a broker, a lease or a program.
    Server,
    /// The client, which compiles for minutes on one core, and the journeys, which need it.
    Client,
}

/// One stage of the whole run.
struct Stage {
    /// The name on the command line.
    name: &'static str,
    /// Runs the check.
    about: &'static str,
    run: fn(&Prerequisites) -> Result<Counts>,
    /// When it runs in a whole run; `None`: another stage of the whole run does the same.
    lane: Option<Lane>,
    /// The stages of the other lane that must have ended before.
    after: &'static [&'static str],
}

/// Ordered as the summary lists them; the stages of a lane by how soon they fail.
const STAGES: [Stage; 9] = [
    Stage { name: "format", about: "formatting", run: format, lane: Some(Lane::Server), after: &[] },
    Stage { name: "lint", about: "lints of the app and the server", run: lint, lane: None, after: &[] },
    Stage {
        name: "build",
        about: "lints and build of the server, the sandbox helper and the Rust tests",
        run: build,
        lane: Some(Lane::Server),
        after: &[],
    },
    Stage {
        name: "rust",
        about: "Rust tests, with the Java harness",
        run: rust::all,
        lane: Some(Lane::Server),
        after: &[],
    },
    Stage {
        name: "client",
        about: "lints and build of the optimized client",
        run: optimized_client,
        lane: Some(Lane::Client),
        after: &[],
    },
    Stage { name: "lint-client", about: "lints of the client", run: lint_client, lane: None, after: &[] },
    // Builds in the folder in which the server is built.
    Stage {
        name: "xtask",
        about: "lints and tests of xtask",
        run: rust::xtask,
        lane: Some(Lane::Client),
        after: &["build"],
    },
    Stage {
        name: "deploy",
        about: "lints of images, manifests, units and packages",
        run: deploy::all,
        lane: Some(Lane::Client),
        after: &[],
    },
    Stage {
        name: "journeys",
        about: "browser journeys",
        run: journeys::all,
        lane: Some(Lane::Client),
        after: &["build"],
    },
];

/// Runs every stage, or what the options select, and prints the summary.
pub fn test(options: &Options) -> Result<ExitCode> {
    if options.list {
        return list();
    }
    let prerequisites = Prerequisites::find()?;
    prerequisites.announce();
    let planned = plan(&options.names)?;
    if options.repeat.is_some() || options.beside_load {
        return repeat::run(&planned, &prerequisites, options.repeat.unwrap_or(1), options.beside_load);
    }
    let done = run(&planned, &prerequisites, Fail::First)?;
    Ok(summary(&planned, &done, &prerequisites))
}

/// What a failure ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fail {
    /// The run: no further stage begins.
    First,
    /// Nothing but its stage.
    Late,
}

/// Runs the steps, each lane at the same time as the other. `None` for steps that were not run.
fn run(planned: &[Step], prerequisites: &Prerequisites, fail: Fail) -> Result<Vec<Option<Done>>> {
    // Installed first, because two installations at once would fail.
    if planned.iter().any(|step| step.lane == Lane::Client) {
        setup::targets()?;
    }
    let board = Board::new(planned.len());
    let in_lane = |lane: Lane| {
        for (number, step) in planned.iter().enumerate().filter(|(_, step)| step.lane == lane) {
            let needed = |other: &Step| other.name.is_some_and(|name| step.after.contains(&name));
            let needed: Vec<usize> = (0..planned.len()).filter(|other| needed(&planned[*other])).collect();
            if !board.wait_for(&needed) {
                return;
            }
            tools::say(&step.title);
            let start = Instant::now();
            let counts = catch_unwind(AssertUnwindSafe(|| step.run(prerequisites)));
            let counts = counts.unwrap_or_else(|_| Err(anyhow!("xtask panicked"))).unwrap_or_else(|e| {
                eprintln!("error: {}: {e:#}", step.title);
                Counts::one(false)
            });
            let passed = good(&counts, prerequisites);
            board.done(number, Done { counts, passed, time: start.elapsed() }, !passed && fail == Fail::First);
        }
    };
    thread::scope(|scope| {
        // Mostly downloads, for which the first tests need not wait while the server is built.
        if planned.iter().any(|step| step.name == Some("rust")) {
            scope.spawn(toolchains::prepared_for_tests);
        }
        scope.spawn(|| in_lane(Lane::Client));
        in_lane(Lane::Server);
    });
    Ok(board.all())
}

/// Prints the names that `cargo xtask test NAME` accepts.
fn list() -> Result<ExitCode> {
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

struct Done {
    counts: Counts,
    passed: bool,
    time: Duration,
}

/// A stage passes if a test passed, none failed, and none was skipped that this machine can run.
fn good(counts: &Counts, prerequisites: &Prerequisites) -> bool {
    let skipped_wrongly = counts.skipped.iter().any(|skip| prerequisites.forbid(skip));
    counts.failed == 0 && !skipped_wrongly && counts.passed + counts.skipped.len() as u64 > 0
}

fn summary(planned: &[Step], done: &[Option<Done>], prerequisites: &Prerequisites) -> ExitCode {
    println!();
    let mut all = Counts::default();
    let mut good = true;
    for (step, stage) in planned.iter().zip(done) {
        let Some(stage) = stage else {
            println!("not run            {}", step.title);
            good = false;
            continue;
        };
        let Counts { passed, failed, skipped, .. } = &stage.counts;
        let mut detail = match passed + failed {
            0 | 1 => String::new(),
            _ => format!("{passed} passed, {failed} failed"),
        };
        if !skipped.is_empty() {
            detail += &format!("{}{} skipped", if detail.is_empty() { "" } else { ", " }, skipped.len());
        }
        let verdict = if stage.passed { "passed" } else { "FAILED" };
        println!("{verdict}   {:>6.1} s  {}  {detail}", stage.time.as_secs_f64(), step.title);
        good &= stage.passed;
        all.add(stage.counts.clone());
    }
    for failure in &all.failures {
        println!("failed   {failure}");
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
    rust::build().map(|_| Counts::one(true))
}

fn lint_client(_: &Prerequisites) -> Result<Counts> {
    one(&mut client::lint(setup::wasm_target()?))
}

/// All journeys run with the release client, whose size they measure, in one build.
fn optimized_client(prerequisites: &Prerequisites) -> Result<Counts> {
    let is_linted = client::build_with(client::Profile::Release, |toolchain, cargo| match toolchain {
        setup::Toolchain::Own => lints::with_lints(cargo),
        // Debian's compiler for the browser comes without clippy.
        setup::Toolchain::Debian => Ok(cargo),
    })?;
    // An earlier build may have had no lints.
    if is_linted { Ok(Counts::one(true)) } else { lint_client(prerequisites) }
}

fn one(command: &mut Command) -> Result<Counts> {
    tools::run(command).map(|()| Counts::one(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_without_any_test_fails() {
        let check = |passed, failed, skipped: &[Skip], strict, expected| {
            let counts = Counts { passed, failed, skipped: skipped.to_vec(), failures: Vec::new() };
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

    /// A step that passes or fails.
    pub(super) fn step(name: &'static str, good: bool) -> Step {
        let run: fn(&Prerequisites) -> Result<Counts> =
            if good { |_| Ok(Counts::one(true)) } else { |_| Err(anyhow!("as a test of xtask asks for")) };
        Step { title: name.to_owned(), name: Some(name), what: plan::What::Stage(run), lane: Lane::Server, after: &[] }
    }

    fn outcome(steps: &[Step], fail: Fail) -> Vec<Option<bool>> {
        let done = run(steps, &Prerequisites::default(), fail).unwrap();
        done.into_iter().map(|done| done.map(|done| done.passed)).collect()
    }

    #[test]
    fn a_failure_ends_the_run_unless_later_stages_are_wanted() {
        let steps = |good| [step("a", good), step("b", true)];
        assert_eq!(outcome(&steps(true), Fail::First), [Some(true), Some(true)]);
        assert_eq!(outcome(&steps(false), Fail::First), [Some(false), None]);
        assert_eq!(outcome(&steps(false), Fail::Late), [Some(false), Some(true)]);
    }

    #[test]
    fn a_stage_that_panics_has_failed() {
        let mut steps = [step("a", true), step("b", true)];
        steps[0].what = plan::What::Stage(|_| panic!("as a test of xtask asks for"));
        assert_eq!(outcome(&steps, Fail::First), [Some(false), None]);
    }

    #[test]
    fn stages_wait_only_for_stages_of_the_other_lane() {
        for stage in &STAGES {
            for needed in stage.after {
                let needed = STAGES.iter().find(|other| other.name == *needed).unwrap();
                assert!(needed.lane.is_some() && needed.lane != stage.lane, "{}", stage.name);
                // Two that wait for each other would never begin.
                assert!(needed.after.is_empty(), "{}", stage.name);
            }
        }
    }
}
