//! Comparisons of a dataset's models, for admins.

use leptos::prelude::*;

use model::{
    comparison::{ComparedTask, ComparisonView, Selection, TaskFilter, TaskPage},
    error::AppError,
    ids::TaskId,
    slices::{SliceBy, Slices},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// Every figure of a selection.
#[server(prefix = "/rpc", endpoint = "comparison_get", protocol = Call)]
pub async fn comparison_get(selection: Selection) -> Result<ComparisonView, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.get(&admin, selection).await
}

/// The current revision of a selection's data.
#[server(prefix = "/rpc", endpoint = "comparison_revision", protocol = Call)]
pub async fn comparison_revision(selection: Selection) -> Result<String, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.revision(&admin, selection).await
}

/// The tasks of a selection.
#[server(prefix = "/rpc", endpoint = "comparison_tasks", protocol = Call)]
pub async fn comparison_tasks(selection: Selection, filter: TaskFilter) -> Result<TaskPage, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.tasks(&admin, selection, filter).await
}

/// A selection's results by slices of its tasks.
#[server(prefix = "/rpc", endpoint = "comparison_slices", protocol = Call)]
pub async fn comparison_slices(selection: Selection, by: SliceBy) -> Result<Slices, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.slices(&admin, selection, by).await
}

/// One task with the selected models' outputs.
#[server(prefix = "/rpc", endpoint = "comparison_task", protocol = Call)]
pub async fn comparison_task(selection: Selection, filter: TaskFilter, task: TaskId) -> Result<ComparedTask, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.task(&admin, selection, filter, task).await
}
