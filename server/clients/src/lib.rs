//! Requests to servers that the operator configured: endpoints of models ([`endpoint`]) and the identity provider
//! ([`oidc`]).
//!
//! Keys and secrets are in memory only and never part of an error. This crate may not know what a request is for.

pub mod endpoint;
pub mod oidc;
