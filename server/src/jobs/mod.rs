//! The queue of work: leased items of a run, and the workers that take them.
//!
//! [`Engine::work`] takes one run to its end, with as many workers as cores (more where outputs are built together); the server's background
//! thread ([`Engine::serve`]) and the command line both call it, also at once on the same run:
//! leases keep them apart.
//!
//! What must stay true: every item ends in an outcome or in a fault of ours, whatever dies when; no
//! item counts twice; what our machinery failed on is tried once more with nothing beside it.

mod backend;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use app::{
    i18n::runs::{EN, ZH},
    model::{
        ids::{DatasetVersionId, RunId},
        reason::{FailedCheck, Fault},
        run::{LimitHit, Outcome, RunStatus},
        time::Timestamp,
    },
};

use backend::{Backend, ItemWorker};

use crate::{
    clock,
    db::{
        Db, datasets, run_how,
        runs::{self, Basis, Finish, Leased},
    },
    engine::{EngineError, dates, grader::Grader, proof, runner::Allowance, suite::TestKind},
    error::{self, Failure, chain},
    lang::suite::Suite,
    sandbox::{Sandbox, bubblewrap::Bubblewrap},
};

/// Items in one write transaction, at some 40 µs each.
const BATCH: usize = 100;

/// How often leases are renewed: several times before one runs out, even on a busy host.
const RENEW: Duration = Duration::from_secs(4);

/// How often a round looks whether its run was stopped: a stopped run uses no processor for longer than this.
const LOOK_FOR_STOP: Duration = Duration::from_secs(1);

/// How often the server's idle engine looks for a run that somebody else made (the command line).
const LOOK: Duration = Duration::from_secs(5);

/// Runs tests. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    db: Db,
    folder: Arc<PathBuf>,
    allowance: Allowance,
    bell: Arc<Bell>,
    /// The backends whose sandbox checks have all passed.
    proved: Arc<Mutex<BTreeSet<String>>>,
    /// Whether to run outputs even if a sandbox check fails.
    allow_degraded_sandbox: bool,
}

