//! The work queue: leased items of a run, and the workers that process them.
//!
//! A coordinator makes [`job::Job`]s of leased items, and workers answer with [`job::Report`]s. [`Engine`] is both in
//! this process; [`cluster`] has workers on other machines.
//!
//! [`Engine::work`] processes one run, with as many workers as cores (more where outputs are built together). The server's background thread
//! ([`Engine::serve`]) and the command line both call it, also on the same run at the same time: leases keep them
//! apart.
//!
//! Invariants: every item ends with an outcome or an engine error, whichever process dies and when; no item counts
//! twice; an item on which the engine failed is tried once more, alone. This crate may not know services and pages.

pub mod answers;
mod backend;
pub mod cluster;
pub mod early;
pub mod job;
pub mod suites;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use model::{
    ids::RunId,
    reason::{FailedCheck, Fault},
    run::{RunStatus, Verdict},
    time::Timestamp,
};
use texts::runs::{EN, ZH};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};

use backend::{Backend, ItemWorker, Setup};
use cluster::registry::Registry;
use job::{Ended, MadeIn, Report};
use suites::VersionTests;

use base::{
    clock,
    error::{self, Failure, chain},
};
use db::{
    Db, run_how,
    runs::{self, Leased},
};
use engine::{EngineError, runner::Allowance, self_test};
use lang::Places;
use sandbox::{Sandbox, bubblewrap::Bubblewrap};

/// Items per write transaction, at about 40 µs each.
const BATCH: usize = 100;

/// How often leases are renewed: several times before one expires, even on a busy host.
const RENEW: Duration = Duration::from_secs(4);

/// How often a round checks whether its run was stopped. A stopped run uses the CPU for at most this long.
const STOP_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often the server's idle engine checks for runs that another process (the command line) has created.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Runs tests. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    db: Db,
    folder: Arc<PathBuf>,
    allowance: Allowance,
    notifier: Arc<Notifier>,
    /// The backends whose sandbox checks have all passed.
    proved: Arc<Mutex<BTreeSet<String>>>,
    /// Whether to run outputs even if a sandbox check fails.
    allow_degraded_sandbox: bool,
    counts: Counts,
    /// The workers on other machines, if they run the outputs.
    cluster: Arc<OnceLock<Arc<Registry>>>,
    /// The operator's folder with the sources of projects.
    repositories: Arc<OnceLock<PathBuf>>,
}

/// What the engine did since the start of the process.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Outputs that were run, without those answered from the cache.
    pub verdicts: Family<WithVerdict, Counter>,
    /// Attempts at which the engine failed.
    pub faults: Counter,
}

/// The label of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct WithVerdict {
    verdict: &'static str,
}

impl Counts {
    /// Counts how a job ended.
    fn count(&self, ended: &Ended) {
        match ended {
            Ended::Judged(outcome) => self.record(outcome.verdict),
            Ended::Failed(_) => {
                self.faults.inc();
            }
            Ended::Returned => {}
        }
    }

    /// Counts an output that was run.
    pub fn record(&self, verdict: Verdict) {
        self.verdicts.get_or_create(&WithVerdict { verdict: verdict.name() }).inc();
    }
}

/// A dataset version whose outputs can run in this process.
struct Prepared {
    backend: Box<dyn Backend>,
    tests: VersionTests,
}

impl Prepared {
    /// An item's conditions and cache key.
    fn key(&self, item: &Leased) -> (MadeIn, String) {
        let job = self.tests.job(item);
        let made_in = self.backend.made_in(job.kind);
        let key = job.key(&made_in.key_basis);
        (made_in, key)
    }
}

/// How an attempt to process a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// There is nothing left to do.
    Ended,
    /// The run was stopped meanwhile. It may have been resumed since.
    Interrupted,
}

#[derive(Default)]
struct Notifier {
    notified: Mutex<bool>,
    changed: Condvar,
    /// The same for the coordinator of workers on other machines.
    cluster: tokio::sync::Notify,
}

impl Engine {
    /// An engine for a data folder. Starts nothing.
    pub fn new(db: Db, data: &Path) -> Engine {
        let folder = Arc::new(data.join("engine"));
        Engine {
            db,
            folder,
            allowance: Allowance::default(),
            notifier: Arc::default(),
            proved: Arc::default(),
            allow_degraded_sandbox: false,
            counts: Counts::default(),
            cluster: Arc::default(),
            repositories: Arc::default(),
        }
    }

