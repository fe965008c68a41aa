//! `/admin/results/datasets/:slug`: a dataset's leaderboard, and every task with all models' verdicts and final
//! scores side by side.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{board, until_computed};
use crate::{
    comparison::{asked_filter, slices, tasks},
    parts::asked,
};
use model::{
    comparison::{CountedScores, Selection},
    results::{Board, BoardQuery},
    slices::Slices,
};
use rpc::{comparison::comparison_tasks, results::results_board};
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// A dataset's results.
#[component]
pub fn DatasetResultsPage() -> impl IntoView {
    let i = use_i18n();
    let (params, query) = (use_params_map(), use_query_map());
    let slug = Memo::new(move |_| asked(params, "slug"));
    let models =
        Data::new(move || slug.get(), |dataset| results_board(BoardQuery { dataset, ..BoardQuery::default() }));
    until_computed(models, |board| board.datasets.iter().any(|d| d.computing || d.behind));
    let selection = move || Selection { dataset: slug.get(), scores: CountedScores::Final, ..Selection::default() };
    let filter = Memo::new(move |_| asked_filter(query));
    let list =
        Data::new(move || (selection(), filter.get()), |(selection, filter)| comparison_tasks(selection, filter));
    let by_slice = slices::data(selection, query);
    until_computed(by_slice, |found| found.as_ref().is_some_and(|found| found.computing));
    view! {
        <Load data=models let:found>
            {page(i, found, by_slice, move |selection| view! {
                <Load data=list let:page>{tasks::view(i, selection.clone(), page)}</Load>
            }.into_any())}
        </Load>
    }
}

fn page(
    i: I18n,
    found: Board,
    by_slice: Data<Option<Slices>>,
    list: impl Fn(Selection) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let t = i.results();
    let Some(dataset) = found.datasets.first() else { return ().into_any() };
    let (slug, selection) = (dataset.slug.clone(), dataset.selection.clone());
    let title = (t.dataset_title)(dataset.name.get(i.lang));
    let (comparison, about) = (format!("/admin/compare/{slug}?scores=final"), format!("/admin/datasets/{slug}"));
    let empty = dataset.dimensions.is_empty() && dataset.pass_at.is_empty() && !dataset.computing;
    let tasks = if empty {
        view! { <Empty title=t.nothing><p>{t.nothing_hint}</p></Empty> }.into_any()
    } else {
        view! { <p class="muted">{t.task_lead}</p>{list(selection)} }.into_any()
    };
    let csv = format!("/admin/compare/{slug}/export/slices.csv?scores=final");
    let asked = BoardQuery { dataset: slug, ..BoardQuery::default() };
    view! {
        <Page title=title crumbs=vec![("/admin/results".into(), t.results.into())] actions=move || view! {
            <a class="button" href=comparison.clone()>{t.comparison}</a>
            <a class="button" href=about.clone()>{t.about_dataset}</a>
        }>
            <section class="stack" aria-labelledby="board-head">
                <h2 id="board-head">{t.leaderboard}</h2>
                <p class="muted board-lead">{t.lead}</p>
                // Another order is a matter of the home page: here it would be mixed up with that of the tasks.
                {board::view(i, "/admin/results", &asked, &found)}
            </section>
            {(!empty).then(|| view! { <slices::SlicesSection slices=by_slice csv/> })}
            <section id="tasks" class="stack" aria-labelledby="tasks-head">
                <h2 id="tasks-head">{t.dataset_results}</h2>
                {tasks}
            </section>
        </Page>
    }
    .into_any()
}