#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Engine {
    /// An engine over a data folder. Nothing is started.
    pub fn new(db: Db, data: &std::path::Path) -> Engine {
        let folder = Arc::new(data.join("engine"));
        Engine {
            db,
            folder,
            allowance: Allowance::default(),
            bell: Arc::default(),
            proved: Arc::default(),
            allow_degraded_sandbox: false,
        }
    }

    /// Runs outputs even if a sandbox check fails. For operators who trust the code; the failed checks are
    /// recorded with the run.
    pub fn allow_degraded_sandbox(mut self, allow: bool) -> Engine {
        self.allow_degraded_sandbox = allow;
        self
    }

    /// Says that there is a new run.
    pub fn ring(&self) {
        *self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.changed.notify_all();
    }

    /// Works off runs, oldest first, on a thread of its own, until the process ends.
    pub fn serve(self) {
        thread::spawn(move || {
            loop {
                match self.db.read_blocking(runs::open) {
                    Ok(Some(run)) => {
                        if let Err(failure) = self.work(run) {
                            // Recorded with the run, too; a database that cannot be written is only here.
                            tracing::error!(%run, cause = %said(&failure), "the run failed");
                            thread::sleep(LOOK);
                        }
                    }
                    Ok(None) => self.wait(),
                    Err(failure) => {
                        tracing::error!(cause = %said(&failure), "cannot read the queue");
                        thread::sleep(LOOK);
                    }
                }
            }
        });
    }

    /// Takes a run to its end; returns when it is there, was cancelled, or cannot be done.
    ///
    /// # Errors
    /// Our own failure that is not one item's: no sandbox, no JDK, tests that do not compile. The
    /// run is ended with it.
    pub fn work(&self, run: RunId) -> Result<(), Failure> {
        // What is at its end keeps the environment that it was run with.
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| run.status != RunStatus::Running) {
            return Ok(());
        }
        let backend = match self.prepare(run) {
            Ok(backend) => backend,
            Err(fault) => {
                self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Cancelled, Some(&fault)))?;
                return Err(told(&fault));
            }
        };
        runs::fill(&self.db, run)?;
        self.recheck(run, &backend)?;
        self.recall(run, &backend)?;
        if self.db.read_blocking(|conn| runs::left(conn, run))?.0 > 0 {
            let failed = self.failed_checks(&backend).map_err(|e| self.fault(e));
            match failed.and_then(|failed| trusted(failed, self.allow_degraded_sandbox)) {
                Ok(failed) if failed.is_empty() => {}
                Ok(failed) => {
                    let why: Vec<String> = failed.iter().map(|check| EN.failed_check(check)).collect();
                    tracing::warn!(%run, "running in a degraded sandbox, as the operator allows: {}", why.join("; "));
                    let environment = backend.environment(failed);
                    self.db.write_blocking(|tx| runs::begin(tx, run, &environment))?;
                }
                Err(fault) => {
                    self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Cancelled, Some(&fault)))?;
                    return Err(told(&fault));
                }
            }
        }
        let workers = backend.workers();
        loop {
            // What has not failed yet, side by side; then what has, one by one.
            self.round(run, &backend, workers, false)?;
            self.round(run, &backend, 1, true)?;
            match self.db.read_blocking(|conn| Ok((runs::get(conn, run)?.map(|r| r.status), runs::left(conn, run)?)))? {
                (Some(RunStatus::Running), (0, 0)) => {
                    self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Finished, None))?;
                    return Ok(());
                }
                // Somebody else holds the last ones, or held them and died: their leases will tell.
                (Some(RunStatus::Running), (0, _)) => thread::sleep(Duration::from_millis(500)),
                (Some(RunStatus::Running), _) => {}
                _ => return Ok(()),
            }
        }
    }

    /// Runs the sandbox checks of a backend, once in a process's life, and returns those that failed.
    fn failed_checks(&self, backend: &Backend) -> Result<Vec<FailedCheck>, EngineError> {
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        if proved.contains(&backend.name()) {
            return Ok(Vec::new());
        }
        let failed = backend.failed_checks()?;
        // What failed may be repaired meanwhile: only success is remembered.
        if failed.is_empty() {
            proved.insert(backend.name());
        }
        Ok(failed)
    }

    /// Every trial of the walls, for `aixgrade doctor`.
    ///
    /// # Errors
    /// The sandbox or the Java images cannot be made at all.
    pub fn trials(&self) -> Result<Vec<proof::Shown>, Failure> {
        let sandbox = sandbox().map_err(|fault| told(&fault))?;
        Ok(proof::prove(sandbox, &self.folder, worker_count())?)
    }

    fn prepare(&self, run: RunId) -> Result<Backend, Fault> {
        let (version, how) = self.db.read_blocking(|conn| {
            let found = runs::get(conn, run)?.ok_or_else(|| Failure::not_found("run"))?;
            Ok((found.version, run_how::get(conn, run)?))
        })?;
        let backend = match self.db.read_blocking(|conn| datasets::test_kind(conn, version))? {
            Some(kind) if kind.is_program() => {
                let tests = self.db.read_blocking(|conn| runs::task_tests(conn, version))?;
                let suite = Suite::prepare(sandbox()?, &self.folder, &tests, self.allowance);
                Backend::Programs(suite.map_err(|e| self.fault(e))?)
            }
            _ => Backend::Java(Arc::new(self.prepare_java(version, how)?)),
        };
        let environment = backend.environment(Vec::new());
        self.db.write_blocking(|tx| runs::begin(tx, run, &environment))?;
        Ok(backend)
    }

    /// A grader of test classes.
    fn prepare_java(&self, version: DatasetVersionId, how: run_how::How) -> Result<Grader, Fault> {
        let (tests, classes) = self.db.read_blocking(|conn| {
            let tests = datasets::tests(conn, version)?;
            let classes: BTreeSet<String> = runs::test_classes(conn, version)?.into_iter().collect();
            Ok((tests, classes))
        })?;
        let (kind, tree) = tests.ok_or(Fault::NoTests)?;
        let kind = TestKind::from_name(&kind)
            .ok_or_else(|| Fault::System { detail: format!("no such kind of test: {kind}") })?;
        if let Some(dates) = how.dates {
            dates::needs(dates).map_err(|missing| Fault::Sandbox { detail: missing.to_string() })?;
        }
        let allowance = Allowance { fast: how.fast, dates: how.dates, ..self.allowance };
        Grader::prepare(sandbox()?, &self.folder, kind, &tree, &classes, allowance, worker_count())
            .map_err(|e| self.fault(e))
    }

    /// Why the engine failed. A full disk is named with its folder.
    fn fault(&self, e: EngineError) -> Fault {
        match is_disk_full(&e) {
            true => Fault::DiskFull { folder: self.folder.display().to_string() },
            false => e.into(),
        }
    }

    /// Resets the items whose result could differ today, if the run was asked to. In batches: ratings that people
    /// submit are stored in between.
    fn recheck(&self, run: RunId, backend: &Backend) -> Result<(), Failure> {
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| !run.recheck) {
            return Ok(());
        }
        let mut after = 0;
        loop {
            let done = self.db.read_blocking(|conn| runs::done(conn, run, after, BATCH))?;
            let Some((last, _)) = done.last() else { break };
            after = last.item;
            let is_outdated = |item: &Leased, key: &Option<String>| key.as_deref() != Some(backend.key(item).as_str());
            let outdated: Vec<i64> =
                done.iter().filter(|(item, key)| is_outdated(item, key)).map(|(item, _)| item.item).collect();
            if !outdated.is_empty() {
                self.db.write_blocking(|tx| runs::reset(tx, &outdated, false))?;
            }
        }
        self.db.write_blocking(|tx| runs::rechecked(tx, run))
    }

    /// Gives waiting items their cached outcomes, in batches as in [`Self::recheck`].
    fn recall(&self, run: RunId, backend: &Backend) -> Result<(), Failure> {
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| run.fresh) {
            return Ok(());
        }
        let fingerprint = backend.fingerprint();
        let mut after = 0;
        loop {
            let waiting = self.db.read_blocking(|conn| runs::waiting(conn, run, after, BATCH))?;
            let Some(last) = waiting.last() else { return Ok(()) };
            after = last.item;
            let keys: Vec<(i64, String)> =
                waiting.iter().filter(|item| !item.fresh).map(|item| (item.item, backend.key(item))).collect();
            let cached = self.db.read_blocking(|conn| runs::cached_outcomes(conn, keys))?;
            if !cached.is_empty() {
                self.db.write_blocking(|tx| runs::recall(tx, &cached, &fingerprint))?;
            }
        }
    }

    /// Works off one of the two queues with so many workers, until nothing in it is free.
    fn round(&self, run: RunId, backend: &Backend, workers: usize, alone: bool) -> Result<(), Failure> {
        let waiting = self.db.read_blocking(|conn| runs::left(conn, run))?.0;
        if waiting == 0 {
            return Ok(());
        }
        let holder = clock::token().0;
        let (over, cancelled) = (AtomicBool::new(false), Arc::new(AtomicBool::new(false)));
        thread::scope(|scope| {
            scope.spawn(|| self.keep_leases(run, &holder, &over, &cancelled));
            let take = || {
                let (worker, holder) = (backend.worker(Arc::clone(&cancelled)), &holder);
                move || self.take(run, backend, worker, holder, alone)
            };
            let started: Vec<_> = (0..workers.min(waiting as usize)).map(|_| scope.spawn(take())).collect();
            let mut result = Ok(());
            for worker in started {
                let ended = worker.join().unwrap_or_else(|_| Err(Failure::internal("a worker panicked")));
                result = result.and(ended);
            }
            over.store(true, Ordering::SeqCst);
            result
        })
    }

    /// One worker: claims and grades until there is nothing to claim.
    fn take(
        &self,
        run: RunId,
        backend: &Backend,
        mut worker: ItemWorker<'_>,
        holder: &str,
        alone: bool,
    ) -> Result<(), Failure> {
        let fingerprint = backend.fingerprint();
        let claim = |conn: &rusqlite::Connection| runs::claim(conn, run, holder, lease_end(), alone);
        let mut next = self.db.write_blocking(|tx| claim(tx))?;
        while let Some(item) = next {
            let graded = worker.grade(&item);
            let key = backend.key(&item);
            // Leaving one and taking the next is one transaction: half the waiting for the disk.
            next = self.db.write_blocking(|tx| {
                let how = match graded {
                    Ok(ref outcome) => {
                        Finish::Done(outcome, Basis { key: &key, fingerprint: &fingerprint }, lasting(outcome))
                    }
                    Err(EngineError::Cancelled) => Finish::Returned,
                    Err(e) => {
                        tracing::warn!(%run, item = item.item, cause = %chain(&e), "the engine failed on an output");
                        Finish::Failed { fault: self.fault(e), again: !alone }
                    }
                };
                runs::finish(tx, item.item, holder, &how)?;
                claim(tx)
            })?;
        }
        Ok(())
    }

    /// Renews the leases of one round until it is over, and sets `cancelled` once somebody has stopped the run:
    /// by this process or another, so the database is where to look.
    fn keep_leases(&self, run: RunId, holder: &str, over: &AtomicBool, cancelled: &AtomicBool) {
        let (mut since_renewal, mut since_look) = (Duration::ZERO, Duration::ZERO);
        let step = Duration::from_millis(100);
        while !over.load(Ordering::SeqCst) {
            thread::sleep(step);
            since_renewal += step;
            since_look += step;
            if since_renewal >= RENEW {
                since_renewal = Duration::ZERO;
                // A renewal that fails is made up for by the next; all lost, others take over.
                let _ = self.db.write_blocking(|tx| runs::renew(tx, holder, lease_end()));
            }
            if since_look >= LOOK_FOR_STOP {
                since_look = Duration::ZERO;
                // A look that fails is made up for by the next.
                let status = self.db.read_blocking(|conn| Ok(runs::get(conn, run)?.map(|run| run.status)));
                if status.is_ok_and(|status| status != Some(RunStatus::Running)) {
                    cancelled.store(true, Ordering::SeqCst);
                }
            }
        }
    }

    fn wait(&self) {
        let rung = self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rung = match self.bell.changed.wait_timeout_while(rung, LOOK, |rung| !*rung) {
            Ok((rung, _)) => rung,
            Err(poisoned) => poisoned.into_inner().0,
        };
        *rung = false;
    }
}

