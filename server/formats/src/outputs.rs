//! Model outputs: JSON Lines in the published shapes, line by line, an archive with a Java class per task, or a file of
//! another tool ([`super::harness`]).

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

use model::{
    code_lang::CodeLang,
    problem::Problem,
    published::PublishedText,
    reading::Reading,
    submission::{Reported, Shape},
};
use serde_json::Value;
use syntax::outline;

use super::{
    chat::{self, Answer, Wanted},
    classes, continuation,
    conversations::{self, LineTurn, Placing, Turns},
    fences,
    files::Files,
    harness::{self, Entry, Text, table::Columns},
    humaneval,
    lines::{self, Fault, Object},
    matching::Tasks,
    translation::{self, Fit, Pair},
};

/// Maximum length of code in bytes: a hundred times the longest published output.
pub const LONGEST_CODE: usize = 256 * 1024;

/// How the outputs of a file are read.
#[derive(Clone, Default)]
pub struct Asked {
    /// Programming languages of the dataset's tasks, which determine the code fences of chat responses.
    pub langs: Vec<CodeLang>,
    /// Whether a `generation` continues the task's `prompt`. Then it is read unchanged, fences included, and so is the
    /// line's own `prompt`.
    pub continued: bool,
    /// The languages of a dataset of the translation task.
    pub pair: Option<Pair>,
    /// The turns of the tasks, if they are conversations.
    pub turns: Option<Turns>,
    /// The tasks, to know what each output should define.
    pub tasks: Option<Arc<KnownTasks>>,
    /// The columns of a table that an admin chose: ours to the file's.
    pub columns: Columns,
}

/// What the tasks of a dataset ask for.
pub struct KnownTasks {
    pub tasks: Tasks,
    /// In the dataset's order.
    pub wanted: Vec<Wanted>,
    /// The tasks of HumanEval-X, by their place.
    pub humaneval: HashMap<usize, humaneval::Task>,
}

impl KnownTasks {
    /// The task of a line, by its description, or else by its ID.
    fn place(&self, task_id: &str, raw_nl: Option<&str>) -> Option<usize> {
        self.tasks.by_text(task_id, raw_nl).or_else(|| self.tasks.by_task_id(task_id))
    }
}

/// One output of a file: a line, or a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    /// The line number, from 1; 0 for an output of a file without lines.
    pub line: u64,
    /// Its place in a file without lines: a file of an archive, or a sample.
    pub file: Option<String>,
    /// Its shape.
    pub shape: Shape,
    /// The task's id in the file.
    pub task_id: String,
    /// The task's description in the file.
    pub raw_nl: Option<String>,
    /// The code, without fences.
    pub code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
    /// The whole response, if it contains more than the code.
    pub raw: Option<String>,
    /// How the code was found in the response.
    pub reading: Reading,
    /// Whether the response ends within the code.
    pub is_cut_off: bool,
    /// Why generation stopped, if the file says so.
    pub end_by: Option<String>,
    /// The model's reasoning, if the file has it apart as a text.
    pub reasoning: Option<String>,
    /// The prompt, if the line has one and `generation` continues it ([`Asked::continued`]).
    pub prompt: Option<String>,
    /// What the published evaluator judges, if that is not the code.
    pub published_text: Option<PublishedText>,
    /// Whether the prompt shows that the output is for another task of the benchmark, or another pair of languages.
    pub elsewhere: bool,
    /// The turn that it answers, if the tasks are conversations.
    pub turn: Option<LineTurn>,
    /// What the file says about it besides its text, such as a verdict.
    pub reported: Option<Reported>,
}

impl OutputLine {
    /// Whether it contains no code.
    pub fn is_empty(&self) -> bool {
        self.code.trim().is_empty()
    }

    /// The code as people see it: with its prompt, unless that is the task's own `beginning`, which they know.
    pub fn visible_code(&self, beginning: Option<&str>) -> Cow<'_, str> {
        match self.prompt.as_deref().filter(|prompt| Some(*prompt) != beginning) {
            Some(prompt) => Cow::Owned(format!("{prompt}{}", self.code)),
            None => Cow::Borrowed(&self.code),
        }
    }
}

