//! Recognizes files that belong to another page, so that one message says so and names the page that accepts them.
//!
//! Called for every upload before it is recorded. A file that is not recognized passes: its reader says what is wrong.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use model::{message::Message, problem::Problem};
use serde_json::Value;

use super::{
    codeif, harness, humaneval,
    lines::{self, LONGEST_LINE},
    outputs::{self, Archive, Asked},
    values,
};

/// Maximum number of names of an archive that are looked at.
const MOST_NAMES: usize = 20_000;
/// Maximum unpacked size of what is looked at of a gzipped archive, in bytes.
const MOST_UNPACKED: u64 = 64 * 1024 * 1024;
/// Maximum size of a JSON document that is not JSON Lines, in bytes: a rubric, a dataset's header.
const LONGEST_DOCUMENT: u64 = 1024 * 1024;

/// The kind of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A model's outputs.
    Outputs,
    /// Tasks, or an archive with a dataset.
    Dataset,
    /// Ratings as CSV.
    Ratings,
    /// Exported ratings as JSON Lines.
    RatingLines,
    /// Exported verdicts.
    Verdicts,
    /// A table with other columns.
    Csv,
    /// A rubric.
    Rubric,
    /// A comparison's bundle.
    Bundle,
    /// An archive with a file that would have to be unpacked; its name.
    Packed(String),
    /// One JSON array.
    Array,
    /// A list of texts without task IDs, such as the references of bigcode-evaluation-harness.
    Lists,
    /// JSON objects over several lines each.
    SpreadObjects,
    /// No text: a document, an image, a program.
    Binary,
}

/// Refuses a file that is recognized as something else than `wanted`.
///
/// # Errors
///
/// The problem says what the file is, what to do with it, and the address of the page that accepts it.
pub fn check(wanted: &FileKind, name: &str, file: impl Read + Seek) -> Result<(), Problem> {
    let Some(found) = recognize(name, file) else { return Ok(()) };
    let fits = match wanted {
        FileKind::Ratings => matches!(found, FileKind::Ratings | FileKind::Csv),
        // Their columns can be chosen.
        FileKind::Outputs => matches!(found, FileKind::Outputs | FileKind::Csv),
        // Readers of datasets accept archives of many kinds.
        FileKind::Dataset => matches!(found, FileKind::Dataset | FileKind::Packed(_) | FileKind::Array),
        wanted => found == *wanted,
    };
    match fits {
        true => Ok(()),
        false => Err(refusal(wanted, found, name)),
    }
}

fn refusal(wanted: &FileKind, found: FileKind, name: &str) -> Problem {
    let accepted = match wanted {
        FileKind::Ratings => ("ratings as CSV", "CSV 格式的评分"),
        FileKind::Dataset => ("a dataset", "数据集"),
        FileKind::Rubric => ("a rubric", "评分标准"),
        _ => ("model outputs", "模型输出"),
    };
    let (is, remedy, page) = about(found);
    let what = (
        format!("the file contains {}, not {}", is.0, accepted.0),
        format!("文件内容是{}，而不是{}", is.1, accepted.1),
    );
    Problem { page: page.map(str::to_owned), ..Problem::new(name, what, remedy) }
}

/// The content of a file of this kind, the remedy, and the page that accepts it.
fn about(found: FileKind) -> ((String, String), Message, Option<&'static str>) {
    match found {
        FileKind::Outputs => (
            ("model outputs".into(), "模型输出".into()),
            (
                "Upload it on the page Upload outputs, or with aixgrade submissions upload",
                "请在“上传模型输出”页面上传，或使用 aixgrade submissions upload",
            )
                .into(),
            Some("/admin/upload"),
        ),
        FileKind::Dataset => (
            ("a dataset".into(), "数据集".into()),
            ("Import it on the page Datasets, or with aixgrade import", "请在“数据集”页面导入，或使用 aixgrade import")
                .into(),
            Some("/admin/datasets#import"),
        ),
        FileKind::Ratings => (
            ("ratings".into(), "评分".into()),
            (
                "Upload it on the page Import ratings, or with aixgrade import ratings",
                "请在“导入评分”页面上传，或使用 aixgrade import ratings",
            )
                .into(),
            Some("/admin/upload/ratings"),
        ),
        FileKind::RatingLines => (
            ("exported ratings as JSON Lines".into(), "JSON Lines 格式的评分导出文件".into()),
            (
                "Export them as CSV, and upload that file on the page Import ratings",
                "请导出为 CSV，再在“导入评分”页面上传",
            )
                .into(),
            Some("/admin/upload/ratings"),
        ),
        FileKind::Csv => (
            ("a table (CSV)".into(), "表格（CSV）".into()),
            (
                "Upload ratings on the page Import ratings, and outputs on the page Upload outputs",
                "评分请在“导入评分”页面上传，模型输出请在“上传模型输出”页面上传",
            )
                .into(),
            Some("/admin/upload/ratings"),
        ),
        FileKind::Rubric => (
            ("a rubric".into(), "评分标准".into()),
            ("Import it on the page Rubrics", "请在“评分标准”页面导入").into(),
            Some("/admin/rubrics"),
        ),
        FileKind::Verdicts => (
            ("exported verdicts".into(), "导出的测试结果".into()),
            (
                "Verdicts cannot be imported; upload the outputs and run the tests",
                "测试结果无法导入；请上传模型输出并运行测试",
            )
                .into(),
            None,
        ),
        FileKind::Bundle => (
            ("a bundle of a comparison".into(), "模型比较的数据包".into()),
            ("Read it on the command line: aixgrade report FILE", "请用命令行读取：aixgrade report FILE").into(),
            None,
        ),
        form => {
            let (is, remedy) = about_form(form);
            (is, remedy, None)
        }
    }
}

