//! The pages of a study, as tabs with what waits in each.

use leptos::prelude::*;

use crate::{
    error::AppError,
    i18n::I18n,
    model::{ids::StudyId, quality::Live},
    rpc::quality::study_live,
    ui::load::{Data, Load},
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
            StudyTab::Disagreements => "/disputes",
            StudyTab::Quality => "/quality",
        }
    }
}

/// The counts of the tabs of a study; created at the top of its page.
pub fn tab_data(id: Memo<Option<StudyId>>) -> Data<Live> {
    Data::new(
        move || id.get(),
        |id| async move { study_live(id.ok_or_else(|| AppError::NotFound("study".into()))?).await },
    )
}

/// The tabs; `here` is the page that shows them.
pub fn study_tabs(i: I18n, counts: Data<Live>, here: StudyTab) -> AnyView {
    view! { <Load data=counts let:live>{tabs(i, &live, here)}</Load> }.into_any()
}

fn tabs(i: I18n, live: &Live, here: StudyTab) -> AnyView {
    let q = i.quality();
    let id = live.study;
    let tabs = StudyTab::ALL.map(|tab| {
        let (name, count) = match tab {
            StudyTab::Overview => (i.common.nav_overview, None),
            StudyTab::Plan => (i.plan().plan_link, Some(live.raters.len() as u64)),
            StudyTab::Ratings => (q.ratings, Some(live.done)),
            StudyTab::Flags => (q.flags, Some(live.flags)),
            StudyTab::Disagreements => (q.disputes, Some(live.disagreements + live.extra_waiting)),
            StudyTab::Quality => (q.quality, None),
        };
        let current = (tab == here).then_some("page");
        let count = count.map(|count| view! { " "<span class="count">{i.number(count)}</span> });
        view! { <li><a href=format!("/admin/studies/{id}{}", tab.place()) aria-current=current>{name}{count}</a></li> }
    });
    view! { <nav class="tabs" aria-label=i.lists().study_pages><ul>{tabs.collect_view()}</ul></nav> }.into_any()
}
