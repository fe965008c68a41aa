//! Turns an address into a page, and loads the page's code: the mechanism behind the table in
//! [`crate::routes`].
//!
//! The client is compiled once and split: the core contains the router and everything that the root draws,
//! and each [`Group`] of pages is code that loads when one of its pages is first opened. The server and the
//! client both use [`Page::at`] to find an address's page, so the group that a document preloads is the
//! group that its page needs.

use std::{borrow::Cow, time::Duration};

use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    ChooseView, GeneratedRouteData, MatchInterface, MatchNestedRoutes, MatchParams, Method, PathSegment, RouteMatchId,
    SsrMode, hooks::use_location, location::Location,
};

use crate::routes::{Group, Page};
use ui::{effect::effect, loading_indicator::NavigationProgress};

/// Defines [`Page`], [`Group`], and one split point per group, from a table of groups with their pages.
///
/// A page is `"/address/:parameter" => Component in crate::module`.
macro_rules! pages {
    ($(
        $(#[$about:meta])*
        $group:ident as $name:ident { $($address:literal => $page:ident in $($module:ident)::+,)+ }
    )+) => {
        /// A group of pages whose code loads together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Group {
            $($(#[$about])* $group,)+
        }

        impl Group {
            /// Every group.
            pub const ALL: &[Group] = &[$(Group::$group),+];

            /// The group's name in the manifest and in `<html data-group>`.
            pub const fn name(self) -> &'static str {
                match self { $(Group::$group => stringify!($name)),+ }
            }

            /// Loads the group's code; ready at once if it is already loaded.
            ///
            /// # Errors
            ///
            /// Fails if a file of the group does not arrive. The next call retries.
            pub async fn load(self) -> Result<(), ::leptos::wasm_split::SplitLoaderError> {
                match self { $(Group::$group => $name::load().await),+ }
            }
        }

        /// A page, named after its component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Page {
            $($($page,)+)+
        }

        impl Page {
            /// Every page with its address.
            pub const ALL: &[(Page, &str)] = &[$($((Page::$page, $address),)+)+];

            /// The group with the page's code.
            pub const fn group(self) -> Group {
                match self { $($(Page::$page)|+ => Group::$group,)+ }
            }

            /// Draws the page, after loading its group.
            pub(crate) async fn draw(self) -> Result<::leptos::prelude::AnyView, ::leptos::wasm_split::SplitLoaderError> {
                match self { $($(Page::$page)|+ => $name::draw(self).await,)+ }
            }
        }

        $(#[allow(unsafe_code, reason = "`wasm_split` declares what the splitter resolves")]
        mod $name {
            use leptos::{prelude::*, wasm_split::SplitLoaderError};
            use super::Page;

            #[leptos::wasm_split::wasm_split($name, wasm_split_path = ::leptos::wasm_split, preload(load), fallible)]
            pub fn draw(page: Page) -> Result<AnyView, SplitLoaderError> {
                Ok(match page {
                    $(Page::$page => ::$($module::)+$page().into_any(),)+
                    // Pages of other groups: `Page::draw` sends none here.
                    _ => ().into_any(),
                })
            }
        })+
    };
}
pub(crate) use pages;

/// The values of an address's parameters, by name.
type Params = Vec<(Cow<'static, str>, String)>;

impl Page {
    /// The page at `path`, with the values of its parameters; `None` if there is no page. `/` is the
    /// visitor's start page: the overview for an admin, the list of studies for others.
    pub fn at(path: &str, admin: bool) -> Option<(Page, Params)> {
        let path = match path {
            START if admin => "/admin",
            START => "/my-studies",
            path => path.strip_suffix('/').unwrap_or(path),
        };
        let found = Page::ALL.iter().filter_map(|(page, address)| Some((*page, params(address, path)?)));
        // `/admin/studies/new` is not a study called “new”.
        found.min_by_key(|(_, params)| params.len())
    }

    /// The page's address, such as `/grade/:study`.
    pub fn address(self) -> &'static str {
        Page::ALL.iter().find(|(page, _)| *page == self).map_or(START, |(_, address)| address)
    }
}

/// The start address of every visitor.
const START: &str = "/";

/// The parameters of `address` in `path`; `None` if they do not match.
fn params(address: &'static str, path: &str) -> Option<Params> {
    let mut given = path.split('/');
    let mut params = Params::new();
    for segment in address.split('/') {
        let value = given.next()?;
        match segment.strip_prefix(':') {
            Some(name) if !value.is_empty() => params.push((name.into(), value.to_owned())),
            None if segment == value => {}
            _ => return None,
        }
    }
    given.next().is_none().then_some(params)
}

