//! CSV for Excel, which takes a file without a byte order mark for one in the computer's own encoding: every CSV
//! file of pages and API begins with the mark if its address has `bom=true`.

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use futures::{StreamExt, stream};
use report::csv::BOM;
use utoipa::openapi::{
    OpenApi, RefOr, Required, Type,
    path::{ParameterBuilder, ParameterIn},
    schema::ObjectBuilder,
};

use super::rest::problem::each_operation;

/// Middleware: puts the mark before a CSV file that is asked for with it.
pub async fn add(request: Request, next: Next) -> Response {
    let is_asked = is_asked(request.uri().query());
    let response = next.run(request).await;
    if !is_asked || response.status() != StatusCode::OK || !is_csv(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let length = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(length) = length {
        parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length + BOM.len() as u64));
    }
    let mark = stream::iter([Ok(Bytes::from_static(BOM))]);
    Response::from_parts(parts, Body::from_stream(mark.chain(body.into_data_stream())))
}

/// Whether an address with this query asks for the mark.
pub fn is_asked(query: Option<&str>) -> bool {
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.any(|(name, value)| name == "bom" && value == "true")
}

fn is_csv(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/csv"))
}

/// Describes the parameter at every operation that returns CSV.
pub fn document(document: &mut OpenApi) {
    each_operation(document, |_, path, operation| {
        // The files of a comparison have one operation, some of them are CSV.
        if !path.ends_with(".csv") && !path.ends_with("/files/{file}") {
            return;
        }
        let parameter = ParameterBuilder::new()
            .name("bom")
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some("`true`: a CSV file begins with a byte order mark, as Excel needs it"))
            .schema(Some(ObjectBuilder::new().schema_type(Type::Boolean).build()))
            .build();
        operation.parameters.get_or_insert_default().push(RefOr::T(parameter));
    });
}

#[cfg(test)]
mod tests {
    use axum::{Router, middleware, routing::get};
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn only_csv_that_is_asked_for_with_a_mark_gets_one() {
        let check = |address: &'static str, kind: &'static str, status: StatusCode, expected: &'static [u8]| async move {
            let answer = move || async move {
                let response = Response::builder().status(status).header("content-type", kind);
                response.header("content-length", 4).body(Body::from("a,b\n")).unwrap()
            };
            let router: Router = Router::new().route_service("/", get(answer)).layer(middleware::from_fn(add));
            let response = router.oneshot(Request::get(address).body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(response.headers()["content-length"], expected.len().to_string(), "{address} {kind}");
            assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), expected, "{address} {kind}");
        };
        let (csv, marked, plain): (_, &[u8], &[u8]) = ("text/csv; charset=utf-8", b"\xEF\xBB\xBFa,b\n", b"a,b\n");
        check("/?bom=true", csv, StatusCode::OK, marked).await;
        check("/?models=1,2&bom=true", csv, StatusCode::OK, marked).await;
        check("/", csv, StatusCode::OK, plain).await;
        check("/?bom=false", csv, StatusCode::OK, plain).await;
        check("/?bom=true", "application/x-ndjson", StatusCode::OK, plain).await;
        check("/?bom=true", "application/vnd.apache.parquet", StatusCode::OK, plain).await;
        check("/?bom=true", csv, StatusCode::NOT_FOUND, plain).await;
    }
}
