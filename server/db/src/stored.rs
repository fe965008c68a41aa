//! Reads what is stored as text: JSON, names, days, numbers, and scores as digits.
//!
//! A value that this program cannot read is an [`Unreadable`], which names its table, row and column: it becomes neither
//! another value nor a default. No other file of `db` parses what it has read; a test holds that.

use std::{error::Error, fmt::Display, str::FromStr};

use rusqlite::{
    Row,
    types::{FromSqlError, Type, ValueRef},
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use base::error::Failure;

type Cause = Box<dyn Error + Send + Sync>;

/// A stored value that this program cannot read.
#[derive(Debug, thiserror::Error)]
#[error("{table} ({row}), column {column}: this program cannot read the stored value")]
pub struct Unreadable {
    table: &'static str,
    /// The columns of its key, with their values.
    row: String,
    column: &'static str,
    #[source]
    cause: Cause,
}

impl From<Unreadable> for rusqlite::Error {
    fn from(unreadable: Unreadable) -> Self {
        // The number means that the column of the query is unknown: ours is named by the error itself.
        rusqlite::Error::FromSqlConversionFailure(usize::MAX, Type::Text, Box::new(unreadable))
    }
}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Failure::internal(unreadable)
    }
}

/// A table, and the columns of a query that have the key of its row.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    name: &'static str,
    key: &'static [&'static str],
    column: Option<&'static str>,
}

/// The table with this name, whose key a query has in these columns.
pub const fn table(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key, column: None }
}

impl Table {
    /// For a value that the query has under another name: the column of the table.
    pub const fn column(self, column: &'static str) -> Table {
        Table { column: Some(column), ..self }
    }

    fn unreadable(&self, row: &Row<'_>, column: &'static str, cause: Cause) -> Unreadable {
        let key = self.key.iter().map(|name| {
            let value = match row.get_ref(*name) {
                Ok(ValueRef::Integer(number)) => number.to_string(),
                Ok(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
                _ => "unknown".to_owned(),
            };
            format!("{name} {value}")
        });
        let row = key.collect::<Vec<_>>().join(", ");
        Unreadable { table: self.name, row, column: self.column.unwrap_or(column), cause }
    }

    fn read<'a, T>(
        &self,
        row: &'a Row<'_>,
        column: &'static str,
        parse: impl FnOnce(&'a str) -> Result<T, Cause>,
    ) -> rusqlite::Result<T> {
        debug_assert!(
            self.key.iter().all(|name| row.as_ref().column_index(name).is_ok()),
            "a query of {} has no {:?}",
            self.name,
            self.key
        );
        let text = row.get_ref(column)?.as_str().map_err(|e: FromSqlError| e.into());
        Ok(text.and_then(parse).map_err(|cause| self.unreadable(row, column, cause))?)
    }

    fn optional<T>(
        self,
        row: &Row<'_>,
        column: &'static str,
        read: impl FnOnce(Table) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        match row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            _ => read(self).map(Some),
        }
    }
}

/// Reads a column of JSON.
pub fn json<T: DeserializeOwned>(row: &Row<'_>, of: Table, column: &'static str) -> rusqlite::Result<T> {
    of.read(row, column, |text| Ok(parse_json(text)?))
}

/// Reads a column of JSON that may be NULL.
pub fn optional_json<T: DeserializeOwned>(
    row: &Row<'_>,
    of: Table,
    column: &'static str,
) -> rusqlite::Result<Option<T>> {
    of.optional(row, column, |of| json(row, of, column))
}

/// Reads a column of JSON that may be NULL, without its values.
pub fn optional_raw_json<'a>(
    row: &'a Row<'_>,
    of: Table,
    column: &'static str,
) -> rusqlite::Result<Option<&'a RawValue>> {
    of.optional(row, column, |of| of.read(row, column, |text| Ok(serde_json::from_str(text)?)))
}

/// Reads a column with one of a fixed set of names, a day or a number.
pub fn parsed<T>(row: &Row<'_>, of: Table, column: &'static str) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: Display,
{
    of.read(row, column, |text| text.parse().map_err(|e: T::Err| e.to_string().into()))
}

/// The same for a column that may be NULL.
pub fn optional_parsed<T>(row: &Row<'_>, of: Table, column: &'static str) -> rusqlite::Result<Option<T>>
where
    T: FromStr,
    T::Err: Display,
{
    of.optional(row, column, |of| parsed(row, of, column))
}

/// Reads a column with one of the names that `from_name` knows.
pub fn named<T>(
    row: &Row<'_>,
    of: Table,
    column: &'static str,
    from_name: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    of.read(row, column, |text| from_name(text).ok_or_else(|| format!("unknown name `{text}`").into()))
}

/// The same for a column that may be NULL.
pub fn optional_named<T>(
    row: &Row<'_>,
    of: Table,
    column: &'static str,
    from_name: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    of.optional(row, column, |of| named(row, of, column, from_name))
}

/// Reads a column with the position of one of `values`.
pub fn numbered<T: Copy>(row: &Row<'_>, of: Table, column: &'static str, values: &[T]) -> rusqlite::Result<T> {
    let number: i64 = row.get(column)?;
    let value = usize::try_from(number).ok().and_then(|at| values.get(at)).copied();
    Ok(value.ok_or_else(|| of.unreadable(row, column, format!("unknown number {number}").into()))?)
}

/// Reads a column of scores, one digit for each dimension.
pub fn scores(row: &Row<'_>, of: Table, column: &'static str) -> rusqlite::Result<Vec<u8>> {
    of.read(row, column, |text| {
        let digit = |c: u8| c.is_ascii_digit().then(|| c - b'0');
        let digits = text.bytes().map(digit).collect::<Option<_>>();
        digits.ok_or_else(|| format!("`{text}` has a character that is no digit").into())
    })
}

/// The same for a column that may be NULL.
pub fn optional_scores(row: &Row<'_>, of: Table, column: &'static str) -> rusqlite::Result<Option<Vec<u8>>> {
    of.optional(row, column, |of| scores(row, of, column))
}

/// Reads JSON that was taken as text from a column of the row with the key `id`.
///
/// # Errors
/// [`Unreadable`].
pub fn from_text<T: DeserializeOwned>(
    text: &str,
    of: Table,
    id: impl Display,
    column: &'static str,
) -> Result<T, Unreadable> {
    parse_json(text).map_err(|cause| unreadable(of, id, column, cause))
}

/// The error for a column of the row with the key `id`, of which what was read makes no sense.
pub fn unreadable(of: Table, id: impl Display, column: &'static str, cause: impl Into<Cause>) -> Unreadable {
    Unreadable { table: of.name, row: format!("{} {id}", of.key.join(", ")), column, cause: cause.into() }
}

/// Reads an entry of a cache. One that this program cannot read counts as missing, because it is computed again.
pub fn cached<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    serde_json::from_slice(json).ok()
}

fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

/// The table of task revisions, for queries with their number as `revision_id`.
pub const REVISIONS: Table = table("task_revisions", &["revision_id"]);

#[cfg(test)]
#[path = "stored_test.rs"]
mod tests;
