//! `/admin/announcements?to=`: what people read at the top of their pages; `to` chooses the audience of a new one.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    list::Listing,
    parts::{FormError, asked},
};
use crate::places::{Place, tabs};
use model::announcement::{Announcement, Audience, LONGEST_ANNOUNCEMENT};
use rpc::announcements::{Announce, WithdrawAnnouncement, announcement_audiences, announcements};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
};

/// All announcements, and a form for another.
#[component]
pub fn AnnouncementsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.announcements();
    let query = use_query_map();
    let list = Listing::new("-published", &[]);
    let to = Memo::new(move |_| asked(query, "to").parse::<Audience>().ok());
    let publish = FormAction::<Announce>::new();
    let withdraw = FormAction::<WithdrawAnnouncement>::new();
    let changes = move || publish.version().get() + withdraw.version().get();
    let data = Data::new(move || (list.asked(), changes()), |(of, _)| announcements(of));
    // A refused text stays in the form, which is empty again after the announcement is published.
    let published = Memo::new(move |before: Option<&usize>| {
        let version = publish.version().get();
        match publish.value().with_untracked(|value| matches!(value, Some(Ok(())))) {
            true => version,
            false => before.copied().unwrap_or_default(),
        }
    });
    let choices = Data::new(move || to.get(), announcement_audiences);
    view! {
        <Page title=t.announcements>
            {tabs(i, Place::People, "/admin/announcements")}
            <p class="lead">{t.lead}</p>
            <Load data=choices let:audiences>
                // By key, because the same fields would keep what was typed.
                <For each=move || [published.get()] key=|version| *version let:_version>
                    {form(i, &audiences, to.get_untracked(), publish)}
                </For>
            </Load>
            <FormError of=move || withdraw.value().get().and_then(Result::err)/>
            {list.bar(Vec::new())}
            <Load data let:page>
                {list.view(page, move || view! { <Empty title=t.none/> }.into_any(), move |rows| table(i, list, rows, withdraw))}
            </Load>
        </Page>
    }
}

/// An audience, in words. `name` is the study's title, the group's name or the username.
fn audience(i: I18n, of: Audience, name: &str) -> String {
    let t = i.announcements();
    match of {
        Audience::Everyone => t.everyone.to_owned(),
        Audience::Study(_) => (t.raters_of)(name),
        Audience::Group(_) => (t.group_of)(name),
        Audience::Account(_) => name.to_owned(),
    }
}

fn form(
    i: I18n,
    audiences: &[(Audience, String)],
    to: Option<Audience>,
    publish: FormAction<Announce>,
) -> impl IntoView + use<> {
    let t = i.announcements();
    let options = audiences
        .iter()
        .map(|(of, name)| {
            view! { <option value=of.to_string() selected=to == Some(*of)>{audience(i, *of, name)}</option> }
        })
        .collect_view();
    let text = |name: &'static str, label: &'static str, lang: &'static str| {
        view! {
            <div class="field">
                <label class="label" for=format!("announce-{name}")>{label}</label>
                <textarea class="input" id=format!("announce-{name}") name=name rows="3" lang=lang
                    maxlength=LONGEST_ANNOUNCEMENT.to_string() aria-describedby="announce-languages"></textarea>
            </div>
        }
    };
    view! {
        <section class="card stack" aria-labelledby="announce-head">
            <h2 id="announce-head">{t.new}</h2>
            <ActionForm action=publish attr:class="stack">
                <div class="field">
                    <label class="label" for="announce-to">{t.to}</label>
                    <select class="input" id="announce-to" name="to">{options}</select>
                </div>
                {text("en", t.english, "en")}
                {text("zh", t.chinese, "zh-Hans")}
                <p class="muted small" id="announce-languages">{t.one_language}</p>
                <div class="field field--short">
                    <label class="label" for="announce-until">{t.last_day}</label>
                    <input class="input" id="announce-until" type="date" name="last_day" aria-describedby="announce-until-hint"/>
                    <p class="muted small" id="announce-until-hint">{t.last_day_hint}</p>
                </div>
                <label class="check"><input type="checkbox" name="allow_names" value="true"/>{t.allow_names}</label>
                <FormError of=move || publish.value().get().and_then(Result::err)/>
                <p class="row"><button class="button primary" type="submit" disabled=move || publish.pending().get()>{t.publish}</button></p>
            </ActionForm>
        </section>
    }
}

fn table(i: I18n, list: Listing, rows: Vec<Announcement>, withdraw: FormAction<WithdrawAnnouncement>) -> AnyView {
    let t = i.announcements();
    let rows = rows
        .into_iter()
        .map(|row| {
            let state = match (row.withdrawn_at, row.is_shown) {
                (Some(_), _) => view! { <Badge>{t.withdrawn}</Badge> },
                (None, true) => view! { <Badge tone=Tone::Good>{t.shown}</Badge> },
                (None, false) => view! { <Badge>{t.ended}</Badge> },
            };
            let until = row.last_day.map(|day| view! { " "<span class="muted small">{(t.until)(&i.day(day))}</span> });
            let by = row.created_by.map(|name| view! { " "<span class="muted small">{name}</span> });
            let texts = [(row.text.en, "en"), (row.text.zh, "zh-Hans")]
                .into_iter()
                .filter(|(text, _)| !text.is_empty())
                .map(|(text, lang)| view! { <p class="comment" lang=lang>{text}</p> })
                .collect_view();
            let withdraw = row.withdrawn_at.is_none().then(|| {
                view! {
                    <details class="confirm">
                        <summary class="button small-button">{t.withdraw}</summary>
                        <div class="confirm-box">
                            <p>{t.withdraw_hint}</p>
                            <ActionForm action=withdraw>
                                <input type="hidden" name="id" value=row.id.to_string()/>
                                <button class="button small-button" type="submit">{t.withdraw}</button>
                            </ActionForm>
                        </div>
                    </details>
                }
            });
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=t.text>{texts}</th>
                    <td role="cell" data-label=t.to>{audience(i, row.to, &row.name)}</td>
                    <td role="cell" data-label=t.read_by class="num">{(t.read_n)(row.read, row.people)}</td>
                    <td role="cell" data-label=t.published>{i.time(row.created_at)}{by}</td>
                    <td role="cell" data-label=t.state>{state}{until}</td>
                    <td role="cell" data-label=i.admin().actions>{withdraw}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.announcements}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.text, "", "")}
                    {list.head(t.to, "", "")}
                    {list.head(t.read_by, "", "num")}
                    {list.head(t.published, "-published", "")}
                    {list.head(t.state, "", "")}
                    <th role="columnheader" scope="col"><span class="visually-hidden">{i.admin().actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}
