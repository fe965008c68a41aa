//! The leaderboard as a download.

use axum::{
    extract::{Query, State},
    response::IntoResponse,
};
use model::{caller::Admin, results::BoardQuery};

use super::{download, errors::HttpError, session::Authorized};
use crate::state::AppState;
use services::results::Allowance;

/// `GET /admin/results.csv?…`: every model that the page's filter selects.
pub async fn csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let asked = BoardQuery::read(|key| last(key).unwrap_or_default());
    let download = state.services.results.csv(&admin, asked, Allowance::of_request()).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", Some("results.csv".into())))
}
