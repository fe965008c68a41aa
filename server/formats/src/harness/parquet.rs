//! Tables of outputs as Parquet. Only the columns that are used are read, in small batches.
//!
//! A page says how large it is when it is unpacked, and the library believes it: pages are checked before they are read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::{
    basic::Type,
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{BoolType, DataType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        metadata::ColumnChunkMetaData,
        reader::{FileReader, SerializedFileReader},
    },
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
/// Maximum unpacked size of a page in bytes; writers make pages of 1 MiB.
const LARGEST_PAGE: u64 = 64 * 1024 * 1024;
/// Rows that are read together.
const BATCH: usize = 64;

/// The columns of a file.
pub fn head(bytes: Vec<u8>, chosen: &Columns) -> Option<Head> {
    guarded(|| Ok(Head::of(names(&SerializedFileReader::new(Bytes::from(bytes))?), chosen))).ok()
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
        let file = SerializedFileReader::new(bytes.clone())?;
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
            let batch: Vec<Option<Vec<Option<String>>>> = match batch {
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
            for at in 0..rows {
                let cell = |place: usize| batch.get(place)?.as_ref()?.get(at)?.clone();
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
    let column = |at: usize| {
        if !used(at) {
            return Ok(None);
        }
        let chunk = rows.metadata().column(at);
        let described = chunk.column_descr();
        if described.max_rep_level() > 0 {
            return Err(ParquetError::General(format!("the column {} has lists", described.path().string())));
        }
        check_pages(chunk, bytes)?;
        rows.get_column_reader(at).map(Some)
    };
    (0..rows.num_columns()).map(column).collect()
}

/// The next texts of a column; fewer at its end.
fn read_batch(column: &mut ColumnReader) -> Result<Vec<Option<String>>, ParquetError> {
    match column {
        ColumnReader::ByteArrayColumnReader(reader) => texts(reader, |value| {
            let text = std::str::from_utf8(value.data());
            text.map(str::to_owned).map_err(|e| ParquetError::General(format!("a text is not UTF-8: {e}")))
        }),
        ColumnReader::Int32ColumnReader(reader) => texts::<Int32Type>(reader, |value| Ok(value.to_string())),
        ColumnReader::Int64ColumnReader(reader) => texts::<Int64Type>(reader, |value| Ok(value.to_string())),
        ColumnReader::BoolColumnReader(reader) => texts::<BoolType>(reader, |value| Ok(value.to_string())),
        ColumnReader::DoubleColumnReader(reader) => texts::<DoubleType>(reader, |value| Ok(value.to_string())),
        ColumnReader::FloatColumnReader(reader) => texts::<FloatType>(reader, |value| Ok(value.to_string())),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            let (time, fixed) = (Type::INT96, Type::FIXED_LEN_BYTE_ARRAY);
            Err(ParquetError::General(format!("a column has the type {time} or {fixed}")))
        }
    }
}

fn texts<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    text: impl Fn(&T::T) -> Result<String, ParquetError>,
) -> Result<Vec<Option<String>>, ParquetError> {
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

/// Fails if a page of a column unpacks to more than the limit, by what stands before it in the file.
fn check_pages(chunk: &ColumnChunkMetaData, bytes: &Bytes) -> Result<(), ParquetError> {
    let (start, length) = chunk.byte_range();
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let end = place(start.saturating_add(length));
    let mut pages = bytes.get(place(start)..end).ok_or_else(|| ParquetError::General("it is incomplete".into()))?;
    while !pages.is_empty() {
        let mut header = Compact(pages);
        let (unpacked, packed) = header.page().ok_or_else(|| ParquetError::General("a page is damaged".into()))?;
        if unpacked > LARGEST_PAGE {
            let most = LARGEST_PAGE / 1024 / 1024;
            return Err(ParquetError::General(format!("a page unpacks to more than {most} MiB")));
        }
        pages = header.0.get(place(packed)..).ok_or_else(|| ParquetError::General("a page is incomplete".into()))?;
    }
    Ok(())
}

/// Thrift's compact protocol, in which a page's header is written, as far as is needed to skip it.
struct Compact<'b>(&'b [u8]);

impl Compact<'_> {
    /// Skips the header of a page: its sizes, unpacked and packed.
    fn page(&mut self) -> Option<(u64, u64)> {
        let (mut unpacked, mut packed, mut field) = (None, None, 0);
        while let Some((id, kind)) = self.field(field)? {
            field = id;
            match (id, kind) {
                (2, 5) => unpacked = u64::try_from(self.number()?).ok(),
                (3, 5) => packed = u64::try_from(self.number()?).ok(),
                _ => self.skip(kind, 0)?,
            }
        }
        Some((unpacked?, packed?))
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number in zigzag form.
    fn number(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some(i64::try_from(value >> 1).ok()? ^ -i64::from(value & 1 == 1))
    }

    /// The ID and the type of the next field; the inner `None` at the end of the structure.
    fn field(&mut self, before: i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        match (kind, step) {
            (0, _) => Some(None),
            (kind, 0) => Some(Some((self.number()?, kind))),
            (kind, step) => Some(Some((before + i64::from(step), kind))),
        }
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        if depth > 16 {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.bytes(1),
            4..=6 => self.unsigned().map(|_| ()),
            7 => self.bytes(8),
            8 => {
                let length = self.unsigned()?;
                self.bytes(length)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.unsigned()?,
                    count => u64::from(count),
                };
                let element = byte & 0x0f;
                for _ in 0..count {
                    // An element that is true or false takes a byte.
                    if matches!(element, 1 | 2) { self.bytes(1)? } else { self.skip(element, depth + 1)? }
                }
                Some(())
            }
            12 => {
                let mut field = 0;
                while let Some((id, kind)) = self.field(field)? {
                    field = id;
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            // Headers of pages have no maps.
            _ => None,
        }
    }
}
