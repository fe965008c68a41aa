//! `/rubric/:study`: a study's rubric, to read and to print.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use model::{
    grading::RubricSheet,
    ids::Token,
    rubric::{Dimension, Level},
};
use rpc::grading::study_rubric;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
};

/// The page.
#[component]
pub fn RubricPage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let sheet = Data::new(move || study.get(), |study| study_rubric(Token(study)));
    view! { <Load data=sheet let:sheet><Sheet sheet /></Load> }
}

#[component]
fn Sheet(sheet: RubricSheet) -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let RubricSheet { title, rubric } = sheet;
    let crumbs = vec![("/my-studies".to_owned(), i18n.common.nav_my_studies.to_owned())];
    let print = move || {
        view! {
            <button class="button scripted" type="button" on:click=move |_| { let _ = window().print(); }>
                {b.rubric_print}
            </button>
        }
    };
    let dimensions =
        rubric.dimensions.into_iter().map(|dimension| view! { <DimensionCard dimension /> }).collect_view();
    view! {
        <Page title=b.rubric_open crumbs actions=print>
            <p class="lead sheet-lead">{title} <span class="screen-only">" · " {b.rubric_lead}</span></p>
            <div class="sheet">{dimensions}</div>
        </Page>
    }
}

#[component]
fn DimensionCard(dimension: Dimension) -> impl IntoView {
    let lang = use_i18n().lang;
    let id = format!("dimension-{}", dimension.key);
    let (low, high) = dimension.range();
    let is_item = dimension.checklist;
    let c = use_i18n().common;
    let range = if is_item { format!(" {} / {}", c.yes, c.no) } else { format!(" {low}–{high}") };
    let levels = dimension
        .levels
        .into_iter()
        .filter(|_| !is_item)
        .map(|Level { score, label, text }| {
            let label = label.get(lang).to_owned();
            view! {
                <div class="sheet-level">
                    <dt>{score}</dt>
                    <dd>{(!label.is_empty()).then(|| view! { <b>{label}</b> " " })} {text.get(lang).to_owned()}</dd>
                </div>
            }
        })
        .collect_view();
    view! {
        <section class="sheet-dimension" aria-labelledby=id.clone()>
            <h2 id=id.clone()>
                {dimension.name.get(lang).to_owned()}
                <span class="muted">{range}</span>
            </h2>
            <p class="muted">{dimension.question.get(lang).to_owned()}</p>
            {(!is_item).then(|| view! { <dl>{levels}</dl> })}
        </section>
    }
}
