//! Shows ratings that the server does not have yet, and asks before they would be lost.

use leptos::{ev, html::Dialog, prelude::*};
use leptos_router::hooks::use_location;

use super::{
    browser,
    submit_queue::{Connection, Entry, use_submit_queue},
};
use model::address::query_value;
use ui::{announce::sayer, context::use_i18n, effect::effect};

/// Number, age and state of the waiting submissions, and the available actions. Empty if all is well: a
/// submission that is being sent for a moment is not worth a message.
#[component]
pub fn UnsentBar() -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let submit_queue = use_submit_queue();
    let here = use_location();
    let stuck = Memo::new(move |_| submit_queue.waiting() > 0 && submit_queue.connection.get() != Connection::Open);
    let since = move || {
        let oldest = submit_queue.entries.with(|entries| entries.iter().find(|e| e.refused.is_none()).map(|e| e.since));
        oldest.map(browser::hours).unwrap_or_default()
    };
    let why = move || match submit_queue.connection.get() {
        Connection::Open => String::new(),
        Connection::Unreachable => b.queue_unreachable.into(),
        Connection::Busy => b.queue_busy.into(),
        Connection::LoggedOut => b.queue_logged_out.into(),
        Connection::SomebodyElse(name) => (b.queue_somebody_else)(&name),
    };
    let log_in = move || format!("/log-in?next={}", query_value(&here.pathname.get()));
    let logged_out = move || submit_queue.connection.get() == Connection::LoggedOut;
    let say = sayer();
    effect(move |before: Option<bool>| {
        let stuck = stuck.get();
        if stuck && before != Some(true) {
            say(format!("{} {}", (b.queue_waits)(submit_queue.waiting() as u64, &since()), why()));
        } else if !stuck && before == Some(true) && submit_queue.waiting() == 0 {
            say(b.queue_delivered.into());
        }
        stuck
    });
    let refused = move || {
        submit_queue.entries.with(|entries| entries.iter().filter(|e| e.refused.is_some()).cloned().collect::<Vec<_>>())
    };
    view! {
        {move || {
            stuck
                .get()
                .then(|| {
                    view! {
                        <section class="unsent notice tone-care" aria-label=b.queue_title>
                            <p>
                                <b>{move || (b.queue_waits)(submit_queue.waiting() as u64, &since())}</b>
                                " "
                                {why}
                            </p>
                            <p class="row">
                                <button class="button" type="button" on:click=move |_| submit_queue.hurry()>
                                    {i18n.common.try_again}
                                </button>
                                {move || {
                                    logged_out()
                                        .then(|| {
                                            view! { <a class="button primary" href=log_in rel="external">{b.log_in_again}</a> }
                                        })
                                }}
                            </p>
                        </section>
                    }
                })
        }}
        {move || {
            refused()
                .into_iter()
                .map(|Entry { key, study, assignment, refused, .. }| {
                    view! {
                        <section class="unsent notice tone-bad" aria-label=b.queue_title>
                            <p><b>{b.queue_refused}</b> " " {refused}</p>
                            <p class="row">
                                <a class="button" href=format!("/grade/{study}/{assignment}")>{b.queue_open}</a>
                                <button class="button" type="button" on:click=move |_| submit_queue.discard(&key)>
                                    {b.queue_discard}
                                </button>
                            </p>
                        </section>
                    }
                })
                .collect_view()
        }}
    }
}

/// Logging out asks first if submissions wait, and otherwise deletes the rater's data from this browser.
/// Drawn once, at the root.
#[component]
pub fn LogOutGuard() -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let submit_queue = use_submit_queue();
    let dialog = NodeRef::<Dialog>::new();
    let waiting = move || submit_queue.entries.with(|entries| entries.len() as u64);
    let sure = StoredValue::new(false);
    effect(move |began: Option<()>| {
        if began.is_some() {
            return;
        }
        let Some(rater) = submit_queue.rater() else { return };
        let guard = window_event_listener(ev::submit, move |event| {
            use leptos::wasm_bindgen::JsCast;
            let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
            if form.is_none_or(|form| form.get_attribute("action").as_deref() != Some("/log-out")) || sure.get_value() {
                return;
            }
            if waiting_now(submit_queue) == 0 {
                browser::clear(&rater);
            } else if let Some(dialog) = dialog.get_untracked() {
                event.prevent_default();
                submit_queue.hurry();
                let _ = dialog.show_modal();
            }
        });
        // As long as the page exists.
        std::mem::forget(guard);
    });
    let leave = move |forget: bool| {
        if let (true, Some(rater)) = (forget, submit_queue.rater()) {
            browser::clear(&rater);
            submit_queue.entries.set(Vec::new());
        }
        sure.set_value(true);
        if let Ok(Some(form)) = document().query_selector("form[action='/log-out']") {
            use leptos::wasm_bindgen::JsCast;
            if let Ok(form) = form.dyn_into::<web_sys::HtmlFormElement>() {
                let _ = form.request_submit();
            }
        }
    };
    view! {
        <dialog class="help" node_ref=dialog aria-labelledby="leave-title">
            <h2 id="leave-title">{b.leave_title}</h2>
            <p>{move || (b.leave_lead)(waiting())}</p>
            <form method="dialog" class="row">
                <button class="button primary" type="submit">{b.leave_stay}</button>
                <button class="button" type="button" on:click=move |_| leave(false)>{b.leave_keep}</button>
                <button class="button danger" type="button" on:click=move |_| leave(true)>{b.leave_discard}</button>
            </form>
        </dialog>
    }
}

fn waiting_now(submit_queue: super::submit_queue::SubmitQueue) -> usize {
    submit_queue.entries.with_untracked(Vec::len)
}
