//! A program with the credential of another machine's workers, which knows everything that it could have read: it spoils no
//! job that a worker holds, nobody is blamed for what it does, and nothing of it outlives its removal.

use std::{sync::Arc, time::Duration};

use async_nats::{
    Client,
    jetstream::{Message, consumer::PullConsumer, message::PublishMessage},
};
use futures::StreamExt as _;
use jobs::{
    cluster::{
        JOBS, consumer_name,
        coordinator::Coordinator,
        hello_subject, jetstream,
        messages::{Ability, Assignment, BUILD, Delivery, Hello, Taken, Welcome, pack, unpack},
        result_subject, taken_subject,
    },
    job::{Ended, JobKind, MadeIn, Report},
};
use lang::suite;
use model::{
    caller::System,
    code_lang::CodeLang,
    ids::RunId,
    run::{NewRun, Outcome, RunStatus, Verdict},
};
use port::Runs as _;
use tokio::time::{sleep, timeout};

use super::{Data, brokers::Brokers, prerequisites_of_workers};
use prerequisites::PATIENCE;

const VERSION: &str = "Python 3";

const KIND: JobKind = JobKind::Programs(CodeLang::Python);

/// A program that speaks for a worker.
struct Program {
    user: &'static str,
    name: String,
    client: Client,
}

impl Program {
    async fn connect(brokers: &Brokers, user: &'static str) -> Program {
        let client = brokers.broker(user).connect_worker("test").await.unwrap();
        Program { user, name: format!("{user}.test"), client }
    }

