//! A study's tables: files of its comparison.

use axum::{
    extract::{Path, RawQuery, State},
    response::Redirect,
};
use model::{caller::Admin, ids::StudyId};

use super::{byte_order_mark, errors::HttpError, session::Authorized};
use crate::state::AppState;

/// `GET /admin/studies/{id}/ratings.csv`
pub async fn ratings(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
    RawQuery(query): RawQuery,
) -> Result<Redirect, HttpError> {
    file(&state, &admin, (StudyId(id), "study-ratings.csv"), query).await
}

/// `GET /admin/studies/{id}/comparison.csv`
pub async fn comparison(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
    RawQuery(query): RawQuery,
) -> Result<Redirect, HttpError> {
    file(&state, &admin, (StudyId(id), "means.csv"), query).await
}

async fn file(
    state: &AppState,
    admin: &Admin,
    (id, name): (StudyId, &str),
    query: Option<String>,
) -> Result<Redirect, HttpError> {
    let selection = state.services.comparisons.study_selection(admin, id, false).await?;
    let mark = if byte_order_mark::is_asked(query.as_deref()) { "&bom=true" } else { "" };
    Ok(Redirect::to(&format!("/admin/compare/{}/export/{name}?{}{mark}", selection.dataset, selection.query())))
}
