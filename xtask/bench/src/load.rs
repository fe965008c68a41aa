//! `cargo xtask bench load`: a laboratory at its busiest. 500 raters, each with a rating every 20 seconds, beside two
//! imports, ten downloads and a run of tests. Measures how long a submission takes, and that all are stored.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
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
    let metrics = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let listen = metrics.to_string();
    let setting = ("AIXGRADE_METRICS_LISTEN", Path::new(&listen));
    let server = Server::start_with(&binary, &folder.path().join("data"), Some(setting))?;
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
    let measured = read_metrics(metrics)?;
    let answered = Buckets::read(&measured, "http_request_duration_seconds", Some("/rpc/submit_rating"));
    let stored = Buckets::read(&measured, "database_write_seconds", None);
    report.figure("submissions answered within 50 ms, at the server", answered.within("0.05")?, "%");
    report.figure("submissions answered within 100 ms, at the server", answered.within("0.1")?, "%");
    report.figure("writes of any kind on disk within 50 ms", stored.within("0.05")?, "%");
    report.figure("writes of any kind on disk within 100 ms", stored.within("0.1")?, "%");
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
         all ratings and a run, each begun again when it ends. The load comes from the same cores; \
         the threads of admins have a lower priority than the one of raters.",
        options.raters, options.every, options.imports, options.downloads
    ));
    let setting = "/proc/sys/kernel/sched_autogroup_enabled";
    if fs::read_to_string(setting).is_ok_and(|value| value.trim() == "1") {
        report.note(format!(
            "{setting} is 1: outside a control group, sandboxes compete with raters (docs/operating.md, \"Priorities\")."
        ));
    }
    Ok(report)
}

/// The server's own metrics, as text.
fn read_metrics(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).context("the address of the metrics")?;
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

/// The buckets of one of the server's histograms: each upper end, as it is written, and the count up to it.
struct Buckets(Vec<(String, f64)>);

impl Buckets {
    /// Reads the histogram `name`; of one route, if it has routes.
    fn read(metrics: &str, name: &str, route: Option<&str>) -> Buckets {
        let start = format!("aixgrade_{name}_bucket{{");
        let route = route.map(|route| format!("route=\"{route}\""));
        let bucket = |line: &str| {
            let (labels, count) = line.strip_prefix(&start)?.split_once("} ")?;
            let has_route = route.as_ref().is_none_or(|route| labels.split(',').any(|label| label == route));
            let end = labels.split(',').find_map(|label| label.strip_prefix("le=\"")?.strip_suffix('"'))?;
            has_route.then(|| Some((end.to_owned(), count.trim().parse().ok()?))).flatten()
        };
        Buckets(metrics.lines().filter_map(bucket).collect())
    }

    /// The percentage up to an end.
    fn within(&self, end: &str) -> Result<f64> {
        let count = |wanted: &str| {
            let bucket = self.0.iter().find(|(end, _)| end == wanted);
            bucket.map(|(_, count)| *count).with_context(|| format!("no bucket up to {wanted}"))
        };
        Ok(100.0 * count(end)? / count("+Inf")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_histogram_are_read() {
        let metrics = "aixgrade_a_bucket{le=\"0.05\",route=\"/x\"} 30\naixgrade_a_bucket{le=\"+Inf\",route=\"/x\"} 40\n\
            aixgrade_a_bucket{le=\"0.05\",route=\"/y\"} 1\naixgrade_a_bucket{le=\"+Inf\",route=\"/y\"} 4\n";
        assert_eq!(Buckets::read(metrics, "a", Some("/x")).within("0.05").unwrap(), 75.0);
        assert_eq!(Buckets::read(metrics, "a", Some("/y")).within("0.05").unwrap(), 25.0);
        assert!(Buckets::read(metrics, "a", Some("/y")).within("0.1").is_err());
    }
}
