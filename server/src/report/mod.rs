//! A comparison's figures, and their export as tables, charts and bundles. Pure: nothing here queries.

pub mod board;
pub mod bundle;
#[cfg(test)]
mod claims_test;
pub mod comparison_figures;
pub mod conversations;
pub mod csv;
pub mod figures;
mod input;
pub mod judges;
pub mod languages;
pub mod lines;
pub mod pairs;
mod published;
pub mod results_file;
pub mod runs;
pub mod tables;
pub mod tasks;
