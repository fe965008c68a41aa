//! `/admin/compare/:slug`: any number of models on a dataset, by people and by tests together.
//!
//! The selection and the filter of tasks are in the address. Figures and tasks are loaded separately, so
//! that a filter does not reload the figures.

mod agreement;
pub mod follow;
pub mod human;
mod judges;
mod matrix;
pub mod pairs;
mod paper;
mod published;
mod ranking;
mod selection;
pub mod slices;
pub mod task;
pub mod tasks;
pub mod tested;
mod tokens;

use leptos::prelude::*;
use leptos_router::{hooks::use_params_map, hooks::use_query_map, params::ParamsMap};

use self::follow::follow;
use super::{parts::asked, unsent::keep_unsent};
use chart::comparison::Links;
use model::{
    claims::Standing,
    comparison::{ComparisonFigures, ComparisonView, Selection, TaskFilter},
    decimals::Decimals,
    slices::Slices,
};
use rpc::comparison::{comparison_get, comparison_tasks};
use texts::{
    I18n,
    claims::{ClaimRow, Claims, Measure},
};
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
};

/// The selection in the address.
pub fn asked_selection(params: Memo<ParamsMap>, query: Memo<ParamsMap>) -> Selection {
    query.with(|query| Selection::read(&asked(params, "slug"), |key| query.get_all(key).unwrap_or_default()))
}

/// The tasks' filter in the address.
pub fn asked_filter(query: Memo<ParamsMap>) -> TaskFilter {
    query.with(|query| {
        let get = |key: &str| query.get(key).unwrap_or_default();
        TaskFilter { from: Some(get("from").parse().unwrap_or(0)), ..TaskFilter::read(get) }
    })
}

/// The comparison.
#[component]
pub fn ComparisonPage() -> impl IntoView {
    let i = use_i18n();
    let (params, query) = (use_params_map(), use_query_map());
    let selection = Memo::new(move |_| asked_selection(params, query));
    let filter = Memo::new(move |_| asked_filter(query));
    let figures = Data::new(move || selection.get(), comparison_get);
    let tasks =
        Data::new(move || (selection.get(), filter.get()), |(selection, filter)| comparison_tasks(selection, filter));
    let paper = Memo::new(move |_| asked(query, "layout") == "paper");
    let slices = slices::data(move || selection.get(), query);
    follow(
        figures,
        move |_| selection.get_untracked(),
        move || {
            tasks.refetch();
            slices.refetch();
        },
    );
    view! {
        <Load data=figures let:found>
            {page(i, found, (paper, query, slices), move || view! {
                <Load data=tasks let:page>{tasks::view(i, selection.get_untracked(), page)}</Load>
            }.into_any())}
        </Load>
    }
}

fn page(
    i: I18n,
    found: ComparisonView,
    (paper, query, slices): (Memo<bool>, Memo<ParamsMap>, Data<Option<Slices>>),
    tasks: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let t = i.comparison();
    let slug = found.selection.dataset.clone();
    let name = found.options.name.get(i.lang).to_owned();
    let exact = found.selection.query();
    let crumbs = vec![
        ("/admin/results".into(), i.results().results.into()),
        (format!("/admin/results/datasets/{slug}"), name.clone()),
    ];
    let ratings: u64 =
        found.figures.human.as_ref().map_or(0, |human| human.comparison.models.iter().map(|m| m.ratings).sum());
    let raters = found.figures.human.as_ref().map_or(0, |human| human.raters);
    let runs = found.selection.runs.as_ref().map_or(0, Vec::len) as u64;
    let facts = (t.facts)(found.figures.models.len() as u64, &i.number(ratings), raters, runs);
    let adjudicated = found.figures.human.as_ref().map_or(0, |human| human.adjudicated);
    let counting = found.counting;
    let empty = found.figures.human.is_none() && found.figures.automated.is_none() && !counting;
    let downloads = export(i, &slug, &exact);
    let slices_csv = format!("/admin/compare/{slug}/export/slices.csv?{exact}");
    let (live, behind) = (found.live, found.behind);
    // A link to some of the tasks shows them.
    let listed = move || query.with(|query| tasks::OWN.iter().any(|key| query.get(key).is_some()));
    let (form, on_paper) = (selection::form(i, &found), selection::on_paper(i, &found));
    let other = {
        let (slug, exact) = (slug.clone(), exact.clone());
        move || {
            let (layout, word) = if paper.get() { ("", t.as_page) } else { ("layout=paper", t.as_paper) };
            let query = [exact.as_str(), layout].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            view! { <a class="button" href=format!("/admin/compare/{slug}?{}", query.join("&"))>{word}</a> }
        }
    };
    // Only of what was left to the default: an explicit selection of models already says which are missing.
    let left_out = found.options.models.iter().filter(|(id, _)| {
        found.options.empty.contains(id) && !found.selection.models.iter().flatten().any(|chosen| chosen == id)
    });
    let left_out = left_out.count() as u64;
    let left_out = (left_out > 0).then(|| view! { <p class="muted small">{(t.left_out)(left_out)}</p> });
    let body = move || {
        if counting {
            view! { <Notice tone=Tone::Care><p role="status">{t.counting}</p></Notice> }.into_any()
        } else if empty {
            view! { <Empty title=t.nothing><p>{t.nothing_hint}</p></Empty> }.into_any()
        } else if paper.get() {
            paper::view(i, &found)
        } else {
            figures_view(i, &found, query)
        }
    };
    view! {
        <Page title=(t.title)(&name) crumbs>
            {keep_unsent()}
            <p class="comparison-facts">
                {(!counting).then_some(facts)}
                {(adjudicated > 0).then(|| format!(" {}", (t.adjudicated_n)(adjudicated)))}
                {live.then(|| view! { " "<span class="small comparison-live">{t.live}</span> })}
            </p>
            {left_out}
            {(behind && !counting).then(|| view! { <Notice tone=Tone::Care><p>{t.behind}</p></Notice> })}
            {form}
            {on_paper}
            <div class="row comparison-tools">
                {(!empty && !counting).then_some(other)}
                <a class="button quiet" href=format!("/admin/compare/{slug}?{exact}")>{t.exact_link}</a>
                {(!empty).then_some(downloads)}
            </div>
            {body}
            {(!empty).then(|| view! { <slices::SlicesSection slices csv=slices_csv/> })}
            {(!empty).then(|| view! {
                <section id="tasks" class="stack" aria-labelledby="tasks-head">
                    <h2 id="tasks-head">{t.tasks}</h2>
                    <details class="fold" open=listed prop:open=listed>
                        <summary>{t.all_tasks}</summary>
                        {tasks()}
                    </details>
                </section>
            })}
        </Page>
    }
    .into_any()
}

