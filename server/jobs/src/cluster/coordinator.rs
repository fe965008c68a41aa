//! The server's side: publishes jobs of open runs and stores reports.
//!
//! All state is in the database and in the broker. After a restart of either, [`Coordinator::reconcile`] compares both:
//! an item that is leased to workers, but whose job is not in the broker, that no worker holds and whose report has not
//! arrived, is free again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use async_nats::{
    Client,
    jetstream::{
        AckKind, Context, Message,
        consumer::{self, PullConsumer},
        message::PublishMessage,
        object_store::ObjectStore,
    },
};
use futures::{StreamExt as _, TryStreamExt as _, future::try_join_all};
use model::{
    ids::RunId,
    reason::Fault,
    run::{Environment, RunStatus},
    workers::QueueRow,
};

use super::{
    ALL_TAKEN, Broker, HELLOS, JOBS, LOST_WORKERS, RESULTS, SERVER,
    conditions::{self, Conditions},
    consumer_name, create, inbox, is_of_sender, jetstream, job_subject, jobs_of,
    messages::{Assignment, BUILD, Delivery, Hello, Limits, Options, Taken, pack, unpack},
    receipts::Receipts,
    registry::Registry,
    stop_subject, ticket_of, user_of,
};
use crate::{
    Engine, RENEW, add_items,
    job::{Ended, Job, JobKind, MadeIn, Report, settle},
    lease_end,
    suites::{Bundle, VersionTests},
};
use base::error::Failure;
use db::{
    Db, copy, run_how, run_workers,
    runs::{self, Leased, Run, Ticket, Wanted},
};
use engine::runner::Allowance;
use sandbox::OptionalLayers;

/// The holder of the leases of all jobs that are with the broker or its workers.
const HOLDER: &str = "workers";

/// Jobs of one run that are with the broker at a time. Enough for hundreds of workers, and few enough to renew and
/// compare in milliseconds.
const WINDOW: usize = 2_000;

/// Items in one transaction, at about 100 µs each.
const CHUNK: usize = 100;

/// Runs that are open at the same time.
const OPEN_RUNS: usize = 8;

/// How often the coordinator looks for new and stopped runs when nothing else happens.
const TICK: Duration = Duration::from_secs(1);

/// The least time between two looks at the open runs. Each result could be a reason to look, but a look reads the attempts
/// in progress.
const ROUND: Duration = Duration::from_millis(50);

/// How long reports are gathered, so that those of a moment share one transaction.
const GATHERED: Duration = Duration::from_millis(10);

/// How often database and broker are compared.
const RECONCILE: Duration = Duration::from_secs(10);

/// How often the broker delivers a report of a worker that has not presented itself to this process, and how long it waits
/// each time. Workers present themselves every few seconds; after a restart of the server, their reports can come first.
const PRESENTED_BY: i64 = 15;
const PRESENTED_IN: Duration = Duration::from_secs(2);

/// What headers add to a message.
const SLACK: usize = 1 << 10;

/// Publishes jobs and stores reports.
pub struct Coordinator {
    db: Db,
    engine: Engine,
    client: Client,
    replicas: usize,
    pub registry: Arc<Registry>,
    /// Which database this is. Jobs and reports name it, so that those of another server are refused.
    instance: String,
    /// Tell which workers received which jobs.
    receipts: Receipts,
    open: Mutex<HashMap<RunId, Arc<OpenRun>>>,
}

/// What jobs of a run have in common.
struct OpenRun {
    tests: VersionTests,
    bundles: BTreeMap<JobKind, Bundle>,
    limits: Limits,
    options: Options,
    /// Environments that have been compared with the run's: kind, checksum and toolchain.
    compared: Mutex<HashSet<(JobKind, String, String)>>,
    /// What [`OpenRun::conditions`] returned: it reads all tests.
    conditions: Mutex<Vec<(Toolchain, Arc<Conditions>)>>,
}

/// A kind of jobs, and what a worker presented itself with for it.
type Toolchain = (JobKind, String, OptionalLayers);

/// The most conditions of a run that are kept. There are as many as its workers have toolchains.
const MOST_CONDITIONS: usize = 100;

