//! Checks and headers of every request: who may open a page, where a change may come from, and strict
//! browser headers.

use axum::{
    Extension,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use model::{caller::Caller, user::Role};

use super::errors::HttpError;
use crate::{config::Config, state::AppState};

/// The page where somebody chooses a new password before anything else.
pub const NEW_PASSWORD: &str = "/new-password";
/// Maximum length of the address that the login returns to, in bytes: our filters are far shorter.
const LONGEST_NEXT: usize = 1024;

/// Middleware: pages for people with an account send others to the login, which brings them back.
/// It is a courtesy; what a caller may do is decided by the signatures of the services.
pub async fn pages(Extension(caller): Extension<Caller>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let page = request.method() == Method::GET && !open_to_all(path);
    match &caller {
        Caller::Anonymous if page => {
            let asked = request.uri().path_and_query().map_or("/", |p| p.as_str());
            Redirect::to(&before("/log-in", asked)).into_response()
        }
        Caller::NewPassword(_) if page && path != NEW_PASSWORD => {
            let asked = request.uri().path_and_query().map_or("/", |p| p.as_str());
            Redirect::to(&before(NEW_PASSWORD, asked)).into_response()
        }
        // Nobody else has to choose one.
        Caller::User(_) if page && path == NEW_PASSWORD => Redirect::to("/").into_response(),
        Caller::User(me) if page && me.role != Role::Admin && is_admins(path) => {
            HttpError(model::error::AppError::Forbidden).into_response()
        }
        _ => next.run(request).await,
    }
}

/// The page that comes before the one that was asked for, and returns to it.
fn before(page: &str, asked: &str) -> String {
    match asked {
        "/" => page.to_owned(),
        asked if asked.len() > LONGEST_NEXT => page.to_owned(),
        asked => format!("{page}?{}", query([("next", asked)])),
    }
}

fn open_to_all(path: &str) -> bool {
    path == "/log-in"
        || ["/join/", "/log-in/", "/mail/", "/public/", "/reset/", "/rpc/"].iter().any(|open| path.starts_with(open))
}

fn is_admins(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}

/// Fields as the query of an address or the body of a form.
pub fn query<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// Middleware: requests that may change something must come from our own pages. Programs that send neither
/// header (such as curl) carry no browser cookies either.
pub async fn same_origin(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if safe || from_ourselves(request.headers(), &state.config) {
        next.run(request).await
    } else {
        HttpError(model::error::AppError::Forbidden).into_response()
    }
}

fn from_ourselves(headers: &HeaderMap, config: &Config) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return site == "same-origin" || site == "none";
    }
    match text(header::ORIGIN) {
        None => true,
        Some(origin) => {
            let scheme = if config.secure() { "https" } else { "http" };
            let own = text(header::HOST).map(|host| format!("{scheme}://{host}"));
            own.as_deref() == Some(origin)
                || Some(origin) == config.public_url.as_deref().map(|u| u.trim_end_matches('/'))
        }
    }
}

/// Middleware: headers of every response. Pages have their own policy, with a nonce.
pub async fn headers(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let public = request.uri().path().starts_with("/public/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if public {
        // Anyone with the link may read it; search engines may not index it.
        headers.insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    }
    if state.config.secure() {
        // A year, for this host only: other hosts of the domain are not ours to decide about.
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::CONTENT_SECURITY_POLICY, "default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::REFERRER_POLICY, "same-origin");
    default(header::X_FRAME_OPTIONS, "DENY");
    // Pages contain other people's work: no shared or disk cache may store them.
    default(header::CACHE_CONTROL, "no-store");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_site_changes_are_refused() {
        let check = |public_url: Option<&str>, pairs: &[(&str, &str)], ours| {
            let headers = pairs
                .iter()
                .map(|(n, v)| (HeaderName::try_from(*n).unwrap(), HeaderValue::from_str(v).unwrap()))
                .collect();
            let config = Config { public_url: public_url.map(str::to_owned), ..Config::default() };
            assert_eq!(from_ourselves(&headers, &config), ours, "{public_url:?} {pairs:?}");
        };
        let public = Some("https://grade.example.org/");
        check(None, &[], true);
        check(None, &[("sec-fetch-site", "same-origin")], true);
        check(None, &[("sec-fetch-site", "cross-site"), ("origin", "http://a.example"), ("host", "a.example")], false);
        check(None, &[("sec-fetch-site", "same-site")], false);
        check(None, &[("origin", "http://a.example:3000"), ("host", "a.example:3000")], true);
        check(None, &[("origin", "https://a.example:3000"), ("host", "a.example:3000")], false);
        check(None, &[("origin", "http://b.example"), ("host", "a.example")], false);
        check(None, &[("origin", "null"), ("host", "a.example")], false);
        check(public, &[("origin", "https://grade.example.org"), ("host", "127.0.0.1:3000")], true);
        check(public, &[("origin", "https://grade.example.org"), ("host", "grade.example.org")], true);
        check(public, &[("origin", "http://grade.example.org"), ("host", "grade.example.org")], false);
    }
}
