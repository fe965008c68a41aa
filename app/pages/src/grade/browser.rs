//! The browser functions that the grading page uses. On the server each does nothing: views call them only
//! from event handlers and effects.
//!
//! Storage has one item per entry, not one list, because tabs share it without a lock.

use leptos::wasm_bindgen::JsCast;

use model::{grading::Draft, ids::Token};
use ui::json;

/// Stores a draft in this browser until the server has it. A browser without storage stores nothing.
pub fn stash(rater: &str, token: &Token, draft: &Draft) {
    if let Ok(text) = serde_json::to_string(draft) {
        keep(&draft_name(rater, token), &text);
    }
}

/// The draft stored in this browser.
pub fn unstash(rater: &str, token: &Token) -> Option<Draft> {
    let text = storage()?.get_item(&draft_name(rater, token)).ok()??;
    json::read(text).ok()
}

/// Deletes a stored draft: the server has it.
pub fn forget(rater: &str, token: &Token) {
    remove(&draft_name(rater, token));
}

/// Stores a text under a key; returns whether it succeeded.
pub fn keep(name: &str, text: &str) -> bool {
    storage().is_some_and(|storage| storage.set_item(name, text).is_ok())
}

/// Deletes the text under a key.
pub fn remove(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(name);
    }
}

/// Every text whose key begins with this.
pub fn all(prefix: &str) -> Vec<String> {
    names(prefix).iter().filter_map(|name| storage()?.get_item(name).ok()?).collect()
}

/// Deletes everything that is this rater's, at log-out.
pub fn clear(rater: &str) {
    for name in names(&format!("aixgrade:draft:{rater}:")).iter().chain(&names(&entry_name(rater, ""))) {
        remove(name);
    }
}

/// The storage key of a submission; with an empty key, the prefix of all of the rater's.
pub fn entry_name(rater: &str, key: &str) -> String {
    // Names contain no colon, so no rater's prefix begins another's.
    format!("aixgrade:out:{rater}:{key}")
}

/// Milliseconds since 1970 by the browser's clock.
pub fn clock() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return js_sys::Date::now();
    #[cfg(not(target_arch = "wasm32"))]
    0.0
}

/// A time as hours and minutes in the browser's time zone.
pub fn hours(ms: f64) -> String {
    #[cfg(target_arch = "wasm32")]
    {
        let date = js_sys::Date::new(&ms.into());
        format!("{:02}:{:02}", date.get_hours(), date.get_minutes())
    }
    #[cfg(not(target_arch = "wasm32"))]
    ms.to_string()
}

/// A unique key of a submission: 128 random bits as hexadecimal digits.
pub fn random_key() -> String {
    let mut bytes = [0u8; 16];
    if let Ok(crypto) = leptos::prelude::window().crypto() {
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A random number from 0 to 1.
pub fn chance() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return js_sys::Math::random();
    #[cfg(not(target_arch = "wasm32"))]
    0.0
}

/// Focuses the element with this id, if it exists. `still` keeps the page from scrolling to it.
pub fn focus(id: &str, still: bool) {
    if let Some(element) = leptos::prelude::document().get_element_by_id(id)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(still);
        let _ = element.focus_with_options(&options);
    }
}

/// Focuses the first visible element that `selector` finds; returns whether there is one.
pub fn focus_shown(selector: &str) -> bool {
    let Ok(found) = leptos::prelude::document().query_selector_all(selector) else { return false };
    let shown = (0..found.length())
        .filter_map(|n| found.item(n)?.dyn_into::<web_sys::HtmlElement>().ok())
        // Elements that are not drawn have no box.
        .find(|element| element.offset_width() > 0);
    shown.is_some_and(|element| element.focus().is_ok())
}

/// Scrolls the page and the box that `selector` finds to their beginnings.
pub fn to_top(selector: &str) {
    leptos::prelude::window().scroll_to_with_x_and_y(0.0, 0.0);
    if let Ok(Some(element)) = leptos::prelude::document().query_selector(selector) {
        element.set_scroll_top(0);
    }
}

/// The checked score in a group of radio buttons, if any: it may have been clicked before hydration.
pub fn ticked(form: &str, group: &str) -> Option<u8> {
    let selector = format!("form[data-token='{form}'] input[name='{group}']:checked");
    let element = leptos::prelude::document().query_selector(&selector).ok()??;
    element.dyn_into::<web_sys::HtmlInputElement>().ok()?.value().parse().ok()
}

/// Sets a mark on the browser's timeline, for measurements (`end2end/journeys/prefetch.spec.ts`).
pub fn mark(name: &str) {
    if let Some(performance) = leptos::prelude::window().performance() {
        let _ = performance.mark(name);
    }
}

fn names(prefix: &str) -> Vec<String> {
    let Some(storage) = storage() else { return Vec::new() };
    let count = storage.length().unwrap_or(0);
    (0..count).filter_map(|n| storage.key(n).ok()?).filter(|name| name.starts_with(prefix)).collect()
}

fn storage() -> Option<web_sys::Storage> {
    leptos::prelude::window().local_storage().ok()?
}

fn draft_name(rater: &str, token: &Token) -> String {
    format!("aixgrade:draft:{rater}:{token}")
}
