//! The places of the main navigation that have several pages: each of these pages begins with links to the others.
//!
//! The names are in one catalog, although most are titles of pages: those of all areas would be loaded with every page.

use leptos::prelude::*;

use texts::I18n;

/// A place in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Results,
    Studies,
    Data,
    People,
    Settings,
}

/// The name of a page in the visitor's language.
type Name = fn(I18n) -> &'static str;

impl Place {
    fn name(self, i: I18n) -> &'static str {
        match self {
            Place::Results => i.common.nav_results,
            Place::Studies => i.common.nav_studies,
            Place::Data => i.common.nav_data,
            Place::People => i.common.nav_people,
            Place::Settings => i.common.nav_settings,
        }
    }

    /// Its pages, with their addresses; the first is that of the place.
    const fn pages(self) -> &'static [(&'static str, Name)] {
        match self {
            Place::Results => RESULTS,
            Place::Studies => STUDIES,
            Place::Data => DATA,
            Place::People => PEOPLE,
            Place::Settings => SETTINGS,
        }
    }
}

const RESULTS: &[(&str, Name)] = &[
    ("/admin/results", |i| i.lists().tab_leaderboard),
    ("/admin/languages", |i| i.lists().tab_languages),
    ("/admin/conversations", |i| i.lists().tab_conversations),
    ("/admin/runs", |i| i.lists().tab_runs),
];
const STUDIES: &[(&str, Name)] = &[
    ("/admin/studies", |i| i.lists().tab_studies),
    ("/admin/rubrics", |i| i.lists().tab_rubrics),
    ("/my-studies", |i| i.common.nav_my_studies),
];
const DATA: &[(&str, Name)] = &[
    ("/admin/datasets", |i| i.lists().tab_datasets),
    ("/admin/models", |i| i.lists().tab_models),
    ("/admin/submissions", |i| i.lists().tab_submissions),
    ("/admin/collections", |i| i.lists().tab_collections),
];
const PEOPLE: &[(&str, Name)] = &[
    ("/admin/people", |i| i.lists().tab_accounts),
    ("/admin/groups", |i| i.lists().tab_groups),
    ("/admin/announcements", |i| i.lists().tab_announcements),
];
const SETTINGS: &[(&str, Name)] = &[
    ("/admin/settings", |i| i.lists().tab_settings),
    ("/admin/server", |i| i.lists().tab_server),
    ("/admin/audit", |i| i.lists().tab_audit),
    ("/admin/archive", |i| i.lists().tab_archive),
    ("/admin/api/tokens", |i| i.lists().tab_tokens),
    ("/admin/api/webhooks", |i| i.lists().tab_webhooks),
    ("/admin/api", |i| i.lists().tab_api),
];

/// Links to the pages of a place, for the page at the address `here`. The page of all settings has its own links.
pub fn tabs(i: I18n, place: Place, here: &'static str) -> AnyView {
    let links = place.pages().iter().map(|(href, name)| {
        view! { <li><a href=*href aria-current=(*href == here).then_some("page")>{name(i)}</a></li> }
    });
    view! { <nav class="tabs" aria-label=place.name(i)><ul>{links.collect_view()}</ul></nav> }.into_any()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::lang::Lang;

    use super::*;

    #[test]
    fn pages_of_places_differ_and_the_palette_knows_them() {
        let places = [Place::Results, Place::Studies, Place::Data, Place::People, Place::Settings];
        let all: Vec<&str> = places.iter().flat_map(|place| place.pages()).map(|(href, _)| *href).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        let known: Vec<&str> = crate::find::addresses().collect();
        assert!(all.iter().all(|href| known.contains(href)), "{all:?}");
        // A tab has the name of its page in the palette, but the place's first page.
        for (place, lang) in places.iter().flat_map(|place| Lang::ALL.map(|lang| (place, lang))) {
            for (href, name) in place.pages().iter().skip(1) {
                let i = I18n::of(lang);
                assert_eq!(Some(name(i)), crate::find::name_of(i, href), "{href}");
            }
        }
        for (place, lang) in places.iter().flat_map(|place| Lang::ALL.map(|lang| (place, lang))) {
            let names: BTreeSet<&str> = place.pages().iter().map(|(_, name)| name(I18n::of(lang))).collect();
            assert_eq!(names.len(), place.pages().len(), "{names:?}");
        }
    }
}
