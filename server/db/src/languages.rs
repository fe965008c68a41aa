//! Queries about HumanEval-X over its languages.

use model::ids::{ModelId, RunId};
use rusqlite::Connection;

use base::error::Failure;

/// The short names of the datasets of this kind of tests in any version.
pub fn datasets(conn: &Connection, kind: &str) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT d.slug FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id
         WHERE v.test_kind = ?1 ORDER BY d.slug",
    )?;
    let rows = statement.query_map([kind], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A run with a verdict.
pub struct NewestRun {
    pub run: RunId,
    pub model: ModelId,
    /// The model's name.
    pub name: String,
    /// Increases with every verdict.
    pub revision: i64,
}

/// The newest run with a verdict of each model in a dataset.
pub fn newest_runs(conn: &Connection, dataset: &str) -> Result<Vec<NewestRun>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, m.id AS model, m.name, k.revision
         FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id JOIN submissions s ON s.version_id = v.id
         JOIN models m ON m.id = s.model_id JOIN runs u ON u.submission_id = s.id
         JOIN run_revisions k ON k.run_id = u.id AND k.done > 0
         WHERE d.slug = ?1 ORDER BY u.id DESC",
    )?;
    let rows = statement.query_map([dataset], |row| {
        Ok(NewestRun {
            run: RunId(row.get("id")?),
            model: ModelId(row.get("model")?),
            name: row.get("name")?,
            revision: row.get("revision")?,
        })
    })?;
    let mut newest: Vec<NewestRun> = Vec::new();
    for run in rows {
        let run = run?;
        if newest.iter().all(|known| known.model != run.model) {
            newest.push(run);
        }
    }
    Ok(newest)
}
