//! Collections: their requests, and who sends them.
//!
//! One process at a time holds a collection by a lease. Every write about a request names the holder, so that what a
//! process writes after it lost its lease is refused.

use std::collections::BTreeMap;

use model::{
    collection::{
        ChatMessage, CollectionRow, CollectionSettings, CollectionStatus, EndCount, JudgedOutput, RequestDetail,
        RequestForm, RequestRow, StopReason, TestedAnswer, Waiting,
    },
    conversation::InstructionAnswer,
    fault::RequestFault,
    ids::{CollectionId, DatasetVersionId, ModelId, OutputId, RunId, StudyId, SubmissionId, UserId},
    judging::{JudgingFacts, LevelOrder},
    page::{PageOf, Paged},
    reason::Fault,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::value::RawValue;

use super::{
    judgings::{self, JudgeAnswer, Judging, REQUESTS},
    page::{self, Filter, List, Sort},
    stored::{self, Table, json, named, optional_json, optional_parsed, optional_scores, parsed, table},
};
use base::{clock, error::Failure};

/// For queries with the collection's number as `id`.
pub const COLLECTIONS: Table = table("collections", &["id"]);
/// For queries with the key of the messages as `prompt` and their collection as `collection_id`.
const PROMPTS: Table = table("collection_prompts", &["collection_id", "prompt"]);

/// How long a process holds a collection without renewing its lease, in milliseconds.
pub const LEASE_MS: i64 = 30_000;
/// Maximum number of reasons why responses ended that are counted by themselves; the protocol has six.
const MOST_ENDS: usize = 20;
/// What further reasons are counted as.
const OTHER_END: &str = "other";
/// Maximum number of rows that one transaction of a deletion deletes.
const ROWS: u32 = 100;

/// A collection to store.
pub struct NewRow {
    pub version: DatasetVersionId,
    pub model_name: String,
    pub endpoint_model: String,
    pub endpoint: String,
    pub url: String,
    pub settings: CollectionSettings,
    /// External IDs of the tasks, in the dataset's order; of a judging, IDs of the outputs.
    pub tasks: Vec<String>,
    pub by: Option<UserId>,
    /// Of a judging: how it asks, where its scores are, and its study.
    pub judging: Option<(Judging, i64, Option<StudyId>)>,
}

/// A stored collection.
pub struct Collection {
    pub row: CollectionRow,
    pub version: DatasetVersionId,
    pub url: String,
    pub settings: CollectionSettings,
    /// How the endpoint wants requests; absent until it has answered one.
    pub form: Option<RequestForm>,
    /// As in [`NewRow`].
    pub tasks: Vec<String>,
    pub judging: Option<Judging>,
    /// Number of stored responses, of all turns.
    pub responses: u64,
    /// Whether a process holds it.
    pub in_work: bool,
}

/// Stores a collection as a draft.
pub fn insert(conn: &Connection, new: &NewRow) -> Result<CollectionId, Failure> {
    let total = new.tasks.len() as u64 * u64::from(new.settings.samples);
    Ok(CollectionId(conn.query_row(
        "INSERT INTO collections (version_id, model_name, endpoint_model, endpoint, url, settings, tasks, total, status,
             created_by, created_at, kind, judging, judging_id, study_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'draft', ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id",
        params![
            new.version.0,
            new.model_name,
            new.endpoint_model,
            new.endpoint,
            new.url,
            serde_json::to_string(&new.settings)?,
            serde_json::to_string(&new.tasks)?,
            total,
            new.by.map(|id| id.0),
            clock::now().0,
            if new.judging.is_some() { "scores" } else { "outputs" },
            new.judging.as_ref().map(|(how, ..)| serde_json::to_string(how)).transpose()?,
            new.judging.as_ref().map(|(_, id, _)| id),
            new.judging.as_ref().and_then(|(.., study)| study.map(|id| id.0)),
        ],
        |row| row.get(0),
    )?))
}

const COLUMNS: &str = "c.id, c.model_name, d.slug, v.number, c.endpoint, c.endpoint_model, c.status, c.reason, c.total,
    c.answered, c.failed, c.sent, c.prompt_tokens, c.response_tokens, c.estimated, c.waiting, c.ends, c.empty, c.refused, c.other_parts, c.latency_ms, u.name AS by_name,
    c.created_at, c.ended_at, c.kind, c.judging, c.study_id, c.scored, c.invalid, c.responses,
    json_extract(c.settings, '$.at_once') AS at_once,
    json_extract(c.settings, '$.per_minute') AS per_minute";
const JOINS: &str = "CROSS JOIN dataset_versions v ON v.id = c.version_id CROSS JOIN datasets d ON d.id = v.dataset_id
    LEFT JOIN users u ON u.id = c.created_by";

const LIST: List<'_> = List {
    columns: COLUMNS,
    table: "collections c",
    joins: JOINS,
    id: "c.id",
    within: "",
    filter: "c.status <> 'deleted'",
    sorts: &[Sort::number("created", "c.id")],
    usual: "-created",
    search: "c.model_name || ' ' || d.slug || ' ' || c.endpoint || ' ' || c.endpoint_model",
    filters: &[
        Filter { name: "status", condition: "c.status = #", indexed: false },
        Filter { name: "dataset", condition: "d.slug = #", indexed: false },
        Filter { name: "kind", condition: "c.kind = #", indexed: false },
    ],
};

