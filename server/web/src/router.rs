//! Every URL of the program, in reading order. Tests mirror this file.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    middleware,
    routing::{get, post},
};
use leptos_axum::generate_route_list;
use tower_http::{catch_panic::CatchPanicLayer, limit::RequestBodyLimitLayer, trace::TraceLayer};

use super::{
    account, assets, audit, byte_order_mark, comparisons, compress, errors, grade, guard, health, mail, metrics,
    overload, pace, pages, public, request_id, request_id::RequestId, rest, results, rubrics, runs, session, settings,
    single_sign_on, studies, submissions, upload,
};
use crate::state::AppState;
use services::backup::schedule::DailyFigures;

/// Maximum size of a form or server-function call: a rating with its longest comment is a few kilobytes.
pub const FORM_LIMIT: usize = 1024 * 1024;

/// The routed addresses of all pages.
///
/// Called once per process, before the first request: while Leptos lists its routes, no resource in the
/// process loads, and a page rendered meanwhile would wait forever.
pub fn pages() -> &'static [String] {
    static PAGES: LazyLock<Vec<String>> =
        LazyLock::new(|| generate_route_list(app::routes::App).iter().map(|page| page.path().to_owned()).collect());
    &PAGES
}

/// The whole program as a service.
pub fn router(state: AppState) -> Router {
    let mut people = Router::new()
        // Accounts: plain forms, because they change the session.
        .route("/log-in", post(account::log_in))
        .route("/log-in/sso", get(single_sign_on::begin))
        .route("/log-in/sso/callback", get(single_sign_on::callback))
        .route("/account/sso/unlink", post(single_sign_on::unlink))
        .route("/log-out", post(account::log_out))
        .route("/join/{secret}", post(account::join))
        .route("/reset/{secret}", post(account::reset))
        .route("/mail/{token}", post(mail::follow))
        .route("/new-password", post(account::choose_password))
        .route("/account/password", post(account::change_password))
        .route("/account/keys", post(settings::keys))
        .route("/account/display", post(settings::display))
        .route("/account/email", post(mail::choose))
        .route("/account/toured", post(settings::toured))
        .route("/lang", post(account::set_lang))
        // Grading without JavaScript. The pages' route calls this parameter `study`; here it is an
        // assignment.
        .route("/grade/{study}", post(grade::submit))
        // Files of uploads and submissions.
        .route("/admin/uploads/{id}/bad-lines.jsonl", get(submissions::bad_upload_lines))
        .route("/admin/uploads/{id}/bad-lines.csv", get(submissions::bad_upload_list))
        .route("/admin/submissions/{id}/file", get(submissions::original))
        .route("/admin/submissions/{id}/bad-lines.jsonl", get(submissions::bad_lines))
        .route("/admin/submissions/{id}/bad-lines.csv", get(submissions::bad_list))
        // A study's tables.
        .route("/admin/studies/{id}/ratings.csv", get(studies::ratings))
        .route("/admin/studies/{id}/comparison.csv", get(studies::comparison))
        // A comparison's files.
        .route("/admin/results.csv", get(results::csv))
        .route("/admin/compare/{slug}/export/{file}", get(comparisons::export))
        .route("/admin/compare/{slug}/figures/{file}", get(comparisons::figure))
        .route("/admin/rubrics/{slug}/rubric.json", get(rubrics::json))
        // The files of a study's public page.
        .route("/public/{secret}/embed.svg", get(public::embed))
        .route("/public/{secret}/files/{file}", get(public::file))
        .route("/public/{secret}/figures/{file}", get(public::figure))
        // A run's progress and results.
        .route("/admin/runs/{id}/progress", get(runs::progress))
        .route("/admin/runs/compare.csv", get(runs::pair_csv))
        .route("/admin/languages.csv", get(runs::languages_csv))
        .route("/admin/conversations.csv", get(runs::conversations_csv))
        .route("/admin/runs/{id}/results.csv", get(runs::csv))
        .route("/admin/runs/{id}/results.jsonl", get(runs::json_lines))
        .route("/admin/runs/{id}/results.parquet", get(runs::parquet))
        // The audit log.
        .route("/admin/audit.csv", get(audit::csv))
        // Server functions: app/rpc.
        .route("/rpc/{*function}", post(pages::call));
    // Pages: app/src/routes.rs.
    for page in pages() {
        people = people.route(page, get(pages::render));
    }
    // Files stream to disk with their own limit: services/uploads.rs.
    let uploads = Router::new()
        .route("/admin/upload/submission", post(upload::submission))
        .route("/admin/upload/dataset", post(upload::dataset))
        .route("/admin/upload/ratings", post(upload::ratings))
        .route("/admin/upload/rubric", post(upload::rubric))
        .layer(DefaultBodyLimit::disable());
    let people = people
        .fallback(pages::render)
        .layer(RequestBodyLimitLayer::new(FORM_LIMIT))
        .merge(uploads)
        .layer(middleware::from_fn(guard::pages))
        .layer(CatchPanicLayer::custom(errors::panicked))
        .layer(middleware::from_fn_with_state(state.clone(), errors::as_pages))
        .layer(middleware::from_fn_with_state(state.clone(), pace::keep))
        .layer(middleware::from_fn_with_state(state.clone(), session::caller))
        .layer(session::layer(&state))
        .layer(middleware::from_fn_with_state(state.clone(), guard::same_origin));
    let open = Router::new()
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::readiness))
        // The client's files: the same for everybody.
        .route("/assets/{name}", get(assets::serve));
    // For `cargo xtask dev`; not in a release build.
    #[cfg(debug_assertions)]
    let open = open.route("/dev/server", get(super::dev::server));
    open.merge(people)
        // The REST API: http/rest/mod.rs lists its operations.
        .merge(rest::router(&state))
        .layer(middleware::from_fn_with_state(state.clone(), overload::admit))
        .layer(middleware::from_fn(byte_order_mark::add))
        .layer(compress::layer())
        .layer(middleware::from_fn_with_state(state.clone(), guard::headers))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(state.clone(), metrics::count))
        .layer(TraceLayer::new_for_http().make_span_with(span))
        .layer(middleware::from_fn(request_id::add))
        .with_state(state)
}

/// The routes of the operator's address, open to anybody who reaches it. `backups` are the daily ones, if the server
/// makes any.
pub fn watched(state: AppState, backups: Option<DailyFigures>) -> Router {
    let health = Router::new()
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::readiness))
        .with_state(state.clone());
    Router::new().route("/metrics", get(metrics::metrics)).with_state(metrics::Watched { state, backups }).merge(health)
}

/// The fields that every log line of a request has: the route instead of the address, because the address of an
/// invitation or a public page is its secret.
fn span(request: &Request) -> tracing::Span {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let id = request.extensions().get::<RequestId>().map_or("none", RequestId::as_str);
    tracing::info_span!("request", id, method = %request.method(), route)
}