/// Reads an upload: an archive of classes, recognized by its name or its first bytes, or lines. `each` is
/// called for every output and every problem. Returns whether the file was read to its end.
pub fn read_upload(
    name: &str,
    mut file: impl Read + Seek,
    asked: &Asked,
    mut each: impl FnMut(Result<OutputLine, Problem>),
) -> bool {
    let archive = match archive(name, &mut file) {
        Ok(archive) => archive,
        Err(e) => {
            each(Err(Problem::new(
                name,
                (format!("the file cannot be read ({e})"), format!("无法读取文件（{e}）")),
                ("Upload it again", "请重新上传"),
            )));
            return false;
        }
    };
    if archive.is_none() && is_parquet(&mut file).unwrap_or_default() {
        return harness::read_parquet(name, file, asked, &mut each);
    }
    let files = match archive {
        Some(Archive::Zip) => match is_inspect(&mut file) {
            true => return harness::read_inspect(name, file, asked, &mut each),
            false => Files::zip_of(name, file, harness::is_relevant),
        },
        Some(Archive::TarGz) => Files::tar_gz_of(name, file, harness::is_relevant),
        None => return read(name, file, asked, each),
    };
    let files = match files {
        Ok(files) => files,
        Err(problem) => {
            each(Err(problem));
            return false;
        }
    };
    let packed = harness::recognize_archive(files.below("").map(|(path, _)| path));
    match packed {
        Some(packed) => harness::read_files(packed, &files, asked, &mut each),
        None => {
            classes::read(&files, each);
            true
        }
    }
}

/// Whether a file is a Parquet file. Leaves it at its beginning.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_parquet(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let mut start = Vec::new();
    file.by_ref().take(harness::parquet::MAGIC.len() as u64).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start == harness::parquet::MAGIC)
}

/// Whether a zip archive is a log of Inspect. Leaves the file at its beginning.
fn is_inspect(file: &mut (impl Read + Seek)) -> bool {
    let found = archives::zip(&mut *file).is_ok_and(|archive| {
        harness::recognize_archive(archive.file_names().filter_map(Result::ok)) == Some(harness::Packed::Inspect)
    });
    found & file.seek(SeekFrom::Start(0)).is_ok()
}

/// A kind of archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    Zip,
    TarGz,
}

/// The archive format of a file, by its first bytes or its name. Leaves the file at its beginning.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn archive(name: &str, file: &mut (impl Read + Seek)) -> io::Result<Option<Archive>> {
    let mut start = Vec::new();
    file.by_ref().take(4).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let lower = name.to_lowercase();
    if start == b"PK\x03\x04" || lower.ends_with(".zip") {
        return Ok(Some(Archive::Zip));
    }
    Ok([".tar.gz", ".tgz"].iter().any(|end| lower.ends_with(end)).then_some(Archive::TarGz))
}

/// Whether a file has lines that can be copied from it.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn has_lines(name: &str, mut file: impl Read + Seek) -> io::Result<bool> {
    if archive(name, &mut file)?.is_some() || is_parquet(&mut file)? {
        return Ok(false);
    }
    let mut start = Vec::new();
    // What cannot be unpacked is reported by its reader.
    let _ = lines::unpacked(file).0.take(harness::START).read_to_end(&mut start);
    Ok(harness::recognize(name, &start).is_none())
}

/// Reads a file of lines or a document, plain or compressed. `each` is called for every line that is not blank. Returns
/// whether the file was read to its end.
pub fn read(file: &str, reader: impl Read, asked: &Asked, mut each: impl FnMut(Result<OutputLine, Problem>)) -> bool {
    let mut start = Vec::new();
    let (mut plain, packing) = lines::unpacked(reader);
    let failed = plain.by_ref().take(harness::START).read_to_end(&mut start).err();
    let document = harness::recognize(file, &start).filter(|_| asked.turns.is_none());
    // An error comes again where it came first: a reader that failed may go on otherwise.
    let rest: Box<dyn Read + '_> = match failed {
        Some(e) => Box::new(lines::Unreadable(Some(e))),
        None => Box::new(plain),
    };
    let text = Box::new(io::BufReader::new(io::Cursor::new(start).chain(rest)));
    if let Some(document) = document {
        return harness::read_document(document, file, text, asked, &mut each);
    }
    let mut placing = asked.turns.as_ref().map(|turns| turns.placing(file));
    let mut filter = None;
    lines::read_unpacked(file, text, packing, asked.turns.is_some(), &mut |line, object| {
        let object = match object {
            Ok(object) => object,
            Err(problem) => return each(Err(problem)),
        };
        if harness::is_repeat(&object, &mut filter) {
            return;
        }
        let entries = match placing {
            None => harness::line(&object, asked),
            Some(_) => None,
        };
        let mut put = |output: Result<OutputLine, Fault>| {
            each(output.map_err(|fault| lines::problem(file, line, fault)));
        };
        match entries {
            None => put(output(line, &object, asked, placing.as_mut())),
            Some(Err(fault)) => put(Err(fault)),
            Some(Ok(entries)) => {
                for entry in entries {
                    put(entry.and_then(|entry| of_entry(Place::Line(line), entry, asked)));
                }
            }
        }
    })
}

