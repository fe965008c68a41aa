//! Runs a few outputs of a file before it is imported, so that a preview can tell how they end. They belong to no run, and
//! their results are not stored.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    thread,
};

use model::{conversation::TestProfile, ids::DatasetVersionId, reason::Fault, run::Outcome};

use super::{
    Engine,
    backend::{self, Backend, Setup},
    sandbox,
    suites::VersionTests,
    system_fault, trusted, worker_count,
};
use db::{Db, runs::Leased};
use engine::runner::Allowance;

/// The tests of a dataset version, ready to run, with a sandbox that has passed its checks.
pub struct ReadyTests {
    pub(super) backend: Box<dyn Backend>,
    pub(super) tests: VersionTests,
}

impl ReadyTests {
    /// Prepares the tests of a version and checks the sandbox. `degraded` accepts one that fails a check. Blocks.
    ///
    /// # Errors
    /// Says why no test can run: no sandbox, no toolchain, missing packages.
    pub fn prepare(
        engine: &Engine,
        db: &Db,
        version: DatasetVersionId,
        profile: TestProfile,
        degraded: bool,
    ) -> Result<ReadyTests, Fault> {
        let tests = db.read_blocking(|conn| VersionTests::load(conn, version)).map_err(|e| system_fault(&e))??;
        let allowance = Allowance::default();
        let setup = Setup { allowance, profile, workers: worker_count(), repositories: engine.repositories() };
        let backend = backend::prepare(&tests.tests, sandbox()?, &engine.folder, setup);
        let backend = backend.map_err(|e| engine.fault(e))??;
        trusted(engine.failed_checks(&*backend).map_err(|e| engine.fault(e))?, degraded)?;
        Ok(ReadyTests { backend, tests })
    }
}

/// Runs these outputs of a dataset version and returns how each ended, in their order. Once `cancelled` is set, no further
/// one begins. Blocks.
///
/// # Errors
/// Says why none can run.
pub fn run(
    engine: &Engine,
    db: &Db,
    version: DatasetVersionId,
    outputs: &[Leased],
    cancelled: &Arc<AtomicBool>,
) -> Result<Vec<Result<Outcome, Fault>>, Fault> {
    let ready = ReadyTests::prepare(engine, db, version, TestProfile::default(), engine.allow_degraded_sandbox)?;
    let waiting: Mutex<VecDeque<(usize, &Leased)>> = Mutex::new(outputs.iter().enumerate().collect());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || {
        let mut worker = ready.backend.worker(Arc::clone(cancelled));
        let mut ended = Vec::new();
        while let Some((at, output)) = next() {
            let outcome = worker.run(&ready.tests.job(output)).map_err(|e| engine.fault(e));
            if let Ok(outcome) = &outcome {
                engine.counts.record(outcome.verdict);
            }
            ended.push((at, outcome));
        }
        ended
    };
    let mut ended = thread::scope(|scope| {
        let threads: Vec<_> = (0..worker_count().min(outputs.len())).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(ended) => all.extend(ended),
                Err(_) => return Err(Fault::System { detail: "a worker panicked".to_owned() }),
            }
        }
        Ok(all)
    })?;
    ended.sort_by_key(|(at, _)| *at);
    Ok(ended.into_iter().map(|(_, outcome)| outcome).collect())
}
