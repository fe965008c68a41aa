//! Tables for programs: the same columns and lines as CSV, JSON Lines or Parquet, written line by line. docs/formats.md
//! describes the columns.

mod parquet;

use std::{borrow::Cow, io::Write};

use model::time::Timestamp;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use self::parquet::ParquetTable;
use super::csv;
use base::error::Failure;

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Comma-separated values (RFC 4180), UTF-8, one header line.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// Apache Parquet, with the columns' types.
    Parquet,
}

impl Form {
    pub const ALL: [Form; 3] = [Form::Csv, Form::JsonLines, Form::Parquet];

    /// The ending of a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Csv => "csv",
            Form::JsonLines => "jsonl",
            Form::Parquet => "parquet",
        }
    }

    pub fn media(self) -> &'static str {
        match self {
            Form::Csv => "text/csv; charset=utf-8",
            Form::JsonLines => "application/x-ndjson",
            Form::Parquet => "application/vnd.apache.parquet",
        }
    }
}

/// Where a table is written. Parquet's writer asks for `Send`.
pub type Out<'a> = &'a mut (dyn Write + Send);

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Integer,
    Number,
    Boolean,
    Time,
    /// Any JSON, as text in CSV and Parquet.
    Json,
    /// A list of objects with these fields: JSON in CSV, a list of structs in Parquet.
    List(&'static [(&'static str, Type)]),
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: Type,
    /// Whether cells may be empty.
    pub optional: bool,
    /// The object that contains it in JSON, under the second name. Columns of one object follow each other.
    group: Option<(&'static str, String)>,
    /// What it means, in English.
    pub meaning: Cow<'static, str>,
}

impl Column {
    pub fn new(name: &'static str, kind: Type, meaning: &'static str) -> Column {
        Column { name: name.into(), kind, optional: false, group: None, meaning: meaning.into() }
    }

    /// A column whose cells may be empty.
    pub fn optional(name: &'static str, kind: Type, meaning: &'static str) -> Column {
        Column { optional: true, ..Column::new(name, kind, meaning) }
    }

    /// A column whose cells may be empty and that JSON has in the object `group` as `key`.
    pub fn grouped(name: String, (group, key): (&'static str, &str), kind: Type, meaning: String) -> Column {
        let group = Some((group, key.to_owned()));
        Column { name: name.into(), kind, optional: true, group, meaning: meaning.into() }
    }
}

/// A value in a table.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Time(Timestamp),
    Json(&'a RawValue),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text.into())
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Cell::Integer(number)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Cell::Integer(number.into())
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<bool> for Cell<'_> {
    fn from(yes: bool) -> Self {
        Cell::Boolean(yes)
    }
}

impl From<Timestamp> for Cell<'_> {
    fn from(time: Timestamp) -> Self {
        Cell::Time(time)
    }
}

impl<'a> From<&'a RawValue> for Cell<'a> {
    fn from(json: &'a RawValue) -> Self {
        Cell::Json(json)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}

/// A table that is being written.
pub struct Table<'a>(Writer<'a>);

enum Writer<'a> {
    Csv(Box<csv::Table<Out<'a>>>),
    JsonLines(Vec<Column>, Out<'a>),
    Parquet(Box<ParquetTable<'a>>),
}

impl<'a> Table<'a> {
    /// A table, with its header where the form has one.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(form: Form, columns: Vec<Column>, out: Out<'a>) -> Result<Self, Failure> {
        Ok(Table(match form {
            Form::Csv => Writer::Csv(Box::new(csv::Table::new(out, columns.iter().map(|column| &*column.name))?)),
            Form::JsonLines => Writer::JsonLines(columns, out),
            Form::Parquet => Writer::Parquet(Box::new(ParquetTable::new(columns, out)?)),
        }))
    }

    /// Adds a line: one cell for each column.
    ///
    /// # Errors
    /// The file cannot be written, or the cells do not fit the columns.
    pub fn line(&mut self, cells: &[Cell<'_>]) -> Result<(), Failure> {
        match &mut self.0 {
            Writer::Csv(table) => csv_line(table, cells),
            Writer::JsonLines(columns, out) => {
                serde_json::to_writer(&mut *out, &JsonLine { columns, cells })?;
                Ok(out.write_all(b"\n")?)
            }
            Writer::Parquet(table) => table.line(cells),
        }
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        match self.0 {
            Writer::Csv(table) => table.finish(),
            Writer::JsonLines(_, out) => Ok(out.flush()?),
            Writer::Parquet(table) => table.finish(),
        }
    }
}

fn csv_line(table: &mut csv::Table<Out<'_>>, cells: &[Cell<'_>]) -> Result<(), Failure> {
    for cell in cells {
        match cell {
            Cell::Empty => table.value("")?,
            Cell::Text(text) => table.text(text)?,
            Cell::Integer(number) => table.value(number)?,
            Cell::Number(number) => table.value(number)?,
            Cell::Boolean(yes) => table.value(yes)?,
            Cell::Time(time) => table.value(time.rfc3339())?,
            Cell::Json(json) => table.text(json.get())?,
        }
    }
    table.end_line()
}

/// A line as a JSON object.
struct JsonLine<'a> {
    columns: &'a [Column],
    cells: &'a [Cell<'a>],
}

impl Serialize for JsonLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        let mut at = 0;
        while let (Some(column), Some(cell)) = (self.columns.get(at), self.cells.get(at)) {
            match &column.group {
                None => {
                    object.serialize_entry(&column.name, cell)?;
                    at += 1;
                }
                Some((group, _)) => {
                    let same = |column: &&Column| column.group.as_ref().is_some_and(|(of, _)| of == group);
                    let end = at + self.columns[at..].iter().take_while(same).count();
                    let inner =
                        Group { columns: &self.columns[at..end], cells: self.cells.get(at..end).unwrap_or(&[]) };
                    object.serialize_entry(group, &inner)?;
                    at = end;
                }
            }
        }
        object.end()
    }
}

/// The columns of one object within a line.
struct Group<'a> {
    columns: &'a [Column],
    cells: &'a [Cell<'a>],
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = self.columns.iter().filter_map(|column| Some(&column.group.as_ref()?.1));
        serializer.collect_map(keys.zip(self.cells))
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Empty => serializer.serialize_none(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Integer(number) => serializer.serialize_i64(*number),
            Cell::Number(number) => serializer.serialize_f64(*number),
            Cell::Boolean(yes) => serializer.serialize_bool(*yes),
            Cell::Time(time) => serializer.serialize_str(&time.rfc3339()),
            Cell::Json(json) => json.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests;
