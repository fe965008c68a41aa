//! How a study's work is shared: the plan before and after it begins, and what changes it.

use app::{
    model::{
        ids::{StudyId, UserId},
        plan::{Extension as Further, PlanDetail, Reads},
    },
    port::Plans,
};
use axum::{Extension, Json, extract::State, http::StatusCode, response::IntoResponse};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Out, Who,
    input::{At, Given},
    problem::Problem,
    submissions::{Made, made},
};
use crate::state::AppState;

/// Who joins a study.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Joining {
    /// The person.
    user: UserId,
    /// The most they are given, where the work is shared by hand: outputs, or tasks where outputs stand
    /// side by side.
    #[serde(default)]
    share: Option<u32>,
}

/// How long a rating takes.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Pace {
    /// Seconds a rating; as measured where absent.
    #[serde(default)]
    seconds: Option<u32>,
}

/// What somebody reads.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Languages {
    /// `en`, `zh` or `en zh`.
    #[schema(pattern = "^(en|zh|en zh)$")]
    reads: Reads,
}

/// A study's plan
///
/// Who rates what: before the study begins, what it will come to; afterwards, where it stands.
#[utoipa::path(get, path = "/studies/{id}/plan", tag = "studies", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "The plan", body = PlanDetail)))]
pub async fn get_plan(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<PlanDetail> {
    Ok(Json(state.services.plans.get(&who, id).await?))
}

/// Add outputs, tasks or raters per output
///
/// Nothing is ever taken away.
#[utoipa::path(post, path = "/studies/{id}/extension", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = Further, example = json!({"overlap": 3})),
    responses((status = 200, description = "The plan now", body = PlanDetail)))]
pub async fn extend_study(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(by): Given<Further>,
) -> Out<PlanDetail> {
    state.services.plans.extend(&who, id, by).await?;
    Ok(Json(state.services.plans.get(&who, id).await?))
}

/// Make a draft with the same settings and people
///
/// Its seed is a new one. Start it by setting its status to `running`.
#[utoipa::path(post, path = "/studies/{id}/copy", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 201, description = "The draft", body = Made)))]
pub async fn copy_study(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
) -> Result<impl IntoResponse, Problem> {
    Ok(made("studies", state.services.plans.copy(&who, id).await?.0))
}

/// Let somebody join a study
///
/// In a study that has begun they take over a fair part of what nobody has begun.
#[utoipa::path(post, path = "/studies/{id}/raters", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = Joining, example = json!({"user": 3})),
    responses((status = 204, description = "They are in it")))]
pub async fn join_study(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(joining): Given<Joining>,
) -> Result<StatusCode, Problem> {
    state.services.plans.join(&who, id, joining.user, joining.share).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Let somebody leave a study
///
/// What they rated stays; the rest of their plan is shared out again.
#[utoipa::path(delete, path = "/studies/{id}/raters/{user}", tag = "studies",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), ("user" = UserId, Path, description = "The rater")),
    responses((status = 204, description = "They have left")))]
pub async fn leave_study(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, user)): At<(StudyId, UserId)>,
) -> Result<StatusCode, Problem> {
    state.services.plans.leave(&who, id, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Say how long a rating takes
///
/// The plan's hours are reckoned by it.
#[utoipa::path(put, path = "/studies/{id}/pace", tag = "studies", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = Pace, example = json!({"seconds": 90})),
    responses((status = 204, description = "It is noted")))]
pub async fn set_pace(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(pace): Given<Pace>,
) -> Result<StatusCode, Problem> {
    state.services.plans.set_pace(&who, id, pace.seconds).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Say which languages somebody reads
///
/// Plans that are made stay as they are.
#[utoipa::path(put, path = "/people/{id}/reads", tag = "people", security(("token" = ["admin"])),
    params(("id" = UserId, Path, description = "The person")),
    request_body(content = Languages, example = json!({"reads": "en zh"})),
    responses((status = 204, description = "It is noted")))]
pub async fn set_reads(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<UserId>,
    Given(languages): Given<Languages>,
) -> Result<StatusCode, Problem> {
    state.services.plans.set_reads(&who, id, languages.reads).await?;
    Ok(StatusCode::NO_CONTENT)
}