fn export(i: I18n, slug: &str, query: &str) -> impl IntoView + use<> {
    let t = i.comparison();
    let tables = [
        ("ratings", t.export_ratings, true),
        ("verdicts", t.export_verdicts, true),
        ("outputs", t.export_outputs, true),
        ("pairs", t.export_pairs, false),
        ("slices", t.slices, false),
    ];
    // A file's ending, what is added to its address, the format's name, and whether it is for lines only.
    let formats = [
        ("csv", "", "CSV", false),
        ("csv", "&bom=true", t.csv_for_excel, false),
        ("jsonl", "", "JSON Lines", true),
        ("parquet", "", "Parquet", true),
    ];
    let rows = tables
        .into_iter()
        .map(|(table, name, has_lines)| {
            let links = formats.into_iter().filter(|(.., for_lines)| has_lines || !for_lines);
            let links = links.map(|(ending, more, format, _)| {
                let href = format!("/admin/compare/{slug}/export/{table}.{ending}?{query}{more}");
                let label = (t.export_as)(format, name);
                view! { <a href=href aria-label=label download="" rel="external">{format}</a> }
            });
            view! { <li><span class="export-menu-name">{name}</span>{links.collect_view()}</li> }
        })
        .collect_view();
    let files = [("bundle.zip", t.bundle), ("dataset-folder.zip", t.dataset_folder)];
    let links = files
        .into_iter()
        .map(|(file, name)| {
            let href = format!("/admin/compare/{slug}/export/{file}?{query}");
            view! { <li><a href=href download="" rel="external">{name}</a></li> }
        })
        .collect_view();
    let print = print_form(i, slug, query);
    view! {
        <details class="export-menu">
            <summary class="button">{t.export}</summary>
            <div class="export-menu-box">
                <ul>{rows}{links}</ul>
                {print}
                <p class="muted small">{t.export_hint}</p>
            </div>
        </details>
    }
}

/// Tables for print: their format and decimals. The browser sends the form, so it works without scripts.
fn print_form(i: I18n, slug: &str, query: &str) -> impl IntoView + use<> {
    let t = i.comparison();
    let hidden = query.split('&').filter_map(|field| field.split_once('='));
    let hidden = hidden.map(|(key, value)| view! { <input type="hidden" name=key.to_owned() value=value.to_owned()/> });
    let hidden = hidden.collect_view();
    let files = [
        ("tables.tex", "LaTeX"),
        ("tables.md", "Markdown"),
        ("table-automatic.csv", t.csv_automatic),
        ("table-manual.csv", t.csv_manual),
        ("table-differences.csv", t.csv_differences),
        ("table-agreement.csv", t.csv_agreement),
    ];
    let files = files.map(|(file, name)| view! { <option value=file>{name}</option> }).collect_view();
    let decimals = |id: &'static str, name: &'static str, label: &'static str, default: u8| {
        let options =
            (0..=Decimals::MOST).map(|n| view! { <option value=n.to_string() selected={n == default}>{n}</option> });
        view! {
            <div class="field">
                <label class="label" for=id>{label}</label>
                <select class="input" id=id name=name>{options.collect_view()}</select>
            </div>
        }
    };
    let default = Decimals::default();
    view! {
        <form class="print-form" method="get" action=format!("/admin/compare/{slug}/export/tables")>
            {hidden}
            <p class="export-menu-name"><strong>{t.print_tables}</strong></p>
            <div class="field">
                <label class="label" for="print-file">{t.print_format}</label>
                <select class="input" id="print-file" name="file">{files}</select>
            </div>
            {decimals("print-scores", Decimals::SCORES, t.print_scores, default.scores)}
            {decimals("print-percent", Decimals::PERCENT, t.print_percent, default.percent)}
            <button class="button" type="submit">{t.print_download}</button>
        </form>
    }
}

