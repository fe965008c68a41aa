//! The queue of jobs over a real database: reports of workers in this process and on other machines.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use base::clock;
use db::{
    run_workers,
    runs::{self, Leased},
};
use jobs::{
    cluster::{
        Broker,
        coordinator::Coordinator,
        messages::{Assignment, Delivery, build, unpack},
    },
    job::{Ended, MadeIn, Report},
};
use model::{
    caller::System,
    ids::{RunId, SubmissionId},
    reason::Fault,
    run::{EngineReadiness, Environment, NewRun, Outcome, Rerun, Verdict},
    time::Timestamp,
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

/// A worker's answer to a job.
fn answer(assignment: &Assignment, ended: Ended) -> Delivery {
    let job = &assignment.job;
    let made_in = MadeIn { key_basis: "b".into(), fingerprint: "f".into() };
    Delivery {
        worker: "w".into(),
        build: build().into(),
        instance: assignment.instance.clone(),
        run: assignment.run,
        kind: job.kind,
        suite: assignment.suite.clone(),
        environment: Some(Environment { java: "17".into(), fingerprint: "f".into(), ..Environment::default() }),
        report: Report { item: job.item, attempt: job.attempt, ended, made_in },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_counts_once_and_for_the_newest_attempt_only() {
    let folder = tempfile::tempdir().unwrap();
    let services = Services::open_with(folder.path(), |_| EngineReadiness::default()).unwrap();
    starter::load(&services).await.unwrap();
    let run = services.runs.start(&System.admin(), NewRun::of(SubmissionId(1)).fresh()).await.unwrap();
    // Nobody answers there, and this test needs nobody.
    let broker = Broker { url: "nats://127.0.0.1:9".into(), credentials: None, ca: None, certificate: None };
    let coordinator = Coordinator::connect(services.runs.engine().clone(), &broker, 1).await.unwrap();
    let lease = || -> Vec<Assignment> {
        let (jobs, count) = coordinator.lease(run, true).unwrap();
        assert_eq!(jobs.len(), count);
        jobs.iter().map(|(.., payload)| unpack(payload).unwrap()).collect()
    };
    let refused = || coordinator.registry.workers().refused_results;
    let done = || services.db.read_blocking(|conn| runs::counts(conn, run)).unwrap();
    let passed = || Ended::Judged(Box::new(Outcome::new(Verdict::Passed)));
    let jobs = lease();
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
        Ok(Delivery { run: RunId(run.0 + 1), ..right() }),
        Ok(Delivery { environment: None, ..right() }),
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
    let fault = || Ended::Failed(Fault::WorkersLost { times: 5 });
    coordinator.store(vec![Ok(answer(&jobs[2], fault()))]).unwrap();
    let alone = lease();
    assert!(matches!(&alone[..], [one] if one.job.item == jobs[2].job.item && one.job.alone));
    coordinator.store(vec![Ok(answer(&alone[0], fault()))]).unwrap();
    assert_eq!((done().1, done().2), (3, 1));
    assert!(lease().is_empty());

    // What the results were made in is known now, also to the next run.
    let stored = services.db.read_blocking(|conn| runs::get(conn, run)).unwrap().unwrap().environment.unwrap();
    assert!(stored.java == "17" && stored.covers("f"));
    let suite = &jobs[0].suite;
    let options = serde_json::to_string(&(jobs[0].options, jobs[0].limits)).unwrap();
    let known = services.db.read_blocking(|conn| run_workers::environments(conn, suite, &options)).unwrap();
    assert!(matches!(&known[..], [one] if one.key_basis == "b" && one.fingerprint == "f"));
}
