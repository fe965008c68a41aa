//! Webhooks.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    api::{CreatedWebhook, DeliveryRow, NewWebhook, WebhookRow},
    caller::Admin,
    ids::WebhookId,
};
use port::api::Webhooks;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{Page, PageParams, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// List webhooks
#[utoipa::path(get, path = "/webhooks", tag = "Webhooks", params(PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Webhooks, newest first", body = Page<WebhookRow>)))]
pub async fn list_webhooks(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<WebhookRow>> {
    Ok(Json(page.answer(state.services.webhooks.list(&admin, page.of()?).await?)))
}

/// Create a webhook
///
/// The response contains the signing secret, which is not shown again.
#[utoipa::path(post, path = "/webhooks", tag = "Webhooks", security(("token" = ["admin"])),
    request_body(content = NewWebhook, example = json!({"url": "https://hooks.example.org/aixgrade", "events": ["run.ended"]})),
    responses((status = 201, description = "The webhook", body = CreatedWebhook)))]
pub async fn create_webhook(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewWebhook>,
) -> Result<impl IntoResponse, Problem> {
    Ok((StatusCode::CREATED, Json(state.services.webhooks.create(&admin, new).await?)))
}

/// Delete a webhook and its deliveries
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "Webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "ID of the webhook")),
    responses((status = 204, description = "The webhook is deleted")))]
pub async fn remove_webhook(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<WebhookId>,
) -> Result<StatusCode, Problem> {
    state.services.webhooks.remove(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a test delivery
#[utoipa::path(post, path = "/webhooks/{id}/test", tag = "Webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "ID of the webhook")),
    responses((status = 200, description = "Result of the delivery", body = DeliveryRow)))]
pub async fn test_webhook(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<WebhookId>,
) -> JsonResult<DeliveryRow> {
    Ok(Json(state.services.webhooks.test(&admin, id).await?))
}

/// List a webhook's newest deliveries
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "Webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "ID of the webhook"), PageParams),
    responses((status = 200, description = "Deliveries, newest first", body = Page<DeliveryRow>)))]
pub async fn list_deliveries(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<WebhookId>,
    page: Paging,
) -> JsonResult<Page<DeliveryRow>> {
    Ok(Json(page.answer(state.services.webhooks.deliveries(&admin, id, page.of()?).await?)))
}
