//! Live figures of a visible page.

use leptos::{prelude::*, web_sys};

use model::comparison::{ComparisonView, Selection};
use rpc::comparison::comparison_revision;
use ui::{announce::sayer, context::use_i18n, effect::effect, load::Data};

/// How often a visible page checks for new figures.
const BEAT: std::time::Duration = std::time::Duration::from_secs(4);

/// Checks regularly, while the page is visible, whether newer figures exist, fetches them, and then calls
/// `also`. `asked` derives the selection to check from the one that is shown.
pub fn follow(
    figures: Data<ComparisonView>,
    asked: impl Fn(Selection) -> Selection + Copy + Send + Sync + 'static,
    also: impl Fn() + Copy + Send + Sync + 'static,
) {
    let say = sayer();
    let i = use_i18n();
    // The shown selection, and whether it may change: a timer may not read the resource itself.
    let shown = StoredValue::new(None::<(Selection, String, bool)>);
    effect(move |_| {
        let found = figures.get().and_then(Result::ok);
        shown.set_value(found.map(|c| (c.selection, c.revision, c.live || c.behind)));
    });
    effect(move |_| {
        let ask = move || {
            let hidden = web_sys::window().and_then(|w| w.document()).is_none_or(|d| d.hidden());
            let (Some((selection, revision, true)), false) = (shown.get_value(), hidden) else { return };
            leptos::task::spawn_local(async move {
                // A lost connection is ignored; the next check retries.
                if let Ok(now) = comparison_revision(asked(selection)).await
                    && now != revision
                {
                    figures.refetch();
                    also();
                    say(i.comparison().updated.to_owned());
                }
            });
        };
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
}
