//! Renaming, archiving and deleting what admins made.

use std::time::Duration;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::Answer,
    upkeep::{Archived, UNDO_MS, Upkeep},
};
use port::upkeep::Upkeeps;
use rusqlite::{Connection, Transaction};

use super::{plans, prune, submissions};
use base::{clock, error::Failure};
use db::{
    Db,
    audit::{self, Change},
    staging::Import,
    upkeep::{self, State},
};
use formats::bundled;

pub struct UpkeepService {
    db: Db,
}

impl UpkeepService {
    pub fn new(db: Db) -> Self {
        UpkeepService { db }
    }

    /// Deletes an object at once. For the command line, which offers no undo.
    ///
    /// # Errors
    ///
    /// As [`Upkeeps::delete`].
    pub async fn delete_now(&self, admin: &Admin, object: Object) -> Result<(), Failure> {
        let import = import(&object);
        self.delete(admin, object).await?;
        let Some(import) = import else { return Ok(()) };
        let db = self.db.clone();
        tokio::task::spawn_blocking(move || db.clear_import(import)).await.map_err(Failure::internal)?
    }

    /// Changes a visible object, in the audit log too.
    async fn change(
        &self,
        admin: &Admin,
        action: Action,
        object: Object,
        work: impl FnOnce(&Transaction<'_>, &State, &Object) -> Result<Vec<Fact>, Failure> + Send + 'static,
    ) -> Answer<()> {
        let changed = move |tx: &Transaction<'_>| {
            let state = visible(tx, &object)?;
            let facts = work(tx, &state, &object)?;
            Ok(Change::of(object, facts, ()))
        };
        Ok(self.db.write_audited(admin, action, changed).await?)
    }
}

#[async_trait]
impl Upkeeps for UpkeepService {
    async fn get(&self, _: &Admin, object: Object) -> Answer<Upkeep> {
        Ok(self
            .db
            .read_long(move |conn| {
                let State { name, archived_at, deleted } = found(conn, &object)?;
                let (in_use, deleted_with) = upkeep::dependents(conn, &object)?;
                let can_rename = !matches!(object, Object::Dataset(_) | Object::Rubric(_));
                let studies = upkeep::studies(conn, &object)?;
                Ok(Upkeep { name, can_rename, archived_at, deleted, in_use, studies, deleted_with })
            })
            .await?)
    }

    async fn archived(&self, _: &Admin) -> Answer<Vec<Archived>> {
        Ok(self.db.read_long(upkeep::archived).await?)
    }

    async fn rename(&self, admin: &Admin, object: Object, name: &str) -> Answer<()> {
        let name = match object {
            Object::Study(_) => plans::checked_title(name)?,
            _ => submissions::checked_model(name)?,
        };
        let rename = move |tx: &Transaction<'_>, old: &State, object: &Object| {
            match object {
                Object::Study(id) => upkeep::set_title(tx, *id, &name)?,
                Object::Submission(id) => upkeep::set_model(tx, *id, &name)?,
                _ => {
                    return Err(Failure::conflict((
                        "Datasets and rubrics keep their short names, because files and programs refer to them.",
                        "数据集和评分标准的短名称不能修改，因为文件和程序会引用它。",
                    )));
                }
            }
            Ok(vec![Fact::OldName(old.name.clone()), Fact::Name(name)])
        };
        self.change(admin, Action::ObjectRename, object, rename).await
    }

    async fn set_archived(&self, admin: &Admin, object: Object, archived: bool) -> Answer<()> {
        let action = if archived { Action::ObjectArchive } else { Action::ObjectUnarchive };
        let set = move |tx: &Transaction<'_>, state: &State, object: &Object| {
            if let (Object::Study(id), true) = (object, archived)
                && !upkeep::is_at_rest(tx, *id)?
            {
                return Err(Failure::conflict((
                    "People can still rate in this study. Close it before you archive it.",
                    "该项目仍在评分中，请先结束再归档。",
                )));
            }
            upkeep::set_archived(tx, object, archived)?;
            Ok(vec![Fact::Name(state.name.clone())])
        };
        self.change(admin, action, object, set).await
    }

    async fn delete(&self, admin: &Admin, object: Object) -> Answer<()> {
        let (is_hidden, is_dataset) = (import(&object).is_some(), matches!(object, Object::Dataset(_)));
        let delete = move |tx: &Transaction<'_>, state: &State, object: &Object| {
            let (in_use, _) = upkeep::dependents(tx, object)?;
            if !in_use.is_empty() {
                return Err(Failure::conflict((
                    "Work refers to it, so it cannot be deleted. Archive it instead.",
                    "已有工作引用该对象，不能删除，请改为归档。",
                )));
            }
            match (object, import(object)) {
                (_, Some(import)) => upkeep::delete(tx, import)?,
                (Object::Rubric(slug), None) => {
                    if bundled::rubric().is_ok_and(|bundled| bundled.slug == *slug) {
                        return Err(Failure::conflict((
                            "The bundled rubric cannot be deleted. Archive it instead.",
                            "内置的评分标准不能删除，请改为归档。",
                        )));
                    }
                    upkeep::delete_rubric(tx, slug)?;
                }
                (Object::Dataset(slug), None) => upkeep::delete_dataset(tx, slug)?,
                _ => return Err(Failure::not_found("object")),
            }
            Ok(vec![Fact::Name(state.name.clone())])
        };
        self.change(admin, Action::ObjectDelete, object, delete).await?;
        if is_dataset {
            let db = self.db.clone();
            // In a task of its own; what it does not get to, `aixgrade prune` deletes.
            let freed = audit::spawn(async move { prune::test_files(&db, false).await });
            freed.await.map_err(Failure::internal)??;
        }
        if is_hidden {
            let db = self.db.clone();
            // If the server stops before, the rows are deleted when it starts again.
            audit::spawn(async move {
                tokio::time::sleep(Duration::from_millis(UNDO_MS.unsigned_abs() + 100)).await;
                let cleared = tokio::task::spawn_blocking(move || db.clear_imports(clock::now())).await;
                if let Err(failure) = cleared.map_err(Failure::internal).and_then(|cleared| cleared) {
                    // The conversion logs it.
                    let _logged = model::error::AppError::from(failure);
                }
            });
        }
        Ok(())
    }

    async fn restore(&self, admin: &Admin, object: Object) -> Answer<()> {
        let restore = move |tx: &Transaction<'_>| {
            let restored = match import(&object) {
                Some(import) => upkeep::restore(tx, import)?,
                None => false,
            };
            if !restored {
                return Err(Failure::conflict((
                    "It is too late: the object is already deleted.",
                    "已超过撤销时限，该对象已被删除。",
                )));
            }
            Ok(Change::of(object, [], ()))
        };
        Ok(self.db.write_audited(admin, Action::ObjectRestore, restore).await?)
    }
}

/// How an object's rows are hidden and deleted; datasets are small enough to be deleted at once.
fn import(object: &Object) -> Option<Import> {
    match object {
        Object::Submission(id) => Some(Import::Submission(id.0)),
        Object::Study(id) => Some(Import::Study(id.0)),
        _ => None,
    }
}

fn found(conn: &Connection, object: &Object) -> Result<State, Failure> {
    upkeep::state(conn, object)?.ok_or_else(|| Failure::not_found("object"))
}

fn visible(conn: &Connection, object: &Object) -> Result<State, Failure> {
    match found(conn, object)? {
        state if state.deleted => Err(Failure::not_found("object")),
        state => Ok(state),
    }
}
