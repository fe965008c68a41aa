//! Personal settings as plain forms: they affect every page, so a full page load follows.

use std::collections::HashMap;

use app::{
    error::AppError,
    model::keys::{Action, KeyFault, Keys},
    port::{Caller, settings::PersonalSettings},
};
use axum::{Extension, Form, extract::State, response::Redirect};

use super::errors::HttpError;
use crate::state::AppState;

/// `POST /account/keys`: a field per action (`key-comment=c`), `off` to disable shortcuts, and
/// `action`: `save`, or `reset` for the defaults.
pub async fn keys(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Redirect, HttpError> {
    let off = fields.contains_key("off");
    let chosen = if fields.get("action").is_some_and(|action| action == "reset") {
        Ok(Keys::default())
    } else {
        read(&fields).and_then(|chosen| Keys::choose(off, &chosen))
    };
    let told = match chosen {
        Ok(keys) => match state.services.settings.set_keys(&caller, keys).await {
            Ok(()) => "done=keys".to_owned(),
            Err(AppError::Unauthenticated) => return Ok(Redirect::to("/log-in?next=%2Faccount")),
            Err(e) => return Err(e.into()),
        },
        Err((at, KeyFault::Taken(other))) => format!("keys=taken&at={}&other={}", at.code(), other.code()),
        Err((at, KeyFault::Digit)) => format!("keys=digit&at={}", at.code()),
        Err((at, KeyFault::Browser)) => format!("keys=browser&at={}", at.code()),
        Err((at, KeyFault::NotOneKey)) => format!("keys=odd&at={}", at.code()),
    };
    Ok(Redirect::to(&format!("/account?{told}#keys")))
}

/// `POST /account/toured`: stops offering the tour.
pub async fn toured(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
) -> Result<Redirect, HttpError> {
    match state.services.settings.set_toured(&caller).await {
        Ok(()) => Ok(Redirect::to("/desk")),
        Err(AppError::Unauthenticated) => Ok(Redirect::to("/log-in?next=%2Fdesk")),
        Err(e) => Err(e.into()),
    }
}

fn read(fields: &HashMap<String, String>) -> Result<Vec<(Action, char)>, (Action, KeyFault)> {
    let mut chosen = Vec::new();
    for action in Action::ALL {
        // An empty field selects the default key.
        let Some(text) = fields.get(&format!("key-{}", action.code())).map(|t| t.trim()).filter(|t| !t.is_empty())
        else {
            chosen.push((action, action.default_key()));
            continue;
        };
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(key), None) => chosen.push((action, key)),
            _ => return Err((action, KeyFault::NotOneKey)),
        }
    }
    Ok(chosen)
}
