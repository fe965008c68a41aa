//! The state of the server, and what its admins can ask of it.

use async_trait::async_trait;

use model::{
    caller::Admin,
    error::Answer,
    server::{Freed, Maintenance, ServerNotice, ServerState},
};

/// The server that answers.
#[async_trait]
pub trait Server: Send + Sync {
    /// Its state.
    async fn state(&self, admin: &Admin) -> Answer<ServerState>;
    /// What the overview tells about it.
    async fn notices(&self, admin: &Admin) -> Answer<Vec<ServerNotice>>;
    /// The unused data that [`Maintenance::Prune`] would delete now.
    async fn unused(&self, admin: &Admin) -> Answer<Vec<Freed>>;
    /// Starts maintenance, and does not wait for its end. Refused while another is in progress.
    async fn start(&self, admin: &Admin, what: Maintenance) -> Answer<()>;
}
