//! What the comparison's pages ask of the server.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    compare::{Choice, Compared, TaskCompared, TaskFilter, TaskPage},
    ids::{StudyId, TaskId},
};

/// Comparisons of a dataset's models (admin throughout).
#[async_trait]
pub trait Comparisons: Send + Sync {
    /// Every figure of a choice.
    async fn get(&self, caller: &Caller, choice: Choice) -> Answer<Compared>;
    /// A study's own models by its own raters, without tests: what its page shows.
    async fn of_study(&self, caller: &Caller, id: StudyId) -> Answer<Compared>;
    /// What the figures of a choice rest on now: another stamp, newer figures.
    async fn stamp(&self, caller: &Caller, choice: Choice) -> Answer<String>;
    /// The tasks behind a choice, those that the filter lets through, one page.
    async fn tasks(&self, caller: &Caller, choice: Choice, filter: TaskFilter) -> Answer<TaskPage>;
    /// One task with every chosen model's outputs; the filter says what comes before and after it.
    async fn task(&self, caller: &Caller, choice: Choice, filter: TaskFilter, task: TaskId) -> Answer<TaskCompared>;
}
