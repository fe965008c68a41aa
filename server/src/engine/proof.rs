//! The engine proves itself: a few of its own fixtures, each trying one wall, before it is trusted
//! with anybody's outputs. `aixgrade doctor` shows the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use app::model::run::Verdict;

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

/// Runs every trial.
///
/// # Errors
/// Our own failure: the sandbox or the images cannot be made at all.
pub fn prove(sandbox: Arc<dyn Sandbox>, folder: &Path) -> Result<Vec<Shown>, EngineError> {
    let tree: TestTree = BTreeMap::from([("tests/SumTest.java".to_owned(), TEST.as_bytes().to_vec())]);
    let class = "aixgrade.fixture.SumTest".to_owned();
    let allowance = Allowance { cpu_s: 10, wall_s: 60, heap_mib: 64, threads: 16, ..Allowance::default() };
    let classes = BTreeSet::from([class.clone()]);
    let grader = Grader::prepare(sandbox, folder, TestKind::Aixgrade, &tree, &classes, allowance, 1)?;
    let mut worker = Worker::new(Arc::new(grader), 0);
    let task = Task { test_class: class, signature: None };
    TRIALS
        .iter()
        .map(|trial| {
            let outcome = worker.grade(&task, trial.code)?;
            let well = outcome.verdict == trial.verdict;
            let detail = match well {
                true => "tried".into(),
                false => format!(
                    "the trial should have come to {} and came to {} ({})",
                    trial.verdict.name(),
                    outcome.verdict.name(),
                    outcome.message
                ),
            };
            Ok(Shown { what: trial.shows, well, detail })
        })
        .collect()
}
