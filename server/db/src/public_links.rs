//! Links to the public pages of closed studies.

use model::{
    api::{NewPublicLink, PublicLinkRow, Publication},
    ids::{PublicLinkId, StudyId, UserId},
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Null};

use super::page::{self, List, Sort};
use base::{clock, error::Failure};

const LINK: &str = "l.id, l.code, l.purpose, l.authors, l.contact, l.license, l.created_at, l.expires_at, l.revoked_at,
        l.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > ?3) AND s.status = 'closed' AS open, l.study_id";
const STUDY: &str = "CROSS JOIN studies s ON s.id = l.study_id";

/// A page of a study's links, newest first.
pub fn list(conn: &Connection, study: StudyId, of: &PageOf) -> Result<Paged<PublicLinkRow>, Failure> {
    let list = List {
        columns: LINK,
        table: "public_links l",
        joins: STUDY,
        id: "l.id",
        within: "l.study_id = ?4",
        filter: "",
        sorts: &[Sort::number("created", "l.id")],
        usual: "-created",
        search: "",
        filters: &[],
    };
    page::page(conn, &list, of, &[&clock::now().0, &study.0], link)
}

/// One link.
pub fn get(conn: &Connection, id: PublicLinkId) -> Result<Option<PublicLinkRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("SELECT {LINK} FROM public_links l {STUDY} WHERE l.id = ?1"))?;
    Ok(statement.query_row(params![id.0, Null, clock::now().0], link).optional()?)
}

/// The study and the link with this secret hash, if the link is valid.
pub fn open(conn: &Connection, secret_hash: &str) -> Result<Option<(StudyId, PublicLinkRow)>, Failure> {
    let found = conn
        .prepare_cached(&format!("SELECT {LINK} FROM public_links l {STUDY} WHERE l.secret_hash = ?1"))?
        .query_row(params![secret_hash, Null, clock::now().0], |row| Ok((StudyId(row.get("study_id")?), link(row)?)))
        .optional()?;
    Ok(found.filter(|(_, link)| link.open))
}

/// Stores a link.
pub fn insert(
    conn: &Connection,
    study: StudyId,
    secret_hash: &str,
    new: &NewPublicLink,
    expires_at: Option<Timestamp>,
    by: Option<UserId>,
) -> Result<PublicLinkId, Failure> {
    Ok(PublicLinkId(conn.query_row(
        "INSERT INTO public_links
            (study_id, secret_hash, code, created_by, created_at, expires_at, purpose, authors, contact, license)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id",
        params![
            study.0,
            secret_hash,
            new.code,
            by.map(|id| id.0),
            clock::now().0,
            expires_at.map(|at| at.0),
            new.about.purpose,
            new.about.authors,
            new.about.contact,
            new.about.license
        ],
        |row| row.get(0),
    )?))
}

/// Revokes a valid link. Returns its study; none where no valid link was revoked.
pub fn revoke(conn: &Connection, id: PublicLinkId) -> Result<Option<StudyId>, Failure> {
    let study = conn
        .prepare_cached(
            "UPDATE public_links SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL RETURNING study_id",
        )?
        .query_row(params![id.0, clock::now().0], |row| row.get(0).map(StudyId))
        .optional()?;
    Ok(study)
}

fn link(row: &Row<'_>) -> rusqlite::Result<PublicLinkRow> {
    Ok(PublicLinkRow {
        id: PublicLinkId(row.get("id")?),
        code: row.get("code")?,
        created_at: Timestamp(row.get("created_at")?),
        expires_at: row.get::<_, Option<i64>>("expires_at")?.map(Timestamp),
        revoked_at: row.get::<_, Option<i64>>("revoked_at")?.map(Timestamp),
        open: row.get("open")?,
        about: Publication {
            purpose: row.get("purpose")?,
            authors: row.get("authors")?,
            contact: row.get("contact")?,
            license: row.get("license")?,
        },
    })
}
