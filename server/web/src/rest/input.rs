//! Request input, with rejections that name the place and the problem.

use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts},
};
use futures::StreamExt;
use utoipa::IntoParams;

use model::error::AppError;
use serde::Deserialize;

use super::problem::Problem;
use crate::state::AppState;
use services::uploads::{Incoming, Uploads};

#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Problem))]
pub struct JsonBody<T>(pub T);

/// The parameters in the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct PathParams<T>(pub T);

/// The parameters after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct QueryParams<T>(pub T);

/// Name of an uploaded file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileName {
    /// The file's name, such as `outputs.jsonl.gz`; the ending determines its format.
    pub file: String,
}

/// Streams a body to disk.
pub async fn receive(state: &AppState, name: &str, body: Body) -> Result<Incoming, AppError> {
    let uploads: &Uploads = &state.services.uploads;
    let mut incoming = uploads.begin(name).await?;
    let mut stream = body.into_data_stream();
    while let Some(bytes) = stream.next().await {
        let bytes = bytes.map_err(|_| {
            AppError::invalid(
                name,
                ("the upload was interrupted", "上传中断"),
                ("Upload the file again", "请重新上传文件"),
            )
        })?;
        incoming.write(&bytes).await?;
    }
    Ok(incoming)
}
