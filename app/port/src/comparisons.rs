//! Port: comparisons.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    comparison::{ComparedTask, ComparisonView, Selection, StudyComparison, TaskFilter, TaskPage},
    ids::{StudyId, TaskId},
    slices::{SliceBy, Slices},
};

/// Comparisons of a dataset's models, for admins.
#[async_trait]
pub trait Comparisons: Send + Sync {
    /// Every figure of a selection.
    async fn get(&self, admin: &Admin, selection: Selection) -> Answer<ComparisonView>;
    /// What the comparison of a study's models by its raters is about. Computes no figures.
    async fn of_study(&self, admin: &Admin, id: StudyId) -> Answer<StudyComparison>;
    /// The current revision of a selection's data; it changes with the data.
    async fn revision(&self, admin: &Admin, selection: Selection) -> Answer<String>;
    /// A page of the selection's tasks that match the filter.
    async fn tasks(&self, admin: &Admin, selection: Selection, filter: TaskFilter) -> Answer<TaskPage>;
    /// The selection's results by slices of its tasks.
    async fn slices(&self, admin: &Admin, selection: Selection, by: SliceBy) -> Answer<Slices>;
    /// One task with the selected models' outputs; the filter determines its neighbors.
    async fn task(&self, admin: &Admin, selection: Selection, filter: TaskFilter, task: TaskId)
    -> Answer<ComparedTask>;
}
