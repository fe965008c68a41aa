//! Model outputs. Files are uploaded by `server/web/src/upload.rs`.

use std::collections::BTreeMap;

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::submission::InvalidLines;
use model::{
    error::AppError,
    ids::{OutputId, SubmissionId, UploadId},
    page::{PageOf, Paged},
    submission::{EarlyResults, Matching, OutputDetail, OutputFilter, OutputRow, Preview, SubmissionRow, UploadRow},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of all submissions, or of those for one dataset.
#[server(prefix = "/rpc", endpoint = "submissions", protocol = Call)]
pub async fn submissions(
    dataset: Option<String>,
    #[server(default)] page: PageOf,
) -> Result<Paged<SubmissionRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.list(&admin, dataset, page).await
}

/// One submission.
#[server(prefix = "/rpc", endpoint = "submission", protocol = Call)]
pub async fn submission(id: SubmissionId) -> Result<SubmissionRow, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.get(&admin, id).await
}

/// A page of a submission's outputs.
#[server(prefix = "/rpc", endpoint = "submission_outputs", protocol = Call)]
pub async fn submission_outputs(
    id: SubmissionId,
    #[server(default)] filter: OutputFilter,
    #[server(default)] page: PageOf,
) -> Result<Paged<OutputRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.outputs(&admin, id, filter, page).await
}

/// One output with its code.
#[server(prefix = "/rpc", endpoint = "output", protocol = Call)]
pub async fn output(id: OutputId) -> Result<OutputDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.output(&admin, id).await
}

/// Makes a block of an output's response its code: the one of this number, from 1, or, without a number, the one that the
/// rules choose. Stays on the page of the output.
#[server(prefix = "/rpc", endpoint = "choose_block")]
pub async fn choose_block(id: OutputId, #[server(default)] block: Option<u32>) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.choose_block(&admin, id, block).await?;
    leptos_axum::redirect(&format!("/admin/outputs/{id}"));
    Ok(())
}

/// Preview of an uploaded file.
#[server(prefix = "/rpc", endpoint = "preview_upload", protocol = Call)]
pub async fn preview_upload(upload: UploadId, dataset: String, matching: Matching) -> Result<Preview, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.preview(&admin, upload, &dataset, matching).await
}

/// Runs a few outputs of an uploaded file.
#[server(prefix = "/rpc", endpoint = "run_early", protocol = Call)]
pub async fn run_early(
    upload: UploadId,
    dataset: String,
    matching: Matching,
) -> Result<Option<EarlyResults>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.early_results(&admin, upload, &dataset, matching).await
}

/// Chooses the columns of an uploaded table: ours to the file's, empty for the usual names.
#[server(prefix = "/rpc", endpoint = "choose_columns")]
pub async fn choose_columns(upload: UploadId, columns: BTreeMap<String, String>) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.choose_columns(&admin, upload, columns).await
}

/// A page of the uploaded files of outputs, newest first.
#[server(prefix = "/rpc", endpoint = "uploads", protocol = Call)]
pub async fn uploads(#[server(default)] page: PageOf) -> Result<Paged<UploadRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.uploads(&admin, page).await
}

/// Imports the uploaded outputs as `model`'s and redirects to the submission. `mask` hides names of models
/// from raters; `good_lines_only` leaves out invalid lines instead of refusing the file.
#[server(prefix = "/rpc", endpoint = "import_submission")]
pub async fn import_submission(
    upload: UploadId,
    dataset: String,
    matching: Matching,
    model: String,
    #[server(default)] mask: bool,
    #[server(default)] good_lines_only: bool,
) -> Result<SubmissionId, AppError> {
    let (ports, admin) = ports()?;
    let invalid = InvalidLines::of(good_lines_only);
    let id = ports.submissions.import(&admin, upload, &dataset, matching, &model, invalid).await?;
    if mask {
        ports.quality.set_mask(&admin, id, true).await?;
    }
    leptos_axum::redirect(&format!("/admin/submissions/{id}"));
    Ok(id)
}
