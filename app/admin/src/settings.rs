//! `/admin/settings`: the places where an installation is set up and watched.

use leptos::prelude::*;

use ui::{context::use_i18n, frame::Page};

/// Links with what each is for.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let i = use_i18n();
    let l = i.lists();
    let places = [
        ("/admin/server", i.server().title, i.server().about),
        ("/admin/audit", i.audit().title, l.about_audit),
        ("/admin/archive", i.upkeep().archive_title, l.about_archive),
        ("/admin/api/tokens", i.api().tokens, l.about_tokens),
        ("/admin/api/webhooks", i.api().webhooks, l.about_webhooks),
        ("/admin/api", i.api().api, l.about_api),
        ("/account", i.common.account, l.about_account),
    ];
    let places = places.map(|(href, name, about)| {
        view! {
            <li class="tile">
                <h2><a href=href>{name}</a></h2>
                <p class="muted">{about}</p>
            </li>
        }
    });
    view! { <Page title=i.common.nav_settings><ul class="tiles">{places.collect_view()}</ul></Page> }
}
