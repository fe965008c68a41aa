//! Renaming, archiving and deleting.

use async_trait::async_trait;

use model::{
    audit::Object,
    upkeep::{Archived, Upkeep},
};
use model::{caller::Admin, error::Answer};

/// Upkeep of datasets, rubrics, submissions and studies. Other kinds of objects are not found.
#[async_trait]
pub trait Upkeeps: Send + Sync {
    /// The object's state, and what refers to it.
    async fn get(&self, admin: &Admin, object: Object) -> Answer<Upkeep>;
    /// Everything archived, newest first.
    async fn archived(&self, admin: &Admin) -> Answer<Vec<Archived>>;
    /// Changes a study's title or a submission's model.
    async fn rename(&self, admin: &Admin, object: Object, name: &str) -> Answer<()>;
    /// Archives an object, or returns it to the lists. A study must be a draft or closed.
    async fn set_archived(&self, admin: &Admin, object: Object, archived: bool) -> Answer<()>;
    /// Deletes an object to which no work refers. Submissions and studies can be restored for
    /// [`UNDO_MS`](model::upkeep::UNDO_MS).
    async fn delete(&self, admin: &Admin, object: Object) -> Answer<()>;
    /// Undoes a deletion.
    async fn restore(&self, admin: &Admin, object: Object) -> Answer<()>;
}