impl OpenRun {
    /// The conditions of this run's results of a kind, made with this toolchain.
    fn conditions(&self, toolchain: Toolchain) -> Arc<Conditions> {
        let mut known = self.conditions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, conditions)) = known.iter().find(|(of, _)| *of == toolchain) {
            return Arc::clone(conditions);
        }
        let (kind, version, layers) = &toolchain;
        let run = (self.limits, self.options);
        let conditions = Arc::new(conditions::of(*kind, version, *layers, &self.tests.tests, run));
        if known.len() >= MOST_CONDITIONS {
            known.clear();
        }
        known.push((toolchain, Arc::clone(&conditions)));
        conditions
    }
}

impl Coordinator {
    /// Connects to the broker; it may not answer yet.
    ///
    /// # Errors
    /// As [`Broker::connect_server`].
    pub async fn connect(engine: Engine, broker: &Broker, replicas: usize) -> Result<Arc<Coordinator>, Failure> {
        let client = broker.connect_server("aixgrade server").await?;
        let (db, registry) = (engine.db.clone(), engine.be_cluster());
        let instance = db.read(copy::instance).await?;
        let (folder, of) = (Arc::clone(&engine.folder), instance.clone());
        let receipts = blocking(move || Receipts::open(&folder, &of)).await?;
        Ok(Arc::new(Coordinator { db, engine, client, replicas, registry, instance, receipts, open: Mutex::default() }))
    }

    /// Works until the process ends. Failures of the broker are logged, and everything begins again, with another broker:
    /// this one may be cut off from the others.
    pub async fn serve(self: Arc<Self>) {
        let answering = Arc::clone(&self);
        tokio::spawn(async move { answering.answer().await });
        let hearing = Arc::clone(&self);
        tokio::spawn(async move { hearing.hear_who_takes_jobs().await });
        loop {
            let Err(failure) = self.session().await else { continue };
            self.registry.set_connected(false);
            tracing::warn!(cause = %failure, "the broker does not work; trying again");
            tokio::time::sleep(TICK).await;
            // Fails only if the client has ended, which the next session reports.
            let _ = self.client.force_reconnect().await;
        }
    }

    async fn session(self: &Arc<Self>) -> Result<(), Failure> {
        let context = jetstream(&self.client);
        let store = create(&context, self.replicas).await?;
        self.registry.set_connected(true);
        // Leases of an earlier process are those of this one.
        self.db.write(|tx| runs::renew(tx, HOLDER, lease_end())).await?;
        tokio::try_join!(self.receive(&context), self.publish(&context, &store))?;
        Ok(())
    }

    /// Answers workers that present themselves.
    async fn answer(&self) {
        loop {
            let subscribed = self.client.subscribe(HELLOS).await;
            let Ok(mut hellos) = subscribed else {
                tokio::time::sleep(TICK).await;
                continue;
            };
            while let Some(message) = hellos.next().await {
                let said = unpack::<Hello>(&message.payload).ok();
                // The server may publish everywhere. A worker may not, and must not choose where the server does.
                let inbox = inbox(user_of(&message.subject).unwrap_or_default());
                let reply = message.reply.filter(|reply| reply.starts_with(&format!("{inbox}.")));
                let (Some(said), Some(reply)) = (said, reply) else { continue };
                if !is_of_sender(&said.worker, &message.subject) {
                    tracing::warn!(subject = %message.subject, worker = said.worker, "a hello under another's name");
                    continue;
                }
                let holding = self.receipts.attempts(&said.holds);
                let name = said.worker.clone();
                // Whom the database cannot tell apart gets no answer, and asks again.
                let Ok(is_removed) = self.db.read(move |conn| run_workers::is_removed(conn, &name)).await else {
                    continue;
                };
                let Some(welcome) = self.registry.hear(said, is_removed, &holding) else { continue };
                if let Ok(answer) = pack(&welcome) {
                    // The worker asks again.
                    let _ = self.client.publish(reply, answer.into()).await;
                }
            }
        }
    }

    /// Records which workers begin which jobs.
    async fn hear_who_takes_jobs(&self) {
        loop {
            let Ok(mut taken) = self.client.subscribe(ALL_TAKEN).await else {
                tokio::time::sleep(TICK).await;
                continue;
            };
            while let Some(message) = taken.next().await {
                if let Ok(Taken { worker, claim }) = unpack(&message.payload)
                    && is_of_sender(&worker, &message.subject)
                    && self.receipts.is_of(claim.attempt(), &claim.receipt)
                {
                    self.registry.take(&worker, claim.attempt());
                }
            }
        }
    }