/// A page of the collections.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<CollectionRow>, Failure> {
    page::page(conn, &LIST, of, &[], row)
}

/// One collection.
pub fn get(conn: &Connection, id: CollectionId) -> Result<Option<Collection>, Failure> {
    let query = format!(
        "SELECT {COLUMNS}, c.version_id, c.url, c.settings, c.form, c.tasks, c.leased_until >= ?2 AS in_work
         FROM collections c {JOINS} WHERE c.id = ?1 AND c.status <> 'deleted'"
    );
    let read = |found: &Row<'_>| {
        Ok(Collection {
            row: row(found)?,
            version: DatasetVersionId(found.get("version_id")?),
            url: found.get("url")?,
            settings: json(found, COLLECTIONS, "settings")?,
            form: optional_json(found, COLLECTIONS, "form")?,
            tasks: json(found, COLLECTIONS, "tasks")?,
            judging: judging(found)?,
            responses: found.get("responses")?,
            in_work: found.get::<_, Option<bool>>("in_work")?.unwrap_or_default(),
        })
    };
    Ok(conn.prepare_cached(&query)?.query_row(params![id.0, clock::now().0], read).optional()?)
}

/// How a judging asks; `None` for a collection of outputs. What cannot be read is an error: as a collection of outputs,
/// a judging would send requests of another kind, which cost money.
fn judging(row: &Row<'_>) -> rusqlite::Result<Option<Judging>> {
    match kind(row)? {
        Kind::Scores => json(row, COLLECTIONS, "judging").map(Some),
        Kind::Outputs => Ok(None),
    }
}

/// What a collection asks a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Outputs,
    Scores,
}

fn kind(row: &Row<'_>) -> rusqlite::Result<Kind> {
    named(row, COLLECTIONS, "kind", |name| match name {
        "outputs" => Some(Kind::Outputs),
        "scores" => Some(Kind::Scores),
        _ => None,
    })
}

fn row(row: &Row<'_>) -> rusqlite::Result<CollectionRow> {
    let (total, answered, failed): (u64, u64, u64) = (row.get("total")?, row.get("answered")?, row.get("failed")?);
    let status: CollectionStatus = parsed(row, COLLECTIONS, "status")?;
    let latency: u64 = row.get("latency_ms")?;
    let at_once = row.get::<_, Option<u64>>("at_once")?.unwrap_or(1).max(1);
    let per_minute: Option<u64> = row.get("per_minute")?;
    let left = total.saturating_sub(answered + failed);
    // By the mean latency so far, or by the limit of requests in a minute if that takes longer.
    let left_s = (status == CollectionStatus::Running && answered > 0).then(|| {
        let by_latency = left * latency / answered / at_once / 1000;
        by_latency.max(per_minute.map_or(0, |limit| left * 60 / limit.max(1)))
    });
    let (study, scored, invalid) = (row.get::<_, Option<i64>>("study_id")?, row.get("scored")?, row.get("invalid")?);
    let judging = judging(row)?.map(|how| JudgingFacts {
        study: study.map(StudyId),
        rubric: how.rubric,
        dimensions: how.dimensions,
        instructions: how.instructions,
        lang: how.lang,
        level_order: how.level_order,
        outputs: how.outputs,
        scored,
        invalid,
    });
    Ok(CollectionRow {
        judging,
        id: CollectionId(row.get("id")?),
        model_name: row.get("model_name")?,
        dataset: row.get("slug")?,
        number: row.get("number")?,
        endpoint: row.get("endpoint")?,
        endpoint_model: row.get("endpoint_model")?,
        status,
        reason: optional_json(row, COLLECTIONS, "reason")?,
        waiting: optional_json(row, COLLECTIONS, "waiting")?
            .filter(|waiting: &Waiting| status == CollectionStatus::Running && waiting.until > clock::now()),
        total,
        answered,
        failed,
        sent: row.get("sent")?,
        prompt_tokens: row.get("prompt_tokens")?,
        response_tokens: row.get("response_tokens")?,
        estimated: row.get("estimated")?,
        ends: ends(row)?,
        empty: row.get("empty")?,
        refused: row.get("refused")?,
        other_parts: row.get("other_parts")?,
        left_s,
        by: row.get("by_name")?,
        created_at: Timestamp(row.get("created_at")?),
        ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Timestamp),
    })
}

/// Why a collection's responses ended, the most frequent reason first.
fn ends(row: &Row<'_>) -> rusqlite::Result<Vec<EndCount>> {
    let counts: BTreeMap<String, u64> = json(row, COLLECTIONS, "ends")?;
    let count =
        |(reason, responses)| EndCount { reason: Some(reason).filter(|word: &String| !word.is_empty()), responses };
    let mut ends: Vec<EndCount> = counts.into_iter().map(count).collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.responses));
    Ok(ends)
}

