//! `cargo xtask bench steadiness`: the same submission many times while the machine is overloaded. A
//! verdict that changes is the engine's doing, unless the code itself draws at random.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use anyhow::{Context, Result};
use clap::Args;

use super::{
    Report, Target,
    engine::{
        checkout,
        ours::{CameTo, Named, Ours},
    },
    release_server,
};
use crate::tools;

/// `bench steadiness`
#[derive(Args)]
pub struct Options {
    /// A checkout of the published benchmark; without one the starter dataset is run
    #[arg(long, value_name = "DIR")]
    aixbench: Option<PathBuf>,
    /// Measure this `aixgrade` and build none
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// How many runs
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// Busy threads beside them for each core
    #[arg(long, default_value_t = 4)]
    load: usize,
    /// Run the checkout's raw outputs (prediction.jsonl) and not its packaged classes
    #[arg(long)]
    raw: bool,
    /// Tasks whose code draws at random, so that its verdict may change [default for a checkout: 160]
    #[arg(long, value_name = "TASK")]
    random: Vec<String>,
}

/// Runs, and lists what changed.
pub fn run(options: &Options) -> Result<Report> {
    let checkout = checkout(options.aixbench.as_deref())?;
    let binary = match &options.server {
        Some(file) => file.canonicalize().with_context(|| format!("there is no {}", file.display()))?,
        None => release_server()?,
    };
    let mut random: BTreeSet<String> = options.random.iter().cloned().collect();
    if random.is_empty() && checkout.is_some() {
        random.insert("160".into());
    }
    let mut report = Report::new("steadiness");
    let ours = Ours::prepare(&binary, checkout.as_deref())?;
    let submission = if options.raw { ours.submissions.last() } else { ours.submissions.first() };
    let submission = submission.context("there is no submission")?;
    let over = Arc::new(AtomicBool::new(false));
    let busy = thread::available_parallelism()?.get() * options.load;
    for _ in 0..busy {
        let over = Arc::clone(&over);
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
    }
    let begun = Instant::now();
    let mut seen: BTreeMap<Named, BTreeMap<CameTo, usize>> = BTreeMap::new();
    let mut missing = 0;
    for number in 1..=options.runs {
        tools::say_aside(format!("Run {number} of {}, {busy} busy threads beside it", options.runs));
        for (output, came_to) in ours.verdicts(submission)? {
            match came_to {
                Some(came_to) => *seen.entry(output).or_default().entry(came_to).or_default() += 1,
                None => missing += 1,
            }
        }
    }
    over.store(true, Ordering::Relaxed);
    let seconds = begun.elapsed().as_secs_f64() / options.runs.max(1) as f64;
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
        "{}, {busy} busy threads beside each run; every result is verdict, passed and total.",
        submission.what
    ));
    Ok(report)
}
