//! Sends the requests of one collection until it ends or is stopped.
//!
//! A request is recorded before it is sent, and its response is stored before the next one is looked at. After a kill,
//! answered requests are not sent again; those in flight are, with the same idempotency key.
//!
//! In a dynamic conversation, the tests of a stored answer run before the next request is known (`testing.rs`).

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use model::{
    collection::{ChatMessage, CollectionSettings, CollectionStatus, RequestForm, StopReason},
    conversation::Way,
    fault::RequestFault,
    ids::CollectionId,
    time::Timestamp,
};
use rand::Rng;
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::{
    settings::response_limit,
    subjects::USUAL_RESPONSE,
    testing::Testing,
    work::{Work, combined, missing_prompt},
};
use base::{clock, error::Failure};
use clients::endpoint::{Ask, Client, Endpoint, Reply};
use db::{
    Db,
    collections::{self, Collection, Follow, NewResponse, Next, Outcome, Prompt, Sending},
    copy, judgings, stored,
};
use formats::prompts;
use jobs::Engine;

/// How often a request is sent before it has failed for good.
const MOST_ATTEMPTS: u32 = 7;
/// The same for an answer that came, with a status of success, and is no response. The model may have been asked, and paid,
/// for it, and most servers that answer so do it again.
const MOST_WRONG_ANSWERS: u32 = 3;
/// Requests that fail for good in a row before the collection stops: something is wrong with all of them.
pub(super) const MOST_FAILURES: u32 = 5;
/// "Too many requests" in a row before the collection stops.
const MOST_LIMITED: u32 = 30;

/// Times that tests shorten.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Wait after the first failed attempt; it doubles with each further one.
    pub first_wait: Duration,
    /// Longest such wait.
    pub longest_wait: Duration,
    /// How often the lease is renewed, and the collection's state is read.
    pub look: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(60), look: Duration::from_secs(1) }
    }
}

impl Pace {
    /// The wait after this many failures in a row, the first being 1: doubled each time, and up to a half shorter, so
    /// that requests which failed together are not sent together again.
    pub(super) fn wait(&self, failures: u32) -> Duration {
        let doubled = self.first_wait.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(self.longest_wait);
        doubled.mul_f64(rand::rng().random_range(0.5..=1.0))
    }
}

/// One process's work on a collection.
pub struct Driver {
    pub(super) db: Db,
    pub(super) id: CollectionId,
    /// Names this process among those that might hold the collection.
    pub(super) holder: String,
    /// Begins the idempotency keys.
    instance: String,
    client: Client,
    model: String,
    pub(super) settings: CollectionSettings,
    parameters: Arc<Map<String, Value>>,
    /// How the endpoint wants requests, and whether it has answered one in this form. Until then, requests are sent one by
    /// one, so that an endpoint that refuses all of them refuses one.
    form: RequestForm,
    is_answered: bool,
    pub(super) work: Work,
    /// Messages by their key, where several requests have the same.
    prompts: HashMap<String, Arc<[ChatMessage]>>,
    pub(super) pace: Pace,
    /// The tests of answers.
    pub(super) testing: Testing,
    /// Requests that wait, with the time from which on they are sent again.
    later: Vec<(i64, Instant)>,
    /// No request is sent before this time.
    not_before: Instant,
    /// Tokens that requests in flight may use.
    reserved: u64,
    /// "Too many requests" in a row, and requests that failed for good in a row.
    limited: u32,
    failures: u32,
}

/// How often a request is sent before this is why it has failed for good.
fn most_attempts(fault: &RequestFault) -> u32 {
    match fault {
        RequestFault::NotJson { .. } | RequestFault::NoChoice | RequestFault::ErrorInAnswer { status: None, .. } => {
            MOST_WRONG_ANSWERS
        }
        _ => MOST_ATTEMPTS,
    }
}

/// The end of an idempotency key: a request in another form is another request, which an endpoint that knows the first one
/// must not answer with its error.
fn form_key(form: RequestForm) -> String {
    let parts =
        [(form.stream, "-stream"), (form.no_stream_options, "-plain"), (form.max_completion_tokens, "-completion")];
    parts.into_iter().filter(|(is_set, _)| *is_set).map(|(_, part)| part).collect()
}

