//! `/admin/results/models/:model`: everything about one model, against a baseline that the address names.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    address,
    board::{behind, dimension_name, score, share, tested, value},
    dataset_pages, until_computed,
};
use crate::{
    comparison::pairs::p_cells,
    parts::{Filter, asked, param},
};
use chart::{
    figures::{self, Entry},
    signed,
};
use model::{
    claims::opposed,
    ids::ModelId,
    results::{BoardResults, Estimated, HistoryRun, Measured, ModelDataset, ModelResults, ModelSubmission, Versus},
};
use rpc::results::results_model;
use texts::I18n;
use ui::{
    chart_figure::ChartFigure,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
};

/// A model.
#[component]
pub fn ModelResultsPage() -> impl IntoView {
    let i = use_i18n();
    let (params, query) = (use_params_map(), use_query_map());
    let which = Memo::new(move |_| {
        let model = ModelId(param(params, "model").unwrap_or_default());
        (model, asked(query, "baseline").parse().ok().map(ModelId), asked(query, "after"))
    });
    let data = Data::new(move || which.get(), |(model, baseline, after)| results_model(model, baseline, after));
    until_computed(data, |found| {
        let waiting = |d: &ModelDataset| d.dataset.computing || d.history.iter().any(|run| run.pass.is_none());
        found.datasets.iter().any(waiting)
    });
    view! { <Load data let:found>{page(i, found)}</Load> }
}

fn page(i: I18n, found: ModelResults) -> AnyView {
    let t = i.results();
    let baseline = found.baseline.clone();
    let sections = found.datasets.iter().map(|of| section(i, &found, of)).collect_view();
    let chosen = baseline.as_ref().map(|(id, _)| *id);
    let options = found
        .others
        .iter()
        .map(|(id, name)| {
            let is_chosen = Some(*id) == chosen;
            view! { <option value=id.to_string() selected=is_chosen>{name.clone()}</option> }
        })
        .collect_view();
    let form = (!found.others.is_empty()).then(|| {
        view! {
            <Filter>
                <div class="field">
                    <label class="label" for="baseline">{t.baseline}</label>
                    <select class="input" id="baseline" name="baseline">
                        <option value="" selected=chosen.is_none()>{t.no_baseline}</option>
                        {options}
                    </select>
                </div>
                <button class="button" type="submit">{t.show}</button>
            </Filter>
            {baseline.is_some().then(|| view! { <p class="muted small">{t.versus_note}</p> })}
        }
    });
    let pages = dataset_pages(i, &found.page, found.datasets.len(), |after| {
        let (baseline, after) = (chosen.map(|id| id.to_string()).unwrap_or_default(), after.to_owned());
        address(&format!("/admin/results/models/{}", found.model), [("baseline", baseline), ("after", after)])
    });
    let empty = (found.page.all == 0).then(|| view! { <Empty title=t.no_submissions><p><a class="button" href="/admin/upload">{i.admin().upload_outputs}</a></p></Empty> });
    view! {
        <Page title=found.name.clone() crumbs=vec![("/admin/results".into(), t.results.into())]>
            {form}
            {empty}
            {sections}
            {pages}
        </Page>
    }
    .into_any()
}

fn section(i: I18n, found: &ModelResults, of: &ModelDataset) -> AnyView {
    let t = i.results();
    let slug = of.dataset.slug.clone();
    let id = format!("on-{slug}");
    let scores = if of.dataset.computing {
        view! { <p class="muted" role="status">{t.computing}</p> }.into_any()
    } else {
        scores(i, found, of)
    };
    view! {
        <section class="stack" aria-labelledby=id.clone()>
            <h2 id=id.clone()>
                <a href=format!("/admin/results/datasets/{slug}")>{of.dataset.name.get(i.lang).to_owned()}</a>
            </h2>
            {scores}
            {history(i, found, of)}
            {submissions(i, &slug, &of.submissions)}
        </section>
    }
    .into_any()
}

/// One line of the table of scores.
struct Line {
    name: String,
    number: fn(f64) -> String,
    own: Option<Estimated>,
    measured: Option<Measured>,
    baseline: Option<Estimated>,
    versus: Option<Option<Versus>>,
    decimals: usize,
    unit: f64,
}

