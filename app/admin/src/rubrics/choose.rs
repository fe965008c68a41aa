//! Fields that choose a rubric: for a new study, and for a dataset's new studies.

use leptos::prelude::*;

use super::option_text;
use crate::parts::FormError;
use model::rubric::RubricChoices;
use rpc::rubrics::{SetDatasetRubric, rubrics_for};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    load::{Data, Load},
};

/// A list of the rubrics for a dataset. A new study begins with the dataset's default, a draft with its own.
#[component]
pub fn RubricField(
    /// The rubrics for the dataset.
    data: Data<RubricChoices>,
    /// The name and version of the draft's rubric.
    present: Option<String>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.rubrics();
    view! {
        <div class="field">
            <label class="label" for="rubric">{t.name}</label>
            <Load data let:choices>{list(i, choices, present.clone())}</Load>
            <p class="hint" id="rubric-hint">{t.not_merged}" "<a href="/admin/rubrics">{t.title}</a></p>
        </div>
    }
}

/// The form that sets the rubric of a dataset's new studies.
#[component]
pub fn DatasetRubric(
    /// The dataset's short name.
    dataset: String,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.rubrics();
    let set = FormAction::<SetDatasetRubric>::new();
    let name = dataset.clone();
    let data = Data::new(move || (name.clone(), set.version().get()), |(dataset, _)| rubrics_for(dataset));
    view! {
        <section class="stack" aria-labelledby="dataset-rubric">
            <h2 id="dataset-rubric">{t.dataset_default}</h2>
            <ActionForm action=set attr:class="plan-row">
                <input type="hidden" name="dataset" value=dataset/>
                <div class="field">
                    <label class="visually-hidden" for="rubric">{t.name}</label>
                    <Load data let:choices>{list(i, choices, None)}</Load>
                </div>
                <button class="button" type="submit" disabled=move || set.pending().get()>{t.set_default}</button>
                <p class="hint" id="rubric-hint">{t.not_merged}</p>
            </ActionForm>
            <FormError of=move || set.value().get().and_then(Result::err)/>
        </section>
    }
}

fn list(i: I18n, choices: RubricChoices, present: Option<String>) -> impl IntoView {
    let RubricChoices { default, others, .. } = choices;
    let selected = present.unwrap_or_else(|| default.name());
    // An older version, or an archived rubric.
    let is_offered = default.name() == selected || others.iter().any(|rubric| rubric.name() == selected);
    let old = (!is_offered).then(|| view! { <option value=selected.clone() selected=true>{selected.clone()}</option> });
    let others = others
        .iter()
        .map(|rubric| {
            let name = rubric.name();
            view! { <option value=name.clone() selected=name == selected>{option_text(i, rubric, false)}</option> }
        })
        .collect_view();
    view! {
        <select class="input" id="rubric" name="study[rubric]" aria-describedby="rubric-hint">
            <option value=default.name() selected=default.name() == selected>{option_text(i, &default, true)}</option>
            {others}
            {old}
        </select>
    }
}
