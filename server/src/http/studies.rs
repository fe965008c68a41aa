//! A study's tables as files.

use app::{model::ids::StudyId, port::Caller};
use axum::{
    Extension,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};

use super::errors::HttpError;
use crate::state::AppState;

/// `GET /admin/studies/{id}/ratings.csv`
pub async fn ratings(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let bytes = state.services.studies.ratings_csv(&caller, StudyId(id)).await?;
    Ok(file(format!("study-{id}-ratings.csv"), bytes))
}

/// `GET /admin/studies/{id}/comparison.csv`
pub async fn comparison(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let bytes = state.services.studies.comparison_csv(&caller, StudyId(id)).await?;
    Ok(file(format!("study-{id}-comparison.csv"), bytes))
}

fn file(name: String, bytes: Vec<u8>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, bytes)
}
