//! Sending a spooled download.

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::header,
    response::IntoResponse,
};
use tokio::{io::AsyncReadExt, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;

use services::{spool::Download, submissions::files::NamedDownload};

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

/// A file of which a person chose the name and the content, as a response that browsers save and never show.
pub fn saved(named: NamedDownload, media: &str) -> impl IntoResponse + use<> {
    let disposition = [(header::CONTENT_DISPOSITION, attachment(&named.name))];
    (axum::response::AppendHeaders(disposition), response(named.download, media, None))
}

/// The value of `Content-Disposition` for any file name (RFC 6266): in ASCII for old clients, and encoded.
fn attachment(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let ascii: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let ascii = ascii.trim_start_matches('.');
    let ascii = if ascii.is_empty() { "file" } else { ascii };
    let mut encoded = String::new();
    for byte in name.bytes() {
        match char::from(byte) {
            c if plain(c) => encoded.push(c),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
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

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn file_names_are_harmless_in_headers() {
        let check = |name, header: &str| assert_eq!(attachment(name), format!("attachment; {header}"));
        check("out.jsonl.gz", "filename=\"out.jsonl.gz\"; filename*=UTF-8''out.jsonl.gz");
        check("a\"; x=\"b\r\nY: 1", "filename=\"a___x__b__Y__1\"; filename*=UTF-8''a%22%3B%20x%3D%22b%0D%0AY%3A%201");
        check("输出.jsonl", "filename=\"__.jsonl\"; filename*=UTF-8''%E8%BE%93%E5%87%BA.jsonl");
        check("..", "filename=\"file\"; filename*=UTF-8''..");
    }
}
