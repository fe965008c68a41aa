//! Queries about runs' results: progress, single items, unanswered tasks.
//!
//! Called by `services::runs`; `db::runs` has the queue and writes.

use model::{
    failure_class::FailureClass,
    ids::{OutputId, RunId, SubmissionId, TaskRevisionId},
    published::Difference,
    run::{Environment, ItemDetail, MissingTask, Neighbor, Verdict},
    usual_failure::OneFailure,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    runs::{ITEM, ITEM_JOINS, ITEM_ROWS, Run, beginning, item},
    stored::{named, optional_json, parsed, table},
};
use base::error::Failure;

/// Number of items per verdict so far, in the order of [`Verdict::ALL`]; only verdicts that
/// occur.
pub fn verdicts(conn: &Connection, id: RunId) -> Result<Vec<(Verdict, u32)>, Failure> {
    let query = "SELECT max(id) AS id, verdict, count(*) AS outputs FROM run_items
        WHERE run_id = ?1 AND verdict IS NOT NULL GROUP BY verdict";
    counts(conn, query, id, |row| named(row, ITEM_ROWS, "verdict", Verdict::from_name))
}

/// Number of items per class of failure as published, only those that occur.
pub fn failures(conn: &Connection, id: RunId) -> Result<Vec<(FailureClass, u32)>, Failure> {
    let query = "SELECT max(id) AS id, failure, count(*) AS outputs FROM run_items
        WHERE run_id = ?1 AND failure IS NOT NULL GROUP BY failure";
    counts(conn, query, id, |row| named(row, ITEM_ROWS, "failure", FailureClass::from_name))
}

/// The rows of a query for names with their counts, in the order of the values that the names stand for.
fn counts<T: Ord>(
    conn: &Connection,
    query: &str,
    id: RunId,
    value: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<(T, u32)>, Failure> {
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement.query_map([id.0], |row| Ok((value(row)?, row.get("outputs")?)))?;
    let mut found = rows.collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    Ok(found)
}

/// Number of items answered from the cache.
pub fn cached(conn: &Connection, id: RunId) -> Result<u32, Failure> {
    let query = "SELECT count(*) FROM run_items WHERE run_id = ?1 AND cached";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| row.get(0))?)
}

