//! Collections from endpoints: of outputs, and of judge models' scores.

use axum::{Json, extract::State, http::StatusCode, response::IntoResponse};
use model::{
    caller::Admin,
    collection::{
        CollectionDetail, CollectionPlan, CollectionResume, CollectionRow, CollectionStatus, EndpointRow,
        NewCollection, RequestDetail, RequestRow, RequestStatus,
    },
    ids::CollectionId,
    judging::NewJudging,
};
use port::collections::Collections;

use super::{
    JsonResult,
    input::{JsonBody, PathParams},
    paging::{ListParams, Page, Paging},
    problem::Problem,
    submissions::{Created, Upload, created},
};
use crate::{session::Authorized, state::AppState};

/// List endpoints
///
/// The operator names them when starting the server. Keys are never shown.
#[utoipa::path(get, path = "/endpoints", tag = "Collections", security(("token" = ["read"])),
    responses((status = 200, description = "Endpoints, by name", body = Vec<EndpointRow>)))]
pub async fn list_endpoints(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> JsonResult<Vec<EndpointRow>> {
    Ok(Json(state.services.collections.endpoints(&admin).await?))
}

/// List collections
///
/// Those of outputs and those of a judge model's scores (judgings), which have `judging`.
#[utoipa::path(get, path = "/collections", tag = "Collections", security(("token" = ["read"])),
    params(ListParams,
        ("status" = Option<CollectionStatus>, Query, description = "Only collections in this state"),
        ("dataset" = Option<String>, Query, description = "Only collections for this dataset, by its short name"),
        ("kind" = Option<String>, Query, description = "`outputs` for collections of outputs only, `scores` for judgings only")),
    responses((status = 200, description = "Collections, newest first unless `sort` is `created`", body = Page<CollectionRow>)))]
pub async fn list_collections(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    page: Paging,
) -> JsonResult<Page<CollectionRow>> {
    Ok(Json(page.answer(state.services.collections.list(&admin, page.of()?).await?)))
}

/// Create a collection
///
/// It is a draft: nothing is sent until `POST /collections/{id}/resume`.
#[utoipa::path(post, path = "/collections", tag = "Collections", security(("token" = ["write:data"])),
    request_body(content = NewCollection, example = json!({"dataset": "starter", "model": "My model", "endpoint": "local"})),
    responses((status = 201, description = "The collection", body = Created)))]
pub async fn create_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewCollection>,
) -> Result<impl IntoResponse, Problem> {
    Ok(created("collections", state.services.collections.create(&admin, new).await?.0))
}

/// Preview what a collection would send
///
/// Three prompts, and the cost in tokens: estimated for prompts, an upper limit for responses. Creates nothing.
#[utoipa::path(post, path = "/collections/plan", tag = "Collections", security(("token" = ["write:data"])),
    request_body(content = NewCollection, example = json!({"dataset": "starter", "model": "My model", "endpoint": "local"})),
    responses((status = 200, description = "The plan", body = CollectionPlan)))]
pub async fn plan_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewCollection>,
) -> JsonResult<CollectionPlan> {
    Ok(Json(state.services.collections.plan(&admin, new).await?))
}

/// Create a judging
///
/// A judge model scores the outputs of a study, or of a submission. A judging is a collection: nothing is sent until
/// `POST /collections/{id}/resume`, and the other operations of collections apply to it, except for the upload. Its scores
/// are in the comparison as they arrive.
#[utoipa::path(post, path = "/judgings", tag = "Collections", security(("token" = ["write:data"])),
    request_body(content = NewJudging, example = json!({"study": 1, "judge": "My judge", "endpoint": "local"})),
    responses((status = 201, description = "The collection", body = Created)))]
pub async fn create_judging(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewJudging>,
) -> Result<impl IntoResponse, Problem> {
    let id = Collections::create_judging(&state.services.collections, &admin, new).await?;
    Ok(created("collections", id.0))
}

