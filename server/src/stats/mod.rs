//! Figures from ratings and verdicts. Pure: no database, no file, no clock; randomness comes from a
//! seed that is recorded beside the figure. Formulas, sources and the treatment of what is missing
//! are written down in docs/statistics.md, which comes first; `server/tests/stats_reference/` holds the
//! figures of independent programs.

pub mod agreement;
pub mod bootstrap;
pub mod correlation;
pub mod family;
pub mod icc;
pub mod paired;
pub mod passk;
#[cfg(test)]
mod properties;
pub mod random;
pub mod raters;
pub mod ratings;
pub mod reliability;
pub mod severity;
