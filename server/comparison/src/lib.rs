//! Plain data of a comparison, shared by the modules that read it (`db`), compute with it (`report`) and put the
//! two together (`services`). No queries, no figures. [`arranged`] sorts an input by model and task for the figures.
//!
//! This crate may not know the database, exports and texts.

pub mod arranged;
pub mod input;
pub mod line;
pub mod spread;
