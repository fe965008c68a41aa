//! `/admin/studies?q=&status=&sort=`: every study.

use leptos::prelude::*;

use super::{
    filter::Field,
    list::Listing,
    menu::{item, more_menu},
    parts::{progress, state, state_choices},
};
use crate::places::{Place, tabs};
use model::{
    inbox::InboxFilter,
    study::{StudyRow, StudyStatus},
};
use rpc::studies::studies;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The list of studies.
#[component]
pub fn StudiesPage() -> impl IntoView {
    let i = use_i18n();
    let (t, l) = (i.admin(), i.lists());
    let list = Listing::new("-created", &["status", "dataset", "model"]);
    let data = Data::new(move || list.asked(), studies);
    let actions = move || {
        view! {
            <a class="button primary" href="/admin/studies/new">{t.new_study}</a>
            {more_menu(i, view! {
                {item("/admin/upload/ratings".into(), i.ratings_import().import_ratings)}
                {item("/admin/archive".into(), i.upkeep().archive_title)}
            })}
        }
    };
    let states = state_choices(i, &StudyStatus::ALL.map(|status| (status.code(), status)));
    view! {
        <Page title=t.studies actions>
            {tabs(i, Place::Studies, "/admin/studies")}
            {list.bar(vec![Field::Choice("status", l.status, states), Field::Kept("dataset"), Field::Kept("model")])}
            <Load data let:page>{list.view(page, move || none(i), move |rows| table(i, list, rows))}</Load>
        </Page>
    }
}

fn none(i: I18n) -> AnyView {
    let t = i.admin();
    view! {
        <Empty title=t.no_studies>
            <p><a class="button" href="/admin/studies/new">{t.new_study}</a></p>
        </Empty>
    }
    .into_any()
}

/// The number of a study's items in the inbox, as a link to them.
fn inbox_link(i: I18n, study: &StudyRow) -> AnyView {
    let number = i.number(study.waiting);
    if study.waiting == 0 {
        return number.into_any();
    }
    let href = InboxFilter { kind: None, study: Some(study.id) }.address();
    let label = (i.lists().waiting_n)(&number);
    view! { <a href=href aria-label=label>{number}</a> }.into_any()
}

fn table(i: I18n, list: Listing, rows: Vec<StudyRow>) -> AnyView {
    let (t, l) = (i.admin(), i.lists());
    let rows = rows.into_iter().map(|study| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=l.title>
                    <a href=format!("/admin/studies/{}", study.id)>{study.title.clone()}</a>
                </th>
                <td role="cell" data-label=t.dataset><a href=format!("/admin/datasets/{}", study.dataset)>{study.dataset.clone()}</a></td>
                <td role="cell" data-label=l.models>{study.models.join(" · ")}</td>
                <td role="cell" data-label=l.status>{state(i, study.status)}</td>
                <td role="cell" data-label=l.progress>{progress(i, study.done, study.wanted)}</td>
                <td role="cell" data-label=l.waiting class="num">{inbox_link(i, &study)}</td>
                <td role="cell" data-label=l.raters class="num">{study.raters}</td>
                <td role="cell" data-label=l.created class="when">{i.time(study.created_at)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.all_studies}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(l.title, "title", "")}
                    {list.head(t.dataset, "", "")}
                    {list.head(l.models, "", "")}
                    {list.head(l.status, "status", "")}
                    {list.head(l.progress, "", "")}
                    {list.head(l.waiting, "", "num")}
                    {list.head(l.raters, "", "num")}
                    {list.head(l.created, "-created", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
