//! The caller's tokens.

use axum::{Extension, Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    api::{CreatedToken, NewToken, Scope, TokenRow},
    caller::Admin,
    ids::ApiTokenId,
};
use port::api::Tokens;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};
use services::tokens::Bearer;

/// The caller.
#[derive(Serialize, ToSchema)]
pub struct CurrentToken {
    /// The person that the token acts as.
    name: String,
    token: ApiTokenId,
    /// The token's scopes.
    scopes: Vec<Scope>,
}

/// Get the token's user and scopes
#[utoipa::path(get, path = "/me", tag = "About the API", security(("token" = ["read"])),
    responses((status = 200, description = "The token", body = CurrentToken)))]
pub async fn me(Extension(bearer): Extension<Bearer>) -> Json<CurrentToken> {
    Json(CurrentToken { name: bearer.me.name, token: bearer.id, scopes: bearer.scopes })
}

/// List your tokens
#[utoipa::path(get, path = "/tokens", tag = "Tokens", params(ListParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Tokens, newest first", body = Page<TokenRow>)))]
pub async fn list_tokens(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<TokenRow>> {
    Ok(Json(page.answer(state.services.tokens.list(&admin, page.of()?).await?)))
}

/// Create a token
///
/// The response contains the secret, which is not shown again.
#[utoipa::path(post, path = "/tokens", tag = "Tokens", security(("token" = ["admin"])),
    request_body(content = NewToken, example = json!({"label": "Nightly runs", "scopes": ["read", "write:runs"], "days": 90})),
    responses((status = 201, description = "The token", body = CreatedToken)))]
pub async fn create_token(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewToken>,
) -> Result<impl IntoResponse, Problem> {
    Ok((StatusCode::CREATED, Json(state.services.tokens.create(&admin, new).await?)))
}

/// Revoke a token
#[utoipa::path(delete, path = "/tokens/{id}", tag = "Tokens", security(("token" = ["admin"])),
    params(("id" = ApiTokenId, Path, description = "ID of the token")),
    responses((status = 204, description = "The token is revoked")))]
pub async fn revoke_token(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<ApiTokenId>,
) -> Result<StatusCode, Problem> {
    state.services.tokens.revoke(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
