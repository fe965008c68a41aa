//! A comparison's files and pictures.

use app::{
    error::AppError,
    model::{
        compare::{Choice, TaskFilter},
        user::Visitor,
    },
    port::Caller,
};
use axum::{
    Extension,
    extract::{Path, Query, State},
    http::header,
    response::IntoResponse,
};

use super::{download, errors::HttpError};
use crate::{
    report::figures::Theme,
    services::comparisons::{export::File, pictures::Kind},
    state::AppState,
};

/// `GET /admin/compare/{slug}/export/{file}?…`
pub async fn export(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, name)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    caller.admin()?;
    let file = File::of(&name).ok_or_else(|| AppError::NotFound("file to download".into()))?;
    let all = |key: &str| query.iter().filter(|(known, _)| known == key).map(|(_, value)| value.clone()).collect();
    let service = state.services.comparisons.clone();
    let ready = service.ready(&caller, Choice::read(&slug, all), file, visitor.lang).await?;
    let download = service.export(ready).await?;
    Ok(download::response(download, file.kind(), Some(format!("{}-{name}", plain(&slug)))))
}

/// `GET /admin/compare/{slug}/figures/{file}?…`: a picture; `theme=dark` for a dark ground.
pub async fn figure(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, name)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    caller.admin()?;
    let (id, kind) = Kind::of(&name).ok_or_else(|| AppError::NotFound("picture".into()))?;
    let all = |key: &str| query.iter().filter(|(known, _)| known == key).map(|(_, value)| value.clone()).collect();
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let theme = last("theme").and_then(|name| Theme::named(&name)).unwrap_or_default();
    let asked = (Choice::read(&slug, all), TaskFilter::read(|key| last(key).unwrap_or_default()));
    let bytes = state.services.comparisons.picture(&caller, asked, (id, kind), (theme, visitor.lang)).await?;
    let headers = [
        (header::CONTENT_TYPE, kind.media().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}-{}\"", plain(&slug), file_name(&name))),
    ];
    Ok((headers, bytes))
}

/// A file's name as it may stand in a header.
fn file_name(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect()
}

/// A short name as it may stand in a header.
fn plain(slug: &str) -> String {
    slug.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}
