//! `/admin/models?q=&dataset=&sort=`: every model, with its outputs, runs and studies.

use leptos::prelude::*;

use super::{filter::Field, list::Listing};
use crate::places::{Place, tabs};
use model::{address::query_value, models::ModelRow};
use rpc::models::models;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The list of models.
#[component]
pub fn ModelsPage() -> impl IntoView {
    let i = use_i18n();
    let a = i.admin();
    let list = Listing::new("name", &["dataset"]);
    let data = Data::new(move || list.asked(), models);
    let actions = move || {
        view! {
            <a class="button primary" href="/admin/upload">{a.upload_outputs}</a>
        }
    };
    view! {
        <Page title=i.lists().models actions>
            {tabs(i, Place::Data, "/admin/models")}
            {list.bar(vec![Field::Kept("dataset")])}
            <Load data let:page>{list.view(page, move || none(i), move |rows| table(i, list, rows))}</Load>
        </Page>
    }
}

fn none(i: I18n) -> AnyView {
    view! {
        <Empty title=i.lists().no_models>
            <p>{i.lists().no_models_hint}</p>
            <p><a class="button" href="/admin/upload">{i.admin().upload_outputs}</a></p>
        </Empty>
    }
    .into_any()
}

/// Datasets that the row of a model names; the model's page has all of them.
const SHOWN: usize = 6;

fn table(i: I18n, list: Listing, rows: Vec<ModelRow>) -> AnyView {
    let (a, l) = (i.admin(), i.lists());
    let rows = rows.into_iter().map(|row| {
        let to = |place: &str| format!("/admin/{place}?model={}", row.id);
        let more = row.datasets.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| view! { " · "<span class="muted">{(a.and_more)(more as u64)}</span> });
        let datasets = row.datasets.iter().take(SHOWN).enumerate().map(|(at, slug)| {
            let href = format!("/admin/results/datasets/{}", query_value(slug));
            view! { {(at > 0).then_some(" · ")}<a href=href>{slug.clone()}</a> }
        });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=a.model>
                    <a href=format!("/admin/results/models/{}", row.id)>{row.name.clone()}</a>
                </th>
                <td role="cell" data-label=a.datasets><span>{datasets.collect_view()}{more}</span></td>
                <td role="cell" data-label=a.submissions class="num"><a href=to("submissions")>{i.number(row.submissions)}</a></td>
                <td role="cell" data-label=i.runs().runs class="num"><a href=to("runs")>{i.number(row.runs)}</a></td>
                <td role="cell" data-label=a.studies class="num"><a href=to("studies")>{i.number(row.studies)}</a></td>
                <td role="cell" data-label=l.newest class="when">{row.newest.map(|at| i.time(at))}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{l.models}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(a.model, "name", "")}
                    {list.head(a.datasets, "", "")}
                    {list.head(a.submissions, "", "num")}
                    {list.head(i.runs().runs, "", "num")}
                    {list.head(a.studies, "", "num")}
                    {list.head(l.newest, "-added", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
