//! People and invitations. Logging in, logging out and changing a password are plain form posts
//! (`server/web/src/account.rs`), because they change the session.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::{
    caller::{Admin, Person},
    time_zone::TimeZone,
    user::Joins,
};
use model::{
    error::AppError,
    ids::UserId,
    keys::Keys,
    page::{PageOf, Paged},
    user::{self, CreatedInvitation, Invitation, Role, UserRow},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::{open_ports, ports};

/// Whether links of invitations can be sent by email.
#[server(prefix = "/rpc", endpoint = "can_send", protocol = Call)]
pub async fn can_send() -> Result<bool, AppError> {
    let (ports, _): (_, Admin) = ports()?;
    Ok(ports.mail.is_on())
}

/// A page of the accounts and a page of the invitations.
#[server(prefix = "/rpc", endpoint = "people", protocol = Call)]
pub async fn people(
    #[server(default)] users: PageOf,
    #[server(default)] invitations: PageOf,
) -> Result<(Paged<UserRow>, Paged<Invitation>), AppError> {
    let (ports, admin) = ports()?;
    let accounts = ports.accounts;
    Ok((accounts.users(&admin, users).await?, accounts.invitations(&admin, invitations).await?))
}

/// Creates an invitation that expires after `days` and returns the link's path, which is not shown again. An empty `study`
/// is none. With `send`, the link is sent to the email address in the label.
#[server(prefix = "/rpc", endpoint = "invite")]
pub async fn invite(
    label: String,
    role: Role,
    days: u32,
    #[server(default)] study: String,
    #[server(default)] send: bool,
) -> Result<String, AppError> {
    let (ports, admin) = ports()?;
    let (joins, accounts) = (joins("", &study)?, ports.accounts);
    let secret = match send {
        true => accounts.invite_by_mail(&admin, &label, role, days, joins).await?,
        false => accounts.invite(&admin, &label, role, days, joins).await?,
    };
    let link = format!("/join/{secret}");
    if wants_page() {
        leptos_axum::redirect(&format!("/admin/people?link={link}"));
    }
    Ok(link)
}

/// What people join, by the fields of a form.
#[cfg(not(target_arch = "wasm32"))]
fn joins(group: &str, study: &str) -> Result<Joins, AppError> {
    fn id<T: std::str::FromStr>(text: &str, what: &str) -> Result<Option<T>, AppError> {
        match text {
            "" => Ok(None),
            id => id.parse().map(Some).map_err(|_| AppError::NotFound(what.into())),
        }
    }
    Ok(Joins { group: id(group, "group")?, study: id(study, "study")? })
}

/// Creates an invitation for each line of a list; an empty `group` or `study` is none.
#[server(prefix = "/rpc", endpoint = "invite_many")]
pub async fn invite_many(
    lines: String,
    role: Role,
    days: u32,
    #[server(default)] group: String,
    #[server(default)] study: String,
    #[server(default)] send: bool,
) -> Result<Vec<CreatedInvitation>, AppError> {
    let (ports, admin) = ports()?;
    let joins = joins(&group, &study)?;
    ports.accounts.invite_many(&admin, &lines, role, days, joins, send).await
}

/// Whether a plain form sent this call, without JavaScript. The response must then be a page, and what the
/// page shows of the result must be in its address.
#[cfg(not(target_arch = "wasm32"))]
fn wants_page() -> bool {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.headers.get(http::header::ACCEPT).cloned())
        .is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// Creates a link with which a person chooses a new password and returns its path, which is not shown again.
#[server(prefix = "/rpc", endpoint = "create_reset")]
pub async fn create_reset(user: UserId) -> Result<String, AppError> {
    let (ports, admin) = ports()?;
    let link = format!("/reset/{}", ports.accounts.create_reset(&admin, user).await?);
    if wants_page() {
        leptos_axum::redirect(&format!("/admin/people?link={link}"));
    }
    Ok(link)
}

/// The name of the account behind a link to choose a new password.
#[server(prefix = "/rpc", endpoint = "reset_name", protocol = Call)]
pub async fn reset_name(secret: String) -> Result<String, AppError> {
    open_ports()?.accounts.reset_name(&secret).await
}

/// Revokes an unused invitation.
#[server(prefix = "/rpc", endpoint = "revoke_invitation")]
pub async fn revoke_invitation(id: i64) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.accounts.revoke(&admin, id).await
}

/// Deactivates or activates an account.
#[server(prefix = "/rpc", endpoint = "set_disabled")]
pub async fn set_disabled(user: UserId, disabled: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.accounts.set_disabled(&admin, user, disabled).await
}

/// Changes the role of another account.
#[server(prefix = "/rpc", endpoint = "set_role")]
pub async fn set_role(user: UserId, role: Role) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.accounts.set_role(&admin, user, role).await
}

/// Stores the person's keyboard shortcuts. Used by the grading page; the account page sends a form.
#[server(prefix = "/rpc", endpoint = "set_keys", protocol = Call)]
pub async fn set_keys(keys: Keys) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.settings.set_keys(&person, keys).await
}

/// Whether the person's account is linked to one at the identity provider.
#[server(prefix = "/rpc", endpoint = "linked", protocol = Call)]
pub async fn linked() -> Result<bool, AppError> {
    let (ports, person) = ports()?;
    ports.accounts.linked(&person).await
}

/// Names of the time zones that a person can choose.
#[server(prefix = "/rpc", endpoint = "time_zones", protocol = Call)]
pub async fn time_zones() -> Result<Vec<String>, AppError> {
    let _: (_, Person) = ports()?;
    Ok(TimeZone::all().to_vec())
}

/// The invitation behind a link.
#[server(prefix = "/rpc", endpoint = "open_invitation", protocol = Call)]
pub async fn open_invitation(secret: String) -> Result<user::OpenInvitation, AppError> {
    Ok(open_ports()?.accounts.invitation(&secret).await?.into())
}
