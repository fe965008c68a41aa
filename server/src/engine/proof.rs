//! The engine proves itself: a few of its own fixtures, each trying one wall, before it is trusted
//! with anybody's outputs. `aixgrade doctor` shows the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use app::model::run::{Outcome, Verdict};

use super::{
    EngineError,
    grader::{Grader, Task, Worker},
    runner::Allowance,
    suite::{TestKind, TestTree},
};
use crate::sandbox::Sandbox;

/// A fixture, the verdict it must come to, and what that shows.
struct Trial {
    shows: &'static str,
    code: &'static str,
    verdict: Verdict,
}

macro_rules! trial {
    ($shows:literal, $file:literal, $verdict:ident) => {
        Trial {
            shows: $shows,
            code: include_str!(concat!("../../../java-harness/fixtures/outputs/", $file, ".java")),
            verdict: Verdict::$verdict,
        }
    };
}

const TRIALS: &[Trial] = &[
    trial!("right code passes", "passed", Passed),
    trial!("wrong code fails", "failed", Failed),
    trial!("files of the host cannot be read", "failed_reads_host_files", Failed),
    trial!("nothing can be written but scratch", "failed_writes_outside", Failed),
    trial!("scratch is bounded", "failed_fills_the_disk", Failed),
    trial!("code in scratch cannot be loaded", "failed_native_library", Failed),
    trial!("the process's own memory is no file", "failed_own_memory", Failed),
    trial!("no sockets", "failed_sockets", Failed),
    trial!("no processes", "failed_exec", Failed),
    trial!("no way under the JVM", "failed_unsafe", Failed),
    trial!("results cannot be forged", "failed_forged_on_descriptor", Failed),
    trial!("expected values cannot be read", "failed_reads_the_expected_values", Failed),
    trial!("leaving early is no pass", "no_result_exit", NoResult),
    trial!("changed defaults are seen", "tampered_locale", Tampered),
];

const TEST: &str = include_str!("../../../java-harness/fixtures/tests/SumTest.java");

/// What one trial came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it shows when all is well.
    pub what: &'static str,
    /// Whether all is well.
    pub well: bool,
    /// What happened instead; "tried" where all is well.
    pub detail: String,
}

/// Runs every trial, with so many workers; what each came to is in the trials' own order.
///
/// # Errors
/// Our own failure: the sandbox or the images cannot be made at all.
pub fn prove(sandbox: Arc<dyn Sandbox>, folder: &Path, workers: usize) -> Result<Vec<Shown>, EngineError> {
    let (tree, classes) = tests();
    let grader = Grader::prepare(sandbox, folder, TestKind::Aixgrade, &tree, &classes, ALLOWANCE, workers)?;
    tried(grader, workers)
}

/// The same with what a run's grader has started already.
///
/// # Errors
/// As [`prove`].
pub fn prove_beside(run: &Grader, workers: usize) -> Result<Vec<Shown>, EngineError> {
    let (tree, classes) = tests();
    tried(run.beside(TestKind::Aixgrade, &tree, &classes, ALLOWANCE)?, workers)
}

const CLASS: &str = "aixgrade.fixture.SumTest";

const ALLOWANCE: Allowance = Allowance { cpu_s: 10, wall_s: 60, heap_mib: 64, threads: 16, fast: false, dates: None };

fn tests() -> (TestTree, BTreeSet<String>) {
    let tree = BTreeMap::from([("tests/SumTest.java".to_owned(), TEST.as_bytes().to_vec())]);
    (tree, BTreeSet::from([CLASS.to_owned()]))
}

fn tried(grader: Grader, workers: usize) -> Result<Vec<Shown>, EngineError> {
    let grader = Arc::new(grader);
    let task = Task { test_class: CLASS.into(), signature: None };
    let (next, shown) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            let (grader, task, next, shown) = (&grader, &task, &next, &shown);
            scope.spawn(move || {
                let mut worker = Worker::new(Arc::clone(grader), Arc::default());
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(trial) = TRIALS.get(at) else { return };
                    let came_to = worker.grade(task, trial.code).map(|outcome| trial.judge(&outcome));
                    shown.lock().unwrap_or_else(PoisonError::into_inner).insert(at, came_to);
                }
            });
        }
    });
    shown.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

impl Trial {
    fn judge(&self, outcome: &Outcome) -> Shown {
        let well = outcome.verdict == self.verdict;
        let detail = match well {
            true => "tried".into(),
            false => format!(
                "the trial should have come to {} and came to {} ({})",
                self.verdict.name(),
                outcome.verdict.name(),
                outcome.message
            ),
        };
        Shown { what: self.shows, well, detail }
    }
}
