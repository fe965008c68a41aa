//! Tasks of the published benchmarks as they are stored, and the programs that are built of them. Pure.
//!
//! `formats` writes these types when it imports a dataset, `lang` reads them when it runs an output, so that both agree
//! on one definition. This crate may not know files, the sandbox and the database.

pub mod constants;
pub mod humaneval;
pub mod place;
pub mod whole;
