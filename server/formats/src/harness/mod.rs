//! Files that other evaluation tools write: each is recognized by its content, and read as the same stream of outputs as
//! our own JSON Lines.
//!
//! A tool's lines are read by [`line`], which [`super::outputs`] calls for every line; a document, an archive or a table
//! by the reader that [`recognize`] finds. Readers hold one task or sample at a time, whatever the size of the file.

mod batches;
mod bigcode;
pub(crate) mod document;
mod evalplus;
mod human_eval;
mod inspect;
mod lm_eval;
mod multipl_e;
pub mod parquet;
pub mod table;

pub use batches::line_tokens;

use std::io::Read;

use model::{problem::Problem, submission::Reported};
use serde_json::Value;

use super::{
    files::Files,
    lines::{Fault, Object, short_id},
    outputs::{self, Asked, OutputLine, Place},
};

/// An output as a tool's file has it, before its text is read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The task's ID in the file.
    pub task_id: String,
    pub text: Text,
    /// The model's reasoning, if the file has it apart.
    pub reasoning: Option<String>,
    /// Why generation stopped.
    pub end_by: Option<String>,
    /// Whether it belongs to a task in another programming language than the dataset's.
    pub elsewhere: bool,
    pub reported: Reported,
}

/// What the text of an output is.
#[derive(Clone, Debug)]
pub enum Text {
    /// What the model answered: a continuation of the prompt, or a chat response.
    Response(String),
    /// A whole program, as the tool ran it.
    Program(String),
}

impl Entry {
    /// Every entry of an item has a copy of the item's ID, so a long one is refused here.
    fn new(task_id: &str, text: Text, reported: Reported) -> Result<Entry, Fault> {
        let task_id = short_id(task_id)?.to_owned();
        Ok(Entry { task_id, text, reasoning: None, end_by: None, elsewhere: false, reported })
    }
}

/// The outputs of an item, made one after the other: together they can be much larger than the item.
pub type Entries<'i> = Box<dyn Iterator<Item = Result<Entry, Fault>> + 'i>;

/// Maximum length of an output's place in bytes: that of a path in an archive.
const LONGEST_PLACE: usize = 1024;

/// Receives the outputs and problems of a file that has no lines.
pub struct Sink<'s> {
    /// The file's name.
    name: &'s str,
    asked: &'s Asked,
    each: &'s mut dyn FnMut(Result<OutputLine, Problem>),
    /// Outputs and problems so far.
    count: u64,
}

impl Sink<'_> {
    /// An output or a problem at a place in the file, such as `samples[3]` or a path in an archive.
    fn put(&mut self, place: &str, entry: Result<Entry, Fault>) {
        let end = place.floor_char_boundary(LONGEST_PLACE);
        self.put_at(
            Place::Part(match place.split_at(end) {
                ("", _) => self.name.to_owned(),
                (place, "") => format!("{} {place}", self.name),
                (start, _) => format!("{} {start}…", self.name),
            }),
            entry,
        );
    }

    fn put_at(&mut self, place: Place, entry: Result<Entry, Fault>) {
        self.count += 1;
        let output = entry.and_then(|entry| outputs::of_entry(place.clone(), entry, self.asked));
        (self.each)(output.map_err(|Fault(what, remedy)| match place {
            Place::Line(line) => Problem::new(self.name, what, remedy).at(line),
            Place::Part(place) => Problem::new(place, what, remedy),
        }));
    }

    /// A problem with the whole file.
    fn refuse(&mut self, what: impl Into<model::message::Message>, remedy: impl Into<model::message::Message>) {
        self.put("", Err(Fault(what.into(), remedy.into())));
    }

    /// A problem unless there was any output.
    fn finish(&mut self) {
        if self.count == 0 {
            self.refuse(
                ("the file contains no output", "文件中没有模型输出"),
                ("Choose a file with outputs", "请选择含模型输出的文件"),
            );
        }
    }
}

/// A tool's reader of lines: the outputs of a line, or nothing if the line is not one of the tool's.
type LineReader = for<'l> fn(&'l dyn Fields, &'l Asked) -> Option<Result<Entries<'l>, Fault>>;

/// The tools that write JSON Lines. The first one that recognizes a line reads it.
const LINES: [LineReader; 6] =
    [lm_eval::line, evalplus::line, multipl_e::line, batches::openai_line, batches::anthropic_line, human_eval::line];

