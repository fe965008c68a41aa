//! The queue of jobs over a real database: reports of workers in this process and on other machines.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{path::Path, sync::Arc};

use base::clock;
use db::{
    run_workers,
    runs::{self, Leased, Ticket, Wanted},
};
use engine::{grader, suite, toolchain};
use jobs::{
    cluster::{
        Broker,
        coordinator::Coordinator,
        messages::{Ability, Assignment, BUILD, Delivery, Hello, unpack},
        registry::SILENT,
    },
    job::{Ended, JobKind, MadeIn, Report},
    suites::{Tests, VersionTests},
};
use model::{
    caller::System,
    ids::{RunId, SubmissionId},
    reason::Fault,
    run::{EngineReadiness, NewRun, Outcome, Rerun, Verdict},
    time::Timestamp,
    workers::ToRunAgain,
};
use port::Runs as _;
use services::{Services, starter};

fn lease_end() -> Timestamp {
    Timestamp(clock::now().0 + runs::LEASE_MS)
}

#[tokio::test]
async fn a_worker_whose_run_was_stopped_claims_nothing_more_even_if_it_was_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let services = Services::open_with(folder.path(), |_| model::run::EngineReadiness::default()).unwrap();
    starter::load(&services).await.unwrap();
    let admin = System.admin();
    let run = services.runs.start(&admin, NewRun::of(SubmissionId(1)).fresh()).await.unwrap();
    let engine = services.runs.engine();
    let claim = || services.db.write_blocking(|tx| runs::claim(tx, run, "one", lease_end(), false)).unwrap();
    let made_in = MadeIn { key_basis: "b".into(), fingerprint: "f".into() };
    let report =
        |item: &Leased, ended| Report { item: item.item, attempt: item.attempt, ended, made_in: made_in.clone() };
    let left = || services.db.read_blocking(|conn| runs::left(conn, run)).unwrap();
    let before = left();
    let item = claim().unwrap();
    services.runs.cancel(&admin, run).await.unwrap();
    services.runs.rerun(&admin, run, Rerun::Rest).await.unwrap();
    // The run goes on, but not with this worker: its flag stays set, so it would return every item at once, for ever.
    let next = engine.deliver(&report(&item, Ended::Returned), "k", (run, "one", false)).unwrap();
    assert!(next.is_none());
    assert_eq!(left(), before);
    // Another has all the work.
    let item = claim().unwrap();
    let passed = Ended::Judged(Box::new(Outcome::new(Verdict::Passed)));
    let next = engine.deliver(&report(&item, passed), "k", (run, "one", false)).unwrap().unwrap();
    assert_ne!(next.item, item.item);
}

/// The Java build of the workers.
const JAVA: &str = "17";

/// What a worker says of itself.
fn hello(worker: &str) -> Hello {
    let ability = Ability { kind: JobKind::Classes, version: JAVA.into(), checks: 5, failed: Vec::new(), fault: None };
    Hello {
        worker: worker.into(),
        host: "h".into(),
        version: "0".into(),
        build: BUILD.into(),
        slots: 1,
        abilities: vec![ability],
        landlock: true,
        groups: None,
        running: 0,
        done: 0,
        draining: false,
        holds: Vec::new(),
    }
}

/// The conditions of results of the workers of this test.
fn made_in(services: &Services, run: RunId, assignment: &Assignment) -> MadeIn {
    made_with(JAVA, services, run, assignment)
}

fn made_with(java: &str, services: &Services, run: RunId, assignment: &Assignment) -> MadeIn {
    let version = services.db.read_blocking(|conn| runs::get(conn, run)).unwrap().unwrap().version;
    let tests = services.db.read_blocking(|conn| VersionTests::load(conn, version)).unwrap().unwrap().tests;
    let Tests::Classes(kind, classes, tree) = tests else { panic!("test classes") };
    let suite = suite::fingerprint(kind, &tree, &classes, &toolchain::fingerprint(java));
    MadeIn::from_one(grader::fingerprint(&suite, assignment.limits.allowance(assignment.options)))
}

/// A worker's answer to a job.
fn answer(assignment: &Assignment, ended: Ended, made_in: &MadeIn) -> Delivery {
    let job = &assignment.job;
    Delivery {
        worker: "w".into(),
        build: BUILD.into(),
        instance: assignment.instance.clone(),
        run: assignment.run,
        kind: job.kind,
        suite: assignment.suite.clone(),
        receipt: assignment.receipt.clone(),
        report: Report { item: job.item, attempt: job.attempt, ended, made_in: made_in.clone() },
    }
}

