//! JSON Lines, plain, gzip or zstd, read line by line with bounded memory.
//!
//! Used by the readers of outputs and datasets. Every problem of a line becomes a [`Problem`] that names it,
//! and reading continues, so that an admin gets all of a file's problems at once.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
};

use flate2::bufread::MultiGzDecoder;
use model::{message::Message, problem::Problem};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};

use super::values;

/// Maximum length of a line in bytes: above that of the longest accepted method with its description, even
/// if written entirely as `\uXXXX`.
pub const LONGEST_LINE: usize = 2 * 1024 * 1024;

/// Maximum unpacked size of a file in bytes: a gzip file can expand to a thousand times its size.
const LONGEST_FILE: u64 = 2 * 1024 * 1024 * 1024;

/// Maximum length of a task's ID in a file, in bytes: every output of its task has a copy.
pub const LONGEST_ID: usize = 1024;

/// Maximum size of a file that is one JSON array, in bytes: it is held in memory.
const LONGEST_ARRAY: u64 = 64 * 1024 * 1024;

/// One line's JSON object, its fields in order.
#[derive(Debug)]
pub struct Object(Vec<(String, Value)>);

impl Object {
    /// The field's value.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// A text field, if it is present.
    ///
    /// # Errors
    ///
    /// Fails if the field has another type.
    pub fn text(&self, field: &str) -> Result<Option<&str>, Fault> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Fault(
                (
                    format!("\"{field}\" is {}, not a string", kind(other).0),
                    format!("“{field}”不是字符串，而是{}", kind(other).1),
                )
                    .into(),
                (
                    format!("Write \"{field}\" as a string in double quotes"),
                    format!("请将“{field}”写成双引号中的字符串"),
                )
                    .into(),
            )),
        }
    }

    /// A task's id: a text without surrounding space, or an integer's digits.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or has another type.
    pub fn task_id(&self) -> Result<String, Fault> {
        let remedy = ("Write \"task_id\" as a whole number or a string", "请将“task_id”写成整数或字符串");
        match self.get("task_id") {
            None => Err(Fault(
                ("the field \"task_id\" is missing", "缺少“task_id”字段").into(),
                ("Add the ID of the task", "请补上任务编号").into(),
            )),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(short_id(text.trim())?.to_owned()),
            Some(Value::String(_)) => Err(Fault(("\"task_id\" is empty", "“task_id”为空").into(), remedy.into())),
            Some(Value::Number(n)) if n.is_i64() || n.is_u64() => Ok(n.to_string()),
            Some(other) => Err(Fault(
                (format!("\"task_id\" is {}", kind(other).0), format!("“task_id”的值是{}", kind(other).1)).into(),
                remedy.into(),
            )),
        }
    }
}

/// The problem of a line and its fix; the reader adds the place.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault(pub Message, pub Message);

/// A task's ID, unless it is too long.
///
/// # Errors
///
/// Fails if it is longer than [`LONGEST_ID`].
pub fn short_id(id: &str) -> Result<&str, Fault> {
    if id.len() <= LONGEST_ID {
        return Ok(id);
    }
    let start: String = id.chars().take(40).collect();
    let what = (
        format!("the task ID \"{start}…\" is longer than {LONGEST_ID} bytes"),
        format!("任务编号“{start}…”超过 {LONGEST_ID} 个字节"),
    );
    Err(Fault(what.into(), ("Write the ID that the task has in the dataset", "请写任务在数据集中的编号").into()))
}

/// The type of a JSON value, in English and Chinese.
fn kind(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", " null"),
        Value::Bool(_) => ("a boolean", "布尔值"),
        Value::Number(n) if n.is_f64() => ("a fraction", "小数"),
        Value::Number(_) => ("a number", "数字"),
        Value::String(_) => ("a string", "字符串"),
        Value::Array(_) => ("an array", "数组"),
        Value::Object(_) => ("an object", "对象"),
    }
}

/// Reads every line of `reader`, calling `each` with its number (from 1) and its object, or with its
/// problem. Blank lines are skipped. `each` can report its own problems through [`problem`]. Stops if the
/// file cannot be read further. Returns whether it was read to its end.
pub fn read(file: &str, reader: impl Read, mut each: impl FnMut(u64, Result<Object, Problem>)) -> bool {
    let (mut plain, packing) = unpacked(reader);
    read_plain(file, &mut *plain, packing, &mut each)
}

