//! The comparison by people: a ranking for each dimension, and what belongs to it.

use leptos::prelude::*;

use super::{
    agreement::{reliability, tests, undefined},
    pairs,
    ranking::{self, Ranking},
};
use chart::{
    bars::Axis,
    comparison::{self, Links},
    figure::Figure,
};
use model::{
    claims::Standing,
    comparison::Human,
    ratings::Comparison,
    stats::{Known, Paired, Undefined},
};
use texts::{
    I18n,
    claims::{ClaimText, Claims, Measure},
};
use ui::chart_figure::{ChartFigure, figure_files};

/// Up to this number of models, each pair has a sentence.
const FEW: usize = 10;
/// Up to this number of models, all pairs are in a matrix; with more, the largest differences are in a table.
const MATRIX: usize = 60;

/// The comparison: a ranking for each dimension, everything else behind "Details". If no rater may be named, `raters`
/// contains no name and no figure of a single rater.
pub fn with_tests(i: I18n, human: &Human, raters: &[String], links: Option<&Links>) -> AnyView {
    let t = i.comparison();
    let (lettered, dimensions): (Vec<bool>, Vec<AnyView>) =
        (0..human.comparison.rubric.dimensions.len()).map(|d| by_dimension(i, human, d, links)).unzip();
    let notes = [(lettered.contains(&true), t.group_hint), (all_adjusted(human), t.means_adjusted)];
    let notes: Vec<&str> = notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note).collect();
    view! {
        {(!notes.is_empty()).then(|| view! { <p class="muted small">{notes.join(i.lang.pick(" ", ""))}</p> })}
        {dimensions}
        {instructions(i, human)}
        <details class="fold">
            <summary>{t.details_people}</summary>
            {how_computed(i, &human.comparison)}
            {adjusted(i, human)}
            {tests(i, human, links)}
            {reliability(i, human, raters, links)}
        </details>
    }
    .into_any()
}

/// Whether the means of all dimensions are adjusted for tasks, so that it is said once for all of them.
fn all_adjusted(human: &Human) -> bool {
    let dimensions = human.comparison.rubric.dimensions.len();
    dimensions > 0 && (0..dimensions).all(|d| human.comparison.is_adjusted(d))
}

/// The method of the intervals.
fn how_computed(i: I18n, c: &Comparison) -> impl IntoView + use<> {
    view! { <p class="muted small">{(i.admin().how_computed)(&i.number(c.resamples.into()), &c.seed)}</p> }
}