/// The outputs of a line that another tool wrote; nothing for a line of our own formats.
pub fn line<'l>(object: &'l dyn Fields, asked: &'l Asked) -> Option<Result<Entries<'l>, Fault>> {
    LINES.iter().find_map(|read| read(object, asked))
}

/// Whether a line has the same answers as an earlier one: lm-evaluation-harness writes them once for each filter of a
/// task. `filter` is that of the first line.
pub fn is_repeat(object: &dyn Fields, filter: &mut Option<Value>) -> bool {
    match (object.field("doc_id"), object.field("filter")) {
        (Some(_), Some(own)) => filter.get_or_insert_with(|| own.clone()) != own,
        _ => false,
    }
}

/// The fields of an object.
pub trait Fields {
    /// The field's value.
    fn field(&self, name: &str) -> Option<&Value>;
}

impl Fields for Object {
    fn field(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

impl Fields for Value {
    fn field(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

/// The first bytes of a text that are looked at to recognize a document.
pub const START: u64 = 1024 * 1024;

/// A file of another tool that has no lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    Generations,
    /// The tests that bigcode-evaluation-harness saves beside the programs.
    References,
    EvalPlusResults,
    InspectLog,
    MultiplE,
    /// A table, whose rows may have several lines each.
    Csv,
}

/// The document that begins with this text, of at most [`START`] bytes.
pub fn recognize(name: &str, start: &[u8]) -> Option<Document> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let beginning: Vec<u8> = start.iter().copied().filter(|b| !b.is_ascii_whitespace()).take(2).collect();
    match beginning.as_slice() {
        // The list of a task that is not done yet is null.
        b"[[" | b"[n" => return Some(Document::Generations),
        b"[\"" => return Some(Document::References),
        [b'{', ..] => {}
        _ => return table::is_table(name, start).then_some(Document::Csv),
    }
    let names = document::names(start);
    let has = |name: &str| names.iter().any(|found| found == name);
    if has("eval") && has("version") && has("status") {
        return Some(Document::InspectLog);
    }
    if has("eval") && has("hash") {
        return Some(Document::EvalPlusResults);
    }
    (multipl_e::NAMES.iter().all(|name| has(name)) && (has("completions") || has("results")))
        .then_some(Document::MultiplE)
}

/// Reads a document. Returns whether it was read to its end.
pub fn read_document(
    document: Document,
    name: &str,
    text: impl Read,
    asked: &Asked,
    each: &mut dyn FnMut(Result<OutputLine, Problem>),
) -> bool {
    let mut sink = Sink { name, asked, each, count: 0 };
    let complete = match document {
        Document::Generations => bigcode::read(text, None, &mut sink),
        Document::References => {
            sink.refuse(
                (
                    "the file is a list of texts without task IDs, such as the references of bigcode-evaluation-harness",
                    "文件是没有任务编号的文本列表，例如 bigcode-evaluation-harness 的 references",
                ),
                ("Upload the file with the generations", "请上传含 generations 的文件"),
            );
            false
        }
        Document::EvalPlusResults => evalplus::read_results(text, &mut sink),
        Document::InspectLog => inspect::read_json(text, &mut sink),
        Document::MultiplE => multipl_e::read("", text, &mut sink),
        Document::Csv => table::read(text, &mut sink),
    };
    if complete {
        sink.finish();
    }
    complete
}

/// An archive of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// Inspect's `.eval`, which is a zip archive.
    Inspect,
    /// Folders `HumanEval_N` with a program for each sample.
    EvalPlus,
    /// A file for each task.
    MultiplE,
    /// Generations of bigcode-evaluation-harness, with their references.
    Bigcode,
}

/// The archive that contains files of these names.
pub fn recognize_archive(names: impl Iterator<Item = impl AsRef<str>>) -> Option<Packed> {
    let (mut found, mut has_header, mut has_samples) = (None, false, false);
    for name in names {
        let name = name.as_ref();
        if super::files::is_hidden(name) {
            continue;
        }
        has_header |= name == "header.json" || name == "_journal/start.json";
        has_samples |= name.starts_with("samples/") || name.starts_with("_journal/");
        let kind = match () {
            () if evalplus::of_path(name).is_some() => Packed::EvalPlus,
            () if multipl_e::of_path(name).is_some() => Packed::MultiplE,
            () if bigcode::is_generations(name) => Packed::Bigcode,
            () => continue,
        };
        found.get_or_insert(kind);
    }
    if has_header && has_samples { Some(Packed::Inspect) } else { found }
}

/// Whether a reader of archives needs a file.
pub fn is_relevant(path: &str) -> bool {
    !super::files::is_hidden(path)
        && (path.ends_with(".java")
            || evalplus::of_path(path).is_some()
            || multipl_e::of_path(path).is_some()
            || bigcode::is_generations(path)
            || bigcode::is_references(path))
}

/// Reads an Inspect log from a zip archive. Returns whether it was read to its end.
pub fn read_inspect(
    name: &str,
    archive: impl Read + std::io::Seek,
    asked: &Asked,
    each: &mut dyn FnMut(Result<OutputLine, Problem>),
) -> bool {
    let mut sink = Sink { name, asked, each, count: 0 };
    let complete = inspect::read_archive(archive, &mut sink);
    if complete {
        sink.finish();
    }
    complete
}

/// Reads the files of an archive or a folder. Returns whether all was read.
pub fn read_files(
    packed: Packed,
    files: &Files,
    asked: &Asked,
    each: &mut dyn FnMut(Result<OutputLine, Problem>),
) -> bool {
    let mut sink = Sink { name: &files.name, asked, each, count: 0 };
    let complete = match packed {
        Packed::EvalPlus => evalplus::read_folder(files, &mut sink),
        Packed::MultiplE => multipl_e::read_folder(files, &mut sink),
        Packed::Bigcode => bigcode::read_folder(files, &mut sink),
        Packed::Inspect => true,
    };
    if complete {
        sink.finish();
    }
    complete
}

/// A text, an integer or null as a task's ID.
fn id(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(n) if n.is_i64() || n.is_u64() => Some(n.to_string()),
        _ => None,
    }
}

