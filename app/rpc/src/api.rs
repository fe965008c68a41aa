//! Tokens, webhooks, public links. A secret that is shown once must not be in an address, so creating a token
//! or a webhook needs JavaScript or the command line.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::api::{NewPublicLink, NewToken, NewWebhook};
use model::{
    api::{
        ApiReference, CreatedPublicLink, CreatedToken, CreatedWebhook, DeliveryRow, PublicLinkRow, PublicStudy,
        PublicTask, Publication, Scope, TokenRow, WebhookEvent, WebhookRow,
    },
    error::AppError,
    ids::{ApiTokenId, PublicLinkId, StudyId, TaskId, WebhookId},
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::{open_ports, ports};

/// A page of the caller's tokens.
#[server(prefix = "/rpc", endpoint = "tokens", protocol = Call)]
pub async fn tokens(#[server(default)] page: PageOf) -> Result<Paged<TokenRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.tokens.list(&admin, page).await
}

/// Creates a token and returns its secret, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_token", protocol = Call)]
pub async fn create_token(label: String, scopes: Vec<Scope>, days: u32) -> Result<CreatedToken, AppError> {
    let (ports, admin) = ports()?;
    ports.tokens.create(&admin, NewToken { label, scopes, days }).await
}

/// Revokes a token.
#[server(prefix = "/rpc", endpoint = "revoke_token")]
pub async fn revoke_token(id: ApiTokenId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.tokens.revoke(&admin, id).await
}

/// The REST API's reference: all areas, with the operations of the named one, or else of the first.
#[server(prefix = "/rpc", endpoint = "reference", protocol = Call)]
pub async fn reference(#[server(default)] area: String) -> Result<ApiReference, AppError> {
    let (ports, admin) = ports()?;
    let mut found = ports.reference.reference(&admin).await?;
    found.areas.retain(|one| !one.operations.is_empty());
    let chosen = found.areas.iter().position(|one| one.name == area).unwrap_or_default();
    for (_, other) in found.areas.iter_mut().enumerate().filter(|(at, _)| *at != chosen) {
        other.operations.clear();
    }
    Ok(found)
}

/// All webhooks, and the origins that the operator allows.
#[server(prefix = "/rpc", endpoint = "webhooks", protocol = Call)]
pub async fn webhooks() -> Result<(Vec<WebhookRow>, Vec<String>), AppError> {
    let (ports, admin) = ports()?;
    let webhooks = ports.webhooks.list(&admin, PageOf::first(PageOf::MOST)).await?;
    Ok((webhooks.rows, ports.webhooks.origins(&admin).await?))
}

/// Creates a webhook and returns its secret, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_webhook", protocol = Call)]
pub async fn create_webhook(url: String, events: Vec<WebhookEvent>) -> Result<CreatedWebhook, AppError> {
    let (ports, admin) = ports()?;
    ports.webhooks.create(&admin, NewWebhook { url, events }).await
}

/// Deletes a webhook.
#[server(prefix = "/rpc", endpoint = "remove_webhook")]
pub async fn remove_webhook(id: WebhookId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.webhooks.remove(&admin, id).await?;
    leptos_axum::redirect("/admin/api/webhooks");
    Ok(())
}

/// Sends a test delivery.
#[server(prefix = "/rpc", endpoint = "test_webhook")]
pub async fn test_webhook(id: WebhookId) -> Result<DeliveryRow, AppError> {
    let (ports, admin) = ports()?;
    ports.webhooks.test(&admin, id).await
}

/// A page of a webhook's messages.
#[server(prefix = "/rpc", endpoint = "deliveries", protocol = Call)]
pub async fn deliveries(id: WebhookId, #[server(default)] page: PageOf) -> Result<Paged<DeliveryRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.webhooks.deliveries(&admin, id, page).await
}

/// A page of a study's public links.
#[server(prefix = "/rpc", endpoint = "public_links", protocol = Call)]
pub async fn public_links(study: StudyId, #[server(default)] page: PageOf) -> Result<Paged<PublicLinkRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.public_links.list(&admin, study, page).await
}

/// Creates a public link to a closed study and returns its path, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_public_link", protocol = Call)]
pub async fn create_public_link(
    study: StudyId,
    code: bool,
    days: Option<u32>,
    #[server(default)] about: Publication,
) -> Result<CreatedPublicLink, AppError> {
    let (ports, admin) = ports()?;
    ports.public_links.create(&admin, study, NewPublicLink { code, days, about }).await
}

/// Revokes a public link.
#[server(prefix = "/rpc", endpoint = "revoke_public_link")]
pub async fn revoke_public_link(id: PublicLinkId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.public_links.revoke(&admin, id).await
}

/// A public page; needs no account.
#[server(prefix = "/rpc", endpoint = "open_public_study", protocol = Call)]
pub async fn open_public_study(secret: String) -> Result<PublicStudy, AppError> {
    open_ports()?.public_links.open(&secret).await
}

/// A task of a public page that shows code.
#[server(prefix = "/rpc", endpoint = "open_public_task", protocol = Call)]
pub async fn open_public_task(secret: String, task: TaskId) -> Result<PublicTask, AppError> {
    open_ports()?.public_links.task(&secret, task).await
}
