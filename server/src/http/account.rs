//! Logging in and out, joining, changing a password, choosing a language: plain forms that answer
//! with a redirect, so that they work without JavaScript and a reload sends nothing twice.

use std::net::SocketAddr;

use app::{
    error::AppError,
    model::lang::Lang,
    port::{Accounts, Caller},
};
use axum::{
    Extension, Form,
    extract::{ConnectInfo, FromRequestParts, Path, State},
    http::{HeaderMap, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use serde::Deserialize;
use tower_sessions::Session;

use super::{errors::HttpError, guard::urlencode, session};
use crate::{services::accounts::Refused, state::AppState};

/// The log-in form.
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
    session: Session,
    Form(form): Form<LogIn>,
) -> Result<Redirect, HttpError> {
    let refused = |error: &str, wait: &str| {
        let fields = [("error", error), ("wait", wait), ("name", &form.name), ("next", &form.next)];
        let given: Vec<_> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        Ok(Redirect::to(&format!("/log-in?{}", urlencode(&given))))
    };
    match state.services.accounts.log_in(form.name.trim(), &form.password, &address).await {
        Ok(who) => {
            session::begin(&session, &who).await?;
            Ok(Redirect::to(local(&form.next)))
        }
        Err(Refused::Wrong) => refused("wrong", ""),
        Err(Refused::Disabled) => refused("disabled", ""),
        Err(Refused::Slow(seconds)) => refused("slow", &seconds.to_string()),
        Err(Refused::Failed(failure)) => Err(failure.into()),
    }
}

/// `POST /log-out`
pub async fn log_out(session: Session) -> Result<Redirect, HttpError> {
    session.flush().await.map_err(crate::error::Failure::internal)?;
    Ok(Redirect::to("/log-in"))
}

/// The form behind an invitation link.
#[derive(Deserialize)]
pub struct Join {
    name: String,
    password: String,
}

/// `POST /join/{secret}`
pub async fn join(
    State(state): State<AppState>,
    Path(secret): Path<String>,
    session: Session,
    Form(form): Form<Join>,
) -> Result<Redirect, HttpError> {
    let refused = |error: &str| {
        let query = urlencode(&[("error", error), ("name", &form.name)]);
        Ok(Redirect::to(&format!("/join/{}?{query}", urlencode(&[("", &secret)]).trim_start_matches('='))))
    };
    match state.services.accounts.join(&secret, form.name.trim(), &form.password).await {
        Ok(who) => {
            session::begin(&session, &who).await?;
            Ok(Redirect::to("/"))
        }
        Err(AppError::NotFound(_)) => refused("gone"),
        Err(AppError::Conflict(_)) => refused("taken"),
        Err(AppError::Invalid(problems)) => refused(problems.first().map_or("name", |p| &p.file)),
        Err(e) => Err(e.into()),
    }
}

/// The password form.
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
    match state.services.accounts.change_password(&caller, &form.current, &form.new).await {
        Ok(epoch) => {
            // This session goes on, under a new id; all others have ended.
            session.cycle_id().await.map_err(crate::error::Failure::internal)?;
            session::remember(&session, caller.user()?.id, epoch).await?;
            Ok(Redirect::to("/account?done=password"))
        }
        Err(AppError::Forbidden) => Ok(Redirect::to("/account?error=current")),
        Err(AppError::Invalid(_)) => Ok(Redirect::to("/account?error=password")),
        Err(AppError::TooMany(seconds)) => Ok(Redirect::to(&format!("/account?error=slow&wait={seconds}"))),
        Err(AppError::Unauthenticated) => Ok(Redirect::to("/log-in?next=%2Faccount")),
        Err(e) => Err(e.into()),
    }
}

/// The language switch.
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
    if matches!(caller, Caller::User(_)) {
        state.services.accounts.set_lang(&caller, form.lang).await?;
    }
    // For the log-in page, and for whoever has no account. A year: the choice is no secret.
    let secure = if state.config.secure() { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax{secure}",
        session::LANG_COOKIE,
        form.lang.code()
    );
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(local(&form.next))).into_response())
}

/// The path to go on to, if it is one of ours: a redirect elsewhere would lend our name to a trap.
fn local(next: &str) -> &str {
    let ours = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains('\\')
        && next.bytes().all(|b| b.is_ascii_graphic());
    if ours { next } else { "/" }
}

/// The client's address, for slowing guesses: the connection's, or what the trusted proxy says.
pub struct Address(pub String);

impl FromRequestParts<AppState> for Address {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Self::Rejection> {
        let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_string());
        let forwarded = state.config.trust_proxy.then(|| forwarded_for(&parts.headers)).flatten();
        Ok(Address(forwarded.or(connection).unwrap_or_else(|| "unknown".into())))
    }
}

/// The last address in the list is the one our proxy saw; those before it are the client's claims.
fn forwarded_for(headers: &HeaderMap) -> Option<String> {
    let value = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    value.rsplit(',').next().map(|address| address.trim().to_owned()).filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_to_our_own_pages_only() {
        let check = |next, to| assert_eq!(local(next), to);
        check("/grade/abc?x=1", "/grade/abc?x=1");
        check("", "/");
        check("https://elsewhere.example/", "/");
        check("//elsewhere.example/", "/");
        check("/\\elsewhere.example", "/");
        check("/a\r\nSet-Cookie: x", "/");
    }
}
