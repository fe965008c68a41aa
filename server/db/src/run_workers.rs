//! Workers on other machines: what their results were made in, and those that an admin removed. Called by `jobs::cluster`
//! and by `services`.

use model::{code_lang::CodeLang, ids::RunId, workers::ToRunAgain};
use rusqlite::{Connection, params};

use base::{clock, error::Failure};

/// Whether a run has finished outputs in a language that were made in another environment.
pub fn others_done(conn: &Connection, run: RunId, lang: CodeLang, fingerprint: &str) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM run_items i
        CROSS JOIN outputs o ON o.id = i.output_id CROSS JOIN task_revisions r ON r.id = o.revision_id
        WHERE i.run_id = ?1 AND i.state = 'done' AND i.fingerprint <> ?3 AND r.code_lang = ?2)";
    Ok(conn.prepare_cached(query)?.query_row(params![run.0, lang.code(), fingerprint], |row| row.get(0))?)
}

/// Removes a worker: its reports are refused from now on, and no cached outcome of it is used again. Runs that have
/// outputs in an environment that only this worker described forget their environment; the next report of
/// another worker describes it again. `false` if it was removed before.
pub fn remove(conn: &Connection, worker: &str) -> Result<bool, Failure> {
    let removed = conn
        .prepare_cached("INSERT OR IGNORE INTO removed_workers (name, removed_at) VALUES (?1, ?2)")?
        .execute(params![worker, clock::now().0])?;
    conn.prepare_cached("DELETE FROM outcomes WHERE worker = ?1")?.execute([worker])?;
    let query = "UPDATE runs SET environment = NULL WHERE id IN (SELECT i.run_id FROM run_items i
        WHERE i.worker = ?1 AND i.state = 'done' AND NOT EXISTS (SELECT 1 FROM run_items o
            WHERE o.run_id = i.run_id AND o.state = 'done' AND o.fingerprint = i.fingerprint AND o.worker IS NOT ?1))";
    conn.prepare_cached(query)?.execute([worker])?;
    Ok(removed > 0)
}

/// Whether an admin removed a worker.
pub fn is_removed(conn: &Connection, worker: &str) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM removed_workers WHERE name = ?1)";
    Ok(conn.prepare_cached(query)?.query_row([worker], |row| row.get(0))?)
}

/// Whether a worker reported an outcome or an engine error that is still stored.
pub fn has_reported(conn: &Connection, worker: &str) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM run_items WHERE worker = ?1)";
    Ok(conn.prepare_cached(query)?.query_row([worker], |row| row.get(0))?)
}

/// Runs with outcomes or engine errors that removed workers reported. They are to be run again.
pub fn to_run_again(conn: &Connection) -> Result<Vec<ToRunAgain>, Failure> {
    let query =
        "SELECT i.run_id, count(*) AS outputs FROM removed_workers w CROSS JOIN run_items i ON i.worker = w.name
        WHERE i.state IN ('done', 'failed') GROUP BY i.run_id ORDER BY i.run_id";
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement
        .query_map([], |row| Ok(ToRunAgain { run: RunId(row.get("run_id")?), outputs: row.get("outputs")? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
