//! Tables to take away.

pub mod csv;
pub mod runs;
