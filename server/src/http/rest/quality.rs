//! Quality control of a study: settings, live status, ratings, flags and disagreements.

use app::{
    model::{
        feedback::{Dispute, DisputeQueue},
        ids::{OutputId, StudyId, SubmissionId, Token, UserId},
        lang::Lang,
        quality::{
            DISPUTES_PAGE, DisputeRow, FlagOn, FlagRow, ListedRating, Live, NewGold, QualityPage, QualitySettings,
            RATINGS_PAGE, RatingFilter,
        },
        submission::MaskState,
    },
    port::quality::{Feedback, Quality, Watching},
};
use axum::{Extension, Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Out, Who,
    input::{Asked, At, Given},
    paging::{Page, PageParams, Paging},
    problem::Problem,
    submissions::Made,
};
use crate::state::AppState;

/// A yes-or-no setting.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Switch {
    /// The new value.
    on: bool,
}

/// Whether a calibration item is in use.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Retired {
    /// Whether the item is retired.
    retired: bool,
}

/// Whether a rater is admitted.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LetIn {
    /// True admits the rater regardless of the result; false restarts the opening calibration.
    let_in: bool,
}

/// Filter of ratings.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Only ratings by this person.
    rater: Option<i64>,
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
    disputed: bool,
    /// Only ratings whose comment, `task_id` or description contains this text.
    #[serde(default)]
    #[param(required = false)]
    text: String,
    /// Start of the page: the value of `next` from the previous page. Absent for the first page.
    #[serde(default)]
    #[param(required = false, minimum = 0)]
    cursor: u32,
}

/// Selects a page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Numbered {
    /// Start of the page: the value of `next` from the previous page. Absent for the first page.
    #[serde(default)]
    #[param(required = false, minimum = 0)]
    cursor: u32,
}

/// An answer to a flag.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FlagAnswer {
    /// Id of the flag, as in the list of flags.
    on: FlagOn,
    /// Reply to the rater; empty resolves the flag without one.
    #[serde(default)]
    reply: String,
}

/// An adjudication.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewDecision {
    /// One score per dimension.
    scores: Vec<u8>,
    /// Reason.
    #[serde(default)]
    comment: String,
}

/// The next disagreement after an adjudication.
#[derive(Serialize, ToSchema)]
pub struct Decided {
    /// The next disagreement that this person can decide.
    next: Option<Token>,
}

/// Get a study's quality settings
///
/// Settings, calibration items with the raters' answers, and adjudicators.
#[utoipa::path(get, path = "/studies/{id}/quality", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "The study's quality", body = QualityPage)))]
pub async fn get_quality(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<QualityPage> {
    Ok(Json(state.services.quality.page(&who, id).await?))
}

/// Change a study's quality settings
///
/// Missing fields take their defaults. Ratings are kept; disagreements are recomputed.
#[utoipa::path(put, path = "/studies/{id}/quality", tag = "quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = QualitySettings, example = json!({"spread": 1, "policy": "adjudicator"})),
    responses((status = 204, description = "It is so")))]
pub async fn set_quality(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(settings): Given<QualitySettings>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set(&who, id, settings).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Add a calibration item
#[utoipa::path(post, path = "/studies/{id}/gold", tag = "quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = NewGold, example = json!({
        "source": {"Output": 1}, "scores": [4, 3, 5],
        "reasons": [{"en": "Right", "zh": ""}, {"en": "Clear", "zh": ""}, {"en": "Short", "zh": ""}]
    })),
    responses((status = 201, description = "The item", body = Made)))]
pub async fn add_gold(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(new): Given<NewGold>,
) -> Result<(StatusCode, Json<Made>), Problem> {
    Ok((StatusCode::CREATED, Json(Made::of(state.services.quality.add_gold(&who, id, new).await?))))
}

/// Retire or restore a calibration item
#[utoipa::path(patch, path = "/studies/{id}/gold/{item}", tag = "quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), ("item" = i64, Path, description = "The item")),
    request_body(content = Retired, example = json!({"retired": true})),
    responses((status = 204, description = "It is so")))]