/// The real sandbox, by way of this very program.
///
/// # Errors
/// Where bubblewrap is missing.
pub fn sandbox() -> Result<Arc<dyn Sandbox>, Fault> {
    let sandbox = std::env::current_exe().and_then(Bubblewrap::new);
    sandbox.map(|s| Arc::new(s) as Arc<dyn Sandbox>).map_err(|e| Fault::Sandbox { detail: e.to_string() })
}

/// Whether the disk is full; tools that the engine starts say it in their words.
fn is_disk_full(e: &EngineError) -> bool {
    match e {
        EngineError::Io(e) => error::is_disk_full(e) || e.to_string().contains("No space left on device"),
        _ => false,
    }
}

/// As many workers as cores, where outputs do not wait for each other.
pub fn worker_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Whether outputs may run given these failed sandbox checks. Returns the failures to record if they run
/// anyway, because the operator allows a degraded sandbox.
fn trusted(failed: Vec<FailedCheck>, allow: bool) -> Result<Vec<FailedCheck>, Fault> {
    match failed.is_empty() || allow {
        true => Ok(failed),
        false => Err(Fault::FailedChecks { checks: failed }),
    }
}

/// A fault for the person who started the run.
fn told(fault: &Fault) -> Failure {
    Failure::conflict((EN.fault_line(fault), ZH.fault_line(fault)))
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Fault::System { detail: said(&failure) }
    }
}

