//! `Idempotency-Key`: a repeated request with the same key is not executed again; it gets the stored
//! response.
//!
//! The key is claimed before the work, and the response is stored after it. If the server is killed in
//! between, the key stays claimed: nobody knows whether the work was done, and the response says so. Only
//! successful responses are stored; a failed request changed nothing and may be sent again.

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{MatchedPath, OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use model::ids::ApiTokenId;
use sha2::{Digest, Sha256};
use utoipa::openapi::{
    ObjectBuilder, OpenApi, RefOr, Required, Type,
    path::{ParameterBuilder, ParameterIn},
};

use super::{
    BODY_LIMIT,
    problem::{Problem, each_operation},
};
use crate::state::AppState;
use db::{
    audit,
    tokens::{KeyState, StoredResponse},
};
use services::tokens::Bearer;

const HEADER: &str = "idempotency-key";
/// What an operation answers to a larger body than [`BODY_LIMIT`].
pub(crate) const TOO_LARGE: &str = "The body is larger than 1 MiB.";

/// Maximum length of a key, in bytes: a UUID has 36.
const LONGEST: usize = 255;

/// Operations that upload files are exempt: they are content-addressed, hence idempotent, and a file may be
/// larger than the bodies that are compared here.
const FILES: [(&str, &str); 3] =
    [("POST", "/api/v1/uploads"), ("POST", "/api/v1/imports"), ("POST", "/api/v1/ratings")];
/// Operations that respond with a secret, which is never stored.
const SECRETS: [(&str, &str); 4] = [
    ("POST", "/api/v1/invitations"),
    ("POST", "/api/v1/tokens"),
    ("POST", "/api/v1/webhooks"),
    ("POST", "/api/v1/studies/{id}/public-links"),
];

fn takes_key(method: &str, path: &str) -> bool {
    method != "GET" && !FILES.contains(&(method, path)) && !SECRETS.contains(&(method, path))
}

/// Middleware: see the module.
pub async fn idempotent(State(state): State<AppState>, path: MatchedPath, request: Request, next: Next) -> Response {
    let Some(key) = request.headers().get(HEADER).cloned() else { return next.run(request).await };
    let Some(bearer) = request.extensions().get::<Bearer>().cloned() else { return next.run(request).await };
    let operation = (request.method().as_str(), path.as_str());
    if matches!(*request.method(), Method::GET | Method::HEAD) || FILES.contains(&operation) {
        return next.run(request).await;
    }
    let refused = |status, detail: &str| Problem::new(status, detail).into_response();
    if SECRETS.contains(&operation) {
        return refused(
            StatusCode::BAD_REQUEST,
            "The response contains a secret that is not stored, so it cannot be repeated. Send the request without `Idempotency-Key`.",
        );
    }
    let Some(key) = key.to_str().ok().filter(|key| (1..=LONGEST).contains(&key.len())).map(str::to_owned) else {
        return refused(StatusCode::BAD_REQUEST, "`Idempotency-Key` must be 1 to 255 printable ASCII characters.");
    };
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, BODY_LIMIT).await else {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE);
    };
    let uri = parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.to_string(), |uri| uri.0.to_string());
    let request_hash = fingerprint(&parts.method, &uri, &bytes);
    match state.services.tokens.claim(bearer.id, key.clone(), request_hash).await {
        Ok(KeyState::Unused) => {
            let request = Request::from_parts(parts, Body::from(bytes));
            // On a task of its own: a client that disconnects must not leave the key claimed forever.
            let work = audit::spawn(async move { work(&state, bearer.id, key, next.run(request).await).await });
            work.await.unwrap_or_else(|e| Problem::from(base::error::Failure::internal(e)).into_response())
        }
        Ok(KeyState::Answered(stored)) => replay(stored),
        Ok(KeyState::OtherRequest) => refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "This `Idempotency-Key` was used with a different request. Use a new key for each request.",
        ),
        Ok(KeyState::InProgress) => Problem::new(
            StatusCode::CONFLICT,
            "The request with this `Idempotency-Key` is still in progress, or the server stopped during it. Try again. If \
             this persists, check whether the request took effect, then use a new key.",
        )
        .after(1)
        .into_response(),
        Err(failure) => Problem::from(failure).into_response(),
    }
}

async fn work(state: &AppState, token: ApiTokenId, key: String, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let stored = parts.status.is_success().then(|| StoredResponse {
        status: parts.status.as_u16(),
        content_type: text(&parts.headers, header::CONTENT_TYPE),
        location: text(&parts.headers, header::LOCATION),
        body: bytes.to_vec(),
    });
    if let Err(failure) = state.services.tokens.settle(token, key, stored).await {
        return Problem::from(failure).into_response();
    }
    Response::from_parts(parts, Body::from(bytes))
}

fn replay(stored: StoredResponse) -> Response {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK);
    let mut response = (status, stored.body).into_response();
    response.headers_mut().remove(header::CONTENT_TYPE);
    response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    for (name, value) in [(header::CONTENT_TYPE, stored.content_type), (header::LOCATION, stored.location)] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn fingerprint(method: &Method, uri: &str, body: &Bytes) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{method} {uri}\n"));
    hash.update(body);
    hex::encode(hash.finalize())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Adds the header to the operations that accept it.
pub fn document(document: &mut OpenApi) {
    each_operation(document, |method, path, operation| {
        if !takes_key(method, path) {
            return;
        }
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(LONGEST))
            // Printable ASCII, as a header requires.
            .pattern(Some("^[!-~]+$"))
            .build();
        let header = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "Identifies this request, for example a UUID. A second request with the same key within 24 hours changes \
                 nothing and returns the stored response.",
            ))
            .schema(Some(schema))
            .build();
        operation.parameters.get_or_insert_default().push(RefOr::T(header));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exempt_operations_exist() {
        let document = serde_json::to_value(super::super::document()).unwrap();
        for (method, path) in FILES.into_iter().chain(SECRETS) {
            assert!(document["paths"][path][method.to_lowercase()].is_object(), "{method} {path}");
        }
    }
}
