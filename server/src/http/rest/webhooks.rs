//! Webhooks.

use app::{
    model::{
        api::{DeliveryRow, MadeWebhook, NewWebhook, WebhookRow},
        ids::WebhookId,
    },
    port::api::Webhooks,
};
use axum::{Extension, Json, extract::State, http::StatusCode, response::IntoResponse};

use super::{
    Out, Who,
    input::{At, Given},
    paging::{Page, PageParams, Paging},
    problem::Problem,
};
use crate::state::AppState;

/// List webhooks
#[utoipa::path(get, path = "/webhooks", tag = "webhooks", params(PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Newest first", body = Page<WebhookRow>)))]
pub async fn list_webhooks(State(state): State<AppState>, Extension(who): Who, page: Paging) -> Out<Page<WebhookRow>> {
    Ok(Json(page.cut(state.services.webhooks.list(&who).await?, |row| row.id.to_string())?))
}

/// Create a webhook
///
/// The response contains the signing secret, which is not shown again.
#[utoipa::path(post, path = "/webhooks", tag = "webhooks", security(("token" = ["admin"])),
    request_body(content = NewWebhook, example = json!({"url": "https://hooks.example.org/aixgrade", "events": ["run.ended"]})),
    responses((status = 201, description = "The webhook", body = MadeWebhook)))]
pub async fn create_webhook(
    State(state): State<AppState>,
    Extension(who): Who,
    Given(new): Given<NewWebhook>,
) -> Result<impl IntoResponse, Problem> {
    Ok((StatusCode::CREATED, Json(state.services.webhooks.create(&who, new).await?)))
}

/// Delete a webhook and its messages
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "The webhook")),
    responses((status = 204, description = "It is gone")))]
pub async fn remove_webhook(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<WebhookId>,
) -> Result<StatusCode, Problem> {
    state.services.webhooks.remove(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a test message
#[utoipa::path(post, path = "/webhooks/{id}/test", tag = "webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "The webhook")),
    responses((status = 200, description = "What came of it", body = DeliveryRow)))]
pub async fn test_webhook(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<WebhookId>,
) -> Out<DeliveryRow> {
    Ok(Json(state.services.webhooks.test(&who, id).await?))
}

/// List a webhook's newest messages
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "webhooks", security(("token" = ["admin"])),
    params(("id" = WebhookId, Path, description = "The webhook"), PageParams),
    responses((status = 200, description = "Newest first", body = Page<DeliveryRow>)))]
pub async fn list_deliveries(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<WebhookId>,
    page: Paging,
) -> Out<Page<DeliveryRow>> {
    Ok(Json(page.cut(state.services.webhooks.deliveries(&who, id).await?, |row| row.id.to_string())?))
}
