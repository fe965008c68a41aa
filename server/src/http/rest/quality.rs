//! A study's quality: what it asks of raters, how it goes on, ratings, flags and disagreements.

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

/// Whether something is so.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Switch {
    /// Whether it is.
    on: bool,
}

/// Whether an item with known scores is asked.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Retired {
    /// Whether it is asked no more.
    retired: bool,
}

/// Whether a rater is let in.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LetIn {
    /// True lets them in whatever they answered; false has them begin the opening again.
    let_in: bool,
}

/// Which ratings.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Only this person's.
    rater: Option<i64>,
    /// Only of this submission's outputs.
    submission: Option<i64>,
    /// Only of tasks in this language.
    lang: Option<Lang>,
    /// Only with `score` on this dimension, counted from 0.
    dimension: Option<usize>,
    /// Only with this score; on any dimension where `dimension` is absent.
    score: Option<u8>,
    /// Only those with a flag.
    #[serde(default)]
    #[param(required = false)]
    flagged: bool,
    /// Only of outputs whose raters disagree beyond the threshold.
    #[serde(default)]
    #[param(required = false)]
    disputed: bool,
    /// Only where the comment, the task's id or its description holds this text.
    #[serde(default)]
    #[param(required = false)]
    text: String,
    /// Where the page begins: what the page before gave in `next`. Absent for the first.
    #[serde(default)]
    #[param(required = false, minimum = 0)]
    cursor: u32,
}

/// Which page of a list that comes by number.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Numbered {
    /// Where the page begins: what the page before gave in `next`. Absent for the first.
    #[serde(default)]
    #[param(required = false, minimum = 0)]
    cursor: u32,
}

/// An answer to a flag.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FlagAnswer {
    /// The flag, as the list of flags names it.
    on: FlagOn,
    /// What the rater reads; empty settles the flag without a word.
    #[serde(default)]
    reply: String,
}

/// A decision where raters disagree.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewDecision {
    /// One score a dimension.
    scores: Vec<u8>,
    /// Why.
    #[serde(default)]
    comment: String,
}

/// What waits after a decision.
#[derive(Serialize, ToSchema)]
pub struct Decided {
    /// The next disagreement that waits for this person.
    next: Option<Token>,
}

/// What a study asks of its raters
///
/// Settings, items with known scores and how raters answered them, who may adjudicate.
#[utoipa::path(get, path = "/studies/{id}/quality", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "The study's quality", body = QualityPage)))]
pub async fn get_quality(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<QualityPage> {
    Ok(Json(state.services.quality.page(&who, id).await?))
}

/// Change what a study asks of its raters
///
/// What is left out takes its default. What was rated stays; disagreements are looked at anew.
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

/// Add an item with known scores
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

/// Ask an item with known scores no more, or again
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

/// Let a rater in, or have them begin the opening again
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

/// Give somebody the role of an adjudicator in a study, or take it
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

/// A study as it goes on
///
/// Progress, pace, outputs in raters' hands, what waits, figures about raters.
#[utoipa::path(get, path = "/studies/{id}/live", tag = "quality", security(("token" = ["read"])),
    params(("id" = StudyId, Path, description = "The study")),
    responses((status = 200, description = "Now", body = Live)))]
pub async fn watch_study(State(state): State<AppState>, Extension(who): Who, At(id): At<StudyId>) -> Out<Live> {
    Ok(Json(state.services.quality.live(&who, id).await?))
}

/// A study's ratings, those that fit
///
/// Fifty a page. For all of them at once, `/comparisons/{slug}/files/ratings.jsonl?studies=…` streams.
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

/// A study's flags with their answers
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

/// Where a study's raters disagree
///
/// With every rating, the decisions and the final scores. Twenty a page.
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

/// Want one more rating of a disputed output
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

/// Disagreements that you may decide
///
/// As an adjudicator sees them: without models and without raters' names. The first of those that wait, the
/// first of those that you decided, and how many of each there are.
#[utoipa::path(get, path = "/adjudications", tag = "quality", security(("token" = ["write:studies"])),
    responses((status = 200, description = "What waits for you", body = DisputeQueue)))]
pub async fn list_adjudications(State(state): State<AppState>, Extension(who): Who) -> Out<DisputeQueue> {
    Ok(Json(Feedback::disputes(&*state.services.quality, &who).await?))
}

/// One disagreement that you may decide
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
/// A later decision replaces an earlier one, which stays in the history.
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

/// What of a submission raters do not get to see
#[utoipa::path(get, path = "/submissions/{id}/mask", tag = "quality", security(("token" = ["read"])),
    params(("id" = SubmissionId, Path, description = "The submission")),
    responses((status = 200, description = "Names of models in its outputs", body = MaskState)))]
pub async fn get_mask(State(state): State<AppState>, Extension(who): Who, At(id): At<SubmissionId>) -> Out<MaskState> {
    Ok(Json(state.services.quality.mask(&who, id).await?))
}

/// Mask names of models for raters, or show the outputs as they came
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
