//! Pages and answers in fewer bytes. The client's files bring compressed forms of their own
//! ([`super::assets`]); what is made for one request is compressed here.
//!
//! Compression can tell a listener what a page holds where the same page repeats what they sent and
//! keeps a secret beside it. Ours keep none: the session's is in an HttpOnly cookie, the nonce is
//! another each time.

use std::io::Write;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};

use super::assets;

/// Below this the header costs more than is saved.
const SMALLEST: usize = 1024;

/// Middleware: packs HTML and JSON for whoever takes gzip.
pub async fn pack(request: Request, next: Next) -> Response {
    let taken = assets::takes(request.headers(), "gzip");
    let response = next.run(request).await;
    if !taken || !worth_it(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Pages are rendered whole before they are sent, so this holds nothing back.
    let Ok(plain) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    match gzip(&plain) {
        Ok(packed) if plain.len() >= SMALLEST => {
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Response::from_parts(parts, Body::from(packed))
        }
        _ => Response::from_parts(parts, Body::from(plain)),
    }
}

fn worth_it(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let text = kind.starts_with("text/html") || kind.starts_with("application/json");
    text && !headers.contains_key(header::CONTENT_ENCODING)
}

fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_pages_and_answers_only() {
        let check = |pairs: &[(header::HeaderName, &'static str)], packed| {
            let headers = pairs.iter().map(|(n, v)| (n.clone(), HeaderValue::from_static(v))).collect();
            assert_eq!(worth_it(&headers), packed, "{pairs:?}");
        };
        check(&[(header::CONTENT_TYPE, "text/html; charset=utf-8")], true);
        check(&[(header::CONTENT_TYPE, "application/json")], true);
        check(&[(header::CONTENT_TYPE, "text/csv; charset=utf-8")], false);
        check(&[(header::CONTENT_TYPE, "text/event-stream")], false);
        check(&[(header::CONTENT_TYPE, "text/html"), (header::CONTENT_ENCODING, "br")], false);
        check(&[], false);
    }
}
