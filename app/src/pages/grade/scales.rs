//! The rubric as a form: one group of radio buttons per dimension, with every level's description visible. A
//! real form, for screen readers and without JavaScript.

use leptos::{either::Either, prelude::*};

use super::{ViewSettings, session::Session};
use crate::{
    i18n::use_i18n,
    model::{
        lang::Lang,
        rubric::{Dimension, Level, Rubric},
    },
};

/// Every dimension, in the order of scoring.
#[component]
pub fn Scales(
    /// The rubric.
    rubric: Rubric,
    /// Called with each score.
    session: Session,
    /// The dimension that digits score.
    current: RwSignal<usize>,
    /// The dimension that lacks a score, after an attempt to submit.
    missing: RwSignal<Option<usize>>,
) -> impl IntoView {
    rubric
        .dimensions
        .into_iter()
        .enumerate()
        .map(|(place, dimension)| view! { <Scale place dimension session current missing /> }.into_any())
        .collect_view()
}

#[component]
fn Scale(
    place: usize,
    dimension: Dimension,
    session: Session,
    current: RwSignal<usize>,
    missing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let t = use_i18n().rater();
    let lang = rubric_lang();
    let name = dimension.name.clone();
    let question = dimension.question.clone();
    let levels =
        dimension.levels.into_iter().map(|level| view! { <LevelRow place level session /> }.into_any()).collect_view();
    let is_current = move || current.get() == place;
    let is_missing = move || missing.get() == Some(place);
    view! {
        <fieldset
            class="scale"
            class:current=is_current
            class:missing=is_missing
            id=session.id(&format!("scale-{place}"))
            on:focusin=move |_| current.set(place)
        >
            <legend class="scale-head" lang=move || lang.get().tag()>
                <span class="scale-name">{move || name.get(lang.get()).to_owned()}</span>
                " "
                <span class="scale-question">{move || question.get(lang.get()).to_owned()}</span>
            </legend>
            <div class="levels">{levels}</div>
            {move || {
                if is_missing() {
                    Either::Left(view! { <p class="scale-missing">{t.choose_score}</p> })
                } else {
                    Either::Right(())
                }
            }}
        </fieldset>
    }
}

#[component]
fn LevelRow(place: usize, level: Level, session: Session) -> impl IntoView {
    let lang = rubric_lang();
    let score = level.score;
    let at_first = session.draft.with_untracked(|d| d.scores.get(place) == Some(&Some(score)));
    let chosen = move || session.draft.with(|d| d.scores.get(place) == Some(&Some(score)));
    let Level { label, text, .. } = level;
    view! {
        <label class="level">
            <input
                type="radio"
                id=session.radio_id(place, score)
                name=format!("score-{place}")
                value=score.to_string()
                checked=at_first
                prop:checked=chosen
                on:change=move |_| give(session, place, score)
            />
            <span class="level-score">{score}</span>
            <span class="level-text" lang=move || lang.get().tag()>
                {move || {
                    let label = label.get(lang.get()).to_owned();
                    (!label.is_empty()).then(|| view! { <b>{label}</b> " " })
                }}
                {move || text.get(lang.get()).to_owned()}
            </span>
        </label>
    }
}

/// Sets a score.
pub fn give(session: Session, place: usize, score: u8) {
    session.change(|draft| {
        if let Some(slot) = draft.scores.get_mut(place) {
            *slot = Some(score);
        }
    });
}

fn rubric_lang() -> Signal<Lang> {
    let default = use_i18n().lang;
    match use_context::<ViewSettings>() {
        Some(view_settings) => view_settings.rubric.into(),
        None => Signal::stored(default),
    }
}
