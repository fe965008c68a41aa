//! Model outputs in any of the shapes that benchmarks publish: JSON Lines, line by line, or an archive
//! with a Java class a task.

use std::io::{Read, Seek, SeekFrom};

use app::model::{problem::Problem, submission::Shape};

use super::{
    chat, classes,
    files::Files,
    lines::{self, Fault, Object},
};

/// The longest code accepted, in bytes: a hundred times the longest published output.
pub const LONGEST_CODE: usize = 256 * 1024;

/// One output of a file: a line, or a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    /// Its line's number, from 1; 0 where it is a file of an archive.
    pub line: u64,
    /// The file's name, where it is one of an archive.
    pub file: Option<String>,
    /// Its shape.
    pub shape: Shape,
    /// The task's id as the file has it.
    pub task_id: String,
    /// The task's description as the file has it.
    pub raw_nl: Option<String>,
    /// The code, without fences.
    pub code: String,
    /// What a chat answer said around it.
    pub said: String,
    /// The answer as it came, where that is more than the code.
    pub raw: Option<String>,
    /// Why generation stopped, where the file says so.
    pub end_by: Option<String>,
}

impl OutputLine {
    /// Whether it holds no code.
    pub fn is_empty(&self) -> bool {
        self.code.trim().is_empty()
    }
}

/// Reads whatever an upload is: an archive of classes, told by its name or its first bytes, or lines.
/// `each` is called for every output, and for whatever is wrong.
pub fn read_upload(name: &str, mut file: impl Read + Seek, each: impl FnMut(Result<OutputLine, Problem>)) {
    let lower = name.to_lowercase();
    let mut start = [0; 4];
    let zip = file.read_exact(&mut start).is_ok() && start == *b"PK\x03\x04" || lower.ends_with(".zip");
    let mut each = each;
    if let Err(e) = file.seek(SeekFrom::Start(0)) {
        return each(Err(Problem::new(
            name,
            (format!("the file cannot be read ({e})"), format!("无法读取文件（{e}）")),
            ("Upload it again", "请重新上传"),
        )));
    }
    let files = match zip {
        true => Files::zip(name, file),
        false if [".tar.gz", ".tgz"].iter().any(|end| lower.ends_with(end)) => Files::tar_gz(name, file),
        false => return read(name, file, each),
    };
    match files {
        Ok(files) => classes::read(&files, each),
        Err(problem) => each(Err(problem)),
    }
}

/// Reads a file of lines, plain or gzip. `each` is called for every line that is not blank.
pub fn read(file: &str, reader: impl Read, mut each: impl FnMut(Result<OutputLine, Problem>)) {
    lines::read(file, reader, |line, object| {
        each(object.and_then(|object| output(line, &object).map_err(|fault| lines::problem(file, line, fault))));
    });
}

const FIELDS: [(&str, Shape); 3] =
    [("code", Shape::Aixbench), ("generation", Shape::HumanEvalX), ("completion", Shape::CodeIfBench)];

fn output(line: u64, object: &Object) -> Result<OutputLine, Fault> {
    let task_id = object.task_id()?;
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
    let answer = object.text(field)?.unwrap_or_default();
    if answer.len() > LONGEST_CODE {
        return Err(Fault(
            (
                format!("\"{field}\" is longer than {} KiB", LONGEST_CODE / 1024),
                format!("“{field}”超过 {} KiB", LONGEST_CODE / 1024),
            )
                .into(),
            ("Shorten it, or remove the line", "请缩短，或删除该行").into(),
        ));
    }
    let chat::Answer { code, said } = chat::split(answer);
    Ok(OutputLine {
        line,
        file: None,
        shape,
        task_id,
        raw_nl: object.text("raw_nl")?.map(str::to_owned),
        raw: (code != answer).then(|| answer.to_owned()),
        code,
        said,
        end_by: object.text("end_by")?.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read_all(bytes: &[u8]) -> (Vec<OutputLine>, Vec<String>) {
        let (mut outputs, mut problems) = (Vec::new(), Vec::new());
        read("a.jsonl", bytes, |line| match line {
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
    fn says_what_is_wrong_where() {
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
