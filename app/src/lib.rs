//! The root of all pages: the table of addresses ([`routes`]), the mechanism that loads a page's code ([`routing`]),
//! what surrounds every page ([`header`], [`palette`], [`announcements`]), and on the server the document ([`shell`])
//! and the error page. xtask builds the client of this crate.
//!
//! This crate may not know: what a page shows (crates `pages` and `admin`), and anything of the server but the context
//! of a request.

// Views are deeply nested types; an ordinary page exceeds the default limit.
#![recursion_limit = "512"]

pub mod announcements;
#[cfg(not(target_arch = "wasm32"))]
pub mod error_page;
pub mod header;
pub mod palette;
pub mod routes;
pub mod routing;
#[cfg(not(target_arch = "wasm32"))]
pub mod shell;

/// Hydrates the server's page once the code of the page's group is loaded. xtask calls it at the end of the
/// client's script. Without that code the page stays as rendered by the server and works by forms and links.
#[cfg(target_arch = "wasm32")]
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
