//! People and invitations.

use app::{
    model::{
        ids::UserId,
        user::{Invitation, Role, UserRow},
    },
    port::Accounts,
};
use axum::{Extension, Json, extract::State, http::StatusCode, response::IntoResponse};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Out, Who,
    input::{At, Given},
    paging::{Page, PageParams, Paging},
    problem::Problem,
};
use crate::state::AppState;

/// What changes about a person.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Change {
    /// Whether logging in is switched off; that ends their sessions and tokens.
    disabled: bool,
}

/// Whom to invite.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewInvitation {
    /// A note for yourself: who it is for.
    #[serde(default)]
    label: String,
    /// The role of the account it makes.
    role: Role,
    /// How many days it works: 1 to 90.
    #[serde(default = "fortnight")]
    days: u32,
}

fn fortnight() -> u32 {
    14
}

/// A new invitation.
#[derive(Serialize, ToSchema)]
pub struct MadeInvitation {
    /// The link's path on this server; it works once, and is shown once.
    path: String,
}

/// Everybody with an account
#[utoipa::path(get, path = "/people", tag = "people", params(PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "By name", body = Page<UserRow>)))]
pub async fn list_people(State(state): State<AppState>, Extension(who): Who, page: Paging) -> Out<Page<UserRow>> {
    Ok(Json(page.cut(state.services.accounts.users(&who).await?, |row| row.id.to_string())?))
}

/// Switch logging in off or on for somebody
#[utoipa::path(patch, path = "/people/{id}", tag = "people", security(("token" = ["admin"])),
    params(("id" = UserId, Path, description = "The person")),
    request_body(content = Change, example = json!({"disabled": true})),
    responses((status = 204, description = "It is so")))]
pub async fn update_person(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<UserId>,
    Given(change): Given<Change>,
) -> Result<StatusCode, Problem> {
    state.services.accounts.set_disabled(&who, id, change.disabled).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Every invitation
#[utoipa::path(get, path = "/invitations", tag = "people", params(PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Newest first", body = Page<Invitation>)))]
pub async fn list_invitations(
    State(state): State<AppState>,
    Extension(who): Who,
    page: Paging,
) -> Out<Page<Invitation>> {
    Ok(Json(page.cut(state.services.accounts.invitations(&who).await?, |row| row.id.to_string())?))
}

/// Make an invitation
///
/// The link is in the answer, this once.
#[utoipa::path(post, path = "/invitations", tag = "people", security(("token" = ["admin"])),
    request_body(content = NewInvitation, example = json!({"label": "Dora", "role": "rater", "days": 14})),
    responses((status = 201, description = "The link", body = MadeInvitation)))]
pub async fn create_invitation(
    State(state): State<AppState>,
    Extension(who): Who,
    Given(new): Given<NewInvitation>,
) -> Result<impl IntoResponse, Problem> {
    let secret = state.services.accounts.invite(&who, &new.label, new.role, new.days).await?;
    Ok((StatusCode::CREATED, Json(MadeInvitation { path: format!("/join/{secret}") })))
}

/// End an invitation that nobody has used
#[utoipa::path(delete, path = "/invitations/{id}", tag = "people", security(("token" = ["admin"])),
    params(("id" = i64, Path, description = "The invitation")),
    responses((status = 204, description = "It works no longer")))]
pub async fn revoke_invitation(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<i64>,
) -> Result<StatusCode, Problem> {
    state.services.accounts.revoke(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
