//! `/admin/languages`: HumanEval-X over its languages, a row for each model.

use leptos::prelude::*;

use crate::places::{Place, tabs};
use chart::{
    figures::{self, Entry},
    percentage,
};
use model::{
    code_lang::CodeLang,
    failure_class::FailureClass,
    languages::{LanguageCell, LanguageResults, ModelLanguages},
    run::Verdict,
};
use rpc::runs::languages;
use texts::I18n;
use ui::{
    chart_figure::ChartFigure,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    verdict::verdict,
};

/// Every model in every language.
#[component]
pub fn LanguagesPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.languages();
    let data = Data::new(|| (), |()| languages());
    let actions = move || view! { <a class="button" href="/admin/languages.csv" download="">{t.export}</a> };
    view! {
        <Page title=t.title actions>
            {tabs(i, Place::Results, "/admin/languages")}
            <Load data let:results>{page(i, &results)}</Load>
        </Page>
    }
}

fn page(i: I18n, results: &LanguageResults) -> AnyView {
    let t = i.languages();
    if results.models.is_empty() {
        return view! { <Empty title=t.none><p>{t.none_hint}</p></Empty> }.into_any();
    }
    let columns = results.generation();
    let has_any = |model: &ModelLanguages, columns: &[usize]| columns.iter().any(|at| model.cells[*at].is_some());
    let models: Vec<&ModelLanguages> = results.models.iter().filter(|model| has_any(model, &columns)).collect();
    let generated = results.ks().into_iter().map(|k| generation(i, results, &models, &columns, k)).collect_view();
    let pairs: Vec<usize> = (0..results.datasets.len()).filter(|at| !columns.contains(at)).collect();
    let mut translated: Vec<AnyView> = Vec::new();
    for model in &results.models {
        translated.extend(results.ks().into_iter().filter_map(|k| translation(i, results, model, &pairs, k)));
    }
    view! {
        <p>{t.lead}</p>
        {(!models.is_empty()).then(|| view! {
            {generated}
            <p class="muted small">{t.mean_hint}</p>
            {pass_charts(i, results, &models, &columns)}
            {verdicts(i, results, &models, &columns)}
            {failure_charts(i, results, &models, &columns)}
        })}
        {(!translated.is_empty()).then(|| view! { <h2>{t.translation}</h2>{translated} })}
    }
    .into_any()
}

/// A figure with its interval, and below it the figure as published where it differs.
fn figure(i: I18n, cell: Option<&LanguageCell>, k: u32) -> AnyView {
    let Some((cell, at)) = cell.and_then(|cell| Some((cell, cell.at(k)?))) else {
        return view! { <td class="num">"–"</td> }.into_any();
    };
    let interval = at.interval.map(|i| format!("[{:.1}, {:.1}]", i.low * 100.0, i.high * 100.0));
    let published = cell.published_at(k).filter(|published| (published.value - at.value).abs() > 1e-9);
    let published = published.map(|at| format!("{} {}", percentage(at.value), i.runs().published_short));
    let coverage = (cell.answered < cell.tasks).then(|| (i.results().tested)(cell.answered.into(), cell.tasks.into()));
    view! {
        <td class="num">
            <a class="mean" href=format!("/admin/runs/{}", cell.run)>{percentage(at.value)}</a>
            {interval.map(|text| view! { <span class="interval">{text}</span> })}
            {published.map(|text| view! { <span class="interval">{text}</span> })}
            {coverage.map(|text| view! { <span class="interval">{text}</span> })}
        </td>
    }
    .into_any()
}

/// pass@k of each model in each language.
fn generation(i: I18n, results: &LanguageResults, models: &[&ModelLanguages], columns: &[usize], k: u32) -> AnyView {
    let t = i.languages();
    let heads = columns.iter().map(|at| {
        let dataset = &results.datasets[*at];
        let address = format!("/admin/compare/{}", dataset.slug);
        view! { <th scope="col" class="num"><a href=address translate="no">{dataset.lang.name()}</a></th> }
    });
    let heads = heads.collect_view();
    let rows = models.iter().map(|model| {
        let cells = columns.iter().map(|at| figure(i, model.cells[*at].as_ref(), k)).collect_view();
        let mean = model.mean(columns, k).map_or_else(|| "–".to_owned(), percentage);
        view! {
            <tr><th scope="row">{model.name.clone()}</th>{cells}<td class="num"><span class="mean">{mean}</span></td></tr>
        }
    });
    let (rows, id) = (rows.collect_view(), format!("pass-{k}"));
    view! {
        <section class="stack" aria-labelledby=id.clone()>
            <h2 id=id.clone()>{(t.generation)(k)}</h2>
            <div class="table-box" role="group" aria-labelledby=id.clone() tabindex="0"><table class="table means">
                <thead><tr><th scope="col">{t.model}</th>{heads}<th scope="col" class="num">{t.mean}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        </section>
    }
    .into_any()
}

/// pass@k for the smallest k, a chart for each language with the same scale and order of models.
fn pass_charts(i: I18n, results: &LanguageResults, models: &[&ModelLanguages], columns: &[usize]) -> Option<AnyView> {
    let (t, k) = (i.languages(), *results.ks().first()?);
    let charts = columns.iter().filter_map(|at| {
        let dataset = &results.datasets[*at];
        let entries: Vec<Entry> = models
            .iter()
            .filter_map(|model| {
                let cell = model.cells[*at].as_ref()?;
                let pass = cell.at(k)?;
                Some(Entry {
                    name: model.name.clone(),
                    value: Some(pass.value),
                    interval: pass.interval,
                    n: u64::from(cell.tasks),
                    href: Some(format!("/admin/runs/{}", cell.run)),
                    ..Entry::default()
                })
            })
            .collect();
        let mut figure = figures::shares(i, &format!("pass-{}", dataset.slug), &format!("pass@{k}"), &entries);
        figure.title = (t.pass_in)(dataset.lang.name(), k);
        (!entries.is_empty()).then(|| view! { <ChartFigure figure files=None/> })
    });
    Some(view! { <div class="pictures">{charts.collect_view()}</div> }.into_any())
}