    /// The places to search for toolchains.
    pub fn places(&self) -> Places {
        Places::of_images(&self.folder)
    }

    /// Runs the tests of datasets that need the sources of projects, which are in this folder.
    pub fn use_repositories(&self, folder: PathBuf) {
        self.repositories.get_or_init(|| folder);
    }

    /// The operator's folder with the sources of projects, if outputs run in this process.
    pub fn repositories(&self) -> Option<&Path> {
        self.repositories.get().map(PathBuf::as_path).filter(|_| self.cluster().is_none())
    }

    /// What the engine did since the start of the process.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Runs outputs even if a sandbox check fails. For operators who trust the code; the failed checks are
    /// recorded with the run.
    pub fn allow_degraded_sandbox(mut self, allow: bool) -> Engine {
        self.allow_degraded_sandbox = allow;
        self
    }

    /// Leaves the running of outputs to workers on other machines, and returns what is known of them.
    fn be_cluster(&self) -> Arc<Registry> {
        Arc::clone(self.cluster.get_or_init(Arc::default))
    }

    /// The workers on other machines, if they run the outputs.
    pub fn cluster(&self) -> Option<&Registry> {
        self.cluster.get().map(Arc::as_ref)
    }

    /// Waits until there is a new run or a result of a worker.
    async fn notified(&self) {
        self.notifier.cluster.notified().await;
    }

    /// Reports that there is a new run.
    pub fn notify(&self) {
        self.notifier.cluster.notify_one();
        *self.notifier.notified.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.notifier.changed.notify_all();
    }

    /// Processes runs, oldest first, on a separate thread, until the process ends.
    pub fn serve(self) {
        thread::spawn(move || {
            loop {
                let with_repositories = self.repositories().is_some();
                match self.db.read_blocking(|conn| runs::open(conn, with_repositories)) {
                    Ok(Some(run)) => {
                        if let Err(failure) = self.work(run) {
                            // Also recorded with the run, unless the database cannot be written.
                            tracing::error!(%run, cause = %failure, "the run failed");
                            thread::sleep(POLL_INTERVAL);
                        }
                    }
                    Ok(None) => self.wait(),
                    Err(failure) => {
                        tracing::error!(cause = %failure, "cannot read the queue");
                        thread::sleep(POLL_INTERVAL);
                    }
                }
            }
        });
    }

    /// Processes a run. Returns once it is finished, was stopped, or cannot continue.
    ///
    /// # Errors
    /// Engine errors that affect the whole run: no sandbox, no JDK, tests that do not compile. The run ends with the
    /// error.
    pub fn work(&self, run: RunId) -> Result<(), Failure> {
        // A run that was stopped may have been resumed since, and then begins anew.
        while self.attempt(run)? == Attempt::Interrupted {}
        Ok(())
    }