    /// Says what it holds until the server answers.
    async fn say_hello(&self, name: &str, holds: &[&Assignment]) -> Welcome {
        loop {
            let said = pack(&hello(name, holds)).unwrap();
            if let Ok(answer) = self.client.request(hello_subject(self.user), said.into()).await {
                return unpack(&answer.payload).unwrap();
            }
            // The server does not listen yet.
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Receives so many jobs.
    async fn receive(&self, count: usize) -> Vec<(Message, Assignment)> {
        let context = jetstream(&self.client);
        let consumer: PullConsumer = context.get_consumer_from_stream(consumer_name(KIND, false), JOBS).await.unwrap();
        let mut jobs = Vec::new();
        while jobs.len() < count {
            let mut batch = consumer.batch().max_messages(1).expires(Duration::from_secs(5)).messages().await.unwrap();
            while let Some(Ok(message)) = batch.next().await {
                let assignment = unpack(&message.payload).unwrap();
                jobs.push((message, assignment));
            }
        }
        jobs
    }

    /// Says that it begins a job.
    async fn take(&self, assignment: &Assignment) {
        let taken = Taken { worker: self.name.clone(), claim: assignment.claim() };
        self.client.publish(taken_subject(self.user), pack(&taken).unwrap().into()).await.unwrap();
        self.client.flush().await.unwrap();
    }

    async fn report(&self, assignment: &Assignment, verdict: Verdict) {
        self.report_as(&self.name, assignment, verdict).await;
    }

    async fn report_as(&self, name: &str, assignment: &Assignment, verdict: Verdict) {
        let answer = answer(name, assignment, verdict);
        let message = PublishMessage::build().payload(pack(&answer).unwrap().into()).message_id(answer.id());
        let context = jetstream(&self.client);
        context.send_publish(result_subject(self.user, assignment.run), message).await.unwrap().await.unwrap();
    }
}

fn hello(name: &str, holds: &[&Assignment]) -> Hello {
    let ability = Ability { kind: KIND, version: VERSION.into(), checks: 1, failed: Vec::new(), fault: None };
    Hello {
        worker: name.into(),
        host: "test".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        build: BUILD.into(),
        slots: 1,
        abilities: vec![ability],
        landlock: false,
        groups: None,
        running: 0,
        done: 0,
        draining: false,
        holds: holds.iter().map(|assignment| assignment.claim()).collect(),
    }
}

fn answer(worker: &str, assignment: &Assignment, verdict: Verdict) -> Delivery {
    let job = &assignment.job;
    let key_basis = suite::key_basis(VERSION, suite::budget(assignment.limits.allowance(assignment.options)));
    let outcome = Outcome { passed: u32::from(verdict == Verdict::Passed), total: 1, ..Outcome::new(verdict) };
    Delivery {
        worker: worker.to_owned(),
        build: BUILD.into(),
        instance: assignment.instance.clone(),
        run: assignment.run,
        kind: job.kind,
        suite: assignment.suite.clone(),
        receipt: assignment.receipt.clone(),
        report: Report {
            item: job.item,
            attempt: job.attempt,
            ended: Ended::Judged(Box::new(outcome)),
            made_in: MadeIn { fingerprint: suite::digest(&key_basis), key_basis },
        },
    }
}

/// Waits until something holds.
async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let waiting = async {
        while !holds().await {
            sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(PATIENCE, waiting).await.is_ok(), "waited for too long: {what}");
}

#[test]
fn a_workers_credential_spoils_no_job_that_another_holds() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = Data::create(&folder.path().join("data"), &humaneval_x, 4, 1);
    let brokers = Brokers::start(folder.path(), nats, 1, "");
    let run = data.runtime.block_on(spoil(&data, &brokers));
    assert!(data.verdicts(run).values().all(|verdict| verdict.starts_with("Some(Passed)")), "{:?}", data.verdicts(run));
}

/// Returns the run, which has finished.
async fn spoil(data: &Data, brokers: &Brokers) -> RunId {
    let engine = data.services.runs.engine().clone();
    let coordinator = Coordinator::connect(engine, &brokers.broker("server"), 1).await.unwrap();
    let registry = &coordinator.registry;
    tokio::spawn(Arc::clone(&coordinator).serve());
    let honest = Arc::new(Program::connect(brokers, "worker").await);
    let evil = Arc::new(Program::connect(brokers, "other").await);
    for program in [&honest, &evil] {
        assert_eq!(program.say_hello(&program.name, &[]).await.refused, None);
    }
    let new = NewRun { fresh: true, ..NewRun::of(data.submissions[0]) };
    let run = data.services.runs.start(&System.admin(), new).await.unwrap();

    // Two jobs for the one, two for the other, which takes one of them.
    let [first, second] = &honest.receive(2).await[..] else { panic!("two jobs") };
    let [third, fourth] = &evil.receive(2).await[..] else { panic!("two jobs") };
    honest.take(&first.1).await;
    honest.take(&second.1).await;
    evil.take(&third.1).await;
    let held = [first, second, third].map(|(_, assignment)| assignment.claim().attempt());
    until("three are held", async || held.iter().all(|attempt| registry.is_held(*attempt))).await;
    let saying = {
        let holders = [
            (Arc::clone(&honest), vec![first.1.clone(), second.1.clone()]),
            (Arc::clone(&evil), vec![third.1.clone()]),
        ];
        tokio::spawn(async move {
            loop {
                for (program, jobs) in &holders {
                    program.say_hello(&program.name, &jobs.iter().collect::<Vec<_>>()).await;
                }
                sleep(Duration::from_secs(1)).await;
            }
        })
    };

    // It reports what the other holds, under its own name and under one that would be of the other's user.
    evil.take(&first.1).await;
    evil.report(&first.1, Verdict::Failed).await;
    evil.report_as("worker.guessed", &first.1, Verdict::Failed).await;
    until("both reports are refused", async || registry.workers().refused_results == 2).await;
    // It acknowledges all jobs. Only that of which nobody says that it holds it is published again.
    for (message, _) in [first, second, third, fourth] {
        evil.client.publish(message.reply.clone().unwrap(), "+ACK".into()).await.unwrap();
    }
    until("the fourth is published again", async || registry.workers().lost_jobs > 0).await;
    let done = async || data.services.runs.progress(&System.admin(), run).await.unwrap().done;
    assert_eq!((registry.workers().lost_jobs, done().await), (1, 0));
    honest.report(&first.1, Verdict::Passed).await;
    honest.report(&second.1, Verdict::Passed).await;
    until("both reports count", async || done().await == 2).await;
    saying.abort();

    // Names that it invents leave others an answer.
    for number in 0..2_100 {
        evil.say_hello(&format!("other.{number}"), &[]).await;
    }
    assert_eq!(honest.say_hello("worker.restarted", &[]).await.refused, None);
    // What it holds is free once it is removed, also if it never presents itself again.
    evil.say_hello(&evil.name, &[&third.1]).await;
    data.services.runs.remove_worker(&System.admin(), evil.name.clone()).await.unwrap();
    evil.take(&third.1).await;
    until("the third is published again", async || registry.workers().lost_jobs == 2).await;
    evil.report(&third.1, Verdict::Failed).await;
    until("its report is refused", async || registry.workers().refused_results == 3).await;

    let rest = honest.receive(2).await;
    for (message, assignment) in &rest {
        assert_eq!(assignment.job.attempt, 2);
        honest.report(assignment, Verdict::Passed).await;
        message.ack().await.unwrap();
    }
    let finished =
        async || data.services.runs.progress(&System.admin(), run).await.unwrap().status == RunStatus::Finished;
    until("the run finishes", finished).await;
    let workers = registry.workers().workers;
    let unanswered = workers.iter().find(|worker| worker.name == honest.name).unwrap().unanswered;
    assert_eq!(unanswered, 0, "nobody blames it");
    run
}
