//! Every address that is a page, in reading order. Form posts and downloads are the server's.
//!
//! Who may see what is decided by the server's guards and services; a page only shows what it
//! was given. Every route renders completely on the server, so that it works without JavaScript
//! and has its right status.

use leptos::{either::Either, prelude::*};
use leptos_meta::{Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{FlatRoutes, Route, Router},
    path,
};

use crate::{
    i18n::use_visitor,
    model::user::Visitor,
    pages::{
        account::AccountPage,
        admin::{AdminHome, AdminRoutes},
        desk::DeskPage,
        grade::{GradeItemPage, GradeNextPage, provide_habits},
        join::JoinPage,
        log_in::LogInPage,
        mine::MinePage,
        not_found::NotFoundPage,
    },
    ui::{
        announce::{LiveRegions, provide_announcer},
        frame::{FocusOnNavigation, Header},
    },
};

/// The whole program, as hydrated in the body.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    // The visitor travels with the page: no request, no waiting, the same words on both sides.
    let visitor = SharedValue::new(visitor).into_inner();
    provide_context(visitor);
    provide_announcer();
    provide_habits();
    view! {
        <Title formatter=|title: String| if title.is_empty() { "AixGrade".into() } else { format!("{title} · AixGrade") } />
        <Router>
            <Header />
            <main class="main" id="main" tabindex="-1">
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=StartPage ssr=SsrMode::Async />
                    <Route path=path!("/log-in") view=LogInPage ssr=SsrMode::Async />
                    <Route path=path!("/join/:secret") view=JoinPage ssr=SsrMode::Async />
                    <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async />
                    <Route path=path!("/desk") view=DeskPage ssr=SsrMode::Async />
                    <Route path=path!("/grade/:study") view=GradeNextPage ssr=SsrMode::Async />
                    <Route path=path!("/grade/:study/:item") view=GradeItemPage ssr=SsrMode::Async />
                    <Route path=path!("/studies/:study/mine") view=MinePage ssr=SsrMode::Async />
                    <AdminRoutes />
                </FlatRoutes>
            </main>
            <LiveRegions />
            <FocusOnNavigation />
        </Router>
    }
}

/// The start page: what its visitor works on.
#[component]
fn StartPage() -> impl IntoView {
    if use_visitor().is_admin() { Either::Left(view! { <AdminHome /> }) } else { Either::Right(view! { <DeskPage /> }) }
}

#[cfg(feature = "ssr")]
fn visitor() -> Visitor {
    crate::port::visitor()
}

/// Only on the server: the browser reads what the server found.
#[cfg(not(feature = "ssr"))]
fn visitor() -> Visitor {
    Visitor::default()
}
