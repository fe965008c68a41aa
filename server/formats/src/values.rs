//! Limits on how many values a JSON text or a row of a table has. In memory a value takes up to a hundred times the bytes of
//! its text, and the text itself can be a small compressed file.

use std::io::{self, Read};

/// Most values of an object, a line or an item: an agent's transcript has some tens of thousands.
pub const MOST: u64 = 500_000;

/// Most cells of a row of a table.
const MOST_CELLS: u64 = 10_000;

/// Counts the values of a text that comes in parts.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    count: u64,
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
                b',' | b'[' | b'{' if !self.in_quotes => self.count += 1,
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
        self.count = 0;
    }
}

/// Whether a JSON text has too many values to be read as one.
pub fn are_too_many(text: &[u8]) -> bool {
    let mut counter = Counter::default();
    counter.add(text);
    counter.is_above_limit()
}

/// A table as CSV, with any separator, that fails where a row has too many cells.
pub struct Rows<R> {
    /// The table.
    pub inner: R,
    cells: u64,
    in_quotes: bool,
}

impl<R> Rows<R> {
    /// Of a table that begins here.
    pub fn of(inner: R) -> Rows<R> {
        Rows { inner, cells: 0, in_quotes: false }
    }
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        for byte in buffer.iter().take(read) {
            match byte {
                b'"' => self.in_quotes = !self.in_quotes,
                b'\n' | b'\r' if !self.in_quotes => self.cells = 0,
                b',' | b';' | b'\t' if !self.in_quotes => self.cells += 1,
                _ => {}
            }
            if self.cells >= MOST_CELLS {
                return Err(io::Error::other(format!("a row has more than {MOST_CELLS} cells")));
            }
        }
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
        for (start, repeated, count) in [("[0", ",0", most), ("", "[", most + 1), ("[\"\\\\\"", ",0", most)] {
            assert!(are_too_many(format!("{start}{}", repeated.repeat(count)).as_bytes()), "{start}");
        }
    }

    #[test]
    fn a_row_has_a_limit_and_a_table_has_none() {
        let read = |text: &str| io::copy(&mut Rows::of(text.as_bytes()), &mut io::sink()).map_err(|e| e.to_string());
        let most = usize::try_from(MOST_CELLS).unwrap();
        for separator in [",", ";", "\t"] {
            let row = separator.repeat(most - 1);
            let text = format!("{row}\n{row}\r\n\"{row}{row}\"{row}");
            assert_eq!(read(&text), Ok(text.len() as u64));
            assert_eq!(read(&format!("{row}\n{row}{separator}")), Err("a row has more than 10000 cells".to_owned()));
        }
    }
}
