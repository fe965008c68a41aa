//! The way to the search over everything: a button in the header of admins, and Ctrl K or ⌘ K.
//!
//! This is all of it that every visitor loads. What it opens is the page `/admin/find`, drawn in a dialog; its code loads
//! with the other pages of admins, when the browser is idle or at the first use. Without JavaScript the button is a
//! link to that page.

use leptos::{ev, prelude::*};

use crate::routes::Page;
use ui::{
    context::use_i18n,
    effect::effect,
    palette::{FIND, InPalette},
};

/// Notes a letter that is typed before the field of the search is there.
fn type_early(early: RwSignal<Option<String>>, event: &ev::KeyboardEvent) {
    let key = event.key();
    let is_letter = key.chars().count() == 1;
    if is_letter || key == "Enter" {
        event.prevent_default();
    }
    if is_letter {
        early.update_untracked(|early| early.iter_mut().for_each(|early| early.push_str(&key)));
    }
}

/// The button, with the dialog once its code is here.
#[component]
pub fn PaletteButton() -> impl IntoView {
    let label = use_i18n().common.find;
    let (asked, is_here) = (RwSignal::new(0_u32), RwSignal::new(false));
    let early = RwSignal::new(None::<String>);
    // Setting it again would redraw the dialog, and close it.
    let load = move || {
        if is_here.try_get_untracked() == Some(false) {
            is_here.set(true);
        }
    };
    let open = move || {
        early.set(Some(String::new()));
        asked.update(|asked| *asked += 1);
        load();
    };
    effect(move |_: Option<()>| {
        let keys = window_event_listener(ev::keydown, move |event| {
            let has_modifier = event.ctrl_key() || event.meta_key();
            if has_modifier && !event.shift_key() && !event.alt_key() && event.key() == "k" {
                event.prevent_default();
                open();
            } else if !has_modifier && early.with_untracked(Option::is_some) {
                type_early(early, &event);
            }
        });
        on_cleanup(move || keys.remove());
        // Without an idle callback, the first use loads it.
        let _ = request_idle_callback_with_handle(load);
    });
    let on_click = move |event: ev::MouseEvent| {
        if !event.ctrl_key() && !event.meta_key() && !event.shift_key() {
            event.prevent_default();
            open();
        }
    };
    let content = move || {
        is_here.get().then(|| {
            provide_context(InPalette { asked, early });
            Suspend::new(async move {
                let drawn = Page::FindPage.draw().await.ok();
                if drawn.is_none() {
                    is_here.set(false);
                    if asked.get_untracked() > 0 {
                        let _ = window().location().set_href(FIND);
                    }
                }
                drawn
            })
        })
    };
    view! {
        <a class="button quiet palette-button" href=FIND aria-keyshortcuts="Control+K Meta+K" title=label on:click=on_click>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <circle cx="6.5" cy="6.5" r="4.5" /><path d="M10 10l4.5 4.5" />
            </svg>
            <span class="visually-hidden">{label}</span>
            <kbd aria-hidden="true">"Ctrl K"</kbd>
        </a>
        {content}
    }
}
