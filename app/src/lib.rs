//! AixGrade's pages and the model they share with the server.
//!
//! Read in this order: [`model`] says what the program speaks about, [`error`] what can go wrong,
//! `port` (server side) what pages ask of the server, [`rpc`] how they ask, `pages` and `ui` what
//! people see. This crate knows no database, no file and no process.

pub mod error;
pub mod model;
#[cfg(feature = "ssr")]
pub mod port;
pub mod rpc;
