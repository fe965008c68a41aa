//! The announcements that the visitor has not read, at the top of every page.
//!
//! This is part of every page's code, so it has a form of its own: [`ActionForm`](ui::form::ActionForm) would
//! make the login heavier.

use std::time::Duration;

use leptos::{ev::SubmitEvent, prelude::*, server_fn::ServerFn, task::spawn_local};

use model::announcement::Announced;
use rpc::announcements::{ReadAnnouncement, unread_announcements};
use ui::{
    call::{Redirects, send},
    context::{use_i18n, use_visitor},
    effect::effect,
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
    effect(move |_| {
        let ask = move || {
            spawn_local(async move {
                // A lost connection is ignored; the next check retries.
                if let Ok(found) = unread_announcements().await {
                    shown.try_set(found);
                }
            });
        };
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
    let notice = move |one: Announced| {
        let lang = one.text.get_own(i.lang).is_empty().then(|| i.lang.pick("zh-Hans", "en"));
        let text = one.text.get(i.lang).to_owned();
        let token = one.token.to_string();
        let body = format!("token={token}");
        let close = move |event: SubmitEvent| {
            event.prevent_default();
            let answer = send(
                ReadAnnouncement::PATH.to_owned(),
                "application/x-www-form-urlencoded",
                Ok(body.clone()),
                Redirects::Stay,
            );
            // What the server did not hear is shown again.
            spawn_local(async move { drop(answer.await) });
            shown.update(|all| all.retain(|other| other.token != one.token));
        };
        view! {
            <div class="notice tone-care announcement" role="status">
                <p lang=lang>{text}</p>
                <form method="post" action=ReadAnnouncement::PATH on:submit=close>
                    <input type="hidden" name="token" value=token/>
                    <button class="button small-button" type="submit">{i.common.close}</button>
                </form>
            </div>
        }
    };
    view! { {move || shown.get().into_iter().map(notice).collect_view()} }.into_any()
}
