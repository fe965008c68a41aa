//! Logging in with an identity provider: to its page and back.
//!
//! What a login needs on the way back is in a cookie of the browser that began it, so that nobody can end it in another
//! browser, and nothing is stored for visitors.

use axum::{
    Extension,
    extract::{Query, State},
    http::{HeaderMap, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use model::{
    caller::{Caller, Capability, Person},
    error::AppError,
    ids::UserId,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::Duration;
use tower_sessions::{
    Session,
    cookie::{Cookie, SameSite},
};

use super::{
    account::{begin as begin_session, local},
    errors::HttpError,
    guard::query,
    session::{cookie, cookie_name},
};
use crate::state::AppState;
use services::single_sign_on::{Arrived, Purpose, Refused};

const COOKIE: &str = "aixgrade-sso";
/// In the session: the state with which somebody asked to link an identity, and their account. Whoever uses the browser
/// next must not get the identity.
const LINKING: &str = "linking";
/// Time for logging in at the provider.
const AGE: Duration = Duration::minutes(10);
/// Maximum length of the address that a login returns to, and of an invitation's secret, in bytes: cookies hold four
/// kilobytes.
const LONGEST: usize = 1024;

/// What somebody asks for.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    next: String,
    /// The secret of an invitation.
    #[serde(default)]
    join: String,
    /// Whether to link the identity to the account that is logged in.
    #[serde(default)]
    link: bool,
}

/// A login on its way, in the browser's cookie.
#[derive(Serialize, Deserialize)]
struct OnTheWay {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
    join: String,
    link: bool,
}

/// What the provider sends back.
#[derive(Deserialize)]
pub struct SentBack {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

/// `GET /log-in/sso`: a link, because the policy of our pages allows forms to end on them only.
pub async fn begin(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    session: Session,
    Query(asked): Query<Asked>,
) -> Result<Response, HttpError> {
    let sso = &state.services.single_sign_on;
    if sso.name().is_none() {
        return Err(AppError::NotFound("single sign-on".into()).into());
    }
    // A link on another site must not link an identity: the provider's session may be the attacker's.
    let from_us = headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin");
    let linking = Person::of(&caller).ok().filter(|_| from_us && asked.link);
    if asked.link && linking.is_none() {
        return Err(AppError::Forbidden.into());
    }
    let short = |text: String| Some(text).filter(|text| text.len() <= LONGEST).unwrap_or_default();
    let (next, join) = (short(asked.next), short(asked.join));
    let begun = match sso.begin().await {
        Ok(begun) => begun,
        Err(refused) => return refuse(refused, asked.link, &next),
    };
    if let Some(person) = linking {
        session.insert(LINKING, (&begun.state, person.id)).await.map_err(base::error::Failure::internal)?;
    }
    let way =
        OnTheWay { state: begun.state, nonce: begun.nonce, verifier: begun.verifier, next, join, link: asked.link };
    let value = BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&way).map_err(base::error::Failure::internal)?);
    let cookie = way_cookie(&value, AGE, state.config.secure());
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(&begun.address)).into_response())
}

/// `GET /log-in/sso/callback`
pub async fn callback(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    session: Session,
    Query(sent): Query<SentBack>,
) -> Result<Response, HttpError> {
    let secure = state.config.secure();
    if state.services.single_sign_on.name().is_none() {
        return Err(AppError::NotFound("single sign-on".into()).into());
    }
    let way = cookie(&headers, &cookie_name(COOKIE, secure))
        .and_then(|value| BASE64_URL_SAFE_NO_PAD.decode(value).ok())
        .and_then(|json| serde_json::from_slice::<OnTheWay>(&json).ok());
    let answer = match way {
        // Hashes, so that the time of the comparison tells nothing.
        Some(way) if Sha256::digest(&way.state) == Sha256::digest(sent.state.as_deref().unwrap_or_default()) => {
            end(&state, caller, &session, way, sent).await
        }
        _ => page("state", false, ""),
    };
    // It counts once, whatever came of it.
    let gone = way_cookie("", Duration::ZERO, secure);
    Ok((AppendHeaders([(header::SET_COOKIE, gone)]), answer).into_response())
}

async fn end(
    state: &AppState,
    caller: Caller,
    session: &Session,
    way: OnTheWay,
    sent: SentBack,
) -> Result<Response, HttpError> {
    let Some(code) = sent.code.filter(|_| sent.error.is_none()) else {
        return page("denied", way.link, &way.next);
    };
    let purpose = match (way.link, way.join.is_empty()) {
        (true, _) => Purpose::Link,
        (false, true) => Purpose::LogIn,
        (false, false) => Purpose::Join(way.join),
    };
    if way.link {
        let linking: Option<(String, UserId)> =
            session.remove(LINKING).await.map_err(base::error::Failure::internal)?;
        let person = Person::of(&caller).ok();
        if linking.is_none_or(|(state, account)| state != way.state || person.is_none_or(|person| person.id != account))
        {
            return page("state", true, &way.next);
        }
    }
    let sso = &state.services.single_sign_on;
    match sso.end(&code, (&way.nonce, &way.verifier), purpose, Person::of(&caller).ok()).await {
        Ok(Arrived::LoggedIn(who)) => begin_session(state, session, &who, local(&way.next)).await,
        Ok(Arrived::Linked) => Ok(Redirect::to("/account?done=sso").into_response()),
        Err(refused) => refuse(refused, way.link, &way.next),
    }
}

/// `POST /account/sso/unlink`
pub async fn unlink(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
) -> Result<Redirect, HttpError> {
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Faccount")) };
    state.services.single_sign_on.unlink(&person).await?;
    Ok(Redirect::to("/account?done=unlinked"))
}

fn refuse(refused: Refused, link: bool, next: &str) -> Result<Response, HttpError> {
    let why = match refused {
        Refused::Provider => "provider",
        Refused::Token => "token",
        Refused::Domain => "domain",
        Refused::Unknown => "unknown",
        Refused::Taken => "taken",
        Refused::Gone => "gone",
        Refused::Disabled => "disabled",
        Refused::Failed(failure) => return Err(failure.into()),
    };
    page(why, link, next)
}

/// The page that says why there is no login.
fn page(why: &str, link: bool, next: &str) -> Result<Response, HttpError> {
    let fields = [("error", "sso"), ("why", why), ("next", next)];
    let given = query(fields.into_iter().filter(|(_, value)| !value.is_empty()));
    let path = if link { "/account" } else { "/log-in" };
    Ok(Redirect::to(&format!("{path}?{given}")).into_response())
}

/// Sent back with the provider's redirect, which comes from another site, and to no other path.
fn way_cookie(value: &str, age: Duration, secure: bool) -> String {
    let cookie = Cookie::build((cookie_name(COOKIE, secure), value))
        .path("/")
        .max_age(age)
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure);
    cookie.build().to_string()
}
