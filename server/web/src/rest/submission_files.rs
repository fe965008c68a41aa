//! Files of uploads and submissions: the original, and the lines that are not imported.

use axum::{extract::State, response::IntoResponse};
use model::{
    caller::Admin,
    ids::{SubmissionId, UploadId},
    lang::Lang,
};

use super::{
    input::{PathParams, QueryParams},
    problem::Problem,
    submissions::PreviewQuery,
};
use crate::{download, session::Authorized, state::AppState, submissions::ORIGINAL};
use services::submissions::files::{BadLinesFile, BadLinesOf};

/// Get the lines of an upload that are not imported
///
/// Invalid lines and those without a task, byte for byte as they were uploaded.
#[utoipa::path(get, path = "/uploads/{id}/bad-lines.jsonl", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = UploadId, Path, description = "ID of the upload"), PreviewQuery),
    responses((status = 200, description = "The lines", body = String, content_type = "application/jsonl")))]
pub async fn get_bad_upload_lines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(upload): PathParams<UploadId>,
    QueryParams(PreviewQuery { dataset, matching }): QueryParams<PreviewQuery>,
) -> Result<impl IntoResponse, Problem> {
    send(&state, &admin, BadLinesOf::Upload { upload, dataset, matching }, BadLinesFile::Lines).await
}

/// List the lines of an upload that are not imported
///
/// CSV with the file, the line, the problem and how to fix it.
#[utoipa::path(get, path = "/uploads/{id}/bad-lines.csv", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = UploadId, Path, description = "ID of the upload"), PreviewQuery),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn get_bad_upload_list(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(upload): PathParams<UploadId>,
    QueryParams(PreviewQuery { dataset, matching }): QueryParams<PreviewQuery>,
) -> Result<impl IntoResponse, Problem> {
    send(&state, &admin, BadLinesOf::Upload { upload, dataset, matching }, BadLinesFile::List(Lang::En)).await
}

/// Get the file that a submission was imported from
#[utoipa::path(get, path = "/submissions/{id}/file", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    responses((status = 200, description = "The file, byte for byte", body = Vec<u8>, content_type = "application/octet-stream")))]
pub async fn get_original(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
) -> Result<impl IntoResponse, Problem> {
    Ok(download::saved(state.services.submissions.original(&admin, id).await?, ORIGINAL))
}

/// Get the lines of a submission's file that were not imported
///
/// Invalid lines and those without a task, byte for byte as they were uploaded.
#[utoipa::path(get, path = "/submissions/{id}/bad-lines.jsonl", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    responses((status = 200, description = "The lines", body = String, content_type = "application/jsonl")))]
pub async fn get_bad_lines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
) -> Result<impl IntoResponse, Problem> {
    send(&state, &admin, BadLinesOf::Submission(id), BadLinesFile::Lines).await
}

/// List the lines of a submission's file that were not imported
///
/// CSV with the file, the line, the problem and how to fix it.
#[utoipa::path(get, path = "/submissions/{id}/bad-lines.csv", tag = "Model outputs", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn get_bad_list(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
) -> Result<impl IntoResponse, Problem> {
    send(&state, &admin, BadLinesOf::Submission(id), BadLinesFile::List(Lang::En)).await
}

async fn send(
    state: &AppState,
    admin: &Admin,
    of: BadLinesOf,
    file: BadLinesFile,
) -> Result<impl IntoResponse + use<>, Problem> {
    let named = state.services.submissions.bad_lines(admin, of, file).await?;
    Ok(download::saved(named, file.media()))
}
