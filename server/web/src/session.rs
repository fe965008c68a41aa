//! Turns a cookie into a [`Caller`] and a [`Visitor`].

use axum::{
    body::Body,
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::Limited;
use model::{
    audit::Via,
    caller::{Caller, Capability},
    ids::UserId,
    lang::Lang,
    time::DAY_MS,
    user::Visitor,
};
use serde::{Deserialize, Serialize};
use time::Duration;
use tower_sessions::{
    Expiry, Session, SessionManagerLayer,
    cookie::{Cookie, SameSite},
};

use super::{account::Address, errors::HttpError};
use crate::state::AppState;
use base::error::Failure;
use db::{
    audit::{self, Origin},
    sessions::Sessions,
};
use services::accounts::{LoggedIn, Resumed};

/// The cookie with the language of a visitor who is not logged in.
pub const LANG_COOKIE: &str = "lang";
const KEY: &str = "user";
/// The session's cookie, and the one that marks a browser as known to the accounts that logged in from it.
const SESSION_COOKIE: &str = "aixgrade";
const DEVICE_COOKIE: &str = "aixgrade-device";
/// Browsers keep cookies for at most 400 days; each login renews the year.
const DEVICE_AGE: Duration = Duration::days(365);
/// Long enough for a rater who returns after the weekend; a forgotten session ends.
const IDLE: Duration = Duration::days(14);

/// Content of a session.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SessionUser {
    id: UserId,
    epoch: i64,
    /// The day of the last request that was recorded, so that the session is extended once a day and not with every
    /// request; 0 before the first.
    day: i64,
}

/// The layer that stores sessions in the database.
pub fn layer(state: &AppState) -> SessionManagerLayer<Sessions> {
    SessionManagerLayer::new(Sessions(state.services.db.clone()))
        .with_name(cookie_name(SESSION_COOKIE, state.config.secure()))
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(state.config.secure())
        .with_expiry(Expiry::OnInactivity(IDLE))
}

/// Over TLS, the `__Host-` prefix keeps other hosts of the domain and unencrypted connections from setting the cookie.
pub fn cookie_name(name: &str, secure: bool) -> String {
    if secure { format!("__Host-{name}") } else { name.to_owned() }
}

/// The secret of a browser that logged in before.
pub fn device(headers: &HeaderMap, secure: bool) -> Option<String> {
    cookie(headers, &cookie_name(DEVICE_COOKIE, secure))
}

/// The value of a cookie.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut parsed = cookies.flat_map(Cookie::split_parse).filter_map(Result::ok);
    parsed.find(|cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}

/// The cookie by which the browser proves at its next login that it logged in before.
pub fn device_cookie(secret: &str, secure: bool) -> String {
    let cookie = Cookie::build((cookie_name(DEVICE_COOKIE, secure), secret))
        .path("/")
        .max_age(DEVICE_AGE)
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(secure);
    cookie.build().to_string()
}

/// Starts a session under a new id, so that an id that an attacker set before is worthless.
pub async fn begin(session: &Session, who: &LoggedIn) -> Result<(), Failure> {
    session.cycle_id().await.map_err(Failure::internal)?;
    remember(session, who.me.id, who.epoch).await
}

/// Writes the user to the session.
pub async fn remember(session: &Session, id: UserId, epoch: i64) -> Result<(), Failure> {
    write(session, SessionUser { id, epoch, day: 0 }).await
}

async fn write(session: &Session, user: SessionUser) -> Result<(), Failure> {
    session.insert(KEY, user).await.map_err(Failure::internal)
}

/// Takes what the caller may be from the request: `Authorized(admin): Authorized<Admin>` refuses everybody else.
pub struct Authorized<C>(pub C);

impl<C: Capability, S: Sync> FromRequestParts<S> for Authorized<C> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let caller = parts.extensions.get::<Caller>().ok_or(Failure::internal("a request without a caller"))?;
        Ok(Authorized(C::of(caller)?))
    }
}

/// Maximum size of a request's body without a session, in bytes: a login, an invitation, the choice of a language.
const ANONYMOUS_LIMIT: usize = 16 * 1024;

/// Middleware: adds the [`Caller`] and the [`Visitor`] to the request's extensions.
pub async fn caller(
    State(state): State<AppState>,
    Address(address): Address,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    let (caller, chosen) = match resume(&state, &session).await {
        Ok(found) => found,
        Err(failure) => return HttpError::from(failure).into_response(),
    };
    let lang = chosen.unwrap_or_else(|| spoken(request.headers()));
    let me = match &caller {
        Caller::User(me) => Some(model::user::Me { lang, ..me.clone() }),
        // Without an account, a page offers nothing that a password change must come before.
        Caller::NewPassword(_) | Caller::Anonymous => None,
    };
    if matches!(caller, Caller::Anonymous) {
        // Bodies are read into memory before anybody knows who sends them.
        request = request.map(|body| Body::new(Limited::new(body, ANONYMOUS_LIMIT)));
    }
    request.extensions_mut().insert(caller);
    let sso = state.services.single_sign_on.name().map(str::to_owned);
    let mail = state.services.mail.is_on();
    request.extensions_mut().insert(Visitor { me, lang, waiting: 0, announcements: Vec::new(), sso, mail });
    audit::from(Origin { via: Via::Session, token: None, address }, next.run(request)).await
}

async fn resume(state: &AppState, session: &Session) -> Result<(Caller, Option<Lang>), Failure> {
    let Some(user) = session.get::<SessionUser>(KEY).await.map_err(Failure::internal)? else {
        return Ok((Caller::Anonymous, None));
    };
    match state.services.accounts.resume(user.id, user.epoch).await? {
        Some(Resumed { me, lang, must_change_password }) => {
            if user.day != today() {
                write(session, SessionUser { day: today(), ..user }).await?;
                state.services.accounts.seen(user.id).await?;
            }
            let caller = if must_change_password { Caller::NewPassword(me) } else { Caller::User(me) };
            Ok((caller, lang))
        }
        None => {
            session.flush().await.map_err(Failure::internal)?;
            Ok((Caller::Anonymous, None))
        }
    }
}

/// The language of the cookie, otherwise of the browser.
fn spoken(headers: &HeaderMap) -> Lang {
    let text = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let cookie = text(header::COOKIE)
        .flat_map(|cookies| cookies.split(';'))
        .find_map(|cookie| cookie.trim().strip_prefix(LANG_COOKIE)?.strip_prefix('='))
        .and_then(|code| code.parse().ok());
    cookie.unwrap_or_else(|| text(header::ACCEPT_LANGUAGE).find_map(preferred).unwrap_or_default())
}

/// The first supported language of an `Accept-Language` list. Browsers send the best first, so weights are
/// not needed.
fn preferred(list: &str) -> Option<Lang> {
    list.split(',').find_map(|entry| {
        let tag = entry.split(';').next()?.trim().to_ascii_lowercase();
        Lang::ALL.into_iter().find(|lang| tag.split('-').next() == Some(lang.code()))
    })
}

fn today() -> i64 {
    base::clock::now().0.div_euclid(DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_supported_language_is_used() {
        let check = |list, lang| assert_eq!(preferred(list), lang, "{list}");
        check("zh-CN,zh;q=0.9,en;q=0.8", Some(Lang::Zh));
        check("fr-FR,en-GB;q=0.7,zh;q=0.3", Some(Lang::En));
        check("de", None);
        check("", None);
    }
}
