//! `/api/v1`: the REST API. One file per area; each handler makes one service call.
//!
//! The OpenAPI document is generated from the handlers' attributes, and [`scopes`] reads from it which
//! scope an operation requires: operations outside the document cannot be called. Cookies are ignored here,
//! so no protection against cross-site requests is needed. Every error is a [`problem::Problem`].

mod announcements;
mod audit;
mod collections;
mod comparisons;
mod datasets;
mod groups;
mod guidelines;
pub(super) mod idempotency;
mod inbox;
mod input;
mod known_items;
mod objects;
mod paging;
mod people;
mod plans;
pub mod problem;
mod quality;
pub mod reference;
mod results;
mod rubrics;
mod runs;
mod scopes;
mod studies;
mod submission_files;
mod submissions;
mod tokens;
mod validators;
mod webhooks;

use std::sync::LazyLock;

use axum::{Json, Router, extract::DefaultBodyLimit, middleware, routing::any};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{
    OpenApi as _,
    openapi::{
        OpenApi,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use self::problem::Problem;
use crate::{byte_order_mark, state::AppState};

/// Path prefix of the API.
pub const ROOT: &str = "/api/v1";

/// Maximum size of a JSON body. Files are streamed to disk with their own limit.
const BODY_LIMIT: usize = 1024 * 1024;

#[derive(utoipa::OpenApi)]
#[openapi(info(
    title = "AixGrade",
    description = "Programs can do everything that admins can do. Send a personal token as `Authorization: Bearer axg_…`. \
                   Times are milliseconds since 1970 in UTC. Lists come in pages: follow `next` to its end. \
                   Every error is `application/problem+json` (RFC 9457).",
    license(name = "MIT", identifier = "MIT")
))]
struct Base;

