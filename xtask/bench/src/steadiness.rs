//! `cargo xtask bench steadiness`: the same submission many times while the machine is overloaded. A changed
//! verdict is the engine's fault, unless the code itself is random. The engine's own fixtures run under the
//! same load, strict and fast, and each must get the verdict in its name.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    thread,
    time::Instant,
};

use anyhow::{Context, Result};
use clap::Args;

use super::{
    Report, Target,
    engine::{
        checkout,
        ours::{Named, Ours, OutputResult},
    },
    release_server,
};
use crate::{busy::Busy, tools};

/// `bench steadiness`
#[derive(Args)]
pub struct Options {
    /// A checkout of the published benchmark [default: the starter dataset is run]
    #[arg(long, value_name = "DIR")]
    aixbench: Option<PathBuf>,
    /// Measure this `aixgrade` instead of building one
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Number of runs
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// Busy processes per core, each in its own session
    #[arg(long, default_value_t = 4)]
    load: usize,
    /// Number of runs of the engine's fixtures, every second of them fast. Each takes minutes under load,
    /// since some fixtures wait until their time is over
    #[arg(long, default_value_t = 2)]
    fixtures: usize,
    /// Run the checkout's raw outputs (prediction.jsonl) instead of its packaged classes
    #[arg(long)]
    raw: bool,
    /// Tasks with random code, whose verdict may change [default for a checkout: 160]
    #[arg(long, value_name = "TASK")]
    random: Vec<String>,
}

/// Runs the benchmark, and lists what changed.
pub fn run(options: &Options) -> Result<Report> {
    let checkout = checkout(options.aixbench.as_deref())?;
    let binary = match &options.server {
        Some(file) => file.canonicalize().with_context(|| format!("{} not found", file.display()))?,
        None => release_server()?,
    };
    let mut random: BTreeSet<String> = options.random.iter().cloned().collect();
    if random.is_empty() && checkout.is_some() {
        random.insert("160".into());
    }
    let mut report = Report::new("steadiness");
    let ours = Ours::prepare(&binary, checkout.as_deref())?;
    let submission = if options.raw { ours.submissions.last() } else { ours.submissions.first() };
    let submission = submission.context("no submission")?;
    let fixtures = if options.fixtures > 0 { Some(Ours::fixtures(&binary)?) } else { None };
    let busy = thread::available_parallelism()?.get() * options.load;
    let load = Busy::start(busy)?;
    let begun = Instant::now();
    let mut seen: BTreeMap<Named, BTreeMap<OutputResult, usize>> = BTreeMap::new();
    let mut missing = 0;
    for number in 1..=options.runs {
        tools::say_aside(format!("Run {number} of {}, {busy} busy processes beside it", options.runs));
        for (output, result) in ours.verdicts(submission, &[])? {
            match result {
                Some(result) => *seen.entry(output).or_default().entry(result).or_default() += 1,
                None => missing += 1,
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64() / options.runs.max(1) as f64;
    if let Some(fixtures) = &fixtures {
        under_load(fixtures, options.fixtures, &mut report)?;
    }
    drop(load);
    let changed: Vec<_> = seen.iter().filter(|(_, results)| results.len() > 1).collect();
    let of_their_own = changed.iter().filter(|((task, _), _)| random.contains(task)).count();
    report.figure("runs", options.runs as f64, "");
    report.figure("outputs", seen.len() as f64, "");
    report.figure("seconds a run under this load", seconds, "s");
    report.promised("outputs on which the engine itself failed", f64::from(missing), "", Target::AtMost(0.0));
    let unsteady = changed.len() - of_their_own;
    report.promised("outputs whose result changed", unsteady as f64, "", Target::AtMost(0.0));
    report.figure("of those that draw at random, changed", of_their_own as f64, "");
    for ((task, sample), results) in changed {
        let results: Vec<String> = results
            .iter()
            .map(|((verdict, passed, total), times)| format!("{verdict} {passed}/{total} {times} times"))
            .collect();
        report.note(format!("task {task}, sample {sample}: {}", results.join(", ")));
    }
    report.note(format!(
        "{}, {busy} busy processes beside each run; every result is verdict, passed and total.",
        submission.what
    ));
    Ok(report)
}

/// Runs the fixtures, strict and fast in turn: each must get the verdict with which its name begins.
fn under_load(ours: &Ours, runs: usize, report: &mut Report) -> Result<()> {
    let submission = ours.submissions.first().context("there are no fixtures")?;
    let mut wrong = Vec::new();
    for number in 0..runs {
        let options: &[&str] = if number % 2 == 0 { &[] } else { &["--fast"] };
        tools::say_aside(format!("Fixtures, run {} of {runs} {}", number + 1, options.join(" ")));
        for ((name, _), result) in ours.verdicts(submission, options)? {
            let verdict = result.map_or_else(|| "no verdict".to_owned(), |(verdict, _, _)| verdict);
            if !name.starts_with(&verdict) {
                wrong.push(format!("{name} got {verdict} {}", options.join(" ")));
            }
        }
    }
    report.figure("runs of the engine's fixtures", runs as f64, "");
    report.promised("fixtures with another verdict than theirs", wrong.len() as f64, "", Target::AtMost(0.0));
    for line in wrong {
        report.note(line);
    }
    Ok(())
}