/// Where an output stands.
#[derive(Clone, Debug)]
pub enum Place {
    Line(u64),
    Part(String),
}

/// Reads an output of another tool's file.
///
/// # Errors
///
/// It is too long, or the dataset's tasks are conversations, whose turn it does not tell.
pub fn of_entry(place: Place, entry: Entry, asked: &Asked) -> Result<OutputLine, Fault> {
    let Entry { task_id, text, reasoning, end_by, elsewhere, reported } = entry;
    if asked.turns.is_some() {
        return Err(Fault(
            (
                "the tasks are conversations, and the file does not say which turn an output answers",
                "任务是多轮对话，而文件没有说明输出回答的是哪一轮",
            )
                .into(),
            ("Write lines with \"completion\" and \"turn\"", "请写成含“completion”和“turn”的行").into(),
        ));
    }
    let (text, is_program) = match text {
        Text::Response(text) => (text, false),
        Text::Program(text) => (text, true),
    };
    within_limit("output", &text)?;
    let known = asked.tasks.as_ref().and_then(|known| Some((known, known.tasks.by_task_id(&task_id)?)));
    let known = known.filter(|_| !elsewhere);
    let wanted = known.and_then(|(known, at)| known.wanted.get(at));
    let task = known.and_then(|(known, at)| known.humaneval.get(&at)).filter(|_| asked.continued).zip(wanted);
    let is_whole = is_program && wanted.is_none_or(|wanted| is_whole(&text, wanted));
    let mut prompt = None;
    let Answer { code, surrounding_text, reading, is_cut_off } = match task {
        Some((task, wanted)) => {
            // A program that begins with the prompt is that of the task, and the rest continues it as it is.
            let rest = text.strip_prefix(task.beginning()).filter(|rest| is_program && !rest.contains("```"));
            if let Some(rest) = rest {
                Answer { code: rest.to_owned(), ..Answer::default() }
            } else {
                let (made, found) = match is_whole {
                    true => (continuation::of_code(wanted.lang, task, &text), Answer::default()),
                    false => continuation::read(wanted.lang, task, &text),
                };
                prompt = made.prompt;
                Answer { code: made.generation, ..found }
            }
        }
        None if is_whole => Answer { code: text.clone(), ..Answer::default() },
        None => chat::split(&text, &asked.langs, wanted),
    };
    let (line, file) = match place {
        Place::Line(line) => (line, None),
        Place::Part(place) => (0, Some(place)),
    };
    Ok(OutputLine {
        line,
        file,
        shape: reported.by,
        task_id,
        raw_nl: None,
        raw: (code != text).then_some(text),
        code,
        surrounding_text,
        reading,
        is_cut_off,
        end_by,
        reasoning: reasoning.map(|text| within_limit("reasoning", &text).map(str::to_owned)).transpose()?,
        prompt,
        published_text: None,
        elsewhere,
        turn: None,
        reported: Some(reported).filter(|reported| !reported.is_empty()),
    })
}

/// Whether a program defines what its task asks for and parses, so that nothing must be found in it.
fn is_whole(program: &str, wanted: &Wanted) -> bool {
    outline::outline(program, wanted.lang).is_some_and(|outline| {
        !outline.has_errors && wanted.name.as_deref().is_none_or(|name| outline.of(name).next().is_some())
    })
}

const FIELDS: [(&str, Shape); 3] =
    [("code", Shape::Aixbench), ("generation", Shape::HumanEvalX), ("completion", Shape::CodeIfBench)];

/// What other tools and scripts call the output of a model.
const OTHER_FIELDS: [&str; 13] = [
    "solutions",
    "completions",
    "generations",
    "generated_code",
    "code_list",
    "output",
    "outputs",
    "output_list",
    "response",
    "responses",
    "resps",
    "answer",
    "prediction",
];

