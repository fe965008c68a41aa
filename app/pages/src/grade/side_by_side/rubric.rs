//! The rubric below all columns: the levels of the current dimension of the active column. On a narrow screen and without
//! JavaScript, the columns themselves describe their levels.

use leptos::prelude::*;

use crate::grade::{form::rubric_switch, scales::rubric_lang};
use model::rubric::{Dimension, Level, Rubric};
use ui::context::use_i18n;

/// The rubric, of which the dimension `current` is shown.
#[component]
pub fn SharedRubric(rubric: Rubric, current: Memo<usize>) -> impl IntoView {
    let t = use_i18n().rater();
    let dimensions = rubric.dimensions.into_iter().enumerate().map(|(place, dimension)| {
        view! {
            <div class="shared-dimension" class:current=move || current.get() == place>{levels(dimension)}</div>
        }
        .into_any()
    });
    view! {
        <section class="shared-rubric scripted" aria-labelledby="shared-rubric">
            <div class="shared-head">
                <h2 class="eyebrow" id="shared-rubric">{t.rubric}</h2>
                {rubric_switch()}
            </div>
            {dimensions.collect_view()}
        </section>
    }
}

fn levels(dimension: Dimension) -> impl IntoView {
    let lang = rubric_lang();
    let Dimension { name, question, levels, .. } = dimension;
    let level = move |Level { score, label, text }: Level| {
        view! {
            <li>
                <b class="level-score">{score}</b>
                <span>
                    {move || label.get(lang.get()).to_owned()} " " {move || text.get(lang.get()).to_owned()}
                </span>
            </li>
        }
        .into_any()
    };
    view! {
        <p lang=move || lang.get().tag()>
            <b>{move || name.get(lang.get()).to_owned()}</b> " " {move || question.get(lang.get()).to_owned()}
        </p>
        <ul lang=move || lang.get().tag()>{levels.into_iter().map(level).collect_view()}</ul>
    }
}
