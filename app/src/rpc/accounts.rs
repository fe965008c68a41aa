//! People and invitations. Logging in, logging out and changing a password are plain form posts
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

/// All accounts and invitations.
#[server(prefix = "/rpc", endpoint = "people", protocol = Call)]
pub async fn people() -> Result<(Vec<UserRow>, Vec<Invitation>), AppError> {
    let (ports, caller) = ports()?;
    Ok((ports.accounts.users(&caller).await?, ports.accounts.invitations(&caller).await?))
}

/// Creates an invitation that expires after `days` and returns the link's path, which is not shown again.
#[server(prefix = "/rpc", endpoint = "invite")]
pub async fn invite(label: String, role: Role, days: u32) -> Result<String, AppError> {
    let (ports, caller) = ports()?;
    let link = format!("/join/{}", ports.accounts.invite(&caller, &label, role, days).await?);
    if wants_page() {
        leptos_axum::redirect(&format!("/admin/people?link={link}"));
    }
    Ok(link)
}

/// Whether a plain form sent this call, without JavaScript. The response must then be a page, and what the
/// page shows of the result must be in its address.
#[cfg(feature = "ssr")]
fn wants_page() -> bool {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.headers.get(http::header::ACCEPT).cloned())
        .is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// Revokes an unused invitation.
#[server(prefix = "/rpc", endpoint = "revoke_invitation")]
pub async fn revoke_invitation(id: i64) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.accounts.revoke(&caller, id).await
}

/// Deactivates or activates an account.
#[server(prefix = "/rpc", endpoint = "set_disabled")]
pub async fn set_disabled(user: UserId, disabled: bool) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.accounts.set_disabled(&caller, user, disabled).await
}

/// Stores the caller's keyboard shortcuts. Used by the grading page; the account page sends a form.
#[server(prefix = "/rpc", endpoint = "set_keys", protocol = Call)]
pub async fn set_keys(keys: Keys) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.settings.set_keys(&caller, keys).await
}

/// The invitation behind a link.
#[server(prefix = "/rpc", endpoint = "invitation", protocol = Call)]
pub async fn open_invitation(secret: String) -> Result<Invitation, AppError> {
    ports()?.0.accounts.invitation(&secret).await
}
