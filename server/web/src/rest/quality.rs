//! Quality control of a study: settings, live status, ratings, flags and disagreements.

use axum::{Json, extract::State, http::StatusCode};
use model::{
    caller::{Admin, Person},
    feedback::{Disagreement, DisagreementQueue},
    ids::{OutputId, StudyId, SubmissionId, Token, UserId},
    lang::Lang,
    quality::{DisagreementRow, FlagOn, FlagRow, ListedRating, Live, QualityPage, RatingFilter},
    quality_preset::QualityChange,
    submission::{MaskState, StudyLeaks},
};
use port::quality::{Feedback, Monitoring, Quality};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    JsonResult,
    input::{JsonBody, PathParams, QueryParams},
    paging::{Page, PageParams, Paging},
    problem::Problem,
};
use crate::{session::Authorized, state::AppState};

/// A yes-or-no setting.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Enabled {
    /// The new value.
    on: bool,
}

/// Whether a rater may rate.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Admission {
    /// `true` allows the rater to rate regardless of the result; `false` restarts the calibration.
    admitted: bool,
}

/// Filter of ratings.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RatingQuery {
    /// Only ratings by this person.
    rater: Option<i64>,
    /// Only ratings by members of this group.
    group: Option<i64>,
    /// Only ratings of this submission's outputs.
    submission: Option<i64>,
    /// Only ratings of tasks in this language.
    lang: Option<Lang>,
    /// Only ratings with `score` on the dimension with this index, from 0.
    dimension: Option<usize>,
    /// Only ratings with this score, on any dimension if `dimension` is absent.
    score: Option<u8>,
    /// Only flagged ratings.
    #[serde(default)]
    #[param(required = false)]
    flagged: bool,
    /// Only ratings of outputs with a disagreement.
    #[serde(default)]
    #[param(required = false)]
    has_disagreement: bool,
    /// Only ratings that took less than this many seconds.
    #[serde(default)]
    #[param(required = false)]
    faster_than_s: Option<u32>,
    /// Only ratings whose comment, `task_id` or description contains this text.
    #[serde(default)]
    #[param(required = false)]
    text: String,
}

/// A reply to a flag.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FlagReplyText {
    /// ID of the flag, as in the list of flags.
    on: FlagOn,
    /// Reply to the rater; empty resolves the flag without one.
    #[serde(default)]
    reply: String,
}

/// An adjudication.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewDecision {
    /// One score for each dimension of the disagreement's rubric, the items for its instructions included: 1 if the output
    /// follows the instruction, otherwise 0.
    scores: Vec<u8>,
    /// Reason.
    #[serde(default)]
    comment: String,
    /// `adjudicated_at` of the adjudication that you saw, 0 for none: refused if somebody has adjudicated it since. Absent to
    /// replace whatever there is.
    #[serde(default)]
    seen: Option<i64>,
}

/// The next disagreement after an adjudication.
#[derive(Serialize, ToSchema)]
pub struct AdjudicationResult {
    /// The next disagreement that this person can adjudicate.
    next: Option<Token>,
}

/// Get a study's quality settings
///
/// Returns the settings, the known-score items with the raters' answers, and the adjudicators.
#[utoipa::path(get, path = "/studies/{id}/quality", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "The quality settings", body = QualityPage)))]
pub async fn get_quality(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<QualityPage> {
    Ok(Json(state.services.quality.page(&admin, id).await?))
}

/// Change a study's quality settings
///
/// Missing fields stay as they are, and `null` sets a field to its default. With a `preset`, the other fields change what the
/// preset sets. Ratings are kept; disagreements are recomputed. Raters begin new windows if the limits change.
#[utoipa::path(patch, path = "/studies/{id}/quality", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = QualityChange, example = json!({"preset": "light", "spread": 1})),
    responses((status = 204, description = "The settings are saved")))]
pub async fn set_quality(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(change): JsonBody<QualityChange>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set(&admin, id, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Allow a rater to rate, or restart their calibration
#[utoipa::path(put, path = "/studies/{id}/calibrations/{rater}", tag = "Quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("rater" = UserId, Path, description = "User ID of the rater")),
    request_body(content = Admission, example = json!({"admitted": true})),
    responses((status = 204, description = "The rater's state is changed")))]
