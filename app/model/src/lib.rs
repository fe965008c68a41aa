//! The domain model: types and pure rules, shared by server and client.
//!
//! Nothing here does I/O, reads a clock or draws a random number. The terms are those of docs/glossary.md,
//! the same in database, code, API and screen.
//!
//! This crate may not know texts on screen, pages, the database and the server. What only the server needs (names of
//! time zones, descriptions for the REST API) is not compiled for the browser.

pub mod address;
pub mod announcement;
pub mod api;
pub mod audit;
pub mod audit_details;
pub mod caller;
pub mod claims;
pub mod code;
pub mod code_lang;
pub mod collection;
pub mod comparison;
pub mod conversation;
pub mod conversation_results;
pub mod dataset;
pub mod day;
pub mod decimals;
pub mod display;
pub mod dynamic;
pub mod error;
pub mod failure_class;
pub mod fault;
pub mod feedback;
pub mod find;
pub mod flag;
pub mod grading;
pub mod group;
pub mod guidelines;
pub mod ids;
pub mod inbox;
pub mod judging;
pub mod keys;
pub mod lang;
pub mod languages;
pub mod mail;
pub mod message;
pub mod models;
mod names;
pub mod note;
pub mod overview;
pub mod page;
pub mod patch;
pub mod plan;
pub mod problem;
pub mod published;
pub mod quality;
pub mod quality_preset;
pub mod ratings;
pub mod ratings_import;
pub mod reading;
pub mod reason;
pub mod results;
pub mod rubric;
pub mod run;
pub mod run_pair;
pub mod server;
pub mod slices;
pub mod state;
pub mod stats;
pub mod study;
pub mod submission;
pub mod table;
pub mod text;
pub mod time;
pub mod time_zone;
pub mod toolchains;
pub mod upkeep;
pub mod user;
pub mod usual_failure;
pub mod workers;
