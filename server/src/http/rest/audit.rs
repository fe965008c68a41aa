//! The audit log.

use app::model::time::Timestamp;
use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    Out, Who,
    input::Asked,
    paging::{Page, PageParams, Paging},
};
use crate::{
    db::audit::{Entry, Filter},
    state::AppState,
};

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditParams {
    /// The account's name.
    person: Option<String>,
    /// The action, such as `study.create`.
    action: Option<String>,
    /// A text that the detail contains, such as `study 3`.
    object: Option<String>,
    /// From this time on.
    since: Option<i64>,
    /// Before this time.
    until: Option<i64>,
}

/// Who did what, when and from where
#[utoipa::path(get, path = "/audit", tag = "audit", params(AuditParams, PageParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Newest first", body = Page<Entry>)))]
pub async fn list_audit(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(asked): Asked<AuditParams>,
    page: Paging,
) -> Out<Page<Entry>> {
    let AuditParams { person, action, object, since, until } = asked;
    let filter = Filter { person, action, object, since: since.map(Timestamp), until: until.map(Timestamp) };
    let before = page.after()?;
    // One more row tells whether there is a next page.
    let rows = state.services.audit.list(&who, filter, before, page.limit() + 1).await?;
    Ok(Json(page.keyset(rows, |entry| entry.id)))
}
