//! Runs of automated tests. Their progress streams from `server/web/src/runs.rs`.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::run::{NewRun, Rerun};
use model::{
    conversation::TestProfile,
    conversation_results::ConversationResults,
    error::AppError,
    ids::{OutputId, RunId, SubmissionId},
    languages::LanguageResults,
    page::{PageOf, Paged},
    run::{Dates, EngineReadiness, ItemDetail, ItemFilter, ItemRow, RunDetail, RunRow},
    run_pair::RunPairPage,
    workers::Workers,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of all runs, or of those of one submission.
#[server(prefix = "/rpc", endpoint = "runs", protocol = Call)]
pub async fn runs(
    submission: Option<SubmissionId>,
    #[server(default)] page: PageOf,
) -> Result<Paged<RunRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.list(&admin, submission, page).await
}

/// Every model's newest run in each language of HumanEval-X.
#[server(prefix = "/rpc", endpoint = "languages", protocol = Call)]
pub async fn languages() -> Result<LanguageResults, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.languages(&admin).await
}

/// Every model's newest run in each way of CodeIF-Bench.
#[server(prefix = "/rpc", endpoint = "conversations", protocol = Call)]
pub async fn conversations() -> Result<ConversationResults, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.conversations(&admin).await
}

/// Whether the server can run tests.
#[server(prefix = "/rpc", endpoint = "check_engine", protocol = Call)]
pub async fn check_engine() -> Result<EngineReadiness, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.readiness(&admin).await
}

/// The workers on other machines; absent if outputs run in the server's process.
#[server(prefix = "/rpc", endpoint = "known_workers", protocol = Call)]
pub async fn known_workers() -> Result<Option<Workers>, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.workers(&admin).await
}

/// One run without its outputs.
#[server(prefix = "/rpc", endpoint = "run", protocol = Call)]
pub async fn run(id: RunId) -> Result<RunDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.get(&admin, id).await
}

/// A page of a run's outputs.
#[server(prefix = "/rpc", endpoint = "run_items", protocol = Call)]
pub async fn run_items(
    id: RunId,
    #[server(default)] filter: ItemFilter,
    #[server(default)] page: PageOf,
) -> Result<Paged<ItemRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.items(&admin, id, filter, page).await
}

/// One output of a run.
#[server(prefix = "/rpc", endpoint = "run_item", protocol = Call)]
pub async fn run_item(id: RunId, output: OutputId) -> Result<ItemDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.runs.item(&admin, id, output).await
}

/// Starts a run of a submission and redirects to it. Unchecked boxes are not sent; `like` is
/// the id of an earlier run whose options to copy.
#[server(prefix = "/rpc", endpoint = "start_run")]
pub async fn start_run(
    submission: SubmissionId,
    #[server(default)] fresh: bool,
    #[server(default)] fast: bool,
    #[server(default)] dates: Option<Dates>,
    #[server(default)] like: String,
    #[server(default)] profile: Option<TestProfile>,
) -> Result<RunId, AppError> {
    let (ports, admin) = ports()?;
    let like = like.parse().ok().map(RunId);
    let id = ports.runs.start(&admin, NewRun { submission, fresh, fast, dates, like, profile }).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(id)
}

/// Stops a run.
#[server(prefix = "/rpc", endpoint = "stop_run")]
pub async fn stop_run(id: RunId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.runs.cancel(&admin, id).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(())
}

/// Resumes a stopped run.
#[server(prefix = "/rpc", endpoint = "resume_run")]
pub async fn resume_run(id: RunId) -> Result<(), AppError> {
    rerun(id, Rerun::Rest).await
}

/// Reruns outputs on which the engine failed.
#[server(prefix = "/rpc", endpoint = "run_failed_again")]
pub async fn run_failed_again(id: RunId) -> Result<(), AppError> {
    rerun(id, Rerun::Failed).await
}

/// Reruns outputs with outdated results.
#[server(prefix = "/rpc", endpoint = "run_changed_again")]
pub async fn run_changed_again(id: RunId) -> Result<(), AppError> {
    rerun(id, Rerun::Changed).await
}

/// Reruns what workers reported that an admin has removed since.
#[server(prefix = "/rpc", endpoint = "run_removed_workers_again")]
pub async fn run_removed_workers_again(id: RunId) -> Result<(), AppError> {
    rerun(id, Rerun::OfRemovedWorkers).await
}

/// Reruns one output and stays on its page.
#[server(prefix = "/rpc", endpoint = "run_again")]
pub async fn run_again(id: RunId, output: OutputId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.runs.rerun(&admin, id, Rerun::Output(output)).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}/outputs/{output}"));
    Ok(())
}

/// Compares two runs of one dataset, with a page of its tasks, or with one task's code if a task is given.
#[server(prefix = "/rpc", endpoint = "compare_runs", protocol = Call)]
pub async fn compare_runs(
    a: RunId,
    b: RunId,
    task: Option<String>,
    #[server(default)] page: PageOf,
) -> Result<RunPairPage, AppError> {
    let (ports, admin) = ports()?;
    Ok(ports.runs.compare(&admin, a, b, task).await?.page(&page))
}

#[cfg(not(target_arch = "wasm32"))]
async fn rerun(id: RunId, what: Rerun) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.runs.rerun(&admin, id, what).await?;
    leptos_axum::redirect(&format!("/admin/runs/{id}"));
    Ok(())
}
