//! What every layer of the server with a database or files shares: the error of services ([`error`]), the time
//! ([`clock`]), threads of low priority ([`background`]), private folders ([`folders`]), and the guard against
//! formulas in CSV ([`formulas`]).
//!
//! This crate may not know what a service does.

pub mod background;
pub mod clock;
pub mod error;
pub mod folders;
pub mod formulas;
