//! Line notes of ratings. They are written and superseded with their rating and never changed.

use app::model::note::{LineNote, Position};
use rusqlite::{Connection, params};

use crate::error::Failure;

/// Stores a rating's notes.
pub fn insert(conn: &Connection, rating: i64, notes: &[LineNote]) -> Result<(), Failure> {
    if notes.is_empty() {
        return Ok(());
    }
    let mut insert =
        conn.prepare_cached("INSERT INTO rating_notes (rating_id, line, \"column\", text) VALUES (?1, ?2, ?3, ?4)")?;
    for note in notes {
        insert.execute(params![rating, note.at.line, note.at.column, note.text])?;
    }
    Ok(())
}

/// A rating's notes, in the order of the code.
pub fn of(conn: &Connection, rating: i64) -> Result<Vec<LineNote>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT line, \"column\" AS column, text FROM rating_notes WHERE rating_id = ?1 ORDER BY line, \"column\"",
    )?;
    let notes = statement.query_map([rating], |row| {
        Ok(LineNote { at: Position { line: row.get("line")?, column: row.get("column")? }, text: row.get("text")? })
    })?;
    Ok(notes.collect::<Result<_, _>>()?)
}