    /// Stores reports as they arrive. They leave the broker only after the commit.
    async fn receive(self: &Arc<Self>, context: &Context) -> Result<(), Failure> {
        let consumer: PullConsumer =
            context.get_consumer_from_stream(SERVER, RESULTS).await.map_err(Failure::internal)?;
        let messages = consumer.stream().max_messages_per_batch(5 * CHUNK).expires(Duration::from_secs(20));
        let messages = messages.heartbeat(Duration::from_secs(5)).messages().await.map_err(Failure::internal)?;
        let chunks = messages.ready_chunks(CHUNK).then(|chunk| async move {
            if chunk.len() < CHUNK {
                tokio::time::sleep(GATHERED).await;
            }
            chunk.into_iter().collect::<Result<Vec<Message>, _>>().map_err(Failure::internal)
        });
        // While one chunk waits for the disk, the next is read and checked.
        chunks.try_for_each_concurrent(2, |chunk| self.store_and_acknowledge(chunk)).await?;
        Err(Failure::internal("the broker ended the delivery of results"))
    }

    /// Stores some reports, and acknowledges them.
    async fn store_and_acknowledge(self: &Arc<Self>, chunk: Vec<Message>) -> Result<(), Failure> {
        let sent: Vec<_> = chunk.iter().map(|message| (message.subject.clone(), message.payload.clone())).collect();
        let this = Arc::clone(self);
        let read = move || this.store(sent.iter().map(|(subject, payload)| read_delivery(subject, payload)).collect());
        let strange = blocking(read).await?;
        for (at, message) in chunk.iter().enumerate() {
            let is_early = message.info().is_ok_and(|info| info.delivered < PRESENTED_BY);
            match strange.contains(&at) {
                true if is_early => message.ack_with(AckKind::Nak(Some(PRESENTED_IN))).await,
                is_strange => {
                    self.registry.refused.fetch_add(u64::from(is_strange), Ordering::Relaxed);
                    message.ack().await
                }
            }
            .map_err(Failure::Internal)?;
        }
        self.engine.notify();
        Ok(())
    }

    /// Stores reports in one transaction. Whatever is not about an attempt in progress is refused, and so is what no engine
    /// reports. Returns the positions of reports of workers that have not presented themselves, which are left alone.
    pub fn store(&self, deliveries: Vec<Result<Delivery, String>>) -> Result<Vec<usize>, Failure> {
        let is_strange = |delivery: &Result<Delivery, String>| {
            delivery.as_ref().is_ok_and(|delivery| !self.registry.knows(&delivery.worker))
        };
        let (strange, known): (Vec<_>, Vec<_>) =
            deliveries.into_iter().enumerate().partition(|(_, delivery)| is_strange(delivery));
        for delivery in strange.iter().filter_map(|(_, delivery)| delivery.as_ref().ok()) {
            if self.receipts.is_of(delivery.report.ticket(), &delivery.receipt) {
                self.registry.wait_for(&delivery.worker);
            }
        }
        let strange = strange.into_iter().map(|(at, _)| at).collect();
        let (mut accepted, mut refused) = (Vec::new(), 0);
        for checked in self.check(known.into_iter().map(|(_, delivery)| delivery).collect())? {
            match checked {
                Ok(Some(found)) => accepted.push(found),
                Ok(None) => refused += 1,
                Err(cause) => {
                    tracing::warn!(%cause, "a result was refused");
                    refused += 1;
                }
            }
        }
        let settled = self.db.write_blocking(|tx| {
            let mut settled = Vec::new();
            for Accepted { run, delivery, job, open, conditions } in &accepted {
                // In the same transaction, so that nothing is stored after a removal.
                if run_workers::is_removed(tx, &delivery.worker)? {
                    settled.push(false);
                    continue;
                }
                let (report, worker) = (&delivery.report, Some(delivery.worker.as_str()));
                settled.push(settle(tx, report, &job.key(&conditions.made_in.key_basis), worker, job.alone)?);
                // Removing a worker makes a run forget what that worker reported.
                if matches!(report.ended, Ended::Judged(_))
                    && (is_new(open, delivery.kind, conditions) || runs::lacks_environment(tx, *run)?)
                {
                    note_environment(tx, *run, delivery.kind, conditions)?;
                }
            }
            Ok(settled)
        })?;
        for (Accepted { delivery, .. }, settled) in accepted.iter().zip(settled) {
            let report = &delivery.report;
            match settled {
                true => self.engine.counts.count(&report.ended),
                false => refused += 1,
            }
            // A job that is given back counts as unanswered.
            let by = (report.ended != Ended::Returned).then_some(delivery.worker.as_str());
            self.registry.end(report.ticket(), by);
        }
        self.registry.refused.fetch_add(refused, Ordering::Relaxed);
        Ok(strange)
    }

