//! The remaining steps of a change of a study (0022_plan_steps.sql).

use model::ids::{OutputId, StudyId, UserId};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::stored::{json, table};
use base::error::Failure;
use plan::{
    change::{Change, Move},
    rows::Planned,
};

/// The work of one short transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Delete a draft's plan.
    Clear,
    /// Store the plan of a draft.
    Plan(Vec<Planned>),
    /// Add planned ratings to a running study.
    Add(Vec<Planned>),
    /// Reassign planned ratings.
    Move(Vec<Move>),
    /// Set manual shares.
    Shares(Vec<(UserId, u32)>),
    /// Look for outputs that need an extra rater, from those after this one.
    ExtraRaters(OutputId),
    /// Look for disagreements that open or close in the inbox, among outputs after this one.
    Disagreements(OutputId),
}

/// Maximum number of planned ratings that a step changes, at some 10 to 20 µs each. Ratings that people submit get in
/// between.
pub const SIZE: usize = 200;

impl Step {
    /// The steps that make a change.
    pub fn of(change: Change) -> Vec<Step> {
        let mut steps: Vec<Step> = change.added.chunks(SIZE).map(|added| Step::Add(added.to_vec())).collect();
        let (mut moves, mut size) = (Vec::new(), 0);
        for one in change.moves {
            size += one.assignments.len();
            moves.push(one);
            if size >= SIZE {
                steps.push(Step::Move(std::mem::take(&mut moves)));
                size = 0;
            }
        }
        if !moves.is_empty() {
            steps.push(Step::Move(moves));
        }
        if !change.shares.is_empty() {
            steps.push(Step::Shares(change.shares));
        }
        steps
    }

    /// The steps that replace the plan of a draft.
    pub fn plan(planned: &[Planned]) -> Vec<Step> {
        let plan = planned.chunks(SIZE).map(|planned| Step::Plan(planned.to_vec()));
        std::iter::once(Step::Clear).chain(plan).collect()
    }
}

/// Adds steps behind those of the study.
pub fn add(conn: &Connection, study: StudyId, steps: &[String]) -> Result<(), Failure> {
    let mut insert = conn.prepare_cached("INSERT INTO study_steps (study_id, step) VALUES (?1, ?2)")?;
    for step in steps {
        insert.execute(params![study.0, step])?;
    }
    Ok(())
}

/// The study's next step, with its number.
pub fn next(conn: &Connection, study: StudyId) -> Result<Option<(i64, Step)>, Failure> {
    Ok(conn
        .prepare_cached("SELECT id, step FROM study_steps WHERE study_id = ?1 ORDER BY id LIMIT 1")?
        .query_row([study.0], |row| Ok((row.get("id")?, json(row, table("study_steps", &["id"]), "step")?)))
        .optional()?)
}

/// Whether the study has steps left.
pub fn are_left(conn: &Connection, study: StudyId) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM study_steps WHERE study_id = ?1")?.exists([study.0])?)
}

/// Removes a step that is done.
pub fn done(conn: &Connection, step: i64) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM study_steps WHERE id = ?1")?.execute([step])?;
    Ok(())
}

/// Replaces a step by what is left of it.
pub fn replace(conn: &Connection, step: i64, by: &Step) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE study_steps SET step = ?2 WHERE id = ?1")?
        .execute(params![step, serde_json::to_string(by)?])?;
    Ok(())
}

/// Visible studies with steps left.
pub fn studies(conn: &Connection) -> Result<Vec<StudyId>, Failure> {
    let mut statement = conn.prepare(
        "SELECT DISTINCT t.study_id FROM study_steps t JOIN studies s ON s.id = t.study_id ORDER BY t.study_id",
    )?;
    let rows = statement.query_map([], |row| Ok(StudyId(row.get("study_id")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
