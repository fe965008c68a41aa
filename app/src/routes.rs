//! Every address that is a page. Form posts and downloads are the server's.
//!
//! A new page is a component in a file of the crate `pages` or `admin`, the `mod` line of that file, and a line in
//! the table here. [`crate::routing`] does the rest.
//!
//! The server's guards and services decide who may see a page; the page only shows its data.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{FlatRoutes, Router};
#[cfg(not(target_arch = "wasm32"))]
use ui::context::use_visitor;

use crate::{
    announcements::Announcements,
    header::{FocusOnNavigation, Header},
    routing::{FetchAhead, PagesOf, pages},
};
use model::user::Visitor;
use pages::{
    grade::{LogOutGuard, provide_activity_timer, provide_prefetch, provide_submit_queue, provide_view_settings},
    not_found::NotFoundPage,
};
use ui::{
    announce::{LiveRegions, provide_announcer},
    frame::WaitingCount,
    json::Json,
    loading_indicator::{LoadingIndicator, provide_loading_indicator},
};

pages! {
    /// Logging in, accepting an invitation, links in messages, the account.
    Enter as enter {
        "/log-in" => LogInPage in pages::log_in,
        "/join/:secret" => JoinPage in pages::join,
        "/reset/:secret" => ResetPage in pages::reset,
        "/mail/:token" => MailPage in pages::mail,
        "/new-password" => NewPasswordPage in pages::new_password,
        "/account" => AccountPage in pages::account,
        "/account/email" => EmailPage in pages::mail,
    }
    /// A rater's start page and its subpages, without grading.
    MyStudies as my_studies {
        "/my-studies" => MyStudiesPage in pages::my_studies,
        "/studies/:study/mine" => MinePage in pages::mine,
        "/rubric/:study" => RubricPage in pages::rubric,
        "/guidelines/:study" => GuidelinesPage in pages::guidelines,
    }
    /// Grading, one output after the other.
    Grading as grading {
        "/grade/:study" => GradeNextPage in pages::grade,
        "/grade/:study/:item" => GradeItemPage in pages::grade,
    }
    /// Grading the outputs of a task side by side, and practice.
    SideBySide as side_by_side {
        "/side-by-side/:study" => SideBySidePage in pages::grade::side_by_side,
        "/tour" => TourPage in pages::grade::tour,
    }
    /// Adjudication, for raters and admins.
    Adjudication as adjudication {
        "/adjudicate" => AdjudicatePage in pages::adjudicate,
        "/adjudicate/:token" => DisagreementPage in pages::adjudicate,
    }
    /// Comparisons of studies and test runs. Public links show some of them.
    Comparison as comparison {
        "/admin/studies/:id" => StudyPage in admin::study,
        "/admin/compare/:slug" => ComparisonPage in admin::comparison,
        "/admin/compare/:slug/tasks/:task" => ComparisonTaskPage in admin::comparison::task,
        "/public/:secret" => PublicStudyPage in admin::public,
        "/public/:secret/tasks/:task" => PublicTaskPage in admin::public,
    }
    /// Results over several datasets, languages or turns, and of one model.
    Results as results {
        "/admin/results" => ResultsPage in admin::results,
        "/admin/results/models/:model" => ModelResultsPage in admin::results::model,
        "/admin/results/datasets/:slug" => DatasetResultsPage in admin::results::dataset,
        "/admin/languages" => LanguagesPage in admin::languages,
        "/admin/conversations" => ConversationsPage in admin::conversations,
    }
    /// Datasets, models' outputs, and their import.
    Data as data {
        "/admin/datasets" => DatasetsPage in admin::datasets,
        "/admin/datasets/:slug" => DatasetPage in admin::dataset,
        "/admin/submissions" => SubmissionsPage in admin::submissions,
        "/admin/submissions/:id" => SubmissionPage in admin::submission,
        "/admin/outputs/:id" => OutputPage in admin::output,
        "/admin/upload" => UploadPage in admin::upload,
        "/admin/upload/ratings" => UploadRatingsPage in admin::ratings_import,
        "/admin/uploads/:id" => PreviewPage in admin::preview,
        "/admin/uploads/:id/ratings" => RatingsPreviewPage in admin::ratings_import,
        "/admin/models" => ModelsPage in admin::models,
    }
    /// Test runs, and outputs and judgings that are collected.
    Runs as runs {
        "/admin/collections" => CollectionsPage in admin::collections,
        "/admin/collections/new" => NewCollectionPage in admin::collections::new,
        "/admin/judgings/new" => NewJudgingPage in admin::collections::judge,
        "/admin/collections/:id" => CollectionPage in admin::collections::collection,
        "/admin/runs" => RunsPage in admin::runs,
        "/admin/runs/compare" => CompareRunsPage in admin::runs::compare,
        "/admin/runs/:id" => RunPage in admin::runs::run,
        "/admin/runs/:id/outputs/:output" => RunItemPage in admin::runs::item,
    }
    /// A study's plan and its quality.
    Studies as studies {
        "/admin/studies" => StudiesPage in admin::studies,
        "/admin/studies/new" => NewStudyPage in admin::new_study,
        "/admin/studies/:id/edit" => EditStudyPage in admin::edit_study,
        "/admin/studies/:id/plan" => PlanPage in admin::plan,
        "/admin/studies/:id/tasks/:task" => StudyTaskPage in admin::study_task,
        "/admin/studies/:id/quality" => QualityStudyPage in admin::quality,
        "/admin/studies/:id/ratings" => RatingsPage in admin::quality::ratings,
        "/admin/studies/:id/flags" => FlagsPage in admin::quality::flags,
        "/admin/studies/:id/disagreements" => DisagreementsPage in admin::quality::disagreements,
    }
    /// Rubrics and guidelines.
    Rubrics as rubrics {
        "/admin/rubrics" => RubricsPage in admin::rubrics,
        "/admin/rubrics/new" => NewRubricPage in admin::rubrics::edit,
        "/admin/rubrics/:slug" => AdminRubricPage in admin::rubrics::rubric,
        "/admin/rubrics/:slug/edit" => EditRubricPage in admin::rubrics::edit,
        "/admin/guidelines/:kind/:key" => GuidelinesEditPage in admin::guidelines,
    }
    /// People, and access for programs.
    People as people {
        "/admin/api" => ReferencePage in admin::programs::reference,
        "/admin/api/tokens" => TokensPage in admin::programs::tokens,
        "/admin/api/webhooks" => WebhooksPage in admin::programs::webhooks,
        "/admin/people" => PeoplePage in admin::people,
        "/admin/announcements" => AnnouncementsPage in admin::announcements,
        "/admin/groups" => GroupsPage in admin::groups,
        "/admin/groups/:id" => GroupPage in admin::groups,
    }
    /// The overview, the inbox and the search.
    Admin as admin {
        "/admin" => AdminHome in admin::home,
        "/admin/inbox" => InboxListPage in admin::inbox,
        "/admin/find" => FindPage in admin::find,
    }
    /// The server, its settings, the audit log, and what is archived or deleted.
    Upkeep as upkeep {
        "/admin/server" => ServerPage in admin::server,
        "/admin/settings" => SettingsPage in admin::settings,
        "/admin/audit" => AuditPage in admin::audit,
        "/admin/upkeep/:kind/:key" => UpkeepPage in admin::upkeep,
        "/admin/archive" => ArchivePage in admin::upkeep,
    }
}

