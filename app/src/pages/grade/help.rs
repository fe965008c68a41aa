//! The sheet of keys.

use leptos::{html::Dialog, prelude::*};

use super::Habits;
use crate::i18n::use_i18n;

/// The sheet, closed until `dialog` is opened.
#[component]
pub fn HelpSheet(
    /// The dialog element, for opening it.
    dialog: NodeRef<Dialog>,
) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    let keys = use_context::<Habits>().map(|habits| habits.keys).unwrap_or_else(|| RwSignal::new(true));
    let rows = [
        ("1 … 9", t.key_score),
        ("↑ ↓", t.key_move),
        ("← →", t.key_level),
        ("Enter", t.key_submit),
        ("c", t.key_comment),
        ("f", t.key_flag),
        ("Esc", t.key_leave),
        ("s", t.key_skip),
        ("b", t.key_back),
        ("n", t.key_forward),
        ("r", t.key_raw),
        ("?", t.key_help),
    ];
    let rows = rows
        .into_iter()
        .map(|(key, what)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> })
        .collect_view();
    view! {
        <dialog class="help" node_ref=dialog aria-labelledby="help-title">
            <form method="dialog" class="help-head">
                <h2 id="help-title">{t.help_title}</h2>
                <button class="button quiet" type="submit">{i18n.common.close} <kbd>"Esc"</kbd></button>
            </form>
            <dl class="help-keys">{rows}</dl>
            <p class="muted small">{t.help_note}</p>
            <label class="choice">
                <input type="checkbox" prop:checked=keys on:change=move |event| keys.set(event_target_checked(&event)) />
                <span>{t.keys_on}</span>
            </label>
        </dialog>
    }
}
