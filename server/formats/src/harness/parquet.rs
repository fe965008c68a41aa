//! Tables of outputs as Parquet. Only the columns that are used are read, in small batches.
//!
//! The library believes the numbers of a file: how deep its columns are nested, how long a list is, how large a page is when
//! it is unpacked. A wrong one would end the whole server, because a stack or a memory that does not suffice cannot be
//! caught. So the footer and the pages are checked before the library reads them ([`checks`]).

mod checks;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::{
    basic::Type,
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{BoolType, ByteArray, DataType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
};

use super::{
    Sink, fault,
    table::{Columns, Head},
};
use crate::lines::Fault;

/// The first bytes of a file.
pub const MAGIC: &[u8] = b"PAR1";
/// Maximum size of a file in bytes: it is held in memory.
pub const LARGEST: u64 = 128 * 1024 * 1024;
/// Maximum number of rows.
const MOST_ROWS: i64 = 10_000_000;
/// Rows that are read together.
const BATCH: usize = 64;

/// The texts of a column in some rows; nothing for null.
type Cells = Vec<Option<ByteArray>>;

/// The columns of a file.
pub fn head(bytes: Vec<u8>, chosen: &Columns) -> Option<Head> {
    guarded(|| Ok(Head::of(names(&opened(&Bytes::from(bytes))?), chosen))).ok()
}

/// Opens a file whose footer is as it should be.
fn opened(bytes: &Bytes) -> Result<SerializedFileReader<Bytes>, ParquetError> {
    checks::footer(bytes).map_err(ParquetError::General)?;
    let file = SerializedFileReader::new(bytes.clone())?;
    // Rows of nulls take no space.
    if file.metadata().file_metadata().num_rows() > MOST_ROWS {
        return Err(ParquetError::General(format!("it has more than {MOST_ROWS} rows")));
    }
    Ok(file)
}

fn names(file: &SerializedFileReader<Bytes>) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr();
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// Runs the library, which panics over some damaged files, on bytes that nothing else uses.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(ParquetError::General("it is damaged".into())))
}

fn unreadable(e: &ParquetError) -> Fault {
    fault(
        (format!("the Parquet file cannot be read: {e}"), format!("无法读取该 Parquet 文件：{e}")),
        (
            "Write it again, without compression or with snappy or zstd; or save the table as CSV",
            "请重新写出（不压缩，或使用 snappy、zstd），或将表格存为 CSV",
        ),
    )
}

/// Reads a file. Returns whether it was read to its end.
pub fn read(bytes: Vec<u8>, sink: &mut Sink<'_>) -> bool {
    let chosen = sink.asked.columns.clone();
    let bytes = Bytes::from(bytes);
    let opened = guarded(|| {
        let file = opened(&bytes)?;
        let head = Head::of(names(&file), &chosen);
        Ok((file, head))
    });
    let (file, head) = match opened {
        Ok(opened) => opened,
        Err(e) => {
            sink.put("", Err(unreadable(&e)));
            return false;
        }
    };
    if !head.check(&chosen, sink) {
        return false;
    }
    let mut row = 0;
    for group in 0..file.num_row_groups() {
        let mut columns = match guarded(|| open(&file, &bytes, group, &head)) {
            Ok(columns) => columns,
            Err(e) => {
                sink.put("", Err(unreadable(&e)));
                return false;
            }
        };
        loop {
            let batch =
                guarded(|| columns.iter_mut().map(|column| column.as_mut().map(read_batch).transpose()).collect());
            let batch: Vec<Option<Cells>> = match batch {
                Ok(batch) => batch,
                Err(e) => {
                    sink.put(&format!("[{row}]"), Err(unreadable(&e)));
                    return false;
                }
            };
            let rows = batch.iter().flatten().map(Vec::len).max().unwrap_or_default();
            if rows == 0 {
                break;
            }
            if row + rows as i64 > MOST_ROWS {
                let error = ParquetError::General(format!("it has more than {MOST_ROWS} rows"));
                sink.put(&format!("[{row}]"), Err(unreadable(&error)));
                return false;
            }
            for at in 0..rows {
                let cell = |place: usize| batch.get(place)?.as_ref()?.get(at)?.as_ref()?.as_utf8().ok();
                sink.put(&format!("[{row}]"), head.entry(cell));
                row += 1;
            }
        }
    }
    true
}

/// The columns of a group of rows that are used, by their place in the file.
fn open(
    file: &SerializedFileReader<Bytes>,
    bytes: &Bytes,
    group: usize,
    head: &Head,
) -> Result<Vec<Option<ColumnReader>>, ParquetError> {
    let rows = file.get_row_group(group)?;
    let used = |at: usize| head.places.contains(&Some(at));
    let mut left = checks::MOST_OPEN;
    let column = |at: usize| {
        if !used(at) {
            return Ok(None);
        }
        let chunk = rows.metadata().column(at);
        let described = chunk.column_descr();
        if described.max_rep_level() > 0 {
            return Err(ParquetError::General(format!("the column {} has lists", described.path().string())));
        }
        checks::pages(chunk.byte_range(), bytes, &mut left).map_err(ParquetError::General)?;
        rows.get_column_reader(at).map(Some)
    };
    (0..rows.num_columns()).map(column).collect()
}

/// The next texts of a column; fewer at its end. The texts of a dictionary are not copied: all rows can have the same one.
fn read_batch(column: &mut ColumnReader) -> Result<Cells, ParquetError> {
    match column {
        ColumnReader::ByteArrayColumnReader(reader) => texts(reader, |value| match std::str::from_utf8(value.data()) {
            Ok(_) => Ok(value.clone()),
            Err(e) => Err(ParquetError::General(format!("a text is not UTF-8: {e}"))),
        }),
        ColumnReader::Int32ColumnReader(reader) => texts::<Int32Type>(reader, number),
        ColumnReader::Int64ColumnReader(reader) => texts::<Int64Type>(reader, number),
        ColumnReader::BoolColumnReader(reader) => texts::<BoolType>(reader, number),
        ColumnReader::DoubleColumnReader(reader) => texts::<DoubleType>(reader, number),
        ColumnReader::FloatColumnReader(reader) => texts::<FloatType>(reader, number),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            let (time, fixed) = (Type::INT96, Type::FIXED_LEN_BYTE_ARRAY);
            Err(ParquetError::General(format!("a column has the type {time} or {fixed}")))
        }
    }
}

fn number(value: &impl ToString) -> Result<ByteArray, ParquetError> {
    Ok(ByteArray::from(value.to_string().into_bytes()))
}

fn texts<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    text: impl Fn(&T::T) -> Result<ByteArray, ParquetError>,
) -> Result<Cells, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let (records, ..) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        return values.iter().map(|value| text(value).map(Some)).collect();
    }
    // A value is there where the level is the highest one; the others are null.
    let most = levels.iter().copied().max().unwrap_or_default();
    let all_null = values.is_empty();
    let mut values = values.iter();
    let cell = |level: i16| match level == most && !all_null {
        true => values.next().map(&text).transpose(),
        false => Ok(None),
    };
    levels.into_iter().take(records).map(cell).collect()
}
