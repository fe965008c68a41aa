//! Datasets, their versions, tasks and tests.

use std::collections::BTreeMap;

use app::model::{
    dataset::{Checks, DatasetRow, TaskRow, VersionRow},
    ids::{DatasetId, DatasetVersionId, TaskId, TaskRevisionId},
    lang::Bilingual,
    rubric::Rubric,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use super::{accounts::parsed, staging};
use crate::{clock, error::Failure};

/// A task as an import brings it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// The source's own id.
    pub task_id: String,
    /// The description, exactly as it came.
    pub raw_nl: String,
    /// Its language.
    pub lang: app::model::lang::Lang,
    /// The signature asked for.
    pub signature: Option<String>,
    /// How its outputs are checked.
    pub checks: Checks,
    /// The class that holds its tests.
    pub test_class: Option<String>,
}

/// A dataset version as an import brings it.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The dataset's short name.
    pub slug: String,
    /// Its name on screen.
    pub name: Bilingual,
    /// What it says about itself.
    pub description: Bilingual,
    /// Its license.
    pub license: String,
    /// Where it was read from: a name, never a machine's path.
    pub source: String,
    /// How its tests are run: `aixgrade` or `aixbench`; absent without tests.
    pub test_kind: Option<&'static str>,
    /// The files its tests consist of, by relative path.
    pub test_files: BTreeMap<String, Vec<u8>>,
    /// In the dataset's order.
    pub tasks: Vec<NewTask>,
    /// Whether the source is tasks alone: tests and rubric of the newest version are kept then.
    pub bare: bool,
}

/// What storing a version did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The version that now is the newest.
    pub version: DatasetVersionId,
    /// Its number.
    pub number: u32,
    /// Whether it was made now; else the newest version says the same already.
    pub new: bool,
    /// How many tasks differ from the version before.
    pub changed: u64,
}

