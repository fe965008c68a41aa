//! Personal settings as plain forms: they affect every page, so a full page load follows.

use std::collections::HashMap;

use axum::{Extension, Form, extract::State, response::Redirect};
use model::{
    caller::{Caller, Capability, Person},
    display::{Density, Display, TextSize, Theme, Wrap},
    error::AppError,
    keys::{Action, KeyFault, Keys},
    time_zone::TimeZone,
};
use port::settings::PersonalSettings;

use super::{account::local, errors::HttpError};
use crate::state::AppState;

/// `POST /account/keys`: a field per action (`key-comment=c`), `off` to disable shortcuts, and
/// `action`: `save`, or `reset` for the defaults.
pub async fn keys(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Redirect, HttpError> {
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Faccount")) };
    let off = fields.contains_key("off");
    let chosen = if fields.get("action").is_some_and(|action| action == "reset") {
        Ok(Keys::default())
    } else {
        read(&fields).and_then(|chosen| Keys::choose(off, &chosen))
    };
    let told = match chosen {
        Ok(keys) => {
            state.services.settings.set_keys(&person, keys).await?;
            "done=keys".to_owned()
        }
        Err((at, KeyFault::Taken(other))) => format!("keys=taken&at={}&other={}", at.code(), other.code()),
        Err((at, KeyFault::Digit)) => format!("keys=digit&at={}", at.code()),
        Err((at, KeyFault::Browser)) => format!("keys=browser&at={}", at.code()),
        Err((at, KeyFault::NotOneKey)) => format!("keys=odd&at={}", at.code()),
    };
    Ok(Redirect::to(&format!("/account?{told}#keys")))
}

/// `POST /account/display`: `theme`, `text`, `density` and `wrap`, each a code of its type in [`Display`], and `zone`,
/// the name of a time zone; a missing one stays as it is. `next` is the page that follows, instead of the account's.
pub async fn display(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Redirect, HttpError> {
    /// The value of a field; an unknown code comes from no form of ours.
    fn value<T>(
        fields: &HashMap<String, String>,
        name: &str,
        now: T,
        of: fn(&str) -> Option<T>,
    ) -> Result<T, AppError> {
        fields.get(name).map_or(Ok(now), |code| of(code).ok_or(AppError::Malformed))
    }
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Faccount")) };
    let now = person.settings.display;
    let display = Display {
        theme: value(&fields, "theme", now.theme, Theme::of)?,
        text: value(&fields, "text", now.text, TextSize::of)?,
        density: value(&fields, "density", now.density, Density::of)?,
        wrap: value(&fields, "wrap", now.wrap, Wrap::of)?,
        zone: value(&fields, "zone", now.zone, TimeZone::of)?,
    };
    state.services.settings.set_display(&person, display).await?;
    Ok(Redirect::to(fields.get("next").map_or("/account?done=display#display", |next| local(next))))
}

/// `POST /account/toured`: stops offering the tour.
pub async fn toured(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
) -> Result<Redirect, HttpError> {
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in?next=%2Fdesk")) };
    state.services.settings.set_toured(&person).await?;
    Ok(Redirect::to("/my-studies"))
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