/// The same for files that no page accepts in their form.
fn about_form(found: FileKind) -> ((String, String), Message) {
    match found {
        FileKind::Packed(inner) => (
            (format!("an archive with {inner}"), format!("含 {inner} 的压缩包")),
            (
                "Unpack it and upload the file itself, which may be compressed with gzip",
                "请解压后上传其中的文件（可用 gzip 压缩）",
            )
                .into(),
        ),
        FileKind::Array => (
            ("one JSON array".into(), "一个 JSON 数组".into()),
            ("Write one object per line: jq -c '.[]' FILE", "请每行写一个对象：jq -c '.[]' FILE").into(),
        ),
        FileKind::Lists => (
            ("a list of texts without task IDs".into(), "没有任务编号的文本列表".into()),
            (
                "Write one object per line, with the ID of the task and one output each: {\"task_id\": \"A1\", \"code\": \"…\"}",
                "请每行写一个对象，各含任务编号和一个输出：{\"task_id\": \"A1\", \"code\": \"…\"}",
            )
                .into(),
        ),
        FileKind::SpreadObjects => (
            ("JSON objects that span several lines".into(), "跨多行的 JSON 对象".into()),
            ("Write each object on one line: jq -c . FILE", "请将每个对象写在一行：jq -c . FILE").into(),
        ),
        // `about` has all other kinds but this one.
        _ => (("no text".into(), "非文本内容".into()), ("Choose another file", "请选择其他文件").into()),
    }
}

fn recognize(name: &str, mut file: impl Read + Seek) -> Option<FileKind> {
    if outputs::is_parquet(&mut file).ok()? {
        return Some(FileKind::Outputs);
    }
    match outputs::archive(name, &mut file).ok()? {
        Some(Archive::Zip) => zip(file),
        Some(Archive::TarGz) => {
            let plain = flate2::read::MultiGzDecoder::new(file).take(MOST_UNPACKED);
            let (mut archive, limit) = archives::tar(plain);
            let entries = archive.entries().ok()?.take(MOST_NAMES).map_while(Result::ok);
            by_names(entries.map(|entry| {
                limit.allow(&entry);
                String::from_utf8_lossy(&entry.path_bytes()).into_owned()
            }))
        }
        None => text(name, file),
    }
}

fn zip(mut file: impl Read + Seek) -> Option<FileKind> {
    let mut archive = archives::zip(&mut file).ok()?;
    if let Ok(entry) = archive.by_name("manifest.json") {
        let mut manifest = String::new();
        entry.take(LONGEST_DOCUMENT).read_to_string(&mut manifest).ok()?;
        if manifest.contains("\"aixgrade-bundle\"") {
            return Some(FileKind::Bundle);
        }
    }
    let names: Vec<String> = (0..archive.len().min(MOST_NAMES))
        .filter_map(|at| archive.by_index_raw(at).ok()?.name().ok().map(|name| name.into_owned()))
        .collect();
    by_names(names.into_iter())
}

/// The kind of an archive with these names.
fn by_names(names: impl Iterator<Item = String>) -> Option<FileKind> {
    let names: Vec<String> = names.collect();
    let (mut java, mut packed) = (false, None);
    for path in &names {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "[Content_Types].xml" => return Some(FileKind::Binary),
            "dataset.json" | "dataset_autotest_nl.jsonl" | "dataset_manual_nl.jsonl" => return Some(FileKind::Dataset),
            _ if humaneval::is_own_file(path) => return Some(FileKind::Dataset),
            _ => {}
        }
        java |= name.ends_with(".java");
        let is_file_of_lines = [".jsonl", ".jsonl.gz", ".csv"].iter().any(|end| name.ends_with(end));
        if is_file_of_lines && !path.contains("__MACOSX") {
            packed.get_or_insert_with(|| name.chars().filter(|c| !c.is_control()).take(100).collect::<String>());
        }
    }
    match packed {
        _ if harness::recognize_archive(names.iter()).is_some() => Some(FileKind::Outputs),
        // Perhaps an incomplete dataset; its reader says what is missing.
        Some(_) if java => None,
        Some(name) => Some(FileKind::Packed(name)),
        None => java.then_some(FileKind::Outputs),
    }
}

