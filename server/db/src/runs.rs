//! Runs, their items, and cached outcomes.
//!
//! What must stay true: only the newest attempt at an item writes its outcome, once. Every lease begins an attempt with
//! a number of its own. If a lease expired and another worker took the item, the result of the first attempt is ignored.

use std::collections::HashMap;

use model::{
    code_lang::CodeLang,
    conversation::Way,
    dataset::TestKind,
    failure_class::FailureClass,
    ids::{DatasetVersionId, ModelId, OutputId, RunId, SubmissionId, TaskRevisionId, UserId},
    page::{PageOf, Paged},
    published::PublishedText,
    reason::Fault,
    run::{
        Environment, ItemFilter, ItemResult, ItemRow, ItemState, Outcome, PublishedVerdict, Rerun, RunStatus, Verdict,
    },
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::{
    Db,
    page::{self, Filter, List, Sort, TASK_TEXT},
    stored::{self, REVISIONS, Table, optional_json, optional_named, parsed, table},
};
use base::{clock, error::Failure};

/// For queries with the run's number as `id`.
pub const RUNS: Table = table("runs", &["id"]);
/// For queries with the item's number as `id`.
pub const ITEM_ROWS: Table = table("run_items", &["id"]);

/// A stored run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: RunId,
    /// Its submission.
    pub submission: SubmissionId,
    /// The dataset version of the submission.
    pub version: DatasetVersionId,
    pub model: ModelId,
    /// The model's name.
    pub model_name: String,
    /// The dataset's slug.
    pub dataset: String,
    /// The version's number.
    pub number: u32,

    pub status: RunStatus,
    /// Whether the cache is ignored.
    pub fresh: bool,
    /// Conditions that are the same for every output, once known.
    pub environment: Option<Environment>,
    /// Why the run failed as a whole.
    pub fault: Option<Fault>,
    /// Whether the engine must first find the items whose results are outdated.
    pub recheck: bool,
    /// When the engine started; absent until it does.
    pub begun_at: Option<Timestamp>,
    /// Number of items taken over from a holder that stopped silently.
    pub taken_over: u32,
    /// Whether the dataset's tasks are conversations.
    pub conversations: bool,
    /// Whether its tests need the sources of projects.
    pub needs_repositories: bool,

    pub created_at: Timestamp,

    pub finished_at: Option<Timestamp>,
}

/// A leased item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leased {
    pub item: i64,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// Whether the engine failed on it before, so that nothing may run beside it.
    pub alone: bool,
    /// The model's text.
    pub code: String,
    /// What the code continues, if that is not the task's prompt.
    pub prompt: Option<String>,
    /// What the published evaluator judges, if that is not the code.
    pub published_text: Option<PublishedText>,
    /// The task revision of the output.
    pub revision: TaskRevisionId,
    pub code_lang: CodeLang,
    /// The class with the task's tests; absent if the tests are stored with the task ([`task_tests`]).
    pub test_class: Option<String>,
    /// The requested signature.
    pub signature: Option<String>,
    /// Whether its cached result is ignored.
    pub fresh: bool,
    /// In a conversation: how the model was asked, and the turn that the output answers.
    pub turn: Option<(Way, u32)>,
    /// In a conversation of all turns: the earlier turns that it answers.
    pub answered: Option<Vec<u32>>,
}

impl Leased {
    /// What its result has to name.
    pub fn ticket(&self) -> Ticket {
        Ticket { item: self.item, attempt: self.attempt }
    }
}

/// An attempt at an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub item: i64,
    pub attempt: u32,
}

/// The keys that determine an outcome.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// The complete key.
    pub key: &'a str,
    /// The part that is the same for every output of an engine.
    pub fingerprint: &'a str,
    /// The worker on another machine that reported the outcome.
    pub worker: Option<&'a str>,
}

/// Items in one transaction that inserts or resets them, at some 5 to 20 µs each. Ratings that people submit are stored
/// in between.
pub const ITEMS: usize = 1_000;

/// Creates a run without items; [`fill`] adds them.
pub fn insert(conn: &Connection, submission: SubmissionId, fresh: bool, by: Option<UserId>) -> Result<RunId, Failure> {
    let id: i64 = conn.query_row(
        "INSERT INTO runs (submission_id, status, fresh, created_by, created_at)
         VALUES (?1, 'running', ?2, ?3, ?4) RETURNING id",
        params![submission.0, fresh, by.map(|id| id.0), clock::now().0],
        |row| row.get(0),
    )?;
    Ok(RunId(id))
}

/// Whether any output of the submission has a task with tests.
pub fn has_tests(conn: &Connection, submission: SubmissionId) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
        WHERE o.submission_id = ?1 AND r.tests)";
    Ok(conn.prepare_cached(query)?.query_row([submission.0], |row| row.get(0))?)
}

/// An output that a run needs an item for: its number, its expected duration in seconds, and the number of its sample.
type Missing = (i64, u64, u32);

