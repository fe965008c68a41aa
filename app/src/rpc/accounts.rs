//! People and invitations. Logging in and out and changing a password are plain form posts
//! (`server/src/http/account.rs`), because they change the session.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        ids::UserId,
        keys::Keys,
        user::{Invitation, Role, UserRow},
    },
};

/// Everybody with an account, and every invitation.
#[server(prefix = "/rpc", endpoint = "people", protocol = Call)]
pub async fn people() -> Result<(Vec<UserRow>, Vec<Invitation>), AppError> {
    let (ports, caller) = ports()?;
    Ok((ports.accounts.users(&caller).await?, ports.accounts.invitations(&caller).await?))
}

/// Makes an invitation that works for `days`; returns the link's path, which is shown once.
#[server(prefix = "/rpc", endpoint = "invite")]
pub async fn invite(label: String, role: Role, days: u32) -> Result<String, AppError> {
    let (ports, caller) = ports()?;
    let link = format!("/join/{}", ports.accounts.invite(&caller, &label, role, days).await?);
    if wants_page() {
        leptos_axum::redirect(&format!("/admin/people?link={link}"));
    }
    Ok(link)
}

/// Whether a plain form sent this call, without JavaScript: its answer must be a page, and what a
/// page shows of the answer must be in its address.
#[cfg(feature = "ssr")]
fn wants_page() -> bool {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.headers.get(http::header::ACCEPT).cloned())
        .is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// Ends an invitation that nobody has used.
#[server(prefix = "/rpc", endpoint = "revoke_invitation")]
pub async fn revoke_invitation(id: i64) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.accounts.revoke(&caller, id).await
}

/// Switches logging in off or on for somebody.
#[server(prefix = "/rpc", endpoint = "set_disabled")]
pub async fn set_disabled(user: UserId, disabled: bool) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.accounts.set_disabled(&caller, user, disabled).await
}

/// Remembers the caller's keys. From the grading page; the account's page sends a form.
#[server(prefix = "/rpc", endpoint = "set_keys", protocol = Call)]
pub async fn set_keys(keys: Keys) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.settings.set_keys(&caller, keys).await
}

/// What an invitation link is good for.
#[server(prefix = "/rpc", endpoint = "invitation", protocol = Call)]
pub async fn open_invitation(secret: String) -> Result<Invitation, AppError> {
    ports()?.0.accounts.invitation(&secret).await
}
