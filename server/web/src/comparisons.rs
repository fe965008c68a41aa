//! A comparison's files and charts.

use axum::{
    Extension,
    extract::{Path, Query, State},
    http::header,
    response::IntoResponse,
};
use model::{
    caller::Admin,
    comparison::{Selection, TaskFilter},
    error::AppError,
    user::Visitor,
};

use super::{download, errors::HttpError, session::Authorized};
use crate::state::AppState;
use report::{figures::RenderOptions, tables::Print};
use services::comparisons::{export::File, figure_files::Kind};

/// `GET /admin/compare/{slug}/export/{file}?…`; of `tables`, the form for print, `file` in the query is the file's name, and
/// decimals and the language of the words (`words=zh`) are chosen there.
pub async fn export(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, name)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let name = if name == "tables" { last("file").unwrap_or_default() } else { name };
    let file = File::of(&name).ok_or_else(|| AppError::NotFound("file to download".into()))?;
    let all = |key: &str| query.iter().filter(|(known, _)| known == key).map(|(_, value)| value.clone()).collect();
    let service = state.services.comparisons.clone();
    let print = Print::read(last, visitor.lang)?;
    let ready = service.ready(&admin, Selection::read(&slug, all), file, print).await?;
    let download = service.export(ready).await?;
    Ok(download::response(download, file.kind(), Some(format!("{}-{name}", plain(&slug)))))
}

/// `GET /admin/compare/{slug}/figures/{file}?…`: a figure; `width=page` for 183 instead of 89 mm, `words=zh` for
/// Chinese, `theme=dark` for a dark background.
pub async fn figure(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, name)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    let (id, kind) = Kind::of(&name).ok_or_else(|| AppError::NotFound("picture".into()))?;
    let all = |key: &str| query.iter().filter(|(known, _)| known == key).map(|(_, value)| value.clone()).collect();
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let asked = (Selection::read(&slug, all), TaskFilter::read(|key| last(key).unwrap_or_default()));
    let options = RenderOptions::read(last, visitor.lang)?;
    let bytes = state.services.comparisons.figure_file(&admin, asked, (id, kind), options).await?;
    let headers = [
        (header::CONTENT_TYPE, kind.media().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}-{}\"", plain(&slug), file_name(&name))),
    ];
    Ok((headers, bytes))
}

/// A file name that is safe in a header.
fn file_name(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect()
}

/// A short name that is safe in a header.
fn plain(slug: &str) -> String {
    slug.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}
