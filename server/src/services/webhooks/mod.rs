//! Webhooks: who hears of ends, and the queue of messages to them.
//!
//! A message is written by the transaction that it tells of (triggers, migration 0006), so it survives
//! a kill like everything else. It is sent at least once: its id is the same at every try. Nothing is
//! sent to a host that the operator does not allow, whatever the database says.

mod post;

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use app::{
    error::AppError,
    model::{
        api::{DeliveryRow, DeliveryState, MadeWebhook, NewWebhook, WebhookEvent, WebhookRow},
        ids::{DeliveryId, RunId, StudyId, WebhookId},
        run::RunRow,
        study::StudyRow,
        time::Timestamp,
    },
    port::{Answer, Caller, Runs, Studies, api::Webhooks},
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use rand::Rng;
use serde::Serialize;
use tokio::sync::Semaphore;

pub use self::post::{Origins, sign};
use self::post::{Poster, Sent};
use super::{runs::RunService, studies::StudyService};
use crate::{
    clock,
    db::{
        Db, audit,
        webhooks::{self, Due, Tried, Webhook},
    },
    error::Failure,
};

/// Waits between tries, in seconds: minutes for a restart over there, half a day for a bad night.
const WAITS_S: [i64; 8] = [10, 60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 12 * 3600];
/// How long a message that was taken is left to its taker, in milliseconds: several times what one try may take.
const LEASE_MS: i64 = 60 * 1000;
/// How often the queue is looked at while nothing is due.
const LOOK: Duration = Duration::from_secs(1);
/// Messages on their way at once: one slow host does not hold up the rest.
const AT_ONCE: usize = 4;
/// Messages that the log shows of one webhook.
const SHOWN: u32 = 50;
/// Messages at their end are forgotten after so long, in milliseconds.
const KEEP_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// Webhooks in all: each is a message for every end.
const MOST: usize = 50;

/// The service; see the module.
#[derive(Clone)]
pub struct WebhookService(Arc<Inner>);

struct Inner {
    db: Db,
    runs: Arc<RunService>,
    studies: Arc<StudyService>,
    origins: RwLock<Origins>,
    poster: Poster,
}

/// A message's body (the form of standardwebhooks.com). It holds no secret and no rater.
#[derive(Serialize)]
struct Message {
    r#type: WebhookEvent,
    /// When it happened, RFC 3339.
    timestamp: String,
    data: Data,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Data {
    Run(Box<RunRow>),
    Study(Box<StudyRow>),
    Test {
        /// The webhook that was tested.
        webhook: WebhookId,
    },
}

impl WebhookService {
    /// A service over `db`. Until [`WebhookService::allow`] is called, no host is allowed.
    pub fn new(db: Db, runs: Arc<RunService>, studies: Arc<StudyService>) -> Self {
        let origins = RwLock::new(Origins::default());
        WebhookService(Arc::new(Inner { db, runs, studies, origins, poster: Poster::default() }))
    }

    /// Sets the origins that messages may go to: the operator's decision.
    pub fn allow(&self, origins: Origins) {
        *self.0.origins.write().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    fn allows(&self, url: &str) -> bool {
        self.0.origins.read().unwrap_or_else(PoisonError::into_inner).allow(url)
    }

    /// Sends messages as they fall due, until the process ends.
    pub async fn serve(self) {
        let slots = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let Ok(slot) = slots.clone().acquire_owned().await else { return };
            match self.take_due().await {
                Ok(Some(due)) => {
                    let service = self.clone();
                    tokio::spawn(async move {
                        service.log(service.deliver(due).await.map(drop));
                        drop(slot);
                    });
                }
                Ok(None) => {
                    drop(slot);
                    tokio::time::sleep(LOOK).await;
                }
                Err(failure) => {
                    self.log(Err(failure));
                    tokio::time::sleep(LOOK).await;
                }
            }
        }
    }

    /// Sends everything that is due now, one after the other; how many tries that were.
    ///
    /// # Errors
    /// Our own failure; what the other side does is written down with the message.
    pub async fn deliver_due(&self) -> Result<usize, Failure> {
        let mut tries = 0;
        while let Some(due) = self.take_due().await? {
            self.deliver(due).await?;
            tries += 1;
        }
        Ok(tries)
    }

    async fn take_due(&self) -> Result<Option<Due>, Failure> {
        // Looked at without a lock first: it is nearly always empty.
        if !self.0.db.read(webhooks::is_due).await? {
            return Ok(None);
        }
        let until = Timestamp(clock::now().0 + LEASE_MS);
        self.0.db.write(move |tx| webhooks::claim(tx, until)).await
    }

    async fn deliver(&self, due: Due) -> Result<DeliveryRow, Failure> {
        let (id, webhook) = (due.row.id, due.webhook);
        let found = self.0.db.read(move |conn| webhooks::get(conn, webhook)).await?;
        let webhook = found.ok_or_else(|| Failure::not_found("webhook"))?;
        let body = match due.body {
            Some(body) => body,
            None => self.compose(&due.row, webhook.id).await?,
        };
        let sent = if self.allows(&webhook.url) {
            self.0.poster.post(&webhook.url, &webhook.secret, id, &body).await
        } else {
            Sent::Failed { status: None, why: "the operator does not allow this host (--webhook-host)".into() }
        };
        self.note(id, due.row.attempts, sent).await
    }

    async fn note(&self, id: DeliveryId, attempts: u32, sent: Sent) -> Result<DeliveryRow, Failure> {
        self.0
            .db
            .write(move |tx| {
                let wait = WAITS_S.get(attempts as usize).map(|s| Timestamp(clock::now().0 + s * 1000));
                let tried = match &sent {
                    Sent::Taken { status } => {
                        Tried { state: DeliveryState::Delivered, status: Some(*status), error: None, next_at: None }
                    }
                    Sent::Failed { status, why } => Tried {
                        state: if wait.is_some() { DeliveryState::Waiting } else { DeliveryState::Failed },
                        status: *status,
                        error: Some(why),
                        next_at: wait,
                    },
                };
                webhooks::tried(tx, id, &tried)?;
                webhooks::forget(tx, Timestamp(clock::now().0 - KEEP_MS))?;
                // Removed with its webhook meanwhile: then there is nothing to tell.
                Ok(webhooks::delivery(tx, id)?.ok_or_else(|| Failure::not_found("message"))?.row)
            })
            .await
    }

    /// What a message says, kept so that every try says the same.
    async fn compose(&self, row: &DeliveryRow, webhook: WebhookId) -> Result<String, Failure> {
        let caller = Caller::Operator;
        let data = match (row.event, row.subject) {
            (WebhookEvent::RunEnded, Some(id)) => Data::Run(Box::new(self.0.runs.get(&caller, RunId(id)).await?.row)),
            (WebhookEvent::StudyClosed, Some(id)) => {
                Data::Study(Box::new(self.0.studies.get(&caller, StudyId(id)).await?.row))
            }
            _ => Data::Test { webhook },
        };
        let message = Message { r#type: row.event, timestamp: row.created_at.rfc3339(), data };
        let (id, body) = (row.id, serde_json::to_string(&message)?);
        let kept = body.clone();
        self.0.db.write(move |tx| webhooks::set_body(tx, id, &kept)).await?;
        Ok(body)
    }

    fn log(&self, outcome: Result<(), Failure>) {
        match outcome {
            // Removed in the middle of a try: nobody waits for it.
            Ok(()) | Err(Failure::App(AppError::NotFound(_))) => {}
            Err(failure) => {
                let _logged = AppError::from(failure);
            }
        }
    }

    async fn row(&self, webhook: Webhook) -> Result<WebhookRow, Failure> {
        let id = webhook.id;
        let last = self.0.db.read(move |conn| webhooks::deliveries(conn, id, 1)).await?.pop();
        Ok(WebhookRow {
            id,
            allowed: self.allows(&webhook.url),
            url: webhook.url,
            events: webhook.events,
            created_at: webhook.created_at,
            last,
        })
    }
}

#[async_trait]
impl Webhooks for WebhookService {
    async fn list(&self, caller: &Caller) -> Answer<Vec<WebhookRow>> {
        caller.admin()?;
        let mut rows = Vec::new();
        for webhook in self.0.db.read(webhooks::list).await? {
            rows.push(self.row(webhook).await?);
        }
        Ok(rows)
    }

    async fn origins(&self, caller: &Caller) -> Answer<Vec<String>> {
        caller.admin()?;
        Ok(self.0.origins.read().unwrap_or_else(PoisonError::into_inner).names())
    }

    async fn create(&self, caller: &Caller, new: NewWebhook) -> Answer<MadeWebhook> {
        caller.admin()?;
        let url = post::checked(&new.url)?;
        if !self.allows(&url) {
            return Err(AppError::invalid(
                "url",
                ("the operator does not allow webhooks to this host", "运维人员不允许向此主机发送 Webhook"),
                (
                    "Start the server with --webhook-host and the address without its path, such as https://hooks.example.org",
                    "启动服务器时加上 --webhook-host 和不含路径的地址，例如 https://hooks.example.org",
                ),
            ));
        }
        let mut events = new.events;
        events.sort_unstable();
        events.dedup();
        if events.contains(&WebhookEvent::Test) {
            return Err(AppError::invalid(
                "events",
                ("the event \"test\" is sent only on request", "“test” 事件只能手动发送"),
                ("Leave it out", "请将其去掉"),
            ));
        }
        if events.is_empty() {
            events = WebhookEvent::CHOICES.to_vec();
        }
        let secret = format!("whsec_{}", BASE64_STANDARD.encode(rand::rng().random::<[u8; 32]>()));
        let (caller, shown) = (caller.clone(), secret.clone());
        let webhook = self
            .0
            .db
            .write(move |tx| {
                if webhooks::list(tx)?.len() >= MOST {
                    return Err(Failure::conflict((
                        format!("There are already {MOST} webhooks. Delete one first."),
                        format!("已有 {MOST} 个 Webhook，请先删除一个。"),
                    )));
                }
                let id = webhooks::insert(tx, &url, &secret, &events, caller.id())?;
                audit::note(tx, &caller, audit::Action::WebhookCreate, &format!("{id}: {url}"))?;
                webhooks::get(tx, id)?.ok_or_else(|| Failure::internal("a webhook just made is not there"))
            })
            .await?;
        Ok(MadeWebhook { row: self.row(webhook).await?, secret: shown })
    }

    async fn remove(&self, caller: &Caller, id: WebhookId) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .0
            .db
            .write(move |tx| {
                if !webhooks::remove(tx, id)? {
                    return Err(Failure::not_found("webhook"));
                }
                audit::note(tx, &caller, audit::Action::WebhookRemove, &id.to_string())
            })
            .await?)
    }

    async fn test(&self, caller: &Caller, id: WebhookId) -> Answer<DeliveryRow> {
        caller.admin()?;
        let caller = caller.clone();
        let due = self
            .0
            .db
            .write(move |tx| {
                webhooks::get(tx, id)?.ok_or_else(|| Failure::not_found("webhook"))?;
                let delivery = webhooks::insert_test(tx, id, Timestamp(clock::now().0 + LEASE_MS))?;
                audit::note(tx, &caller, audit::Action::WebhookTest, &id.to_string())?;
                webhooks::delivery(tx, delivery)?.ok_or_else(|| Failure::internal("a message just made is not there"))
            })
            .await?;
        Ok(self.deliver(due).await?)
    }

    async fn deliveries(&self, caller: &Caller, id: WebhookId) -> Answer<Vec<DeliveryRow>> {
        caller.admin()?;
        Ok(self
            .0
            .db
            .read(move |conn| {
                webhooks::get(conn, id)?.ok_or_else(|| Failure::not_found("webhook"))?;
                webhooks::deliveries(conn, id, SHOWN)
            })
            .await?)
    }
}
