//! What the server knows of its workers: what they last said of themselves. In memory, because each of them says it
//! again every few seconds.

use std::{
    collections::BTreeMap,
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

use super::messages::{Hello, Refusal, Welcome, build};
use crate::job::JobKind;
use base::clock;

/// How often workers say hello.
pub const HELLO_EVERY: Duration = Duration::from_secs(5);

/// A worker that has been silent for this long counts as gone.
const GONE: Duration = Duration::from_secs(30);

/// A worker that has been gone for this long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(10 * 60);

/// The most workers that are remembered; more are not answered.
const MOST: usize = 2_000;

/// The longest texts of a hello, in bytes.
const LONGEST: usize = 200;

/// Workers and queues, as the pages show them.
#[derive(Default)]
pub struct Registry {
    seen: Mutex<BTreeMap<String, Seen>>,
    queues: Mutex<Vec<QueueRow>>,
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
}

impl Registry {
    /// Records a hello. `None` if it is not acceptable.
    pub fn hear(&self, said: Hello) -> Option<Welcome> {
        if [&said.worker, &said.host, &said.version, &said.build].iter().any(|text| text.len() > LONGEST)
            || said.abilities.len() > JobKind::all().count()
        {
            return None;
        }
        let own = (env!("CARGO_PKG_VERSION"), build());
        let refusal =
            (said.build != own.1).then(|| Refusal::OtherBuild { version: own.0.to_owned(), build: own.1.to_owned() });
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, worker| worker.heard.elapsed() < FORGOTTEN);
        if seen.len() >= MOST && !seen.contains_key(&said.worker) {
            return None;
        }
        let now = Instant::now();
        let since = seen.get(&said.worker).map_or((now, said.done), |known| known.since);
        let worker = said.worker.clone();
        seen.insert(worker, Seen { said, refusal: refusal.clone(), heard: now, at: clock::now(), since });
        Some(Welcome { refused: refusal })
    }

    /// Whether a worker that may ask for jobs of this kind is there.
    pub fn serves(&self, kind: JobKind) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.values().any(|worker| worker.gets(kind))
    }

    /// The toolchains of the workers that run jobs of this kind.
    pub fn toolchains(&self, kind: JobKind) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |worker: &Seen| {
            let ability = worker.said.abilities.iter().find(|ability| ability.kind == kind);
            ability.map(|ability| ability.version.clone())
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
        }
    }
}

impl Seen {
    fn gets(&self, kind: JobKind) -> bool {
        self.heard.elapsed() < GONE
            && self.refusal.is_none()
            && !self.said.draining
            && self.said.abilities.iter().any(|ability| ability.kind == kind && ability.is_proved())
    }

    fn state(&self) -> WorkerState {
        if self.heard.elapsed() >= GONE {
            WorkerState::Gone
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
            build: build().to_owned(),
            slots: 2,
            abilities: vec![ability.clone()],
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
        assert!(matches!(registry.hear(other).unwrap().refused, Some(Refusal::OtherBuild { .. })));
        let open = Ability { failed: vec![failed], ..ability.clone() };
        registry.hear(Hello { worker: "c".into(), abilities: vec![open], ..good.clone() });
        let untested = Ability { checks: 0, ..ability };
        registry.hear(Hello { worker: "d".into(), abilities: vec![untested], ..good.clone() });
        assert!(!registry.serves(python));
        assert_eq!(
            ["b", "c", "d"].map(|name| state(&registry, name)),
            [WorkerState::OtherBuild, WorkerState::FailedChecks, WorkerState::FailedChecks]
        );
        assert_eq!(registry.hear(good.clone()).unwrap().refused, None);
        assert!(registry.serves(python) && !registry.serves(JobKind::Classes));
        assert_eq!(state(&registry, "a"), WorkerState::Ready);
        registry.hear(Hello { draining: true, ..good.clone() });
        assert!(!registry.serves(python));
        // What does not fit a page is not remembered.
        assert!(registry.hear(Hello { host: "x".repeat(1000), ..good }).is_none());
    }
}