fn lines(i: I18n, of: &ModelDataset) -> Vec<Line> {
    let at = |measured: Option<&Measured>, at: usize| measured.and_then(|m| m.values.get(at).copied().flatten());
    let baseline = |kind: fn(&BoardResults) -> Option<&Measured>| of.baseline.as_ref().and_then(kind);
    let dimensions = of.dataset.dimensions.iter().enumerate().map(|(d, dimension)| Line {
        name: dimension_name(i, dimension),
        number: if dimension.checklist { share } else { score },
        own: at(of.own.people.as_ref(), d),
        measured: of.own.people.clone(),
        baseline: at(baseline(|r| r.people.as_ref()), d),
        versus: of.differences.get(d).copied(),
        decimals: if dimension.checklist { 1 } else { 2 },
        unit: if dimension.checklist { 100.0 } else { 1.0 },
    });
    let tests = of.dataset.pass_at.iter().enumerate().map(|(k, name)| Line {
        name: format!("pass@{name} (%)"),
        number: share,
        own: at(of.own.tests.as_ref(), k),
        measured: of.own.tests.clone(),
        baseline: at(baseline(|r| r.tests.as_ref()), k),
        // Only pass@1 is tested.
        versus: of.differences.get(of.dataset.dimensions.len()).copied().filter(|_| k == 0),
        decimals: 1,
        unit: 100.0,
    });
    dimensions.chain(tests).collect()
}

