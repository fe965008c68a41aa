//! Line numbers of rows in CSV files.

/// How the lines of a CSV file end, as its first one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    crlf: bool,
}

impl Lines {
    /// Of a file that begins with these bytes.
    pub fn of(start: &[u8]) -> Lines {
        let end = start.iter().position(|byte| *byte == b'\n').and_then(|at| at.checked_sub(1));
        Lines { crlf: end.is_some_and(|before| start.get(before) == Some(&b'\r')) }
    }

    /// The line in which a row after the header begins, from 1; 0 if the position is unknown.
    pub fn at(self, position: Option<&csv::Position>) -> u64 {
        // The csv crate ends a row with \r, and counts the \n after it in the next row.
        position.map_or(0, |position| position.line() + u64::from(self.crlf))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_line_in_which_it_begins() {
        let rows = ["a,b", "1,2", "\"3", "4\",5", "6,7", "8", "9,10"];
        for end in ["\n", "\r\n"] {
            let text = rows.map(|row| format!("{row}{end}")).concat();
            let lines = Lines::of(text.as_bytes());
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            reader.headers().unwrap();
            let found = reader.records().map(|row| match row {
                Ok(row) => lines.at(row.position()),
                Err(e) => lines.at(e.position()),
            });
            assert_eq!(found.collect::<Vec<_>>(), [2, 3, 5, 6, 7], "{end:?}");
        }
        assert_eq!(Lines::of(b"a,b").at(None), 0);
    }
}
