//! What pages ask about programs that use the server: tokens, webhooks, public links, the reference.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    api::{
        ApiReference, DeliveryRow, MadePublicLink, MadeToken, MadeWebhook, NewPublicLink, NewToken, NewWebhook,
        PublicLinkRow, PublicStudy, PublicTask, TokenRow, WebhookRow,
    },
    ids::{ApiTokenId, PublicLinkId, StudyId, TaskId, WebhookId},
};

/// Personal tokens for the REST API (admin throughout, each their own; the command line's are all).
#[async_trait]
pub trait Tokens: Send + Sync {
    /// The caller's tokens, newest first.
    async fn list(&self, caller: &Caller) -> Answer<Vec<TokenRow>>;
    /// Makes a token for the caller.
    async fn create(&self, caller: &Caller, new: NewToken) -> Answer<MadeToken>;
    /// Revokes a token.
    async fn revoke(&self, caller: &Caller, id: ApiTokenId) -> Answer<()>;
    /// What the API can do.
    async fn reference(&self, caller: &Caller) -> Answer<ApiReference>;
}

/// Webhooks (admin throughout).
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// Every webhook, newest first.
    async fn list(&self, caller: &Caller) -> Answer<Vec<WebhookRow>>;
    /// The origins that the operator allows.
    async fn origins(&self, caller: &Caller) -> Answer<Vec<String>>;
    /// Makes one.
    async fn create(&self, caller: &Caller, new: NewWebhook) -> Answer<MadeWebhook>;
    /// Removes one with its messages.
    async fn remove(&self, caller: &Caller, id: WebhookId) -> Answer<()>;
    /// Sends one a test message, now, and tells what came of it.
    async fn test(&self, caller: &Caller, id: WebhookId) -> Answer<DeliveryRow>;
    /// One's newest messages, newest first.
    async fn deliveries(&self, caller: &Caller, id: WebhookId) -> Answer<Vec<DeliveryRow>>;
}

/// Links to the public page of a closed study (admin, but for what a link opens).
#[async_trait]
pub trait PublicLinks: Send + Sync {
    /// A study's links, newest first.
    async fn list(&self, caller: &Caller, study: StudyId) -> Answer<Vec<PublicLinkRow>>;
    /// Makes a link to a closed study.
    async fn create(&self, caller: &Caller, study: StudyId, new: NewPublicLink) -> Answer<MadePublicLink>;
    /// What a link shows; for anybody who has it. 404 where it is unknown, was revoked or has run out.
    async fn open(&self, secret: &str) -> Answer<PublicStudy>;
    /// One task behind a link that shows the code; 404 behind any other.
    async fn task(&self, secret: &str, task: TaskId) -> Answer<PublicTask>;
    /// Ends a link.
    async fn revoke(&self, caller: &Caller, id: PublicLinkId) -> Answer<()>;
}
