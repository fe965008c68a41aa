//! Submissions and their outputs.

use std::collections::BTreeMap;

use model::{
    conversation::Way,
    dataset::TaskRow,
    ids::{CollectionId, DatasetVersionId, ModelId, OutputId, SubmissionId, TaskRevisionId},
    page::{PageOf, Paged},
    published::PublishedText,
    submission::{Matching, OutputFilter, OutputRow, Reported, Shape, SubmissionRow, TheirVerdict},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    datasets::task_row,
    page::{self, Filter, List, Sort, TASK_TEXT},
    runs::beginning,
    staging,
    stored::{Table, json, named, optional_named, table},
};
use base::{clock, error::Failure};

/// For queries with the submission's number as `id`.
const SUBMISSIONS: Table = table("all_submissions", &["id"]);

/// The file that a submission was imported from, and how.
pub struct Origin {
    /// The file's name.
    pub file: String,
    /// The file's SHA-256.
    pub checksum: String,
    pub version: DatasetVersionId,
    /// The dataset's short name.
    pub dataset: String,
    pub matching: Matching,
    /// Our columns of a table to the file's, where an admin chose them.
    pub columns: BTreeMap<String, String>,
}

/// The source of a submission.
pub fn origin(conn: &Connection, id: SubmissionId) -> Result<Option<Origin>, Failure> {
    let sql = "SELECT s.id, s.file_name, s.checksum, s.version_id, d.slug, s.matching, s.columns FROM submissions s
        JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id WHERE s.id = ?1";
    let read = |row: &Row<'_>| {
        Ok(Origin {
            file: row.get("file_name")?,
            checksum: row.get("checksum")?,
            version: DatasetVersionId(row.get("version_id")?),
            dataset: row.get("slug")?,
            matching: named(row, SUBMISSIONS, "matching", |name| match name {
                "description" => Some(Matching::Description),
                "task_id" => Some(Matching::TaskId),
                _ => None,
            })?,
            columns: json(row, SUBMISSIONS, "columns")?,
        })
    };
    Ok(conn.prepare_cached(sql)?.query_row([id.0], read).optional()?)
}

/// The names of all models.
pub fn model_names(conn: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT name FROM models ORDER BY id")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The dataset version of a submission.
pub fn version(conn: &Connection, id: SubmissionId) -> Result<DatasetVersionId, Failure> {
    let mut statement = conn.prepare_cached("SELECT version_id FROM submissions WHERE id = ?1")?;
    let version = statement.query_row([id.0], |row| row.get(0)).optional()?;
    version.map(DatasetVersionId).ok_or_else(|| Failure::not_found("submission"))
}

/// A submission of the same dataset version that was imported from a file with these bytes.
pub fn same_file(
    conn: &Connection,
    version: DatasetVersionId,
    checksum: &str,
) -> Result<Option<SubmissionId>, Failure> {
    Ok(conn
        .query_row(
            "SELECT id FROM submissions WHERE version_id = ?1 AND checksum = ?2 ORDER BY id LIMIT 1",
            params![version.0, checksum],
            |row| row.get(0).map(SubmissionId),
        )
        .optional()?)
}

/// The model with this name, ignoring case; created on first use.
pub fn model(conn: &Connection, name: &str) -> Result<ModelId, Failure> {
    conn.execute("INSERT INTO models (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
    Ok(conn.query_row("SELECT id FROM models WHERE name = ?1", [name], |row| row.get(0).map(ModelId))?)
}

/// The submission of this file for this model, if there is one.
pub fn imported(
    conn: &Connection,
    version: DatasetVersionId,
    model: ModelId,
    checksum: &str,
) -> Result<Option<SubmissionId>, Failure> {
    Ok(conn
        .query_row(
            "SELECT id FROM submissions WHERE version_id = ?1 AND model_id = ?2 AND checksum = ?3",
            params![version.0, model.0, checksum],
            |row| row.get(0).map(SubmissionId),
        )
        .optional()?)
}

/// A submission to store.
pub struct NewSubmission {
    /// Its dataset version.
    pub version: DatasetVersionId,
    /// The model.
    pub model: ModelId,
    /// The file's name.
    pub file: String,
    /// The file's SHA-256.
    pub checksum: String,
    /// How lines were matched.
    pub matching: &'static str,
    /// Our columns of a table to the file's, where an admin chose them.
    pub columns: BTreeMap<String, String>,
    /// Number of invalid lines that are left out.
    pub left_out: u64,
    /// Number of outputs that will be stored.
    pub expected: u64,
    /// The person who imported it; absent for the command line.
    pub by: Option<model::ids::UserId>,
    /// How the model was asked, if the tasks are conversations.
    pub way: Option<Way>,
}

/// Creates a submission without outputs, hidden until [`staging::publish`].
pub fn begin(conn: &Connection, new: &NewSubmission) -> Result<SubmissionId, Failure> {
    Ok(SubmissionId(conn.query_row(
        "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_by, created_at,
             importing_until, left_out, expected, way, columns)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        params![
            new.version.0,
            new.model.0,
            new.file,
            new.checksum,
            new.matching,
            new.by.map(|id| id.0),
            clock::now().0,
            staging::lease(),
            new.left_out,
            new.expected,
            new.way.map(Way::name),
            serde_json::to_string(&new.columns)?
        ],
        |row| row.get(0),
    )?))
}

/// One stored output.
pub struct NewOutput {
    /// Its task revision.
    pub revision: TaskRevisionId,
    /// Counts from 0.
    pub sample: u32,
    /// The code without fences.
    pub code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
    /// The whole response, if it differs from `code`.
    pub raw: Option<String>,
    /// Why generation stopped.
    pub end_by: Option<String>,
    /// The model's reasoning, where the file has it apart.
    pub reasoning: Option<String>,
    /// The text that the model continued, if it is not the task's own prompt.
    pub prompt: Option<String>,
    /// What the published evaluator judges, if that is not the code.
    pub published_text: Option<PublishedText>,
    /// Where it stands in a conversation.
    pub place: Option<TurnPlace>,
    /// What the file says about it besides its text.
    pub reported: Option<Reported>,
}

/// The place of an output in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    /// The turn that it answers.
    pub turn: u32,
    /// In a dynamic conversation: the turn of the task whose instruction it answers.
    pub instruction: Option<u32>,
    /// The number of the conversation among those of its submission and task, from 0.
    pub conversation: u32,
}

