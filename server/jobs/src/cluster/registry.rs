//! What the server knows of its workers: what they last said of themselves. In memory, because each of them says it
//! again every few seconds.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use model::{
    time::Timestamp,
    workers::{QueueRow, WorkerAbility, WorkerRow, WorkerState, Workers},
};

use super::messages::{BUILD, Hello, Refusal, Welcome};
use crate::job::JobKind;
use base::clock;
use db::runs::Ticket;
use sandbox::OptionalLayers;

/// How often workers say hello.
pub const HELLO_EVERY: Duration = Duration::from_secs(5);

/// A worker that has been silent for this long counts as gone.
const GONE: Duration = Duration::from_secs(30);

/// A worker that has been gone for this long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(10 * 60);

/// The most workers that are remembered; more are not answered.
const MOST: usize = 2_000;

/// A worker that took a job and has been silent for this long may have died of it.
const SILENT: Duration = HELLO_EVERY.saturating_mul(2);

/// The most attempts whose workers are remembered: more than the server publishes at a time.
const MOST_TAKEN: usize = 50_000;

/// The most workers that are remembered of an attempt.
const MOST_TAKERS: usize = 50;

/// The longest texts of a hello, in bytes.
const LONGEST: usize = 200;
/// The longest list of versions, such as that of the packages of a project, in bytes.
const LONGEST_VERSION: usize = 10_000;

/// Workers and queues, as the pages show them.
#[derive(Default)]
pub struct Registry {
    seen: Mutex<BTreeMap<String, Seen>>,
    queues: Mutex<Vec<QueueRow>>,
    /// The workers that began an attempt that is in progress, by their names.
    taken: Mutex<HashMap<Ticket, BTreeSet<String>>>,
    connected: AtomicBool,
    /// Reports that were refused: of an older attempt, of another build, unreadable.
    pub refused: AtomicU64,
    /// Jobs that were lost and published again.
    pub lost: AtomicU64,
}

struct Seen {
    said: Hello,
    refusal: Option<Refusal>,
    /// When it was last heard, by both clocks.
    heard: Instant,
    at: Timestamp,
    /// When it was first heard, and its count then: for the rate.
    since: (Instant, u64),
    /// Jobs that it began and that another worker had to report, or that it gave back.
    unanswered: u64,
}

impl Registry {
    /// Records a hello. `None` if it is not acceptable. `is_removed`: whether an admin removed the worker.
    pub fn hear(&self, said: Hello, is_removed: bool) -> Option<Welcome> {
        if [&said.worker, &said.host, &said.version, &said.build].iter().any(|text| text.len() > LONGEST)
            || said.abilities.len() > JobKind::all().count()
            || said.abilities.iter().any(|ability| ability.version.len() > LONGEST_VERSION)
        {
            return None;
        }
        let own = (env!("CARGO_PKG_VERSION"), BUILD);
        let refusal = if is_removed {
            Some(Refusal::Removed)
        } else {
            (said.build != own.1).then(|| Refusal::OtherBuild { version: own.0.to_owned(), build: own.1.to_owned() })
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, worker| worker.heard.elapsed() < FORGOTTEN);
        if seen.len() >= MOST && !seen.contains_key(&said.worker) {
            return None;
        }
        let now = Instant::now();
        let (since, unanswered) =
            seen.get(&said.worker).map_or(((now, said.done), 0), |known| (known.since, known.unanswered));
        let worker = said.worker.clone();
        seen.insert(worker, Seen { said, refusal: refusal.clone(), heard: now, at: clock::now(), since, unanswered });
        Some(Welcome { refused: refusal })
    }

