//! Files of uploads and submissions: the original, and the lines that are not imported.

use axum::{
    Extension,
    extract::{Path, Query, State},
    response::IntoResponse,
};
use model::{
    caller::Admin,
    ids::{SubmissionId, UploadId},
    submission::Matching,
    user::Visitor,
};
use serde::Deserialize;

use super::{download, errors::HttpError, session::Authorized};
use crate::state::AppState;
use services::submissions::files::{BadLinesFile, BadLinesOf};

/// The media type of originals: whatever they are, no browser shows them.
pub const ORIGINAL: &str = "application/octet-stream";

/// The query of an upload's addresses, as the preview has it.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    dataset: String,
    #[serde(default)]
    matching: Matching,
}

/// `GET /admin/submissions/{id}/file`
pub async fn original(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<SubmissionId>,
) -> Result<impl IntoResponse, HttpError> {
    Ok(download::saved(state.services.submissions.original(&admin, id).await?, ORIGINAL))
}

/// `GET /admin/uploads/{id}/bad-lines.jsonl?dataset=&matching=`
pub async fn bad_upload_lines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(upload): Path<UploadId>,
    Query(asked): Query<Asked>,
) -> Result<impl IntoResponse, HttpError> {
    send(&state, &admin, of(upload, asked), BadLinesFile::Lines).await
}

/// `GET /admin/uploads/{id}/bad-lines.csv?dataset=&matching=`
pub async fn bad_upload_list(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Extension(visitor): Extension<Visitor>,
    Path(upload): Path<UploadId>,
    Query(asked): Query<Asked>,
) -> Result<impl IntoResponse, HttpError> {
    send(&state, &admin, of(upload, asked), BadLinesFile::List(visitor.lang)).await
}

/// `GET /admin/submissions/{id}/bad-lines.jsonl`
pub async fn bad_lines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<SubmissionId>,
) -> Result<impl IntoResponse, HttpError> {
    send(&state, &admin, BadLinesOf::Submission(id), BadLinesFile::Lines).await
}

/// `GET /admin/submissions/{id}/bad-lines.csv`
pub async fn bad_list(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<SubmissionId>,
) -> Result<impl IntoResponse, HttpError> {
    send(&state, &admin, BadLinesOf::Submission(id), BadLinesFile::List(visitor.lang)).await
}

fn of(upload: UploadId, asked: Asked) -> BadLinesOf {
    BadLinesOf::Upload { upload, dataset: asked.dataset, matching: asked.matching }
}

async fn send(
    state: &AppState,
    admin: &Admin,
    of: BadLinesOf,
    file: BadLinesFile,
) -> Result<impl IntoResponse + use<>, HttpError> {
    let named = state.services.submissions.bad_lines(admin, of, file).await?;
    Ok(download::saved(named, file.media()))
}