/// Preview what a judging would send
///
/// Three prompts, and the cost in tokens: estimated for prompts, an upper limit for responses. Creates nothing.
#[utoipa::path(post, path = "/judgings/plan", tag = "Collections", security(("token" = ["write:data"])),
    request_body(content = NewJudging, example = json!({"study": 1, "judge": "My judge", "endpoint": "local"})),
    responses((status = 200, description = "The plan", body = CollectionPlan)))]
pub async fn plan_judging(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    JsonBody(new): JsonBody<NewJudging>,
) -> JsonResult<CollectionPlan> {
    Ok(Json(state.services.collections.plan_judging(&admin, new).await?))
}

/// Get a collection with its settings
#[utoipa::path(get, path = "/collections/{id}", tag = "Collections", security(("token" = ["read"])),
    params(("id" = CollectionId, Path, description = "ID of the collection")),
    responses((status = 200, description = "The collection", body = CollectionDetail)))]
pub async fn get_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
) -> JsonResult<CollectionDetail> {
    Ok(Json(state.services.collections.get(&admin, id).await?))
}

/// Delete a collection
///
/// Its prompts and responses are deleted permanently, and so are a judging's scores. Submissions imported from it are
/// kept.
#[utoipa::path(delete, path = "/collections/{id}", tag = "Collections", security(("token" = ["write:data"])),
    params(("id" = CollectionId, Path, description = "ID of the collection")),
    responses((status = 204, description = "The collection is deleted")))]
pub async fn delete_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
) -> Result<StatusCode, Problem> {
    state.services.collections.remove(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Start or resume a collection
#[utoipa::path(post, path = "/collections/{id}/resume", tag = "Collections", security(("token" = ["write:data"])),
    params(("id" = CollectionId, Path, description = "ID of the collection")),
    request_body(content = CollectionResume, example = json!({"failed": false})),
    responses((status = 204, description = "The collection is running")))]
pub async fn resume_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
    JsonBody(how): JsonBody<CollectionResume>,
) -> Result<StatusCode, Problem> {
    state.services.collections.resume(&admin, id, how).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stop a collection
///
/// Requests in progress are still answered.
#[utoipa::path(post, path = "/collections/{id}/stop", tag = "Collections", security(("token" = ["write:data"])),
    params(("id" = CollectionId, Path, description = "ID of the collection")),
    responses((status = 204, description = "No more requests are sent")))]
pub async fn stop_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
) -> Result<StatusCode, Problem> {
    state.services.collections.stop(&admin, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make an upload of a collection's responses
///
/// Preview and import it like any upload.
#[utoipa::path(post, path = "/collections/{id}/upload", tag = "Collections", security(("token" = ["write:data"])),
    params(("id" = CollectionId, Path, description = "ID of the collection")),
    responses((status = 201, description = "The upload", body = Upload)))]
pub async fn upload_collection(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
) -> Result<impl IntoResponse, Problem> {
    let upload = state.services.collections.upload(&admin, id).await?;
    Ok((StatusCode::CREATED, Json(Upload { upload })))
}

/// List a collection's requests
#[utoipa::path(get, path = "/collections/{id}/requests", tag = "Collections", security(("token" = ["read"])),
    params(("id" = CollectionId, Path, description = "ID of the collection"), ListParams,
        ("status" = Option<RequestStatus>, Query, description = "Only requests in this state")),
    responses((status = 200, description = "Requests that were sent, in their order", body = Page<RequestRow>)))]
pub async fn list_collection_requests(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(id): PathParams<CollectionId>,
    page: Paging,
) -> JsonResult<Page<RequestRow>> {
    Ok(Json(page.answer(state.services.collections.requests(&admin, id, page.of()?).await?)))
}

/// Get a request with its messages and its response
#[utoipa::path(get, path = "/collections/{id}/requests/{request}", tag = "Collections", security(("token" = ["read"])),
    params(("id" = CollectionId, Path, description = "ID of the collection"), ("request" = i64, Path, description = "ID of the request")),
    responses((status = 200, description = "The request", body = RequestDetail)))]
pub async fn get_collection_request(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((id, request)): PathParams<(CollectionId, i64)>,
) -> JsonResult<RequestDetail> {
    Ok(Json(state.services.collections.request(&admin, id, request).await?))
}
