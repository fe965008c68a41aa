//! The pages of raters and of visitors: one file per route.
//!
//! A page creates its resource at its top, waits for it with [`ui::load::Load`], and draws. It calls the server
//! through the crate `rpc` alone, and never says which model wrote an output. The crate `app` has the table of
//! addresses; pages of admins are in the crate `admin`.
//!
//! This crate may not know: the crate `admin`, and what an address leads to.

// Views are deeply nested types; an ordinary page exceeds the default limit.
#![recursion_limit = "512"]

pub mod account;
pub mod adjudicate;
pub mod grade;
pub mod guidelines;
pub mod join;
pub mod log_in;
#[cfg(not(target_arch = "wasm32"))]
pub mod mail;
#[cfg(target_arch = "wasm32")]
#[path = "mail_client.rs"]
pub mod mail;
pub mod mine;
pub mod my_studies;
pub mod new_password;
pub mod not_found;
pub mod rater_feedback;
pub mod reset;
pub mod rubric;
