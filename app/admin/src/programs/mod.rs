//! Pages for developers: the reference of the REST API, tokens, webhooks.

pub mod reference;
pub mod tokens;
pub mod webhooks;
