//! Pairs of models in tables of limited length: a thousand models are half a million pairs.

use leptos::prelude::*;

use chart::{comparison::Links, signed};
use model::{
    claims::{Contest, Standing},
    stats::Tested,
};
use texts::{
    I18n,
    claims::{Measure, p_value},
};

/// Most pairs in a table; the CSV file has all.
pub const MOST: usize = 50;

/// The table of one figure's pairs: significant differences first, then by size.
pub fn table(
    i: I18n,
    (id, measure): (&str, Measure),
    standing: &Standing,
    names: &[&str],
    links: Option<&Links>,
) -> AnyView {
    let t = i.comparison();
    let (unit, decimals) = measure.unit();
    let figure = |value: f64| signed(value * unit, decimals);
    let head = format!("{id}-pairs");
    let mut contests: Vec<&Contest> = standing.contests.iter().collect();
    contests.sort_by(|a, b| b.significant.cmp(&a.significant).then(b.by.total_cmp(&a.by)));
    let name = |model: usize| names.get(model).copied().unwrap_or("?");
    let rows = contests
        .iter()
        .take(MOST)
        .map(|x| {
            view! {
                <tr>
                    <th scope="row">{format!("{} − {}", name(x.better), name(x.worse))}</th>
                    <td class="num">
                        <span class=if x.significant { "mean best" } else { "mean" }>{figure(x.by)}</span>
                        <span class="interval">{format!("[{}, {}]", figure(x.low), figure(x.high))}</span>
                    </td>
                    {p_cells(i, x.tested)}
                    <td class="num">{i.number(x.tasks)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = [t.difference, t.uncorrected, t.holm, t.tasks]
        .map(|word| view! { <th scope="col" class="num">{word}</th> })
        .collect_view();
    view! {
        <h4 id=head.clone()>{(t.each_pair)(contests.len() as u64)}</h4>
        {cut_note(i, contests.len(), links)}
        <div class="table-box" role="group" aria-labelledby=head tabindex="0">
            <table class="table means">
                <thead><tr><th scope="col">{t.pair}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Two cells: the p-value of a difference with the name of its test, then the corrected p-value.
pub fn p_cells(i: I18n, tested: Option<Tested>) -> AnyView {
    let of = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), p_value);
    view! {
        <td class="num">
            <span class="mean">{of(tested.map(|tested| tested.p))}</span>
            {tested.map(|tested| view! { <span class="interval">{i.deciding_test(tested.test)}</span> })}
        </td>
        <td class="num">{of(tested.map(|tested| tested.holm))}</td>
    }
    .into_any()
}

/// Says that a table has only the first [`MOST`] of `all` rows, and where the rest is.
pub fn cut_note(i: I18n, all: usize, links: Option<&Links>) -> Option<AnyView> {
    let t = i.comparison();
    (all > MOST).then(|| {
        let file = links.map(|links| {
            view! { " "<a href=links.export("pairs.csv") download="" rel="external">{t.pairs_csv}</a> }
        });
        view! { <p class="muted small">{(t.pairs_cut)(MOST as u64, all as u64)}{file}</p> }.into_any()
    })
}
