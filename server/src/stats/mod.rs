//! Figures from ratings and verdicts. Pure: no database, no file, no clock; randomness comes from a
//! seed that is recorded beside the figure. Formulas, sources and the treatment of what is missing
//! are written down in docs/statistics.md, which comes first.

pub mod agreement;
pub mod bootstrap;
pub mod passk;
pub mod raters;
