//! The pages of admins, and the public pages of closed studies, which show the same results.
//!
//! One file or folder per page; components that several of them use are in `list`, `filter`, `parts` and
//! `study_form`; `unsent` keeps a visitor's changes through a redraw. A page calls the server through the crate `rpc` alone.
//!
//! This crate may not know: what an address leads to (the crate `app` has the table of pages).

// Views are deeply nested types; an ordinary page exceeds the default limit.
#![recursion_limit = "512"]

pub mod announcements;
pub mod audit;
pub mod collections;
pub mod comparison;
pub mod conversations;
pub mod dataset;
pub mod datasets;
mod early_results;
pub mod edit_study;
mod engine;
mod filter;
pub mod find;
mod first_outputs;
pub mod groups;
pub mod guidelines;
pub mod home;
pub mod inbox;
pub mod languages;
mod list;
mod menu;
pub mod models;
pub mod new_study;
pub mod output;
mod parts;
pub mod people;
mod places;
pub mod plan;
mod plan_leaks;
pub mod preview;
mod previous_uploads;
pub mod programs;
pub mod public;
pub mod quality;
pub mod ratings_import;
pub mod results;
pub mod rubrics;
pub mod runs;
mod sending;
pub mod server;
pub mod settings;
pub mod studies;
pub mod study;
mod study_form;
mod study_tabs;
pub mod study_task;
pub mod submission;
pub mod submissions;
mod toolchains;
mod unsent;
pub mod upkeep;
pub mod upload;

// Parts that the public page of a study shares.
pub use comparison::{human::with_tests as by_people, tested};
pub use parts::task_text;
