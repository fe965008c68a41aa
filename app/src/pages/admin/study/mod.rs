//! `/admin/studies/:id`: how far a study is, and what it says about its models.
//!
//! Four loads, because they take differently long: the study itself, how it goes on, the comparison
//! (intervals by resampling), and the tasks.

mod live;
mod progress;
mod public;
mod tasks;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

pub use progress::flag_text;

use super::{
    compare::{follow::follow, human},
    parts::param,
    quality::links as quality_links,
};
use crate::{
    error::AppError,
    i18n::{I18n, use_i18n},
    model::{compare::Compared, comparison::TaskScores, ids::StudyId, quality::Live, study::StudyDetail},
    rpc::{
        quality::study_live,
        studies::{SetStudyStatus, compare, study, study_tasks},
    },
    ui::{
        chart::compared::Links,
        form::FormAction,
        frame::Page,
        load::{Data, Load},
        notice::{Empty, Notice, Tone},
    },
};

/// A study.
#[component]
pub fn StudyPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let missing = || AppError::NotFound("study".into());
    let set_status = FormAction::<SetStudyStatus>::new();
    let data = Data::new(
        move || (id.get(), set_status.version().get()),
        move |(id, _)| async move { study(id.ok_or_else(missing)?).await },
    );
    let comparison = Data::new(move || id.get(), move |id| async move { compare(id.ok_or_else(missing)?).await });
    let tasks = Data::new(move || id.get(), move |id| async move { study_tasks(id.ok_or_else(missing)?).await });
    let now = Data::new(
        move || (id.get(), set_status.version().get()),
        move |(id, _)| async move { study_live(id.ok_or_else(missing)?).await },
    );
    follow(comparison, |shown| shown, move || tasks.refetch());
    let heard = live::listen(id);
    let links = public::Handles::of(id);
    view! { <Load data let:detail>{page(i, detail, set_status, (now, heard), (comparison, tasks), links)}</Load> }
}

/// What the page asks the server for.
type Loaded<T> = Data<T>;

fn page(
    i: I18n,
    detail: StudyDetail,
    set_status: FormAction<SetStudyStatus>,
    (now, heard): (Loaded<Live>, live::Heard),
    (comparison, tasks): (Loaded<Compared>, Loaded<Vec<TaskScores>>),
    links: public::Handles,
) -> AnyView {
    let t = i.admin();
    let id = detail.row.id;
    let models = detail.row.models.clone();
    let status = detail.row.status;
    let whole = format!("/admin/compare/{}?studies={id}", detail.row.dataset);
    let actions = move || {
        view! {
            {quality_links(i, id)}
            <a class="button" href=format!("/admin/studies/{id}/comparison.csv") download="">{t.comparison_csv}</a>
            <a class="button" href=format!("/admin/studies/{id}/ratings.csv") download="">{t.ratings_csv}</a>
        }
    };
    view! {
        <Page title=detail.row.title.clone() crumbs=vec![("/admin/studies".into(), t.studies.into())] actions>
            {progress::view(i, detail, set_status)}
            <Load data=now let:first>{live::view(i, first, heard)}</Load>
            <section id="comparison" class="comparison stack" aria-labelledby="comparison-head">
                <h2 id="comparison-head">{t.comparison}</h2>
                <p><a class="button" href=whole>{i.compare().compare}</a></p>
                <Load data=comparison let:figures>{compared(i, &figures)}</Load>
            </section>
            <section id="tasks" class="stack" aria-labelledby="tasks-head">
                <h2 id="tasks-head">{t.tasks}</h2>
                <Load data=tasks let:rows>{view! { <tasks::Tasks study=id models=models.clone() tasks=rows/> }}</Load>
            </section>
            <public::PublicPage study=id status handles=links/>
        </Page>
    }
    .into_any()
}

/// The models by the ratings so far, or why there is nothing to say yet.
fn compared(i: I18n, found: &Compared) -> AnyView {
    let (t, c) = (i.admin(), i.compare());
    match &found.sheet.human {
        Some(human) => {
            let behind =
                found.behind.then(|| view! { <Notice tone=Tone::Care><p role="status">{c.behind}</p></Notice> });
            view! { {behind} {human::view(i, human, &Links::of(&found.choice))} }.into_any()
        }
        None if found.counting => {
            view! { <Notice tone=Tone::Care><p role="status">{c.counting}</p></Notice> }.into_any()
        }
        None => view! { <Empty title=t.no_ratings_yet><p>{t.where_raters_begin}</p></Empty> }.into_any(),
    }
}
