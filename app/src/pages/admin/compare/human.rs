//! The comparison by people: the table of means, what can be said in words, and the pictures.

use leptos::prelude::*;

use super::{
    agreement::{agreement, reliability, tests, undefined},
    words,
};
use crate::{
    i18n::I18n,
    model::{
        compare::Human,
        comparison::{Comparison, Interval, ModelScores},
        stats::Undefined,
    },
    ui::chart::{
        compared::{self, Links},
        figure::Figure,
        view::ChartFigure,
    },
};

/// The comparison in short, as a study's page has it.
pub fn view(i: I18n, human: &Human, links: &Links) -> AnyView {
    let c = &human.comparison;
    view! {
        {means(i, c, &human.holm)}
        {how_computed(i, c)}
        {dimensions(i, human, Some(links))}
        {agreement(i, c)}
    }
    .into_any()
}

/// The comparison with tests of the differences, every coefficient, and ways to the tasks. Where no rater may
/// be named there is no name in `raters`, and no figure of one.
pub fn with_tests(i: I18n, human: &Human, raters: &[String], links: Option<&Links>) -> AnyView {
    let c = &human.comparison;
    view! {
        {means(i, c, &human.holm)}
        {how_computed(i, c)}
        {adjusted(i, human)}
        {dimensions(i, human, links)}
        {tests(i, human)}
        {reliability(i, human, raters, links)}
    }
    .into_any()
}

/// What bold means, where there is something to be better than, and what the intervals rest on.
fn how_computed(i: I18n, c: &Comparison) -> impl IntoView + use<> {
    let bold = (c.models.len() > 1).then(|| format!("{} ", i.compare().best_hint));
    view! { <p class="muted small">{bold}{(i.admin().how_computed)(&i.number(c.resamples.into()), &c.seed)}</p> }
}

fn dimensions(i: I18n, human: &Human, links: Option<&Links>) -> impl IntoView + use<> {
    (0..human.comparison.rubric.dimensions.len()).map(|d| by_dimension(i, human, d, links)).collect_view()
}

