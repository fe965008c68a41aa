//! Datasets. Files are imported by `server/web/src/upload.rs`.

use leptos::prelude::*;

use model::{
    dataset::{DatasetDetail, DatasetRow, TaskRow},
    error::AppError,
    ids::DatasetVersionId,
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the datasets.
#[server(prefix = "/rpc", endpoint = "datasets", protocol = Call)]
pub async fn datasets(#[server(default)] page: PageOf) -> Result<Paged<DatasetRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.datasets.list(&admin, page).await
}

/// One dataset without its tasks.
#[server(prefix = "/rpc", endpoint = "dataset", protocol = Call)]
pub async fn dataset(slug: String, version: Option<DatasetVersionId>) -> Result<DatasetDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.datasets.get(&admin, &slug, version).await
}

/// A page of a dataset's tasks, of its newest version if none is named.
#[server(prefix = "/rpc", endpoint = "dataset_tasks", protocol = Call)]
pub async fn dataset_tasks(
    slug: String,
    version: Option<DatasetVersionId>,
    #[server(default)] page: PageOf,
) -> Result<Paged<TaskRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.datasets.tasks(&admin, &slug, version, page).await
}
