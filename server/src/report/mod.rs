//! What a comparison rests on, its figures, and tables and pictures to take away.

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
