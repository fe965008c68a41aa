//! What the root of a page provides to everything below it: the visitor, and on the server the ports and the caller.

use leptos::prelude::use_context;
use model::user::Visitor;
#[cfg(not(target_arch = "wasm32"))]
use model::{
    caller::{Caller, Capability},
    error::{Answer, AppError},
};
#[cfg(not(target_arch = "wasm32"))]
use port::Ports;
use texts::I18n;

/// The texts in the visitor's language, with times in their time zone.
pub fn use_i18n() -> I18n {
    let visitor = use_visitor();
    let zone = visitor.me.map(|me| me.settings.display.zone).unwrap_or_default();
    I18n::of(visitor.lang).in_zone(zone)
}

/// The visitor. Does not change while a page is open: logging in or out and changing the language are form
/// posts that load a new page.
pub fn use_visitor() -> Visitor {
    use_context::<Visitor>().unwrap_or_default()
}

/// The ports, and what the request's caller may be, as the calls on the ports need it.
///
/// # Errors
/// The caller lacks it: 401 or 403.
#[cfg(not(target_arch = "wasm32"))]
pub fn ports<C: Capability>() -> Answer<(Ports, C)> {
    let caller = use_context::<Caller>().ok_or_else(|| AppError::Internal("no context".into()))?;
    Ok((open_ports()?, C::of(&caller)?))
}

/// The ports, for calls that anybody may make.
///
/// # Errors
/// Outside a request.
#[cfg(not(target_arch = "wasm32"))]
pub fn open_ports() -> Answer<Ports> {
    use_context::<Ports>().ok_or_else(|| AppError::Internal("no context".into()))
}