fn passed() -> Ended {
    Ended::Judged(Box::new(Outcome { passed: 1, total: 1, ..Outcome::new(Verdict::Passed) }))
}

/// A run with a coordinator. Nobody answers at its broker, and these tests need nobody.
async fn coordinated(folder: &Path) -> (Services, RunId, Arc<Coordinator>) {
    let services = Services::open_with(folder, |_| EngineReadiness::default()).unwrap();
    starter::load(&services).await.unwrap();
    let run = services.runs.start(&System.admin(), NewRun::of(SubmissionId(1)).fresh()).await.unwrap();
    let broker = Broker { url: "nats://127.0.0.1:9".into(), credentials: None, ca: None, certificate: None };
    let coordinator = Coordinator::connect(services.runs.engine().clone(), &broker, 1).await.unwrap();
    coordinator.registry.hear(hello("w"), false, &[]).unwrap();
    (services, run, coordinator)
}

fn lease(coordinator: &Coordinator, run: RunId) -> Vec<Assignment> {
    let (jobs, count) = coordinator.lease(run, true).unwrap();
    assert_eq!(jobs.len(), count);
    jobs.iter().map(|(.., payload)| unpack(payload).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_counts_once_and_for_the_newest_attempt_only() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let lease = || lease(&coordinator, run);
    let refused = || coordinator.registry.workers().refused_results;
    let done = || services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    let jobs = lease();
    let made_in = made_in(&services, run, &jobs[0]);
    let answer = |assignment: &Assignment, ended| answer(assignment, ended, &made_in);
    let all = jobs.len();
    assert!(all > 3 && lease().is_empty());

    // Of another build, another database, another suite, another run, made in something else, or unreadable.
    let right = || answer(&jobs[0], passed());
    let mut elsewhere = right();
    elsewhere.report.made_in.fingerprint = "g".into();
    let wrong = vec![
        Ok(Delivery { build: "other".into(), ..right() }),
        Ok(Delivery { instance: "other".into(), ..right() }),
        Ok(Delivery { suite: "other".into(), ..right() }),
        Ok(Delivery { receipt: jobs[1].receipt.clone(), ..right() }),
        Ok(Delivery { run: RunId(run.0 + 1), ..right() }),
        Ok(elsewhere),
        Err("not a report".into()),
    ];
    let count = wrong.len() as u64;
    coordinator.store(wrong).unwrap();
    assert_eq!((refused(), done().1), (count, 0));
    // The right one, three times.
    coordinator.store(vec![Ok(right()), Ok(right())]).unwrap();
    coordinator.store(vec![Ok(right())]).unwrap();
    assert_eq!((refused(), done().1), (count + 2, 1));

    // A job that comes back gets a new attempt, and the old one's report is late.
    coordinator.store(vec![Ok(answer(&jobs[1], Ended::Returned))]).unwrap();
    let again = lease();
    assert!(matches!(&again[..], [one] if one.job.item == jobs[1].job.item && one.job.attempt == 2));
    coordinator.store(vec![Ok(answer(&jobs[1], passed()))]).unwrap();
    assert_eq!((refused(), done().1), (count + 3, 1));
    coordinator.store(vec![Ok(answer(&again[0], passed()))]).unwrap();
    assert_eq!(done().1, 2);

    // The engine failed: once more, alone, and then the output is listed.
    let fault = || Ended::Failed(Fault::System { detail: "x".into() });
    coordinator.store(vec![Ok(answer(&jobs[2], fault()))]).unwrap();
    let alone = lease();
    assert!(matches!(&alone[..], [one] if one.job.item == jobs[2].job.item && one.job.alone));
    coordinator.store(vec![Ok(answer(&alone[0], fault()))]).unwrap();
    assert_eq!((done().1, done().2), (3, 1));
    assert!(lease().is_empty());

    // What the results were made in is what the worker presented itself with.
    let stored = services.db.read_blocking(|conn| runs::get(conn, run)).unwrap().unwrap().environment.unwrap();
    assert!(stored.java == JAVA && stored.conditions.landlock && stored.covers(&made_in.fingerprint));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_cannot_choose_the_key_of_an_outcome_nor_report_what_no_engine_does() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let jobs = lease(&coordinator, run);
    let made_in = made_in(&services, run, &jobs[0]);
    let refused = || coordinator.registry.workers().refused_results;
    let right = || answer(&jobs[0], passed(), &made_in);
    // The key of another engine, or of other limits; a worker that has not presented itself; counts and texts that no
    // engine reports.
    let made_elsewhere = |key_basis: &str, fingerprint: &str| MadeIn {
        key_basis: key_basis.to_owned(),
        fingerprint: fingerprint.to_owned(),
    };
    let as_outcome = |outcome: Outcome| answer(&jobs[0], Ended::Judged(Box::new(outcome)), &made_in);
    let wrong = vec![
        answer(&jobs[0], passed(), &made_elsewhere("other", &made_in.fingerprint)),
        answer(&jobs[0], passed(), &made_elsewhere(&made_in.key_basis, "other")),
        as_outcome(Outcome { passed: u32::MAX, total: u32::MAX, ..Outcome::new(Verdict::Passed) }),
        as_outcome(Outcome { passed: 1, total: 2, ..Outcome::new(Verdict::Passed) }),
        as_outcome(Outcome { printed: "x".repeat(8 << 20), ..Outcome::new(Verdict::Failed) }),
        as_outcome(Outcome { source: "x".repeat(8 << 20), ..Outcome::new(Verdict::Failed) }),
    ];
    let count = wrong.len() as u64;
    assert_eq!(coordinator.store(wrong.into_iter().map(Ok).collect()).unwrap(), [0; 0]);
    let stranger = Delivery { worker: "stranger".into(), ..right() };
    assert_eq!(coordinator.store(vec![Ok(stranger)]).unwrap(), [0], "it is asked for again");
    let done = || services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap().1;
    assert_eq!((refused(), done()), (count, 0));
    coordinator.store(vec![Ok(right())]).unwrap();
    assert_eq!((refused(), done()), (count, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_takes_jobs_and_reports_none_makes_no_engine_error() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let jobs = lease(&coordinator, run);
    let made_in = made_in(&services, run, &jobs[0]);
    coordinator.registry.hear(hello("thief"), false, &[]).unwrap();
    let ticket = Ticket { item: jobs[0].job.item, attempt: jobs[0].job.attempt };
    for _ in 0..10 {
        coordinator.registry.take("thief", ticket);
    }
    // It does not say that it holds the job.
    tokio::time::sleep(SILENT).await;
    // An honest worker gets the job after so many deliveries that it seems to kill its workers.
    let lost = Ended::Failed(Fault::WorkersLost { times: 5 });
    coordinator.store(vec![Ok(answer(&jobs[0], lost, &made_in))]).unwrap();
    let again = lease(&coordinator, run);
    assert!(matches!(&again[..], [one] if one.job.item == jobs[0].job.item && !one.job.alone && one.job.attempt == 2));
    let unanswered = |name: &str| {
        let workers = coordinator.registry.workers().workers;
        workers.into_iter().find(|worker| worker.name == name).unwrap().unanswered
    };
    assert_eq!((unanswered("thief"), unanswered("w")), (1, 0));
    coordinator.store(vec![Ok(answer(&again[0], passed(), &made_in))]).unwrap();
    let (_, done, failed) = services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    assert_eq!((done, failed), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_report_of_the_worker_that_took_a_job_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let jobs = lease(&coordinator, run);
    let made_in = made_in(&services, run, &jobs[0]);
    let registry = &coordinator.registry;
    registry.hear(hello("evil"), false, &[]);
    let ticket = |assignment: &Assignment| assignment.claim().attempt();
    assert!(registry.take("w", ticket(&jobs[0])));
    let of_evil =
        |assignment: &Assignment| Delivery { worker: "evil".into(), ..answer(assignment, passed(), &made_in) };
    let counts = || services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    // With all that it could read, it reports what another worker holds. It guesses an attempt whose job it did not get.
    let guessed = Delivery { receipt: jobs[0].receipt.clone(), ..of_evil(&jobs[1]) };
    let fault = Ended::Failed(Fault::System { detail: "x".into() });
    let broken = Delivery { worker: "evil".into(), ..answer(&jobs[0], fault, &made_in) };
    let returned = Delivery { worker: "evil".into(), ..answer(&jobs[0], Ended::Returned, &made_in) };
    let wrong = vec![of_evil(&jobs[0]), broken, returned, guessed];
    coordinator.store(wrong.into_iter().map(Ok).collect()).unwrap();
    assert_eq!((registry.workers().refused_results, counts().1, counts().2), (4, 0, 0));
    coordinator.store(vec![Ok(answer(&jobs[0], passed(), &made_in))]).unwrap();
    assert_eq!((registry.workers().refused_results, counts().1), (4, 1));
    let unanswered = registry.workers().workers.into_iter().map(|worker| worker.unanswered);
    assert_eq!(unanswered.collect::<Vec<_>>(), [0, 0], "nobody is blamed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_a_removed_worker_said_of_its_toolchain_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let (admin, jobs) = (System.admin(), lease(&coordinator, run));
    let mut liar = hello("liar");
    liar.abilities[0].version = "99, verified".into();
    coordinator.registry.hear(liar, false, &[]).unwrap();
    let lie = made_with("99, verified", &services, run, &jobs[0]);
    let honest = made_in(&services, run, &jobs[1]);
    let environment = || services.db.read_blocking(|conn| runs::get(conn, run)).unwrap().unwrap().environment;
    coordinator.store(vec![Ok(Delivery { worker: "liar".into(), ..answer(&jobs[0], passed(), &lie) })]).unwrap();
    coordinator.store(vec![Ok(answer(&jobs[1], passed(), &honest))]).unwrap();
    assert!(environment().unwrap().java.contains("99, verified"));
    services.runs.remove_worker(&admin, "liar".into()).await.unwrap();
    assert_eq!(environment(), None);
    // The run goes on, and says what the others have.
    coordinator.store(vec![Ok(answer(&jobs[2], passed(), &honest))]).unwrap();
    let environment = environment().unwrap();
    assert!(!environment.java.contains("99"), "{}", environment.java);
    assert!(environment.covers(&honest.fingerprint) && !environment.covers(&lie.fingerprint));
    // An honest worker's removal leaves what another one said, too.
    coordinator.registry.hear(hello("other"), false, &[]).unwrap();
    coordinator.store(vec![Ok(Delivery { worker: "other".into(), ..answer(&jobs[3], passed(), &honest) })]).unwrap();
    services.runs.remove_worker(&admin, "other".into()).await.unwrap();
    assert_eq!(services.db.read_blocking(|conn| runs::get(conn, run)).unwrap().unwrap().environment, Some(environment));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_removed_worker_counts_and_its_results_are_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let (services, run, coordinator) = coordinated(folder.path()).await;
    let (admin, jobs) = (System.admin(), lease(&coordinator, run));
    let made_in = made_in(&services, run, &jobs[0]);
    coordinator.registry.hear(hello("honest"), false, &[]).unwrap();
    let honest = Delivery { worker: "honest".into(), ..answer(&jobs[2], passed(), &made_in) };
    let fault = Ended::Failed(Fault::System { detail: "x".into() });
    coordinator
        .store(vec![Ok(answer(&jobs[0], passed(), &made_in)), Ok(answer(&jobs[1], fault, &made_in)), Ok(honest)])
        .unwrap();
    let cached = || {
        let key = |assignment: &Assignment| Wanted {
            item: assignment.job.item,
            attempt: None,
            key: assignment.job.key(&made_in.key_basis),
            fingerprint: made_in.fingerprint.clone(),
        };
        let wanted = vec![key(&jobs[0]), key(&jobs[2])];
        services.db.read_blocking(|conn| runs::cached_outcomes(conn, wanted)).unwrap().len()
    };
    assert_eq!(cached(), 2);
    let again = services.runs.rerun(&admin, run, Rerun::OfRemovedWorkers).await;
    assert!(again.is_err(), "no worker was removed");
    assert!(services.runs.remove_worker(&admin, "nobody".into()).await.is_err());

    let to_run_again = services.runs.remove_worker(&admin, "w".into()).await.unwrap();
    assert_eq!(to_run_again, [ToRunAgain { run, outputs: 1 }]);
    assert_eq!(cached(), 1, "only that of the honest worker");
    // Its later reports are refused, whatever it says.
    coordinator.store(vec![Ok(answer(&jobs[3], passed(), &made_in))]).unwrap();
    assert_eq!(coordinator.registry.workers().refused_results, 1);
    services.runs.rerun(&admin, run, Rerun::OfRemovedWorkers).await.unwrap();
    let (_, done, failed) = services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    assert_eq!((done, failed), (1, 0), "the honest worker's");
    assert_eq!(services.db.read_blocking(run_workers::to_run_again).unwrap(), []);
    // Removing it twice does no harm.
    assert_eq!(services.runs.remove_worker(&admin, "w".into()).await.unwrap(), []);
}