fn output(line: u64, object: &Object, asked: &Asked, placing: Option<&mut Placing<'_>>) -> Result<OutputLine, Fault> {
    let task_id = match (object.text("namespace"), &placing) {
        // The repository level's name of a task.
        (Ok(Some(name)), Some(_)) if object.get("task_id").is_none() => lines::short_id(name)?.to_owned(),
        _ => object.task_id()?,
    };
    let mut present = FIELDS.iter().filter(|(field, _)| object.get(field).is_some());
    let (field, shape) = match (present.next(), present.next()) {
        (Some(one), None) => *one,
        (Some((a, _)), Some((b, _))) => {
            return Err(Fault(
                (format!("the line has both \"{a}\" and \"{b}\""), format!("该行同时有“{a}”和“{b}”")).into(),
                ("Keep only the one that contains the output", "请只保留包含输出的那个").into(),
            ));
        }
        (None, _) => return Err(no_output(object)),
    };
    let answer = within_limit(field, object.text(field)?.unwrap_or_default())?;
    let continued = asked.continued && shape == Shape::HumanEvalX;
    let prompt = match continued {
        true => object.text("prompt")?.map(|prompt| within_limit("prompt", prompt).map(str::to_owned)).transpose()?,
        false => None,
    };
    // A collection was made for the dataset, with whatever prompt its responses have.
    let uploaded = prompt.as_deref().filter(|_| object.get("collection").is_none());
    let fit = uploaded.map(|prompt| translation::fit(asked.pair.as_ref(), prompt));
    let raw_nl = object.text("raw_nl")?;
    let known = asked.tasks.as_ref().and_then(|known| Some((known, known.place(&task_id, raw_nl)?)));
    let wanted = known.and_then(|(known, at)| known.wanted.get(at));
    let task = known.and_then(|(known, at)| known.humaneval.get(&at)).filter(|_| asked.continued).zip(wanted);
    // The published generator's text says the same as the task, and the output continues its end.
    let mut prompt = prompt.filter(|_| fit != Some(Fit::Published));
    let mut raw = answer;
    let mut published_text = None;
    let Answer { code, surrounding_text, reading, is_cut_off } = match task {
        Some((task, wanted)) if continued && is_fenced(object, prompt.as_deref(), answer, task, wanted) => {
            let (made, found) = continuation::read(wanted.lang, task, answer);
            published_text = Some(PublishedText { prompt: prompt.take(), generation: answer.to_owned() });
            prompt = made.prompt;
            Answer { code: made.generation, ..found }
        }
        _ if continued => {
            // A collected response, of which `generation` was made.
            raw = object.text("response")?.map(|text| within_limit("response", text)).transpose()?.unwrap_or(answer);
            Answer { code: answer.to_owned(), ..Answer::default() }
        }
        _ if placing.is_some() => conversations::cut_out(answer),
        Some((task, wanted)) => {
            let (made, found) = continuation::read(wanted.lang, task, answer);
            prompt = made.prompt;
            Answer { code: made.generation, ..found }
        }
        None => chat::split(answer, &asked.langs, wanted),
    };
    let (turn, reported) = match placing {
        Some(placing) => (Some(placing.turn(&task_id, object)?), conversations::published_verdict(object, &code)),
        None => {
            let mut reported = Reported::by(shape).passed(object.get("passed").and_then(Value::as_bool));
            let words = object.get("result").and_then(Value::as_str).filter(|_| reported.verdict.is_some());
            reported.detail = words.and_then(harness::detail);
            (None, Some(reported))
        }
    };
    let mut reported = reported.unwrap_or_else(|| Reported::by(shape));
    (reported.input_tokens, reported.output_tokens) = harness::line_tokens(object);
    Ok(OutputLine {
        line,
        file: None,
        shape,
        task_id,
        raw_nl: raw_nl.map(str::to_owned),
        raw: (code != raw).then(|| raw.to_owned()),
        code,
        surrounding_text,
        reading,
        is_cut_off,
        end_by: object.text("end_by")?.and_then(harness::detail),
        prompt,
        // Other programs' files have other things under this name.
        reasoning: object.get("reasoning").and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned),
        published_text,
        elsewhere: fit == Some(Fit::Other),
        turn,
        reported: Some(reported).filter(|reported| !reported.is_empty()),
    })
}

/// Whether a continuation of a prompt is in a code fence. One in a comment or a text of the code does not count.
fn is_fenced(object: &Object, prompt: Option<&str>, generation: &str, task: &humaneval::Task, wanted: &Wanted) -> bool {
    let whole = || format!("{}{generation}", prompt.unwrap_or(task.beginning()));
    let parses = || outline::outline(&whole(), wanted.lang).is_none_or(|found| !found.has_errors);
    // A collected response is there beside the continuation that was made of it.
    object.get("response").is_none() && fences::has_fence(generation) && !parses()
}

