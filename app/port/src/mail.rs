//! Email: what people choose to get, and the links in messages.

use async_trait::async_trait;

use model::{
    caller::{Admin, Person},
    error::Answer,
    fault::MailFault,
    mail::{MailChoice, MailChosen, MailLink, MyMail},
};

/// Email that the server sends.
#[async_trait]
pub trait Mail: Send + Sync {
    /// Whether the operator has named an SMTP server.
    fn is_on(&self) -> bool;
    /// What the person has chosen, or the form's defaults without an address; `None` if the server sends no email.
    async fn mine(&self, person: &Person) -> Answer<Option<MyMail>>;
    /// Changes the person's address and what they get. Another address has to be verified by a link that is sent to it.
    async fn choose(&self, person: &Person, choice: MailChoice) -> Answer<MailChosen>;
    /// What a link in a message is for; 404 if it is not valid. Everybody who has it may use it.
    async fn link(&self, token: &str) -> Answer<MailLink>;
    /// Does what a link is for: verifies an address or ends email to it; with `allow`, email is allowed again.
    async fn follow(&self, token: &str, allow: bool) -> Answer<MailLink>;
    /// Sends a test message; says why that failed, if it did.
    async fn test(&self, admin: &Admin, address: &str) -> Answer<Option<MailFault>>;
}
