//! The audit log.

use axum::{Json, extract::State};
use model::{audit::Entry, caller::Admin, time::Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    JsonResult,
    input::QueryParams,
    paging::{Page, PageParams, Paging},
};
use crate::{session::Authorized, state::AppState};
use db::audit::Filter;

/// Filter of audit entries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditParams {
    /// The account's name.
    person: Option<String>,
    /// The action, such as `study.create`.
    action: Option<String>,
    /// Text contained in the object or the details, such as `study 3`.
    object: Option<String>,
    /// From this time on.
    since: Option<i64>,
    /// Before this time.
    until: Option<i64>,
}

/// List the entries of the audit log
#[utoipa::path(get, path = "/audit", tag = "Audit log", params(AuditParams, PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Entries, newest first", body = Page<Entry>)))]
pub async fn list_audit(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(asked): QueryParams<AuditParams>,
    page: Paging,
) -> JsonResult<Page<Entry>> {
    let AuditParams { person, action, object, since, until } = asked;
    let filter = Filter { person, action, object, since: since.map(Timestamp), until: until.map(Timestamp) };
    let before = page.after()?;
    // One extra row tells whether there is a next page.
    let rows = state.services.audit.list(&admin, filter, before, page.limit() + 1).await?;
    Ok(Json(page.keyset(rows, |entry| entry.id)))
}
