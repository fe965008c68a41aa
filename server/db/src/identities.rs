//! Accounts at an identity provider, by which people log in.

use model::ids::UserId;
use rusqlite::{Connection, OptionalExtension, params};

use base::{clock, error::Failure};

/// The account that this identity belongs to.
pub fn owner(conn: &Connection, issuer: &str, subject: &str) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached("SELECT user_id FROM identities WHERE issuer = ?1 AND subject = ?2")?
        .query_row([issuer, subject], |row| Ok(UserId(row.get(0)?)))
        .optional()?)
}

/// Links an identity to an account. Returns whether it was free.
pub fn link(conn: &Connection, issuer: &str, subject: &str, user: UserId) -> Result<bool, Failure> {
    let linked = conn.execute(
        "INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (issuer, subject) DO NOTHING",
        params![issuer, subject, user.0, clock::now().0],
    )?;
    Ok(linked > 0)
}

/// Whether an identity is linked to an account.
pub fn is_linked(conn: &Connection, user: UserId) -> Result<bool, Failure> {
    let mut statement = conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM identities WHERE user_id = ?1)")?;
    Ok(statement.query_row([user.0], |row| row.get(0))?)
}

/// Removes all links of an account. Returns how many there were.
pub fn unlink(conn: &Connection, user: UserId) -> Result<usize, Failure> {
    Ok(conn.execute("DELETE FROM identities WHERE user_id = ?1", [user.0])?)
}
