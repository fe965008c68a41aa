//! AixGrade's pages and the model they share with the server.
//!
//! Read in this order: [`model`] has the domain types, [`error`] the errors, `port` (server side) the
//! interfaces to the server, [`rpc`] the server functions, [`i18n`] the texts, [`ui`] and [`pages`] the
//! components and pages, [`routes`] their addresses, `shell` (server side) the document. This crate uses no
//! database, file or process.

// Views are deeply nested types; an ordinary page exceeds the default limit.
#![recursion_limit = "512"]

pub mod address;
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

/// Hydrates the server's page once the code of the page's group is loaded. xtask calls it at the end of the
/// client's script. Without that code the page stays as rendered by the server and works by forms and links.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    use leptos::prelude::document;
    console_error_panic_hook::set_once();
    // Leptos's own `spawn_local` works only after something is mounted.
    wasm_bindgen_futures::spawn_local(async {
        let Some(root) = document().document_element() else { return };
        let group = root.get_attribute("data-group").and_then(|name| routes::Group::named(&name));
        if let Some(group) = group
            && group.load().await.is_err()
        {
            return;
        }
        // Not `hydrate_lazy`: with the group loaded, the page is ready when the router first asks for it.
        leptos::mount::hydrate_body(routes::App);
        // The journeys wait for this attribute.
        let _ = root.set_attribute("data-hydrated", "");
    });
}
