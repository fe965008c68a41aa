//! Timestamps as stored in the database.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, macros::format_description};

/// A day, in milliseconds.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Milliseconds since 1970-01-01T00:00:00Z. Created by the server only: a clock in a view would differ
/// between server and browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The form for data files: `2026-11-21T03:20:00Z`. Outside the years 0 to 9999, the number.
    pub fn rfc3339(self) -> String {
        self.format(format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z"))
    }

    fn format(self, form: &[time::format_description::BorrowedFormatItem<'_>]) -> String {
        OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1000))
            .ok()
            .and_then(|t| t.format(form).ok())
            .unwrap_or_else(|| self.0.to_string())
    }
}

/// The form for people: `2026-11-21 03:20 UTC`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format(format_description!("[year]-[month]-[day] [hour]:[minute] UTC")))
    }
}
