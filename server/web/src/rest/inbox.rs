//! The admins' inbox.

use axum::{Json, extract::State};
use model::{
    caller::Admin,
    ids::StudyId,
    inbox::{InboxCount, InboxDone, InboxFilter, InboxKind, InboxRequest, InboxRow},
};
use port::inbox::Inbox;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    JsonResult,
    input::{JsonBody, QueryParams},
    paging::{Page, PageParams, Paging},
};
use crate::{session::Authorized, state::AppState};

/// Filter of the inbox.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InboxQuery {
    /// Only items of this kind.
    kind: Option<InboxKind>,
    /// Only items of this study.
    study: Option<StudyId>,
}

impl InboxQuery {
    fn filter(&self) -> InboxFilter {
        InboxFilter { kind: self.kind, study: self.study }
    }
}

/// List the items of the inbox
///
/// Flags without a reply, disagreements to adjudicate, raters who need attention, ratings that nobody will give, stopped
/// runs, engine errors, failed webhook deliveries, daily backups that fail and a damaged database, over all studies that are not archived. No item names a model.
#[utoipa::path(get, path = "/inbox", tag = "Inbox", params(InboxQuery, PageParams), security(("token" = ["read"])),
    responses((status = 200, description = "Items: those of no study first, then study by study, the widest disagreements first", body = Page<InboxRow>)))]
pub async fn list_inbox(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(query): QueryParams<InboxQuery>,
    page: Paging,
) -> JsonResult<Page<InboxRow>> {
    Ok(Json(page.answer(state.services.inbox.list(&admin, query.filter(), page.of()?).await?)))
}

/// Count the items of the inbox
#[utoipa::path(get, path = "/inbox/counts", tag = "Inbox", params(InboxQuery), security(("token" = ["read"])),
    responses((status = 200, description = "Kinds with at least one item", body = Vec<InboxCount>)))]
pub async fn count_inbox(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(query): QueryParams<InboxQuery>,
) -> JsonResult<Vec<InboxCount>> {
    Ok(Json(state.services.inbox.counts(&admin, query.filter()).await?))
}

/// Resolve, retry or dismiss items
///
/// With a single item, the response is an error if nothing could be done. With several, what cannot be done is counted.
#[utoipa::path(post, path = "/inbox/actions", tag = "Inbox", security(("token" = ["admin"])),
    request_body(content = InboxRequest, example = json!({"act": "resolve", "items": [4711]})),
    responses((status = 200, description = "What became of the items", body = InboxDone)))]
pub async fn act_on_inbox(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(request): JsonBody<InboxRequest>,
) -> JsonResult<InboxDone> {
    Ok(Json(state.services.inbox.act(&admin, request).await?))
}