/// Reads a Parquet file. Returns whether it was read to its end.
pub fn read_parquet(
    name: &str,
    file: impl Read,
    asked: &Asked,
    each: &mut dyn FnMut(Result<OutputLine, Problem>),
) -> bool {
    let mut sink = Sink { name, asked, each, count: 0 };
    let mut bytes = Vec::new();
    let read = file.take(parquet::LARGEST + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 > parquet::LARGEST {
        let most = parquet::LARGEST / 1024 / 1024;
        let what = (
            format!("the Parquet file cannot be read: it may have {most} MiB at most"),
            format!("无法读取该 Parquet 文件：最大 {most} MiB"),
        );
        sink.refuse(what, ("Split it into smaller files", "请拆分成较小的文件"));
        return false;
    }
    let complete = parquet::read(bytes, &mut sink);
    if complete {
        sink.finish();
    }
    complete
}

/// The columns of a table; nothing for a file that is none.
pub fn head(name: &str, mut file: impl Read, chosen: &table::Columns) -> Option<table::Head> {
    let mut magic = Vec::new();
    file.by_ref().take(parquet::MAGIC.len() as u64).read_to_end(&mut magic).ok()?;
    let is_parquet = magic == parquet::MAGIC;
    let whole = std::io::Cursor::new(magic).chain(file);
    if is_parquet {
        let mut bytes = Vec::new();
        whole.take(parquet::LARGEST).read_to_end(&mut bytes).ok()?;
        return parquet::head(bytes, chosen);
    }
    let (mut plain, _) = super::lines::unpacked(whole);
    let mut start = Vec::new();
    plain.by_ref().take(START).read_to_end(&mut start).ok()?;
    let is_csv = recognize(name, &start) == Some(Document::Csv);
    is_csv.then(|| table::head(std::io::Cursor::new(start).chain(plain), chosen))?
}

/// At most this many characters of a tool's words are kept.
const LONGEST_DETAIL: usize = 200;

/// A tool's words about an output, shortened.
pub(super) fn detail(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST_DETAIL).collect();
    (!text.is_empty()).then_some(text)
}

/// The number of a sample, from 1.
fn nth(at: usize) -> Option<u32> {
    u32::try_from(at).ok()?.checked_add(1)
}

fn fault(what: (String, String), remedy: (&str, &str)) -> Fault {
    Fault(what.into(), remedy.into())
}

#[cfg(test)]
#[path = "test.rs"]
mod tests;
