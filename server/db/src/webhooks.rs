//! Webhooks and their deliveries. Triggers write deliveries about runs and studies in the
//! transaction of the event.

use model::{
    api::{DeliveryRow, DeliveryState, WebhookEvent},
    fault::RequestFault,
    ids::{DeliveryId, UserId, WebhookId},
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    page::{self, List, Sort},
    stored::{Table, json, optional_json, parsed, table},
};
use base::{clock, error::Failure};

/// For queries with the delivery's number as `id`.
const DELIVERIES: Table = table("webhook_deliveries", &["id"]);

/// A stored webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The webhook.
    pub id: WebhookId,
    /// The address of its deliveries.
    pub url: String,
    /// Signing secret.
    pub secret: String,
    /// Its events.
    pub events: Vec<WebhookEvent>,

    pub created_at: Timestamp,
}

/// A claimed delivery.
#[derive(Clone, Debug)]
pub struct Due {
    /// The delivery's row.
    pub row: DeliveryRow,
    pub webhook: WebhookId,
    /// The body, once it has been composed.
    pub body: Option<String>,
}

const WEBHOOK: &str = "id, url, secret, events, created_at";
const DELIVERY: &str = "id, event, subject, state, attempts, status, error, created_at, next_at, webhook_id, body";

/// Every webhook, newest first.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<Webhook>, Failure> {
    let list = List {
        columns: WEBHOOK,
        table: "webhooks w",
        joins: "",
        id: "w.id",
        within: "",
        filter: "",
        sorts: &[Sort::number("created", "w.id")],
        usual: "-created",
        search: "",
        filters: &[],
    };
    page::page(conn, &list, of, &[], webhook)
}

/// One webhook.
pub fn get(conn: &Connection, id: WebhookId) -> Result<Option<Webhook>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {WEBHOOK} FROM webhooks WHERE id = ?1"))?
        .query_row([id.0], webhook)
        .optional()?)
}

/// Stores a webhook.
pub fn insert(
    conn: &Connection,
    url: &str,
    secret: &str,
    events: &[WebhookEvent],
    by: Option<UserId>,
) -> Result<WebhookId, Failure> {
    Ok(WebhookId(conn.query_row(
        "INSERT INTO webhooks (url, secret, events, created_by, created_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        params![url, secret, serde_json::to_string(events)?, by.map(|id| id.0), clock::now().0],
        |row| row.get(0),
    )?))
}

/// Deletes a webhook with its deliveries. Returns whether it existed.
pub fn remove(conn: &Connection, id: WebhookId) -> Result<bool, Failure> {
    Ok(conn.execute("DELETE FROM webhooks WHERE id = ?1", [id.0])? > 0)
}

/// Writes a test delivery that its sender delivers at once; for others it becomes due later.
pub fn insert_test(conn: &Connection, webhook: WebhookId, next_at: Timestamp) -> Result<DeliveryId, Failure> {
    Ok(DeliveryId(conn.query_row(
        "INSERT INTO webhook_deliveries (webhook_id, event, state, created_at, next_at)
         VALUES (?1, 'test', 'waiting', ?2, ?3) RETURNING id",
        params![webhook.0, clock::now().0, next_at.0],
        |row| row.get(0),
    )?))
}

/// A page of a webhook's messages, newest first.
pub fn deliveries(conn: &Connection, webhook: WebhookId, of: &PageOf) -> Result<Paged<DeliveryRow>, Failure> {
    let list = List {
        columns: DELIVERY,
        table: "webhook_deliveries d",
        joins: "",
        id: "d.id",
        within: "d.webhook_id = ?3",
        filter: "",
        sorts: &[Sort::number("created", "d.id")],
        usual: "-created",
        search: "",
        filters: &[],
    };
    page::page(conn, &list, of, &[&webhook.0], |row| Ok(due(row)?.row))
}

/// One delivery.
pub fn delivery(conn: &Connection, id: DeliveryId) -> Result<Option<Due>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {DELIVERY} FROM webhook_deliveries WHERE id = ?1"))?
        .query_row([id.0], due)
        .optional()?)
}

