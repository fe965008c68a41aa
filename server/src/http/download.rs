//! Sending a spooled download.

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::header,
    response::IntoResponse,
};
use tokio::{io::AsyncReadExt, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;

use crate::services::spool::Download;

/// Chunk size in bytes.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait for a slow client.
const WAITING: usize = 4;
/// How long a client may read nothing. A laptop that changes its network is back sooner.
const STALLED: Duration = Duration::from_secs(60);

/// The download as a response with this media type; with a file name, the browser saves it.
pub fn response(download: Download, media: &str, file: Option<String>) -> impl IntoResponse + use<> {
    let length = [(header::CONTENT_LENGTH, download.bytes.to_string()), (header::CONTENT_TYPE, media.to_owned())];
    let name = file.map(|name| [(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))]);
    (length, name.map(axum::response::AppendHeaders), body(download))
}

/// The download's bytes, at the client's speed. A client that stalls loses the connection.
fn body(download: Download) -> Body {
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(WAITING);
    tokio::spawn(async move {
        let _open = download.permit;
        let mut file = tokio::fs::File::from_std(download.file);
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let chunk = match (&mut file).take(CHUNK as u64).read_to_end(&mut chunk).await {
                Ok(0) => break,
                Ok(_) => Ok(chunk.into()),
                Err(e) => Err(e),
            };
            // An error ends the response early, which the client detects by the length.
            let is_last = chunk.is_err();
            if !matches!(timeout(STALLED, sender.send(chunk)).await, Ok(Ok(()))) || is_last {
                break;
            }
        }
    });
    Body::from_stream(ReceiverStream::new(receiver))
}
