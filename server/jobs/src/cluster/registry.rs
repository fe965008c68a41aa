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

use super::{
    messages::{BUILD, Hello, Refusal, Welcome},
    user_in,
};
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

/// The most workers that are remembered. Of more, one of the user with the most is forgotten; it may come again.
const MOST: usize = 2_000;

/// A worker that took a job and has been silent for this long may have died of it. If it has not said for so long that it
/// holds an attempt, another may take over.
pub const SILENT: Duration = HELLO_EVERY.saturating_mul(2);

/// The most attempts that a worker may say that it holds: more than its slots have.
const MOST_HELD: usize = 40_000;

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
    /// The attempts that workers hold.
    taken: Mutex<HashMap<Ticket, Holding>>,
    /// Names that received a job and are not known: to this process, or not anymore.
    awaited: Mutex<BTreeSet<String>>,
    connected: AtomicBool,
    /// Reports that were refused: of an older attempt, of another build, unreadable.
    pub refused: AtomicU64,
    /// Jobs that were lost and published again.
    pub lost: AtomicU64,
}

/// An attempt that a worker began.
struct Holding {
    /// The worker whose report counts.
    by: String,
    /// When it last said that it holds the attempt.
    heard: Instant,
    /// All workers that have been such, by their names.
    takers: BTreeSet<String>,
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
    /// Whether it has repeated a receipt. Names are easily invented; such a worker is forgotten last.
    has_received: bool,
}

impl Registry {
    /// Records a hello. `None` if it is not acceptable. `is_removed`: whether an admin removed the worker. `holding`: the
    /// attempts that it holds and whose receipts it has.
    pub fn hear(&self, said: Hello, is_removed: bool, holding: &[Ticket]) -> Option<Welcome> {
        if [&said.worker, &said.host, &said.version, &said.build].iter().any(|text| text.len() > LONGEST)
            || said.abilities.len() > JobKind::all().count()
            || said.abilities.iter().any(|ability| ability.version.len() > LONGEST_VERSION)
            || said.holds.len() > MOST_HELD
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
        if seen.len() >= MOST
            && !seen.contains_key(&said.worker)
            && let Some(least) = least_important(&seen)
        {
            seen.remove(&least);
        }
        let now = Instant::now();
        let is_awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner).remove(&said.worker);
        let known = seen.get(&said.worker);
        let (since, unanswered) = known.map_or(((now, said.done), 0), |known| (known.since, known.unanswered));
        let has_received = is_awaited || !holding.is_empty() || known.is_some_and(|known| known.has_received);
        let worker = said.worker.clone();
        // What it holds now is recorded below.
        let said = Hello { holds: Vec::new(), ..said };
        let new =
            Seen { said, refusal: refusal.clone(), heard: now, at: clock::now(), since, unanswered, has_received };
        seen.insert(worker.clone(), new);
        drop(seen);
        if is_removed {
            self.let_go(&worker);
        }
        for attempt in holding {
            self.take(&worker, *attempt);
        }
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

    /// Records that a worker, which has proved that it received the job, holds an attempt. `false` if it does not: another
    /// worker does, or this one is not known, or refused.
    pub fn take(&self, worker: &str, attempt: Ticket) -> bool {
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(known) = seen.get_mut(worker) else {
                drop(seen);
                self.wait_for(worker);
                return false;
            };
            if known.refusal.is_some() {
                return false;
            }
            known.has_received = true;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.len() >= MOST_TAKEN && !taken.contains_key(&attempt) {
            taken.retain(|_, holding| holding.heard.elapsed() < FORGOTTEN);
            if taken.len() >= MOST_TAKEN {
                return false;
            }
        }
        let new = || Holding { by: worker.to_owned(), heard: Instant::now(), takers: BTreeSet::new() };
        let holding = taken.entry(attempt).or_insert_with(new);
        if holding.by != worker {
            if holding.heard.elapsed() < SILENT {
                return false;
            }
            worker.clone_into(&mut holding.by);
        }
        holding.heard = Instant::now();
        if holding.takers.len() < MOST_TAKERS {
            holding.takers.insert(worker.to_owned());
        }
        true
    }

    /// Records that a worker that is not known received a job: once it presents itself, it is not forgotten before others.
    pub fn wait_for(&self, worker: &str) {
        let mut awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        if awaited.len() >= MOST {
            awaited.clear();
        }
        awaited.insert(worker.to_owned());
    }

    /// Whether a worker's report of an attempt counts: no other worker holds it.
    pub fn may_report(&self, worker: &str, attempt: Ticket) -> bool {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.get(&attempt).is_none_or(|holding| holding.by == worker || holding.heard.elapsed() >= SILENT)
    }

