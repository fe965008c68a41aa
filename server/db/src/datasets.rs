//! Datasets, their versions, tasks and tests.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    code_lang::CodeLang,
    conversation::TaskTurn,
    dataset::{Checks, DatasetRow, TaskRow, TestKind, VersionRow},
    ids::{DatasetId, DatasetVersionId, TaskId, TaskRevisionId},
    lang::Bilingual,
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use super::{
    conversations,
    page::{self, Filter, List, Sort},
    staging,
    stored::{optional_named, parsed, table},
};
use base::{clock, error::Failure};

/// A task to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// The source's own id.
    pub task_id: String,
    /// The description, unchanged.
    pub raw_nl: String,

    pub nl_lang: model::lang::Lang,
    /// The requested signature.
    pub signature: Option<String>,
    /// The requested programming language.
    pub code_lang: CodeLang,
    /// How its outputs are checked.
    pub checks: Checks,
    /// The class with its tests.
    pub test_class: Option<String>,
    /// Its own tests, in the format of the version's test kind.
    pub test_body: Option<String>,
    /// Its turns, if it is a conversation.
    pub turns: Vec<TaskTurn>,
}

/// A dataset version to import.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// Slug of the dataset.
    pub slug: String,
    /// Its displayed name.
    pub name: Bilingual,
    /// Its own description.
    pub description: Bilingual,

    pub license: String,
    /// The source: a name, never a path on the machine.
    pub source: String,
    /// Kind of its tests; absent without tests.
    pub test_kind: Option<TestKind>,
    /// The files of its tests, by relative path.
    pub test_files: BTreeMap<String, Vec<u8>>,
    /// In the dataset's order.
    pub tasks: Vec<NewTask>,
    /// Whether the source has only tasks; the tests and rubric of the newest version are then kept.
    pub bare: bool,
}

/// Result of storing a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The version that is now the newest.
    pub version: DatasetVersionId,

    pub number: u32,
    /// Whether it was created now; otherwise the newest version is identical.
    pub new: bool,
    /// Number of tasks that differ from the previous version.
    pub changed: u64,
}

/// A version with the checksums of its parts, computed outside any transaction.
pub struct Prepared {
    pub new: NewVersion,
    /// The tasks' checksums, in order.
    tasks: Vec<String>,
    /// The test files' checksums, in order.
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

