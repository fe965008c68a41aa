//! Comparisons of a dataset's models, for admins.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        compare::{Choice, Compared, TaskCompared, TaskFilter, TaskPage},
        ids::TaskId,
    },
};

/// Every figure of a selection.
#[server(prefix = "/rpc", endpoint = "compare_get", protocol = Call)]
pub async fn compare_get(choice: Choice) -> Result<Compared, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.get(&admin, choice).await
}

/// The current revision of a selection's data.
#[server(prefix = "/rpc", endpoint = "compare_stamp", protocol = Call)]
pub async fn compare_stamp(choice: Choice) -> Result<String, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.stamp(&admin, choice).await
}

/// The tasks of a selection.
#[server(prefix = "/rpc", endpoint = "compare_tasks", protocol = Call)]
pub async fn compare_tasks(choice: Choice, filter: TaskFilter) -> Result<TaskPage, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.tasks(&admin, choice, filter).await
}

/// One task with the selected models' outputs.
#[server(prefix = "/rpc", endpoint = "compare_task", protocol = Call)]
pub async fn compare_task(choice: Choice, filter: TaskFilter, task: TaskId) -> Result<TaskCompared, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.task(&admin, choice, filter, task).await
}