fn text(name: &str, mut file: impl Read + Seek) -> Option<FileKind> {
    let (mut reader, _) = lines::unpacked(&mut file);
    let start = reader.fill_buf().ok()?;
    let utf_16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if !utf_16 && (start.starts_with(b"%PDF-") || start.iter().take(1024).any(|b| *b == 0)) {
        return Some(FileKind::Binary);
    }
    let mut beginning = Vec::new();
    reader.by_ref().take(harness::START).read_to_end(&mut beginning).ok()?;
    match harness::recognize(name, &beginning) {
        Some(harness::Document::References) => return Some(FileKind::Lists),
        // Its columns tell what is in it.
        Some(harness::Document::Csv) | None => {}
        Some(_) => return Some(FileKind::Outputs),
    }
    let mut reader = io::Cursor::new(beginning).chain(reader);
    let mut line = Vec::new();
    let is_blank = |line: &[u8]| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).iter().all(u8::is_ascii_whitespace);
    while is_blank(&line) {
        line.clear();
        if reader.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
    }
    let line = String::from_utf8(line).ok()?;
    let line = line.trim_start_matches('\u{feff}').trim();
    if values::are_too_many(line.as_bytes()) {
        return None;
    }
    match (line.chars().next()?, serde_json::from_str(line)) {
        ('{', Ok(object)) => by_fields(&object),
        ('[', Ok(Value::Array(items))) => array(&items),
        ('{' | '[', _) => {
            // One document over several lines.
            drop(reader);
            file.seek(SeekFrom::Start(0)).ok()?;
            let (reader, _) = lines::unpacked(file);
            let mut document = Vec::new();
            reader.take(LONGEST_DOCUMENT).read_to_end(&mut document).ok()?;
            let document = String::from_utf8_lossy(&document);
            if values::are_too_many(document.as_bytes()) {
                return None;
            }
            let mut values = serde_json::Deserializer::from_str(document.trim_start_matches('\u{feff}')).into_iter();
            match (values.next()?.ok()?, values.next()) {
                (Value::Array(items), _) => array(&items),
                // A document of its own, such as a rubric.
                (object, None) if by_fields(&object) != Some(FileKind::Outputs) => by_fields(&object),
                _ => Some(FileKind::SpreadObjects),
            }
        }
        _ => by_head(name, line),
    }
}

/// The kind of a file whose whole content is an array of these items. CodeIF-Bench has outputs in arrays.
fn array(items: &[Value]) -> Option<FileKind> {
    let is_chat = |item: &Value| item.get("completion").is_some();
    match items.iter().all(Value::is_object) {
        true if !items.is_empty() && items.iter().all(is_chat) => Some(FileKind::Outputs),
        true => Some(FileKind::Array),
        false if items.iter().all(|item| item.is_array() || item.is_string()) => Some(FileKind::Lists),
        false => None,
    }
}

/// The kind of a file whose first line or whole content is this object.
fn by_fields(object: &Value) -> Option<FileKind> {
    let has = |field: &str| object.get(field).is_some();
    if codeif::is_own_task(object) {
        return Some(FileKind::Dataset);
    }
    if has("namespace") && has("completion") {
        return Some(FileKind::Outputs);
    }
    let tasks = ["raw_nl", "canonical_solution", "declaration"];
    if has("dimensions") && has("slug") {
        return Some(FileKind::Rubric);
    }
    if has("format") && has("slug") && has("name") {
        return Some(FileKind::Dataset);
    }
    if harness::line(object, &Asked::default()).is_some() {
        return Some(FileKind::Outputs);
    }
    if !has("task_id") {
        return None;
    }
    if ["code", "generation", "completion"].into_iter().any(has) {
        return Some(FileKind::Outputs);
    }
    if has("verdict") && has("passed") {
        return Some(FileKind::Verdicts);
    }
    if has("rater") {
        return Some(FileKind::RatingLines);
    }
    tasks.into_iter().any(has).then_some(FileKind::Dataset)
}

/// The kind of a table with this header.
fn by_head(name: &str, head: &str) -> Option<FileKind> {
    // A row with more cells is refused by its reader.
    let cells = head.split(',').take(usize::try_from(values::MOST_CELLS).unwrap_or(usize::MAX));
    let columns: Vec<&str> = cells.map(|column| column.trim().trim_matches('"')).collect();
    let has = |column: &str| columns.contains(&column);
    let is_csv = name.to_lowercase().trim_end_matches(".gz").ends_with(".csv");
    let names: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    match columns.len() > 1 && has("task_id") {
        // A table of ratings may have the outputs beside them.
        _ if harness::table::has_outputs(&names) => Some(FileKind::Csv),
        true if has("verdict") && has("passed") => Some(FileKind::Verdicts),
        true if has("model") || has("rater") => Some(FileKind::Ratings),
        _ => is_csv.then_some(FileKind::Csv),
    }
}

#[cfg(test)]
#[path = "kind_test.rs"]
mod tests;
