//! People and invitations.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    caller::Admin,
    ids::{GroupId, StudyId, UserId},
    user::{Invitation, Joins, Role, UserRow},
};
use port::Accounts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// Changes of a person. Fields that are absent stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = PersonChange)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Whether the account is deactivated. Deactivation ends sessions and tokens.
    disabled: Option<bool>,
    /// The new role. An admin who becomes a rater is logged out, and their tokens stop working.
    role: Option<Role>,
}

/// Request for an invitation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewInvitation {
    /// Label, visible only to admins.
    #[serde(default)]
    label: String,
    /// Role of the new account.
    role: Role,
    /// Lifetime in days, 1 to 90.
    #[serde(default = "fortnight")]
    days: u32,
    /// The group that the new account joins.
    #[serde(default)]
    group: Option<GroupId>,
    /// The study that the new account joins as a rater. It must not be closed.
    #[serde(default)]
    study: Option<StudyId>,
    /// Whether to send the link to the email address in the label, such as `Dora <dora@example.org>`. Refused if the
    /// operator has named no SMTP server.
    #[serde(default)]
    send: bool,
}

fn fortnight() -> u32 {
    14
}

/// A new invitation.
#[derive(Serialize, ToSchema)]
#[schema(as = InvitationPath)]
pub struct CreatedInvitation {
    /// Path of the link on this server. It can be used once and is not shown again.
    path: String,
}

/// List accounts
#[utoipa::path(get, path = "/people", tag = "People", security(("token" = ["admin"])),
    params(ListParams,
        ("role" = Option<Role>, Query, description = "Only accounts with this role"),
        ("group" = Option<GroupId>, Query, description = "Only members of this group"),
        ("active" = Option<String>, Query, description = "Only active accounts, `1`, or deactivated ones, `0`")),
    responses((status = 200, description = "Accounts, sorted by name unless `sort` is `name`, `since`, `role` or `seen`, or one of these with `-`", body = Page<UserRow>)))]
pub async fn list_people(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<UserRow>> {
    Ok(Json(page.answer(state.services.accounts.users(&admin, page.of()?).await?)))
}

/// Change the role of an account, or deactivate or activate it
#[utoipa::path(patch, path = "/people/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = UserId, Path, description = "User ID of the person")),
    request_body(content = Change, example = json!({"disabled": true})),
    responses((status = 204, description = "The account is changed")))]
pub async fn update_person(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<UserId>,
    JsonBody(change): JsonBody<Change>,
) -> Result<StatusCode, Problem> {
    // Also a change of nothing needs its account.
    state.services.accounts.find(&admin, id).await?;
    if let Some(role) = change.role {
        state.services.accounts.set_role(&admin, id, role).await?;
    }
    if let Some(disabled) = change.disabled {
        state.services.accounts.set_disabled(&admin, id, disabled).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// List invitations
#[utoipa::path(get, path = "/invitations", tag = "People", params(ListParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Invitations, newest first", body = Page<Invitation>)))]
pub async fn list_invitations(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<Invitation>> {
    Ok(Json(page.answer(state.services.accounts.invitations(&admin, page.of()?).await?)))
}

/// Create an invitation
///
/// The response contains the link, which is not shown again.
#[utoipa::path(post, path = "/invitations", tag = "People", security(("token" = ["admin"])),
    request_body(content = NewInvitation, example = json!({"label": "Dora", "role": "rater", "days": 14})),
    responses((status = 201, description = "The link", body = CreatedInvitation)))]
pub async fn create_invitation(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewInvitation>,
) -> Result<impl IntoResponse, Problem> {
    let joins = Joins { group: new.group, study: new.study };
    let accounts = &state.services.accounts;
    let secret = match new.send {
        true => accounts.invite_by_mail(&admin, &new.label, new.role, new.days, joins).await?,
        false => accounts.invite(&admin, &new.label, new.role, new.days, joins).await?,
    };
    Ok((StatusCode::CREATED, Json(CreatedInvitation { path: format!("/join/{secret}") })))
}

/// Revoke an unused invitation
#[utoipa::path(delete, path = "/invitations/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = i64, Path, description = "ID of the invitation")),
    responses((status = 204, description = "The invitation is revoked")))]
pub async fn revoke_invitation(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<i64>,
) -> Result<StatusCode, Problem> {
    state.services.accounts.revoke(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
