//! The admins' first page.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer, overview::Overview};

/// What an admin sees first.
#[async_trait]
pub trait Overviews: Send + Sync {
    /// What waits, is late, is in progress and has changed. Counts as a visit of the admin.
    async fn get(&self, admin: &Admin) -> Answer<Overview>;
}
