//! Access tokens, and the responses stored under idempotency keys.

use model::{
    api::{Scope, TokenRow},
    ids::{ApiTokenId, UserId},
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, types::Null};

use super::{
    page::{self, List, Sort},
    stored::{json, table},
};
use base::{clock, error::Failure};

/// A valid token, for the scope check.
pub struct Live {
    pub id: ApiTokenId,
    pub owner: UserId,
    pub scopes: Vec<Scope>,
    /// Recorded time of the last use.
    pub last_used_at: Option<Timestamp>,
}

/// A new token to store.
pub struct NewRow<'a> {
    pub owner: UserId,
    /// SHA-256 hash of the secret.
    pub secret_hash: &'a str,
    /// First characters of the secret.
    pub prefix: &'a str,
    /// Label.
    pub label: &'a str,
    pub scopes: &'a [Scope],
    /// When it expires.
    pub expires_at: Timestamp,
}

const TOKEN: &str = "t.id, u.name, t.label, t.prefix, t.scopes, t.created_at, t.expires_at, t.last_used_at,
        t.revoked_at,
        t.revoked_at IS NULL AND t.expires_at > ?3 AND u.disabled = 0 AND u.role = 'admin' AS live";
const OWNER: &str = "CROSS JOIN users u ON u.id = t.user_id";

/// A page of the tokens, newest first; only one person's where one is named.
pub fn list(conn: &Connection, owner: Option<UserId>, of: &PageOf) -> Result<Paged<TokenRow>, Failure> {
    let list = List {
        columns: TOKEN,
        table: "api_tokens t",
        joins: OWNER,
        id: "t.id",
        within: if owner.is_some() { "t.user_id = ?4" } else { "" },
        filter: "",
        sorts: &[Sort::number("created", "t.id")],
        usual: "-created",
        search: "t.label || ' ' || u.name",
        filters: &[],
    };
    let (now, owner) = (clock::now().0, owner.map(|id| id.0));
    let params: Vec<&dyn ToSql> = [&now as &dyn ToSql].into_iter().chain(owner.iter().map(|id| id as _)).collect();
    page::page(conn, &list, of, &params, token)
}

/// One token.
pub fn get(conn: &Connection, id: ApiTokenId) -> Result<Option<TokenRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("SELECT {TOKEN} FROM api_tokens t {OWNER} WHERE t.id = ?1"))?;
    Ok(statement.query_row(params![id.0, Null, clock::now().0], token).optional()?)
}

/// Number of a person's valid tokens.
pub fn count_live(conn: &Connection, owner: UserId) -> Result<u32, Failure> {
    Ok(conn.query_row(
        "SELECT count(*) FROM api_tokens WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2",
        params![owner.0, clock::now().0],
        |row| row.get(0),
    )?)
}

/// Stores a token.
pub fn insert(conn: &Connection, new: &NewRow<'_>) -> Result<ApiTokenId, Failure> {
    Ok(ApiTokenId(conn.query_row(
        "INSERT INTO api_tokens (user_id, secret_hash, prefix, label, scopes, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        params![
            new.owner.0,
            new.secret_hash,
            new.prefix,
            new.label,
            serde_json::to_string(new.scopes)?,
            clock::now().0,
            new.expires_at.0
        ],
        |row| row.get(0),
    )?))
}

/// Revokes a token, optionally only if it belongs to `owner`. Returns whether a valid token was revoked.
pub fn revoke(conn: &Connection, id: ApiTokenId, owner: Option<UserId>) -> Result<bool, Failure> {
    let changed = conn.execute(
        "UPDATE api_tokens SET revoked_at = ?3
         WHERE id = ?1 AND (?2 IS NULL OR user_id = ?2) AND revoked_at IS NULL",
        params![id.0, owner.map(|id| id.0), clock::now().0],
    )?;
    Ok(changed > 0)
}

