//! Requests to servers that the operator configured: endpoints of models ([`endpoint`]), the identity provider
//! ([`oidc`]) and the SMTP server ([`mail`]).
//!
//! Keys and secrets are in memory only and never part of an error. This crate may not know what a request is for.

pub mod endpoint;
pub mod mail;
pub mod oidc;
mod options;

pub use options::{Fault, Secret};
