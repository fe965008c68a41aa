//! What programs are given: tokens for the REST API, webhooks, and public links.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    compare::Sheet,
    dataset::TaskRow,
    ids::{ApiTokenId, DeliveryId, PublicLinkId, TaskId, WebhookId},
    time::Timestamp,
};

/// What a token may be used for. Every scope includes reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub enum Scope {
    /// Read datasets, outputs, runs, studies, ratings and comparisons.
    #[serde(rename = "read")]
    Read,
    /// Import datasets, send and take model outputs.
    #[serde(rename = "write:data")]
    WriteData,
    /// Start, stop and repeat runs.
    #[serde(rename = "write:runs")]
    WriteRuns,
    /// Make studies, change their state, make links to their public pages.
    #[serde(rename = "write:studies")]
    WriteStudies,
    /// Everything, with people, invitations, tokens and webhooks.
    #[serde(rename = "admin")]
    Admin,
}

impl Scope {
    /// All of them, the narrowest first.
    pub const ALL: [Scope; 5] = [Scope::Read, Scope::WriteData, Scope::WriteRuns, Scope::WriteStudies, Scope::Admin];

    /// The word in the API, in the database and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::WriteData => "write:data",
            Scope::WriteRuns => "write:runs",
            Scope::WriteStudies => "write:studies",
            Scope::Admin => "admin",
        }
    }

    /// Whether a token of this scope may do what needs `needed`.
    pub fn allows(self, needed: Scope) -> bool {
        self == needed || self == Scope::Admin || needed == Scope::Read
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no scope.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown scope; write `read`, `write:data`, `write:runs`, `write:studies` or `admin`")]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;
    fn from_str(s: &str) -> Result<Self, UnknownScope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == s).ok_or(UnknownScope)
    }
}

/// A token as its owner sees it. The token itself is shown once, when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TokenRow {
    /// The token's number.
    pub id: ApiTokenId,
    /// Whose it is; it acts as this person.
    pub owner: String,
    /// What it is for, in its owner's words.
    pub label: String,
    /// How it begins, to recognise it by.
    pub prefix: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was last used, to the minute; absent until then.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked, where it was.
    pub revoked_at: Option<Timestamp>,
    /// Whether it works now.
    pub live: bool,
}

/// What is asked for in a new token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewToken {
    /// What it is for: 1 to 100 characters.
    pub label: String,
    /// What it may be used for: at least one.
    #[serde(default)]
    pub scopes: Vec<Scope>,
    /// How many days it works: 1 to 365.
    #[serde(default = "default_days")]
    pub days: u32,
}

fn default_days() -> u32 {
    90
}

/// A token that was just made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct MadeToken {
    /// The list's row.
    pub row: TokenRow,
    /// The token itself; it is not kept and cannot be shown again.
    pub secret: String,
}

/// What a webhook may hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub enum WebhookEvent {
    /// A run has come to its end, or was stopped.
    #[serde(rename = "run.ended")]
    RunEnded,
    /// A study was closed.
    #[serde(rename = "study.closed")]
    StudyClosed,
    /// Somebody pressed the test button. Every webhook hears of its own.
    #[serde(rename = "test")]
    Test,
}

impl WebhookEvent {
    /// Those that one can ask for.
    pub const CHOICES: [WebhookEvent; 2] = [WebhookEvent::RunEnded, WebhookEvent::StudyClosed];

    /// The word in messages and in the database.
    pub fn name(self) -> &'static str {
        match self {
            WebhookEvent::RunEnded => "run.ended",
            WebhookEvent::StudyClosed => "study.closed",
            WebhookEvent::Test => "test",
        }
    }
}

impl fmt::Display for WebhookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for WebhookEvent {
    type Err = UnknownEvent;
    fn from_str(s: &str) -> Result<Self, UnknownEvent> {
        [WebhookEvent::RunEnded, WebhookEvent::StudyClosed, WebhookEvent::Test]
            .into_iter()
            .find(|event| event.name() == s)
            .ok_or(UnknownEvent)
    }
}

/// The text names no event.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown event; write `run.ended` or `study.closed`")]
pub struct UnknownEvent;

