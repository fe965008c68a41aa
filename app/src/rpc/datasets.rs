//! Datasets. Files are imported by `server/src/http/upload.rs`.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        dataset::{DatasetDetail, DatasetRow},
        ids::DatasetVersionId,
    },
};

/// Every dataset.
#[server(prefix = "/rpc", endpoint = "datasets", protocol = Call)]
pub async fn datasets() -> Result<Vec<DatasetRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.datasets.list(&caller).await
}

/// One dataset with its tasks.
#[server(prefix = "/rpc", endpoint = "dataset", protocol = Call)]
pub async fn dataset(slug: String, version: Option<DatasetVersionId>) -> Result<DatasetDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.datasets.get(&caller, &slug, version).await
}