impl Group {
    /// The group that a visitor of this one probably needs next.
    pub const fn next(self) -> Group {
        match self {
            Group::MyStudies => Group::Grading,
            Group::Enter | Group::Grading | Group::SideBySide | Group::Adjudication => Group::MyStudies,
            Group::Admin | Group::Rubrics | Group::People | Group::Upkeep | Group::Comparison => Group::Studies,
            Group::Studies | Group::Runs | Group::Results => Group::Comparison,
            Group::Data => Group::Runs,
        }
    }
}

/// The whole program, as hydrated in the body.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    // The visitor is part of the page, so both sides render the same without a request.
    let visitor = SharedValue::<_, Json>::new_with_encoding(visitor).into_inner();
    let admin = visitor.is_admin();
    provide_context(WaitingCount(RwSignal::new(visitor.waiting)));
    provide_context(visitor);
    provide_announcer();
    provide_loading_indicator();
    provide_view_settings();
    provide_submit_queue();
    provide_prefetch();
    provide_activity_timer();
    view! {
        <Title formatter=|title: String| if title.is_empty() { "AixGrade".into() } else { format!("{title} · AixGrade") } />
        <Router>
            <Header />
            <main class="main" id="main" tabindex="-1">
                <Announcements />
                <FlatRoutes fallback=NotFoundPage>
                    <PagesOf admin />
                </FlatRoutes>
            </main>
            <LoadingIndicator />
            <LiveRegions />
            <LogOutGuard />
            <FetchAhead admin />
            <FocusOnNavigation />
        </Router>
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn visitor() -> Visitor {
    use_visitor()
}

/// Only on the server: the browser reads the server's result.
#[cfg(target_arch = "wasm32")]
fn visitor() -> Visitor {
    Visitor::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_page() {
        for (page, address) in Page::ALL {
            let path = address.replace(':', "some-");
            assert_eq!(Page::at(&path, true).map(|(found, _)| found), Some(*page), "{path}");
            assert_eq!(page.address(), *address);
        }
    }

    #[test]
    fn the_palette_knows_every_page_of_admins() {
        let known: Vec<&str> = ::admin::find::addresses().collect();
        for (page, address) in Page::ALL {
            let is_found = known.contains(address) || *page == Page::FindPage;
            assert!(is_found || !address.starts_with("/admin") || address.contains(':'), "{address}");
        }
        assert!(known.iter().all(|address| Page::at(address, true).is_some()), "{known:?}");
    }

    #[test]
    fn a_path_gives_the_page_and_its_parameters() {
        let check = |path, admin, expected: Option<(Page, &[(&str, &str)])>| {
            let found = Page::at(path, admin).map(|(page, params)| {
                (page, params.into_iter().map(|(name, value)| (name.into_owned(), value)).collect::<Vec<_>>())
            });
            let expected = expected.map(|(page, params)| {
                (page, params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>())
            });
            assert_eq!(found, expected, "{path}");
        };
        check("/", false, Some((Page::MyStudiesPage, &[])));
        check("/", true, Some((Page::AdminHome, &[])));
        check("/my-studies", true, Some((Page::MyStudiesPage, &[])));
        check("/my-studies/", false, Some((Page::MyStudiesPage, &[])));
        check("/grade/abc", false, Some((Page::GradeNextPage, &[("study", "abc")])));
        check("/grade/abc/d%20f", false, Some((Page::GradeItemPage, &[("study", "abc"), ("item", "d%20f")])));
        check("/admin/studies/new", true, Some((Page::NewStudyPage, &[])));
        check("/admin/studies/7", true, Some((Page::StudyPage, &[("id", "7")])));
        check("/administration", true, None);
        check("/grade/", false, None);
        check("/grade//", false, None);
        check("my-studies", false, None);
        check("", false, None);
    }
}
