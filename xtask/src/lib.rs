//! `cargo xtask …`: builds, serves and tests AixGrade, and installs what each needs.
//!
//! Cargo alone cannot run wasm-bindgen on its own output, and the release embeds the client, so the program is always
//! built from here.

#![allow(clippy::disallowed_methods, reason = "starting compilers and servers is what xtask is for")]

pub mod after;
pub mod busy;
pub mod client;
pub mod deb;
pub mod dev;
pub mod image;
pub mod serve;
pub mod server;
mod setup;
pub mod test;
pub mod toolchains;
pub mod tools;