/// How far raters find that outputs follow each kind of instruction, and agree on that; nothing without answers.
fn instructions(i: I18n, human: &Human) -> Option<AnyView> {
    let (t, a) = (i.comparison(), i.admin());
    if human.instructions.is_empty() {
        return None;
    }
    let share = |v: f64| format!("{:.0}%", v * 100.0);
    let heads = human.comparison.models.iter().map(|m| view! { <th scope="col" class="num">{m.model.clone()}</th> });
    let heads = heads.collect_view();
    let rows = human.instructions.iter().map(|of| {
        let cells = of.models.iter().map(|model| {
            let within = model.interval.map(|r| format!("[{}, {}]", share(r.low), share(r.high)));
            view! {
                <td class="num">
                    <span class="mean">{model.mean.map_or_else(|| "–".into(), share)}</span>
                    {within.map(|text| view! { <span class="interval">{text}</span> })}
                </td>
            }
        });
        let figure = |known: Known<model::stats::Estimate>, text: fn(f64) -> String| match known {
            Ok(estimate) => view! { <td class="num">{text(estimate.value)}</td> }.into_any(),
            Err(why) => view! { <td class="num muted small">{undefined(i, why)}</td> }.into_any(),
        };
        view! {
            <tr>
                <th scope="row">{of.name.get(i.lang).to_owned()}</th>
                {cells.collect_view()}
                {figure(of.reliability.alpha, |v| format!("{v:.2}").replace('-', "−"))}
                {figure(of.reliability.exact, |v| format!("{:.0}%", v * 100.0))}
                <td class="num">{i.number(of.answers)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    Some(
        view! {
            <section class="dimension" aria-labelledby="instructions-head">
                <h3 id="instructions-head">{t.instructions}" "<span class="muted small">{t.share_of_yes}</span></h3>
                <p class="muted">{t.instructions_lead}</p>
                <div class="table-box" role="group" aria-labelledby="instructions-head" tabindex="0">
                    <table class="table means">
                        <thead><tr>
                            <th scope="col">{t.instruction_kind}</th>{heads}
                            <th scope="col" class="num">{a.alpha}</th>
                            <th scope="col" class="num">{a.exact}</th>
                            <th scope="col" class="num">{t.answers_head}</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </section>
        }
        .into_any(),
    )
}

/// Means adjusted for the raters' leniency, next to the raw ones.
fn adjusted(i: I18n, human: &Human) -> Option<AnyView> {
    let (t, c) = (i.comparison(), &human.comparison);
    // With one rater, there is no leniency to adjust for.
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

/// A dimension, and whether its ranking has letters.
fn by_dimension(i: I18n, human: &Human, d: usize, links: Option<&Links>) -> (bool, AnyView) {
    let c = &human.comparison;
    let Some(dimension) = c.rubric.dimensions.get(d) else { return (false, ().into_any()) };
    let (low, high) = dimension.range();
    let name = dimension.name.get(i.lang).to_owned();
    let id = format!("dimension-{}", dimension.key);
    let standing = Standing::of_ratings(human, d);
    let names: Vec<&str> = c.models.iter().map(|m| m.model.as_str()).collect();
    let entries = comparison::ranked(human, d, links);
    let lettered = entries.iter().any(|entry| !entry.letters.is_empty());
    // The mean of an item of the checklist is the share of yes.
    let (axis, number, unit): (_, fn(f64) -> String, _) = match dimension.checklist {
        true => (Axis::percent(), |v| format!("{:.1}%", v * 100.0), 100.0),
        false => (Axis::scores(low, high), |v| format!("{v:.2}"), 1.0),
    };
    let ranking = ranking::table(
        i,
        Ranking { id: &dimension.key, title: name.clone(), axis, number, entries, unit, hint: false },
    );
    let range = if dimension.checklist { i.comparison().share_of_yes.to_owned() } else { format!("{low}–{high}") };
    // The ranking is the figure of the means.
    let mut figures = comparison::dimension(i, human, d, links).into_iter();
    let means = figures.next().and_then(|figure| files(i, &figure, links));
    let others = figures.map(|figure| figure_view(figure, links)).collect_view();
    let pairs = pairs_of(i, (&dimension.key, Measure::Ratings), &standing, &names, (&human.tests, links));
    let columns = columns(names.len());
    let shown = view! {
        <section class="dimension" aria-labelledby=id.clone()>
            <div class="figure-head">
                <h3 id=id.clone()>{name}" "<span class="muted small">{range}</span></h3>
                {means}
            </div>
            {ranking}
            {(c.is_adjusted(d) && !all_adjusted(human)).then(|| view! { <p class="muted small">{i.comparison().means_adjusted}</p> })}
            <details class="fold">
                <summary>{i.comparison().details_of}</summary>
                <div class=columns>
                    <div class="stack">{pairs}{own_means(i, c, d, number)}</div>
                    <div class="pictures">{others}</div>
                </div>
            </details>
        </section>
    };
    (lettered, shown.into_any())
}

/// The means over each model's own tasks, where those of the ranking are adjusted.
fn own_means(i: I18n, c: &Comparison, d: usize, number: fn(f64) -> String) -> Option<AnyView> {
    let t = i.comparison();
    if !c.is_adjusted(d) {
        return None;
    }
    let head = format!("own-means-{d}");
    let rows = c.models.iter().filter_map(|model| {
        let scores = model.dimensions.get(d)?;
        let within = scores.own_interval.map(|r| format!("{} – {}", number(r.low), number(r.high)));
        Some(view! {
            <tr>
                <th scope="row">{model.model.clone()}</th>
                <td class="num mean">{number(scores.own_mean?)}</td>
                <td class="num small">{within.unwrap_or_else(|| "–".into())}</td>
                <td class="num small">{i.number(model.tasks)}</td>
            </tr>
        })
    });
    let rows = rows.collect_view();
    Some(
        view! {
            <div class="table-box" role="group" aria-labelledby=head.clone() tabindex="0">
                <table class="table">
                    <caption id=head.clone()>{t.own_means}</caption>
                    <thead><tr>
                        <th scope="col">{t.model}</th>
                        <th scope="col" class="num">{t.mean_score_short}</th>
                        <th scope="col" class="num">{t.interval}</th>
                        <th scope="col" class="num">{t.tasks}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The class around what is said of all pairs and the charts: next to each other, unless a matrix or a long table of pairs
/// needs the whole width.
pub(super) fn columns(models: usize) -> &'static str {
    if models <= FEW { "details-columns" } else { "stack" }
}

/// All pairs: a sentence for each of few models, a matrix of more, and the largest differences of many.
pub(super) fn pairs_of(
    i: I18n,
    (id, measure): (&str, Measure),
    standing: &Standing,
    names: &[&str],
    (tests, links): (&[Known<Paired>], Option<&Links>),
) -> AnyView {
    let claims = Claims::new(i, measure, standing, names, tests);
    let family = claims.family().map(|text| view! { <p class="muted small">{text}</p> });
    let pairs = match standing.ranked.len() {
        n if n <= FEW => {
            let sentences = standing.contests.iter().map(|contest| claim_text(claims.pair(contest))).collect_view();
            view! { <ul class="says">{sentences}</ul> }.into_any()
        }
        n if n <= MATRIX => ranking::matrix(i, id, names, standing, measure),
        _ => pairs::table(i, (id, measure), standing, names, links),
    };
    view! { {family}{pairs} }.into_any()
}

/// A sentence in a list.
pub(super) fn claim_text((sentence, apart): ClaimText) -> impl IntoView {
    view! { <li class=if apart { "say say--apart" } else { "say" }>{sentence}</li> }
}

/// A chart, with links to its files if it belongs to a comparison.
pub(super) fn figure_view(figure: Figure, links: Option<&Links>) -> impl IntoView + use<> {
    let files = links.map(|links| links.files(&figure.id, ""));
    view! { <ChartFigure figure files/> }
}

/// The files of a figure that is not drawn on the page.
pub(super) fn files(i: I18n, figure: &Figure, links: Option<&Links>) -> Option<AnyView> {
    Some(figure_files(i, &figure.id, links?.files(&figure.id, "")))
}
