//! Studies: creating them, changing their state, their ratings and comparison, and public links.

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect},
};
use model::{
    api::{CreatedPublicLink, NewPublicLink, PublicLinkRow},
    caller::Admin,
    ids::{PublicLinkId, StudyId, TaskId},
    ratings::{TaskRatings, TaskScores},
    study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
};
use port::{Studies, api::PublicLinks};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, PageParams, Paging},
    problem::Problem,
    submissions::{Created, created},
};
use crate::{session::Authorized, state::AppState};

/// Request to change a study's state.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct Status {
    /// The new state.
    status: StudyStatus,
}

/// List studies
#[utoipa::path(get, path = "/studies", tag = "Studies", security(("token" = ["read"])),
    params(ListParams,
        ("status" = Option<StudyStatus>, Query, description = "Only studies in this state"),
        ("dataset" = Option<String>, Query, description = "Only studies of this dataset, by its short name"),
        ("model" = Option<i64>, Query, description = "Only studies with outputs of this model")),
    responses((status = 200, description = "Studies, newest first unless `sort` is `created`, `title` or `status`, or one of these with `-`", body = Page<StudyRow>)))]
pub async fn list_studies(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<StudyRow>> {
    Ok(Json(page.answer(state.services.studies.list(&admin, page.of()?).await?)))
}

/// Create a study and start it
#[utoipa::path(post, path = "/studies", tag = "Studies", security(("token" = ["write:studies"])),
    request_body(content = NewStudy, example = json!({
        "title": "Pilot", "dataset": "starter", "submissions": [1, 2], "raters": [2, 3], "raters_per_output": 2, "tasks": 10
    })),
    responses((status = 201, description = "The study", body = Created)))]
pub async fn create_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewStudy>,
) -> Result<impl IntoResponse, Problem> {
    Ok(created("studies", state.services.studies.create(&admin, new).await?.0))
}

/// Get a study with its raters' progress
#[utoipa::path(get, path = "/studies/{id}", tag = "Studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "The study", body = StudyDetail)))]
pub async fn get_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<StudyDetail> {
    Ok(Json(state.services.studies.get(&admin, id).await?))
}

/// Pause, resume or close a study
///
/// A closed study is reopened by `POST /studies/{id}/reopening`, which asks for a reason.
#[utoipa::path(put, path = "/studies/{id}/status", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = Status, example = json!({"status": "paused"})),
    responses((status = 200, description = "The new state", body = Status)))]
pub async fn set_study_status(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(wanted): JsonBody<Status>,
) -> JsonResult<Status> {
    state.services.studies.set_status(&admin, id, wanted.status).await?;
    Ok(Json(wanted))
}

/// Why a study is reopened.
#[derive(Deserialize, ToSchema)]
pub struct Reopening {
    /// The reason, 1 to 500 characters; kept in the audit log.
    pub reason: String,
}

/// Reopen a closed study
///
/// It accepts ratings again. Its public links open no page until it is closed again.
#[utoipa::path(post, path = "/studies/{id}/reopening", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = Reopening, example = json!({"reason": "Two raters join late"})),
    responses((status = 200, description = "The new state", body = Status)))]
pub async fn reopen_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(wanted): JsonBody<Reopening>,
) -> JsonResult<Status> {
    state.services.studies.reopen(&admin, id, &wanted.reason).await?;
    Ok(Json(Status { status: StudyStatus::Running }))
}

/// Compare a study's models by human ratings
///
/// Redirects to the comparison of the study's dataset with the study's models and ratings selected. Its files
/// `means.csv` and `study-ratings.csv` are the study's tables.
#[utoipa::path(get, path = "/studies/{id}/comparison", tag = "Studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 307, description = "`Location` is the comparison's address")))]
pub async fn get_comparison(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> Result<Redirect, Problem> {
    let selection = state.services.comparisons.study_selection(&admin, id, false).await?;
    Ok(Redirect::temporary(&format!("/api/v1/comparisons/{}?{}", selection.dataset, selection.query())))
}

/// List a study's tasks with their mean scores
#[utoipa::path(get, path = "/studies/{id}/tasks", tag = "Studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ListParams,
        ("nl_lang" = Option<String>, Query, description = "Only tasks described in this language, `en` or `zh`"),
        ("show" = Option<String>, Query, description = "Only tasks with ratings, `rated`, without, `unrated`, or with an output whose raters differ, `apart`")),
    responses((status = 200, description = "Tasks in the dataset's order unless `sort` is `-order` or `spread`, the largest first", body = Page<TaskScores>)))]
pub async fn list_study_tasks(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    page: Paging,
) -> JsonResult<Page<TaskScores>> {
    Ok(Json(page.answer(state.services.studies.tasks(&admin, id, page.of()?).await?)))
}

/// Get a task with every output and rating
#[utoipa::path(get, path = "/studies/{id}/tasks/{task}", tag = "Studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("task" = TaskId, Path, description = "ID of the task")),
    responses((status = 200, description = "The task", body = TaskRatings)))]
pub async fn get_study_task(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, task)): PathParams<(StudyId, TaskId)>,
) -> JsonResult<TaskRatings> {
    Ok(Json(state.services.studies.task(&admin, id, task).await?))
}

/// List a study's public links
#[utoipa::path(get, path = "/studies/{id}/public-links", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), PageParams),
    responses((status = 200, description = "Public links, newest first", body = Page<PublicLinkRow>)))]
pub async fn list_public_links(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    page: Paging,
) -> JsonResult<Page<PublicLinkRow>> {
    Ok(Json(page.answer(state.services.public_links.list(&admin, id, page.of()?).await?)))
}

/// Create a public link to a closed study
///
/// The response contains the link, which is not shown again.
#[utoipa::path(post, path = "/studies/{id}/public-links", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = NewPublicLink, example = json!({"code": false, "days": 365, "about": {
        "purpose": "Which model writes the better Java?", "authors": "Example Lab", "contact": "lab@example.org", "license": "CC BY 4.0"}})),
    responses((status = 201, description = "The link", body = CreatedPublicLink)))]
pub async fn create_public_link(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(new): JsonBody<NewPublicLink>,
) -> Result<impl IntoResponse, Problem> {
    Ok((StatusCode::CREATED, Json(state.services.public_links.create(&admin, id, new).await?)))
}

/// Revoke a public link
#[utoipa::path(delete, path = "/public-links/{id}", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = PublicLinkId, Path, description = "ID of the link")),
    responses((status = 204, description = "The link is revoked")))]
pub async fn revoke_public_link(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<PublicLinkId>,
) -> Result<StatusCode, Problem> {
    state.services.public_links.revoke(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
