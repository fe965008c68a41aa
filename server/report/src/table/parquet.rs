//! A table as Parquet. Lines are collected for a row group, whose size bounds the memory, and written column by column.

use std::sync::Arc;

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type},
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::types,
};
use serde_json::{Map, Value};

use super::{Cell, Column, Out, Type};
use base::error::Failure;

/// Most lines of a row group.
const MOST_LINES: usize = 100_000;
/// Most bytes of text of a row group. Twice as much can be in memory: the lines and their pages.
const MOST_BYTES: usize = 16 << 20;

/// A Parquet file that is being written.
pub struct ParquetTable<'a> {
    file: SerializedFileWriter<Out<'a>>,
    columns: Vec<Column>,
    /// The values of the row group: for each column its leaves in the schema, one unless it is a list.
    leaves: Vec<Vec<Leaf>>,
    lines: usize,
    bytes: usize,
}

/// The values of a leaf of the schema that are not empty, and the levels of all.
struct Leaf {
    values: Values,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Integer(Vec<i64>),
    Number(Vec<f64>),
    Boolean(Vec<bool>),
}

impl<'a> ParquetTable<'a> {
    pub fn new(columns: Vec<Column>, out: Out<'a>) -> Result<Self, Failure> {
        let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<Vec<_>, Failure>>()?;
        let schema =
            types::Type::group_type_builder("schema").with_fields(fields).build().map_err(Failure::internal)?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(Failure::internal)?;
        let leaves = columns.iter().map(leaves).collect();
        Ok(ParquetTable { file, columns, leaves, lines: 0, bytes: 0 })
    }

