//! Limits on how many values a JSON text or a row of a table has. In memory a value takes up to a hundred times the bytes of
//! its text, and the text itself can be a small compressed file.

use std::io::{self, Read};

use csv_core::ReadFieldResult;

/// Most values of an object, a line or an item: an agent's transcript has some tens of thousands.
pub const MOST: u64 = 500_000;

/// Most objects of a text whose values are all in memory: each takes more than 600 bytes, even if it has one field. The
/// probabilities of the longest answer that fits in a line are some 30,000.
pub const MOST_OBJECTS: u64 = 50_000;

/// Most cells of a row of a table.
pub const MOST_CELLS: u64 = 10_000;

/// Maximum length of the first row of a table, in bytes: its names are in memory several times.
const LONGEST_HEAD: usize = 1024 * 1024;

/// Counts the values of a text that comes in parts.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    count: u64,
    objects: u64,
    in_quotes: bool,
    is_escaped: bool,
}

impl Counter {
    /// The next part of a JSON text. A value begins behind a bracket or a comma outside quotation marks.
    pub fn add(&mut self, part: &[u8]) {
        for byte in part {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_quotes => self.is_escaped = true,
                b'"' => self.in_quotes = !self.in_quotes,
                b',' | b'[' | b'{' if !self.in_quotes => {
                    self.count += 1;
                    self.objects += u64::from(*byte == b'{');
                }
                _ => {}
            }
        }
    }

    /// Whether there are too many since the last [`Counter::reset`].
    pub fn is_above_limit(&self) -> bool {
        self.count > MOST
    }

    /// Begins to count anew, at the same place of the text.
    pub fn reset(&mut self) {
        (self.count, self.objects) = (0, 0);
    }
}

/// Whether a JSON text has too many values or objects to be read as one.
pub fn are_too_many(text: &[u8]) -> bool {
    let mut counter = Counter::default();
    counter.add(text);
    counter.is_above_limit() || counter.objects > MOST_OBJECTS
}

/// What [`are_too_many`] refuses, in English and Chinese, behind "more than".
pub fn most() -> (String, String) {
    (format!("{MOST} values or {MOST_OBJECTS} objects"), format!(" {MOST} 个值或 {MOST_OBJECTS} 个对象"))
}

/// A table as CSV that fails where a row has too many cells, before its reader has them. They are counted by the same library
/// as reads them, so both agree on where a cell ends.
pub struct Rows<R> {
    /// The table.
    pub inner: R,
    counting: csv_core::Reader,
    /// Cells of the current row that have ended.
    cells: u64,
    /// Bytes of the first row so far; nothing after it.
    head: Option<usize>,
}

impl<R> Rows<R> {
    /// Of a table that begins here, with this separator.
    pub fn of(inner: R, separator: u8) -> Rows<R> {
        let counting = csv_core::ReaderBuilder::new().delimiter(separator).build();
        Rows { inner, counting, cells: 0, head: Some(0) }
    }

    fn count(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        // What is in a cell does not matter.
        let mut cell = [0; 1024];
        while !bytes.is_empty() {
            let (found, read, _) = self.counting.read_field(bytes, &mut cell);
            bytes = bytes.get(read..).unwrap_or_default();
            if let Some(head) = &mut self.head {
                *head += read;
                if *head > LONGEST_HEAD {
                    return Err(io::Error::other(format!("the first row is longer than {} MiB", LONGEST_HEAD >> 20)));
                }
            }
            match found {
                ReadFieldResult::Field { record_end: true } => (self.cells, self.head) = (0, None),
                ReadFieldResult::Field { record_end: false } => self.cells += 1,
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull | ReadFieldResult::End => {}
            }
            if self.cells >= MOST_CELLS {
                return Err(io::Error::other(format!("a row has more than {MOST_CELLS} cells")));
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count(buffer.get(..read).unwrap_or_default())?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_texts_are_not() {
        let most = usize::try_from(MOST).unwrap();
        for (start, repeated, count, end) in [
            ("[0", ",0", most - 1, "]"),
            ("{\"a\": \"", ",[{", most, "\"}"),
            ("[\"\\\"", ",", most, "\"]"),
            ("[\"\\\\\"", ",0", most - 1, "]"),
        ] {
            let text = |count: usize| format!("{start}{}{end}", repeated.repeat(count));
            assert!(!are_too_many(text(count).as_bytes()), "{start}");
        }
        let objects = usize::try_from(MOST_OBJECTS).unwrap();
        assert!(!are_too_many("{}".repeat(objects).as_bytes()));
        for (start, repeated, count) in
            [("[0", ",0", most), ("", "[", most + 1), ("[\"\\\\\"", ",0", most), ("", "{}", objects + 1)]
        {
            assert!(are_too_many(format!("{start}{}", repeated.repeat(count)).as_bytes()), "{start}");
        }
    }

    #[test]
    fn a_row_has_a_limit_and_a_table_has_none() {
        let most = usize::try_from(MOST_CELLS).unwrap();
        for separator in [",", ";", "\t"] {
            let read = |text: &str| {
                let mut rows = Rows::of(text.as_bytes(), separator.as_bytes()[0]);
                io::copy(&mut rows, &mut io::sink()).map_err(|e| e.to_string())
            };
            let row = separator.repeat(most - 1);
            let text = format!("{row}\n{row}\r\n\"{row}{row}\"{row}");
            assert_eq!(read(&text), Ok(text.len() as u64));
            // A quotation mark within a cell is a letter, and two in a quoted cell are one.
            for start in ["", "x\"", "\"x\"\"\""] {
                let too_long = read(&format!("{row}\n{start}{row}\n\"\n\"{row}{separator}\n"));
                assert_eq!(too_long, Err("a row has more than 10000 cells".to_owned()), "{start}");
            }
            assert_eq!(read(&"x".repeat(LONGEST_HEAD + 1)), Err("the first row is longer than 1 MiB".to_owned()));
            assert!(read(&format!("x\n{}", "x".repeat(LONGEST_HEAD + 1))).is_ok());
        }
    }
}
