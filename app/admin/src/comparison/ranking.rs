//! Models in the order of a figure: values, intervals, groups and the picture of them in one table, and the matrix
//! of all pairs.

use std::fmt::Write;

use leptos::prelude::*;

use chart::{
    bars::{self, Axis, escape},
    figures::Entry,
    signed,
};
use model::claims::Standing;
use texts::{I18n, claims::Measure};
use ui::notice::{Badge, Tone};

/// The figure of a ranking.
pub struct Ranking<'a> {
    /// Unique in the page.
    pub id: &'a str,
    /// Name of the figure.
    pub title: String,
    /// The scale of the picture, in the unit of `number`.
    pub axis: Axis,
    /// A value as text.
    pub number: fn(f64) -> String,
    /// Highest first.
    pub entries: Vec<Entry>,
    /// Factor from a value to the scale's unit.
    pub unit: f64,
    /// Whether the letters are explained below it.
    pub hint: bool,
}

/// One more than the number of higher values, so that equal values share a rank.
fn rank(entries: &[Entry], value: f64) -> usize {
    1 + entries.iter().filter(|other| other.value.is_some_and(|other| other > value)).count()
}

/// The table; nothing without entries.
pub fn table(i: I18n, ranking: Ranking) -> Option<AnyView> {
    let t = i.comparison();
    let Ranking { id, title, axis, number, entries, unit, hint } = ranking;
    if entries.is_empty() {
        return None;
    }
    let lettered = entries.iter().any(|entry| !entry.letters.is_empty());
    let rows = entries.iter().map(|entry| {
        let value = entry.value.unwrap_or_default();
        let rank = rank(&entries, value);
        let within = entry.interval.map(|r| format!("{} – {}", number(r.low), number(r.high)));
        let name = match &entry.href {
            Some(href) => view! { <a href=href.clone()>{entry.name.clone()}</a> }.into_any(),
            None => entry.name.clone().into_any(),
        };
        let coverage = entry.answered.map(|answered| {
            let text = (i.results().tested)(answered, entry.n);
            view! { " "<Badge tone=Tone::Care>{text}</Badge> }
        });
        let plot = bars::row(&axis, value * unit, entry.interval.map(|r| (r.low * unit, r.high * unit)));
        view! {
            <tr role="row">
                <td role="cell" class="num muted rank">{rank}</td>
                <th role="rowheader" scope="row">{name}{coverage}</th>
                <td role="cell" class="num mean">{number(value)}</td>
                <td role="cell" class="num small">{within.unwrap_or_else(|| "–".into())}</td>
                <td role="cell" class="num small tasks">{i.number(entry.n)}</td>
                {lettered.then(|| view! { <td role="cell" class="letters">{entry.letters.clone()}</td> })}
                <td role="cell" class="plot" inner_html=plot></td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let scale = bars::scale(&axis);
    let head = format!("{id}-ranking");
    let hint = (lettered && hint).then(|| view! { <p class="muted small">{t.group_hint}</p> });
    Some(
        view! {
            <div class="table-box" role="group" aria-labelledby=head.clone() tabindex="0">
                <table class="table ranking" role="table">
                    <caption id=head.clone() class="visually-hidden">{title}</caption>
                    <thead role="rowgroup"><tr role="row">
                        <th role="columnheader" scope="col" class="num">{t.rank}</th>
                        <th role="columnheader" scope="col">{t.model}</th>
                        <th role="columnheader" scope="col" class="num">{t.mean_score_short}</th>
                        <th role="columnheader" scope="col" class="num">{t.interval}</th>
                        <th role="columnheader" scope="col" class="num">{t.tasks}</th>
                        {lettered.then(|| view! { <th role="columnheader" scope="col">{t.group}</th> })}
                        <td role="cell" class="plot" inner_html=scale></td>
                    </tr></thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
            {hint}
        }
        .into_any(),
    )
}

/// Every pair of ranked models: row minus column. For more models than sentences or rows could be read of.
pub fn matrix(i: I18n, id: &str, models: &[&str], standing: &Standing, measure: Measure) -> AnyView {
    let (unit, decimals) = measure.unit();
    let t = i.comparison();
    let head = format!("{id}-pairs");
    let number = standing.ranked.len();
    // As text: thousands of cells are no elements to keep alive.
    let mut cells = String::from("<thead><tr><td></td>");
    for at in 1..=number {
        _ = write!(cells, r#"<th scope="col" class="num">{at}</th>"#);
    }
    cells.push_str("</tr></thead><tbody>");
    let mut rows = vec![vec![None; number]; number];
    let place = |model: usize| standing.ranked.iter().position(|m| *m == model);
    for x in &standing.contests {
        if let (Some(a), Some(b)) = (place(x.better), place(x.worse)) {
            rows[a][b] = Some((x.by, x.significant));
            rows[b][a] = Some((-x.by, x.significant));
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let name = standing.ranked.get(at).and_then(|m| models.get(*m)).copied().unwrap_or("?");
        _ = write!(cells, r#"<tr><th scope="row">{} {}</th>"#, at + 1, escape(name));
        for cell in row {
            match cell {
                None => cells.push_str("<td></td>"),
                Some((by, true)) => _ = write!(cells, "<td><b>{}</b></td>", signed(by * unit, decimals)),
                Some((by, false)) => _ = write!(cells, "<td>{}</td>", signed(by * unit, decimals)),
            }
        }
        cells.push_str("</tr>");
    }
    cells.push_str("</tbody>");
    view! {
        <h4 id=head.clone()>{t.all_pairs}</h4>
        <p class="muted small">{t.matrix_hint}</p>
        <div class="table-box matrix" role="group" aria-labelledby=head.clone() tabindex="0">
            <table class="table" inner_html=cells></table>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        let entries = [3.5, 3.0, 3.0, 1.0].map(|value| Entry { value: Some(value), ..Entry::default() });
        let ranks = entries.iter().filter_map(|entry| Some(rank(&entries, entry.value?)));
        assert_eq!(ranks.collect::<Vec<_>>(), [1, 2, 2, 4]);
    }
}
