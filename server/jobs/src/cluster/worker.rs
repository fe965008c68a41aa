//! The work of `aixgrade-worker`: takes jobs from the broker, runs them, and reports.
//!
//! It proves its sandbox before it asks for the first job, and asks only for kinds of jobs whose checks have all passed,
//! once the server has answered that it is of the same build.

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_nats::{
    Client,
    jetstream::{
        AckKind, Context, ErrorCode, Message, consumer::PullConsumer, message::PublishMessage,
        stream::ConsumerErrorKind,
    },
};
use futures::StreamExt as _;
use model::{ids::RunId, reason::Fault};
use texts::runs::EN;
use tokio::{
    sync::{OwnedSemaphorePermit, RwLock, Semaphore, watch},
    time::MissedTickBehavior,
};

use super::{
    ACK_WAIT, AGAIN, Broker, JOBS, MOST_DELIVERIES, STOPS, consumer_name,
    executor::{Executor, Ready},
    hello_subject, jetstream,
    messages::{Ability, Assignment, BUILD, Claim, Delivery, Hello, Refusal, Taken, Welcome, pack, unpack},
    registry::HELLO_EVERY,
    result_subject, taken_subject,
};
use crate::job::{Ended, JobKind, MadeIn, Report};
use base::{clock, error::Failure};
use engine::stop::LONGEST_ATTEMPT;
use sandbox::OptionalLayers;

/// Parts of a slot, so that languages that build several outputs together can have more jobs than slots.
const PARTS: usize = 16;

/// Jobs for each part of a slot that a worker has, including those whose results the broker has not stored yet. If the
/// broker stores nothing, the worker takes no more jobs.
const JOBS_PER_PART: usize = 2;

/// How long a request for a job waits at the broker.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the operator asks of a worker.
#[derive(Clone, Debug)]
pub struct Settings {
    pub broker: Broker,
    /// The folder for suites, images and temporary files.
    pub cache: PathBuf,
    pub slots: usize,
    pub kinds: BTreeSet<JobKind>,
}

/// The database of a job's server, which it repeats to stop the job, and the flag that does so.
type Stop = (String, Arc<AtomicBool>);

/// A worker that is connected.
struct Worker {
    /// The broker's name for it.
    user: String,
    /// Begins with the user.
    name: String,
    host: String,
    slots: usize,
    abilities: Vec<Ability>,
    executor: Arc<Executor>,
    client: Client,
    context: Context,
    /// The broker's hosts, for messages.
    broker: String,
    /// One permit for each part of a slot. A job has its permits while it runs.
    free: Arc<Semaphore>,
    /// One permit for each job that the worker may have. A job has its permit until it is reported.
    unreported: Arc<Semaphore>,
    /// Held exclusively by a job that must run alone.
    beside: Arc<RwLock<()>>,
    running: AtomicU32,
    done: AtomicU64,
    /// The attempts that it began and has not reported.
    holds: Mutex<BTreeSet<Claim>>,
    /// What stops jobs in progress, by run and message.
    stops: Mutex<HashMap<(RunId, String), Stop>>,
    draining: watch::Receiver<bool>,
}

