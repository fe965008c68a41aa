//! Logging in and out, joining, changing a password, choosing a language: plain forms that answer with a
//! redirect, so that they work without JavaScript and a reload does not send them twice.

use std::net::{IpAddr, SocketAddr};

use axum::{
    Extension, Form,
    extract::{ConnectInfo, FromRequestParts, Path, State},
    http::{HeaderMap, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use model::{
    caller::{Caller, Capability, Owner, Person},
    error::AppError,
    lang::Lang,
    plan::Reads,
    time_zone::TimeZone,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use port::Accounts;
use serde::Deserialize;
use tower_sessions::Session;

use super::{
    errors::HttpError,
    guard::{NEW_PASSWORD, query},
    session,
};
use crate::state::AppState;
use services::accounts::{LoggedIn, Origin, Refused};

/// Maximum length of a form value that a redirect repeats, in bytes: longer than any valid name or address,
/// and far below the header limits of browsers and proxies.
const LONGEST_REPEATED: usize = 1024;

#[derive(Deserialize)]
pub struct LogIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// `POST /log-in`
pub async fn log_in(
    State(state): State<AppState>,
    Address(address): Address,
    headers: HeaderMap,
    session: Session,
    Form(form): Form<LogIn>,
) -> Result<Response, HttpError> {
    let refused = |error: &str, wait: &str| {
        let fields = [("error", error), ("wait", wait), ("name", &form.name), ("next", &form.next)];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty() && value.len() <= LONGEST_REPEATED);
        Ok(Redirect::to(&format!("/log-in?{}", query(given))).into_response())
    };
    let device = session::device(&headers, state.config.secure());
    let origin = Origin { address, device: device.as_deref() };
    match state.services.accounts.log_in(form.name.trim(), &form.password, origin).await {
        Ok(who) => begin(&state, &session, &who, local(&form.next)).await,
        Err(Refused::Wrong) => refused("wrong", ""),
        Err(Refused::Disabled) => refused("disabled", ""),
        Err(Refused::Slow(seconds)) => refused("slow", &seconds.to_string()),
        Err(Refused::Failed(failure)) => Err(failure.into()),
    }
}

/// Starts the session of somebody who has logged in.
pub async fn begin(state: &AppState, session: &Session, who: &LoggedIn, next: &str) -> Result<Response, HttpError> {
    session::begin(session, who).await?;
    let cookie = session::device_cookie(&who.device, state.config.secure());
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(next)).into_response())
}

/// `POST /log-out`
pub async fn log_out(session: Session) -> Result<Redirect, HttpError> {
    session.flush().await.map_err(base::error::Failure::internal)?;
    Ok(Redirect::to("/log-in"))
}

/// The form behind an invitation link.
#[derive(Deserialize)]
pub struct Join {
    name: String,
    password: String,
    #[serde(default)]
    reads: Reads,
    /// The name of the device's time zone, if the page could tell it.
    #[serde(default)]
    zone: String,
}

/// `POST /join/{secret}`
pub async fn join(
    State(state): State<AppState>,
    Path(secret): Path<String>,
    session: Session,
    Form(form): Form<Join>,
) -> Result<Response, HttpError> {
    let refused = |error: &str| {
        let fields = [("error", error), ("name", &form.name)];
        let query = query(fields.into_iter().filter(|(_, value)| value.len() <= LONGEST_REPEATED));
        let secret = utf8_percent_encode(&secret, NON_ALPHANUMERIC);
        Ok(Redirect::to(&format!("/join/{secret}?{query}")).into_response())
    };
    if secret.len() > LONGEST_REPEATED {
        return Err(AppError::NotFound("invitation".into()).into());
    }
    // A name that the server does not know comes from a newer browser.
    let zone = TimeZone::of(&form.zone).unwrap_or_default();
    match state.services.accounts.join(&secret, form.name.trim(), &form.password, form.reads, zone).await {
        Ok(who) => begin(&state, &session, &who, "/").await,
        Err(AppError::NotFound(_)) => refused("gone"),
        Err(AppError::Conflict(_)) => refused("taken"),
        Err(AppError::Invalid(problems)) => refused(problems.first().map_or("name", |p| &p.file)),
        Err(e) => Err(e.into()),
    }
}

/// The form behind a link to choose a new password.
#[derive(Deserialize)]
pub struct Reset {
    password: String,
}

/// `POST /reset/{secret}`
pub async fn reset(
    State(state): State<AppState>,
    Path(secret): Path<String>,
    session: Session,
    Form(form): Form<Reset>,
) -> Result<Response, HttpError> {
    let back = |error: &str| {
        let secret = utf8_percent_encode(&secret, NON_ALPHANUMERIC);
        Ok(Redirect::to(&format!("/reset/{secret}{error}")).into_response())
    };
    if secret.len() > LONGEST_REPEATED {
        return Err(AppError::NotFound("reset link".into()).into());
    }
    match state.services.accounts.reset_by_link(&secret, &form.password).await {
        Ok(who) => begin(&state, &session, &who, "/").await,
        // The page says that the link is no longer valid.
        Err(AppError::NotFound(_)) => back(""),
        Err(AppError::Invalid(_)) => back("?error=password"),
        Err(e) => Err(e.into()),
    }
}

