//! The frame of every page: the header, and the head of the content.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::{components::A, hooks::use_location};

use crate::{
    i18n::{use_i18n, use_visitor},
    model::lang::Lang,
};

/// A page's document title, breadcrumbs, heading and content.
#[component]
pub fn Page(
    /// The heading, and the document's title.
    #[prop(into)]
    title: String,
    /// The pages above this one, outermost first: address and name.
    #[prop(optional)]
    crumbs: Vec<(String, String)>,
    /// Buttons and links beside the heading.
    #[prop(optional, into)]
    actions: ViewFn,
    /// Content as narrow as a letter, for forms.
    #[prop(optional)]
    narrow: bool,
    /// The content.
    children: Children,
) -> impl IntoView {
    let class = if narrow { "page narrow" } else { "page" };
    view! {
        <Title text=title.clone() />
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

/// The way here from the start. Nothing where there is no page above.
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

/// Brand, navigation by role, language, account. Drawn once, at the root.
#[component]
pub fn Header() -> impl IntoView {
    let i18n = use_i18n();
    let common = i18n.common;
    let visitor = use_visitor();
    let admin = visitor.is_admin();
    let me = visitor.me;
    let links: &[(&str, &str)] = match (&me, admin) {
        (None, _) => &[],
        (Some(_), false) => &[("/desk", common.nav_desk)],
        (Some(_), true) => &[
            ("/admin", common.nav_overview),
            ("/admin/studies", common.nav_studies),
            ("/admin/datasets", common.nav_datasets),
            ("/admin/submissions", common.nav_submissions),
            ("/admin/people", common.nav_people),
            ("/desk", common.nav_desk),
        ],
    };
    let links = links
        .iter()
        .map(|&(href, name)| {
            // The overview's address begins the address of every admin page.
            let exact = href == "/admin";
            view! { <li><A href=href exact=exact>{name}</A></li> }
        })
        .collect_view();
    view! {
        <a class="skip" href="#main" rel="external">{common.skip_to_content}</a>
        <header class="header">
            <a class="brand" href="/">
                <BrandMark />
                <span class="brand-name">"AixGrade"</span>
            </a>
            <nav class="nav" aria-label=common.main_navigation>
                <ul>{links}</ul>
            </nav>
            <div class="header-end">
                <LanguageSwitch />
                {me
                    .map(|me| {
                        view! {
                            <A href="/account" attr:class="account-link">{me.name}</A>
                            <form method="post" action="/log-out">
                                <button class="button quiet" type="submit">{common.log_out}</button>
                            </form>
                        }
                    })}
            </div>
        </header>
    }
}

/// Changes the visitor's language: a form, so that it works before and without the client.
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

/// The mark of the program: three steps of a scale, the middle one chosen.
#[component]
fn BrandMark() -> impl IntoView {
    view! {
        <svg class="brand-mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
            <rect class="brand-ground" width="32" height="32" rx="6" />
            <path class="brand-steps" d="M7 23h5M7 16h10M7 9h18" />
            <circle class="brand-choice" cx="23.5" cy="16" r="3" />
        </svg>
    }
}
