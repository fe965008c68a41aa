//! Renamed, archived and deleted objects.
//!
//! What must stay true: an object to which work refers is never deleted, and a deleted object is invisible at once.

use model::audit::Object;
use model::{
    ids::{DatasetVersionId, ModelId, StudyId, SubmissionId},
    study::StudyStatus,
    time::Timestamp,
    upkeep::{Archived, Dependent, DependentKind, UNDO_MS},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{imported_ratings::NO_PASSWORD, staging::Import, studies, submissions};
use base::{clock, error::Failure};

/// An object in a list.
#[derive(Clone, Debug)]
pub struct State {
    /// A study's title, a submission's model, a dataset's or rubric's short name.
    pub name: String,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    /// Whether it is deleted, which can be undone.
    pub deleted: bool,
}

/// The state of a dataset, submission or study, also of one whose deletion can be undone.
pub fn state(conn: &Connection, object: &Object) -> Result<Option<State>, Failure> {
    let read = |row: &rusqlite::Row<'_>| {
        Ok(State {
            name: row.get("name")?,
            archived_at: row.get::<_, Option<i64>>("archived_at")?.map(Timestamp),
            deleted: row.get("deleted")?,
        })
    };
    let found = match object {
        Object::Dataset(slug) => conn
            .prepare_cached("SELECT slug AS name, archived_at, 0 AS deleted FROM datasets WHERE slug = ?1")?
            .query_row([slug], read),
        Object::Rubric(slug) => conn
            .prepare_cached(
                "SELECT slug AS name, (SELECT archived_at FROM archived_rubrics WHERE slug = ?1) AS archived_at,
                     0 AS deleted
                 FROM rubrics WHERE slug = ?1 LIMIT 1",
            )?
            .query_row([slug], read),
        Object::Submission(id) => conn
            .prepare_cached(
                "SELECT m.name AS name, s.archived_at, s.deleted_at IS NOT NULL AS deleted
                 FROM all_submissions s JOIN models m ON m.id = s.model_id
                 WHERE s.id = ?1 AND (s.importing_until IS NULL OR s.deleted_at IS NOT NULL)",
            )?
            .query_row([id.0], read),
        Object::Study(id) => conn
            .prepare_cached(
                "SELECT title AS name, archived_at, deleted_at IS NOT NULL AS deleted FROM all_studies
                 WHERE id = ?1 AND (importing_until IS NULL OR deleted_at IS NOT NULL)",
            )?
            .query_row([id.0], read),
        _ => return Ok(None),
    };
    Ok(found.optional()?)
}

