//! How pages ask the server: server functions by area, each one call on a port.
//!
//! Endpoints are named, because the default name hashes the folder the program was built in.
//! Arguments that hold lists or options travel as JSON: the URL encoding loses empty ones.

#![allow(missing_docs, reason = "the macro makes structs whose fields are the arguments described with each function")]

pub mod accounts;
pub mod api;
pub mod call;
pub mod compare;
pub mod datasets;
pub mod grading;
pub mod plans;
pub mod quality;
pub mod ratings_import;
pub mod runs;
pub mod studies;
pub mod submissions;
