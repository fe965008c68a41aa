//! Rubrics: every version is a row that never changes.

use model::{
    ids::UserId,
    page::{PageOf, Paged},
    rubric::{Rubric, RubricRow, RubricSummary, RubricVersion},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    datasets::digest,
    page::{self, List, Sort},
    stored::{Table, json, table},
};
use base::{clock, error::Failure};

/// For queries with the version's number as `id`.
const RUBRICS: Table = table("rubrics", &["id"]);

/// A stored version.
pub struct Stored {
    /// Its row.
    pub id: i64,
    pub rubric: Rubric,
}

/// The checksum of a rubric's content. The database numbers the versions, so the number is not part of it.
fn checksum(rubric: &Rubric) -> Result<String, Failure> {
    Ok(digest([serde_json::to_vec(&Rubric { version: 0, ..rubric.clone() })?.as_slice()]))
}

/// Stores an imported rubric under its own slug, as the next version unless the same content is already stored.
/// Returns its row.
pub fn store(conn: &Connection, rubric: &Rubric) -> Result<i64, Failure> {
    let known = conn
        .query_row(
            "SELECT id FROM rubrics WHERE slug = ?1 AND checksum = ?2",
            [&rubric.slug, &checksum(rubric)?],
            |r| r.get(0),
        )
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => append(conn, rubric, None).map(|stored| stored.id),
    }
}

/// Stores a rubric as the next version of its slug.
pub fn append(conn: &Connection, rubric: &Rubric, by: Option<UserId>) -> Result<Stored, Failure> {
    let version: u32 =
        conn.query_row("SELECT coalesce(max(version), 0) + 1 FROM rubrics WHERE slug = ?1", [&rubric.slug], |row| {
            row.get(0)
        })?;
    let content = checksum(rubric)?;
    let is_earlier =
        conn.prepare("SELECT 1 FROM rubrics WHERE slug = ?1 AND checksum = ?2")?.exists([&rubric.slug, &content])?;
    // The content of an earlier version may return; it becomes a new version with its own checksum.
    let checksum = if is_earlier { digest([content.as_bytes(), &version.to_be_bytes()]) } else { content };
    let rubric = Rubric { version, ..rubric.clone() };
    let json = serde_json::to_string(&rubric)?;
    let id = conn.query_row(
        "INSERT INTO rubrics (slug, version, checksum, json, created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         RETURNING id",
        params![rubric.slug, version, checksum, json, clock::now().0, by.map(|by| by.0)],
        |row| row.get(0),
    )?;
    Ok(Stored { id, rubric })
}

/// A version of a rubric, by default the newest.
pub fn get(conn: &Connection, slug: &str, version: Option<u32>) -> Result<Option<Stored>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT id, json FROM rubrics WHERE slug = ?1 AND version <= coalesce(?2, 9223372036854775807)
             ORDER BY version DESC LIMIT 1",
        )?
        .query_row(params![slug, version], stored)
        .optional()?;
    Ok(found.filter(|found| version.is_none_or(|version| found.rubric.version == version)))
}

/// The version with this name, such as `aixbench 1`; without a number, the newest.
pub fn named(conn: &Connection, name: &str) -> Result<Option<Stored>, Failure> {
    match name.trim().split_once(' ') {
        None => get(conn, name.trim(), None),
        Some((slug, version)) => match version.trim().parse() {
            Ok(version) => get(conn, slug, Some(version)),
            Err(_) => Ok(None),
        },
    }
}

/// The version with this number.
pub fn by_id(conn: &Connection, id: i64) -> Result<Option<Stored>, Failure> {
    Ok(conn.prepare_cached("SELECT id, json FROM rubrics WHERE id = ?1")?.query_row([id], stored).optional()?)
}

/// The rubric that new studies of a dataset use, unless the admin chooses another.
pub fn of_dataset(conn: &Connection, dataset: &str) -> Result<Option<Stored>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT r.id, r.json FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
             JOIN rubrics r ON r.id = coalesce(d.rubric_id, v.rubric_id)
             WHERE d.slug = ?1 ORDER BY v.number DESC LIMIT 1",
        )?
        .query_row([dataset], stored)
        .optional()?)
}

/// Sets the rubric of a dataset's new studies. Returns whether the dataset exists.
pub fn set_of_dataset(conn: &Connection, dataset: &str, rubric: i64) -> Result<bool, Failure> {
    Ok(conn.execute("UPDATE datasets SET rubric_id = ?2 WHERE slug = ?1", params![dataset, rubric])? > 0)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored { id: row.get("id")?, rubric: json(row, RUBRICS, "json")? })
}

/// A page of the rubrics that are not archived, each at its newest version, by short name.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<RubricRow>, Failure> {
    let list = List {
        columns: "r.id, r.json,
                (SELECT count(*) FROM rubrics o JOIN studies s ON s.rubric_id = o.id WHERE o.slug = r.slug) AS studies",
        table: "rubrics r",
        joins: "",
        id: "r.id",
        within: "",
        filter: "NOT EXISTS (SELECT 1 FROM rubrics o WHERE o.slug = r.slug AND o.version > r.version)
            AND NOT EXISTS (SELECT 1 FROM archived_rubrics a WHERE a.slug = r.slug)",
        sorts: &[Sort::text("name", "r.slug")],
        usual: "name",
        search: "",
        filters: &[],
    };
    let row = |row: &Row<'_>| {
        let rubric: Rubric = json(row, RUBRICS, "json")?;
        Ok(RubricRow { newest: RubricSummary::from(&rubric), studies: row.get("studies")? })
    };
    page::page(conn, &list, of, &[], row)
}

/// Every version of a rubric, newest first.
pub fn versions(conn: &Connection, slug: &str) -> Result<Vec<RubricVersion>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.version, r.created_at, u.name, (SELECT count(*) FROM studies s WHERE s.rubric_id = r.id) AS studies
         FROM rubrics r LEFT JOIN users u ON u.id = r.created_by WHERE r.slug = ?1 ORDER BY r.version DESC",
    )?;
    let rows = statement.query_map([slug], |row| {
        Ok(RubricVersion {
            version: row.get("version")?,
            created_at: Timestamp(row.get("created_at")?),
            created_by: row.get("name")?,
            studies: row.get("studies")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a rubric is archived.
pub fn is_archived(conn: &Connection, slug: &str) -> Result<bool, Failure> {
    Ok(conn.prepare_cached("SELECT 1 FROM archived_rubrics WHERE slug = ?1")?.exists([slug])?)
}
