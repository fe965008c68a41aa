//! Tokens, webhooks, public links. A secret that is shown once must not be in an address, so creating a token
//! or a webhook needs JavaScript or the command line.

use leptos::prelude::*;

use super::call::Call;
use crate::{
    error::AppError,
    model::{
        api::{
            ApiReference, DeliveryRow, MadePublicLink, MadeToken, MadeWebhook, PublicLinkRow, PublicStudy, PublicTask,
            Scope, TokenRow, WebhookEvent, WebhookRow,
        },
        ids::{ApiTokenId, PublicLinkId, StudyId, TaskId, WebhookId},
    },
};
#[cfg(feature = "ssr")]
use crate::{
    model::api::{NewPublicLink, NewToken, NewWebhook},
    port::ports,
};

/// The caller's tokens.
#[server(prefix = "/rpc", endpoint = "tokens", protocol = Call)]
pub async fn tokens() -> Result<Vec<TokenRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.tokens.list(&caller).await
}

/// Creates a token and returns its secret, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_token", protocol = Call)]
pub async fn create_token(label: String, scopes: Vec<Scope>, days: u32) -> Result<MadeToken, AppError> {
    let (ports, caller) = ports()?;
    ports.tokens.create(&caller, NewToken { label, scopes, days }).await
}

/// Revokes a token.
#[server(prefix = "/rpc", endpoint = "revoke_token")]
pub async fn revoke_token(id: ApiTokenId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.tokens.revoke(&caller, id).await
}

/// The REST API's reference.
#[server(prefix = "/rpc", endpoint = "api_reference", protocol = Call)]
pub async fn reference() -> Result<ApiReference, AppError> {
    let (ports, caller) = ports()?;
    ports.tokens.reference(&caller).await
}

/// All webhooks, and the origins that the operator allows.
#[server(prefix = "/rpc", endpoint = "webhooks", protocol = Call)]
pub async fn webhooks() -> Result<(Vec<WebhookRow>, Vec<String>), AppError> {
    let (ports, caller) = ports()?;
    Ok((ports.webhooks.list(&caller).await?, ports.webhooks.origins(&caller).await?))
}

/// Creates a webhook and returns its secret, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_webhook", protocol = Call)]
pub async fn create_webhook(url: String, events: Vec<WebhookEvent>) -> Result<MadeWebhook, AppError> {
    let (ports, caller) = ports()?;
    ports.webhooks.create(&caller, NewWebhook { url, events }).await
}

/// Removes a webhook.
#[server(prefix = "/rpc", endpoint = "remove_webhook")]
pub async fn remove_webhook(id: WebhookId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.webhooks.remove(&caller, id).await?;
    leptos_axum::redirect("/admin/api/webhooks");
    Ok(())
}

/// Sends a test message.
#[server(prefix = "/rpc", endpoint = "test_webhook")]
pub async fn test_webhook(id: WebhookId) -> Result<DeliveryRow, AppError> {
    let (ports, caller) = ports()?;
    ports.webhooks.test(&caller, id).await
}

/// A webhook's newest messages.
#[server(prefix = "/rpc", endpoint = "deliveries", protocol = Call)]
pub async fn deliveries(id: WebhookId) -> Result<Vec<DeliveryRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.webhooks.deliveries(&caller, id).await
}

/// A study's public links.
#[server(prefix = "/rpc", endpoint = "public_links", protocol = Call)]
pub async fn public_links(study: StudyId) -> Result<Vec<PublicLinkRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.public_links.list(&caller, study).await
}

/// Creates a public link to a closed study and returns its path, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_public_link", protocol = Call)]
pub async fn create_public_link(study: StudyId, code: bool, days: Option<u32>) -> Result<MadePublicLink, AppError> {
    let (ports, caller) = ports()?;
    ports.public_links.create(&caller, study, NewPublicLink { code, days }).await
}

/// Revokes a public link.
#[server(prefix = "/rpc", endpoint = "revoke_public_link")]
pub async fn revoke_public_link(id: PublicLinkId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.public_links.revoke(&caller, id).await
}

/// A public page; needs no account.
#[server(prefix = "/rpc", endpoint = "public_study", protocol = Call)]
pub async fn open_public_study(secret: String) -> Result<PublicStudy, AppError> {
    ports()?.0.public_links.open(&secret).await
}

/// A task of a public page that shows code.
#[server(prefix = "/rpc", endpoint = "public_task", protocol = Call)]
pub async fn open_public_task(secret: String, task: TaskId) -> Result<PublicTask, AppError> {
    ports()?.0.public_links.task(&secret, task).await
}
