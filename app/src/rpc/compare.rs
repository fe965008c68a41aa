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

/// Every figure of a choice.
#[server(prefix = "/rpc", endpoint = "compare_get", protocol = Call)]
pub async fn compare_get(choice: Choice) -> Result<Compared, AppError> {
    let (ports, caller) = ports()?;
    ports.comparisons.get(&caller, choice).await
}

/// The current revision of a choice's data.
#[server(prefix = "/rpc", endpoint = "compare_stamp", protocol = Call)]
pub async fn compare_stamp(choice: Choice) -> Result<String, AppError> {
    let (ports, caller) = ports()?;
    ports.comparisons.stamp(&caller, choice).await
}

/// The tasks of a choice.
#[server(prefix = "/rpc", endpoint = "compare_tasks", protocol = Call)]
pub async fn compare_tasks(choice: Choice, filter: TaskFilter) -> Result<TaskPage, AppError> {
    let (ports, caller) = ports()?;
    ports.comparisons.tasks(&caller, choice, filter).await
}

/// One task with the selected models' outputs.
#[server(prefix = "/rpc", endpoint = "compare_task", protocol = Call)]
pub async fn compare_task(choice: Choice, filter: TaskFilter, task: TaskId) -> Result<TaskCompared, AppError> {
    let (ports, caller) = ports()?;
    ports.comparisons.task(&caller, choice, filter, task).await
}
