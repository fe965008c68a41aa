//! Whether raters find that an answer follows each instruction of its conversation.
//!
//! The answers belong to a rating or an adjudication, like its scores, and are kept with it when it is replaced.

use std::collections::BTreeSet;

use model::{
    conversation::{InstructionKind, TaskTurn},
    ids::{OutputId, StudyId, UserId},
};
use rusqlite::{Connection, params};

use super::{
    conversations::{self, TURNS},
    stored::named,
};
use base::error::Failure;

/// The instructions up to an output, in order: those of the turns that its model saw, each once. None if its task is no
/// conversation.
pub fn instructions(conn: &Connection, output: OutputId) -> Result<Vec<TaskTurn>, Failure> {
    let found = conversations::of_output(conn, output)?;
    let turns = found.into_iter().flat_map(|conversation| conversation.turns).map(|turn| turn.asked);
    let mut seen = BTreeSet::new();
    Ok(turns.filter(|turn| turn.turn > 0 && seen.insert(turn.turn)).collect())
}

/// Whether raters of the study answer which instructions an output follows.
pub fn are_asked_for(conn: &Connection, study: StudyId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM studies s JOIN rubrics r ON r.id = s.rubric_id
             WHERE s.id = ?1 AND json_extract(r.json, '$.instructions')",
        )?
        .exists([study.0])?)
}

/// Stores a rating's answers, one for each of the instructions.
pub fn insert(
    conn: &Connection,
    rating: i64,
    instructions: &[TaskTurn],
    answers: &[Option<u8>],
) -> Result<(), Failure> {
    let mut insert =
        conn.prepare_cached("INSERT INTO instruction_answers (rating_id, turn, answer) VALUES (?1, ?2, ?3)")?;
    for (asked, answer) in instructions.iter().zip(answers) {
        insert.execute(params![rating, asked.turn, answer])?;
    }
    Ok(())
}

/// A rating's answers, in the order of the turns.
pub fn of_rating(conn: &Connection, rating: i64) -> Result<Vec<Option<u8>>, Failure> {
    let query = "SELECT answer FROM instruction_answers WHERE rating_id = ?1 ORDER BY turn";
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement.query_map([rating], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores an adjudication's answers, one for each of the instructions.
pub fn adjudicate(
    conn: &Connection,
    adjudication: i64,
    instructions: &[TaskTurn],
    answers: &[u8],
) -> Result<(), Failure> {
    let mut insert = conn
        .prepare_cached("INSERT INTO adjudicated_instructions (adjudication_id, turn, answer) VALUES (?1, ?2, ?3)")?;
    for (asked, answer) in instructions.iter().zip(answers) {
        insert.execute(params![adjudication, asked.turn, answer])?;
    }
    Ok(())
}

/// An adjudication's answers, in the order of the turns.
pub fn of_adjudication(conn: &Connection, adjudication: i64) -> Result<Vec<u8>, Failure> {
    let query = "SELECT answer FROM adjudicated_instructions WHERE adjudication_id = ?1 ORDER BY turn";
    let mut statement = conn.prepare_cached(query)?;
    let rows = statement.query_map([adjudication], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An answer that counts.
pub struct Answer {
    pub output: OutputId,
    pub rater: UserId,
    pub kind: InstructionKind,
    pub turn: u32,
    pub follows: u8,
}

/// Every answer of a study that counts, by output and age.
pub fn counted(conn: &Connection, study: StudyId) -> Result<Vec<Answer>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT c.output_id, c.user_id, t.revision_id, t.kind, a.turn, a.answer FROM counted c
         CROSS JOIN instruction_answers a ON a.rating_id = c.rating_id
         JOIN outputs o ON o.id = c.output_id
         JOIN task_turns t ON t.revision_id = o.revision_id AND t.turn = a.turn
         WHERE c.study_id = ?1 ORDER BY c.output_id, c.rating_id, a.turn",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(Answer {
            output: OutputId(row.get("output_id")?),
            rater: UserId(row.get("user_id")?),
            kind: named(row, TURNS, "kind", InstructionKind::from_name)?,
            turn: row.get("turn")?,
            follows: row.get("answer")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An adjudicated answer.
pub struct FinalAnswer {
    pub output: OutputId,
    pub kind: InstructionKind,
    pub turn: u32,
    pub follows: u8,
}

/// The answers of a study's current adjudications, by output.
pub fn adjudicated(conn: &Connection, study: StudyId) -> Result<Vec<FinalAnswer>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT d.output_id, t.revision_id, t.kind, a.turn, a.answer FROM adjudications d
         CROSS JOIN adjudicated_instructions a ON a.adjudication_id = d.id
         JOIN outputs o ON o.id = d.output_id
         JOIN task_turns t ON t.revision_id = o.revision_id AND t.turn = a.turn
         WHERE d.study_id = ?1 AND d.replaced_at IS NULL ORDER BY d.output_id, a.turn",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(FinalAnswer {
            output: OutputId(row.get("output_id")?),
            kind: named(row, TURNS, "kind", InstructionKind::from_name)?,
            turn: row.get("turn")?,
            follows: row.get("answer")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