    /// The toolchain's version and the isolation layers that a worker said that it has for jobs of a kind; `None` if it has
    /// not presented itself, or may not run such jobs.
    pub fn presented(&self, worker: &str, kind: JobKind) -> Option<(String, OptionalLayers)> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = seen.get(worker).filter(|worker| worker.refusal.is_none())?;
        let ability = worker.said.abilities.iter().find(|ability| ability.kind == kind && ability.is_proved())?;
        Some((ability.version.clone(), worker.layers()))
    }

    /// Whether a worker has presented itself.
    pub fn knows(&self, worker: &str) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).contains_key(worker)
    }

    /// Records that a worker began an attempt.
    pub fn take(&self, worker: &str, attempt: Ticket) {
        if !self.knows(worker) {
            return;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.len() >= MOST_TAKEN && !taken.contains_key(&attempt) {
            return;
        }
        let takers = taken.entry(attempt).or_default();
        if takers.len() < MOST_TAKERS {
            takers.insert(worker.to_owned());
        }
    }

    /// Number of workers that began an attempt and have been silent since.
    pub fn lost_by(&self, attempt: Ticket) -> usize {
        let takers = self.taken.lock().unwrap_or_else(PoisonError::into_inner).get(&attempt).cloned();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_silent = |name: &String| seen.get(name).is_none_or(|worker| worker.heard.elapsed() >= SILENT);
        takers.unwrap_or_default().iter().filter(|name| is_silent(name)).count()
    }

    /// Records that an attempt is over. It counts as unanswered for every worker that began it but `by`, the one that
    /// reported it.
    pub fn end(&self, attempt: Ticket, by: Option<&str>) {
        let takers = self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for name in takers.unwrap_or_default() {
            if Some(name.as_str()) != by
                && let Some(worker) = seen.get_mut(&name)
            {
                worker.unanswered += 1;
            }
        }
    }

    /// Whether a worker that may ask for jobs of this kind is there.
    pub fn serves(&self, kind: JobKind) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.values().any(|worker| worker.gets(kind))
    }

    /// The toolchains and isolation layers of the workers that run jobs of this kind.
    pub fn toolchains(&self, kind: JobKind) -> Vec<(String, OptionalLayers)> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |worker: &Seen| {
            let ability = worker.said.abilities.iter().find(|ability| ability.kind == kind);
            ability.map(|ability| (ability.version.clone(), worker.layers()))
        };
        seen.values().filter(|worker| worker.gets(kind)).filter_map(of).collect()
    }

    pub fn set_connected(&self, connected: bool) {
        self.connected.store(connected, Ordering::Relaxed);
    }

    pub fn set_queues(&self, queues: Vec<QueueRow>) {
        *self.queues.lock().unwrap_or_else(PoisonError::into_inner) = queues;
    }

    /// Workers and queues, for the page, the API and the metrics.
    pub fn workers(&self) -> Workers {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Workers {
            connected: self.connected.load(Ordering::Relaxed),
            workers: seen.values().map(Seen::row).collect(),
            queues: self.queues.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            refused_results: self.refused.load(Ordering::Relaxed),
            lost_jobs: self.lost.load(Ordering::Relaxed),
            to_run_again: Vec::new(),
        }
    }
}

impl Seen {
    fn layers(&self) -> OptionalLayers {
        OptionalLayers { landlock: self.said.landlock, groups: self.said.groups }
    }

    fn gets(&self, kind: JobKind) -> bool {
        self.heard.elapsed() < GONE
            && self.refusal.is_none()
            && !self.said.draining
            && self.said.abilities.iter().any(|ability| ability.kind == kind && ability.is_proved())
    }

    fn state(&self) -> WorkerState {
        if self.heard.elapsed() >= GONE {
            WorkerState::Gone
        } else if self.refusal == Some(Refusal::Removed) {
            WorkerState::Removed
        } else if self.refusal.is_some() {
            WorkerState::OtherBuild
        } else if self.said.draining {
            WorkerState::Draining
        } else if !self.said.abilities.iter().any(super::messages::Ability::is_proved) {
            WorkerState::FailedChecks
        } else {
            WorkerState::Ready
        }
    }

