//! Datasets: listing them, and storing what an import read.

use std::sync::Arc;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    conversation::TurnDefect,
    dataset::{DatasetDetail, DatasetRow, ImportedDataset, TaskDefect, TaskRow, TestKind},
    error::Answer,
    ids::{DatasetVersionId, TaskRevisionId},
    lang::Lang,
    page::{PageOf, Paged},
    rubric::Rubric,
};
use port::Datasets;
use rusqlite::Connection;

use base::{background, error::Failure};
use db::{
    Db,
    audit::{self, Change},
    datasets::{self, NewVersion, Prepared},
    rubrics, runs,
};
use formats::codeif;

pub struct DatasetService {
    db: Db,
}

impl DatasetService {
    pub fn new(db: Db) -> Self {
        DatasetService { db }
    }

    /// Stores an import, completely or not at all. A dataset that equals its newest version is left
    /// unchanged.
    pub async fn store(
        &self,
        admin: &Admin,
        versions: Vec<NewVersion>,
        rubric: Rubric,
    ) -> Answer<Vec<ImportedDataset>> {
        // In a task of its own, so that a browser that disconnects does not interrupt it.
        let store = store(self.db.clone(), admin.clone(), versions, rubric);
        Ok(audit::spawn(store).await.map_err(Failure::internal)??)
    }
}

/// Stores hidden files and tasks in many short transactions, and the versions that make them visible in one.
async fn store(
    db: Db,
    admin: Admin,
    versions: Vec<NewVersion>,
    rubric: Rubric,
) -> Result<Vec<ImportedDataset>, Failure> {
    let prepare = move || versions.into_iter().map(|new| Arc::new(Prepared::of(new))).collect::<Vec<_>>();
    let versions = background::run(prepare).await?;
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
    db.write_audited(&admin, Action::DatasetImport, move |tx| {
        let mut entries = Vec::new();
        let rubric_id = rubrics::store(tx, &rubric)?;
        let each = staged.iter().map(|(prepared, revisions)| {
            let new = &prepared.new;
            let stored = datasets::store(tx, prepared, revisions, rubric_id)?;
            if stored.new {
                entries.push((Object::Dataset(new.slug.clone()), vec![Fact::Version(stored.number)]));
            }
            let spoken = |lang: Lang| new.tasks.iter().filter(|task| task.nl_lang == lang).count() as u64;
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
        let imported = each.collect::<Result<Vec<_>, Failure>>()?;
        Ok(Change::each(entries, imported))
    })
    .await
}

/// The defects of a version's data.
fn defects(conn: &Connection, version: DatasetVersionId) -> Result<Vec<TaskDefect>, Failure> {
    if datasets::test_kind(conn, version)? != Some(TestKind::Repositories) {
        return Ok(Vec::new());
    }
    let tasks: Vec<(TaskRevisionId, codeif::Task)> = runs::task_programs(conn, version)?;
    let of_task = |task: codeif::Task| {
        let codeif::Task { task_id, turns, defects, .. } = task;
        let kind = move |turn: u32| turns.get(usize::try_from(turn).ok()?).map(|turn| turn.kind);
        let of = move |defect: TurnDefect| TaskDefect {
            task_id: task_id.clone(),
            instruction: defect.turn.and_then(&kind),
            defect: defect.defect,
        };
        defects.into_iter().map(of).collect::<Vec<_>>()
    };
    Ok(tasks.into_iter().flat_map(|(_, task)| of_task(task)).collect())
}

#[async_trait]
impl Datasets for DatasetService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<DatasetRow>> {
        Ok(self.db.read(move |conn| datasets::list(conn, &of)).await?)
    }

    async fn tasks(
        &self,
        _: &Admin,
        slug: &str,
        version: Option<DatasetVersionId>,
        of: PageOf,
    ) -> Answer<Paged<TaskRow>> {
        let slug = slug.to_owned();
        Ok(self
            .db
            .read(move |conn| {
                let row = datasets::get(conn, &slug)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let version = version.unwrap_or(row.version);
                // A version's number in the address must be one of this dataset's.
                if !datasets::has_version(conn, row.id, version)? {
                    return Err(Failure::not_found("version"));
                }
                datasets::tasks_page(conn, version, &of)
            })
            .await?)
    }

    async fn get(&self, _: &Admin, slug: &str, version: Option<DatasetVersionId>) -> Answer<DatasetDetail> {
        let slug = slug.to_owned();
        Ok(self
            .db
            .read(move |conn| {
                let row = datasets::get(conn, &slug)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let versions = datasets::versions(conn, row.id)?;
                let shown = version.unwrap_or(row.version);
                // A version number in the address must belong to this dataset.
                if !versions.iter().any(|v| v.id == shown) {
                    return Err(Failure::not_found("version"));
                }
                let (description, license, source) =
                    datasets::about(conn, shown)?.ok_or_else(|| Failure::not_found("version"))?;
                let defects = defects(conn, shown)?;
                Ok(DatasetDetail { row, description, license, source, versions, defects })
            })
            .await?)
    }
}