const REQUEST: &str = "r.id, r.collection_id, r.prompt, r.task_id, r.sample, r.turn, r.instruction, r.tests, r.tests_fault, r.scores, r.instruction_answers, r.status, r.attempts, r.sent_at, r.finish_reason,
    r.reported_model, r.prompt_tokens, r.response_tokens, r.latency_ms, r.error, r.output_id, o.sample AS output_sample,
    m.name AS output_model";
/// The judged output of a request and its model, where it has one.
const OUTPUT: &str = "LEFT JOIN outputs o ON o.id = r.output_id LEFT JOIN all_submissions s ON s.id = o.submission_id
    LEFT JOIN models m ON m.id = s.model_id";

/// A page of a collection's requests that were sent, in their order.
pub fn requests(conn: &Connection, id: CollectionId, of: &PageOf) -> Result<Paged<RequestRow>, Failure> {
    let list = List {
        columns: REQUEST,
        table: "collection_requests r",
        joins: OUTPUT,
        id: "r.id",
        within: "r.collection_id = ?3",
        filter: "",
        sorts: &[Sort::number("order", "r.position")],
        usual: "order",
        search: "r.task_id || ' ' || coalesce('HTTP ' || json_extract(r.error, '$.status'), '') || ' '
            || coalesce(json_extract(r.error, '$.detail'), '') || ' ' || coalesce(r.finish_reason, '')",
        filters: &[Filter { name: "status", condition: "r.status = #", indexed: false }],
    };
    page::page(conn, &list, of, &[&id.0], request_row)
}

fn request_row(row: &Row<'_>) -> rusqlite::Result<RequestRow> {
    Ok(RequestRow {
        id: row.get("id")?,
        task_id: row.get("task_id")?,
        sample: row.get("sample")?,
        turn: row.get("turn")?,
        instruction: row.get("instruction")?,
        tests: optional_json(row, REQUESTS, "tests")?,
        tests_fault: optional_json(row, REQUESTS, "tests_fault")?,
        output: match row.get::<_, Option<i64>>("output_id")? {
            Some(id) => Some(JudgedOutput {
                id: OutputId(id),
                model: row.get::<_, Option<String>>("output_model")?.unwrap_or_default(),
                sample: row.get::<_, Option<u32>>("output_sample")?.unwrap_or_default(),
            }),
            None => None,
        },
        scores: optional_scores(row, REQUESTS, "scores")?,
        instruction_answers: judgings::instruction_answers(row)?,
        status: parsed(row, REQUESTS, "status")?,
        attempts: row.get("attempts")?,
        sent_at: Timestamp(row.get("sent_at")?),
        finish_reason: row.get("finish_reason")?,
        reported_model: row.get("reported_model")?,
        prompt_tokens: row.get("prompt_tokens")?,
        response_tokens: row.get("response_tokens")?,
        latency_ms: row.get("latency_ms")?,
        error: optional_json(row, REQUESTS, "error")?,
    })
}

/// One request with its texts.
pub fn request(conn: &Connection, id: CollectionId, request: i64) -> Result<Option<RequestDetail>, Failure> {
    let query = format!(
        "SELECT {REQUEST}, r.response, r.reasoning, r.refusal, r.other_parts, p.messages FROM collection_requests r {OUTPUT}
         JOIN collection_prompts p ON p.collection_id = r.collection_id AND p.task_id = r.prompt
         WHERE r.id = ?1 AND r.collection_id = ?2"
    );
    let read = |row: &Row<'_>| {
        Ok(RequestDetail {
            row: request_row(row)?,
            response: row.get("response")?,
            reasoning: row.get("reasoning")?,
            refusal: row.get("refusal")?,
            other_parts: optional_json(row, REQUESTS, "other_parts")?.unwrap_or_default(),
            messages: json(row, PROMPTS, "messages")?,
            fault: None,
        })
    };
    Ok(conn.prepare_cached(&query)?.query_row([request, id.0], read).optional()?)
}

/// An answered request, for the file of a collection's outputs.
pub struct Answered {
    pub position: u64,
    pub row: RequestRow,
    /// The messages as JSON.
    pub messages: Box<RawValue>,
    pub response: String,
    /// What the endpoint sent apart from the response.
    pub reasoning: Option<String>,
    pub refusal: Option<String>,
    /// The comment of a valid answer of a judge.
    pub comment: Option<String>,
}

