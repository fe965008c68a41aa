//! Model outputs: uploading a file, previewing, importing and reading.

use std::collections::BTreeMap;

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use model::{
    caller::Admin,
    ids::{OutputId, SubmissionId, UploadId},
    submission::{
        EarlyResults, InvalidLines, Matching, OutputDetail, OutputFilter, OutputRow, Preview, SubmissionRow, UploadRow,
    },
};
use port::Submissions;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    JsonResult,
    input::{FileName, JsonBody, PathParams, QueryParams, receive},
    paging::{ListParams, Page, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};
use db::uploads::Purpose;

/// An uploaded file.
#[derive(Serialize, ToSchema)]
pub struct Upload {
    pub(super) upload: UploadId,
}

/// How to preview an upload.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PreviewQuery {
    /// The dataset's short name.
    pub dataset: String,
    /// How lines are matched to tasks.
    #[serde(default)]
    #[param(required = false)]
    pub matching: Matching,
}

/// Request to import an upload.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewSubmission {
    /// ID of the upload.
    upload: UploadId,
    /// Short name of the dataset; its newest version is used.
    dataset: String,
    /// Name of the model, as shown in tables.
    model: String,
    /// How lines are matched to tasks.
    #[serde(default)]
    matching: Matching,
    /// Whether invalid lines are left out; otherwise nothing of a file with an invalid line is imported. Tasks without an
    /// output count as failed in every figure of tests, such as AvgPassRatio.
    #[serde(default)]
    good_lines_only: bool,
}

/// A created resource.
#[derive(Serialize, ToSchema)]
pub struct Created {
    id: i64,
}

impl Created {
    /// A created resource with this ID.
    pub fn of(id: i64) -> Created {
        Created { id }
    }
}

/// 201 with the id and address of the created resource.
pub fn created(area: &str, id: i64) -> impl IntoResponse + use<> {
    (StatusCode::CREATED, [(header::LOCATION, format!("{}/{area}/{id}", super::ROOT))], Json(Created::of(id)))
}

/// Filter of submissions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfDataset {
    /// Only submissions for this dataset (short name).
    dataset: Option<String>,
}

/// Upload a file of model outputs
///
/// The body is the file: JSON Lines, plain, gzip or zstd, in the format of AixBench, HumanEval-X or CodeIF-Bench, or a file of
/// another tool or a table (docs/formats.md).
/// Nothing is imported until `POST /submissions`; check the preview first. A file of another kind, such as ratings or a
/// dataset, is refused; `page` is the address of the page that accepts it.
#[utoipa::path(post, path = "/uploads", tag = "Model outputs", params(FileName), security(("token" = ["write:data"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 201, description = "The file is uploaded", body = Upload)))]
pub async fn send_outputs(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(asked): QueryParams<FileName>,
    body: Body,
) -> Result<impl IntoResponse, Problem> {
    let stored = receive(&state, &asked.file, body).await?.finish().await?;
    let upload = state.services.submissions.note_upload(&admin, stored, Purpose::outputs(None)).await?;
    Ok((StatusCode::CREATED, Json(Upload { upload })))
}

/// List uploads of model outputs
#[utoipa::path(get, path = "/uploads", tag = "Model outputs", params(ListParams), security(("token" = ["read"])),
    responses((status = 200, description = "Uploads with the progress of their import, newest first unless `sort` is `uploaded`", body = Page<UploadRow>)))]
pub async fn list_uploads(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<UploadRow>> {
    Ok(Json(page.answer(state.services.submissions.uploads(&admin, page.of()?).await?)))
}

/// Preview an upload
///
/// Matches the upload to a dataset's newest version. Returns invalid lines, tasks without an output, duplicates,
/// samples, text that may identify a model, and the first outputs as raters would see them.
#[utoipa::path(get, path = "/uploads/{id}/preview", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = UploadId, Path, description = "ID of the upload"), PreviewQuery),
    responses((status = 200, description = "The preview", body = Preview)))]
pub async fn preview_upload(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<UploadId>,
    QueryParams(asked): QueryParams<PreviewQuery>,
) -> JsonResult<Preview> {
    Ok(Json(state.services.submissions.preview(&admin, id, &asked.dataset, asked.matching).await?))
}

/// The columns to read of a table.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Columns {
    /// Our names of columns, as in `table.fields` of the preview, to those in the file. A column that is left out has one
    /// of its usual names.
    columns: BTreeMap<String, String>,
}

/// Choose the columns of an upload
///
/// For a table (CSV or Parquet) whose columns have other names than the usual ones. Replaces an earlier choice. The preview
/// lists the columns of the file and which of them are read.
#[utoipa::path(put, path = "/uploads/{id}/columns", tag = "Model outputs", security(("token" = ["write:data"])),
    params(("id" = UploadId, Path, description = "ID of the upload")),
    request_body(content = Columns, example = json!({"columns": {"code": "Answer"}})),
    responses((status = 204, description = "The columns are chosen")))]