/// The fault of a line without an output. Names the field that another tool has for it.
fn no_output(object: &Object) -> Fault {
    let present = OTHER_FIELDS.into_iter().find_map(|field| Some((field, object.get(field)?)));
    match present {
        Some((field, Value::Array(items))) => Fault(
            (
                format!("the line has \"{field}\", a list of {}, and no field \"code\"", items.len()),
                format!("该行有“{field}”（含 {} 项的列表），但没有“code”字段", items.len()),
            )
                .into(),
            ("Write one line with \"code\" for each item of the list", "请为列表中的每一项写一行，内容写入“code”")
                .into(),
        ),
        Some((field, _)) => Fault(
            (
                format!("the line has \"{field}\", a field of another tool, and no field \"code\""),
                format!("该行有其他工具使用的“{field}”字段，但没有“code”字段"),
            )
                .into(),
            (format!("Rename \"{field}\" to \"code\""), format!("请将“{field}”改名为“code”")).into(),
        ),
        None => Fault(
            (
                "none of the fields \"code\", \"generation\" and \"completion\" is present",
                "缺少“code”“generation”或“completion”字段",
            )
                .into(),
            (
                "Add the output of the model as \"code\"; use an empty string if it gave none",
                "请将模型的输出写入“code”；没有输出则为空字符串",
            )
                .into(),
        ),
    }
}

/// A text of an output, unless it is too long.
///
/// # Errors
///
/// Fails if it is longer than [`LONGEST_CODE`].
pub(crate) fn within_limit<'a>(field: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.len() > LONGEST_CODE {
        return Err(too_long(field));
    }
    Ok(text)
}

/// The parts of a text with `between` between them. A file can name a part many times, so what is too long is refused before it
/// is put together.
///
/// # Errors
///
/// Fails if they are longer than [`LONGEST_CODE`].
pub(crate) fn joined<'t>(field: &str, parts: impl Iterator<Item = &'t str>, between: &str) -> Result<String, Fault> {
    let mut text = String::new();
    for (at, part) in parts.enumerate() {
        let between = if at == 0 { "" } else { between };
        if text.len() + between.len() + part.len() > LONGEST_CODE {
            return Err(too_long(field));
        }
        text.push_str(between);
        text.push_str(part);
    }
    Ok(text)
}

