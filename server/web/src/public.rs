//! The files of a study's public page, for anyone with its link.

use axum::{
    Extension,
    extract::{Path, Query, State},
    http::{HeaderName, header},
    response::IntoResponse,
};
use model::{error::AppError, user::Visitor};

use super::{download, errors::HttpError, state::AppState};
use report::{figures::RenderOptions, tables::Print};
use services::comparisons::figure_files::Kind;

type Fields = Vec<(String, String)>;

fn last(query: &Fields, key: &str) -> Option<String> {
    query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

/// `GET /public/{secret}/files/{file}`
pub async fn file(
    State(state): State<AppState>,
    Extension(visitor): Extension<Visitor>,
    Path((secret, name)): Path<(String, String)>,
    Query(query): Query<Fields>,
) -> Result<impl IntoResponse, HttpError> {
    let print = Print::read(|key| last(&query, key), visitor.lang)?;
    let (file, media) = state.services.public_links.file(&secret, &name, print).await?;
    // The name is one of a list by now.
    Ok(download::response(file, media, Some(name)))
}

/// `GET /public/{secret}/figures/{file}`: a figure with `width`, `words` and `theme` as on the comparison page.
pub async fn figure(
    State(state): State<AppState>,
    Extension(visitor): Extension<Visitor>,
    Path((secret, name)): Path<(String, String)>,
    Query(query): Query<Fields>,
) -> Result<impl IntoResponse, HttpError> {
    let (id, kind) = Kind::of(&name).ok_or_else(|| AppError::NotFound("picture".into()))?;
    let options = RenderOptions::read(|key| last(&query, key), visitor.lang)?;
    let bytes = state.services.public_links.figure(&secret, (Some(id), kind), options).await?;
    // The figure exists, so its name is one of ours.
    let file = format!("attachment; filename=\"{name}\"");
    Ok(([(header::CONTENT_TYPE, kind.media().to_owned()), (header::CONTENT_DISPOSITION, file)], bytes))
}

/// `GET /public/{secret}/embed.svg`: the first figure, for a page of another site. The file has its style and its font in it, and
/// may load nothing.
pub async fn embed(
    State(state): State<AppState>,
    Extension(visitor): Extension<Visitor>,
    Path(secret): Path<String>,
    Query(query): Query<Fields>,
) -> Result<impl IntoResponse, HttpError> {
    let figure = (None, Kind::Svg);
    let options = RenderOptions::read(|key| last(&query, key), visitor.lang)?;
    let bytes = state.services.public_links.figure(&secret, figure, options).await?;
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, Kind::Svg.media()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
        // A page with many readers asks once in a while; a revoked link ends soon.
        (header::CACHE_CONTROL, "public, max-age=300"),
    ];
    Ok((headers, bytes))
}
