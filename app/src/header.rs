//! The header of every page: brand, navigation by role, language, account.

use leptos::{html, prelude::*, wasm_bindgen::JsCast, web_sys::HtmlElement};
use leptos_router::{components::A, hooks::use_location};
use ui::{
    context::{use_i18n, use_visitor},
    effect::effect,
    frame::{LanguageSwitch, WaitingCount},
};

use crate::palette::PaletteButton;

/// The address of the inbox.
const INBOX: &str = "/admin/inbox";

/// Pixels of the navigation that stay in sight before the current link, as a sign that there are others.
const SHOWN_BEFORE: i32 = 48;

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
        (Some(_), false) => &[("/my-studies", common.nav_my_studies)],
        (Some(_), true) => &[
            ("/admin", common.nav_overview),
            (INBOX, common.nav_inbox),
            ("/admin/results", common.nav_results),
            ("/admin/studies", common.nav_studies),
            ("/admin/datasets", common.nav_data),
            ("/admin/people", common.nav_people),
            ("/admin/settings", common.nav_settings),
        ],
    };
    let path = use_location().pathname;
    let home = if admin { "/admin" } else { "/my-studies" };
    let waiting = use_context::<WaitingCount>();
    let links = links
        .iter()
        .map(|&(href, name)| {
            let current = move || path.with(|path| leads_to(href, path, home)).then_some("page");
            let count = move || {
                let count = waiting.filter(|_| href == INBOX).map_or(0, |waiting| waiting.0.get());
                (count > 0).then(|| view! { " "<span class="count">{i18n.number(count)}</span> })
            };
            view! { <li><a href=href aria-current=current>{name}{count}</a></li> }
        })
        .collect_view();
    // On a narrow screen the links scroll sideways; the current one is brought into view.
    let nav = NodeRef::<html::Nav>::new();
    effect(move |_| {
        path.track();
        request_animation_frame(move || {
            let Some(nav) = nav.get_untracked() else { return };
            let current = nav.query_selector("[aria-current]").ok().flatten();
            if let Some(current) = current.and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
                nav.set_scroll_left(current.offset_left() - nav.offset_left() - SHOWN_BEFORE);
            }
        });
    });
    view! {
        <a class="skip" href="#main" rel="external">{common.skip_to_content}</a>
        <header class="header">
            <a class="brand" href="/">
                <BrandMark />
                <span class="brand-name">"AixGrade"</span>
            </a>
            <nav class="nav" aria-label=common.main_navigation node_ref=nav>
                <ul>{links}</ul>
            </nav>
            <div class="header-end">
                {admin.then(|| view! { <PaletteButton /> })}
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

/// Client-side navigation leaves the focus on an element that no longer
/// exists. This moves it to the new page's content; a page can move it elsewhere later.
#[component]
pub fn FocusOnNavigation() -> impl IntoView {
    let path = use_location().pathname;
    effect(move |before: Option<String>| {
        use leptos::wasm_bindgen::JsCast;
        let now = path.get();
        let main = document().get_element_by_id("main").and_then(|main| main.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(main) = main
            && before.is_some_and(|before| before != now)
        {
            let _ = main.focus();
        }
        now
    });
}

/// The import of ratings.
const RATINGS: &str = "/admin/upload/ratings";

/// Whether a navigation link is current at `path`. The start page is `home` under another
/// address, and the overview's address is a prefix of every admin page's.
fn leads_to(href: &str, path: &str, home: &str) -> bool {
    let within = |start: &str| path.strip_prefix(start).is_some_and(|rest| rest.starts_with('/'));
    let below = || href != "/admin" && within(href);
    // Pages that are reached from another one: comparisons from results, outputs from data.
    let parts: &[&str] = match href {
        "/admin/results" => &["/admin/compare", "/admin/languages", "/admin/conversations", "/admin/runs"],
        "/admin/studies" => &["/admin/rubrics", RATINGS, "/my-studies"],
        "/admin/datasets" => &[
            "/admin/models",
            "/admin/submissions",
            "/admin/outputs",
            "/admin/upload",
            "/admin/uploads",
            "/admin/collections",
            "/admin/judgings",
        ],
        "/admin/people" => &["/admin/groups", "/admin/announcements"],
        "/admin/settings" => &["/admin/server", "/admin/audit", "/admin/api", "/admin/archive"],
        _ => &[],
    };
    // Ratings are imported below the address of uploads, as a study.
    let is_elsewhere = path == RATINGS && href == "/admin/datasets";
    let part = || !is_elsewhere && parts.iter().any(|part| path == *part || within(part));
    path == href || (path == "/" && href == home) || below() || part()
}

/// The logo: three steps of a scale, the middle one selected.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn navigation_marks_the_current_page() {
        let check = |href, path, home, expected| assert_eq!(leads_to(href, path, home), expected, "{href} on {path}");
        check("/my-studies", "/my-studies", "/my-studies", true);
        check("/my-studies", "/", "/my-studies", true);
        check("/my-studies", "/", "/admin", false);
        check("/admin", "/", "/admin", true);
        check("/admin", "/admin/studies", "/admin", false);
        check("/admin/studies", "/admin/studies/7", "/admin", true);
        check("/admin/studies", "/admin/studiesque", "/admin", false);
        check("/admin/results", "/admin/compare/starter", "/admin", true);
        check("/admin/studies", "/admin/rubrics", "/admin", true);
        check("/admin/studies", "/admin/rubrics/aixbench/edit", "/admin", true);
        check("/admin/studies", "/my-studies", "/admin", true);
        check("/admin/results", "/admin/runs/7", "/admin", true);
        check("/admin/datasets", "/admin/submissions", "/admin", true);
        check("/admin/datasets", "/admin/uploads/3", "/admin", true);
        check("/admin/datasets", "/admin/upload/ratings", "/admin", false);
        check("/admin/studies", "/admin/upload/ratings", "/admin", true);
        check("/admin/settings", "/admin/api/tokens", "/admin", true);
        check("/admin/settings", "/admin/apiary", "/admin", false);
    }
}
