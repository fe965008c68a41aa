//! Imports that add their rows in many short transactions, and deletions that delete theirs in the same way.
//!
//! Rows of an import are hidden until [`publish`]. Each transaction adds a bounded number of them and extends the
//! import's lease ([`renew`]); [`abandoned`] finds imports whose lease has run out, and [`clear`] deletes their rows,
//! again a bounded number at a time.

use model::time::Timestamp;
use rusqlite::{Connection, params};

use super::imported_ratings::NO_PASSWORD;
use base::{clock, error::Failure};

/// Maximum number of uploaded rows that one transaction adds or deletes. A rating brings about ten more (its
/// scores, and trigger counts). Ratings that people submit meanwhile wait that long, and raters notice 50
/// ms.
pub const ROWS: usize = 100;
/// Maximum text that one transaction adds, in bytes, unless a single row has more (an output has at most 2
/// MiB).
pub const BYTES: usize = 1024 * 1024;
/// Duration of an import's lease after its last transaction, in milliseconds. The next one follows within a
/// second even on a loaded machine.
pub const LEASE_MS: i64 = 60_000;

/// The kind of import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// A submission with its outputs.
    Submission(i64),
    /// A study with ratings of people, or a new one with its plan.
    Study(i64),
    /// A judge model's scores.
    Judging(i64),
}

impl Import {
    /// Its table and its number there.
    pub(super) fn parts(self) -> (&'static str, i64) {
        match self {
            Import::Submission(id) => ("all_submissions", id),
            Import::Study(id) => ("all_studies", id),
            Import::Judging(id) => ("all_judgings", id),
        }
    }
}

/// When a lease that begins now ends.
pub fn lease() -> i64 {
    clock::now().0 + LEASE_MS
}

/// Extends the import's lease.
///
/// # Errors
///
/// Fails if the import was considered dead and deleted because the machine slept for longer than the lease.
pub fn renew(conn: &Connection, import: Import) -> Result<(), Failure> {
    let (table, id) = import.parts();
    let sql = format!("UPDATE {table} SET importing_until = ?2 WHERE id = ?1 AND importing_until IS NOT NULL");
    match conn.prepare_cached(&sql)?.execute(params![id, lease()])? {
        0 => Err(Failure::conflict((
            "The import was interrupted. Nothing was imported; start it again.",
            "导入被中断，没有导入任何内容，请重新开始。",
        ))),
        _ => Ok(()),
    }
}

/// Makes the import visible; its rows count from now on.
///
/// # Errors
///
/// As [`renew`].
pub fn publish(conn: &Connection, import: Import) -> Result<(), Failure> {
    renew(conn, import)?;
    let now = clock::now().0;
    match import {
        Import::Study(id) => {
            let sql = "UPDATE all_studies SET status = 'closed', created_at = ?2, importing_until = NULL WHERE id = ?1";
            conn.execute(sql, params![id, now])?;
        }
        Import::Submission(_) | Import::Judging(_) => {
            let (table, id) = import.parts();
            let sql = format!("UPDATE {table} SET created_at = ?2, importing_until = NULL WHERE id = ?1");
            conn.execute(&sql, params![id, now])?;
        }
    }
    Ok(())
}

/// Imports whose lease ended before `now`, or was made before the clock was set back.
pub fn abandoned(conn: &Connection, now: Timestamp) -> Result<Vec<Import>, Failure> {
    let mut found = Vec::new();
    for (table, import) in [
        ("all_submissions", Import::Submission as fn(i64) -> Import),
        ("all_studies", Import::Study),
        ("all_judgings", Import::Judging),
    ] {
        let mut statement =
            conn.prepare(&format!("SELECT id FROM {table} WHERE importing_until < ?1 OR importing_until > ?2"))?;
        for id in statement.query_map([now.0, now.0 + LEASE_MS], |row| row.get(0))? {
            found.push(import(id?));
        }
    }
    Ok(found)
}

/// Whether any import has a lease.
pub fn any(conn: &Connection) -> Result<bool, Failure> {
    Ok(conn
        .prepare(
            "SELECT 1 FROM all_submissions WHERE importing_until IS NOT NULL
             UNION ALL SELECT 1 FROM all_studies WHERE importing_until IS NOT NULL
             UNION ALL SELECT 1 FROM all_judgings WHERE importing_until IS NOT NULL",
        )?
        .exists([])?)
}

