//! What a Parquet file says of itself, checked before it is believed: the footer and the headers of pages, which are written
//! in Thrift's compact protocol.

use parquet::data_type::ByteArray;

/// Maximum size of the footer in bytes: some hundreds for each column of each group of rows.
const LARGEST_FOOTER: usize = 8 * 1024 * 1024;
/// Maximum number of items in all lists of the footer. The library takes some hundreds of bytes for each.
const MOST_ITEMS: u64 = 300_000;
/// Maximum number of columns and of what they are nested in, and how deep: the library reads them by recursion.
const MOST_COLUMNS: u64 = 10_000;
const DEEPEST: usize = 50;
/// Maximum length of the paths of all columns together, in bytes. Columns share the names of what they are nested in, and the
/// library copies them for each.
const LONGEST_PATHS: u64 = 8 * 1024 * 1024;
/// Maximum unpacked size of a page in bytes; writers make pages of 1 MiB, or of some thousand texts.
const LARGEST_PAGE: u64 = 64 * 1024 * 1024;
/// Maximum size of what the columns that are read together take in memory, in bytes: of each its dictionary and its largest
/// page. Writers end a dictionary at 1 MiB.
pub const MOST_OPEN: u64 = 128 * 1024 * 1024;
/// What a value of a dictionary takes in memory besides its bytes: in the file, an empty text has 4 bytes.
const VALUE: u64 = size_of::<ByteArray>() as u64;

/// How values may be written: plain, as numbers of a dictionary, and in runs. Others begin with numbers of their own, which
/// the library believes, too.
const ENCODINGS: [i64; 5] = [0, 2, 3, 4, 8];

/// Fails if a footer is damaged, or has more columns or lists than a file of outputs needs.
pub fn footer(file: &[u8]) -> Result<(), String> {
    let damaged = || "its end is damaged".to_owned();
    let (rest, end) = file.split_last_chunk::<8>().ok_or_else(damaged)?;
    let length = u32::from_le_bytes([end[0], end[1], end[2], end[3]]) as usize;
    if length > LARGEST_FOOTER {
        return Err(format!("its footer is larger than {} MiB", LARGEST_FOOTER / 1024 / 1024));
    }
    let start = rest.len().checked_sub(length).ok_or_else(damaged)?;
    let mut footer = Compact::of(&rest[start..]);
    let mut field = 0;
    while let Some((id, kind)) = footer.field(field).ok_or_else(damaged)? {
        field = id;
        match (id, kind) {
            (2, 9) => schema(&mut footer)?,
            // The library may go by the number of a field alone.
            (2, _) => return Err(damaged()),
            _ => footer.skip(kind, 0).ok_or_else(damaged)?,
        }
        if footer.items > MOST_ITEMS {
            return Err(format!("its footer has more than {MOST_ITEMS} entries"));
        }
    }
    Ok(())
}

/// Reads the list of columns and what they are nested in, each before its parts.
fn schema(footer: &mut Compact<'_>) -> Result<(), String> {
    let damaged = || "its list of columns is damaged".to_owned();
    let count = footer.structures().ok_or_else(damaged)?;
    if count > MOST_COLUMNS {
        return Err(format!("it has more than {MOST_COLUMNS} columns"));
    }
    // How many parts are still to come, of each level, and the length of its path.
    let mut open: Vec<(i64, u64)> = Vec::new();
    let mut paths = 0;
    for _ in 0..count {
        let (parts, name) = footer.parts().ok_or_else(damaged)?;
        let mut path = name;
        if let Some((left, before)) = open.last_mut() {
            *left -= 1;
            path += *before;
        }
        paths += path;
        if paths > LONGEST_PATHS {
            return Err(format!("the names of its columns are longer than {} MiB", LONGEST_PATHS / 1024 / 1024));
        }
        if parts > 0 {
            open.push((parts, path));
        }
        while open.last().is_some_and(|(left, _)| *left == 0) {
            open.pop();
        }
        if open.len() > DEEPEST {
            return Err(format!("its columns are nested more than {DEEPEST} levels deep"));
        }
    }
    Ok(())
}

