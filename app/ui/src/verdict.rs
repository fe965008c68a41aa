//! A verdict as every page shows it: its mark, its name, and how many cases passed.
//!
//! Verdicts have their own colors (style/70-runs.css), not the scores', because a verdict is not a level of a scale.
//! Each mark also has a sign, so that none depends on its color.

use leptos::prelude::*;

use chart::bars::verdict_class;
use model::run::{PublishedVerdict, Verdict};
use texts::I18n;

/// The sign in a verdict's mark.
pub fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "✓",
        Verdict::Failed => "✗",
        Verdict::CompileError => "C",
        Verdict::Timeout => "T",
        Verdict::OutOfMemory => "M",
        Verdict::Crashed => "!",
        Verdict::NoResult => "?",
        Verdict::Tampered => "#",
        Verdict::Anomaly => "±",
    }
}

/// A mark next to a word; `class` has its color.
pub fn marked(class: &'static str, sign: &'static str, word: impl IntoView + 'static) -> AnyView {
    view! {
        <span class="verdict"><span class=format!("verdict-mark {class}") aria-hidden="true">{sign}</span>{word}</span>
    }
    .into_any()
}

/// A verdict with its name.
pub fn verdict(i: I18n, verdict: Verdict) -> AnyView {
    marked(verdict_class(verdict), sign(verdict), i.runs().verdict_name(verdict))
}

/// The same, with the cases that passed.
pub fn verdict_of_cases(i: I18n, of: Verdict, passed: u32, total: u32) -> AnyView {
    let cases = (total > 0).then(|| view! { " "<span class="verdict-cases">{format!("{passed}/{total}")}</span> });
    view! { {verdict(i, of)}{cases} }.into_any()
}

/// A verdict in a narrow column: the name is for screen readers and in the tooltip, and the number of cases is left out
/// where all passed.
pub fn verdict_cell(i: I18n, of: Verdict, passed: u32, total: u32) -> AnyView {
    let name = i.runs().verdict_name(of);
    let cases = format!("{passed}/{total}");
    let title = if total > 0 { format!("{name}, {cases}") } else { name.to_owned() };
    let shown = (total > 0 && of != Verdict::Passed).then(|| view! { <span class="verdict-cases">{cases}</span> });
    let word = view! { <span class="visually-hidden">{name}" "</span>{shown} };
    view! { <span title=title>{marked(verdict_class(of), sign(of), word)}</span> }.into_any()
}

/// The verdict of another evaluator: that published with a benchmark, or that of the file of an output.
pub fn other_verdict(i: I18n, verdict: PublishedVerdict) -> AnyView {
    let same = match verdict {
        PublishedVerdict::Passed => Verdict::Passed,
        PublishedVerdict::Failed => Verdict::Failed,
        PublishedVerdict::Timeout => Verdict::Timeout,
    };
    marked(verdict_class(same), sign(same), i.runs().published_name(verdict))
}

/// Whether a single case passed.
pub fn case(i: I18n, passed: bool) -> AnyView {
    let (same, word) = if passed { (Verdict::Passed, i.common.yes) } else { (Verdict::Failed, i.common.no) };
    marked(verdict_class(same), sign(same), word)
}

/// The verdict that came with an output in its file.
pub fn their_verdict(i: I18n, passed: bool) -> AnyView {
    other_verdict(i, if passed { PublishedVerdict::Passed } else { PublishedVerdict::Failed })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_verdict_has_a_sign_of_its_own() {
        let signs: BTreeSet<&str> = Verdict::ALL.into_iter().map(sign).collect();
        assert_eq!(signs.len(), Verdict::ALL.len());
    }
}
