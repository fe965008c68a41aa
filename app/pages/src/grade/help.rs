//! The list of keyboard shortcuts.

use leptos::{ev, html::Dialog, prelude::*, task::spawn_local};

use super::ViewSettings;
use model::keys::{Action, Keys};
use rpc::accounts::set_keys;
use texts::I18n;
use ui::context::use_i18n;

/// The list, closed until `dialog` is opened.
#[component]
pub fn HelpSheet(
    /// The dialog element, for opening it.
    dialog: NodeRef<Dialog>,
    /// Whether several outputs are side by side.
    #[prop(optional)]
    side_by_side: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    let b = i18n.grading();
    let keys = use_context::<ViewSettings>()
        .map(|view_settings| view_settings.keys)
        .unwrap_or_else(|| RwSignal::new(Keys::default()));
    let fixed = [
        ("1–9", t.key_score),
        ("↑ ↓", t.key_move),
        ("← →", t.key_level),
        ("Enter", t.key_submit),
        ("Esc", t.key_leave),
    ];
    let rows = fixed.into_iter().map(|(key, what)| (key.to_owned(), what));
    let chosen =
        Action::ALL.into_iter().filter(|action| side_by_side || !matches!(action, Action::Left | Action::Right));
    let chosen =
        chosen.map(|action| (keys.with_untracked(|keys| keys.key(action)).to_string(), action_text(i18n, action)));
    let rows = rows.chain(chosen);
    let on = move || keys.with(|keys| !keys.off);
    let switch = move |event: ev::Event| {
        keys.update(|keys| keys.off = !event_target_checked(&event));
        let chosen = keys.get_untracked();
        // Stored with the account; if that fails, it applies to this page.
        spawn_local(async move {
            let _ = set_keys(chosen).await;
        });
    };
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
                <input type="checkbox" prop:checked=on on:change=switch />
                <span>{t.keys_on}</span>
            </label>
            <p><a href="/account#keys">{b.keys_change}</a></p>
        </dialog>
    }
}

/// A short description of an action, for the list and for changing shortcuts.
pub fn action_text(i18n: I18n, action: Action) -> &'static str {
    let (t, b) = (i18n.rater(), i18n.grading());
    match action {
        Action::Note => b.key_note,
        Action::Comment => t.key_comment,
        Action::Flag => t.key_flag,
        Action::Skip => t.key_skip,
        Action::Undo => b.key_undo,
        Action::Back => t.key_back,
        Action::Forward => t.key_forward,
        Action::Raw => t.key_raw,
        Action::Left => b.key_left,
        Action::Right => b.key_right,
        Action::Guidelines => b.key_guidelines,
        Action::Help => t.key_help,
        Action::Bookmark => b.key_bookmark,
    }
}
