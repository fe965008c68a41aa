//! What the checks found about each rater: known scores, repeats, and agreement with others.

use leptos::prelude::*;

use crate::study::matched;
use model::quality::{Live, LiveRater};
use texts::I18n;

/// The table; a sentence where there is nothing to compare yet.
pub(super) fn view(i: I18n, live: &Live) -> AnyView {
    let (t, a) = (i.quality(), i.admin());
    let compared = |rater: &&LiveRater| {
        let f = &rater.figures;
        f.known_items.outputs + f.again.outputs + f.peers.outputs > 0
    };
    let base = format!("/admin/studies/{}", live.study);
    let rows = live
        .raters
        .iter()
        .filter(compared)
        .map(|rater| {
            let f = &rater.figures;
            let known = match f.known_items.outputs {
                0 => "–".to_owned(),
                outputs => (t.right_of)(f.known_items_right, outputs),
            };
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=a.rater>
                        <a href=format!("{base}/ratings?rater={}", rater.id)>{rater.name.clone()}</a>
                    </th>
                    <td role="cell" data-label=t.with_known_scores class="num">{known}</td>
                    <td role="cell" data-label=t.with_self class="num">{matched(i, &f.again)}</td>
                    <td role="cell" data-label=t.with_peers class="num">{matched(i, &f.peers)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    let more = view! { <p><a href=format!("{base}#raters")>{t.results_all}</a></p> };
    if rows.is_empty() {
        return view! { <p class="muted">{t.results_none}</p>{more} }.into_any();
    }
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.results}</caption>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">{a.rater}</th>
                <th role="columnheader" scope="col" class="num">{t.with_known_scores}</th>
                <th role="columnheader" scope="col" class="num">{t.with_self}</th>
                <th role="columnheader" scope="col" class="num">{t.with_peers}</th>
            </tr></thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
        {more}
    }
    .into_any()
}
