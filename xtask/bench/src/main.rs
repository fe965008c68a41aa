//! `cargo xtask bench …`: measures the performance targets, compared with the usual ways.
//!
//! Each benchmark is a file with a `run` that builds what it needs with [`release_server`] and puts its
//! figures into a [`Report`], which [`Report::show`] prints. Figures depend on the machine: measure with
//! nothing else running, and compare ratios, not seconds, between machines.

#![allow(
    clippy::disallowed_methods,
    reason = "starting servers and what they are compared with is what benches are for"
)]

mod cluster;
mod engine;
mod feedback;
mod grading;
mod growth;
mod load;
mod results;
mod steadiness;
mod usage;

use std::{fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand};
use serde::Serialize;
use xtask::{busy, server, toolchains, tools};

/// The benches to run, and the output format.
#[derive(Parser)]
#[command(
    name = "cargo xtask bench",
    bin_name = "cargo xtask bench",
    about = "Measures the performance targets",
    disable_help_subcommand = true
)]
struct Bench {
    #[command(subcommand)]
    what: What,
    /// Print the figures as one JSON object on standard output, everything else on standard error
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Workers on other machines: their overhead, and how many results a second the server stores
    Cluster(cluster::Options),
    /// The engine: outputs per second, compared with javac and java for each task and with the published
    /// runner's one JVM
    Engine(engine::Options),
    /// From a change in a source file to the page in the browser, or to its own tests' results
    Feedback(feedback::Options),
    /// Grading: sixteen raters without think time
    Grading(grading::Options),
    /// A data folder after five years: start, every page, backup, prune, archiving
    Growth(growth::Options),
    /// 500 raters beside imports, downloads and a run
    Load(load::Options),
    /// Comparisons and exports over a million ratings and a million verdicts
    Results(results::Options),
    /// The engine's steadiness: the same submission many times on an overloaded machine
    Steadiness(steadiness::Options),
}

fn main() -> ExitCode {
    match measure(&Bench::parse()) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints. Exits with code 1 if a target is missed.
fn measure(args: &Bench) -> Result<ExitCode> {
    let report = match &args.what {
        What::Cluster(options) => cluster::run(options)?,
        What::Engine(options) => engine::run(options)?,
        What::Feedback(options) => feedback::run(options)?,
        What::Grading(options) => grading::run(options)?,
        What::Growth(options) => growth::run(options)?,
        What::Load(options) => load::run(options)?,
        What::Results(options) => results::run(options)?,
        What::Steadiness(options) => steadiness::run(options)?,
    };
    report.show(args.json)
}

/// The optimized server. The embedded client is whatever `target/client` contains: a
/// benchmark that loads it needs `cargo xtask build --release` first.
pub fn release_server() -> Result<PathBuf> {
    tools::say_aside("Building the server, optimized, around the client that is in target/client");
    server::build_quietly(true)
}

/// Direction of a target.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Minimum.
    AtLeast(f64),
    /// Maximum.
    AtMost(f64),
}

/// One figure of a report.
#[derive(Serialize)]
pub struct Figure {
    /// The figures.
    pub what: String,
    /// Value.
    pub value: f64,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// Target, if any.
    pub target: Option<Target>,
    /// Whether the target is met; `None` without a target.
    pub met: Option<bool>,
}

/// The machine of the figures.
#[derive(Serialize)]
struct Machine {
    cores: usize,
    processor: String,
    memory_mib: u64,
    kernel: String,
    /// Load average over the last minute at the start; about 0 on a quiet machine.
    load: f64,
}

/// Results of a benchmark.
#[derive(Serialize)]
pub struct Report {
    measured: &'static str,
    machine: Machine,
    /// The figures, in order of measurement.
    pub figures: Vec<Figure>,
    /// Notes on the figures.
    pub notes: Vec<String>,
}

impl Report {
    /// An empty report. Create it before measuring, because it records the machine's load.
    pub fn new(measured: &'static str) -> Report {
        Report { measured, machine: Machine::this(), figures: Vec::new(), notes: Vec::new() }
    }

    /// Adds a figure without a target.
    pub fn figure(&mut self, what: impl Into<String>, value: f64, unit: &'static str) {
        self.figures.push(Figure { what: what.into(), value, unit, target: None, met: None });
    }

    /// Adds a figure with its target.
    pub fn promised(&mut self, what: impl Into<String>, value: f64, unit: &'static str, target: Target) {
        let met = match target {
            Target::AtLeast(least) => value >= least,
            Target::AtMost(most) => value <= most,
        };
        self.figures.push(Figure { what: what.into(), value, unit, target: Some(target), met: Some(met) });
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn show(&self, json: bool) -> Result<ExitCode> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            print!("{}", self.text());
        }
        let missed = self.figures.iter().any(|figure| figure.met == Some(false));
        Ok(if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn text(&self) -> String {
        let m = &self.machine;
        let mut text = format!(
            "\n{}\n{} cores, {}, {} MiB, {}, load {:.1} at the beginning\n\n",
            self.measured, m.cores, m.processor, m.memory_mib, m.kernel, m.load
        );
        let width = self.figures.iter().map(|f| f.what.chars().count()).max().unwrap_or(0);
        for figure in &self.figures {
            let promised = match (figure.target, figure.met) {
                (Some(Target::AtLeast(least)), Some(met)) => format!("   at least {least}: {}", verdict(met)),
                (Some(Target::AtMost(most)), Some(met)) => format!("   at most {most}: {}", verdict(met)),
                _ => String::new(),
            };
            let _ = writeln!(text, "{:width$}  {:>10.2} {}{promised}", figure.what, figure.value, figure.unit);
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}");
        }
        text.push('\n');
        text
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

impl Machine {
    fn this() -> Machine {
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_once(':')).map_or(String::new(), |(_, value)| value.trim().to_owned())
        };
        let kib = field(&read("/proc/meminfo"), "MemTotal");
        let load = read("/proc/loadavg");
        Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor: field(&read("/proc/cpuinfo"), "model name"),
            memory_mib: kib.trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024,
            kernel: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
            load: load.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_bench_can_be_parsed() {
        Bench::command().debug_assert();
    }

    #[test]
    fn targets_have_a_direction() {
        let check = |value, target, met| {
            let mut report = Report::new("a test");
            report.promised("figure", value, "", target);
            assert_eq!(report.figures[0].met, Some(met), "{value}");
            assert_eq!(report.text().contains("MISSED"), !met, "{value}");
        };
        check(20.0, Target::AtLeast(20.0), true);
        check(19.9, Target::AtLeast(20.0), false);
        check(10.0, Target::AtMost(10.0), true);
        check(10.1, Target::AtMost(10.0), false);
        // A figure that could not be computed misses its target.
        check(f64::NAN, Target::AtMost(10.0), false);
    }
}
