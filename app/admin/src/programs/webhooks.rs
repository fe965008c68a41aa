//! `/admin/api/webhooks`: webhooks and their deliveries. `?of=` shows the log of one.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::hooks::use_query_map;

use crate::parts::{FormError, param};
use crate::places::{Place, tabs};
use model::{
    api::{CreatedWebhook, DeliveryRow, DeliveryState, WebhookEvent, WebhookRow},
    error::AppError,
    ids::WebhookId,
};
use rpc::api::{RemoveWebhook, TestWebhook, create_webhook, deliveries, webhooks};
use texts::{I18n, faults::request_fault};
use ui::{
    context::use_i18n,
    copy::CopyRow,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Tone, WithoutScripts},
    pager::{page_of, pager},
};

type CreateAction = Action<(String, Vec<WebhookEvent>), Result<CreatedWebhook, AppError>>;

/// Creates, tests and deletes webhooks, and shows their deliveries.
#[component]
pub fn WebhooksPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.api();
    let remove = FormAction::<RemoveWebhook>::new();
    let test = FormAction::<TestWebhook>::new();
    let make: CreateAction = Action::new(|asked: &(String, Vec<WebhookEvent>)| {
        let (url, events) = asked.clone();
        async move { create_webhook(url, events).await }
    });
    let query = use_query_map();
    let of = Memo::new(move |_| param(query, "of").map(WebhookId));
    let changes = move || (make.version().get(), remove.version().get(), test.version().get());
    let data = Data::new(
        move || (changes(), of.get(), page_of(query, "")),
        |(_, of, page)| async move {
            let (rows, origins) = webhooks().await?;
            let log = match of.filter(|id| rows.iter().any(|row| row.id == *id)) {
                Some(id) => Some((id, deliveries(id, page).await?)),
                None => None,
            };
            Ok((rows, origins, log))
        },
    );
    let created = move || {
        let secret = make.value().get()?.ok()?.secret;
        Some(view! {
            <Notice tone=Tone::Good>
                <div class="stack">
                    <p>{t.secret_once}</p>
                    <CopyRow id="new-secret" label=t.the_secret text=secret/>
                </div>
            </Notice>
        })
    };
    view! {
        <Page title=t.webhooks>
            {tabs(i, Place::Settings, "/admin/api/webhooks")}
            <p class="lead">{t.webhooks_lead}</p>
            {created}
            <FormError of=move || make.value().get().and_then(Result::err)/>
            <FormError of=move || remove.value().get().and_then(Result::err)/>
            <FormError of=move || test.value().get().and_then(Result::err)/>
            <Load data let:found>{
                let (rows, origins, log) = found;
                view! {
                    {new_webhook(i, &origins, make)}
                    {list(i, &rows, remove, test)}
                    {log.map(|(id, log)| view! { {pager(i, query, "", &log)}{messages(i, &rows, id, log.rows)} })}
                }
            }</Load>
        </Page>
    }
}

