//! `/admin/api/tokens`: the visitor's access tokens for the REST API.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::hooks::use_query_map;

use crate::parts::FormError;
use crate::places::{Place, tabs};
use model::{
    api::{CreatedToken, Scope, TokenRow},
    error::AppError,
};
use rpc::api::{RevokeToken, create_token, tokens};
use texts::I18n;
use ui::{
    context::use_i18n,
    copy::CopyRow,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Tone, WithoutScripts},
    pager::{page_of, pager},
};

type CreateAction = Action<(String, Vec<Scope>, u32), Result<CreatedToken, AppError>>;

/// Creates and lists tokens.
#[component]
pub fn TokensPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.api();
    let revoke = FormAction::<RevokeToken>::new();
    let make: CreateAction = Action::new(|asked: &(String, Vec<Scope>, u32)| {
        let (label, scopes, days) = asked.clone();
        async move { create_token(label, scopes, days).await }
    });
    let query = use_query_map();
    let asked = move || (make.version().get(), revoke.version().get(), page_of(query, ""));
    let rows = Data::new(asked, |(_, _, page)| tokens(page));
    let created = move || {
        let secret = make.value().get()?.ok()?.secret;
        Some(view! {
            <Notice tone=Tone::Good>
                <div class="stack">
                    <p>{t.token_once}</p>
                    <CopyRow id="new-token" label=t.the_token text=secret/>
                </div>
            </Notice>
        })
    };
    view! {
        <Page title=t.tokens>
            {tabs(i, Place::Settings, "/admin/api/tokens")}
            <p class="lead">{t.tokens_lead}</p>
            {created}
            <section class="card stack" aria-labelledby="new-token-head">
                <h2 id="new-token-head">{t.new_token}</h2>
                <TokenForm make/>
                <FormError of=move || make.value().get().and_then(Result::err)/>
            </section>
            <FormError of=move || revoke.value().get().and_then(Result::err)/>
            <Load data=rows let:page>{pager(i, query, "", &page)}{list(i, page.rows, revoke)}</Load>
        </Page>
    }
}

/// The form. Its result is shown once, so only the client sends it.
#[component]
fn TokenForm(
    /// The action that creates a token.
    make: CreateAction,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.api();
    let send = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let Some(fields) = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok()) else { return };
        let text = |name: &str| fields.get(name).as_string().unwrap_or_default();
        let scopes = Scope::ALL.into_iter().filter(|scope| fields.has(scope.name())).collect();
        make.dispatch((text("label"), scopes, text("days").trim().parse().unwrap_or(0)));
    };
    let scopes = Scope::ALL
        .into_iter()
        .map(|scope| {
            view! {
                <label class="choice">
                    <input type="checkbox" name=scope.name() checked=scope == Scope::Read/>
                    <span>{scope_text(i, scope)}" "<code class="muted">{scope.name()}</code></span>
                </label>
            }
        })
        .collect_view();
    view! {
        <WithoutScripts text=t.needs_script />
        <form class="stack" on:submit=send>
            <div class="field">
                <label class="label" for="token-label">{t.label}</label>
                <p class="hint" id="token-label-hint">{t.label_hint}</p>
                <input class="input" id="token-label" name="label" required maxlength="100" autocomplete="off" aria-describedby="token-label-hint"/>
            </div>
            <fieldset class="choices"><legend class="label">{t.scopes}</legend>{scopes}</fieldset>
            <div class="field short-field">
                <label class="label" for="token-days">{t.days}</label>
                <input class="input" id="token-days" name="days" type="number" inputmode="numeric" min="1" max="365" value="90" required/>
            </div>
            <p class="row">
                <button class="button primary" type="submit" disabled=move || make.pending().get()>{t.make_token}</button>
            </p>
        </form>
    }
}

fn scope_text(i: I18n, scope: Scope) -> &'static str {
    let t = i.api();
    match scope {
        Scope::Read => t.scope_read,
        Scope::WriteData => t.scope_data,
        Scope::WriteRuns => t.scope_runs,
        Scope::WriteStudies => t.scope_studies,
        Scope::Admin => t.scope_admin,
    }
}

fn list(i: I18n, tokens: Vec<TokenRow>, revoke: FormAction<RevokeToken>) -> AnyView {
    let (t, a) = (i.api(), i.admin());
    if tokens.is_empty() {
        return view! { <Empty title=t.no_tokens><p>{t.no_tokens_hint}</p></Empty> }.into_any();
    }
    let rows = tokens.into_iter().map(|token| {
        let (tone, state) = match (token.live, token.revoked_at) {
            (true, _) => (Tone::Good, t.works),
            (false, Some(_)) => (Tone::Plain, t.revoked),
            (false, None) => (Tone::Care, t.ran_out),
        };
        let which = (t.revoke_which)(&token.label);
        let revoking = token.live.then(|| {
            view! {
                <ActionForm action=revoke>
                    <input type="hidden" name="id" value=token.id.to_string()/>
                    <button class="button small-button" type="submit" aria-label=which>{a.revoke}</button>
                </ActionForm>
            }
        });
        let scopes: Vec<_> = token.scopes.iter().map(|scope| scope.name()).collect();
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.label>{token.label.clone()}</th>
                <td role="cell" data-label=t.begins_with><code>{format!("{}…", token.prefix)}</code></td>
                <td role="cell" data-label=t.scopes>{scopes.join(", ")}</td>
                <td role="cell" data-label=t.last_used class="when">
                    {token.last_used_at.map_or_else(|| t.never.to_owned(), |at| i.time(at))}
                </td>
                <td role="cell" data-label=t.ends class="when">{i.time(token.expires_at)}</td>
                <td role="cell" data-label=a.state><Badge tone>{state}</Badge></td>
                <td role="cell" data-label="">{revoking}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.tokens}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.label}</th>
                    <th role="columnheader" scope="col">{t.begins_with}</th>
                    <th role="columnheader" scope="col">{t.scopes}</th>
                    <th role="columnheader" scope="col">{t.last_used}</th>
                    <th role="columnheader" scope="col">{t.ends}</th>
                    <th role="columnheader" scope="col">{a.state}</th>
                    <th role="columnheader" scope="col"><span class="visually-hidden">{a.actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}
