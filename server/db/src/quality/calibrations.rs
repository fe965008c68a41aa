//! Raters' progress in a study's calibration.

use model::{
    ids::{StudyId, UserId},
    quality::CalibrationState,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::stored::{named, table};
use base::{clock, error::Failure};

/// A rater's calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationProgress {
    /// Round, increased by each reset.
    pub round: u32,
    pub state: CalibrationState,
    /// Whether an admin let them in.
    pub admitted: bool,
    /// Whether the rater has acknowledged the result.
    pub acknowledged: bool,
}

/// The rater's state; `None` before they start.
pub fn get(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<CalibrationProgress>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT study_id, user_id, round, state, admitted_by IS NOT NULL AS admitted, acknowledged FROM calibrations
             WHERE study_id = ?1 AND user_id = ?2",
        )?
        .query_row(params![study.0, rater.0], |row| {
            let state = named(row, table("calibrations", &["study_id", "user_id"]), "state", |name| match name {
                "open" => Some(CalibrationState::Open),
                "passed" => Some(CalibrationState::Passed),
                "stopped" => Some(CalibrationState::Stopped),
                _ => None,
            })?;
            Ok(CalibrationProgress {
                round: row.get("round")?,
                state,
                admitted: row.get("admitted")?,
                acknowledged: row.get("acknowledged")?,
            })
        })
        .optional()?)
}

/// Starts the rater's calibration if it has not started.
pub fn begin(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO calibrations (study_id, user_id, round, state) VALUES (?1, ?2, 0, 'open') ON CONFLICT DO NOTHING",
    )?
    .execute(params![study.0, rater.0])?;
    Ok(())
}

/// Sets the result of the calibration. `quiet`: the rater need not acknowledge it.
pub fn decide(conn: &Connection, study: StudyId, rater: UserId, passed: bool, quiet: bool) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE calibrations SET state = ?3, decided_at = ?4, acknowledged = ?5 WHERE study_id = ?1 AND user_id = ?2",
    )?
    .execute(params![study.0, rater.0, if passed { "passed" } else { "stopped" }, clock::now().0, quiet])?;
    Ok(())
}

/// Admits a rater regardless of the result.
pub fn admit(conn: &Connection, study: StudyId, rater: UserId, by: Option<UserId>) -> Result<(), Failure> {
    begin(conn, study, rater)?;
    conn.execute(
        "UPDATE calibrations SET state = 'passed', decided_at = ?3, admitted_by = ?4, acknowledged = 1
         WHERE study_id = ?1 AND user_id = ?2",
        params![study.0, rater.0, clock::now().0, by.map(|id| id.0)],
    )?;
    Ok(())
}

/// Starts a new round. Earlier answers are kept.
pub fn reset(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    begin(conn, study, rater)?;
    conn.execute(
        "UPDATE calibrations SET round = round + 1, state = 'open', decided_at = NULL, admitted_by = NULL, acknowledged = 0
         WHERE study_id = ?1 AND user_id = ?2",
        params![study.0, rater.0],
    )?;
    Ok(())
}

/// Records that the rater acknowledged the result.
pub fn acknowledge(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE calibrations SET acknowledged = 1 WHERE study_id = ?1 AND user_id = ?2 AND state = 'passed'",
    )?
    .execute(params![study.0, rater.0])?;
    Ok(())
}

/// Number of raters who failed the calibration.
pub fn stopped(conn: &Connection, study: StudyId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached("SELECT count(*) FROM calibrations WHERE study_id = ?1 AND state = 'stopped'")?
        .query_row([study.0], |row| row.get(0))?)
}
