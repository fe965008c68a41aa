//! Runs of automated tests.

use std::collections::BTreeMap;

use app::{
    model::{
        ids::{OutputId, RunId, SubmissionId},
        run::{Again, Environment, ItemDetail, ItemRow, PassAtK, RunProgress, RunRow, StartHow},
        run_pair::RunPair,
    },
    port::Runs,
};
use axum::{Extension, Json, extract::State, http::StatusCode, response::IntoResponse};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Out, Who,
    input::{Asked, At, Given},
    paging::{Page, PageParams, Paging},
    problem::Problem,
    submissions::{Made, made},
};
use crate::{http::download, report, state::AppState};

/// Which runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfSubmission {
    /// Only a submission's.
    submission: Option<SubmissionId>,
}

/// What is to be run.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewRun {
    /// The submission.
    submission: SubmissionId,
    /// Whether earlier outcomes of the same code are left alone, so that everything runs.
    #[serde(default)]
    fresh: bool,
    /// Whether outputs that keep to themselves share a JVM.
    #[serde(default)]
    fast: bool,
    /// Whether outputs and tests see June 2022 and not today.
    #[serde(default)]
    june_2022: bool,
    /// A run in whose way this one is to be done, whatever `fast` and `june_2022` say.
    #[serde(default)]
    like: Option<RunId>,
}

/// Which runs stand side by side.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Focus {
    /// A task, by its source's id, whose outputs are wanted with their code.
    task: Option<String>,
}

/// A run without its outputs.
#[derive(Serialize, ToSchema)]
pub struct Run {
    /// The list's row, with the figures.
    row: RunRow,
    /// What was the same for every output.
    environment: Environment,
    /// `pass@k` for every k up to the smallest number of samples, where there is more than one.
    pass_at: Vec<PassAtK>,
    /// Why the engine could not do it at all, where it could not.
    fault: Option<String>,
    /// How many outputs came to each verdict.
    verdicts: BTreeMap<&'static str, u32>,
    /// How many were answered from the cache.
    cached: u32,
}

/// Every run
#[utoipa::path(get, path = "/runs", tag = "runs", params(OfSubmission, PageParams), security(("token" = ["read"])),
    responses((status = 200, description = "Newest first", body = Page<RunRow>)))]
pub async fn list_runs(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(asked): Asked<OfSubmission>,
    page: Paging,
) -> Out<Page<RunRow>> {
    Ok(Json(page.cut(state.services.runs.list(&who, asked.submission).await?, |row| row.id.to_string())?))
}

/// Start a run
#[utoipa::path(post, path = "/runs", tag = "runs", security(("token" = ["write:runs"])),
    request_body(content = NewRun, example = json!({"submission": 1, "fresh": false})),
    responses((status = 201, description = "The run", body = Made)))]
pub async fn start_run(
    State(state): State<AppState>,
    Extension(who): Who,
    Given(new): Given<NewRun>,
) -> Result<impl IntoResponse, Problem> {
    let how = StartHow { fresh: new.fresh, fast: new.fast, june_2022: new.june_2022, like: new.like };
    Ok(made("runs", state.services.runs.start_so(&who, new.submission, how).await?.0))
}

/// One run with its figures
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run")),
    responses((status = 200, description = "The run", body = Run)))]
pub async fn get_run(State(state): State<AppState>, Extension(who): Who, At(id): At<RunId>) -> Out<Run> {
    let found = state.services.runs.get(&who, id).await?;
    Ok(Json(Run {
        row: found.row,
        environment: found.environment,
        pass_at: found.pass_at,
        fault: found.fault,
        verdicts: found.verdicts.into_iter().map(|(verdict, count)| (verdict.name(), count)).collect(),
        cached: found.cached,
    }))
}

/// How far a run is
#[utoipa::path(get, path = "/runs/{id}/progress", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run")),
    responses((status = 200, description = "Cheap to ask for, again and again", body = RunProgress)))]
pub async fn get_run_progress(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
) -> Out<RunProgress> {
    Ok(Json(state.services.runs.progress(&who, id).await?))
}

/// A run's outputs with their verdicts
#[utoipa::path(get, path = "/runs/{id}/items", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run"), PageParams),
    responses((status = 200, description = "In the dataset's order", body = Page<ItemRow>)))]
pub async fn list_run_items(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
    page: Paging,
) -> Out<Page<ItemRow>> {
    Ok(Json(page.cut(state.services.runs.get(&who, id).await?.items, |item| item.output.to_string())?))
}

/// One output of a run with all that is known
#[utoipa::path(get, path = "/runs/{id}/items/{output}", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run"), ("output" = OutputId, Path, description = "The output")),
    responses((status = 200, description = "The output's outcome", body = ItemDetail)))]
pub async fn get_run_item(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, output)): At<(RunId, OutputId)>,
) -> Out<ItemDetail> {
    Ok(Json(state.services.runs.item(&who, id, output).await?))
}

/// Stop a run
///
/// What is done stays. A run that is at its end already stays as it is.
#[utoipa::path(post, path = "/runs/{id}/cancel", tag = "runs", security(("token" = ["write:runs"])),
    params(("id" = RunId, Path, description = "The run")),
    responses((status = 204, description = "It is stopped")))]
pub async fn cancel_run(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
) -> Result<StatusCode, Problem> {
    state.services.runs.cancel(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run outputs again
///
/// One output (`{"output": 7}`), some tasks by their source's ids (`{"tasks": ["12"]}`), or `"failed"` (those
/// on which the program's own machinery failed), `"changed"` (those that could come to something else today),
/// `"rest"` (what was left when the run was stopped).
#[utoipa::path(post, path = "/runs/{id}/rerun", tag = "runs", security(("token" = ["write:runs"])),
    params(("id" = RunId, Path, description = "The run")),
    request_body(content = Again, example = json!({"output": 1})),
    responses((status = 204, description = "They wait")))]
pub async fn rerun(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
    Given(what): Given<Again>,
) -> Result<StatusCode, Problem> {
    state.services.runs.again(&who, id, what).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Two runs of one dataset side by side
#[utoipa::path(get, path = "/runs/{id}/against/{other}", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The one on the left"),
        ("other" = RunId, Path, description = "The one on the right"), Focus),
    responses((status = 200, description = "Task by task", body = RunPair)))]
pub async fn compare_runs(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, other)): At<(RunId, RunId)>,
    Asked(focus): Asked<Focus>,
) -> Out<RunPair> {
    Ok(Json(state.services.runs.compare(&who, id, other, focus.task).await?))
}

/// A run's results as JSON Lines
///
/// A line an output, and a last one with the figures: docs/engine.md describes them.
#[utoipa::path(get, path = "/runs/{id}/results.jsonl", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run")),
    responses((status = 200, description = "JSON Lines", body = String, content_type = "application/jsonl")))]
pub async fn run_results_jsonl(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
) -> Result<impl IntoResponse, Problem> {
    let detail = state.services.runs.get(&who, id).await?;
    let download = state.services.spool.write(move |out| report::runs::json_lines(&detail, out).map(|()| 0)).await?;
    Ok(download::response(download, "application/jsonl", None))
}

/// A run's results as CSV
#[utoipa::path(get, path = "/runs/{id}/results.csv", tag = "runs", security(("token" = ["read"])),
    params(("id" = RunId, Path, description = "The run")),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn run_results_csv(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<RunId>,
) -> Result<impl IntoResponse, Problem> {
    let detail = state.services.runs.get(&who, id).await?;
    let download = state.services.spool.write(move |out| report::runs::csv(&detail, out).map(|()| 0)).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", None))
}
