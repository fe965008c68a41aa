//! What the server does for itself every day: how it went. Triggers keep what fails in the inbox.

use model::{fault::RoutineFault, inbox::InboxItem, server::RoutineState, time::Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::stored::{json, table};
use base::error::Failure;

/// Something that the server does every day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// The daily backup.
    Backup,
    /// The check of the database.
    Integrity,
}

impl Routine {
    fn name(self) -> &'static str {
        match self {
            Routine::Backup => "backup",
            Routine::Integrity => "integrity",
        }
    }
}

/// Records a success.
pub fn succeeded(conn: &Connection, routine: Routine, at: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE routines SET succeeded_at = ?2, failed_at = NULL, failures = 0, error = NULL WHERE name = ?1",
    )?
    .execute(params![routine.name(), at.0])?;
    Ok(())
}

/// Records a failure and why.
pub fn failed(conn: &Connection, routine: Routine, at: Timestamp, why: &RoutineFault) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE routines SET failed_at = ?2, failures = failures + 1, error = ?3 WHERE name = ?1")?
        .execute(params![routine.name(), at.0, serde_json::to_string(why)?])?;
    Ok(())
}

/// Records that this server does not do it, so that nobody waits for its next success.
pub fn ended(conn: &Connection, routine: Routine) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE routines SET failed_at = NULL, failures = 0, error = NULL WHERE name = ?1 AND failed_at IS NOT NULL",
    )?
    .execute([routine.name()])?;
    Ok(())
}

/// When it was last attempted, whether it succeeded or failed.
pub fn attempted_at(conn: &Connection, routine: Routine) -> Result<Option<Timestamp>, Failure> {
    let at: Option<i64> = conn
        .prepare_cached("SELECT coalesce(failed_at, succeeded_at) FROM routines WHERE name = ?1")?
        .query_row([routine.name()], |row| row.get(0))?;
    Ok(at.map(Timestamp))
}

/// How it went.
pub fn state(conn: &Connection, routine: Routine) -> Result<RoutineState, Failure> {
    let state = conn
        .prepare_cached("SELECT name, succeeded_at, failed_at, error FROM routines WHERE name = ?1")?
        .query_row([routine.name()], |row| {
            let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
            let failed = match time("failed_at")? {
                Some(at) => Some((at, json(row, table("routines", &["name"]), "error")?)),
                None => None,
            };
            Ok(RoutineState { succeeded_at: time("succeeded_at")?, failed })
        })?;
    Ok(state)
}

/// What the inbox shows of one that fails; `None` if it has succeeded meanwhile.
pub fn item(conn: &Connection, routine: Routine) -> Result<Option<InboxItem>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT name, failures, error, succeeded_at FROM routines WHERE name = ?1 AND failed_at IS NOT NULL",
        )?
        .query_row([routine.name()], |row| {
            let succeeded_at = row.get::<_, Option<i64>>("succeeded_at")?.map(Timestamp);
            Ok(InboxItem::Routine {
                failures: row.get("failures")?,
                why: json(row, table("routines", &["name"]), "error")?,
                succeeded_at,
            })
        })
        .optional()?;
    Ok(found)
}
