//! Tables to take away.

pub mod csv;
