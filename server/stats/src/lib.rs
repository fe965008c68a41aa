//! Figures from ratings and verdicts. Pure: no database, no file, no clock; randomness comes from a stored
//! seed. Formulas, sources and the treatment of missing data are in docs/statistics.md, which this code
//! follows; `server/stats/tests/reference/` has the figures of independent programs.
//!
//! This crate may not know where the numbers come from and how they are shown.

pub mod agreement;
pub mod alt_test;
pub mod bootstrap;
mod connected;
pub mod conversations;
pub mod correlation;
pub mod dynamic;
pub mod family;
pub mod icc;
pub mod leniency;
pub mod paired;
pub mod passk;
#[cfg(test)]
mod properties;
pub mod random;
pub mod raters;
pub mod ratings;
pub mod reliability;
mod task_adjusted;
