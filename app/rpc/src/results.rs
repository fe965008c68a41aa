//! Results of all models on all datasets, for admins.

use leptos::prelude::*;

use model::{
    error::AppError,
    ids::ModelId,
    results::{Board, BoardQuery, ModelResults},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The leaderboard.
#[server(prefix = "/rpc", endpoint = "results_board", protocol = Call)]
pub async fn results_board(query: BoardQuery) -> Result<Board, AppError> {
    let (ports, admin) = ports()?;
    ports.results.board(&admin, query).await
}

/// One model's results, against a baseline where one is named, on the page of datasets after `after`.
#[server(prefix = "/rpc", endpoint = "results_model", protocol = Call)]
pub async fn results_model(
    model: ModelId,
    baseline: Option<ModelId>,
    #[server(default)] after: String,
) -> Result<ModelResults, AppError> {
    let (ports, admin) = ports()?;
    ports.results.model(&admin, model, baseline, after).await
}
