//! Access for programs: API tokens, webhooks and public links.

use serde::{Deserialize, Serialize};

use super::{
    comparison::{Caption, ComparisonFigures},
    dataset::TaskRow,
    fault::RequestFault,
    ids::{ApiTokenId, DeliveryId, PublicLinkId, TaskId, WebhookId},
    lang::Bilingual,
    names::names,
    time::Timestamp,
};

names! {
    /// A permission of a token. Every scope includes reading.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scope as name {
        /// Read datasets, outputs, runs, studies, ratings and comparisons.
        Read = "read",
        /// Import datasets and upload model outputs.
        WriteData = "write:data",
        /// Start, stop and rerun test runs.
        WriteRuns = "write:runs",
        /// Create studies, change their status and create public links.
        WriteStudies = "write:studies",
        /// Everything, including people, invitations, tokens and webhooks.
        Admin = "admin",
    }
}

impl Scope {
    /// Whether a token with this scope may do what requires `needed`.
    pub fn allows(self, needed: Scope) -> bool {
        self == needed || self == Scope::Admin || needed == Scope::Read
    }
}

/// A token in its owner's list. The secret is shown only once, on creation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TokenRow {
    pub id: ApiTokenId,
    /// Name of the person that the token acts as.
    pub owner: String,
    /// Label given by the owner.
    pub label: String,
    /// First characters of the secret, to recognize the token.
    pub prefix: String,
    pub scopes: Vec<Scope>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// Time of the last use, to the minute; `None` if never used.
    pub last_used_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// Whether it is neither expired nor revoked.
    pub live: bool,
}

/// Request for a new token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewToken {
    /// Label, 1 to 100 characters.
    pub label: String,
    /// At least one scope.
    #[serde(default)]
    pub scopes: Vec<Scope>,
    /// Lifetime in days, 1 to 365.
    #[serde(default = "default_days")]
    pub days: u32,
}

fn default_days() -> u32 {
    90
}

/// A newly created token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CreatedToken {
    pub row: TokenRow,
    /// The secret. It is not stored and cannot be shown again.
    pub secret: String,
}

names! {
    /// Events that a webhook can subscribe to.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum WebhookEvent as name {
        /// A run finished or was stopped.
        RunEnded = "run.ended",
        /// A study was closed.
        StudyClosed = "study.closed",
        /// An admin sent a test message; only the tested webhook receives it.
        Test = "test",
    }
}

impl WebhookEvent {
    /// Events that a webhook can subscribe to.
    pub const CHOICES: [WebhookEvent; 2] = [WebhookEvent::RunEnded, WebhookEvent::StudyClosed];
}

/// An address that receives messages about events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct WebhookRow {
    pub id: WebhookId,
    /// URL that receives the messages.
    pub url: String,
    /// Subscribed events.
    pub events: Vec<WebhookEvent>,
    /// Whether the operator currently allows this host.
    pub allowed: bool,
    pub created_at: Timestamp,
    /// Newest message, if any.
    pub last: Option<DeliveryRow>,
}

/// Request for a new webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewWebhook {
    /// URL that receives the messages. The operator must allow its host (`--webhook-host`).
    pub url: String,
    /// Subscribed events; empty for all.
    #[serde(default)]
    pub events: Vec<WebhookEvent>,
}

/// A newly created webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CreatedWebhook {
    pub row: WebhookRow,
    /// Secret that signs messages. It is not shown again.
    pub secret: String,
}

names! {
    /// Delivery state of a message.
    pub enum DeliveryState as name {
        /// Waiting for the first or the next attempt.
        Waiting = "waiting",
        /// Delivered.
        Delivered = "delivered",
        /// Failed after the last attempt.
        Failed = "failed",
    }
}

/// One message to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DeliveryRow {
    pub id: DeliveryId,
    /// The event.
    pub event: WebhookEvent,
    /// Id of the run or the study.
    pub subject: Option<i64>,
    pub state: DeliveryState,
    /// Number of attempts.
    pub attempts: u32,
    /// HTTP status of the latest response.
    pub status: Option<u16>,
    /// Why the latest attempt failed.
    pub error: Option<RequestFault>,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Time of the next attempt, if one is pending.
    pub next_at: Option<Timestamp>,
}