/// Up to `limit` answered requests after a position and turn, in their order.
pub fn answered(
    conn: &Connection,
    id: CollectionId,
    after: Option<(u64, u32)>,
    limit: u32,
) -> Result<Vec<Answered>, Failure> {
    let (position, turn) = after.map_or((-1, -1), |(position, turn)| (position.cast_signed(), i64::from(turn)));
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {REQUEST}, r.position, r.response, r.reasoning, r.refusal, r.comment, p.messages FROM collection_requests r {OUTPUT}
         JOIN collection_prompts p ON p.collection_id = r.collection_id AND p.task_id = r.prompt
         WHERE r.collection_id = ?1 AND (r.position, r.turn) > (?2, ?3) AND r.status = 'answered'
         ORDER BY r.position, r.turn LIMIT ?4"
    ))?;
    let rows = statement.query_map(params![id.0, position, turn, limit], |row| {
        let (position, comment) = (row.get("position")?, row.get("comment")?);
        let messages = json(row, PROMPTS, "messages")?;
        Ok(Answered {
            position,
            row: request_row(row)?,
            messages,
            response: row.get("response")?,
            reasoning: row.get("reasoning")?,
            refusal: row.get("refusal")?,
            comment,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Records a file that was made of a collection's responses.
pub fn add_file(conn: &Connection, id: CollectionId, checksum: &str) -> Result<(), Failure> {
    let query = "INSERT INTO collection_files (checksum, collection_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    conn.execute(query, params![checksum, id.0])?;
    Ok(())
}

/// The submissions that were imported from a collection's files, newest first.
pub fn submissions(conn: &Connection, id: CollectionId) -> Result<Vec<SubmissionId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id FROM collection_files f CROSS JOIN all_submissions s ON s.checksum = f.checksum
         WHERE f.collection_id = ?1 AND s.importing_until IS NULL ORDER BY s.id DESC",
    )?;
    let rows = statement.query_map([id.0], |row| row.get(0).map(SubmissionId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The collections from whose responses the outputs of these studies and runs were imported, of these models; oldest
/// first.
pub fn of_selection(
    conn: &Connection,
    models: &[ModelId],
    studies: &[StudyId],
    runs: &[RunId],
) -> Result<Vec<CollectionId>, Failure> {
    let mut statement = conn.prepare(
        "WITH chosen (id) AS (
             SELECT submission_id FROM study_submissions WHERE study_id IN (SELECT value FROM json_each(?2))
             UNION SELECT submission_id FROM runs WHERE id IN (SELECT value FROM json_each(?3)))
         SELECT DISTINCT c.id FROM chosen CROSS JOIN all_submissions s ON s.id = chosen.id
         CROSS JOIN collection_files f ON f.checksum = s.checksum CROSS JOIN collections c ON c.id = f.collection_id
         WHERE s.model_id IN (SELECT value FROM json_each(?1)) AND c.status <> 'deleted'
         ORDER BY c.id",
    )?;
    let ids = [serde_json::to_string(models)?, serde_json::to_string(studies)?, serde_json::to_string(runs)?];
    let rows = statement.query_map(ids.each_ref(), |row| row.get(0).map(CollectionId))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Sets the state of a collection.
pub fn set_status(
    conn: &Connection,
    id: CollectionId,
    status: CollectionStatus,
    reason: Option<&StopReason>,
) -> Result<(), Failure> {
    let ended = matches!(status, CollectionStatus::Stopped | CollectionStatus::Finished).then(|| clock::now().0);
    let reason = reason.map(serde_json::to_string).transpose()?;
    let query = "UPDATE collections SET status = ?2, reason = ?3, ended_at = ?4 WHERE id = ?1 AND status <> 'deleted'";
    conn.execute(query, params![id.0, status.name(), reason, ended])?;
    Ok(())
}

/// Replaces the settings of a collection.
pub fn set_settings(conn: &Connection, id: CollectionId, settings: &CollectionSettings) -> Result<(), Failure> {
    let query = "UPDATE collections SET settings = ?2 WHERE id = ?1";
    conn.execute(query, params![id.0, serde_json::to_string(settings)?])?;
    Ok(())
}

/// Stores how the endpoint wants requests, if the holder still holds the collection.
pub fn set_form(conn: &Connection, id: CollectionId, holder: &str, form: RequestForm) -> Result<(), Failure> {
    let query = "UPDATE collections SET form = ?3 WHERE id = ?1 AND holder = ?2";
    conn.execute(query, params![id.0, holder, serde_json::to_string(&form)?])?;
    Ok(())
}

/// Has some of a collection's failed requests sent again. Returns whether none is left.
pub fn retry_failed(conn: &Connection, id: CollectionId) -> Result<bool, Failure> {
    let query = format!(
        "UPDATE collection_requests SET status = 'waiting', attempts = 0 WHERE id IN (
             SELECT id FROM collection_requests WHERE collection_id = ?1 AND status = 'failed' LIMIT {ROWS})"
    );
    let changed = conn.execute(&query, [id.0])?;
    conn.execute("UPDATE collections SET failed = failed - ?2 WHERE id = ?1", params![id.0, changed])?;
    Ok(changed == 0)
}

/// The running collections that no process holds: their number, and the name and URL of their endpoint.
pub fn unattended(conn: &Connection) -> Result<Vec<(CollectionId, String, String)>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT id, endpoint, url FROM collections c WHERE status = 'running' AND {FREE} ORDER BY id"
    ))?;
    let rows = statement
        .query_map([clock::now().0], |row| Ok((CollectionId(row.get("id")?), row.get("endpoint")?, row.get("url")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// That no process holds the collection at the time `?1`: also where the clock was set back.
const FREE: &str = "(c.leased_until IS NULL OR c.leased_until < ?1 OR c.leased_until > ?1 + 30000)";

/// Has `holder` send the collection's requests; returns whether it may. What an earlier holder had sent without storing
/// a response is sent again.
pub fn hold(conn: &Connection, id: CollectionId, holder: &str) -> Result<bool, Failure> {
    let now = clock::now().0;
    let query = format!(
        "UPDATE collections AS c SET holder = ?2, leased_until = ?3 WHERE id = ?4 AND status = 'running' AND {FREE}"
    );
    if conn.prepare_cached(&query)?.execute(params![now, holder, now + LEASE_MS, id.0])? == 0 {
        return Ok(false);
    }
    conn.execute(
        "UPDATE collection_requests SET status = 'waiting' WHERE collection_id = ?1 AND status = 'sent'",
        [id.0],
    )?;
    Ok(true)
}

/// Extends the holder's lease and returns whether the collection is still running; `None` if another process holds it.
pub fn renew(conn: &Connection, id: CollectionId, holder: &str) -> Result<Option<bool>, Failure> {
    let query = "UPDATE collections SET leased_until = ?3 WHERE id = ?1 AND holder = ?2 RETURNING status = 'running'";
    let lease = clock::now().0 + LEASE_MS;
    Ok(conn.prepare_cached(query)?.query_row(params![id.0, holder, lease], |row| row.get(0)).optional()?)
}

/// Ends the holder's lease.
pub fn release(conn: &Connection, id: CollectionId, holder: &str) -> Result<(), Failure> {
    let query = "UPDATE collections SET holder = NULL, leased_until = NULL WHERE id = ?1 AND holder = ?2";
    conn.execute(query, params![id.0, holder])?;
    Ok(())
}

/// A holder's next step.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Send this request.
    Send(Sending),
    /// No request is left but those in progress.
    Nothing,
    /// The collection is not running any more.
    Stopped,
    /// Another process holds the collection.
    Lost,
}

/// A request that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Absent until [`send`] has recorded a new request.
    pub id: Option<i64>,
    pub position: u64,
    /// 0, and one more for each request that the response before it led to.
    pub turn: u32,
    /// In a dynamic conversation: the turn of the task whose instruction it asks for.
    pub instruction: Option<u32>,
    /// The task's external ID.
    pub task_id: String,
    /// The sample, from 0.
    pub sample: u32,
    /// The judged output, if any.
    pub output: Option<OutputId>,
    /// Of a judging: the order in which the prompt lists the levels, not [`LevelOrder::Drawn`].
    pub level_order: Option<LevelOrder>,
    /// The key of its messages; absent until [`send`] has recorded a new request.
    pub prompt: Option<String>,
    /// How often it has been sent, with this time.
    pub attempts: u32,
}

/// The request that the holder sends next: one that waits, except those of `later`, or a new one.
pub fn next(conn: &Connection, id: CollectionId, holder: &str, later: &[i64]) -> Result<Next, Failure> {
    let found = conn
        .prepare_cached("SELECT id, holder, status, next, tasks, kind, settings FROM collections WHERE id = ?1")?
        .query_row([id.0], |row| {
            let status: CollectionStatus = parsed(row, COLLECTIONS, "status")?;
            let holder: Option<String> = row.get("holder")?;
            let tasks: Vec<String> = json(row, COLLECTIONS, "tasks")?;
            let settings: CollectionSettings = json(row, COLLECTIONS, "settings")?;
            Ok((holder, status, row.get::<_, u64>("next")?, (tasks, kind(row)?, settings)))
        })
        .optional()?;
    let Some((held_by, status, next, (tasks, kind, settings))) = found else { return Ok(Next::Lost) };
    if held_by.as_deref() != Some(holder) {
        return Ok(Next::Lost);
    }
    if status != CollectionStatus::Running {
        return Ok(Next::Stopped);
    }
    let waiting = conn
        .prepare_cached(
            "SELECT id, position, turn, instruction, task_id, sample, output_id, level_order, prompt, attempts + 1 AS attempts
             FROM collection_requests
             WHERE collection_id = ?1 AND status = 'waiting' AND id NOT IN (SELECT value FROM json_each(?2))
             ORDER BY position LIMIT 1",
        )?
        .query_row(params![id.0, serde_json::to_string(later)?], sending)
        .optional()?;
    if let Some(waiting) = waiting {
        return Ok(Next::Send(waiting));
    }
    let count = tasks.len().max(1) as u64;
    if next >= tasks.len() as u64 * u64::from(settings.samples) {
        return Ok(Next::Nothing);
    }
    let at = usize::try_from(next % count).map_err(Failure::internal)?;
    let of = tasks.get(at).ok_or_else(|| Failure::internal("a collection has no tasks"))?;
    let (task_id, output) = match kind {
        Kind::Scores => {
            let output = stored::from_text(of, COLLECTIONS, id.0, "tasks")?;
            (judgings::task_of(conn, output)?, Some(output))
        }
        Kind::Outputs => (of.clone(), None),
    };
    let sample = u32::try_from(next / count).map_err(Failure::internal)?;
    Ok(Next::Send(Sending {
        id: None,
        position: next,
        turn: 0,
        instruction: None,
        task_id,
        sample,
        output,
        level_order: None,
        prompt: None,
        attempts: 1,
    }))
}

/// Messages of a request, under the key by which requests refer to them.
pub struct Prompt {
    pub key: String,
    pub messages: Vec<ChatMessage>,
}

/// Records that the holder sends a request of [`next`], before it does, with its messages if they are not stored yet.
/// Returns its number; `None` if it must not be sent, because the collection changed meanwhile.
pub fn send(
    conn: &Connection,
    id: CollectionId,
    holder: &str,
    sending: &Sending,
    prompt: Option<&Prompt>,
) -> Result<Option<i64>, Failure> {
    let running = conn
        .prepare_cached("SELECT 1 FROM collections WHERE id = ?1 AND holder = ?2 AND status = 'running'")?
        .exists(params![id.0, holder])?;
    if !running {
        return Ok(None);
    }
    let now = clock::now().0;
    let request = match sending.id {
        Some(request) => {
            let query = "UPDATE collection_requests SET status = 'sent', attempts = ?2, sent_at = ?3
                WHERE id = ?1 AND status = 'waiting'";
            if conn.prepare_cached(query)?.execute(params![request, sending.attempts, now])? == 0 {
                return Ok(None);
            }
            request
        }
        None => {
            let key = prompt.map_or("", |prompt| prompt.key.as_str());
            insert_request(conn, id, sending, key, "sent", 1)?
        }
    };
    if let Some(prompt) = prompt {
        add_prompt(conn, id, prompt)?;
    }
    let is_new = u64::from(sending.id.is_none());
    let query = "UPDATE collections SET sent = sent + 1, next = next + ?2 WHERE id = ?1";
    conn.prepare_cached(query)?.execute(params![id.0, is_new])?;
    Ok(Some(request))
}

fn insert_request(
    conn: &Connection,
    id: CollectionId,
    of: &Sending,
    prompt: &str,
    status: &str,
    attempts: u32,
) -> Result<i64, Failure> {
    Ok(conn
        .prepare_cached(
            "INSERT INTO collection_requests (collection_id, position, turn, task_id, sample, output_id, prompt, status,
                 attempts, sent_at, instruction, level_order)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        )?
        .query_row(
            params![
                id.0,
                of.position,
                of.turn,
                of.task_id,
                of.sample,
                of.output.map(|id| id.0),
                prompt,
                status,
                attempts,
                clock::now().0,
                of.instruction,
                of.level_order.map(LevelOrder::name)
            ],
            |row| row.get(0),
        )?)
}

fn sending(row: &Row<'_>) -> rusqlite::Result<Sending> {
    Ok(Sending {
        id: Some(row.get("id")?),
        position: row.get("position")?,
        turn: row.get("turn")?,
        instruction: row.get("instruction")?,
        task_id: row.get("task_id")?,
        sample: row.get("sample")?,
        output: row.get::<_, Option<i64>>("output_id")?.map(OutputId),
        level_order: optional_parsed(row, REQUESTS, "level_order")?,
        prompt: Some(row.get("prompt")?),
        attempts: row.get("attempts")?,
    })
}

fn add_prompt(conn: &Connection, id: CollectionId, prompt: &Prompt) -> Result<(), Failure> {
    let query = "INSERT INTO collection_prompts (collection_id, task_id, messages) VALUES (?1, ?2, ?3)
        ON CONFLICT DO NOTHING";
    let messages = serde_json::to_string(&prompt.messages)?;
    conn.prepare_cached(query)?.execute(params![id.0, prompt.key, messages])?;
    Ok(())
}

/// The stored messages with this key.
pub fn prompt(conn: &Connection, id: CollectionId, key: &str) -> Result<Option<Vec<ChatMessage>>, Failure> {
    let query = "SELECT collection_id, task_id AS prompt, messages FROM collection_prompts
        WHERE collection_id = ?1 AND task_id = ?2";
    let messages = |row: &Row<'_>| json(row, PROMPTS, "messages");
    Ok(conn.prepare_cached(query)?.query_row(params![id.0, key], messages).optional()?)
}

/// What a response leads to.
pub enum Follow {
    /// Nothing; the output is made of it later.
    Nothing,
    /// A judge's valid answer.
    Scores(JudgeAnswer),
    /// Another request: the next turn.
    Turn(u32, Prompt),
    /// Nothing: a judge was asked once more and has no valid answer.
    Invalid,
    /// The answer's tests decide ([`tested`]).
    Tests,
}

/// A response to store.
#[derive(Default)]
pub struct NewResponse {
    pub text: String,
    /// What the endpoint sent apart from the text.
    pub reasoning: Option<String>,
    pub refusal: Option<String>,
    /// Types of parts that were left out.
    pub other_parts: Vec<String>,
    pub finish_reason: Option<String>,
    pub reported_model: Option<String>,
    pub prompt_tokens: Option<u64>,
    pub response_tokens: Option<u64>,
    /// Tokens that count: those that the endpoint reported, else an estimate.
    pub counted: (u64, u64),
    pub latency_ms: u64,
}

/// Stores a response and what it leads to. Returns whether it counts: not if another process holds the collection.
pub fn answer(
    conn: &Connection,
    id: CollectionId,
    holder: &str,
    sending: &Sending,
    new: &NewResponse,
    follow: &Follow,
) -> Result<bool, Failure> {
    if !holds(conn, id, holder)? {
        return Ok(false);
    }
    let judged = match follow {
        Follow::Scores(answer) => Some(answer),
        _ => None,
    };
    let scores = judged.map(|answer| answer.scores.iter().map(u8::to_string).collect::<String>());
    let instructions = judged.filter(|answer| !answer.instructions.is_empty());
    let changed = conn
        .prepare_cached(
            "UPDATE collection_requests SET status = 'answered', response = ?2, finish_reason = ?3, reported_model = ?4,
                 prompt_tokens = ?5, response_tokens = ?6, latency_ms = ?7, error = NULL, scores = ?8, comment = ?9,
                 untested = ?10, instruction_answers = ?11, reasoning = ?12, refusal = ?13, other_parts = ?14
             WHERE id = ?1 AND status = 'sent'",
        )?
        .execute(params![
            sending.id,
            new.text,
            new.finish_reason,
            new.reported_model,
            new.prompt_tokens,
            new.response_tokens,
            new.latency_ms,
            scores,
            judged.map(|answer| &answer.comment),
            matches!(follow, Follow::Tests),
            instructions.map(|answer| InstructionAnswer::join(&answer.instructions)),
            new.reasoning,
            new.refusal,
            (!new.other_parts.is_empty()).then(|| serde_json::to_string(&new.other_parts)).transpose()?,
        ])?;
    if changed == 0 {
        return Ok(false);
    }
    let estimated = new.prompt_tokens.is_none() || new.response_tokens.is_none();
    let ends = with_end(conn, id, new.finish_reason.as_deref().unwrap_or_default())?;
    let goes_on = matches!(follow, Follow::Turn(..) | Follow::Tests);
    let (is_last, is_invalid) = (!goes_on, matches!(follow, Follow::Invalid));
    conn.prepare_cached(
        "UPDATE collections SET answered = answered + ?2, prompt_tokens = prompt_tokens + ?3,
             response_tokens = response_tokens + ?4, estimated = estimated + ?5, latency_ms = latency_ms + ?6,
             waiting = NULL, ends = ?7, invalid = invalid + ?8, responses = responses + 1, empty = empty + ?9, refused = refused + ?10,
             other_parts = other_parts + ?11
         WHERE id = ?1",
    )?
    .execute(params![
        id.0,
        is_last,
        new.counted.0,
        new.counted.1,
        estimated,
        new.latency_ms,
        ends,
        is_invalid,
        new.text.trim().is_empty(),
        new.refusal.is_some(),
        !new.other_parts.is_empty(),
    ])?;
    if let Follow::Turn(turn, prompt) = follow {
        add_prompt(conn, id, prompt)?;
        let next = Sending { turn: *turn, ..sending.clone() };
        insert_request(conn, id, &next, &prompt.key, "waiting", 0)?;
    }
    Ok(true)
}

/// Why a collection's responses ended, with one more for this reason, as JSON.
fn with_end(conn: &Connection, id: CollectionId, reason: &str) -> Result<String, Failure> {
    let mut counts: BTreeMap<String, u64> = conn
        .prepare_cached("SELECT id, ends FROM collections WHERE id = ?1")?
        .query_row([id.0], |row| json(row, COLLECTIONS, "ends"))?;
    // An endpoint can give as many reasons as it likes.
    let reason = if counts.contains_key(reason) || counts.len() < MOST_ENDS { reason } else { OTHER_END };
    *counts.entry(reason.to_owned()).or_default() += 1;
    Ok(serde_json::to_string(&counts)?)
}

/// An answer whose tests have not run.
pub struct Untested {
    pub request: Sending,
    pub response: String,
}

/// The first answer of a collection whose tests have not run, except those of `later`; `None` if there is none, or if
/// another process holds the collection.
pub fn untested(conn: &Connection, id: CollectionId, holder: &str, later: &[i64]) -> Result<Option<Untested>, Failure> {
    if !holds(conn, id, holder)? {
        return Ok(None);
    }
    let read = |row: &Row<'_>| Ok(Untested { request: sending(row)?, response: row.get("response")? });
    Ok(conn
        .prepare_cached(
            "SELECT id, position, turn, instruction, task_id, sample, output_id, level_order, prompt, attempts, response
             FROM collection_requests
             WHERE collection_id = ?1 AND untested = 1 AND id NOT IN (SELECT value FROM json_each(?2))
             ORDER BY position LIMIT 1",
        )?
        .query_row(params![id.0, serde_json::to_string(later)?], read)
        .optional()?)
}

/// The tested answers at a position, in order: the instruction that each answers, and what its tests showed.
pub fn tested_answers(conn: &Connection, id: CollectionId, position: u64) -> Result<Vec<(u32, TestedAnswer)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT id, instruction, tests FROM collection_requests
         WHERE collection_id = ?1 AND position = ?2 AND tests IS NOT NULL ORDER BY turn",
    )?;
    let mut rows = statement.query(params![id.0, position])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if let Some(tests) = optional_json(row, REQUESTS, "tests")? {
            found.push((row.get::<_, Option<u32>>("instruction")?.unwrap_or_default(), tests));
        }
    }
    Ok(found)
}

