//! A run's results as files.

use app::{
    model::ids::RunId,
    port::{Caller, Runs as _},
};
use axum::{
    Extension,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};

use super::errors::HttpError;
use crate::{report, state::AppState};

/// `GET /admin/runs/{id}/results.csv`
pub async fn csv(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let detail = state.services.runs.get(&caller, RunId(id)).await?;
    Ok(file(format!("run-{id}.csv"), "text/csv; charset=utf-8", report::runs::csv(&detail)?))
}

/// `GET /admin/runs/{id}/results.jsonl`
pub async fn json_lines(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let detail = state.services.runs.get(&caller, RunId(id)).await?;
    Ok(file(format!("run-{id}.jsonl"), "application/jsonl", report::runs::json_lines(&detail)?))
}

fn file(name: String, kind: &str, bytes: Vec<u8>) -> impl IntoResponse + use<> {
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, bytes)
}