/// A finished HTTP request.
struct Done {
    request: i64,
    sending: Sending,
    messages: Arc<[ChatMessage]>,
    reserved: u64,
    latency: Duration,
    reply: Reply,
}

/// The next step after a request that could not be begun.
enum Begun {
    Sent,
    /// Nothing can be sent now.
    Wait,
    /// Nothing will be sent any more.
    End,
}

impl Driver {
    /// Takes a running collection; `None` if another process has it or it is not running.
    pub async fn take(
        db: &Db,
        id: CollectionId,
        endpoint: &Endpoint,
        pace: Pace,
        engine: &Engine,
    ) -> Result<Option<Driver>, Failure> {
        let holder = hex::encode(rand::rng().random::<[u8; 16]>());
        let held = holder.clone();
        if !db.write(move |tx| collections::hold(tx, id, &held)).await? {
            return Ok(None);
        }
        let load = move |conn: &rusqlite::Connection| {
            let found = collections::get(conn, id)?.ok_or_else(|| Failure::not_found("collection"))?;
            let work = Work::load(conn, &found)?;
            Ok((found, work, copy::instance(conn)?))
        };
        let (Collection { row, settings, form, version, .. }, work, instance) = db.read_long(load).await?;
        let known = form.unwrap_or_default();
        let parameters = super::settings::parameters(&settings.parameters)
            .map_err(|(what, _)| stored::unreadable(collections::COLLECTIONS, id.0, "settings", what.en))?;
        let client =
            Client::new(endpoint, Duration::from_secs(settings.timeout_s.into())).map_err(Failure::internal)?;
        Ok(Some(Driver {
            db: db.clone(),
            id,
            holder,
            instance,
            client,
            model: row.endpoint_model,
            parameters: Arc::new(parameters),
            form: RequestForm { stream: settings.stream.unwrap_or(known.stream), ..known },
            is_answered: form.is_some(),
            settings,
            work,
            prompts: HashMap::new(),
            pace,
            testing: Testing::new(engine, version),
            later: Vec::new(),
            not_before: Instant::now(),
            reserved: 0,
            limited: 0,
            failures: 0,
        }))
    }

    /// Sends requests until none is left or the collection is stopped; then waits for those in flight.
    ///
    /// # Errors
    ///
    /// Fails for internal errors only; the lease is given back, so that another attempt can follow.
    pub async fn run(mut self) -> Result<(), Failure> {
        let ended = self.work().await;
        let (id, holder) = (self.id, self.holder.clone());
        let released = self.db.write(move |tx| collections::release(tx, id, &holder)).await;
        ended.and(released)
    }

