//! Runs of automated tests.

use std::collections::BTreeMap;

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    caller::Admin,
    conversation_results::ConversationResults,
    ids::{OutputId, RunId, SubmissionId},
    languages::LanguageResults,
    published::Difference,
    reason::Fault,
    run::{Environment, ItemDetail, ItemFilter, ItemRow, NewRun, PassAtK, Rerun, RunProgress, RunRow, RunStatus},
    run_pair::RunPair,
    workers::Workers,
};
use port::Runs;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    JsonResult,
    input::{JsonBody, PathParams, QueryParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
    submissions::{Created, created},
};
use crate::{download, runs::results, session::Authorized, state::AppState};
use report::table::Form;

/// Filter of runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfSubmission {
    /// Only runs of this submission.
    submission: Option<SubmissionId>,
}

/// The two runs to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunPairQuery {
    /// External ID of a task whose outputs to return with their code.
    task: Option<String>,
}

/// A run without its outputs.
#[derive(Serialize, ToSchema)]
pub struct Run {
    /// The row of the list, with the figures.
    row: RunRow,
    /// Conditions that were the same for every output.
    environment: Environment,
    /// `pass@k` for k = 1, 10 and 100 as far as there are samples, or for every k below ten samples.
    pass_at: Vec<PassAtK>,
    /// The same by the verdicts as published; empty if the benchmark has no evaluator.
    published_pass_at: Vec<PassAtK>,
    /// Outputs that pass only as published, by reason.
    differences: Vec<Difference>,
    /// Why the run failed as a whole, if it did.
    fault: Option<Fault>,
    /// Number of outputs per verdict.
    verdicts: BTreeMap<&'static str, u32>,
    /// Number of outputs with a cached result.
    cached: u32,
}

/// List runs
#[utoipa::path(get, path = "/runs", tag = "Runs", security(("token" = ["read"])),
    params(OfSubmission, ListParams,
        ("status" = Option<RunStatus>, Query, description = "Only runs in this state"),
        ("dataset" = Option<String>, Query, description = "Only runs of this dataset, by its short name"),
        ("model" = Option<i64>, Query, description = "Only runs of this model")),
    responses((status = 200, description = "Runs, newest first unless `sort` is `started`, `model`, `dataset` or `status`, or one of these with `-`; with `submission`, only `started` and `-started`", body = Page<RunRow>)))]
pub async fn list_runs(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(asked): QueryParams<OfSubmission>,
    page: Paging,
) -> JsonResult<Page<RunRow>> {
    Ok(Json(page.answer(state.services.runs.list(&admin, asked.submission, page.of()?).await?)))
}

/// Start a run
#[utoipa::path(post, path = "/runs", tag = "Runs", security(("token" = ["write:runs"])),
    request_body(content = NewRun, example = json!({"submission": 1, "fresh": false})),
    responses((status = 201, description = "The run", body = Created)))]
pub async fn start_run(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewRun>,
) -> Result<impl IntoResponse, Problem> {
    Ok(created("runs", state.services.runs.start(&admin, new).await?.0))
}

/// Get a run with its figures
#[utoipa::path(get, path = "/runs/{id}", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 200, description = "The run", body = Run)))]
pub async fn get_run(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> JsonResult<Run> {
    let found = state.services.runs.get(&admin, id).await?;
    Ok(Json(Run {
        row: found.row,
        environment: found.environment,
        pass_at: found.pass_at,
        published_pass_at: found.published_pass_at,
        differences: found.differences,
        fault: found.fault,
        verdicts: found.verdicts.into_iter().map(|(verdict, count)| (verdict.name(), count)).collect(),
        cached: found.cached,
    }))
}

/// Get every model's newest run in each language of HumanEval-X
///
/// Code generation by language, then translation by pair of languages.
#[utoipa::path(get, path = "/languages", tag = "Runs", security(("token" = ["read"])),
    responses((status = 200, description = "Models by languages", body = LanguageResults)))]
pub async fn get_languages(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> JsonResult<LanguageResults> {
    Ok(Json(state.services.runs.languages(&admin).await?))
}

/// Get the workers on other machines, and their queues
#[utoipa::path(get, path = "/workers", tag = "Runs", security(("token" = ["read"])),
    responses((status = 200, description = "Workers and queues; `null` if outputs run in the server's process", body = Option<Workers>)))]
