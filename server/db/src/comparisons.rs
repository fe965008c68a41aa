//! Queries of comparisons: the ratings that count, verdicts, and the revisions that detect changes of
//! either.
//!
//! What must stay true: `counted` contains exactly the ratings that are not replaced, with all their
//! scores. Triggers maintain it; a test compares it with the ratings.

use std::collections::BTreeSet;

use model::{
    comparison::{Options, RunOption, Selection, StudyOption},
    ids::{ModelId, OutputId, RunId, StudyId, TaskRevisionId, UserId},
    lang::Bilingual,
    run::Verdict,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    groups,
    stored::{named, table},
};
use base::error::Failure;

/// The options of a dataset's selection, or `None` if the dataset does not exist.
pub fn options(conn: &Connection, dataset: &str) -> Result<Option<Options>, Failure> {
    let name = conn
        .prepare_cached(
            "SELECT v.name_en, v.name_zh FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
             WHERE d.slug = ?1 ORDER BY v.number DESC LIMIT 1",
        )?
        .query_row([dataset], |row| Ok(Bilingual { en: row.get("name_en")?, zh: row.get("name_zh")? }))
        .optional()?;
    let Some(name) = name else { return Ok(None) };
    let models: Vec<(ModelId, String, bool)> = conn
        .prepare_cached(
            "SELECT m.id, m.name, min(s.archived_at IS NOT NULL) AS all_archived
             FROM submissions s JOIN models m ON m.id = s.model_id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             WHERE d.slug = ?1 GROUP BY m.id ORDER BY min(s.id)",
        )?
        .query_map([dataset], |row| Ok((ModelId(row.get("id")?), row.get("name")?, row.get("all_archived")?)))?
        .collect::<Result<_, _>>()?;
    let archived_models = models.iter().filter(|(.., archived)| *archived).map(|(id, ..)| *id).collect();
    let models: Vec<(ModelId, String)> = models.into_iter().map(|(id, name, _)| (id, name)).collect();
    let studies = conn
        .prepare_cached(
            "SELECT s.id, s.title, r.slug || ' ' || r.version AS rubric, coalesce(k.ratings, 0) AS ratings, s.status <> 'closed' AS open,
                s.archived_at IS NOT NULL AS archived
             FROM studies s JOIN rubrics r ON r.id = s.rubric_id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             LEFT JOIN study_revisions k ON k.study_id = s.id
             WHERE d.slug = ?1 ORDER BY s.id DESC",
        )?
        .query_map([dataset], |row| {
            Ok(StudyOption {
                id: StudyId(row.get("id")?),
                title: row.get("title")?,
                rubric: row.get("rubric")?,
                ratings: row.get("ratings")?,
                open: row.get("open")?,
                archived: row.get("archived")?,
            })
        })?
        .collect::<Result<_, _>>()?;
    let runs = conn
        .prepare_cached(
            "SELECT u.id, s.model_id, coalesce(k.done, 0) AS done, u.status = 'running' AS open,
                s.archived_at IS NOT NULL AS archived
             FROM runs u JOIN submissions s ON s.id = u.submission_id
             LEFT JOIN run_revisions k ON k.run_id = u.id
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             WHERE d.slug = ?1 ORDER BY u.id DESC",
        )?
        .query_map([dataset], |row| {
            Ok(RunOption {
                id: RunId(row.get("id")?),
                model: ModelId(row.get("model_id")?),
                done: row.get("done")?,
                open: row.get("open")?,
                archived: row.get("archived")?,
            })
        })?
        .collect::<Result<_, _>>()?;
    let raters: Vec<(UserId, String)> = conn
        .prepare_cached(
            "SELECT DISTINCT u.id, u.name FROM studies s
             JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
             JOIN study_raters m ON m.study_id = s.id JOIN users u ON u.id = m.user_id
             WHERE d.slug = ?1 ORDER BY u.name",
        )?
        .query_map([dataset], |row| Ok((UserId(row.get("id")?), row.get("name")?)))?
        .collect::<Result<_, rusqlite::Error>>()?;
    let with_data = super::results::with_data(conn, dataset)?;
    let empty = models.iter().map(|(id, _)| *id).filter(|id| !with_data.contains(id)).collect();
    let groups = groups::of(conn, &raters)?;
    Ok(Some(Options { name, models, archived_models, empty, studies, runs, raters, groups }))
}