fn new_webhook(i: I18n, origins: &[String], make: CreateAction) -> AnyView {
    let t = i.api();
    if origins.is_empty() {
        return view! { <p class="notice tone-care">{t.no_hosts}</p> }.into_any();
    }
    let send = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let Some(fields) = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok()) else { return };
        let events = WebhookEvent::CHOICES.into_iter().filter(|event| fields.has(event.name())).collect();
        make.dispatch((fields.get("url").as_string().unwrap_or_default(), events));
    };
    let events = WebhookEvent::CHOICES
        .into_iter()
        .map(|event| {
            view! {
                <label class="choice">
                    <input type="checkbox" name=event.name() checked/>
                    <span>{event_text(i, event)}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <section class="card stack" aria-labelledby="new-webhook-head">
            <h2 id="new-webhook-head">{t.new_webhook}</h2>
            <p>{t.allowed_hosts}" "<code>{origins.join(", ")}</code></p>
            <WithoutScripts text=t.needs_script />
            <form class="stack" on:submit=send>
                <div class="field">
                    <label class="label" for="webhook-url">{t.url}</label>
                    <p class="hint" id="webhook-url-hint">{t.url_hint}</p>
                    <input class="input" id="webhook-url" name="url" type="url" required maxlength="2000" autocomplete="off" aria-describedby="webhook-url-hint"/>
                </div>
                <fieldset class="choices"><legend class="label">{t.events}</legend>{events}</fieldset>
                <p class="row">
                    <button class="button primary" type="submit" disabled=move || make.pending().get()>{t.make_webhook}</button>
                </p>
            </form>
        </section>
    }
    .into_any()
}

fn list(i: I18n, rows: &[WebhookRow], remove: FormAction<RemoveWebhook>, test: FormAction<TestWebhook>) -> AnyView {
    let t = i.api();
    if rows.is_empty() {
        return view! { <Empty title=t.no_webhooks/> }.into_any();
    }
    let cards = rows.iter().map(|row| {
        let (id, allowed) = (row.id, row.allowed);
        let head = format!("webhook-{id}");
        let labeled = head.clone();
        let url = row.url.clone();
        let (test_which, messages_of, remove_which) = ((t.test_which)(&url), (t.messages_of)(&url), (t.remove_which)(&url));
        let events: Vec<_> = row.events.iter().map(|event| event_text(i, *event)).collect();
        let newest = match &row.last {
            Some(last) => {
                let (tone, word) = state(i, last.state);
                view! { <Badge tone>{word}</Badge>" "<span class="muted">{i.time(last.created_at)}</span> }.into_any()
            }
            None => view! { <span class="muted">{t.no_messages}</span> }.into_any(),
        };
        view! {
            <article class="card stack" aria-labelledby=labeled>
                <h2 id=head class="webhook-url"><code>{url}</code></h2>
                {(!allowed).then(|| view! { <p class="notice tone-care">{t.not_allowed}</p> })}
                <dl class="facts">
                    <div><dt>{t.events}</dt><dd>{events.join(", ")}</dd></div>
                    <div><dt>{t.newest}</dt><dd>{newest}</dd></div>
                </dl>
                <div class="row">
                    <ActionForm action=test>
                        <input type="hidden" name="id" value=id.to_string()/>
                        <button class="button" type="submit" aria-label=test_which
                            disabled=move || test.pending().get()>{t.test}</button>
                    </ActionForm>
                    <a class="button" href=format!("/admin/api/webhooks?of={id}#messages") aria-label=messages_of>{t.messages}</a>
                    <details class="confirm">
                        <summary class="button" aria-label=remove_which>{t.remove}</summary>
                        <div class="confirm-box">
                            <p>{t.remove_warning}</p>
                            <ActionForm action=remove>
                                <input type="hidden" name="id" value=id.to_string()/>
                                <button class="button danger" type="submit">{t.remove_now}</button>
                            </ActionForm>
                        </div>
                    </details>
                </div>
            </article>
        }
    });
    cards.collect_view().into_any()
}

fn messages(i: I18n, rows: &[WebhookRow], id: WebhookId, log: Vec<DeliveryRow>) -> AnyView {
    let (t, a) = (i.api(), i.admin());
    let url = rows.iter().find(|row| row.id == id).map(|row| row.url.clone()).unwrap_or_default();
    let heading = (t.messages_of)(&url);
    if log.is_empty() {
        return view! {
            <section class="stack" aria-labelledby="messages">
                <h2 id="messages">{heading}</h2>
                <Empty title=t.no_messages/>
            </section>
        }
        .into_any();
    }
    let lines = log.into_iter().map(|row| {
        let (tone, word) = state(i, row.state);
        let subject = row.subject.map(|id| format!(" {id}"));
        let status = row.status.map(|status| format!("HTTP {status}"));
        let came = row.error.map(|fault| request_fault(i.lang, &fault)).or(status);
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.event class="when">{event_text(i, row.event)}{subject}</th>
                <td role="cell" data-label=a.when class="when">{i.time(row.created_at)}</td>
                <td role="cell" data-label=a.state><Badge tone>{word}</Badge></td>
                <td role="cell" data-label=t.tries class="num">{row.attempts}</td>
                <td role="cell" data-label=t.came_of_it>{came}</td>
                <td role="cell" data-label=t.next_try class="when">{row.next_at.map(|at| i.time(at))}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <section class="stack" aria-labelledby="messages">
            <h2 id="messages">{heading.clone()}</h2>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{heading}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{t.event}</th>
                        <th role="columnheader" scope="col">{a.when}</th>
                        <th role="columnheader" scope="col">{a.state}</th>
                        <th role="columnheader" scope="col" class="num">{t.tries}</th>
                        <th role="columnheader" scope="col">{t.came_of_it}</th>
                        <th role="columnheader" scope="col">{t.next_try}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{lines}</tbody>
            </table></div>
        </section>
    }
    .into_any()
}

fn event_text(i: I18n, event: WebhookEvent) -> &'static str {
    let t = i.api();
    match event {
        WebhookEvent::RunEnded => t.event_run,
        WebhookEvent::StudyClosed => t.event_study,
        WebhookEvent::Test => t.event_test,
    }
}

fn state(i: I18n, state: DeliveryState) -> (Tone, &'static str) {
    let t = i.api();
    match state {
        DeliveryState::Waiting => (Tone::Care, t.waiting),
        DeliveryState::Delivered => (Tone::Good, t.delivered),
        DeliveryState::Failed => (Tone::Bad, t.failed),
    }
}
