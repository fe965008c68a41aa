//! Pages and server functions: calls Leptos with the request's caller and the services' ports.

use std::sync::{Arc, OnceLock};

use app::{
    error_page::{self, Failed},
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
use model::{
    caller::{Admin, Caller, Capability},
    error::{AppError, ON_RESPONSE},
    user::Visitor,
};

use super::{assets, errors::HttpError, rest::reference::OpenApiReference};
use crate::state::AppState;

/// A page, rendered in one piece: it must be readable without JavaScript, and its status depends on
/// everything that it loads.
pub async fn render(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let waiting = match Admin::of(&caller) {
        // Without it, the page lacks a number in its navigation.
        Ok(admin) => state.services.inbox.waiting(&admin).await.unwrap_or_default(),
        Err(_) => 0,
    };
    let announcements = match &visitor.me {
        Some(me) => state.services.announcements.unread_by(me.id).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let visitor = Visitor { waiting, announcements, ..visitor };
    let assets = assets::of_page(request.uri().path(), &visitor);
    let handler = leptos_axum::render_app_async_with_context(context(&state, caller, visitor), move || {
        set_policy();
        shell(assets.clone())
    });
    handler(request).await.into_response()
}

/// The error page that replaces a failed response.
pub async fn failed(state: &AppState, caller: Caller, visitor: Visitor, failed: Failed) -> Response {
    let css = assets::of_page("/", &visitor).css;
    let handler = leptos_axum::render_app_async_with_context(context(state, caller, visitor), move || {
        set_policy();
        error_page::document(css.clone(), failed.clone())
    });
    // The address is omitted: it may contain a secret, and the page does not need it.
    handler(Request::new(Body::empty())).await.into_response()
}

/// The error that a server function returned, for the status of the response. [`call`] provides it as context.
#[derive(Clone, Default)]
struct ErrorStatus(Arc<OnceLock<AppError>>);

impl ErrorStatus {
    /// The status, if the server function returned an error.
    fn get(&self) -> Option<u16> {
        self.0.get().map(AppError::status)
    }

    /// The error, if it is an internal one.
    fn internal(&self) -> Option<AppError> {
        self.0.get().filter(|error| matches!(error, AppError::Internal(_))).cloned()
    }

    /// Keeps the error of the request that is being answered.
    fn keep(error: &AppError) {
        if let Some(ErrorStatus(status)) = use_context() {
            // The first one is the response.
            let _ = status.set(error.clone());
        }
    }
}

/// A server function.
pub async fn call(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    ON_RESPONSE.get_or_init(|| ErrorStatus::keep);
    let (status, context) = (ErrorStatus::default(), context(&state, caller, visitor));
    let of_call = status.clone();
    let context = move || {
        context();
        provide_context(of_call.clone());
    };
    let mut answer = leptos_axum::handle_server_fns_with_context(context, request).await.into_response();
    // A form without JavaScript is redirected back to its page, which shows the error but not what was entered. After an
    // internal error, `errors::as_pages` shows it instead.
    if answer.status().is_redirection()
        && let Some(error) = status.internal()
    {
        return HttpError(error).into_response();
    }
    if answer.status() == StatusCode::INTERNAL_SERVER_ERROR
        && let Some(status) = status.get().and_then(|status| StatusCode::from_u16(status).ok())
    {
        *answer.status_mut() = status;
    }
    answer
}

fn context(state: &AppState, caller: Caller, visitor: Visitor) -> impl Fn() + Clone + Send + Sync + 'static {
    let ports = state.services.ports(Arc::new(OpenApiReference));
    move || {
        provide_context(ports.clone());
        provide_context(caller.clone());
        provide_context(visitor.clone());
    }
}

/// Scripts run only with this page's nonce, and nothing is loaded from other hosts.
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