/// The work and other objects that refer to the object, and the data that are deleted with it.
#[allow(clippy::too_many_lines, reason = "one query for each kind of dependent")]
pub fn dependents(conn: &Connection, object: &Object) -> Result<(Vec<Dependent>, Vec<Dependent>), Failure> {
    use DependentKind::{
        Adjudications, Collections, Datasets, Drafts, Judgings, KnownItems, Outputs, PlannedRatings, Ratings,
        RunningRuns, Runs, Studies, Submissions, Tasks,
    };
    match object {
        Object::Dataset(slug) => Ok((
            counted(
                conn,
                slug,
                &[
                    (
                        Submissions,
                        "SELECT count(*) FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
                     JOIN all_submissions s ON s.version_id = v.id WHERE d.slug = ?1",
                    ),
                    (
                        Studies,
                        "SELECT count(*) FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
                     JOIN all_studies s ON s.version_id = v.id WHERE d.slug = ?1",
                    ),
                    (
                        Collections,
                        "SELECT count(*) FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
                     JOIN collections c ON c.version_id = v.id WHERE d.slug = ?1",
                    ),
                    (
                        Judgings,
                        "SELECT count(*) FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
                     JOIN all_judgings j ON j.version_id = v.id WHERE d.slug = ?1",
                    ),
                ],
            )?,
            counted(
                conn,
                slug,
                &[(Tasks, "SELECT count(*) FROM datasets d JOIN tasks t ON t.dataset_id = d.id WHERE d.slug = ?1")],
            )?,
        )),
        Object::Rubric(slug) => Ok((
            counted(
                conn,
                slug,
                &[
                    (
                        Studies,
                        "SELECT count(*) FROM rubrics r JOIN all_studies s ON s.rubric_id = r.id WHERE r.slug = ?1",
                    ),
                    (
                        Datasets,
                        "SELECT count(*) FROM datasets d
                     WHERE d.rubric_id IN (SELECT id FROM rubrics WHERE slug = ?1)
                        OR EXISTS (SELECT 1 FROM dataset_versions v JOIN rubrics r ON r.id = v.rubric_id
                            WHERE v.dataset_id = d.id AND r.slug = ?1)",
                    ),
                    (
                        Judgings,
                        "SELECT count(*) FROM rubrics r JOIN all_judgings j ON j.rubric_id = r.id WHERE r.slug = ?1",
                    ),
                ],
            )?,
            Vec::new(),
        )),
        Object::Submission(id) => Ok((
            counted(
                conn,
                id.0,
                &[
                    (Studies, "SELECT count(DISTINCT study_id) FROM study_submissions WHERE submission_id = ?1"),
                    (
                        KnownItems,
                        "SELECT count(*) FROM outputs o JOIN known_items g ON g.output_id = o.id
                     WHERE o.submission_id = ?1",
                    ),
                    (
                        Judgings,
                        "SELECT count(*) FROM (SELECT j.judging_id FROM all_submissions s
                         JOIN all_judgings g ON g.version_id = s.version_id
                         JOIN outputs o ON o.submission_id = s.id
                         JOIN judged_scores j ON j.judging_id = g.id AND j.output_id = o.id
                         -- 0: deleted, and about to be cleared.
                         WHERE s.id = ?1 AND g.importing_until IS NOT 0
                     UNION SELECT c.judging_id FROM collection_submissions s
                         JOIN collections c ON c.id = s.collection_id
                     WHERE s.submission_id = ?1 AND c.judging_id IS NOT NULL)",
                    ),
                    (RunningRuns, "SELECT count(*) FROM runs WHERE submission_id = ?1 AND status = 'running'"),
                ],
            )?,
            counted(
                conn,
                id.0,
                &[
                    (Outputs, "SELECT count(*) FROM outputs WHERE submission_id = ?1"),
                    (Runs, "SELECT count(*) FROM runs WHERE submission_id = ?1"),
                ],
            )?,
        )),
        Object::Study(id) => Ok((
            counted(
                conn,
                id.0,
                &[
                    // Imported ratings can be imported again; the accounts that came with them have no password.
                    (
                        Ratings,
                        &format!(
                            "SELECT count(*) FROM assignments a JOIN users u ON u.id = a.user_id
                     WHERE a.study_id = ?1 AND a.rated_at IS NOT NULL AND u.password_hash <> '{NO_PASSWORD}'"
                        ),
                    ),
                    (Ratings, "SELECT count(*) FROM checks WHERE study_id = ?1 AND rated_at IS NOT NULL"),
                    (
                        // Somebody may be writing what is not saved yet.
                        Drafts,
                        "SELECT count(*) FROM (SELECT output_id, user_id FROM drafts WHERE study_id = ?1
                         UNION SELECT output_id, user_id FROM assignments WHERE study_id = ?1 AND rated_at IS NULL
                             AND leased_until >= CAST(unixepoch('subsec') * 1000 AS INTEGER))",
                    ),
                    (Adjudications, "SELECT count(*) FROM adjudications WHERE study_id = ?1"),
                ],
            )?,
            counted(
                conn,
                id.0,
                &[
                    (PlannedRatings, "SELECT count(*) FROM assignments WHERE study_id = ?1"),
                    (KnownItems, "SELECT count(*) FROM known_items WHERE study_id = ?1"),
                ],
            )?,
        )),
        _ => Ok((Vec::new(), Vec::new())),
    }
}

/// How many studies that refer to an object are named.
const NAMED: u32 = 10;

