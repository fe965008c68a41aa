//! Line notes of ratings and of ratings of checks. They are written and replaced with their rating and never changed.

use std::collections::HashMap;

use model::note::{LineNote, Position};
use rusqlite::{Connection, Row, params};

use base::error::Failure;

/// The ratings that have notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Of planned work.
    Work,
    /// Of calibration items and hidden checks.
    Checks,
}

impl Of {
    fn table(self) -> &'static str {
        match self {
            Of::Work => "rating_notes",
            Of::Checks => "check_notes",
        }
    }
}

/// Stores a rating's notes.
pub fn insert(conn: &Connection, of: Of, rating: i64, notes: &[LineNote]) -> Result<(), Failure> {
    if notes.is_empty() {
        return Ok(());
    }
    let table = of.table();
    let insert = format!("INSERT INTO {table} (rating_id, line, \"column\", text) VALUES (?1, ?2, ?3, ?4)");
    let mut insert = conn.prepare_cached(&insert)?;
    for note in notes {
        insert.execute(params![rating, note.at.line, note.at.column, note.text])?;
    }
    Ok(())
}

/// The notes of each of these ratings that has any, in the order of the code.
pub fn of_each(conn: &Connection, ratings: &[i64]) -> Result<HashMap<i64, Vec<LineNote>>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT n.rating_id, n.line, n.\"column\" AS column, n.text
         FROM json_each(?1) j CROSS JOIN rating_notes n ON n.rating_id = j.value ORDER BY n.line, n.\"column\"",
    )?;
    let mut rows = statement.query([serde_json::to_string(ratings)?])?;
    let mut found: HashMap<i64, Vec<LineNote>> = HashMap::new();
    while let Some(row) = rows.next()? {
        found.entry(row.get("rating_id")?).or_default().push(note(row)?);
    }
    Ok(found)
}

fn note(row: &Row<'_>) -> rusqlite::Result<LineNote> {
    Ok(LineNote { at: Position { line: row.get("line")?, column: row.get("column")? }, text: row.get("text")? })
}

/// A rating's notes, in the order of the code.
pub fn of(conn: &Connection, of: Of, rating: i64) -> Result<Vec<LineNote>, Failure> {
    let table = of.table();
    let mut statement = conn.prepare_cached(&format!(
        "SELECT line, \"column\" AS column, text FROM {table} WHERE rating_id = ?1 ORDER BY line, \"column\"",
    ))?;
    let notes = statement.query_map([rating], note)?;
    Ok(notes.collect::<Result<_, _>>()?)
}
