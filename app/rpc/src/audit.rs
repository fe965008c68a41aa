//! The audit log.

use leptos::prelude::*;

use model::{
    audit::{AuditFilter, AuditPage},
    error::AppError,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the audit log.
#[server(prefix = "/rpc", endpoint = "audit_log", protocol = Call)]
pub async fn audit_log(filter: AuditFilter) -> Result<AuditPage, AppError> {
    let (ports, admin) = ports()?;
    ports.audit.page(&admin, filter).await
}