/// Fails if a page of a column, which has this start and length in the file, unpacks to more than the limit, says that it has
/// more values than fit in it, or is written in another way than those that are read. Takes what the column needs in memory
/// from `left`, and fails if that does not suffice.
pub fn pages((start, length): (u64, u64), file: &[u8], left: &mut u64) -> Result<(), String> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let end = place(start.saturating_add(length));
    let mut pages = file.get(place(start)..end).ok_or("it is incomplete")?;
    let (mut dictionaries, mut largest) = (0_u64, 0);
    while !pages.is_empty() {
        let mut header = Compact::of(pages);
        let page = header.page().ok_or("a page is damaged")?;
        if page.unpacked > LARGEST_PAGE {
            return Err(format!("a page unpacks to more than {} MiB", LARGEST_PAGE / 1024 / 1024));
        }
        // The library reserves memory for all of them at once.
        if page.is_dictionary && page.values.is_none_or(|values| u64::try_from(values).is_ok_and(|n| n > page.unpacked))
        {
            return Err("a dictionary says that it has more values than fit in it".to_owned());
        }
        if page.values.is_some_and(|values| values < 0) {
            return Err("a page is damaged".to_owned());
        }
        match page.is_dictionary {
            true => dictionaries += page.unpacked + VALUE * page.values.map_or(0, i64::cast_unsigned),
            false => largest = page.unpacked.max(largest),
        }
        if dictionaries + largest > *left {
            let most = MOST_OPEN / 1024 / 1024;
            return Err(format!("its dictionaries and pages take more than {most} MiB in memory"));
        }
        if let Some(other) = page.encoding.filter(|encoding| !ENCODINGS.contains(encoding)) {
            return Err(format!("a column is written in the encoding {other}; only plain and dictionary are read"));
        }
        pages = header.rest.get(place(page.packed)..).ok_or("a page is incomplete")?;
    }
    *left -= dictionaries + largest;
    Ok(())
}

/// What the header of a page says.
#[derive(Default)]
struct Page {
    unpacked: u64,
    packed: u64,
    is_dictionary: bool,
    values: Option<i64>,
    encoding: Option<i64>,
}

/// Thrift's compact protocol, as far as is needed to find a field and to skip the others.
struct Compact<'b> {
    rest: &'b [u8],
    /// How many items the lists had so far.
    items: u64,
}

impl<'b> Compact<'b> {
    fn of(rest: &'b [u8]) -> Compact<'b> {
        Compact { rest, items: 0 }
    }

    /// Reads the header of a page.
    fn page(&mut self) -> Option<Page> {
        let (mut page, mut unpacked, mut packed, mut field) = (Page::default(), None, None, 0);
        while let Some((id, kind)) = self.field(field)? {
            field = id;
            match (id, kind) {
                (2, 5) => unpacked = u64::try_from(self.number()?).ok(),
                (3, 5) => packed = u64::try_from(self.number()?).ok(),
                // Of data, of a dictionary, and of data in the second version.
                (5, 12) => (page.values, page.encoding) = self.values(2)?,
                (7, 12) => {
                    page.is_dictionary = true;
                    (page.values, page.encoding) = self.values(2)?;
                }
                (8, 12) => (page.values, page.encoding) = self.values(4)?,
                (2 | 3 | 5 | 7 | 8, _) => return None,
                _ => self.skip(kind, 0)?,
            }
        }
        (page.unpacked, page.packed) = (unpacked?, packed?);
        Some(page)
    }

    /// Reads the inner header of a page: its number of values, and their encoding in the field `encoding`.
    fn values(&mut self, encoding: i64) -> Option<(Option<i64>, Option<i64>)> {
        let (mut values, mut written, mut field) = (None, None, 0);
        while let Some((id, kind)) = self.field(field)? {
            field = id;
            match (id, kind) {
                (1, 5) => values = Some(self.number()?),
                (id, 5) if id == encoding => written = Some(self.number()?),
                (id, _) if id == 1 || id == encoding => return None,
                _ => self.skip(kind, 0)?,
            }
        }
        Some((values, written))
    }

    /// Reads a column: how many parts it has, and the length of its name.
    fn parts(&mut self) -> Option<(i64, u64)> {
        let (mut parts, mut name, mut field) = (0, 0, 0);
        while let Some((id, kind)) = self.field(field)? {
            field = id;
            match (id, kind) {
                (4, 8) => {
                    name = self.unsigned()?;
                    self.bytes(name)?;
                }
                (5, 5) => parts = self.number()?,
                (4 | 5, _) => return None,
                _ => self.skip(kind, 0)?,
            }
        }
        Some((parts, name))
    }

    /// The length of a list of structures.
    fn structures(&mut self) -> Option<u64> {
        let (count, element) = self.list()?;
        (element == 12).then_some(count)
    }

    /// The length of a list, and the type of its items.
    fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.unsigned()?,
            count => u64::from(count),
        };
        self.items = self.items.saturating_add(count);
        // An item has at least one byte.
        (count <= self.rest.len() as u64).then_some((count, byte & 0x0f))
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
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

    /// The ID and the type of the next field; the inner `None` at the end of the structure. Writers number fields upwards,
    /// so each comes once.
    fn field(&mut self, before: i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        let id = match (kind, step) {
            (0, _) => return Some(None),
            (_, 0) => self.number()?,
            (_, step) => before.checked_add(i64::from(step))?,
        };
        (id > before).then_some(Some((id, kind)))
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
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
                let (count, element) = self.list()?;
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
            // There are no maps.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::{
        basic::Encoding,
        data_type::ByteArrayType,
        file::{properties::WriterProperties, writer::SerializedFileWriter},
        schema::parser::parse_message_type,
    };

