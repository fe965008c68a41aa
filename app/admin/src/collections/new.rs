//! `/admin/collections/new?dataset=`: the form for a collection. It creates a draft; nothing is sent yet.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::judge::choice;
use crate::{
    parts::{FormError, asked},
    upload::{dataset_field, no_dataset},
};
use model::{collection::EndpointRow, conversation::Way, dataset::DatasetRow, page::PageOf};
use rpc::{
    collections::{CreateCollection, endpoints},
    datasets::datasets,
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
pub fn NewCollectionPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.collections();
    let query = use_query_map();
    let create = FormAction::<CreateCollection>::new();
    let data =
        Data::new(|| (), |()| async { Ok((datasets(PageOf::first(PageOf::MOST)).await?.rows, endpoints().await?)) });
    view! {
        <Page title=t.new crumbs=vec![("/admin/collections".into(), t.title.into())]>
            <p class="lead">{t.lead}</p>
            <Load data let:both>{form(i, both.0, both.1, &asked(query, "dataset"), create)}</Load>
        </Page>
    }
}

/// The name under which the form sends a field of [`model::collection::CollectionForm`].
pub(super) fn field(name: &str) -> String {
    format!("collection[{name}]")
}

/// A field of a line.
pub(super) struct Line {
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// `text`, or `number` with its step.
    pub step: Option<&'static str>,
    pub value: &'static str,
}

impl Line {
    pub fn text(name: &'static str, label: &'static str, hint: &'static str) -> Line {
        Line { name, label, hint, step: None, value: "" }
    }

    pub fn number(name: &'static str, label: &'static str, hint: &'static str, value: &'static str) -> Line {
        Line { name, label, hint, step: Some("1"), value }
    }

    pub fn view(self, is_required: bool) -> AnyView {
        let Line { name, label, hint, step, value } = self;
        let (id, described) = (format!("collection-{name}"), format!("collection-{name}-hint"));
        let shown = (!hint.is_empty()).then(|| view! { <p class="hint" id=described.clone()>{hint}</p> });
        let described_by = (!hint.is_empty()).then(|| described.clone());
        let short = if step.is_some() { "field field--short" } else { "field" };
        view! {
            <div class=short>
                <label class="label" for=id.clone()>{label}</label>
                <input class="input" id=id name=field(name) type=if step.is_some() { "number" } else { "text" } step=step value=value
                    required=is_required autocomplete="off" spellcheck="false" aria-describedby=described_by/>
                {shown}
            </div>
        }
        .into_any()
    }
}

/// The choice of an endpoint.
pub(super) fn endpoint_field(i: I18n, endpoints: Vec<EndpointRow>) -> AnyView {
    let t = i.collections();
    let options = endpoints
        .into_iter()
        .map(|row| {
            let key = if row.has_key { String::new() } else { format!(" ({})", t.no_key) };
            view! { <option value=row.name.clone()>{format!("{}: {}{key}", row.name, row.url)}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for="collection-endpoint">{t.endpoint}</label>
            <select class="input" id="collection-endpoint" name=field("endpoint") required>{options}</select>
        </div>
    }
    .into_any()
}

/// How responses are sampled.
pub(super) fn sampling(i: I18n, seed_hint: &'static str) -> AnyView {
    let t = i.collections();
    view! {
        {Line { step: Some("any"), ..Line::text("temperature", t.temperature, t.default_hint) }.view(false)}
        {Line { step: Some("any"), ..Line::text("top_p", t.top_p, t.default_hint) }.view(false)}
        {Line::number("seed", t.seed, seed_hint, "").view(false)}
        {Line::number("response_tokens", t.response_tokens, t.default_hint, "").view(false)}
    }
    .into_any()
}

/// Further fields of requests, and their limits.
pub(super) fn limits(i: I18n) -> AnyView {
    let t = i.collections();
    view! {
        {Line::text("parameters", t.parameters, t.parameters_hint).view(false)}
        <div class="field">
            <label class="label" for="collection-stream">{t.stream}</label>
            <select class="input" id="collection-stream" name=field("stream")>
                <option value="">{t.stream_usual}</option>
                <option value="yes">{t.stream_yes}</option>
                <option value="no">{t.stream_no}</option>
            </select>
        </div>
        {Line::number("at_once", t.at_once, "", "4").view(false)}
        {Line::number("per_minute", t.per_minute, t.per_minute_hint, "").view(false)}
        {Line::number("timeout_s", t.timeout, "", "300").view(false)}
        {Line::number("max_requests", t.max_requests, t.max_requests_hint, "").view(false)}
        {Line::number("max_tokens", t.max_tokens, t.max_tokens_hint, "").view(false)}
    }
    .into_any()
}

fn area(name: &'static str, label: &'static str, hint: &'static str) -> AnyView {
    let (id, described) = (format!("collection-{name}"), format!("collection-{name}-hint"));
    view! {
        <div class="field">
            <label class="label" for=id.clone()>{label}</label>
            <textarea class="input" id=id name=field(name) rows="4" spellcheck="false" aria-describedby=described.clone()></textarea>
            <p class="hint" id=described>{hint}</p>
        </div>
    }
    .into_any()
}

fn form(
    i: I18n,
    datasets: Vec<DatasetRow>,
    endpoints: Vec<EndpointRow>,
    chosen: &str,
    create: FormAction<CreateCollection>,
) -> AnyView {
    let t = i.collections();
    if datasets.is_empty() {
        return no_dataset(i);
    }
    if endpoints.is_empty() {
        return view! { <Notice tone=Tone::Care><p>{t.no_endpoints}</p></Notice> }.into_any();
    }
    let ways = std::iter::once(("", t.way_usual)).chain(Way::ALL.map(|way| (way.name(), t.way_name(way)))).collect();
    let dataset = dataset_field(i, field("dataset"), datasets, chosen);
    view! {
        <ActionForm action=create attr:class="stack study-form">
            {dataset}
            {endpoint_field(i, endpoints)}
            {Line::text("model", t.model, t.model_hint).view(true)}
            {Line::text("endpoint_model", t.endpoint_model, t.endpoint_model_hint).view(false)}
            {Line::number("samples", t.samples, "", "1").view(true)}
            {Line::text("tasks", t.tasks, t.tasks_hint).view(false)}
            <details class="more">
                <summary>{t.more}</summary>
                {sampling(i, t.seed_hint)}
                {choice("way", t.way, t.way_hint, ways)}
                {area("turn_template", t.turn_template, t.turn_template_hint)}
                {area("feedback_template", t.feedback_template, t.feedback_template_hint)}
                {area("system", t.system, t.system_hint)}
                {area("template", t.template, t.template_hint)}
                {area("template_zh", t.template_zh, t.template_zh_hint)}
                {limits(i)}
            </details>
            <FormError of=move || create.value().get().and_then(Result::err)/>
            <button class="button primary" type="submit" disabled=move || create.pending().get()>{t.create}</button>
        </ActionForm>
    }
    .into_any()
}
