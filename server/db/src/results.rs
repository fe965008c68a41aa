//! Data of the leaderboard and of a model's page that comparisons do not have.

use std::collections::{HashMap, HashSet};

use model::{
    ids::{ModelId, RunId, StudyId, SubmissionId},
    lang::Bilingual,
    results::ModelSubmission,
    run::RunStatus,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{runs::RUNS, stored::named};
use base::error::Failure;

/// Short name and newest name of every dataset that has outputs, by short name.
pub fn datasets(conn: &Connection) -> Result<Vec<(String, Bilingual)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT d.slug, v.name_en, v.name_zh FROM datasets d
         CROSS JOIN dataset_versions v ON v.dataset_id = d.id
             AND v.number = (SELECT max(number) FROM dataset_versions x WHERE x.dataset_id = d.id)
         WHERE EXISTS (SELECT 1 FROM dataset_versions x CROSS JOIN submissions s ON s.version_id = x.id
             WHERE x.dataset_id = d.id)
         ORDER BY d.slug",
    )?;
    let found = statement
        .query_map([], |row| Ok((row.get("slug")?, Bilingual { en: row.get("name_en")?, zh: row.get("name_zh")? })))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The dataset's models with a rating that counts or a verdict.
pub fn with_data(conn: &Connection, dataset: &str) -> Result<HashSet<ModelId>, Failure> {
    let mut found = HashSet::new();
    let mut tested = conn.prepare_cached(
        "SELECT DISTINCT s.model_id FROM runs u JOIN submissions s ON s.id = u.submission_id
         JOIN run_revisions k ON k.run_id = u.id AND k.done > 0
         JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id WHERE d.slug = ?1",
    )?;
    for model in tested.query_map([dataset], |row| row.get(0).map(ModelId))? {
        found.insert(model?);
    }
    // A submission's first rated output answers for it; only one without ratings is looked through.
    let mut rated = conn.prepare_cached(
        "SELECT DISTINCT s.model_id FROM studies t
         JOIN dataset_versions v ON v.id = t.version_id JOIN datasets d ON d.id = v.dataset_id
         JOIN study_revisions k ON k.study_id = t.id AND k.ratings > 0
         JOIN study_submissions ss ON ss.study_id = t.id JOIN submissions s ON s.id = ss.submission_id
         WHERE d.slug = ?1 AND EXISTS (SELECT 1 FROM outputs o CROSS JOIN counted c
             WHERE o.submission_id = s.id AND c.study_id = t.id AND c.output_id = o.id)",
    )?;
    for model in rated.query_map([dataset], |row| row.get(0).map(ModelId))? {
        found.insert(model?);
    }
    Ok(found)
}

/// The time of each model's newest rating in these studies.
pub fn rated_at(conn: &Connection, studies: &[StudyId]) -> Result<HashMap<ModelId, Timestamp>, Failure> {
    let mut newest = conn.prepare_cached(
        "SELECT s.model_id, max(c.rating_id) AS newest FROM counted c CROSS JOIN outputs o ON o.id = c.output_id
         CROSS JOIN submissions s ON s.id = o.submission_id WHERE c.study_id = ?1 GROUP BY s.model_id",
    )?;
    let mut at = conn.prepare_cached("SELECT at FROM ratings WHERE id = ?1")?;
    let mut found: HashMap<ModelId, Timestamp> = HashMap::new();
    for study in studies {
        let mut rows = newest.query([study.0])?;
        while let Some(row) = rows.next()? {
            let at = Timestamp(at.query_row([row.get::<_, i64>("newest")?], |row| row.get(0))?);
            let known = found.entry(ModelId(row.get("model_id")?)).or_insert(at);
            *known = (*known).max(at);
        }
    }
    Ok(found)
}

/// When each run ended, or began if it is still open.
pub fn run_times(conn: &Connection, runs: &[RunId]) -> Result<HashMap<RunId, Timestamp>, Failure> {
    let mut statement = conn.prepare_cached("SELECT coalesce(finished_at, created_at) FROM runs WHERE id = ?1")?;
    let mut found = HashMap::new();
    for run in runs {
        if let Some(at) = statement.query_row([run.0], |row| row.get(0).map(Timestamp)).optional()? {
            found.insert(*run, at);
        }
    }
    Ok(found)
}

/// A model's name.
pub fn model_name(conn: &Connection, model: ModelId) -> Result<Option<String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT name FROM models WHERE id = ?1")?;
    Ok(statement.query_row([model.0], |row| row.get(0)).optional()?)
}

/// Short names of the datasets that a model has outputs for, in order.
pub fn datasets_of(conn: &Connection, model: ModelId) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT d.slug FROM submissions s JOIN dataset_versions v ON v.id = s.version_id
         JOIN datasets d ON d.id = v.dataset_id WHERE s.model_id = ?1 ORDER BY d.slug",
    )?;
    let found = statement.query_map([model.0], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The other models with outputs for any of the datasets that this model has outputs for.
pub fn others(conn: &Connection, model: ModelId) -> Result<Vec<(ModelId, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT m.id, m.name FROM submissions own JOIN dataset_versions v ON v.id = own.version_id
         JOIN dataset_versions x ON x.dataset_id = v.dataset_id JOIN submissions s ON s.version_id = x.id
         JOIN models m ON m.id = s.model_id WHERE own.model_id = ?1 AND s.model_id <> ?1",
    )?;
    let found = statement.query_map([model.0], |row| Ok((ModelId(row.get("id")?), row.get("name")?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// A model's submissions for one dataset, newest first.
pub fn submissions(conn: &Connection, model: ModelId, dataset: &str) -> Result<Vec<ModelSubmission>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.file_name, s.created_at, v.number,
             (SELECT count(*) FROM outputs o WHERE o.submission_id = s.id) AS outputs
         FROM submissions s JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
         WHERE s.model_id = ?1 AND d.slug = ?2 ORDER BY s.id DESC",
    )?;
    let mut runs = conn.prepare_cached("SELECT id, status FROM runs WHERE submission_id = ?1 ORDER BY id DESC")?;
    let mut studies = conn.prepare_cached(
        "SELECT t.id, t.title FROM study_submissions ss JOIN studies t ON t.id = ss.study_id
         WHERE ss.submission_id = ?1 ORDER BY t.id DESC",
    )?;
    let mut found = Vec::new();
    let mut rows = statement.query(params![model.0, dataset])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get("id")?;
        let runs =
            runs.query_map([id], |row| Ok((RunId(row.get("id")?), named(row, RUNS, "status", RunStatus::from_name)?)))?;
        let runs = runs.collect::<Result<_, _>>()?;
        let studies = studies.query_map([id], |row| Ok((StudyId(row.get("id")?), row.get("title")?)))?;
        let studies = studies.collect::<Result<_, _>>()?;
        found.push(ModelSubmission {
            id: SubmissionId(id),
            file: row.get("file_name")?,
            at: Timestamp(row.get("created_at")?),
            version: row.get("number")?,
            outputs: row.get("outputs")?,
            runs,
            studies,
        });
    }
    Ok(found)
}