/// The newest studies that refer to the object, with their titles.
pub fn studies(conn: &Connection, object: &Object) -> Result<Vec<(StudyId, String)>, Failure> {
    let (refer, key): (&str, &dyn rusqlite::ToSql) = match object {
        Object::Dataset(slug) => (
            "SELECT s.id FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
             JOIN studies s ON s.version_id = v.id WHERE d.slug = ?1",
            slug,
        ),
        Object::Rubric(slug) => {
            ("SELECT s.id FROM rubrics r JOIN studies s ON s.rubric_id = r.id WHERE r.slug = ?1", slug)
        }
        Object::Submission(id) => ("SELECT study_id AS id FROM study_submissions WHERE submission_id = ?1", &id.0),
        _ => return Ok(Vec::new()),
    };
    let sql = format!("SELECT id, title FROM studies WHERE id IN ({refer}) ORDER BY id DESC LIMIT {NAMED}");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([key], |row| Ok((StudyId(row.get("id")?), row.get("title")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The results of these queries, added up by kind, without zeros.
fn counted(
    conn: &Connection,
    key: impl rusqlite::ToSql,
    queries: &[(DependentKind, &str)],
) -> Result<Vec<Dependent>, Failure> {
    let mut found = Vec::<Dependent>::new();
    for (kind, query) in queries {
        let count: u64 = conn.prepare_cached(query)?.query_row([&key], |row| row.get(0))?;
        match found.iter_mut().find(|dependent| dependent.kind == *kind) {
            Some(dependent) => dependent.count += count,
            None => found.push(Dependent { kind: *kind, count }),
        }
    }
    found.retain(|dependent| dependent.count > 0);
    Ok(found)
}

/// Everything archived, newest first.
pub fn archived(conn: &Connection) -> Result<Vec<Archived>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT 'dataset ' || slug AS object, slug AS name, archived_at FROM datasets WHERE archived_at IS NOT NULL
         UNION ALL SELECT 'submission ' || s.id, m.name, s.archived_at FROM submissions s
             JOIN models m ON m.id = s.model_id WHERE s.archived_at IS NOT NULL
         UNION ALL SELECT 'rubric ' || slug, slug, archived_at FROM archived_rubrics
         UNION ALL SELECT 'study ' || id, title, archived_at FROM studies WHERE archived_at IS NOT NULL
         ORDER BY archived_at DESC, object",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Archived { object: row.get("object")?, name: row.get("name")?, at: Timestamp(row.get("archived_at")?) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Archives an object, or unarchives it.
pub fn set_archived(conn: &Connection, object: &Object, archived: bool) -> Result<(), Failure> {
    let at = archived.then(|| clock::now().0);
    match object {
        Object::Rubric(slug) if archived => conn.execute(
            "INSERT INTO archived_rubrics (slug, archived_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            params![slug, at],
        ),
        Object::Rubric(slug) => conn.execute("DELETE FROM archived_rubrics WHERE slug = ?1", [slug]),
        Object::Dataset(slug) => {
            conn.execute("UPDATE datasets SET archived_at = ?2 WHERE slug = ?1", params![slug, at])
        }
        Object::Submission(id) => {
            conn.execute("UPDATE all_submissions SET archived_at = ?2 WHERE id = ?1", params![id.0, at])
        }
        Object::Study(id) => conn.execute("UPDATE all_studies SET archived_at = ?2 WHERE id = ?1", params![id.0, at]),
        _ => Ok(0),
    }?;
    Ok(())
}

/// Changes a study's title.
pub fn set_title(conn: &Connection, id: StudyId, title: &str) -> Result<(), Failure> {
    conn.execute("UPDATE all_studies SET title = ?2 WHERE id = ?1", params![id.0, title])?;
    Ok(())
}

/// Gives a submission the model of this name. A model that has only this submission is renamed; otherwise its other
/// submissions keep it. Figures that contain the submission count as outdated.
///
/// # Errors
///
/// Fails if the same file is a submission of that model already.
pub fn set_model(conn: &Connection, id: SubmissionId, name: &str) -> Result<(), Failure> {
    let (old, version, checksum): (i64, i64, String) =
        conn.query_row("SELECT model_id, version_id, checksum FROM all_submissions WHERE id = ?1", [id.0], |row| {
            Ok((row.get("model_id")?, row.get("version_id")?, row.get("checksum")?))
        })?;
    let others: u64 =
        conn.query_row("SELECT count(*) FROM all_submissions WHERE model_id = ?1 AND id <> ?2", [old, id.0], |row| {
            row.get(0)
        })?;
    let named: Option<i64> =
        conn.query_row("SELECT id FROM models WHERE name = ?1", [name], |row| row.get(0)).optional()?;
    if others == 0 && named.is_none_or(|model| model == old) {
        conn.execute("UPDATE models SET name = ?2 WHERE id = ?1", params![old, name])?;
    } else {
        let model: ModelId = submissions::model(conn, name)?;
        if let Some(same) =
            submissions::imported(conn, DatasetVersionId(version), model, &checksum)?.filter(|s| *s != id)
        {
            return Err(Failure::conflict((
                format!("The same file is already submission {same} of {name}."),
                format!("同一文件已作为 {name} 的输出集 {same} 导入。"),
            )));
        }
        conn.execute("UPDATE all_submissions SET model_id = ?2 WHERE id = ?1", params![id.0, model.0])?;
    }
    conn.execute(
        "UPDATE study_revisions SET revision = revision + 1
         WHERE study_id IN (SELECT study_id FROM study_submissions WHERE submission_id = ?1)",
        [id.0],
    )?;
    conn.execute(
        "UPDATE run_revisions SET revision = revision + 1 WHERE run_id IN (SELECT id FROM runs WHERE submission_id = ?1)",
        [id.0],
    )?;
    Ok(())
}

/// Whether a study is neither running nor paused.
pub fn is_at_rest(conn: &Connection, id: StudyId) -> Result<bool, Failure> {
    let status = studies::get(conn, id)?.map(|study| study.status);
    Ok(matches!(status, Some(StudyStatus::Draft | StudyStatus::Closed)))
}

/// Hides a submission or study. [`restore`] undoes it until [`super::staging::clear`] deletes its rows.
pub fn delete(conn: &Connection, import: Import) -> Result<(), Failure> {
    let (table, id) = import.parts();
    let now = clock::now().0;
    conn.execute(
        &format!("UPDATE {table} SET deleted_at = ?2, importing_until = ?3 WHERE id = ?1 AND importing_until IS NULL"),
        params![id, now, now + UNDO_MS],
    )?;
    Ok(())
}

/// Undoes a deletion; returns whether its rows still exist.
pub fn restore(conn: &Connection, import: Import) -> Result<bool, Failure> {
    let (table, id) = import.parts();
    let now = clock::now().0;
    let changed = conn.execute(
        &format!(
            "UPDATE {table} SET deleted_at = NULL, importing_until = NULL
             WHERE id = ?1 AND deleted_at IS NOT NULL AND importing_until >= ?2"
        ),
        params![id, now],
    )?;
    Ok(changed > 0)
}

/// Deletes every version of a rubric to which nothing refers.
pub fn delete_rubric(conn: &Connection, slug: &str) -> Result<(), Failure> {
    conn.execute("DELETE FROM rubrics WHERE slug = ?1", [slug])?;
    conn.execute("DELETE FROM archived_rubrics WHERE slug = ?1", [slug])?;
    Ok(())
}

/// Deletes a dataset without submissions, studies and judgings.
pub fn delete_dataset(conn: &Connection, slug: &str) -> Result<(), Failure> {
    const REVISIONS: &str = "SELECT r.id FROM datasets d JOIN tasks t ON t.dataset_id = d.id
        JOIN task_revisions r ON r.task_id = t.id WHERE d.slug = ?1";
    for query in [
        "DELETE FROM dataset_version_tasks WHERE version_id IN (
             SELECT v.id FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id WHERE d.slug = ?1)",
        &format!("DELETE FROM task_turns WHERE revision_id IN ({REVISIONS})"),
        &format!("DELETE FROM task_tests WHERE revision_id IN ({REVISIONS})"),
        &format!("DELETE FROM task_revisions WHERE id IN ({REVISIONS})"),
        "DELETE FROM tasks WHERE dataset_id = (SELECT id FROM datasets WHERE slug = ?1)",
        "DELETE FROM dataset_guidelines WHERE dataset_id = (SELECT id FROM datasets WHERE slug = ?1)",
        "DELETE FROM dataset_versions WHERE dataset_id = (SELECT id FROM datasets WHERE slug = ?1)",
        "DELETE FROM datasets WHERE slug = ?1",
    ] {
        conn.execute(query, [slug])?;
    }
    Ok(())
}
