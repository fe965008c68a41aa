//! Model outputs: uploading a file, previewing, importing and reading.

use app::{
    model::{
        ids::{OutputId, SubmissionId, UploadId},
        submission::{Matching, OutputDetail, OutputRow, Preview, SubmissionRow},
    },
    port::Submissions,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Out, Who,
    input::{Asked, At, FileName, Given, receive},
    paging::{Page, PageParams, Paging},
    problem::Problem,
};
use crate::state::AppState;

/// An uploaded file.
#[derive(Serialize, ToSchema)]
pub struct Upload {
    upload: UploadId,
}

/// How to preview an upload.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Against {
    /// The dataset's short name.
    dataset: String,
    /// How lines are matched to tasks.
    #[serde(default)]
    #[param(required = false)]
    matching: Matching,
}

/// Request to import an upload.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewSubmission {
    /// Id of the upload.
    upload: UploadId,
    /// Short name of the dataset; its newest version is used.
    dataset: String,
    /// Name of the model, as shown in tables.
    model: String,
    /// How lines are matched to tasks.
    #[serde(default)]
    matching: Matching,
}

/// A created resource.
#[derive(Serialize, ToSchema)]
pub struct Made {
    id: i64,
}

impl Made {
    /// A created resource with this id.
    pub fn of(id: i64) -> Made {
        Made { id }
    }
}

/// 201 with the id and address of the created resource.
pub fn made(area: &str, id: i64) -> impl IntoResponse + use<> {
    (StatusCode::CREATED, [(header::LOCATION, format!("{}/{area}/{id}", super::ROOT))], Json(Made::of(id)))
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
/// The body is the file: JSON Lines, plain or gzip, in the format of AixBench, HumanEval-X or CodeIF-Bench.
/// Nothing is imported until `POST /submissions`; check the preview first.
#[utoipa::path(post, path = "/uploads", tag = "model outputs", params(FileName), security(("token" = ["write:data"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses((status = 201, description = "It waits", body = Upload)))]
pub async fn send_outputs(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(asked): Asked<FileName>,
    body: Body,
) -> Result<impl IntoResponse, Problem> {
    let stored = receive(&state, &asked.file, body).await?.finish().await?;
    let upload = state.services.submissions.note_upload(&who, stored).await?;
    Ok((StatusCode::CREATED, Json(Upload { upload })))
}

/// Preview an upload
///
/// Matches the upload to a dataset's newest version: invalid lines, tasks without an output,
/// duplicates, samples, and text that may identify a model.
#[utoipa::path(get, path = "/uploads/{id}/preview", tag = "model outputs", security(("token" = ["read"])),
    params(("id" = UploadId, Path, description = "The upload"), Against),
    responses((status = 200, description = "The preview", body = Preview)))]
pub async fn preview_upload(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<UploadId>,
    Asked(asked): Asked<Against>,
) -> Out<Preview> {
    Ok(Json(state.services.submissions.preview(&who, id, &asked.dataset, asked.matching).await?))
}

/// Import an upload's outputs as a submission
///
/// Imports all outputs, or none if a line is invalid. The same file of the same model is imported once.
#[utoipa::path(post, path = "/submissions", tag = "model outputs", security(("token" = ["write:data"])),
    request_body(content = NewSubmission, example = json!({"upload": 1, "dataset": "starter", "model": "My model"})),
    responses((status = 201, description = "The submission", body = Made)))]
pub async fn take_submission(
    State(state): State<AppState>,
    Extension(who): Who,
    Given(new): Given<NewSubmission>,
) -> Result<impl IntoResponse, Problem> {
    let id = state.services.submissions.take(&who, new.upload, &new.dataset, new.matching, &new.model).await?;
    Ok(made("submissions", id.0))
}

/// List submissions
#[utoipa::path(get, path = "/submissions", tag = "model outputs", params(OfDataset, PageParams),
    security(("token" = ["read"])),
    responses((status = 200, description = "Newest first", body = Page<SubmissionRow>)))]
pub async fn list_submissions(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(asked): Asked<OfDataset>,
    page: Paging,
) -> Out<Page<SubmissionRow>> {
    let rows = state.services.submissions.list(&who, asked.dataset).await?;
    Ok(Json(page.cut(rows, |row| row.id.to_string())?))
}

/// Get a submission
#[utoipa::path(get, path = "/submissions/{id}", tag = "model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "The submission")),
    responses((status = 200, description = "The submission", body = SubmissionRow)))]
pub async fn get_submission(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<SubmissionId>,
) -> Out<SubmissionRow> {
    Ok(Json(state.services.submissions.get(&who, id).await?.row))
}

/// List a submission's outputs
#[utoipa::path(get, path = "/submissions/{id}/outputs", tag = "model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "The submission"), PageParams),
    responses((status = 200, description = "In the dataset's order", body = Page<OutputRow>)))]
pub async fn list_submission_outputs(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<SubmissionId>,
    page: Paging,
) -> Out<Page<OutputRow>> {
    let found = state.services.submissions.get(&who, id).await?;
    Ok(Json(page.cut(found.outputs, |row| row.id.to_string())?))
}

/// Get an output with its code
#[utoipa::path(get, path = "/outputs/{id}", tag = "model outputs", security(("token" = ["read"])),
    params(("id" = OutputId, Path, description = "The output")),
    responses((status = 200, description = "The output", body = OutputDetail)))]
pub async fn get_output(State(state): State<AppState>, Extension(who): Who, At(id): At<OutputId>) -> Out<OutputDetail> {
    Ok(Json(state.services.submissions.output(&who, id).await?))
}
