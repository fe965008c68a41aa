//! The comparison by people: the table of means, what can be said in words, and the pictures.

use leptos::prelude::*;

use super::{Links, tested::p_value};
use crate::{
    i18n::I18n,
    model::{
        compare::{Compared, Human},
        comparison::{Agreement, Comparison, Difference, Interval, ModelScores, Separation},
        rubric::Dimension,
        stats::{Estimate, Known, Paired, Undefined},
    },
    ui::{
        chart::{self, Axis, Bar, Head, Mark, Part, signed},
        notice::Empty,
    },
};

/// The comparison of a study's models.
pub fn view(i: I18n, c: Comparison) -> AnyView {
    let t = i.admin();
    if c.models.iter().all(|m| m.ratings == 0) {
        return view! { <Empty title=t.no_ratings_yet><p>{t.where_raters_begin}</p></Empty> }.into_any();
    }
    let sections = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| by_dimension(i, &c, &[], d, dimension, None))
        .collect_view();
    view! {
        {means(i, &c)}
        <p class="muted small">{(t.how_computed)(&i.number(c.resamples.into()), &c.seed)}</p>
        {sections}
        {agreement(i, &c)}
    }
    .into_any()
}

/// The comparison of a dataset's models, with tests of the differences and ways to the tasks.
pub fn with_tests(i: I18n, found: &Compared, human: &Human, links: &Links) -> AnyView {
    let (t, c) = (i.admin(), &human.comparison);
    let sections = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| by_dimension(i, c, &human.tests, d, dimension, Some(links)))
        .collect_view();
    view! {
        {means(i, c)}
        <p class="muted small">{(t.how_computed)(&i.number(c.resamples.into()), &c.seed)}</p>
        {adjusted(i, human)}
        {sections}
        {tests(i, human)}
        {reliability(i, found, human)}
    }
    .into_any()
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

