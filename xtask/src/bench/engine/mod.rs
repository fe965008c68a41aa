//! `cargo xtask bench engine`: how many outputs a second the engine gives their verdicts.
//!
//! What is run are the hand-assembled classes packaged with a checkout of the published benchmark
//! and its raw outputs, or, where no checkout is named, the reference solutions of our starter
//! dataset (eight times each: 24 are over before anything can be measured).

mod ours;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use super::{Report, Target, release_server};
use ours::Ours;

/// `bench engine`
#[derive(Args)]
pub struct Options {
    /// A checkout of the published benchmark; without one the starter dataset is run
    #[arg(long, value_name = "DIR")]
    aixbench: Option<PathBuf>,
}

/// Measures everything.
pub fn run(options: &Options) -> Result<Report> {
    let found = |folder: &PathBuf| {
        folder.canonicalize().with_context(|| format!("there is no checkout at {}", folder.display()))
    };
    let checkout = options.aixbench.as_ref().map(found).transpose()?;
    let binary = release_server()?;
    let mut report = Report::new("engine");
    let ours = Ours::prepare(&binary, checkout.as_deref())?;
    for submission in &ours.submissions {
        let what = &submission.what;
        let strict = ours.best_of(3, submission, &["--fresh"])?;
        report.promised(format!("strict, {what}"), strict.per_second(), "outputs/s", Target::AtLeast(20.0));
        report.figure(format!("strict, {what}"), strict.per_core_second(), "outputs/core-second");
        let seconds = strict.wall.as_secs_f64();
        match checkout {
            Some(_) => report.promised(format!("strict, all of {what}"), seconds, "s", Target::AtMost(10.0)),
            None => report.figure(format!("strict, all of {what}"), seconds, "s"),
        }
        let cached = ours.best_of(1, submission, &[])?.wall.as_secs_f64();
        report.promised(format!("unchanged, from the cache, {what}"), cached, "s", Target::AtMost(1.0));
    }
    report.note("Seconds are those of a whole `aixgrade run`, its start and its database included; the best of three.");
    Ok(report)
}
