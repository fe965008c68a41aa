//! Datasets: what there is, and storing what an import read.

use std::sync::Arc;

use app::{
    model::{
        dataset::{DatasetDetail, DatasetRow, ImportedDataset},
        ids::DatasetVersionId,
        lang::Lang,
        rubric::Rubric,
    },
    port::{Answer, Caller, Datasets},
};
use async_trait::async_trait;

use crate::{
    db::{
        Db, audit,
        datasets::{self, NewVersion, Prepared},
    },
    error::Failure,
};

/// The service; see the module.
pub struct DatasetService {
    db: Db,
}

impl DatasetService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        DatasetService { db }
    }

    /// Stores what an import read, all of it or nothing. A dataset that says what its newest version
    /// says already is left as it is.
    pub async fn store(
        &self,
        caller: &Caller,
        versions: Vec<NewVersion>,
        rubric: Rubric,
    ) -> Answer<Vec<ImportedDataset>> {
        caller.admin()?;
        // In a task of its own: a browser that hangs up leaves nothing half done.
        let store = store(self.db.clone(), caller.clone(), versions, rubric);
        Ok(audit::spawn(store).await.map_err(Failure::internal)??)
    }
}

/// Stores files and tasks, which nobody sees yet, in many short transactions, and the versions in one.
async fn store(
    db: Db,
    caller: Caller,
    versions: Vec<NewVersion>,
    rubric: Rubric,
) -> Result<Vec<ImportedDataset>, Failure> {
    let prepare = move || versions.into_iter().map(|new| Arc::new(Prepared::of(new))).collect::<Vec<_>>();
    let versions = tokio::task::spawn_blocking(prepare).await.map_err(Failure::internal)?;
    let mut staged = Vec::new();
    for prepared in versions {
        for range in prepared.file_chunks() {
            let prepared = prepared.clone();
            db.write(move |tx| datasets::stage_files(tx, &prepared, range)).await?;
        }
        let mut revisions = Vec::new();
        for range in prepared.task_chunks() {
            let prepared = prepared.clone();
            revisions.extend(db.write(move |tx| datasets::stage_tasks(tx, &prepared, range)).await?);
        }
        staged.push((prepared, revisions));
    }
    db.write(move |tx| {
        let rubric_id = datasets::store_rubric(tx, &rubric)?;
        let each = staged.iter().map(|(prepared, revisions)| {
            let new = &prepared.new;
            let stored = datasets::store(tx, prepared, revisions, rubric_id)?;
            if stored.new {
                let detail = format!("{} version {}", new.slug, stored.number);
                audit::note(tx, &caller, audit::Action::DatasetImport, &detail)?;
            }
            let spoken = |lang: Lang| new.tasks.iter().filter(|task| task.lang == lang).count() as u64;
            Ok(ImportedDataset {
                slug: new.slug.clone(),
                number: stored.number,
                new: stored.new,
                tasks: new.tasks.len() as u64,
                english: spoken(Lang::En),
                chinese: spoken(Lang::Zh),
                changed: stored.changed,
            })
        });
        each.collect::<Result<Vec<_>, Failure>>()
    })
    .await
}

#[async_trait]
impl Datasets for DatasetService {
    async fn list(&self, caller: &Caller) -> Answer<Vec<DatasetRow>> {
        caller.admin()?;
        Ok(self.db.read(datasets::list).await?)
    }

    async fn get(&self, caller: &Caller, slug: &str, version: Option<DatasetVersionId>) -> Answer<DatasetDetail> {
        caller.admin()?;
        let slug = slug.to_owned();
        Ok(self
            .db
            .read(move |conn| {
                let row = datasets::get(conn, &slug)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let versions = datasets::versions(conn, row.id)?;
                let shown = version.unwrap_or(row.version);
                // A version's number in the address must be one of this dataset's.
                if !versions.iter().any(|v| v.id == shown) {
                    return Err(Failure::not_found("version"));
                }
                let (description, license, source) =
                    datasets::about(conn, shown)?.ok_or_else(|| Failure::not_found("version"))?;
                let tasks = datasets::tasks(conn, shown)?;
                Ok(DatasetDetail { row, description, license, source, versions, tasks })
            })
            .await?)
    }
}
