//! `/admin/rubrics`: every rubric, and the form that imports one. [`rubric`] shows one, [`edit`] changes it.

pub mod choose;
pub mod edit;
pub mod rubric;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::sending::{FileForm, Picker};
use crate::places::{Place, tabs};
use model::rubric::{RubricRow, RubricSummary};
use rpc::rubrics::rubrics;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    pager::{page_of, pager},
};

/// The list of rubrics.
#[component]
pub fn RubricsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.rubrics();
    let query = use_query_map();
    let data = Data::new(move || page_of(query, ""), rubrics);
    let actions = move || {
        view! {
            <a class="button" href="/admin/archive">{i.upkeep().archive_title}</a>
            <a class="button primary" href="/admin/rubrics/new">{t.new}</a>
        }
    };
    view! {
        <Page title=t.title actions>
            {tabs(i, Place::Studies, "/admin/rubrics")}
            <p class="lead">{t.lead}</p>
            <Load data let:page>
                {pager(i, query, "", &page)}
                {table(i, page.rows)}
            </Load>
            <section class="card stack" aria-labelledby="import-head">
                <h2 id="import-head">{t.import}</h2>
                <p>{t.import_lead}</p>
                <FileForm action="/admin/upload/rubric" send=t.import_button>
                    <Picker name="file" label=t.import_file hint=t.import_file_hint accept=".json"/>
                </FileForm>
            </section>
        </Page>
    }
}

fn table(i: I18n, rows: Vec<RubricRow>) -> AnyView {
    let t = i.rubrics();
    if rows.is_empty() {
        return view! { <Empty title=t.none><p><a class="button" href="/admin/rubrics/new">{t.new}</a></p></Empty> }
            .into_any();
    }
    let rows = rows.into_iter().map(|RubricRow { newest, studies }| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.name>
                    <a href=format!("/admin/rubrics/{}", newest.slug) translate="no">{newest.slug.clone()}</a>
                </th>
                <td role="cell" data-label=t.version class="num">{newest.version}</td>
                <td role="cell" data-label=t.dimensions>{t.dimension_list(&newest)}</td>
                <td role="cell" data-label=t.studies class="num">{studies}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.title}</caption>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">{t.name}</th>
                <th role="columnheader" scope="col" class="num">{t.version}</th>
                <th role="columnheader" scope="col">{t.dimensions}</th>
                <th role="columnheader" scope="col" class="num">{t.studies}</th>
            </tr></thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}

/// The address of a rubric's version, from its name, such as `aixbench 1`.
pub fn address(name: &str) -> String {
    match name.split_once(' ') {
        Some((slug, version)) => format!("/admin/rubrics/{slug}?version={version}"),
        None => format!("/admin/rubrics/{name}"),
    }
}

/// A rubric's name and dimensions as an option's text.
fn option_text(i: I18n, rubric: &RubricSummary, is_default: bool) -> String {
    let t = i.rubrics();
    let name = if is_default { (t.is_default)(&rubric.name()) } else { rubric.name() };
    format!("{name}{}{}", i.common.colon, t.dimension_list(rubric))
}
