//! A comparison's files, streamed as they are read.

use std::{
    io::{self, Write},
    sync::Arc,
};

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
    body::{Body, Bytes},
    extract::{Path, Query, State},
    http::header,
    response::IntoResponse,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::errors::HttpError;
use crate::{
    report::figures::Theme,
    services::comparisons::{
        ComparisonService,
        export::{File, Ready},
        pictures::Kind,
    },
    state::AppState,
};

/// What is sent at once.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait for a slow reader; then reading waits too.
const WAITING: usize = 4;

/// `GET /admin/compare/{slug}/export/{file}?…`
pub async fn export(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, name)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<impl IntoResponse, HttpError> {
    caller.admin()?;
    let file = File::of(&name).ok_or_else(|| AppError::NotFound("file to take away".into()))?;
    let all = |key: &str| query.iter().filter(|(known, _)| known == key).map(|(_, value)| value.clone()).collect();
    let service = state.services.comparisons.clone();
    // Who may not, or asks for what is not there, hears so by the status.
    let ready = service.ready(&caller, Choice::read(&slug, all), file, visitor.lang).await?;
    let headers = [
        (header::CONTENT_TYPE, file.kind().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}-{name}\"", plain(&slug))),
    ];
    Ok((headers, streamed(service, ready)))
}

/// The file's bytes as they are read.
pub fn streamed(service: Arc<ComparisonService>, ready: Ready) -> Body {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let out = Chunks { sender: sender.clone(), buffer: Vec::with_capacity(CHUNK) };
        match service.export(ready, out).await {
            Ok(_) => {}
            // Whoever asked has gone.
            Err(_) if sender.is_closed() => {}
            Err(failure) => {
                // The status is out already: the answer ends in its middle, and the log says why.
                let said = AppError::from(failure).to_string();
                let _ = sender.send(Err(io::Error::other(said))).await;
            }
        }
    });
    Body::from_stream(ReceiverStream::new(receiver))
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

/// Writes into the channel, from a blocking thread.
struct Chunks {
    sender: mpsc::Sender<io::Result<Bytes>>,
    buffer: Vec<u8>,
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK));
        self.sender.blocking_send(Ok(chunk.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