/// Whether any delivery is due now.
pub fn is_due(conn: &Connection) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM webhook_deliveries WHERE state = 'waiting' AND next_at <= ?1 LIMIT 1";
    Ok(conn.prepare_cached(query)?.exists([clock::now().0])?)
}

/// Claims the delivery that has been due longest until `until`. If the server stops during an attempt, the
/// delivery is retried after that time.
pub fn claim(conn: &Connection, until: Timestamp) -> Result<Option<Due>, Failure> {
    let found = conn
        .prepare_cached(&format!("SELECT {DELIVERY} FROM webhook_deliveries WHERE state = 'waiting' AND next_at <= ?1 ORDER BY next_at, id LIMIT 1"))?
        .query_row([clock::now().0], due)
        .optional()?;
    if let Some(due) = &found {
        conn.execute("UPDATE webhook_deliveries SET next_at = ?2 WHERE id = ?1", params![due.row.id.0, until.0])?;
    }
    Ok(found)
}

/// Stores a delivery's body, so that every attempt sends the same.
pub fn set_body(conn: &Connection, id: DeliveryId, body: &str) -> Result<(), Failure> {
    conn.execute("UPDATE webhook_deliveries SET body = ?2 WHERE id = ?1", params![id.0, body])?;
    Ok(())
}

/// Result of a delivery attempt.
pub struct Tried<'a> {
    /// New state of the delivery.
    pub state: DeliveryState,
    /// HTTP status of the response.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<&'a RequestFault>,
    /// Time of the next attempt.
    pub next_at: Option<Timestamp>,
}

/// Records the result of an attempt.
pub fn tried(conn: &Connection, id: DeliveryId, tried: &Tried<'_>) -> Result<(), Failure> {
    conn.execute(
        "UPDATE webhook_deliveries SET state = ?2, attempts = attempts + 1, status = ?3, error = ?4, next_at = ?5
         WHERE id = ?1",
        params![
            id.0,
            tried.state.name(),
            tried.status,
            tried.error.map(serde_json::to_string).transpose()?,
            tried.next_at.map(|at| at.0)
        ],
    )?;
    Ok(())
}

/// Makes a failed delivery due now, for one more attempt; its webhook, or `None` if it has not failed.
pub fn retry(conn: &Connection, id: DeliveryId) -> Result<Option<WebhookId>, Failure> {
    Ok(conn
        .prepare_cached(
            "UPDATE webhook_deliveries SET state = 'waiting', next_at = ?2 WHERE id = ?1 AND state = 'failed'
             RETURNING webhook_id",
        )?
        .query_row(params![id.0, clock::now().0], |row| row.get(0).map(WebhookId))
        .optional()?)
}

/// Deletes finished deliveries older than `older`.
pub fn forget(conn: &Connection, older: Timestamp) -> Result<(), Failure> {
    conn.execute("DELETE FROM webhook_deliveries WHERE state <> 'waiting' AND created_at < ?1", [older.0])?;
    Ok(())
}

fn webhook(row: &Row<'_>) -> rusqlite::Result<Webhook> {
    Ok(Webhook {
        id: WebhookId(row.get("id")?),
        url: row.get("url")?,
        secret: row.get("secret")?,
        events: json(row, table("webhooks", &["id"]), "events")?,
        created_at: Timestamp(row.get("created_at")?),
    })
}

fn due(row: &Row<'_>) -> rusqlite::Result<Due> {
    Ok(Due {
        row: DeliveryRow {
            id: DeliveryId(row.get("id")?),
            event: parsed(row, DELIVERIES, "event")?,
            subject: row.get("subject")?,
            state: parsed(row, DELIVERIES, "state")?,
            attempts: row.get("attempts")?,
            status: row.get("status")?,
            error: optional_json(row, DELIVERIES, "error")?,
            created_at: Timestamp(row.get("created_at")?),
            next_at: row.get::<_, Option<i64>>("next_at")?.map(Timestamp),
        },
        webhook: WebhookId(row.get("webhook_id")?),
        body: row.get("body")?,
    })
}