/// Every difference with its tests.
fn tests(i: I18n, human: &Human) -> Option<AnyView> {
    let (t, c) = (i.compare(), &human.comparison);
    if human.tests.iter().all(Result::is_err) {
        return None;
    }
    let rows = c
        .differences
        .iter()
        .zip(human.tests.iter().zip(&human.holm))
        .filter_map(|(x, (test, holm))| {
            let test = test.as_ref().ok()?;
            let name = c.rubric.dimensions.get(x.dimension).map(|d| d.name.get(i.lang).to_owned());
            let effect = |known: Known<f64>| known.map_or_else(|_| "–".into(), |r| signed(r, 2));
            Some(view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td>{format!("{} − {}", model(c, x.first), model(c, x.second))}</td>
                    <td class="num">{signed(test.mean, 2)}</td>
                    <td class="num">{effect(test.rank_biserial)}</td>
                    <td class="num">{effect(test.cohen_dz)}</td>
                    <td class="num">{signed(test.cliff_delta, 2)}</td>
                    <td class="num">{p_value(test.wilcoxon.p)}</td>
                    <td class="num">{p_value(test.permutation.p)}</td>
                    <td class="num">{holm.map_or_else(|| "–".into(), p_value)}</td>
                </tr>
            })
        })
        .collect_view();
    let heads = [t.difference, t.effect, t.dz, t.cliff, t.wilcoxon, t.permutation, t.holm]
        .map(|word| view! { <th scope="col" class="num">{word}</th> })
        .collect_view();
    Some(
        view! {
            <h3 id="difference-tests">{t.pair_tests}</h3>
            <p class="muted">{t.tests_lead}</p>
            <div class="table-box" role="group" aria-labelledby="difference-tests" tabindex="0">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{i.admin().dimension}</th><th scope="col">{t.pair}</th>{heads}
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// The paper's Table 3: dimensions down, models across.
fn means(i: I18n, c: &Comparison) -> impl IntoView + use<> {
    let t = i.admin();
    let heads = c.models.iter().map(|m| view! { <th scope="col" class="num">{m.model.clone()}</th> }).collect_view();
    let rows = c
        .rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let (low, high) = dimension.range();
            let best = best(c, d);
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
fn best(c: &Comparison, d: usize) -> Option<usize> {
    (0..c.models.len()).find(|m| {
        let mut others = 0;
        let wins = c.differences.iter().filter(|x| x.dimension == d && (x.first == *m || x.second == *m)).all(|x| {
            others += 1;
            x.verdict() == if x.first == *m { Separation::FirstBetter } else { Separation::SecondBetter }
        });
        wins && others > 0
    })
}

fn by_dimension(
    i: I18n,
    c: &Comparison,
    tests: &[Known<Paired>],
    d: usize,
    dimension: &Dimension,
    links: Option<&Links>,
) -> AnyView {
    let name = dimension.name.get(i.lang).to_owned();
    let id = format!("dimension-{}", dimension.key);
    let pairs: Vec<&Difference> = c.differences.iter().filter(|x| x.dimension == d).collect();
    let more = |x: &Difference| {
        let at = c.differences.iter().position(|other| std::ptr::eq(other, x));
        let test = at.and_then(|at| tests.get(at)).filter(|_| x.verdict() == Separation::NotSeparated);
        let needed = test.and_then(|test| test.as_ref().ok()?.needed.ok()).map(|needed| needed.more_ratings);
        needed.filter(|n| *n > 0).map(|n| (i.compare().say_more)(&i.number(n)))
    };
    let sentences = pairs.iter().map(|x| {
        let class = match x.verdict() {
            Separation::FirstBetter | Separation::SecondBetter => "say say--apart",
            _ => "say",
        };
        view! { <li class=class>{sentence(i, c, x)}{more(x)}</li> }
    });
    let sentences = sentences.collect_view();
    view! {
        <section class="dimension" aria-labelledby=id.clone()>
            <h3 id=id.clone()>{name.clone()}</h3>
            <ul class="says">{sentences}</ul>
            <div class="pictures">
                {means_plot(i, c, d, dimension, &id)}
                {differences_plot(i, c, &pairs, &name, &id)}
            </div>
            {distribution(i, c, d, dimension, &id, links)}
        </section>
    }
    .into_any()
}

/// What the data say about two models, in one plain sentence.
fn sentence(i: I18n, c: &Comparison, x: &Difference) -> String {
    let t = i.admin();
    let (first, second) = (model(c, x.first), model(c, x.second));
    let (Some(mean), Some(r)) = (x.mean, x.interval) else {
        return (t.say_too_few)(first, second);
    };
    let size = |v: f64| format!("{:.2}", v.abs());
    match x.verdict() {
        Separation::FirstBetter => (t.say_better)(first, second, &size(mean), &size(r.low), &size(r.high), x.tasks),
        Separation::SecondBetter => (t.say_better)(second, first, &size(mean), &size(r.high), &size(r.low), x.tasks),
        Separation::NotSeparated => {
            (t.say_not_separated)(first, second, &signed(mean, 2), &signed(r.low, 2), &signed(r.high, 2), x.tasks)
        }
        Separation::TooFew => (t.say_too_few)(first, second),
    }
}

fn means_plot(i: I18n, c: &Comparison, d: usize, dimension: &Dimension, id: &str) -> impl IntoView + use<> {
    let t = i.admin();
    let (low, high) = dimension.range();
    let marks: Vec<Mark> = c
        .models
        .iter()
        .map(|m| {
            let scores = m.dimensions.get(d);
            let (value, interval) = (scores.and_then(|s| s.mean), scores.and_then(|s| s.interval));
            let note = value.map_or_else(|| t.no_ratings.into(), |v| with_range(i, format!("{v:.2}"), interval));
            Mark { label: m.model.clone(), note, value, interval, strong: false }
        })
        .collect();
    let name = dimension.name.get(i.lang);
    let head = Head { id: &format!("{id}-means"), title: &(t.means_title)(name), desc: t.means_desc };
    figure(chart::intervals(&head, &Axis::scores(low, high), &marks), (t.means_title)(name))
}

fn differences_plot(
    i: I18n,
    c: &Comparison,
    pairs: &[&Difference],
    name: &str,
    id: &str,
) -> Option<impl IntoView + use<>> {
    let t = i.admin();
    if pairs.iter().all(|x| x.mean.is_none()) {
        return None;
    }
    let marks: Vec<Mark> = pairs
        .iter()
        .map(|x| Mark {
            label: format!("{} − {}", model(c, x.first), model(c, x.second)),
            note: x.mean.map_or_else(
                || "–".into(),
                |v| match x.interval {
                    Some(r) => format!("{} [{}, {}]", signed(v, 2), signed(r.low, 2), signed(r.high, 2)),
                    None => signed(v, 2),
                },
            ),
            value: x.mean,
            interval: x.interval,
            strong: matches!(x.verdict(), Separation::FirstBetter | Separation::SecondBetter),
        })
        .collect();
    let values = pairs.iter().flat_map(|x| {
        let ends = x.interval.map(|r| [r.low, r.high]);
        x.mean.into_iter().chain(ends.into_iter().flatten())
    });
    let head = Head { id: &format!("{id}-differences"), title: &(t.differences_title)(name), desc: t.differences_desc };
    Some(figure(chart::intervals(&head, &Axis::around_zero(values), &marks), (t.differences_title)(name)))
}

fn distribution(
    i: I18n,
    c: &Comparison,
    d: usize,
    dimension: &Dimension,
    id: &str,
    links: Option<&Links>,
) -> impl IntoView + use<> {
    let t = i.admin();
    let name = dimension.name.get(i.lang).to_owned();
    // Lowest score first, as the counts come.
    let levels: Vec<(u8, String)> =
        dimension.levels.iter().rev().map(|l| (l.score, l.label.get(i.lang).to_owned())).collect();
    let counts = |m: &ModelScores| -> Vec<u64> {
        let given = m.dimensions.get(d).map(|s| s.distribution.clone()).unwrap_or_default();
        (0..levels.len()).map(|at| given.get(at).copied().unwrap_or(0)).collect()
    };
    let bars: Vec<Bar> = c
        .models
        .iter()
        .map(|m| {
            let counts = counts(m);
            let whole: u64 = counts.iter().sum();
            let parts = levels.iter().zip(&counts).map(|((score, _), count)| Part {
                size: *count,
                name: score.to_string(),
                tip: (t.part_tip)(&m.model, u64::from(*score), *count, whole),
            });
            Bar { label: m.model.clone(), note: (t.ratings_n)(whole), parts: parts.collect() }
        })
        .collect();
    let chart_id = format!("{id}-distribution");
    let title = (t.distribution_title)(&name);
    let head = Head { id: &chart_id, title: &title, desc: t.distribution_desc };
    let svg = chart::stacked_bars(&head, t.no_ratings, &bars);
    let legend = levels
        .iter()
        .enumerate()
        .map(|(at, (score, label))| {
            let class = format!("swatch step-{}", chart::step(at, levels.len()));
            view! {
                <li>
                    <svg class=class width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2"/></svg>
                    {if label.is_empty() { score.to_string() } else { format!("{score} {label}") }}
                </li>
            }
        })
        .collect_view();
    let heads = levels.iter().map(|(score, _)| view! { <th scope="col" class="num">{*score}</th> }).collect_view();
    let rows = c
        .models
        .iter()
        .enumerate()
        .map(|(at, m)| {
            let counts = counts(m);
            let whole: u64 = counts.iter().sum();
            let cells = counts
                .into_iter()
                .zip(&levels)
                .map(|(n, (score, _))| {
                    let href = links.filter(|_| n > 0).map(|links| links.score(at, &dimension.key, *score));
                    let figure = i.number(n);
                    let cell = match href {
                        Some(href) => view! { <a href=href>{figure}</a> }.into_any(),
                        None => figure.into_any(),
                    };
                    view! { <td class="num">{cell}</td> }
                })
                .collect_view();
            view! { <tr><th scope="row">{m.model.clone()}</th>{cells}<td class="num">{i.number(whole)}</td></tr> }
        })
        .collect_view();
    let region = (t.counts_of)(&name);
    view! {
        <figure class="picture">
            <figcaption>{title}</figcaption>
            <ol class="legend">{legend}</ol>
            <div class="picture-and-table">
                <div class="canvas" inner_html=svg></div>
                <div class="table-box" role="group" aria-label=region tabindex="0">
                    <table class="table counts">
                        <caption>{t.counts_caption}</caption>
                        <thead><tr><th scope="col">{t.score}</th>{heads}<th scope="col" class="num">{t.sum}</th></tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </div>
        </figure>
    }
}

fn agreement(i: I18n, c: &Comparison) -> AnyView {
    let t = i.admin();
    let rows = c
        .rubric
        .dimensions
        .iter()
        .zip(&c.agreement)
        .map(|(dimension, a)| agreement_row(i, dimension, a))
        .collect_view();
    let none = c.agreement.iter().all(|a| a.pairs == 0);
    view! {
        <section class="agreement" aria-labelledby="agreement">
            <h3 id="agreement">{t.agreement}</h3>
            <p>{if none { t.agreement_none } else { t.agreement_lead }}</p>
            {(!none).then(|| view! {
                <div class="table-box" role="group" aria-labelledby="agreement" tabindex="0">
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{t.dimension}</th>
                                <th scope="col" class="num">{t.alpha}</th>
                                <th scope="col" class="num">{t.exact}</th>
                                <th scope="col" class="num">{t.within_one}</th>
                                <th scope="col" class="num">{t.pairs}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            })}
        </section>
    }
    .into_any()
}

fn agreement_row(i: I18n, dimension: &Dimension, a: &Agreement) -> impl IntoView + use<> {
    let share = |v: Option<f64>| v.map_or_else(|| "–".into(), |v| format!("{:.0} %", v * 100.0));
    let alpha = match a.alpha {
        Some(v) => signed(v, 3).trim_start_matches('+').to_owned(),
        None if a.pairs > 0 => i.admin().alpha_undefined.into(),
        None => "–".into(),
    };
    view! {
        <tr>
            <th scope="row">{dimension.name.get(i.lang).to_owned()}</th>
            <td class="num">{alpha}</td>
            <td class="num">{share(a.exact)}</td>
            <td class="num">{share(a.within_one)}</td>
            <td class="num">{i.number(a.pairs)}</td>
        </tr>
    }
}

/// Why a figure is missing, in a few words.
pub fn undefined(i: I18n, why: Undefined) -> String {
    let t = i.compare();
    match why {
        Undefined::Nothing => t.un_nothing.into(),
        Undefined::TooFew => t.un_too_few.into(),
        Undefined::NoPairs => t.un_no_pairs.into(),
        Undefined::NoVariation => t.un_no_variation.into(),
        Undefined::NotCrossed => t.un_not_crossed.into(),
        Undefined::Disconnected(groups) => (t.un_disconnected)(groups),
        Undefined::SeveralSamples => t.un_several_samples.into(),
        Undefined::Unstable => t.un_unstable.into(),
    }
}

/// Every coefficient of agreement with its interval, and each two raters' kappa.
fn reliability(i: I18n, found: &Compared, human: &Human) -> AnyView {
    let t = i.compare();
    let cell = |known: Known<Estimate>, share: bool| {
        let (figure, within) = match known {
            Err(why) => (undefined(i, why), None),
            Ok(estimate) => {
                let text =
                    |v: f64| if share { format!("{:.0} %", v * 100.0) } else { format!("{v:.2}").replace('-', "−") };
                let within = estimate.interval.ok().map(|r| format!("[{}, {}]", text(r.low), text(r.high)));
                (text(estimate.value), within)
            }
        };
        let class = if known.is_ok() { "mean" } else { "muted small" };
        view! {
            <td class="num">
                <span class=class>{figure}</span>
                {within.map(|text| view! { <span class="interval">{text}</span> })}
            </td>
        }
    };
    let dimensions = &human.comparison.rubric.dimensions;
    let rows = dimensions
        .iter()
        .zip(&human.reliability)
        .map(|(dimension, r)| {
            view! {
                <tr>
                    <th scope="row">{dimension.name.get(i.lang).to_owned()}</th>
                    {cell(r.alpha, false)} {cell(r.ac2, false)} {cell(r.icc1, false)} {cell(r.icc2, false)}
                    {cell(r.icc2k, false)} {cell(r.exact, true)} {cell(r.within_one, true)}
                    <td class="num">{i.number(r.pairs)}</td>
                </tr>
            }
        })
        .collect_view();
    let a = i.admin();
    let heads = [a.alpha, t.ac2, t.icc1, t.icc2, t.icc2k, a.exact, a.within_one, a.pairs]
        .map(|word| view! { <th scope="col" class="num">{word}</th> })
        .collect_view();
    let name = |at: u32| found.raters.get(at as usize).cloned().unwrap_or_default();
    let pairs = human.reliability.first().map(|r| r.kappas.clone()).unwrap_or_default();
    let kappa_heads = dimensions
        .iter()
        .map(|d| view! { <th scope="col" class="num">{d.name.get(i.lang).to_owned()}</th> })
        .collect_view();
    let kappas = pairs
        .iter()
        .map(|pair| {
            let cells = human
                .reliability
                .iter()
                .map(|r| {
                    let same = r.kappas.iter().find(|k| (k.first, k.second) == (pair.first, pair.second));
                    cell(same.map_or(Err(Undefined::NoPairs), |k| k.kappa), false)
                })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{format!("{} – {}", name(pair.first), name(pair.second))}</th>
                    <td class="num">{pair.outputs}</td>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    let none = human.reliability.iter().all(|r| r.pairs == 0);
    view! {
        <section class="agreement" aria-labelledby="agreement">
            <h3 id="agreement">{a.agreement}</h3>
            <p>{if none { a.agreement_none } else { a.agreement_lead }}</p>
            {(!none).then(|| view! {
                <div class="table-box" role="group" aria-labelledby="agreement" tabindex="0">
                    <table class="table means">
                        <thead><tr><th scope="col">{a.dimension}</th>{heads}</tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                <details class="said">
                    <summary>{t.kappas}</summary>
                    <div class="table-box" role="group" aria-label=t.kappas tabindex="0">
                        <table class="table means">
                            <thead><tr>
                                <th scope="col">{t.raters}</th><th scope="col" class="num">{t.outputs}</th>{kappa_heads}
                            </tr></thead>
                            <tbody>{kappas}</tbody>
                        </table>
                    </div>
                </details>
            })}
        </section>
    }
    .into_any()
}

/// A picture under its name; the same figures stand in the table of means or in the sentences.
fn figure(svg: String, caption: String) -> impl IntoView {
    view! {
        <figure class="picture">
            <figcaption>{caption}</figcaption>
            <div class="canvas" inner_html=svg></div>
        </figure>
    }
}

fn model(c: &Comparison, at: usize) -> &str {
    c.models.get(at).map_or("?", |m| m.model.as_str())
}

fn range(i: I18n, r: Interval) -> String {
    (i.admin().range)(&format!("{:.2}", r.low), &format!("{:.2}", r.high))
}

fn with_range(i: I18n, value: String, r: Option<Interval>) -> String {
    match r {
        Some(r) => format!("{value} {}", range(i, r)),
        None => value,
    }
}