    async fn work(&mut self) -> Result<(), Failure> {
        let mut flight: JoinSet<Done> = JoinSet::new();
        let mut look = tokio::time::interval(self.pace.look);
        let mut ended = false;
        loop {
            if !ended {
                self.begin_tests().await?;
            }
            while !ended && flight.len() < self.at_once() && Instant::now() >= self.not_before {
                match self.begin(&mut flight).await? {
                    Begun::Sent => {}
                    Begun::Wait => break,
                    Begun::End => ended = true,
                }
            }
            if ended && flight.is_empty() && self.testing.flight.is_empty() {
                return Ok(());
            }
            let wake = self.wakes();
            tokio::select! {
                Some(done) = flight.join_next() => self.note(done.map_err(Failure::internal)?).await?,
                Some(tested) = self.testing.flight.join_next() => {
                    self.note_tested(tested.map_err(Failure::internal)?).await?;
                }
                () = tokio::time::sleep_until(wake.into()), if !ended => {}
                _ = look.tick() => {
                    let (id, holder) = (self.id, self.holder.clone());
                    match self.db.write(move |tx| collections::renew(tx, id, &holder)).await? {
                        Some(running) => ended |= !running,
                        // Its answers would be refused.
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    fn at_once(&self) -> usize {
        if self.is_answered { self.settings.at_once as usize } else { 1 }
    }

    /// When something may be sent again.
    fn wakes(&self) -> Instant {
        let later = self.later.iter().chain(&self.testing.later).map(|(_, due)| *due).min();
        let next = later.map_or(self.not_before, |due| due.max(self.not_before));
        // In between, finished requests and the regular look wake the loop.
        if next > Instant::now() { next } else { Instant::now() + self.pace.look }
    }

    /// Sends the next request, if there is one and the limits allow it.
    async fn begin(&mut self, flight: &mut JoinSet<Done>) -> Result<Begun, Failure> {
        let now = Instant::now();
        self.later.retain(|(_, due)| *due > now);
        let (id, holder) = (self.id, self.holder.clone());
        let later = self.later.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let read = move |conn: &rusqlite::Connection| {
            Ok((collections::get(conn, id)?, collections::next(conn, id, &holder, &later)?))
        };
        let (Some(found), next) = self.db.read(read).await? else { return Ok(Begun::End) };
        let mut sending = match next {
            Next::Send(sending) => sending,
            Next::Nothing if flight.is_empty() && self.later.is_empty() && self.testing.is_idle() => {
                match self.testing.last_fault.clone() {
                    Some(fault) => self.end(CollectionStatus::Stopped, Some(StopReason::Tests(fault))).await?,
                    None => self.end(CollectionStatus::Finished, None).await?,
                }
                return Ok(Begun::End);
            }
            Next::Nothing => return Ok(Begun::Wait),
            Next::Stopped | Next::Lost => return Ok(Begun::End),
        };
        let row = found.row;
        if self.settings.max_requests.is_some_and(|most| row.sent >= most) {
            return self.limit(flight.is_empty() && self.testing.is_idle(), StopReason::MaxRequests).await;
        }
        let (messages, prompt) = self.messages(&mut sending).await?;
        let used = row.prompt_tokens + row.response_tokens;
        let mean = (row.response_tokens.checked_div(found.responses)).filter(|mean| *mean > 0);
        let response = response_limit(&self.settings).or(mean).unwrap_or(USUAL_RESPONSE);
        let reserved = response + prompts::prompt_tokens(&messages);
        if self.settings.max_tokens.is_some_and(|most| used + self.reserved + reserved > most) {
            return self.limit(flight.is_empty() && self.testing.is_idle(), StopReason::MaxTokens).await;
        }
        let (holder, recorded) = (self.holder.clone(), sending.clone());
        let send = move |tx: &rusqlite::Transaction<'_>| collections::send(tx, id, &holder, &recorded, prompt.as_ref());
        // The next turn of the loop sees what changed.
        let Some(request) = self.db.write(send).await? else { return Ok(Begun::Wait) };
        sending.id = Some(request);
        if let Some(limit) = self.settings.per_minute {
            self.not_before = now + Duration::from_secs(60) / limit.max(1);
        }
        self.reserved += reserved;
        self.send(flight, request, sending, messages, reserved);
        Ok(Begun::Sent)
    }

    fn send(
        &self,
        flight: &mut JoinSet<Done>,
        request: i64,
        sending: Sending,
        messages: Arc<[ChatMessage]>,
        reserved: u64,
    ) {
        let (client, model, parameters) = (self.client.clone(), self.model.clone(), self.parameters.clone());
        let key = format!("aixgrade-{}-{}-{request}{}", self.instance, self.id, form_key(self.form));
        let (form, may_stream) = (self.form, self.settings.stream != Some(false));
        let CollectionSettings { temperature, top_p, seed, response_tokens: max_tokens, .. } = self.settings;
        let seed = seed.map(|seed| seed.wrapping_add(sending.sample.into()));
        flight.spawn(async move {
            let begun = Instant::now();
            let ask = Ask {
                model: &model,
                messages: &messages,
                temperature,
                top_p,
                seed,
                max_tokens,
                parameters: &parameters,
                form,
                may_stream,
            };
            let reply = client.ask(&ask, &key).await;
            Done { request, sending, messages: messages.clone(), reserved, latency: begun.elapsed(), reply }
        });
    }

    /// The messages of a request, and the same to be recorded with it, if they are not stored.
    async fn messages(&mut self, sending: &mut Sending) -> Result<(Arc<[ChatMessage]>, Option<Prompt>), Failure> {
        let id = self.id;
        if let Some(key) = &sending.prompt {
            if let Some(messages) = self.prompts.get(key) {
                return Ok((messages.clone(), None));
            }
            let name = key.clone();
            let stored = self.db.read(move |conn| collections::prompt(conn, id, &name)).await?;
            return Ok((stored.ok_or_else(|| missing_prompt(id, key))?.into(), None));
        }
        if self.settings.way == Some(Way::Dynamic) {
            sending.instruction = Some(0);
        }
        sending.level_order = self.work.level_order(sending);
        let is_shared = matches!(self.work, Work::Outputs(_));
        if let Some(messages) = self.prompts.get(&sending.task_id).filter(|_| is_shared) {
            return Ok((messages.clone(), Some(Prompt { key: sending.task_id.clone(), messages: messages.to_vec() })));
        }
        let (work, settings, of) = (self.work.clone(), self.settings.clone(), sending.clone());
        let (turn, prompt) = self.db.read_long(move |conn| work.first(conn, &settings, &of)).await?;
        sending.turn = turn;
        let messages: Arc<[ChatMessage]> = prompt.messages.clone().into();
        if is_shared {
            self.prompts.insert(prompt.key.clone(), messages.clone());
        }
        Ok((messages, Some(prompt)))
    }

    /// Stops for a limit once no request is in flight, because one may fail and leave room.
    async fn limit(&mut self, is_idle: bool, reason: StopReason) -> Result<Begun, Failure> {
        if !is_idle {
            return Ok(Begun::Wait);
        }
        self.end(CollectionStatus::Stopped, Some(reason)).await?;
        Ok(Begun::End)
    }

    pub(super) async fn end(&self, status: CollectionStatus, reason: Option<StopReason>) -> Result<(), Failure> {
        let (id, holder) = (self.id, self.holder.clone());
        self.db
            .write(move |tx| match collections::renew(tx, id, &holder)? {
                // An admin stopped it first, or another process holds it.
                None | Some(false) => Ok(()),
                Some(true) => collections::set_status(tx, id, status, reason.as_ref()),
            })
            .await
    }

    /// Stores what a request led to.
    async fn note(&mut self, done: Done) -> Result<(), Failure> {
        self.reserved = self.reserved.saturating_sub(done.reserved);
        let (request, attempts) = (done.request, done.sending.attempts);
        match done.reply {
            Reply::Answered(response) => {
                (self.limited, self.failures) = (0, 0);
                self.note_form().await?;
                let counted = (
                    response.prompt_tokens.unwrap_or_else(|| prompts::prompt_tokens(&done.messages)),
                    response.response_tokens.unwrap_or_else(|| {
                        prompts::tokens(&response.text) + response.reasoning.as_deref().map_or(0, prompts::tokens)
                    }),
                );
                let new = NewResponse {
                    text: response.text,
                    reasoning: response.reasoning,
                    refusal: response.refusal,
                    other_parts: response.other_parts,
                    finish_reason: response.finish_reason,
                    reported_model: response.model,
                    prompt_tokens: response.prompt_tokens,
                    response_tokens: response.response_tokens,
                    counted,
                    latency_ms: u64::try_from(done.latency.as_millis()).unwrap_or(u64::MAX),
                };
                self.store(done.sending, &done.messages, new).await
            }
            Reply::Limited { fault, wait } => {
                self.limited += 1;
                let wait = wait.unwrap_or_else(|| self.pace.wait(self.limited));
                self.not_before = self.not_before.max(Instant::now() + wait);
                self.wait(request, Outcome::AgainUncounted, &fault, wait).await?;
                if self.limited >= MOST_LIMITED {
                    self.end(CollectionStatus::Stopped, Some(StopReason::Failing(fault))).await?;
                }
                Ok(())
            }
            Reply::Failed { fault, .. } if attempts >= most_attempts(&fault) => self.failed(request, fault).await,
            Reply::Failed { fault, wait } => {
                let wait = wait.unwrap_or_else(|| self.pace.wait(attempts));
                self.later.push((request, Instant::now() + wait));
                self.wait(request, Outcome::Again, &fault, wait).await
            }
            Reply::OtherForm { form, fault } if !self.is_answered => {
                self.form = form;
                self.fail(request, Outcome::AgainUncounted, &fault).await
            }
            Reply::RefusedField { field, fault } if !self.is_answered => {
                self.fail(request, Outcome::AgainUncounted, &fault).await?;
                self.end(CollectionStatus::Stopped, Some(StopReason::RefusedField { field, fault })).await
            }
            Reply::Refused { fault } | Reply::OtherForm { fault, .. } | Reply::RefusedField { fault, .. } => {
                self.failed(request, fault).await
            }
            Reply::RefusedAll { fault } => {
                self.fail(request, Outcome::AgainUncounted, &fault).await?;
                self.end(CollectionStatus::Stopped, Some(StopReason::Refused(fault))).await
            }
        }
    }

    /// Stores the form in which the endpoint has answered, the first time.
    async fn note_form(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_answered, true) {
            return Ok(());
        }
        let (id, holder, form) = (self.id, self.holder.clone(), self.form);
        self.db.write(move |tx| collections::set_form(tx, id, &holder, form)).await
    }

    /// Stores a response and what it leads to: a judge's scores, or its next turn.
    async fn store(&self, sending: Sending, messages: &Arc<[ChatMessage]>, new: NewResponse) -> Result<(), Failure> {
        let (work, messages, settings) = (self.work.clone(), messages.clone(), self.settings.clone());
        let asked = match (&self.work, sending.output) {
            (Work::Scores(judge), Some(output)) => {
                let judge = judge.clone();
                Some(self.db.read(move |conn| judge.asked(conn, output)).await?)
            }
            _ => None,
        };
        let read = move || {
            let follow = work.follow(asked.as_ref(), &settings, &sending, &messages, &new.text)?;
            Ok::<_, Failure>((follow, sending, new))
        };
        let (follow, sending, new) = tokio::task::spawn_blocking(read).await.map_err(Failure::internal)??;
        let (id, holder) = (self.id, self.holder.clone());
        let store = move |tx: &rusqlite::Transaction<'_>| {
            let counts = collections::answer(tx, id, &holder, &sending, &new, &follow)?;
            if let (true, Follow::Scores(_), Some(output)) = (counts, &follow, sending.output) {
                judgings::set_answer(tx, id, output, &combined(&judgings::answers(tx, id, output)?))?;
            }
            Ok(())
        };
        self.db.write(store).await
    }

    /// Gives a request up. If that happens to several in a row, the collection stops.
    async fn failed(&mut self, request: i64, fault: RequestFault) -> Result<(), Failure> {
        self.failures += 1;
        self.fail(request, Outcome::Failed, &fault).await?;
        if self.failures >= MOST_FAILURES {
            self.end(CollectionStatus::Stopped, Some(StopReason::Failing(fault))).await?;
        }
        Ok(())
    }

    async fn fail(&self, request: i64, outcome: Outcome, fault: &RequestFault) -> Result<(), Failure> {
        let (id, holder, fault) = (self.id, self.holder.clone(), fault.clone());
        self.db.write(move |tx| collections::fail(tx, id, &holder, request, outcome, &fault, None)).await
    }

    /// The same for a request that is sent again after a while.
    async fn wait(&self, request: i64, outcome: Outcome, fault: &RequestFault, wait: Duration) -> Result<(), Failure> {
        let (id, holder, fault) = (self.id, self.holder.clone(), fault.clone());
        let until = Timestamp(clock::now().0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)));
        self.db.write(move |tx| collections::fail(tx, id, &holder, request, outcome, &fault, Some(until))).await
    }
}
