//! The session store of tower-sessions, so that a restart logs nobody out.
//!
//! A row contains the SHA-256 of the session's id, so a copy of the database contains no valid cookie.

use std::collections::HashMap;

use async_trait::async_trait;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tower_sessions_core::{
    SessionStore,
    session::{Id, Record},
    session_store,
};

use super::{
    Db,
    stored::{json, table},
};
use base::error::Failure;

/// A record without its id.
#[derive(Serialize, Deserialize)]
struct Stored {
    data: HashMap<String, Value>,
    expiry_date: OffsetDateTime,
}

impl Stored {
    fn json(record: &Record) -> serde_json::Result<String> {
        serde_json::to_string(&Stored { data: record.data.clone(), expiry_date: record.expiry_date })
    }
}

fn hashed(id: &Id) -> String {
    hex::encode(Sha256::digest(id.to_string()))
}

/// A session store over the program's own database.
#[derive(Clone, Debug)]
pub struct Sessions(pub Db);

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> session_store::Result<()> {
        let mut candidate = record.clone();
        let stored = self
            .0
            .write(move |tx| {
                let mut insert = tx.prepare_cached(
                    "INSERT INTO sessions (id, data, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
                )?;
                // An id is 128 random bits; in the event of a collision, draw another.
                while insert.execute(params![
                    hashed(&candidate.id),
                    Stored::json(&candidate)?,
                    millis(candidate.expiry_date)
                ])? == 0
                {
                    candidate.id = Id::default();
                }
                Ok(candidate.id)
            })
            .await
            .map_err(backend)?;
        record.id = stored;
        Ok(())
    }

    async fn save(&self, record: &Record) -> session_store::Result<()> {
        let record = record.clone();
        self.0
            .write(move |tx| {
                tx.prepare_cached(
                    "INSERT INTO sessions (id, data, expires_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (id) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at",
                )?
                .execute(params![
                    hashed(&record.id),
                    Stored::json(&record)?,
                    millis(record.expiry_date)
                ])?;
                Ok(())
            })
            .await
            .map_err(backend)
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        let (id, key) = (*id, hashed(id));
        self.0
            .read(move |conn| {
                let stored: Option<Stored> = conn
                    .prepare_cached("SELECT id, data FROM sessions WHERE id = ?1 AND expires_at > ?2")?
                    .query_row(params![key, millis(OffsetDateTime::now_utc())], |row| {
                        json(row, table("sessions", &["id"]), "data")
                    })
                    .optional()?;
                Ok(stored.map(|Stored { data, expiry_date }| Record { id, data, expiry_date }))
            })
            .await
            .map_err(backend)
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        let key = hashed(id);
        self.0
            .write(move |tx| {
                tx.execute("DELETE FROM sessions WHERE id = ?1", [key])?;
                Ok(())
            })
            .await
            .map_err(backend)
    }
}

impl Sessions {
    /// Deletes expired sessions; called regularly by the server.
    pub async fn sweep(&self) -> Result<usize, Failure> {
        let now = millis(OffsetDateTime::now_utc());
        self.0.write(move |tx| Ok(tx.execute("DELETE FROM sessions WHERE expires_at <= ?1", [now])?)).await
    }
}

fn millis(t: OffsetDateTime) -> i64 {
    i64::try_from(t.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

fn backend(failure: Failure) -> session_store::Error {
    session_store::Error::Backend(failure.to_string())
}
