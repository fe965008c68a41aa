//! Uploads: multipart forms whose files stream to disk.
//!
//! A plain form gets a redirect (or the problems as text), a script that accepts JSON gets `{"location": …}`
//! or `{"error": …}`. Both use the same services.

use axum::{
    Extension, Json,
    extract::{
        Multipart, State,
        multipart::{Field, MultipartRejection},
    },
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use model::{
    caller::{Admin, Caller, Capability},
    dataset::ImportReport,
    error::AppError,
    ids::UploadId,
    rubric::SavedRubric,
};
use port::rubrics::Rubrics;
use serde::Serialize;

use super::{errors::HttpError, guard::query, router::FORM_LIMIT};
use crate::state::AppState;
use db::uploads::Purpose;
use services::{
    imports::Tasks,
    uploads::{HeldFile, Incoming, LARGEST},
};

/// Maximum number of files per import: a dataset with a test for each task can be sent as an archive
/// instead.
const MOST_FILES: usize = 100;

/// Maximum length of a dataset's name in the form, in bytes.
const LONGEST_FIELD: usize = 200;

/// `POST /admin/upload/submission`: `dataset`, `file`. Redirects to the upload's preview.
pub async fn submission(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let taken = take_upload(&state, &caller, form, ["dataset"], false).await.map(|(id, [dataset])| {
        let query = query([("dataset", dataset.as_str())]);
        format!("/admin/uploads/{id}?{query}")
    });
    answer(&headers, taken)
}

/// `POST /admin/upload/ratings`: `dataset`, `kind` (`judge`, or anything else for people's), `file`.
/// Redirects to their preview.
pub async fn ratings(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let taken = take_upload(&state, &caller, form, ["dataset", "kind"], true).await.map(|(id, [dataset, kind])| {
        let query = query([("dataset", dataset.as_str()), ("kind", kind.as_str())]);
        format!("/admin/uploads/{id}/ratings?{query}")
    });
    answer(&headers, taken)
}

/// `POST /admin/upload/dataset`: `files`, one or several, and `translation` if ticked. Redirects to the list of datasets.
pub async fn dataset(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    let imported = import(&state, &caller, form).await.map(|report| {
        // The page loads the figures itself and only needs to know the datasets.
        let slugs = |new: bool| {
            let found = report.datasets.iter().filter(|d| d.new == new).map(|d| d.slug.as_str());
            found.collect::<Vec<_>>().join(",")
        };
        let (imported, same) = (slugs(true), slugs(false));
        let told = [("imported", imported.as_str()), ("same", same.as_str())];
        let told = told.into_iter().filter(|(_, slugs)| !slugs.is_empty());
        format!("/admin/datasets?{}", query(told))
    });
    answer(&headers, imported)
}

/// `POST /admin/upload/rubric`: `file`. Redirects to the rubric.
pub async fn rubric(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Response {
    answer(&headers, import_rubric(&state, &caller, form).await.map(|saved| saved.address()))
}

async fn import_rubric(
    state: &AppState,
    caller: &Caller,
    form: Result<Multipart, MultipartRejection>,
) -> Result<SavedRubric, AppError> {
    let admin = Admin::of(caller)?;
    let mut form = form.map_err(|_| AppError::Malformed)?;
    while let Some(mut field) = form.next_field().await.map_err(|_| AppError::Malformed)? {
        let name = field.file_name().unwrap_or_default().to_owned();
        if field.name() != Some("file") || name.is_empty() {
            continue;
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|_| cut_off(&name))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > FORM_LIMIT {
                let what = ("the file is larger than 1 MiB", "文件超过 1 MiB");
                return Err(AppError::invalid(&name, what, ("Shorten the texts", "请缩短文字")));
            }
        }
        return state.services.rubrics.import(&admin, &name, &bytes).await;
    }
    Err(no_file("file"))
}

/// Stores the form's `file`, with ratings or outputs, and returns the values of these `fields`; the first is the dataset.
async fn take_upload<const N: usize>(
    state: &AppState,
    caller: &Caller,
    form: Result<Multipart, MultipartRejection>,
    fields: [&str; N],
    ratings: bool,
) -> Result<(UploadId, [String; N]), AppError> {
    // Before anything is read, so that only admins can use disk space.
    let admin = Admin::of(caller)?;
    let mut form = form.map_err(|_| AppError::Malformed)?;
    let mut texts = [const { String::new() }; N];
    let mut stored = None;
    while let Some(mut field) = form.next_field().await.map_err(|_| AppError::Malformed)? {
        let place = texts.iter_mut().zip(fields).find(|(_, name)| field.name() == Some(name));
        if let Some((place, _)) = place {
            *place = text(&mut field).await?;
        } else if field.name() == Some("file")
            && stored.is_none()
            && let Some(incoming) = receive(state, &mut field, LARGEST).await?
        {
            stored = Some(incoming.finish().await?);
        }
    }
    let Some(stored) = stored else { return Err(no_file("file")) };
    let dataset = texts.first().map(String::as_str);
    let purpose = Purpose { ratings, ..Purpose::outputs(dataset) };
    Ok((state.services.submissions.note_upload(&admin, stored, purpose).await?, texts))
}

async fn import(
    state: &AppState,
    caller: &Caller,
    form: Result<Multipart, MultipartRejection>,
) -> Result<ImportReport, AppError> {
    let admin = Admin::of(caller)?;
    let mut form = form.map_err(|_| AppError::Malformed)?;
    let mut held: Vec<HeldFile> = Vec::new();
    let (mut bytes, mut tasks) = (0, Tasks::Own);
    while let Some(mut field) = form.next_field().await.map_err(|_| AppError::Malformed)? {
        if field.name() == Some("translation") {
            tasks = Tasks::WithTranslation;
        }
        if field.name() != Some("files") {
            continue;
        }
        if held.len() == MOST_FILES {
            return Err(AppError::invalid(
                "files",
                (format!("more than {MOST_FILES} files"), format!("文件超过 {MOST_FILES} 个")),
                ("Upload them as one archive", "请打包成一个压缩包上传"),
            ));
        }
        if let Some(incoming) = receive(state, &mut field, LARGEST.saturating_sub(bytes)).await? {
            bytes += incoming.bytes();
            held.push(incoming.hold().await?);
        }
    }
    if held.is_empty() {
        return Err(no_file("files"));
    }
    state.services.imports.sent(&admin, held, tasks).await
}

/// A file of at most `most` bytes, streamed to disk; `None` if the form's field was empty.
async fn receive(state: &AppState, field: &mut Field<'_>, most: u64) -> Result<Option<Incoming>, AppError> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let mut incoming = None;
    while let Some(bytes) = field.chunk().await.map_err(|_| cut_off(&name))? {
        let file = match &mut incoming {
            Some(file) => file,
            None => incoming.insert(state.services.uploads.begin(&name).await?),
        };
        file.write(&bytes).await?;
        if file.bytes() > most {
            let mib = LARGEST / 1024 / 1024;
            let what = (format!("the files are larger than {mib} MiB in total"), format!("文件合计超过 {mib} MiB"));
            return Err(AppError::invalid(&name, what, ("Send them as one archive", "请打包成一个压缩包上传")));
        }
    }
    match incoming {
        // An empty file counts as a file; reading it reports the problem.
        None if !name.is_empty() => Ok(Some(state.services.uploads.begin(&name).await?)),
        incoming => Ok(incoming),
    }
}

async fn text(field: &mut Field<'_>) -> Result<String, AppError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|_| AppError::Malformed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_FIELD {
            return Err(AppError::Malformed);
        }
    }
    String::from_utf8(bytes).map_err(|_| AppError::Malformed)
}

fn no_file(field: &str) -> AppError {
    AppError::invalid(field, ("no file selected", "未选择文件"), ("Choose a file", "请选择文件"))
}

fn cut_off(name: &str) -> AppError {
    AppError::invalid(name, ("the upload was interrupted", "上传中断"), ("Upload the file again", "请重新上传文件"))
}

fn answer(headers: &HeaderMap, result: Result<String, AppError>) -> Response {
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Answer {
        Location(String),
        Error(AppError),
    }
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match (accepted.contains("application/json"), result) {
        (true, Ok(location)) => Json(Answer::Location(location)).into_response(),
        (true, Err(error)) => {
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, Json(Answer::Error(error))).into_response()
        }
        (false, Ok(location)) => Redirect::to(&location).into_response(),
        (false, Err(AppError::Unauthenticated)) => Redirect::to("/log-in").into_response(),
        (false, Err(error)) => HttpError(error).into_response(),
    }
}
