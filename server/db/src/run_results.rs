//! Queries about runs' results: progress, single items, unanswered tasks.
//!
//! Called by `services::runs`; `db::runs` has the queue and writes.

use model::{
    failure_class::FailureClass,
    ids::{OutputId, RunId, SubmissionId, TaskRevisionId},
    published::Difference,
    run::{Agreement, Environment, ItemDetail, MissingTask, Neighbor, Verdict},
    usual_failure::OneFailure,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    runs::{CANNOT_JUDGE, ITEM, ITEM_JOINS, ITEM_ROWS, Run, beginning, item},
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

/// How the verdicts of a run compare with those that came with its outputs.
pub fn agreement(conn: &Connection, id: RunId) -> Result<Agreement, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT coalesce(sum(p.passed = (i.verdict = 'passed')), 0) AS agree,
                coalesce(sum(p.passed AND i.verdict <> 'passed'), 0) AS theirs_only,
                coalesce(sum(NOT p.passed AND i.verdict = 'passed'), 0) AS ours_only
         FROM run_items i CROSS JOIN reported p ON p.output_id = i.output_id
         WHERE i.run_id = ?1 AND i.verdict IS NOT NULL AND p.passed IS NOT NULL AND NOT {CANNOT_JUDGE}",
    ))?;
    Ok(statement.query_row([id.0], |row| {
        Ok(Agreement {
            agree: row.get("agree")?,
            theirs_only: row.get("theirs_only")?,
            ours_only: row.get("ours_only")?,
        })
    })?)
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

#[cfg(test)]
mod tests {
    use model::{
        page::PageOf,
        run::{ItemFilter, ItemResult, Outcome},
        submission::{Reported, Shape, TheirVerdict},
    };

    use super::{super::migrations::tests::populated, *};
    use crate::{
        runs::items_page,
        submissions::{self, NewOutput},
    };

    /// Counts and lists are of the same outputs, and what a file says comes back as it was.
    #[test]
    fn verdicts_are_compared_with_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let conn = populated(folder.path());
        let whole = Reported {
            by: Shape::Inspect,
            verdict: Some(TheirVerdict { passed: false, other_text: false }),
            detail: Some("verify: I".into()),
            model: Some("mockllm/model".into()),
            epoch: Some(2),
            input_tokens: Some(11),
            output_tokens: Some(14),
        };
        let of = |passed: Option<bool>| Reported { verdict: None, ..whole.clone() }.passed(passed);
        let cases = [
            (Some(true), "passed"),
            (Some(true), "failed"),
            (Some(false), "passed"),
            (Some(false), "timeout"),
            (Some(false), "passed"),
            (None, "passed"),
        ];
        let new = cases.iter().zip(10..).map(|((theirs, _), sample)| NewOutput {
            published_text: None,
            revision: TaskRevisionId(1),
            sample,
            code: "x".into(),
            surrounding_text: String::new(),
            raw: None,
            end_by: None,
            reasoning: None,
            prompt: None,
            place: None,
            reported: Some(of(*theirs)),
        });
        submissions::add_outputs(&conn, SubmissionId(2), &new.collect::<Vec<_>>()).unwrap();
        conn.execute("DELETE FROM run_items WHERE run_id = 1", []).unwrap();
        let first: i64 =
            conn.query_row("SELECT min(id) FROM outputs WHERE sample >= 10", [], |row| row.get(0)).unwrap();
        for ((_, verdict), output) in cases.iter().zip(first..) {
            let outcome = Outcome::new(Verdict::from_name(verdict).unwrap());
            conn.execute(
                "INSERT INTO run_items (run_id, output_id, state, verdict, outcome, key, fingerprint, finished_at)
                 VALUES (1, ?1, 'done', ?2, ?3, 'k', 'f', 1)",
                params![output, verdict, serde_json::to_string(&outcome).unwrap()],
            )
            .unwrap();
        }
        assert_eq!(agreement(&conn, RunId(1)).unwrap(), Agreement { agree: 2, theirs_only: 1, ours_only: 2 });
        let listed = |result| {
            let filter = ItemFilter { result: Some(result), ..ItemFilter::default() };
            let page = items_page(&conn, RunId(1), &filter, &PageOf::first(10)).unwrap();
            page.rows.into_iter().map(|row| (row.output.0 - first, row.theirs)).collect::<Vec<_>>()
        };
        assert_eq!(listed(ItemResult::TheirsOnly), [(1, Some(true))]);
        assert_eq!(listed(ItemResult::OursOnly), [(2, Some(false)), (4, Some(false))]);
        conn.execute("UPDATE all_submissions SET importing_until = NULL", []).unwrap();
        let stored = submissions::output(&conn, OutputId(first + 2)).unwrap().unwrap().reported;
        assert_eq!(stored, Some(whole));
    }
}
