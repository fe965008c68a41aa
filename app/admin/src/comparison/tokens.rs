//! Quality against the tokens of the outputs. The metric is in the address.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;

use super::human::figure_view;
use crate::parts::asked;
use chart::{
    comparison::{self, Links},
    figure::Figure,
};
use model::comparison::ComparisonFigures;
use texts::I18n;
use ui::pager::query_text;

/// The metric in the address: the id of a figure.
const METRIC: &str = "tokens";
/// Most models that a sentence names.
const NAMED: usize = 6;

/// The section; nothing if no output has a number of tokens.
pub fn view(i: I18n, figures: &ComparisonFigures, query: Memo<ParamsMap>, links: Links) -> Option<AnyView> {
    if figures.tokens.is_empty() {
        return None;
    }
    let t = i.comparison();
    let all = comparison::against_tokens(i, figures, Some(&links));
    let body = if all.is_empty() {
        view! { <p class="muted">{t.tokens_none}</p> }.into_any()
    } else {
        let chosen = move || {
            let now = asked(query, METRIC);
            let current = all.iter().position(|figure| figure.id == now).unwrap_or_default();
            let figure = all.get(current).cloned();
            let metrics = (all.len() > 1).then(|| metrics(i, query, &all, current));
            view! { {metrics}{figure.map(|figure| figure_view(figure, Some(&links)))} }
        };
        view! { <div class="stack tokens">{chosen}</div> }.into_any()
    };
    let notes = notes(i, figures).into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
    Some(
        view! {
            <section id="tokens" class="stack" aria-labelledby="tokens-head">
                <h2 id="tokens-head">{t.quality_and_tokens}</h2>
                {body}
                <ul class="plain-list muted small">{notes}</ul>
            </section>
        }
        .into_any(),
    )
}

/// Links to the figures of the other metrics; they keep the rest of the address.
fn metrics(i: I18n, query: Memo<ParamsMap>, all: &[Figure], current: usize) -> AnyView {
    let links = all.iter().enumerate().map(|(at, figure)| {
        let mut fields = query.get_untracked();
        fields.replace(METRIC, figure.id.clone());
        let href = format!("{}#tokens", query_text(&fields));
        let name = figure.table.head.get(3).cloned().unwrap_or_default();
        view! { <li><a href=href aria-current=(at == current).then_some("true")>{name}</a></li> }
    });
    view! { <nav class="tabs" aria-label=i.comparison().metric><ul>{links.collect_view()}</ul></nav> }.into_any()
}

/// Which data is missing, and what the numbers can mean.
fn notes(i: I18n, figures: &ComparisonFigures) -> Vec<String> {
    let t = i.comparison();
    let each = || figures.models.iter().zip(&figures.tokens);
    let without: Vec<String> = each().filter(|(_, of)| of.reported == 0).map(|(name, _)| name.clone()).collect();
    let partly: Vec<String> = each()
        .filter(|(_, of)| (1..of.outputs).contains(&of.reported))
        .map(|(name, of)| (t.tokens_of)(name, &i.number(of.reported), &i.number(of.outputs)))
        .collect();
    let has_score = |m: usize| {
        let human = figures.human.as_ref().and_then(|human| human.comparison.models.get(m));
        let automated = figures.automated.as_ref().and_then(|automated| automated.models.get(m)?.as_ref());
        human.is_some_and(|of| of.ratings > 0) || automated.is_some_and(|of| of.metrics.has_tasks())
    };
    let unscored: Vec<String> = each()
        .enumerate()
        .filter(|(m, (_, of))| of.reported > 0 && !has_score(*m))
        .map(|(_, (name, _))| name.clone())
        .collect();
    let mut notes = Vec::new();
    for (models, say) in [(without, t.tokens_without), (partly, t.tokens_partly), (unscored, t.tokens_unscored)] {
        if !models.is_empty() {
            notes.push(say(&named(i, &models)));
        }
    }
    notes.push(t.tokens_differ.to_owned());
    notes
}

/// The first names, and the number of the others.
fn named(i: I18n, names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(NAMED));
    let mut all = first.to_vec();
    if !rest.is_empty() {
        all.push((i.comparison().further_models)(rest.len() as u64));
    }
    texts::list(i.lang, &all)
}