pub async fn retire_gold(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, item)): At<(StudyId, i64)>,
    Given(change): Given<Retired>,
) -> Result<StatusCode, Problem> {
    state.services.quality.retire_gold(&who, id, item, change.retired).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Admit a rater, or restart their opening calibration
#[utoipa::path(put, path = "/studies/{id}/openings/{rater}", tag = "quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), ("rater" = UserId, Path, description = "The rater")),
    request_body(content = LetIn, example = json!({"let_in": true})),
    responses((status = 204, description = "It is so")))]
pub async fn open_for(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, rater)): At<(StudyId, UserId)>,
    Given(change): Given<LetIn>,
) -> Result<StatusCode, Problem> {
    state.services.quality.open_for(&who, id, rater, change.let_in).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Add or remove an adjudicator of a study
#[utoipa::path(put, path = "/studies/{id}/adjudicators/{user}", tag = "quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), ("user" = UserId, Path, description = "The person")),
    request_body(content = Switch, example = json!({"on": true})),
    responses((status = 204, description = "It is so")))]
pub async fn set_adjudicator(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, user)): At<(StudyId, UserId)>,
    Given(change): Given<Switch>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set_adjudicator(&who, id, user, change.on).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get a study's live status
///
/// Progress, pace, outputs in progress, pending work, figures about raters.
#[utoipa::path(get, path = "/studies/{id}/live", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "Now", body = Live)))]
pub async fn watch_study(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<Live> {
    Ok(Json(state.services.quality.live(&who, id).await?))
}

/// List a study's ratings
///
/// Fifty per page. `/comparisons/{slug}/files/ratings.jsonl?studies=…` streams all of them.
#[utoipa::path(get, path = "/studies/{id}/ratings", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study"), Which),
    responses((status = 200, description = "Newest first", body = Page<ListedRating>)))]
pub async fn list_ratings(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Asked(which): Asked<Which>,
    page: Paging,
) -> Out<Page<ListedRating>> {
    let filter = RatingFilter {
        rater: which.rater,
        model: which.submission,
        lang: which.lang,
        dimension: which.dimension,
        score: which.score,
        flagged: which.flagged,
        disputed: which.disputed,
        text: which.text,
        page: which.cursor,
    };
    let found = state.services.quality.ratings(&who, id, filter).await?;
    let seen = (u64::from(which.cursor) + 1) * u64::from(RATINGS_PAGE);
    let next = (found.found > seen).then(|| page.address(&(which.cursor + 1).to_string()));
    Ok(Json(Page { items: found.rows, next }))
}

/// List a study's flags with their answers
#[utoipa::path(get, path = "/studies/{id}/flags", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study"), PageParams),
    responses((status = 200, description = "Newest first", body = Page<FlagRow>)))]
pub async fn list_flags(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    page: Paging,
) -> Out<Page<FlagRow>> {
    let (_, rows) = state.services.quality.flags(&who, id).await?;
    Ok(Json(page.cut(rows, |row| format!("{:?}", row.on))?))
}

/// Answer a flag
#[utoipa::path(post, path = "/studies/{id}/flags/answers", tag = "quality", security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study")),
    request_body(content = FlagAnswer, example = json!({"on": {"assignment": 1}, "reply": "Well seen: the task says nothing of it."})),
    responses((status = 204, description = "The rater will read it")))]
pub async fn answer_flag(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Given(answer): Given<FlagAnswer>,
) -> Result<StatusCode, Problem> {
    state.services.quality.answer_flag(&who, id, answer.on, &answer.reply).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List a study's disagreements
///
/// With all ratings, adjudications and final scores. Twenty per page.
#[utoipa::path(get, path = "/studies/{id}/disputes", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study"), Numbered),
    responses((status = 200, description = "The waiting ones first", body = Page<DisputeRow>)))]
