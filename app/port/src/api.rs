//! Ports: tokens, webhooks, public links, the API reference.

use async_trait::async_trait;

use model::{
    api::{
        ApiReference, CreatedPublicLink, CreatedToken, CreatedWebhook, DeliveryRow, NewPublicLink, NewToken,
        NewWebhook, PublicLinkRow, PublicStudy, PublicTask, TokenRow, WebhookRow,
    },
    ids::{ApiTokenId, PublicLinkId, StudyId, TaskId, WebhookId},
    page::{PageOf, Paged},
};
use model::{caller::Admin, error::Answer};

/// Access tokens for the REST API (for admins, each their own; the command line sees all).
#[async_trait]
pub trait Tokens: Send + Sync {
    /// The caller's tokens, newest first.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<TokenRow>>;
    /// Creates a token for the caller.
    async fn create(&self, admin: &Admin, new: NewToken) -> Answer<CreatedToken>;
    /// Revokes a token.
    async fn revoke(&self, admin: &Admin, id: ApiTokenId) -> Answer<()>;
}

/// The REST API's description (admin), read from its OpenAPI document.
#[async_trait]
pub trait Reference: Send + Sync {
    /// Every operation.
    async fn reference(&self, admin: &Admin) -> Answer<ApiReference>;
}

/// Webhooks (for admins).
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// A page of the webhooks, newest first.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<WebhookRow>>;
    /// The origins that the operator allows.
    async fn origins(&self, admin: &Admin) -> Answer<Vec<String>>;
    /// Creates a webhook.
    async fn create(&self, admin: &Admin, new: NewWebhook) -> Answer<CreatedWebhook>;
    /// Deletes a webhook with its deliveries.
    async fn remove(&self, admin: &Admin, id: WebhookId) -> Answer<()>;
    /// Sends a test delivery now, and returns its result.
    async fn test(&self, admin: &Admin, id: WebhookId) -> Answer<DeliveryRow>;
    /// A webhook's newest deliveries, newest first.
    async fn deliveries(&self, admin: &Admin, id: WebhookId, of: PageOf) -> Answer<Paged<DeliveryRow>>;
}

/// Links to the public page of a closed study (for admins, except the page itself).
#[async_trait]
pub trait PublicLinks: Send + Sync {
    /// A study's links, newest first.
    async fn list(&self, admin: &Admin, study: StudyId, of: PageOf) -> Answer<Paged<PublicLinkRow>>;
    /// Creates a link to a closed study.
    async fn create(&self, admin: &Admin, study: StudyId, new: NewPublicLink) -> Answer<CreatedPublicLink>;
    /// The page behind a link, for anyone who has it. 404 if the link is unknown, revoked or expired.
    async fn open(&self, secret: &str) -> Answer<PublicStudy>;
    /// One task behind a link that shows the code; 404 behind any other.
    async fn task(&self, secret: &str, task: TaskId) -> Answer<PublicTask>;
    /// Revokes a link.
    async fn revoke(&self, admin: &Admin, id: PublicLinkId) -> Answer<()>;
}
