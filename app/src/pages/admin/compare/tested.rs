//! What automated tests say of the models, and how far people agree with them.

use leptos::prelude::*;

use super::{
    agreement::undefined,
    human::{picture, said},
};
use crate::{
    i18n::{
        I18n,
        claims::{Claims, Measure, p_value},
    },
    model::{
        claims::Standing,
        compare::{Automated, Both, Checked, Pair, Sheet},
        comparison::Interval,
        rubric::Rubric,
        stats::{Estimate, Known},
    },
    ui::chart::{
        compared::{self, Links},
        signed,
    },
};

/// A share as the paper prints it: `68.68 %`.
fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

fn points(share: f64) -> String {
    signed(share * 100.0, 1)
}

fn share_range(range: Option<Interval>) -> Option<String> {
    range.map(|r| format!("[{:.1}, {:.1}]", r.low * 100.0, r.high * 100.0))
}

fn name(models: &[String], at: usize) -> &str {
    models.get(at).map_or("?", String::as_str)
}

/// The automated part.
pub fn view(i: I18n, sheet: &Sheet, automated: &Automated, links: Option<&Links>) -> AnyView {
    let says = sheet.models.iter().zip(&automated.models).filter_map(|(model, checked)| {
        let m = checked.as_ref()?.metrics;
        let share = percent(f64::from(m.solved) / f64::from(m.tasks.max(1)));
        Some(((i.compare().say_solved)(model, m.solved, m.tasks, &share), false))
    });
    let names: Vec<&str> = sheet.models.iter().map(String::as_str).collect();
    let summary = Claims::new(i, Measure::Tests, &Standing::of_tests(automated), &names, &[]).summary();
    let says = summary.into_iter().chain(says).map(said).collect_view();
    let pictures = compared::tested(i, sheet, automated, links);
    let pictures = pictures.into_iter().map(|figure| picture(figure, links)).collect_view();
    view! {
        <ul class="says">{says}</ul>
        {figures(i, sheet, automated)}
        <div class="pictures">{pictures}</div>
        {(!automated.pairs.is_empty()).then(|| pair_table(i, &sheet.models, &automated.pairs))}
    }
    .into_any()
}

fn figures(i: I18n, sheet: &Sheet, automated: &Automated) -> impl IntoView + use<> {
    let t = i.compare();
    let heads = sheet
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
                (format!("{} · {}", c.metrics.solved, percent(c.metrics.pass_at_1)), share_range(c.pass_interval))
            }),
        ),
        row(
            t.ratio,
            cells(&|c| {
                (
                    format!("{:.4} · {}", c.metrics.ratio_sum, percent(c.metrics.ratio_mean)),
                    share_range(c.ratio_interval),
                )
            }),
        ),
        row(
            t.ratio_clamped,
            cells(&|c| {
                (format!("{:.4} · {}", c.metrics.ratio_sum_clamped, percent(c.metrics.ratio_mean_clamped)), None)
            }),
        ),
    ];
    let most = automated.models.iter().flatten().map(|c| c.pass_at.len()).max().unwrap_or(0);
    for k in 2..=most {
        let cells = cells(&|c| (c.pass_at.get(k - 1).map_or_else(|| "–".into(), |p| percent(p.value)), None));
        rows.push(view! { <tr><th scope="row">{format!("pass@{k}")}</th>{cells}</tr> }.into_any());
    }
    if automated.models.iter().flatten().any(|c| !c.anomalies.is_empty()) {
        rows.push(row(t.anomalies, cells(&|c| (c.anomalies.join(", "), None))));
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

fn pair_table(i: I18n, models: &[String], pairs: &[Pair]) -> impl IntoView + use<> {
    let t = i.compare();
    let rows = pairs
        .iter()
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
                    <td class="num">{pair.mcnemar.map_or_else(|why| undefined(i, why), |test| p_value(test.mid))}</td>
                    <td class="num">{pair.holm.map_or_else(|| "–".to_owned(), p_value)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads =
        [t.both_pass, t.only_first, t.only_second, t.neither, t.pass_difference, t.ratio_difference, t.mcnemar, t.holm]
            .map(|word| view! { <th scope="col" class="num">{word}</th> })
            .collect_view();
    view! {
        <h3 id="pairs-head">{t.pairs}</h3>
        <div class="table-box" role="group" aria-labelledby="pairs-head" tabindex="0">
            <table class="table means">
                <thead><tr><th scope="col">{t.pair}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Tests against people.
pub fn both(i: I18n, sheet: &Sheet, rubric: &Rubric, both: &Both, links: Option<&Links>) -> AnyView {
    let (t, models) = (i.compare(), &sheet.models);
    let scatter = compared::tests_and_people(i, sheet, links).map(|figure| picture(figure, links));
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
    let parting = both
        .parting
        .iter()
        .map(|point| {
            let word = if point.apart > 0.0 { t.people_kinder } else { t.tests_kinder };
            let id = point.task_id.clone();
            let task = match links {
                Some(links) => view! { <a href=links.task(point.task, "sort=apart")>{id}</a> }.into_any(),
                None => id.into_any(),
            };
            view! {
                <tr>
                    <th scope="row">{task}</th>
                    <td>{name(models, point.model).to_owned()}</td>
                    <td class="num">{percent(point.ratio)}</td>
                    <td class="num">{format!("{:.2}", point.score)}</td>
                    <td>{word}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <p>{t.correlation_lead}</p>
        <div class="table-box" role="group" aria-labelledby="both-head" tabindex="0">
            <table class="table means">
                <thead><tr>
                    <th scope="col">{t.model}</th><th scope="col" class="num">{t.outputs}</th>
                    <th scope="col" class="num">{t.spearman}</th><th scope="col" class="num">{t.kendall}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {scatter}
        <h3 id="parting-head">{t.part_most}</h3>
        <div class="table-box" role="group" aria-labelledby="parting-head" tabindex="0">
            <table class="table">
                <thead><tr>
                    <th scope="col">{t.tasks}</th><th scope="col">{t.model}</th>
                    <th scope="col" class="num">{t.pass_ratio}</th>
                    <th scope="col" class="num">{dimension}</th>
                    <th scope="col">{t.difference}</th>
                </tr></thead>
                <tbody>{parting}</tbody>
            </table>
        </div>
    }
    .into_any()
}
