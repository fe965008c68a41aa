//! The announcements that the visitor has not read, at the top of every page.

use std::time::Duration;

use leptos::prelude::*;

use crate::{
    i18n::{use_i18n, use_visitor},
    model::announcement::Announced,
    rpc::announcements::{ReadAnnouncement, unread_announcements},
    ui::{
        effect::effect,
        form::{ActionForm, FormAction},
    },
};

/// How often an open page asks for new announcements.
const BEAT: Duration = Duration::from_mins(2);

/// The announcements, each with a button that closes it for good.
#[component]
pub fn Announcements() -> impl IntoView {
    let visitor = use_visitor();
    visitor.me.is_some().then(|| unread(visitor.announcements))
}

fn unread(at_first: Vec<Announced>) -> AnyView {
    let i = use_i18n();
    let shown = RwSignal::new(at_first);
    let read = FormAction::<ReadAnnouncement>::new();
    let ask = move || {
        leptos::task::spawn_local(async move {
            // A lost connection is ignored; the next check retries.
            if let Ok(found) = unread_announcements().await {
                shown.try_set(found);
            }
        });
    };
    effect(move |_| {
        if read.version().get() > 0 {
            ask();
        }
    });
    effect(move |_| {
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
    let notice = move |one: Announced| {
        let other = one.text.get_own(i.lang).is_empty();
        let lang = other.then(|| i.lang.pick("zh-Hans", "en"));
        let text = one.text.get(i.lang).to_owned();
        view! {
            <div class="notice tone-care announcement" role="status">
                <p lang=lang>{text}</p>
                <ActionForm action=read>
                    <input type="hidden" name="token" value=one.token.to_string()/>
                    <button class="button small-button" type="submit">{i.common.close}</button>
                </ActionForm>
            </div>
        }
    };
    view! { <For each=move || shown.get() key=|one| one.token.clone() children=notice/> }.into_any()
}