pub async fn list_disputes(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<StudyId>,
    Asked(asked): Asked<Numbered>,
    page: Paging,
) -> Out<Page<DisputeRow>> {
    let list = Watching::disputes(&*state.services.quality, &who, id, asked.cursor).await?;
    let seen = (u64::from(asked.cursor) + 1) * u64::from(DISPUTES_PAGE);
    let next = (list.found > seen).then(|| page.address(&(asked.cursor + 1).to_string()));
    Ok(Json(Page { items: list.rows, next }))
}

/// Request one more rating of an output with a disagreement
#[utoipa::path(post, path = "/studies/{id}/disputes/{output}/extra", tag = "quality",
    security(("token" = ["write:studies"])),
    params(("id" = StudyId, Path, description = "The study"), ("output" = OutputId, Path, description = "The output")),
    responses((status = 204, description = "It waits for a rater")))]
pub async fn ask_extra(
    State(state): State<AppState>,
    Extension(who): Who,
    At((id, output)): At<(StudyId, OutputId)>,
) -> Result<StatusCode, Problem> {
    state.services.quality.ask_extra(&who, id, output).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List disagreements that you can decide
///
/// As an adjudicator sees them, without models and raters' names: the first pending ones, the
/// first decided ones, and the number of each.
#[utoipa::path(get, path = "/adjudications", tag = "quality", security(("token" = ["write:studies"])),
    responses((status = 200, description = "What waits for you", body = DisputeQueue)))]
pub async fn list_adjudications(State(state): State<AppState>, Extension(who): Who) -> Out<DisputeQueue> {
    Ok(Json(Feedback::disputes(&*state.services.quality, &who).await?))
}

/// Get a disagreement that you can decide
#[utoipa::path(get, path = "/adjudications/{token}", tag = "quality", security(("token" = ["write:studies"])),
    params(("token" = String, Path, description = "The disagreement's opaque name")),
    responses((status = 200, description = "The code and its ratings, under letters", body = Dispute)))]
pub async fn get_adjudication(
    State(state): State<AppState>,
    Extension(who): Who,
    At(token): At<String>,
) -> Out<Dispute> {
    Ok(Json(state.services.quality.dispute(&who, &Token(token)).await?))
}

/// Decide a disagreement
///
/// A later decision replaces an earlier one, which is kept in the history.
#[utoipa::path(put, path = "/adjudications/{token}", tag = "quality", security(("token" = ["write:studies"])),
    params(("token" = String, Path, description = "The disagreement's opaque name")),
    request_body(content = NewDecision, example = json!({"scores": [4, 3, 5], "comment": "It does what was asked."})),
    responses((status = 200, description = "It is decided", body = Decided)))]
pub async fn decide(
    State(state): State<AppState>,
    Extension(who): Who,
    At(token): At<String>,
    Given(new): Given<NewDecision>,
) -> Out<Decided> {
    let next = state.services.quality.decide(&who, &Token(token), new.scores, &new.comment).await?;
    Ok(Json(Decided { next }))
}

/// Get a submission's masking
#[utoipa::path(get, path = "/submissions/{id}/mask", tag = "quality", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "The submission")),
    responses((status = 200, description = "Names of models in its outputs", body = MaskState)))]
pub async fn get_mask(State(state): State<AppState>, Extension(who): Who, At(id): At<SubmissionId>) -> Out<MaskState> {
    Ok(Json(state.services.quality.mask(&who, id).await?))
}

/// Hide names of models from raters, or show the original outputs
#[utoipa::path(put, path = "/submissions/{id}/mask", tag = "quality", security(("token" = ["write:studies"])),
    params(("id" = SubmissionId, Path, description = "The submission")),
    request_body(content = Switch, example = json!({"on": true})),
    responses((status = 204, description = "It is so")))]
pub async fn set_mask(
    State(state): State<AppState>,
    Extension(who): Who,
    At(id): At<SubmissionId>,
    Given(change): Given<Switch>,
) -> Result<StatusCode, Problem> {
    state.services.quality.set_mask(&who, id, change.on).await?;
    Ok(StatusCode::NO_CONTENT)
}
