//! Groups of people.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    caller::Admin,
    group::{Group, MemberChange},
    ids::GroupId,
};
use port::groups::Groups;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// The name of a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedGroup {
    /// 1 to 60 characters; no two groups have the same name.
    name: String,
}

/// List groups
#[utoipa::path(get, path = "/groups", tag = "People", params(ListParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Groups with their members, by name", body = Page<Group>)))]
pub async fn list_groups(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<Group>> {
    Ok(Json(page.answer(state.services.groups.list(&admin, page.of()?).await?)))
}

/// Create a group
#[utoipa::path(post, path = "/groups", tag = "People", security(("token" = ["admin"])),
    request_body(content = NamedGroup, example = json!({"name": "Java reviewers"})),
    responses((status = 201, description = "The group", body = Group)))]
pub async fn create_group(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NamedGroup>,
) -> Result<impl IntoResponse, Problem> {
    let id = state.services.groups.create(&admin, &new.name).await?;
    Ok((StatusCode::CREATED, Json(state.services.groups.get(&admin, id).await?)))
}

/// Get a group
#[utoipa::path(get, path = "/groups/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = GroupId, Path, description = "ID of the group")),
    responses((status = 200, description = "The group with its members", body = Group)))]
pub async fn get_group(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<GroupId>,
) -> JsonResult<Group> {
    Ok(Json(state.services.groups.get(&admin, id).await?))
}

/// Rename a group
#[utoipa::path(patch, path = "/groups/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = GroupId, Path, description = "ID of the group")),
    request_body(content = NamedGroup, example = json!({"name": "Java reviewers"})),
    responses((status = 204, description = "The group is renamed")))]
pub async fn rename_group(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<GroupId>,
    JsonBody(new): JsonBody<NamedGroup>,
) -> Result<StatusCode, Problem> {
    state.services.groups.rename(&admin, id, &new.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a group
///
/// Its members keep their accounts and their work.
#[utoipa::path(delete, path = "/groups/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = GroupId, Path, description = "ID of the group")),
    responses((status = 204, description = "The group is deleted")))]
pub async fn delete_group(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<GroupId>,
) -> Result<StatusCode, Problem> {
    state.services.groups.delete(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Add and remove members of a group
#[utoipa::path(patch, path = "/groups/{id}/members", tag = "People", security(("token" = ["admin"])),
    params(("id" = GroupId, Path, description = "ID of the group")),
    request_body(content = MemberChange, example = json!({"add": [2, 3], "remove": [4]})),
    responses((status = 204, description = "The members are changed")))]
pub async fn change_group_members(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<GroupId>,
    JsonBody(change): JsonBody<MemberChange>,
) -> Result<StatusCode, Problem> {
    state.services.groups.change_members(&admin, id, change).await?;
    Ok(StatusCode::NO_CONTENT)
}
