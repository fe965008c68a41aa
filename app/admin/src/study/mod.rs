//! `/admin/studies/:id`: a study's progress and results.
//!
//! Separate loads, because they take different times: the study itself, its live figures, what its comparison is about,
//! and the tasks. The figures of the comparison are on a page of their own, because computing them takes long.

mod live;
mod progress;
mod public;
mod tasks;

pub(crate) use live::matched;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    list::Listing,
    menu::{file_item, item, more_menu, object_items},
    parts::param,
    plan_leaks::Leaks,
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    audit::Object,
    comparison::StudyComparison,
    error::AppError,
    ids::StudyId,
    page::Paged,
    quality::{Live, TabCounts},
    ratings::TaskScores,
    study::{StudyDetail, StudyStatus},
};
use rpc::{
    quality::study_live,
    studies::{compare, study, study_tasks},
};
use texts::I18n;
use ui::{
    context::use_i18n,
    load::{Data, Load},
    notice::Empty,
};

/// A study.
#[component]
pub fn StudyPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let missing = || AppError::NotFound("study".into());
    let actions = progress::Actions::new();
    let data = Data::new(
        move || (id.get(), actions.version()),
        move |(id, _)| async move { study(id.ok_or_else(missing)?).await },
    );
    let comparison = Data::new(move || id.get(), move |id| async move { compare(id.ok_or_else(missing)?).await });
    let list = tasks::listing();
    let tasks = Data::new(
        move || (id.get(), list.asked()),
        move |(id, page)| async move { study_tasks(id.ok_or_else(missing)?, page).await },
    );
    let now = Data::new(
        move || (id.get(), actions.version()),
        move |(id, _)| async move { study_live(id.ok_or_else(missing)?).await },
    );
    let counts = tab_data(id);
    let heard = live::listen(id);
    heard.on_ratings(now, move || {
        comparison.refetch();
        tasks.refetch();
    });
    let links = public::Handles::of(id);
    view! { <Load data let:detail>{page(i, detail, actions, (counts, now, heard), (comparison, tasks, list), links)}</Load> }
}

/// The page's data.
type Loaded<T> = Data<T>;

fn page(
    i: I18n,
    detail: StudyDetail,
    state: progress::Actions,
    (counts, now, heard): (Loaded<TabCounts>, Loaded<Live>, live::Heard),
    (comparison, tasks, list): (Loaded<StudyComparison>, Loaded<Paged<TaskScores>>, Listing),
    links: public::Handles,
) -> AnyView {
    let t = i.admin();
    let id = detail.row.id;
    let (models, dimensions) = (detail.row.models.clone(), detail.dimensions.clone());
    let status = detail.row.status;
    let row = detail.row.clone();
    let actions = move || {
        view! {
            {progress::primary(i, &row, state)}
            {more_menu(i, view! {
                {item(format!("/admin/judgings/new?study={id}"), t.judge_with_model)}
                {file_item(format!("/admin/studies/{id}/comparison.csv"), t.comparison_csv)}
                {file_item(format!("/admin/studies/{id}/ratings.csv"), t.ratings_csv)}
                {object_items(i, &Object::Study(id))}
                {progress::menu_items(i, &row, state)}
            })}
        }
    };
    view! {
        <StudyFrame title=detail.row.title.clone() counts here=StudyTab::Overview actions>
            {progress::view(i, detail, state)}
            {(status != StudyStatus::Closed).then(|| view! { <Leaks study=id/> })}
            <Load data=now let:first>{live::view(i, first, heard)}</Load>
            <section id="comparison" class="comparison stack" aria-labelledby="comparison-head">
                <h2 id="comparison-head">{t.comparison}</h2>
                <Load data=comparison let:found>{compared(i, &found)}</Load>
            </section>
            <section id="tasks" class="stack" aria-labelledby="tasks-head">
                <h2 id="tasks-head">{t.tasks}</h2>
                <Load data=tasks let:rows>{tasks::view(i, id, (&models, &dimensions), list, rows)}</Load>
            </section>
            <public::PublicPage study=id status handles=links/>
        </StudyFrame>
    }
    .into_any()
}

/// The scope of the study's comparison, with a link to it, or the reason why there are no figures yet.
fn compared(i: I18n, found: &StudyComparison) -> AnyView {
    let (t, c) = (i.admin(), i.comparison());
    if found.ratings == 0 {
        return view! { <Empty title=t.no_ratings_yet><p>{t.where_raters_begin}</p></Empty> }.into_any();
    }
    let models = found.selection.models.as_ref().map_or(0, Vec::len) as u64;
    let facts = (c.rated_facts)(models, &i.number(found.ratings), found.raters);
    let href = format!("/admin/compare/{}?{}", found.selection.dataset, found.selection.query());
    view! {
        <p class="comparison-facts">{facts}</p>
        <p><a class="button" href=href>{c.compare}</a></p>
    }
    .into_any()
}
