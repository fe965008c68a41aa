//! `/admin/collections`: collections from endpoints. One is [`collection`], a new one [`new`] or [`judge`].

pub mod collection;
pub mod judge;
pub mod new;

use leptos::prelude::*;

use super::{
    filter::Field,
    list::Listing,
    parts::{state, state_choices},
};
use crate::places::{Place, tabs};
use model::collection::{CollectionRow, CollectionStatus};
use rpc::collections::collections;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The list of collections.
#[component]
pub fn CollectionsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.collections();
    let list = Listing::new("-created", &["status", "dataset", "kind"]);
    let data = Data::new(move || list.asked(), collections);
    let actions = move || {
        view! {
            <a class="button" href="/admin/judgings/new">{t.new_judging}</a>
            <a class="button primary" href="/admin/collections/new">{t.new}</a>
        }
    };
    let kinds =
        vec![("", i.lists().any.to_owned()), ("outputs", t.of_outputs.to_owned()), ("scores", t.of_scores.to_owned())];
    let states = state_choices(i, &CollectionStatus::ALL.map(|status| (status.name(), status)));
    view! {
        <Page title=t.title actions>
            {tabs(i, Place::Data, "/admin/collections")}
            <p class="lead">{t.lead}</p>
            {list.bar(vec![Field::Choice("status", t.state, states), Field::Choice("kind", t.of, kinds), Field::Kept("dataset")])}
            <Load data let:page>{list.view(page, move || none(i), move |rows| table(i, list, rows))}</Load>
        </Page>
    }
}

fn none(i: I18n) -> AnyView {
    let t = i.collections();
    view! {
        <Empty title=t.none>
            <p><a class="button" href="/admin/collections/new">{t.new}</a></p>
        </Empty>
    }
    .into_any()
}

fn table(i: I18n, list: Listing, rows: Vec<CollectionRow>) -> AnyView {
    let (t, a) = (i.collections(), i.admin());
    let rows = rows.into_iter().map(|row| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.model>
                    <a href=format!("/admin/collections/{}", row.id)>{row.model_name}</a>
                    " "<span class="muted small">{(t.number)(row.id.0)}</span>
                </th>
                <td role="cell" data-label=t.of>{if row.judging.is_some() { t.of_scores } else { t.of_outputs }}</td>
                <td role="cell" data-label=a.dataset>
                    <span>{row.dataset}" "<span class="muted small">{(a.version_n)(row.number)}</span></span>
                </td>
                <td role="cell" data-label=t.endpoint>{row.endpoint}</td>
                <td role="cell" data-label=t.state>{state(i, row.status)}</td>
                <td role="cell" data-label=t.answered class="num">{(i.common.of)(row.answered, row.total)}</td>
                <td role="cell" data-label=t.failed_count class="num">{i.number(row.failed)}</td>
                <td role="cell" data-label=t.tokens class="num">{i.number(row.prompt_tokens + row.response_tokens)}</td>
                <td role="cell" data-label=t.created class="when">{i.time(row.created_at)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.title}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.model, "", "")}
                    {list.head(t.of, "", "")}
                    {list.head(a.dataset, "", "")}
                    {list.head(t.endpoint, "", "")}
                    {list.head(t.state, "", "")}
                    {list.head(t.answered, "", "num")}
                    {list.head(t.failed_count, "", "num")}
                    {list.head(t.tokens, "", "num")}
                    {list.head(t.created, "-created", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
