//! The rubric as a form: one group of radio buttons per dimension, with every level's description visible. A
//! real form, for screen readers and without JavaScript.

use leptos::{either::Either, prelude::*};

use super::{ViewSettings, side_by_side::letters};
use model::{
    grading::Draft,
    lang::Lang,
    rubric::{Dimension, Level, Rubric},
};
use ui::context::use_i18n;

/// What the scales show and change.
#[derive(Clone, Copy)]
pub struct ScoreSheet {
    /// The scores.
    pub draft: RwSignal<Draft>,
    /// Sets a dimension's score.
    pub give: Callback<(usize, u8)>,
    /// Its column, counted from 0, if several sheets are on the page.
    pub column: Option<usize>,
}

impl ScoreSheet {
    /// A sheet to look at: its scores go nowhere.
    pub fn preview(rubric: &Rubric) -> ScoreSheet {
        let draft = RwSignal::new(Draft::blank(rubric));
        let give = Callback::new(move |(place, score)| draft.update(|draft| put(draft, place, score)));
        ScoreSheet { draft, give, column: None }
    }
}

/// The ID of a field of the form in a column, prefixed with the column's letter.
pub fn field_id(column: Option<usize>, field: &str) -> String {
    match column {
        Some(column) => format!("{}-{field}", letters(column).to_lowercase()),
        None => field.to_owned(),
    }
}

/// The field of the radio button for a score.
pub fn radio(place: usize, score: u8) -> String {
    format!("score-{place}-{score}")
}

/// Sets a score of a draft.
pub fn put(draft: &mut Draft, place: usize, score: u8) {
    if let Some(slot) = draft.scores.get_mut(place) {
        *slot = Some(score);
    }
}

/// Every dimension, in the order of scoring.
#[component]
pub fn Scales(
    /// The rubric.
    rubric: Rubric,
    /// The scores.
    sheet: ScoreSheet,
    /// The dimension that digits score.
    current: RwSignal<usize>,
    /// The dimension that lacks a score, after an attempt to submit.
    missing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let t = use_i18n().rater();
    let first_item = rubric.scales();
    rubric
        .dimensions
        .into_iter()
        .enumerate()
        .map(|(place, dimension)| {
            let head = (place == first_item).then(|| view! { <h3 class="eyebrow checklist-head">{t.checklist}</h3> });
            view! { {head} <Scale place dimension sheet current missing /> }.into_any()
        })
        .collect_view()
}

#[component]
fn Scale(
    place: usize,
    dimension: Dimension,
    sheet: ScoreSheet,
    current: RwSignal<usize>,
    missing: RwSignal<Option<usize>>,
) -> impl IntoView {
    let t = use_i18n().rater();
    let lang = rubric_lang();
    let name = dimension.name.clone();
    let question = dimension.question.clone();
    let levels =
        dimension.levels.into_iter().map(|level| view! { <LevelRow place level sheet /> }.into_any()).collect_view();
    let is_current = move || current.get() == place;
    let is_missing = move || missing.get() == Some(place);
    view! {
        <fieldset
            class=if dimension.checklist { "scale item" } else { "scale" }
            class:current=is_current
            class:missing=is_missing
            id=field_id(sheet.column, &format!("scale-{place}"))
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
fn LevelRow(place: usize, level: Level, sheet: ScoreSheet) -> impl IntoView {
    let lang = rubric_lang();
    let score = level.score;
    let at_first = sheet.draft.with_untracked(|d| d.scores.get(place) == Some(&Some(score)));
    let chosen = move || sheet.draft.with(|d| d.scores.get(place) == Some(&Some(score)));
    let Level { label, text, .. } = level;
    view! {
        <label class="level">
            <input
                type="radio"
                id=field_id(sheet.column, &radio(place, score))
                name=format!("score-{place}")
                value=score.to_string()
                checked=at_first
                prop:checked=chosen
                on:change=move |_| sheet.give.run((place, score))
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

/// The language in which the rubric is shown.
pub fn rubric_lang() -> Signal<Lang> {
    let default = use_i18n().lang;
    match use_context::<ViewSettings>() {
        Some(view_settings) => view_settings.rubric.into(),
        None => Signal::stored(default),
    }
}