    /// The ends of the chunks in which [`stage_files`] stores test files: each has at most [`staging::ROWS`]
    /// files and about [`staging::BYTES`] bytes, unless a single file has more.
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

/// Stores some test files of a version under their checksums. They are invisible until a version refers to
/// them.
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

/// Stores some tasks of a version as task revisions, and returns the revisions' rows. They are invisible
/// until a version refers to them.
pub fn stage_tasks(conn: &Connection, prepared: &Prepared, range: std::ops::Range<usize>) -> Result<Vec<i64>, Failure> {
    let dataset = dataset_row(conn, &prepared.new.slug)?;
    let tasks = prepared.new.tasks.iter().zip(&prepared.tasks).skip(range.start).take(range.len());
    tasks.map(|(task, checksum)| store_task(conn, dataset, task, checksum)).collect()
}

/// The dataset's row, created if it is missing. A dataset without a version is not listed.
fn dataset_row(conn: &Connection, slug: &str) -> Result<i64, Failure> {
    conn.execute(
        "INSERT INTO datasets (slug, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![slug, clock::now().0],
    )?;
    Ok(conn.query_row("SELECT id FROM datasets WHERE slug = ?1", [slug], |row| row.get(0))?)
}

/// Stores a version, unless the newest one is identical. Its files and tasks are already stored; `revisions`
/// are the rows of the task revisions. Unchanged tasks keep their revision, so their outputs and ratings
/// remain valid; nothing is deleted.
pub fn store(conn: &Connection, prepared: &Prepared, revisions: &[i64], rubric_id: i64) -> Result<Stored, Failure> {
    let now = clock::now().0;
    let new = &prepared.new;
    let dataset = dataset_row(conn, &new.slug)?;
    let newest = newest(conn, dataset)?;
    let mut tree = prepared.tree.clone();
    let mut kind = new.test_kind.map(|kind| kind.name().to_owned());
    let mut rubric_id = rubric_id;
    if let (true, Some(newest)) = (new.bare, &newest) {
        rubric_id = newest.rubric_id;
        kind.clone_from(&newest.test_kind);
        tree.clone_from(&newest.test_tree);
    }
    let content = version_checksum(prepared, kind.as_deref(), tree.as_deref(), rubric_id);
    // The content of an earlier version may return; it becomes a new version with its own checksum.
    let returned = |number: u32| digest([content.as_bytes(), &number.to_be_bytes()]);
    if let Some(newest) = &newest
        && (newest.checksum == content || newest.checksum == returned(newest.number))
    {
        let (version, number) = (DatasetVersionId(newest.id), newest.number);
        return Ok(Stored { version, number, new: false, changed: 0 });
    }
    if tree.is_some() && tree == prepared.tree {
        let stored: usize =
            conn.query_row("SELECT count(*) AS files FROM test_tree_files WHERE tree = ?1", [&tree], |row| {
                row.get("files")
            })?;
        if stored != prepared.files.len() {
            // They were staged, and deleted as those of a deleted dataset.
            return Err(Failure::conflict((
                "Test files of this dataset were deleted during the import. Nothing was imported; start it again.",
                "导入期间该数据集的测试文件被删除，没有导入任何内容，请重新开始。",
            )));
        }
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

/// The parts of a dataset's newest version that the next one is compared with.
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
                    id: row.get("id")?,
                    number: row.get("number")?,
                    checksum: row.get("checksum")?,
                    rubric_id: row.get("rubric_id")?,
                    test_kind: row.get("test_kind")?,
                    test_tree: row.get("test_tree")?,
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
        "INSERT INTO task_revisions (task_id, checksum, raw_nl, nl_lang, signature, human, tests, test_class, code_lang)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        id,
        checksum,
        task.raw_nl,
        task.nl_lang.code(),
        task.signature,
        task.checks.human,
        task.checks.tests,
        task.test_class,
        task.code_lang.code()
    ])?;
    let revision: i64 = conn
        .prepare_cached("SELECT id FROM task_revisions WHERE task_id = ?1 AND checksum = ?2")?
        .query_row(params![id, checksum], |row| row.get(0))?;
    if let Some(body) = &task.test_body {
        conn.prepare_cached("INSERT INTO task_tests (revision_id, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![revision, body])?;
    }
    conversations::store_turns(conn, TaskRevisionId(revision), &task.turns)?;
    Ok(revision)
}

/// The kind of a version's tests. `None` without tests.
pub fn test_kind(conn: &Connection, version: DatasetVersionId) -> Result<Option<TestKind>, Failure> {
    let query = "SELECT id, test_kind FROM dataset_versions WHERE id = ?1";
    let kind =
        |row: &Row<'_>| optional_named(row, table("dataset_versions", &["id"]), "test_kind", TestKind::from_name);
    Ok(conn.query_row(query, [version.0], kind).optional()?.flatten())
}

/// The tests of a task as they are stored.
pub struct TaskTests {
    pub kind: TestKind,
    /// A Java test class, or the JSON of `task_tests`.
    pub text: String,
}

/// The tests of a task, by the newest version of its dataset that has this revision; `None` without tests.
pub fn tests_of_task(conn: &Connection, revision: TaskRevisionId) -> Result<Option<TaskTests>, Failure> {
    let query = "SELECT vt.version_id, v.test_tree, r.test_class, x.body
        FROM task_revisions r
        CROSS JOIN tasks t ON t.id = r.task_id
        CROSS JOIN dataset_versions v ON v.dataset_id = t.dataset_id
        CROSS JOIN dataset_version_tasks vt ON vt.version_id = v.id AND vt.revision_id = r.id
        LEFT JOIN task_tests x ON x.revision_id = r.id
        WHERE r.id = ?1 AND r.tests ORDER BY vt.version_id DESC LIMIT 1";
    type Stored = (i64, Option<String>, Option<String>, Option<String>);
    let read =
        |row: &Row<'_>| Ok((row.get("version_id")?, row.get("test_tree")?, row.get("test_class")?, row.get("body")?));
    let found: Option<Stored> = conn.prepare_cached(query)?.query_row([revision.0], read).optional()?;
    let Some((version, tree, class, body)) = found else { return Ok(None) };
    let Some(kind) = test_kind(conn, DatasetVersionId(version))? else { return Ok(None) };
    let text = match (body, tree, class) {
        (Some(body), ..) => Some(body),
        (None, Some(tree), Some(class)) => {
            let query = "SELECT b.bytes FROM test_tree_files f JOIN blobs b ON b.checksum = f.checksum
                WHERE f.tree = ?1 AND '/' || f.path LIKE '%/' || ?3
                ORDER BY '/' || f.path LIKE '%/' || ?2 DESC LIMIT 1";
            // The file is in the folder of its package, or in none.
            let file = format!("{}.java", class.replace('.', "/"));
            let name = file.rsplit('/').next().unwrap_or_default();
            let bytes: Option<Vec<u8>> =
                conn.prepare_cached(query)?.query_row(params![tree, file, name], |row| row.get(0)).optional()?;
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => None,
    };
    Ok(text.map(|text| TaskTests { kind, text }))
}

/// The sources of the test classes that a version's tasks name, after the tasks' IDs, in the dataset's order; empty where a class
/// has no file. `folder` is that of the sources in the version's files.
pub fn test_class_sources(
    conn: &Connection,
    version: DatasetVersionId,
    folder: &str,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.external_id, coalesce(b.bytes, x'') AS source FROM dataset_version_tasks vt
         CROSS JOIN dataset_versions v ON v.id = vt.version_id
         CROSS JOIN task_revisions r ON r.id = vt.revision_id AND r.tests
         CROSS JOIN tasks t ON t.id = r.task_id
         LEFT JOIN test_tree_files f
             ON f.tree = v.test_tree AND f.path = ?2 || replace(r.test_class, '.', '/') || '.java'
         LEFT JOIN blobs b ON b.checksum = f.checksum
         WHERE vt.version_id = ?1 ORDER BY vt.position",
    )?;
    let rows =
        statement.query_map(params![version.0, folder], |row| Ok((row.get("external_id")?, row.get("source")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The files of a test tree, by path, preceded by its kind.
pub type Tests = (TestKind, BTreeMap<String, Vec<u8>>);

/// The test files of a version. `None` without tests.
pub fn tests(conn: &Connection, version: DatasetVersionId) -> Result<Option<Tests>, Failure> {
    let Some(kind) = test_kind(conn, version)? else { return Ok(None) };
    let query = "SELECT test_tree FROM dataset_versions WHERE id = ?1";
    let Some(tree) = conn.query_row(query, [version.0], |row| row.get::<_, Option<String>>(0))? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(
        "SELECT f.path, b.bytes FROM test_tree_files f JOIN blobs b ON b.checksum = f.checksum WHERE f.tree = ?1",
    )?;
    let files =
        statement.query_map([tree], |row| Ok((row.get("path")?, row.get("bytes")?)))?.collect::<Result<_, _>>()?;
    Ok(Some((kind, files)))
}

const NEWEST: &str = "d.id AS id, d.slug, v.name_en, v.name_zh, v.id AS version, v.number,
        (SELECT count(*) FROM dataset_version_tasks t WHERE t.version_id = v.id) AS tasks,
        (SELECT count(*) FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
         WHERE t.version_id = v.id AND r.human) AS human,
        (SELECT count(*) FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
         WHERE t.version_id = v.id AND r.tests) AS tests,
        (SELECT count(*) FROM submissions s JOIN dataset_versions x ON x.id = s.version_id WHERE x.dataset_id = d.id) AS submissions,
        v.imported_at,
        (SELECT group_concat(DISTINCT r.code_lang) FROM dataset_version_tasks t
         JOIN task_revisions r ON r.id = t.revision_id WHERE t.version_id = v.id) AS code_langs";
const NEWEST_JOIN: &str = "CROSS JOIN dataset_versions v ON v.dataset_id = d.id";
const OF_NEWEST: &str = "v.number = (SELECT max(number) FROM dataset_versions x WHERE x.dataset_id = d.id)";

/// Whether a version has a task that fulfils a condition on its revision, `r`.
macro_rules! has_task {
    ($condition:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM dataset_version_tasks t JOIN task_revisions r ON r.id = t.revision_id
                WHERE t.version_id = v.id AND ",
            $condition,
            ")"
        )
    };
}

/// A page of the datasets that are not archived, at their newest versions, by short name unless asked otherwise.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<DatasetRow>, Failure> {
    let list = List {
        columns: NEWEST,
        table: "datasets d",
        joins: NEWEST_JOIN,
        id: "d.id",
        within: "",
        filter: &format!("{OF_NEWEST} AND d.archived_at IS NULL"),
        sorts: &[Sort::text("name", "d.slug"), Sort::number("added", "d.id")],
        usual: "name",
        search: "d.slug || ' ' || v.name_en || ' ' || v.name_zh",
        filters: &[
            Filter { name: "code_lang", condition: has_task!("r.code_lang = #"), indexed: false },
            Filter {
                name: "check",
                condition: has_task!("CASE # WHEN 'human' THEN r.human WHEN 'tests' THEN r.tests END"),
                indexed: false,
            },
        ],
    };
    page::page(conn, &list, of, &[], row)
}

/// The newest version of one dataset.
pub fn get(conn: &Connection, slug: &str) -> Result<Option<DatasetRow>, Failure> {
    Ok(conn
        .prepare_cached(&format!("SELECT {NEWEST} FROM datasets d {NEWEST_JOIN} WHERE d.slug = ?1 AND {OF_NEWEST}"))?
        .query_row([slug], row)
        .optional()?)
}

/// How many of the listed tasks the newest version of each dataset but `dataset` has: its short name and the number, most
/// tasks first. A task has one or more IDs. Archived datasets and those that have none of the tasks are left out.
pub fn others_with_tasks(
    conn: &Connection,
    dataset: &str,
    tasks: &[Vec<String>],
) -> Result<Vec<(String, u64)>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT d.slug FROM datasets d {NEWEST_JOIN}
         CROSS JOIN tasks k ON k.dataset_id = d.id AND k.external_id = ?1
         WHERE {OF_NEWEST} AND d.archived_at IS NULL AND d.slug <> ?2
           AND EXISTS (SELECT 1 FROM task_revisions r
                       JOIN dataset_version_tasks t ON t.version_id = v.id AND t.revision_id = r.id
                       WHERE r.task_id = k.id)"
    ))?;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for ids in tasks {
        let mut of_task = BTreeSet::new();
        for id in ids {
            of_task.extend(
                statement.query_map([id, dataset], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?,
            );
        }
        for slug in of_task {
            *found.entry(slug).or_default() += 1;
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, known)| std::cmp::Reverse(*known));
    Ok(found)
}

fn row(row: &Row<'_>) -> rusqlite::Result<DatasetRow> {
    let langs = optional_named(row, table("dataset_versions", &["version"]), "code_langs", |codes| {
        codes
            .split(',')
            .map(|code| CodeLang::ALL.into_iter().find(|lang| lang.code() == code))
            .collect::<Option<Vec<_>>>()
    })?;
    let langs = langs.unwrap_or_default();
    Ok(DatasetRow {
        id: DatasetId(row.get("id")?),
        slug: row.get("slug")?,
        name: Bilingual { en: row.get("name_en")?, zh: row.get("name_zh")? },
        version: DatasetVersionId(row.get("version")?),
        number: row.get("number")?,
        tasks: row.get("tasks")?,
        human: row.get("human")?,
        tests: row.get("tests")?,
        code_langs: CodeLang::ALL.into_iter().filter(|lang| langs.contains(lang)).collect(),
        submissions: row.get("submissions")?,
        imported_at: Timestamp(row.get("imported_at")?),
    })
}

/// A version's own description, license and source.
pub fn about(conn: &Connection, version: DatasetVersionId) -> Result<Option<(Bilingual, String, String)>, Failure> {
    Ok(conn
        .query_row(
            "SELECT description_en, description_zh, license, source FROM dataset_versions WHERE id = ?1",
            [version.0],
            |row| {
                Ok((
                    Bilingual { en: row.get("description_en")?, zh: row.get("description_zh")? },
                    row.get("license")?,
                    row.get("source")?,
                ))
            },
        )
        .optional()?)
}

/// Whether the version is one of the dataset's.
pub fn has_version(conn: &Connection, dataset: DatasetId, version: DatasetVersionId) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM dataset_versions WHERE id = ?1 AND dataset_id = ?2";
    Ok(conn.prepare_cached(query)?.exists([version.0, dataset.0])?)
}

