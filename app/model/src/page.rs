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

/// Whether `text` contains every word of `query`, ignoring case.
pub fn holds(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
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
    pub found: Option<Found>,
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Paged { rows: Vec::new(), previous: None, next: None, found: None }
    }
}

impl<T> Paged<T> {
    /// A page of a list whose matching rows are all in memory, in their order. A row's key is the number of rows before
    /// it. The search and filters of `of` are the caller's part.
    pub fn of_all(rows: Vec<T>, of: &PageOf) -> Paged<T> {
        let limit = of.limit.clamp(1, PageOf::MOST) as usize;
        let place = |key: &Option<String>| key.as_ref().and_then(|key| key.parse::<usize>().ok());
        let from = place(&of.after).or_else(|| place(&of.before).map(|end| end.saturating_sub(limit))).unwrap_or(0);
        let all = rows.len();
        Paged {
            rows: rows.into_iter().skip(from).take(limit).collect(),
            previous: (from > 0).then(|| from.to_string()),
            next: (from.saturating_add(limit) < all).then(|| (from + limit).to_string()),
            found: of.counted.then_some(Found { rows: all as u64, more: false }),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_matches_all_words() {
        let check = |text, query, found| assert_eq!(holds(text, query), found, "{query}");
        check("Close Reader. If object is null it is ignored", "null reader", true);
        check("Close Reader", "reader writer", false);
        check("将 Date 类型转为时间字符串", "类型 date", true);
        check("anything", "  ", true);
    }

    #[test]
    fn pages_of_rows_in_memory_follow_each_other_and_lead_back() {
        let all: Vec<u32> = (0..7).collect();
        let page = |after: Option<&str>, before: Option<&str>| {
            let of = PageOf { after: after.map(Into::into), before: before.map(Into::into), ..PageOf::first(3) };
            let page = Paged::of_all(all.clone(), &of);
            (page.rows, page.previous, page.next)
        };
        let key = |key: &str| Some(key.to_owned());
        assert_eq!(page(None, None), (vec![0, 1, 2], None, key("3")));
        assert_eq!(page(Some("3"), None), (vec![3, 4, 5], key("3"), key("6")));
        assert_eq!(page(Some("6"), None), (vec![6], key("6"), None));
        assert_eq!(page(None, Some("6")), (vec![3, 4, 5], key("3"), key("6")));
        assert_eq!(page(None, Some("2")), (vec![0, 1, 2], None, key("3")));
        // Addresses are anybody's text.
        assert_eq!(page(Some("x"), None), (vec![0, 1, 2], None, key("3")));
        assert_eq!(page(Some("18446744073709551615"), None).0, Vec::<u32>::new());
        let counted = PageOf { counted: true, ..PageOf::first(3) };
        assert_eq!(Paged::of_all(all.clone(), &counted).found, Some(Found { rows: 7, more: false }));
    }
}
