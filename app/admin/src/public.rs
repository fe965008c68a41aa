//! `/public/:secret`: a closed study's comparison, for anyone with the link. Nothing here names a rater: the
//! data ([`PublicStudy`]) contains none.

use leptos::prelude::*;
use leptos_meta::Meta;
use leptos_router::hooks::use_params_map;

use crate::{by_people, comparison::in_short, task_text, tested};
use chart::bars::escape;
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
    copy::CopyRow,
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
    let figures = found.figures.clone();
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
    let coverage = if found.done < found.wanted {
        let text = (t.closed_before_the_end)(&i.number(found.done), &i.number(found.wanted));
        view! { <Notice tone=Tone::Care><p>{text}</p></Notice> }.into_any()
    } else {
        view! { <p>{(t.all_planned)(&i.number(found.done))}</p> }.into_any()
    };
    let about = &found.about;
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let purpose = said(&about.purpose).map(|text| view! { <p class="public-purpose">{text}</p> });
    let fact =
        |name: &'static str, text: &str| said(text).map(|text| view! { <div><dt>{name}</dt><dd>{text}</dd></div> });
    let (authors, contact) = (fact(t.authors, &about.authors), fact(t.contact, &about.contact));
    let license = fact(t.license, &about.license);
    let short = (!found.counting).then(|| in_short(i, &figures));
    let reuse = reuse(i, secret, &found);
    view! {
        <Page title=found.title>
            {purpose}
            <p class="lead">{t.public_note}</p>
            {coverage}
            {short}
            <dl class="facts">
                <div><dt>{i.admin().models}</dt><dd>{models}</dd></div>
                <div><dt>{i.admin().dataset}</dt><dd>{found.dataset}</dd></div>
                <div><dt>{i.admin().ratings}</dt><dd>{i.number(found.ratings)}</dd></div>
                <div><dt>{t.planned_ratings}</dt><dd>{i.number(found.wanted)}</dd></div>
                <div><dt>{t.raters}</dt><dd>{i.number(found.raters)}</dd></div>
                <div><dt>{t.raters_per_output}</dt><dd>{found.raters_per_output}</dd></div>
                <div><dt>{t.public_created}</dt><dd>{i.date(found.created_at)}</dd></div>
                <div><dt>{t.public_published}</dt><dd>{i.date(found.published_at)}</dd></div>
                {authors}
                {contact}
                {license}
            </dl>
            {figures_view(i, &figures, found.counting)}
            {code}
            {reuse}
            <p class="muted small">{t.public_how}</p>
        </Page>
    }
    .into_any()
}

/// How to cite the study, its files, and the figure for other pages.
fn reuse(i: I18n, secret: &str, found: &PublicStudy) -> AnyView {
    let t = i.api();
    let page = format!("/public/{secret}");
    let cited = found.citation.text.get(i.lang).to_owned();
    // The address is a path until a browser completes it.
    let bibtex = format!("{}  url = {{{page}}}\n}}", found.citation.bibtex.get(i.lang));
    let license = found.about.license.is_empty().then(|| view! { <p>{t.no_license}</p> });
    let link = |name: String, word: &'static str| {
        view! { " "<a href=name download="" rel="external">{word}</a> }
    };
    let file = |name: &'static str, file: &str, others: &[(&str, &'static str)]| {
        let links = std::iter::once((file, "CSV")).filter(|(file, _)| !file.is_empty()).chain(others.iter().copied());
        let links = links.map(|(file, word)| link(format!("{page}/files/{file}"), word)).collect_view();
        view! { <li>{name}{i.common.colon}{links}</li> }
    };
    let figures = found.captions.iter().map(|caption| {
        let links = ["svg", "pdf", "png", "csv"].map(|kind| {
            let href = format!("{page}/figures/{}.{kind}?words={}", caption.id, i.lang.code());
            view! { " "<a href=href download="" rel="external">{kind.to_uppercase()}</a> }
        });
        view! { <li><span class="small">{caption.text.get(i.lang).to_owned()}</span>{links.collect_view()}</li> }
    });
    let figures = figures.collect_view();
    let embed = (!found.captions.is_empty()).then(|| {
        let alt = (t.embed_alt)(&found.title);
        let image = format!("{page}/embed.svg?words={}", i.lang.code());
        let html = format!(r#"<a href="{page}"><img src="{image}" width="336" alt="{}"></a>"#, escape(&alt));
        view! {
            <h3>{t.embed}</h3>
            <p class="muted small">{t.embed_note}</p>
            <p><img class="public-embed" src=image alt=alt loading="lazy"/></p>
            <CopyRow id="embed-html" label=t.embed_html text=html rows=3/>
        }
    });
    view! {
        <section id="cite" class="stack" aria-labelledby="cite-head">
            <h2 id="cite-head">{t.cite}</h2>
            {license}
            <h3>{t.cite_text}</h3>
            <CopyRow id="cite-text" label=t.cite_text text=cited rows=2/>
            <h3>{t.bibtex}</h3>
            <CopyRow id="cite-bibtex" label=t.bibtex text=bibtex rows=7/>
            <noscript><p class="muted small">{t.address_note}</p></noscript>
            <h3>{t.public_data}</h3>
            <ul>
                {file(t.file_outputs, "outputs.csv", &[])}
                {file(t.file_means, "means.csv", &[])}
                {file(t.file_pairs, "pairs.csv", &[])}
                {file(t.file_slices, "slices.csv", &[])}
                {file(t.file_tables, "", &[("tables.tex", "LaTeX"), ("tables.md", "Markdown")])}
            </ul>
            <p class="muted small">{t.public_data_note}</p>
            <details class="fold">
                <summary>{t.figure_files}</summary>
                <ul class="public-figures">{figures}</ul>
            </details>
            {embed}
        </section>
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
