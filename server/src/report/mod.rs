//! A comparison's input, its figures, and their export as tables, charts and bundles.

pub mod bundle;
#[cfg(test)]
mod claims_test;
pub mod csv;
pub mod figures;
pub mod ground;
pub mod judges;
pub mod lines;
pub mod results_file;
pub mod runs;
pub mod sheet;
pub mod tables;
pub mod tasks;
