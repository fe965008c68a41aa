//! The filter above a table: fields in the address, and the number of matching rows. With JavaScript, a list or a
//! checkbox filters as soon as it changes; the search text, and every field without JavaScript, when the form is sent.

use leptos::{ev::Event, prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use super::parts::{Filter, asked};
use ui::context::use_i18n;

/// A field of a filter. Its key is its name in the address.
pub enum Field {
    /// Search text, under `q`.
    Words,
    /// A list: values with their names. The empty value is left out of the address.
    Choice(&'static str, &'static str, Vec<(&'static str, String)>),
    /// The same with values that are not known beforehand.
    Choices(&'static str, &'static str, Vec<(String, String)>),
    /// A checkbox: `1` if checked.
    Tick(&'static str, &'static str),
    /// A part of the address that the filter keeps unchanged.
    Kept(&'static str),
}

/// A filter for rows on the page.
#[component]
pub fn FilterBar(
    /// Its fields, in order.
    fields: Vec<Field>,
    /// Number of matching rows, of a list that is not in pages.
    #[prop(optional, into)]
    shown: Option<Signal<u64>>,
    /// Total number of rows.
    #[prop(optional)]
    all: u64,
) -> impl IntoView {
    let t = use_i18n().admin();
    let query = use_query_map();
    let submit = if matches!(fields[..], [Field::Words]) { t.filter_text } else { t.filter };
    let fields = fields.into_iter().map(|field| draw(field, query)).collect_view();
    view! {
        <Filter search=true>
            {fields}
            <button class="button" type="submit">{submit}</button>
            {shown.map(|shown| view! {
                <p class="filter-count" role="status">{move || (t.shown_of)(shown.get(), all)}</p>
            })}
        </Filter>
    }
}

/// Sends the form of a field that changed.
pub fn send(event: &Event) {
    let field = event.target();
    let form = field.and_then(|field| field.dyn_into::<web_sys::Element>().ok()?.closest("form").ok()?);
    if let Some(form) = form.and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok()) {
        // A browser that refuses leaves the button.
        let _ = form.request_submit();
    }
}

fn draw(field: Field, query: Memo<ParamsMap>) -> AnyView {
    let t = use_i18n().admin();
    let read = move |key: &str| asked(query, key);
    // Both attribute and property: for the server's page, and for a visitor who goes back.
    match field {
        Field::Words => view! {
            <div class="field">
                <label class="label" for="filter-q">{t.filter_text}</label>
                <input class="input" id="filter-q" type="search" name="q" value=move || read("q") prop:value=move || read("q")/>
            </div>
        }
        .into_any(),
        Field::Choice(key, label, options) => {
            let options = options.into_iter().map(|(value, name)| (value.to_owned(), name)).collect();
            choices(query, key, label, options)
        }
        Field::Choices(key, label, options) => choices(query, key, label, options),
        Field::Tick(key, label) => {
            let ticked = move || read(key) == "1";
            view! {
                <label class="check">
                    <input type="checkbox" name=key value="1" checked=ticked prop:checked=ticked on:change=|event| send(&event)/>
                    {label}
                </label>
            }
            .into_any()
        }
        Field::Kept(key) => (move || {
            let value = read(key);
            (!value.is_empty()).then(|| view! { <input type="hidden" name=key value=value/> })
        })
        .into_any(),
    }
}

fn choices(query: Memo<ParamsMap>, key: &'static str, label: &'static str, options: Vec<(String, String)>) -> AnyView {
    let options = options
        .into_iter()
        .map(|(value, name)| {
            let own = value.clone();
            let chosen = move || asked(query, key) == own;
            view! { <option value=value selected=chosen.clone() prop:selected=chosen>{name}</option> }
        })
        .collect_view();
    let id = format!("filter-{key}");
    view! {
        <div class="field">
            <label class="label" for=id.clone()>{label}</label>
            <select class="input" id=id name=key on:change=|event| send(&event)>{options}</select>
        </div>
    }
    .into_any()
}
