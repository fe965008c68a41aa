//! What a comparison rests on, its figures, and tables to take away.

pub mod csv;
pub mod ground;
pub mod runs;
pub mod sheet;
pub mod tasks;
