//! Health checks for monitoring: whether the process runs, and whether it can serve people.

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};

use crate::state::AppState;

/// `GET /healthz`: the process answers. A supervisor should restart one that does not.
pub async fn live() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the database can be read and written. A load balancer should send nobody to a server that is not ready;
/// restarting it does not help.
pub async fn readiness(State(state): State<AppState>) -> Response {
    match state.readiness.check(&state.services.db).await {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}\n")).into_response(),
    }
}