/// Runs a worker until `stop` is ready, and then until its jobs in progress are reported. `say` gets lines for the
/// operator.
///
/// # Errors
/// Fails if the machine has no sandbox, or if the broker refuses the credentials.
pub async fn run(
    settings: Settings,
    stop: impl Future<Output = ()> + Send + 'static,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(), Failure> {
    let Settings { broker, cache, slots, kinds } = settings;
    let unusable = |fault: Fault| Failure::conflict(EN.fault_line(&fault));
    let executor = Arc::new(Executor::new(&cache, slots).map_err(unusable)?);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "unknown".to_owned() } else { host.trim().to_owned() };
    let user = broker.user()?;
    // The random part is also what keeps other workers of the same user from reporting under this name.
    let name = format!("{user}.{host}-{}", &clock::token().0[..16]);
    let client = broker.connect_worker(&format!("aixgrade-worker {name}")).await?;
    // After the connection: the checks take seconds, and a wrong password is reported at once.
    let mut abilities = Vec::new();
    for kind in kinds {
        let executor = Arc::clone(&executor);
        let ability = tokio::task::spawn_blocking(move || executor.prove(kind)).await.map_err(Failure::internal)?;
        say(&described(&ability));
        abilities.push(ability);
    }
    let (drain, draining) = watch::channel(false);
    tokio::spawn(async move {
        stop.await;
        // The worker may have ended.
        let _ = drain.send(true);
    });
    let worker = Arc::new(Worker {
        user,
        name,
        host,
        slots,
        executor,
        context: jetstream(&client),
        broker: broker.names(),
        client,
        free: Arc::new(Semaphore::new(slots * PARTS)),
        unreported: Arc::new(Semaphore::new(slots * PARTS * JOBS_PER_PART)),
        beside: Arc::default(),
        running: AtomicU32::new(0),
        done: AtomicU64::new(0),
        holds: Mutex::default(),
        stops: Mutex::default(),
        draining,
        abilities,
    });
    worker.work(say).await;
    Ok(())
}

fn described(ability: &Ability) -> String {
    let kind = ability.kind;
    match (&ability.fault, ability.failed.as_slice()) {
        (Some(fault), _) => format!("{kind}: not available. {}", EN.fault_line(fault)),
        (None, []) => format!("{kind}: {}, {} sandbox checks passed", ability.version, ability.checks),
        (None, failed) => {
            let why: Vec<String> = failed.iter().map(|check| EN.failed_check(check)).collect();
            format!("{kind}: sandbox checks failed, so it gets no jobs: {}", why.join("; "))
        }
    }
}

impl Worker {
    async fn work(self: Arc<Self>, say: impl Fn(&str) + Send + Sync + 'static) {
        let (welcome, welcomed) = watch::channel(false);
        let greeting = tokio::spawn(Arc::clone(&self).say_hello(welcome, say));
        let stopping = tokio::spawn(Arc::clone(&self).hear_stops());
        let proved: Vec<JobKind> =
            self.abilities.iter().filter(|ability| ability.is_proved()).map(|ability| ability.kind).collect();
        let asking = proved.into_iter().flat_map(|kind| [(kind, false), (kind, true)]).map(|(kind, alone)| {
            let (this, welcomed) = (Arc::clone(&self), welcomed.clone());
            tokio::spawn(async move { this.take(kind, alone, welcomed).await })
        });
        let asking: Vec<_> = asking.collect();
        self.drained().await;
        // At once, because a worker without jobs ends before it says hello again.
        if let Ok(packed) = pack(&self.hello()) {
            // Otherwise, the server notices that the worker is silent.
            let _ = self.client.publish(hello_subject(&self.user), packed.into()).await;
        }
        for task in asking {
            let _ended = task.await;
        }
        // All permits are free once the last job is reported.
        let most = u32::try_from(self.slots * PARTS * JOBS_PER_PART).unwrap_or(u32::MAX);
        let _all = self.unreported.acquire_many(most).await;
        greeting.abort();
        stopping.abort();
        let _ = self.client.flush().await;
    }

