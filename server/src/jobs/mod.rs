//! The queue of work: leased items of a run, and the workers that take them.
//!
//! [`Engine::work`] takes one run to its end, with as many workers as cores; the server's background
//! thread ([`Engine::serve`]) and the command line both call it, also at once on the same run:
//! leases keep them apart. Workers on other machines would need [`runs::claim`], [`runs::renew`] and
//! [`runs::finish`], nothing more.
//!
//! What must stay true: every item ends in an outcome or in a fault of ours, whatever dies when; no
//! item counts twice; what our machinery failed on is tried once more with nothing beside it.
//!
//! [`runs::claim`]: crate::db::runs::claim
//! [`runs::renew`]: crate::db::runs::renew
//! [`runs::finish`]: crate::db::runs::finish

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

use app::model::{
    ids::RunId,
    run::{LimitHit, Outcome, RunStatus},
    time::Timestamp,
};

use crate::{
    clock,
    db::{
        Db, datasets, run_how,
        runs::{self, Basis, Finish, Leased},
    },
    engine::{
        EngineError,
        grader::{Grader, Task, Worker},
        proof,
        runner::Allowance,
        suite::TestKind,
    },
    error::{Failure, chain},
    sandbox::{Sandbox, bubblewrap::Bubblewrap},
};

/// How long a lease lasts when nobody renews it: how long a killed worker's item lies idle.
const LEASE: Duration = Duration::from_secs(20);

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
    /// Whether all sandbox checks have passed.
    proved: Arc<Mutex<bool>>,
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

    /// The same with other limits.
    pub fn with_allowance(mut self, allowance: Allowance) -> Engine {
        self.allowance = allowance;
        self
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
        let grader = match self.prepare(run) {
            Ok(grader) => Arc::new(grader),
            Err(failure) => {
                let fault = said(&failure);
                self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Cancelled, Some(&fault)))?;
                return Err(failure);
            }
        };
        self.recheck(run, &grader)?;
        self.recall(run, &grader)?;
        if self.db.read_blocking(|conn| runs::left(conn, run))?.0 > 0 {
            let judged = self.fallen(&grader).and_then(|fallen| trusted(fallen, self.allow_degraded_sandbox));
            match judged {
                Ok(None) => {}
                Ok(Some(why)) => {
                    tracing::warn!(%run, "running in a degraded sandbox, as the operator allows: {why}");
                    let environment = grader.environment(Some(why));
                    self.db.write_blocking(|tx| runs::begin(tx, run, &environment))?;
                }
                Err(failure) => {
                    self.db.write_blocking(|tx| runs::end(tx, run, RunStatus::Cancelled, Some(&said(&failure))))?;
                    return Err(failure);
                }
            }
        }
        let workers = worker_count();
        loop {
            // What has not failed yet, side by side; then what has, one by one.
            self.round(run, &grader, workers, false)?;
            self.round(run, &grader, 1, true)?;
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

    /// Tries the walls with our own fixtures, once in a process's life; those that do not stand, in words.
    fn fallen(&self, run: &Grader) -> Result<Vec<String>, Failure> {
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        if *proved {
            return Ok(Vec::new());
        }
        let fallen: Vec<String> = proof::prove_beside(run, worker_count())?
            .into_iter()
            .filter(|shown| !shown.well)
            .map(|shown| format!("\"{}\" does not hold: {}", shown.what, shown.detail))
            .collect();
        // A wall that has fallen may be put up again meanwhile: only success is remembered.
        *proved = fallen.is_empty();
        Ok(fallen)
    }

    /// Every trial of the walls, for `aixgrade doctor`.
    ///
    /// # Errors
    /// The sandbox or the Java images cannot be made at all.
    pub fn trials(&self) -> Result<Vec<proof::Shown>, Failure> {
        Ok(proof::prove(sandbox()?, &self.folder, worker_count())?)
    }

    fn prepare(&self, run: RunId) -> Result<Grader, Failure> {
        let (kind, tree, classes, how) = self.db.read_blocking(|conn| {
            let how = run_how::get(conn, run)?;
            let run = runs::get(conn, run)?.ok_or_else(|| Failure::not_found("run"))?;
            let tests = datasets::tests(conn, run.version)?;
            let (kind, tree) = tests.ok_or_else(|| Failure::conflict("the dataset has no tests"))?;
            let classes: BTreeSet<String> = runs::test_classes(conn, run.version)?.into_iter().collect();
            Ok((kind, tree, classes, how))
        })?;
        let kind =
            TestKind::from_name(&kind).ok_or_else(|| Failure::internal(format!("no such kind of test: {kind}")))?;
        if let Some(dates) = how.dates {
            dates.needs().map_err(|missing| Failure::conflict(missing.to_string()))?;
        }
        let allowance = Allowance { fast: how.fast, dates: how.dates, ..self.allowance };
        let grader = Grader::prepare(sandbox()?, &self.folder, kind, &tree, &classes, allowance, worker_count())?;
        let environment = grader.environment(None);
        self.db.write_blocking(|tx| runs::begin(tx, run, &environment))?;
        Ok(grader)
    }

    /// Where somebody asked for it: sends back what could come to something else than when it was run.
    fn recheck(&self, run: RunId, grader: &Grader) -> Result<(), Failure> {
        if self.db.read_blocking(|conn| runs::get(conn, run))?.is_none_or(|run| !run.recheck) {
            return Ok(());
        }
        self.db.write_blocking(|tx| {
            let done = runs::done(tx, run)?;
            let is_other = |item: &Leased, key: &Option<String>| {
                key.as_deref() != Some(grader.key(&task(item), &item.code).as_str())
            };
            let changed: Vec<i64> =
                done.iter().filter(|(item, key)| is_other(item, key)).map(|(item, _)| item.item).collect();
            runs::rechecked(tx, run, &changed)
        })
    }

    /// Answers what was answered before, in one go.
    fn recall(&self, run: RunId, grader: &Grader) -> Result<(), Failure> {
        self.db.write_blocking(|tx| {
            if runs::get(tx, run)?.is_some_and(|run| run.fresh) {
                return Ok(());
            }
            let fingerprint = grader.fingerprint();
            for item in runs::waiting(tx, run)?.into_iter().filter(|item| !item.fresh) {
                let key = grader.key(&task(&item), &item.code);
                runs::recall(tx, item.item, Basis { key: &key, fingerprint: &fingerprint })?;
            }
            Ok(())
        })
    }

    /// Works off one of the two queues with so many workers, until nothing in it is free.
    fn round(&self, run: RunId, grader: &Arc<Grader>, workers: usize, alone: bool) -> Result<(), Failure> {
        let waiting = self.db.read_blocking(|conn| runs::left(conn, run))?.0;
        if waiting == 0 {
            return Ok(());
        }
        let holder = clock::token().0;
        let (over, cancelled) = (AtomicBool::new(false), Arc::new(AtomicBool::new(false)));
        thread::scope(|scope| {
            scope.spawn(|| self.keep_leases(run, &holder, &over, &cancelled));
            let take = || {
                let (worker, holder) = (Worker::new(Arc::clone(grader), Arc::clone(&cancelled)), &holder);
                move || self.take(run, grader, worker, holder, alone)
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
    fn take(&self, run: RunId, grader: &Grader, mut worker: Worker, holder: &str, alone: bool) -> Result<(), Failure> {
        let fingerprint = grader.fingerprint();
        let claim = |conn: &rusqlite::Connection| runs::claim(conn, run, holder, lease_end(), alone);
        let mut next = self.db.write_blocking(|tx| claim(tx))?;
        while let Some(item) = next {
            let task = task(&item);
            let graded = worker.grade(&task, &item.code);
            let key = grader.key(&task, &item.code);
            // Leaving one and taking the next is one transaction: half the waiting for the disk.
            next = self.db.write_blocking(|tx| {
                let how = match &graded {
                    Ok(outcome) => {
                        Finish::Done(outcome, Basis { key: &key, fingerprint: &fingerprint }, lasting(outcome))
                    }
                    Err(EngineError::Cancelled) => Finish::Returned,
                    Err(e) => {
                        tracing::warn!(%run, item = item.item, cause = %chain(e), "the engine failed on an output");
                        Finish::Failed { fault: &e.to_string(), again: !alone }
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
pub fn sandbox() -> Result<Arc<dyn Sandbox>, Failure> {
    let sandbox = Bubblewrap::new(std::env::current_exe()?);
    sandbox.map(|s| Arc::new(s) as Arc<dyn Sandbox>).map_err(|e| Failure::conflict(e.to_string()))
}

/// As many workers as cores.
pub fn worker_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Whether outputs may run given these failed sandbox checks. Returns the failures to record if they run
/// anyway, because the operator allows a degraded sandbox.
fn trusted(fallen: Vec<String>, allow: bool) -> Result<Option<String>, Failure> {
    let why = fallen.join("; ");
    match (fallen.is_empty(), allow) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(why)),
        (false, false) => Err(Failure::conflict(format!(
            "a sandbox check failed, so nothing was run: {why}. Run `aixgrade doctor` for all checks; docs/engine.md \
             lists what each isolation layer needs"
        ))),
    }
}

/// Whether the same outcome can be expected another time. Waiting in vain is measured on the clock, and what an
/// output waits for can be the host's doing.
fn lasting(outcome: &Outcome) -> bool {
    outcome.limit != Some(LimitHit::Wall)
}

fn task(item: &Leased) -> Task {
    Task { test_class: item.test_class.clone(), signature: item.signature.clone() }
}

fn lease_end() -> Timestamp {
    let length = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    Timestamp(clock::now().0.saturating_add(length))
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
            // The operator's to mend, and told in words for them.
            EngineError::Sandbox(_) | EngineError::Tests(_) => Failure::conflict(e.to_string()),
            EngineError::Harness(_) | EngineError::Busy(_) | EngineError::Cancelled | EngineError::Io(_) => {
                Failure::internal(e)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use app::model::run::Conditions;

    use super::*;
    use crate::engine::grader;

    #[test]
    fn a_failed_sandbox_check_stops_the_run_unless_the_operator_allows_it() {
        let fallen = || vec!["\"no sockets\" does not hold: it passed".to_owned()];
        assert_eq!(trusted(Vec::new(), false).unwrap(), None);
        assert_eq!(trusted(Vec::new(), true).unwrap(), None);
        let refusal = said(&trusted(fallen(), false).unwrap_err());
        assert!(refusal.contains("nothing was run") && refusal.contains("no sockets"), "{refusal}");
        let recorded = grader::one_line(&Conditions {
            cpu_s: 10,
            wall_s: 60,
            heap_mib: 256,
            threads: 64,
            fast: false,
            dates: None,
            landlock: false,
            groups: None,
            fallen: trusted(fallen(), true).unwrap(),
        });
        assert!(recorded.contains("allowed by the operator") && recorded.contains("no sockets"), "{recorded}");
    }
}
