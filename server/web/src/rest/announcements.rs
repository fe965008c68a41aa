//! Announcements.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    announcement::{Announcement, NewAnnouncement},
    caller::Admin,
    ids::AnnouncementId,
};
use port::announcements::Announcements;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// The ID of a published announcement.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PublishedAnnouncement)]
pub struct Published {
    id: AnnouncementId,
}

/// List announcements
#[utoipa::path(get, path = "/announcements", tag = "People", params(ListParams), security(("token" = ["admin"])),
    responses((status = 200, description = "Announcements, newest first", body = Page<Announcement>)))]
pub async fn list_announcements(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<Announcement>> {
    Ok(Json(page.answer(state.services.announcements.list(&admin, page.of()?).await?)))
}

/// Publish an announcement
///
/// People see it at the top of every page until they close it, its last day ends, or it is withdrawn.
#[utoipa::path(post, path = "/announcements", tag = "People", security(("token" = ["admin"])),
    request_body(content = NewAnnouncement, example = json!({
        "to": "everyone",
        "text": {"en": "The server restarts at 18:00 UTC. Your work is saved.", "zh": ""},
        "last_day": "2026-11-30",
    })),
    responses((status = 201, description = "Its ID", body = Published)))]
pub async fn publish_announcement(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewAnnouncement>,
) -> Result<impl IntoResponse, Problem> {
    let id = state.services.announcements.publish(&admin, new).await?;
    Ok((StatusCode::CREATED, Json(Published { id })))
}

/// Withdraw an announcement
#[utoipa::path(delete, path = "/announcements/{id}", tag = "People", security(("token" = ["admin"])),
    params(("id" = AnnouncementId, Path, description = "ID of the announcement")),
    responses((status = 204, description = "It is no longer shown to anyone")))]
pub async fn withdraw_announcement(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<AnnouncementId>,
) -> Result<StatusCode, Problem> {
    state.services.announcements.withdraw(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
