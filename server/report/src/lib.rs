//! A comparison's figures, and their export as tables, charts and bundles.
//!
//! Pure: the input is plain data (the crate `comparison`), the same whether it was read from the database or from a
//! bundle. This crate may not know the database, services and pages.

pub mod board;
pub mod bundle;
pub mod citation;
#[cfg(test)]
mod claims_test;
pub mod comparison_figures;
pub mod conversations;
pub mod csv;
pub mod dataset_folder;
pub mod figures;
pub mod judges;
pub mod languages;
pub mod lines;
pub mod pairs;
pub mod print_table;
mod published;
mod query;
pub mod results_file;
pub mod runs;
pub mod slices;
pub mod table;
pub mod tables;
pub mod tasks;
