//! A study's public links.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::hooks::use_query_map;

use crate::parts::FormError;
use model::{
    api::{CreatedPublicLink, NewPublicLink, PublicLinkRow, Publication},
    error::AppError,
    ids::StudyId,
    page::Paged,
    study::StudyStatus,
};
use rpc::api::{RevokePublicLink, create_public_link, public_links};
use texts::I18n;
use ui::{
    context::use_i18n,
    copy::CopyRow,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Badge, Notice, Tone, WithoutScripts},
    pager::{page_of, pager},
};

type Creation = Result<CreatedPublicLink, AppError>;

/// The section's data and actions, created at the top of the page.
#[derive(Clone, Copy)]
pub struct Handles {
    create: Action<(StudyId, NewPublicLink), Creation>,
    revoke: FormAction<RevokePublicLink>,
    rows: Data<Paged<PublicLinkRow>>,
}

impl Handles {
    /// For the study at this address.
    pub fn of(id: Memo<Option<StudyId>>) -> Handles {
        let create = Action::new(|asked: &(StudyId, NewPublicLink)| {
            let (study, NewPublicLink { code, days, about }) = asked.clone();
            async move { create_public_link(study, code, days, about).await }
        });
        let revoke = FormAction::<RevokePublicLink>::new();
        let query = use_query_map();
        let rows = Data::new(
            move || (id.get(), create.version().get(), revoke.version().get(), page_of(query, "links")),
            |(id, _, _, page)| async move {
                public_links(id.ok_or_else(|| AppError::NotFound("study".into()))?, page).await
            },
        );
        Handles { create, revoke, rows }
    }
}

/// The section of a study's page that creates and revokes links.
#[component]
pub fn PublicPage(
    /// The study.
    study: StudyId,
    /// Only a closed study has a public page.
    status: StudyStatus,
    handles: Handles,
) -> impl IntoView {
    let t = use_i18n().api();
    let body = if status == StudyStatus::Closed {
        view! { <Links study handles/> }.into_any()
    } else {
        view! { <p class="muted">{t.public_closed_only}</p> }.into_any()
    };
    view! {
        <section id="public" class="stack" aria-labelledby="public-head">
            <h2 id="public-head">{t.public_page}</h2>
            {body}
        </section>
    }
}

#[component]
fn Links(study: StudyId, handles: Handles) -> impl IntoView {
    let i = use_i18n();
    let t = i.api();
    let Handles { create, revoke, rows } = handles;
    let send = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let Some(fields) = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok()) else { return };
        let days = fields.get("days").as_string().unwrap_or_default();
        let days = Some(days.trim()).filter(|days| !days.is_empty()).map(|days| days.parse().unwrap_or(0));
        let text = |key: &str| fields.get(key).as_string().unwrap_or_default();
        let about = Publication {
            purpose: text("purpose"),
            authors: text("authors"),
            contact: text("contact"),
            license: text("license"),
        };
        create.dispatch((study, NewPublicLink { code: fields.has("code"), days, about }));
    };
    let line = |key: &'static str, label: &'static str, hint: &'static str| {
        let (id, described) = (format!("link-{key}"), format!("link-{key}-hint"));
        view! {
            <div class="field">
                <label class="label" for=id.clone()>{label}</label>
                <input class="input" id=id name=key maxlength=Publication::LINE.to_string() aria-describedby=described.clone()/>
                <p class="muted small" id=described>{hint}</p>
            </div>
        }
    };
    let created = move || {
        let path = create.value().get()?.ok()?.path;
        Some(view! {
            <Notice tone=Tone::Good>
                <div class="stack">
                    <p>{t.link_once}</p>
                    <CopyRow id="public-link" label=t.the_link text=path/>
                </div>
            </Notice>
        })
    };
    view! {
        <p class="muted">{t.public_lead}</p>
        <WithoutScripts text=t.needs_script />
        <form class="public-form" on:submit=send>
            <div class="field">
                <label class="label" for="link-purpose">{t.purpose}</label>
                <textarea class="input" id="link-purpose" name="purpose" rows="3" maxlength=Publication::PURPOSE.to_string()
                    aria-describedby="link-purpose-hint"></textarea>
                <p class="muted small" id="link-purpose-hint">{t.purpose_hint}</p>
            </div>
            {line("authors", t.authors, t.authors_hint)}
            {line("contact", t.contact, t.contact_hint)}
            {line("license", t.license, t.license_hint)}
            <label class="choice">
                <input type="checkbox" name="code"/>
                <span>{t.with_code}</span>
            </label>
            <div class="field">
                <label class="label" for="link-days">{t.link_days}</label>
                <input class="input" id="link-days" name="days" type="number" inputmode="numeric" min="1" max="3650"
                    placeholder=t.no_end aria-describedby="link-days-hint"/>
                <p class="visually-hidden" id="link-days-hint">{t.link_days_hint}</p>
            </div>
            <button class="button" type="submit" disabled=move || create.pending().get()>{t.make_link}</button>
        </form>
        {created}
        <FormError of=move || create.value().get().and_then(Result::err)/>
        <FormError of=move || revoke.value().get().and_then(Result::err)/>
        <Load data=rows let:page>{pager(i, use_query_map(), "links", &page)}{list(i, page.rows, revoke)}</Load>
    }
}

fn list(i: I18n, links: Vec<PublicLinkRow>, revoke: FormAction<RevokePublicLink>) -> Option<AnyView> {
    let (t, a) = (i.api(), i.admin());
    if links.is_empty() {
        return None;
    }
    let rows = links.into_iter().map(|link| {
        let (tone, state) = match (link.open, link.revoked_at) {
            (true, _) => (Tone::Good, t.open),
            (false, Some(_)) => (Tone::Plain, t.revoked),
            (false, None) => (Tone::Care, t.ran_out),
        };
        let created = i.time(link.created_at);
        let which = (t.revoke_link_of)(&created);
        let revoking = link.open.then(|| {
            view! {
                <ActionForm action=revoke>
                    <input type="hidden" name="id" value=link.id.to_string()/>
                    <button class="button small-button" type="submit" aria-label=which>{a.revoke}</button>
                </ActionForm>
            }
        });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=a.created_at class="when">{created}</th>
                <td role="cell" data-label=t.shows>{if link.code { t.comparison_and_code } else { t.comparison_only }}</td>
                <td role="cell" data-label=t.ends class="when">{link.expires_at.map_or_else(|| t.for_good.to_owned(), |at| i.time(at))}</td>
                <td role="cell" data-label=a.state><Badge tone>{state}</Badge></td>
                <td role="cell" data-label="">{revoking}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    Some(
        view! {
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.public_page}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{a.created_at}</th>
                        <th role="columnheader" scope="col">{t.shows}</th>
                        <th role="columnheader" scope="col">{t.ends}</th>
                        <th role="columnheader" scope="col">{a.state}</th>
                        <th role="columnheader" scope="col"><span class="visually-hidden">{a.actions}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
        }
        .into_any(),
    )
}