/// As [`read`], but a file may also be one JSON array if `arrays` is set; the number of an object is then its position.
pub fn read_any(
    file: &str,
    reader: impl Read,
    arrays: bool,
    mut each: impl FnMut(u64, Result<Object, Problem>),
) -> bool {
    let (plain, packing) = unpacked(reader);
    read_unpacked(file, plain, packing, arrays, &mut each)
}

/// As [`read_any`], of a file that is unpacked already.
pub(super) fn read_unpacked<'r>(
    file: &str,
    mut plain: Box<dyn BufRead + 'r>,
    packing: Packing,
    arrays: bool,
    each: &mut dyn FnMut(u64, Result<Object, Problem>),
) -> bool {
    let is_array = |start: &[u8]| {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        start.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[')
    };
    if !arrays || !plain.fill_buf().is_ok_and(is_array) {
        return read_plain(file, &mut *plain, packing, each);
    }
    let mut text = String::new();
    if let Err(e) = plain.take(LONGEST_ARRAY + 1).read_to_string(&mut text) {
        each(1, Err(problem(file, 1, unreadable(&e, packing))));
        return false;
    }
    if text.len() as u64 > LONGEST_ARRAY {
        let fault = Fault(
            (
                format!("the JSON array is longer than {} MiB", LONGEST_ARRAY / 1024 / 1024),
                format!("JSON 数组超过 {} MiB", LONGEST_ARRAY / 1024 / 1024),
            )
                .into(),
            ("Write one object per line: jq -c '.[]' FILE", "请每行写一个对象：jq -c '.[]' FILE").into(),
        );
        each(1, Err(problem(file, 1, fault)));
        return false;
    }
    let text = text.trim_start_matches('\u{feff}');
    // Checked whole before its first item is read. A list of the items would take many times the memory.
    let checked = serde_json::from_str::<IgnoredAny>(text).and_then(|_| {
        let mut at = 0;
        let each = |item: &RawValue| {
            at += 1;
            each(at, parse(item.get().as_bytes()).map_err(|fault| problem(file, at, fault)));
        };
        Items(each).deserialize(&mut serde_json::Deserializer::from_str(text))
    });
    match checked {
        Ok(()) => true,
        Err(e) => {
            let fault = Fault(
                (format!("the file is not a valid JSON array: {e}"), format!("文件不是有效的 JSON 数组：{e}")).into(),
                ("Correct the file, or write one object per line", "请修正文件，或每行写一个对象").into(),
            );
            each(1, Err(problem(file, u64::try_from(e.line()).unwrap_or(1).max(1), fault)));
            false
        }
    }
}

/// Calls a function with each item of an array.
struct Items<F>(F);

impl<'de, F: FnMut(&'de RawValue)> DeserializeSeed<'de> for Items<F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Items<F> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.0)(item);
        }
        Ok(())
    }
}

/// Writes the lines with these numbers, in ascending order, byte for byte with their line breaks; of a compressed file,
/// what it unpacks to. Ends where the file cannot be read further. Returns false, and stops, at more than `most` bytes.
///
/// # Errors
///
/// Fails if `out` cannot be written.
pub fn copy(reader: impl Read, numbers: &[u64], most: u64, out: &mut dyn Write) -> io::Result<bool> {
    let (mut plain, _) = unpacked(reader);
    let mut wanted = numbers.iter().copied().peekable();
    let (mut number, mut written) = (1, 0);
    while let Some(next) = wanted.peek().copied() {
        let chunk = match plain.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
            Ok([]) => break,
            Ok(chunk) => chunk,
        };
        let end = chunk.iter().position(|b| *b == b'\n').map(|at| at + 1);
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        if number == next {
            written += part.len() as u64;
            if written > most {
                return Ok(false);
            }
            out.write_all(part)?;
        }
        let read = part.len();
        plain.consume(read);
        if end.is_some() {
            wanted.next_if(|next| *next == number);
            number += 1;
        }
    }
    Ok(true)
}

/// How the text of a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// The largest window of a zstd file, as a power of 2: that of `zstd --long`, held in memory.
const LARGEST_WINDOW: u32 = 27;