/// Whether the same outcome can be expected another time. Waiting in vain is measured on the clock, and what an
/// output waits for can be the host's doing.
fn lasting(outcome: &Outcome) -> bool {
    outcome.limit != Some(LimitHit::Wall)
}

fn lease_end() -> Timestamp {
    Timestamp(clock::now().0.saturating_add(runs::LEASE_MS))
}

fn said(failure: &Failure) -> String {
    match failure {
        Failure::App(e) => e.to_string(),
        Failure::Internal(e) => chain(e.as_ref()),
    }
}

impl From<EngineError> for Failure {
    fn from(e: EngineError) -> Self {
        match e {
            // For the operator, who can fix it.
            EngineError::Sandbox(_) | EngineError::Tests(_) | EngineError::TestsNotCompiled(_) => told(&e.into()),
            EngineError::Harness(_) | EngineError::Busy(_) | EngineError::Cancelled | EngineError::Io(_) => {
                Failure::internal(e)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use app::model::{reason::SandboxCheck, run::Verdict};

    use super::*;

    #[test]
    fn a_failed_sandbox_check_stops_the_run_unless_the_operator_allows_it() {
        let failed = || {
            vec![FailedCheck {
                lang: None,
                check: SandboxCheck::Sockets,
                expected: Verdict::Failed,
                found: Verdict::Passed,
                reason: None,
                message: String::new(),
            }]
        };
        assert_eq!(trusted(Vec::new(), false), Ok(Vec::new()));
        assert_eq!(trusted(failed(), true), Ok(failed()));
        let fault = trusted(failed(), false).unwrap_err();
        let refusal = said(&told(&fault));
        assert!(refusal.contains("nothing was run") && refusal.contains("sockets cannot be opened"), "{refusal}");
        assert!(ZH.fault_line(&fault).contains("无法打开套接字"));
    }

    #[test]
    fn a_full_disk_is_named_with_its_folder() {
        let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(is_disk_full(&full().into()));
        let jlink = "jlink failed (exit status: 1): java.io.IOException: No space left on device";
        assert!(is_disk_full(&std::io::Error::other(jlink).into()));
        assert!(!is_disk_full(&EngineError::Harness("No space left on device".into())));
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Db::open(folder.path()).unwrap(), folder.path());
        let fault = engine.fault(full().into());
        let shown = folder.path().join("engine").display().to_string();
        assert_eq!(fault, Fault::DiskFull { folder: shown.clone() });
        for words in [EN.fault_line(&fault), ZH.fault_line(&fault)] {
            assert!(words.contains(&shown) && words.contains("aixgrade prune"), "{words}");
        }
    }
}