/// Adds an item for every output whose task has tests, in the dataset's order and in short transactions. `expect` returns
/// the expected duration in seconds of an output, of its last duration in milliseconds and its code. Items that exist
/// stay, so an interrupted call is repeated.
///
/// # Errors
///
/// Fails if the database cannot be read or written.
pub fn fill(db: &Db, id: RunId, expect: impl Fn(Option<u64>, &str) -> u64) -> Result<(), Failure> {
    let missing = db.read_blocking(|conn| missing(conn, id, expect))?;
    for items in missing.chunks(ITEMS) {
        db.write_blocking(|tx| {
            let mut statement = tx.prepare_cached(
                "INSERT OR IGNORE INTO run_items (run_id, output_id, state, expected_s, sample)
                 VALUES (?1, ?2, 'waiting', ?3, ?4)",
            )?;
            for (output, expected_s, sample) in items {
                statement.execute(params![id.0, output, expected_s, sample])?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn missing(conn: &Connection, id: RunId, expect: impl Fn(Option<u64>, &str) -> u64) -> Result<Vec<Missing>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT o.id, o.code, o.sample,
             (SELECT json_extract(p.outcome, '$.wall_ms') FROM run_items p
              WHERE p.output_id = o.id AND p.state = 'done' ORDER BY p.id DESC LIMIT 1) AS last_ms
         FROM runs u
         JOIN outputs o ON o.submission_id = u.submission_id
         JOIN submissions s ON s.id = o.submission_id
         JOIN task_revisions r ON r.id = o.revision_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id AND vt.revision_id = o.revision_id
         WHERE u.id = ?1 AND r.tests
             AND NOT EXISTS (SELECT 1 FROM run_items i WHERE i.run_id = u.id AND i.output_id = o.id)
         ORDER BY vt.position, o.sample",
    )?;
    let rows = statement.query_map([id.0], |row| {
        let code: String = row.get("code")?;
        Ok((row.get("id")?, expect(row.get("last_ms")?, &code), row.get("sample")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const RUN: &str = "r.id AS id, s.id AS submission, v.id AS version, m.id AS model, m.name, d.slug, v.number, r.status, r.fresh, r.environment, r.fault,
        r.created_at, r.finished_at, r.recheck, r.begun_at, r.taken_over, s.way IS NOT NULL AS conversations,
        v.test_kind";
const RUN_JOINS: &str = "CROSS JOIN submissions s ON s.id = r.submission_id
    CROSS JOIN models m ON m.id = s.model_id
    CROSS JOIN dataset_versions v ON v.id = s.version_id
    CROSS JOIN datasets d ON d.id = v.dataset_id";

const LIST: List<'_> = List {
    columns: RUN,
    table: "runs r",
    joins: RUN_JOINS,
    id: "r.id",
    within: "",
    filter: "",
    sorts: &[
        Sort::number("started", "r.id"),
        Sort::text("model", "r.model_name"),
        Sort::text("dataset", "r.dataset_slug"),
        Sort::text("status", "r.status"),
    ],
    usual: "-started",
    search: "m.name || ' ' || d.slug",
    filters: &[
        Filter { name: "status", condition: "r.status = #", indexed: true },
        Filter { name: "dataset", condition: "r.dataset_slug = #", indexed: true },
        Filter { name: "model", condition: "m.id = #", indexed: false },
    ],
};

/// A page of the runs, newest first unless asked otherwise; only those of a submission where one is named, which are
/// in this order alone.
pub fn list(conn: &Connection, submission: Option<SubmissionId>, of: &PageOf) -> Result<Paged<Run>, Failure> {
    match submission {
        Some(id) => {
            // By the index of submissions alone.
            let sorts = &LIST.sorts[..1];
            let list = List { within: "r.submission_id = ?3", sorts, filters: &[], ..LIST };
            page::page(conn, &list, of, &[&id.0], run)
        }
        None => page::page(conn, &LIST, of, &[], run),
    }
}

/// One run.
pub fn get(conn: &Connection, id: RunId) -> Result<Option<Run>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {RUN} FROM runs r {RUN_JOINS} WHERE r.id = ?1"))?
        .query_row([id.0], run)
        .optional()?)
}

/// The oldest unfinished run; with or without those whose tests need the sources of projects.
pub fn open(conn: &Connection, with_repositories: bool) -> Result<Option<RunId>, Failure> {
    Ok(open_runs(conn, 1, with_repositories)?.pop())
}

fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    let versions = table("dataset_versions", &["version"]);
    Ok(Run {
        id: RunId(row.get("id")?),
        submission: SubmissionId(row.get("submission")?),
        version: DatasetVersionId(row.get("version")?),
        model: ModelId(row.get("model")?),
        model_name: row.get("name")?,
        dataset: row.get("slug")?,
        number: row.get("number")?,
        status: stored::named(row, RUNS, "status", RunStatus::from_name)?,
        fresh: row.get("fresh")?,
        environment: optional_json(row, RUNS, "environment")?,
        fault: optional_json(row, RUNS, "fault")?,
        created_at: Timestamp(row.get("created_at")?),
        finished_at: row.get::<_, Option<i64>>("finished_at")?.map(Timestamp),
        recheck: row.get("recheck")?,
        begun_at: row.get::<_, Option<i64>>("begun_at")?.map(Timestamp),
        taken_over: row.get("taken_over")?,
        conversations: row.get("conversations")?,
        needs_repositories: optional_named(row, versions, "test_kind", TestKind::from_name)?
            == Some(TestKind::Repositories),
    })
}

/// Records that the engine starts (or resumes) an unfinished run, with the conditions that are the same for
/// every output, where they are known before the first result.
pub fn begin(conn: &Connection, id: RunId, environment: Option<&Environment>) -> Result<(), Failure> {
    let environment = environment.map(serde_json::to_string).transpose()?;
    conn.execute(
        "UPDATE runs SET environment = coalesce(?2, environment), begun_at = ?3 WHERE id = ?1 AND status = 'running'",
        params![id.0, environment, clock::now().0],
    )?;
    Ok(())
}

/// Records the conditions of a run in progress, once they are known.
pub fn set_environment(conn: &Connection, id: RunId, environment: &Environment) -> Result<(), Failure> {
    let json = serde_json::to_string(environment)?;
    conn.prepare_cached("UPDATE runs SET environment = ?2 WHERE id = ?1")?.execute(params![id.0, json])?;
    Ok(())
}

/// Ends a running run. A fault is the reason why the run failed as a whole.
pub fn end(conn: &Connection, id: RunId, status: RunStatus, fault: Option<&Fault>) -> Result<bool, Failure> {
    let fault = fault.map(serde_json::to_string).transpose()?;
    let changed = conn.execute(
        "UPDATE runs SET status = ?2, fault = ?3, finished_at = ?4 WHERE id = ?1 AND status = 'running'",
        params![id.0, status.name(), fault, clock::now().0],
    )?;
    Ok(changed > 0)
}

/// The finished items that a request to run again names, in order. [`Rerun::Changed`] and [`Rerun::Rest`] name none:
/// the engine finds them when it starts.
pub fn named(conn: &Connection, id: RunId, what: &Rerun) -> Result<Vec<i64>, Failure> {
    let (which, argument) = match what {
        Rerun::Output(output) => ("output_id = CAST(?2 AS INTEGER)", output.to_string()),
        Rerun::Tasks(tasks) => (OF_TASKS, serde_json::to_string(tasks)?),
        Rerun::Failed => ("state = ?2", "failed".to_owned()),
        Rerun::OfRemovedWorkers => ("?2 = '' AND worker IN (SELECT name FROM removed_workers)", String::new()),
        Rerun::Changed | Rerun::Rest => return Ok(Vec::new()),
    };
    let query =
        format!("SELECT id FROM run_items WHERE run_id = ?1 AND state IN ('done', 'failed') AND {which} ORDER BY id");
    let mut statement = conn.prepare(&query)?;
    let rows = statement.query_map(params![id.0, argument], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Makes a run run again; `recheck` has the engine look for outdated items first.
pub fn reopen(conn: &Connection, id: RunId, recheck: bool) -> Result<(), Failure> {
    conn.execute(
        "UPDATE runs SET status = 'running', fault = NULL, finished_at = NULL, begun_at = NULL, recheck = recheck OR ?2
         WHERE id = ?1",
        params![id.0, recheck],
    )?;
    Ok(())
}

const RESET: &str =
    "UPDATE run_items SET state = 'waiting', alone = 0, verdict = NULL, published = NULL, failure = NULL, passed = 0, total = 0,
    cached = 0, outcome = NULL, fault = NULL, finished_at = NULL, key = NULL, fingerprint = NULL, worker = NULL";

const OF_TASKS: &str = "output_id IN (SELECT o.id FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
    JOIN tasks t ON t.id = r.task_id WHERE t.external_id IN (SELECT value FROM json_each(?2)))";

/// At most `limit` finished items after the item `after`, each with the key of its outcome.
pub fn done(conn: &Connection, id: RunId, after: i64, limit: usize) -> Result<Vec<(Leased, Option<String>)>, Failure> {
    let query = format!("{WORK} WHERE i.run_id = ?1 AND i.id > ?2 AND i.state = 'done' ORDER BY i.id LIMIT ?3");
    let mut statement = conn.prepare_cached(&query)?;
    let rows = statement.query_map(params![id.0, after, limit], |row| Ok((leased(row)?, row.get("key")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a run does not say what its outputs were made in.
pub fn lacks_environment(conn: &Connection, id: RunId) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND environment IS NULL)";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| row.get(0))?)
}

/// Resets finished items, to be run again; `fresh` ignores their cached results, too.
pub fn reset(conn: &Connection, items: &[i64], fresh: bool) -> Result<(), Failure> {
    let mut statement =
        conn.prepare_cached(&format!("{RESET}, fresh = ?2 WHERE id = ?1 AND state IN ('done', 'failed')"))?;
    for item in items {
        statement.execute(params![item, fresh])?;
    }
    Ok(())
}

/// Resets the items of an output whose code changed, in every run. Attempts in progress do not count any more, and runs
/// that ended run again, unless they were stopped.
pub fn reset_output(conn: &Connection, output: OutputId) -> Result<(), Failure> {
    conn.execute(
        "UPDATE runs SET status = 'running', fault = NULL, finished_at = NULL, begun_at = NULL
         WHERE status = 'finished' AND id IN (SELECT run_id FROM run_items WHERE output_id = ?1)",
        [output.0],
    )?;
    let query =
        format!("{RESET}, fresh = 0, holder = NULL, leased_until = NULL, attempt = attempt + 1 WHERE output_id = ?1");
    conn.execute(&query, [output.0])?;
    Ok(())
}

/// Records that the check for outdated items is done.
pub fn rechecked(conn: &Connection, id: RunId) -> Result<(), Failure> {
    conn.execute("UPDATE runs SET recheck = 0 WHERE id = ?1", [id.0])?;
    Ok(())
}

/// Duration of a lease, in milliseconds. A lease that ends later than this from now was made before the clock was set
/// back, and counts as expired.
pub const LEASE_MS: i64 = 20_000;

/// Leases a free item of a running run, or one whose lease has expired: slow ones first, then the first samples of all
/// tasks, so that items that are built together are of different tasks. `alone` selects one of the two queues.
pub fn claim(
    conn: &Connection,
    id: RunId,
    holder: &str,
    until: Timestamp,
    alone: bool,
) -> Result<Option<Leased>, Failure> {
    Ok(claim_several(conn, id, holder, until, alone, 1)?.pop())
}

/// The same for at most `limit` items, in order.
pub fn claim_several(
    conn: &Connection,
    id: RunId,
    holder: &str,
    until: Timestamp,
    alone: bool,
    limit: usize,
) -> Result<Vec<Leased>, Failure> {
    let now = clock::now().0;
    let found: Vec<(i64, bool)> = conn
        .prepare_cached(
            "SELECT i.id, i.state = 'leased' AS is_leased FROM run_items i JOIN runs r ON r.id = i.run_id
             WHERE i.run_id = ?1 AND r.status = 'running' AND i.alone = ?2
                 AND i.state IN ('waiting', 'leased')
                 AND (i.state = 'waiting' OR i.leased_until NOT BETWEEN ?3 AND ?4)
             ORDER BY i.expected_s DESC, i.sample, i.id LIMIT ?5",
        )?
        .query_map(params![id.0, alone, now, now + LEASE_MS, limit], |row| Ok((row.get("id")?, row.get("is_leased")?)))?
        .collect::<Result<_, _>>()?;
    let mut claimed = Vec::with_capacity(found.len());
    for (item, taken_over) in found {
        conn.prepare_cached(
            "UPDATE run_items SET state = 'leased', holder = ?2, leased_until = ?3, attempt = attempt + 1 WHERE id = ?1",
        )?
        .execute(params![item, holder, until.0])?;
        if taken_over {
            conn.execute("UPDATE runs SET taken_over = taken_over + 1 WHERE id = ?1", [id.0])?;
        }
        claimed.push(conn.prepare_cached(&format!("{WORK} WHERE i.id = ?1"))?.query_row([item], leased)?);
    }
    Ok(claimed)
}

/// The item of an attempt with its run, if a lease of this attempt is in progress.
pub fn in_progress(conn: &Connection, ticket: Ticket) -> Result<Option<(RunId, Leased)>, Failure> {
    let query = format!("{WORK} WHERE i.id = ?1 AND i.attempt = ?2 AND i.state = 'leased'");
    let found = conn
        .prepare_cached(&query)?
        .query_row(params![ticket.item, ticket.attempt], |row| Ok((RunId(row.get("run_id")?), leased(row)?)));
    Ok(found.optional()?)
}

/// The attempts at items of a run that a holder has in progress.
pub fn held(conn: &Connection, id: RunId, holder: &str) -> Result<Vec<Ticket>, Failure> {
    let query = "SELECT id, attempt FROM run_items INDEXED BY run_items_leased WHERE holder = ?2 AND run_id = ?1";
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement
        .query_map(params![id.0, holder], |row| Ok(Ticket { item: row.get("id")?, attempt: row.get("attempt")? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The oldest unfinished runs, at most `limit`; with or without those whose tests need the sources of projects. A process
/// without the sources leaves such runs to one that has them.
pub fn open_runs(conn: &Connection, limit: usize, with_repositories: bool) -> Result<Vec<RunId>, Failure> {
    let query = "SELECT id FROM runs INDEXED BY runs_open WHERE status = 'running' AND (?2 OR NOT EXISTS (
            SELECT 1 FROM all_submissions s JOIN dataset_versions v ON v.id = s.version_id
            WHERE s.id = runs.submission_id AND v.test_kind = ?3))
        ORDER BY id LIMIT ?1";
    let mut statement = conn.prepare_cached(query)?;
    let rows =
        statement.query_map((limit, with_repositories, TestKind::Repositories.name()), |row| row.get(0).map(RunId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const WORK: &str =
    "SELECT i.id, i.attempt, i.alone, o.code, r.test_class, r.signature, i.fresh, r.id AS revision, r.code_lang, o.prompt,
        i.run_id, coalesce(o.instruction, o.turn) AS turn, s.id AS submission, s.way, o.id AS output, o.published_text, i.key,
        CASE s.way WHEN 'n' THEN (SELECT json_group_array(e.turn) FROM outputs e
            WHERE e.submission_id = o.submission_id AND e.revision_id = o.revision_id
                AND e.conversation = o.conversation AND e.turn < o.turn) END AS answered
    FROM run_items i JOIN outputs o ON o.id = i.output_id JOIN task_revisions r ON r.id = o.revision_id
    JOIN submissions s ON s.id = o.submission_id";

fn leased(row: &Row<'_>) -> rusqlite::Result<Leased> {
    let way = optional_named(row, table("all_submissions", &["submission"]), "way", Way::from_name)?;
    let turn: Option<u32> = row.get("turn")?;
    Ok(Leased {
        item: row.get("id")?,
        attempt: row.get("attempt")?,
        alone: row.get("alone")?,
        code: row.get("code")?,
        test_class: row.get("test_class")?,
        signature: row.get("signature")?,
        fresh: row.get("fresh")?,
        revision: TaskRevisionId(row.get("revision")?),
        code_lang: parsed(row, table("task_revisions", &["revision"]), "code_lang")?,
        prompt: row.get("prompt")?,
        published_text: optional_json(row, table("outputs", &["output"]), "published_text")?,
        turn: way.zip(turn),
        answered: optional_json(row, table("outputs", &["output"]), "answered")?,
    })
}

/// At most `limit` free items of a run after the item `after`.
pub fn waiting(conn: &Connection, id: RunId, after: i64, limit: usize) -> Result<Vec<Leased>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "{WORK} WHERE i.run_id = ?1 AND i.id > ?2 AND i.state = 'waiting' ORDER BY i.id LIMIT ?3"
    ))?;
    let rows = statement.query_map(params![id.0, after, limit], leased)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Extends all leases of a holder.
pub fn renew(conn: &Connection, holder: &str, until: Timestamp) -> Result<(), Failure> {
    let query = "UPDATE run_items SET leased_until = ?2 WHERE holder = ?1 AND state = 'leased'";
    conn.prepare_cached(query)?.execute(params![holder, until.0])?;
    Ok(())
}

/// How an item left its holder.
#[derive(Clone, Debug)]
pub enum Finish<'a> {
    /// With an outcome and its keys; whether it is cached.
    Done(&'a Outcome, Basis<'a>, bool),
    /// The engine failed: the item is retried once, alone, or has failed for good.
    Failed {
        /// The reason.
        fault: Fault,
        /// Whether to retry.
        again: bool,
        /// The worker on another machine that reported it.
        worker: Option<&'a str>,
    },
    /// Unchanged: the holder stops.
    Returned,
}

/// Ends an attempt at an item. If the lease was lost meanwhile, nothing happens.
pub fn finish(conn: &Connection, ticket: Ticket, how: &Finish<'_>) -> Result<bool, Failure> {
    let now = clock::now().0;
    let changed = match how {
        Finish::Done(outcome, basis, kept) => {
            let json = serde_json::to_string(outcome)?;
            let done = set_done(conn, ticket.item, Some(ticket.attempt), outcome, &json, *basis, false)?;
            if done && *kept {
                let insert =
                    "INSERT OR REPLACE INTO outcomes (key, outcome, created_at, worker) VALUES (?1, ?2, ?3, ?4)";
                conn.prepare_cached(insert)?.execute(params![basis.key, json, now, basis.worker])?;
            }
            return Ok(done);
        }
        Finish::Failed { fault, again, worker } => conn
            .prepare_cached(
                "UPDATE run_items SET state = CASE WHEN ?4 THEN 'waiting' ELSE 'failed' END, alone = 1, holder = NULL,
                     leased_until = NULL, fault = ?3, finished_at = CASE WHEN ?4 THEN NULL ELSE ?5 END, worker = ?6
                 WHERE id = ?1 AND attempt = ?2 AND state = 'leased'",
            )?
            .execute(params![ticket.item, ticket.attempt, serde_json::to_string(fault)?, again, now, worker])?,
        Finish::Returned => conn
            .prepare_cached(
                "UPDATE run_items SET state = 'waiting', holder = NULL, leased_until = NULL
                 WHERE id = ?1 AND attempt = ?2 AND state = 'leased'",
            )?
            .execute(params![ticket.item, ticket.attempt])?,
    };
    Ok(changed > 0)
}

/// An outcome to look up.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub item: i64,
    /// The attempt in progress; absent if the item is free.
    pub attempt: Option<u32>,
    pub key: String,
    /// The fingerprint to store with the outcome.
    pub fingerprint: String,
}

/// An item's cached outcome.
#[derive(Debug)]
pub struct CachedOutcome {
    wanted: Wanted,
    outcome: Outcome,
    json: String,
    /// The worker on another machine that reported it.
    worker: Option<String>,
}

impl CachedOutcome {
    /// The item.
    pub fn item(&self) -> i64 {
        self.wanted.item
    }

    /// The fingerprint to store with it.
    pub fn fingerprint(&self) -> &str {
        &self.wanted.fingerprint
    }
}

/// The cached outcomes among those wanted. An outcome that this program cannot parse counts as missing.
pub fn cached_outcomes(conn: &Connection, wanted: Vec<Wanted>) -> Result<Vec<CachedOutcome>, Failure> {
    let mut statement = conn.prepare_cached("SELECT outcome, worker FROM outcomes WHERE key = ?1")?;
    let mut found = Vec::new();
    for wanted in wanted {
        let read = |row: &Row<'_>| Ok((row.get("outcome")?, row.get("worker")?));
        let row: Option<(String, Option<String>)> = statement.query_row([&wanted.key], read).optional()?;
        if let Some((json, worker)) = row
            && let Some(outcome) = stored::cached(json.as_bytes())
        {
            found.push(CachedOutcome { wanted, outcome, json, worker });
        }
    }
    Ok(found)
}

/// Gives items their cached outcomes.
pub fn reuse_outcomes(conn: &Connection, cached: &[CachedOutcome]) -> Result<(), Failure> {
    for CachedOutcome { wanted: Wanted { item, attempt, key, fingerprint }, outcome, json, worker } in cached {
        let basis = Basis { key, fingerprint, worker: worker.as_deref() };
        set_done(conn, *item, *attempt, outcome, json, basis, true)?;
    }
    Ok(())
}

fn set_done(
    conn: &Connection,
    item: i64,
    attempt: Option<u32>,
    outcome: &Outcome,
    json: &str,
    basis: Basis<'_>,
    cached: bool,
) -> Result<bool, Failure> {
    let changed = conn
        .prepare_cached(
            "UPDATE run_items SET state = 'done', holder = NULL, leased_until = NULL, verdict = ?3, passed = ?4,
                 total = ?5, outcome = ?6, cached = ?7, fault = NULL, finished_at = ?8, key = ?9,
                 fingerprint = ?10, published = ?11, failure = ?12, worker = ?13
             WHERE id = ?1 AND (state = 'leased' AND attempt = ?2 OR state = 'waiting' AND ?2 IS NULL)",
        )?
        .execute(params![
            item,
            attempt,
            outcome.verdict.name(),
            outcome.passed,
            outcome.total,
            json,
            cached,
            clock::now().0,
            basis.key,
            basis.fingerprint,
            outcome.published.as_ref().map(|published| published.verdict.name()),
            outcome.published.as_ref().and_then(|published| published.failure).map(FailureClass::name),
            basis.worker
        ])?;
    Ok(changed > 0)
}

/// Whether a run has an unfinished item. Cheaper than counting them.
pub fn has_open_items(conn: &Connection, id: RunId) -> Result<bool, Failure> {
    let query = "SELECT EXISTS (SELECT 1 FROM run_items INDEXED BY run_items_open
        WHERE run_id = ?1 AND state IN ('waiting', 'leased'))";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| row.get(0))?)
}

/// Number of unfinished items: free ones (including those with expired leases), and leased ones.
pub fn left(conn: &Connection, id: RunId) -> Result<(u32, u32), Failure> {
    let query =
        "SELECT count(*) FILTER (WHERE state = 'waiting' OR state = 'leased' AND leased_until NOT BETWEEN ?2 AND ?3) AS free,
            count(*) FILTER (WHERE state = 'leased' AND leased_until BETWEEN ?2 AND ?3) AS leased
         FROM run_items WHERE run_id = ?1";
    let now = clock::now().0;
    Ok(conn
        .prepare_cached(query)?
        .query_row([id.0, now, now + LEASE_MS], |row| Ok((row.get("free")?, row.get("leased")?)))?)
}

/// Number of items in total, finished, and failed by the engine.
pub type Counts = (u32, u32, u32);

/// The counts of one run.
pub fn counts(conn: &Connection, id: RunId) -> Result<Counts, Failure> {
    Ok(counts_of(conn, &[id])?.remove(&id).unwrap_or_default())
}

/// The counts of each of these runs, in one statement. A run without items is left out.
pub fn counts_of(conn: &Connection, runs: &[RunId]) -> Result<HashMap<RunId, Counts>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT i.run_id, count(*) AS items, count(*) FILTER (WHERE i.state IN ('done', 'failed')) AS ended,
            count(*) FILTER (WHERE i.state = 'failed') AS failed
         FROM json_each(?1) j CROSS JOIN run_items i ON i.run_id = j.value GROUP BY j.key",
    )?;
    let rows = statement.query_map([list_of(runs)?], |row| {
        Ok((RunId(row.get("run_id")?), (row.get("items")?, row.get("ended")?, row.get("failed")?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The revision of each of these runs' verdicts: it goes up with every verdict that comes or goes. A run that never had
/// one is left out.
pub fn revisions(conn: &Connection, runs: &[RunId]) -> Result<HashMap<RunId, i64>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT k.run_id, k.revision FROM json_each(?1) j CROSS JOIN run_revisions k ON k.run_id = j.value",
    )?;
    let rows = statement.query_map([list_of(runs)?], |row| Ok((RunId(row.get("run_id")?), row.get("revision")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The runs as a JSON list of numbers.
fn list_of(runs: &[RunId]) -> Result<String, Failure> {
    Ok(serde_json::to_string(&runs.iter().map(|id| id.0).collect::<Vec<_>>())?)
}

/// An output's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleResult {
    pub verdict: Verdict,
    /// Test cases passed.
    pub passed: u32,
    /// Test cases.
    pub total: u32,
    /// The verdict as published, if the benchmark has an evaluator.
    pub published: Option<PublishedVerdict>,
    /// Whether the data have a defect because of which the guarded verdict does not count.
    pub cannot_judge: bool,
}

/// Whether the data have a defect because of which the guarded verdict of the item `i` does not count
/// ([`model::reason::Reason::CannotJudge`]): its verdict is an anomaly, so no other outcome is read.
pub const CANNOT_JUDGE: &str =
    "coalesce(i.verdict = 'anomaly' AND json_extract(i.outcome, '$.reason.code') = 'cannot_judge', 0)";

/// The results of a task's samples, in order.
pub type TaskSamples = Vec<SampleResult>;

/// The results of every task of the version that has tests, in the dataset's order. A task without a
/// finished output has no sample.
pub fn samples(conn: &Connection, id: RunId) -> Result<Vec<TaskSamples>, Failure> {
    Ok(samples_of(conn, &[id])?.remove(&id).unwrap_or_default())
}

/// The same for each of these runs, in one statement.
pub fn samples_of(conn: &Connection, runs: &[RunId]) -> Result<HashMap<RunId, Vec<TaskSamples>>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT u.id, vt.position, o.turn, i.id AS item, i.verdict, i.passed, i.total, i.published,
                {CANNOT_JUDGE} AS cannot_judge
         FROM json_each(?1) j CROSS JOIN runs u ON u.id = j.value
         JOIN submissions s ON s.id = u.submission_id
         JOIN dataset_version_tasks vt ON vt.version_id = s.version_id
         JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         LEFT JOIN outputs o ON o.submission_id = s.id AND o.revision_id = r.id
         LEFT JOIN run_items i ON i.run_id = u.id AND i.output_id = o.id AND i.state = 'done'
         ORDER BY j.key, vt.position, o.turn, o.sample",
    ))?;
    let mut rows = statement.query([list_of(runs)?])?;
    let (mut found, mut last) = (HashMap::<RunId, Vec<TaskSamples>>::new(), None);
    while let Some(row) = rows.next()? {
        let run = RunId(row.get("id")?);
        // Each turn of a conversation counts like a task.
        let place = (run, row.get::<_, i64>("position")?, row.get::<_, Option<u32>>("turn")?);
        let tasks = found.entry(run).or_default();
        if last.replace(place) != Some(place) {
            tasks.push(TaskSamples::new());
        }
        let items = table("run_items", &["item"]);
        let verdict = optional_named(row, items, "verdict", Verdict::from_name)?;
        if let (Some(verdict), Some(task)) = (verdict, tasks.last_mut()) {
            task.push(SampleResult {
                verdict,
                passed: row.get("passed")?,
                total: row.get("total")?,
                published: optional_named(row, items, "published", PublishedVerdict::from_name)?,
                cannot_judge: row.get("cannot_judge")?,
            });
        }
    }
    Ok(found)
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

/// The test class that a task revision names.
pub fn test_class(conn: &Connection, revision: TaskRevisionId) -> Result<Option<String>, Failure> {
    let query = "SELECT test_class FROM task_revisions WHERE id = ?1";
    Ok(conn.prepare_cached(query)?.query_row([revision.0], |row| row.get(0)).optional()?.flatten())
}

/// The programming languages of a version's tasks that have tests, in the order of [`CodeLang::ALL`].
pub fn code_langs(conn: &Connection, version: DatasetVersionId) -> Result<Vec<CodeLang>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.code_lang, max(r.id) AS revision_id
         FROM dataset_version_tasks vt JOIN task_revisions r ON r.id = vt.revision_id
         WHERE vt.version_id = ?1 AND r.tests GROUP BY r.code_lang",
    )?;
    let rows = statement.query_map([version.0], |row| parsed(row, REVISIONS, "code_lang"))?;
    let found = rows.collect::<Result<Vec<CodeLang>, _>>()?;
    Ok(CodeLang::ALL.into_iter().filter(|lang| found.contains(lang)).collect())
}

/// The tests that are stored with their tasks: revision, programming language and tests of each task of a version.
/// [`super::datasets::tests`] has those that are files.
pub fn task_tests(
    conn: &Connection,
    version: DatasetVersionId,
) -> Result<Vec<(TaskRevisionId, CodeLang, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.id AS revision_id, r.code_lang, x.body FROM dataset_version_tasks vt
         JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         JOIN task_tests x ON x.revision_id = r.id
         WHERE vt.version_id = ?1 ORDER BY vt.position",
    )?;
    let rows = statement.query_map([version.0], |row| {
        Ok((TaskRevisionId(row.get("revision_id")?), parsed(row, REVISIONS, "code_lang")?, row.get("body")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The table of tests that are stored with their tasks.
pub const TASK_TESTS: Table = table("task_tests", &["revision_id"]);

/// The tests of [`task_tests`] that are JSON, read.
pub fn task_programs<T: DeserializeOwned>(
    conn: &Connection,
    version: DatasetVersionId,
) -> Result<Vec<(TaskRevisionId, T)>, Failure> {
    let read = |(revision, _, body): (TaskRevisionId, CodeLang, String)| {
        Ok((revision, stored::from_text(&body, TASK_TESTS, revision.0, "body")?))
    };
    task_tests(conn, version)?.into_iter().map(read).collect()
}

/// The columns that [`item`] reads, and some more.
pub const ITEM: &str = "o.id AS output, t.external_id, o.sample, r.raw_nl, i.state, i.outcome, i.cached, i.fault, r.signature, o.visible_code AS code, i.id, i.fingerprint, r.id AS revision,
        r.code_lang,
        i.verdict, i.passed, i.total,
        (SELECT p.passed FROM reported p WHERE p.output_id = o.id) AS theirs";
/// The tables of [`ITEM`] after `run_items i`.
pub const ITEM_JOINS: &str = "CROSS JOIN outputs o ON o.id = i.output_id
    CROSS JOIN task_revisions r ON r.id = o.revision_id
    CROSS JOIN tasks t ON t.id = r.task_id";

/// The same without the outcomes, which are long; only anomalies have theirs, which says whether they count.
const BRIEF: &str = "SELECT i.id, o.id AS output, t.external_id, o.sample, '' AS raw_nl, i.state,
        CASE WHEN i.verdict = 'anomaly' THEN i.outcome END AS outcome, i.cached,
        i.verdict, i.passed, i.total, NULL AS theirs
    FROM run_items i
    CROSS JOIN outputs o ON o.id = i.output_id
    CROSS JOIN task_revisions r ON r.id = o.revision_id
    CROSS JOIN tasks t ON t.id = r.task_id";

const THEIRS_ONLY: &str = "i.verdict <> 'passed' AND ?4 = ''
    AND EXISTS (SELECT 1 FROM reported p WHERE p.output_id = i.output_id AND p.passed = 1)";
const OURS_ONLY: &str = "i.verdict = 'passed' AND ?4 = ''
    AND EXISTS (SELECT 1 FROM reported p WHERE p.output_id = i.output_id AND p.passed = 0)";

/// A page of a run's items, in the dataset's order unless asked otherwise.
pub fn items_page(conn: &Connection, id: RunId, chosen: &ItemFilter, of: &PageOf) -> Result<Paged<ItemRow>, Failure> {
    let verdict = match chosen.result {
        Some(ItemResult::Verdict(verdict)) => verdict.name(),
        _ => "",
    };
    let theirs_only = format!("{THEIRS_ONLY} AND NOT {CANNOT_JUDGE}");
    let result = match chosen.result {
        None => "?4 = ''",
        Some(ItemResult::Verdict(_)) => "i.verdict = ?4",
        Some(ItemResult::Differs) => "i.published = 'passed' AND i.verdict <> 'passed' AND ?4 = ''",
        Some(ItemResult::TheirsOnly) => &theirs_only,
        Some(ItemResult::OursOnly) => OURS_ONLY,
        Some(ItemResult::EngineFailed) => "i.state = 'failed' AND ?4 = ''",
        Some(ItemResult::Waiting) => "i.state IN ('waiting', 'leased') AND ?4 = ''",
        Some(ItemResult::NoOutput) => "?4 <> ''",
    };
    let flagged = match chosen.flagged {
        true => " AND (i.verdict = 'anomaly' OR json_array_length(i.outcome, '$.flags') > 0)",
        false => "",
    };
    let list = List {
        columns: ITEM,
        table: "run_items i",
        joins: ITEM_JOINS,
        id: "i.id",
        within: "i.run_id = ?3",
        filter: &format!("{result}{flagged}"),
        sorts: &[Sort::number("order", "i.id")],
        usual: "order",
        search: TASK_TEXT,
        filters: &[],
    };
    let mut of = of.clone();
    if of.which.search.is_empty() {
        of.which.search.clone_from(&chosen.words);
    }
    page::page(conn, &list, &of, &[&id.0, &verdict], |row| item(row).map(|(row, _)| row))
}

/// Calls `each` for every item of a run, in the dataset's order.
pub fn each_item(
    conn: &Connection,
    id: RunId,
    mut each: impl FnMut(&ItemRow) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut statement =
        conn.prepare_cached(&format!("SELECT {ITEM} FROM run_items i {ITEM_JOINS} WHERE i.run_id = ?1 ORDER BY i.id"))?;
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        each(&item(row)?.0)?;
    }
    Ok(())
}

/// Every item of a run, in the dataset's order, with what its outcome is about: verdict and case counts.
pub fn brief_items(conn: &Connection, id: RunId) -> Result<Vec<ItemRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{BRIEF} WHERE i.run_id = ?1 ORDER BY i.id"))?;
    let rows = statement.query_map([id.0], |row| item(row).map(|(row, _)| row))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Maximum length of a description in a list.
const BEGINNING: usize = 120;

/// The beginning of a description, with a mark if it is cut.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(BEGINNING) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

fn item_state(name: &str) -> Option<ItemState> {
    Some(match name {
        "waiting" => ItemState::Waiting,
        "leased" => ItemState::Leased,
        "done" => ItemState::Done,
        "failed" => ItemState::Failed,
        _ => return None,
    })
}

/// A row of [`ITEM`]; one of [`BRIEF`] has less.
pub fn item(row: &Row<'_>) -> rusqlite::Result<(ItemRow, Option<Outcome>)> {
    let outcome: Option<Outcome> = optional_json(row, ITEM_ROWS, "outcome")?;
    let raw_nl: String = row.get("raw_nl")?;
    let of = |value: fn(&Outcome) -> u32| outcome.as_ref().map_or(0, value);
    let listed = ItemRow {
        output: OutputId(row.get("output")?),
        task_id: row.get("external_id")?,
        sample: row.get("sample")?,
        raw_nl: beginning(&raw_nl),
        state: stored::named(row, ITEM_ROWS, "state", item_state)?,
        verdict: optional_named(row, ITEM_ROWS, "verdict", Verdict::from_name)?,
        limit: outcome.as_ref().and_then(|o| o.limit),
        reason: outcome.as_ref().and_then(|o| o.reason.clone()),
        passed: row.get("passed")?,
        total: row.get("total")?,
        published: outcome.as_ref().and_then(|o| o.published.as_ref()).map(|published| published.verdict),
        theirs: row.get("theirs")?,
        cpu_ms: of(|o| o.cpu_ms),
        wall_ms: of(|o| o.wall_ms),
        flags: of(|o| u32::try_from(o.flags.len()).unwrap_or(u32::MAX)),
        cached: row.get("cached")?,
    };
    Ok((listed, outcome))
}