fn too_long(field: &str) -> Fault {
    Fault(
        (
            format!("\"{field}\" is longer than {} KiB", LONGEST_CODE / 1024),
            format!("“{field}”超过 {} KiB", LONGEST_CODE / 1024),
        )
            .into(),
        ("Shorten it, or remove the line", "请缩短，或删除该行").into(),
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read_all(bytes: &[u8]) -> (Vec<OutputLine>, Vec<String>) {
        read_as(bytes, &Asked { langs: vec![CodeLang::Java], ..Asked::default() })
    }

    fn read_as(bytes: &[u8], asked: &Asked) -> (Vec<OutputLine>, Vec<String>) {
        let (mut outputs, mut problems) = (Vec::new(), Vec::new());
        read("a.jsonl", bytes, asked, |line| match line {
            Ok(output) => outputs.push(output),
            Err(problem) => problems.push(problem.to_string()),
        });
        (outputs, problems)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn reads_every_shape() {
        let check = |line: &str, shape, task_id: &str, code: &str| {
            for bytes in [line.as_bytes().to_vec(), gzip(line.as_bytes()), format!("\u{feff}\r\n{line}\r\n\r\n").into()]
            {
                let (outputs, problems) = read_all(&bytes);
                assert_eq!(problems, [""; 0], "{line}");
                assert_eq!(outputs.len(), 1);
                let output = &outputs[0];
                assert_eq!((output.shape, &*output.task_id, &*output.code), (shape, task_id, code));
            }
        };
        check(
            r#"{"task_id": 7, "raw_nl": "x", "signature": "y", "code": "int a ;", "end_by": "max_len"}"#,
            Shape::Aixbench,
            "7",
            "int a ;",
        );
        check(
            r#"{"task_id": "Java/12", "generation": "  return 1;\n"}"#,
            Shape::HumanEvalX,
            "Java/12",
            "  return 1;\n",
        );
        check(r#"{"task_id": "11", "completion": "Sure:\n```java\nint a;\n```"}"#, Shape::CodeIfBench, "11", "int a;");
        check(r#"{"task_id": "S 1", "code": "", "note": [1, {}]}"#, Shape::Aixbench, "S 1", "");
    }

    #[test]
    fn a_continuation_is_not_changed() {
        let line =
            br#"{"task_id": "Python/0", "prompt": "def f(x):\n", "generation": "    return x\n```python\n```\r\n"}"#;
        let continued = |continued| {
            read_as(line, &Asked { langs: vec![CodeLang::Python], continued, ..Asked::default() }).0.remove(0)
        };
        let whole = continued(true);
        let (code, prompt) = ("    return x\n```python\n```\r\n", Some("def f(x):\n"));
        assert_eq!(
            (&*whole.code, &*whole.surrounding_text, whole.raw, whole.prompt.as_deref()),
            (code, "", None, prompt)
        );
        let split = continued(false);
        assert_eq!(
            (&*split.code, &*split.surrounding_text, split.raw.as_deref(), split.prompt),
            ("", "return x", Some(code), None)
        );
        // Elsewhere the field may contain anything.
        let other = br#"{"task_id": 1, "prompt": [], "generation": ""}"#;
        assert_eq!(read_as(other, &Asked::default()).1, [""; 0]);
        let wrong = read_as(other, &Asked { continued: true, ..Asked::default() }).1;
        assert!(wrong[0].contains("\"prompt\" is an array"), "{wrong:?}");
    }

    #[test]
    fn a_fenced_continuation_is_read_and_published_unchanged() {
        let asked = known(CodeLang::Python, "Python/0", "def f(x):\n    \"\"\"Doubles x.\"\"\"\n");
        let read = |line: &serde_json::Value| read_as(line.to_string().as_bytes(), &asked).0.remove(0);
        let whole = "Sure:\n```python\ndef f(x):\n    return x * 2\n```\nIt doubles x.";
        let output = read(&serde_json::json!({"task_id": "Python/0", "generation": whole}));
        let found = (&*output.code, output.prompt.as_deref(), output.raw.as_deref());
        assert_eq!(found, ("    return x * 2", None, Some(whole)));
        let unchanged = |generation: &str| PublishedText { prompt: None, generation: generation.into() };
        assert_eq!(output.published_text, Some(unchanged(whole)));
        // A closing fence after a body, and words.
        let open = "    return x * 2\n```\n\nThis works.";
        let output = read(&serde_json::json!({"task_id": "Python/0", "generation": open}));
        assert_eq!((output.code.trim_end(), output.published_text), ("    return x * 2", Some(unchanged(open))));
        // Its own prompt is that of the published evaluator.
        let prompt = "def f(x):\n    # Doubles x.\n";
        let output = read(&serde_json::json!({"task_id": "Python/0", "prompt": prompt, "generation": whole}));
        assert_eq!(output.prompt, None);
        assert_eq!(output.published_text.unwrap().prompt.as_deref(), Some(prompt));
        // Fences in a comment or a text, and what was made of a collected response.
        let text = "    # ```\n    s = '''\n```\n'''\n    return x * 2\n";
        for line in [
            serde_json::json!({"task_id": "Python/0", "generation": text}),
            serde_json::json!({"task_id": "Python/0", "generation": open, "response": whole}),
        ] {
            let output = read(&line);
            assert_eq!((Some(&*output.code), output.published_text), (line["generation"].as_str(), None));
        }
    }

    /// How a dataset of HumanEval-X with one task is read.
    fn known(lang: CodeLang, id: &str, beginning: &str) -> Asked {
        let declaration = beginning.split("    \"\"\"").next().unwrap();
        let task = serde_json::json!({
            "benchmark": "humaneval-x", "task_id": id, "prompt": beginning, "declaration": declaration, "test": "",
            "example_test": "", "canonical_solution": "", "test_setup": "package main\nimport (\n\t\"testing\"\n)\n",
        });
        let wanted = vec![Wanted { lang, name: None }];
        let tasks = Tasks::new([(id.to_owned(), "Text.".to_owned(), lang)]);
        let humaneval = HashMap::from([(0, serde_json::from_value(task).unwrap())]);
        let tasks = Some(Arc::new(KnownTasks { tasks, wanted, humaneval }));
        Asked { langs: vec![lang], continued: true, tasks, ..Asked::default() }
    }

    /// What a response becomes with the text that it continues, but for white space.
    fn check_continued(asked: &Asked, id: &str, response: &str, expected: &str) {
        for field in ["completion", "code"] {
            let line = serde_json::json!({"task_id": id, field: response}).to_string();
            let (outputs, problems) = read_as(line.as_bytes(), asked);
            assert_eq!(problems, [""; 0], "{line}");
            let humaneval = asked.tasks.as_ref().unwrap().humaneval.get(&0).unwrap();
            let prompt = outputs[0].prompt.as_deref().unwrap_or(&humaneval.prompt);
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(squeezed(&format!("{prompt}{}", outputs[0].code)), squeezed(expected), "{response}");
            assert_eq!(outputs[0].raw.as_deref(), Some(response), "the response stays");
        }
    }

    /// A chat answer is read as a collected one is, so that a model's pass rate does not depend on how it came here.
    #[test]
    fn chat_answers_become_continuations_of_humaneval_x() {
        let check = check_continued;
        let python = known(
            CodeLang::Python,
            "Python/2",
            "\n\ndef truncate_number(number: float) -> float:\n    \"\"\" Text. \"\"\"\n",
        );
        let body = "return number - int(number)";
        let with_prompt = format!("def truncate_number(number: float) -> float: \"\"\" Text. \"\"\" {body}");
        let function = format!("def truncate_number(number: float) -> float:\n    {body}\n");
        for response in [
            format!(
                "Sure! Here is the completed function:\n\n```python\n{function}```\n\nIt returns the decimal part."
            ),
            format!(
                "<think>\n```python\ndef truncate_number(number):\n    return 0\n```\n</think>\n\n```python\n{function}```"
            ),
            format!("```python\n    {body}\n```"),
            format!("    {body}\n```\n\nIt returns the decimal part."),
            format!("{function}```\nDone."),
            format!("```python\nfrom __future__ import annotations\n{function}\nprint(truncate_number(3.5))\n```"),
            format!("1. Use it:\n\n   ```python\n   {}   ```\n", function.replace("    return", "       return")),
        ] {
            check(&python, "Python/2", &response, &with_prompt);
        }
        let java = known(
            CodeLang::Java,
            "Java/2",
            "import java.util.*;\n\nclass Solution {\n    public double truncateNumber(double number) {\n",
        );
        let method =
            "public double truncateNumber(double number) {\n        return number - Math.floor(number);\n    }";
        let whole = format!("import java.util.*; class Solution {{ {method} }}");
        for response in [
            format!("```java\nimport java.util.*;\n\nclass Solution {{\n    {method}\n}}\n```\n"),
            format!("```java\n{method}\n```\n"),
            format!("```java\nimport java.util.*;\n\npublic class Solution {{\n    {method}\n}}\n```\n"),
            format!("```java\npackage x;\nimport java.util.*;\n\npublic class Main {{\n    {method}\n}}\n```\n"),
        ] {
            check(&java, "Java/2", &response, &whole);
        }
        let cpp = known(
            CodeLang::Cpp,
            "CPP/2",
            "#include<stdio.h>\nusing namespace std;\nfloat truncate_number(float number){\n",
        );
        let function = "float truncate_number(float number){\n    return number - int(number);\n}";
        check(
            &cpp,
            "CPP/2",
            &format!("```cpp\n{function}\n\nint main() {{\n    return 0;\n}}\n```"),
            &format!("#include<stdio.h> using namespace std; {function}"),
        );
        let js = known(CodeLang::JavaScript, "JavaScript/2", "const truncateNumber = (number) => {\n");
        let function = "const truncateNumber = (number) => {\n  return number % 1.0;\n}";
        for response in [
            format!("```js\n{function}\n\nconsole.log(truncateNumber(3.5));\n```"),
            format!("```js\nexport {function}\n```"),
        ] {
            check(&js, "JavaScript/2", &response, function);
        }
        let go = known(CodeLang::Go, "Go/2", "func TruncateNumber(number float64) float64 {\n");
        let function = "func TruncateNumber(number float64) float64 {\n    return math.Mod(number, 1)\n}";
        check(
            &go,
            "Go/2",
            &format!("```go\npackage main\n\nimport (\n\t\"math\"\n\t\"testing\"\n)\n\n{function}\n```"),
            function,
        );
        // Of one that is called a continuation, the published evaluator gets the fence, too.
        let fenced = format!("```go\n{function}\n```");
        let line = serde_json::json!({"task_id": "Go/2", "generation": fenced}).to_string();
        let output = read_as(line.as_bytes(), &go).0.remove(0);
        assert_eq!((output.code.trim(), output.prompt), ("return math.Mod(number, 1)\n}", None));
        assert_eq!(output.published_text, Some(PublishedText { prompt: None, generation: fenced.clone() }));
        assert_eq!(output.raw, Some(fenced));
        // Of a collected one, the response is known.
        let line = r#"{"task_id": "Go/2", "generation": "  return 1\n}", "response": "<think>x</think>y"}"#;
        assert_eq!(read_as(line.as_bytes(), &go).0[0].raw.as_deref(), Some("<think>x</think>y"));
    }

    #[test]
    fn problems_have_their_line() {
        let check = |bytes: &[u8], expected: &[&str]| {
            let (_, problems) = read_all(bytes);
            assert_eq!(problems.len(), expected.len(), "{problems:?}");
            for (problem, expected) in problems.iter().zip(expected) {
                assert!(problem.contains(expected), "{problem} does not say {expected}");
            }
        };
        let good = r#"{"task_id": 1, "code": "x"}"#;
        check(b"", &["a.jsonl: the file is empty. "]);
        check(b"\n \r\n", &["only blank lines"]);
        check(
            format!("{good}\n{{\"task_id\": 2,}}\n{good}").as_bytes(),
            &["a.jsonl, line 2: the line is not valid JSON: trailing comma"],
        );
        check(format!("\n\n[{good}]").as_bytes(), &["line 3: the line is a JSON array"]);
        check(b"true", &["not a JSON object"]);
        check(b"{\"task_id\": 1,\r\n", &["EOF while parsing a value, at column 14"]);
        check(b"{\"task_id\": 1, \"code\": \"x", &["EOF while parsing a string, at column"]);
        check(br#"{"code": "x"}"#, &["the field \"task_id\" is missing"]);
        check(br#"{"task_id": 1.5, "code": "x"}"#, &["\"task_id\" is a fraction"]);
        check(br#"{"task_id": null, "code": "x"}"#, &["\"task_id\" is null"]);
        check(br#"{"task_id": " ", "code": "x"}"#, &["\"task_id\" is empty"]);
        check(br#"{"task_id": 1, "answer": "x"}"#, &["has \"answer\", a field of another tool"]);
        check(br#"{"task_id": 1, "generations": ["x", "y"]}"#, &["has \"generations\", a list of 2"]);
        check(
            br#"{"task_id": 1, "code": "NaN", "score": NaN}"#,
            &["the value of \"score\" is NaN, which JSON does not have"],
        );
        check(br#"{"task_id": 1, "p": [0.5, -Infinity], "code": "x"}"#, &["the value of \"p\" is -Infinity"]);
        check(br#"{"task_id": 1, "code": "\"NaN\" }"#, &["not valid JSON: EOF"]);
        check(br#"{"task_id": 1}"#, &["none of the fields \"code\", \"generation\" and \"completion\""]);
        check(br#"{"task_id": 1, "code": "x", "generation": "y"}"#, &["both \"code\" and \"generation\""]);
        check(br#"{"task_id": 1, "code": null}"#, &["\"code\" is null, not a string"]);
        check(br#"{"task_id": 1, "code": ["x"]}"#, &["\"code\" is an array"]);
        check(br#"{"task_id": 1, "code": "x", "raw_nl": 3}"#, &["\"raw_nl\" is a number"]);
        check(br#"{"task_id": 1, "code": "x", "code": "y"}"#, &["the field \"code\" appears twice"]);
        check(b"{\"task_id\": 1, \"code\": \"\xe4\xff\"}", &["byte 25 of the line (0xE4) is not UTF-8"]);
        check(b"\xff\xfe{\0", &["UTF-16"]);
        check(br#"{"task_id": 1, "code": "\ud800"}"#, &["not valid JSON"]);
        let long = format!("{{\"task_id\": 1, \"code\": \"{}\"}}\n{good}\n[]", "x".repeat(LONGEST_CODE + 1));
        check(long.as_bytes(), &["line 1: \"code\" is longer than 256 KiB", "line 3: "]);
        let longer = format!("{}\n[]", "x".repeat(lines::LONGEST_LINE + 1));
        check(longer.as_bytes(), &["line 1: the line is longer than 2 MiB", "line 2: "]);
        let mut packed = gzip(format!("{good}\n").repeat(5000).as_bytes());
        packed.truncate(packed.len() / 2);
        check(&packed, &["the gzip file is incomplete"]);
        let mut packed = gzip(format!("{good}\n").as_bytes());
        let end = packed.len();
        packed[end - 6] ^= 0xff;
        check(&packed, &["the gzip file is damaged"]);
    }
}