    pub fn line(&mut self, cells: &[Cell<'_>]) -> Result<(), Failure> {
        if cells.len() != self.columns.len() {
            return Err(Failure::internal("a line has a different number of cells than the table"));
        }
        for ((column, leaves), cell) in self.columns.iter().zip(&mut self.leaves).zip(cells) {
            self.bytes += add(column, leaves, cell)?;
        }
        self.lines += 1;
        if self.lines >= MOST_LINES || self.bytes >= MOST_BYTES {
            self.row_group()?;
        }
        Ok(())
    }

    /// Writes the collected lines.
    fn row_group(&mut self) -> Result<(), Failure> {
        let mut group = self.file.next_row_group().map_err(Failure::internal)?;
        for leaf in self.leaves.iter_mut().flatten() {
            let mut column = group
                .next_column()
                .map_err(Failure::internal)?
                .ok_or_else(|| Failure::internal("the table has more columns than its schema"))?;
            let (definition, repetition) = (Some(&*leaf.definition), Some(&*leaf.repetition));
            let written = match &mut leaf.values {
                Values::Text(values) => column.typed::<ByteArrayType>().write_batch(values, definition, repetition),
                Values::Integer(values) => column.typed::<Int64Type>().write_batch(values, definition, repetition),
                Values::Number(values) => column.typed::<DoubleType>().write_batch(values, definition, repetition),
                Values::Boolean(values) => column.typed::<BoolType>().write_batch(values, definition, repetition),
            };
            written.and_then(|_| column.close()).map_err(Failure::internal)?;
        }
        group.close().map_err(Failure::internal)?;
        self.leaves = self.columns.iter().map(leaves).collect();
        (self.lines, self.bytes) = (0, 0);
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        if self.lines > 0 {
            self.row_group()?;
        }
        self.file.close().map_err(Failure::internal)?;
        Ok(())
    }
}

/// The column in the schema. A list has the three levels of Parquet's specification.
fn field(column: &Column) -> Result<types::Type, Failure> {
    let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let Type::List(parts) = column.kind else { return primitive(&column.name, column.kind, repetition) };
    let parts = parts.iter().map(|(name, kind)| Ok(Arc::new(primitive(name, *kind, Repetition::REQUIRED)?)));
    let group = |name: &str, repetition, logical, fields| {
        let builder = types::Type::group_type_builder(name).with_repetition(repetition).with_fields(fields);
        builder.with_logical_type(logical).build().map_err(Failure::internal)
    };
    let element = group("element", Repetition::REQUIRED, None, parts.collect::<Result<_, Failure>>()?)?;
    let list = group("list", Repetition::REPEATED, None, vec![Arc::new(element)])?;
    group(&column.name, repetition, Some(LogicalType::List), vec![Arc::new(list)])
}

fn primitive(name: &str, kind: Type, repetition: Repetition) -> Result<types::Type, Failure> {
    let (physical, logical) = match kind {
        Type::Text | Type::Json => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Type::Integer => (Physical::INT64, None),
        Type::Number => (Physical::DOUBLE, None),
        Type::Boolean => (Physical::BOOLEAN, None),
        Type::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Type::List(_) => return Err(Failure::internal("a list within a list")),
    };
    let builder = types::Type::primitive_type_builder(name, physical).with_repetition(repetition);
    builder.with_logical_type(logical).build().map_err(Failure::internal)
}

/// The column's leaves without values.
fn leaves(column: &Column) -> Vec<Leaf> {
    let leaf = |kind: Type| Leaf {
        values: match kind {
            Type::Text | Type::Json | Type::List(_) => Values::Text(Vec::new()),
            Type::Integer | Type::Time => Values::Integer(Vec::new()),
            Type::Number => Values::Number(Vec::new()),
            Type::Boolean => Values::Boolean(Vec::new()),
        },
        definition: Vec::new(),
        repetition: Vec::new(),
    };
    match column.kind {
        Type::List(parts) => parts.iter().map(|(_, kind)| leaf(*kind)).collect(),
        kind => vec![leaf(kind)],
    }
}

/// Adds a cell to its column and returns its size in bytes.
fn add(column: &Column, leaves: &mut [Leaf], cell: &Cell<'_>) -> Result<usize, Failure> {
    // The level of a value that is there: one more where it could be missing.
    let present = i16::from(column.optional);
    let misfit = || Failure::internal(format!("a value of the column {} does not fit its type", column.name));
    let Type::List(parts) = column.kind else {
        let leaf = leaves.first_mut().ok_or_else(misfit)?;
        leaf.repetition.push(0);
        if let (Cell::Empty, true) = (cell, column.optional) {
            leaf.definition.push(0);
            return Ok(0);
        }
        leaf.definition.push(present);
        return leaf.values.push(cell).ok_or_else(misfit);
    };
    let list: Option<Vec<Map<String, Value>>> = match cell {
        Cell::Empty if column.optional => None,
        Cell::Json(json) => Some(serde_json::from_str(json.get())?),
        _ => return Err(misfit()),
    };
    let mut bytes = 0;
    for (leaf, (name, _)) in leaves.iter_mut().zip(parts) {
        let list = list.as_deref().unwrap_or_default();
        if list.is_empty() {
            leaf.repetition.push(0);
            // Missing or empty: the levels differ.
            leaf.definition.push(if matches!(cell, Cell::Empty) { 0 } else { present });
        }
        for (at, object) in list.iter().enumerate() {
            leaf.repetition.push(i16::from(at > 0));
            leaf.definition.push(present + 1);
            let value = match object.get(*name) {
                Some(Value::String(text)) => Cell::from(text.as_str()),
                Some(Value::Number(number)) => Cell::from(number.as_i64()),
                _ => Cell::Empty,
            };
            bytes += leaf.values.push(&value).ok_or_else(misfit)?;
        }
    }
    Ok(bytes)
}

impl Values {
    /// Adds a value and returns its size in bytes; `None` if it is of another type.
    fn push(&mut self, cell: &Cell<'_>) -> Option<usize> {
        match (self, cell) {
            (Values::Text(values), Cell::Text(text)) => values.push(text.as_bytes().to_vec().into()),
            (Values::Text(values), Cell::Json(json)) => values.push(json.get().as_bytes().to_vec().into()),
            (Values::Integer(values), Cell::Integer(number)) => values.push(*number),
            (Values::Integer(values), Cell::Time(time)) => values.push(time.0),
            (Values::Number(values), Cell::Number(number)) => values.push(*number),
            (Values::Boolean(values), Cell::Boolean(yes)) => values.push(*yes),
            _ => return None,
        }
        Some(match cell {
            Cell::Text(text) => text.len(),
            Cell::Json(json) => json.get().len(),
            _ => 8,
        })
    }
}
