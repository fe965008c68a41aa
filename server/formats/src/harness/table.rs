//! Tables of outputs: CSV (also with semicolons or tabs), and Parquet in [`super::parquet`]. Columns are found by usual
//! names, or chosen by the admin.
//!
//! A text is read as a chat response or the continuation of a prompt, as in a line with `completion`.

use std::{collections::BTreeMap, io::Read};

use model::{
    submission::{Reported, Shape},
    table::TableField,
};

use super::{
    Entry, Sink, Text, detail,
    document::{self},
    fault,
};
use crate::{
    csv_lines::Lines,
    lines::Fault,
    outputs::{Place, within_limit},
    values::Rows,
};

/// Our column names to the file's, where an admin chose them.
pub type Columns = BTreeMap<String, String>;

/// A column of ours: its name, other usual names of it, and whether it is required.
struct Column {
    name: &'static str,
    usual: &'static [&'static str],
    needed: bool,
}

/// The columns that are read.
const COLUMNS: [Column; 6] = [
    Column { name: "task_id", usual: &["problem_id", "question_id", "task", "id"], needed: true },
    Column {
        name: "code",
        usual: &[
            "completion",
            "generation",
            "solution",
            "response",
            "output",
            "answer",
            "prediction",
            "generated_code",
        ],
        needed: true,
    },
    Column { name: "passed", usual: &["correct"], needed: false },
    Column { name: "result", usual: &["status"], needed: false },
    Column { name: "model", usual: &["model_name"], needed: false },
    Column { name: "reasoning", usual: &["reasoning_content"], needed: false },
];

/// The places of our columns among the file's.
pub struct Head {
    /// The file's columns.
    pub names: Vec<String>,
    /// Our columns with the file's.
    pub fields: Vec<TableField>,
    /// The place of each of [`COLUMNS`].
    pub(super) places: [Option<usize>; COLUMNS.len()],
}

impl Head {
    /// Of a file with these columns, of which an admin chose some.
    pub fn of(names: Vec<String>, chosen: &Columns) -> Head {
        let place = |name: &str| names.iter().position(|known| known.trim().eq_ignore_ascii_case(name));
        let places = COLUMNS.map(|column| match chosen.get(column.name) {
            Some(name) => names.iter().position(|known| known == name),
            None => place(column.name).or_else(|| column.usual.iter().find_map(|usual| place(usual))),
        });
        let fields = COLUMNS.iter().zip(places).map(|(column, place)| TableField {
            name: column.name.to_owned(),
            needed: column.needed,
            column: place.and_then(|place| names.get(place)).cloned(),
        });
        Head { fields: fields.collect(), places, names }
    }

    /// Reports the required columns that are missing, and chosen ones that the file or the format does not have.
    pub(super) fn check(&self, chosen: &Columns, sink: &mut Sink<'_>) -> bool {
        let listed = listed(self.names.iter().map(String::as_str));
        let remedy = (
            format!("Choose the column on the preview, or with --column OURS=THEIRS. The file has: {listed}"),
            format!("请在预览页选择列，或使用 --column OURS=THEIRS。文件中的列：{listed}"),
        );
        let mut is_complete = true;
        let mut refuse = |what: (String, String)| {
            sink.refuse(what, remedy.clone());
            is_complete = false;
        };
        for (ours, theirs) in chosen {
            let shown: String = theirs.chars().take(50).collect();
            if COLUMNS.iter().all(|column| column.name != ours) {
                let known = COLUMNS.map(|column| column.name).join(", ");
                refuse((
                    format!("there is no column \"{ours}\" to map; there are {known}"),
                    format!("没有可对应的列“{ours}”；可用的有 {known}"),
                ));
            } else if !self.names.contains(theirs) {
                refuse((format!("the file has no column \"{shown}\""), format!("文件中没有列“{shown}”")));
            }
        }
        for field in self.fields.iter().filter(|field| field.needed && field.column.is_none()) {
            if !chosen.contains_key(&field.name) {
                refuse((format!("no column for \"{}\"", field.name), format!("没有对应“{}”的列", field.name)));
            }
        }
        is_complete
    }

    /// The output of a row; `cell` gives the text in a column of the file. All rows can have the same long text, so only what is
    /// within the limits is copied.
    pub(super) fn entry<'c>(&self, cell: impl Fn(usize) -> Option<&'c str>) -> Result<Entry, Fault> {
        let [task_id, code, passed, result, model, reasoning] = self.places.map(|place| cell(place?));
        let task_id = task_id.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
            fault(
                ("the row has no task ID".into(), "该行没有任务编号".into()),
                ("Add the ID of the task", "请补上任务编号"),
            )
        })?;
        let code = code.ok_or_else(|| {
            fault(
                ("the row has no output".into(), "该行没有输出".into()),
                ("Write an empty string for no output", "没有输出则写空字符串"),
            )
        })?;
        let code = within_limit("output", code)?.to_owned();
        let mut reported = Reported::by(Shape::Table).passed(passed.and_then(verdict));
        reported.detail = result.and_then(detail);
        reported.model = model.and_then(detail);
        let reasoning = reasoning.filter(|text| !text.is_empty());
        let reasoning = reasoning.map(|text| within_limit("reasoning", text).map(str::to_owned)).transpose()?;
        Ok(Entry { reasoning, ..Entry::new(task_id, Text::Response(code), reported)? })
    }
}

