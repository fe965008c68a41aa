//! Email: what a person gets, and the page behind a link in a message. Opening a link changes nothing, because mail servers open
//! links to look for malware; the page's button does.
//!
//! These pages are plain forms that the client does not hydrate, so it contains nothing of them.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::account::choice;
use model::{
    error::AppError,
    mail::{Digest, MailKind, MailLink, MyMail},
    user::Role,
};
use rpc::mail::{mail_link, my_mail};
use texts::I18n;
use ui::{
    context::{use_i18n, use_visitor},
    failure::{Failure, set_status},
    field::TextField,
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// `/account/email`, or after its form `?mail=saved|sent|removed|bad|slow|refused`: where the person gets email, and which.
#[component]
pub fn EmailPage() -> impl IntoView {
    let Some(me) = use_visitor().me else {
        return view! { <Failure error=AppError::Unauthenticated /> }.into_any();
    };
    let is_admin = me.role == Role::Admin;
    let mine = Data::new(|| (), |()| my_mail());
    view! {
        <Load data=mine let:mine>
            {match mine {
                Some(mine) => mail_form(mine, is_admin),
                // The server sends none.
                None => view! { <Failure error=AppError::NotFound("page".into()) /> }.into_any(),
            }}
        </Load>
    }
    .into_any()
}

fn mail_form(mine: MyMail, is_admin: bool) -> AnyView {
    let t = use_i18n().mail();
    let result = use_query_map().get_untracked().get("mail").unwrap_or_default();
    let (done, error) = match result.as_str() {
        "saved" => (Some(t.saved), ""),
        "sent" => (Some(t.link_sent), ""),
        "removed" => (Some(t.removed), ""),
        "bad" => (None, t.bad),
        "slow" => (None, t.slow),
        "refused" => (None, t.refused),
        _ => (None, ""),
    };
    let state = match (mine.address.is_empty(), mine.verified) {
        (true, _) => None,
        (false, true) => Some(view! { <p>{(t.verified_address)(&mine.address)}</p> }.into_any()),
        // The message after the form says so, too.
        (false, false) if result == "sent" => None,
        (false, false) => {
            let text = (t.unverified)(&mine.address);
            Some(view! { <Notice tone=Tone::Care>{text}</Notice> }.into_any())
        }
    };
    let digests = is_admin.then(|| {
        let options = Digest::ALL.map(|digest| (digest.code(), t.digest_name(digest), digest == mine.digest));
        choice("digest", t.digest, options.to_vec())
    });
    view! {
        <Page title=t.title narrow=true>
            <p class="lead">{t.lead}</p>
            {done.map(|done| view! { <Notice tone=Tone::Good>{done}</Notice> })}
            {state}
            <form class="card stack" method="post" action="/account/email">
                <TextField
                    name="address"
                    label=t.address
                    hint=t.address_hint
                    error=error
                    kind="email"
                    value=mine.address
                    autocomplete="email"
                    optional=true
                />
                <fieldset class="choices">
                    <legend>{t.what}</legend>
                    <label class="choice">
                        <input type="checkbox" name="due" value="true" checked=mine.due />
                        <span>{t.due}</span>
                    </label>
                </fieldset>
                {digests}
                <p class="row"><button class="button primary" type="submit">{t.save}</button></p>
            </form>
            <p><a href="/account">{t.account}</a></p>
        </Page>
    }
    .into_any()
}

/// `/mail/{token}`, or after the form `?done=verified`.
#[component]
pub fn MailPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let token = move || params.read().get("token").unwrap_or_default();
    if use_query_map().get_untracked().get("done").as_deref() == Some("verified") {
        return verified(i);
    }
    let link = Data::new(token, |token| async move {
        match mail_link(token).await {
            // A link that has expired gets its own message, not the general 404.
            Err(AppError::NotFound(_)) => Ok(None),
            found => found.map(Some),
        }
    });
    view! {
        <Load data=link let:link>
            {match link {
                Some(MailLink::Verify { name, address }) => verify(i, &token(), &name, &address),
                Some(MailLink::Stop { kind, address, stopped }) => stop(i, &token(), kind, &address, stopped),
                None => gone(i),
            }}
        </Load>
    }
    .into_any()
}

fn verify(i: I18n, token: &str, name: &str, address: &str) -> AnyView {
    let t = i.mail();
    let (lead, action) = ((t.verify_lead)(name, address), format!("/mail/{token}"));
    view! {
        <Page title=t.verify_title narrow=true>
            <p class="lead">{lead}</p>
            <form method="post" action=action>
                <button class="button primary" type="submit">{t.verify_button}</button>
            </form>
        </Page>
    }
    .into_any()
}

fn verified(i: I18n) -> AnyView {
    let t = i.mail();
    view! {
        <Page title=t.verified narrow=true>
            <Notice tone=Tone::Good>{t.verified_lead}</Notice>
            <p><a class="button" href="/account/email">{t.open}</a></p>
        </Page>
    }
    .into_any()
}

fn stop(i: I18n, token: &str, kind: MailKind, address: &str, stopped: bool) -> AnyView {
    let t = i.mail();
    let (title, lead) = match stopped {
        true => (t.stopped, t.stopped_lead(kind, address)),
        false => (t.stop_title, t.stop_lead(kind, address)),
    };
    let is_notice = matches!(kind, MailKind::Due | MailKind::Digest);
    let form = move |token: &str, action: &'static str, class: &'static str, text: &'static str| {
        view! {
            <form method="post" action=format!("/mail/{token}")>
                <button class=class type="submit" name="action" value=action>{text}</button>
            </form>
        }
        .into_any()
    };
    let next = match (stopped, is_notice) {
        (false, _) => form(token, "stop", "button primary", t.stop_button),
        (true, false) => form(token, "allow", "button", t.allow),
        (true, true) => view! { <p><a class="button" href="/account/email">{t.open}</a></p> }.into_any(),
    };
    view! { <Page title narrow=true><p class="lead">{lead}</p>{next}</Page> }.into_any()
}

fn gone(i: I18n) -> AnyView {
    set_status(404);
    let t = i.mail();
    view! {
        <Page title=t.gone narrow=true>
            <p class="lead">{t.gone_hint}</p>
            <p><a class="button primary" href="/account/email">{t.open}</a></p>
        </Page>
    }
    .into_any()
}
