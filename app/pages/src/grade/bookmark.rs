//! The button that bookmarks an output. Without JavaScript, the rating form has one.

use leptos::prelude::*;

use super::{form::key_names, shortcuts::Shortcuts};
use model::keys::Action;
use ui::context::use_i18n;

/// The button; nothing for an output that cannot be bookmarked.
#[component]
pub fn BookmarkButton(shortcuts: Shortcuts) -> impl IntoView {
    let b = use_i18n().grading();
    shortcuts.session.has_bookmark().then(|| {
        view! {
            <button
                class="button quiet bookmark scripted"
                type="button"
                aria-pressed=move || if shortcuts.bookmarked.get() { "true" } else { "false" }
                on:click=move |_| shortcuts.perform(Action::Bookmark)
            >
                {b.bookmark} " " <kbd>{key_names()(Action::Bookmark)}</kbd>
            </button>
        }
    })
}
