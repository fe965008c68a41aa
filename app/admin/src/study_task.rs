//! `/admin/studies/:id/tasks/:task`: one task with every model's output and every rating.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::parts::{param, task_text};
use model::{
    error::AppError,
    ids::{StudyId, TaskId},
    lang::Lang,
    ratings::{OutputRatings, RatingRow, TaskRatings},
    rubric::Rubric,
};
use rpc::studies::study_task;
use texts::I18n;
use ui::{
    code::CodeBox,
    context::use_i18n,
    flag::{flag_badge, flag_words},
    frame::Page,
    load::{Data, Load},
    margin::read_only,
    scores::whole_score,
};

/// A task of a study.
#[component]
pub fn StudyTaskPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let which = Memo::new(move |_| (param(params, "id").map(StudyId), param(params, "task").map(TaskId)));
    let data = Data::new(
        move || which.get(),
        |which| async move {
            match which {
                (Some(study), Some(task)) => study_task(study, task).await,
                _ => Err(AppError::NotFound("task".into())),
            }
        },
    );
    view! { <Load data let:task>{page(i, which.get_untracked().0, task)}</Load> }
}

fn page(i: I18n, study: Option<StudyId>, data: TaskRatings) -> AnyView {
    let t = i.admin();
    let TaskRatings { title, task, rubric, outputs } = data;
    let back = study.map_or_else(|| "/admin/studies".into(), |id| format!("/admin/studies/{id}"));
    let crumbs = vec![("/admin/studies".into(), t.studies.into()), (back, title)];
    let heading = (t.task_n)(&task.task_id);
    let sampled = outputs.iter().any(|o| o.sample > 0);
    let outputs =
        outputs.into_iter().enumerate().map(|(at, o)| output(i, &rubric, at, sampled, o, None)).collect_view();
    view! {
        <Page title=heading crumbs>
            {task_text(i, task)}
            <div class="outputs-beside">{outputs}</div>
        </Page>
    }
    .into_any()
}

/// One output with its code and every rating of it; `under` is shown below its name.
pub fn output(
    i: I18n,
    rubric: &Rubric,
    at: usize,
    sampled: bool,
    o: OutputRatings,
    under: Option<AnyView>,
) -> impl IntoView + use<> {
    let t = i.admin();
    let id = format!("output-{at}");
    let heading = id.clone();
    let whose = o.model.clone();
    let sample = sampled.then(|| view! { " "<span class="muted">{(t.sample_n)(o.sample + 1)}</span> });
    let count = o.ratings.iter().filter(|r| !r.replaced).count() as u64;
    let notes = o
        .ratings
        .iter()
        .flat_map(|r| {
            let who = if r.replaced { format!("{} ({})", r.rater, t.replaced) } else { r.rater.clone() };
            r.notes.iter().map(move |note| (note.clone(), who.clone()))
        })
        .collect();
    let ratings = if o.ratings.is_empty() {
        view! { <p class="muted">{t.no_ratings_yet}</p> }.into_any()
    } else {
        rating_table(i, rubric, &id, o.ratings)
    };
    view! {
        <section class="output" aria-labelledby=id.clone()>
            <h2 id=heading>{o.model}{sample}</h2>
            {under}
            <CodeBox code=o.code of=whose margin=read_only(notes)/>
            <h3>{(t.ratings_n)(count)}</h3>
            {ratings}
        </section>
    }
}

fn rating_table(i: I18n, rubric: &Rubric, id: &str, ratings: Vec<RatingRow>) -> AnyView {
    let t = i.admin();
    let heads = rubric
        .dimensions
        .iter()
        .map(|d| view! { <th scope="col" class="num">{d.name.get(i.lang).to_owned()}</th> })
        .collect_view();
    let width = rubric.dimensions.len() + 1;
    let rows = ratings
        .into_iter()
        .map(|r| {
            let scores = rubric
                .dimensions
                .iter()
                .enumerate()
                .map(|(d, dimension)| {
                    view! { <td class="num">{whole_score(i, Some(dimension), r.scores.get(d).copied())}</td> }
                })
                .collect_view();
            let class = if r.replaced { "replaced" } else { "" };
            let old = r.replaced.then(|| view! { " "<span class="badge tone-plain">{t.replaced}</span> });
            let flag = r.flag.as_ref().map(|f| {
                view! { <p>{flag_badge(i, f)}</p>{flag_words(f)} }
            });
            let comment = (!r.comment.is_empty()).then(|| {
                let lang = Lang::detect(&r.comment).tag();
                view! { <p class="comment" lang=lang>{r.comment.clone()}</p> }
            });
            let remarks = (flag.is_some() || comment.is_some())
                .then(|| view! { <tr class=format!("said-row {class}")><td colspan=width>{flag}{comment}</td></tr> });
            view! {
                <tr class=class>
                    <th scope="row">{r.rater}{old}<span class="small muted rated-at">{i.time(r.at)}</span></th>
                    {scores}
                </tr>
                {remarks}
            }
        })
        .collect_view();
    view! {
        <div class="table-box" role="group" aria-labelledby=id.to_owned() tabindex="0">
            <table class="table ratings">
                <thead>
                    <tr>
                        <th scope="col">{t.rater}</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
