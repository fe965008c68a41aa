//! AixGrade's server: everything behind the pages, and the command line.
//!
//! [`state`] puts it together; [`http`] turns requests into calls on [`services`]; they authorise,
//! then read or write once through [`db`]. See ARCHITECTURE.md for a walk through three journeys.

// Pages are deeply nested types, and laying them out is a query per level.
#![recursion_limit = "512"]

pub mod assemble;
pub mod cli;
pub mod clock;
pub mod config;
pub mod db;
pub mod engine;
pub mod error;
pub mod formats;
pub mod http;
pub mod jobs;
#[cfg(test)]
mod layers_test;
pub mod layout;
pub mod plan;
#[cfg(test)]
#[path = "../tests/util/prerequisites.rs"]
mod prerequisites;
pub mod report;
pub mod sandbox;
pub mod services;
pub mod state;
pub mod stats;