/// The text of a file, and how it is compressed.
pub(super) fn unpacked<'r>(reader: impl Read + 'r) -> (Box<dyn BufRead + 'r>, Packing) {
    let mut packed = BufReader::with_capacity(64 * 1024, reader);
    let start = packed.fill_buf().unwrap_or_default();
    let packing = match start {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
        _ => return (Box::new(packed), Packing::Plain),
    };
    let plain: Box<dyn Read + 'r> = match packing {
        Packing::Zstd => match zstd(packed) {
            Ok(plain) => Box::new(plain),
            Err(e) => Box::new(Unreadable(Some(e))),
        },
        _ => Box::new(MultiGzDecoder::new(packed)),
    };
    (Box::new(BufReader::with_capacity(64 * 1024, plain.take(LONGEST_FILE + 1))), packing)
}

fn zstd<'r, R: BufRead + 'r>(packed: R) -> io::Result<zstd::stream::read::Decoder<'r, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(LARGEST_WINDOW)?;
    Ok(decoder)
}

/// A file that cannot be unpacked.
pub(super) struct Unreadable(pub(super) Option<io::Error>);

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Adds the line to a problem.
pub fn problem(file: &str, line: u64, Fault(what, remedy): Fault) -> Problem {
    Problem::new(file, what, remedy).at(line)
}

fn read_plain(
    file: &str,
    reader: &mut dyn BufRead,
    packing: Packing,
    each: &mut dyn FnMut(u64, Result<Object, Problem>),
) -> bool {
    let mut bytes = Vec::new();
    let mut total = 0;
    let mut number = 0;
    let mut anything = false;
    loop {
        number += 1;
        let length = match next_line(reader, &mut bytes) {
            Ok(0) => break,
            Ok(length) => length,
            Err(e) => {
                each(number, Err(problem(file, number, unreadable(&e, packing))));
                return false;
            }
        };
        total += length;
        if total > LONGEST_FILE {
            let fault = Fault(
                ("the file unpacks to more than 2 GiB", "文件解压后超过 2 GiB").into(),
                ("Split it into smaller files", "请拆分成较小的文件").into(),
            );
            each(number, Err(problem(file, number, fault)));
            return false;
        }
        if length > LONGEST_LINE as u64 {
            anything = true;
            let fault = Fault(
                (
                    format!("the line is longer than {} MiB", LONGEST_LINE / 1024 / 1024),
                    format!("该行超过 {} MiB", LONGEST_LINE / 1024 / 1024),
                )
                    .into(),
                ("Write one JSON object per line, with one output each", "每行写一个 JSON 对象，各含一个输出").into(),
            );
            each(number, Err(problem(file, number, fault)));
            continue;
        }
        let mut line = bytes.as_slice();
        if number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
                let fault = Fault(
                    ("the file is in UTF-16", "文件编码为 UTF-16").into(),
                    ("Save it as UTF-8", "请保存为 UTF-8 编码").into(),
                );
                each(number, Err(problem(file, number, fault)));
                return false;
            }
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        anything = true;
        each(number, parse(line).map_err(|fault| problem(file, number, fault)));
    }
    if !anything {
        let what = if total == 0 {
            ("the file is empty", "文件为空")
        } else {
            ("the file contains only blank lines", "文件只有空行")
        };
        each(
            1,
            Err(Problem::new(
                file,
                what,
                ("Choose a file with one JSON object per line", "请选择每行一个 JSON 对象的文件"),
            )),
        );
    }
    true
}

/// The next line with its line break, of which at most [`LONGEST_LINE`] bytes are kept; its true length, 0
/// at the end.
fn next_line(reader: &mut dyn BufRead, kept: &mut Vec<u8>) -> io::Result<u64> {
    kept.clear();
    let mut length = 0_u64;
    loop {
        let chunk = match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if chunk.is_empty() {
            return Ok(length);
        }
        let end = chunk.iter().position(|b| *b == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(chunk.len());
        let room = LONGEST_LINE.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..taken.min(room)]);
        reader.consume(taken);
        length += taken as u64;
        if end.is_some() {
            return Ok(length);
        }
    }
}

