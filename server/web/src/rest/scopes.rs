//! Scopes: turns a token into a [`Caller`] and reads the scope of each operation from the OpenAPI document.
//! Operations outside the document are denied.

use std::{collections::HashMap, sync::LazyLock};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use model::{api::Scope, audit::Via, caller::Caller};

use super::{
    ROOT, document,
    problem::{self, Problem},
};
use crate::{account::Address, state::AppState};
use db::audit::{self, Origin};
use services::tokens::Bearer;

/// The scope of each operation, from the document.
static SCOPES: LazyLock<HashMap<(Method, String), Scope>> = LazyLock::new(|| {
    // Through JSON, because utoipa does not expose a requirement's scopes.
    let document = serde_json::to_value(document()).unwrap_or_default();
    let mut scopes = HashMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let named = operation["security"][0]["token"][0].as_str().and_then(|name| name.parse().ok());
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).ok();
            if let (Some(method), Some(scope)) = (method, named) {
                scopes.insert((method, path.clone()), scope);
            }
        }
    }
    scopes
});

/// The scope that an operation needs; `None` if it is public or not in the document.
pub fn scope(method: &Method, path: &str) -> Option<Scope> {
    // axum answers HEAD with the GET handler.
    let method = if method == Method::HEAD { &Method::GET } else { method };
    SCOPES.get(&(method.clone(), path.to_owned())).copied()
}

/// Middleware: runs the operation as the token's owner, if the token has the scope that the operation needs.
pub async fn authorize(
    State(state): State<AppState>,
    Address(address): Address,
    path: MatchedPath,
    mut request: Request,
    next: Next,
) -> Response {
    let needed = scope(request.method(), path.as_str());
    if needed.is_none() && path.as_str() == format!("{ROOT}/openapi.json") {
        return next.run(request).await;
    }
    let bearer = match bearer(&state, request.headers()).await {
        Ok(bearer) => bearer,
        Err(problem) => return problem.into_response(),
    };
    let Some(needed) = needed else { return not_in_the_document(path.as_str()).await };
    if !bearer.may(needed) {
        let detail = format!("This request needs the scope `{needed}`, which the token does not have.");
        return Problem::new(StatusCode::FORBIDDEN, detail).into_response();
    }
    request.extensions_mut().insert(Caller::User(bearer.me.clone()));
    let origin = Origin { via: Via::Token, token: Some(bearer.id.0), address };
    request.extensions_mut().insert(bearer);
    audit::from(origin, next.run(request)).await
}

/// An operation without a scope is never run, so a handler that lacks its `security` attribute cannot be
/// called.
async fn not_in_the_document(path: &str) -> Response {
    let mut allowed: Vec<&str> = SCOPES.keys().filter(|(_, known)| known == path).map(|(m, _)| m.as_str()).collect();
    if allowed.contains(&"GET") {
        allowed.push("HEAD");
    }
    allowed.sort_unstable();
    let mut response = problem::method_not_allowed().await.into_response();
    if let Ok(value) = HeaderValue::from_str(&allowed.join(",")) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

async fn bearer(state: &AppState, headers: &HeaderMap) -> Result<Bearer, Problem> {
    let refused = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, detail);
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Err(refused(
            "The token is missing. Send `Authorization: Bearer axg_…`. Admins create tokens on the Access tokens page.",
        ));
    };
    let secret = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .and_then(|(scheme, secret)| scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim()));
    let Some(secret) = secret else {
        return Err(refused("The header `Authorization` must be `Bearer` followed by the token."));
    };
    let known = state.services.tokens.bearer(secret).await?;
    known.ok_or_else(|| refused("This token is unknown, revoked or expired, or its owner is no longer an admin."))
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, middleware, routing::post};
    use model::{
        api::{NewToken, Scope},
        caller::System,
        user::Role,
    };
    use tower::ServiceExt;

    use super::*;
    use crate::config::Config;
    use services::Services;

    #[tokio::test]
    async fn operation_without_scope_is_denied() {
        let folder = tempfile::tempdir().unwrap();
        let services = Services::open(folder.path()).unwrap();
        services
            .accounts
            .add(System, "admin", Role::Admin, "long-enough-password", services::accounts::Validity::Lasting)
            .await
            .unwrap();
        let new = NewToken { label: "all".into(), scopes: Scope::ALL.to_vec(), days: 1 };
        let token = services.tokens.create_for(System, "admin", new).await.unwrap().secret;
        let state = AppState::new(services, Config::default());
        let router: Router = Router::new()
            .route_service("/api/v1/forgotten", post(|| async { "it ran" }))
            .route_service("/api/v1/me", post(|| async { "it ran" }))
            .route_layer(middleware::from_fn_with_state(state, authorize));
        for path in ["/api/v1/forgotten", "/api/v1/me"] {
            let request = Request::post(path).header("authorization", format!("Bearer {token}"));
            let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        }
    }

    #[test]
    fn every_operation_except_the_document_has_a_scope() {
        let document = serde_json::to_value(document()).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                let method: Method = method.to_uppercase().parse().unwrap();
                let open = path == "/api/v1/openapi.json";
                assert_eq!(
                    scope(&method, path).is_none(),
                    open,
                    "{method} {path}: add `security((\"token\" = [\"…\"]))`"
                );
                if method != Method::GET && !open {
                    assert_ne!(scope(&method, path), Some(Scope::Read), "{method} {path} changes something");
                }
            }
        }
    }
}
