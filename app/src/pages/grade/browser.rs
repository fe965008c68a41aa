//! The few things that the grading page asks of the browser itself. On the server each does
//! nothing: views call them from event handlers and effects only.

use crate::model::{grading::Draft, ids::Token};

/// Keeps a draft in this browser until the server has it. A browser without storage keeps nothing.
pub fn stash(token: &Token, draft: &Draft) {
    if let (Some(storage), Ok(text)) = (storage(), serde_json::to_string(draft)) {
        let _ = storage.set_item(&name(token), &text);
    }
}

/// The draft that this browser kept.
pub fn unstash(token: &Token) -> Option<Draft> {
    let text = storage()?.get_item(&name(token)).ok()??;
    serde_json::from_str(&text).ok()
}

/// Drops what was kept: the server has it.
pub fn forget(token: &Token) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&name(token));
    }
}

/// A key that no other submission has: 128 random bits as hexadecimal digits.
pub fn random_key() -> String {
    let mut bytes = [0u8; 16];
    if let Ok(crypto) = leptos::prelude::window().crypto() {
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Puts the keyboard on the element with this id, where there is one. `still` keeps the page from
/// scrolling there.
pub fn focus(id: &str, still: bool) {
    use leptos::wasm_bindgen::JsCast;
    if let Some(element) = leptos::prelude::document().get_element_by_id(id)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(still);
        let _ = element.focus_with_options(&options);
    }
}

/// Scrolls the page and the box that `selector` finds to their beginnings.
pub fn to_top(selector: &str) {
    leptos::prelude::window().scroll_to_with_x_and_y(0.0, 0.0);
    if let Ok(Some(element)) = leptos::prelude::document().query_selector(selector) {
        element.set_scroll_top(0);
    }
}

/// The score that is ticked in a group of radio buttons, where one is: what was clicked before the
/// client took over.
pub fn ticked(form: &str, group: &str) -> Option<u8> {
    use leptos::wasm_bindgen::JsCast;
    let selector = format!("form[data-token='{form}'] input[name='{group}']:checked");
    let element = leptos::prelude::document().query_selector(&selector).ok()??;
    element.dyn_into::<web_sys::HtmlInputElement>().ok()?.value().parse().ok()
}

fn storage() -> Option<web_sys::Storage> {
    leptos::prelude::window().local_storage().ok()?
}

fn name(token: &Token) -> String {
    format!("aixgrade-draft-{token}")
}
