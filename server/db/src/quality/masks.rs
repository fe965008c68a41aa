//! Names that are masked for raters of a submission's outputs.

use model::{
    ids::{OutputId, StudyId, SubmissionId, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::stored::{json, table};
use base::{clock, error::Failure};

/// Masks these names for raters of the submission's outputs.
pub fn set(conn: &Connection, submission: SubmissionId, names: &[String], by: Option<UserId>) -> Result<(), Failure> {
    conn.execute(
        "INSERT INTO submission_masks (submission_id, names, masked_by, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET names = excluded.names, masked_by = excluded.masked_by, at = excluded.at",
        params![submission.0, serde_json::to_string(names)?, by.map(|id| id.0), clock::now().0],
    )?;
    Ok(())
}

/// Shows raters the original outputs.
pub fn clear(conn: &Connection, submission: SubmissionId) -> Result<(), Failure> {
    conn.execute("DELETE FROM submission_masks WHERE submission_id = ?1", [submission.0])?;
    Ok(())
}

/// The person who masked the submission, if still known, and the time; `None` without a mask.
pub fn get(conn: &Connection, submission: SubmissionId) -> Result<Option<(Option<String>, Timestamp)>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT u.name, m.at FROM submission_masks m LEFT JOIN users u ON u.id = m.masked_by
             WHERE m.submission_id = ?1",
        )?
        .query_row([submission.0], |row| Ok((row.get("name")?, Timestamp(row.get("at")?))))
        .optional()?;
    Ok(found)
}

/// The names masked in an output; may be empty.
pub fn of_output(conn: &Connection, output: OutputId) -> Result<Vec<String>, Failure> {
    let names = conn
        .prepare_cached(
            "SELECT m.submission_id, m.names FROM outputs o JOIN submission_masks m ON m.submission_id = o.submission_id WHERE o.id = ?1",
        )?
        .query_row([output.0], |row| json(row, table("submission_masks", &["submission_id"]), "names"))
        .optional()?;
    Ok(names.unwrap_or_default())
}

/// The names masked in any of the study's outputs, unsorted; may be empty.
pub fn of_study(conn: &Connection, study: StudyId) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.submission_id, m.names FROM study_submissions u JOIN submission_masks m ON m.submission_id = u.submission_id
         WHERE u.study_id = ?1",
    )?;
    let rows = statement
        .query_map([study.0], |row| json::<Vec<String>>(row, table("submission_masks", &["submission_id"]), "names"))?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// An output with its task's `task_id`, its code and the surrounding text.
type Text = (OutputId, String, String, String);

/// Every output of the submission with its code and surrounding text, in which to find names.
pub fn texts(conn: &Connection, submission: SubmissionId) -> Result<Vec<Text>, Failure> {
    texts_where(conn, submission, None)
}

/// The same of the outputs that a study grades, and of the earlier answers of their conversations, which raters see.
pub fn texts_of_study(conn: &Connection, study: StudyId, submission: SubmissionId) -> Result<Vec<Text>, Failure> {
    texts_where(conn, submission, Some(study))
}

fn texts_where(conn: &Connection, submission: SubmissionId, study: Option<StudyId>) -> Result<Vec<Text>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT o.id, t.external_id, o.visible_code AS code, o.surrounding_text FROM outputs o
         JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
         WHERE o.submission_id = ?1
           AND (?2 IS NULL OR EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?2 AND a.output_id = o.id)
                OR (o.turn IS NOT NULL AND EXISTS (
                    SELECT 1 FROM outputs later CROSS JOIN assignments a ON a.study_id = ?2 AND a.output_id = later.id
                    WHERE later.submission_id = o.submission_id AND later.revision_id = o.revision_id
                      AND later.conversation = o.conversation AND later.turn > o.turn)))
         ORDER BY +o.id",
    )?;
    let rows = statement.query_map(params![submission.0, study.map(|id| id.0)], |row| {
        Ok((OutputId(row.get("id")?), row.get("external_id")?, row.get("code")?, row.get("surrounding_text")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
