//! A study's tables as files.

use app::{model::ids::StudyId, port::Caller};
use axum::{
    Extension,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};

use super::{download, errors::HttpError};
use crate::state::AppState;

/// `GET /admin/studies/{id}/ratings.csv`
pub async fn ratings(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let download = state.services.studies.ratings_csv(&caller, StudyId(id)).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", Some(format!("study-{id}-ratings.csv"))))
}

/// `GET /admin/studies/{id}/comparison.csv`
pub async fn comparison(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let bytes = state.services.studies.comparison_csv(&caller, StudyId(id)).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"study-{id}-comparison.csv\"")),
    ];
    Ok((headers, bytes))
}
