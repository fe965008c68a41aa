//! Email: what people choose to get, and the queue of messages.

use serde::{Deserialize, Serialize};

use super::{fault::MailFault, names::names, time::Timestamp};

/// Time in which a link that verifies an address can be used, in hours.
pub const VERIFY_HOURS: u32 = 24;
/// Most messages in the server page's list of those that were not delivered.
pub const PROBLEMS_SHOWN: u32 = 10;
/// Longest address, in bytes (RFC 5321).
pub const LONGEST_ADDRESS: usize = 254;

names! {
    /// What a message is about.
    pub enum MailKind as code {
        /// A link that verifies an address.
        Verify = "verify",
        Invitation = "invitation",
        /// A study is due tomorrow.
        Due = "due",
        /// What waits for an admin.
        Digest = "digest",
        /// An admin's test of the SMTP server.
        Test = "test",
    }
}

names! {
    /// Whether a message has arrived at the SMTP server.
    pub enum MailState as code {
        Waiting = "waiting",
        Sent = "sent",
        Failed = "failed",
        /// There was no reason to send it any more.
        Withdrawn = "withdrawn",
    }
}

names! {
    /// How often an admin gets a digest.
    pub enum Digest as code {
        Off = "off",
        Daily = "daily",
        Weekly = "weekly",
    }
}

/// What a person has chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyMail {
    /// Empty without an address.
    pub address: String,
    /// Whether the address is the person's: nothing else is sent before.
    pub verified: bool,
    /// Whether to say when a study is due tomorrow.
    pub due: bool,
    pub digest: Digest,
}

/// What a person chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailChoice {
    /// An empty one removes the address and all notices.
    pub address: String,
    pub due: bool,
    pub digest: Digest,
}

/// What came of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailChosen {
    /// Stored; the address was verified before.
    Saved,
    /// Stored; a link to verify the address is on its way.
    LinkSent,
    /// The address is removed.
    Removed,
}

/// What a link in a message is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailLink {
    /// Verifies an account's address.
    Verify { name: String, address: String },
    /// Ends notices of a kind ([`MailKind::Due`], [`MailKind::Digest`]) to an address, or otherwise all email to it.
    Stop { kind: MailKind, address: String, stopped: bool },
}

/// The newest message of an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InvitationMail {
    pub state: MailState,
    /// Why the last attempt failed.
    pub error: Option<MailFault>,
}

/// Email on the server's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailQueue {
    /// The SMTP server, with its port.
    pub server: String,
    /// The address from which messages come.
    pub sender: String,
    /// Messages to send.
    pub waiting: u64,
    /// Messages that were given up in the last days.
    pub failed: u64,
    pub last_sent_at: Option<Timestamp>,
    /// Messages that were not delivered at the first attempt and still are not, newest first.
    pub problems: Vec<MailRow>,
}

/// A message in the queue, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRow {
    pub kind: MailKind,
    pub address: String,
    pub state: MailState,
    pub attempts: u32,
    pub error: Option<MailFault>,
    pub created_at: Timestamp,
    /// Absent if there is no further attempt.
    pub next_at: Option<Timestamp>,
}

/// The address in the label of an invitation: all of it, or what stands in angle brackets at its end.
pub fn address_in(label: &str) -> Option<&str> {
    let label = label.trim();
    let address = match label.strip_suffix('>') {
        Some(rest) => rest.rsplit_once('<')?.1,
        None => label,
    };
    address.contains('@').then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_may_contain_an_address() {
        let check = |label, expected| assert_eq!(address_in(label), expected, "{label}");
        check("ada@example.org", Some("ada@example.org"));
        check(" Ada <ada@example.org> ", Some("ada@example.org"));
        check("陈晨 <chen@example.org>", Some("chen@example.org"));
        check("Ada", None);
        check("Ada <Lovelace>", None);
        check("ada@example.org>", None);
        check("", None);
    }
}
