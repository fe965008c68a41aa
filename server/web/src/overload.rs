//! Overload: how many requests are in progress at once. One more is refused with status 503 and `Retry-After`, before its
//! handler begins, so nothing of it is done, and the queues for the database and for blocking threads have an end.
//!
//! A request is in progress from when its body has arrived, so that a slow sender takes nobody's place, until its response
//! begins. A file counts while it arrives. What the server does on its own account has limits of its own and is never
//! refused.

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{Html, IntoResponse, Response},
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use model::error::AppError;

use super::{
    errors::HttpError,
    rest::{ROOT, idempotency::TOO_LARGE, problem::Problem},
    router::FORM_LIMIT,
};
use crate::{capacity::Kind, state::AppState};

/// When a refused client should try again, in seconds. A full queue of calls is empty sooner.
const RETRY: u64 = 2;

/// The kind of a request; `None` if it is always answered.
fn kind_of(method: &Method, path: &str, headers: &HeaderMap) -> Option<Kind> {
    let reads = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    // Files and probes cost nothing, and a supervisor must not take a busy server for a dead one.
    if path == "/healthz" || path == "/readyz" || ["/assets/", "/dev/"].iter().any(|free| path.starts_with(free)) {
        return None;
    }
    if path.starts_with(ROOT) {
        let json = |kind: &[u8]| kind.starts_with(b"application/json");
        let file = headers.get(header::CONTENT_TYPE).is_some_and(|kind| !json(kind.as_bytes()));
        return Some(if file && !reads { Kind::Upload } else { Kind::Operation });
    }
    if reads {
        return Some(if path.starts_with("/public/") { Kind::Public } else { Kind::Page });
    }
    let hashes = ["/log-in", "/account/password", "/new-password"].contains(&path);
    Some(match path {
        _ if path.starts_with("/admin/upload/") => Kind::Upload,
        _ if hashes || path.starts_with("/join/") || path.starts_with("/reset/") => Kind::LogIn,
        _ => Kind::Call,
    })
}

/// Middleware: lets a request in if there is a place for it.
pub async fn admit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Some(kind) = kind_of(request.method(), request.uri().path(), request.headers()) else {
        return next.run(request).await;
    };
    let (request, _memory) = if kind == Kind::Upload {
        (request, None)
    } else {
        // A body of unknown length may be as long as the limit. One that is announced as too long is not read.
        let length = announced(&request).unwrap_or(FORM_LIMIT);
        let Some(memory) = state.places.take_memory(if length > FORM_LIMIT { 0 } else { length }) else {
            return busy(&request);
        };
        match arrived(request).await {
            Ok(request) => (request, Some(memory)),
            Err(refusal) => return refusal,
        }
    };
    let Some(_place) = state.places.take(kind) else { return busy(&request) };
    next.run(request).await
}

/// The length of a body in bytes, 0 without a body; `None` if its sender did not announce it.
fn announced(request: &Request) -> Option<usize> {
    use http_body::Body as _;
    let header = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    header.or_else(|| usize::try_from(request.body().size_hint().exact()?).ok())
}

/// Waits for a body. One that is announced as too long is left to the layer that refuses it.
async fn arrived(request: Request) -> Result<Request, Response> {
    if announced(&request).is_some_and(|length| length == 0 || length > FORM_LIMIT) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let operation = parts.uri.path().starts_with(ROOT);
    let bytes: Bytes = match Limited::new(body, FORM_LIMIT).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(e) if e.is::<LengthLimitError>() => {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return Err(match operation {
                true => Problem::new(status, TOO_LARGE).into_response(),
                false => status.into_response(),
            });
        }
        Err(_) if operation => return Err(Problem::from(AppError::Malformed).into_response()),
        Err(_) => return Err(HttpError(AppError::Malformed).into_response()),
    };
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// The refusal, in the form that the client reads. It must cost next to nothing: no session, no database.
pub fn busy(request: &Request) -> Response {
    let error = AppError::Busy(RETRY);
    let path = request.uri().path();
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let mut response = if path.starts_with(ROOT) {
        Problem::from(error).into_response()
    } else if accept.contains("text/html") {
        (StatusCode::SERVICE_UNAVAILABLE, Html(page(request.method()))).into_response()
    } else if path.starts_with("/rpc/") {
        (StatusCode::SERVICE_UNAVAILABLE, axum::Json(error)).into_response()
    } else {
        HttpError(error).into_response()
    };
    response.headers_mut().insert(header::RETRY_AFTER, RETRY.into());
    response
}

/// A page without anything that would have to be loaded. A browser requests a page again by itself; a form is sent again
/// when its sender reloads.
fn page(method: &Method) -> String {
    let (again, en, zh) = match *method {
        Method::GET => (
            format!("<meta http-equiv=\"refresh\" content=\"{RETRY}\">"),
            "This page reloads by itself.",
            "此页面会自动刷新。",
        ),
        _ => (
            String::new(),
            "What you sent was not saved. Reload this page to send it again.",
            "提交的内容尚未保存。请刷新此页面重新发送。",
        ),
    };
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">{again}<title>AixGrade</title></head>\
         <body><h1>The server is busy</h1><p>{en}</p>\
         <div lang=\"zh\"><h1>服务器繁忙</h1><p>{zh}</p></div></body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_has_a_kind_but_probes_and_files() {
        let check = |method: Method, path: &str, content: &str, kind: Option<Kind>| {
            let mut headers = HeaderMap::new();
            if !content.is_empty() {
                headers.insert(header::CONTENT_TYPE, content.parse().unwrap());
            }
            assert_eq!(kind_of(&method, path, &headers), kind, "{method} {path}");
        };
        for path in ["/healthz", "/readyz", "/assets/aixgrade.js"] {
            check(Method::GET, path, "", None);
        }
        check(Method::GET, "/grade/abc", "", Some(Kind::Page));
        check(Method::HEAD, "/admin/results.csv", "", Some(Kind::Page));
        check(Method::GET, "/public/abc/figures/means.png", "", Some(Kind::Public));
        check(Method::POST, "/grade/abc", "application/x-www-form-urlencoded", Some(Kind::Call));
        check(Method::POST, "/rpc/submit_rating", "application/json", Some(Kind::Call));
        check(Method::POST, "/log-out", "", Some(Kind::Call));
        for path in ["/log-in", "/join/secret", "/reset/secret", "/account/password", "/new-password"] {
            check(Method::POST, path, "application/x-www-form-urlencoded", Some(Kind::LogIn));
        }
        check(Method::POST, "/admin/upload/dataset", "multipart/form-data", Some(Kind::Upload));
        check(Method::POST, "/api/v1/uploads", "application/octet-stream", Some(Kind::Upload));
        check(Method::POST, "/api/v1/runs", "application/json", Some(Kind::Operation));
        check(Method::GET, "/api/v1/runs", "", Some(Kind::Operation));
    }
}
