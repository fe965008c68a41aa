//! Rubrics.

use axum::{Json, extract::State};
use model::{
    caller::Admin,
    page::Paged,
    rubric::{Rubric, RubricChoices, RubricDetail, RubricRow, SavedRubric},
};
use port::rubrics::Rubrics;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    JsonResult,
    input::{JsonBody, PathParams, QueryParams},
    paging::{Page, PageParams, Paging},
};
use crate::{session::Authorized, state::AppState};

/// Selects a version of a rubric.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RubricVersionParams {
    /// Number of the version; default: the newest.
    version: Option<u32>,
}

/// A dataset's default rubric.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct DefaultRubric {
    /// Short name and version, such as `aixbench 1`; without a number, the newest version.
    rubric: String,
}

/// List rubrics
///
/// Archived rubrics are left out.
#[utoipa::path(get, path = "/rubrics", tag = "Rubrics", params(PageParams), security(("token" = ["read"])),
    responses((status = 200, description = "Rubrics at their newest versions, sorted by short name", body = Page<RubricRow>)))]
pub async fn list_rubrics(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<RubricRow>> {
    let found: Paged<RubricRow> = state.services.rubrics.list(&admin, page.of()?).await?;
    Ok(Json(page.answer(found)))
}

/// Get a rubric with its versions
///
/// `rubric` is the file that `POST /rubrics` takes.
#[utoipa::path(get, path = "/rubrics/{slug}", tag = "Rubrics", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the rubric"), RubricVersionParams),
    responses((status = 200, description = "The rubric", body = RubricDetail)))]
pub async fn get_rubric(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(asked): QueryParams<RubricVersionParams>,
) -> JsonResult<RubricDetail> {
    Ok(Json(state.services.rubrics.get(&admin, &slug, asked.version).await?))
}

/// Save a rubric
///
/// It becomes the next version of its short name, or the first of a new one. Stored versions never change, so studies
/// keep theirs. A rubric that equals the newest version changes nothing. `version` is ignored.
#[utoipa::path(post, path = "/rubrics", tag = "Rubrics", security(("token" = ["write:studies"])),
    request_body(content = Rubric, example = json!({"slug": "security", "dimensions": [{"key": "safety",
        "name": {"en": "Safety", "zh": "安全性"}, "question": {"en": "Can an attacker misuse it?", "zh": "攻击者能否利用？"},
        "levels": [{"score": 2, "text": {"en": "No", "zh": "不能"}}, {"score": 1, "text": {"en": "Yes", "zh": "能"}}]}]})),
    responses((status = 200, description = "The newest version", body = SavedRubric)))]
pub async fn save_rubric(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(rubric): JsonBody<Rubric>,
) -> JsonResult<SavedRubric> {
    Ok(Json(state.services.rubrics.save(&admin, rubric, None).await?))
}

/// List the rubrics for a new study of a dataset
#[utoipa::path(get, path = "/datasets/{slug}/rubrics", tag = "Rubrics", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset")),
    responses((status = 200, description = "The default and the others", body = RubricChoices)))]
pub async fn list_rubric_choices(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
) -> JsonResult<RubricChoices> {
    Ok(Json(state.services.rubrics.choices(&admin, &slug).await?))
}

/// Set the default rubric of a dataset
///
/// New studies and imported ratings use it; existing studies keep theirs.
#[utoipa::path(put, path = "/datasets/{slug}/rubric", tag = "Rubrics", security(("token" = ["write:studies"])),
    params(("slug" = String, Path, description = "Short name of the dataset")),
    request_body(content = DefaultRubric, example = json!({"rubric": "aixbench 1"})),
    responses((status = 200, description = "The default", body = DefaultRubric)))]
pub async fn set_dataset_rubric(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    JsonBody(asked): JsonBody<DefaultRubric>,
) -> JsonResult<DefaultRubric> {
    let rubrics = &state.services.rubrics;
    rubrics.set_default(&admin, &slug, &asked.rubric).await?;
    Ok(Json(DefaultRubric { rubric: rubrics.choices(&admin, &slug).await?.default.name() }))
}
