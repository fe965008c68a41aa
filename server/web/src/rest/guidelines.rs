//! Guidelines of studies and datasets.

use axum::{Json, extract::State, http::StatusCode};
use model::{audit::Object, caller::Admin, guidelines::GuidelinesDetail, lang::Bilingual};
use port::guidelines::Guidelines;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    JsonResult,
    input::{JsonBody, PathParams, QueryParams},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// Selects a version of guidelines.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GuidelinesVersionParams {
    /// Number of the version; default: the newest.
    version: Option<u32>,
}

fn object((kind, key): &(String, String)) -> Result<Object, Problem> {
    let found = format!("{kind} {key}").parse().ok();
    let found = found.filter(|found| matches!(found, Object::Study(_) | Object::Dataset(_)));
    found.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "The kind is `study` or `dataset`."))
}

/// Get the guidelines of a study, or the default of a dataset's new studies
#[utoipa::path(get, path = "/guidelines/{kind}/{key}", tag = "Studies", security(("token" = ["read"])),
    params(("kind" = String, Path, description = "`study` or `dataset`"),
        ("key" = String, Path, description = "ID of the study, or the dataset's short name"), GuidelinesVersionParams),
    responses((status = 200, description = "The guidelines", body = GuidelinesDetail)))]
pub async fn get_guidelines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
    QueryParams(asked): QueryParams<GuidelinesVersionParams>,
) -> JsonResult<GuidelinesDetail> {
    Ok(Json(state.services.guidelines.get(&admin, object(&at)?, asked.version).await?))
}

/// Save a new version of guidelines
///
/// Markdown in both languages; raters see the other one where one is empty. Empty texts remove the guidelines.
#[utoipa::path(put, path = "/guidelines/{kind}/{key}", tag = "Studies", security(("token" = ["write:studies"])),
    params(("kind" = String, Path, description = "`study` or `dataset`"),
        ("key" = String, Path, description = "ID of the study, or the dataset's short name")),
    request_body(content = Bilingual, example = json!({"en": "# How to rate\n\nRead the description first.", "zh": ""})),
    responses((status = 200, description = "The newest version", body = GuidelinesDetail)))]
pub async fn save_guidelines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
    JsonBody(text): JsonBody<Bilingual>,
) -> JsonResult<GuidelinesDetail> {
    state.services.guidelines.save(&admin, object(&at)?, text, None).await?;
    Ok(Json(state.services.guidelines.get(&admin, object(&at)?, None).await?))
}
