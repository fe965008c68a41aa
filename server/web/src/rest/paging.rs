//! Pages of lists: `?limit=` rows after `?cursor=`, and the address of the next page in the response.

use axum::{
    extract::{FromRequestParts, OriginalUri},
    http::{StatusCode, request::Parts},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use model::page::{PageOf, Paged, Which};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{input::QueryParams, problem::Problem};

/// Default number of rows per page.
const USUAL: u32 = 50;
/// Maximum number of rows per page.
const MOST: u32 = 200;

/// Selects a page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `Paging` reads as `ListParams`")]
pub struct PageParams {
    /// Number of rows, 1 to 200; default: 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Start of the page: the value of `next` from the previous page. Absent for the first page.
    cursor: Option<String>,
}

/// Selects rows of a list, their order and a page. A list's filters are parameters of their own.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// Only rows that contain all these words, ignoring case.
    #[serde(default)]
    search: String,
    /// Column by which rows are ordered; `-` before it reverses the order, as in `-created`. The cursors of one order
    /// are not those of another.
    #[serde(default)]
    sort: String,
    /// Number of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is
    /// absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Start of the page: the value of `next` from the previous page. Absent for the first page.
    cursor: Option<String>,
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Address of the next page on this server; absent on the last page.
    pub next: Option<String>,
}

/// The requested page.
pub struct Paging {
    limit: usize,
    cursor: Option<String>,
    which: Which,
    /// The address without its cursor.
    path: String,
    query: Vec<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Paging {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let QueryParams(asked) = QueryParams::<ListParams>::from_request_parts(parts, state).await?;
        // A list passes over the parameters that are no filters of its own.
        let QueryParams(filters) = QueryParams::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let wrong = |detail: &str| Problem::new(StatusCode::BAD_REQUEST, detail);
        let limit = asked.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(wrong("`limit` must be a number from 1 to 200."));
        }
        let uri =
            parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.clone(), |original| original.0.clone());
        let query = uri.query().unwrap_or_default().split('&');
        Ok(Paging {
            limit: limit as usize,
            cursor: asked.cursor,
            which: Which { search: asked.search, sort: asked.sort, filters },
            path: uri.path().to_owned(),
            query: query.filter(|pair| !pair.is_empty() && !pair.starts_with("cursor=")).map(str::to_owned).collect(),
        })
    }
}

impl Paging {
    /// The page, for a list that is read by key.
    ///
    /// # Errors
    /// The cursor is not one of this server's.
    pub fn of(&self) -> Result<PageOf, Problem> {
        let text = |cursor: &String| String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok();
        let after = match &self.cursor {
            None => None,
            Some(cursor) => Some(text(cursor).ok_or_else(|| {
                let detail = "`cursor` is not one that this server returned. Start without a cursor.";
                Problem::new(StatusCode::BAD_REQUEST, detail)
            })?),
        };
        let limit = u32::try_from(self.limit).unwrap_or(MOST);
        Ok(PageOf { after, which: self.which.clone(), ..PageOf::first(limit) })
    }

    /// A page that was read by key, as the API answers it.
    pub fn answer<T>(&self, page: Paged<T>) -> Page<T> {
        let next = page.next.map(|key| self.address(&BASE64_URL_SAFE_NO_PAD.encode(key)));
        Page { items: page.rows, next }
    }

    /// Maximum number of rows of the page.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The number of the row before the page, if rows are fetched by number; `None` for the first page.
    pub fn after(&self) -> Result<Option<i64>, Problem> {
        let number = |cursor: &String| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
            std::str::from_utf8(&bytes).ok()?.parse().ok()
        };
        match &self.cursor {
            None => Ok(None),
            Some(cursor) => number(cursor).map(Some).ok_or_else(|| {
                let detail = "`cursor` is not one that this server returned. Start without a cursor.";
                Problem::new(StatusCode::BAD_REQUEST, detail)
            }),
        }
    }

    /// The page of rows that were fetched by number, including one more than fits.
    pub fn keyset<T>(&self, mut rows: Vec<T>, number: impl Fn(&T) -> i64) -> Page<T> {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let cursor = |last: &T| BASE64_URL_SAFE_NO_PAD.encode(number(last).to_string());
        let next = rows.last().filter(|_| more).map(|last| self.address(&cursor(last)));
        Page { items: rows, next }
    }

    /// The address of the page that begins at `cursor`.
    pub fn address(&self, cursor: &str) -> String {
        let cursor = format!("cursor={cursor}");
        let pairs = self.query.iter().map(String::as_str).chain([cursor.as_str()]);
        format!("{}?{}", self.path, pairs.collect::<Vec<_>>().join("&"))
    }
}