/// Every operation, in display order.
#[allow(clippy::too_many_lines, reason = "a list")]
fn operations() -> OpenApiRouter<AppState> {
    let v1 = OpenApiRouter::new()
        // The caller.
        .routes(routes!(openapi))
        .routes(routes!(tokens::me))
        // Datasets.
        .routes(routes!(datasets::list_datasets))
        .routes(routes!(datasets::get_dataset))
        .routes(routes!(datasets::list_dataset_tasks))
        .routes(routes!(datasets::import_datasets))
        // Model outputs.
        .routes(routes!(submissions::list_uploads, submissions::send_outputs))
        .routes(routes!(submissions::preview_upload))
        .routes(routes!(submissions::choose_columns))
        .routes(routes!(submissions::run_early))
        .routes(routes!(submission_files::get_bad_upload_lines))
        .routes(routes!(submission_files::get_bad_upload_list))
        .routes(routes!(submissions::list_submissions, submissions::import_submission))
        .routes(routes!(submissions::get_submission))
        .routes(routes!(submission_files::get_original))
        .routes(routes!(submission_files::get_bad_lines))
        .routes(routes!(submission_files::get_bad_list))
        .routes(routes!(submissions::list_submission_outputs))
        .routes(routes!(submissions::get_output))
        .routes(routes!(submissions::choose_block))
        .routes(routes!(quality::get_mask, quality::set_mask))
        // Collections.
        .routes(routes!(collections::list_endpoints))
        .routes(routes!(collections::list_collections, collections::create_collection))
        .routes(routes!(collections::plan_collection))
        .routes(routes!(collections::create_judging))
        .routes(routes!(collections::plan_judging))
        .routes(routes!(collections::get_collection, collections::delete_collection))
        .routes(routes!(collections::resume_collection))
        .routes(routes!(collections::stop_collection))
        .routes(routes!(collections::upload_collection))
        .routes(routes!(collections::list_collection_requests))
        .routes(routes!(collections::get_collection_request))
        // Rubrics.
        .routes(routes!(rubrics::list_rubrics, rubrics::save_rubric))
        .routes(routes!(rubrics::get_rubric))
        .routes(routes!(rubrics::list_rubric_choices))
        .routes(routes!(rubrics::set_dataset_rubric))
        // Runs.
        .routes(routes!(runs::list_runs, runs::start_run))
        .routes(routes!(runs::get_run))
        .routes(routes!(runs::get_run_progress))
        .routes(routes!(runs::list_run_items))
        .routes(routes!(runs::get_run_item))
        .routes(routes!(runs::stop_run))
        .routes(routes!(runs::rerun))
        .routes(routes!(runs::compare_runs))
        .routes(routes!(runs::run_results_jsonl))
        .routes(routes!(runs::run_results_csv))
        .routes(routes!(runs::run_results_parquet))
        .routes(routes!(runs::get_languages))
        .routes(routes!(runs::get_workers))
        .routes(routes!(runs::get_conversations))
        // Studies.
        .routes(routes!(studies::list_studies, studies::create_study))
        .routes(routes!(studies::get_study, plans::edit_study))
        .routes(routes!(studies::set_study_status))
        .routes(routes!(studies::reopen_study))
        .routes(routes!(studies::get_comparison))
        .routes(routes!(studies::list_study_tasks))
        .routes(routes!(studies::get_study_task))
        .routes(routes!(studies::list_public_links, studies::create_public_link))
        .routes(routes!(studies::revoke_public_link))
        .routes(routes!(guidelines::get_guidelines, guidelines::save_guidelines))
        // Results.
        .routes(routes!(results::get_results))
        .routes(routes!(results::results_csv))
        .routes(routes!(results::get_model_results))
        // Plans of studies.
        .routes(routes!(plans::get_plan))
        .routes(routes!(plans::extend_study))
        .routes(routes!(plans::duplicate_study))
        .routes(routes!(plans::add_rater))
        .routes(routes!(plans::remove_rater))
        .routes(routes!(plans::set_pace))
        // Quality control.
        .routes(routes!(quality::get_quality, quality::set_quality))
        .routes(routes!(known_items::list_known_items, known_items::add_known_item))
        .routes(routes!(known_items::import_known_items))
        .routes(routes!(known_items::change_known_item, known_items::remove_known_item))
        .routes(routes!(quality::pause_rater))
        .routes(routes!(quality::set_admission))
        .routes(routes!(quality::set_adjudicator))
        .routes(routes!(quality::get_leaks))
        .routes(routes!(quality::watch_study))
        .routes(routes!(quality::list_ratings))
        .routes(routes!(quality::list_flags))
        .routes(routes!(quality::reply_to_flag))
        .routes(routes!(quality::list_disagreements))
        .routes(routes!(quality::ask_extra))
        .routes(routes!(quality::list_adjudications))
        .routes(routes!(quality::get_adjudication, quality::decide))
        // The inbox.
        .routes(routes!(inbox::list_inbox))
        .routes(routes!(inbox::count_inbox))
        .routes(routes!(inbox::act_on_inbox))
        // Comparisons.
        .routes(routes!(comparisons::compare_models))
        .routes(routes!(comparisons::slice_comparison))
        .routes(routes!(comparisons::list_compared_tasks))
        .routes(routes!(comparisons::get_compared_task))
        .routes(routes!(comparisons::comparison_file))
        .routes(routes!(comparisons::comparison_figure))
        .routes(routes!(comparisons::import_ratings))
        // Upkeep.
        .routes(routes!(objects::list_archive))
        .routes(routes!(objects::get_object, objects::update_object, objects::delete_object))
        .routes(routes!(objects::restore_object))
        // People.
        .routes(routes!(people::list_people))
        .routes(routes!(people::update_person))
        .routes(routes!(plans::set_reads))
        .routes(routes!(announcements::list_announcements, announcements::publish_announcement))
        .routes(routes!(announcements::withdraw_announcement))
        .routes(routes!(groups::list_groups, groups::create_group))
        .routes(routes!(groups::get_group, groups::rename_group, groups::delete_group))
        .routes(routes!(groups::change_group_members))
        .routes(routes!(people::list_invitations, people::create_invitation))
        .routes(routes!(people::revoke_invitation))
        .routes(routes!(audit::list_audit))
        // Programs.
        .routes(routes!(tokens::list_tokens, tokens::create_token))
        .routes(routes!(tokens::revoke_token))
        .routes(routes!(webhooks::list_webhooks, webhooks::create_webhook))
        .routes(routes!(webhooks::remove_webhook))
        .routes(routes!(webhooks::test_webhook))
        .routes(routes!(webhooks::list_deliveries));
    OpenApiRouter::with_openapi(Base::openapi()).nest(ROOT, v1)
}

/// The API's routes with their middleware.
pub fn router(state: &AppState) -> Router<AppState> {
    let (routes, _) = operations().split_for_parts();
    routes
        .method_not_allowed_fallback(problem::method_not_allowed)
        .route_layer(middleware::from_fn(validators::not_modified))
        .route_layer(middleware::from_fn_with_state(state.clone(), idempotency::idempotent))
        .route_layer(middleware::from_fn_with_state(state.clone(), scopes::authorize))
        .route("/api", any(problem::not_found))
        .route("/api/{*rest}", any(problem::not_found))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(middleware::from_fn(problem::in_one_form))
}

/// The OpenAPI document, generated once.
pub fn document() -> &'static OpenApi {
    static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(|| {
        let (_, mut document) = operations().split_for_parts();
        document.info.version = env!("CARGO_PKG_VERSION").into();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("axg_…").build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
        problem::document(&mut document);
        idempotency::document(&mut document);
        byte_order_mark::document(&mut document);
        document
    });
    &DOCUMENT
}

/// Get this document
///
/// No token is required; the document contains no data.
#[utoipa::path(get, path = "/openapi.json", tag = "About the API", responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn openapi() -> Json<&'static OpenApi> {
    Json(document())
}

/// Result type of most handlers.
type JsonResult<T> = Result<Json<T>, Problem>;
