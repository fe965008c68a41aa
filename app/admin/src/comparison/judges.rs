//! Judge models next to people: compared with them and never mixed with them.

use leptos::prelude::*;

use super::agreement::undefined;
use model::{
    comparison::{ComparisonView, Human, Judge, JudgeDimension, JudgeMeans},
    stats::{Estimate, Known, Reliability, Undefined},
};
use texts::I18n;

/// Every judge model, or nothing.
pub fn view(i: I18n, found: &ComparisonView, human: &Human) -> Option<AnyView> {
    let t = i.comparison();
    let judges = &found.figures.judges;
    // A judging is of one study; the newest one has the rubric of the figures.
    let study = found.selection.studies.as_ref().and_then(|studies| studies.first());
    if judges.is_empty() && study.is_none() {
        return None;
    }
    let start = study.map(|study| {
        view! { <p><a class="button" href=format!("/admin/judgings/new?study={study}")>{i.admin().judge_with_model}</a></p> }
    });
    let blocks = judges.iter().enumerate().map(|(at, judge)| one(i, found, human, at, judge)).collect_view();
    Some(
        view! {
            <section id="judges" class="stack" aria-labelledby="judges-head">
                <h2 id="judges-head">{t.judges}</h2>
                <p class="muted">{t.judges_lead}</p>
                {blocks}
                {start}
            </section>
        }
        .into_any(),
    )
}

/// What a judge is compared on: a dimension, or a kind of instruction.
struct Part<'a> {
    name: String,
    /// The lowest score.
    low: u8,
    /// Whether the scores are answers with yes and no, which are always within one level.
    is_yes_or_no: bool,
    own: &'a JudgeDimension,
    /// People among themselves.
    people: &'a Reliability,
}

/// The dimensions, and after them the kinds of instructions.
fn parts<'a>(i: I18n, human: &'a Human, judge: &'a Judge) -> Vec<Part<'a>> {
    let dimensions = human.comparison.rubric.dimensions.iter().zip(&judge.dimensions).zip(&human.reliability);
    let dimensions = dimensions.map(|((dimension, own), people)| Part {
        name: dimension.name.get(i.lang).to_owned(),
        low: dimension.range().0,
        is_yes_or_no: dimension.checklist,
        own,
        people,
    });
    let instructions = judge.instructions.iter().filter_map(|of| {
        let people = human.instructions.iter().find(|people| people.kind == of.kind)?;
        let name = (i.comparison().instruction_of_kind)(people.name.get(i.lang));
        Some(Part { name, low: 0, is_yes_or_no: true, own: &of.figures, people: &people.reliability })
    });
    dimensions.chain(instructions).collect()
}