    /// Finds the job of each report. `None` if it must be refused; the inner error says why it cannot be read.
    fn check(
        &self,
        deliveries: Vec<Result<Delivery, String>>,
    ) -> Result<Vec<Result<Option<Accepted>, String>>, Failure> {
        let is_own = |delivery: &Delivery| {
            let is_received = self.receipts.is_of(delivery.report.ticket(), &delivery.receipt);
            let may_report = is_received && self.registry.may_report(&delivery.worker, delivery.report.ticket());
            if !may_report {
                let (worker, item) = (&delivery.worker, delivery.report.item);
                tracing::warn!(worker, item, "a worker reported an output that it does not hold");
            }
            delivery.build == BUILD && delivery.instance == self.instance && may_report
        };
        let found = self.db.read_blocking(|conn| {
            let found = deliveries.into_iter().map(|delivery| match delivery {
                Ok(delivery) if is_own(&delivery) => {
                    let found = runs::in_progress(conn, delivery.report.ticket())?;
                    let item = found.filter(|(run, _)| *run == delivery.run).map(|(_, item)| item);
                    Ok(Ok(item.map(|item| (delivery, item))))
                }
                Ok(_) => Ok(Ok(None)),
                Err(cause) => Ok(Err(cause)),
            });
            found.collect::<Result<Vec<_>, Failure>>()
        })?;
        let with_job = |(mut delivery, item): (Delivery, Leased)| -> Result<Option<Accepted>, Failure> {
            let run = delivery.run;
            let Ok(open) = self.open(run)? else { return Ok(None) };
            let job = open.tests.job(&item);
            let bundle = open.bundles.get(&job.kind).filter(|bundle| bundle.name == delivery.suite);
            let presented = self.registry.presented(&delivery.worker, job.kind);
            let (Some(bundle), Some((version, layers))) = (bundle, presented) else { return Ok(None) };
            let conditions = open.conditions((job.kind, version, layers));
            let ticket = delivery.report.ticket();
            let is_expected = job.kind == delivery.kind
                && match &delivery.report.ended {
                    // Made in anything else than what its worker presented itself with, it would be cached under a wrong key.
                    Ended::Judged(outcome) => {
                        delivery.report.made_in == conditions.made_in
                            && conditions::is_possible(&job, outcome, bundle.bytes.len())
                    }
                    Ended::Failed(_) | Ended::Returned => true,
                };
            if let Ended::Failed(Fault::WorkersLost { .. }) = delivery.report.ended
                && self.registry.lost_by(ticket) < LOST_WORKERS
            {
                tracing::warn!(%run, item = ticket.item, "a job was taken and not reported; it is published again");
                delivery.report.ended = Ended::Returned;
            }
            if !is_expected {
                self.registry.end(ticket, None);
                return Ok(None);
            }
            Ok(Some(Accepted { run, delivery, job, open, conditions }))
        };
        let checked = found.into_iter().map(|found| match found {
            Ok(Some(found)) => with_job(found).map(Ok),
            Ok(None) => Ok(Ok(None)),
            Err(cause) => Ok(Err(cause)),
        });
        checked.collect()
    }

