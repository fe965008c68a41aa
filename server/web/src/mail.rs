//! Email as plain forms: what people choose to get, and the links in messages.

use std::collections::HashMap;

use axum::{
    Extension, Form,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use model::{
    caller::{Caller, Capability, Person},
    error::AppError,
    mail::{Digest, MailChoice, MailChosen, MailLink},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use port::mail::Mail;

use super::errors::HttpError;
use crate::state::AppState;

/// Maximum length of a link's token, in bytes: those with the longest address are shorter.
const LONGEST_TOKEN: usize = 512;

/// `POST /account/email`: `address`, `due` if it is wanted, and `digest`, for admins.
pub async fn choose(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Redirect, HttpError> {
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Faccount%2Femail")) };
    let digest = match fields.get("digest") {
        None => Digest::Off,
        Some(code) => Digest::from_name(code).ok_or(AppError::Malformed)?,
    };
    let address = fields.get("address").cloned().unwrap_or_default();
    let choice = MailChoice { address, due: fields.contains_key("due"), digest };
    let result = match state.services.mail.choose(&person, choice).await {
        Ok(MailChosen::Saved) => "saved",
        Ok(MailChosen::LinkSent) => "sent",
        Ok(MailChosen::Removed) => "removed",
        Err(AppError::Invalid(_)) => "bad",
        Err(AppError::TooMany(_)) => "slow",
        Err(AppError::Conflict(_)) => "refused",
        Err(e) => return Err(e.into()),
    };
    Ok(Redirect::to(&format!("/account/email?mail={result}")))
}

/// `POST /mail/{token}`: the button of the page, or a mail program that ends messages for its reader (RFC 8058), which wants
/// no redirect. `action=allow` lets email be sent again.
pub async fn follow(
    State(state): State<AppState>,
    Path(token): Path<String>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Response, HttpError> {
    if token.len() > LONGEST_TOKEN {
        return Err(AppError::NotFound("link".into()).into());
    }
    let allow = fields.get("action").is_some_and(|action| action == "allow");
    let page = format!("/mail/{}", utf8_percent_encode(&token, NON_ALPHANUMERIC));
    match state.services.mail.follow(&token, allow).await {
        Ok(_) if fields.contains_key("List-Unsubscribe") => Ok(StatusCode::OK.into_response()),
        Ok(MailLink::Verify { .. }) => Ok(Redirect::to(&format!("{page}?done=verified")).into_response()),
        // The page says that the link is no longer valid.
        Ok(MailLink::Stop { .. }) | Err(AppError::NotFound(_)) => Ok(Redirect::to(&page).into_response()),
        Err(e) => Err(e.into()),
    }
}
