//! What the program speaks about: types and pure rules, shared by server and client.
//!
//! Nothing here does I/O, reads a clock or draws a random number. The words are those of the
//! glossary in ARCHITECTURE.md, the same in database, code, API and screen.

pub mod api;
pub mod claims;
pub mod code;
pub mod compare;
pub mod comparison;
pub mod dataset;
pub mod feedback;
pub mod grading;
pub mod ids;
pub mod keys;
pub mod lang;
pub mod message;
pub mod note;
pub mod plan;
pub mod problem;
pub mod quality;
pub mod ratings_import;
pub mod rubric;
pub mod run;
pub mod run_pair;
pub mod stats;
pub mod study;
pub mod submission;
pub mod text;
pub mod time;
pub mod user;
