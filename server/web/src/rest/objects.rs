//! Renaming, archiving and deleting datasets, rubrics, submissions and studies.

use axum::{Json, extract::State, http::StatusCode};
use model::{
    audit::Object,
    caller::Admin,
    upkeep::{Archived, Upkeep},
};
use port::upkeep::Upkeeps;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// A change of an object: exactly one of the fields.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ObjectChange {
    /// A study's title, or the name of a submission's model.
    name: Option<String>,
    /// Whether it is archived: no list and no default selection contains it then.
    archived: Option<bool>,
}

fn object((kind, key): &(String, String)) -> Result<Object, Problem> {
    format!("{kind} {key}")
        .parse()
        .map_err(|_| Problem::new(StatusCode::NOT_FOUND, "The kind is `dataset`, `rubric`, `submission` or `study`."))
}

/// List archived objects
#[utoipa::path(get, path = "/archive", tag = "Objects", security(("token" = ["read"])),
    responses((status = 200, description = "Archived objects, newest first", body = Vec<Archived>)))]
pub async fn list_archive(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> JsonResult<Vec<Archived>> {
    Ok(Json(state.services.upkeep.archived(&admin).await?))
}

/// Get an object's name, state and dependents
#[utoipa::path(get, path = "/objects/{kind}/{key}", tag = "Objects", security(("token" = ["read"])),
    params(("kind" = String, Path, description = "`dataset`, `rubric`, `submission` or `study`"),
        ("key" = String, Path, description = "ID, or a dataset's or rubric's short name")),
    responses((status = 200, description = "The object", body = Upkeep)))]
pub async fn get_object(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
) -> JsonResult<Upkeep> {
    Ok(Json(state.services.upkeep.get(&admin, object(&at)?).await?))
}

/// Rename, archive or unarchive an object
#[utoipa::path(patch, path = "/objects/{kind}/{key}", tag = "Objects", security(("token" = ["admin"])),
    params(("kind" = String, Path, description = "`dataset`, `rubric`, `submission` or `study`"),
        ("key" = String, Path, description = "ID, or a dataset's or rubric's short name")),
    request_body(content = ObjectChange, example = json!({"archived": true})),
    responses((status = 200, description = "The changed object", body = Upkeep)))]
pub async fn update_object(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
    JsonBody(change): JsonBody<ObjectChange>,
) -> JsonResult<Upkeep> {
    let upkeep = &state.services.upkeep;
    match (&change.name, change.archived) {
        (Some(name), None) => upkeep.rename(&admin, object(&at)?, name).await?,
        (None, Some(archived)) => upkeep.set_archived(&admin, object(&at)?, archived).await?,
        _ => {
            let detail = "Send either `name` or `archived`: one change per request.";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
        }
    }
    Ok(Json(upkeep.get(&admin, object(&at)?).await?))
}

/// Delete an object to which no work refers
///
/// Submissions and studies can be restored for 15 seconds.
#[utoipa::path(delete, path = "/objects/{kind}/{key}", tag = "Objects", security(("token" = ["admin"])),
    params(("kind" = String, Path, description = "`dataset`, `rubric`, `submission` or `study`"),
        ("key" = String, Path, description = "ID, or a dataset's or rubric's short name")),
    responses((status = 204, description = "Deleted")))]
pub async fn delete_object(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
) -> Result<StatusCode, Problem> {
    state.services.upkeep.delete(&admin, object(&at)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Undo a deletion
#[utoipa::path(post, path = "/objects/{kind}/{key}/restore", tag = "Objects", security(("token" = ["admin"])),
    params(("kind" = String, Path, description = "`submission` or `study`"), ("key" = String, Path, description = "ID")),
    responses((status = 200, description = "The restored object", body = Upkeep)))]
pub async fn restore_object(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(at): PathParams<(String, String)>,
) -> JsonResult<Upkeep> {
    state.services.upkeep.restore(&admin, object(&at)?).await?;
    Ok(Json(state.services.upkeep.get(&admin, object(&at)?).await?))
}
