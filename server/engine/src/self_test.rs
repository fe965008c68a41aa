//! Self-test of the engine: our own fixtures, each trying one isolation layer, which must get the expected verdict
//! before the engine runs model code. `aixgrade doctor` reports the same results.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use model::{
    reason::{FailedCheck, SandboxCheck},
    run::{Outcome, Verdict},
};

use super::{
    EngineError,
    grader::{Grader, Task, Worker},
    runner::Allowance,
    suite::{TestKind, TestTree},
};
use sandbox::Sandbox;

/// A fixture, its expected verdict, and the check that it belongs to.
struct Trial {
    check: SandboxCheck,
    code: &'static str,
    verdict: Verdict,
}

macro_rules! trial {
    ($check:ident, $file:literal, $verdict:ident) => {
        Trial {
            check: SandboxCheck::$check,
            code: include_str!(concat!("../../../java-harness/fixtures/outputs/", $file, ".java")),
            verdict: Verdict::$verdict,
        }
    };
}

const TRIALS: &[Trial] = &[
    trial!(RightCode, "passed", Passed),
    trial!(WrongCode, "failed", Failed),
    trial!(HostFiles, "failed_reads_host_files", Failed),
    trial!(Writes, "failed_writes_outside", Failed),
    trial!(ScratchSize, "failed_fills_the_disk", Failed),
    trial!(ScratchCode, "failed_native_library", Failed),
    trial!(OwnMemory, "failed_own_memory", Failed),
    trial!(Sockets, "failed_sockets", Failed),
    trial!(Processes, "failed_exec", Failed),
    trial!(UnsafeMemory, "failed_unsafe", Failed),
    trial!(NativeBinding, "failed_binds_native_code", Failed),
    trial!(Libraries, "failed_loads_a_library", Failed),
    trial!(BorrowedAccess, "failed_borrowed_lookup", Failed),
    trial!(ForeignMemory, "failed_foreign_memory", Failed),
    trial!(DescriptorByReflection, "failed_forged_on_descriptor", Failed),
    trial!(DescriptorByNumber, "failed_raw_descriptor", Failed),
    trial!(ForgedResults, "failed_forged_by_native_code", Failed),
    trial!(ExpectedValues, "failed_reads_the_expected_values", Failed),
    trial!(Confirmation, "tampered_erases_the_record", Tampered),
    trial!(EarlyExit, "no_result_exit", NoResult),
    trial!(ChangedDefaults, "tampered_locale", Tampered),
];

const TEST: &str = include_str!("../../../java-harness/fixtures/tests/SumTest.java");

/// The result of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// The check.
    pub check: SandboxCheck,
    /// The actual result, or `None` if the check passed.
    pub failed: Option<FailedCheck>,
}

/// Runs every trial, with `workers` workers. The results are in the order of `TRIALS`.
///
/// # Errors
/// Engine errors: the sandbox or the Java images cannot be created.
pub fn run(sandbox: Arc<dyn Sandbox>, folder: &Path, workers: usize) -> Result<Vec<CheckResult>, EngineError> {
    Ok(run_with_version(sandbox, folder, workers)?.1)
}

/// The same, with the version of the Java build.
///
/// # Errors
/// The same as [`run`].
pub fn run_with_version(
    sandbox: Arc<dyn Sandbox>,
    folder: &Path,
    workers: usize,
) -> Result<(String, Vec<CheckResult>), EngineError> {
    let (tree, classes) = tests();
    let grader = Grader::prepare(sandbox, folder, TestKind::Aixgrade, &tree, &classes, ALLOWANCE, workers)?;
    let version = grader.java_version().to_owned();
    Ok((version, run_trials(grader, workers)?))
}

/// Like [`run`], with the sandbox, toolchain and compilers of a run's grader.
///
/// # Errors
/// The same as [`run`].
pub fn run_with(run: &Grader, workers: usize) -> Result<Vec<CheckResult>, EngineError> {
    let (tree, classes) = tests();
    run_trials(run.with_tests(TestKind::Aixgrade, &tree, &classes, ALLOWANCE)?, workers)
}

const CLASS: &str = "aixgrade.fixture.SumTest";

const ALLOWANCE: Allowance = Allowance { cpu_s: 10, wait_s: 60, heap_mib: 64, threads: 16, fast: false, dates: None };

fn tests() -> (TestTree, BTreeSet<String>) {
    let tree = BTreeMap::from([("tests/SumTest.java".to_owned(), TEST.as_bytes().to_vec())]);
    (tree, BTreeSet::from([CLASS.to_owned()]))
}

fn run_trials(grader: Grader, workers: usize) -> Result<Vec<CheckResult>, EngineError> {
    let grader = Arc::new(grader);
    let task = Task { test_class: CLASS.into(), signature: None };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            let (grader, task, next, results) = (&grader, &task, &next, &results);
            scope.spawn(move || {
                let mut worker = Worker::new(Arc::clone(grader), Arc::default());
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(trial) = TRIALS.get(at) else { return };
                    let result = worker.grade(task, trial.code).map(|outcome| trial.judge(outcome));
                    results.lock().unwrap_or_else(PoisonError::into_inner).insert(at, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

impl Trial {
    fn judge(&self, outcome: Outcome) -> CheckResult {
        let failed = (outcome.verdict != self.verdict).then_some(FailedCheck {
            lang: None,
            check: self.check,
            expected: self.verdict,
            found: outcome.verdict,
            reason: outcome.reason,
            message: outcome.message,
        });
        CheckResult { check: self.check, failed }
    }
}
