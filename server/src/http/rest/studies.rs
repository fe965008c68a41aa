//! Studies: making them, their state, their ratings and comparison, links to their public pages.

use app::{
    model::{
        api::{MadePublicLink, NewPublicLink, PublicLinkRow},
        comparison::{Comparison, TaskRatings, TaskScores},
        ids::{PublicLinkId, StudyId, TaskId},
        study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
    },
    port::{Studies, api::PublicLinks},
};
use axum::{
    Extension, Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Out, Who,
    input::{At, Given},
    paging::{Page, PageParams, Paging},
    problem::Problem,
    submissions::{Made, made},
};
use crate::{http::download, state::AppState};

/// Whether a study takes ratings.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct Status {
    /// The state.
    status: StudyStatus,
}

/// Every study
#[utoipa::path(get, path = "/studies", tag = "studies", params(PageParams), security(("token" = ["read"])),
    responses((status = 200, description = "Newest first", body = Page<StudyRow>)))]
pub async fn list_studies(State(state): State<AppState>, Extension(who): Who, page: Paging) -> Out<Page<StudyRow>> {
    Ok(Json(page.cut(state.services.studies.list(&who).await?, |row| row.id.to_string())?))
}

/// Make a study and start it
#[utoipa::path(post, path = "/studies", tag = "studies", security(("token" = ["write:studies"])),
    request_body(content = NewStudy, example = json!({
        "title": "Pilot", "dataset": "starter", "submissions": [1, 2], "raters": [2, 3], "overlap": 2, "tasks": 10
    })),
    responses((status = 201, description = "The study", body = Made)))]
pub async fn create_study(
    State(state): State<AppState>,
    Extension(who): Who,
    Given(new): Given<NewStudy>,
) -> Result<impl IntoResponse, Problem> {
    Ok(made("studies", state.services.studies.create(&who, new).await?.0))
}

/// One study with its raters' progress and open flags
#[utoipa::path(get, path = "/studies/{id}", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "The study", body = StudyDetail)))]
pub async fn get_study(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<StudyDetail> {
    Ok(Json(state.services.studies.get(&who, id).await?))
}

/// Pause, resume or close a study
///
/// A closed study stays closed.
#[utoipa::path(put, path = "/studies/{id}/status", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = Status, example = json!({"status": "paused"})),
    responses((status = 200, description = "The state now", body = Status)))]
pub async fn set_study_status(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(wanted): Given<Status>,
) -> Out<Status> {
    state.services.studies.set_status(&who, id, wanted.status).await?;
    Ok(Json(wanted))
}

/// The models compared by people's ratings
#[utoipa::path(get, path = "/studies/{id}/comparison", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "By the ratings so far", body = Comparison)))]
pub async fn get_comparison(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
) -> Out<Comparison> {
    Ok(Json(state.services.studies.comparison(&who, id).await?))
}

/// The comparison's table as CSV
#[utoipa::path(get, path = "/studies/{id}/comparison.csv", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn comparison_csv(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
) -> Result<impl IntoResponse, Problem> {
    let bytes = state.services.studies.comparison_csv(&who, id).await?;
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], bytes))
}

/// Every rating as CSV
///
/// Superseded ratings are there too, and marked.
#[utoipa::path(get, path = "/studies/{id}/ratings.csv", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "CSV", body = String, content_type = "text/csv")))]
pub async fn ratings_csv(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
) -> Result<impl IntoResponse, Problem> {
    let download = state.services.studies.ratings_csv(&who, id).await?;
    Ok(download::response(download, "text/csv; charset=utf-8", None))
}

/// A study's tasks with their mean scores
#[utoipa::path(get, path = "/studies/{id}/tasks", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study"), PageParams),
    responses((status = 200, description = "In the dataset's order", body = Page<TaskScores>)))]
pub async fn list_study_tasks(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    page: Paging,
) -> Out<Page<TaskScores>> {
    Ok(Json(page.cut(state.services.studies.tasks(&who, id).await?, |row| row.task.id.to_string())?))
}

/// One task with every output and rating
#[utoipa::path(get, path = "/studies/{id}/tasks/{task}", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study"), ("task" = TaskId, Path, description = "The task")),
    responses((status = 200, description = "The task", body = TaskRatings)))]
pub async fn get_study_task(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, task)): At<(StudyId, TaskId)>,
) -> Out<TaskRatings> {
    Ok(Json(state.services.studies.task(&who, id, task).await?))
}

/// The links to a study's public page
#[utoipa::path(get, path = "/studies/{id}/public-links", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), PageParams),
    responses((status = 200, description = "Newest first", body = Page<PublicLinkRow>)))]
pub async fn list_public_links(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    page: Paging,
) -> Out<Page<PublicLinkRow>> {
    Ok(Json(page.cut(state.services.public_links.list(&who, id).await?, |row| row.id.to_string())?))
}

/// Make a link to a closed study's public page
///
/// The link is in the answer, this once.
#[utoipa::path(post, path = "/studies/{id}/public-links", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = NewPublicLink, example = json!({"code": false, "days": 365})),
    responses((status = 201, description = "The link", body = MadePublicLink)))]
pub async fn create_public_link(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(new): Given<NewPublicLink>,
) -> Result<impl IntoResponse, Problem> {
    Ok((StatusCode::CREATED, Json(state.services.public_links.create(&who, id, new).await?)))
}

/// End a public link
#[utoipa::path(delete, path = "/public-links/{id}", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = PublicLinkId, Path, description = "The link")),
    responses((status = 204, description = "It works no longer")))]
pub async fn revoke_public_link(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<PublicLinkId>,
) -> Result<StatusCode, Problem> {
    state.services.public_links.revoke(&who, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
