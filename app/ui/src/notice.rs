//! Small components for states: notice, empty list, badge, progress bar.

use leptos::prelude::*;

/// Tone of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Neutral.
    #[default]
    Plain,
    /// Success.
    Good,
    /// Warning.
    Care,
    /// Error.
    Bad,
}

impl Tone {
    /// The class that colors it.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Plain => "tone-plain",
            Tone::Good => "tone-good",
            Tone::Care => "tone-care",
            Tone::Bad => "tone-bad",
        }
    }
}

/// A framed message. Errors are announced to screen readers at once.
#[component]
pub fn Notice(
    #[prop(optional)] tone: Tone,
    /// The text.
    children: Children,
) -> impl IntoView {
    let role = if tone == Tone::Bad { "alert" } else { "status" };
    view! { <div class=format!("notice {}", tone.class()) role=role>{children()}</div> }
}

/// Text shown when scripts are disabled.
///
/// Rendered as one HTML string: a browser with scripts parses the content of `noscript` as text, and
/// hydration would look for elements.
#[component]
pub fn WithoutScripts(
    /// A text of the catalog, without markup.
    text: &'static str,
) -> impl IntoView {
    view! { <noscript inner_html=format!("<p class=\"notice tone-care\">{text}</p>")></noscript> }
}

/// An empty list: names what is missing; its children say what to do.
#[component]
pub fn Empty(
    /// The missing thing.
    #[prop(into)]
    title: String,
    /// The remedy.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p class="empty-title">{title}</p>
            {children.map(|children| children())}
        </div>
    }
}

/// A colored label.
#[component]
pub fn Badge(
    #[prop(optional)] tone: Tone,
    /// The word.
    children: Children,
) -> impl IntoView {
    view! { <span class=format!("badge {}", tone.class())>{children()}</span> }
}

/// A progress bar. Show the numbers next to it, because a bar alone is imprecise.
#[component]
pub fn Progress(
    /// Number done.
    value: u64,
    /// Total; 0 draws an empty bar.
    max: u64,
    /// Label for screen readers.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! { <progress class="progress" value=value.to_string() max=max.max(1).to_string() aria-label=label></progress> }
}
