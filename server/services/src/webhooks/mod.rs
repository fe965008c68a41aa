//! Webhooks: their addresses, and the queue of deliveries.
//!
//! A delivery is written by the transaction that it reports (triggers of the schema), so it survives a
//! kill like everything else. It is sent at least once, with the same id each time. Nothing is sent to a
//! host that the operator does not allow, whatever the database contains.

mod post;

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use model::{
    api::{CreatedWebhook, DeliveryRow, DeliveryState, NewWebhook, WebhookEvent, WebhookRow},
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Admin, System},
    error::{Answer, AppError},
    fault::RequestFault,
    ids::{DeliveryId, RunId, StudyId, WebhookId},
    page::{PageOf, Paged},
    run::RunRow,
    study::StudyRow,
    time::{DAY_MS, Timestamp},
};
use port::{Runs, Studies, api::Webhooks};
use rand::Rng;
use rusqlite::Transaction;
use serde::Serialize;

pub use self::post::{Origins, sign};
use self::post::{Poster, Sent};
use super::{
    queue::{self, Queue},
    runs::RunService,
    studies::StudyService,
};
use base::{clock, error::Failure};
use db::{
    Db,
    audit::Change,
    webhooks::{self, Due, Tried, Webhook},
};

/// How long a delivery is reserved for the worker that took it, in milliseconds: several times the duration
/// of an attempt.
const LEASE_MS: i64 = 60 * 1000;
/// Finished deliveries are deleted after this time, in milliseconds.
const KEEP_MS: i64 = 90 * DAY_MS;
/// Maximum number of webhooks: each gets a delivery per event.
const MOST: usize = 50;

#[derive(Clone)]
pub struct WebhookService(Arc<Inner>);

struct Inner {
    db: Db,
    runs: Arc<RunService>,
    studies: Arc<StudyService>,
    origins: RwLock<Origins>,
    poster: Poster,
}

/// Body of a delivery (in the form of standardwebhooks.com). It contains no secret and no rater.
#[derive(Serialize)]
struct Message {
    r#type: WebhookEvent,
    /// Time of the event, RFC 3339.
    timestamp: String,
    data: Data,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Data {
    Run(Box<RunRow>),
    Study(Box<StudyRow>),
    Test {
        /// The tested webhook.
        webhook: WebhookId,
    },
}

impl WebhookService {
    /// Until [`WebhookService::allow`] is called, no host is allowed.
    pub fn new(db: Db, runs: Arc<RunService>, studies: Arc<StudyService>) -> Self {
        let origins = RwLock::new(Origins::default());
        WebhookService(Arc::new(Inner { db, runs, studies, origins, poster: Poster::default() }))
    }

    /// Sets the allowed origins: the operator's decision.
    pub fn allow(&self, origins: Origins) {
        *self.0.origins.write().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    fn allows(&self, url: &str) -> bool {
        self.0.origins.read().unwrap_or_else(PoisonError::into_inner).allow(url)
    }

    /// Sends deliveries when they are due, until the process ends.
    pub async fn serve(self) {
        queue::serve(self).await;
    }

    /// Sends everything that is due now, one after the other; returns the number of attempts.
    ///
    /// # Errors
    ///
    /// Fails only for internal errors; failures of the receiver are recorded with the delivery.
    pub async fn deliver_due(&self) -> Result<usize, Failure> {
        queue::deliver_due(self).await
    }

    async fn attempt(&self, due: Due) -> Result<DeliveryRow, Failure> {
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
            Sent::Failed { status: None, why: RequestFault::HostNotAllowed }
        };
        self.note(id, due.row.attempts, sent).await
    }

    async fn note(&self, id: DeliveryId, attempts: u32, sent: Sent) -> Result<DeliveryRow, Failure> {
        self.0
            .db
            .write(move |tx| {
                let wait = queue::next_attempt(attempts, clock::now());
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
                // Deleted with its webhook meanwhile: nothing to send.
                Ok(webhooks::delivery(tx, id)?.ok_or_else(|| Failure::not_found("message"))?.row)
            })
            .await
    }

