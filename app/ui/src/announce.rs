//! Messages that appear without a page load: the page's two live regions.
//!
//! The root draws them once, so that they outlive the page that sent the message.

use leptos::prelude::*;

/// The message target, provided at the root.
#[derive(Clone, Copy)]
struct Regions {
    quiet: RwSignal<String>,
    seen: RwSignal<String>,
}

/// Provides the live regions' signals; the root calls it once.
pub fn provide_announcer() {
    provide_context(Regions { quiet: RwSignal::new(String::new()), seen: RwSignal::new(String::new()) });
}

/// Announces a message to screen readers, politely. Repeated messages are announced again.
pub fn say(text: impl Into<String>) {
    if let Some(regions) = use_context::<Regions>() {
        put(regions.quiet, text.into());
    }
}

/// A function that announces, for callbacks outside of components.
pub fn sayer() -> impl Fn(String) + Copy + 'static {
    let regions = use_context::<Regions>();
    move |text| {
        if let Some(regions) = regions {
            put(regions.quiet, text);
        }
    }
}

/// Shows a toast at the bottom of the page for some seconds.
pub fn toast(text: impl Into<String>) {
    if let Some(regions) = use_context::<Regions>() {
        show(regions, text.into());
    }
}

/// A function that shows a toast, for callbacks outside of components.
pub fn toaster() -> impl Fn(String) + Copy + 'static {
    let regions = use_context::<Regions>();
    move |text| {
        if let Some(regions) = regions {
            show(regions, text);
        }
    }
}

/// The live regions themselves.
#[component]
pub fn LiveRegions() -> impl IntoView {
    let regions = use_context::<Regions>();
    let text = move |pick: fn(Regions) -> RwSignal<String>| regions.map(|r| pick(r).get()).unwrap_or_default();
    view! {
        <div class="visually-hidden" role="status" aria-live="polite">{move || text(|r| r.quiet)}</div>
        <div class="toast" class:shown=move || !text(|r| r.seen).is_empty() role="status" aria-live="polite">
            {move || text(|r| r.seen)}
        </div>
    }
}

/// Screen readers ignore unchanged text, so an invisible mark makes a repeated message different.
fn put(region: RwSignal<String>, mut text: String) {
    if region.with_untracked(|old| *old == text) {
        text.push('\u{200b}');
    }
    region.set(text);
}

fn show(regions: Regions, text: String) {
    put(regions.seen, text);
    let shown = regions.seen.get_untracked();
    // Long enough to read a sentence or two; a newer message has its own time.
    set_timeout(
        move || {
            if regions.seen.with_untracked(|now| *now == shown) {
                regions.seen.set(String::new());
            }
        },
        std::time::Duration::from_secs(5),
    );
}
