//! Compression of pages and other responses. The client's files come compressed already ([`super::assets`]);
//! content made for one request is compressed here.
//!
//! Compression can leak a secret if a page contains both the secret and text chosen by an attacker. None of
//! ours does: the session's secret is in an HttpOnly cookie, the nonce changes with each page, and secrets
//! that are shown once (tokens, invitations) are responses to a POST from our own pages.

use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::compression::{
    CompressionLayer,
    predicate::{And, Predicate, SizeAbove},
};

/// Below this size in bytes, compression saves less than its header costs.
const SMALLEST: u16 = 1024;

type IsText = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Compresses HTML and JSON with gzip, while they are sent, for clients that accept it.
pub fn layer() -> CompressionLayer<And<SizeAbove, IsText>> {
    CompressionLayer::new().compress_when(SizeAbove::new(SMALLEST).and(is_text as IsText))
}

/// Whether the body is HTML or JSON. Downloads are excluded: a CSV is sent with its length.
fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/html") || kind.starts_with("application/json")
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, extract::Request, response::Response, routing::get};
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn long_html_and_json_are_compressed() {
        let check = |kind: &'static str, encoding: Option<&'static str>, bytes: usize, compressed: bool| async move {
            let answer = move || async move {
                let mut response = Response::builder().header("content-type", kind);
                if let Some(encoding) = encoding {
                    response = response.header("content-encoding", encoding);
                }
                response.body(Body::from("x".repeat(bytes))).unwrap()
            };
            let router: Router = Router::new().route_service("/", get(answer)).layer(layer());
            let request = Request::get("/").header("accept-encoding", "gzip, br").body(Body::empty()).unwrap();
            let response = router.oneshot(request).await.unwrap();
            let found = response.headers().get("content-encoding").and_then(|value| value.to_str().ok());
            assert_eq!(found == Some("gzip"), compressed, "{kind} {encoding:?} {bytes}");
            assert_eq!(response.headers().contains_key("vary"), compressed);
        };
        check("text/html; charset=utf-8", None, 5000, true).await;
        check("application/json", None, 5000, true).await;
        check("application/json", None, 100, false).await;
        check("text/csv; charset=utf-8", None, 5000, false).await;
        check("text/event-stream", None, 5000, false).await;
        check("text/html", Some("br"), 5000, false).await;
    }
}
