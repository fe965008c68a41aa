//! A rubric as a file.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::header,
    response::IntoResponse,
};
use model::caller::Admin;
use port::rubrics::Rubrics;
use serde::Deserialize;

use super::{errors::HttpError, session::Authorized};
use crate::state::AppState;

/// The query of an address.
#[derive(Deserialize)]
pub struct Asked {
    version: Option<u32>,
}

/// `GET /admin/rubrics/{slug}/rubric.json?version=`
pub async fn json(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(slug): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<impl IntoResponse, HttpError> {
    let rubric = state.services.rubrics.get(&admin, &slug, asked.version).await?.rubric;
    let name = format!("attachment; filename=\"{}-{}.json\"", rubric.slug, rubric.version);
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(rubric)))
}
