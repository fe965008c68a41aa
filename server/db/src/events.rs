//! The order of a rater's actions in one study.

use model::{
    ids::{StudyId, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use base::{clock, error::Failure};

/// The time under which the rater's next event is stored: now, but always later than the event before. Two
/// events within a millisecond, or a clock that was set back, therefore never change their order.
pub fn next(conn: &Connection, study: StudyId, rater: UserId) -> Result<Timestamp, Failure> {
    let now = clock::now();
    let at = conn
        .prepare_cached(
            "UPDATE study_raters SET last_event = max(last_event + 1, ?3) WHERE study_id = ?1 AND user_id = ?2
             RETURNING last_event",
        )?
        .query_row(params![study.0, rater.0, now.0], |row| row.get(0).map(Timestamp))
        .optional()?;
    Ok(at.unwrap_or(now))
}
