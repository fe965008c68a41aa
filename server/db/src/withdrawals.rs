//! Ratings that their raters withdrew.

use model::{
    grading::Draft,
    ids::{OutputId, StudyId, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::grading;
use base::{clock, error::Failure};

/// The output of the rater's newest rating that counts, and the time of that rating.
pub fn last(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<(OutputId, Timestamp)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT a.output_id, r.at FROM assignments a
             JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
             WHERE a.study_id = ?1 AND a.user_id = ?2 ORDER BY r.at DESC, r.id DESC LIMIT 1",
        )?
        .query_row(params![study.0, rater.0], |row| Ok((OutputId(row.get("output_id")?), Timestamp(row.get("at")?))))
        .optional()?)
}

/// Withdraws a rating: it is marked as replaced and as withdrawn, and its content becomes the draft. If it
/// had replaced an earlier one, that one counts again; otherwise the output is unrated and leased to the
/// rater until `until`.
pub fn withdraw(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    draft: &Draft,
    until: Timestamp,
) -> Result<(), Failure> {
    let now = clock::now().0;
    let (assignment, rating): (i64, i64) = conn
        .prepare_cached(
            "UPDATE ratings SET replaced_at = ?4, withdrawn = 1
             WHERE replaced_at IS NULL AND assignment_id =
                 (SELECT id FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3)
             RETURNING assignment_id, id",
        )?
        .query_row(params![study.0, output.0, rater.0, now], |row| Ok((row.get("assignment_id")?, row.get("id")?)))?;
    let earlier = conn
        .prepare_cached(
            "UPDATE ratings SET replaced_at = NULL
             WHERE id = (SELECT max(id) FROM ratings
                         WHERE assignment_id = ?1 AND user_id = ?2 AND id < ?3 AND withdrawn = 0)",
        )?
        .execute(params![assignment, rater.0, rating])?;
    if earlier == 0 {
        conn.prepare_cached("UPDATE assignments SET rated_at = NULL, leased_until = ?2 WHERE id = ?1")?
            .execute(params![assignment, until.0])?;
    }
    grading::save_draft(conn, study, output, rater, draft)
}