/// Stores what the tests of an answer showed, and what they lead to: the next request, or the end of the conversation.
/// Changes nothing if another process holds the collection.
pub fn tested(
    conn: &Connection,
    id: CollectionId,
    holder: &str,
    request: &Sending,
    tests: &TestedAnswer,
    next: Option<(u32, &Prompt)>,
) -> Result<(), Failure> {
    if !holds(conn, id, holder)? {
        return Ok(());
    }
    let query =
        "UPDATE collection_requests SET untested = 0, tests = ?2, tests_fault = NULL WHERE id = ?1 AND untested = 1";
    if conn.prepare_cached(query)?.execute(params![request.id, serde_json::to_string(tests)?])? == 0 {
        return Ok(());
    }
    match next {
        Some((instruction, prompt)) => {
            add_prompt(conn, id, prompt)?;
            let next = Sending { turn: request.turn + 1, instruction: Some(instruction), ..request.clone() };
            insert_request(conn, id, &next, &prompt.key, "waiting", 0)?;
        }
        None => {
            conn.prepare_cached("UPDATE collections SET answered = answered + 1 WHERE id = ?1")?.execute([id.0])?;
        }
    }
    Ok(())
}

/// Records why the tests of an answer could not run. They are tried again later.
pub fn not_tested(conn: &Connection, id: CollectionId, holder: &str, request: i64, why: &Fault) -> Result<(), Failure> {
    if holds(conn, id, holder)? {
        let query = "UPDATE collection_requests SET tests_fault = ?2 WHERE id = ?1 AND untested = 1";
        conn.prepare_cached(query)?.execute(params![request, serde_json::to_string(why)?])?;
    }
    Ok(())
}

