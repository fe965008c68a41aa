//! Server functions by area; each makes one call on a port.
//!
//! This crate may not know: how a call is served. On the server it takes the ports and the caller from the request's
//! context ([`ui::context`]); in the browser only the arguments and the results are left of it.
//!
//! Endpoints have explicit names, because the default name hashes the build folder.
//! Arguments with lists or options are sent as JSON, because URL encoding loses empty ones.

pub mod accounts;
pub mod announcements;
pub mod api;
pub mod audit;
pub mod collections;
pub mod comparison;
pub mod datasets;
pub mod find;
pub mod grading;
pub mod groups;
pub mod guidelines;
pub mod inbox;
pub mod mail;
pub mod models;
pub mod plans;
pub mod quality;
pub mod ratings_import;
pub mod results;
pub mod rubrics;
pub mod runs;
pub mod server;
pub mod studies;
pub mod submissions;
pub mod toolchains;
pub mod upkeep;
