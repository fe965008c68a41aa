//! A comparison's figures by the verdicts as published, in tables.

use model::{
    comparison::Automated,
    lang::Lang,
    published::{Difference, PublishedChecked},
};
use texts::I18n;

use super::tables::{ks, shares};

/// The rows below the guarded figures; none where no model has verdicts as published.
pub fn rows(automated: &Automated, lang: Lang) -> Vec<Vec<String>> {
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
        format!("{} ({:.2}%{})", p.figures.solved, p.figures.pass_at_1 * 100.0, shares(p.pass_interval))
    })];
    for k in ks(automated) {
        rows.push(row(texts.published_k(k), &|p| {
            let found = p.pass_at.iter().find(|at| at.k == k);
            found.map_or_else(|| "–".into(), |at| format!("{:.2}%{}", at.value * 100.0, shares(at.interval)))
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
