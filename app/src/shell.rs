//! The HTML document around every page. Server side only: the client hydrates its body.
//!
//! Must stay true: no inline script and no inline style, because the Content-Security-Policy allows neither;
//! every script has the response's nonce.

use leptos::{nonce::use_nonce, prelude::*};
use leptos_meta::MetaTags;

use crate::routes::App;
use ui::context::use_visitor;

/// The addresses of a page's files, each with a hash in its name so that it can be cached forever. Built by
/// xtask, read by the server, used by [`shell`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets {
    /// The style sheet, such as `/assets/app-1a2b3c4d.css`.
    pub css: String,
    /// The client's script, which loads the rest and calls `hydrate`.
    pub js: String,
    /// The code of every page.
    pub wasm: String,
    /// The page's group, by name; absent without a page.
    pub group: Option<&'static str>,
    /// The code of the group.
    pub code: Vec<String>,
    /// Whether the page works without the client: it is only fetched, for the next page.
    pub is_plain: bool,
}

/// The document, in the visitor's language. The script loads the wasm itself; the links only start it
/// earlier.
pub fn shell(assets: Assets) -> impl IntoView {
    let rel = if assets.is_plain { "prefetch" } else { "preload" };
    let code = assets.code.into_iter().filter(|_| !assets.is_plain);
    let preload = std::iter::once(assets.wasm)
        .chain(code)
        .map(|href| view! { <link rel=rel href=href r#as="fetch" r#type="application/wasm" crossorigin="anonymous" /> })
        .collect_view();
    let script = match assets.is_plain {
        true => view! { <link rel=rel href=assets.js r#as="script" crossorigin="anonymous" /> }.into_any(),
        false => view! { <script type="module" src=assets.js nonce=use_nonce()></script> }.into_any(),
    };
    let visitor = use_visitor();
    let display = visitor.me.map(|me| me.settings.display).unwrap_or_default();
    view! {
        <!DOCTYPE html>
        <html
            lang=visitor.lang.tag()
            data-group=assets.group
            data-plain=assets.is_plain.then_some("")
            data-theme=display.theme.code()
            data-text=display.text.code()
            data-density=display.density.code()
            data-wrap=display.wrap.code()
        >
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <link rel="stylesheet" href=assets.css />
                <link rel="icon" type="image/svg+xml" href=ICON />
                {preload}
                {script}
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Three levels of a scale, the middle one selected. A data address, which the policy allows for images.
pub(crate) const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E\
%3Crect width='32' height='32' rx='6' fill='%230d5c63'/%3E\
%3Cpath d='M7 23h5M7 16h10M7 9h18' stroke='%23fff' stroke-width='3.4' stroke-linecap='round'/%3E\
%3Ccircle cx='23.5' cy='16' r='3' fill='%23ffc15e'/%3E%3C/svg%3E";
