//! `/admin/api?area=`: the operations of an area of the REST API, each with an example call.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::parts::asked;
use crate::places::{Place, tabs};
use model::{
    address::query_value,
    api::{ApiOperation, ApiReference},
};
use rpc::api::reference;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
};

/// The reference, generated from the OpenAPI document.
#[component]
pub fn ReferencePage() -> impl IntoView {
    let i = use_i18n();
    let t = i.api();
    let query = use_query_map();
    let data = Data::new(move || asked(query, "area"), reference);
    let actions = move || {
        view! {
            <a class="button" href="/api/v1/openapi.json" rel="external">{t.document}</a>
        }
    };
    let begin = format!(
        "export AIXGRADE=https://…\nexport TOKEN=axg_…   # {}\ncurl -H \"Authorization: Bearer $TOKEN\" \"$AIXGRADE/api/v1/me\"",
        t.a_token
    );
    view! {
        <Page title=t.api actions>
            {tabs(i, Place::Settings, "/admin/api")}
            <p class="lead">{t.api_lead}</p>
            <section class="stack" aria-labelledby="begin">
                <h2 id="begin">{t.api_begin}</h2>
                <pre class="call" tabindex="0" role="group" aria-label=t.api_begin><code>{begin}</code></pre>
            </section>
            <Load data let:found>{areas(i, found)}</Load>
        </Page>
    }
}

fn areas(i: I18n, found: ApiReference) -> AnyView {
    let t = i.api();
    let areas = found.areas;
    let links = areas
        .iter()
        .map(|area| {
            let current = (!area.operations.is_empty()).then_some("page");
            let address = format!("/admin/api?area={}", query_value(&area.name));
            view! { <li><a href=address aria-current=current>{t.area(&area.name).to_owned()}</a></li> }
        })
        .collect_view();
    let sections = areas
        .into_iter()
        .filter(|area| !area.operations.is_empty())
        .map(|area| {
            let id = anchor(&area.name);
            let labeled = id.clone();
            let operations = area.operations.into_iter().map(|one| operation(i, one)).collect_view();
            view! {
                <section class="stack" aria-labelledby=labeled>
                    <h2 id=id>{t.area(&area.name).to_owned()}</h2>
                    {operations}
                </section>
            }
        })
        .collect_view();
    view! {
        <nav class="api-areas" aria-label=t.areas><ul>{links}</ul></nav>
        <p class="muted">{t.api_english}</p>
        {sections}
    }
    .into_any()
}

/// A heading's name in an address.
fn anchor(name: &str) -> String {
    format!("api-{}", name.replace(' ', "-").to_lowercase())
}

fn operation(i: I18n, one: ApiOperation) -> impl IntoView {
    let t = i.api();
    let scope = match one.scope {
        Some(scope) => view! { <p class="small">{t.needs}" "<code>{scope.name()}</code></p> }.into_any(),
        None => view! { <p class="small">{t.needs_none}</p> }.into_any(),
    };
    let paragraphs = one
        .description
        .split("\n\n")
        .filter(|text| !text.is_empty())
        .map(|text| view! { <p lang="en">{prose(text)}</p> })
        .collect_view();
    let rows = one
        .parameters
        .iter()
        .map(|(name, place, meaning, needed)| {
            view! {
                <tr>
                    <th scope="row"><code>{name.clone()}</code></th>
                    <td>{place.clone()}{needed.then(|| format!(", {}", t.required))}</td>
                    <td lang="en">{prose(meaning)}</td>
                </tr>
            }
        })
        .collect_view();
    let parameters = (!one.parameters.is_empty()).then(|| {
        view! {
            <div class="table-box" role="group" aria-label=format!("{}: {}", t.parameters, one.id) tabindex="0">
                <table class="table">
                    <thead>
                        <tr><th scope="col">{t.parameter}</th><th scope="col">{t.place}</th><th scope="col">{t.meaning}</th></tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    let body = one.body.map(|body| view! { <p class="small">{t.body}": "<code>{body}</code></p> });
    view! {
        <article class="card api-operation" aria-labelledby=one.id.clone()>
            <h3 id=one.id.clone()>
                <span class=format!("method method--{}", one.method.to_lowercase())>{one.method.clone()}</span>
                " "<code>{one.path}</code>
            </h3>
            <p class="api-summary" lang="en">{one.summary}</p>
            {paragraphs}
            {scope}
            {parameters}
            {body}
            <pre class="call" tabindex="0" role="group" aria-label=format!("{}: {}", t.example, one.id)><code>{one.example}</code></pre>
        </article>
    }
}

/// A text of the document, in which backquotes mark code.
fn prose(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .map(|(at, piece)| {
            let piece = piece.to_owned();
            if at % 2 == 1 { view! { <code>{piece}</code> }.into_any() } else { view! { {piece} }.into_any() }
        })
        .collect_view()
}
