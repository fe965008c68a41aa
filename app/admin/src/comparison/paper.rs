//! The comparison as the AixBench paper prints it: Table 2, Table 3 and the two bar charts.

use leptos::prelude::*;

use super::{human::figure_view, tested::counted};
use chart::comparison::{self, Links};
use model::comparison::{Checked, ComparisonView};
use texts::I18n;

/// The paper's tables.
pub fn view(i: I18n, found: &ComparisonView) -> AnyView {
    let t = i.comparison();
    let heads =
        || found.figures.models.iter().map(|m| view! { <th scope="col" class="num">{m.clone()}</th> }).collect_view();
    let row = |name: String, cells: Vec<String>| {
        let cells = cells.into_iter().map(|cell| view! { <td class="num">{cell}</td> }).collect_view();
        view! { <tr><th scope="row">{name}</th>{cells}</tr> }
    };
    let table_2 = found.figures.automated.as_ref().map(|automated| {
        let of = |value: fn(&Checked) -> String| -> Vec<String> {
            automated.models.iter().map(|m| m.as_ref().map_or_else(|| "–".into(), value)).collect()
        };
        let rows = [
            row(
                "pass@1".into(),
                of(|c| counted(&c.metrics, |m| format!("{} ({:.2}%)", m.solved, m.pass_at_1 * 100.0))),
            ),
            row(
                "AvgPassRatio".into(),
                of(|c| counted(&c.metrics, |m| format!("{:.4} ({:.2}%)", m.ratio_sum, m.ratio_mean * 100.0))),
            ),
        ];
        table("table-2", t.table_2, t.metrics, heads().into_any(), rows.collect_view().into_any())
    });
    let table_3 = found.figures.human.as_ref().map(|human| {
        let c = &human.comparison;
        let rows = c.rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
            let means = c.models.iter().map(|m| {
                let mean = m.dimensions.get(d).and_then(|s| s.mean);
                mean.map_or_else(|| "–".into(), |mean| format!("{mean:.4}"))
            });
            row(dimension.name.get(i.lang).to_owned(), means.collect())
        });
        let table = table("table-3", t.table_3, t.metrics, heads().into_any(), rows.collect_view().into_any());
        let adjusted = c.has_adjusted().then(|| view! { <p class="muted small">{t.means_adjusted}</p> });
        view! { {table}{adjusted} }
    });
    let links = Links::of(&found.selection).captioned(&found.captions);
    let charts = comparison::paper(i, &found.figures, Some(&links));
    let charts = charts.into_iter().map(|figure| figure_view(figure, Some(&links))).collect_view();
    view! { <div class="paper stack">{table_2}{table_3}<div class="pictures">{charts}</div></div> }.into_any()
}

fn table(id: &'static str, caption: &'static str, first: &'static str, heads: AnyView, rows: AnyView) -> AnyView {
    view! {
        <div class="table-box" role="group" aria-labelledby=id tabindex="0">
            <table class="table">
                <caption id=id>{caption}</caption>
                <thead><tr><th scope="col">{first}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
