//! How much is waiting and in progress, for metrics.

use model::time::Timestamp;
use rusqlite::Connection;

use base::error::Failure;

/// Work that is waiting or in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Runs in progress.
    pub runs: i64,
    /// Outputs of those runs that have no verdict yet, including those that are being run.
    pub outputs: i64,
    /// Outputs that a worker of the engine has.
    pub running: i64,
    /// Outputs that raters have open.
    pub leases: i64,
}

/// Counts entries of indexes that contain only what is not finished.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn load(conn: &Connection, now: Timestamp) -> Result<Load, Failure> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0));
    Ok(Load {
        runs: count("SELECT count(*) FROM runs INDEXED BY runs_open WHERE status = 'running'")?,
        outputs: count(
            "SELECT count(*) FROM run_items INDEXED BY run_items_open
             WHERE state IN ('waiting', 'leased') AND run_id IN (SELECT id FROM runs WHERE status = 'running')",
        )?,
        running: count("SELECT count(*) FROM run_items INDEXED BY run_items_leased WHERE holder IS NOT NULL")?,
        leases: conn
            .prepare_cached(
                "SELECT count(*) FROM assignments INDEXED BY assignments_in_hand
                 WHERE leased_until IS NOT NULL AND leased_until > ?1",
            )?
            .query_row([now.0], |row| row.get(0))?,
    })
}
