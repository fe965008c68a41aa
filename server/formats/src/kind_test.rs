//! Tests of `kind.rs`.

use std::io::{Cursor, Write};

use super::*;

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn tar_gz(names: &[&str]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for name in names {
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        header.set_cksum();
        builder.append_data(&mut header, name, &b"x"[..]).unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}

const OUTPUT: &str = r#"{"task_id": 1, "raw_nl": "Sorts.", "code": "int a;"}"#;
const TASK: &str = r#"{"task_id": 1, "raw_nl": "Sorts."}"#;
const RATINGS: &str = "task_id,model,rater,correctness\n1,A,ada,4\n";
const RUBRIC: &str = "{\n  \"slug\": \"r\",\n  \"dimensions\": []\n}\n";

#[test]
fn files_are_recognized() {
    let check = |name: &str, bytes: &[u8], kind: Option<FileKind>| {
        assert_eq!(recognize(name, Cursor::new(bytes)), kind, "{name}: {}", String::from_utf8_lossy(bytes));
    };
    check("a.jsonl", OUTPUT.as_bytes(), Some(FileKind::Outputs));
    check("a.jsonl.gz", &gzip(OUTPUT.as_bytes()), Some(FileKind::Outputs));
    check("a.jsonl", format!("\u{feff}\r\n{TASK}\r\n").as_bytes(), Some(FileKind::Dataset));
    check("a.jsonl", br#"{"task_id": "Java/0", "prompt": "x", "canonical_solution": "y"}"#, Some(FileKind::Dataset));
    check("dataset.json", b"{\n\"format\": 1, \"slug\": \"a\",\n\"name\": {}}", Some(FileKind::Dataset));
    check("ratings.csv", RATINGS.as_bytes(), Some(FileKind::Ratings));
    check("ratings.txt", RATINGS.as_bytes(), Some(FileKind::Ratings));
    check("table.csv", b"a,b\n1,2\n", Some(FileKind::Csv));
    check("run-1.csv", b"run,task_id,model,verdict,passed\n", Some(FileKind::Verdicts));
    check("ratings.jsonl", br#"{"task_id": "1", "model": "A", "rater": "1"}"#, Some(FileKind::RatingLines));
    check("rubric.json", RUBRIC.as_bytes(), Some(FileKind::Rubric));
    check("a.json", format!("[{OUTPUT}]").as_bytes(), Some(FileKind::Array));
    check("a.json", format!("[\n{OUTPUT},\n{OUTPUT}\n]").as_bytes(), Some(FileKind::Array));
    check("a.json", b"[[\"x\", \"y\"], [\"z\"]]", Some(FileKind::Outputs));
    check("a.json", b"[\n  [\n    \"x\"\n  ],\n  []\n]\n", Some(FileKind::Outputs));
    let spread = OUTPUT.replace(", ", ",\n  ");
    check("a.json", spread.as_bytes(), Some(FileKind::SpreadObjects));
    check("a.json", format!("{spread}\n{spread}\n").as_bytes(), Some(FileKind::SpreadObjects));
    check("a.json.gz", &gzip(format!("{spread}\n{spread}").as_bytes()), Some(FileKind::SpreadObjects));
    check("paper.pdf", b"%PDF-1.7", Some(FileKind::Binary));
    check("a.jsonl", b"a\0b", Some(FileKind::Binary));
    check("bundle.zip", &zipped(&[("manifest.json", "{\"format\": \"aixgrade-bundle\"}")]), Some(FileKind::Bundle));
    check("a.zip", &zipped(&[("x/dataset.json", "{}"), ("x/tests/A.java", "")]), Some(FileKind::Dataset));
    check("a.zip", &zipped(&[("copilot/G12.java", "class G12 {}")]), Some(FileKind::Outputs));
    check("a.zip", &zipped(&[("out.jsonl", OUTPUT)]), Some(FileKind::Packed("out.jsonl".into())));
    check("a.xlsx", &zipped(&[("[Content_Types].xml", "")]), Some(FileKind::Binary));
    check("a.tgz", &tar_gz(&["d/tasks.jsonl", "d/dataset.json"]), Some(FileKind::Dataset));
    // Unrecognized files are left to the page's reader.
    check("a.jsonl", b"", None);
    check("a.jsonl", b"\n\n", None);
    check("a.jsonl", b"oops", None);
    check("a.jsonl", br#"{"task_id": 1}"#, None);
    check("a.jsonl", b"{\"task_id\": 1, \"code\": \"\xff\"}", None);
    check("a.jsonl", b"\xff\xfe{\0", None);
    check("a.jsonl", b"[1, 2]", None);
    check("a.zip", b"no archive", None);
    check("a.jsonl.gz", b"\x1f\x8b broken", None);
}

#[test]
fn refusal_names_the_page() {
    let check = |wanted: FileKind, name: &str, bytes: &[u8], refused: Option<(&str, Option<&str>)>| {
        let found = super::check(&wanted, name, Cursor::new(bytes)).err();
        let told = found.as_ref().map(|problem| (problem.to_string(), problem.page.as_deref()));
        match (&told, refused) {
            (None, None) => {}
            (Some((text, page)), Some((words, wanted_page))) => {
                assert!(text.contains(words), "{text}");
                assert_eq!(*page, wanted_page, "{text}");
            }
            _ => panic!("{told:?} for {name}, not {refused:?}"),
        }
    };
    let outputs = || FileKind::Outputs;
    check(outputs(), "a.jsonl", OUTPUT.as_bytes(), None);
    check(
        outputs(),
        "r.csv",
        RATINGS.as_bytes(),
        Some(("r.csv: the file contains ratings, not model outputs.", Some("/admin/upload/ratings"))),
    );
    check(outputs(), "t.jsonl", TASK.as_bytes(), Some(("contains a dataset", Some("/admin/datasets#import"))));
    let spread = OUTPUT.replace(", ", ",\n");
    check(outputs(), "a.json", spread.as_bytes(), Some(("JSON objects that span several lines", None)));
    check(outputs(), "g.json", b"[[\"x\"]]", None);
    check(outputs(), "r.json", b"[\"x\"]", Some(("a list of texts without task IDs", None)));
    check(outputs(), "r.json", RUBRIC.as_bytes(), Some(("contains a rubric", Some("/admin/rubrics"))));
    let bundle = zipped(&[("manifest.json", "{\"format\": \"aixgrade-bundle\"}")]);
    check(outputs(), "b.zip", &bundle, Some(("aixgrade report FILE", None)));
    check(FileKind::Ratings, "r.csv", RATINGS.as_bytes(), None);
    let both = b"task_id,model,response,correctness\n1,A,x,4\n";
    check(FileKind::Ratings, "r.csv", both, None);
    check(outputs(), "o.csv", both, None);
    check(outputs(), "o.csv", b"Nr;Answer\n1;x\n", None);
    check(FileKind::Ratings, "r.csv", b"Nr,Modell\n", None);
    check(FileKind::Ratings, "a.jsonl", OUTPUT.as_bytes(), Some(("model outputs, not ratings", Some("/admin/upload"))));
    check(FileKind::Dataset, "t.jsonl", TASK.as_bytes(), None);
    check(FileKind::Dataset, "a.jsonl", OUTPUT.as_bytes(), Some(("not a dataset", Some("/admin/upload"))));
    check(FileKind::Rubric, "r.json", RUBRIC.as_bytes(), None);
    check(FileKind::Rubric, "t.jsonl", TASK.as_bytes(), Some(("not a rubric", Some("/admin/datasets#import"))));
}