    use super::*;

    /// A file with a column of these texts.
    fn written(schema: &str, texts: &[&str], properties: WriterProperties) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
        if !texts.is_empty() {
            let mut rows = file.next_row_group().unwrap();
            let mut column = rows.next_column().unwrap().unwrap();
            let values: Vec<_> = texts.iter().map(|text| (*text).into()).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
            rows.close().unwrap();
        }
        file.into_inner().unwrap()
    }

    const TEXTS: &str = "message m { required binary code (UTF8); }";

    /// The pages of the only column of a file.
    fn check(file: &[u8]) -> Result<(), String> {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        footer(file)?;
        let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(file)).unwrap();
        pages(reader.metadata().row_group(0).column(0).byte_range(), file, &mut MOST_OPEN.clone())
    }

    #[test]
    fn what_writers_write_is_read() {
        let plain = WriterProperties::builder().set_dictionary_enabled(false);
        for properties in [WriterProperties::builder(), plain] {
            check(&written(TEXTS, &["a", "b", "a"], properties.build())).unwrap();
        }
        let delta = WriterProperties::builder().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BYTE_ARRAY);
        assert!(check(&written(TEXTS, &["a"], delta.build())).unwrap_err().contains("encoding 7"));
    }

    #[test]
    fn columns_have_a_limit_in_depth_and_number() {
        let nested = |levels: usize| {
            let (start, end) = ("required group a { ".repeat(levels), "} ".repeat(levels));
            written(&format!("message m {{ {start}required int32 b; {end} }}"), &[], WriterProperties::default())
        };
        footer(&nested(40)).unwrap();
        assert!(footer(&nested(60)).unwrap_err().contains("nested"));
        let columns = |count: usize| {
            let all: String = (0..count).map(|at| format!("required int32 c{at}; ")).collect();
            written(&format!("message m {{ {all} }}"), &[], WriterProperties::default())
        };
        footer(&columns(1_000)).unwrap();
        assert!(footer(&columns(11_000)).unwrap_err().contains("more than 10000 columns"));
    }

    #[test]
    fn lists_are_no_longer_than_the_footer() {
        let of =
            |footer: &[u8]| [b"PAR1", footer, &u32::try_from(footer.len()).unwrap().to_le_bytes(), b"PAR1"].concat();
        // The list of columns (field 2) says that it has 2^31 structures; then one of another field, and a set as field 2.
        for list in [[0x29, 0xfc], [0x49, 0xfc], [0x2a, 0xfc]] {
            let file = of(&[&list[..], &[0xff, 0xff, 0xff, 0xff, 0x07, 0, 0]].concat());
            assert!(footer(&file).unwrap_err().contains("damaged"), "{list:?}");
        }
        // A field that comes twice: the library may take the other one.
        assert!(footer(&of(&[0x15, 0, 0x05, 2, 0, 0])).unwrap_err().contains("damaged"));
        // Empty structures of a byte each.
        let many = 400_000_u32;
        let count = [many & 0x7f | 0x80, many >> 7 & 0x7f | 0x80, many >> 14].map(|byte| u8::try_from(byte).unwrap());
        let file = of(&[&[0x49, 0xfc][..], &count, &vec![0; many as usize + 1]].concat());
        assert!(footer(&file).unwrap_err().contains("entries"));
        for cut in 0..8 {
            assert!(footer(&b"PAR1PAR1"[..cut]).is_err());
        }
        assert!(footer(b"\xff\xff\xff\x00PAR1").unwrap_err().contains("larger"));
    }

    #[test]
    fn a_dictionary_has_no_more_values_than_fit_in_it() {
        let file = written(TEXTS, &["text", "text"], WriterProperties::default());
        let reader = parquet::file::metadata::ParquetMetaDataReader::new()
            .parse_and_finish(&bytes::Bytes::copy_from_slice(&file))
            .unwrap();
        let (start, length) = reader.row_group(0).column(0).byte_range();
        let (at, end) = (usize::try_from(start).unwrap(), usize::try_from(start + length).unwrap());
        let mut pages = file[at..end].to_vec();
        // The header of a dictionary page (7), a structure, with 1 value (field 1).
        let found = pages.windows(3).position(|bytes| bytes == [0x4c, 0x15, 2]).unwrap();
        for (values, is_right) in [(2, true), (14, true), (126, false)] {
            pages[found + 2] = values;
            assert_eq!(super::pages((0, pages.len() as u64), &pages, &mut 1_000).is_ok(), is_right, "{values}");
        }
        // A column takes its part of what all columns may have.
        pages[found + 2] = 2;
        let mut left = 60;
        super::pages((0, pages.len() as u64), &pages, &mut left).unwrap();
        assert!(left < 60 - VALUE);
        assert!(super::pages((0, pages.len() as u64), &pages, &mut left).unwrap_err().contains("128 MiB in memory"));
    }
}