    fn attempt(&self, run: RunId) -> Result<Attempt, Failure> {
        // A run that has ended keeps the environment in which it ran.
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| run.status != RunStatus::Running) {
            return Ok(Attempt::Ended);
        }
        let prepared = match self.prepare(run) {
            Ok(prepared) => prepared,
            Err(fault) => {
                self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Stopped, Some(&fault)))?;
                return Err(fault_failure(&fault));
            }
        };
        add_items(&self.db, run)?;
        self.recheck(run, &prepared)?;
        self.reuse_outcomes(run, &prepared)?;
        let backend = &*prepared.backend;
        if self.db.read_blocking(|conn| runs::left(conn, run))?.0 > 0 {
            let failed = self.failed_checks(backend).map_err(|e| self.fault(e));
            match failed.and_then(|failed| trusted(failed, self.allow_degraded_sandbox)) {
                Ok(failed) if failed.is_empty() => {}
                Ok(failed) => {
                    let why: Vec<String> = failed.iter().map(|check| EN.failed_check(check)).collect();
                    tracing::warn!(%run, "running in a degraded sandbox, as the operator allows: {}", why.join("; "));
                    let environment = backend.environment(failed);
                    self.db.write_blocking(|tx| runs::begin(tx, run, Some(&environment)))?;
                }
                Err(fault) => {
                    self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Stopped, Some(&fault)))?;
                    return Err(fault_failure(&fault));
                }
            }
        }
        let workers = backend.workers(worker_count());
        loop {
            // Items that have not failed yet, in parallel; then those that have failed, one by one.
            for (workers, alone) in [(workers, false), (1, true)] {
                if self.round(run, &prepared, workers, alone)? == Attempt::Interrupted {
                    return Ok(Attempt::Interrupted);
                }
            }
            match self.db.read_blocking(|conn| Ok((runs::get(conn, run)?.map(|r| r.status), runs::left(conn, run)?)))? {
                (Some(RunStatus::Running), (0, 0)) => {
                    self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Finished, None))?;
                    return Ok(Attempt::Ended);
                }
                // Another process works on the last items, or worked on them and died: their leases will expire.
                (Some(RunStatus::Running), (0, _)) => thread::sleep(Duration::from_millis(500)),
                (Some(RunStatus::Running), _) => {}
                _ => return Ok(Attempt::Ended),
            }
        }
    }

    /// Runs the sandbox checks of a backend and returns those that failed. Checks that all passed are not repeated in
    /// this process.
    fn failed_checks(&self, backend: &dyn Backend) -> Result<Vec<FailedCheck>, EngineError> {
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        if proved.contains(&backend.name()) {
            return Ok(Vec::new());
        }
        let failed = backend::failed_checks(backend, worker_count())?;
        // Only success is remembered, because a failure can be repaired meanwhile.
        if failed.is_empty() {
            proved.insert(backend.name());
        }
        Ok(failed)
    }

    /// Runs every sandbox check of the Java engine, for `aixgrade doctor`.
    ///
    /// # Errors
    /// Fails if the sandbox or the Java images cannot be created.
    pub fn trials(&self) -> Result<Vec<self_test::CheckResult>, Failure> {
        let sandbox = sandbox().map_err(|fault| fault_failure(&fault))?;
        self_test::run(sandbox, &self.folder, worker_count()).map_err(engine_failure)
    }

    fn prepare(&self, run: RunId) -> Result<Prepared, Fault> {
        let stored = self.db.read_blocking(|conn| {
            let found = runs::get(conn, run)?.ok_or_else(|| Failure::not_found("run"))?;
            Ok((VersionTests::load(conn, found.version)?, run_how::get(conn, run)?))
        });
        let (tests, how) = stored.map_err(|e| system_fault(&e))?;
        let tests = tests?;
        let allowance = Allowance { fast: how.fast, dates: how.dates, ..self.allowance };
        let profile = how.profile.unwrap_or_default();
        let setup = Setup { allowance, profile, workers: worker_count(), repositories: self.repositories() };
        let backend = backend::prepare(&tests.tests, sandbox()?, &self.folder, setup);
        let backend = backend.map_err(|e| self.fault(e))??;
        let environment = backend.environment(Vec::new());
        self.db.write_blocking(|tx| runs::begin(tx, run, Some(&environment))).map_err(|e| system_fault(&e))?;
        Ok(Prepared { backend, tests })
    }

    /// The fault for an engine error. For a full disk, it names the folder.
    fn fault(&self, e: EngineError) -> Fault {
        match is_disk_full(&e) {
            true => Fault::DiskFull { folder: self.folder.display().to_string() },
            false => e.into(),
        }
    }

    /// Resets the items whose result could differ today, if the run was asked to. In batches, so that submitted ratings
    /// are stored in between.
    fn recheck(&self, run: RunId, prepared: &Prepared) -> Result<(), Failure> {
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| !run.recheck) {
            return Ok(());
        }
        let mut after = 0;
        loop {
            let done = self.db.read_blocking(|conn| runs::done(conn, run, after, BATCH))?;
            let Some((last, _)) = done.last() else { break };
            after = last.item;
            let is_outdated = |item: &Leased, key: &Option<String>| key.as_deref() != Some(&prepared.key(item).1);
            let outdated: Vec<i64> =
                done.iter().filter(|(item, key)| is_outdated(item, key)).map(|(item, _)| item.item).collect();
            if !outdated.is_empty() {
                self.db.write_blocking(|tx| runs::reset(tx, &outdated, false))?;
            }
        }
        self.db.write_blocking(|tx| runs::rechecked(tx, run))
    }

    /// Gives waiting items their cached outcomes, in batches as in [`Self::recheck`].
    fn reuse_outcomes(&self, run: RunId, prepared: &Prepared) -> Result<(), Failure> {
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| run.fresh) {
            return Ok(());
        }
        let mut after = 0;
        loop {
            let waiting = self.db.read_blocking(|conn| runs::waiting(conn, run, after, BATCH))?;
            let Some(last) = waiting.last() else { return Ok(()) };
            after = last.item;
            let keys = waiting.iter().filter(|item| !item.fresh).map(|item| {
                let (made_in, key) = prepared.key(item);
                runs::Wanted { item: item.item, attempt: None, key, fingerprint: made_in.fingerprint }
            });
            let keys = keys.collect();
            let cached = self.db.read_blocking(|conn| runs::cached_outcomes(conn, keys))?;
            if !cached.is_empty() {
                self.db.write_blocking(|tx| runs::reuse_outcomes(tx, &cached))?;
            }
        }
    }

    /// Processes one of the two queues with `workers` workers, until it has no free item or the run is stopped.
    fn round(&self, run: RunId, prepared: &Prepared, workers: usize, alone: bool) -> Result<Attempt, Failure> {
        let waiting = self.db.read_blocking(|conn| runs::left(conn, run))?.0;
        if waiting == 0 {
            return Ok(Attempt::Ended);
        }
        let holder = clock::token().0;
        let (over, cancelled) = (AtomicBool::new(false), Arc::new(AtomicBool::new(false)));
        thread::scope(|scope| {
            scope.spawn(|| self.keep_leases(run, &holder, &over, &cancelled));
            let take = || {
                let (worker, holder) = (prepared.backend.worker(Arc::clone(&cancelled)), &holder);
                move || self.take(run, prepared, worker, holder, alone)
            };
            let started: Vec<_> = (0..workers.min(waiting as usize)).map(|_| scope.spawn(take())).collect();
            let mut result = Ok(());
            for worker in started {
                let ended = worker.join().unwrap_or_else(|_| Err(Failure::internal("a worker panicked")));
                result = result.and(ended);
            }
            over.store(true, Ordering::SeqCst);
            let is_cancelled = cancelled.load(Ordering::SeqCst);
            result.map(|()| if is_cancelled { Attempt::Interrupted } else { Attempt::Ended })
        })
    }

    /// One worker: claims and grades items until there are none to claim.
    fn take(
        &self,
        run: RunId,
        prepared: &Prepared,
        mut worker: Box<dyn ItemWorker>,
        holder: &str,
        alone: bool,
    ) -> Result<(), Failure> {
        let mut next = self.db.write_blocking(|tx| runs::claim(tx, run, holder, lease_end(), alone))?;
        while let Some(item) = next {
            let job = prepared.tests.job(&item);
            let made_in = prepared.backend.made_in(job.kind);
            let key = job.key(&made_in.key_basis);
            let ended = match worker.run(&job) {
                Ok(outcome) => Ended::Judged(Box::new(outcome)),
                Err(EngineError::Cancelled) => Ended::Returned,
                Err(e) => {
                    tracing::warn!(%run, item = item.item, cause = %chain(&e), "the engine failed on an output");
                    Ended::Failed(self.fault(e))
                }
            };
            self.counts.count(&ended);
            let report = Report { item: job.item, attempt: job.attempt, ended, made_in };
            next = self.deliver(&report, &key, (run, holder, alone))?;
        }
        Ok(())
    }

    /// Stores a result and claims the next item, in one transaction, which halves the waiting for the disk. A worker
    /// whose run was stopped claims nothing more: if the run is resumed meanwhile, this worker would return each item
    /// that it claims.
    pub fn deliver(
        &self,
        report: &Report,
        key: &str,
        (run, holder, alone): (RunId, &str, bool),
    ) -> Result<Option<Leased>, Failure> {
        let is_cancelled = report.ended == Ended::Returned;
        self.db.write_blocking(|tx| {
            job::settle(tx, report, key, None, alone)?;
            if is_cancelled { Ok(None) } else { runs::claim(tx, run, holder, lease_end(), alone) }
        })
    }

    /// Renews the leases of one round until it is over, and sets `cancelled` once the run was stopped. Another process
    /// may have stopped it, so this checks the database.
    fn keep_leases(&self, run: RunId, holder: &str, over: &AtomicBool, cancelled: &AtomicBool) {
        let (mut since_renewal, mut since_poll) = (Duration::ZERO, Duration::ZERO);
        let step = Duration::from_millis(100);
        while !over.load(Ordering::SeqCst) {
            thread::sleep(step);
            since_renewal += step;
            since_poll += step;
            if since_renewal >= RENEW {
                since_renewal = Duration::ZERO;
                // The next renewal makes up for one that fails. If all fail, others take over the items.
                let _ = self.db.write_blocking(|tx| runs::renew(tx, holder, lease_end()));
            }
            if since_poll >= STOP_POLL_INTERVAL {
                since_poll = Duration::ZERO;
                // The next check makes up for one that fails.
                let found = self.db.read_blocking(|conn| runs::get(conn, run));
                // One that was resumed since the last check has not begun again.
                let goes_on = |run: &runs::Run| run.status == RunStatus::Running && run.begun_at.is_some();
                if found.is_ok_and(|found| !found.as_ref().is_some_and(goes_on)) {
                    cancelled.store(true, Ordering::SeqCst);
                }
            }
        }
    }

    fn wait(&self) {
        let notified = self.notifier.notified.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notified =
            match self.notifier.changed.wait_timeout_while(notified, POLL_INTERVAL, |notified| !*notified) {
                Ok((notified, _)) => notified,
                Err(poisoned) => poisoned.into_inner().0,
            };
        *notified = false;
    }
}

