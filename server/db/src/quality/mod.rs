//! Quality of a study: settings, calibration items and hidden checks, disagreements, flags, and the input of
//! figures about raters.

pub mod calibrations;
pub mod checks;
pub mod disagreements;
pub mod flags;
pub mod known_items;
pub mod limits;
pub mod masks;
pub mod monitoring;

use model::{
    ids::{StudyId, UserId},
    quality::QualitySettings,
};
use rusqlite::{Connection, params};

use crate::plan;
use base::error::Failure;

/// The study's quality settings.
pub fn settings(conn: &Connection, study: StudyId) -> Result<QualitySettings, Failure> {
    Ok(plan::settings(conn, study)?.quality)
}

/// Gives a study the active items and the adjudicators of another, for the same dataset version and rubric.
/// Accounts that are not active adjudicate nothing there.
pub fn inherit(conn: &Connection, study: StudyId, from: StudyId) -> Result<(), Failure> {
    known_items::inherit(conn, study, from)?;
    conn.execute(
        "INSERT INTO adjudicators (study_id, user_id)
         SELECT ?1, a.user_id FROM adjudicators a JOIN users u ON u.id = a.user_id
         WHERE a.study_id = ?2 AND u.disabled = 0",
        [study.0, from.0],
    )?;
    Ok(())
}

/// Every active account, with whether it may adjudicate the study's disagreements by its role in the study.
/// Without admins, who may always.
pub fn adjudicators(conn: &Connection, study: StudyId) -> Result<Vec<(UserId, String, bool)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name,
             EXISTS (SELECT 1 FROM adjudicators a WHERE a.study_id = ?1 AND a.user_id = u.id) AS adjudicates
         FROM users u WHERE u.disabled = 0 AND u.role = 'rater' ORDER BY u.name",
    )?;
    let rows = statement
        .query_map([study.0], |row| Ok((UserId(row.get("id")?), row.get("name")?, row.get("adjudicates")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether the user may adjudicate in the study by their role in it.
pub fn is_adjudicator(conn: &Connection, study: StudyId, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM adjudicators WHERE study_id = ?1 AND user_id = ?2")?
        .exists(params![study.0, user.0])?)
}

/// Grants or revokes the role.
pub fn set_adjudicator(conn: &Connection, study: StudyId, user: UserId, on: bool) -> Result<(), Failure> {
    let sql = if on {
        "INSERT INTO adjudicators (study_id, user_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
    } else {
        "DELETE FROM adjudicators WHERE study_id = ?1 AND user_id = ?2"
    };
    conn.execute(sql, params![study.0, user.0])?;
    Ok(())
}

/// Whether that account is one of the study's raters.
pub fn is_rater(conn: &Connection, study: StudyId, user: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .exists(params![study.0, user.0])?)
}