/// Every version of a dataset, newest first.
pub fn versions(conn: &Connection, dataset: DatasetId) -> Result<Vec<VersionRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT v.id, v.number, v.imported_at,
                (SELECT count(*) FROM dataset_version_tasks t WHERE t.version_id = v.id) AS tasks
         FROM dataset_versions v WHERE v.dataset_id = ?1 ORDER BY v.number DESC",
    )?;
    let rows = statement.query_map([dataset.0], |row| {
        Ok(VersionRow {
            id: DatasetVersionId(row.get("id")?),
            number: row.get("number")?,
            imported_at: Timestamp(row.get("imported_at")?),
            tasks: row.get("tasks")?,
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

/// Number of tasks that differ between a version and the previous one: new, changed or removed.
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

/// A page of a version's tasks, in the dataset's order unless asked otherwise.
pub fn tasks_page(conn: &Connection, version: DatasetVersionId, of: &PageOf) -> Result<Paged<TaskRow>, Failure> {
    let list = List {
        columns: "t.id AS task, r.id AS revision, t.external_id, r.raw_nl, r.nl_lang, r.signature, r.human, r.tests, r.code_lang",
        table: "dataset_version_tasks vt",
        joins: "CROSS JOIN task_revisions r ON r.id = vt.revision_id CROSS JOIN tasks t ON t.id = r.task_id",
        id: "vt.position",
        within: "vt.version_id = ?3",
        filter: "",
        sorts: &[Sort::number("order", "vt.position")],
        usual: "order",
        search: "t.external_id || ' ' || r.raw_nl || ' ' || coalesce(r.signature, '')",
        filters: &[
            Filter { name: "nl_lang", condition: "r.nl_lang = #", indexed: false },
            Filter { name: "code_lang", condition: "r.code_lang = #", indexed: false },
            Filter {
                name: "check",
                condition: "CASE # WHEN 'human' THEN r.human WHEN 'tests' THEN r.tests END",
                indexed: false,
            },
        ],
    };
    page::page(conn, &list, of, &[&version.0], task_row)
}

/// A version's tasks, in the dataset's order.
pub fn tasks(conn: &Connection, version: DatasetVersionId) -> Result<Vec<TaskRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT t.id AS task, r.id AS revision, t.external_id, r.raw_nl, r.nl_lang, r.signature, r.human, r.tests,
             r.code_lang
         FROM dataset_version_tasks vt
         JOIN task_revisions r ON r.id = vt.revision_id
         JOIN tasks t ON t.id = r.task_id
         WHERE vt.version_id = ?1 ORDER BY vt.position",
    )?;
    let rows = statement.query_map([version.0], task_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A task from the columns `task` and `revision`, their numbers, and `external_id`, `raw_nl`, `nl_lang`, `signature`,
/// `human`, `tests`, `code_lang`.
pub(super) fn task_row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: TaskId(row.get("task")?),
        revision: TaskRevisionId(row.get("revision")?),
        task_id: row.get("external_id")?,
        raw_nl: row.get("raw_nl")?,
        nl_lang: parsed(row, table("task_revisions", &["revision"]), "nl_lang")?,
        signature: row.get("signature")?,
        checks: Checks { human: row.get("human")?, tests: row.get("tests")? },
        code_lang: parsed(row, table("task_revisions", &["revision"]), "code_lang")?,
    })
}

fn task_checksum(task: &NewTask) -> String {
    let checks = [u8::from(task.checks.human), u8::from(task.checks.tests)];
    let mut parts = vec![
        task.raw_nl.as_bytes(),
        task.nl_lang.code().as_bytes(),
        task.signature.as_deref().unwrap_or("\0").as_bytes(),
        &checks,
        task.test_class.as_deref().unwrap_or("\0").as_bytes(),
    ];
    // Left out of a Java task without tests of its own: revisions that are older than these fields keep theirs.
    if task.code_lang != CodeLang::Java || task.test_body.is_some() {
        parts.push(task.code_lang.code().as_bytes());
        parts.push(task.test_body.as_deref().unwrap_or("\0").as_bytes());
    }
    let turns = task.turns.iter().map(|turn| format!("{turn:?}"));
    let turns: Vec<String> = turns.collect();
    parts.extend(turns.iter().map(String::as_bytes));
    digest(parts)
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

/// SHA-256 over parts, each preceded by its length, so that different lists of parts have different bytes.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}
