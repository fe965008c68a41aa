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
pub mod part;
#[cfg(feature = "ssr")]
pub mod port;
pub mod routes;
pub mod rpc;
#[cfg(feature = "ssr")]
pub mod shell;
pub mod ui;

/// Takes over the page that the server rendered. The boot script calls it once.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(routes::App);
}
