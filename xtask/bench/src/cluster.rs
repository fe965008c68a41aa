//! `cargo xtask bench cluster`: workers that take outputs from a NATS server, beside the server's own engine. All on this
//! machine, so that the figures are about overhead, not about more processors.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use super::{Report, Target, release_server};
use crate::{server, tools};

/// `bench cluster`
#[derive(Args)]
pub struct Options {
    /// Measure this `aixgrade` instead of building one
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Outputs in Python to run with each number of workers
    #[arg(long, default_value_t = 2_000)]
    outputs: usize,
    /// Outputs that workers answer at once
    #[arg(long, default_value_t = 50_000)]
    results: usize,
}

#[derive(Deserialize)]
struct Measured {
    embedded: f64,
    workers: Vec<(usize, f64)>,
    results: f64,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<Report> {
    let binary = match &options.server {
        Some(file) => file.canonicalize().with_context(|| format!("{} not found", file.display()))?,
        None => release_server()?,
    };
    let bench = server::bench("cluster")?;
    let mut report = Report::new("workers over NATS JetStream");
    tools::say_aside("Running the outputs in one process, then with 1, 2, 4 and 8 workers (minutes)");
    let mut command = Command::new(bench);
    command.arg("--program").arg(binary).args(["--outputs", &options.outputs.to_string()]);
    let said = tools::run_quietly(command.args(["--results", &options.results.to_string()]))?;
    let measured: Measured = serde_json::from_str(said.trim()).context("the measurement printed no figures")?;
    report.figure("in one process", measured.embedded, "outputs/s");
    for (count, per_second) in measured.workers {
        report.figure(format!("{count} workers of one slot"), per_second, "outputs/s");
        if count == 2 {
            let what = "2 workers of one slot, compared with one process";
            report.promised(what, per_second / measured.embedded, "", Target::AtLeast(0.9));
        }
    }
    let what = "results stored, from workers that answer at once";
    report.promised(what, measured.results, "results/s", Target::AtLeast(5_000.0));
    Ok(report)
}
