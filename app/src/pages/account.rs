//! One's own account: language and password.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    error::AppError,
    i18n::{use_i18n, use_visitor},
    model::user::Role,
    ui::{
        failure::Failure,
        field::TextField,
        frame::{LanguageSwitch, Page},
        notice::{Notice, Tone},
    },
};

/// `/account`, or after the form `?done=password` or `?error=current|password`.
#[component]
pub fn AccountPage() -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    let query = use_query_map().get_untracked();
    let error = query.get("error").unwrap_or_default();
    let done = query.get("done").is_some();
    let wait = query.get("wait").and_then(|wait| wait.parse().ok()).unwrap_or(60);
    let on_current = match error.as_str() {
        "current" => t.password_wrong.to_owned(),
        "slow" => format!("{} {}", i18n.common.too_many_sentence, (i18n.common.wait)(wait)),
        _ => String::new(),
    };
    let on_new = if error == "password" { t.password_bad } else { "" };
    let Some(me) = use_visitor().me else {
        return view! { <Failure error=AppError::Unauthenticated /> }.into_any();
    };
    let role = match me.role {
        Role::Admin => t.role_admin,
        Role::Rater => t.role_rater,
    };
    view! {
        <Page title=t.account_title narrow=true>
            {done.then(|| view! { <Notice tone=Tone::Good>{t.password_done}</Notice> })}
            <dl class="facts">
                <div><dt>{t.account_name}</dt><dd>{me.name.clone()}</dd></div>
                <div><dt>{t.account_role}</dt><dd>{role}</dd></div>
            </dl>
            <section class="card stack">
                <h2>{t.language_title}</h2>
                <p class="muted">{t.language_lead}</p>
                <LanguageSwitch />
            </section>
            <form class="card stack" method="post" action="/account/password">
                <h2>{t.password_title}</h2>
                <p class="muted">{t.password_lead}</p>
                // Password managers look for the name that the new password belongs to.
                <input type="text" name="username" value=me.name autocomplete="username" hidden readonly />
                <TextField
                    name="current"
                    label=t.password_current
                    error=on_current
                    kind="password"
                    autocomplete="current-password"
                />
                <TextField
                    name="new"
                    label=t.password_new
                    hint=t.password_hint
                    error=on_new
                    kind="password"
                    autocomplete="new-password"
                />
                <p class="row"><button class="button primary" type="submit">{t.password_button}</button></p>
            </form>
        </Page>
    }
    .into_any()
}
