//! Email. People choose what they get by a plain form (`server/web/src/mail.rs`).

use leptos::prelude::*;

use model::{error::AppError, fault::MailFault, mail};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::{open_ports, ports};

/// What the person has chosen; nothing if the server sends no email.
#[server(prefix = "/rpc", endpoint = "my_mail", protocol = Call)]
pub async fn my_mail() -> Result<Option<mail::MyMail>, AppError> {
    let (ports, person) = ports()?;
    ports.mail.mine(&person).await
}

/// What a link in a message is for.
#[server(prefix = "/rpc", endpoint = "mail_link", protocol = Call)]
pub async fn mail_link(token: String) -> Result<mail::MailLink, AppError> {
    open_ports()?.mail.link(&token).await
}

/// Sends a test message; returns why that failed, if it did.
#[server(prefix = "/rpc", endpoint = "test_mail")]
pub async fn test_mail(address: String) -> Result<Option<MailFault>, AppError> {
    let (ports, admin) = ports()?;
    ports.mail.test(&admin, &address).await
}
