//! Guidelines of studies and datasets: every version is a row that never changes.

use model::{
    audit::Object,
    guidelines::{GuidelinesState, GuidelinesVersion},
    ids::{StudyId, UserId},
    lang::Bilingual,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use base::{clock, error::Failure};

/// The owner of guidelines.
#[derive(Clone, Copy, Debug)]
pub enum Owner {
    /// A study.
    Study(i64),
    /// A dataset, for its new studies.
    Dataset(i64),
}

impl Owner {
    /// The owner's row, and its title or short name. `None` for what has no guidelines.
    pub fn of(conn: &Connection, object: &Object) -> Result<Option<(Owner, String)>, Failure> {
        let found = match object {
            Object::Study(id) => conn
                .prepare_cached("SELECT id, title FROM studies WHERE id = ?1")?
                .query_row([id.0], |row| Ok((Owner::Study(row.get("id")?), row.get("title")?))),
            Object::Dataset(slug) => conn
                .prepare_cached("SELECT id, slug FROM datasets WHERE slug = ?1")?
                .query_row([slug], |row| Ok((Owner::Dataset(row.get("id")?), row.get("slug")?))),
            _ => return Ok(None),
        };
        Ok(found.optional()?)
    }

    fn parts(self) -> (&'static str, &'static str, i64) {
        match self {
            Owner::Study(id) => ("study_guidelines", "study_id", id),
            Owner::Dataset(id) => ("dataset_guidelines", "dataset_id", id),
        }
    }
}

/// A stored version.
#[derive(Clone, Debug)]
pub struct Stored {
    pub version: u32,
    pub text: Bilingual,
    pub created_at: Timestamp,
}

impl Stored {
    /// Whether it says that there are none.
    pub fn is_empty(&self) -> bool {
        self.text.en.trim().is_empty() && self.text.zh.trim().is_empty()
    }
}

/// A version, by default the newest.
pub fn get(conn: &Connection, owner: Owner, version: Option<u32>) -> Result<Option<Stored>, Failure> {
    let (table, column, id) = owner.parts();
    let found = conn
        .prepare_cached(&format!(
            "SELECT version, en, zh, created_at FROM {table}
             WHERE {column} = ?1 AND version <= coalesce(?2, 9223372036854775807) ORDER BY version DESC LIMIT 1"
        ))?
        .query_row(params![id, version], |row| {
            Ok(Stored {
                version: row.get("version")?,
                text: Bilingual { en: row.get("en")?, zh: row.get("zh")? },
                created_at: Timestamp(row.get("created_at")?),
            })
        })
        .optional()?;
    Ok(found.filter(|found| version.is_none_or(|version| found.version == version)))
}

/// Every version, newest first.
pub fn versions(conn: &Connection, owner: Owner) -> Result<Vec<GuidelinesVersion>, Failure> {
    let (table, column, id) = owner.parts();
    let mut statement = conn.prepare_cached(&format!(
        "SELECT g.version, g.created_at, u.name FROM {table} g LEFT JOIN users u ON u.id = g.created_by
         WHERE g.{column} = ?1 ORDER BY g.version DESC"
    ))?;
    let rows = statement.query_map([id], |row| {
        Ok(GuidelinesVersion {
            version: row.get("version")?,
            created_at: Timestamp(row.get("created_at")?),
            created_by: row.get("name")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds the next version and returns its number.
pub fn append(conn: &Connection, owner: Owner, text: &Bilingual, by: Option<UserId>) -> Result<u32, Failure> {
    let (table, column, id) = owner.parts();
    let version = get(conn, owner, None)?.map_or(0, |newest| newest.version) + 1;
    conn.prepare_cached(&format!(
        "INSERT INTO {table} ({column}, version, en, zh, created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    ))?
    .execute(params![id, version, text.en, text.zh, clock::now().0, by.map(|by| by.0)])?;
    Ok(version)
}

/// Gives a new study the guidelines of the study that it duplicates, otherwise the default of its dataset.
pub fn inherit(conn: &Connection, study: StudyId, from: Option<StudyId>) -> Result<(), Failure> {
    let source = match from {
        Some(from) => Owner::Study(from.0),
        None => Owner::Dataset(conn.query_row(
            "SELECT v.dataset_id FROM all_studies s JOIN dataset_versions v ON v.id = s.version_id WHERE s.id = ?1",
            [study.0],
            |row| row.get(0),
        )?),
    };
    if let Some(found) = get(conn, source, None)?.filter(|found| !found.is_empty()) {
        append(conn, Owner::Study(study.0), &found.text, None)?;
    }
    Ok(())
}

/// Which version of a study's guidelines a rater has read.
pub fn state(conn: &Connection, study: StudyId, rater: UserId) -> Result<GuidelinesState, Failure> {
    let Some(newest) = get(conn, Owner::Study(study.0), None)?.filter(|newest| !newest.is_empty()) else {
        return Ok(GuidelinesState::None);
    };
    let read: Option<u32> = conn
        .prepare_cached("SELECT version FROM guidelines_read WHERE study_id = ?1 AND user_id = ?2")?
        .query_row([study.0, rater.0], |row| row.get(0))
        .optional()?;
    Ok(match read {
        None => GuidelinesState::New,
        Some(read) if read < newest.version => GuidelinesState::Changed,
        Some(_) => GuidelinesState::Read,
    })
}

/// Notes that a rater has read a version.
pub fn note_read(conn: &Connection, study: StudyId, rater: UserId, version: u32) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO guidelines_read (study_id, user_id, version, read_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET version = excluded.version, read_at = excluded.read_at
         WHERE version < excluded.version",
    )?
    .execute(params![study.0, rater.0, version, clock::now().0])?;
    Ok(())
}
