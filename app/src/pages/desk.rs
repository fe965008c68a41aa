//! The rater's desk: their studies.

use leptos::prelude::*;

use crate::{
    i18n::use_i18n,
    rpc::grading::desk,
    ui::{frame::Page, load::Load},
};

/// `/desk`, and the start page of raters.
#[component]
pub fn DeskPage() -> impl IntoView {
    let studies = Resource::new_blocking(|| (), |()| desk());
    let i18n = use_i18n();
    view! {
        <Page title=i18n.common.nav_desk>
            <Load data=studies let:studies>
                <ul>{studies.into_iter().map(|s| view! { <li><a href=format!("/grade/{}", s.token)>{s.title}</a></li> }).collect_view()}</ul>
            </Load>
        </Page>
    }
}
