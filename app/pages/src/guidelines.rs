//! `/guidelines/:study`: a study's guidelines, to read and to print.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use model::{guidelines::GuidelinesSheet, ids::Token};
use rpc::guidelines::read_guidelines;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
};

/// The page.
#[component]
pub fn GuidelinesPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let sheet = Data::new(move || study.get(), |study| read_guidelines(Token(study)));
    view! { <Load data=sheet let:sheet>{page(i, sheet)}</Load> }
}

fn page(i: I18n, sheet: GuidelinesSheet) -> AnyView {
    let b = i.grading();
    let GuidelinesSheet { title, html, lang, at } = sheet;
    let crumbs = vec![("/my-studies".to_owned(), i.common.nav_my_studies.to_owned())];
    let print = move || {
        view! {
            <button class="button scripted" type="button" on:click=move |_| { let _ = window().print(); }>
                {b.rubric_print}
            </button>
        }
    };
    view! {
        <Page title=b.guidelines crumbs actions=print>
            <p class="lead sheet-lead">{title} <span class="muted">" · " {i.time(at)}</span></p>
            <div class="prose" lang=lang.tag() inner_html=html></div>
        </Page>
    }
    .into_any()
}
