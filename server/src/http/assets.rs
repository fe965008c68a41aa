//! The client's files, made by xtask under `target/client` and embedded in a release build.
//!
//! Every name holds a hash of the content, so browsers keep the file for ever; beside each lie its
//! brotli and gzip forms. A development build reads them from the disk.

use std::{borrow::Cow, collections::BTreeMap};

use app::{error::AppError, shell::Assets};
use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use rust_embed::RustEmbed;

use super::errors::HttpError;

#[derive(RustEmbed)]
#[folder = "../target/client"]
#[allow_missing = true]
struct Client;

/// The addresses of the client's files, for the shell.
pub fn named() -> Assets {
    let manifest: BTreeMap<String, String> =
        Client::get("manifest.json").and_then(|file| serde_json::from_slice(&file.data).ok()).unwrap_or_default();
    let address = |logical: &str| format!("/assets/{}", manifest.get(logical).map_or(logical, String::as_str));
    Assets { css: address("style.css"), boot: address("boot.js"), js: address("app.js"), wasm: address("app.wasm") }
}

/// `GET /assets/{name}`
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(kind) = content_type(&name) else { return missing() };
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let takes = |coding: &str| accepted.split(',').any(|entry| entry.split(';').next().map(str::trim) == Some(coding));
    for (coding, ending) in [("br", ".br"), ("gzip", ".gz")] {
        if takes(coding)
            && let Some(file) = Client::get(&format!("{name}{ending}"))
        {
            return answer(kind, file.data, Some(coding));
        }
    }
    Client::get(&name).map_or_else(missing, |file| answer(kind, file.data, None))
}

fn answer(kind: &'static str, data: Cow<'static, [u8]>, coding: Option<&'static str>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::VARY, "accept-encoding"),
    ];
    let mut response = (headers, data).into_response();
    if let Some(coding) = coding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

fn missing() -> Response {
    HttpError(AppError::NotFound("file".into())).into_response()
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        // The manifest and the compressed forms are not to be had by name.
        _ => None,
    }
}
