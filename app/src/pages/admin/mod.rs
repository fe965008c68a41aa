//! The admin's pages: data in, studies, results.

use leptos::prelude::*;
use leptos_router::{MatchNestedRoutes, SsrMode, any_nested_route::IntoAnyNestedRoute, components::Route, path};

use crate::{i18n::use_i18n, ui::frame::Page};

/// Every address under `/admin`.
#[component(transparent)]
pub fn AdminRoutes() -> impl MatchNestedRoutes + Clone {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! { <Route path=path!("/admin") view=AdminHome ssr=SsrMode::Async /> }.into_inner().into_any_nested_route()
}

/// What there is, and what to do next.
#[component]
pub fn AdminHome() -> impl IntoView {
    let i18n = use_i18n();
    view! { <Page title=i18n.admin.home_title>"" </Page> }
}