    /// Presents itself until the worker ends, and passes on what the server answers. While the server is away, its last
    /// answer counts.
    async fn say_hello(self: Arc<Self>, welcome: watch::Sender<bool>, say: impl Fn(&str)) {
        let mut last = None;
        let mut next = tokio::time::interval(HELLO_EVERY);
        next.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            next.tick().await;
            let said = self.hello();
            let answer = match pack(&said) {
                Ok(packed) => {
                    let answer = self.client.request(hello_subject(&self.user), packed.into());
                    // A server that comes back hears soon what the worker holds.
                    tokio::time::timeout(HELLO_EVERY, answer).await.ok().and_then(Result::ok)
                }
                Err(_) => None,
            };
            if answer.is_none() {
                self.leave_silent_broker().await;
            }
            if let Some(answer) = answer.and_then(|answer| unpack::<Welcome>(&answer.payload).ok()) {
                let _ = welcome.send(answer.refused.is_none());
                if last.as_ref() != Some(&answer.refused) {
                    match &answer.refused {
                        None if self.abilities.iter().any(Ability::is_proved) => {
                            say(&format!("{} takes jobs from the broker.", self.name));
                        }
                        None => {
                            say(&format!("{} gets no jobs, because none of its languages can run here.", self.name))
                        }
                        Some(Refusal::Removed) => {
                            say(&format!("An admin removed {}, so it gets no jobs. Restart the worker.", self.name));
                        }
                        Some(Refusal::OtherBuild { version, build: theirs }) => say(&format!(
                            "The server is another build of AixGrade ({version}, {theirs}) than this worker ({}, {}), so \
                             it gets no jobs. Install both from the same release.",
                            said.version, said.build
                        )),
                    }
                    last = Some(answer.refused);
                }
            }
        }
    }

    /// Connects to another broker if this one says nothing about the stream of jobs: it may be cut off from the others.
    async fn leave_silent_broker(&self) {
        let Some(kind) = self.abilities.iter().find(|ability| ability.is_proved()).map(|ability| ability.kind) else {
            return;
        };
        let asked: Result<PullConsumer, _> =
            self.context.get_consumer_from_stream(consumer_name(kind, false), JOBS).await;
        let answers = match asked.map_err(|e| e.kind()) {
            Ok(_) => true,
            // The stream does not exist yet. Without the others, a broker answers that JetStream is not available.
            Err(ConsumerErrorKind::JetStream(error)) => error.error_code() != ErrorCode::CLUSTER_NOT_AVAILABLE,
            Err(_) => false,
        };
        if !answers {
            tracing::info!("the broker does not answer; connecting to another");
            // Fails only if the client has ended.
            let _ = self.client.force_reconnect().await;
        }
    }

    fn hello(&self) -> Hello {
        let OptionalLayers { landlock, groups } = self.executor.layers();
        Hello {
            worker: self.name.clone(),
            host: self.host.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: BUILD.to_owned(),
            slots: u32::try_from(self.slots).unwrap_or(u32::MAX),
            abilities: self.abilities.clone(),
            landlock,
            groups,
            running: self.running.load(Ordering::Relaxed),
            done: self.done.load(Ordering::Relaxed),
            draining: *self.draining.borrow(),
            holds: self.holds.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect(),
        }
    }

    /// Stops jobs of runs that the server stopped.
    async fn hear_stops(self: Arc<Self>) {
        while let Ok(mut stops) = self.client.subscribe(STOPS).await {
            while let Some(message) = stops.next().await {
                let run = message.subject.rsplit('.').next().and_then(|run| run.parse().ok()).map(RunId);
                let stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
                for ((of, _), (instance, cancelled)) in stops.iter() {
                    // A worker can have the broker's answers sent here, but chooses no content.
                    if Some(*of) == run && instance.as_bytes() == message.payload.as_ref() {
                        cancelled.store(true, Ordering::SeqCst);
                    }
                }
            }
        }
    }

    /// Ready once the worker drains.
    async fn drained(&self) {
        let mut draining = self.draining.clone();
        // Without a sender, nobody can ask it to drain.
        if draining.wait_for(|drains| *drains).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Takes jobs of one queue until the worker drains.
    async fn take(self: Arc<Self>, kind: JobKind, alone: bool, welcomed: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = self.drained() => return,
                taken = self.take_while_connected(kind, alone, welcomed.clone()) => {
                    let Err(failure) = taken else { return };
                    tracing::info!(%kind, cause = %failure, "cannot get jobs; trying again");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    async fn take_while_connected(
        self: &Arc<Self>,
        kind: JobKind,
        alone: bool,
        mut welcomed: watch::Receiver<bool>,
    ) -> Result<(), Failure> {
        let workers = self.executor.workers(kind).clamp(1, self.slots * PARTS);
        let parts = u32::try_from((self.slots * PARTS / workers).max(1)).unwrap_or(1);
        let mut consumer = None::<PullConsumer>;
        loop {
            if welcomed.wait_for(|welcome| *welcome).await.is_err() {
                return Ok(());
            }
            let known = match consumer.take() {
                Some(known) => known,
                None => {
                    let name = consumer_name(kind, alone);
                    self.context.get_consumer_from_stream(name, JOBS).await.map_err(Failure::internal)?
                }
            };
            let batch = known.batch().max_messages(1).expires(PATIENCE).messages().await;
            let next = batch.map_err(Failure::internal)?.next().await;
            consumer = Some(known);
            let Some(message) = next else { continue };
            let message = message.map_err(Failure::Internal)?;
            let Some((slot, unreported)) = self.slot(&message, parts).await else {
                // Drained meanwhile: somebody else gets it.
                let _ = message.ack_with(AckKind::Nak(None)).await;
                return Ok(());
            };
            let this = Arc::clone(self);
            tokio::spawn(async move {
                this.handle(message, alone, slot).await;
                drop(unreported);
            });
        }
    }

    /// Waits for a slot, and tells the broker meanwhile that the job is not forgotten. `None` once the worker drains.
    async fn slot(&self, message: &Message, parts: u32) -> Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
        let both = async {
            let unreported = Arc::clone(&self.unreported).acquire_owned().await.ok()?;
            Some((Arc::clone(&self.free).acquire_many_owned(parts).await.ok()?, unreported))
        };
        tokio::select! {
            biased;
            () = self.drained() => None,
            permits = both => permits,
            () = keep_alive(message) => None,
        }
    }

    /// Runs a job in its slot and reports it.
    async fn handle(self: &Arc<Self>, message: Message, alone: bool, slot: OwnedSemaphorePermit) {
        let assignment = match unpack::<Assignment>(&message.payload) {
            Ok(assignment) if assignment.job.alone == alone => assignment,
            Ok(_) | Err(_) => {
                // The server notices that the job has left the stream without a report.
                tracing::warn!(subject = %message.subject, "a job cannot be read");
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        self.running.fetch_add(1, Ordering::Relaxed);
        tokio::select! {
            () = self.run_and_report(&message, assignment, slot) => {}
            () = keep_alive(&message) => {}
        }
        self.running.fetch_sub(1, Ordering::Relaxed);
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    async fn run_and_report(self: &Arc<Self>, message: &Message, assignment: Assignment, slot: OwnedSemaphorePermit) {
        let (run, kind, suite) = (assignment.run, assignment.job.kind, assignment.suite.clone());
        let claim = assignment.claim();
        let receipt = claim.receipt.clone();
        let instance = assignment.instance.clone();
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let report = if deliveries > MOST_DELIVERIES {
            let times = u32::try_from(MOST_DELIVERIES).unwrap_or(u32::MAX);
            failed(&assignment, Fault::WorkersLost { times })
        } else if assignment.job.alone {
            let _others_wait = self.beside.write().await;
            self.execute(message, assignment).await
        } else {
            let _beside_others = self.beside.read().await;
            self.execute(message, assignment).await
        };
        // The next job runs while this one is reported.
        drop(slot);
        let delivery = Delivery {
            worker: self.name.clone(),
            build: BUILD.to_owned(),
            instance,
            run,
            kind,
            suite,
            receipt,
            report,
        };
        let id = delivery.id();
        let most = self.client.max_payload().saturating_sub(1 << 10);
        let packed = match pack(&delivery) {
            Ok(packed) if packed.len() <= most => packed,
            Ok(_) | Err(_) => {
                let detail = format!("the result has more than the {most} bytes that the broker accepts");
                let report = Report { ended: Ended::Failed(Fault::System { detail }), ..delivery.report.clone() };
                match pack(&Delivery { report, ..delivery }) {
                    Ok(packed) => packed,
                    Err(_) => {
                        self.holds.lock().unwrap_or_else(PoisonError::into_inner).remove(&claim);
                        return;
                    }
                }
            }
        };
        loop {
            let result = PublishMessage::build().payload(packed.clone().into()).message_id(&id);
            let sent = match self.context.send_publish(result_subject(&self.user, run), result).await {
                Ok(stored) => stored.await.map(drop).map_err(|e| e.to_string()),
                Err(e) => Err(e.to_string()),
            };
            match sent {
                Ok(()) => break,
                Err(cause) => {
                    tracing::info!(%cause, "cannot report a result; trying again");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).remove(&claim);
        // If this is lost, another worker runs the output again, and the server refuses its report.
        let _ = message.ack().await;
    }

    /// Runs an output on a thread that may block.
    async fn execute(self: &Arc<Self>, message: &Message, assignment: Assignment) -> Report {
        let taken = Taken { worker: self.name.clone(), claim: assignment.claim() };
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).insert(taken.claim.clone());
        // Lost only with the connection; the next hello has it, too.
        if let Ok(packed) = pack(&taken) {
            let _ = self.client.publish(taken_subject(&self.user), packed.into()).await;
        }
        let ready = match self.executor.kept(&assignment) {
            Some(ready) => ready,
            None => match self.prepare(&assignment).await {
                Ok(ready) => ready,
                Err(fault) => return failed(&assignment, fault),
            },
        };
        let key = (assignment.run, message.subject.to_string());
        let instance = assignment.instance.clone();
        let (this, named) = (Arc::clone(self), key.clone());
        let lost = failed(&assignment, Fault::System { detail: "the worker's thread ended".to_owned() });
        let running = tokio::task::spawn_blocking(move || {
            this.executor.run(&ready, &assignment.job, |cancelled| {
                let mut stops = this.stops.lock().unwrap_or_else(PoisonError::into_inner);
                stops.insert(named, (instance, Arc::clone(cancelled)));
            })
        });
        let result = running.await.unwrap_or(lost);
        self.stops.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        result
    }

    /// Fetches the suite of an assignment and prepares its backend.
    async fn prepare(&self, assignment: &Assignment) -> Result<Arc<Ready>, Fault> {
        // Part of the attempt, like what follows.
        let suite = self.executor.fetch(&self.context, &self.broker, &assignment.suite, LONGEST_ATTEMPT).await?;
        let (executor, assignment) = (Arc::clone(&self.executor), assignment.clone());
        let ability = self.abilities.iter().find(|ability| ability.kind == assignment.job.kind);
        let version = ability.map(|ability| ability.version.clone()).unwrap_or_default();
        let prepared = tokio::task::spawn_blocking(move || executor.prepare(&assignment, &suite, &version)).await;
        prepared.unwrap_or_else(|_| Err(Fault::System { detail: "the worker's thread ended".to_owned() }))
    }
}

fn failed(assignment: &Assignment, fault: Fault) -> Report {
    let made_in = MadeIn { key_basis: String::new(), fingerprint: String::new() };
    let (item, attempt) = (assignment.job.item, assignment.job.attempt);
    Report { item, attempt, ended: Ended::Failed(fault), made_in }
}

/// Tells the broker again and again that a job is in progress. Never ends.
async fn keep_alive(message: &Message) {
    loop {
        tokio::time::sleep(ACK_WAIT / 5).await;
        // A broker that does not hear it gives the job to another worker, which is right.
        let _ = message.ack_with(AckKind::Progress).await;
    }
}
