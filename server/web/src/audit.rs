//! The audit log as a file.

use axum::{
    extract::{Query, State},
    response::IntoResponse,
};
use model::{audit::AuditFilter, caller::Admin};

use super::{download, errors::HttpError, session::Authorized};
use crate::state::AppState;
use services::audit;

/// `GET /admin/audit.csv?person=&action=&object=&from=&to=`
pub async fn csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Query(asked): Query<AuditFilter>,
) -> Result<impl IntoResponse, HttpError> {
    let (filter, before) = audit::read(asked)?;
    let download = state.services.audit.csv(&admin, filter, before).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", Some("audit-log.csv".into())))
}
