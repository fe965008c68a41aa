//! Uploads, submissions and their outputs.

use app::model::{
    dataset::TaskRow,
    ids::{DatasetVersionId, ModelId, OutputId, SubmissionId, TaskRevisionId, UploadId},
    submission::{OutputRow, SubmissionRow},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{datasets::task_row, staging};
use crate::{clock, error::Failure};

/// A file that an admin sent and nothing was taken from yet, or something was.
pub struct Upload {
    /// SHA-256 of its bytes; the data folder keeps them under this name.
    pub checksum: String,
    /// Its name as its owner knows it.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Notes an upload whose bytes are stored.
pub fn insert_upload(
    conn: &Connection,
    upload: &Upload,
    by: Option<app::model::ids::UserId>,
) -> Result<UploadId, Failure> {
    Ok(UploadId(conn.query_row(
        "INSERT INTO uploads (checksum, file_name, bytes, user_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        params![upload.checksum, upload.file, upload.bytes, by.map(|id| id.0), clock::now().0],
        |row| row.get(0),
    )?))
}

/// An upload.
pub fn upload(conn: &Connection, id: UploadId) -> Result<Option<Upload>, Failure> {
    Ok(conn
        .query_row("SELECT checksum, file_name, bytes FROM uploads WHERE id = ?1", [id.0], |row| {
            Ok(Upload { checksum: row.get(0)?, file: row.get(1)?, bytes: row.get(2)? })
        })
        .optional()?)
}

/// The names of all models.
pub fn model_names(conn: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT name FROM models ORDER BY id")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A submission of the same dataset version that was made from a file with these bytes.
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

/// The model of that name, in any case of its letters; made at the first asking.
pub fn model(conn: &Connection, name: &str) -> Result<ModelId, Failure> {
    conn.execute("INSERT INTO models (name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
    Ok(conn.query_row("SELECT id FROM models WHERE name = ?1", [name], |row| row.get(0).map(ModelId))?)
}

/// The submission of this very file as that model's outputs, if there is one.
pub fn taken(
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

/// What a submission is made of.
pub struct NewSubmission {
    /// The version it answers.
    pub version: DatasetVersionId,
    /// Whose outputs.
    pub model: ModelId,
    /// The file's name.
    pub file: String,
    /// The file's SHA-256.
    pub checksum: String,
    /// How lines were matched, as a word.
    pub matching: &'static str,
    /// Who took it; absent for the command line.
    pub by: Option<app::model::ids::UserId>,
}

/// Creates a submission without outputs that nobody sees before [`staging::publish`].
pub fn begin(conn: &Connection, new: &NewSubmission) -> Result<SubmissionId, Failure> {
    Ok(SubmissionId(conn.query_row(
        "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_by, created_at,
             importing_until)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        params![
            new.version.0,
            new.model.0,
            new.file,
            new.checksum,
            new.matching,
            new.by.map(|id| id.0),
            clock::now().0,
            staging::lease()
        ],
        |row| row.get(0),
    )?))
}

/// One output as it is stored.
pub struct NewOutput {
    /// The task's wording it answers.
    pub revision: TaskRevisionId,
    /// Counts from 0.
    pub sample: u32,
    /// The code without fences.
    pub code: String,
    /// What a chat answer said around it.
    pub said: String,
    /// The answer as it came, where it differs from `code`.
    pub raw: Option<String>,
    /// Why generation stopped.
    pub end_by: Option<String>,
}

impl NewOutput {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.code.len() + self.said.len() + self.raw.as_ref().map_or(0, String::len)
    }
}

/// Adds outputs to a submission that is being imported.
pub fn add_outputs(conn: &Connection, submission: SubmissionId, outputs: &[NewOutput]) -> Result<(), Failure> {
    staging::renew(conn, staging::Import::Submission(submission.0))?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO outputs (submission_id, revision_id, sample, code, said, raw, end_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for new in outputs {
        insert.execute(params![submission.0, new.revision.0, new.sample, new.code, new.said, new.raw, new.end_by])?;
    }
    Ok(())
}

const ROW: &str = "SELECT s.id, m.id, m.name, d.slug, v.number, s.file_name,
        (SELECT count(*) FROM outputs o WHERE o.submission_id = s.id),
        (SELECT count(DISTINCT o.revision_id) FROM outputs o WHERE o.submission_id = s.id),
        s.created_at,
        EXISTS (SELECT 1 FROM outputs o JOIN task_revisions t ON t.id = o.revision_id
                WHERE o.submission_id = s.id AND t.test_class IS NOT NULL),
        EXISTS (SELECT 1 FROM dataset_version_tasks vt JOIN task_revisions t ON t.id = vt.revision_id
                WHERE vt.version_id = s.version_id AND t.human)
    FROM submissions s
    JOIN models m ON m.id = s.model_id
    JOIN dataset_versions v ON v.id = s.version_id
    JOIN datasets d ON d.id = v.dataset_id";

/// Every submission, newest first; only those of a dataset where one is named.
pub fn list(conn: &Connection, dataset: Option<&str>) -> Result<Vec<SubmissionRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{ROW} WHERE ?1 IS NULL OR d.slug = ?1 ORDER BY s.id DESC"))?;
    let rows = statement.query_map([dataset], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One submission.
pub fn get(conn: &Connection, id: SubmissionId) -> Result<Option<SubmissionRow>, Failure> {
    Ok(conn.prepare_cached(&format!("{ROW} WHERE s.id = ?1"))?.query_row([id.0], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<SubmissionRow> {
    Ok(SubmissionRow {
        id: SubmissionId(row.get(0)?),
        model: ModelId(row.get(1)?),
        model_name: row.get(2)?,
        dataset: row.get(3)?,
        number: row.get(4)?,
        file: row.get(5)?,
        outputs: row.get(6)?,
        tasks: row.get(7)?,
        created_at: Timestamp(row.get(8)?),
        has_tests: row.get(9)?,
        for_people: row.get(10)?,
    })
}

const OUTPUT: &str = "SELECT o.id, t.external_id, r.raw_nl, o.sample, o.code
    FROM outputs o
    JOIN submissions s ON s.id = o.submission_id
    JOIN task_revisions r ON r.id = o.revision_id
    JOIN tasks t ON t.id = r.task_id
    LEFT JOIN dataset_version_tasks vt ON vt.version_id = s.version_id AND vt.revision_id = o.revision_id";

/// A submission's outputs, in the dataset's order.
pub fn outputs(conn: &Connection, id: SubmissionId) -> Result<Vec<OutputRow>, Failure> {
    let mut statement =
        conn.prepare_cached(&format!("{OUTPUT} WHERE o.submission_id = ?1 ORDER BY vt.position, o.sample"))?;
    let rows = statement.query_map([id.0], output_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn output_row(row: &Row<'_>) -> rusqlite::Result<OutputRow> {
    let code: String = row.get(4)?;
    Ok(OutputRow {
        id: OutputId(row.get(0)?),
        task_id: row.get(1)?,
        raw_nl: row.get(2)?,
        sample: row.get(3)?,
        lines: code.lines().count() as u64,
        empty: code.trim().is_empty(),
    })
}

/// An output with all that is known of it.
pub struct FullOutput {
    /// The list's row.
    pub row: OutputRow,
    /// The model's name.
    pub model: String,
    /// Its task.
    pub task: TaskRow,
    /// Its code.
    pub code: String,
    /// What a chat answer said around it.
    pub said: String,
}

/// One output.
pub fn output(conn: &Connection, id: OutputId) -> Result<Option<FullOutput>, Failure> {
    let row = conn.prepare_cached(&format!("{OUTPUT} WHERE o.id = ?1"))?.query_row([id.0], output_row).optional()?;
    let Some(row) = row else { return Ok(None) };
    let task = conn
        .prepare_cached(
            "SELECT t.id, r.id, t.external_id, r.raw_nl, r.lang, r.signature, r.human, r.tests
             FROM outputs o JOIN task_revisions r ON r.id = o.revision_id JOIN tasks t ON t.id = r.task_id
             WHERE o.id = ?1",
        )?
        .query_row([id.0], task_row)?;
    let (model, code, said) = conn
        .prepare_cached(
            "SELECT m.name, o.code, o.said FROM outputs o JOIN submissions s ON s.id = o.submission_id
             JOIN models m ON m.id = s.model_id WHERE o.id = ?1",
        )?
        .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(Some(FullOutput { row, model, task, code, said }))
}
