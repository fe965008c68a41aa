//! Tables and pictures to take away.

pub mod csv;
pub mod figures;
pub mod runs;
