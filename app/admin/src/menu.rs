//! The menu of a page's other actions, next to its primary one. It is a `details`, so it works without JavaScript.

use leptos::{ev::FocusEvent, prelude::*, wasm_bindgen::JsCast, web_sys};

use model::audit::Object;
use texts::I18n;

/// The menu with these list items. With JavaScript, Escape closes it, and so does a focus elsewhere.
pub fn more_menu(i: I18n, items: impl IntoView) -> AnyView {
    let menu = NodeRef::<leptos::html::Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    let leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        let inside = menu.get_untracked().is_some_and(|menu| menu.contains(to.as_ref()));
        if to.is_some() && !inside {
            close();
        }
    };
    view! {
        <details class="export-menu more-menu" node_ref=menu on:focusout=leave
            on:keydown=move |event| if event.key() == "Escape" { close() }>
            <summary class="button">{i.common.more}<span aria-hidden="true">" ▾"</span></summary>
            <div class="export-menu-box"><ul>{items.into_any()}</ul></div>
        </details>
    }
    .into_any()
}

/// A link in the menu.
pub fn item(href: String, text: &'static str) -> impl IntoView {
    view! { <li><a href=href>{text}</a></li> }
}

/// A file to download in the menu.
pub fn file_item(href: String, text: &'static str) -> impl IntoView {
    view! { <li><a href=href download="" rel="external">{text}</a></li> }
}

/// The links to an object's guidelines and upkeep, as far as it has them.
pub fn object_items(i: I18n, object: &Object) -> impl IntoView + use<> {
    let guidelines = object.guidelines_address().map(|href| item(href, i.guidelines().title));
    let upkeep = object.upkeep_address().map(|href| item(href, i.upkeep().link));
    view! { {guidelines}{upkeep} }
}
