//! `/admin/submissions`: every model's imported outputs.

use leptos::prelude::*;

use super::{filter::Field, list::Listing};
use crate::places::{Place, tabs};
use model::submission::SubmissionRow;
use rpc::submissions::submissions;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The list of submissions, or of those for one dataset.
#[component]
pub fn SubmissionsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let list = Listing::new("-uploaded", &["dataset", "model"]);
    let data = Data::new(move || list.asked(), |page| submissions(None, page));
    let dataset = Memo::new(move |_| list.asked().which.filter("dataset").map(str::to_owned));
    let upload = move || match dataset.get() {
        Some(slug) => format!("/admin/upload?dataset={slug}"),
        None => "/admin/upload".into(),
    };
    view! {
        <Page title=t.submissions actions=move || view! {
            <a class="button" href="/admin/archive">{i.upkeep().archive_title}</a>
            <a class="button primary" href=upload>{t.upload_outputs}</a>
        }>
        {tabs(i, Place::Data, "/admin/submissions")}
        {move || {
            dataset.get().map(|slug| {
                view! {
                    <p class="narrowed">
                        {(t.only_dataset)(&slug)} " " <a href="/admin/submissions">{t.show_all}</a>
                    </p>
                }
            })
        }}
        {list.bar(vec![Field::Kept("dataset"), Field::Kept("model")])}
        <Load data let:page>{list.view(page, move || none(i), move |rows| table(i, list, rows))}</Load>
        </Page>
    }
}

fn none(i: I18n) -> AnyView {
    let t = i.admin();
    view! {
        <Empty title=t.no_submissions>
            <p><a class="button" href="/admin/upload">{t.upload_outputs}</a></p>
        </Empty>
    }
    .into_any()
}

fn table(i: I18n, list: Listing, rows: Vec<SubmissionRow>) -> AnyView {
    let t = i.admin();
    let rows = rows.into_iter().map(|row| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.model>
                    <a href=format!("/admin/submissions/{}", row.id)>{row.model_name}</a>
                </th>
                <td role="cell" data-label=t.dataset>
                    <span><a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                    " "
                    <span class="muted small">{(t.version_n)(row.number)}</span></span>
                </td>
                <td role="cell" data-label=t.outputs class="num">{i.number(row.outputs)}</td>
                <td role="cell" data-label=t.tasks_answered class="num">{i.number(row.tasks)}</td>
                <td role="cell" data-label=t.file class="file-name">{row.file}</td>
                <td role="cell" data-label=t.taken_at class="when">{i.time(row.created_at)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.submissions}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.model, "model", "")}
                    {list.head(t.dataset, "dataset", "")}
                    {list.head(t.outputs, "", "num")}
                    {list.head(t.tasks_answered, "", "num")}
                    {list.head(t.file, "", "")}
                    {list.head(t.taken_at, "-uploaded", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
