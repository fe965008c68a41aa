//! Known-score items of a study.

use axum::{Json, extract::State, http::StatusCode};
use model::{
    caller::Admin,
    ids::StudyId,
    quality::{KnownItemChange, KnownItemRecord, NewKnownItem},
};
use port::quality::Quality;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    problem::Problem,
    submissions::Created,
};
use crate::{session::Authorized, state::AppState};

/// Known-score items, as in a file.
#[derive(Debug, Deserialize, ToSchema)]
pub struct KnownItemFile {
    /// The items, 1 to 1,000.
    items: Vec<KnownItemRecord>,
}

/// Number of imported items.
#[derive(Serialize, ToSchema)]
pub struct Imported {
    /// Number of items.
    imported: u64,
}

/// Export a study's known-score items
///
/// The active ones, as `POST /studies/{id}/known-items/import` accepts them for another study of the dataset.
#[utoipa::path(get, path = "/studies/{id}/known-items", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "The items, oldest first", body = Vec<KnownItemRecord>)))]
pub async fn list_known_items(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<Vec<KnownItemRecord>> {
    Ok(Json(state.services.quality.known_items(&admin, id).await?))
}

/// Add a known-score item
///
/// `pool` says where it comes: `calibration`, `hidden` (as a hidden check) or `both`. An output that the study grades must
/// have a rating and needs a reason; without `scores` it gets its final scores, of its adjudication or else the median.
/// Nobody who has it as work gets it as an item, and nobody at all while a rating of it is missing.
#[utoipa::path(post, path = "/studies/{id}/known-items", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = NewKnownItem, example = json!({
        "source": {"Output": 1}, "scores": [4, 3, 5], "pool": "hidden",
        "reasons": [{"en": "Right", "zh": ""}, {"en": "Clear", "zh": ""}, {"en": "Short", "zh": ""}]
    })),
    responses((status = 201, description = "The item", body = Created)))]
pub async fn add_known_item(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(new): JsonBody<NewKnownItem>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    Ok((StatusCode::CREATED, Json(Created::of(state.services.quality.add_known_item(&admin, id, new).await?))))
}

/// Import known-score items
///
/// All or none. Each is code for a task of the study's dataset.
#[utoipa::path(post, path = "/studies/{id}/known-items/import", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = KnownItemFile, example = json!({"items": [
        {"task_id": "1", "code": "int zero() { return 0; }", "scores": [4, 3, 5], "pool": "calibration"}
    ]})),
    responses((status = 200, description = "The number of imported items", body = Imported)))]
pub async fn import_known_items(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(file): JsonBody<KnownItemFile>,
) -> JsonResult<Imported> {
    let imported = state.services.quality.import_known_items(&admin, id, file.items).await?;
    Ok(Json(Imported { imported }))
}

/// Deactivate or activate a known-score item, or change its pool
///
/// Ratings of it are kept. Nobody gets an item both in the calibration and as a hidden check.
#[utoipa::path(patch, path = "/studies/{id}/known-items/{item}", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("item" = i64, Path, description = "ID of the item")),
    request_body(content = KnownItemChange, example = json!({"pool": "hidden"})),
    responses((status = 204, description = "The item is changed")))]
pub async fn change_known_item(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, item)): PathParams<(StudyId, i64)>,
    JsonBody(change): JsonBody<KnownItemChange>,
) -> Result<StatusCode, Problem> {
    state.services.quality.change_known_item(&admin, id, item, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a known-score item
///
/// Only one that no rater has had; others can be deactivated.
#[utoipa::path(delete, path = "/studies/{id}/known-items/{item}", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("item" = i64, Path, description = "ID of the item")),
    responses((status = 204, description = "The item is removed")))]
pub async fn remove_known_item(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, item)): PathParams<(StudyId, i64)>,
) -> Result<StatusCode, Problem> {
    state.services.quality.remove_known_item(&admin, id, item).await?;
    Ok(StatusCode::NO_CONTENT)
}