/// Stores a rubric under its own slug, as the next version unless this very wording is there.
pub fn store_rubric(conn: &Connection, rubric: &Rubric) -> Result<i64, Failure> {
    // The version is the database's to count, so it is left out of the comparison.
    let checksum = digest([serde_json::to_vec(&Rubric { version: 0, ..rubric.clone() })?.as_slice()]);
    let known = conn
        .query_row("SELECT id FROM rubrics WHERE slug = ?1 AND checksum = ?2", [&rubric.slug, &checksum], |r| r.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let version: u32 =
        conn.query_row("SELECT coalesce(max(version), 0) + 1 FROM rubrics WHERE slug = ?1", [&rubric.slug], |row| {
            row.get(0)
        })?;
    let json = serde_json::to_string(&Rubric { version, ..rubric.clone() })?;
    Ok(conn.query_row(
        "INSERT INTO rubrics (slug, version, checksum, json) VALUES (?1, ?2, ?3, ?4) RETURNING id",
        params![rubric.slug, version, checksum, json],
        |row| row.get(0),
    )?)
}

/// A version with the checksums of its parts, computed outside any transaction.
pub struct Prepared {
    /// The version.
    pub new: NewVersion,
    /// The tasks' checksums, in their order.
    tasks: Vec<String>,
    /// The test files' checksums, in their order.
    files: Vec<String>,
    /// The checksum of all test files; absent without tests.
    tree: Option<String>,
}

impl Prepared {
    /// Computes the checksums.
    pub fn of(new: NewVersion) -> Prepared {
        let tasks = new.tasks.iter().map(task_checksum).collect();
        let files: Vec<String> = new.test_files.values().map(|bytes| digest([bytes.as_slice()])).collect();
        let paths = new.test_files.keys().zip(&files);
        let tree = digest(paths.flat_map(|(path, sum)| [path.as_bytes(), sum.as_bytes()]));
        let tree = (!files.is_empty()).then_some(tree);
        Prepared { new, tasks, files, tree }
    }

    /// Where the chunks of test files end that [`stage_files`] stores: each has at most [`staging::ROWS`] files and
    /// about [`staging::BYTES`] bytes, unless a single file has more.
    pub fn file_chunks(&self) -> Vec<std::ops::Range<usize>> {
        let (mut chunks, mut from, mut bytes) = (Vec::new(), 0, 0);
        for (at, content) in self.new.test_files.values().enumerate() {
            bytes += content.len();
            if at + 1 - from == staging::ROWS || bytes >= staging::BYTES {
                chunks.push(from..at + 1);
                (from, bytes) = (at + 1, 0);
            }
        }
        if from < self.files.len() {
            chunks.push(from..self.files.len());
        }
        chunks
    }

    /// As [`Prepared::file_chunks`], for the tasks that [`stage_tasks`] stores.
    pub fn task_chunks(&self) -> Vec<std::ops::Range<usize>> {
        let ends = (0..self.tasks.len()).step_by(staging::ROWS);
        ends.map(|from| from..(from + staging::ROWS).min(self.tasks.len())).collect()
    }
}

/// Stores some test files of a version. They lie under their checksums and nobody sees them before a version refers
/// to them.
pub fn stage_files(conn: &Connection, prepared: &Prepared, range: std::ops::Range<usize>) -> Result<(), Failure> {
    let files = prepared.new.test_files.iter().zip(&prepared.files);
    for ((path, bytes), sum) in files.skip(range.start).take(range.len()) {
        conn.prepare_cached("INSERT INTO blobs (checksum, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![sum, bytes])?;
        conn.prepare_cached(
            "INSERT INTO test_tree_files (tree, path, checksum) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![prepared.tree, path, sum])?;
    }
    Ok(())
}

/// Stores some tasks of a version, in the wording that it has of them, and returns the wordings' rows. Nobody sees
/// them before a version refers to them.
pub fn stage_tasks(conn: &Connection, prepared: &Prepared, range: std::ops::Range<usize>) -> Result<Vec<i64>, Failure> {
    let dataset = dataset_row(conn, &prepared.new.slug)?;
    let tasks = prepared.new.tasks.iter().zip(&prepared.tasks).skip(range.start).take(range.len());
    tasks.map(|(task, checksum)| store_task(conn, dataset, task, checksum)).collect()
}

/// The dataset's row, created when it is missing. A dataset without a version is in no list.
fn dataset_row(conn: &Connection, slug: &str) -> Result<i64, Failure> {
    conn.execute(
        "INSERT INTO datasets (slug, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![slug, clock::now().0],
    )?;
    Ok(conn.query_row("SELECT id FROM datasets WHERE slug = ?1", [slug], |row| row.get(0))?)
}

/// Stores a version, unless the newest one says the same. Its files and tasks are stored already; `revisions` are
/// the rows of the tasks' wordings. Unchanged tasks keep their revision, so outputs and ratings of them go on
/// belonging together; nothing is ever removed.
pub fn store(conn: &Connection, prepared: &Prepared, revisions: &[i64], rubric_id: i64) -> Result<Stored, Failure> {
    let now = clock::now().0;
    let new = &prepared.new;
    let dataset = dataset_row(conn, &new.slug)?;
    let newest = newest(conn, dataset)?;
    let mut tree = prepared.tree.clone();
    let mut kind = new.test_kind.map(str::to_owned);
    let mut rubric_id = rubric_id;
    if let (true, Some(newest)) = (new.bare, &newest) {
        rubric_id = newest.rubric_id;
        kind.clone_from(&newest.test_kind);
        tree.clone_from(&newest.test_tree);
    }
    let content = version_checksum(prepared, kind.as_deref(), tree.as_deref(), rubric_id);
    // What an earlier version said may come back; it is a version again, with a checksum of its own.
    let returned = |number: u32| digest([content.as_bytes(), &number.to_be_bytes()]);
    if let Some(newest) = &newest
        && (newest.checksum == content || newest.checksum == returned(newest.number))
    {
        let (version, number) = (DatasetVersionId(newest.id), newest.number);
        return Ok(Stored { version, number, new: false, changed: 0 });
    }
    let number = newest.as_ref().map_or(1, |newest| newest.number + 1);
    let earlier: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM dataset_versions WHERE dataset_id = ?1 AND checksum = ?2)",
        params![dataset, content],
        |row| row.get(0),
    )?;
    let checksum = if earlier { returned(number) } else { content };
    let version: i64 = conn.query_row(
        "INSERT INTO dataset_versions (dataset_id, number, checksum, name_en, name_zh, description_en,
             description_zh, license, source, rubric_id, test_kind, test_tree, imported_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING id",
        params![
            dataset,
            number,
            checksum,
            new.name.en,
            new.name.zh,
            new.description.en,
            new.description.zh,
            new.license,
            new.source,
            rubric_id,
            kind,
            tree,
            now
        ],
        |row| row.get(0),
    )?;
    for (position, revision) in revisions.iter().enumerate() {
        conn.prepare_cached(
            "INSERT INTO dataset_version_tasks (version_id, position, revision_id) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![version, position, revision])?;
    }
    let changed = changed(conn, version, newest.map(|newest| newest.id))?;
    Ok(Stored { version: DatasetVersionId(version), number, new: true, changed })
}

/// The newest version of a dataset, as far as the next one is compared with it.
struct Newest {
    id: i64,
    number: u32,
    checksum: String,
    rubric_id: i64,
    test_kind: Option<String>,
    test_tree: Option<String>,
}

fn newest(conn: &Connection, dataset: i64) -> Result<Option<Newest>, Failure> {
    Ok(conn
        .query_row(
            "SELECT id, number, checksum, rubric_id, test_kind, test_tree FROM dataset_versions
             WHERE dataset_id = ?1 ORDER BY number DESC LIMIT 1",
            [dataset],
            |row| {
                Ok(Newest {
                    id: row.get(0)?,
                    number: row.get(1)?,
                    checksum: row.get(2)?,
                    rubric_id: row.get(3)?,
                    test_kind: row.get(4)?,
                    test_tree: row.get(5)?,
                })
            },
        )
        .optional()?)
}

fn store_task(conn: &Connection, dataset: i64, task: &NewTask, checksum: &str) -> Result<i64, Failure> {
    conn.prepare_cached("INSERT INTO tasks (dataset_id, external_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![dataset, task.task_id])?;
    let id: i64 = conn
        .prepare_cached("SELECT id FROM tasks WHERE dataset_id = ?1 AND external_id = ?2")?
        .query_row(params![dataset, task.task_id], |row| row.get(0))?;
    conn.prepare_cached(
        "INSERT INTO task_revisions (task_id, checksum, raw_nl, lang, signature, human, tests, test_class)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        id,
        checksum,
        task.raw_nl,
        task.lang.code(),
        task.signature,
        task.checks.human,
        task.checks.tests,
        task.test_class
    ])?;
    Ok(conn
        .prepare_cached("SELECT id FROM task_revisions WHERE task_id = ?1 AND checksum = ?2")?
        .query_row(params![id, checksum], |row| row.get(0))?)
}

/// The files of a test tree, by path; before them how they are run.
pub type Tests = (String, BTreeMap<String, Vec<u8>>);

/// The files that a version's tests consist of. `None` without tests.
pub fn tests(conn: &Connection, version: DatasetVersionId) -> Result<Option<Tests>, Failure> {
    let found: Option<(Option<String>, Option<String>)> = conn
        .query_row("SELECT test_kind, test_tree FROM dataset_versions WHERE id = ?1", [version.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((Some(kind), Some(tree))) = found else { return Ok(None) };
    let mut statement = conn.prepare_cached(
        "SELECT f.path, b.bytes FROM test_tree_files f JOIN blobs b ON b.checksum = f.checksum WHERE f.tree = ?1",
    )?;
    let files = statement.query_map([tree], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(Some((kind, files)))
}

const NEWEST: &str = "SELECT d.id, d.slug, v.name_en, v.name_zh, v.id, v.number,
        (SELECT count(*) FROM dataset_version_tasks t WHERE t.version_id = v.id),
        (SELECT count(*) FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
         WHERE t.version_id = v.id AND r.human),
        (SELECT count(*) FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
         WHERE t.version_id = v.id AND r.tests),
        (SELECT count(*) FROM submissions s JOIN dataset_versions x ON x.id = s.version_id WHERE x.dataset_id = d.id),
        v.imported_at
    FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
    WHERE v.number = (SELECT max(number) FROM dataset_versions x WHERE x.dataset_id = d.id)";

/// Every dataset at its newest version, by short name.
pub fn list(conn: &Connection) -> Result<Vec<DatasetRow>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{NEWEST} ORDER BY d.slug"))?;
    let rows = statement.query_map([], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One dataset at its newest version.
pub fn get(conn: &Connection, slug: &str) -> Result<Option<DatasetRow>, Failure> {
    Ok(conn.prepare_cached(&format!("{NEWEST} AND d.slug = ?1"))?.query_row([slug], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<DatasetRow> {
    Ok(DatasetRow {
        id: DatasetId(row.get(0)?),
        slug: row.get(1)?,
        name: Bilingual { en: row.get(2)?, zh: row.get(3)? },
        version: DatasetVersionId(row.get(4)?),
        number: row.get(5)?,
        tasks: row.get(6)?,
        human: row.get(7)?,
        tests: row.get(8)?,
        submissions: row.get(9)?,
        imported_at: Timestamp(row.get(10)?),
    })
}

/// What a version says about itself: description, license, source.
pub fn about(conn: &Connection, version: DatasetVersionId) -> Result<Option<(Bilingual, String, String)>, Failure> {
    Ok(conn
        .query_row(
            "SELECT description_en, description_zh, license, source FROM dataset_versions WHERE id = ?1",
            [version.0],
            |row| Ok((Bilingual { en: row.get(0)?, zh: row.get(1)? }, row.get(2)?, row.get(3)?)),
        )
        .optional()?)
}

/// Every version of a dataset, newest first.
pub fn versions(conn: &Connection, dataset: DatasetId) -> Result<Vec<VersionRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT v.id, v.number, v.imported_at,
                (SELECT count(*) FROM dataset_version_tasks t WHERE t.version_id = v.id)
         FROM dataset_versions v WHERE v.dataset_id = ?1 ORDER BY v.number DESC",
    )?;
    let rows = statement.query_map([dataset.0], |row| {
        Ok(VersionRow {
            id: DatasetVersionId(row.get(0)?),
            number: row.get(1)?,
            imported_at: Timestamp(row.get(2)?),
            tasks: row.get(3)?,
            changed: 0,
        })
    })?;
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    for place in 0..rows.len() {
        let before = rows.get(place + 1).map(|row| row.id.0);
        rows[place].changed = changed(conn, rows[place].id.0, before)?;
    }
    Ok(rows)
}

/// How many tasks differ between a version and the one before it: new, changed or gone.
fn changed(conn: &Connection, version: i64, before: Option<i64>) -> Result<u64, Failure> {
    Ok(conn.query_row(
        "WITH a AS (SELECT r.id, r.task_id FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
                    WHERE t.version_id = ?1),
              b AS (SELECT r.id, r.task_id FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
                    WHERE t.version_id = ?2)
         SELECT (SELECT count(*) FROM a WHERE id NOT IN (SELECT id FROM b))
              + (SELECT count(*) FROM b WHERE task_id NOT IN (SELECT task_id FROM a))",
        params![version, before],
        |row| row.get(0),
    )?)
}

/// A version's tasks, in the dataset's order.
pub fn tasks(conn: &Connection, version: DatasetVersionId) -> Result<Vec<TaskRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.id, r.id, t.external_id, r.raw_nl, r.lang, r.signature, r.human, r.tests
         FROM dataset_version_tasks vt
         JOIN task_revisions r ON r.id = vt.revision_id
         JOIN tasks t ON t.id = r.task_id
         WHERE vt.version_id = ?1 ORDER BY vt.position",
    )?;
    let rows = statement.query_map([version.0], task_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A task from the columns `tasks.id, task_revisions.id, external_id, raw_nl, lang, signature, human,
/// tests`, in this order, from the first on.
pub(super) fn task_row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: TaskId(row.get(0)?),
        revision: TaskRevisionId(row.get(1)?),
        task_id: row.get(2)?,
        raw_nl: row.get(3)?,
        lang: parsed(row, 4)?,
        signature: row.get(5)?,
        checks: Checks { human: row.get(6)?, tests: row.get(7)? },
    })
}

fn task_checksum(task: &NewTask) -> String {
    let checks = [u8::from(task.checks.human), u8::from(task.checks.tests)];
    digest([
        task.raw_nl.as_bytes(),
        task.lang.code().as_bytes(),
        task.signature.as_deref().unwrap_or("\0").as_bytes(),
        &checks,
        task.test_class.as_deref().unwrap_or("\0").as_bytes(),
    ])
}

fn version_checksum(prepared: &Prepared, kind: Option<&str>, tree: Option<&str>, rubric_id: i64) -> String {
    let new = &prepared.new;
    let rubric = rubric_id.to_be_bytes();
    let head = [
        new.name.en.as_bytes(),
        new.name.zh.as_bytes(),
        new.description.en.as_bytes(),
        new.description.zh.as_bytes(),
        new.license.as_bytes(),
        kind.unwrap_or("").as_bytes(),
        tree.unwrap_or("").as_bytes(),
        &rubric,
    ];
    let tasks = new.tasks.iter().zip(&prepared.tasks);
    digest(head.into_iter().chain(tasks.flat_map(|(task, sum)| [task.task_id.as_bytes(), sum.as_bytes()])))
}

/// SHA-256 over parts, each with its length before it, so that no two lists of parts run together.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}