impl NewOutput {
    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.code.len()
            + [&self.raw, &self.prompt, &self.reasoning].into_iter().flatten().map(String::len).sum::<usize>()
            + self.surrounding_text.len()
            + self
                .published_text
                .as_ref()
                .map_or(0, |text| text.generation.len() + text.prompt.as_ref().map_or(0, String::len))
    }
}

/// Adds outputs to a submission that is being imported.
pub fn add_outputs(conn: &Connection, submission: SubmissionId, outputs: &[NewOutput]) -> Result<(), Failure> {
    staging::renew(conn, staging::Import::Submission(submission.0))?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO outputs (submission_id, revision_id, sample, code, surrounding_text, raw, end_by, prompt, turn, conversation,
             instruction, reasoning, published_text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING id",
    )?;
    let mut insert_reported = conn.prepare_cached(
        "INSERT INTO reported (output_id, format, passed, other_text, detail, model, epoch, input_tokens, output_tokens)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for new in outputs {
        let published_text = new.published_text.as_ref().map(serde_json::to_string).transpose()?;
        let values = params![
            submission.0,
            new.revision.0,
            new.sample,
            new.code,
            new.surrounding_text,
            new.raw,
            new.end_by,
            new.prompt,
            new.place.map(|place| place.turn),
            new.place.map(|place| place.conversation),
            new.place.and_then(|place| place.instruction),
            new.reasoning,
            published_text
        ];
        let output: i64 = insert.query_row(values, |row| row.get(0))?;
        if let Some(of) = &new.reported {
            insert_reported.execute(params![
                output,
                of.by.name(),
                of.verdict.map(|verdict| verdict.passed),
                of.verdict.is_some_and(|verdict| verdict.other_text),
                of.detail,
                of.model,
                of.epoch,
                of.input_tokens,
                of.output_tokens
            ])?;
        }
    }
    Ok(())
}

const COLUMNS: &str = "s.id AS id, s.way, m.id AS model, m.name, d.slug, v.number, s.file_name,
        (SELECT count(*) FROM outputs o WHERE o.submission_id = s.id) AS outputs,
        (SELECT count(DISTINCT o.revision_id) FROM outputs o WHERE o.submission_id = s.id) AS tasks,
        (SELECT count(*) FROM dataset_version_tasks vt WHERE vt.version_id = s.version_id) AS whole,
        s.left_out, s.created_at,
        (SELECT max(c.id) FROM collection_files f CROSS JOIN collections c ON c.id = f.collection_id
         WHERE f.checksum = s.checksum AND c.status <> 'deleted') AS collection,
        EXISTS (SELECT 1 FROM outputs o JOIN task_revisions t ON t.id = o.revision_id
                WHERE o.submission_id = s.id AND t.tests) AS has_tests,
        EXISTS (SELECT 1 FROM dataset_version_tasks vt JOIN task_revisions t ON t.id = vt.revision_id
                WHERE vt.version_id = s.version_id AND t.human) AS for_people";
const JOINS: &str = "CROSS JOIN models m ON m.id = s.model_id
    CROSS JOIN dataset_versions v ON v.id = s.version_id
    CROSS JOIN datasets d ON d.id = v.dataset_id";