/// All pages as one route definition. The router's own definitions would be one type per shape of address, each
/// with its own copy of the matching code, in a core that every visitor loads.
#[derive(Clone)]
pub struct Pages {
    /// Whether the visitor is an admin, who has another start page.
    admin: bool,
    /// The ids by which the router distinguishes pages, in the order of [`Page::ALL`].
    ids: Vec<RouteMatchId>,
}

/// The pages of a visitor, as the router takes them.
#[component(transparent)]
pub fn PagesOf(
    /// Whether the visitor is an admin.
    admin: bool,
) -> Pages {
    Pages { admin, ids: Page::ALL.iter().map(|_| RouteMatchId::new_from_route_id()).collect() }
}

impl MatchNestedRoutes for Pages {
    type Data = ();
    type Match = PageMatch;

    fn match_nested<'a>(&'a self, path: &'a str) -> (Option<(RouteMatchId, PageMatch)>, &'a str) {
        let found = Page::at(path, self.admin).and_then(|(page, params)| {
            let place = Page::ALL.iter().position(|(other, _)| *other == page)?;
            let id = *self.ids.get(place)?;
            Some((id, PageMatch { id, page, params }))
        });
        let rest = if found.is_some() { "" } else { path };
        (found, rest)
    }

    fn generate_routes(&self) -> impl IntoIterator<Item = GeneratedRouteData> + '_ {
        let addresses = Page::ALL.iter().map(|(_, address)| *address);
        std::iter::once(START).chain(addresses).map(|address| GeneratedRouteData {
            segments: segments(address),
            // Every page is rendered in one piece: readable without JavaScript, with the right status.
            ssr_mode: SsrMode::Async,
            methods: [Method::Get].into(),
            regenerate: Vec::new(),
        })
    }

    fn optional(&self) -> bool {
        false
    }
}

/// An address in the form from which the server creates its routes.
fn segments(address: &'static str) -> Vec<PathSegment> {
    if address == START {
        return vec![PathSegment::Static(START.into())];
    }
    let segments = address.split('/').filter(|segment| !segment.is_empty());
    let segment = |segment: &'static str| match segment.strip_prefix(':') {
        Some(name) => PathSegment::Param(name.into()),
        None => PathSegment::Static(segment.into()),
    };
    segments.map(segment).collect()
}

/// The page at an address.
pub struct PageMatch {
    id: RouteMatchId,
    page: Page,
    params: Params,
}

impl MatchParams for PageMatch {
    fn to_params(&self) -> Params {
        self.params.clone()
    }
}

impl MatchInterface for PageMatch {
    // Pages are not nested.
    type Child = ();

    fn as_id(&self) -> RouteMatchId {
        self.id
    }

    fn as_matched(&self) -> &str {
        self.page.address()
    }

    fn into_view_and_child(self) -> (impl ChooseView, Option<()>) {
        (self.page, None)
    }
}

impl ChooseView for Page {
    async fn choose(self) -> AnyView {
        let navigation = NavigationProgress::begin();
        let here = use_location();
        let path = here.pathname.get_untracked();
        let drawn = self.draw().await;
        navigation.end();
        match drawn {
            Ok(view) => view,
            Err(_) => {
                // Unless the visitor has left while this was loading.
                if here.pathname.get_untracked() == path {
                    load_document(&here);
                }
                // The router neither draws nor records anything, because the browser is leaving.
                std::future::pending().await
            }
        }
    }

    async fn preload(&self) {}
}

/// Leaves the app for the router's current page, which the server renders. This needs no code.
fn load_document(at: &Location) {
    let query = at.search.get_untracked();
    let target = if query.is_empty() { String::new() } else { format!("?{query}") };
    let target = format!("{}{target}", at.pathname.get_untracked());
    let browser = window().location();
    let current = format!("{}{}", browser.pathname().unwrap_or_default(), browser.search().unwrap_or_default());
    // After “Back” the address bar already has the address, and navigating to the current address loads
    // nothing.
    let _ = if current == target {
        browser.reload()
    } else {
        browser.set_href(&format!("{target}{}", at.hash.get_untracked()))
    };
}

/// Loads the code that the visitor probably needs next, when the browser is idle. Draws nothing.
#[component]
pub fn FetchAhead(
    /// Whether the visitor is an admin.
    admin: bool,
) -> impl IntoView {
    let path = use_location().pathname;
    effect(move |_: Option<()>| {
        let Some((page, _)) = path.with(|path| Page::at(path, admin)) else { return };
        let next = page.group().next();
        // A failure costs nothing: opening the page retries.
        let fetch = move || spawn_local(async move { _ = next.load().await });
        if request_idle_callback_with_handle(fetch).is_err() {
            // Safari has no idle callback.
            set_timeout(fetch, Duration::from_secs(2));
        }
    });
}

impl Group {
    /// The group with this name.
    pub fn named(name: &str) -> Option<Group> {
        Group::ALL.iter().copied().find(|group| group.name() == name)
    }
}
