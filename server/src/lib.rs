//! AixGrade's command line, whose command `serve` is the server.
//!
//! Each command is a thin call on the crate `services` or `web`. ARCHITECTURE.md has the list of crates and follows six
//! journeys through them. This crate may not know SQL, pages and how a request is answered.

pub mod cli;
