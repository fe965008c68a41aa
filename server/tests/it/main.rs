//! Tests of the whole server, one module an area. They share one program: each would link the server again.
//!
//! Tests that look at their own process, or that need no more of the server than its engine, are programs beside
//! this folder.

mod accounts;
mod authorisation;
mod blindness;
mod demo;
mod grading;
mod packaged;
mod plans;
mod public;
mod quality;
mod rest;
mod results;
mod runs;
mod sources;
mod stalls;
mod uploads;
#[path = "../util/mod.rs"]
mod util;
mod webhooks;
