//! Why a request to another server, or what the server does for itself every day, failed: as values.
//!
//! They are stored and sent as JSON with a `code` and its values; `texts::faults` puts them into words. Texts of
//! other programs (endpoints, libraries, the operating system) stay texts, in fields of their own. Faults of the engine are
//! in [`super::reason`].

use serde::{Deserialize, Serialize};

use super::names::names;

/// Why a request to a webhook or an endpoint failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RequestFault {
    /// The operator does not allow webhooks to the host. Nothing was sent.
    HostNotAllowed,
    /// The secret of the webhook is damaged. Nothing was sent.
    DamagedSecret,
    /// The response was a redirect, which is not followed.
    Redirect {
        /// The HTTP status.
        status: u16,
    },
    /// The response had an error status.
    Status {
        /// The HTTP status.
        status: u16,
        /// An endpoint's message; absent if there is none, and for webhooks.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// There was no complete response in time.
    Timeout {
        /// How long the server waited.
        seconds: u64,
    },
    /// There was no connection, or it broke.
    Network {
        /// The message of the library or the operating system.
        detail: String,
    },
    /// An endpoint's HTTP body was larger than the server reads.
    BodyTooLarge {
        /// How many bytes are read.
        limit_bytes: u64,
    },
    /// A model's response was longer than an output can be.
    ResponseTooLong {
        /// How long it can be.
        limit_bytes: u64,
    },
    /// An endpoint's answer had a status of success, and an error inside.
    ErrorInAnswer {
        /// The HTTP status that the error stands for, as it says; absent if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// The endpoint's message.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// An endpoint's answer was not JSON, such as the page of a proxy.
    NotJson {
        /// What is wrong with it, and its beginning.
        detail: String,
    },
    /// An endpoint's answer was JSON, but not a chat completion.
    NotACompletion {
        /// What is wrong with it.
        detail: String,
    },
    /// A response was streamed, and the stream ended before it was complete.
    StreamCutOff,
    /// An endpoint's answer was a chat completion without a choice.
    NoChoice,
    /// The server could not make the request.
    NotSent {
        /// The message of the library.
        detail: String,
    },
}

/// Why a message could not be sent by email.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum MailFault {
    /// The name of the SMTP server has no address.
    NameNotFound {
        /// The name.
        host: String,
        /// The message of the operating system.
        detail: String,
    },
    /// There was no connection, or it broke.
    Connection {
        /// The message of the operating system or the library.
        detail: String,
    },
    /// TLS failed, such as by a certificate that is not trusted.
    Tls {
        /// The message of the library.
        detail: String,
    },
    /// The SMTP server does not offer STARTTLS.
    NoStartTls,
    /// The SMTP server offers no way to log in with a password.
    NoLogIn,
    /// The SMTP server refused a step.
    Refused {
        /// The step.
        step: MailStep,
        /// The reply's code.
        status: u16,
        /// The server's message.
        detail: String,
    },
    /// The SMTP server did not answer in time.
    Timeout {
        /// How long the server waited.
        seconds: u64,
    },
    /// The message could not be written, such as for an address that email cannot have.
    NotSent {
        /// The message of the library.
        detail: String,
    },
    /// The recipient wants no email from this server.
    Stopped,
}

impl MailFault {
    /// Whether another attempt is pointless: the recipient's address or the message is refused for good. Other faults may
    /// end, because somebody corrects a setting or the SMTP server works again.
    pub fn is_final(&self) -> bool {
        match self {
            MailFault::Refused { step: MailStep::Recipient | MailStep::Message, status, .. } => *status >= 500,
            MailFault::NotSent { .. } | MailFault::Stopped => true,
            _ => false,
        }
    }
}

names! {
    /// A step of sending a message.
    pub enum MailStep as code {
        Greeting = "greeting",
        LogIn = "log_in",
        Sender = "sender",
        Recipient = "recipient",
        Message = "message",
    }
}

/// Why something that the server does for itself every day failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RoutineFault {
    /// The disk is full.
    DiskFull {
        /// The file or folder that could not be written.
        path: String,
    },
    /// SQLite found the database damaged.
    Damaged {
        /// SQLite's message.
        detail: String,
    },
    /// Another backup of the data folder is being made.
    BackupRunning {
        /// The data folder.
        folder: String,
    },
    /// The folder of backups cannot be used.
    BackupFolder {
        /// The folder.
        folder: String,
        /// Why.
        problem: FolderProblem,
    },
    /// A backup failed for another reason, such as an older backup that cannot be read.
    Backup {
        /// The reason, in English.
        detail: String,
    },
    /// An internal error.
    Internal {
        /// Its number in the log.
        incident: String,
    },
}

/// Why a folder of backups cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FolderProblem {
    /// It cannot be read.
    Unreadable {
        /// The message of the operating system.
        detail: String,
    },
    /// It cannot be written.
    Unwritable {
        /// The message of the operating system.
        detail: String,
    },
    /// It contains files that are no backups.
    OtherFiles,
    /// It has backups of another server.
    OtherServer,
    /// Another process is writing to it.
    InUse,
}
