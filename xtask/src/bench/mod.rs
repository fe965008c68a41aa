//! `cargo xtask bench …`: measures what the program promises, beside the way people do it today.
//!
//! Each kind of measurement is a file of its own with a `run` that builds what it needs by
//! [`release_server`], puts its figures into a [`Report`] and leaves printing to [`Report::show`].
//! Figures are those of this machine at this moment: measure with nothing else running, and compare
//! ratios, not seconds, between machines.

mod engine;
mod grading;
mod results;
mod steadiness;
mod usage;

use std::{fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{server, tools};

/// What to measure, and how to say it.
#[derive(Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
    /// Print the figures as one JSON object on standard output, everything else on standard error
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// The engine: outputs a second, against javac and java for each task and against the published
    /// runner's one JVM
    Engine(engine::Options),
    /// Grading: sixteen raters without think time
    Grading(grading::Options),
    /// Comparisons and exports over a million ratings and a million verdicts
    Results(results::Options),
    /// The engine's steadiness: the same submission many times on an overloaded machine
    Steadiness(steadiness::Options),
}

/// The same by an optimised build of ourselves: what makes the load shares the cores with what is
/// measured, and unoptimised it takes more of them than the server does.
pub fn optimised() -> Result<ExitCode> {
    let mut cargo = tools::cargo();
    cargo.args(["run", "--locked", "--quiet", "--release", "--package", "xtask", "--"]);
    tools::say_aside("Building what measures, optimised");
    // Files are named from where the command was given.
    let status = cargo.args(std::env::args_os().skip(1)).current_dir(std::env::current_dir()?).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures, and prints. Ends with code 1 where a target is missed.
pub fn bench(args: &Bench) -> Result<ExitCode> {
    let report = match &args.what {
        What::Engine(options) => engine::run(options)?,
        What::Grading(options) => grading::run(options)?,
        What::Results(options) => results::run(options)?,
        What::Steadiness(options) => steadiness::run(options)?,
    };
    report.show(args.json)
}

/// The server as people run it, optimised. The client inside is whatever `target/client` holds: no
/// measurement here that loads it may rest on that without `cargo xtask build --release` before.
pub fn release_server() -> Result<PathBuf> {
    tools::say_aside("Building the server, optimised, around the client that is in target/client");
    server::build_quietly(true)
}

/// Which way is better.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The figure should not be below this.
    AtLeast(f64),
    /// The figure should not be above this.
    AtMost(f64),
}

/// One figure of a report.
#[derive(Serialize)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// How much.
    pub value: f64,
    /// Of what; empty for a ratio.
    pub unit: &'static str,
    /// What it should be, where something is promised.
    pub target: Option<Target>,
    /// Whether it is; absent without a target.
    pub met: Option<bool>,
}

/// The machine that the figures belong to.
#[derive(Serialize)]
struct Machine {
    cores: usize,
    processor: String,
    memory_mib: u64,
    kernel: String,
    /// Runnable processes over the last minute when the measuring began: about 0 on a quiet machine.
    load: f64,
}

/// What a measurement found.
#[derive(Serialize)]
pub struct Report {
    measured: &'static str,
    machine: Machine,
    /// The figures, in the order they were taken.
    pub figures: Vec<Figure>,
    /// What has to be known to read them.
    pub notes: Vec<String>,
}

impl Report {
    /// An empty one. To be made before the measuring begins: it notes the machine's load.
    pub fn new(measured: &'static str) -> Report {
        Report { measured, machine: Machine::this(), figures: Vec::new(), notes: Vec::new() }
    }

    /// Adds a figure that nothing is promised about.
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

    /// Adds a sentence.
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

    #[test]
    fn a_target_is_met_on_its_own_side() {
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
        // A figure that could not be computed meets nothing.
        check(f64::NAN, Target::AtMost(10.0), false);
    }
}
