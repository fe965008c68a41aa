//! Items that a rater marked to find again. Work and hidden checks are in one table, by the names under which their
//! rater knows them.

use model::{
    ids::{StudyId, Token, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, params};

use super::events;
use base::error::Failure;

/// Whether the rater has marked the item.
pub fn has(conn: &Connection, study: StudyId, rater: UserId, token: &Token) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM bookmarks WHERE study_id = ?1 AND user_id = ?2 AND token = ?3")?
        .exists(params![study.0, rater.0, token.0])?)
}

/// Marks the item. One that is marked already keeps its place.
pub fn add(conn: &Connection, study: StudyId, rater: UserId, token: &Token) -> Result<(), Failure> {
    let at = events::next(conn, study, rater)?;
    conn.prepare_cached(
        "INSERT INTO bookmarks (study_id, user_id, token, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?
    .execute(params![study.0, rater.0, token.0, at.0])?;
    Ok(())
}

pub fn remove(conn: &Connection, study: StudyId, rater: UserId, token: &Token) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM bookmarks WHERE study_id = ?1 AND user_id = ?2 AND token = ?3")?
        .execute(params![study.0, rater.0, token.0])?;
    Ok(())
}

/// The marked items, each with the time at which it was marked.
pub fn list(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<(Timestamp, Token)>, Failure> {
    let mut statement = conn.prepare_cached("SELECT at, token FROM bookmarks WHERE study_id = ?1 AND user_id = ?2")?;
    let rows = statement
        .query_map(params![study.0, rater.0], |row| Ok((Timestamp(row.get("at")?), Token(row.get("token")?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
