//! The audit log.

use async_trait::async_trait;

use model::audit::{AuditFilter, AuditPage};
use model::{caller::Admin, error::Answer};

/// The audit log (admin throughout).
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// The entries that the filter selects, newest first, and what the filter can select.
    async fn page(&self, admin: &Admin, filter: AuditFilter) -> Answer<AuditPage>;
}
