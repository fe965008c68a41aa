//! The plan of a study: what it is made of, whom it gives what, what changed it.

use app::model::{
    ids::{StudyId, UserId},
    plan::Presentation,
};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::{clock, error::Failure};

/// What an event of the plan tells besides whom it is about.
#[derive(Debug, Serialize)]
pub struct Moved {
    /// How many planned ratings it made or moved.
    pub ratings: u64,
    /// Whose they were, where they were one person's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<UserId>,
}

/// Notes what changed the plan, in the transaction that changes it.
pub fn note(conn: &Connection, study: StudyId, kind: &str, who: Option<UserId>, moved: &Moved) -> Result<(), Failure> {
    conn.prepare_cached("INSERT INTO plan_events (study_id, at, kind, user_id, detail) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![study.0, clock::now().0, kind, who.map(|id| id.0), serde_json::to_string(moved)?])?;
    Ok(())
}

/// How much of the study is this rater's, rated or not, as shares by hand count it: outputs, or tasks
/// where their outputs stand side by side.
pub fn units(conn: &Connection, study: StudyId, rater: UserId, presentation: Presentation) -> Result<u64, Failure> {
    let sql = match presentation {
        Presentation::One => "SELECT rated + open FROM study_raters WHERE study_id = ?1 AND user_id = ?2",
        Presentation::SideBySide => {
            "SELECT count(DISTINCT o.revision_id) FROM assignments a JOIN outputs o ON o.id = a.output_id
             WHERE a.study_id = ?1 AND a.user_id = ?2"
        }
    };
    Ok(conn.prepare_cached(sql)?.query_row(params![study.0, rater.0], |row| row.get(0))?)
}