    /// What jobs of a run have in common. The inner error is the fault with which the run ends.
    fn open(&self, run: RunId) -> Result<Result<Arc<OpenRun>, Fault>, Failure> {
        let known = |this: &Self| this.open.lock().unwrap_or_else(PoisonError::into_inner).get(&run).cloned();
        if let Some(open) = known(self) {
            return Ok(Ok(open));
        }
        let (tests, how) = self.db.read_blocking(|conn| {
            let found = runs::get(conn, run)?.ok_or_else(|| Failure::not_found("run"))?;
            Ok((VersionTests::load(conn, found.version)?, run_how::get(conn, run)?))
        })?;
        let tests = match tests {
            Ok(tests) => tests,
            Err(fault) => return Ok(Err(fault)),
        };
        let open = Arc::new(OpenRun {
            bundles: tests.bundles()?,
            tests,
            limits: Limits::of(Allowance::default()),
            options: Options { fast: how.fast, dates: how.dates, profile: how.profile.unwrap_or_default() },
            compared: Mutex::default(),
            conditions: Mutex::default(),
        });
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(run, Arc::clone(&open));
        Ok(Ok(open))
    }

    fn forget(&self, run: RunId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }

    /// Publishes jobs of open runs, oldest first, and ends runs without any left.
    async fn publish(self: &Arc<Self>, context: &Context, store: &ObjectStore) -> Result<(), Failure> {
        let mut begun: BTreeSet<RunId> = BTreeSet::new();
        // Workers say what they hold before it is first compared.
        let (mut renewed, mut reconciled, mut counted) = (Instant::now(), Instant::now(), None::<Instant>);
        loop {
            if renewed.elapsed() >= RENEW {
                renewed = Instant::now();
                self.db.write(|tx| runs::renew(tx, HOLDER, lease_end())).await?;
            }
            let open = self.db.read(|conn| runs::open_runs(conn, OPEN_RUNS, false)).await?;
            let mut found = BTreeMap::new();
            for run in open {
                if let Some(run) = self.db.read(move |conn| runs::get(conn, run)).await? {
                    found.insert(run.id, run);
                }
            }
            // A run that was resumed has not begun again.
            let goes_on = |run: &RunId| found.get(run).is_some_and(|run| run.begun_at.is_some());
            for run in begun.clone() {
                if !goes_on(&run) {
                    self.stop(context, run).await?;
                    begun.remove(&run);
                }
            }
            for run in found.values() {
                if begun.contains(&run.id) || self.begin(store, run).await? {
                    begun.insert(run.id);
                }
            }
            if reconciled.elapsed() >= RECONCILE {
                self.let_go_of_removed().await?;
                for run in &begun {
                    self.reconcile(context, *run).await?;
                }
                reconciled = Instant::now();
            }
            for run in begun.clone() {
                let is_fresh = found.get(&run).is_some_and(|run| run.fresh);
                while self.feed(context, run, is_fresh).await? {}
                if !self.db.read(move |conn| runs::has_open_items(conn, run)).await? {
                    self.db.write(move |tx| runs::end(tx, run, RunStatus::Finished, None)).await?;
                    begun.remove(&run);
                    self.forget(run);
                }
            }
            if counted.is_none_or(|last| last.elapsed() >= 2 * TICK) {
                self.count(context).await?;
                counted = Some(Instant::now());
            }
            tokio::time::sleep(ROUND).await;
            let _elapsed = tokio::time::timeout(TICK, self.engine.notified()).await;
        }
    }

    /// Prepares a run for publishing. `false` if it cannot begin, or not yet.
    async fn begin(self: &Arc<Self>, store: &ObjectStore, run: &Run) -> Result<bool, Failure> {
        let (this, id) = (Arc::clone(self), run.id);
        let open = match blocking(move || this.open(id)).await? {
            Ok(open) => open,
            Err(fault) => {
                self.db.write(move |tx| runs::end(tx, id, RunStatus::Stopped, Some(&fault))).await?;
                return Ok(false);
            }
        };
        // Which results are outdated depends on the toolchains of the workers that are there.
        if run.recheck && !open.bundles.keys().all(|kind| self.registry.serves(*kind)) {
            return Ok(false);
        }
        for bundle in open.bundles.values() {
            if store.info(&bundle.name).await.is_err() {
                store.put(bundle.name.as_str(), &mut bundle.bytes.as_slice()).await.map_err(Failure::internal)?;
            }
        }
        let (this, begins, recheck) = (Arc::clone(self), run.begun_at.is_none(), run.recheck);
        blocking(move || {
            if begins {
                this.db.write_blocking(|tx| runs::begin(tx, id, None))?;
            }
            add_items(&this.db, id)?;
            if recheck { this.recheck(id, &open) } else { Ok(()) }
        })
        .await?;
        Ok(true)
    }

