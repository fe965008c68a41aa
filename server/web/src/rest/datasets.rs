//! Datasets.

use axum::{Json, body::Body, extract::State};
use model::{
    caller::Admin,
    dataset::{DatasetRow, ImportReport, TaskRow, VersionRow},
    ids::DatasetVersionId,
    lang::Bilingual,
};
use port::Datasets;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    JsonResult,
    input::{FileName, PathParams, QueryParams, receive},
    paging::{ListParams, Page, Paging},
};
use crate::{session::Authorized, state::AppState};
use services::imports::Tasks;

/// Selects a version of a dataset.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Version {
    /// ID of the version; default: the newest.
    version: Option<DatasetVersionId>,
}

/// A dataset without its tasks.
#[derive(Serialize, ToSchema)]
pub struct Dataset {
    /// The row of the list.
    row: DatasetRow,
    /// The dataset's own description.
    description: Bilingual,
    /// The license, as named by the source.
    license: String,
    /// The source of the import.
    source: String,
    /// Every version, newest first.
    versions: Vec<VersionRow>,
}

/// List datasets
#[utoipa::path(get, path = "/datasets", tag = "Datasets", security(("token" = ["read"])),
    params(ListParams,
        ("code_lang" = Option<String>, Query, description = "Only datasets with tasks in this programming language, such as `java`"),
        ("check" = Option<String>, Query, description = "Only datasets with tasks for raters, `human`, or with tests, `tests`")),
    responses((status = 200, description = "Datasets, sorted by short name unless `sort` is `name`, `-name`, `added` or `-added`", body = Page<DatasetRow>)))]
pub async fn list_datasets(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<DatasetRow>> {
    Ok(Json(page.answer(state.services.datasets.list(&admin, page.of()?).await?)))
}

/// Get a dataset
#[utoipa::path(get, path = "/datasets/{slug}", tag = "Datasets", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"), Version),
    responses((status = 200, description = "The dataset", body = Dataset)))]
pub async fn get_dataset(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(asked): QueryParams<Version>,
) -> JsonResult<Dataset> {
    let found = state.services.datasets.get(&admin, &slug, asked.version).await?;
    let (row, description) = (found.row, found.description);
    Ok(Json(Dataset { row, description, license: found.license, source: found.source, versions: found.versions }))
}

/// List a dataset's tasks
#[utoipa::path(get, path = "/datasets/{slug}/tasks", tag = "Datasets", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"), Version, ListParams,
        ("nl_lang" = Option<String>, Query, description = "Only tasks described in this language, `en` or `zh`"),
        ("code_lang" = Option<String>, Query, description = "Only tasks in this programming language"),
        ("check" = Option<String>, Query, description = "Only tasks for raters, `human`, or with tests, `tests`")),
    responses((status = 200, description = "Tasks in the dataset's order", body = Page<TaskRow>)))]
pub async fn list_dataset_tasks(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(asked): QueryParams<Version>,
    page: Paging,
) -> JsonResult<Page<TaskRow>> {
    Ok(Json(page.answer(state.services.datasets.tasks(&admin, &slug, asked.version, page.of()?).await?)))
}

/// Import datasets
///
/// The body is the file: an archive (`.zip`, `.tar.gz`) of an AixBench checkout or of a dataset in
/// AixGrade's own format, or one of its files. Imports everything or nothing. Existing tasks stay
/// as they are, so importing the same file twice changes nothing.
#[utoipa::path(post, path = "/imports", tag = "Datasets", params(FileName), security(("token" = ["write:data"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 200, description = "Result of the import", body = ImportReport)))]
pub async fn import_datasets(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(asked): QueryParams<FileName>,
    body: Body,
) -> JsonResult<ImportReport> {
    let held = receive(&state, &asked.file, body).await?.hold().await?;
    Ok(Json(state.services.imports.sent(&admin, vec![held], Tasks::Own).await?))
}
