//! The parts that all lists share: search, filters, headings that sort, the number of rows, and the text of an empty
//! list.
//!
//! All of it is in the address: `q`, `sort`, the filters by their names, `after` or `before`. Headings and page turners
//! are links and the search is a form, so lists work without JavaScript.

use leptos::prelude::*;
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use super::filter::{Field, FilterBar};
use model::page::{PageOf, Paged, Which};
use texts::I18n;
use ui::{
    context::use_i18n,
    notice::Empty,
    pager::{page_of, pager, query_text},
};

/// A list of a page. One page has one list with a search at most.
#[derive(Clone, Copy)]
pub struct Listing {
    i: I18n,
    query: Memo<ParamsMap>,
    /// The order without `sort` in the address, as [`Which::sort`] has it.
    usual: &'static str,
    /// Names of the filters.
    filters: &'static [&'static str],
}

impl Listing {
    /// A list with these filters, in this order unless the address says otherwise.
    pub fn new(usual: &'static str, filters: &'static [&'static str]) -> Listing {
        Listing { i: use_i18n(), query: use_query_map(), usual, filters }
    }

    /// The selection in the address; tracked.
    pub fn asked(&self) -> PageOf {
        let read = |key: &str| self.query.with(|query| query.get(key)).unwrap_or_default();
        let filters = self.filters.iter().map(|key| ((*key).to_owned(), read(key)));
        let which = Which {
            search: read("q"),
            sort: read("sort"),
            filters: filters.filter(|(_, value)| !value.is_empty()).collect(),
        };
        PageOf { which, counted: true, ..page_of(self.query, "") }
    }

    /// The search with these filters, and others of the page's form.
    pub fn bar(&self, filters: Vec<Field>) -> impl IntoView + use<> {
        let fields = std::iter::once(Field::Words).chain(filters).chain([Field::Kept("sort")]).collect();
        view! { <FilterBar fields/> }
    }

    /// The page's rows in a table with its number of rows, or what there is instead. `none` is shown if the list is
    /// empty without any filter.
    pub fn view<T>(
        &self,
        page: Paged<T>,
        none: impl FnOnce() -> AnyView,
        table: impl FnOnce(Vec<T>) -> AnyView,
    ) -> AnyView {
        let around = pager(self.i, self.query, "", &page);
        let (next, found) = (page.next.is_some(), page.found);
        let content = match page.rows {
            rows if !rows.is_empty() => table(rows),
            _ if self.is_narrow() => self.no_match(next),
            _ => none(),
        };
        let t = self.i.lists();
        let found = found.filter(|found| found.rows > 0).map(|found| {
            let rows = self.i.number(found.rows);
            let text = if found.more { (t.found_more)(&rows) } else { (t.found)(&rows) };
            view! { <p class="filter-count" role="status">{text}</p> }
        });
        view! { {found}{content}{around} }.into_any()
    }

    /// A heading. `sort` is the column's order at the first click, as [`Which::sort`] has it; empty for a column that
    /// does not sort.
    pub fn head(&self, name: &'static str, sort: &'static str, class: &'static str) -> AnyView {
        let column = sort.trim_start_matches('-');
        if column.is_empty() {
            return view! { <th role="columnheader" scope="col" class=class>{name}</th> }.into_any();
        }
        let asked = self.asked_now().sort;
        let now = if asked.is_empty() { self.usual } else { &asked };
        let current = now.trim_start_matches('-') == column;
        let descending = now.starts_with('-');
        let order = current.then_some(if descending { "descending" } else { "ascending" });
        let arrow = if !current {
            "↕"
        } else if descending {
            "↓"
        } else {
            "↑"
        };
        let next = match (current, descending) {
            (false, _) => sort.to_owned(),
            (true, true) => column.to_owned(),
            (true, false) => format!("-{column}"),
        };
        let mut query = self.query.get_untracked();
        for key in ["after", "before", "sort"] {
            query.remove(key);
        }
        query.insert("sort", next);
        let title = (self.i.lists().sort_by)(name);
        view! {
            <th role="columnheader" scope="col" class=class aria-sort=order>
                <a class="sort" href=query_text(&query) title=title rel="nofollow">
                    {name}<span class="sort-arrow" aria-hidden="true">{arrow}</span>
                </a>
            </th>
        }
        .into_any()
    }

    /// Whether the address leaves some rows out, other than by its page; not tracked.
    pub fn is_narrow(&self) -> bool {
        self.asked_now().is_narrow()
    }

    fn asked_now(&self) -> Which {
        untrack(|| self.asked().which)
    }

    /// The text of a filtered list without rows. `more` says whether the next page continues the search.
    pub fn no_match(&self, more: bool) -> AnyView {
        let t = self.i.lists();
        let (title, hint) = if more { (t.no_match_yet, t.no_match_yet_hint) } else { (t.no_match, t.no_match_hint) };
        let mut query = self.query.get_untracked();
        for key in ["after", "before", "q"].iter().chain(self.filters) {
            query.remove(key);
        }
        let all = match query_text(&query) {
            query if query.is_empty() => "?".to_owned(),
            query => query,
        };
        view! {
            <Empty title>
                <p>{hint}</p>
                <p><a class="button" href=all>{t.clear}</a></p>
            </Empty>
        }
        .into_any()
    }
}
