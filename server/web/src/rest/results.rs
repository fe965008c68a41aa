//! Results of all models on all datasets.

use axum::{Json, extract::State, response::IntoResponse};
use model::{
    caller::Admin,
    ids::ModelId,
    results::{Board, BoardQuery, ModelResults},
};
use port::Results;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    JsonResult,
    input::{PathParams, QueryParams},
    problem::Problem,
};
use crate::{download, session::Authorized, state::AppState};
use services::results::Allowance;

/// A filter of the leaderboard.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct BoardParams {
    /// Short name of the only dataset; all datasets where absent.
    #[param(required = false)]
    dataset: String,
    /// Words of the models' names.
    #[param(required = false)]
    q: String,
    /// `model`, or a dataset's short name, a dot and a dimension's key or `pass@1`; the first column with data where
    /// absent.
    #[param(required = false)]
    sort: String,
    /// Whether the order is reversed.
    #[param(required = false)]
    reverse: bool,
    /// The page of 100 models, counted from 0.
    #[param(required = false)]
    page: u32,
    /// Short name of the last dataset on the page of 20 datasets before: `next` of that page. The first page where
    /// absent.
    #[param(required = false)]
    after: String,
    /// The slice of tasks that figures, ranks and highest values are of: an attribute, a dot and a value. These are
    /// `difficulty` with `hard`, `medium`, `easy` and `unknown`; `length` with `short`, `medium` and `long`; `code_lang` with
    /// `python`, `cpp`, `java`, `javascript`, `go` and `rust`; `nl_lang` with `en` and `zh`. All tasks where absent.
    #[param(required = false, example = "difficulty.hard")]
    slice: String,
}

impl From<BoardParams> for BoardQuery {
    fn from(p: BoardParams) -> BoardQuery {
        let BoardParams { dataset, q, sort, reverse, page, after, slice } = p;
        BoardQuery { dataset, q, sort, reverse, page, after, slice }
    }
}

/// Get the leaderboard
///
/// Models × datasets: mean final scores by people on each dimension and pass@k by tests, each with its 95 %
/// interval, number of tasks and time. A model without data for a dataset has `null`, never 0. Models without data for any
/// of them are in `empty`. With `slice`, all of this is of the tasks with an attribute in common alone, with pass@1 of the tests;
/// each dataset's `slice` says how many these are. By difficulty, each model has its own tasks, so there are no ranks.
#[utoipa::path(get, path = "/results", tag = "Comparisons", params(BoardParams), security(("token" = ["read"])),
    responses((status = 200, description = "The leaderboard", body = Board)))]
pub async fn get_results(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(params): QueryParams<BoardParams>,
) -> JsonResult<Board> {
    Ok(Json(state.services.results.board(&admin, params.into()).await?))
}

/// Download the leaderboard as CSV
///
/// All models that the query selects on all datasets, a line for each figure; `page` and `after` are ignored. While
/// the first figures of a dataset are being computed, the answer is 409 and names it.
#[utoipa::path(get, path = "/results.csv", tag = "Comparisons", params(BoardParams), security(("token" = ["read"])),
    responses((status = 200, description = "The figures", body = String, content_type = "text/csv")))]
pub async fn results_csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(params): QueryParams<BoardParams>,
) -> Result<impl IntoResponse, Problem> {
    let download = state.services.results.csv(&admin, params.into(), Allowance::of_request()).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", None))
}

/// The model that one is compared with, and a page of datasets.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct BaselineParams {
    /// The baseline's number.
    #[param(required = false)]
    baseline: Option<i64>,
    /// Short name of the last dataset on the page of 20 datasets before: `next` of that page. The first page where
    /// absent.
    #[param(required = false)]
    after: String,
}

/// Get a model's results
///
/// Scores on a page of datasets with their differences from a baseline, submissions, studies, and test runs over time.
#[utoipa::path(get, path = "/results/models/{model}", tag = "Comparisons", security(("token" = ["read"])),
    params(("model" = ModelId, Path, description = "The model"), BaselineParams),
    responses((status = 200, description = "The results", body = ModelResults)))]
pub async fn get_model_results(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(model): PathParams<ModelId>,
    QueryParams(params): QueryParams<BaselineParams>,
) -> JsonResult<ModelResults> {
    Ok(Json(state.services.results.model(&admin, model, params.baseline.map(ModelId), params.after).await?))
}
