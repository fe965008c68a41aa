//! The client's files: the output of `cargo xtask build` in `target/client`, embedded in a release build,
//! read from disk in a development build.
//!
//! Every name contains its content's hash, so browsers may cache a file forever.

use std::{borrow::Cow, collections::BTreeMap, io::Read};

use app::{routes::Page, shell::Assets};
use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use flate2::read::GzDecoder;
use model::user::Visitor;
use serde::Deserialize;

/// The files that a release embeds, by name.
///
/// The program embeds them and not this library, so that everything below the program can be compiled while the client
/// is. Compressed forms only: clients that accept neither are rare and get the unpacked gzip form.
#[cfg(not(debug_assertions))]
pub type Embedded = fn(&str) -> Option<Cow<'static, [u8]>>;

#[cfg(not(debug_assertions))]
static EMBEDDED: std::sync::OnceLock<Embedded> = std::sync::OnceLock::new();

/// Gives the server the client's files. Called once, at the program's start.
#[cfg(not(debug_assertions))]
pub fn embed(files: Embedded) {
    let _ = EMBEDDED.set(files);
}

/// One of the client's files.
#[cfg(not(debug_assertions))]
fn file(name: &str) -> Option<Cow<'static, [u8]>> {
    EMBEDDED.get()?(name)
}

/// One of the client's files, as they are now; `name` contains no folder. `rust-embed` is not used, because
/// it finds nothing in a folder that was created after the server was compiled.
#[cfg(debug_assertions)]
fn file(name: &str) -> Option<Cow<'static, [u8]>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/client");
    std::fs::read(std::path::Path::new(folder).join(name)).ok().map(Cow::Owned)
}

/// An uncompressed file, for browsers that accept no compression.
fn plain(name: &str) -> Option<Cow<'static, [u8]>> {
    file(name).or_else(|| {
        let mut plain = Vec::new();
        GzDecoder::new(&*file(&format!("{name}.gz"))?).read_to_end(&mut plain).ok()?;
        Some(Cow::Owned(plain))
    })
}

const MANIFEST: &str = "manifest.json";

/// The files that a page needs, by name, as written by xtask/client-builder.
#[derive(Default, Deserialize)]
struct Manifest {
    js: String,
    wasm: String,
    css: String,
    groups: BTreeMap<String, GroupFiles>,
}

#[derive(Deserialize)]
struct GroupFiles {
    code: Vec<String>,
    css: String,
}

/// The addresses that the page at `path` preloads in its head.
pub fn of_page(path: &str, visitor: &Visitor) -> Assets {
    let manifest = manifest();
    let address = |name: &String| format!("/assets/{name}");
    let admin = visitor.is_admin();
    let page = Page::at(path, admin).map(|(page, _)| page);
    let group = page.map(|page| page.group().name());
    let files = group.and_then(|group| manifest.groups.get(group));
    // An admin will open pages that need all styles.
    let css = files.filter(|_| !admin).map_or(&manifest.css, |files| &files.css);
    Assets {
        css: address(css),
        js: address(&manifest.js),
        wasm: address(&manifest.wasm),
        group,
        code: files.map(|files| files.code.iter().map(address).collect()).unwrap_or_default(),
        // They have nothing but a form, and the client is fifteen times their size.
        is_plain: match page {
            Some(Page::LogInPage) => visitor.me.is_none(),
            Some(Page::MailPage | Page::EmailPage) => true,
            _ => false,
        },
    }
}

#[cfg(not(debug_assertions))]
fn manifest() -> &'static Manifest {
    static READ: std::sync::LazyLock<Manifest> = std::sync::LazyLock::new(read);
    &READ
}

/// Read every time, because the client may be rebuilt while the server runs.
#[cfg(debug_assertions)]
fn manifest() -> Manifest {
    read()
}

fn read() -> Manifest {
    let found = file(MANIFEST).and_then(|manifest| serde_json::from_slice(&manifest).ok());
    if found.is_none() {
        tracing::warn!("this server was built without the client; build it with `cargo xtask build`");
    }
    found.unwrap_or_default()
}

/// `GET /assets/{name}`
pub async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(kind) = kind(&name) else { return StatusCode::NOT_FOUND.into_response() };
    let packed = [("br", "br"), ("gzip", "gz")].into_iter().find_map(|(encoding, suffix)| {
        let packed = takes(&headers, encoding).then(|| file(&format!("{name}.{suffix}")))??;
        Some((packed, Some(encoding)))
    });
    let Some((content, encoding)) = packed.or_else(|| Some((plain(&name)?, None))) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let content = content.into_owned();
    #[cfg(debug_assertions)]
    let content = super::dev::with_reload(&name, content);
    let mut response = content.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// The content type of a file that browsers may request; `None` for anything else, including the manifest
/// and names with a folder.
fn kind(name: &str) -> Option<&'static str> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let (stem, extension) = name.rsplit_once('.')?;
    match extension {
        _ if !plain || stem.contains('.') => None,
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        _ => None,
    }
}

/// Whether a request accepts this encoding.
pub fn takes(headers: &HeaderMap, encoding: &str) -> bool {
    let lists = headers.get_all(header::ACCEPT_ENCODING);
    lists.iter().filter_map(|list| list.to_str().ok()).any(|list| accepts(list, encoding))
}

/// Whether an `Accept-Encoding` list accepts this encoding: it is named with a weight other than 0.
fn accepts(list: &str, encoding: &str) -> bool {
    list.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let refused = parts.any(|p| p.strip_prefix("q=").is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0)));
        named && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accepted_encodings_are_sent() {
        let check = |list, encoding, taken| assert_eq!(accepts(list, encoding), taken, "{list}");
        check("gzip, deflate, br, zstd", "br", true);
        check("gzip, deflate", "br", false);
        check("br;q=0, gzip;q=0.5", "br", false);
        check("br;q=0, gzip;q=0.5", "gzip", true);
        check("BR ; q=1.0", "br", true);
        check("", "gzip", false);
    }

    #[test]
    fn serves_only_the_clients_own_files() {
        let check = |name, found| assert_eq!(kind(name), found, "{name}");
        check("app-0123456789abcdef.wasm", Some("application/wasm"));
        check("enter-my_studies-0123456789abcdef.wasm", Some("application/wasm"));
        check("app-0123456789abcdef.css", Some("text/css; charset=utf-8"));
        check("manifest.json", None);
        check("app-0123456789abcdef.wasm.br", None);
        check("../client/app.css", None);
        check("app", None);
    }
}
