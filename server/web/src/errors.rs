//! Errors as HTTP responses, for requests that are neither pages nor server functions: a line of text for
//! programs, a page for browsers.

use app::error_page::{Failed, SentForm};
use axum::{
    Extension,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use model::{caller::Caller, error::AppError, user::Visitor};

use super::{pages, router::FORM_LIMIT};
use crate::state::AppState;
use base::error::Failure;

/// Responds with the error's status and message.
#[derive(Debug)]
pub struct HttpError(pub AppError);

impl From<AppError> for HttpError {
    fn from(e: AppError) -> Self {
        HttpError(e)
    }
}

impl From<Failure> for HttpError {
    fn from(e: Failure) -> Self {
        HttpError(e.into())
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, format!("{}\n", self.0)).into_response();
        if let AppError::TooMany(seconds) | AppError::Busy(seconds) = self.0 {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        // For the page that browsers get instead.
        response.extensions_mut().insert(self.0);
        response
    }
}

/// Middleware: shows errors to browsers as a page, in their language, with the header and a link. After an
/// internal error, a form can be sent again from there.
pub async fn as_pages(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
    next: Next,
) -> Response {
    if !wants_page(request.headers()) {
        return next.run(request).await;
    }
    let action = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let (request, sent) = match is_form(&request) {
        true => match kept(request).await {
            Ok((request, bytes)) => (request, Some(bytes)),
            Err(error) => return pages::failed(&state, caller, visitor, Failed { error, form: None }).await,
        },
        false => (request, None),
    };
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<AppError>() else { return response };
    let form = sent.filter(|_| matches!(error, AppError::Internal(_))).and_then(|bytes| sent_form(action, &bytes));
    let mut page = pages::failed(&state, caller, visitor, Failed { error, form }).await;
    for name in [header::RETRY_AFTER, header::SET_COOKIE] {
        for value in response.headers().get_all(&name) {
            page.headers_mut().append(name.clone(), value.clone());
        }
    }
    page
}

/// A handler's panic as an internal error.
pub fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    // The panic hook has logged the message, which must not leave the server.
    HttpError::from(Failure::internal("a handler panicked")).into_response()
}

fn wants_page(headers: &HeaderMap) -> bool {
    text(headers, header::ACCEPT).contains("text/html")
}

fn is_form(request: &Request) -> bool {
    request.method() == Method::POST
        && text(request.headers(), header::CONTENT_TYPE).starts_with("application/x-www-form-urlencoded")
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Reads a form, which is small, and puts it back into the request.
async fn kept(request: Request) -> Result<(Request, Bytes), AppError> {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, FORM_LIMIT).await.map_err(|_| AppError::Malformed)?;
    Ok((Request::from_parts(parts, Body::from(bytes.clone())), bytes))
}

/// The form, unless it contains a password, which a page must not repeat.
fn sent_form(action: String, bytes: &[u8]) -> Option<SentForm> {
    let fields: Vec<_> = form_urlencoded::parse(bytes).map(|(name, value)| (name.into(), value.into())).collect();
    let secret = |(name, _): &(String, String)| ["password", "current", "new"].contains(&name.as_str());
    (!fields.iter().any(secret)).then_some(SentForm { action, fields })
}

#[cfg(test)]
mod tests {
    use axum::{Router, middleware, routing::post};
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;
    use crate::config::Config;
    use services::Services;

    async fn sent(accept: &str, body: &'static str) -> (StatusCode, String) {
        let folder = tempfile::tempdir().unwrap();
        let state = AppState::new(Services::open(folder.path()).unwrap(), Config::default());
        // Leptos lists its routes before the first page.
        let _ = super::super::router::pages();
        async fn fails(_body: String) -> &'static str {
            panic!("on purpose")
        }
        let router: Router = Router::new()
            .route_service("/grade/{study}", post(fails))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(middleware::from_fn_with_state(state, as_pages))
            .layer(Extension(Caller::Anonymous))
            .layer(Extension(Visitor { lang: model::lang::Lang::Zh, ..Visitor::default() }));
        let request = Request::post("/grade/x")
            .header("accept", accept)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body));
        let response = router.oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn internal_error_page_keeps_the_form() {
        let (status, page) = sent("text/html", "comment=long+%3Cb%3E+text&score-0=3&key=k1").await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(
            page.contains(texts::common::ZH.internal) && page.contains("<header") && page.contains("href=\"/\""),
            "{page}"
        );
        assert!(page.contains(">long &lt;b&gt; text</textarea>") && page.contains("action=\"/grade/x\""), "{page}");
        assert!(page.contains("name=\"score-0\"") && page.contains(">3</textarea>"), "{page}");
        assert!(page.contains("<input type=\"hidden\" name=\"key\" value=\"k1\""), "{page}");
        assert!(!page.contains("type=\"module\""), "{page}");
        let (_, page) = sent("text/html", "name=ada&password=secret-word").await;
        assert!(!page.contains("secret-word"), "{page}");
        // Programs get a line of text.
        let (status, line) = sent("*/*", "comment=x").await;
        assert_eq!((status, line.lines().count()), (StatusCode::INTERNAL_SERVER_ERROR, 1), "{line}");
    }
}
