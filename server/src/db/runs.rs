//! Runs, their items, and the outcomes kept for next time.
//!
//! What must stay true: an item's outcome is written by the one who holds its lease, once; a lease
//! that ran out may be taken by somebody else, and then the first holder's word comes to nothing.

use app::model::{
    ids::{DatasetVersionId, OutputId, RunId, SubmissionId, UserId},
    run::{Again, Environment, ItemRow, ItemState, Outcome, RunStatus, Verdict},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{clock, error::Failure};

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The run.
    pub id: RunId,
    /// What it runs.
    pub submission: SubmissionId,
    /// The dataset version that the submission answers.
    pub version: DatasetVersionId,
    /// Whose outputs.
    pub model_name: String,
    /// The dataset's short name.
    pub dataset: String,
    /// The version's number.
    pub number: u32,
    /// How far.
    pub status: RunStatus,
    /// Whether the cache is left alone.
    pub fresh: bool,
    /// What was the same for every output, once known.
    pub environment: Option<Environment>,
    /// Why the engine could not do it at all.
    pub fault: Option<String>,
    /// Whether the engine is to look first which items would come to something else today.
    pub recheck: bool,
    /// Since when the engine is at it; absent until it is.
    pub begun_at: Option<Timestamp>,
    /// How many items were taken over from a holder that stopped without a word.
    pub taken_over: u32,
    /// Begun when.
    pub created_at: Timestamp,
    /// Ended when.
    pub finished_at: Option<Timestamp>,
}

/// An item that somebody has leased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leased {
    /// The item.
    pub item: i64,
    /// The model's text.
    pub code: String,
    /// The class that holds the task's tests.
    pub test_class: String,
    /// The signature asked for.
    pub signature: Option<String>,
    /// Whether what is known of it is left alone.
    pub fresh: bool,
}

/// What decided an outcome.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// All of it.
    pub key: &'a str,
    /// What is the same for every output that is run with it.
    pub fingerprint: &'a str,
}

/// What is expected of code with a loop that nobody has run yet, in seconds: it may have no end, and
/// then it takes the whole limit.
const A_LOOP_S: u32 = 5;

/// Makes a run with an item for every output whose task has tests. What took long the last time is
/// expected to do so again.
pub fn insert(conn: &Connection, submission: SubmissionId, fresh: bool, by: Option<UserId>) -> Result<RunId, Failure> {
    let id: i64 = conn.query_row(
        "INSERT INTO runs (submission_id, status, fresh, created_by, created_at)
         VALUES (?1, 'running', ?2, ?3, ?4) RETURNING id",
        params![submission.0, fresh, by.map(|id| id.0), clock::now().0],
        |row| row.get(0),
    )?;
    conn.execute(
        "INSERT INTO run_items (run_id, output_id, state, expected_s)
         SELECT ?1, o.id, 'waiting', coalesce(
             (SELECT json_extract(p.outcome, '$.wall_ms') / 1000 FROM run_items p
              WHERE p.output_id = o.id AND p.state = 'done' ORDER BY p.id DESC LIMIT 1),
             CASE WHEN o.code LIKE '%while%' THEN ?3 ELSE 0 END)
         FROM outputs o
         JOIN submissions s ON s.id = o.submission_id
         JOIN task_revisions r ON r.id = o.revision_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id AND vt.revision_id = o.revision_id
         WHERE s.id = ?2 AND r.test_class IS NOT NULL
         ORDER BY vt.position, o.sample",
        params![id, submission.0, A_LOOP_S],
    )?;
    Ok(RunId(id))
}

const RUN: &str = "SELECT r.id, s.id, v.id, m.name, d.slug, v.number, r.status, r.fresh, r.environment, r.fault,
        r.created_at, r.finished_at, r.recheck, r.begun_at, r.taken_over
    FROM runs r
    JOIN submissions s ON s.id = r.submission_id
    JOIN models m ON m.id = s.model_id
    JOIN dataset_versions v ON v.id = s.version_id
    JOIN datasets d ON d.id = v.dataset_id";