/// Submissions that are not archived. The view lacks the names that sort them.
const LIST: List<'_> = List {
    columns: COLUMNS,
    table: "all_submissions s",
    joins: JOINS,
    id: "s.id",
    within: "",
    filter: "s.importing_until IS NULL AND s.archived_at IS NULL",
    sorts: &[
        Sort::number("uploaded", "s.id"),
        Sort::text("model", "s.model_name"),
        Sort::text("dataset", "s.dataset_slug"),
    ],
    usual: "-uploaded",
    search: "m.name || ' ' || d.slug || ' ' || s.file_name",
    filters: &[
        Filter { name: "dataset", condition: "s.dataset_slug = #", indexed: true },
        Filter { name: "model", condition: "s.model_id = #", indexed: true },
    ],
};

/// A page of the submissions that are not archived, newest first unless asked otherwise; only those of a dataset where
/// one is named.
pub fn list(conn: &Connection, dataset: Option<&str>, of: &PageOf) -> Result<Paged<SubmissionRow>, Failure> {
    let mut of = of.clone();
    if let Some(slug) = dataset {
        of.which.filters.retain(|(name, _)| name != "dataset");
        of.which.filters.push(("dataset".into(), slug.into()));
    }
    page::page(conn, &LIST, &of, &[], row)
}

/// One submission.
pub fn get(conn: &Connection, id: SubmissionId) -> Result<Option<SubmissionRow>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {COLUMNS} FROM submissions s {JOINS} WHERE s.id = ?1"))?
        .query_row([id.0], row)
        .optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<SubmissionRow> {
    let (tasks, whole): (u64, u64) = (row.get("tasks")?, row.get("whole")?);
    Ok(SubmissionRow {
        id: SubmissionId(row.get("id")?),
        model: ModelId(row.get("model")?),
        model_name: row.get("name")?,
        dataset: row.get("slug")?,
        number: row.get("number")?,
        file: row.get("file_name")?,
        outputs: row.get("outputs")?,
        tasks,
        missing: whole.saturating_sub(tasks),
        left_out: row.get("left_out")?,
        collection: row.get::<_, Option<i64>>("collection")?.map(CollectionId),
        created_at: Timestamp(row.get("created_at")?),
        has_tests: row.get("has_tests")?,
        for_people: row.get("for_people")?,
        way: optional_named(row, SUBMISSIONS, "way", Way::from_name)?,
    })
}

const OUTPUT: &str = "o.id, t.external_id, r.raw_nl, o.sample, o.code, o.visible_code";
const OUTPUT_JOINS: &str = "CROSS JOIN task_revisions r ON r.id = o.revision_id
    CROSS JOIN tasks t ON t.id = r.task_id";

/// A page of a submission's outputs, in the order of its file unless asked otherwise.
pub fn outputs(
    conn: &Connection,
    id: SubmissionId,
    chosen: &OutputFilter,
    of: &PageOf,
) -> Result<Paged<OutputRow>, Failure> {
    let list = List {
        columns: OUTPUT,
        table: "outputs o",
        joins: OUTPUT_JOINS,
        id: "o.id",
        within: "o.submission_id = ?3",
        filter: if chosen.empty { "trim(o.code, char(9, 10, 13, 32)) = ''" } else { "" },
        sorts: &[Sort::number("order", "o.id")],
        usual: "order",
        search: TASK_TEXT,
        filters: &[],
    };
    let mut of = of.clone();
    if of.which.search.is_empty() {
        of.which.search.clone_from(&chosen.words);
    }
    page::page(conn, &list, &of, &[&id.0], output_row)
}

fn output_row(row: &Row<'_>) -> rusqlite::Result<OutputRow> {
    let (code, visible): (String, String) = (row.get("code")?, row.get("visible_code")?);
    Ok(OutputRow {
        id: OutputId(row.get("id")?),
        task_id: row.get("external_id")?,
        raw_nl: beginning(&row.get::<_, String>("raw_nl")?),
        sample: row.get("sample")?,
        lines: visible.lines().count() as u64,
        empty: code.trim().is_empty(),
    })
}

/// An output with all its data.
pub struct FullOutput {
    /// The row of the list.
    pub row: OutputRow,
    /// The model's name.
    pub model: String,

    pub task: TaskRow,

    pub code: String,
    /// The code with what it continues, if that is not the task's own beginning: what people see.
    pub visible_code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
    /// The response, if it differs from the code.
    pub raw: Option<String>,
    pub submission: SubmissionId,
    pub version: DatasetVersionId,
    /// Whether the published evaluator judges another text.
    pub has_published_text: bool,
    /// The block of the response that an admin chose as the code, from 0.
    pub chosen_block: Option<usize>,
    /// Whether it answers a turn of a conversation.
    pub is_turn: bool,
    /// The model's reasoning, where its file has it apart.
    pub reasoning: Option<String>,
    /// What its file says about it besides its text.
    pub reported: Option<Reported>,
}

