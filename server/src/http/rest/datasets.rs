//! Datasets.

use app::{
    model::{
        dataset::{DatasetRow, ImportReport, TaskRow, VersionRow},
        ids::DatasetVersionId,
        lang::Bilingual,
    },
    port::Datasets,
};
use axum::{Extension, Json, body::Body, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Out, Who,
    input::{Asked, At, FileName, receive},
    paging::{Page, PageParams, Paging},
};
use crate::state::AppState;

/// Selects a version of a dataset.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Version {
    /// Id of the version; default: the newest.
    version: Option<DatasetVersionId>,
}

/// A dataset without its tasks.
#[derive(Serialize, ToSchema)]
pub struct Dataset {
    /// The list's row.
    row: DatasetRow,
    /// What the dataset says about itself.
    description: Bilingual,
    /// Its license, as its source names it.
    license: String,
    /// Where it was read from.
    source: String,
    /// Every version, newest first.
    versions: Vec<VersionRow>,
}

/// List datasets
#[utoipa::path(get, path = "/datasets", tag = "datasets", params(PageParams), security(("token" = ["read"])),
    responses((status = 200, description = "By name", body = Page<DatasetRow>)))]
pub async fn list_datasets(State(state): State<AppState>, Extension(who): Who, page: Paging) -> Out<Page<DatasetRow>> {
    Ok(Json(page.cut(state.services.datasets.list(&who).await?, |row| row.slug.clone())?))
}

/// Get a dataset
#[utoipa::path(get, path = "/datasets/{slug}", tag = "datasets", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"), Version),
    responses((status = 200, description = "The dataset", body = Dataset)))]
pub async fn get_dataset(
    State(state): State<AppState>,
    Extension(who): Who,
    At(slug): At<String>,
    Asked(asked): Asked<Version>,
) -> Out<Dataset> {
    let found = state.services.datasets.get(&who, &slug, asked.version).await?;
    let (row, description) = (found.row, found.description);
    Ok(Json(Dataset { row, description, license: found.license, source: found.source, versions: found.versions }))
}

/// List a dataset's tasks
#[utoipa::path(get, path = "/datasets/{slug}/tasks", tag = "datasets", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"), Version, PageParams),
    responses((status = 200, description = "In the dataset's order", body = Page<TaskRow>)))]
pub async fn list_dataset_tasks(
    State(state): State<AppState>,
    Extension(who): Who,
    At(slug): At<String>,
    Asked(asked): Asked<Version>,
    page: Paging,
) -> Out<Page<TaskRow>> {
    let found = state.services.datasets.get(&who, &slug, asked.version).await?;
    Ok(Json(page.cut(found.tasks, |task| task.revision.to_string())?))
}

/// Import datasets
///
/// The body is the file: an archive (`.zip`, `.tar.gz`) of an AixBench checkout or of a dataset in
/// AixGrade's own format, or one of its files. Imports everything or nothing. Existing tasks stay
/// as they are, so importing twice is harmless.
#[utoipa::path(post, path = "/imports", tag = "datasets", params(FileName), security(("token" = ["write:data"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 200, description = "What was found and taken", body = ImportReport)))]
pub async fn import_datasets(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(asked): Asked<FileName>,
    body: Body,
) -> Out<ImportReport> {
    let held = receive(&state, &asked.file, body).await?.hold().await?;
    Ok(Json(state.services.imports.sent(&who, vec![held]).await?))
}
