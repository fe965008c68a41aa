//! Choosing a password in place of one that someone else has set, before anything else.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use ui::{context::use_i18n, field::TextField, frame::Page};

/// `/new-password?next=…`, or after a failure `?error=password|same`.
#[component]
pub fn NewPasswordPage() -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.account();
    let query = use_query_map().get_untracked();
    let next = query.get("next").unwrap_or_default();
    let on_new = match query.get("error").as_deref() {
        Some("password") => t.password_bad,
        Some("same") => t.password_same,
        _ => "",
    };
    view! {
        <Page title=t.reset_title narrow=true>
            <p class="lead">{t.new_password_lead}</p>
            <form class="card stack" method="post" action="/new-password">
                <input type="hidden" name="next" value=next />
                <TextField
                    name="new"
                    label=t.password_new
                    hint=t.password_hint
                    error=on_new
                    kind="password"
                    autocomplete="new-password"
                    autofocus=true
                />
                <p class="row"><button class="button primary" type="submit">{t.new_password_button}</button></p>
            </form>
            <form method="post" action="/log-out">
                <button class="button" type="submit">{i18n.common.log_out}</button>
            </form>
        </Page>
    }
}