/// Changes with every rating and verdict of the selection, and with nothing else. The selection must be
/// fully resolved.
pub fn revision(conn: &Connection, selection: &Selection) -> Result<String, Failure> {
    let mut words = Vec::new();
    let mut study = conn.prepare_cached("SELECT revision FROM study_revisions WHERE study_id = ?1")?;
    for id in selection.studies.iter().flatten() {
        let revision: Option<i64> = study.query_row([id.0], |row| row.get(0)).optional()?;
        words.push(format!("s{id}.{}", revision.unwrap_or(0)));
    }
    let mut run = conn.prepare_cached("SELECT revision FROM run_revisions WHERE run_id = ?1")?;
    for id in selection.runs.iter().flatten() {
        let revision: Option<i64> = run.query_row([id.0], |row| row.get(0)).optional()?;
        words.push(format!("r{id}.{}", revision.unwrap_or(0)));
    }
    // Imported scores never change; those of a running judging do, and one may be deleted.
    let (count, last, changes): (i64, i64, i64) = conn
        .prepare_cached(
            "SELECT count(*) AS n, coalesce(max(j.id), 0) AS last, coalesce(sum(j.revision), 0) AS changes
             FROM judgings j JOIN dataset_versions v ON v.id = j.version_id
             JOIN datasets d ON d.id = v.dataset_id WHERE d.slug = ?1",
        )?
        .query_row([&selection.dataset], |row| Ok((row.get("n")?, row.get("last")?, row.get("changes")?)))?;
    if count > 0 {
        words.push(format!("j{count}.{last}.{changes}"));
    }
    Ok(words.join(" "))
}

/// Outputs of the selected models for one task.
pub struct TaskOutput {
    pub id: OutputId,
    /// Index of the model in the selection.
    pub model: usize,
    /// Counts from 0.
    pub sample: u32,

    pub code: String,
    /// The text around the code in a chat response.
    pub surrounding_text: String,
}

/// The outputs of one task in the selected studies and runs.
pub fn task_outputs(
    conn: &Connection,
    selection: &Selection,
    revisions: &[TaskRevisionId],
) -> Result<Vec<TaskOutput>, Failure> {
    let mut submissions: BTreeSet<i64> = BTreeSet::new();
    let mut of_study = conn.prepare_cached("SELECT submission_id FROM study_submissions WHERE study_id = ?1")?;
    for study in selection.studies.iter().flatten() {
        for id in of_study.query_map([study.0], |row| row.get::<_, i64>(0))? {
            submissions.insert(id?);
        }
    }
    let mut of_run = conn.prepare_cached("SELECT submission_id FROM runs WHERE id = ?1")?;
    for run in selection.runs.iter().flatten() {
        submissions.extend(of_run.query_row([run.0], |row| row.get::<_, i64>(0)).optional()?);
    }
    let mut found = Vec::new();
    let mut statement = conn.prepare_cached(
        "SELECT o.id, s.model_id, o.sample, o.visible_code AS code, o.surrounding_text FROM outputs o JOIN submissions s ON s.id = o.submission_id
         WHERE o.submission_id = ?1 AND o.revision_id = ?2 ORDER BY o.sample",
    )?;
    for submission in submissions {
        for revision in revisions {
            let mut rows = statement.query(params![submission, revision.0])?;
            while let Some(row) = rows.next()? {
                let model = ModelId(row.get("model_id")?);
                let Some(model) = selection.models.iter().flatten().position(|id| *id == model) else { continue };
                found.push(TaskOutput {
                    id: OutputId(row.get("id")?),
                    model,
                    sample: row.get("sample")?,
                    code: row.get("code")?,
                    surrounding_text: row.get("surrounding_text")?,
                });
            }
        }
    }
    found.sort_by_key(|output| (output.model, output.sample, output.id));
    Ok(found)
}

/// The result of an output in a run.
pub fn verdict(conn: &Connection, run: RunId, output: OutputId) -> Result<Option<(Verdict, u32, u32)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT id, verdict, passed, total FROM run_items WHERE run_id = ?1 AND output_id = ?2 AND state = 'done'",
        )?
        .query_row(params![run.0, output.0], |row| {
            let verdict = named(row, table("run_items", &["id"]), "verdict", Verdict::from_name)?;
            Ok((verdict, row.get("passed")?, row.get("total")?))
        })
        .optional()?)
}

/// The cached figures with this key.
pub fn cached_figures(conn: &Connection, key: &str) -> Result<Option<Vec<u8>>, Failure> {
    Ok(conn.prepare_cached("SELECT json FROM figures WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()?)
}

/// Caches figures under a key, replacing older ones of the same selection.
pub fn cache_figures(conn: &Connection, key: &str, selection: &str, json: &[u8], now: i64) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM figures WHERE selection = ?1")?.execute([selection])?;
    conn.prepare_cached("INSERT INTO figures (key, selection, json, computed_at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, selection, json, now])?;
    // Selections that are no longer used do not accumulate.
    conn.prepare_cached(
        "DELETE FROM figures WHERE key IN (SELECT key FROM figures ORDER BY computed_at DESC LIMIT -1 OFFSET 200)",
    )?
    .execute([])?;
    Ok(())
}
