//! The audit log.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::audit::{AuditFilter, AuditPage},
};

/// A page of the audit log.
#[server(prefix = "/rpc", endpoint = "audit_log", protocol = Call)]
pub async fn audit_log(filter: AuditFilter) -> Result<AuditPage, AppError> {
    let (ports, admin) = ports()?;
    ports.audit.page(&admin, filter).await
}
