//! The study's guidelines beside the work: a link that opens them in a drawer, and the drawer.

use leptos::{html::Dialog, prelude::*, task::spawn_local};

use super::{ViewSettings, form::key_names};
use model::{
    error::AppError,
    guidelines::{GuidelinesSheet, GuidelinesState},
    ids::Token,
    keys::Action,
};
use rpc::guidelines::read_guidelines;
use ui::{context::use_i18n, effect::effect, failure::error_text};

/// The link, which says whether there is something new; nothing without guidelines. Without JavaScript, it opens a page.
#[component]
pub fn GuidelinesLink(
    /// The study.
    study: Token,
    /// What the rater knows of them.
    state: GuidelinesState,
    /// Opens the drawer.
    open: RwSignal<bool>,
) -> impl IntoView {
    let b = use_i18n().grading();
    let settings = use_context::<ViewSettings>();
    let href = format!("/guidelines/{study}");
    let is_read = move || settings.is_some_and(|settings| settings.guidelines.get().as_ref() == Some(&study));
    let badge = match state {
        GuidelinesState::None => return ().into_any(),
        GuidelinesState::New => Some(b.guidelines_new),
        GuidelinesState::Changed => Some(b.guidelines_changed),
        GuidelinesState::Read => None,
    };
    let badge =
        move || badge.filter(|_| !is_read()).map(|text| view! { " "<span class="badge tone-care">{text}</span> });
    view! {
        <a class="button quiet" href=href target="_blank" rel="external" on:click=move |event| {
            event.prevent_default();
            open.set(true);
        }>
            {b.guidelines} " " <kbd>{key_names()(Action::Guidelines)}</kbd> {badge}
        </a>
    }
    .into_any()
}

/// The drawer, closed until `open` is set.
#[component]
pub fn GuidelinesDrawer(
    /// The study.
    study: Token,
    /// What the rater knows of them.
    state: GuidelinesState,
    /// Opens it.
    open: RwSignal<bool>,
) -> impl IntoView {
    let i = use_i18n();
    let b = i.grading();
    let settings = use_context::<ViewSettings>();
    let dialog = NodeRef::<Dialog>::new();
    let sheet = RwSignal::new(None::<Result<GuidelinesSheet, AppError>>);
    effect(move |_| {
        if !open.get() || state == GuidelinesState::None {
            return;
        }
        if let Some(dialog) = dialog.get_untracked() {
            let _ = dialog.show_modal();
        }
        let study = study.clone();
        spawn_local(async move {
            let found = read_guidelines(study.clone()).await;
            if let Some(settings) = settings.filter(|_| found.is_ok()) {
                settings.guidelines.set(Some(study));
            }
            sheet.try_set(Some(found));
        });
    });
    let text = move || match sheet.get() {
        None => view! { <p role="status">{i.common.loading}</p> }.into_any(),
        Some(Err(error)) => view! { <p class="problem">{error_text(&error, i)}</p> }.into_any(),
        Some(Ok(sheet)) => view! { <div class="prose" lang=sheet.lang.tag() inner_html=sheet.html></div> }.into_any(),
    };
    view! {
        <dialog class="help drawer" node_ref=dialog aria-labelledby="guidelines-title" on:close=move |_| open.set(false)>
            <form method="dialog" class="help-head">
                <h2 id="guidelines-title">{b.guidelines}</h2>
                <button class="button quiet" type="submit">{i.common.close} " " <kbd>"Esc"</kbd></button>
            </form>
            {text}
        </dialog>
    }
}
