//! AixGrade's pages and the model they share with the server.
//!
//! Read in this order: [`model`] says what the program speaks about, [`error`] what can go wrong,
//! `port` (server side) what pages ask of the server, [`rpc`] how they ask, [`i18n`] in which
//! words, [`ui`] and [`pages`] what people see, [`routes`] where, `shell` (server side) in which document.
//! This crate knows no database, no file and no process.

// Views are deeply nested types; the default limit is met by an ordinary page.
#![recursion_limit = "512"]

pub mod error;
#[cfg(feature = "ssr")]
pub mod error_page;
pub mod i18n;
pub mod json;
pub mod model;
pub mod pages;
#[cfg(feature = "ssr")]
pub mod port;
pub mod routes;
pub mod routing;
pub mod rpc;
#[cfg(feature = "ssr")]
pub mod shell;
pub mod ui;

/// Takes over the page that the server rendered, once the code of the page's group is here. xtask calls it at the
/// end of the client's script. Without that code the page stays as the server drew it: it works, by forms and links.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    use leptos::prelude::document;
    console_error_panic_hook::set_once();
    // Leptos's own `spawn_local` works once something is mounted.
    wasm_bindgen_futures::spawn_local(async {
        let Some(root) = document().document_element() else { return };
        let group = root.get_attribute("data-group").and_then(|name| routes::Group::named(&name));
        if let Some(group) = group
            && group.load().await.is_err()
        {
            return;
        }
        // Not `hydrate_lazy`: with the group here, the page is ready when the router first asks for it.
        leptos::mount::hydrate_body(routes::App);
        // The journeys wait for this attribute.
        let _ = root.set_attribute("data-hydrated", "");
    });
}