    /// Resets the items whose result could differ today.
    fn recheck(&self, run: RunId, open: &OpenRun) -> Result<(), Failure> {
        let known = self.conditions(open);
        let mut after = 0;
        loop {
            let done = self.db.read_blocking(|conn| runs::done(conn, run, after, CHUNK))?;
            let Some((last, _)) = done.last() else { break };
            after = last.item;
            let is_outdated = |(item, key): &&(Leased, Option<String>)| {
                let job = open.tests.job(item);
                let keys = known.get(&job.kind).into_iter().flatten().map(|known| job.key(&known.made_in.key_basis));
                !keys.into_iter().any(|current| Some(&current) == key.as_ref())
            };
            let outdated: Vec<i64> = done.iter().filter(is_outdated).map(|(item, _)| item.item).collect();
            if !outdated.is_empty() {
                self.db.write_blocking(|tx| runs::reset(tx, &outdated, false))?;
            }
        }
        self.db.write_blocking(|tx| runs::rechecked(tx, run))
    }

    /// The conditions under which the present workers run a run's jobs, by kind.
    fn conditions(&self, open: &OpenRun) -> BTreeMap<JobKind, Vec<Arc<Conditions>>> {
        let of = |kind: JobKind| {
            let present = self.registry.toolchains(kind);
            present.into_iter().map(|(version, layers)| open.conditions((kind, version, layers))).collect()
        };
        open.bundles.keys().map(|kind| (*kind, of(*kind))).collect()
    }

    /// Leases and publishes some items of a run, or gives them their cached outcomes. `false` if there was nothing to do.
    async fn feed(self: &Arc<Self>, context: &Context, run: RunId, is_fresh: bool) -> Result<bool, Failure> {
        let this = Arc::clone(self);
        let (jobs, claimed) = blocking(move || this.lease(run, is_fresh)).await?;
        let most = self.client.max_payload().saturating_sub(SLACK);
        let mut published = Vec::new();
        for (subject, id, ticket, payload) in jobs {
            if payload.len() > most {
                self.refuse_long(ticket, payload.len(), most).await?;
                continue;
            }
            let message = PublishMessage::build().payload(payload.into()).message_id(id);
            published.push(context.send_publish(subject, message).await.map_err(Failure::internal)?);
        }
        try_join_all(published.into_iter().map(IntoFuture::into_future)).await.map_err(Failure::internal)?;
        Ok(claimed > 0)
    }