#[derive(Deserialize)]
pub struct Password {
    current: String,
    new: String,
}

/// `POST /account/password`
pub async fn change_password(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    session: Session,
    Form(form): Form<Password>,
) -> Result<Redirect, HttpError> {
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Faccount")) };
    match state.services.accounts.change_password(&person, &form.current, &form.new).await {
        Ok(epoch) => {
            // This session continues under a new id; all others have ended.
            session.cycle_id().await.map_err(base::error::Failure::internal)?;
            session::remember(&session, person.id, epoch).await?;
            Ok(Redirect::to("/account?done=password"))
        }
        Err(AppError::Forbidden) => Ok(Redirect::to("/account?error=current")),
        Err(AppError::Invalid(_)) => Ok(Redirect::to("/account?error=password")),
        Err(AppError::Unauthenticated) => Ok(Redirect::to("/log-in?next=%2Faccount")),
        Err(AppError::TooMany(seconds)) => Ok(Redirect::to(&format!("/account?error=slow&wait={seconds}"))),
        Err(e) => Err(e.into()),
    }
}

/// The form of somebody who must choose a new password.
#[derive(Deserialize)]
pub struct NewPassword {
    new: String,
    #[serde(default)]
    next: String,
}

/// `POST /new-password`
pub async fn choose_password(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    session: Session,
    Form(form): Form<NewPassword>,
) -> Result<Redirect, HttpError> {
    let Ok(owner) = Owner::of(&caller) else { return Ok(Redirect::to("/log-in")) };
    let again = |error: &str| {
        let fields = [("error", error), ("next", &form.next)];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty() && value.len() <= LONGEST_REPEATED);
        Ok(Redirect::to(&format!("{NEW_PASSWORD}?{}", query(given))))
    };
    match state.services.accounts.choose_password(&owner, &form.new).await {
        Ok(epoch) => {
            // This session continues under a new id; all others have ended.
            session.cycle_id().await.map_err(base::error::Failure::internal)?;
            session::remember(&session, owner.id, epoch).await?;
            Ok(Redirect::to(local(&form.next)))
        }
        Err(AppError::Invalid(problems)) => again(problems.first().map_or("password", |problem| &problem.file)),
        Err(AppError::Unauthenticated) => Ok(Redirect::to("/log-in")),
        Err(e) => Err(e.into()),
    }
}

#[derive(Deserialize)]
pub struct ChooseLang {
    lang: Lang,
    #[serde(default)]
    next: String,
}

/// `POST /lang`
pub async fn set_lang(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Form(form): Form<ChooseLang>,
) -> Result<Response, HttpError> {
    if let Ok(owner) = Owner::of(&caller) {
        state.services.accounts.set_lang(&owner, form.lang).await?;
    }
    // For the login page and visitors without an account. Kept for a year, because the choice is no
    // secret.
    let secure = if state.config.secure() { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax{secure}",
        session::LANG_COOKIE,
        form.lang.code()
    );
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(local(&form.next))).into_response())
}

/// The path to continue at, if it is on this server: a redirect elsewhere would help phishing.
pub fn local(next: &str) -> &str {
    let ours = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains('\\')
        && next.bytes().all(|b| b.is_ascii_graphic());
    if ours { next } else { "/" }
}

/// The client's address: the connection's, or the one reported by the trusted proxy.
pub struct Address(pub Option<IpAddr>);

impl FromRequestParts<AppState> for Address {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Self::Rejection> {
        let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let forwarded = state.config.trust_proxy.then(|| forwarded_for(&parts.headers)).flatten();
        Ok(Address(forwarded.or(connection)))
    }
}

/// The last address in the list is the one that our proxy saw; those before it are claims of the client.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let value = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    // Some proxies append the port.
    last.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_forwarded_address_is_the_proxys() {
        let check = |value: &'static str, expected: Option<&str>| {
            let headers = HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), value.parse().unwrap())]);
            assert_eq!(forwarded_for(&headers), expected.map(|address| address.parse().unwrap()), "{value}");
        };
        check("198.51.100.9, 203.0.113.7", Some("203.0.113.7"));
        check("203.0.113.7:50000", Some("203.0.113.7"));
        check("[2001:db8::1]:50000", Some("2001:db8::1"));
        check("unknown", None);
    }

    #[test]
    fn redirects_only_to_own_pages() {
        let check = |next, to| assert_eq!(local(next), to);
        check("/grade/abc?x=1", "/grade/abc?x=1");
        check("", "/");
        check("https://elsewhere.example/", "/");
        check("//elsewhere.example/", "/");
        check("/\\elsewhere.example", "/");
        check("/a\r\nSet-Cookie: x", "/");
    }
}