/// Every run, newest first; only those of a submission where one is named.
pub fn list(conn: &Connection, submission: Option<SubmissionId>) -> Result<Vec<Run>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{RUN} WHERE ?1 IS NULL OR s.id = ?1 ORDER BY r.id DESC"))?;
    let rows = statement.query_map([submission.map(|id| id.0)], run)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One run.
pub fn get(conn: &Connection, id: RunId) -> Result<Option<Run>, Failure> {
    Ok(conn.prepare_cached(&format!("{RUN} WHERE r.id = ?1"))?.query_row([id.0], run).optional()?)
}

/// The oldest run that is not at its end.
pub fn open(conn: &Connection) -> Result<Option<RunId>, Failure> {
    let query = "SELECT id FROM runs INDEXED BY runs_open WHERE status = 'running' ORDER BY id LIMIT 1";
    Ok(conn.prepare_cached(query)?.query_row([], |row| row.get(0).map(RunId)).optional()?)
}

fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    let status: String = row.get(6)?;
    let environment: Option<String> = row.get(8)?;
    Ok(Run {
        id: RunId(row.get(0)?),
        submission: SubmissionId(row.get(1)?),
        version: DatasetVersionId(row.get(2)?),
        model_name: row.get(3)?,
        dataset: row.get(4)?,
        number: row.get(5)?,
        // The column's CHECK holds the list of words.
        status: RunStatus::from_name(&status).unwrap_or(RunStatus::Cancelled),
        fresh: row.get(7)?,
        environment: environment.and_then(|json| serde_json::from_str(&json).ok()),
        fault: row.get(9)?,
        created_at: Timestamp(row.get(10)?),
        finished_at: row.get::<_, Option<i64>>(11)?.map(Timestamp),
        recheck: row.get(12)?,
        begun_at: row.get::<_, Option<i64>>(13)?.map(Timestamp),
        taken_over: row.get(14)?,
    })
}

/// Records that the engine begins (or goes on) with a run that is not at its end, and what is the same
/// for every output.
pub fn begin(conn: &Connection, id: RunId, environment: &Environment) -> Result<(), Failure> {
    conn.execute(
        "UPDATE runs SET environment = ?2, begun_at = ?3 WHERE id = ?1 AND status = 'running'",
        params![id.0, serde_json::to_string(environment)?, clock::now().0],
    )?;
    Ok(())
}

/// Ends a run that is running. A fault says why the engine could not do it at all.
pub fn end(conn: &Connection, id: RunId, status: RunStatus, fault: Option<&str>) -> Result<bool, Failure> {
    let changed = conn.execute(
        "UPDATE runs SET status = ?2, fault = ?3, finished_at = ?4 WHERE id = ?1 AND status = 'running'",
        params![id.0, status.name(), fault, clock::now().0],
    )?;
    Ok(changed > 0)
}

/// Sends items back to be run again and opens the run; returns how many there are to look at. For
/// [`Again::Changed`] nothing is sent back yet: the engine looks which they are when it begins.
pub fn again(conn: &Connection, id: RunId, what: &Again) -> Result<usize, Failure> {
    let count = |query: &str| conn.query_row(query, [id.0], |row| row.get::<_, usize>(0));
    let send = |which: &str, argument: Option<String>, fresh: bool| {
        conn.execute(
            &format!("{SENT_BACK}, fresh = ?3 WHERE run_id = ?1 AND state IN ('done', 'failed') AND {which}"),
            params![id.0, argument, fresh],
        )
    };
    let found = match what {
        Again::Output(output) => send("output_id = CAST(?2 AS INTEGER)", Some(output.to_string()), true)?,
        Again::Tasks(tasks) => send(OF_TASKS, Some(serde_json::to_string(tasks)?), true)?,
        Again::Failed => send("state = 'failed' AND ?2 IS NULL", None, false)?,
        Again::Changed => count("SELECT count(*) FROM run_items WHERE run_id = ?1 AND state IN ('done', 'failed')")?,
        Again::Rest => count("SELECT count(*) FROM run_items WHERE run_id = ?1 AND state IN ('waiting', 'leased')")?,
    };
    if found > 0 {
        conn.execute(
            "UPDATE runs SET status = 'running', fault = NULL, finished_at = NULL, begun_at = NULL,
                 recheck = recheck OR ?2 WHERE id = ?1",
            params![id.0, *what == Again::Changed],
        )?;
    }
    Ok(found)
}

