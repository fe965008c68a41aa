//! A comparison's figures by the verdicts as published, in tables.

use model::{
    comparison::Automated,
    lang::Lang,
    published::{Difference, PublishedChecked},
    ratings::Interval,
};
use texts::I18n;

use super::tables::ks;

/// A row for each figure, with percentages of these decimals; none where no model has verdicts as published.
pub fn rows(automated: &Automated, lang: Lang, decimals: u8) -> Vec<Vec<String>> {
    let all: Vec<Option<&PublishedChecked>> =
        automated.models.iter().map(|checked| checked.as_ref()?.published.as_ref()).collect();
    if all.iter().all(Option::is_none) {
        return Vec::new();
    }
    let texts = I18n::of(lang).runs();
    let row = |name: String, of: &dyn Fn(&PublishedChecked) -> String| {
        let cells = all.iter().map(|found| found.map_or_else(|| "–".to_owned(), of));
        [name].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let mut rows = vec![row(texts.published_k(1), &|p| {
        format!("{} ({})", p.figures.solved, share(p.figures.pass_at_1, p.pass_interval, decimals))
    })];
    for k in ks(automated) {
        rows.push(row(texts.published_k(k), &|p| {
            let found = p.pass_at.iter().find(|at| at.k == k);
            found.map_or_else(|| "–".into(), |at| share(at.value, at.interval, decimals))
        }));
    }
    rows.push(row(texts.differs_published.to_owned(), &|p| p.figures.differ.to_string()));
    for Difference { reason, .. } in Difference::summed(all.iter().flatten().flat_map(|p| p.differences.clone())) {
        let count = |p: &PublishedChecked| {
            p.differences.iter().find(|known| known.reason == reason).map_or(0, |known| known.outputs)
        };
        rows.push(row(texts.difference(reason.as_ref()), &|p| count(p).to_string()));
    }
    rows
}

/// A share in percent with its interval.
fn share(value: f64, interval: Option<Interval>, decimals: u8) -> String {
    let at = usize::from(decimals);
    let within = interval.map(|i| format!(" [{:.at$}, {:.at$}]", i.low * 100.0, i.high * 100.0));
    format!("{:.at$}%{}", value * 100.0, within.unwrap_or_default())
}
