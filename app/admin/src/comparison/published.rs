//! The rows of a comparison by the verdicts as published, below the guarded ones.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::tested::share_range;
use chart::percentage;
use model::{
    comparison::Automated,
    published::{Difference, PublishedChecked},
    run::PassAtK,
};
use texts::I18n;

/// The k above 1 for which a model has pass@k.
pub fn ks(automated: &Automated) -> BTreeSet<u32> {
    automated.models.iter().flatten().flat_map(|c| &c.pass_at).map(|p| p.k).filter(|k| *k > 1).collect()
}

/// A cell with pass@k and its interval.
pub fn share_at(all: &[PassAtK], k: u32) -> (String, Option<String>) {
    let found = all.iter().find(|at| at.k == k);
    found.map_or_else(|| ("–".to_owned(), None), |at| (percentage(at.value), share_range(at.interval)))
}

/// Rows with the figures as published, the number of outputs where the verdicts differ, and why; none where no model
/// has such verdicts.
pub fn rows(i: I18n, automated: &Automated) -> Vec<AnyView> {
    let t = i.runs();
    let all: Vec<Option<&PublishedChecked>> =
        automated.models.iter().map(|checked| checked.as_ref()?.published.as_ref()).collect();
    if all.iter().all(Option::is_none) {
        return Vec::new();
    }
    let row = |name: String, of: &dyn Fn(&PublishedChecked) -> (String, Option<String>)| {
        let cells = all
            .iter()
            .map(|found| {
                let (value, within) = found.map_or_else(|| ("–".to_owned(), None), of);
                view! {
                    <td class="num">
                        <span class="mean">{value}</span>
                        {within.map(|text| view! { <span class="interval">{text}</span> })}
                    </td>
                }
            })
            .collect_view();
        view! { <tr><th scope="row">{name}</th>{cells}</tr> }.into_any()
    };
    let mut rows = vec![row(t.published_k(1), &|p| {
        (format!("{} · {}", p.figures.solved, percentage(p.figures.pass_at_1)), share_range(p.pass_interval))
    })];
    for k in ks(automated) {
        rows.push(row(t.published_k(k), &|p| share_at(&p.pass_at, k)));
    }
    rows.push(row(t.differs_published.to_owned(), &|p| (i.number(p.figures.differ.into()), None)));
    for Difference { reason, .. } in Difference::summed(all.iter().flatten().flat_map(|p| p.differences.clone())) {
        let count = |p: &PublishedChecked| {
            p.differences.iter().find(|known| known.reason == reason).map_or(0, |known| known.outputs)
        };
        rows.push(row(t.difference(reason.as_ref()), &|p| (i.number(count(p).into()), None)));
    }
    rows
}
