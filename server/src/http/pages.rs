//! Pages and server functions: Leptos, given the request's caller and the services' ports.

use app::{
    error::AppError,
    error_page::{self, Failed},
    model::user::Visitor,
    port::Caller,
    shell::shell,
};
use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use leptos::{nonce::use_nonce, prelude::*};
use leptos_axum::ResponseOptions;

use super::assets;
use crate::state::AppState;

/// Says that the server answers.
pub async fn health() -> &'static str {
    "ok\n"
}

/// A page, complete in one piece: it must be readable without JavaScript and carry the status of what
/// it loaded, and both are known only at its end.
pub async fn render(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let assets = assets::of_page(request.uri().path(), visitor.is_admin());
    let handler = leptos_axum::render_app_async_with_context(context(&state, caller, visitor), move || {
        set_policy();
        shell(assets.clone())
    });
    handler(request).await.into_response()
}

/// The page in place of an answer that failed.
pub async fn failed(state: &AppState, caller: Caller, visitor: Visitor, failed: Failed) -> Response {
    let css = assets::of_page("/", visitor.is_admin()).css;
    let handler = leptos_axum::render_app_async_with_context(context(state, caller, visitor), move || {
        set_policy();
        error_page::document(css.clone(), failed.clone())
    });
    // The address does not matter: it may hold a secret, and nothing on the page needs it.
    handler(Request::new(Body::empty())).await.into_response()
}

/// A server function.
pub async fn call(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let answer = leptos_axum::handle_server_fns_with_context(context(&state, caller, visitor), request).await;
    with_status(answer.into_response()).await
}

fn context(state: &AppState, caller: Caller, visitor: Visitor) -> impl Fn() + Clone + Send + Sync + 'static {
    let ports = state.ports();
    move || {
        provide_context(ports.clone());
        provide_context(caller.clone());
        provide_context(visitor.clone());
    }
}

/// Scripts run only with this page's nonce, and nothing comes from elsewhere.
fn set_policy() {
    let (Some(nonce), Some(response)) = (use_nonce(), use_context::<ResponseOptions>()) else { return };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    );
    if let Ok(value) = HeaderValue::from_str(&policy) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, value);
    }
}

/// Leptos answers every error of a server function with 500; ours say what they are.
async fn with_status(response: Response) -> Response {
    if response.status() != StatusCode::INTERNAL_SERVER_ERROR {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Errors are small; one that is not is none of ours.
    let Ok(bytes) = axum::body::to_bytes(body, 64 * 1024).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if let Ok(error) = serde_json::from_slice::<AppError>(&bytes)
        && let Ok(status) = StatusCode::from_u16(error.status())
    {
        parts.status = status;
    }
    Response::from_parts(parts, Body::from(bytes))
}
