//! The web server: thin adapters between requests and services.
//!
//! [`router`](mod@router) is the table of contents: every address with its layers. A handler parses, calls one method of a
//! service, and answers. [`state`] puts the server together, [`config`] has the operator's settings. Nothing below this
//! crate knows Axum, Leptos or a page. This crate may not know the command line.

// Pages are deeply nested types, and computing their layout takes a query per level.
#![recursion_limit = "512"]

pub mod account;
pub mod assets;
pub mod audit;
mod byte_order_mark;
pub mod capacity;
pub mod comparisons;
pub mod compress;
pub mod config;
#[cfg(debug_assertions)]
pub mod dev;
pub mod download;
pub mod errors;
pub mod grade;
pub mod guard;
pub mod health;
pub mod listen;
mod mail;
pub mod metrics;
pub mod overload;
pub mod pace;
pub mod pages;
mod public;
pub mod request_id;
pub mod rest;
pub mod results;
pub mod router;
mod rubrics;
pub mod runs;
pub mod session;
pub mod settings;
pub mod single_sign_on;
pub mod state;
pub mod studies;
mod submissions;
pub mod telemetry;
pub mod upload;

pub use router::{router, watched};
