//! No page at this address.

use leptos::prelude::*;

use ui::{context::use_i18n, failure::set_status, frame::Page};

/// A notice, with status 404.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    set_status(404);
    let common = use_i18n().common;
    view! {
        <Page title=common.page_not_found narrow=true>
            <p class="lead">{common.page_not_found_hint}</p>
            <p><a class="button primary" href="/">{common.back_to_start}</a></p>
        </Page>
    }
}