pub async fn choose_columns(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<UploadId>,
    JsonBody(chosen): JsonBody<Columns>,
) -> Result<StatusCode, Problem> {
    state.services.submissions.choose_columns(&admin, id, chosen.columns).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run a few outputs of an upload
///
/// Runs outputs of up to ten tasks against their tests before anything is imported, and returns their verdicts once all have
/// ended. Nothing is stored. `fault` says why the others, or all of them, could not be run.
#[utoipa::path(post, path = "/uploads/{id}/early-results", tag = "Model outputs", security(("token" = ["write:data"])),
    params(("id" = UploadId, Path, description = "ID of the upload"), PreviewQuery),
    responses((status = 200, description = "The results", body = EarlyResults),
        (status = 204, description = "No output can be run on this server: the dataset has no tests, its tests need the sources of projects, or workers on other machines run them")))]
pub async fn run_early(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<UploadId>,
    QueryParams(asked): QueryParams<PreviewQuery>,
) -> Result<Response, Problem> {
    let submissions = &state.services.submissions;
    let early = submissions.early_results(&admin, id, &asked.dataset, asked.matching).await?;
    Ok(early.map_or_else(|| StatusCode::NO_CONTENT.into_response(), |early| Json(early).into_response()))
}

/// Import an upload's outputs as a submission
///
/// Imports all outputs, or none if a line is invalid; with `good_lines_only`, invalid lines are left out and the submission
/// records their number. The same file of the same model is imported once.
#[utoipa::path(post, path = "/submissions", tag = "Model outputs", security(("token" = ["write:data"])),
    request_body(content = NewSubmission, example = json!({"upload": 1, "dataset": "starter", "model": "My model"})),
    responses((status = 201, description = "The submission", body = Created)))]
pub async fn import_submission(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewSubmission>,
) -> Result<impl IntoResponse, Problem> {
    let invalid = InvalidLines::of(new.good_lines_only);
    let submissions = &state.services.submissions;
    let id = submissions.import(&admin, new.upload, &new.dataset, new.matching, &new.model, invalid).await?;
    Ok(created("submissions", id.0))
}

/// List submissions
#[utoipa::path(get, path = "/submissions", tag = "Model outputs", params(OfDataset, ListParams,
        ("model" = Option<i64>, Query, description = "Only submissions of this model")),
    security(("token" = ["read"])),
    responses((status = 200, description = "Submissions, newest first unless `sort` is `uploaded`, `model` or `dataset`, or one of these with `-`", body = Page<SubmissionRow>)))]
pub async fn list_submissions(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(asked): QueryParams<OfDataset>,
    page: Paging,
) -> JsonResult<Page<SubmissionRow>> {
    Ok(Json(page.answer(state.services.submissions.list(&admin, asked.dataset, page.of()?).await?)))
}

/// Get a submission
#[utoipa::path(get, path = "/submissions/{id}", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    responses((status = 200, description = "The submission", body = SubmissionRow)))]
pub async fn get_submission(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
) -> JsonResult<SubmissionRow> {
    Ok(Json(state.services.submissions.get(&admin, id).await?))
}

/// List a submission's outputs
#[utoipa::path(get, path = "/submissions/{id}/outputs", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "The submission"), ListParams),
    responses((status = 200, description = "In the order of the file", body = Page<OutputRow>)))]
pub async fn list_submission_outputs(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
    page: Paging,
) -> JsonResult<Page<OutputRow>> {
    let filter = OutputFilter::default();
    Ok(Json(page.answer(state.services.submissions.outputs(&admin, id, filter, page.of()?).await?)))
}

/// Get an output with its code
#[utoipa::path(get, path = "/outputs/{id}", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = OutputId, Path, description = "ID of the output")),
    responses((status = 200, description = "The output", body = OutputDetail)))]
pub async fn get_output(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<OutputId>,
) -> JsonResult<OutputDetail> {
    Ok(Json(state.services.submissions.output(&admin, id).await?))
}

/// The block that is the code.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Block {
    /// Its number in the list `reading.blocks` of the output, from 1; null or absent: the block that the rules choose.
    #[serde(default)]
    block: Option<u32>,
}

/// Choose the code block of a response that is the code of an output
///
/// The response stays as it is. Results of the output in test runs are discarded, and it is run again, unless its run was
/// stopped. Refused once a rater or a judge model has seen the output.
#[utoipa::path(put, path = "/outputs/{id}/block", tag = "Model outputs", security(("token" = ["write:data"])),
    params(("id" = OutputId, Path, description = "ID of the output")),
    request_body(content = Block, example = json!({"block": 2})),
    responses((status = 200, description = "The output with its new code", body = OutputDetail)))]
pub async fn choose_block(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<OutputId>,
    JsonBody(chosen): JsonBody<Block>,
) -> JsonResult<OutputDetail> {
    let submissions = &state.services.submissions;
    submissions.choose_block(&admin, id, chosen.block).await?;
    Ok(Json(submissions.output(&admin, id).await?))
}
