//! `cargo xtask test --repeat N [--beside-load]`: the same steps many times, to find tests that fail sometimes.

use std::{collections::BTreeMap, process::ExitCode, thread};

use anyhow::Result;

use super::{Done, Fail, Step, prerequisites::Prerequisites, run as run_once, summary};
use crate::{busy::Busy, tools};

/// Runs the steps this often and lists what failed how often. A failure ends only its stage, so that the run shows what
/// else fails.
pub fn run(planned: &[Step], prerequisites: &Prerequisites, times: u32, beside_load: bool) -> Result<ExitCode> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut tally = Tally::default();
    for number in 1..=times {
        let loaded = beside_load && is_loaded(number, times);
        let beside = if loaded { format!(", beside {cores} endless loops") } else { String::new() };
        tools::say(format!("Run {number} of {times}{beside}"));
        let busy = if loaded { Some(Busy::start(cores)?) } else { None };
        let done = run_once(planned, prerequisites, Fail::Late)?;
        drop(busy);
        summary(planned, &done, prerequisites);
        tally.add(planned, &done, prerequisites, loaded);
    }
    print!("{}", tally.text());
    Ok(if tally.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether endless loops run beside this run, counted from 1: every second, so that both kinds meet the machine in the
/// same state, and the last.
fn is_loaded(number: u32, times: u32) -> bool {
    (times - number).is_multiple_of(2)
}

/// How often something happened.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Often {
    all: u32,
    /// Of these, beside endless loops.
    loaded: u32,
}

impl Often {
    fn count(&mut self, loaded: bool) {
        self.all += 1;
        self.loaded += u32::from(loaded);
    }
}

#[derive(Default)]
struct Tally {
    runs: Often,
    /// By the name of the test, or of a stage that failed without one.
    failed: BTreeMap<String, Often>,
}

impl Tally {
    /// Adds a run.
    fn add(&mut self, planned: &[Step], done: &[Option<Done>], prerequisites: &Prerequisites, loaded: bool) {
        self.runs.count(loaded);
        for (step, done) in planned.iter().zip(done) {
            let names = match done {
                Some(done) if done.passed => Vec::new(),
                Some(done) => done.names_of_failures(&step.title, prerequisites),
                None => vec![format!("{} (not run)", step.title)],
            };
            for name in names {
                self.failed.entry(name).or_default().count(loaded);
            }
        }
    }

    /// What failed, the most frequent first.
    fn text(&self) -> String {
        let Often { all, loaded } = self.runs;
        let mut text = format!("\n{all} runs, {loaded} of them beside endless loops: ");
        if self.failed.is_empty() {
            return text + "everything passed every time\n";
        }
        text += "failed\n";
        let mut failed: Vec<_> = self.failed.iter().collect();
        failed.sort_by_key(|(_, often)| std::cmp::Reverse(often.all));
        for (name, often) in failed {
            text += &format!("{:>4} times, {:>4} of them beside endless loops  {name}\n", often.all, often.loaded);
        }
        text
    }
}

impl Done {
    /// The tests that failed or were skipped although they could run; the title of a stage that failed otherwise.
    fn names_of_failures(&self, title: &str, prerequisites: &Prerequisites) -> Vec<String> {
        let mut names = self.counts.failures.clone();
        let skipped = self.counts.skipped.iter().filter(|skip| prerequisites.forbid(skip));
        names.extend(skipped.map(|skip| format!("{} (skipped)", skip.name)));
        if names.is_empty() {
            names.push(title.to_owned());
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::{
            Counts,
            prerequisites::{Kind, Skip},
            tests::step,
        },
        *,
    };

    #[test]
    fn half_of_the_runs_are_beside_endless_loops() {
        let loaded = |times| (1..=times).filter(|number| is_loaded(*number, times)).collect::<Vec<u32>>();
        assert_eq!(loaded(10), [2, 4, 6, 8, 10]);
        assert_eq!(loaded(3), [1, 3]);
        assert_eq!(loaded(1), [1]);
    }

    #[test]
    fn failures_are_counted_by_test_and_the_most_frequent_comes_first() {
        let steps = [step("lint", true), step("rust", true)];
        let strict = Prerequisites { strict: true, ..Prerequisites::default() };
        let done = |failed: u64, failures: &[&str], skipped: &[Skip]| {
            let failures = failures.iter().map(|name| (*name).to_owned()).collect();
            let counts = Counts { passed: 1, failed, failures, skipped: skipped.to_vec() };
            Some(Done { passed: super::super::good(&counts, &strict), counts, time: Duration::ZERO })
        };
        let mut tally = Tally::default();
        tally.add(&steps, &[done(0, &[], &[]), done(0, &[], &[])], &strict, false);
        assert!(tally.text().contains("1 runs, 0 of them beside endless loops: everything passed every time"));
        let skip = Skip { kind: Kind::Data, name: "b".into(), why: "no data".into() };
        tally.add(&steps, &[done(0, &[], &[]), done(1, &["a"], &[])], &strict, true);
        tally.add(&steps, &[done(1, &[], &[]), done(2, &["c", "a"], &[])], &strict, false);
        tally.add(&steps, &[None, done(0, &[], &[skip])], &strict, true);
        let often = |name: &str| tally.failed[name];
        assert_eq!(often("a"), Often { all: 2, loaded: 1 });
        assert_eq!(often("c"), Often { all: 1, loaded: 0 });
        assert_eq!(often("lint"), Often { all: 1, loaded: 0 });
        assert_eq!(often("lint (not run)"), Often { all: 1, loaded: 1 });
        assert_eq!(often("b (skipped)"), Often { all: 1, loaded: 1 });
        let text = tally.text();
        assert!(text.contains("4 runs, 2 of them beside endless loops: failed\n   2 times,    1 of them"), "{text}");
    }

    #[test]
    fn every_run_runs_everything_whatever_fails() {
        let steps = [step("a", false), step("b", true)];
        let code = run(&steps, &Prerequisites::default(), 3, true).unwrap();
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::FAILURE));
        let code = run(&steps[1..], &Prerequisites::default(), 2, false).unwrap();
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
    }
}