fn scores(i: I18n, found: &ModelResults, of: &ModelDataset) -> AnyView {
    let t = i.results();
    let lines = lines(i, of);
    if lines.is_empty() {
        return view! { <p class="muted">{t.no_data}</p> }.into_any();
    }
    let against = found.baseline.as_ref().filter(|_| of.baseline.is_some()).map(|(_, name)| name.clone());
    let with_baseline = against.is_some();
    let rows = lines
        .into_iter()
        .map(|line| {
            let tasks = match (&line.own, &line.measured) {
                (Some(_), Some(measured)) => {
                    let n = tested(i, measured);
                    behind(i, measured, n, None)
                }
                _ => view! { <td class="num">"–"</td> }.into_any(),
            };
            let versus = with_baseline.then(|| {
                view! { {value(i, line.baseline, line.number)}{difference(i, &line)} }
            });
            view! {
                <tr><th scope="row">{line.name.clone()}</th>{value(i, line.own, line.number)}{tasks}{versus}</tr>
            }
        })
        .collect_view();
    let heads = against.map(|name| {
        view! {
            <th scope="col" class="num">{name}</th>
            <th scope="col" class="num">{t.difference}</th>
            <th scope="col" class="num">{i.comparison().uncorrected}</th>
            <th scope="col" class="num">{t.holm}</th>
            <th scope="col">{t.conclusion}</th>
        }
    });
    let label = (t.compared_on)(of.dataset.name.get(i.lang));
    view! {
        <div class="table-box" role="group" aria-label=label tabindex="0">
            <table class="table means">
                <thead><tr>
                    <th scope="col">{t.metric}</th>
                    <th scope="col" class="num">{found.name.clone()}</th>
                    <th scope="col" class="num">{t.tasks}</th>
                    {heads}
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Difference, p-value, and what they allow to say.
fn difference(i: I18n, line: &Line) -> AnyView {
    let t = i.results();
    let Some(Some(versus)) = line.versus else {
        // Without a test nothing is said; a metric that is never tested has no word either.
        let word = if line.versus.is_some() { t.not_comparable } else { "–" };
        return view! { <td class="num">"–"</td>{p_cells(i, None)}<td class="muted conclusion">{word}</td> }.into_any();
    };
    let number = |v: f64| signed(v * line.unit, line.decimals);
    let of_means = line.own.zip(line.baseline).map(|(own, baseline)| own.value - baseline.value);
    let reversed = of_means.is_some_and(|means| opposed(means, versus.difference.value));
    let within = versus.difference.interval.map(|r| format!("[{}, {}]", number(r.low), number(r.high)));
    let word = match (versus.significant, versus.difference.value > 0.0) {
        (true, true) => t.higher,
        (true, false) => t.lower,
        (false, _) if versus.p.is_none() => t.not_comparable,
        (false, _) => t.not_significant,
    };
    view! {
        <td class="num">
            <span class="mean">{number(versus.difference.value)}</span>
            {within.map(|text| view! { <span class="interval">{text}</span> })}
            <span class="interval">{format!("n = {}", i.number(versus.tasks))}</span>
            {reversed.then(|| view! { <span class="interval">{t.other_order_of_means}</span> })}
        </td>
        {p_cells(i, versus.tested())}
        <td class="conclusion">{word}</td>
    }
    .into_any()
}

/// For how many tasks a run has verdicts, where it is not all.
fn partial(i: I18n, run: &HistoryRun) -> Option<AnyView> {
    let text = (run.answered < run.tasks).then(|| (i.results().tested)(run.answered, run.tasks));
    text.map(|text| view! { " "<Badge tone=Tone::Care>{text}</Badge> }.into_any())
}

/// Runs over time: a figure and its table.
fn history(i: I18n, found: &ModelResults, of: &ModelDataset) -> Option<AnyView> {
    let t = i.results();
    if of.history.len() < 2 {
        return None;
    }
    let label = |run: &HistoryRun| (t.run_label)(run.run.0, &i.date(run.at));
    let marks = of.history.iter().map(|run| Entry {
        name: label(run),
        value: run.pass.map(|pass| pass.value),
        interval: run.pass.and_then(|pass| pass.interval),
        n: run.tasks,
        href: Some(format!("/admin/runs/{}", run.run)),
        ..Entry::default()
    });
    let marks: Vec<Entry> = marks.collect();
    let mut figure = figures::shares(i, &format!("history-{}", of.dataset.slug), "pass@1", &marks);
    figure.title = t.history_title.into();
    let versus = found.baseline.as_ref().filter(|_| of.history.iter().any(|run| run.versus.is_some()));
    let table = versus.map(|(_, name)| {
        let rows = of.history.iter().rev().map(|run| {
            let line = Line {
                name: label(run),
                number: share,
                own: run.pass,
                measured: None,
                baseline: None,
                versus: Some(run.versus),
                decimals: 1,
                unit: 100.0,
            };
            let href = format!("/admin/runs/{}", run.run);
            view! {
                <tr>
                    <th scope="row"><a href=href>{line.name.clone()}</a>{partial(i, run)}</th>
                    {value(i, line.own, share)}
                    {difference(i, &line)}
                </tr>
            }
        });
        let rows = rows.collect_view();
        view! {
            <p class="muted small">{t.history_note}</p>
            <div class="table-box" role="group" aria-label=t.history tabindex="0">
                <table class="table means">
                    <thead><tr>
                        <th scope="col">{t.run}</th>
                        <th scope="col" class="num">"pass@1 (%)"</th>
                        <th scope="col" class="num">{t.difference}" − "{name.clone()}</th>
                        <th scope="col" class="num">{i.comparison().uncorrected}</th>
                        <th scope="col" class="num">{t.holm}</th>
                        <th scope="col">{t.conclusion}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    let older = (of.older_runs > 0).then(|| view! { <p class="muted small">{(t.older_runs)(of.older_runs)}</p> });
    Some(
        view! {
            <h3>{t.history}</h3>
            <ChartFigure figure files=None/>
            {table}
            {older}
        }
        .into_any(),
    )
}

fn submissions(i: I18n, slug: &str, submissions: &[ModelSubmission]) -> AnyView {
    let t = i.results();
    let joined = |links: Vec<(String, String)>| {
        let links = links.into_iter().map(|(href, name)| view! { <li><a href=href>{name}</a></li> }).collect_view();
        view! { <ul class="plain-list">{links}</ul> }
    };
    let rows = submissions
        .iter()
        .map(|s| {
            let runs = s.runs.iter().map(|(id, status)| {
                (format!("/admin/runs/{id}"), format!("{} {id} · {}", t.run, i.state_name(*status)))
            });
            let studies = s.studies.iter().map(|(id, title)| (format!("/admin/studies/{id}"), title.clone()));
            view! {
                <tr>
                    <th scope="row"><a href=format!("/admin/submissions/{}", s.id)>{s.file.clone()}</a></th>
                    <td class="when">{i.time(s.at)}</td>
                    <td class="num">{s.version}</td>
                    <td class="num">{i.number(s.outputs)}</td>
                    <td>{joined(runs.collect())}</td>
                    <td>{joined(studies.collect())}</td>
                </tr>
            }
        })
        .collect_view();
    let id = format!("submissions-{slug}");
    view! {
        <h3 id=id.clone()>{t.submissions}</h3>
        <div class="table-box" role="group" aria-labelledby=id tabindex="0">
            <table class="table">
                <thead><tr>
                    <th scope="col">{t.file}</th>
                    <th scope="col">{t.uploaded}</th>
                    <th scope="col" class="num">{t.version}</th>
                    <th scope="col" class="num">{t.outputs}</th>
                    <th scope="col">{t.runs}</th>
                    <th scope="col">{t.studies}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
