//! Links to the public pages of closed studies.

use app::model::{
    api::PublicLinkRow,
    ids::{PublicLinkId, StudyId, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{clock, error::Failure};

const LINK: &str = "SELECT l.id, l.code, l.created_at, l.expires_at, l.revoked_at,
        l.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > ?1) AND s.status = 'closed', l.study_id
    FROM public_links l JOIN studies s ON s.id = l.study_id";

/// A study's links, newest first.
pub fn list(conn: &Connection, study: StudyId) -> Result<Vec<PublicLinkRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{LINK} WHERE l.study_id = ?2 ORDER BY l.id DESC"))?;
    let rows = statement.query_map(params![clock::now().0, study.0], link)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One link.
pub fn get(conn: &Connection, id: PublicLinkId) -> Result<Option<PublicLinkRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{LINK} WHERE l.id = ?2"))?;
    Ok(statement.query_row(params![clock::now().0, id.0], link).optional()?)
}

/// The study and the link with this secret hash, if the link is valid.
pub fn open(conn: &Connection, secret_hash: &str) -> Result<Option<(StudyId, PublicLinkRow)>, Failure> {
    let found = conn
        .prepare_cached(&format!("{LINK} WHERE l.secret_hash = ?2"))?
        .query_row(params![clock::now().0, secret_hash], |row| Ok((StudyId(row.get(6)?), link(row)?)))
        .optional()?;
    Ok(found.filter(|(_, link)| link.open))
}

/// Stores a link.
pub fn insert(
    conn: &Connection,
    study: StudyId,
    secret_hash: &str,
    code: bool,
    expires_at: Option<Timestamp>,
    by: Option<UserId>,
) -> Result<PublicLinkId, Failure> {
    Ok(PublicLinkId(conn.query_row(
        "INSERT INTO public_links (study_id, secret_hash, code, created_by, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
        params![study.0, secret_hash, code, by.map(|id| id.0), clock::now().0, expires_at.map(|at| at.0)],
        |row| row.get(0),
    )?))
}

/// Revokes a link. Returns whether a valid link was revoked.
pub fn revoke(conn: &Connection, id: PublicLinkId) -> Result<bool, Failure> {
    let changed = conn.execute(
        "UPDATE public_links SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
        params![id.0, clock::now().0],
    )?;
    Ok(changed > 0)
}

fn link(row: &Row<'_>) -> rusqlite::Result<PublicLinkRow> {
    Ok(PublicLinkRow {
        id: PublicLinkId(row.get(0)?),
        code: row.get(1)?,
        created_at: Timestamp(row.get(2)?),
        expires_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
        revoked_at: row.get::<_, Option<i64>>(4)?.map(Timestamp),
        open: row.get(5)?,
    })
}
