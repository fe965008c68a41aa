//! The pages of a study, as tabs with what waits in each.

use leptos::prelude::*;

use model::{error::AppError, ids::StudyId, quality::TabCounts};
use rpc::quality::study_tabs;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
};

/// A page of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyTab {
    Overview,
    Plan,
    Ratings,
    Flags,
    Disagreements,
    Quality,
}

impl StudyTab {
    const ALL: [StudyTab; 6] = [
        StudyTab::Overview,
        StudyTab::Plan,
        StudyTab::Ratings,
        StudyTab::Flags,
        StudyTab::Disagreements,
        StudyTab::Quality,
    ];

    /// Its address below the study's.
    fn place(self) -> &'static str {
        match self {
            StudyTab::Overview => "",
            StudyTab::Plan => "/plan",
            StudyTab::Ratings => "/ratings",
            StudyTab::Flags => "/flags",
            StudyTab::Disagreements => "/disagreements",
            StudyTab::Quality => "/quality",
        }
    }

    fn name(self, i: I18n) -> &'static str {
        let q = i.quality();
        match self {
            StudyTab::Overview => i.common.nav_overview,
            StudyTab::Plan => i.plan().plan_link,
            StudyTab::Ratings => q.ratings,
            StudyTab::Flags => q.flags,
            StudyTab::Disagreements => q.disagreements,
            StudyTab::Quality => q.quality,
        }
    }
}

/// The counts of the tabs of a study; created at the top of its page.
pub fn tab_data(id: Memo<Option<StudyId>>) -> Data<TabCounts> {
    Data::new(
        move || id.get(),
        |id| async move { study_tabs(id.ok_or_else(|| AppError::NotFound("study".into()))?).await },
    )
}

/// The frame of a study's page: the study's title, its tabs, and the tab `here` with its content.
#[component]
pub fn StudyFrame(
    /// The study's title.
    title: String,
    /// The tabs' counts.
    counts: Data<TabCounts>,
    /// The tab that is shown.
    here: StudyTab,
    /// Buttons and links next to the heading.
    #[prop(optional, into)]
    actions: ViewFn,
    /// The content of the tab.
    children: Children,
) -> impl IntoView {
    let i = use_i18n();
    let tab = if here == StudyTab::Overview { "" } else { here.name(i) };
    view! {
        <Page title tab crumbs=vec![("/admin/studies".into(), i.admin().studies.into())] actions>
            <Load data=counts let:counts>{tabs(i, counts, here)}</Load>
            {(!tab.is_empty()).then(|| view! { <h2 class="visually-hidden">{tab}</h2> })}
            {children()}
        </Page>
    }
}

fn tabs(i: I18n, counts: TabCounts, here: StudyTab) -> AnyView {
    let id = counts.study;
    let tabs = StudyTab::ALL.map(|tab| {
        let name = tab.name(i);
        let count = match tab {
            StudyTab::Overview | StudyTab::Quality => None,
            StudyTab::Plan => Some(counts.raters),
            StudyTab::Ratings => Some(counts.ratings),
            StudyTab::Flags => Some(counts.flags),
            StudyTab::Disagreements => Some(counts.disagreements),
        };
        let current = (tab == here).then_some("page");
        let count = count.map(|count| view! { " "<span class="count">{i.number(count)}</span> });
        view! { <li><a href=format!("/admin/studies/{id}{}", tab.place()) aria-current=current>{name}{count}</a></li> }
    });
    view! { <nav class="tabs" aria-label=i.lists().study_pages><ul>{tabs.collect_view()}</ul></nav> }.into_any()
}