    /// Content of a delivery, stored so that every attempt sends the same.
    async fn compose(&self, row: &DeliveryRow, webhook: WebhookId) -> Result<String, Failure> {
        let admin = System.admin();
        let data = match (row.event, row.subject) {
            (WebhookEvent::RunEnded, Some(id)) => Data::Run(Box::new(self.0.runs.get(&admin, RunId(id)).await?.row)),
            (WebhookEvent::StudyClosed, Some(id)) => {
                Data::Study(Box::new(self.0.studies.get(&admin, StudyId(id)).await?.row))
            }
            _ => Data::Test { webhook },
        };
        let message = Message { r#type: row.event, timestamp: row.created_at.rfc3339(), data };
        let (id, body) = (row.id, serde_json::to_string(&message)?);
        let kept = body.clone();
        self.0.db.write(move |tx| webhooks::set_body(tx, id, &kept)).await?;
        Ok(body)
    }

    async fn row(&self, webhook: Webhook) -> Result<WebhookRow, Failure> {
        let id = webhook.id;
        let last = self.0.db.read(move |conn| webhooks::deliveries(conn, id, &PageOf::first(1))).await?.rows.pop();
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

impl Queue for WebhookService {
    type Due = Due;

    async fn take_due(&self) -> Result<Option<Due>, Failure> {
        // Checked without a lock first, because it is nearly always empty.
        if !self.0.db.read(webhooks::is_due).await? {
            return Ok(None);
        }
        let until = Timestamp(clock::now().0 + LEASE_MS);
        self.0.db.write(move |tx| webhooks::claim(tx, until)).await
    }

    async fn deliver(&self, due: Due) -> Result<(), Failure> {
        self.attempt(due).await.map(drop)
    }
}

#[async_trait]
impl Webhooks for WebhookService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<WebhookRow>> {
        let page = self.0.db.read(move |conn| webhooks::list(conn, &of)).await?;
        let mut rows = Vec::with_capacity(page.rows.len());
        for webhook in page.rows {
            rows.push(self.row(webhook).await?);
        }
        Ok(Paged { rows, previous: page.previous, next: page.next, found: page.found })
    }

    async fn origins(&self, _: &Admin) -> Answer<Vec<String>> {
        Ok(self.0.origins.read().unwrap_or_else(PoisonError::into_inner).names())
    }

    async fn create(&self, admin: &Admin, new: NewWebhook) -> Answer<CreatedWebhook> {
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
                ("Remove it", "请将其去掉"),
            ));
        }
        if events.is_empty() {
            events = WebhookEvent::CHOICES.to_vec();
        }
        let secret = format!("whsec_{}", BASE64_STANDARD.encode(rand::rng().random::<[u8; 32]>()));
        let (by, shown) = (admin.id(), secret.clone());
        let webhook = self
            .0
            .db
            .write_audited(admin, Action::WebhookCreate, move |tx| {
                if webhooks::list(tx, &PageOf::first(PageOf::MOST))?.rows.len() >= MOST {
                    return Err(Failure::conflict((
                        format!("There are already {MOST} webhooks. Delete one first."),
                        format!("已有 {MOST} 个 Webhook，请先删除一个。"),
                    )));
                }
                let id = webhooks::insert(tx, &url, &secret, &events, by)?;
                let row = webhooks::get(tx, id)?.ok_or_else(|| Failure::internal("the new webhook is missing"))?;
                Ok(Change::of(Object::Webhook(id), [Fact::Url(url)], row))
            })
            .await?;
        Ok(CreatedWebhook { row: self.row(webhook).await?, secret: shown })
    }

    async fn remove(&self, admin: &Admin, id: WebhookId) -> Answer<()> {
        let remove = move |tx: &Transaction<'_>| {
            if !webhooks::remove(tx, id)? {
                return Err(Failure::not_found("webhook"));
            }
            Ok(Change::of(Object::Webhook(id), [], ()))
        };
        Ok(self.0.db.write_audited(admin, Action::WebhookRemove, remove).await?)
    }

    async fn test(&self, admin: &Admin, id: WebhookId) -> Answer<DeliveryRow> {
        let due = self
            .0
            .db
            .write_audited(admin, Action::WebhookTest, move |tx| {
                webhooks::get(tx, id)?.ok_or_else(|| Failure::not_found("webhook"))?;
                let delivery = webhooks::insert_test(tx, id, Timestamp(clock::now().0 + LEASE_MS))?;
                let due = webhooks::delivery(tx, delivery)?
                    .ok_or_else(|| Failure::internal("the new delivery is missing"))?;
                Ok(Change::of(Object::Webhook(id), [], due))
            })
            .await?;
        Ok(self.attempt(due).await?)
    }

    async fn deliveries(&self, _: &Admin, id: WebhookId, of: PageOf) -> Answer<Paged<DeliveryRow>> {
        Ok(self
            .0
            .db
            .read(move |conn| {
                webhooks::get(conn, id)?.ok_or_else(|| Failure::not_found("webhook"))?;
                webhooks::deliveries(conn, id, &of)
            })
            .await?)
    }
}