pub async fn set_admission(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, rater)): PathParams<(StudyId, UserId)>,
    JsonBody(change): JsonBody<Admission>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set_admission(&admin, id, rater, change.admitted).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pause a rater of a study, or let a paused rater continue
///
/// A paused rater gets no outputs and cannot submit; drafts are still saved. Continuing starts a new window of the
/// study's limits.
#[utoipa::path(put, path = "/studies/{id}/raters/{user}/pause", tag = "Quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("user" = UserId, Path, description = "User ID of the rater")),
    request_body(content = Enabled, example = json!({"on": false})),
    responses((status = 204, description = "The rater is paused or continues")))]
pub async fn pause_rater(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, user)): PathParams<(StudyId, UserId)>,
    JsonBody(change): JsonBody<Enabled>,
) -> Result<StatusCode, Problem> {
    state.services.quality.pause_rater(&admin, id, user, change.on).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Add or remove an adjudicator of a study
#[utoipa::path(put, path = "/studies/{id}/adjudicators/{user}", tag = "Quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("user" = UserId, Path, description = "User ID of the person")),
    request_body(content = Enabled, example = json!({"on": true})),
    responses((status = 204, description = "The adjudicators are changed")))]
pub async fn set_adjudicator(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, user)): PathParams<(StudyId, UserId)>,
    JsonBody(change): JsonBody<Enabled>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set_adjudicator(&admin, id, user, change.on).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get a study's live status
///
/// Returns progress, pace, outputs in progress, pending work and figures about raters.
#[utoipa::path(get, path = "/studies/{id}/live", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "The current status", body = Live)))]
pub async fn watch_study(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<Live> {
    Ok(Json(state.services.quality.live(&admin, id).await?))
}

/// List a study's ratings
///
/// `/comparisons/{slug}/files/ratings.jsonl?studies=…` streams all of them.
#[utoipa::path(get, path = "/studies/{id}/ratings", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study"), RatingQuery, PageParams),
    responses((status = 200, description = "Ratings, newest first", body = Page<ListedRating>)))]
pub async fn list_ratings(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    QueryParams(which): QueryParams<RatingQuery>,
    page: Paging,
) -> JsonResult<Page<ListedRating>> {
    let filter = RatingFilter {
        rater: which.rater,
        group: which.group,
        model: which.submission,
        nl_lang: which.lang,
        dimension: which.dimension,
        score: which.score,
        flagged: which.flagged,
        has_disagreement: which.has_disagreement,
        faster_than_s: which.faster_than_s,
        text: which.text,
        page: page.of()?,
    };
    Ok(Json(page.answer(state.services.quality.ratings(&admin, id, filter).await?.page)))
}

/// List a study's flags with their replies
#[utoipa::path(get, path = "/studies/{id}/flags", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study"), PageParams),
    responses((status = 200, description = "Flags, newest first", body = Page<FlagRow>)))]
pub async fn list_flags(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    page: Paging,
) -> JsonResult<Page<FlagRow>> {
    let (_, flags) = state.services.quality.flags(&admin, id, page.of()?).await?;
    Ok(Json(page.answer(flags)))
}

/// Reply to a flag
#[utoipa::path(post, path = "/studies/{id}/flags/replies", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    request_body(content = FlagReplyText, example = json!({"on": {"assignment": 1}, "reply": "You are right: the description does not mention this case."})),
    responses((status = 204, description = "The reply is saved")))]
pub async fn reply_to_flag(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    JsonBody(answer): JsonBody<FlagReplyText>,
) -> Result<StatusCode, Problem> {
    state.services.quality.reply_to_flag(&admin, id, answer.on, &answer.reply).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List a study's disagreements
///
/// Each with its ratings, adjudications and final scores.
#[utoipa::path(get, path = "/studies/{id}/disagreements", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study"), PageParams),
    responses((status = 200, description = "Disagreements, those to adjudicate first", body = Page<DisagreementRow>)))]
pub async fn list_disagreements(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
    page: Paging,
) -> JsonResult<Page<DisagreementRow>> {
    let list = Monitoring::disagreements(&*state.services.quality, &admin, id, page.of()?).await?;
    Ok(Json(page.answer(list.page)))
}