fn figures_view(i: I18n, found: &ComparisonView, query: Memo<ParamsMap>) -> AnyView {
    let t = i.comparison();
    let links = Links::of(&found.selection).captioned(&found.captions);
    let by_people = match &found.figures.human {
        None => view! { <p class="muted">{t.no_ratings}</p> }.into_any(),
        Some(human) => human::with_tests(i, human, &found.raters, Some(&links)),
    };
    let by_tests = match &found.figures.automated {
        None => view! { <p class="muted">{t.no_runs}</p> }.into_any(),
        Some(automated) => tested::view(i, &found.figures, automated, Some(&links)),
    };
    let both = found.figures.both.as_ref().zip(found.figures.human.as_ref());
    let both = both.map(|(both, human)| {
        view! {
            <section id="both" class="stack" aria-labelledby="both-head">
                <h2 id="both-head">{t.tests_and_people}</h2>
                {tested::both(i, &found.figures, &human.comparison.rubric, both, Some(&links))}
            </section>
        }
    });
    let tokens = tokens::view(i, &found.figures, query, links.clone());
    let short = in_short(i, &found.figures);
    let judges = found.figures.human.as_ref().and_then(|human| judges::view(i, found, human));
    view! {
        <nav class="comparison-nav" aria-label=t.contents>
            <a href="#short" rel="external">{t.in_short}</a>
            <a href="#people" rel="external">{t.by_people}</a>
            <a href="#tests" rel="external">{t.by_tests}</a>
            {both.is_some().then(|| view! { <a href="#both" rel="external">{t.tests_and_people}</a> })}
            {tokens.is_some().then(|| view! { <a href="#tokens" rel="external">{t.quality_and_tokens}</a> })}
            {judges.is_some().then(|| view! { <a href="#judges" rel="external">{t.judges}</a> })}
            <a href="#slices" rel="external">{t.slices}</a>
            <a href="#tasks" rel="external">{t.tasks}</a>
        </nav>
        {short}
        <section id="people" class="comparison stack" aria-labelledby="people-head">
            <h2 id="people-head">{t.by_people}</h2>
            {by_people}
        </section>
        <section id="tests" class="stack" aria-labelledby="tests-head">
            <h2 id="tests-head">{t.by_tests}</h2>
            {by_tests}
        </section>
        {both}
        {tokens}
        {judges}
    }
    .into_any()
}

/// The summary: a row for each dimension, and one for the tests. What is proven comes first.
pub fn in_short(i: I18n, figures: &ComparisonFigures) -> Option<AnyView> {
    let t = i.comparison();
    let mut rows: Vec<(String, ClaimRow)> = Vec::new();
    let models: Vec<&str> = figures.models.iter().map(String::as_str).collect();
    if let Some(human) = &figures.human {
        for (d, dimension) in human.comparison.rubric.dimensions.iter().enumerate() {
            let standing = Standing::of_ratings(human, d);
            let row = Claims::new(i, Measure::Ratings, &standing, &models, &human.tests).row();
            rows.extend(row.map(|row| (dimension.name.get(i.lang).to_owned(), row)));
        }
    }
    if let Some(automated) = &figures.automated {
        let standing = Standing::of_tests(automated);
        let row = Claims::new(i, Measure::Tests, &standing, &models, &[]).row();
        rows.extend(row.map(|row| (t.by_tests.to_owned(), row)));
    }
    rows.sort_by_key(|(_, row)| !row.proven);
    if rows.is_empty() {
        return None;
    }
    let rows = rows.into_iter().map(|(name, row)| {
        let or_none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
        let leader = match row.proven {
            true => view! { <strong>{row.leader}</strong> }.into_any(),
            false => view! { <span class="muted">{row.leader}</span> }.into_any(),
        };
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.metric>{name}</th>
                <td role="cell" data-label=t.leader>{leader}</td>
                <td role="cell" data-label=t.evidence>{or_none(row.evidence)}</td>
                <td role="cell" data-label=t.missing_data>{or_none(row.missing)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    Some(
        view! {
            <section id="short" class="stack" aria-labelledby="short-head">
                <h2 id="short-head">{t.in_short}</h2>
                <div class="table-box list-box"><table class="table list summary" role="table">
                    <caption class="visually-hidden">{t.in_short}</caption>
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col">{t.metric}</th>
                            <th role="columnheader" scope="col">{t.leader}</th>
                            <th role="columnheader" scope="col">{t.evidence}</th>
                            <th role="columnheader" scope="col">{t.missing_data}</th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table></div>
            </section>
        }
        .into_any(),
    )
}
