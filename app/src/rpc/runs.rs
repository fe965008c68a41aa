//! Runs of automated tests. Their progress streams from `server/src/http/runs.rs`.

use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        ids::{OutputId, RunId, SubmissionId},
        run::{ItemDetail, RunDetail, RunRow},
    },
};

/// Every run, or those of one submission.
#[server(prefix = "/rpc", endpoint = "runs", input = Json)]
pub async fn runs(submission: Option<SubmissionId>) -> Result<Vec<RunRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.runs.list(&caller, submission).await
}

/// One run with all its outputs.
#[server(prefix = "/rpc", endpoint = "run", input = Json)]
pub async fn run(id: RunId) -> Result<RunDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.runs.get(&caller, id).await
}

/// One output of a run.
#[server(prefix = "/rpc", endpoint = "run_item", input = Json)]
pub async fn run_item(id: RunId, output: OutputId) -> Result<ItemDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.runs.item(&caller, id, output).await
}

/// Runs a submission's outputs and goes to the new run.
#[server(prefix = "/rpc", endpoint = "start_run")]
pub async fn start_run(submission: SubmissionId, fresh: bool) -> Result<RunId, AppError> {
    let (ports, caller) = ports()?;
    let id = ports.runs.start(&caller, submission, fresh).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(id)
}

/// Stops a run.
#[server(prefix = "/rpc", endpoint = "cancel_run")]
pub async fn cancel_run(id: RunId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.runs.cancel(&caller, id).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(())
}

/// Runs one output again.
#[server(prefix = "/rpc", endpoint = "run_again")]
pub async fn run_again(id: RunId, output: OutputId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.runs.again(&caller, id, Some(output)).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(())
}
