//! `ETag` support: a client that already has a response gets 304.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};

/// Middleware: adds a tag to every JSON response to a GET, and answers 304 if the client has it.
pub async fn not_modified(request: Request, next: Next) -> Response {
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let had: Vec<_> = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
    let response = next.run(request).await;
    let json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !(reading && json && response.status() == StatusCode::OK) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Our JSON responses are complete before they are sent.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    // Weak, because the same response may be compressed.
    let tag = format!("W/\"{}\"", &hex::encode(Sha256::digest(&bytes))[..32]);
    let has = had.iter().filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
    let known = has.map(str::trim).any(|one| one == tag || one == "*");
    if let Ok(value) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, value);
    }
    // Cached only by the client and revalidated each time.
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if known {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}