    fn row(&self) -> WorkerRow {
        let said = &self.said;
        let (since, before) = self.since;
        let seconds = since.elapsed().as_secs_f64();
        let per_minute = match seconds >= HELLO_EVERY.as_secs_f64() {
            true => said.done.saturating_sub(before) as f64 * 60.0 / seconds,
            false => 0.0,
        };
        WorkerRow {
            name: said.worker.clone(),
            host: said.host.clone(),
            version: said.version.clone(),
            build: said.build.clone(),
            state: self.state(),
            slots: said.slots,
            running: said.running,
            done: said.done,
            unanswered: self.unanswered,
            per_minute: (per_minute * 10.0).round() / 10.0,
            abilities: said
                .abilities
                .iter()
                .map(|ability| WorkerAbility {
                    kind: ability.kind.name().to_owned(),
                    toolchain: ability.version.chars().take(LONGEST).collect(),
                    checks: ability.checks,
                    failed: ability.failed.iter().take(30).cloned().collect(),
                    fault: ability.fault.clone(),
                })
                .collect(),
            last_seen: self.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{
        reason::{FailedCheck, SandboxCheck},
        run::Verdict,
    };

    use super::{super::messages::Ability, *};

    #[test]
    fn workers_of_another_build_or_with_failed_checks_get_no_jobs() {
        let registry = Registry::default();
        let python = JobKind::Programs(model::code_lang::CodeLang::Python);
        let ability = Ability { kind: python, version: "Python 3".into(), checks: 5, failed: Vec::new(), fault: None };
        let good = Hello {
            worker: "a".into(),
            host: "h".into(),
            version: "0".into(),
            build: BUILD.to_owned(),
            slots: 2,
            abilities: vec![ability.clone()],
            landlock: true,
            groups: None,
            running: 0,
            done: 0,
            draining: false,
        };
        let failed = FailedCheck {
            lang: None,
            check: SandboxCheck::Sockets,
            expected: Verdict::Failed,
            found: Verdict::Passed,
            reason: None,
            message: String::new(),
        };
        let state = |registry: &Registry, name: &str| {
            registry.workers().workers.into_iter().find(|worker| worker.name == name).unwrap().state
        };
        let other = Hello { worker: "b".into(), build: "other".into(), ..good.clone() };
        assert!(matches!(registry.hear(other, false).unwrap().refused, Some(Refusal::OtherBuild { .. })));
        let open = Ability { failed: vec![failed], ..ability.clone() };
        registry.hear(Hello { worker: "c".into(), abilities: vec![open], ..good.clone() }, false);
        let untested = Ability { checks: 0, ..ability };
        registry.hear(Hello { worker: "d".into(), abilities: vec![untested], ..good.clone() }, false);
        assert!(!registry.serves(python));
        assert_eq!(
            ["b", "c", "d"].map(|name| state(&registry, name)),
            [WorkerState::OtherBuild, WorkerState::FailedChecks, WorkerState::FailedChecks]
        );
        assert_eq!(registry.hear(good.clone(), false).unwrap().refused, None);
        assert!(registry.serves(python) && !registry.serves(JobKind::Classes));
        assert_eq!(state(&registry, "a"), WorkerState::Ready);
        registry.hear(Hello { draining: true, ..good.clone() }, false);
        assert!(!registry.serves(python));
        // What does not fit a page is not remembered.
        assert!(registry.hear(Hello { host: "x".repeat(1000), ..good }, false).is_none());
    }

    #[test]
    fn only_workers_that_are_silent_after_they_took_a_job_count_as_lost() {
        let registry = Registry::default();
        let attempt = Ticket { item: 7, attempt: 1 };
        let hello = |name: &str| Hello {
            worker: name.into(),
            host: "h".into(),
            version: "0".into(),
            build: BUILD.to_owned(),
            slots: 1,
            abilities: Vec::new(),
            landlock: false,
            groups: None,
            running: 0,
            done: 0,
            draining: false,
        };
        let silence = |name: &str| {
            let mut seen = registry.seen.lock().unwrap();
            let worker = seen.get_mut(name).unwrap();
            worker.heard = worker.heard.checked_sub(SILENT).unwrap();
        };
        let unanswered = |name: &str| {
            let found = registry.workers().workers.into_iter().find(|worker| worker.name == name);
            found.map(|worker| worker.unanswered)
        };
        for name in ["a", "b", "c"] {
            registry.hear(hello(name), false);
        }
        // One worker takes the job again and again, and one that never presented itself takes it, too.
        for _ in 0..5 {
            registry.take("a", attempt);
        }
        registry.take("stranger", attempt);
        assert_eq!(registry.lost_by(attempt), 0, "it is still there");
        silence("a");
        assert_eq!(registry.lost_by(attempt), 1);
        registry.take("b", attempt);
        registry.take("c", attempt);
        silence("b");
        assert_eq!(registry.lost_by(attempt), 2);
        registry.end(attempt, Some("c"));
        assert_eq!(["a", "b", "c", "stranger"].map(unanswered), [Some(1), Some(1), Some(0), None]);
        assert_eq!(registry.lost_by(attempt), 0);
        // Presenting itself again does not clear the count.
        registry.hear(hello("a"), false);
        assert_eq!(unanswered("a"), Some(1));
    }

    #[test]
    fn a_removed_worker_has_no_toolchain() {
        let registry = Registry::default();
        let python = JobKind::Programs(model::code_lang::CodeLang::Python);
        let ability = Ability { kind: python, version: "Python 3".into(), checks: 5, failed: Vec::new(), fault: None };
        let hello = Hello {
            worker: "a".into(),
            host: "h".into(),
            version: "0".into(),
            build: BUILD.to_owned(),
            slots: 1,
            abilities: vec![ability],
            landlock: true,
            groups: None,
            running: 0,
            done: 0,
            draining: false,
        };
        assert_eq!(registry.presented("a", python), None);
        registry.hear(hello.clone(), false);
        let layers = OptionalLayers { landlock: true, groups: None };
        assert_eq!(registry.presented("a", python), Some(("Python 3".to_owned(), layers)));
        assert_eq!(registry.presented("a", JobKind::Classes), None);
        assert_eq!(registry.hear(hello, true).unwrap().refused, Some(Refusal::Removed));
        assert_eq!((registry.presented("a", python), registry.serves(python)), (None, false));
        assert_eq!(registry.workers().workers[0].state, WorkerState::Removed);
    }
}
