//! A rater's flag on pages.

use leptos::prelude::*;

use super::notice::{Badge, Tone};
use model::{flag::Flag, lang::Lang};
use texts::I18n;

/// The flag's reason.
pub fn flag_badge(i: I18n, flag: &Flag) -> impl IntoView + use<> {
    let reason = i.flags().reason(flag.reason);
    view! { <Badge tone=Tone::Care>{reason}</Badge> }
}

/// What the rater wrote about it, as a paragraph of its own: it can be as long as a comment. Nothing without a text.
pub fn flag_words(flag: &Flag) -> Option<AnyView> {
    let words = flag.text.trim().to_owned();
    let lang = Lang::detect(&words).tag();
    (!words.is_empty()).then(|| view! { <p class="comment" lang=lang>{words}</p> }.into_any())
}
