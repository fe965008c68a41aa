//! Small pieces that tell a state: notice, empty place, badge, bar.

use leptos::prelude::*;

/// How a message is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// It worked.
    Good,
    /// Worth a look.
    Care,
    /// It did not work.
    Bad,
}

impl Tone {
    /// The class that colours it.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Plain => "tone-plain",
            Tone::Good => "tone-good",
            Tone::Care => "tone-care",
            Tone::Bad => "tone-bad",
        }
    }
}

/// A framed message. Bad ones are announced at once.
#[component]
pub fn Notice(
    /// How it is meant.
    #[prop(optional)]
    tone: Tone,
    /// What it says.
    children: Children,
) -> impl IntoView {
    let role = if tone == Tone::Bad { "alert" } else { "status" };
    view! { <div class=format!("notice {}", tone.class()) role=role>{children()}</div> }
}

/// What is said where scripts are switched off.
///
/// As HTML in one piece: a browser that runs scripts reads what stands in `noscript` as text, and
/// hydration would look for elements in it.
#[component]
pub fn WithoutScripts(
    /// What it says: a text of the catalogue, without markup.
    text: &'static str,
) -> impl IntoView {
    view! { <noscript inner_html=format!("<p class=\"notice tone-care\">{text}</p>")></noscript> }
}

/// A list that has nothing in it: says so, and in its children what to do about it.
#[component]
pub fn Empty(
    /// What is missing.
    #[prop(into)]
    title: String,
    /// What to do.
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

/// A word in a tone.
#[component]
pub fn Badge(
    /// How it is meant.
    #[prop(optional)]
    tone: Tone,
    /// The word.
    children: Children,
) -> impl IntoView {
    view! { <span class=format!("badge {}", tone.class())>{children()}</span> }
}

/// So many of so many, as a bar. Draw the figures beside it: a bar alone is a guess.
#[component]
pub fn Progress(
    /// How many are done.
    value: u64,
    /// How many there are; 0 draws an empty bar.
    max: u64,
    /// What is counted, for screen readers.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    view! { <progress class="progress" value=value.to_string() max=max.max(1).to_string() aria-label=label></progress> }
}
