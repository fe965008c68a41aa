//! Failed logins and the browsers that are exempt from other people's failures.

use model::{ids::UserId, time::Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use base::error::Failure;

/// Maximum number of subjects with failures. Each is a row of about 100 bytes, so requests without an
/// account occupy at most some 5 MB; the subjects whose last failure is oldest are deleted first.
pub const MOST_SUBJECTS: i64 = 50_000;
/// Maximum number of browsers remembered for an account; the one whose last login is oldest is deleted
/// first.
const MOST_DEVICES: u32 = 20;

/// A subject's consecutive failures, and the time of the last one.
pub fn failures(conn: &Connection, subject: &str) -> Result<(u32, Timestamp), Failure> {
    let found = conn
        .prepare_cached("SELECT failures, last_at FROM login_failures WHERE subject = ?1")?
        .query_row([subject], |row| Ok((row.get("failures")?, Timestamp(row.get("last_at")?))))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Stores the failures of a subject, as of `now`.
pub fn set_failures(conn: &Connection, subject: &str, failures: u32, now: Timestamp) -> Result<(), Failure> {
    // REPLACE gives the row the highest rowid; see `MOST_SUBJECTS`.
    conn.prepare_cached("REPLACE INTO login_failures (subject, failures, last_at) VALUES (?1, ?2, ?3)")?
        .execute(params![subject, failures, now.0])?;
    conn.prepare_cached("DELETE FROM login_failures WHERE rowid <= (SELECT max(rowid) FROM login_failures) - ?1")?
        .execute([MOST_SUBJECTS])?;
    Ok(())
}

/// Subtracts one failure that was counted before its outcome was known.
pub fn uncount_failure(conn: &Connection, subject: &str) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE login_failures SET failures = max(failures - 1, 0) WHERE subject = ?1")?
        .execute([subject])?;
    Ok(())
}

/// Deletes a subject's failures.
pub fn forget(conn: &Connection, subject: &str) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM login_failures WHERE subject = ?1")?.execute([subject])?;
    Ok(())
}

/// Deletes the failures from before `older`, and those from after `newer`, which were stored with a wrong
/// clock.
pub fn forget_outside(conn: &Connection, older: Timestamp, newer: Timestamp) -> Result<usize, Failure> {
    Ok(conn.execute("DELETE FROM login_failures WHERE last_at < ?1 OR last_at > ?2", [older.0, newer.0])?)
}

/// Whether the account logged in from this browser before.
pub fn knows_device(conn: &Connection, token_hash: &str, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM known_devices WHERE token_hash = ?1 AND user_id = ?2")?
        .exists(params![token_hash, user.0])?)
}

/// Records that the account logged in from this browser. Its token changes from `old` to `new`, for every
/// account that uses the browser, so that a token that an attacker planted or copied earlier stops working.
pub fn know_device(
    conn: &Connection,
    old: Option<&str>,
    new: &str,
    user: UserId,
    now: Timestamp,
) -> Result<(), Failure> {
    if let Some(old) = old {
        conn.prepare_cached("UPDATE known_devices SET token_hash = ?2 WHERE token_hash = ?1")?.execute([old, new])?;
    }
    conn.prepare_cached("REPLACE INTO known_devices (token_hash, user_id, used_at) VALUES (?1, ?2, ?3)")?
        .execute(params![new, user.0, now.0])?;
    conn.prepare_cached(
        "DELETE FROM known_devices WHERE user_id = ?1 AND token_hash NOT IN
             (SELECT token_hash FROM known_devices WHERE user_id = ?1 ORDER BY token_hash = ?2 DESC, used_at DESC LIMIT ?3)",
    )?
    .execute(params![user.0, new, MOST_DEVICES])?;
    Ok(())
}

/// Deletes all known browsers of an account.
pub fn forget_devices(conn: &Connection, user: UserId) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM known_devices WHERE user_id = ?1")?.execute([user.0])?;
    Ok(())
}
