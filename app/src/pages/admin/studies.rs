//! `/admin/studies`: every study.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::home::study_cards;
use crate::{
    i18n::use_i18n,
    rpc::studies::studies,
    ui::{
        frame::Page,
        load::{Data, Load},
        pager::{page_of, pager},
    },
};

/// The list of studies.
#[component]
pub fn StudiesPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let data = Data::new(move || page_of(query, ""), studies);
    let actions = move || {
        view! {
            <a class="button" href="/admin/archive">{i.upkeep().archive_title}</a>
            <a class="button" href="/admin/rubrics">{i.rubrics().title}</a>
            <a class="button" href="/admin/upload/ratings">{i.ratings_import().import_ratings}</a>
            <a class="button primary" href="/admin/studies/new">{t.new_study}</a>
        }
    };
    view! {
        <Page title=t.studies actions>
            <h2 class="visually-hidden">{t.all_studies}</h2>
            <Load data let:page>{pager(i, query, "", &page)}{study_cards(i, page.rows)}</Load>
        </Page>
    }
}
