//! Errors as problem details (RFC 9457), including errors that occur before a handler is reached.

use std::any::Any;

use axum::{
    body::{Body, to_bytes},
    extract::{
        Request,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use model::{error::AppError, problem::Problem as Fault};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Content, OpenApi, Ref, RefOr, Required, ResponseBuilder, path::Operation},
};

use base::error::Failure;

/// The media type of RFC 9457.
pub const KIND: &str = "application/problem+json";

/// An error. `type` is `about:blank`: the status gives the kind of problem.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`.
    pub r#type: &'static str,
    /// The status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The problem and, if known, how to fix it.
    pub detail: String,
    /// Each problem of the input: where, what, and how to fix it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Fault>,
    /// The ID of an internal error in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
    /// Seconds to wait; becomes a header.
    #[serde(skip)]
    wait: Option<u32>,
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            problems: Vec::new(),
            incident: None,
            wait: None,
        }
    }

    /// The same, with the seconds after which to retry.
    pub fn after(mut self, seconds: u32) -> Problem {
        self.wait = Some(seconds);
        self
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Problem {
        let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut problem = Problem::new(status, error.to_string());
        match error {
            AppError::Unauthenticated => problem.detail = "This request needs a valid token.".into(),
            AppError::Invalid(problems) => problem.problems = problems,
            AppError::TooMany(seconds) | AppError::Busy(seconds) => problem.wait = u32::try_from(seconds).ok(),
            AppError::Internal(incident) => problem.incident = Some(incident),
            _ => {}
        }
        problem
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        AppError::from(failure).into()
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Problem {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Problem {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Strings and numbers cannot fail to serialize; if they did, the status would be enough.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, KIND)], body).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.wait {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Unknown address.
pub async fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "Not found. /api/v1/openapi.json lists all operations.")
}

/// Unknown method at a known address.
pub async fn method_not_allowed() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed. The header `Allow` lists the allowed methods.")
}

/// A handler panicked.
pub fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    // The panic hook has logged the message, which must not leave the server.
    Problem::from(Failure::internal("an API handler panicked")).into_response()
}

/// Middleware, outermost: converts errors from elsewhere (axum, other layers) to problem details.
pub async fn in_one_form(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let ours = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == KIND);
    if ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    // Such errors are a line of text.
    let text = to_bytes(body, 4096).await.ok().and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    let text = text.filter(|_| status.is_client_error()).unwrap_or_default();
    let mut answer = Problem::new(status, text.trim()).into_response();
    for (name, value) in &parts.headers {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer.map(Body::new)
}

/// Adds the error response to every operation of the document.
pub fn document(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Problem".into(), Problem::schema());
    let mut further = Vec::new();
    Problem::schemas(&mut further);
    components.schemas.extend(further);
    let error = |text: &str| {
        let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name("Problem"))));
        RefOr::T(ResponseBuilder::new().description(text).content(KIND, content).build())
    };
    each_operation(document, |_, _, operation| {
        let responses = &mut operation.responses.responses;
        responses.insert("default".into(), error("The problem"));
        if operation.security.is_some() {
            responses.insert("401".into(), error("Missing or invalid token"));
            responses.insert("403".into(), error("The token's scopes do not allow this"));
        }
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            body.required = Some(Required::True);
        }
    });
}

/// Calls a function for every operation of a document, with its method and path.
pub fn each_operation(document: &mut OpenApi, mut change: impl FnMut(&str, &str, &mut Operation)) {
    for (path, item) in &mut document.paths.paths {
        let each = [
            ("GET", &mut item.get),
            ("PUT", &mut item.put),
            ("POST", &mut item.post),
            ("PATCH", &mut item.patch),
            ("DELETE", &mut item.delete),
        ];
        for (method, operation) in each {
            if let Some(operation) = operation {
                change(method, path, operation);
            }
        }
    }
}
