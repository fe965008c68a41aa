//! Pages of lists: which rows, in which order, and how many at a time.
//!
//! A page is named by the key of the row before or after it, so that any page costs the same and rows that come and go
//! elsewhere do not move it.

use serde::{Deserialize, Serialize};

/// Selects a page of a list. With neither `after` nor `before`, the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOf {
    /// Key of the last row of the page before.
    #[serde(default)]
    pub after: Option<String>,
    /// Key of the first row of the page after; ignored where `after` is given.
    #[serde(default)]
    pub before: Option<String>,
    /// Number of rows, 1 to [`PageOf::MOST`].
    #[serde(default = "usual")]
    pub limit: u32,
    /// Selects and orders the rows.
    #[serde(default)]
    pub which: Which,
    /// Whether matching rows are counted too, up to [`PageOf::COUNTED`].
    #[serde(default)]
    pub counted: bool,
}

/// Selects and orders the rows of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Which {
    /// Words that a row contains, all of them, ignoring case; empty for all rows.
    #[serde(default)]
    pub search: String,
    /// The name of the column that orders the rows, after `-` if the highest comes first; empty for the list's own order.
    #[serde(default)]
    pub sort: String,
    /// The values that rows have, by the name of the filter. A list passes over the filters that it does not have.
    #[serde(default)]
    pub filters: Vec<(String, String)>,
}

impl Which {
    /// The rows whose `filter` has this value, in the list's own order.
    pub fn only(filter: &str, value: impl Into<String>) -> Which {
        Which { filters: vec![(filter.into(), value.into())], ..Which::default() }
    }

    /// The value of a filter, if it is set.
    pub fn filter(&self, name: &str) -> Option<&str> {
        self.filters.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Whether some rows are left out.
    pub fn is_narrow(&self) -> bool {
        !self.search.trim().is_empty() || self.filters.iter().any(|(_, value)| !value.is_empty())
    }
}

fn usual() -> u32 {
    PageOf::USUAL
}

impl PageOf {
    /// Rows of a page on screen.
    pub const USUAL: u32 = 50;
    /// Most rows of a page.
    pub const MOST: u32 = 1000;
    /// Up to how many rows are counted.
    pub const COUNTED: u64 = 1000;

    /// The first `limit` rows.
    pub fn first(limit: u32) -> PageOf {
        PageOf { after: None, before: None, limit, which: Which::default(), counted: false }
    }
}

impl Default for PageOf {
    fn default() -> Self {
        PageOf::first(PageOf::USUAL)
    }
}

/// The number of matching rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// As many as were counted.
    pub rows: u64,
    /// Whether there may be more.
    pub more: bool,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paged<T> {
    /// The rows. Fewer than asked for, even none, where reading ended before enough rows matched; then `next` goes on.
    pub rows: Vec<T>,
    /// What `before` is for the previous page; absent on the first.
    pub previous: Option<String>,
    /// What `after` is for the next page; absent on the last.
    pub next: Option<String>,
    /// The number of rows of the whole list; absent unless it was asked for.
    #[serde(default)]
    pub found: Option<Found>,
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Paged { rows: Vec::new(), previous: None, next: None, found: None }
    }
}

impl<T> Paged<T> {
    /// The same page with other rows.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Paged<U> {
        Paged {
            rows: self.rows.into_iter().map(change).collect(),
            previous: self.previous,
            next: self.next,
            found: self.found,
        }
    }

    /// Whether this is the list's only page.
    pub fn is_all(&self) -> bool {
        self.previous.is_none() && self.next.is_none()
    }
}
