//! The editor for line notes: below the line, by click or by key.
//!
//! The text goes into the draft while it is typed, so it is saved like everything else. An empty note is
//! deleted.

use std::sync::Arc;

use leptos::{ev, html::Textarea, prelude::*};

use super::{browser, shortcuts::Shortcuts};
use model::{
    lang::Lang,
    note::{self, LineNote, NOTE_MAX, Position},
};
use ui::{
    context::use_i18n,
    effect::effect,
    margin::{DisplayedLine, Margin, Opener},
};

/// The code's margin on the grading page. `both` says that the code is in the page both formatted and
/// original.
pub fn margin(shortcuts: Shortcuts, both: bool) -> Margin {
    let i18n = use_i18n();
    let notes = Memo::new(move |_| shortcuts.session.draft.with(|draft| draft.notes.clone()));
    let open = Callback::new(move |spot: DisplayedLine| {
        // A line with a note opens that note; any other line opens a new one at its beginning.
        let there = notes.with_untracked(|notes| notes.iter().find(|note| spot.holds(note.at)).map(|note| note.at));
        shortcuts.noting.set(Some(there.unwrap_or(spot.start)));
    });
    let under = Arc::new(move |spot: DisplayedLine| {
        // Both forms of the code are in the document; the editor is in the visible one.
        let written =
            move || shortcuts.noting.get().filter(|at| spot.holds(*at) && (!both || shortcuts.raw.get() == spot.raw));
        let written = Memo::new(move |_| written());
        let here = move || {
            let shown = |note: &&LineNote| spot.holds(note.at) && written.get() != Some(note.at);
            notes.with(|notes| notes.iter().filter(shown).cloned().collect::<Vec<_>>())
        };
        let list = move || here().into_iter().map(|note| view! { <Written shortcuts note spot /> }).collect_view();
        let editor = move || written.get().map(|at| view! { <Editor shortcuts at number=spot.number /> });
        view! { {list} {editor} }.into_any()
    });
    Margin { under, open: Some(Opener { run: open, label: i18n.grading().line_label }) }
}

/// A finished note.
#[component]
fn Written(shortcuts: Shortcuts, note: LineNote, spot: DisplayedLine) -> impl IntoView {
    let b = use_i18n().grading();
    let LineNote { at, text } = note;
    let lang = Lang::detect(&text).tag();
    let remove = move |_| {
        shortcuts.session.change(|draft| note::put(&mut draft.notes, at, ""));
        to_line(shortcuts, spot.number);
    };
    view! {
        <span class="note">
            <span class="note-text" lang=lang>{text}</span>
            <button
                class="button quiet"
                type="button"
                aria-label=(b.note_edit_label)(spot.number)
                on:click=move |_| shortcuts.noting.set(Some(at))
            >
                {b.note_edit}
            </button>
            <button class="button quiet" type="button" aria-label=(b.note_remove_label)(spot.number) on:click=remove>
                {b.note_remove}
            </button>
        </span>
    }
}

/// A note being written. Enter or leaving it keeps it, Escape restores the previous text.
#[component]
fn Editor(shortcuts: Shortcuts, at: Position, number: usize) -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let field = NodeRef::<Textarea>::new();
    let before = shortcuts.session.draft.with_untracked(|draft| {
        draft.notes.iter().find(|note| note.at == at).map(|note| note.text.clone()).unwrap_or_default()
    });
    let value = before.clone();
    let before = StoredValue::new(before);
    effect(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
        }
    });
    let close = move || {
        shortcuts.noting.set(None);
    };
    let keep = move || {
        close();
        to_line(shortcuts, number);
    };
    let undo = move || {
        shortcuts.session.change(|draft| note::put(&mut draft.notes, at, &before.get_value()));
        close();
        to_line(shortcuts, number);
    };
    // Focus moved elsewhere: the text stays, and the editor closes.
    let left = move |event: ev::FocusEvent| {
        use leptos::wasm_bindgen::JsCast;
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Element>().ok());
        let inside = to.is_some_and(|to| to.closest(".note-editor").ok().flatten().is_some());
        if !inside && shortcuts.noting.get_untracked() == Some(at) {
            close();
        }
    };
    view! {
        <span class="note note-editor" on:focusout=left>
            <label class="label" for=shortcuts.session.id("line-note")>{(b.note_label)(number)}</label>
            <textarea
                class="input"
                id=shortcuts.session.id("line-note")
                node_ref=field
                rows="1"
                maxlength=NOTE_MAX.to_string()
                prop:value=value
                on:input=move |event| {
                    let text = event_target_value(&event);
                    shortcuts.session.write(|draft| note::put(&mut draft.notes, at, &text));
                }
                on:keydown=move |event| {
                    match event.key().as_str() {
                        "Enter" if !event.is_composing() => {
                            event.prevent_default();
                            keep();
                        }
                        "Escape" => {
                            event.prevent_default();
                            undo();
                        }
                        _ => {}
                    }
                }
            ></textarea>
            <button class="button" type="button" on:click=move |_| keep()>{b.note_done}</button>
            <span class="hint">{b.note_hint}</span>
        </span>
    }
}

/// Returns the focus to a line.
fn to_line(shortcuts: Shortcuts, number: usize) {
    // The line's button is above the element that has just disappeared.
    request_animation_frame(move || {
        let line = number.saturating_sub(1);
        browser::focus_shown(&format!("{} .line-mark[data-line='{line}']", shortcuts.scope()));
    });
}