const SENT_BACK: &str = "UPDATE run_items SET state = 'waiting', alone = 0, verdict = NULL, passed = 0, total = 0,
    cached = 0, outcome = NULL, fault = NULL, finished_at = NULL, key = NULL, fingerprint = NULL";

const OF_TASKS: &str = "output_id IN (SELECT o.id FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
    JOIN tasks t ON t.id = r.task_id WHERE t.external_id IN (SELECT value FROM json_each(?2)))";

/// Every item that is done, with the key of its outcome.
pub fn done(conn: &Connection, id: RunId) -> Result<Vec<(Leased, Option<String>)>, Failure> {
    let query = "SELECT i.id, o.code, r.test_class, r.signature, i.fresh, i.key
        FROM run_items i JOIN outputs o ON o.id = i.output_id JOIN task_revisions r ON r.id = o.revision_id
        WHERE i.run_id = ?1 AND i.state = 'done' ORDER BY i.id";
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement.query_map([id.0], |row| Ok((leased(row)?, row.get(5)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Sends the items back that the engine found to be others today, and remembers that it has looked.
pub fn rechecked(conn: &Connection, id: RunId, changed: &[i64]) -> Result<(), Failure> {
    let mut statement = conn.prepare_cached(&format!("{SENT_BACK}, fresh = 0 WHERE id = ?1"))?;
    for item in changed {
        statement.execute([item])?;
    }
    conn.execute("UPDATE runs SET recheck = 0 WHERE id = ?1", [id.0])?;
    Ok(())
}

/// Leases an item of a running run that is free, or whose lease ran out; those first that may take long.
/// `alone` says from which of the two queues.
pub fn claim(
    conn: &Connection,
    id: RunId,
    holder: &str,
    until: Timestamp,
    alone: bool,
) -> Result<Option<Leased>, Failure> {
    let found: Option<(i64, bool)> = conn
        .prepare_cached(
            "SELECT i.id, i.state = 'leased' FROM run_items i JOIN runs r ON r.id = i.run_id
             WHERE i.run_id = ?1 AND r.status = 'running' AND i.alone = ?2
                 AND i.state IN ('waiting', 'leased') AND (i.state = 'waiting' OR i.leased_until < ?3)
             ORDER BY i.expected_s DESC, i.id LIMIT 1",
        )?
        .query_row(params![id.0, alone, clock::now().0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((item, taken_over)) = found else { return Ok(None) };
    conn.prepare_cached("UPDATE run_items SET state = 'leased', holder = ?2, leased_until = ?3 WHERE id = ?1")?
        .execute(params![item, holder, until.0])?;
    if taken_over {
        conn.execute("UPDATE runs SET taken_over = taken_over + 1 WHERE id = ?1", [id.0])?;
    }
    let leased = conn.prepare_cached(&format!("{WORK} WHERE i.id = ?1"))?.query_row([item], leased)?;
    Ok(Some(leased))
}

const WORK: &str = "SELECT i.id, o.code, r.test_class, r.signature, i.fresh
    FROM run_items i JOIN outputs o ON o.id = i.output_id JOIN task_revisions r ON r.id = o.revision_id";

fn leased(row: &Row<'_>) -> rusqlite::Result<Leased> {
    Ok(Leased {
        item: row.get(0)?,
        code: row.get(1)?,
        test_class: row.get(2)?,
        signature: row.get(3)?,
        fresh: row.get(4)?,
    })
}

/// Everything of a run that is free.
pub fn waiting(conn: &Connection, id: RunId) -> Result<Vec<Leased>, Failure> {
    let mut statement =
        conn.prepare_cached(&format!("{WORK} WHERE i.run_id = ?1 AND i.state = 'waiting' ORDER BY i.id"))?;
    let rows = statement.query_map([id.0], leased)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Prolongs all leases of a holder.
pub fn renew(conn: &Connection, holder: &str, until: Timestamp) -> Result<(), Failure> {
    let query = "UPDATE run_items SET leased_until = ?2 WHERE holder = ?1 AND state = 'leased'";
    conn.prepare_cached(query)?.execute(params![holder, until.0])?;
    Ok(())
}

/// How an item left its holder's hands.
#[derive(Clone, Debug)]
pub enum Finish<'a> {
    /// With an outcome and what decided it; whether it is kept for next time.
    Done(&'a Outcome, Basis<'a>, bool),
    /// Our machinery failed: once more, alone, or for good.
    Failed {
        /// Why.
        fault: &'a str,
        /// Whether it is to be tried again.
        again: bool,
    },
    /// Untouched: the holder stops.
    Returned,
}

/// Takes an item back from its holder. Where the lease was lost meanwhile, nothing happens.
pub fn finish(conn: &Connection, item: i64, holder: &str, how: &Finish<'_>) -> Result<bool, Failure> {
    let now = clock::now().0;
    let changed = match how {
        Finish::Done(outcome, basis, kept) => {
            let json = serde_json::to_string(outcome)?;
            let done = set_done(conn, item, Some(holder), outcome, &json, *basis, false)?;
            if done && *kept {
                conn.prepare_cached("INSERT OR REPLACE INTO outcomes (key, outcome, created_at) VALUES (?1, ?2, ?3)")?
                    .execute(params![basis.key, json, now])?;
            }
            return Ok(done);
        }
        Finish::Failed { fault, again } => conn
            .prepare_cached(
                "UPDATE run_items SET state = CASE WHEN ?4 THEN 'waiting' ELSE 'failed' END, alone = 1, holder = NULL,
                     leased_until = NULL, fault = ?3, finished_at = CASE WHEN ?4 THEN NULL ELSE ?5 END
                 WHERE id = ?1 AND holder = ?2",
            )?
            .execute(params![item, holder, fault, again, now])?,
        Finish::Returned => conn
            .prepare_cached("UPDATE run_items SET state = 'waiting', holder = NULL, leased_until = NULL WHERE id = ?1 AND holder = ?2")?
            .execute(params![item, holder])?,
    };
    Ok(changed > 0)
}

/// Gives a free item an outcome from the cache, if there is one under the key.
pub fn recall(conn: &Connection, item: i64, basis: Basis<'_>) -> Result<bool, Failure> {
    let kept: Option<String> = conn
        .prepare_cached("SELECT outcome FROM outcomes WHERE key = ?1")?
        .query_row([basis.key], |row| row.get(0))
        .optional()?;
    // One that this program cannot read is none.
    let Some(json) = kept else { return Ok(false) };
    let Ok(outcome) = serde_json::from_str::<Outcome>(&json) else { return Ok(false) };
    set_done(conn, item, None, &outcome, &json, basis, true)
}

fn set_done(
    conn: &Connection,
    item: i64,
    holder: Option<&str>,
    outcome: &Outcome,
    json: &str,
    basis: Basis<'_>,
    cached: bool,
) -> Result<bool, Failure> {
    let changed = conn
        .prepare_cached(
            "UPDATE run_items SET state = 'done', holder = NULL, leased_until = NULL, verdict = ?3, passed = ?4,
                 total = ?5, outcome = ?6, cached = ?7, fault = NULL, finished_at = ?8, key = ?9,
                 fingerprint = ?10
             WHERE id = ?1 AND holder IS ?2 AND state IN ('waiting', 'leased')",
        )?
        .execute(params![
            item,
            holder,
            outcome.verdict.name(),
            outcome.passed,
            outcome.total,
            json,
            cached,
            clock::now().0,
            basis.key,
            basis.fingerprint
        ])?;
    Ok(changed > 0)
}

/// How many items are not at their end: free ones (those whose lease ran out among them), and leased
/// ones.
pub fn left(conn: &Connection, id: RunId) -> Result<(u32, u32), Failure> {
    let query = "SELECT count(*) FILTER (WHERE state = 'waiting' OR state = 'leased' AND leased_until < ?2),
        count(*) FILTER (WHERE state = 'leased' AND leased_until >= ?2) FROM run_items WHERE run_id = ?1";
    let now = clock::now().0;
    Ok(conn.prepare_cached(query)?.query_row([id.0, now], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// How many items there are, how many are at their end, and on how many our machinery failed.
pub fn counts(conn: &Connection, id: RunId) -> Result<(u32, u32, u32), Failure> {
    let query = "SELECT count(*), count(*) FILTER (WHERE state IN ('done', 'failed')),
        count(*) FILTER (WHERE state = 'failed') FROM run_items WHERE run_id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
}

/// A task that has tests, with what its samples came to, in their order: verdict and case counts.
pub type TaskSamples = Vec<(Verdict, u32, u32)>;

/// What came of every task of the version that has tests, in the dataset's order. A task without an
/// output that is done has no sample.
pub fn samples(conn: &Connection, id: RunId) -> Result<Vec<TaskSamples>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT vt.position, i.verdict, i.passed, i.total
         FROM runs u JOIN submissions s ON s.id = u.submission_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
         JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         LEFT JOIN outputs o ON o.submission_id = s.id AND o.revision_id = r.id
         LEFT JOIN run_items i ON i.run_id = u.id AND i.output_id = o.id
         WHERE u.id = ?1 ORDER BY vt.position, o.sample",
    )?;
    let mut rows = statement.query([id.0])?;
    let (mut tasks, mut last) = (Vec::<TaskSamples>::new(), None);
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(0)?;
        if last.replace(position) != Some(position) {
            tasks.push(TaskSamples::new());
        }
        let verdict: Option<String> = row.get(1)?;
        if let (Some(verdict), Some(task)) = (verdict.as_deref().and_then(Verdict::from_name), tasks.last_mut()) {
            task.push((verdict, row.get(2)?, row.get(3)?));
        }
    }
    Ok(tasks)
}

/// The test classes that a version's tasks name.
pub fn test_classes(conn: &Connection, version: DatasetVersionId) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT r.test_class FROM dataset_version_tasks vt JOIN task_revisions r ON r.id = vt.revision_id
         WHERE vt.version_id = ?1 AND r.test_class IS NOT NULL",
    )?;
    let rows = statement.query_map([version.0], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The columns that [`item`] reads, and some more.
pub const ITEM: &str =
    "SELECT o.id, t.external_id, o.sample, r.raw_nl, i.state, i.outcome, i.cached, i.fault, r.signature, o.code, i.id, i.fingerprint
    FROM run_items i
    JOIN outputs o ON o.id = i.output_id
    JOIN task_revisions r ON r.id = o.revision_id
    JOIN tasks t ON t.id = r.task_id";

/// Every item of a run, in the dataset's order, with its outcome once it has one.
pub fn items(conn: &Connection, id: RunId) -> Result<Vec<ItemRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{ITEM} WHERE i.run_id = ?1 ORDER BY i.id"))?;
    let rows = statement.query_map([id.0], |row| item(row).map(|(row, _)| row))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Descriptions are longer than a list is wide.
const BEGINNING: usize = 120;

/// A description's beginning, with a mark where it goes on.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(BEGINNING) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A row of [`ITEM`].
pub fn item(row: &Row<'_>) -> rusqlite::Result<(ItemRow, Option<Outcome>)> {
    let (state, json): (String, Option<String>) = (row.get(4)?, row.get(5)?);
    let outcome: Option<Outcome> = json.and_then(|json| serde_json::from_str(&json).ok());
    let raw_nl: String = row.get(3)?;
    let of = |value: fn(&Outcome) -> u32| outcome.as_ref().map_or(0, value);
    let listed = ItemRow {
        output: OutputId(row.get(0)?),
        task_id: row.get(1)?,
        sample: row.get(2)?,
        raw_nl: beginning(&raw_nl),
        state: match state.as_str() {
            "waiting" => ItemState::Waiting,
            "leased" => ItemState::Leased,
            "done" => ItemState::Done,
            _ => ItemState::Failed,
        },
        verdict: outcome.as_ref().map(|o| o.verdict),
        limit: outcome.as_ref().and_then(|o| o.limit),
        passed: of(|o| o.passed),
        total: of(|o| o.total),
        cpu_ms: of(|o| o.cpu_ms),
        wall_ms: of(|o| o.wall_ms),
        flags: of(|o| u32::try_from(o.flags.len()).unwrap_or(u32::MAX)),
        cached: row.get(6)?,
    };
    Ok((listed, outcome))
}