/// The next state of a request without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is sent again; the attempt counts.
    Again,
    /// It is sent again; the attempt does not count.
    AgainUncounted,
    /// It has failed for good.
    Failed,
}

/// Records why a request has no response, and until when it waits, if it is sent again.
pub fn fail(
    conn: &Connection,
    id: CollectionId,
    holder: &str,
    request: i64,
    outcome: Outcome,
    error: &RequestFault,
    until: Option<Timestamp>,
) -> Result<(), Failure> {
    if !holds(conn, id, holder)? {
        return Ok(());
    }
    let status = if outcome == Outcome::Failed { "failed" } else { "waiting" };
    let uncounted = u32::from(outcome == Outcome::AgainUncounted);
    let changed = conn
        .prepare_cached(
            "UPDATE collection_requests SET status = ?2, error = ?3, attempts = attempts - ?4
             WHERE id = ?1 AND status = 'sent'",
        )?
        .execute(params![request, status, serde_json::to_string(error)?, uncounted])?;
    if let Some(until) = until {
        let waiting = serde_json::to_string(&Waiting { until, fault: error.clone() })?;
        conn.prepare_cached("UPDATE collections SET waiting = ?2 WHERE id = ?1")?.execute(params![id.0, waiting])?;
    }
    if outcome == Outcome::Failed {
        conn.prepare_cached("UPDATE collections SET failed = failed + ?2 WHERE id = ?1")?
            .execute(params![id.0, changed])?;
    }
    Ok(())
}