/// Request one more rating of an output with a disagreement
#[utoipa::path(post, path = "/studies/{id}/disagreements/{output}/extra", tag = "Quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "ID of the study"), ("output" = OutputId, Path, description = "ID of the output")),
    responses((status = 204, description = "The rating is requested")))]
pub async fn ask_extra(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, output)): PathParams<(StudyId, OutputId)>,
) -> Result<StatusCode, Problem> {
    state.services.quality.ask_extra(&admin, id, output).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List disagreements that you can adjudicate
///
/// Returns the first disagreements to adjudicate, the first adjudicated ones, and the number of each, as
/// adjudicators see them: without models and names of raters.
#[utoipa::path(get, path = "/adjudications", tag = "Quality", security(("token" = ["write:studies"])),
    responses((status = 200, description = "Disagreements that you can adjudicate", body = DisagreementQueue)))]
pub async fn list_adjudications(
    State(state): State<AppState>,
    Authorized(person): Authorized<Person>,
) -> JsonResult<DisagreementQueue> {
    Ok(Json(Feedback::disagreements(&*state.services.quality, &person).await?))
}

/// Get a disagreement that you can adjudicate
#[utoipa::path(get, path = "/adjudications/{token}", tag = "Quality", security(("token" = ["write:studies"])),
    params(("token" = String, Path, description = "Opaque name of the disagreement")),
    responses((status = 200, description = "The code and its ratings, with letters instead of names", body = Disagreement)))]
pub async fn get_adjudication(
    State(state): State<AppState>,
    Authorized(person): Authorized<Person>,
    PathParams(token): PathParams<String>,
) -> JsonResult<Disagreement> {
    Ok(Json(state.services.quality.disagreement(&person, &Token(token)).await?))
}

/// Adjudicate a disagreement
///
/// A later adjudication replaces an earlier one, which is kept in the history.
#[utoipa::path(put, path = "/adjudications/{token}", tag = "Quality", security(("token" = ["write:studies"])),
    params(("token" = String, Path, description = "Opaque name of the disagreement")),
    request_body(content = NewDecision, example = json!({"scores": [4, 3, 5], "comment": "The code does what the description asks."})),
    responses((status = 200, description = "The adjudication is saved", body = AdjudicationResult)))]
pub async fn decide(
    State(state): State<AppState>,
    Authorized(person): Authorized<Person>,
    PathParams(token): PathParams<String>,
    JsonBody(new): JsonBody<NewDecision>,
) -> JsonResult<AdjudicationResult> {
    let next = state.services.quality.decide(&person, &Token(token), new.scores, &new.comment, new.seen).await?;
    Ok(Json(AdjudicationResult { next }))
}

/// Get the outputs of a study that name a model to its raters
///
/// Masked submissions have none. Look at them before the study starts.
#[utoipa::path(get, path = "/studies/{id}/identity-leaks", tag = "Quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "ID of the study")),
    responses((status = 200, description = "Outputs that name a model", body = StudyLeaks)))]
pub async fn get_leaks(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<StudyId>,
) -> JsonResult<StudyLeaks> {
    Ok(Json(state.services.quality.leaks(&admin, id, true).await?))
}

/// Get a submission's masking
#[utoipa::path(get, path = "/submissions/{id}/mask", tag = "Quality", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    responses((status = 200, description = "Model names in the outputs", body = MaskState)))]
pub async fn get_mask(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
) -> JsonResult<MaskState> {
    Ok(Json(state.services.quality.mask(&admin, id, true).await?))
}

/// Hide model names from raters, or show the original outputs
#[utoipa::path(put, path = "/submissions/{id}/mask", tag = "Quality", security(("token" = ["write:studies"])),
    params(("id" = SubmissionId, Path, description = "ID of the submission")),
    request_body(content = Enabled, example = json!({"on": true})),
    responses((status = 204, description = "The masking is changed")))]
pub async fn set_mask(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<SubmissionId>,
    JsonBody(change): JsonBody<Enabled>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set_mask(&admin, id, change.on).await?;
    Ok(StatusCode::NO_CONTENT)
}
