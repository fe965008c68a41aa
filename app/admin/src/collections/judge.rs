//! `/admin/judgings/new?study=` or `?submission=`: the form for a judging. It creates a draft; nothing is sent yet.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::new::{Line, endpoint_field, field, limits, sampling};
use crate::parts::{FormError, asked};
use model::{collection::EndpointRow, judging::LevelOrder, lang::Lang, page::PageOf, study::StudyRow};
use rpc::{
    collections::{CreateJudging, endpoints},
    studies::studies,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The form.
#[component]
pub fn NewJudgingPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.collections();
    let query = use_query_map();
    let create = FormAction::<CreateJudging>::new();
    let data =
        Data::new(|| (), |()| async { Ok((studies(PageOf::first(PageOf::MOST)).await?.rows, endpoints().await?)) });
    view! {
        <Page title=t.new_judging crumbs=vec![("/admin/collections".into(), t.title.into())]>
            <p class="lead">{t.judging_lead}</p>
            <Load data let:both>
                {form(i, both.0, both.1, &asked(query, "study"), asked(query, "submission"), create)}
            </Load>
        </Page>
    }
}

/// What is judged: the study that is chosen, or the submission that the address names.
fn target(i: I18n, studies: Vec<StudyRow>, chosen: &str, submission: String) -> AnyView {
    let t = i.collections();
    if let Ok(id) = submission.parse::<i64>() {
        return view! {
            <p>{(t.submission_outputs)(id)}</p>
            <input type="hidden" name=field("submission") value=id.to_string()/>
            {Line::text("rubric", t.rubric, t.rubric_hint).view(false)}
        }
        .into_any();
    }
    let options = studies
        .into_iter()
        .map(|row| {
            let id = row.id.to_string();
            let selected = id == chosen;
            view! { <option value=id selected=selected>{format!("{} ({})", row.title, row.dataset)}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for="judging-study">{t.study}</label>
            <select class="input" id="judging-study" name=field("study") required>{options}</select>
        </div>
    }
    .into_any()
}

/// A choice among a few named values.
pub(super) fn choice(
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    values: Vec<(&'static str, &'static str)>,
) -> AnyView {
    let (id, described) = (format!("collection-{name}"), format!("collection-{name}-hint"));
    let options = values.into_iter().map(|(value, text)| view! { <option value=value>{text}</option> }).collect_view();
    let shown = (!hint.is_empty()).then(|| view! { <p class="hint" id=described.clone()>{hint}</p> });
    let described_by = (!hint.is_empty()).then(|| described.clone());
    view! {
        <div class="field">
            <label class="label" for=id.clone()>{label}</label>
            <select class="input" id=id name=field(name) aria-describedby=described_by>{options}</select>
            {shown}
        </div>
    }
    .into_any()
}

fn form(
    i: I18n,
    studies: Vec<StudyRow>,
    endpoints: Vec<EndpointRow>,
    study: &str,
    submission: String,
    create: FormAction<CreateJudging>,
) -> AnyView {
    let t = i.collections();
    if endpoints.is_empty() {
        return view! { <Notice tone=Tone::Care><p>{t.no_endpoints}</p></Notice> }.into_any();
    }
    if studies.is_empty() && submission.is_empty() {
        return view! { <Notice tone=Tone::Care><p>{t.no_studies}</p></Notice> }.into_any();
    }
    let target = target(i, studies, study, submission);
    let own = if i.lang == Lang::Zh { [Lang::Zh, Lang::En] } else { Lang::ALL };
    let langs = own.map(|lang| (lang.code(), lang.name())).to_vec();
    let orders = LevelOrder::ALL.map(|order| (order.name(), t.order_name(order))).to_vec();
    view! {
        <ActionForm action=create attr:class="stack study-form">
            {target}
            {endpoint_field(i, endpoints)}
            {Line::text("judge", t.judge, t.judge_hint).view(true)}
            {Line::text("endpoint_model", t.endpoint_model, t.endpoint_model_hint).view(false)}
            {Line::number("samples", t.answers, t.answers_hint, "1").view(true)}
            {choice("lang", t.judging_lang, "", langs)}
            {choice("level_order", t.level_order, t.level_order_hint, orders)}
            {Line::text("tasks", t.tasks, t.judging_tasks_hint).view(false)}
            <details class="more">
                <summary>{t.judging_more}</summary>
                {sampling(i, t.judging_seed_hint)}
                {limits(i)}
            </details>
            <FormError of=move || create.value().get().and_then(Result::err)/>
            <button class="button primary" type="submit" disabled=move || create.pending().get()>{t.create}</button>
        </ActionForm>
    }
    .into_any()
}