    /// Leases items of a run. Returns the messages to publish, and how many items were leased.
    pub fn lease(&self, run: RunId, is_fresh: bool) -> Result<(Vec<Outgoing>, usize), Failure> {
        let held = self.db.read_blocking(|conn| runs::held(conn, run, HOLDER))?.len();
        let room = WINDOW.saturating_sub(held).min(CHUNK);
        // A few at a time would cost a transaction each.
        if room < CHUNK && held > CHUNK {
            return Ok((Vec::new(), 0));
        }
        let Ok(open) = self.open(run)? else { return Ok((Vec::new(), 0)) };
        let claimed = self.db.write_blocking(|tx| {
            let mut claimed = runs::claim_several(tx, run, HOLDER, lease_end(), false, room)?;
            let rest = room - claimed.len();
            claimed.extend(runs::claim_several(tx, run, HOLDER, lease_end(), true, rest)?);
            Ok(claimed)
        })?;
        let mut jobs: Vec<Job> = claimed.iter().map(|item| open.tests.job(item)).collect();
        let may_reuse: HashSet<i64> =
            claimed.iter().filter(|item| !item.fresh && !is_fresh).map(|item| item.item).collect();
        if !may_reuse.is_empty() {
            let known = self.conditions(&open);
            let wanted = jobs.iter().filter(|job| may_reuse.contains(&job.item)).flat_map(|job| {
                known.get(&job.kind).into_iter().flatten().map(move |known| Wanted {
                    item: job.item,
                    attempt: Some(job.attempt),
                    key: job.key(&known.made_in.key_basis),
                    fingerprint: known.made_in.fingerprint.clone(),
                })
            });
            let wanted = wanted.collect();
            let cached = self.db.read_blocking(|conn| runs::cached_outcomes(conn, wanted))?;
            if !cached.is_empty() {
                let used: HashSet<&str> = cached.iter().map(runs::CachedOutcome::fingerprint).collect();
                self.db.write_blocking(|tx| {
                    runs::reuse_outcomes(tx, &cached)?;
                    for (kind, known) in known.iter().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one))) {
                        if used.contains(known.made_in.fingerprint.as_str()) {
                            note_environment(tx, run, *kind, known)?;
                        }
                    }
                    Ok(())
                })?;
                let done: HashSet<i64> = cached.iter().map(runs::CachedOutcome::item).collect();
                jobs.retain(|job| !done.contains(&job.item));
            }
        }
        let messages = jobs.into_iter().map(|job| {
            let subject = job_subject(job.kind, job.alone, run, job.ticket());
            let id = message_id(&self.instance, job.ticket());
            let suite = open.bundles.get(&job.kind).map(|bundle| bundle.name.clone()).unwrap_or_default();
            let ticket = job.ticket();
            let (instance, receipt) = (self.instance.clone(), self.receipts.of(ticket));
            let assignment =
                Assignment { instance, run, suite, limits: open.limits, options: open.options, job, receipt };
            Ok((subject, id, ticket, pack(&assignment)?))
        });
        Ok((messages.collect::<Result<_, Failure>>()?, claimed.len()))
    }

    /// An output that the broker does not accept is listed with the reason.
    async fn refuse_long(&self, ticket: Ticket, bytes: usize, most: usize) -> Result<(), Failure> {
        let detail = format!(
            "the job has {bytes} bytes, and the broker accepts {most}; raise `max_payload` in the configuration of \
             nats-server and re-run the output"
        );
        let report = Report {
            item: ticket.item,
            attempt: ticket.attempt,
            ended: Ended::Failed(Fault::System { detail }),
            made_in: MadeIn { key_basis: String::new(), fingerprint: String::new() },
        };
        // Trying again, alone, would not help.
        self.db.write(move |tx| settle(tx, &report, "", None, true)).await?;
        Ok(())
    }

    /// Frees items whose job the broker has lost: their job is not in its stream, no worker holds it, and every report that was in the stream
    /// of results when this was observed has been stored. Runs between two calls of [`Self::feed`], so that no job is
    /// being published.
    async fn reconcile(&self, context: &Context, run: RunId) -> Result<(), Failure> {
        let held = self.db.read(move |conn| runs::held(conn, run, HOLDER)).await?;
        if held.is_empty() {
            return Ok(());
        }
        let jobs = context.get_stream_no_info(JOBS).await.map_err(Failure::internal)?;
        let mut subjects = jobs.info_with_subjects(jobs_of(run)).await.map_err(Failure::internal)?;
        let mut present = HashSet::new();
        while let Some((subject, _)) = subjects.try_next().await.map_err(Failure::internal)? {
            present.extend(ticket_of(&subject));
        }
        let results = context.get_stream(RESULTS).await.map_err(Failure::internal)?;
        let last = results.cached_info().state.last_sequence;
        let info = results.consumer_info(SERVER).await.map_err(Failure::internal)?;
        let is_idle = info.num_pending == 0 && info.num_ack_pending == 0;
        if !is_idle && info.ack_floor.stream_sequence < last {
            // Reports are on their way. The next comparison will tell.
            return Ok(());
        }
        // A worker can acknowledge the job of another, whose report counts all the same.
        let is_lost = |attempt: &Ticket| !present.contains(attempt) && !self.registry.is_held(*attempt);
        let lost: Vec<Ticket> = held.into_iter().filter(is_lost).collect();
        for chunk in lost.chunks(CHUNK) {
            chunk.iter().for_each(|attempt| self.registry.end(*attempt, None));
            let chunk = chunk.to_vec();
            let freed = self.db.write(move |tx| release(tx, &chunk)).await?;
            if freed > 0 {
                tracing::warn!(%run, jobs = freed, "the broker lost jobs; they are published again");
                self.registry.lost.fetch_add(freed, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Lets go of what workers hold that an admin removed since they last presented themselves.
    async fn let_go_of_removed(&self) -> Result<(), Failure> {
        for name in self.registry.holders() {
            let of = name.clone();
            if self.db.read(move |conn| run_workers::is_removed(conn, &of)).await? {
                self.registry.remove(&name);
            }
        }
        Ok(())
    }

    /// Takes a stopped run's jobs back.
    async fn stop(&self, context: &Context, run: RunId) -> Result<(), Failure> {
        self.forget(run);
        let jobs = context.get_stream_no_info(JOBS).await.map_err(Failure::internal)?;
        jobs.purge().filter(jobs_of(run)).await.map_err(Failure::internal)?;
        // A worker that does not hear it wastes the rest of an output's time; its report is refused.
        self.client.publish(stop_subject(run), self.instance.clone().into()).await.map_err(Failure::internal)?;
        let held = self.db.read(move |conn| runs::held(conn, run, HOLDER)).await?;
        for chunk in held.chunks(CHUNK) {
            let chunk = chunk.to_vec();
            self.db.write(move |tx| release(tx, &chunk)).await?;
        }
        Ok(())
    }

    /// Counts the jobs of each queue, for the page.
    async fn count(&self, context: &Context) -> Result<(), Failure> {
        let jobs = context.get_stream_no_info(JOBS).await.map_err(Failure::internal)?;
        let mut queues = Vec::new();
        for kind in JobKind::all() {
            let (mut waiting, mut running) = (0, 0);
            for alone in [false, true] {
                let info: consumer::Info =
                    jobs.consumer_info(consumer_name(kind, alone)).await.map_err(Failure::internal)?;
                waiting += info.num_pending;
                running += info.num_ack_pending as u64;
            }
            let served = self.registry.serves(kind);
            if served || waiting + running > 0 {
                queues.push(QueueRow { kind: kind.name().to_owned(), waiting, running, served });
            }
        }
        self.registry.set_queues(queues);
        Ok(())
    }
}

/// A message to publish: subject, ID, attempt and content.
type Outgoing = (String, String, Ticket, Vec<u8>);

/// A report with its job.
struct Accepted {
    run: RunId,
    delivery: Delivery,
    job: Job,
    open: Arc<OpenRun>,
    conditions: Arc<Conditions>,
}

/// Reads a report.
///
/// # Errors
/// It is none, or under the name of another user's worker.
fn read_delivery(subject: &str, payload: &[u8]) -> Result<Delivery, String> {
    let delivery: Delivery = unpack(payload)?;
    match is_of_sender(&delivery.worker, subject) {
        true => Ok(delivery),
        false => Err(format!("{subject} has a report of {}", delivery.worker)),
    }
}

/// The ID of the job of an attempt. The broker ignores a message whose ID it has seen in the last two minutes, also if
/// another database sent it.
fn message_id(instance: &str, ticket: Ticket) -> String {
    format!("{instance}.{}.{}", ticket.item, ticket.attempt)
}

/// Gives leased items back. Returns how many were still leased.
fn release(tx: &rusqlite::Transaction<'_>, tickets: &[Ticket]) -> Result<u64, Failure> {
    let mut freed = 0;
    for ticket in tickets {
        freed += u64::from(runs::finish(tx, *ticket, &runs::Finish::Returned)?);
    }
    Ok(freed)
}

/// Whether no other result of the run has been made under these conditions since this process opened the run.
fn is_new(open: &OpenRun, kind: JobKind, Conditions { made_in, environment }: &Conditions) -> bool {
    let mut compared = open.compared.lock().unwrap_or_else(PoisonError::into_inner);
    compared.insert((kind, made_in.fingerprint.clone(), environment.java.clone()))
}

/// Adds what results were made in to the conditions of their run. Outputs of one language that were made in different
/// environments are shown as such.
fn note_environment(
    tx: &rusqlite::Transaction<'_>,
    run: RunId,
    kind: JobKind,
    Conditions { made_in: MadeIn { fingerprint, .. }, environment }: &Conditions,
) -> Result<(), Failure> {
    let Some(current) = runs::get(tx, run)?.map(|run| run.environment) else { return Ok(()) };
    let merged = match current {
        None => Environment { parts: vec![fingerprint.clone()], ..environment.clone() },
        Some(current) if current.covers(fingerprint) => return Ok(()),
        Some(_) if run_workers::others_done(tx, run, kind.lang(), fingerprint)? => return Ok(()),
        Some(mut current) => {
            current.java = format!("{}; {}", current.java, environment.java);
            current.parts.push(fingerprint.clone());
            current
        }
    };
    runs::set_environment(tx, run, &merged)
}

/// Runs what blocks on a thread for it.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?
}
