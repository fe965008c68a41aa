//! Creating an account by an invitation link.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use model::{
    address::query_of,
    lang::Lang,
    plan::Reads,
    time_zone::TimeZone,
    user::{OpenInvitation, Role},
};
use rpc::accounts::open_invitation;
use ui::{
    context::{use_i18n, use_visitor},
    effect::effect,
    failure::set_status,
    field::TextField,
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// `/join/{secret}`, or after a failure `?error=taken|name|password|gone&name=…`.
#[component]
pub fn JoinPage() -> impl IntoView {
    let params = use_params_map();
    let secret = move || params.read().get("secret").unwrap_or_default();
    let invitation = Data::new(secret, |secret| async move {
        match open_invitation(secret).await {
            // An expired link gets its own message, not the general 404.
            Err(model::error::AppError::NotFound(_)) => Ok(None),
            found => found.map(Some),
        }
    });
    view! {
        <Load data=invitation let:invitation>
            {match invitation {
                Some(invitation) => view! { <JoinForm invitation secret=secret() /> }.into_any(),
                None => view! { <Gone /> }.into_any(),
            }}
        </Load>
    }
}

#[component]
fn JoinForm(invitation: OpenInvitation, secret: String) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.account();
    let query = use_query_map().get_untracked();
    let error = query.get("error").unwrap_or_default();
    let on_name = match error.as_str() {
        "taken" => t.name_taken,
        "name" => t.name_bad,
        _ => "",
    };
    let on_password = if error == "password" { t.password_bad } else { "" };
    let lead = match invitation.role {
        Role::Admin => t.join_lead_admin,
        Role::Rater => t.join_lead_rater,
    };
    let name = query.get("name").unwrap_or_default();
    let study = invitation.study.map(|study| view! { <p class="lead">{(t.join_study)(&study)}</p> });
    let zone = RwSignal::new(String::new());
    effect(move |_: Option<()>| zone.set(TimeZone::of_device().unwrap_or_default()));
    let sso = use_visitor().sso.map(|provider| {
        let href = format!("/log-in/sso?{}", query_of(&[("join", &secret)]));
        view! { <p class="row"><a class="button" href=href rel="external">{(t.sso_join)(&provider)}</a></p> }
    });
    view! {
        <Page title=t.join_title narrow=true>
            <p class="lead">{lead}</p>
            {study}
            {(error == "gone").then(|| view! { <Notice tone=Tone::Bad>{t.join_gone}</Notice> })}
            <form class="card stack" method="post" action=format!("/join/{secret}")>
                <TextField name="name" label=t.name hint=t.name_hint error=on_name value=name autocomplete="username" />
                <TextField
                    name="password"
                    label=t.password
                    hint=t.password_hint
                    error=on_password
                    kind="password"
                    autocomplete="new-password"
                />
                <div class="field">
                    <label class="label" for="reads">{t.reads}</label>
                    <select class="input" id="reads" name="reads" aria-describedby="reads-hint">
                        <option value=Reads::BOTH.code()>{i18n.plan().reads_both}</option>
                        {Lang::ALL.map(|lang| view! { <option value=lang.code()>{lang.name()}</option> }).into_iter().collect_view()}
                    </select>
                    <p class="hint" id="reads-hint">{t.reads_hint}</p>
                </div>
                // The device's time zone; the server has none, so that without JavaScript times are in UTC.
                <input type="hidden" name="zone" prop:value=move || zone.get()/>
                <p class="row"><button class="button primary" type="submit">{t.join_button}</button></p>
            </form>
            {sso}
            <p class="muted">{(t.join_until)(&i18n.time(invitation.expires_at))}</p>
        </Page>
    }
}

#[component]
fn Gone() -> impl IntoView {
    set_status(404);
    let i18n = use_i18n();
    view! {
        <Page title=i18n.account().join_gone narrow=true>
            <p class="lead">{i18n.account().join_gone_hint}</p>
            <p><a class="button primary" href="/log-in">{i18n.common.log_in}</a></p>
        </Page>
    }
}