/// A link to a closed study's public page. The secret is shown only once, on creation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct PublicLinkRow {
    pub id: PublicLinkId,
    pub code: bool,
    pub created_at: Timestamp,
    /// Expiry; `None` for never.
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// Whether it is neither expired nor revoked.
    pub open: bool,
    pub about: Publication,
}

/// What an admin writes about a published study. Each field may be empty; the page then omits it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Publication {
    /// What the study is for.
    pub purpose: String,
    /// The authors that a citation names: people, or an institution.
    pub authors: String,
    /// The name and address of a person to contact.
    pub contact: String,
    /// The license of figures and data.
    pub license: String,
}

impl Publication {
    /// Most characters of the purpose.
    pub const PURPOSE: usize = 2000;
    /// Most characters of each other field.
    pub const LINE: usize = 300;
}

/// Request for a new public link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewPublicLink {
    /// Whether the page shows tasks and the models' code.
    #[serde(default)]
    pub code: bool,
    /// Lifetime in days, 1 to 3650; `None` for no expiry.
    #[serde(default)]
    pub days: Option<u32>,
    #[serde(default)]
    pub about: Publication,
}

/// A newly created public link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CreatedPublicLink {
    pub row: PublicLinkRow,
    /// Path of the page on this server. It is not stored and cannot be shown again.
    pub path: String,
}

/// How to cite a published study. The texts of an admin are as entered, in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Authors, title, year, and what the study is.
    pub text: Bilingual,
    /// The beginning of an entry for BibTeX, up to the field with the page's address.
    pub bibtex: Bilingual,
}

/// A study's public page. **Nothing here names or distinguishes raters.**
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicStudy {
    /// The study's title.
    pub title: String,
    /// Short name of the dataset.
    pub dataset: String,
    pub about: Publication,
    /// Number of raters.
    pub raters: u64,
    /// Planned ratings per output.
    pub raters_per_output: u32,
    /// Ratings that the figures count, of all models.
    pub ratings: u64,
    /// Ratings submitted of the plan.
    pub done: u64,
    /// Ratings of the whole plan.
    pub wanted: u64,
    /// When the study was created.
    pub created_at: Timestamp,
    /// When the link was created.
    pub published_at: Timestamp,
    /// The figures, without figures about individual raters.
    pub figures: ComparisonFigures,
    /// Whether the first figures are still being computed.
    pub counting: bool,
    /// Captions of the figures that can be downloaded.
    pub captions: Vec<Caption>,
    pub citation: Citation,
    /// The tasks, if the link shows code.
    pub tasks: Vec<(TaskId, String, String)>,
}

/// A task of a public page with every model's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicTask {
    /// The study's title.
    pub title: String,
    /// The task.
    pub task: TaskRow,
    /// One output per model, in the study's order.
    pub outputs: Vec<(String, super::code::CodeView)>,
}

/// The API reference page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiReference {
    /// Operations by area, in display order.
    pub areas: Vec<ApiArea>,
}

/// One area of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiArea {
    /// Its name.
    pub name: String,
    /// Its operations.
    pub operations: Vec<ApiOperation>,
}

/// One operation of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiOperation {
    /// Operation id, unique in the document.
    pub id: String,
    /// `GET`, `POST`, …
    pub method: String,
    /// The path, with its parameters in braces.
    pub path: String,
    /// Summary in one sentence.
    pub summary: String,
    /// Further description.
    pub description: String,
    /// Required scope; `None` if no token is required.
    pub scope: Option<Scope>,
    /// Parameters: name, location, description, whether required.
    pub parameters: Vec<(String, String, String, bool)>,
    /// Type of the body and its name in the document, if there is a body.
    pub body: Option<String>,
    /// Example call; works once `$TOKEN` and the parameters are filled in.
    pub example: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_allow_what_they_say() {
        let check = |scope: Scope, needed: Scope, yes| assert_eq!(scope.allows(needed), yes, "{scope} for {needed}");
        for scope in Scope::ALL {
            check(scope, Scope::Read, true);
            check(Scope::Admin, scope, true);
            check(scope, Scope::Admin, scope == Scope::Admin);
            assert_eq!(scope.name().parse::<Scope>().unwrap(), scope);
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
        }
        check(Scope::WriteData, Scope::WriteRuns, false);
        check(Scope::Read, Scope::WriteStudies, false);
    }
}