/// Why items pass only as published: task revision, reason and number of outputs, the most frequent first.
pub fn differences(conn: &Connection, id: RunId) -> Result<Vec<(TaskRevisionId, Difference)>, Failure> {
    // Found by the index alone; only the outcomes of these are read.
    let mut statement = conn.prepare_cached(
        "SELECT o.revision_id, max(i.id) AS id, json_extract(i.outcome, '$.reason') AS reason, count(*) AS outputs
         FROM run_items i JOIN outputs o ON o.id = i.output_id
         WHERE i.run_id = ?1 AND i.state = 'done' AND i.published = 'passed' AND i.verdict <> 'passed'
         GROUP BY o.revision_id, reason",
    )?;
    let rows = statement.query_map([id.0], |row| {
        let reason = optional_json(row, ITEM_ROWS.column("outcome"), "reason")?;
        Ok((TaskRevisionId(row.get("revision_id")?), Difference { reason, outputs: row.get("outputs")? }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How the first items of a run that did not pass failed, at most `limit`.
pub fn first_failures(conn: &Connection, id: RunId, limit: usize) -> Result<Vec<OneFailure>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT i.id, i.output_id, i.verdict, json_extract(i.outcome, '$.reason') AS reason,
             json_extract(i.outcome, '$.message') AS message
         FROM run_items i INDEXED BY run_items_verdicts
         WHERE i.run_id = ?1 AND i.state = 'done' AND i.verdict <> 'passed' ORDER BY i.output_id LIMIT ?2",
    )?;
    let rows = statement.query_map(params![id.0, limit], |row| {
        Ok(OneFailure {
            verdict: named(row, ITEM_ROWS, "verdict", Verdict::from_name)?,
            reason: optional_json(row, ITEM_ROWS.column("outcome"), "reason")?,
            message: row.get::<_, Option<String>>("message")?.unwrap_or_default(),
            output: Some(OutputId(row.get("output_id")?)),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of items executed, not answered from the cache, since the engine started or resumed the run, and
/// the milliseconds that they took. `None` before the first.
pub fn worked(conn: &Connection, run: &Run) -> Result<Option<(u32, i64)>, Failure> {
    let Some(since) = run.begun_at else { return Ok(None) };
    let query = "SELECT count(*) AS outputs, max(finished_at) - ?2 AS since_ms FROM run_items
        WHERE run_id = ?1 AND state = 'done' AND NOT cached AND finished_at >= ?2";
    let found: (u32, Option<i64>) = conn
        .prepare_cached(query)?
        .query_row([run.id.0, since.0], |row| Ok((row.get("outputs")?, row.get("since_ms")?)))?;
    Ok(match found {
        (count, Some(millis)) if count > 0 => Some((count, millis)),
        _ => None,
    })
}

/// Number of finished items that ran in an environment other than the run's.
pub fn mixed(conn: &Connection, id: RunId, environment: &Environment) -> Result<u32, Failure> {
    let query = "SELECT count(*) FROM run_items WHERE run_id = ?1 AND state = 'done' AND fingerprint <> ?2
            AND fingerprint NOT IN (SELECT value FROM json_each(?3))";
    let parts = serde_json::to_string(&environment.parts)?;
    Ok(conn.prepare_cached(query)?.query_row(params![id.0, environment.fingerprint, parts], |row| row.get(0))?)
}

/// Tasks with tests that the submission does not answer, in the dataset's order.
pub fn missing(conn: &Connection, id: RunId) -> Result<Vec<MissingTask>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.external_id, r.raw_nl
         FROM runs u JOIN submissions s ON s.id = u.submission_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
         JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         JOIN tasks t ON t.id = r.task_id
         WHERE u.id = ?1 AND NOT EXISTS (SELECT 1 FROM outputs o
             CROSS JOIN run_items i ON i.run_id = u.id AND i.output_id = o.id
             WHERE o.submission_id = s.id AND o.revision_id = r.id)
         ORDER BY vt.position",
    )?;
    let rows = statement.query_map([id.0], |row| {
        let raw_nl: String = row.get("raw_nl")?;
        Ok(MissingTask { task_id: row.get("external_id")?, raw_nl: beginning(&raw_nl) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// All tasks with tests, in the dataset's order: id and beginning of the description.
pub fn tasks(conn: &Connection, id: RunId) -> Result<Vec<MissingTask>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.external_id, r.raw_nl
         FROM runs u JOIN submissions s ON s.id = u.submission_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
         JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         JOIN tasks t ON t.id = r.task_id
         WHERE u.id = ?1 ORDER BY vt.position",
    )?;
    let rows = statement.query_map([id.0], |row| {
        let raw_nl: String = row.get("raw_nl")?;
        Ok(MissingTask { task_id: row.get("external_id")?, raw_nl: beginning(&raw_nl) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One item with everything stored about it. Derived fields (`text`, `listing`) stay empty.
pub fn get_item(conn: &Connection, run: &Run, output: OutputId) -> Result<Option<ItemDetail>, Failure> {
    let query = format!("SELECT {ITEM} FROM run_items i {ITEM_JOINS} WHERE i.run_id = ?1 AND i.output_id = ?2");
    let elsewhere = |with: &str| run.environment.as_ref().is_none_or(|environment| !environment.covers(with));
    let found = conn.prepare_cached(&query)?.query_row([run.id.0, output.0], |row| {
        let (listed, outcome) = item(row)?;
        let ran_with: Option<String> = row.get("fingerprint")?;
        Ok((
            ItemDetail {
                row: listed,
                run: run.id,
                model_name: run.model_name.clone(),
                submission: run.submission,
                dataset: run.dataset.clone(),
                raw_nl: row.get("raw_nl")?,
                signature: row.get("signature")?,
                code: row.get("code")?,
                code_lang: parsed(row, table("task_revisions", &["revision"]), "code_lang")?,
                text: Vec::new(),
                mixed: outcome.is_some() && ran_with.as_deref().is_some_and(elsewhere),
                outcome,
                listing: Vec::new(),
                fault: optional_json(row, ITEM_ROWS, "fault")?,
                previous: None,
                next: None,
            },
            row.get::<_, i64>("id")?,
        ))
    });
    let Some((mut detail, place)) = found.optional()? else { return Ok(None) };
    detail.previous = neighbor(conn, run.id, "i.id < ?2 ORDER BY i.id DESC", place)?;
    detail.next = neighbor(conn, run.id, "i.id > ?2 ORDER BY i.id", place)?;
    Ok(Some(detail))
}

fn neighbor(conn: &Connection, run: RunId, which: &str, place: i64) -> Result<Option<Neighbor>, Failure> {
    let query = format!("SELECT {ITEM} FROM run_items i {ITEM_JOINS} WHERE i.run_id = ?1 AND {which} LIMIT 1");
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Neighbor { output: OutputId(row.get("output")?), task_id: row.get("external_id")? })
    };
    Ok(conn.prepare_cached(&query)?.query_row([run.0, place], read).optional()?)
}

/// The newest run of a submission.
pub fn newest(conn: &Connection, submission: SubmissionId) -> Result<Option<RunId>, Failure> {
    let query = "SELECT id FROM runs WHERE submission_id = ?1 ORDER BY id DESC LIMIT 1";
    Ok(conn.prepare_cached(query)?.query_row([submission.0], |row| row.get(0).map(RunId)).optional()?)
}