pub async fn get_workers(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> JsonResult<Option<Workers>> {
    Ok(Json(state.services.runs.workers(&admin).await?))
}

/// Get every model's newest run in each way of CodeIF-Bench
///
/// Pass rates by way and kind of instruction, accuracy and forgetting by round, the leaderboard's column L-1, and how the
/// verdicts compare with those that the authors published.
#[utoipa::path(get, path = "/conversations", tag = "Runs", security(("token" = ["read"])),
    responses((status = 200, description = "Models by ways and rounds", body = ConversationResults)))]
pub async fn get_conversations(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> JsonResult<ConversationResults> {
    Ok(Json(state.services.runs.conversations(&admin).await?))
}

/// Get a run's progress
#[utoipa::path(get, path = "/runs/{id}/progress", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 200, description = "The progress; this operation is cheap enough for polling", body = RunProgress)))]
pub async fn get_run_progress(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> JsonResult<RunProgress> {
    Ok(Json(state.services.runs.progress(&admin, id).await?))
}

/// List a run's outputs with their verdicts
#[utoipa::path(get, path = "/runs/{id}/items", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run"), ListParams),
    responses((status = 200, description = "Outputs in the dataset's order", body = Page<ItemRow>)))]
pub async fn list_run_items(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
    page: Paging,
) -> JsonResult<Page<ItemRow>> {
    Ok(Json(page.answer(state.services.runs.items(&admin, id, ItemFilter::default(), page.of()?).await?)))
}

/// Get an output of a run with all details
#[utoipa::path(get, path = "/runs/{id}/items/{output}", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run"), ("output" = OutputId, Path, description = "ID of the output")),
    responses((status = 200, description = "The output's outcome", body = ItemDetail)))]
pub async fn get_run_item(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, output)): PathParams<(RunId, OutputId)>,
) -> JsonResult<ItemDetail> {
    Ok(Json(state.services.runs.item(&admin, id, output).await?))
}

/// Stop a run
///
/// Finished outputs keep their verdicts. A finished run does not change.
#[utoipa::path(post, path = "/runs/{id}/stop", tag = "Runs", security(("token" = ["write:runs"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 204, description = "The run is stopped")))]
pub async fn stop_run(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> Result<StatusCode, Problem> {
    state.services.runs.cancel(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Re-run outputs
///
/// One output (`{"output": 7}`), tasks by external ID (`{"tasks": ["12"]}`), or `"failed"` (engine errors),
/// `"changed"` (outputs whose result could differ today), `"rest"` (the unfinished outputs of a stopped run).
#[utoipa::path(post, path = "/runs/{id}/rerun", tag = "Runs", security(("token" = ["write:runs"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    request_body(content = Rerun, example = json!({"output": 1})),
    responses((status = 204, description = "The outputs are queued")))]
pub async fn rerun(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
    JsonBody(what): JsonBody<Rerun>,
) -> Result<StatusCode, Problem> {
    state.services.runs.rerun(&admin, id, what).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Compare two runs of one dataset
#[utoipa::path(get, path = "/runs/{id}/against/{other}", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the first run"),
        ("other" = RunId, Path, description = "ID of the second run"), RunPairQuery),
    responses((status = 200, description = "The comparison, task by task", body = RunPair)))]
pub async fn compare_runs(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, other)): PathParams<(RunId, RunId)>,
    QueryParams(focus): QueryParams<RunPairQuery>,
) -> JsonResult<RunPair> {
    Ok(Json(state.services.runs.compare(&admin, id, other, focus.task).await?))
}

/// Export a run's results as JSON Lines
///
/// One line per output, then a line with the figures. docs/engine.md describes the fields.
#[utoipa::path(get, path = "/runs/{id}/results.jsonl", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 200, description = "JSON Lines", body = String, content_type = "application/x-ndjson")))]
pub async fn run_results_jsonl(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> Result<impl IntoResponse, Problem> {
    let download = results(&state, admin, id, Form::JsonLines).await?;
    Ok(download::response(download, Form::JsonLines.media(), None))
}

/// Export a run's results as CSV
#[utoipa::path(get, path = "/runs/{id}/results.csv", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn run_results_csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> Result<impl IntoResponse, Problem> {
    let download = results(&state, admin, id, Form::Csv).await?;
    Ok(download::response(download, Form::Csv.media(), None))
}

/// Export a run's results as Parquet
#[utoipa::path(get, path = "/runs/{id}/results.parquet", tag = "Runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "ID of the run")),
    responses((status = 200, description = "Parquet", body = Vec<u8>, content_type = "application/vnd.apache.parquet")))]
pub async fn run_results_parquet(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<RunId>,
) -> Result<impl IntoResponse, Problem> {
    let download = results(&state, admin, id, Form::Parquet).await?;
    Ok(download::response(download, Form::Parquet.media(), None))
}
