//! The frame of every page: title, breadcrumbs and heading.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

use crate::context::use_i18n;
use model::lang::Lang;

/// How many items wait in the admin's inbox, provided at the root.
#[derive(Clone, Copy)]
pub struct WaitingCount(pub RwSignal<u64>);

/// A page's document title, breadcrumbs, heading and content.
#[component]
pub fn Page(
    /// The heading, and the document's title.
    #[prop(into)]
    title: String,
    /// The current tab's name, which then begins the document's title.
    #[prop(optional, into)]
    tab: String,
    /// Parent pages, outermost first: address and name.
    #[prop(optional)]
    crumbs: Vec<(String, String)>,
    /// Buttons and links next to the heading.
    #[prop(optional, into)]
    actions: ViewFn,
    /// Whether the content is narrow, for forms.
    #[prop(optional)]
    narrow: bool,
    /// The content.
    children: Children,
) -> impl IntoView {
    let class = if narrow { "page narrow" } else { "page" };
    let document = if tab.is_empty() { title.clone() } else { format!("{tab} · {title}") };
    view! {
        <Title text=document />
        <div class=class>
            <Breadcrumbs crumbs here=title.clone() />
            <div class="page-head">
                <h1>{title}</h1>
                <div class="page-actions">{actions.run()}</div>
            </div>
            {children()}
        </div>
    }
}

/// Breadcrumbs; empty without parent pages.
#[component]
pub fn Breadcrumbs(
    /// The pages above, outermost first: address and name.
    crumbs: Vec<(String, String)>,
    /// This page's name.
    here: String,
) -> impl IntoView {
    let label = use_i18n().common.you_are_here;
    (!crumbs.is_empty()).then(|| {
        let above = crumbs.into_iter().map(|(href, name)| view! { <li><a href=href>{name}</a></li> }).collect_view();
        view! {
            <nav class="crumbs" aria-label=label>
                <ol>
                    {above}
                    <li aria-current="page">{here}</li>
                </ol>
            </nav>
        }
    })
}

/// Changes the visitor's language. A form, so that it works without the client.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
    let i18n = use_i18n();
    let location = use_location();
    let next = move || match location.search.get() {
        search if search.is_empty() => location.pathname.get(),
        search => format!("{}?{search}", location.pathname.get()),
    };
    let choices = Lang::ALL
        .into_iter()
        .map(|lang| {
            let chosen = lang == i18n.lang;
            view! {
                <button
                    type="submit"
                    name="lang"
                    value=lang.code()
                    lang=lang.tag()
                    aria-pressed=if chosen { "true" } else { "false" }
                >
                    {lang.name()}
                </button>
            }
        })
        .collect_view();
    view! {
        <form method="post" action="/lang">
            <input type="hidden" name="next" value=next />
            <div class="languages" role="group" aria-label=i18n.common.language>{choices}</div>
        </form>
    }
}
