//! `/public/:secret`: a closed study's comparison, for anyone with the link. Nothing here names a rater: the
//! data ([`PublicStudy`]) contains none.

use leptos::prelude::*;
use leptos_meta::Meta;
use leptos_router::hooks::use_params_map;

use crate::{by_people, task_text, tested};
use model::{
    api::{PublicStudy, PublicTask},
    comparison::ComparisonFigures,
    error::AppError,
    ids::TaskId,
};
use rpc::api::{open_public_study, open_public_task};
use texts::I18n;
use ui::{
    code::CodeBox,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The comparison.
#[component]
pub fn PublicStudyPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let secret = Memo::new(move |_| params.with(|p| p.get("secret")).unwrap_or_default());
    let data = Data::new(move || secret.get(), open_public_study);
    view! {
        <Meta name="robots" content="noindex, nofollow"/>
        <Load data let:found>{page(i, &secret.get_untracked(), found)}</Load>
    }
}

fn page(i: I18n, secret: &str, found: PublicStudy) -> AnyView {
    let t = i.api();
    let figures = found.figures;
    let rated = figures.human.iter().flat_map(|human| &human.comparison.models);
    let ratings: u64 = rated.map(|model| model.ratings).sum();
    let models = figures.models.join(" · ");
    let tasks = found
        .tasks
        .iter()
        .map(|(id, task_id, begins)| {
            view! {
                <li>
                    <a href=format!("/public/{secret}/tasks/{id}")>{task_id.clone()}</a>
                    " "<span class="muted">{begins.clone()}</span>
                </li>
            }
        })
        .collect_view();
    let code = (!found.tasks.is_empty()).then(|| {
        view! {
            <section class="stack" aria-labelledby="tasks-head">
                <h2 id="tasks-head">{t.read_code}</h2>
                <ol class="public-tasks">{tasks}</ol>
            </section>
        }
    });
    let unfinished = (found.done < found.wanted).then(|| {
        let text = (t.closed_before_the_end)(&i.number(found.done), &i.number(found.wanted));
        view! { <Notice tone=Tone::Care><p>{text}</p></Notice> }
    });
    view! {
        <Page title=found.title>
            <p class="lead">{t.public_note}</p>
            {unfinished}
            <dl class="facts">
                <div><dt>{i.admin().models}</dt><dd>{models}</dd></div>
                <div><dt>{i.admin().dataset}</dt><dd>{found.dataset}</dd></div>
                <div><dt>{i.admin().ratings}</dt><dd>{i.number(ratings)}</dd></div>
                <div><dt>{t.planned_ratings}</dt><dd>{i.number(found.wanted)}</dd></div>
                <div><dt>{t.raters}</dt><dd>{i.number(found.raters)}</dd></div>
                <div><dt>{t.raters_per_output}</dt><dd>{found.raters_per_output}</dd></div>
                <div><dt>{t.public_created}</dt><dd>{i.date(found.created_at)}</dd></div>
                <div><dt>{t.public_published}</dt><dd>{i.date(found.published_at)}</dd></div>
            </dl>
            {figures_view(i, &figures, found.counting)}
            {code}
            <p class="muted small">{t.public_how}</p>
        </Page>
    }
    .into_any()
}

/// Ratings, tests, and their agreement. No mark has a link: the tasks behind it are for admins.
fn figures_view(i: I18n, figures: &ComparisonFigures, counting: bool) -> AnyView {
    let t = i.comparison();
    if counting {
        return view! { <Notice tone=Tone::Care><p role="status">{t.counting}</p></Notice> }.into_any();
    }
    let people = match &figures.human {
        Some(human) => by_people(i, human, &[], None),
        None => view! { <p class="muted">{t.no_ratings}</p> }.into_any(),
    };
    let tests = figures.automated.as_ref().map(|automated| {
        view! {
            <section id="tests" class="stack" aria-labelledby="tests-head">
                <h2 id="tests-head">{t.by_tests}</h2>
                {tested::view(i, figures, automated, None)}
            </section>
        }
    });
    let both = figures.both.as_ref().zip(figures.human.as_ref()).map(|(both, human)| {
        view! {
            <section id="both" class="stack" aria-labelledby="both-head">
                <h2 id="both-head">{t.tests_and_people}</h2>
                {tested::both(i, figures, &human.comparison.rubric, both, None)}
            </section>
        }
    });
    view! {
        <section id="comparison" class="comparison stack" aria-labelledby="comparison-head">
            <h2 id="comparison-head">{t.by_people}</h2>
            {people}
        </section>
        {tests}
        {both}
    }
    .into_any()
}

/// One task with each model's output, if the link shows it.
#[component]
pub fn PublicTaskPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let which = Memo::new(move |_| {
        params.with(|p| {
            let task = p.get("task").and_then(|text| text.parse().ok()).map(TaskId);
            (p.get("secret").unwrap_or_default(), task)
        })
    });
    let data = Data::new(
        move || which.get(),
        |(secret, task)| async move {
            open_public_task(secret, task.ok_or_else(|| AppError::NotFound("page".into()))?).await
        },
    );
    view! {
        <Meta name="robots" content="noindex, nofollow"/>
        <Load data let:found>{task_page(i, &which.get_untracked().0, found)}</Load>
    }
}

fn task_page(i: I18n, secret: &str, found: PublicTask) -> AnyView {
    let title = (i.admin().task_n)(&found.task.task_id);
    let outputs = found
        .outputs
        .into_iter()
        .enumerate()
        .map(|(at, (model, code))| {
            let id = format!("output-{at}");
            let labeled = id.clone();
            view! {
                <section class="output" aria-labelledby=labeled>
                    <h2 id=id>{model.clone()}</h2>
                    <CodeBox code of=model/>
                </section>
            }
        })
        .collect_view();
    view! {
        <Page title crumbs=vec![(format!("/public/{secret}"), found.title)]>
            {task_text(i, found.task)}
            <div class="outputs-beside">{outputs}</div>
        </Page>
    }
    .into_any()
}
