//! The comparison by people: the table of means, what can be said in words, and the pictures.

use leptos::prelude::*;

use super::agreement::{agreement, reliability, tests, undefined};
use crate::{
    i18n::{
        I18n,
        claims::{Claims, Measure, Said},
    },
    model::{
        claims::Standing,
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
        {means(i, human)}
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
        {means(i, human)}
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
fn means(i: I18n, human: &Human) -> impl IntoView + use<> {
    let (t, c) = (i.admin(), &human.comparison);
    let heads = c.models.iter().map(|m| view! { <th scope="col" class="num">{m.model.clone()}</th> }).collect_view();
    let rows = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let (low, high) = dimension.range();
            let best = Standing::of_ratings(human, d).best().map(|(model, _)| model);
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

fn by_dimension(i: I18n, human: &Human, d: usize, links: Option<&Links>) -> AnyView {
    let c = &human.comparison;
    let Some(dimension) = c.rubric.dimensions.get(d) else { return ().into_any() };
    let id = format!("dimension-{}", dimension.key);
    let standing = Standing::of_ratings(human, d);
    let names: Vec<&str> = c.models.iter().map(|m| m.model.as_str()).collect();
    let claims = Claims::new(i, Measure::Ratings, &standing, &names, &human.tests);
    let summary = claims.summary().map(|summary| view! { <ul class="says">{said(summary)}</ul> });
    // With two models the summary is their pair.
    let each_pair = (standing.contests.len() > 1).then(|| {
        let sentences = standing.contests.iter().map(|contest| said(claims.pair(contest))).collect_view();
        view! {
            <details class="said">
                <summary>{i.compare().each_pair}</summary>
                <ul class="says">{sentences}</ul>
            </details>
        }
    });
    let mut figures = compared::dimension(i, c, &human.holm, d, links);
    let distribution = figures.pop().map(|figure| picture(figure, links));
    let others = figures.into_iter().map(|figure| picture(figure, links)).collect_view();
    view! {
        <section class="dimension" aria-labelledby=id.clone()>
            <h3 id=id.clone()>{dimension.name.get(i.lang).to_owned()}</h3>
            {summary}
            {each_pair}
            <div class="pictures">{others}</div>
            {distribution}
        </section>
    }
    .into_any()
}

/// A sentence in a list.
pub(super) fn said((sentence, apart): Said) -> impl IntoView {
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