/// An address that hears of ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct WebhookRow {
    /// The webhook's number.
    pub id: WebhookId,
    /// Where messages go.
    pub url: String,
    /// What it hears of.
    pub events: Vec<WebhookEvent>,
    /// Whether the operator allows messages to this host now.
    pub allowed: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// The newest message, where there is one.
    pub last: Option<DeliveryRow>,
}

/// What is asked for in a new webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewWebhook {
    /// Where messages go; its host must be one that the operator allows (`--webhook-host`).
    pub url: String,
    /// What it hears of; everything where none is named.
    #[serde(default)]
    pub events: Vec<WebhookEvent>,
}

/// A webhook that was just made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct MadeWebhook {
    /// The list's row.
    pub row: WebhookRow,
    /// What messages are signed with; it is not shown again.
    pub secret: String,
}

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It is tried at once, or again later.
    Waiting,
    /// The other side took it.
    Delivered,
    /// It was tried often enough.
    Failed,
}

impl DeliveryState {
    /// The word in the database.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Failed => "failed",
        }
    }
}

impl FromStr for DeliveryState {
    type Err = UnknownState;
    fn from_str(s: &str) -> Result<Self, UnknownState> {
        [DeliveryState::Waiting, DeliveryState::Delivered, DeliveryState::Failed]
            .into_iter()
            .find(|state| state.name() == s)
            .ok_or(UnknownState)
    }
}

/// The text names no state of a delivery.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown state of a delivery")]
pub struct UnknownState;

/// One message to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DeliveryRow {
    /// The message's number.
    pub id: DeliveryId,
    /// What it tells of.
    pub event: WebhookEvent,
    /// The run or the study.
    pub subject: Option<i64>,
    /// How far it has come.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// The HTTP status of the newest answer.
    pub status: Option<u16>,
    /// Why the newest try failed.
    pub error: Option<String>,
    /// When the event happened.
    pub created_at: Timestamp,
    /// When it is tried next, while it waits.
    pub next_at: Option<Timestamp>,
}

/// A link to a closed study's public page. The link itself is shown once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct PublicLinkRow {
    /// The link's number.
    pub id: PublicLinkId,
    /// Whether the page shows the models' code.
    pub code: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working; never where absent.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, where it was.
    pub revoked_at: Option<Timestamp>,
    /// Whether it works now.
    pub open: bool,
}

/// What is asked for in a new public link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewPublicLink {
    /// Whether the page shows the tasks with the models' code.
    #[serde(default)]
    pub code: bool,
    /// How many days it works, 1 to 3650; for good where absent.
    #[serde(default)]
    pub days: Option<u32>,
}

/// A public link that was just made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct MadePublicLink {
    /// The list's row.
    pub row: PublicLinkRow,
    /// The page's path on this server; it is not kept and cannot be shown again.
    pub path: String,
}

/// What a study's public page shows. **Nothing here names a rater or tells one from another.**
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicStudy {
    /// The study's title.
    pub title: String,
    /// The dataset's short name.
    pub dataset: String,
    /// How many people rated.
    pub raters: u64,
    /// How many raters each output was to have.
    pub overlap: u32,
    /// The figures, without what is about single raters.
    pub sheet: Sheet,
    /// Whether they are being computed and are not there yet.
    pub counting: bool,
    /// The tasks, where the link shows the code.
    pub tasks: Vec<(TaskId, String, String)>,
}

/// One task of a public page: the description and what each model made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicTask {
    /// The study's title.
    pub title: String,
    /// The task.
    pub task: TaskRow,
    /// Each model's output, in the study's order.
    pub outputs: Vec<(String, super::code::CodeView)>,
}

/// The API's own description, as the reference page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiReference {
    /// Operations by area, in reading order.
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
    /// Its name, unique in the document.
    pub id: String,
    /// `GET`, `POST`, …
    pub method: String,
    /// The path, with its parameters in braces.
    pub path: String,
    /// What it does, in a sentence.
    pub summary: String,
    /// What else there is to know.
    pub description: String,
    /// The scope it needs; absent where it needs no token.
    pub scope: Option<Scope>,
    /// Parameters: name, where it stands, what it means, whether it is needed.
    pub parameters: Vec<(String, String, String, bool)>,
    /// The body's type and its name in the document, where there is one.
    pub body: Option<String>,
    /// A call that works once `$TOKEN` and the parameters are filled in.
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
