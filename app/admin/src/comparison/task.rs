//! `/admin/compare/:slug/tasks/:task`: one task with every selected model's outputs side by side.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{asked_filter, asked_selection, tasks::here};
use crate::{
    parts::{param, task_text},
    study_task,
};
use model::{
    comparison::{ComparedOutput, ComparedTask},
    dataset::TestText,
    error::AppError,
    ids::TaskId,
    rubric::Rubric,
};
use rpc::comparison::comparison_task;
use texts::I18n;
use ui::{
    code::CodeBox,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    verdict::verdict_of_cases,
};

/// A task of a comparison.
#[component]
pub fn ComparisonTaskPage() -> impl IntoView {
    let i = use_i18n();
    let (params, query) = (use_params_map(), use_query_map());
    let which =
        Memo::new(move |_| (asked_selection(params, query), asked_filter(query), param(params, "task").map(TaskId)));
    let data = Data::new(
        move || which.get(),
        |(selection, filter, task)| async move {
            match task {
                Some(task) => comparison_task(selection, filter, task).await,
                None => Err(AppError::NotFound("task".into())),
            }
        },
    );
    let place = move || (which.get_untracked().0.dataset, here(query));
    view! { <Load data let:task>{page(i, place(), task)}</Load> }
}

fn page(i: I18n, (slug, query): (String, String), data: ComparedTask) -> AnyView {
    let t = i.comparison();
    let ComparedTask { name, task, tests, rubric, outputs, before, after } = data;
    let back = format!("/admin/compare/{slug}?{query}");
    let crumbs =
        vec![(format!("/admin/results/datasets/{slug}"), name.get(i.lang).to_owned()), (back, t.comparison.to_owned())];
    let sampled = outputs.iter().any(|output| output.rated.sample > 0);
    let to = |task: Option<TaskId>, word: &'static str| {
        task.map(|task| {
            view! { <a class="button" href=format!("/admin/compare/{slug}/tasks/{task}?{query}")>{word}</a> }
        })
    };
    let (before, after) = (to(before, t.before), to(after, t.after));
    let none = outputs.is_empty().then(|| view! { <Empty title=t.no_output/> });
    let outputs = outputs
        .into_iter()
        .enumerate()
        .map(|(at, output)| side(i, rubric.as_ref(), at, sampled, output))
        .collect_view();
    view! {
        <Page title=(i.admin().task_n)(&task.task_id) crumbs>
            <p class="row">{before}{after}</p>
            {task_text(i, task)}
            {tests.into_iter().map(|text| test_text(i, text)).collect_view()}
            {none}
            <div class="outputs-beside">{outputs}</div>
        </Page>
    }
    .into_any()
}

/// A part of the task's tests, folded at first.
fn test_text(i: I18n, TestText { part, code }: TestText) -> impl IntoView {
    let name = i.comparison().part_name(part);
    view! {
        <details class="task-tests">
            <summary>{name.clone()}</summary>
            <CodeBox code of=name/>
        </details>
    }
}

/// One output: verdict under its name, ratings under its code.
fn side(i: I18n, rubric: Option<&Rubric>, at: usize, sampled: bool, o: ComparedOutput) -> impl IntoView + use<> {
    let t = i.comparison();
    let id = o.id;
    let verdict = o.verdict.map(|(run, verdict, passed, total)| {
        view! {
            <p class="side-verdict">
                {verdict_of_cases(i, verdict, passed, total)}
                " "<a class="small" href=format!("/admin/runs/{run}/outputs/{id}")>{t.see_run}</a>
            </p>
        }
        .into_any()
    });
    let none = Rubric { slug: String::new(), version: 0, instructions: false, dimensions: Vec::new() };
    let shown = study_task::output(i, rubric.unwrap_or(&none), at, sampled, o.rated, verdict);
    view! { <div class="side">{shown}</div> }
}
