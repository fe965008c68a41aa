//! Every address that is a page, in reading order. Form posts and downloads are the server's.
//!
//! Who may see what is decided by the server's guards and services; a page only shows what it
//! was given. Every route renders completely on the server, so that it works without JavaScript
//! and has its right status.

use leptos::{prelude::*, tachys::view::iterators::StaticVec};
use leptos_meta::{Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute},
    components::{FlatRoutes, Route, Router},
    path,
};

#[cfg(feature = "data")]
use crate::i18n::use_visitor;
use crate::{
    json::Json,
    model::user::Visitor,
    pages::{
        grade::{LogOutGuard, provide_activity_timer, provide_habits, provide_prefetch, provide_submit_queue},
        not_found::NotFoundPage,
    },
    part::KeepApart,
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
    let visitor = SharedValue::<_, Json>::new_with_encoding(visitor).into_inner();
    let admin = visitor.is_admin();
    provide_context(visitor);
    provide_announcer();
    provide_habits();
    provide_submit_queue();
    provide_prefetch();
    provide_activity_timer();
    view! {
        <Title formatter=|title: String| if title.is_empty() { "AixGrade".into() } else { format!("{title} · AixGrade") } />
        <Router>
            <Header />
            <main class="main" id="main" tabindex="-1">
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=StartPage ssr=SsrMode::Async />
                    <Pages />
                </FlatRoutes>
            </main>
            <LiveRegions />
            <LogOutGuard />
            <KeepApart admin />
            <FocusOnNavigation />
        </Router>
    }
}

/// The start page: what its visitor works on. A part of the client has that of its own visitors, or
/// none, and then it is never asked for it.
#[component]
fn StartPage() -> impl IntoView {
    #[cfg(feature = "data")]
    if use_visitor().is_admin() {
        return view! { <crate::pages::admin::AdminHome /> }.into_any();
    }
    #[cfg(feature = "desk")]
    let page = view! { <crate::pages::my_studies::MyStudiesPage /> }.into_any();
    #[cfg(not(feature = "desk"))]
    let page = ().into_any();
    page
}

/// The pages of this part of the client; every page on the server.
#[component(transparent)]
fn Pages() -> AnyNestedRoute {
    let pages: Vec<AnyNestedRoute> = vec![
        #[cfg(feature = "desk")]
        DeskRoutes(),
        #[cfg(feature = "grading")]
        GradingRoutes(),
        #[cfg(feature = "beside")]
        BesideRoutes(),
        #[cfg(feature = "data")]
        crate::pages::admin::DataRoutes(),
        #[cfg(feature = "setup")]
        crate::pages::admin::SetupRoutes(),
        #[cfg(feature = "results")]
        crate::pages::admin::ResultRoutes(),
        #[cfg(feature = "outputs")]
        crate::pages::admin::OutputRoutes(),
        #[cfg(feature = "quality")]
        crate::pages::admin::QualityRoutes(),
        #[cfg(feature = "runs")]
        crate::pages::admin::RunRoutes(),
        #[cfg(feature = "compare")]
        crate::pages::admin::CompareRoutes(),
        #[cfg(feature = "outside")]
        crate::pages::admin::OutsideRoutes(),
    ];
    StaticVec::from(pages).into_any_nested_route()
}

/// Where everybody comes in, and what lies on a rater's desk.
#[cfg(feature = "desk")]
#[component(transparent)]
fn DeskRoutes() -> AnyNestedRoute {
    use crate::pages::{
        account::AccountPage, join::JoinPage, log_in::LogInPage, mine::MinePage, my_studies::MyStudiesPage,
        rubric::RubricPage,
    };
    view! {
        <Route path=path!("/log-in") view=LogInPage ssr=SsrMode::Async />
        <Route path=path!("/join/:secret") view=JoinPage ssr=SsrMode::Async />
        <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async />
        <Route path=path!("/desk") view=MyStudiesPage ssr=SsrMode::Async />
        <Route path=path!("/studies/:study/mine") view=MinePage ssr=SsrMode::Async />
        <Route path=path!("/rubric/:study") view=RubricPage ssr=SsrMode::Async />
    }
    .into_inner()
    .into_any_nested_route()
}

/// Grading one output after the other.
#[cfg(feature = "grading")]
#[component(transparent)]
fn GradingRoutes() -> AnyNestedRoute {
    use crate::pages::grade::{GradeItemPage, GradeNextPage};
    view! {
        <Route path=path!("/grade/:study") view=GradeNextPage ssr=SsrMode::Async />
        <Route path=path!("/grade/:study/:item") view=GradeItemPage ssr=SsrMode::Async />
    }
    .into_inner()
    .into_any_nested_route()
}

/// Grading a task's outputs side by side, and practice.
#[cfg(feature = "beside")]
#[component(transparent)]
fn BesideRoutes() -> AnyNestedRoute {
    use crate::pages::grade::{side_by_side::SideBySidePage, tour::TourPage};
    view! {
        <Route path=path!("/beside/:study") view=SideBySidePage ssr=SsrMode::Async />
        <Route path=path!("/tour") view=TourPage ssr=SsrMode::Async />
    }
    .into_inner()
    .into_any_nested_route()
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