    /// Whether a worker holds an attempt and is not gone.
    pub fn is_held(&self, attempt: Ticket) -> bool {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.get(&attempt).is_some_and(|holding| holding.heard.elapsed() < GONE)
    }

    /// The workers that hold attempts.
    pub fn holders(&self) -> BTreeSet<String> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.values().map(|holding| holding.by.clone()).collect()
    }

    /// Records that an admin removed a worker: it holds nothing anymore.
    pub fn remove(&self, worker: &str) {
        if let Some(known) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get_mut(worker) {
            known.refusal = Some(Refusal::Removed);
        }
        self.let_go(worker);
    }

    fn let_go(&self, worker: &str) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, holding| holding.by != worker);
    }

    /// Number of workers that began an attempt and have been silent since.
    pub fn lost_by(&self, attempt: Ticket) -> usize {
        let takers = self
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&attempt)
            .map(|holding| holding.takers.clone());
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_silent = |name: &String| seen.get(name).is_none_or(|worker| worker.heard.elapsed() >= SILENT);
        takers.unwrap_or_default().iter().filter(|name| is_silent(name)).count()
    }

    /// Records that an attempt is over. It counts as unanswered for every worker that began it but `by`, the one that
    /// reported it.
    pub fn end(&self, attempt: Ticket, by: Option<&str>) {
        let holding = self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for name in holding.map(|holding| holding.takers).unwrap_or_default() {
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

/// The worker to forget if there are too many: of the user that has the most, the one that has been silent for the longest
/// of those that have received no job, or of all.
fn least_important(seen: &BTreeMap<String, Seen>) -> Option<String> {
    let mut of_user = BTreeMap::<&str, usize>::new();
    for name in seen.keys() {
        *of_user.entry(user_in(name)).or_default() += 1;
    }
    let (user, _) = of_user.into_iter().max_by_key(|(_, count)| *count)?;
    let its = seen.iter().filter(|(name, _)| user_in(name) == user);
    its.min_by_key(|(_, worker)| (worker.has_received, worker.heard)).map(|(name, _)| name.clone())
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
            holds: Vec::new(),
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
        assert!(matches!(registry.hear(other, false, &[]).unwrap().refused, Some(Refusal::OtherBuild { .. })));
        let open = Ability { failed: vec![failed], ..ability.clone() };
        registry.hear(Hello { worker: "c".into(), abilities: vec![open], ..good.clone() }, false, &[]);
        let untested = Ability { checks: 0, ..ability };
        registry.hear(Hello { worker: "d".into(), abilities: vec![untested], ..good.clone() }, false, &[]);
        assert!(!registry.serves(python));
        assert_eq!(
            ["b", "c", "d"].map(|name| state(&registry, name)),
            [WorkerState::OtherBuild, WorkerState::FailedChecks, WorkerState::FailedChecks]
        );
        assert_eq!(registry.hear(good.clone(), false, &[]).unwrap().refused, None);
        assert!(registry.serves(python) && !registry.serves(JobKind::Classes));
        assert_eq!(state(&registry, "a"), WorkerState::Ready);
        registry.hear(Hello { draining: true, ..good.clone() }, false, &[]);
        assert!(!registry.serves(python));
        // What does not fit a page is not remembered.
        assert!(registry.hear(Hello { host: "x".repeat(1000), ..good }, false, &[]).is_none());
    }

    fn hello(name: &str) -> Hello {
        Hello {
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
            holds: Vec::new(),
        }
    }

    /// Lets time pass in which neither a worker nor who holds an attempt was heard.
    fn silence(registry: &Registry, name: &str, attempt: Ticket, long: Duration) {
        if let Some(worker) = registry.seen.lock().unwrap().get_mut(name) {
            worker.heard = worker.heard.checked_sub(long).unwrap();
        }
        if let Some(holding) = registry.taken.lock().unwrap().get_mut(&attempt) {
            holding.heard = holding.heard.checked_sub(long).unwrap();
        }
    }

    fn unanswered(registry: &Registry, name: &str) -> Option<u64> {
        let found = registry.workers().workers.into_iter().find(|worker| worker.name == name);
        found.map(|worker| worker.unanswered)
    }

    #[test]
    fn only_workers_that_are_silent_after_they_took_a_job_count_as_lost() {
        let registry = Registry::default();
        let attempt = Ticket { item: 7, attempt: 1 };
        for name in ["a", "b", "c"] {
            registry.hear(hello(name), false, &[]);
        }
        // One worker takes the job again and again, and one that never presented itself takes it, too.
        for _ in 0..5 {
            assert!(registry.take("a", attempt));
        }
        assert!(!registry.take("stranger", attempt));
        assert_eq!(registry.lost_by(attempt), 0, "it is still there");
        silence(&registry, "a", attempt, SILENT);
        assert_eq!(registry.lost_by(attempt), 1);
        assert!(registry.take("b", attempt));
        silence(&registry, "b", attempt, SILENT);
        assert!(registry.take("c", attempt));
        assert_eq!(registry.lost_by(attempt), 2);
        registry.end(attempt, Some("c"));
        let count = |name: &str| unanswered(&registry, name);
        assert_eq!(["a", "b", "c", "stranger"].map(count), [Some(1), Some(1), Some(0), None]);
        assert_eq!(registry.lost_by(attempt), 0);
        // Presenting itself again does not clear the count.
        registry.hear(hello("a"), false, &[]);
        assert_eq!(count("a"), Some(1));
    }

    #[test]
    fn an_attempt_is_of_one_worker_as_long_as_it_says_so() {
        let registry = Registry::default();
        let attempt = Ticket { item: 7, attempt: 1 };
        for name in ["honest", "evil"] {
            registry.hear(hello(name), false, &[]);
        }
        assert!(registry.may_report("evil", attempt) && !registry.is_held(attempt), "nobody holds it");
        assert!(registry.take("honest", attempt));
        assert!(!registry.take("evil", attempt) && !registry.may_report("evil", attempt));
        assert!(registry.may_report("honest", attempt) && registry.is_held(attempt));
        // It goes on saying so.
        silence(&registry, "honest", attempt, SILENT);
        registry.hear(hello("honest"), false, &[attempt]);
        registry.hear(hello("evil"), false, &[attempt]);
        assert!(registry.may_report("honest", attempt) && !registry.may_report("evil", attempt));
        // Then it does not. An attempt whose job is lost goes on for a while.
        silence(&registry, "honest", attempt, SILENT);
        registry.hear(hello("honest"), false, &[]);
        assert!(registry.may_report("other", attempt) && registry.is_held(attempt));
        silence(&registry, "honest", attempt, GONE - SILENT);
        assert!(!registry.is_held(attempt) && registry.may_report("honest", attempt));
        assert!(registry.take("evil", attempt));
        assert!(!registry.may_report("honest", attempt));
        // What a removed worker holds is free at once, and it takes nothing more.
        assert_eq!(registry.holders(), BTreeSet::from(["evil".to_owned()]));
        registry.remove("evil");
        assert!(!registry.is_held(attempt) && registry.may_report("honest", attempt));
        assert!(!registry.take("evil", attempt));
        registry.hear(hello("evil"), true, &[attempt]);
        assert!(registry.holders().is_empty());
        assert!(registry.take("honest", attempt));
    }

    #[test]
    fn invented_names_do_not_keep_other_workers_from_an_answer() {
        let registry = Registry::default();
        let attempt = Ticket { item: 7, attempt: 1 };
        let is_known = |name: &str| registry.knows(name);
        let invent = |user: &str| {
            for number in 0..MOST + 100 {
                assert!(registry.hear(hello(&format!("{user}.{number}")), false, &[]).is_some());
            }
        };
        registry.hear(hello("w1.honest"), false, &[]);
        registry.hear(hello("w2.working"), false, &[attempt]);
        invent("w2");
        // Those of its own user's are forgotten, and of them those that never received a job.
        assert!(is_known("w1.honest") && is_known("w2.working") && !is_known("w2.0"));
        assert_eq!(registry.workers().workers.len(), MOST);
        // One that starts now gets an answer, also with the credential of the one who invents names.
        for name in ["w1.restarted", "w2.restarted", "w2.reported"] {
            assert_eq!(registry.hear(hello(name), false, &[]).unwrap().refused, None);
            assert!(is_known(name));
        }
        // A report of a worker that was forgotten is asked for again. Once it has presented itself, it stays.
        invent("w2");
        assert!(is_known("w1.restarted") && !is_known("w2.reported"));
        registry.wait_for("w2.reported");
        registry.hear(hello("w2.reported"), false, &[]);
        invent("w2");
        assert!(is_known("w2.reported"));
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
            holds: Vec::new(),
        };
        assert_eq!(registry.presented("a", python), None);
        registry.hear(hello.clone(), false, &[]);
        let layers = OptionalLayers { landlock: true, groups: None };
        assert_eq!(registry.presented("a", python), Some(("Python 3".to_owned(), layers)));
        assert_eq!(registry.presented("a", JobKind::Classes), None);
        assert_eq!(registry.hear(hello, true, &[]).unwrap().refused, Some(Refusal::Removed));
        assert_eq!((registry.presented("a", python), registry.serves(python)), (None, false));
        assert_eq!(registry.workers().workers[0].state, WorkerState::Removed);
    }
}