/// The names of the first columns of a file, each shortened.
pub fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.take(50).map(|name| name.chars().take(50).collect()).collect::<Vec<String>>().join(", ")
}

/// Whether a word says that an output passed.
fn verdict(word: &str) -> Option<bool> {
    // None of the words is longer.
    let word = Some(word.trim()).filter(|word| word.len() <= 8)?;
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" | "passed" | "pass" | "yes" => Some(true),
        "false" | "0" | "0.0" | "failed" | "fail" | "no" => Some(false),
        _ => None,
    }
}

/// The separator of a table whose first line this is: the most frequent one outside quotation marks.
fn separator(line: &str) -> u8 {
    let outside: String = line.split('"').step_by(2).collect();
    let count = |separator: char| outside.matches(separator).count();
    [',', ';', '\t'].into_iter().rev().max_by_key(|separator| count(*separator)).map_or(b',', |c| c as u8)
}

/// Whether a text is a table of outputs: by its columns, or because the file's name says that it is a table.
pub fn is_table(name: &str, start: &[u8]) -> bool {
    let name = name.to_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let by_name = [".csv", ".tsv"].iter().any(|end| name.ends_with(end));
    let first = start.split(|b| matches!(b, b'\n' | b'\r')).find(|line| !line.iter().all(u8::is_ascii_whitespace));
    let Some(first) = first.and_then(|line| std::str::from_utf8(line).ok()) else { return by_name };
    if first.trim_start().starts_with(['{', '[']) {
        return false;
    }
    by_name || has_outputs(&names(first))
}

/// The columns of a table whose first line this is.
fn names(line: &str) -> Vec<String> {
    let separator = separator(line);
    let rows = Rows::of(line.as_bytes(), separator);
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).has_headers(false).from_reader(rows);
    let first = reader.records().next().and_then(Result::ok);
    first.map(|record| record.iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// Whether columns are those of outputs.
pub fn has_outputs(names: &[String]) -> bool {
    let head = Head::of(names.to_vec(), &Columns::new());
    let has_rater = names.iter().any(|name| name == "rater");
    !has_rater && head.fields.iter().all(|field| !field.needed || field.column.is_some())
}

/// The columns of a CSV file.
pub fn head(text: impl Read, chosen: &Columns) -> Option<Head> {
    let (mut reader, ..) = open(text).ok()?;
    let names = reader.headers().ok()?.iter().map(str::to_owned).collect();
    Some(Head::of(names, chosen))
}

type Reader<R> = csv::Reader<Rows<document::Bounded<std::io::Chain<std::io::Cursor<Vec<u8>>, R>>>>;

/// Maximum size of what is read to find the separator, in bytes.
const LONGEST_HEAD: u64 = 64 * 1024;

fn open<R: Read>(mut text: R) -> std::io::Result<(Reader<R>, Lines, document::Budget)> {
    let mut start = Vec::new();
    text.by_ref().take(LONGEST_HEAD).read_to_end(&mut start)?;
    let plain = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let first = plain.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let separator = separator(&String::from_utf8_lossy(first));
    let (skipped, lines) = (start.len() - plain.len(), Lines::of(plain));
    start.drain(..skipped);
    let (bounded, budget) = document::bounded(std::io::Cursor::new(start).chain(text));
    Ok((csv::ReaderBuilder::new().delimiter(separator).from_reader(Rows::of(bounded, separator)), lines, budget))
}

/// Reads a CSV file. Returns whether it was read to its end.
pub fn read(text: impl Read, sink: &mut Sink<'_>) -> bool {
    let chosen = sink.asked.columns.clone();
    let unreadable = |e: &dyn std::fmt::Display| {
        fault(
            (format!("the table cannot be read: {e}"), format!("无法读取该表格：{e}")),
            (
                "Save it as CSV in UTF-8, with the same number of columns in every row",
                "请存为 UTF-8 编码的 CSV，每行列数相同",
            ),
        )
    };
    let (mut reader, lines, budget) = match open(text) {
        Ok(opened) => opened,
        Err(e) => {
            sink.put("", Err(unreadable(&e)));
            return false;
        }
    };
    let names = match reader.headers() {
        Ok(names) => names.iter().map(str::to_owned).collect(),
        Err(e) => {
            sink.put("", Err(unreadable(&e)));
            return false;
        }
    };
    let head = Head::of(names, &chosen);
    if !head.check(&chosen, sink) {
        return false;
    }
    let mut record = csv::StringRecord::new();
    loop {
        budget.refill();
        match reader.read_record(&mut record) {
            Ok(false) => return true,
            Ok(true) => {
                let line = lines.at(record.position());
                let entry = head.entry(|at| record.get(at));
                sink.put_at(Place::Line(line), entry);
            }
            Err(e) => {
                let line = lines.at(e.position());
                let is_row = matches!(e.kind(), csv::ErrorKind::Utf8 { .. } | csv::ErrorKind::UnequalLengths { .. });
                sink.put_at(Place::Line(line), Err(unreadable(&e)));
                // After such a row, the next one can be read.
                if !is_row {
                    return false;
                }
            }
        }
    }
}
