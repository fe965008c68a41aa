//! Logging in. A plain form: the server sets the session and redirects to the requested page.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use model::address::query_of;
use ui::{
    context::{use_i18n, use_visitor},
    field::TextField,
    frame::Page,
    notice::{Notice, Tone},
};

/// `/log-in?next=…`, or after a failure `?error=wrong|slow|disabled&wait=SECONDS&name=…` or `?error=sso&why=…`.
#[component]
pub fn LogInPage() -> impl IntoView {
    let i18n = use_i18n();
    let (common, t) = (i18n.common, i18n.account());
    let query = use_query_map().get_untracked();
    let of = move |key| query.get(key).unwrap_or_default();
    let wait = of("wait").parse().unwrap_or(60);
    let error = match of("error").as_str() {
        "" => None,
        "slow" => Some(format!("{} {}", common.too_many_sentence, (common.wait)(wait))),
        "sso" => Some(t.sso_error(&of("why")).to_string()),
        "disabled" => Some(t.log_in_disabled.to_string()),
        _ => Some(t.log_in_wrong.to_string()),
    };
    let (name, next) = (of("name"), of("next"));
    let named = !name.is_empty();
    let sso = use_visitor().sso.map(|provider| {
        let href = format!("/log-in/sso?{}", query_of(&[("next", &next)]));
        view! { <p class="row"><a class="button" href=href rel="external">{(t.sso_log_in)(&provider)}</a></p> }
    });
    view! {
        <Page title=t.log_in_title narrow=true>
            <p class="lead">{t.log_in_lead}</p>
            {error.map(|error| view! { <Notice tone=Tone::Bad>{error}</Notice> })}
            <form class="card stack" method="post" action="/log-in">
                <input type="hidden" name="next" value=next />
                <TextField name="name" label=t.name value=name autocomplete="username" autofocus=!named />
                <TextField name="password" label=t.password kind="password" autocomplete="current-password" autofocus=named />
                <p class="row"><button class="button primary" type="submit">{common.log_in}</button></p>
            </form>
            {sso}
            <p class="muted">{t.no_account}</p>
        </Page>
    }
}