/// Failures as published by class, a chart for each language.
fn failure_charts(
    i: I18n,
    results: &LanguageResults,
    models: &[&ModelLanguages],
    columns: &[usize],
) -> Option<AnyView> {
    let t = i.languages();
    let charts: Vec<AnyView> = columns
        .iter()
        .filter_map(|at| {
            let cells: Vec<(&str, &LanguageCell)> =
                models.iter().filter_map(|model| Some((&*model.name, model.cells[*at].as_ref()?))).collect();
            let count = |cell: &LanguageCell, class: FailureClass| {
                cell.failures.iter().find(|(known, _)| *known == class).map_or(0, |(_, count)| u64::from(*count))
            };
            let counts = |class: &FailureClass| cells.iter().map(|(_, cell)| count(cell, *class)).collect::<Vec<_>>();
            let mut classes: Vec<(String, Vec<u64>)> = FailureClass::ALL
                .iter()
                .map(|class| (t.failure_class(*class).to_owned(), counts(class)))
                .filter(|(_, counts)| counts.iter().any(|count| *count > 0))
                .collect();
            classes.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.iter().sum::<u64>()));
            let dataset = &results.datasets[*at];
            let names: Vec<String> = cells.iter().map(|(name, _)| (*name).to_owned()).collect();
            let (id, title) = (format!("failures-{}", dataset.slug), (t.failures_in)(dataset.lang.name()));
            let figure = figures::failures(i, &id, title, &names, &classes);
            (!classes.is_empty()).then(|| view! { <ChartFigure figure files=None/> }.into_any())
        })
        .collect();
    (!charts.is_empty()).then(|| {
        view! {
            <section class="stack" aria-labelledby="failures">
                <h2 id="failures">{t.failures}</h2>
                <p class="muted small">{t.failures_hint}</p>
                <div class="pictures">{charts}</div>
            </section>
        }
        .into_any()
    })
}

/// How often each guarded verdict occurs, by language and model.
fn verdicts(i: I18n, results: &LanguageResults, models: &[&ModelLanguages], columns: &[usize]) -> AnyView {
    let t = i.languages();
    let mut cells: Vec<(usize, &ModelLanguages, &LanguageCell)> = Vec::new();
    for at in columns {
        cells.extend(models.iter().filter_map(|model| Some((*at, *model, model.cells[*at].as_ref()?))));
    }
    let occurs =
        |verdict: &Verdict| cells.iter().any(|(_, _, cell)| cell.verdicts.iter().any(|(known, _)| known == verdict));
    let shown: Vec<Verdict> = Verdict::ALL.into_iter().filter(occurs).collect();
    let heads = shown.iter().map(|of| view! { <th scope="col" class="num">{verdict(i, *of)}</th> });
    let heads = heads.collect_view();
    let rows = cells.iter().map(|(at, model, cell)| {
        let counts = shown.iter().map(|verdict| {
            let count = cell.verdicts.iter().find(|(known, _)| known == verdict).map_or(0, |(_, count)| *count);
            view! { <td class="num">{i.number(count.into())}</td> }
        });
        view! {
            <tr>
                <th scope="row" translate="no">{results.datasets[*at].lang.name()}</th>
                <td><a href=format!("/admin/runs/{}", cell.run)>{model.name.clone()}</a></td>
                {counts.collect_view()}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="stack" aria-labelledby="verdicts">
            <h2 id="verdicts">{t.verdicts}</h2>
            <div class="table-box" role="group" aria-labelledby="verdicts" tabindex="0"><table class="table">
                <thead><tr><th scope="col">{t.language}</th><th scope="col">{t.model}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        </section>
    }
    .into_any()
}

/// A model's pass@k by source and target language; `None` if it has none for this k.
fn translation(i: I18n, results: &LanguageResults, model: &ModelLanguages, pairs: &[usize], k: u32) -> Option<AnyView> {
    let t = i.languages();
    let has = |at: &usize| model.cells[*at].as_ref().is_some_and(|cell| cell.at(k).is_some());
    pairs.iter().find(|at| has(at))?;
    let langs: Vec<CodeLang> = CodeLang::ALL
        .into_iter()
        .filter(|lang| {
            pairs.iter().any(|at| *lang == results.datasets[*at].lang || Some(*lang) == results.datasets[*at].source)
        })
        .collect();
    let heads = langs.iter().map(|lang| view! { <th scope="col" class="num" translate="no">{lang.name()}</th> });
    let heads = heads.collect_view();
    let rows = langs.iter().map(|source| {
        let cells = langs.iter().map(|target| {
            let cell = results.translation(*source, *target).and_then(|at| model.cells[at].as_ref());
            figure(i, cell, k)
        });
        view! { <tr><th scope="row" translate="no">{source.name()}</th>{cells.collect_view()}</tr> }
    });
    let (rows, id) = (rows.collect_view(), format!("translation-{}-{k}", model.model));
    Some(
        view! {
            <section class="stack" aria-labelledby=id.clone()>
                <h3 id=id.clone()>{(t.translated)(&model.name, k)}</h3>
                <div class="table-box" role="group" aria-labelledby=id.clone() tabindex="0"><table class="table means">
                    <thead><tr><th scope="col">{t.source}</th>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table></div>
            </section>
        }
        .into_any(),
    )
}
