//! A study's tables: files of its comparison.

use axum::{
    extract::{Path, State},
    response::Redirect,
};
use model::{caller::Admin, ids::StudyId};

use super::{errors::HttpError, session::Authorized};
use crate::state::AppState;

/// `GET /admin/studies/{id}/ratings.csv`
pub async fn ratings(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<Redirect, HttpError> {
    file(&state, &admin, StudyId(id), "study-ratings.csv").await
}

/// `GET /admin/studies/{id}/comparison.csv`
pub async fn comparison(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<Redirect, HttpError> {
    file(&state, &admin, StudyId(id), "means.csv").await
}

async fn file(state: &AppState, admin: &Admin, id: StudyId, name: &str) -> Result<Redirect, HttpError> {
    let selection = state.services.comparisons.study_selection(admin, id, false).await?;
    Ok(Redirect::to(&format!("/admin/compare/{}/export/{name}?{}", selection.dataset, selection.query())))
}