#[allow(clippy::too_many_lines, reason = "one section of a page, from top to bottom")]
fn one(i: I18n, found: &ComparisonView, human: &Human, at: usize, judge: &Judge) -> AnyView {
    let (t, a) = (i.comparison(), i.admin());
    let id = format!("judge-{at}");
    let share = |v: f64| format!("{:.0}%", v * 100.0);
    let number = |v: f64| format!("{v:.2}").replace('-', "−");
    let parts = parts(i, human, judge);
    let rows = parts
        .iter()
        .map(|Part { name, is_yes_or_no, own, people, .. }| {
            let r = &own.agreement;
            let within_one = |within| match is_yes_or_no {
                true => view! { <td class="num">"–"</td> }.into_any(),
                false => cell(i, within, share).into_any(),
            };
            view! {
                <tr>
                    <th scope="row" rowspan="2">{name.clone()}</th>
                    <td>{t.judge_and_people}</td>
                    {cell(i, r.exact, share)} {within_one(r.within_one)} {cell(i, r.alpha, number)}
                    {cell(i, own.correlation.spearman, number)}
                    <td class="num">{i.number(r.pairs)}</td>
                </tr>
                <tr>
                    <td>{t.people_alone}</td>
                    {cell(i, people.exact, share)} {within_one(people.within_one)} {cell(i, people.alpha, number)}
                    <td class="num">"–"</td>
                    <td class="num">{i.number(people.pairs)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = [a.exact, a.within_one, a.alpha, t.spearman, a.pairs]
        .map(|word| view! { <th scope="col" class="num">{word}</th> })
        .collect_view();
    let models = found.figures.models.iter().map(|m| view! { <th scope="col" class="num">{m.clone()}</th> });
    let models = models.collect_view();
    let means = parts
        .iter()
        .map(|Part { name, own, .. }| {
            let line = |who: &'static str, of: fn(&JudgeMeans) -> Option<f64>, name: Option<String>| {
                let cells = own
                    .means
                    .iter()
                    .map(|m| view! { <td class="num">{of(m).map_or_else(|| "–".into(), number)}</td> })
                    .collect_view();
                let head = name.map(|name| view! { <th scope="row" rowspan="3">{name}</th> });
                view! { <tr>{head}<td>{who}</td>{cells}</tr> }
            };
            let biases = own.means.iter().map(|m| cell(i, m.bias, number)).collect_view();
            view! {
                {line(t.judge, |m| m.judge, Some(name.clone()))} {line(t.people, |m| m.people, None)}
                <tr><td>{t.judge_bias}</td>{biases}</tr>
            }
        })
        .collect_view();
    let raters: Vec<(String, Vec<Known<Estimate>>)> = found
        .raters
        .iter()
        .zip(0u32..)
        .map(|(name, rater)| {
            let kappas = parts.iter().map(|part| {
                let same = part.own.agreement.kappas.iter().find(|k| k.first == rater || k.second == rater);
                same.map_or(Err(Undefined::NoPairs), |k| k.kappa)
            });
            (name.clone(), kappas.collect())
        })
        .collect();
    let kappa_heads =
        parts.iter().map(|part| view! { <th scope="col" class="num">{part.name.clone()}</th> }).collect_view();
    let kappas = raters
        .into_iter()
        .map(|(name, kappas)| {
            let cells = kappas.into_iter().map(|kappa| cell(i, kappa, number)).collect_view();
            view! { <tr><th scope="row">{name}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <h3 id=id.clone()>{judge.name.clone()}</h3>
        <p>{(t.judge_facts)(&i.number(judge.outputs), &i.number(judge.both))}</p>
        {(!judge.instructions.is_empty()).then(|| view! { <p class="muted">{t.judge_instructions}</p> })}
        <div class="table-box" role="group" aria-labelledby=id.clone() tabindex="0">
            <table class="table means">
                <thead><tr><th scope="col">{a.dimension}</th><th scope="col">{t.between}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <div class="table-box" role="group" aria-label=t.mean_score tabindex="0">
            <table class="table means">
                <caption>{t.judge_means}</caption>
                <thead><tr><th scope="col">{a.dimension}</th><th scope="col">{t.who}</th>{models}</tr></thead>
                <tbody>{means}</tbody>
            </table>
        </div>
        {length(i, &parts)}
        {replacement(i, &parts, at)}
        {confusion(i, &parts)}
        <details class="said">
            <summary>{t.judge_kappas}</summary>
            <div class="table-box" role="group" aria-label=t.judge_kappas tabindex="0">
                <table class="table means">
                    <thead><tr><th scope="col">{t.raters}</th>{kappa_heads}</tr></thead>
                    <tbody>{kappas}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}

/// Whether the judge favors longer code.
fn length(i: I18n, parts: &[Part<'_>]) -> AnyView {
    let t = i.comparison();
    let number = |v: f64| format!("{v:.2}").replace('-', "−");
    let heads = parts.iter().map(|part| view! { <th scope="col" class="num">{part.name.clone()}</th> }).collect_view();
    let cells = parts.iter().map(|part| cell(i, part.own.length, number)).collect_view();
    view! {
        <div class="table-box" role="group" aria-label=t.judge_length_head tabindex="0">
            <table class="table means">
                <caption>{t.judge_length_head}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody><tr>{cells}</tr></tbody>
            </table>
        </div>
        <p class="muted small">{t.judge_length_hint}</p>
    }
    .into_any()
}

/// How often people gave one score and the judge another.
fn confusion(i: I18n, parts: &[Part<'_>]) -> AnyView {
    let t = i.comparison();
    let tables = parts.iter().map(|Part { name, low, own, .. }| {
        let low = usize::from(*low);
        let heads =
            (0..own.confusion.len()).map(|at| view! { <th scope="col" class="num">{at + low}</th> }).collect_view();
        let rows = own
            .confusion
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let cells = row.iter().map(|count| view! { <td class="num">{i.number(*count)}</td> }).collect_view();
                view! { <tr><th scope="row">{at + low}</th>{cells}</tr> }
            })
            .collect_view();
        view! {
            <div class="table-box" role="group" aria-label=name.clone() tabindex="0">
                <table class="table counts">
                    <caption>{name.clone()}</caption>
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    view! {
        <details class="said">
            <summary>{t.judge_confusion}</summary>
            {tables.collect_view()}
        </details>
    }
    .into_any()
}

/// The alternative annotator test on every dimension.
fn replacement(i: I18n, parts: &[Part<'_>], at: usize) -> AnyView {
    let (t, a) = (i.comparison(), i.admin());
    let share = |v: f64| format!("{:.0}%", v * 100.0);
    let epsilons = parts.iter().find_map(|part| part.own.replacement.as_ref().ok());
    let Some(first) = epsilons else {
        return view! { <h4>{t.replace_head}</h4><p class="muted">{t.replace_needs}</p> }.into_any();
    };
    let heads = first
        .winning
        .iter()
        .map(|won| view! { <th scope="col" class="num">{(t.replace_epsilon)(&won.epsilon.to_string())}</th> })
        .collect_view();
    let rows = parts
        .iter()
        .map(|Part { name, own, .. }| {
            let cells = match &own.replacement {
                Err(_) => view! { <td class="muted small" colspan="4">{t.replace_needs}</td> }.into_any(),
                Ok(test) => {
                    let all = i.number(test.raters.len() as u64);
                    let won = test.winning.iter().map(|won| {
                        let (word, class) = match test.passes(won) {
                            true => (t.replace_passes, "mean"),
                            false => (t.replace_fails, "muted"),
                        };
                        let raters = (t.replace_won)(&i.number(won.raters.into()), &all);
                        view! { <td class="num"><span class=class>{word}</span><span class="interval">{raters}</span></td> }
                    });
                    let won = won.collect_view();
                    view! { {cell(i, Ok(test.advantage), share)}{won} }.into_any()
                }
            };
            view! { <tr><th scope="row">{name.clone()}</th>{cells}</tr> }
        })
        .collect_view();
    let id = format!("replace-{at}");
    view! {
        <h4 id=id.clone()>{t.replace_head}</h4>
        <p class="muted">{t.replace_lead}</p>
        <div class="table-box" role="group" aria-labelledby=id tabindex="0">
            <table class="table means">
                <thead><tr><th scope="col">{a.dimension}</th><th scope="col" class="num">{t.replace_advantage}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn cell(i: I18n, known: Known<Estimate>, text: impl Fn(f64) -> String) -> impl IntoView {
    let within = known.ok().and_then(|e| e.interval.ok()).map(|r| format!("[{}, {}]", text(r.low), text(r.high)));
    let class = if known.is_ok() { "mean" } else { "muted small" };
    let figure = known.map_or_else(|why| undefined(i, why), |estimate| text(estimate.value));
    view! {
        <td class="num">
            <span class=class>{figure}</span>
            {within.map(|text| view! { <span class="interval">{text}</span> })}
        </td>
    }
}