/// For queries of what files say of their outputs.
const REPORTED: Table = table("reported", &["output_id"]);

fn reported(conn: &Connection, output: OutputId) -> Result<Option<Reported>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT output_id, format, passed, other_text, detail, model, epoch, input_tokens, output_tokens
         FROM reported WHERE output_id = ?1",
    )?;
    let read = |row: &Row<'_>| {
        let other_text = row.get("other_text")?;
        let passed: Option<bool> = row.get("passed")?;
        Ok(Reported {
            by: named(row, REPORTED, "format", Shape::from_name)?,
            verdict: passed.map(|passed| TheirVerdict { passed, other_text }),
            detail: row.get("detail")?,
            model: row.get("model")?,
            epoch: row.get("epoch")?,
            input_tokens: row.get("input_tokens")?,
            output_tokens: row.get("output_tokens")?,
        })
    };
    Ok(statement.query_row([output.0], read).optional()?)
}

pub fn output(conn: &Connection, id: OutputId) -> Result<Option<FullOutput>, Failure> {
    let row = conn
        .prepare_cached(&format!("SELECT {OUTPUT} FROM outputs o {OUTPUT_JOINS} WHERE o.id = ?1"))?
        .query_row([id.0], output_row)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    let reported = reported(conn, id)?;
    let task = conn
        .prepare_cached(
            "SELECT t.id AS task, r.id AS revision, t.external_id, r.raw_nl, r.nl_lang, r.signature, r.human, r.tests,
             r.code_lang
             FROM outputs o JOIN task_revisions r ON r.id = o.revision_id JOIN tasks t ON t.id = r.task_id
             WHERE o.id = ?1",
        )?
        .query_row([id.0], task_row)?;
    let mut statement = conn.prepare_cached(
        "SELECT m.name, o.code, o.visible_code, o.surrounding_text, o.raw, o.turn IS NOT NULL AS is_turn, o.reasoning,
             o.submission_id, s.version_id, o.published_text IS NOT NULL AS has_published_text, o.chosen_block
         FROM outputs o
         JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id WHERE o.id = ?1",
    )?;
    let found = statement.query_row([id.0], |found| {
        Ok(FullOutput {
            row,
            model: found.get("name")?,
            task,
            code: found.get("code")?,
            visible_code: found.get("visible_code")?,
            surrounding_text: found.get("surrounding_text")?,
            raw: found.get("raw")?,
            submission: SubmissionId(found.get("submission_id")?),
            version: DatasetVersionId(found.get("version_id")?),
            has_published_text: found.get("has_published_text")?,
            chosen_block: found.get("chosen_block")?,
            is_turn: found.get("is_turn")?,
            reasoning: found.get("reasoning")?,
            reported,
        })
    })?;
    Ok(Some(found))
}

/// Whether a rater or a judge model may have seen the output.
pub fn is_seen(conn: &Connection, id: OutputId) -> Result<bool, Failure> {
    // Tables without an index of outputs are looked up by the studies and the judgings that can have it.
    let query = "SELECT EXISTS (SELECT 1 FROM assignments a WHERE a.output_id = ?1
            AND (a.shown_at IS NOT NULL OR a.rated_at IS NOT NULL OR EXISTS (
                SELECT 1 FROM handouts h WHERE h.study_id = a.study_id AND h.output_id = a.output_id)))
        OR EXISTS (SELECT 1 FROM collection_requests WHERE output_id = ?1)
        OR EXISTS (SELECT 1 FROM outputs o JOIN submissions s ON s.id = o.submission_id
            JOIN all_judgings j ON j.version_id = s.version_id
            WHERE o.id = ?1 AND (
                EXISTS (SELECT 1 FROM judged_scores c WHERE c.judging_id = j.id AND c.output_id = o.id)
                OR EXISTS (SELECT 1 FROM judged_instructions c WHERE c.judging_id = j.id AND c.output_id = o.id)))";
    Ok(conn.prepare_cached(query)?.query_row([id.0], |row| row.get(0))?)
}

/// The code of an output that an admin chose.
pub struct ChosenCode {
    /// The block of the response, from 0; `None`: the rules chose.
    pub block: Option<usize>,
    pub code: String,
    pub surrounding_text: String,
    /// What the code continues, if that is not the task's prompt.
    pub prompt: Option<String>,
}

/// Gives an output other code of its response.
pub fn choose_code(conn: &Connection, id: OutputId, chosen: &ChosenCode) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE outputs SET chosen_block = ?2, code = ?3, surrounding_text = ?4, prompt = ?5 WHERE id = ?1",
    )?
    .execute(params![id.0, chosen.block, chosen.code, chosen.surrounding_text, chosen.prompt])?;
    Ok(())
}
