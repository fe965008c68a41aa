//! `cargo xtask bench load`: a laboratory at its busiest. 500 raters, each with a rating every 20 seconds, beside two
//! imports, ten downloads and a run of tests. Measures how long a submission takes, and that all are stored.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Result;
use clap::Args;

use super::{
    Report, Target,
    grading::{self, Activities, Load, PASSWORD, Rater, Server, at, client, name},
};
use crate::tools;

/// `bench load`
#[derive(Args)]
pub struct Options {
    /// Number of simultaneous raters
    #[arg(long, default_value_t = 500)]
    raters: usize,
    /// Time between two ratings of a rater, in seconds
    #[arg(long, default_value_t = 20)]
    every: u64,
    /// Ratings of each rater
    #[arg(long, default_value_t = 9)]
    ratings: usize,
    /// Concurrent imports
    #[arg(long, default_value_t = 2)]
    imports: usize,
    /// Concurrent downloads, besides eight that nobody reads
    #[arg(long, default_value_t = 10)]
    downloads: usize,
    /// Measure this server [default: the release is built]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the benchmark.
pub fn run(options: &Options) -> Result<Report> {
    let binary = match &options.server {
        Some(file) => file.canonicalize()?,
        None => super::release_server()?,
    };
    let mut report = Report::new("500 raters beside imports, downloads and a run");
    let folder = tempfile::Builder::new().prefix("aixgrade-bench-").tempdir()?;
    let mut load = vec![Load::Run];
    load.extend(std::iter::repeat_n(Load::Import, options.imports));
    load.extend(std::iter::repeat_n(Load::Download, options.downloads));
    let ratings = options.raters * options.ratings;
    let study = grading::prepare(&binary, &folder, &grading::Options::of(ratings, options.raters, load.clone()))?;
    let token = grading::token(&binary, &folder)?;
    let server = Server::start(&binary, &folder.path().join("data"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tools::say_aside(format!("{} raters log in", options.raters));
    let mut raters = runtime.block_on(async {
        let mut raters = Vec::new();
        for n in 0..options.raters {
            raters.push(Rater::log_in(server.address(), &name(n), PASSWORD, &study).await?);
        }
        anyhow::Ok(raters)
    })?;
    let tasks = grading::tasks(ratings);
    let activities = Activities::start(&load, server.address(), &token, tasks);
    tools::say_aside(format!("{ratings} ratings, one every {} s by each rater", options.every));
    let begun = Instant::now();
    let rated =
        runtime.block_on(client::rate_in_turn(&mut raters, options.ratings, Duration::from_secs(options.every)));
    let took = begun.elapsed();
    let finished = activities.end()?;
    let (submits, nexts) = rated?;
    let acknowledged = submits.len();
    report.figure("ratings per second", acknowledged as f64 / took.as_secs_f64(), "/s");
    report.figure("submit, p50", at(&submits, 0.5), "ms");
    report.promised("submit, p99", at(&submits, 0.99), "ms", Target::AtMost(50.0));
    report.figure("submit, the longest", at(&submits, 1.0), "ms");
    report.figure("next, p50", at(&nexts, 0.5), "ms");
    report.figure("next, p99", at(&nexts, 0.99), "ms");
    report.figure("resident", server.resident()?, "MiB");
    for (what, count) in finished {
        report.figure(format!("{what} finished meanwhile"), count as f64, "");
    }
    drop(server);
    let counted = grading::counted(&binary, &folder)?;
    let lost = acknowledged.abs_diff(counted);
    report.promised("acknowledged ratings that are not in the study", lost as f64, "", Target::AtMost(0.0));
    report.note(format!(
        "{} raters with a rating every {} s each, at moments of their own; {} imports of 90,000 outputs, {} downloads of \
         all ratings and a run, each begun again when it ends. The load comes from the same cores.",
        options.raters, options.every, options.imports, options.downloads
    ));
    Ok(report)
}
