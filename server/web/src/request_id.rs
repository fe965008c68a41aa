//! An ID for each request, which its log lines have, and its response if it is an error.

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

use base::clock;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The ID of a request: always ours, because log lines must not contain what a client chose.
#[derive(Clone, Debug)]
pub struct RequestId(String);

impl RequestId {
    /// As text: 16 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Gives the request its ID. Responses that succeed do without the header: it would be a good part of the small ones.
pub async fn add(mut request: Request, next: Next) -> Response {
    let mut id = clock::token().0;
    id.truncate(16);
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    if is_error && let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
