//! Automated tests of the models, and their agreement with people.

use leptos::prelude::*;

use super::{
    agreement::undefined,
    human::{columns, figure_view, files, pairs_of},
    pairs, published,
    ranking::{self, Ranking},
};
use chart::{
    bars::Axis,
    comparison::{self, Links},
    figures::Entry,
    percentage, signed,
};
use model::{
    claims::Standing,
    comparison::{Automated, Checked, ComparisonFigures, Pair, TestsAndRatings},
    ratings::Interval,
    rubric::Rubric,
    run::Metrics,
    stats::{Estimate, Known},
};
use texts::{I18n, claims::Measure};

fn points(share: f64) -> String {
    signed(share * 100.0, 1)
}

/// A figure of a run, unless no task counts in it.
pub(super) fn counted(metrics: &Metrics, shown: fn(&Metrics) -> String) -> String {
    if metrics.has_tasks() { shown(metrics) } else { "–".to_owned() }
}

pub(super) fn share_range(range: Option<Interval>) -> Option<String> {
    range.map(|r| format!("[{:.1}, {:.1}]", r.low * 100.0, r.high * 100.0))
}

fn name(models: &[String], at: usize) -> &str {
    models.get(at).map_or("?", String::as_str)
}

/// The automated part.
pub fn view(i: I18n, figures: &ComparisonFigures, automated: &Automated, links: Option<&Links>) -> AnyView {
    let t = i.comparison();
    let names: Vec<&str> = figures.models.iter().map(String::as_str).collect();
    let standing = Standing::of_tests(automated);
    // The two rankings are the figures of the two metrics.
    let mut charts = comparison::tested(i, figures, automated, links).into_iter();
    let (pass_files, ratio_files) =
        (charts.next().and_then(|f| files(i, &f, links)), charts.next().and_then(|f| files(i, &f, links)));
    let charts = charts.map(|figure| figure_view(figure, links)).collect_view();
    let ranking = |id: &str, title: &str, entries: Vec<Entry>| {
        let (axis, number) = (Axis::percent(), (|v| format!("{:.1}%", v * 100.0)) as fn(f64) -> String);
        ranking::table(i, Ranking { id, title: title.to_owned(), axis, number, entries, unit: 100.0, hint: true })
    };
    let pass = ranking("pass-at-1", t.pass_at_1, comparison::ranked_by_pass(figures, automated, links));
    let ratio = ranking("avg-pass-ratio", t.ratio, comparison::ranked_by_ratio(figures, automated, links));
    let table = (!automated.pairs.is_empty()).then(|| pair_table(i, &figures.models, &automated.pairs, links));
    view! {
        <div class="rankings-columns">
            <section class="dimension" aria-labelledby="pass-head">
                <div class="figure-head"><h3 id="pass-head">{t.pass_at_1}</h3>{pass_files}</div>
                {pass}
            </section>
            <section class="dimension" aria-labelledby="ratio-head">
                <div class="figure-head"><h3 id="ratio-head">{t.ratio}</h3>{ratio_files}</div>
                {ratio}
            </section>
        </div>
        <details class="fold">
            <summary>{t.details_tests}</summary>
            <div class=columns(names.len())>
                <div class="stack">{pairs_of(i, ("pass", Measure::Tests), &standing, &names, (&[], links))}</div>
                <div class="pictures">{charts}</div>
            </div>
            {figures_view(i, figures, automated)}
            {table}
        </details>
    }
    .into_any()
}