fn holds(conn: &Connection, id: CollectionId, holder: &str) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM collections WHERE id = ?1 AND holder = ?2")?.exists(params![id.0, holder])?)
}

/// Hides a collection; [`clear`] deletes its rows.
pub fn delete(conn: &Connection, id: CollectionId) -> Result<(), Failure> {
    conn.execute("UPDATE collections SET status = 'deleted', holder = NULL WHERE id = ?1", [id.0])?;
    Ok(())
}

/// Deletes some rows of a collection that was deleted. Returns whether there is no more to delete.
pub fn clear(conn: &Connection) -> Result<bool, Failure> {
    let mut statement =
        conn.prepare_cached("SELECT id FROM collections WHERE status = 'deleted' ORDER BY id LIMIT 1")?;
    let Some(id) = statement.query_row([], |row| row.get::<_, i64>(0)).optional()? else { return Ok(true) };
    for table in ["collection_requests", "collection_prompts", "collection_submissions", "collection_files"] {
        let key = match table {
            "collection_requests" => "id",
            "collection_prompts" => "task_id",
            "collection_submissions" => "submission_id",
            _ => "checksum",
        };
        let query = format!(
            "DELETE FROM {table} WHERE collection_id = ?1
                 AND {key} IN (SELECT {key} FROM {table} WHERE collection_id = ?1 LIMIT {ROWS})"
        );
        if conn.execute(&query, [id])? > 0 {
            return Ok(false);
        }
    }
    conn.execute("DELETE FROM collections WHERE id = ?1", [id])?;
    Ok(false)
}
