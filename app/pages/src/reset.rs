//! Choosing a new password by a link from an admin.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use rpc::accounts::reset_name;
use ui::{
    context::use_i18n,
    failure::set_status,
    field::TextField,
    frame::Page,
    load::{Data, Load},
};

/// `/reset/{secret}`, or after a failure `?error=password`.
#[component]
pub fn ResetPage() -> impl IntoView {
    let params = use_params_map();
    let secret = move || params.read().get("secret").unwrap_or_default();
    let name = Data::new(secret, |secret| async move {
        match reset_name(secret).await {
            // An expired link gets its own message, not the general 404.
            Err(model::error::AppError::NotFound(_)) => Ok(None),
            found => found.map(Some),
        }
    });
    view! {
        <Load data=name let:name>
            {match name {
                Some(name) => view! { <ResetForm name secret=secret() /> }.into_any(),
                None => view! { <Gone /> }.into_any(),
            }}
        </Load>
    }
}

#[component]
fn ResetForm(name: String, secret: String) -> impl IntoView {
    let t = use_i18n().account();
    let error = use_query_map().get_untracked().get("error").unwrap_or_default();
    let on_password = if error == "password" { t.password_bad } else { "" };
    view! {
        <Page title=t.reset_title narrow=true>
            <p class="lead">{(t.reset_lead)(&name)}</p>
            <form class="card stack" method="post" action=format!("/reset/{secret}")>
                // For password managers.
                <input type="hidden" name="username" autocomplete="username" value=name />
                <TextField
                    name="password"
                    label=t.password
                    hint=t.password_hint
                    error=on_password
                    kind="password"
                    autocomplete="new-password"
                />
                <p class="row"><button class="button primary" type="submit">{t.reset_button}</button></p>
            </form>
        </Page>
    }
}

#[component]
fn Gone() -> impl IntoView {
    set_status(404);
    let i18n = use_i18n();
    view! {
        <Page title=i18n.account().reset_gone narrow=true>
            <p class="lead">{i18n.account().reset_gone_hint}</p>
            <p><a class="button primary" href="/log-in">{i18n.common.log_in}</a></p>
        </Page>
    }
}