/// Means freed of the raters' severity, beside the raw ones.
fn adjusted(i: I18n, human: &Human) -> Option<AnyView> {
    let (t, c) = (i.compare(), &human.comparison);
    // With one rater there is nobody to be more severe than.
    if human.raters < 2 {
        return None;
    }
    let heads = c.models.iter().map(|m| view! { <th scope="col" class="num">{m.model.clone()}</th> }).collect_view();
    let rows = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let fair = human.adjusted.get(d).cloned().unwrap_or(Err(Undefined::Nothing));
            let why = fair.as_ref().err().map(|why| undefined(i, *why));
            let cells = c
                .models
                .iter()
                .enumerate()
                .map(|(m, model)| {
                    let raw = model.dimensions.get(d).and_then(|s| s.mean);
                    let fair = fair.as_ref().ok().and_then(|a| a.means.get(m)?.ok());
                    let figure = |v: Option<f64>| v.map_or_else(|| "–".into(), |v| format!("{v:.2}"));
                    view! {
                        <td class="num">
                            <span class="mean">{figure(fair)}</span>
                            <span class="interval">{format!("({})", figure(raw))}</span>
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{dimension.name.get(i.lang).to_owned()}" "<span class="muted small">{why}</span></th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    Some(
        view! {
            <h3 id="adjusted-head">{t.adjusted}</h3>
            <p class="muted">{t.adjusted_hint}</p>
            <div class="table-box" role="group" aria-labelledby="adjusted-head" tabindex="0">
                <table class="table means">
                    <thead><tr><th scope="col">{i.admin().dimension}</th>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The paper's Table 3: dimensions down, models across.
fn means(i: I18n, c: &Comparison, holm: &[Option<f64>]) -> impl IntoView + use<> {
    let t = i.admin();
    let heads = c.models.iter().map(|m| view! { <th scope="col" class="num">{m.model.clone()}</th> }).collect_view();
    let rows = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let (low, high) = dimension.range();
            let best = best(c, holm, d);
            let cells = c
                .models
                .iter()
                .enumerate()
                .map(|(m, model)| {
                    let scores = model.dimensions.get(d);
                    let class = if best == Some(m) { "num best" } else { "num" };
                    let mean = scores.and_then(|s| s.mean);
                    let within = scores.and_then(|s| s.interval).map(|r| range(i, r));
                    view! {
                        <td class=class>
                            <span class="mean">{mean.map_or_else(|| "–".into(), |m| format!("{m:.2}"))}</span>
                            {within.map(|text| view! { <span class="interval">{text}</span> })}
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">
                        {dimension.name.get(i.lang).to_owned()}
                        <span class="muted small">{format!("{low}–{high}")}</span>
                    </th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    let count = |of: fn(&ModelScores) -> u64| {
        c.models.iter().map(|m| view! { <td class="num">{i.number(of(m))}</td> }).collect_view()
    };
    let ratings = count(|m| m.ratings);
    let tasks = count(|m| m.tasks);
    view! {
        <div class="table-box" role="group" aria-labelledby="means-caption" tabindex="0">
            <table class="table means">
                <caption id="means-caption">{t.means_caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t.dimension}</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>
                    {rows}
                    <tr class="means-foot"><th scope="row">{t.ratings}</th>{ratings}</tr>
                    <tr class="means-foot"><th scope="row">{t.tasks}</th>{tasks}</tr>
                </tbody>
            </table>
        </div>
    }
}

/// The model that the data separate from every other as better, if there is one.
fn best(c: &Comparison, holm: &[Option<f64>], d: usize) -> Option<usize> {
    (0..c.models.len()).find(|m| {
        let mut others = 0;
        let mut own =
            c.differences.iter().enumerate().filter(|(_, x)| x.dimension == d && (x.first == *m || x.second == *m));
        let wins = own.all(|(at, x)| {
            others += 1;
            let first = x.mean.is_some_and(|mean| mean > 0.0);
            c.separated(x, holm.get(at).copied().flatten()) && first == (x.first == *m)
        });
        wins && others > 0
    })
}

fn by_dimension(i: I18n, human: &Human, d: usize, links: Option<&Links>) -> AnyView {
    let c = &human.comparison;
    let Some(dimension) = c.rubric.dimensions.get(d) else { return ().into_any() };
    let id = format!("dimension-{}", dimension.key);
    let (tests, holm) = (&human.tests[..], &human.holm[..]);
    let pairs = c.differences.iter().enumerate().filter(|(_, x)| x.dimension == d);
    let sentences: Vec<_> = pairs.map(|(at, _)| said(words::pair(i, c, tests, holm, at))).collect();
    let summary = (sentences.len() > 1).then(|| words::dimension(i, human, d)).flatten();
    let sentences = match summary {
        // With many models a sentence for each two of them is for those who ask.
        Some(summary) => view! {
            <ul class="says">{said(summary)}</ul>
            <details class="said">
                <summary>{i.compare().each_pair}</summary>
                <ul class="says">{sentences.into_iter().collect_view()}</ul>
            </details>
        }
        .into_any(),
        None => view! { <ul class="says">{sentences.into_iter().collect_view()}</ul> }.into_any(),
    };
    let mut figures = compared::dimension(i, c, holm, d, links);
    let distribution = figures.pop().map(|figure| picture(figure, links));
    let others = figures.into_iter().map(|figure| picture(figure, links)).collect_view();
    view! {
        <section class="dimension" aria-labelledby=id.clone()>
            <h3 id=id.clone()>{dimension.name.get(i.lang).to_owned()}</h3>
            {sentences}
            <div class="pictures">{others}</div>
            {distribution}
        </section>
    }
    .into_any()
}

/// A sentence in a list.
pub(super) fn said((sentence, apart): words::Said) -> impl IntoView {
    view! { <li class=if apart { "say say--apart" } else { "say" }>{sentence}</li> }
}

/// A picture, with its files where there is a comparison to take them from.
pub(super) fn picture(figure: Figure, links: Option<&Links>) -> impl IntoView + use<> {
    let files = links.map(|links| links.files(&figure.id, ""));
    view! { <ChartFigure figure files/> }
}

fn range(i: I18n, r: Interval) -> String {
    (i.admin().range)(&format!("{:.2}", r.low), &format!("{:.2}", r.high))
}
