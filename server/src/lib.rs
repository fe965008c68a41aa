//! AixGrade's server and command line.
//!
//! [`state`] assembles it; [`http`] turns requests into calls on [`services`], whose arguments name the role
//! that a caller needs; services read and write through [`db`]. ARCHITECTURE.md follows six journeys through the code.

// Pages are deeply nested types, and computing their layout takes a query per level.
#![recursion_limit = "512"]

pub mod assemble;
mod background;
mod brackets;
pub mod capacity;
pub mod cli;
pub mod clock;
pub mod comparison;
pub mod config;
pub mod db;
pub mod endpoint;
pub mod engine;
pub mod error;
pub mod formats;
pub mod http;
pub mod jobs;
pub mod lang;
#[cfg(test)]
mod layers_test;
pub mod layout;
pub mod oidc;
pub mod plan;
#[cfg(test)]
#[path = "../tests/util/prerequisites.rs"]
mod prerequisites;
pub mod report;
pub mod sandbox;
pub mod services;
pub mod state;
pub mod telemetry;
