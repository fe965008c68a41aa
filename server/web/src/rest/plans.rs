//! A study's plan before and after its start, and changes of it.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    caller::Admin,
    ids::{StudyId, UserId},
    plan::{Extension as Further, PlanDetail, Reads},
    study::StudyChange,
};
use port::Plans;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    problem::Problem,
    submissions::{Created, created},
};
use crate::{session::Authorized, state::AppState};

/// Request to add a rater to a study.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewRater {
    /// The person.
    user: UserId,
    /// Maximum share, if shares are set manually: outputs, or tasks in
    /// side-by-side studies.
    #[serde(default)]
    share: Option<u32>,
}

/// Expected time per rating.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Pace {
    /// Seconds per rating; null for the measured value.
    #[serde(default)]
    seconds: Option<u32>,
}

/// Languages that a person reads.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Languages {
    /// `en`, `zh` or `en zh`.
    #[schema(pattern = "^(en|zh|en zh)$")]
    reads: Reads,
}

/// Get a study's plan
///
/// Returns who rates what: the expected work before the start, the progress afterwards.
#[utoipa::path(get, path = "/studies/{id}/plan", tag = "Studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "The plan", body = PlanDetail)))]
pub async fn get_plan(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<PlanDetail> {
    Ok(Json(state.services.plans.get(&admin, id).await?))
}

/// Edit a draft
///
/// Changes the settings of a study that has not started and draws its plan again. Absent fields stay as they are. A
/// started study is extended instead.
#[utoipa::path(patch, path = "/studies/{id}", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = StudyChange, example = json!({"title": "Pilot", "raters_per_output": 2})),
    responses((status = 200, description = "The new plan", body = PlanDetail)))]
pub async fn edit_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(change): JsonBody<StudyChange>,
) -> JsonResult<PlanDetail> {
    state.services.plans.edit(&admin, id, change).await?;
    Ok(Json(state.services.plans.get(&admin, id).await?))
}

/// Add outputs, tasks or raters per output
///
/// Extends a study. Existing work and ratings do not change.
#[utoipa::path(post, path = "/studies/{id}/extension", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = Further, example = json!({"raters_per_output": 3})),
    responses((status = 200, description = "The new plan", body = PlanDetail)))]
pub async fn extend_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(by): JsonBody<Further>,
) -> JsonResult<PlanDetail> {
    state.services.plans.extend(&admin, id, by).await?;
    Ok(Json(state.services.plans.get(&admin, id).await?))
}

/// Create a draft with the same settings, known-score items, raters and adjudicators
///
/// It gets a new seed. Start it by setting its status to `running`.
#[utoipa::path(post, path = "/studies/{id}/duplicate", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 201, description = "The draft", body = Created)))]
pub async fn duplicate_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> Result<impl IntoResponse, Problem> {
    Ok(created("studies", state.services.plans.copy(&admin, id).await?.0))
}

/// Add a rater to a study
///
/// In a running study, the rater takes over a fair share of the work that has not been started.
#[utoipa::path(post, path = "/studies/{id}/raters", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = NewRater, example = json!({"user": 3})),
    responses((status = 204, description = "The rater is added")))]
pub async fn add_rater(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(joining): JsonBody<NewRater>,
) -> Result<StatusCode, Problem> {
    state.services.plans.join(&admin, id, joining.user, joining.share).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove a rater from a study
///
/// Their ratings are kept; their remaining work is reassigned.
#[utoipa::path(delete, path = "/studies/{id}/raters/{user}", tag = "Studies",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("user" = UserId, Path, description = "User ID of the rater")),
    responses((status = 204, description = "The rater is removed")))]
pub async fn remove_rater(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, user)): PathParams<(StudyId, UserId)>,
) -> Result<StatusCode, Problem> {
    state.services.plans.leave(&admin, id, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Set the expected time per rating
///
/// The plan's estimated hours use this value.
#[utoipa::path(put, path = "/studies/{id}/pace", tag = "Studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = Pace, example = json!({"seconds": 90})),
    responses((status = 204, description = "The setting is saved")))]
pub async fn set_pace(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(pace): JsonBody<Pace>,
) -> Result<StatusCode, Problem> {
    state.services.plans.set_pace(&admin, id, pace.seconds).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Set the languages that a person reads
///
/// Existing plans do not change.
#[utoipa::path(put, path = "/people/{id}/reads", tag = "People", security(("token" = ["admin"])),
    params(("id" = UserId, Path, description = "User ID of the person")),
    request_body(content = Languages, example = json!({"reads": "en zh"})),
    responses((status = 204, description = "The setting is saved")))]
pub async fn set_reads(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<UserId>,
    JsonBody(languages): JsonBody<Languages>,
) -> Result<StatusCode, Problem> {
    state.services.plans.set_reads(&admin, id, languages.reads).await?;
    Ok(StatusCode::NO_CONTENT)
}
