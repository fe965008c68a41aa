//! Model outputs in any of the published shapes: JSON Lines, line by line, or an archive with a Java class
//! per task.

use std::io::{self, Read, Seek, SeekFrom};

use model::{code_lang::CodeLang, conversation::AuthorVerdict, problem::Problem, submission::Shape};
use serde_json::Value;

use super::{
    chat, classes,
    conversations::{self, LineTurn, Placing, Turns},
    files::Files,
    lines::{self, Fault, Object},
    translation::{self, Fit, Pair},
};

/// Maximum length of code in bytes: a hundred times the longest published output.
pub const LONGEST_CODE: usize = 256 * 1024;

/// How the outputs of a file are read.
#[derive(Clone, Debug)]
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
}

/// One output of a file: a line, or a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    /// The line number, from 1; 0 for a file of an archive.
    pub line: u64,
    /// The file's name, for a file of an archive.
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
    /// Why generation stopped, if the file says so.
    pub end_by: Option<String>,
    /// The model's reasoning, if the file has it apart as a text.
    pub reasoning: Option<String>,
    /// The prompt, if the line has one and `generation` continues it ([`Asked::continued`]).
    pub prompt: Option<String>,
    /// Whether the prompt shows that the output is for another task of the benchmark, or another pair of languages.
    pub elsewhere: bool,
    /// The turn that it answers, if the tasks are conversations.
    pub turn: Option<LineTurn>,
    /// The verdict that the benchmark's authors published with it.
    pub author_verdict: Option<AuthorVerdict>,
}

impl OutputLine {
    /// Whether it contains no code.
    pub fn is_empty(&self) -> bool {
        self.code.trim().is_empty()
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
    let files = match archive {
        Some(Archive::Zip) => Files::zip(name, file),
        Some(Archive::TarGz) => Files::tar_gz(name, file),
        None => return read(name, file, asked, each),
    };
    match files {
        Ok(files) => {
            classes::read(&files, each);
            true
        }
        Err(problem) => {
            each(Err(problem));
            false
        }
    }
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

/// Reads a file of lines, plain or gzip. `each` is called for every line that is not blank. Returns whether the file was
/// read to its end.
pub fn read(file: &str, reader: impl Read, asked: &Asked, mut each: impl FnMut(Result<OutputLine, Problem>)) -> bool {
    let mut placing = asked.turns.as_ref().map(|turns| turns.placing(file));
    lines::read_any(file, reader, asked.turns.is_some(), |line, object| {
        each(object.and_then(|object| {
            output(line, &object, asked, placing.as_mut()).map_err(|fault| lines::problem(file, line, fault))
        }));
    })
}

const FIELDS: [(&str, Shape); 3] =
    [("code", Shape::Aixbench), ("generation", Shape::HumanEvalX), ("completion", Shape::CodeIfBench)];

fn output(line: u64, object: &Object, asked: &Asked, placing: Option<&mut Placing<'_>>) -> Result<OutputLine, Fault> {
    let task_id = match (object.text("namespace"), &placing) {
        // The repository level's name of a task.
        (Ok(Some(name)), Some(_)) if object.get("task_id").is_none() => name.to_owned(),
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
        (None, _) => {
            return Err(Fault(
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
            ));
        }
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
    let chat::Answer { code, surrounding_text } = match continued {
        true => chat::Answer { code: answer.to_owned(), surrounding_text: String::new() },
        false if placing.is_some() => conversations::cut_out(answer),
        false => chat::split(answer, &asked.langs),
    };
    let (turn, author_verdict) = match placing {
        Some(placing) => (Some(placing.turn(&task_id, object)?), conversations::author_verdict(object, &code)),
        None => (None, None),
    };
    Ok(OutputLine {
        line,
        file: None,
        shape,
        task_id,
        raw_nl: object.text("raw_nl")?.map(str::to_owned),
        raw: (code != answer).then(|| answer.to_owned()),
        code,
        surrounding_text,
        end_by: object.text("end_by")?.map(str::to_owned),
        // Other programs' files have other things under this name.
        reasoning: object.get("reasoning").and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned),
        // The published generator's text says the same as the task, and the output continues its end.
        prompt: prompt.filter(|_| fit != Some(Fit::Published)),
        elsewhere: fit == Some(Fit::Other),
        turn,
        author_verdict,
    })
}

fn within_limit<'a>(field: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.len() > LONGEST_CODE {
        return Err(Fault(
            (
                format!("\"{field}\" is longer than {} KiB", LONGEST_CODE / 1024),
                format!("“{field}”超过 {} KiB", LONGEST_CODE / 1024),
            )
                .into(),
            ("Shorten it, or remove the line", "请缩短，或删除该行").into(),
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read_all(bytes: &[u8]) -> (Vec<OutputLine>, Vec<String>) {
        read_as(bytes, &Asked { langs: vec![CodeLang::Java], continued: false, pair: None, turns: None })
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
            read_as(line, &Asked { langs: vec![CodeLang::Python], continued, pair: None, turns: None }).0.remove(0)
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
        assert_eq!(read_as(other, &Asked { langs: Vec::new(), continued: false, pair: None, turns: None }).1, [""; 0]);
        let wrong = read_as(other, &Asked { langs: Vec::new(), continued: true, pair: None, turns: None }).1;
        assert!(wrong[0].contains("\"prompt\" is an array"), "{wrong:?}");
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
