//! Who comes in: a token becomes a [`Caller`], and the document says which scope the operation needs.

use std::{collections::HashMap, sync::LazyLock};

use app::{model::api::Scope, port::Caller};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{ROOT, document, problem::Problem};
use crate::{services::tokens::Bearer, state::AppState};

/// The scope that each operation needs, as the document says it.
static SCOPES: LazyLock<HashMap<(Method, String), Scope>> = LazyLock::new(|| {
    // Through JSON, because utoipa keeps a requirement's scopes to itself.
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

/// The scope that an operation needs; absent where it is open to all, or is none.
pub fn scope(method: &Method, path: &str) -> Option<Scope> {
    // axum answers HEAD with GET's handler.
    let method = if method == Method::HEAD { &Method::GET } else { method };
    SCOPES.get(&(method.clone(), path.to_owned())).copied()
}

/// Middleware: lets in whoever may, as whom the token stands for.
pub async fn door(State(state): State<AppState>, path: MatchedPath, mut request: Request, next: Next) -> Response {
    let needed = scope(request.method(), path.as_str());
    if needed.is_none() && path.as_str() == format!("{ROOT}/openapi.json") {
        return next.run(request).await;
    }
    let bearer = match bearer(&state, request.headers()).await {
        Ok(bearer) => bearer,
        Err(problem) => return problem.into_response(),
    };
    match needed {
        Some(needed) if !bearer.may(needed) => {
            let detail = format!("This request needs the scope `{needed}`, which the token does not have.");
            return Problem::new(StatusCode::FORBIDDEN, detail).into_response();
        }
        // Another method than the document knows: the router has the word, and it is 405.
        None | Some(_) => {}
    }
    request.extensions_mut().insert(Caller::User(bearer.me.clone()));
    request.extensions_mut().insert(bearer);
    next.run(request).await
}

async fn bearer(state: &AppState, headers: &HeaderMap) -> Result<Bearer, Problem> {
    let refused = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, detail);
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Err(refused(
            "The token is missing. Send `Authorization: Bearer axg_…`; admins create tokens on the page Access tokens.",
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
    known
        .ok_or_else(|| refused("This token is unknown, was revoked or has run out, or its owner is no admin any more."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_but_the_document_names_its_scope() {
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
