//! Renaming, archiving and deleting what admins made.

use serde::{Deserialize, Serialize};

use super::{audit::Object, ids::StudyId, time::Timestamp};

/// Time in which a deletion can be undone, in milliseconds.
pub const UNDO_MS: i64 = 15_000;

/// An object of an admin's as its upkeep page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Upkeep {
    /// A study's title, the model of a submission, a dataset's or rubric's short name.
    pub name: String,
    /// Whether the name can be changed; a short name cannot, because files and programs refer to it.
    pub can_rename: bool,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    /// Whether it is deleted and this can still be undone.
    pub deleted: bool,
    /// Work and objects that refer to it, which a deletion would lose. If there are any, it cannot be deleted.
    pub in_use: Vec<Dependent>,
    /// The first of the studies among them, with their titles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub studies: Vec<(StudyId, String)>,
    /// Data that a deletion deletes with it.
    pub deleted_with: Vec<Dependent>,
}

/// Objects of one kind that belong to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Dependent {
    /// The kind.
    pub kind: DependentKind,
    /// Their number, at least 1.
    pub count: u64,
}

/// A kind of dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DependentKind {
    /// Collections of outputs.
    Collections,
    /// Datasets.
    Datasets,
    /// Adjudicated scores.
    Adjudications,
    /// Ratings that are started and not submitted.
    Drafts,
    /// Sets of a judge model's scores.
    Judgings,
    /// Items with known scores.
    KnownItems,
    /// Outputs of models.
    Outputs,
    /// Planned ratings.
    PlannedRatings,
    /// Submitted ratings.
    Ratings,
    /// Test runs.
    Runs,
    /// Unfinished test runs.
    RunningRuns,
    /// Studies.
    Studies,
    /// Submissions.
    Submissions,
    /// Tasks, of all versions.
    Tasks,
}

impl Object {
    /// The address of the object's upkeep page; absent for kinds that have none.
    pub fn upkeep_address(&self) -> Option<String> {
        match self {
            Object::Dataset(slug) => Some(format!("/admin/upkeep/dataset/{slug}")),
            Object::Rubric(slug) => Some(format!("/admin/upkeep/rubric/{slug}")),
            Object::Submission(id) => Some(format!("/admin/upkeep/submission/{id}")),
            Object::Study(id) => Some(format!("/admin/upkeep/study/{id}")),
            _ => None,
        }
    }
}

/// An archived object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Archived {
    /// The object in words, such as `study 3`.
    pub object: String,
    /// Its name.
    pub name: String,
    /// When it was archived.
    pub at: Timestamp,
}
