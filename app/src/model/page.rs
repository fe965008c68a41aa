//! Pages of lists. A page is named by the key of the row before or after it, so that any page costs the same and
//! rows that come and go elsewhere do not move it.

use serde::{Deserialize, Serialize};

/// Which page of a list. With neither `after` nor `before`, the first.
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
}

fn usual() -> u32 {
    PageOf::USUAL
}

impl PageOf {
    /// Rows of a page on screen.
    pub const USUAL: u32 = 50;
    /// Most rows of a page.
    pub const MOST: u32 = 1000;

    /// The first `limit` rows.
    pub fn first(limit: u32) -> PageOf {
        PageOf { after: None, before: None, limit }
    }
}

impl Default for PageOf {
    fn default() -> Self {
        PageOf::first(PageOf::USUAL)
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paged<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// What `before` is for the previous page; absent on the first.
    pub previous: Option<String>,
    /// What `after` is for the next page; absent on the last.
    pub next: Option<String>,
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Paged { rows: Vec::new(), previous: None, next: None }
    }
}

impl<T> Paged<T> {
    /// The same page with other rows.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Paged<U> {
        Paged { rows: self.rows.into_iter().map(change).collect(), previous: self.previous, next: self.next }
    }

    /// Whether this is the list's only page.
    pub fn is_all(&self) -> bool {
        self.previous.is_none() && self.next.is_none()
    }
}
