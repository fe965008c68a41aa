//! Uploaded files. Their bytes are in the data folder under their checksum.

use std::collections::BTreeMap;

use model::{
    ids::{SubmissionId, UploadId, UserId},
    page::{PageOf, Paged},
    submission::{UploadRow, UploadState},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    page::{self, List, Sort},
    stored::{Table, json, table},
};
use base::{clock, error::Failure};

/// An uploaded file.
pub struct Upload {
    /// SHA-256 of its bytes, its name in the data folder.
    pub checksum: String,
    /// The client's file name.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Our columns of a table to the file's, where an admin chose them.
    pub columns: BTreeMap<String, String>,
}

/// For queries with the upload's number as `id`.
const UPLOADS: Table = table("uploads", &["id"]);

/// The purpose of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// Whether it has ratings; otherwise it has outputs.
    pub ratings: bool,
    /// The dataset that was named with the file.
    pub dataset: Option<String>,
    /// The columns of a table that were named with the file.
    pub columns: BTreeMap<String, String>,
}

impl Purpose {
    /// Outputs, for a dataset if one was named.
    pub fn outputs(dataset: Option<&str>) -> Purpose {
        let dataset = dataset.filter(|slug| !slug.is_empty()).map(str::to_owned);
        Purpose { ratings: false, dataset, columns: BTreeMap::new() }
    }
}

/// Records an upload whose bytes are stored.
pub fn insert(conn: &Connection, upload: &Upload, purpose: &Purpose, by: Option<UserId>) -> Result<UploadId, Failure> {
    let word = if purpose.ratings { "ratings" } else { "outputs" };
    Ok(UploadId(conn.query_row(
        "INSERT INTO uploads (checksum, file_name, bytes, purpose, dataset_slug, columns, user_id, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        params![
            upload.checksum,
            upload.file,
            upload.bytes,
            word,
            purpose.dataset,
            serde_json::to_string(&upload.columns)?,
            by.map(|id| id.0),
            clock::now().0
        ],
        |row| row.get(0),
    )?))
}

/// An upload.
pub fn get(conn: &Connection, id: UploadId) -> Result<Option<Upload>, Failure> {
    Ok(conn
        .query_row("SELECT id, checksum, file_name, bytes, columns FROM uploads WHERE id = ?1", [id.0], |row| {
            Ok(Upload {
                checksum: row.get("checksum")?,
                file: row.get("file_name")?,
                bytes: row.get("bytes")?,
                columns: json(row, UPLOADS, "columns")?,
            })
        })
        .optional()?)
}

/// Sets the columns of a table. Returns whether there is such an upload.
pub fn set_columns(conn: &Connection, id: UploadId, columns: &BTreeMap<String, String>) -> Result<bool, Failure> {
    Ok(conn.execute("UPDATE uploads SET columns = ?2 WHERE id = ?1", params![id.0, serde_json::to_string(columns)?])?
        == 1)
}

/// Uploads of outputs. A file may be imported for several models; the newest import counts.
const LIST: List<'_> = List {
    columns: "u.id, u.file_name, u.bytes, u.dataset_slug, p.name, u.created_at, s.id AS submission,
        s.model_name, s.importing_until IS NOT NULL AS importing, s.expected,
        CASE WHEN s.importing_until IS NOT NULL
             THEN (SELECT count(*) FROM outputs o WHERE o.submission_id = s.id) END AS stored",
    table: "uploads u",
    joins: "LEFT JOIN users p ON p.id = u.user_id
        LEFT JOIN all_submissions s ON s.id = (SELECT max(x.id) FROM all_submissions x
            WHERE x.checksum = u.checksum AND x.deleted_at IS NULL)",
    id: "u.id",
    within: "u.purpose = 'outputs'",
    filter: "",
    sorts: &[Sort::number("uploaded", "u.id")],
    usual: "-uploaded",
    search: "u.file_name || ' ' || coalesce(u.dataset_slug, '')",
    filters: &[],
};

/// A page of the uploads of outputs, newest first.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<UploadRow>, Failure> {
    page::page(conn, &LIST, of, &[], |row| {
        let state = match (row.get::<_, Option<i64>>("submission")?, row.get("importing")?) {
            (None, _) => UploadState::Waiting,
            (Some(_), true) => UploadState::Importing {
                stored: row.get::<_, Option<u64>>("stored")?.unwrap_or_default(),
                total: row.get::<_, Option<u64>>("expected")?.unwrap_or_default(),
            },
            (Some(id), false) => UploadState::Imported { submission: SubmissionId(id), model: row.get("model_name")? },
        };
        Ok(UploadRow {
            id: UploadId(row.get("id")?),
            file: row.get("file_name")?,
            bytes: row.get("bytes")?,
            dataset: row.get("dataset_slug")?,
            by: row.get("name")?,
            created_at: Timestamp(row.get("created_at")?),
            state,
        })
    })
}