fn unreadable(e: &io::Error, packing: Packing) -> Fault {
    let name = if packing == Packing::Zstd { "zstd" } else { "gzip" };
    match (packing, e.kind()) {
        (Packing::Gzip | Packing::Zstd, io::ErrorKind::UnexpectedEof) => Fault(
            (format!("the {name} file is incomplete"), format!("{name} 文件不完整")).into(),
            ("Compress the file again, or upload it uncompressed", "请重新压缩，或上传未压缩的文件").into(),
        ),
        (Packing::Gzip | Packing::Zstd, _) => Fault(
            (format!("the {name} file is damaged ({e})"), format!("{name} 文件已损坏（{e}）")).into(),
            ("Compress the file again, or upload it uncompressed", "请重新压缩，或上传未压缩的文件").into(),
        ),
        (Packing::Plain, _) => Fault(
            (format!("reading the file failed ({e})"), format!("读取文件失败（{e}）")).into(),
            ("Upload it again", "请重新上传").into(),
        ),
    }
}

fn parse(line: &[u8]) -> Result<Object, Fault> {
    let text = std::str::from_utf8(line).map_err(|e| {
        let at = e.valid_up_to();
        Fault(
            (
                format!(
                    "byte {} of the line (0x{:02X}) is not UTF-8",
                    at + 1,
                    line.get(at).copied().unwrap_or_default()
                ),
                format!("该行第 {} 个字节（0x{:02X}）不是 UTF-8", at + 1, line.get(at).copied().unwrap_or_default()),
            )
                .into(),
            ("Save the file as UTF-8", "请保存为 UTF-8 编码").into(),
        )
    })?;
    let text = text.trim_end();
    match text.trim_start().chars().next() {
        Some('{') => {}
        Some('[') => {
            return Err(Fault(
                ("the line is a JSON array, not an object", "该行是 JSON 数组，而不是对象").into(),
                (
                    "Write one object per line, without surrounding brackets and commas",
                    "每行写一个对象，不要外层的方括号和逗号",
                )
                    .into(),
            ));
        }
        _ => {
            return Err(Fault(
                ("the line is not a JSON object", "该行不是 JSON 对象").into(),
                ("Write one object per line, starting with \"{\"", "每行写一个以“{”开头的对象").into(),
            ));
        }
    }
    if values::are_too_many(text.as_bytes()) {
        return Err(too_many_values());
    }
    let object: Object = serde_json::from_str(text).map_err(|e| {
        if let Some((field, number)) = no_number(text) {
            return Fault(
                (
                    format!("the value of \"{field}\" is {number}, which JSON does not have"),
                    format!("“{field}”的值是 {number}，JSON 没有这个值"),
                )
                    .into(),
                (
                    format!("Write null instead of {number}, or leave the field out"),
                    format!("请将 {number} 改为 null，或删去该字段"),
                )
                    .into(),
            );
        }
        // The library counts lines too, and every line is its first.
        let message = e.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(start, _)| start);
        let remedy = if e.is_eof() {
            ("Complete or remove the line", "请补全或删除该行")
        } else {
            ("Correct or remove the line", "请修正或删除该行")
        };
        let what = (
            format!("the line is not valid JSON: {message}, at column {}", e.column()),
            format!("该行不是有效的 JSON：{message}，位于第 {} 列", e.column()),
        );
        Fault(what.into(), remedy.into())
    })?;
    let mut names: Vec<&str> = object.names().collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Fault(
            (format!("the field \"{}\" appears twice", pair[0]), format!("字段“{}”出现了两次", pair[0])).into(),
            ("Remove one of them", "请删除其中一个").into(),
        )),
        None => Ok(object),
    }
}

fn too_many_values() -> Fault {
    let (most, zh) = values::most();
    let what = (format!("the line has more than {most}"), format!("该行超过{zh}"));
    Fault(what.into(), ("Leave out the fields that are not read", "请去掉不会读取的字段").into())
}

/// The first value that Python writes for a number that is none, and the field before it.
fn no_number(text: &str) -> Option<(String, &'static str)> {
    let (mut in_string, mut is_escaped, mut start, mut last) = (false, false, 0, "");
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => {
                if in_string {
                    last = &text[start..at];
                }
                in_string = !in_string;
                start = at + 1;
            }
            _ if in_string => {}
            _ => {
                let found = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| text[at..].starts_with(word));
                if let Some(word) = found {
                    return Some((last.chars().take(100).collect(), word));
                }
            }
        }
    }
    None
}

/// Detects duplicate fields, which [`serde_json::Map`] would overwrite.
impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
