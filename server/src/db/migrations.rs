//! The schema's history. `PRAGMA user_version` counts the files of `server/migrations` that were
//! applied; they are numbered and append-only.

use rusqlite::{Connection, TransactionBehavior, functions::FunctionFlags};
use sha2::{Digest, Sha256};

use super::{APPLICATION_ID, OpenError};

/// Every migration, oldest first; its number is its place, counted from 1.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_initial.sql"),
    include_str!("../../migrations/0002_runs.sql"),
    include_str!("../../migrations/0003_plan.sql"),
    include_str!("../../migrations/0004_notes.sql"),
    include_str!("../../migrations/0005_quality.sql"),
    include_str!("../../migrations/0006_api.sql"),
    include_str!("../../migrations/0007_engine.sql"),
    include_str!("../../migrations/0008_results.sql"),
    include_str!("../../migrations/0009_hidden_checks.sql"),
    include_str!("../../migrations/0010_accounts.sql"),
];

/// The schema this program writes.
pub fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Looks whether the file is empty or ours, and no newer than this program. Changes nothing.
///
/// # Errors
/// [`OpenError::Newer`] and [`OpenError::NotOurs`].
pub fn verify(conn: &Connection) -> Result<(), OpenError> {
    let found = version(conn)?;
    let owner: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let objects: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if owner != APPLICATION_ID && (objects > 0 || found > 0 || owner != 0) {
        return Err(OpenError::NotOurs);
    }
    if found > newest() {
        return Err(OpenError::Newer { found, known: newest() });
    }
    Ok(())
}

/// Brings the schema up to date, each step in a transaction of its own.
pub fn migrate(conn: &mut Connection) -> Result<(), OpenError> {
    // SQLite has no SHA-256; 0009 hashes session ids.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("sha256_hex", 1, flags, |context| {
        Ok(hex::encode(Sha256::digest(context.get_raw(0).as_str()?)))
    })?;
    for (place, sql) in MIGRATIONS.iter().enumerate() {
        let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again under the lock: another process may have migrated meanwhile.
        if version(&tx)? < number {
            tx.execute_batch(sql)?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            tx.pragma_update(None, "user_version", number)?;
        }
        tx.commit()?;
    }
    Ok(())
}

/// The schema number that the file carries.
pub fn version(conn: &Connection) -> Result<u32, rusqlite::Error> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a database in memory, to try the migrations on")]
    fn migrates_once_and_refuses_the_future() {
        let mut conn = Connection::open_in_memory().unwrap();
        verify(&conn).unwrap();
        migrate(&mut conn).unwrap();
        verify(&conn).unwrap();
        migrate(&mut conn).unwrap();
        assert_eq!(version(&conn).unwrap(), newest());
        conn.pragma_update(None, "user_version", newest() + 1).unwrap();
        assert!(matches!(verify(&conn), Err(OpenError::Newer { .. })));
        let violations = conn.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
        assert!(!violations);
    }
}
