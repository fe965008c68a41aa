//! The admin's pages: data in, studies, results.

mod compare;
mod dataset;
mod datasets;
mod engine;
mod filter;
mod home;
mod new_study;
mod output;
mod parts;
mod people;
mod plan;
mod preview;
mod programs;
mod quality;
mod ratings_import;
mod runs;
mod sending;
mod studies;
mod study;
mod study_task;
mod submission;
mod submissions;
mod upload;

use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute},
    components::Route,
    path,
};

pub use home::AdminHome;
// What the public page of a study shows of these.
pub use compare::{human::with_tests as by_people, tested};
pub use parts::task_text;

use super::{
    adjudicate::{AdjudicatePage, DisputePage},
    public::{PublicStudyPage, PublicTaskPage},
};

use self::{
    compare::{ComparePage, task::CompareTaskPage},
    dataset::DatasetPage,
    datasets::DatasetsPage,
    new_study::NewStudyPage,
    output::OutputPage,
    people::PeoplePage,
    plan::PlanPage,
    preview::PreviewPage,
    programs::{reference::ReferencePage, tokens::TokensPage, webhooks::WebhooksPage},
    quality::{QualityStudyPage, disputes::DisputesPage, flags::FlagsPage, ratings::RatingsPage},
    ratings_import::{RatingsPreviewPage, UploadRatingsPage},
    runs::{RunsPage, compare::CompareRunsPage, item::RunItemPage, run::RunPage},
    studies::StudiesPage,
    study::StudyPage,
    study_task::StudyTaskPage,
    submission::SubmissionPage,
    submissions::SubmissionsPage,
    upload::UploadPage,
};

// Each of these is a part of the client: `crate::part` says why.

/// What is there: the overview, datasets, model outputs, studies.
#[component(transparent)]
pub fn DataRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin") view=AdminHome ssr=SsrMode::Async/>
        <Route path=path!("/admin/datasets") view=DatasetsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/datasets/:slug") view=DatasetPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/submissions") view=SubmissionsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/submissions/:id") view=SubmissionPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies") view=StudiesPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// What brings something in: uploads, new studies, people.
#[component(transparent)]
pub fn SetupRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/upload") view=UploadPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/upload/ratings") view=UploadRatingsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/uploads/:id") view=PreviewPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/uploads/:id/ratings") view=RatingsPreviewPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/new") view=NewStudyPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/:id/plan") view=PlanPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/people") view=PeoplePage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// A study with its results.
#[component(transparent)]
pub fn ResultRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/studies/:id") view=StudyPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Outputs up close, and what raters made of each.
#[component(transparent)]
pub fn OutputRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/outputs/:id") view=OutputPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/:id/tasks/:task") view=StudyTaskPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// What makes a study's figures good, and disagreements, whoever decides them.
#[component(transparent)]
pub fn QualityRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/studies/:id/quality") view=QualityStudyPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/:id/ratings") view=RatingsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/:id/flags") view=FlagsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/studies/:id/disputes") view=DisputesPage ssr=SsrMode::Async/>
        <Route path=path!("/adjudicate") view=AdjudicatePage ssr=SsrMode::Async/>
        <Route path=path!("/adjudicate/:token") view=DisputePage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// For programs: the REST API, tokens, webhooks.
#[component(transparent)]
pub fn OutsideRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/api") view=ReferencePage ssr=SsrMode::Async/>
        <Route path=path!("/admin/api/tokens") view=TokensPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/api/webhooks") view=WebhooksPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Runs of automated tests.
#[component(transparent)]
pub fn RunRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/runs") view=RunsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/runs/compare") view=CompareRunsPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/runs/:id") view=RunPage ssr=SsrMode::Async/>
        <Route path=path!("/admin/runs/:id/outputs/:output") view=RunItemPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Models compared.
#[component(transparent)]
pub fn CompareRoutes() -> AnyNestedRoute {
    // Boxed: the list's type would otherwise become part of the whole program's.
    view! {
        <Route path=path!("/admin/compare/:slug") view=ComparePage ssr=SsrMode::Async/>
        <Route path=path!("/admin/compare/:slug/tasks/:task") view=CompareTaskPage ssr=SsrMode::Async/>
        <Route path=path!("/public/:secret") view=PublicStudyPage ssr=SsrMode::Async/>
        <Route path=path!("/public/:secret/tasks/:task") view=PublicTaskPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}