/// The real sandbox, with this program or the helper next to it.
///
/// # Errors
/// Fails if bubblewrap is missing.
pub fn sandbox() -> Result<Arc<dyn Sandbox>, Fault> {
    let sandbox = std::env::current_exe().and_then(Bubblewrap::new);
    sandbox.map(|s| Arc::new(s) as Arc<dyn Sandbox>).map_err(|e| Fault::Sandbox { detail: e.to_string() })
}

/// Whether the disk is full. Tools that the engine starts report it as text.
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

/// A fault as an error for the person who started the run.
fn fault_failure(fault: &Fault) -> Failure {
    Failure::conflict((EN.fault_line(fault), ZH.fault_line(fault)))
}

/// A failure of the server as the fault of a job.
fn system_fault(failure: &Failure) -> Fault {
    Fault::System { detail: failure.to_string() }
}

/// Adds the items that a run lacks, each with its expected duration: the longest are processed first.
///
/// # Errors
///
/// Fails if the database cannot be read or written.
pub fn add_items(db: &Db, run: RunId) -> Result<(), Failure> {
    runs::fill(db, run, expected_seconds)
}

/// The expected duration of an output in seconds: its last duration `last_ms`, in milliseconds, where it was run before.
/// New code with a loop may be endless and then takes its whole limit; other code counts as short.
fn expected_seconds(last_ms: Option<u64>, code: &str) -> u64 {
    const A_LOOP: u64 = 5;
    match last_ms {
        Some(ms) => ms / 1000,
        None if code.contains("while") => A_LOOP,
        None => 0,
    }
}

fn lease_end() -> Timestamp {
    Timestamp(clock::now().0.saturating_add(runs::LEASE_MS))
}

/// An engine error as the failure of what asked for the engine.
pub fn engine_failure(e: EngineError) -> Failure {
    match e {
        // For the operator, who can fix it.
        EngineError::Sandbox(_)
        | EngineError::Toolchain(_)
        | EngineError::Tests(_)
        | EngineError::TestsNotCompiled(_)
        | EngineError::Project { .. } => fault_failure(&e.into()),
        EngineError::Harness(_) | EngineError::Busy(_) | EngineError::Cancelled | EngineError::Io(_) => {
            Failure::internal(e)
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{reason::SandboxCheck, run::Verdict};

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
        let refusal = fault_failure(&fault).to_string();
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