fn figures_view(i: I18n, figures: &ComparisonFigures, automated: &Automated) -> impl IntoView + use<> {
    let t = i.comparison();
    let heads = figures
        .models
        .iter()
        .zip(&automated.models)
        .map(|(model, checked)| {
            let run = checked.as_ref().and_then(|c| c.run).map(|run| {
                view! { <a class="small run-link" href=format!("/admin/runs/{run}")>{t.see_run}</a> }
            });
            view! { <th scope="col" class="num">{model.clone()}" "{run}</th> }
        })
        .collect_view();
    let cells = |of: &dyn Fn(&Checked) -> (String, Option<String>)| {
        automated
            .models
            .iter()
            .map(|checked| {
                let (value, within) = checked.as_ref().map_or_else(|| ("–".to_owned(), None), of);
                view! {
                    <td class="num">
                        <span class="mean">{value}</span>
                        {within.map(|text| view! { <span class="interval">{text}</span> })}
                    </td>
                }
            })
            .collect_view()
            .into_any()
    };
    let row = |word: &'static str, cells: AnyView| view! { <tr><th scope="row">{word}</th>{cells}</tr> }.into_any();
    let mut rows = vec![
        row(t.tasks_with_tests, cells(&|c| (c.metrics.tasks.to_string(), None))),
        row(t.answered, cells(&|c| (c.metrics.answered.to_string(), None))),
        row(
            t.pass_at_1,
            cells(&|c| {
                let share = |m: &Metrics| format!("{} · {}", m.solved, percentage(m.pass_at_1));
                (counted(&c.metrics, share), share_range(c.pass_interval))
            }),
        ),
        row(
            t.ratio,
            cells(&|c| {
                let share = |m: &Metrics| format!("{:.4} · {}", m.ratio_sum, percentage(m.ratio_mean));
                (counted(&c.metrics, share), share_range(c.ratio_interval))
            }),
        ),
        row(
            t.ratio_clamped,
            cells(&|c| {
                let share = |m: &Metrics| format!("{:.4} · {}", m.ratio_sum_clamped, percentage(m.ratio_mean_clamped));
                (counted(&c.metrics, share), None)
            }),
        ),
    ];
    for k in published::ks(automated) {
        let cells = cells(&|c| published::share_at(&c.pass_at, k));
        rows.push(view! { <tr><th scope="row">{format!("pass@{k}")}</th>{cells}</tr> }.into_any());
    }
    rows.extend(published::rows(i, automated));
    if automated.models.iter().flatten().any(|c| !c.anomalies.is_empty()) {
        rows.push(row(t.anomalies, cells(&|c| (c.anomalies.join(", "), None))));
    }
    if automated.models.iter().flatten().any(|c| c.metrics.not_counted > 0) {
        rows.push(row(t.not_counted, cells(&|c| (c.metrics.not_counted.to_string(), None))));
    }
    if automated.models.iter().flatten().any(|c| c.missing > 0) {
        rows.push(row(t.missing, cells(&|c| (c.missing.to_string(), None))));
    }
    view! {
        <div class="table-box" role="group" aria-labelledby="automated-caption" tabindex="0">
            <table class="table means">
                <caption id="automated-caption">{t.interval_note}</caption>
                <thead><tr><th scope="col">{t.metric}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn pair_table(i: I18n, models: &[String], all: &[Pair], links: Option<&Links>) -> impl IntoView + use<> {
    let t = i.comparison();
    let mut shown: Vec<&Pair> = all.iter().collect();
    if all.len() > pairs::MOST {
        // The smallest p-values first; those without one last.
        shown.sort_by(|a, b| a.holm.unwrap_or(2.0).total_cmp(&b.holm.unwrap_or(2.0)));
    }
    let rows = shown
        .into_iter()
        .take(pairs::MOST)
        .map(|pair| {
            let counts = pair.table.map(|n| view! { <td class="num">{i.number(n)}</td> }).collect_view();
            // Without a common task there is no difference, not one of zero.
            let with = |value: f64, range: Option<Interval>| {
                let value = if pair.tasks > 0 { points(value) } else { "–".to_owned() };
                view! {
                    <td class="num">
                        <span class="mean">{value}</span>
                        {share_range(range).map(|text| view! { <span class="interval">{text}</span> })}
                    </td>
                }
            };
            view! {
                <tr>
                    <th scope="row">{format!("{} − {}", name(models, pair.first), name(models, pair.second))}</th>
                    {counts}
                    {with(pair.pass, pair.pass_interval)}
                    {with(pair.ratio, pair.ratio_interval)}
                    {pairs::p_cells(i, pair.tested())}
                </tr>
            }
        })
        .collect_view();
    let heads = [
        t.both_pass,
        t.only_first,
        t.only_second,
        t.neither,
        t.pass_difference,
        t.ratio_difference,
        t.uncorrected,
        t.holm,
    ]
    .map(|word| view! { <th scope="col" class="num">{word}</th> })
    .collect_view();
    view! {
        <h3 id="pairs-head">{t.pairs}</h3>
        {pairs::cut_note(i, all.len(), links)}
        <div class="table-box" role="group" aria-labelledby="pairs-head" tabindex="0">
            <table class="table means">
                <thead><tr><th scope="col">{t.pair}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Tests compared with people.
pub fn both(
    i: I18n,
    figures: &ComparisonFigures,
    rubric: &Rubric,
    both: &TestsAndRatings,
    links: Option<&Links>,
) -> AnyView {
    let (t, models) = (i.comparison(), &figures.models);
    let scatter = comparison::tests_and_people(i, figures, links).map(|figure| figure_view(figure, links));
    let dimension = rubric.dimensions.get(both.dimension).map(|d| d.name.get(i.lang).to_owned()).unwrap_or_default();
    let rows = both
        .rows
        .iter()
        .map(|row| {
            let who = row.model.map_or_else(|| t.all_together.to_owned(), |m| name(models, m).to_owned());
            let with = |known: Known<Estimate>| {
                let text = known.map_or_else(|why| undefined(i, why), |estimate| signed(estimate.value, 3));
                let range = known.ok().and_then(|estimate| estimate.interval.ok());
                let range = range.map(|r| format!("[{}, {}]", signed(r.low, 2), signed(r.high, 2)));
                view! {
                    <td class="num">
                        <span class=if known.is_ok() { "mean" } else { "muted small" }>{text}</span>
                        {range.map(|text| view! { <span class="interval">{text}</span> })}
                    </td>
                }
            };
            view! {
                <tr>
                    <th scope="row">{who}</th>
                    <td class="num">{i.number(row.correlation.n.into())}</td>
                    {with(row.correlation.spearman)}
                    {with(row.correlation.kendall)}
                </tr>
            }
        })
        .collect_view();
    view! {
        <p>{t.correlation_lead}</p>
        <div class="both-columns">
            {scatter}
            <div class="stack">
                <div class="table-box" role="group" aria-labelledby="both-head" tabindex="0">
                    <table class="table means">
                        <thead><tr>
                            <th scope="col">{t.model}</th><th scope="col" class="num">{t.outputs}</th>
                            <th scope="col" class="num">{t.spearman}</th><th scope="col" class="num">{t.kendall}</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                {parting(i, models, &dimension, both, links)}
            </div>
        </div>
    }
    .into_any()
}

/// The outputs on which tests and people disagree most, folded.
fn parting(i: I18n, models: &[String], dimension: &str, both: &TestsAndRatings, links: Option<&Links>) -> AnyView {
    let t = i.comparison();
    let rows = both
        .parting
        .iter()
        .map(|point| {
            let word = if point.difference > 0.0 { t.people_kinder } else { t.tests_kinder };
            let id = point.task_id.clone();
            let task = match links {
                Some(links) => view! { <a href=links.task(point.task, "sort=difference")>{id}</a> }.into_any(),
                None => id.into_any(),
            };
            view! {
                <tr>
                    <th scope="row">{task}</th>
                    <td>{name(models, point.model).to_owned()}</td>
                    <td class="num">{percentage(point.ratio)}</td>
                    <td class="num">{format!("{:.2}", point.score)}</td>
                    <td>{word}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <details class="fold">
            <summary>{t.part_most}</summary>
            <div class="table-box" role="group" aria-label=t.part_most tabindex="0">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{t.tasks}</th><th scope="col">{t.model}</th>
                        <th scope="col" class="num">{t.pass_ratio}</th>
                        <th scope="col" class="num">{dimension.to_owned()}</th>
                        <th scope="col">{t.difference}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
