//! `cargo xtask bench engine`: verdicts per second, compared with the usual ways
//! of running the tests, and the cost of isolation and memory.
//!
//! Runs the hand-assembled classes packaged with a checkout of the published benchmark
//! and its raw outputs. Without a checkout, runs the reference solutions of the starter
//! dataset eight times each, because 24 are too few to measure. The usual ways need a
//! checkout.

mod isolation;
mod languages;
mod memory;
pub mod ours;
mod people;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::{Report, Target, release_server};
use crate::tools;
use ours::Ours;
use people::Way;

/// `bench engine`
#[derive(Args)]
pub struct Options {
    /// A checkout of the published benchmark [default: the starter dataset is run]
    #[arg(long, value_name = "DIR")]
    aixbench: Option<PathBuf>,
    /// Measure this `aixgrade` instead of building one
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Number of tasks for which `javac` and `java` are run separately, evenly spread over all. Each takes a
    /// second or more, with little difference between tasks
    #[arg(long, default_value_t = 25, value_name = "TASKS")]
    each: usize,
    /// Measure only these parts [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    parts: Vec<Part>,
    /// Number of runs of which the best counts
    #[arg(long, default_value_t = 3, value_name = "RUNS")]
    best_of: usize,
    /// Measure the languages of HumanEval-X instead: each, or those named (python, cpp, java, js, go)
    #[arg(long, num_args = 0.., value_delimiter = ',', value_name = "LANGUAGES", conflicts_with_all = ["aixbench", "parts"])]
    languages: Option<Vec<String>>,
}

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Our runs: strict, fast, from the cache
    Runs,
    /// The usual ways, compared with our first run
    Today,
    /// Cost of the isolation layers
    Isolation,
    /// Memory during a run and when idle
    Memory,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<Report> {
    let checkout = checkout(options.aixbench.as_deref())?;
    let binary = match &options.server {
        Some(file) => file.canonicalize().with_context(|| format!("{} not found", file.display()))?,
        None => release_server()?,
    };
    if let Some(wanted) = &options.languages {
        return languages::run(&binary, wanted, options.each, options.best_of);
    }
    let mut report = Report::new("engine");
    let ours = Ours::prepare(&binary, checkout.as_deref())?;
    let wanted = |part| options.parts.is_empty() || options.parts.contains(&part);
    let mut best = None;
    for submission in ours.submissions.iter().filter(|_| wanted(Part::Runs)) {
        let what = &submission.what;
        let strict = ours.best_of(options.best_of, submission, &["--fresh"])?;
        match ours.long {
            Some(_) => report.figure(format!("strict, {what}"), strict.per_second(), "outputs/s"),
            None => report.promised(format!("strict, {what}"), strict.per_second(), "outputs/s", Target::AtLeast(20.0)),
        }
        report.figure(format!("strict, {what}"), strict.per_core_second(), "outputs/core-second");
        let seconds = strict.wall.as_secs_f64();
        // The packaged classes come first; `prediction.jsonl` has an endless loop, which alone takes its
        // limit of 10 s.
        let packaged = checkout.is_some() && best.is_none();
        if packaged {
            report.promised(format!("strict, all of {what}"), seconds, "s", Target::AtMost(10.0));
        } else {
            report.figure(format!("strict, all of {what}"), seconds, "s");
        }
        let fast = ours.best_of(1, submission, &["--fresh", "--fast"])?;
        report.figure(format!("fast, {what}"), fast.per_second(), "outputs/s");
        let cached = ours.best_of(1, submission, &[])?.wall.as_secs_f64();
        report.promised(format!("unchanged, from the cache, {what}"), cached, "s", Target::AtMost(1.0));
        // The usual ways can run only the first submission.
        best.get_or_insert(strict.per_core_second());
    }
    if let Some(long) = ours.long.as_ref().filter(|_| wanted(Part::Runs)) {
        let strict = ours.best_of(options.best_of, long, &["--fresh"])?;
        report.promised(format!("strict, {}", long.what), strict.per_second(), "outputs/s", Target::AtLeast(20.0));
    }
    if let Some(checkout) = checkout.filter(|_| wanted(Part::Today)) {
        today(&mut report, &checkout, best, options.each)?;
    }
    if wanted(Part::Isolation) {
        tools::say_aside("Measuring the cost of the isolation layers");
        let cost = isolation::cost(&binary, &ours.data())?;
        report.figure("a harmless JVM without isolation layers", cost.bare_ms, "ms of CPU time");
        let added = cost.isolated_ms - cost.bare_ms;
        report.promised("cost of the isolation layers", added, "ms of CPU time", Target::AtMost(5.0));
    }
    if let Some(submission) = ours.submissions.last_chunk::<1>().filter(|_| wanted(Part::Memory)) {
        tools::say_aside("Measuring the server's memory");
        let held = memory::held(&ours, submission)?;
        if let Some(working) = held.working {
            report.figure("memory during a run, server and sandboxes", working, "MiB");
        }
        report.promised("memory of the idle engine", held.idle, "MiB", Target::AtMost(300.0));
    }
    report.note(
        "Seconds are those of a whole `aixgrade run`, its start, its sandbox checks and its database included; \
         strict: the best of several.",
    );
    Ok(report)
}

/// The canonical path of a checkout.
pub fn checkout(folder: Option<&Path>) -> Result<Option<PathBuf>> {
    let found = |folder: &Path| folder.canonicalize().with_context(|| format!("no checkout at {}", folder.display()));
    folder.map(found).transpose()
}

/// The usual ways over the packaged classes, and the ratio of our throughput per processor time to theirs.
fn today(report: &mut Report, checkout: &Path, ours: Option<f64>, each: usize) -> Result<()> {
    let tasks = ours::tasks(checkout)?;
    let step = (tasks.len() / each.max(1)).max(1);
    let some: Vec<String> = tasks.iter().step_by(step).cloned().collect();
    tools::say_aside(format!("Running {} tasks with a javac and a java each", some.len()));
    let alone = people::measure(checkout, Way::Each, &some)?;
    tools::say_aside(format!("Running {} tasks in one JVM", tasks.len()));
    let one = people::measure(checkout, Way::OneJvm, &tasks)?;
    report.figure("a javac and a java each, the packaged classes", alone.per_core_second(), "outputs/core-second");
    if let Some(ours) = ours {
        let times = ours / alone.per_core_second();
        report.promised("strict against a javac and a java each", times, "times", Target::AtLeast(8.0));
    }
    report.figure("one JVM for all, the packaged classes", one.per_core_second(), "outputs/core-second");
    report.figure("one JVM for all, all of them", one.wall.as_secs_f64(), "s");
    if let Some(ours) = ours {
        report.figure("strict against one JVM for all", ours / one.per_core_second(), "times");
    }
    report.note(format!(
        "For the usual ways, the tests were compiled beforehand, which is not counted. A javac and a java each: {} of {} tasks, \
         {:.1} s of processor time. One JVM: {} results; it can do only what neither loops nor exits.",
        alone.outputs,
        tasks.len(),
        alone.cpu.as_secs_f64(),
        one.outputs
    ));
    Ok(())
}