/// The valid token with this hash.
pub fn live(conn: &Connection, secret_hash: &str) -> Result<Option<Live>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT id, user_id, scopes, last_used_at FROM api_tokens
             WHERE secret_hash = ?1 AND revoked_at IS NULL AND expires_at > ?2",
        )?
        .query_row(params![secret_hash, clock::now().0], |row| {
            Ok(Live {
                id: ApiTokenId(row.get("id")?),
                owner: UserId(row.get("user_id")?),
                scopes: json(row, table("api_tokens", &["id"]), "scopes")?,
                last_used_at: row.get::<_, Option<i64>>("last_used_at")?.map(Timestamp),
            })
        })
        .optional()?;
    Ok(found)
}

/// Records the use of a token.
pub fn touch(conn: &Connection, id: ApiTokenId) -> Result<(), Failure> {
    conn.execute("UPDATE api_tokens SET last_used_at = ?2 WHERE id = ?1", params![id.0, clock::now().0])?;
    Ok(())
}

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status.
    pub status: u16,
    /// Media type of the body.
    pub content_type: Option<String>,
    /// `Location` of the created resource.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// State of an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key was unused and is now claimed by this request.
    Unused,
    /// A different request used the key.
    OtherRequest,
    /// The same request is in progress, or was when the server stopped.
    InProgress,
    /// The same request got this response.
    Answered(StoredResponse),
}

/// Claims a key for a request, or returns its state.
pub fn claim_key(conn: &Connection, token: ApiTokenId, key: &str, request_hash: &str) -> Result<KeyState, Failure> {
    type Found = (String, Option<u16>, Option<String>, Option<String>, Option<Vec<u8>>);
    let found: Option<Found> = conn
        .prepare_cached(
            "SELECT request_hash, status, content_type, location, body FROM idempotency_keys
             WHERE token_id = ?1 AND key = ?2",
        )?
        .query_row(params![token.0, key], |row| {
            Ok((
                row.get("request_hash")?,
                row.get("status")?,
                row.get("content_type")?,
                row.get("location")?,
                row.get("body")?,
            ))
        })
        .optional()?;
    Ok(match found {
        None => {
            conn.execute(
                "INSERT INTO idempotency_keys (token_id, key, request_hash, created_at) VALUES (?1, ?2, ?3, ?4)",
                params![token.0, key, request_hash, clock::now().0],
            )?;
            KeyState::Unused
        }
        Some((hash, ..)) if hash != request_hash => KeyState::OtherRequest,
        Some((_, None, ..)) => KeyState::InProgress,
        Some((_, Some(status), content_type, location, body)) => {
            KeyState::Answered(StoredResponse { status, content_type, location, body: body.unwrap_or_default() })
        }
    })
}

/// Stores the response of a key's request.
pub fn store_response(
    conn: &Connection,
    token: ApiTokenId,
    key: &str,
    response: &StoredResponse,
) -> Result<(), Failure> {
    conn.execute(
        "UPDATE idempotency_keys SET status = ?3, content_type = ?4, location = ?5, body = ?6
         WHERE token_id = ?1 AND key = ?2",
        params![token.0, key, response.status, response.content_type, response.location, response.body],
    )?;
    Ok(())
}

/// Releases a key whose request changed nothing.
pub fn free_key(conn: &Connection, token: ApiTokenId, key: &str) -> Result<(), Failure> {
    conn.execute("DELETE FROM idempotency_keys WHERE token_id = ?1 AND key = ?2", params![token.0, key])?;
    Ok(())
}

/// Deletes keys older than `older`.
pub fn forget_keys(conn: &Connection, older: Timestamp) -> Result<(), Failure> {
    conn.execute("DELETE FROM idempotency_keys WHERE created_at < ?1", [older.0])?;
    Ok(())
}

fn token(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
    Ok(TokenRow {
        id: ApiTokenId(row.get("id")?),
        owner: row.get("name")?,
        label: row.get("label")?,
        prefix: row.get("prefix")?,
        scopes: json(row, table("api_tokens", &["id"]), "scopes")?,
        created_at: Timestamp(row.get("created_at")?),
        expires_at: Timestamp(row.get("expires_at")?),
        last_used_at: row.get::<_, Option<i64>>("last_used_at")?.map(Timestamp),
        revoked_at: row.get::<_, Option<i64>>("revoked_at")?.map(Timestamp),
        live: row.get("live")?,
    })
}
