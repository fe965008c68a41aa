//! A score and a set of scores as every page shows them: each in the color of its place on the scale, the same as in the
//! charts.

use leptos::prelude::*;

use chart::bars::{share_step, step_class};
use model::rubric::Dimension;
use texts::I18n;

/// A score, or a mean of scores: whole ones as such, others with one decimal.
pub fn score_text(i: I18n, dimension: Option<&Dimension>, value: f64) -> String {
    match dimension {
        _ if value.fract() == 0.0 && (0.0..=255.0).contains(&value) => i.score(dimension, value as u8),
        // The mean of an item of the checklist is the share of yes.
        Some(dimension) if dimension.checklist => format!("{:.0}%", value * 100.0),
        _ => format!("{value:.1}"),
    }
}

/// The class of a score: its color, if its scale is known.
fn class(dimension: Option<&Dimension>, value: f64) -> String {
    match dimension {
        Some(dimension) => format!("score {}", step_class(share_step(dimension.share(value)))),
        None => "score".to_owned(),
    }
}

/// One score; a dash without one. Where it stands has the name of its dimension.
pub fn score(i: I18n, dimension: Option<&Dimension>, value: Option<f64>) -> AnyView {
    match value {
        Some(value) => view! { <b class=class(dimension, value)>{score_text(i, dimension, value)}</b> }.into_any(),
        None => view! { <span class="score score-none">"–"</span> }.into_any(),
    }
}

/// The same for a score that a person or a judge model gave.
pub fn whole_score(i: I18n, dimension: Option<&Dimension>, value: Option<u8>) -> AnyView {
    score(i, dimension, value.map(f64::from))
}

/// How a set of scores names its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// In full.
    Full,
    /// By an initial, with the name in the tooltip and for screen readers. [`initials_key`] explains them.
    Initials,
}

/// A set of scores in the order of the rubric. Without their dimensions, they have no names and no colors.
pub fn scores(i: I18n, dimensions: &[Dimension], values: &[Option<f64>], names: Names) -> AnyView {
    let initials = initials(i, dimensions);
    let each = values.iter().enumerate().map(|(d, value)| {
        let dimension = dimensions.get(d);
        let name = dimension.map(|dimension| dimension.name.get(i.lang).to_owned());
        let (title, name) = match names {
            Names::Full => (None, name.map(|name| view! { <span class="score-name">{name}</span>" " }.into_any())),
            Names::Initials => {
                let initial = initials.get(d).cloned().unwrap_or_default();
                let spoken = name.clone().map(|name| view! { <span class="visually-hidden">{name}" "</span> });
                (name, Some(view! { <span class="score-name" aria-hidden="true">{initial}</span>{spoken} }.into_any()))
            }
        };
        view! { {separator(d)}<span class="score-of" title=title>{name}{score(i, dimension, *value)}</span> }
    });
    view! { <span class="scores">{each.collect_view()}</span> }.into_any()
}

/// Separates values for screen readers and in copied text; the eye has the space between them.
fn separator(at: usize) -> Option<impl IntoView> {
    (at > 0).then(|| view! { <span class="visually-hidden">", "</span> })
}

/// The same for scores that a person or a judge model gave.
pub fn whole_scores(i: I18n, dimensions: &[Dimension], values: &[u8], names: Names) -> AnyView {
    let values: Vec<Option<f64>> = values.iter().map(|value| Some(f64::from(*value))).collect();
    scores(i, dimensions, &values, names)
}

/// Values that are no scores, such as differences, each with the initial of its dimension.
pub fn named_values(names: &[&str], values: &[String]) -> AnyView {
    let each =
        short_names(names).into_iter().zip(names).zip(values).enumerate().map(|(d, ((initial, name), value))| {
            view! {
                {separator(d)}
                <span class="score-of" title=(*name).to_owned()>
                    <span class="score-name" aria-hidden="true">{initial}" "</span>
                    <span class="visually-hidden">{(*name).to_owned()}" "</span>
                    {value.clone()}
                </span>
            }
        });
    view! { <span class="scores">{each.collect_view()}</span> }.into_any()
}

/// What the initials stand for: `C Correctness 1–4`.
pub fn initials_key(i: I18n, dimensions: &[Dimension]) -> AnyView {
    let each = initials(i, dimensions).into_iter().zip(dimensions).map(|(initial, dimension)| {
        let (low, high) = dimension.range();
        let scale = (!dimension.checklist).then(|| format!(" {low}–{high}"));
        view! { <span><b>{initial}</b>" "{dimension.name.get(i.lang).to_owned()}{scale}</span> }
    });
    each.collect_view().into_any()
}

/// A short name for each dimension, different from all others: the initial of its first word that is still free.
pub fn initials(i: I18n, dimensions: &[Dimension]) -> Vec<String> {
    let names: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.get(i.lang)).collect();
    short_names(&names)
}

fn short_names(names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        // Names without spaces, as in Chinese, are tried character by character.
        let words = name.split_whitespace().filter_map(|word| word.chars().next());
        let characters = name.chars().filter(|c| c.is_alphanumeric() && !c.is_ascii());
        let mut tried = words.chain(characters).map(|c| c.to_uppercase().collect::<String>());
        let free = tried.find(|initial| !found.contains(initial));
        found.push(free.unwrap_or_else(|| (at + 1).to_string()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::{Bilingual, Lang};

    #[test]
    fn initials_are_unique() {
        let check = |names: &[&str], initials: &[&str]| assert_eq!(short_names(names), initials);
        check(&["Correctness", "Code quality", "Maintainability"], &["C", "Q", "M"]);
        check(&["正确性", "代码质量", "可维护性"], &["正", "代", "可"]);
        check(&["正确性", "正确度"], &["正", "确"]);
        check(&["handles errors", "Handles", "Handles"], &["H", "2", "3"]);
        check(&["", ""], &["1", "2"]);
        check(&[], &[]);
    }

    #[test]
    fn scores_are_short_and_missing_ones_are_dashes() {
        let i = I18n::of(Lang::En);
        let item = Dimension {
            key: "k".into(),
            checklist: true,
            name: Bilingual::default(),
            question: Bilingual::default(),
            levels: Dimension::yes_and_no(),
        };
        let check = |dimension: Option<&Dimension>, value: f64, text: &str| {
            assert_eq!(score_text(i, dimension, value), text);
        };
        check(None, 4.0, "4");
        check(None, 3.333, "3.3");
        check(Some(&item), 1.0, "Yes");
        check(Some(&item), 0.5, "50%");
    }
}
