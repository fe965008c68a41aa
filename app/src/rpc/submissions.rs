//! Model outputs. Files are uploaded by `server/src/http/upload.rs`.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        ids::{OutputId, SubmissionId, UploadId},
        submission::{Matching, OutputDetail, Preview, SubmissionDetail, SubmissionRow},
    },
};

/// All submissions, or those for one dataset.
#[server(prefix = "/rpc", endpoint = "submissions", protocol = Call)]
pub async fn submissions(dataset: Option<String>) -> Result<Vec<SubmissionRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.submissions.list(&caller, dataset).await
}

/// One submission with its outputs.
#[server(prefix = "/rpc", endpoint = "submission", protocol = Call)]
pub async fn submission(id: SubmissionId) -> Result<SubmissionDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.submissions.get(&caller, id).await
}

/// One output with its code.
#[server(prefix = "/rpc", endpoint = "output", protocol = Call)]
pub async fn output(id: OutputId) -> Result<OutputDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.submissions.output(&caller, id).await
}

/// Preview of an uploaded file.
#[server(prefix = "/rpc", endpoint = "preview", protocol = Call)]
pub async fn preview_upload(upload: UploadId, dataset: String, matching: Matching) -> Result<Preview, AppError> {
    let (ports, caller) = ports()?;
    ports.submissions.preview(&caller, upload, &dataset, matching).await
}

/// Imports the uploaded outputs as `model`'s and redirects to the submission. `mask` hides names of models
/// from raters.
#[server(prefix = "/rpc", endpoint = "take_submission")]
pub async fn take_submission(
    upload: UploadId,
    dataset: String,
    matching: Matching,
    model: String,
    #[server(default)] mask: bool,
) -> Result<SubmissionId, AppError> {
    let (ports, caller) = ports()?;
    let id = ports.submissions.take(&caller, upload, &dataset, matching, &model).await?;
    if mask {
        ports.quality.set_mask(&caller, id, true).await?;
    }
    leptos_axum::redirect(&format!("/admin/submissions/{id}"));
    Ok(id)
}
