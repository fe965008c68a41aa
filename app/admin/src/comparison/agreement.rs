//! Significance of differences and agreement of raters: the tests of the differences, every coefficient of
//! agreement, and reasons for missing ones.

use leptos::prelude::*;

use super::{human::figure_view, pairs};
use chart::{
    comparison::{self, Links},
    signed,
};
use model::{
    comparison::Human,
    ratings::Comparison,
    rubric::Dimension,
    stats::{Estimate, Known, Reliability, Undefined},
};
use texts::{I18n, claims::p_value};

/// Every difference with its tests.
pub fn tests(i: I18n, human: &Human, links: Option<&Links>) -> Option<AnyView> {
    let (t, c) = (i.comparison(), &human.comparison);
    if human.tests.iter().all(Result::is_err) {
        return None;
    }
    let mut tested: Vec<_> = c
        .differences
        .iter()
        .zip(human.tests.iter().zip(&human.holm))
        .filter_map(|(x, (test, holm))| Some((x, test.as_ref().ok()?, *holm)))
        .collect();
    let all = tested.len();
    if all > pairs::MOST {
        // The smallest p-values first; those without one last.
        tested.sort_by(|(.., a), (.., b)| a.unwrap_or(2.0).total_cmp(&b.unwrap_or(2.0)));
    }
    let rows = tested
        .into_iter()
        .take(pairs::MOST)
        .map(|(x, test, holm)| {
            let dimension = c.rubric.dimensions.get(x.dimension).map(|d| d.name.get(i.lang).to_owned());
            let effect = |known: Known<f64>| known.map_or_else(|_| "–".into(), |r| signed(r, 2));
            view! {
                <tr>
                    <th scope="row">{dimension}</th>
                    <td>{format!("{} − {}", name(c, x.first), name(c, x.second))}</td>
                    <td class="num">{signed(test.mean, 2)}</td>
                    <td class="num">{effect(test.rank_biserial)}</td>
                    <td class="num">{effect(test.cohen_dz)}</td>
                    <td class="num">{signed(test.cliff_delta, 2)}</td>
                    <td class="num">{p_value(test.wilcoxon.p)}</td>
                    <td class="num">{p_value(test.permutation.p)}</td>
                    <td class="num">{holm.map_or_else(|| "–".into(), p_value)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = [t.difference, t.effect, t.dz, t.cliff, t.wilcoxon, t.permutation, t.holm]
        .map(|word| view! { <th scope="col" class="num">{word}</th> })
        .collect_view();
    Some(
        view! {
            <h3 id="difference-tests">{t.pair_tests}</h3>
            <p class="muted">{t.tests_lead}</p>
            {pairs::cut_note(i, all, links)}
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

/// Why a figure is missing, in a few words.
pub fn undefined(i: I18n, why: Undefined) -> String {
    let t = i.comparison();
    match why {
        Undefined::Nothing => t.un_nothing.into(),
        Undefined::TooFew => t.un_too_few.into(),
        Undefined::NoPairs => t.un_no_pairs.into(),
        Undefined::NoVariation => t.un_no_variation.into(),
        Undefined::NoDivisor => t.un_no_divisor.into(),
        Undefined::NotCrossed => t.un_not_crossed.into(),
        Undefined::Disconnected(groups) => (t.un_disconnected)(groups),
        Undefined::SeveralSamples => t.un_several_samples.into(),
        Undefined::Unstable => t.un_unstable.into(),
    }
}

/// Every coefficient of agreement with its interval, and the kappa of each pair of raters if raters are
/// named.
#[allow(clippy::too_many_lines, reason = "one table, whose columns share what is counted")]
pub fn reliability(i: I18n, human: &Human, raters: &[String], links: Option<&Links>) -> AnyView {
    let t = i.comparison();
    let cell = |known: Known<Estimate>, share: bool| {
        let (figure, within) = match known {
            Err(_) => ("–".into(), None),
            Ok(estimate) => {
                let text =
                    |v: f64| if share { format!("{:.0}%", v * 100.0) } else { format!("{v:.2}").replace('-', "−") };
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
                    {cell(r.icc2k, false)} {cell(r.exact, true)}
                    // Yes and no are always within one level.
                    {if dimension.checklist { view! { <td class="num">"–"</td> }.into_any() } else { cell(r.within_one, true).into_any() }}
                    <td class="num">{i.number(r.pairs)}</td>
                </tr>
            }
        })
        .collect_view();
    let a = i.admin();
    let names = [a.alpha, t.ac2, t.icc1, t.icc2, t.icc2k, a.exact, a.within_one, a.pairs];
    let heads = names.map(|word| view! { <th scope="col" class="num">{word}</th> }).collect_view();
    let reasons = missing(i, dimensions, &human.reliability, &names);
    let reasons = (!reasons.is_empty()).then(|| {
        let reasons = reasons.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
        view! { <ul class="muted small">{reasons}</ul> }
    });
    let name = |at: u32| raters.get(at as usize).cloned().unwrap_or_default();
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
                    match same.map_or(Err(Undefined::NoPairs), |k| k.kappa) {
                        Err(why) => view! { <td class="num muted small">{undefined(i, why)}</td> }.into_any(),
                        known => cell(known, false).into_any(),
                    }
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
    let maps: Vec<_> = (0..dimensions.len()).filter_map(|d| comparison::rater_agreement(i, human, raters, d)).collect();
    // The charts have the same figures with their intervals.
    let listed = !raters.is_empty() && maps.is_empty();
    let maps = maps.into_iter().map(|figure| figure_view(figure, links)).collect_view();
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
                {reasons}
                <div class="pictures three">{maps}</div>
                {listed.then(|| view! {
                    <details class="said">
                        <summary>{t.kappas}</summary>
                        <div class="table-box" role="group" aria-label=t.kappas tabindex="0">
                            <table class="table means">
                                <thead><tr>
                                    <th scope="col">{t.raters}</th><th scope="col" class="num">{t.outputs}</th>
                                    {kappa_heads}
                                </tr></thead>
                                <tbody>{kappas}</tbody>
                            </table>
                        </div>
                    </details>
                })}
            })}
        </section>
    }
    .into_any()
}

/// Why coefficients are missing: each reason once for each set of coefficients, with the dimensions that it is
/// about. `names` are the coefficients', in the order of the table.
fn missing(i: I18n, dimensions: &[Dimension], reliability: &[Reliability], names: &[&str]) -> Vec<String> {
    let mut found: Vec<(Undefined, Vec<&str>, Vec<&str>)> = Vec::new();
    for (dimension, r) in dimensions.iter().zip(reliability) {
        let within_one = if dimension.checklist { r.exact } else { r.within_one };
        let known = [r.alpha, r.ac2, r.icc1, r.icc2, r.icc2k, r.exact, within_one];
        let mut here: Vec<(Undefined, Vec<&str>)> = Vec::new();
        for (name, known) in names.iter().zip(known) {
            let Err(why) = known else { continue };
            match here.iter_mut().find(|(other, _)| *other == why) {
                Some((_, of)) => of.push(name),
                None => here.push((why, vec![name])),
            }
        }
        for (why, of) in here {
            let dimension = dimension.name.get(i.lang);
            match found.iter_mut().find(|(other, others, _)| (*other, &**others) == (why, of.as_slice())) {
                Some((.., dimensions)) => dimensions.push(dimension),
                None => found.push((why, of, vec![dimension])),
            }
        }
    }
    let list = |words: Vec<&str>| texts::list(i.lang, &words);
    let told = found.into_iter().map(|(why, of, about)| {
        let why = undefined(i, why);
        match about.len() == dimensions.len() {
            true => (i.comparison().missing_because)(&list(of), &why),
            false => (i.comparison().missing_in)(&list(of), &list(about), &why),
        }
    });
    told.collect()
}

fn name(c: &Comparison, at: usize) -> &str {
    c.models.get(at).map_or("?", |m| m.model.as_str())
}