/// Deletes up to [`ROWS`] rows of the import, and the import itself when none is left. Returns whether it is
/// gone.
///
/// The caller switches foreign keys off: nothing refers to hidden rows, and checking references would scan
/// whole tables for every deleted row.
pub fn clear(conn: &Connection, import: Import) -> Result<bool, Failure> {
    let (table, id) = import.parts();
    // Published meanwhile, or deleted by another process.
    let sql = format!("SELECT 1 FROM {table} WHERE id = ?1 AND importing_until IS NOT NULL");
    if !conn.prepare(&sql)?.exists([id])? {
        return Ok(true);
    }
    let deleted = match import {
        Import::Submission(_) => clear_outputs(conn, id)?,
        Import::Judging(_) => clear_judged(conn, id)?,
        Import::Study(_) => clear_ratings(conn, id)?,
    };
    if deleted > 0 {
        return Ok(false);
    }
    if let Import::Study(_) = import {
        // Accounts created for this import only; imports limit their number. People's own accounts have a password.
        conn.execute(
            "DELETE FROM users WHERE password_hash = ?2 AND id IN (
                 SELECT m.user_id FROM study_raters m WHERE m.study_id = ?1
                     AND NOT EXISTS (SELECT 1 FROM study_raters o WHERE o.user_id = m.user_id AND o.study_id <> ?1))",
            params![id, NO_PASSWORD],
        )?;
        conn.execute("UPDATE collections SET study_id = NULL WHERE study_id = ?1", [id])?;
        for table in OF_STUDIES {
            conn.execute(&format!("DELETE FROM {table} WHERE study_id = ?1"), [id])?;
        }
    }
    if let Import::Submission(_) = import {
        conn.execute("DELETE FROM run_revisions WHERE run_id IN (SELECT id FROM runs WHERE submission_id = ?1)", [id])?;
        conn.execute("DELETE FROM runs WHERE submission_id = ?1", [id])?;
        conn.execute("DELETE FROM submission_masks WHERE submission_id = ?1", [id])?;
    }
    conn.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id])?;
    Ok(true)
}

/// The tables with few rows of a study, which its planned ratings and their ratings do not refer to.
const OF_STUDIES: [&str; 26] = [
    "adjudicators",
    "bookmarks",
    "disagreements",
    "disagreement_counts",
    "disagreement_handouts",
    "extra_assignments",
    "flag_replies",
    "handouts",
    "inbox",
    "inbox_counts",
    "calibrations",
    "plan_events",
    "checks",
    "known_items",
    "guidelines_read",
    "pseudonyms",
    "public_links",
    "rater_limits",
    "rater_watch",
    "skips",
    "study_counts",
    "study_guidelines",
    "study_raters",
    "study_submissions",
    "study_revisions",
    "study_steps",
];

/// Deletes outputs with their results.
fn clear_outputs(conn: &Connection, submission: i64) -> Result<usize, Failure> {
    let results = conn.execute(
        "DELETE FROM run_items WHERE id IN (
             SELECT i.id FROM outputs o JOIN run_items i ON i.output_id = o.id WHERE o.submission_id = ?1 LIMIT ?2)",
        params![submission, ROWS],
    )?;
    if results > 0 {
        return Ok(results);
    }
    conn.execute(
        "DELETE FROM reported WHERE output_id IN
             (SELECT id FROM outputs WHERE submission_id = ?1 LIMIT ?2)",
        params![submission, ROWS],
    )?;
    Ok(conn.execute(
        "DELETE FROM outputs WHERE id IN (SELECT id FROM outputs WHERE submission_id = ?1 LIMIT ?2)",
        params![submission, ROWS],
    )?)
}

/// Deletes a judge model's scores and answers about instructions.
fn clear_judged(conn: &Connection, judging: i64) -> Result<usize, Failure> {
    let answers = conn.execute(
        "DELETE FROM judged_instructions WHERE judging_id = ?1 AND (output_id, turn) IN (
             SELECT output_id, turn FROM judged_instructions WHERE judging_id = ?1 LIMIT ?2)",
        params![judging, ROWS],
    )?;
    if answers > 0 {
        return Ok(answers);
    }
    Ok(conn.execute(
        "DELETE FROM judged_scores WHERE judging_id = ?1 AND output_id IN (
             SELECT output_id FROM judged_scores WHERE judging_id = ?1 LIMIT ?2)",
        params![judging, ROWS],
    )?)
}

fn clear_ratings(conn: &Connection, study: i64) -> Result<usize, Failure> {
    let rows = conn
        .prepare("SELECT id, output_id FROM assignments WHERE study_id = ?1 LIMIT ?2")?
        .query_map(params![study, ROWS], |row| Ok((row.get::<_, i64>("id")?, row.get::<_, i64>("output_id")?)))?
        .collect::<Result<Vec<_>, _>>()?;
    for (assignment, output) in &rows {
        for sql in [
            "DELETE FROM rating_scores WHERE rating_id IN (SELECT id FROM ratings WHERE assignment_id = ?1)",
            "DELETE FROM ratings WHERE assignment_id = ?1",
            "DELETE FROM assignments WHERE id = ?1",
        ] {
            conn.prepare_cached(sql)?.execute([assignment])?;
        }
        conn.prepare_cached("DELETE FROM counted WHERE study_id = ?1 AND output_id = ?2")?
            .execute(params![study, output])?;
    }
    Ok(rows.len())
}
