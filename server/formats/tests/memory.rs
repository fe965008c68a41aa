//! Small files that unpack, repeat or refer to much must not make a reader use much memory: whatever a file of a foreign tool
//! says, its reader holds at most [`FIXED`] bytes and [`FACTOR`] times what the file unpacks to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]
mod counting;

use std::{
    collections::HashMap,
    io::{Cursor, Write},
    sync::Arc,
};

use counting::peak;
use formats::{
    chat::Wanted,
    files::Files,
    harness::{self, table::Columns},
    identity_leaks::LeakFinder,
    kind::{self, FileKind},
    matching::{Scan, Tasks},
    outputs::{self, Asked, KnownTasks},
    ratings,
};
use model::{code_lang::CodeLang, submission::Matching};

const FIXED: usize = 64 * 1024 * 1024;
const FACTOR: usize = 4;

/// Reads a file as an upload of outputs: as the server does before it records one, and for a preview.
fn read_outputs(name: &str, file: &[u8]) {
    let ids = (0..3).map(|at| (format!("Python/{at}"), format!("Task {at}."), CodeLang::Python));
    let wanted = (0..3).map(|at| Wanted { lang: CodeLang::Python, name: Some(format!("f{at}")) });
    let known = KnownTasks { tasks: Tasks::new(ids), wanted: wanted.collect(), humaneval: HashMap::new() };
    let known = Arc::new(known);
    let asked = Asked { langs: vec![CodeLang::Python], tasks: Some(known.clone()), ..Asked::default() };
    let _ = kind::check(&FileKind::Outputs, name, Cursor::new(file));
    let _ = harness::head(name, Cursor::new(file), &Columns::new());
    let finder = LeakFinder::new(["some-model"]);
    let mut scan = Scan::of_known(&known, &finder);
    let mut found = 0;
    outputs::read_upload(name, Cursor::new(file), &asked, |line| {
        found += 1;
        scan.push(line);
    });
    scan.finish(Matching::Auto);
    assert!(found > 0, "{name}");
}

fn read_dataset(name: &str, file: &[u8]) {
    let mut files = Files::named("dataset.zip");
    files.add(name, file.to_vec()).unwrap();
    let _ = kind::check(&FileKind::Dataset, name, Cursor::new(file));
    let _ = formats::read(&files);
}

fn read_ratings(name: &str, file: &[u8]) {
    let _ = kind::check(&FileKind::Ratings, name, Cursor::new(file));
    ratings::read(name, file, &formats::bundled::rubric().unwrap(), &Default::default(), false);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// A log of Inspect as a zip archive.
fn inspect(samples: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("header.json", options).unwrap();
    archive.write_all(b"{\"eval\":{\"model\":\"m\"}}").unwrap();
    for (at, sample) in samples.iter().enumerate() {
        archive.start_file(format!("samples/{at}_epoch_1.json"), options).unwrap();
        archive.write_all(sample.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Zip archive of one file.
fn zipped(name: &str, text: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

/// Parquet files that a writer would not make, in Thrift's compact protocol.
mod parquet {
    fn unsigned(mut number: u64, out: &mut Vec<u8>) {
        while number >= 0x80 {
            out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        out.push(u8::try_from(number).unwrap());
    }

    /// A field with a number: how much larger its ID is than that of the field before, and its type (5 or 6).
    fn number(step: u8, kind: u8, number: usize, out: &mut Vec<u8>) {
        out.push(step << 4 | kind);
        unsigned(number as u64 * 2, out);
    }

    fn list(step: u8, count: usize, element: u8, out: &mut Vec<u8>) {
        out.extend([step << 4 | 9, u8::try_from(count).unwrap() << 4 | element]);
    }

    fn text(text: &str, out: &mut Vec<u8>) {
        unsigned(text.len() as u64, out);
        out.extend(text.as_bytes());
    }

    /// A group of `rows` rows, which have the first value of a dictionary in every column. The dictionary's page is this one,
    /// and it says that it has `values` values.
    pub fn file(columns: &[&str], dictionary: &[u8], values: usize, rows: usize) -> Vec<u8> {
        let packed = zstd::bulk::compress(dictionary, 9).unwrap();
        let mut data = vec![1];
        unsigned(rows as u64 * 2, &mut data);
        data.push(0);
        let packed_data = zstd::bulk::compress(&data, 1).unwrap();
        let mut file = b"PAR1".to_vec();
        let mut chunks = Vec::new();
        for column in columns {
            let start = file.len();
            number(1, 5, 2, &mut file);
            number(1, 5, dictionary.len(), &mut file);
            number(1, 5, packed.len(), &mut file);
            file.push(4 << 4 | 12);
            number(1, 5, values, &mut file);
            number(1, 5, 0, &mut file);
            file.extend([0, 0]);
            file.extend(&packed);
            let at = file.len();
            number(1, 5, 0, &mut file);
            number(1, 5, data.len(), &mut file);
            number(1, 5, packed_data.len(), &mut file);
            file.push(2 << 4 | 12);
            [rows, 8, 3, 3].into_iter().for_each(|value| number(1, 5, value, &mut file));
            file.extend([0, 0]);
            file.extend(&packed_data);
            number(2, 6, start, &mut chunks);
            chunks.push(1 << 4 | 12);
            number(1, 5, 6, &mut chunks);
            list(1, 2, 5, &mut chunks);
            [0, 8].into_iter().for_each(|encoding| unsigned(encoding * 2, &mut chunks));
            list(1, 1, 8, &mut chunks);
            text(column, &mut chunks);
            number(1, 5, 6, &mut chunks);
            number(1, 6, rows, &mut chunks);
            number(1, 6, dictionary.len() + data.len() + 40, &mut chunks);
            number(1, 6, file.len() - start, &mut chunks);
            number(2, 6, at, &mut chunks);
            number(2, 6, start, &mut chunks);
            chunks.extend([0, 0]);
        }
        let mut footer = Vec::new();
        number(1, 5, 1, &mut footer);
        list(1, columns.len() + 1, 12, &mut footer);
        footer.push(4 << 4 | 8);
        text("m", &mut footer);
        number(1, 5, columns.len(), &mut footer);
        footer.push(0);
        for column in columns {
            number(1, 5, 6, &mut footer);
            number(2, 5, 0, &mut footer);
            footer.push(1 << 4 | 8);
            text(column, &mut footer);
            number(2, 5, 0, &mut footer);
            footer.push(0);
        }
        number(1, 6, rows, &mut footer);
        list(1, 1, 12, &mut footer);
        list(1, columns.len(), 12, &mut footer);
        footer.extend(chunks);
        number(1, 6, columns.len() * dictionary.len(), &mut footer);
        number(1, 6, rows, &mut footer);
        footer.extend([0, 0]);
        file.extend(&footer);
        file.extend(u32::try_from(footer.len()).unwrap().to_le_bytes());
        file.extend(b"PAR1");
        file
    }
}

/// Fails where a reader uses more than the limit for a file that unpacks to this many bytes.
#[derive(Default)]
struct Check {
    failed: Vec<String>,
}

impl Check {
    fn file(&mut self, what: &str, name: &str, file: &[u8], unpacked: usize, read: fn(&str, &[u8])) {
        let (peak, limit) = (peak(|| read(name, file)), FIXED + FACTOR * unpacked);
        let line = format!("{what}: {} KB in memory, {} KB allowed", peak / 1000, limit / 1000);
        println!("{line}");
        if peak > limit {
            self.failed.push(line);
        }
    }

    /// A text, which is read compressed.
    fn text(&mut self, what: &str, name: &str, text: &str) {
        self.file(what, name, &gzip(text), text.len(), read_outputs);
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        assert!(self.failed.is_empty(), "{:#?}", self.failed);
    }
}

const ALL: [&str; 6] = ["task_id", "code", "passed", "result", "model", "reasoning"];

#[test]
fn dictionaries_of_parquet_files() {
    let mut check = Check::default();
    // An empty text takes 4 bytes of the page.
    let empty = vec![0; 6_400_000];
    let file = parquet::file(&ALL, &empty, empty.len() / 4, 64);
    check.file("empty texts", "x", &file, 6 * empty.len(), read_outputs);
    let file = parquet::file(&ALL[..2], &empty, empty.len(), 64);
    check.file("more values than there are", "x", &file, 2 * empty.len(), read_outputs);
    // All rows have the same long text.
    let long = 256 * 1024_u32;
    let page = [&long.to_le_bytes()[..], &vec![b'a'; long as usize]].concat();
    let file = parquet::file(&ALL, &page, 1, 64);
    check.file("a long text for many rows", "x", &file, 6 * page.len(), read_outputs);
}

#[test]
fn cells_of_tables() {
    let mut check = Check::default();
    for quoted in ["x\"", "\"x\"\"", "x"] {
        let text = format!("task_id,code,{quoted}{}", ",".repeat(4_000_000));
        check.text(&format!("a header that begins with {quoted}"), "x.csv", &text);
        let row = format!("task_id,code\nPython/0,{quoted}{}", ",".repeat(4_000_000));
        check.text(&format!("a row that begins with {quoted}"), "x.csv", &row);
        let text = format!("task_id,model,rater,{quoted}{}", ",".repeat(4_000_000));
        check.file(&format!("ratings with {quoted}"), "x.csv", text.as_bytes(), text.len(), read_ratings);
        let text = format!("task_id;code;{quoted}{}", ";".repeat(4_000_000));
        check.text(&format!("semicolons behind {quoted}"), "x.csv", &text);
    }
    let text = format!("task_id,code,{}\n", "x".repeat(20_000_000));
    check.text("a long name of a column", "x.csv", &text);
    let text = format!("task_id,code\nPython/0,{}\n", "x".repeat(20_000_000));
    check.text("a long cell", "x.csv", &text);
}

#[test]
fn parts_that_are_named_many_times() {
    let mut check = Check::default();
    let part = r#"{"type":"text","text":"attachment://a"}"#;
    let thought = r#"{"type":"reasoning","reasoning":"attachment://a"}"#;
    for (part, count, size) in [(part, 50, 6_000_000), (thought, 50, 6_000_000), (part, 100_000, 1_000)] {
        let content = vec![part; count].join(",");
        let attachment = "a".repeat(size);
        let sample = format!(
            r#"{{"id":"Python/0","epoch":1,"output":{{"model":"m","choices":[{{"message":{{"content":[{content}]}}}}]}},"attachments":{{"a":"{attachment}"}}}}"#
        );
        let log = inspect(&[&sample]);
        check.file(&format!("{count} parts of a log"), "x.eval", &log, sample.len(), read_outputs);
        let whole = format!(r#"{{"version":2,"status":"success","eval":{{"model":"m"}},"samples":[{sample}]}}"#);
        check.text(&format!("{count} parts of a log as JSON"), "x.json", &whole);
    }
    // The model of a log is that of each sample.
    let samples = vec![r#"{"id":"Python/0","output":{"completion":"x"}}"#; 100].join(",");
    let model = "m".repeat(2_000_000);
    let whole = format!(r#"{{"version":2,"status":"success","eval":{{"model":"{model}"}},"samples":[{samples}]}}"#);
    check.text("a model's long name", "x.json", &whole);
}

#[test]
fn what_the_samples_of_an_item_share() {
    let mut check = Check::default();
    let empty = |count: usize| vec!["\"\""; count].join(",");
    let long = "a".repeat(500_000);
    let multipl_e = |name: &str, prompt: &str, samples: &str| {
        format!(r#"{{"name":"{name}","language":"py","prompt":"{prompt}","tests":"t","completions":[{samples}]}}"#)
    };
    check.text("MultiPL-E: prompt of a line", "x.jsonl", &multipl_e("HumanEval_0_x", &long, &empty(1_000)));
    check.text("MultiPL-E: name of a line", "x.jsonl", &multipl_e(&long, "p", &empty(1_000)));
    let prompt = "a".repeat(4_000_000);
    let document = format!(
        "{{\"name\":\"HumanEval_0_x\",\n\"language\":\"py\",\"tests\":\"t\",\"completions\":[{}],\"prompt\":\"{prompt}\"}}",
        empty(100)
    );
    check.text("MultiPL-E: prompt of a document", "x.json", &document);
    let short = "a".repeat(200_000);
    check.text("MultiPL-E: prompt within the limit", "x.jsonl", &multipl_e("HumanEval_0_x", &short, &empty(1_000)));
    let lm_eval =
        |id: &str, count: usize| format!(r#"{{"doc_id":0,"doc":{{"task_id":"{id}"}},"resps":[[{}]]}}"#, empty(count));
    check.text("lm-eval: long task ID", "x.jsonl", &lm_eval(&long, 1_000));
    check.text("lm-eval: task ID within the limit", "x.jsonl", &lm_eval(&"a".repeat(1_000), 60_000));
    let evalplus = |id: &str, count: usize| format!(r#"{{"task_id":"{id}","solution":[{}]}}"#, empty(count));
    check.text("EvalPlus: long task ID", "x.jsonl", &evalplus(&long, 1_000));
    check.text("EvalPlus: task ID within the limit", "x.jsonl", &evalplus(&"a".repeat(1_000), 60_000));
    let results = |id: &str, count: usize| {
        let judged = vec![r#"{"solution":""}"#; count].join(",");
        format!("{{\"hash\":\"x\",\"eval\":{{\"{id}\":[{judged}]}}}}")
    };
    check.text("EvalPlus: long name of results", "x.json", &results(&"a".repeat(2_000_000), 60));
    check.text("EvalPlus: name within the limit", "x.json", &results(&"a".repeat(1_000), 50_000));
    let choices = vec![r#"{"message":{"content":""}}"#; 1_000].join(",");
    let batch =
        format!(r#"{{"custom_id":"{long}","response":{{"status_code":200,"body":{{"choices":[{choices}]}}}}}}"#);
    check.text("OpenAI: long ID of a request", "x.jsonl", &batch);
}

#[test]
fn values_of_lines_and_items() {
    let mut check = Check::default();
    let objects = vec![r#"{"":0}"#; 240_000].join(",");
    check.text("objects of a line", "x.jsonl", &format!(r#"{{"task_id":"Python/0","code":"","x":[{objects}]}}"#));
    check.text("objects of a task's line", "x.jsonl", &format!(r#"{{"doc_id":0,"doc":[{objects}],"resps":[""]}}"#));
    let sample = |id: &str, content: &str, score: &str| {
        format!(
            r#"{{"id":{id},"scores":{{"s":{{"value":{score}}}}},"output":{{"choices":[{{"message":{{"content":{content}}}}}]}}}}"#
        )
    };
    let list = format!("[{objects}]");
    for (id, content, score) in [(&*list, "\"\"", "1"), ("1", &*list, "1"), ("1", "\"\"", &*list)] {
        let sample = sample(id, content, score);
        check.file("objects of a sample", "x.eval", &inspect(&[&sample]), sample.len(), read_outputs);
    }
    check.text("objects instead of a program", "x.json", &format!("[[[{objects}]]]"));
    check.text(
        "objects instead of a solution",
        "x.json",
        &format!(r#"{{"eval":{{"a":[{{"solution":[{objects}]}}]}},"hash":1}}"#),
    );
    // Answers that are JSON, also in texts of JSON.
    let objects = vec![r#"{"":0}"#; 35_000].join(",");
    let answer = format!(r#"{{"code":"f(1)","x":[{objects}]}}"#);
    let texts = format!(r#"{{"code":"f(1)","x":[{}]}}"#, vec![r#""""#; 85_000].join(","));
    let few = vec![r#"{"":0}"#; 10_000].join(",");
    let nested = (0..3).fold(format!(r#"{{"":[{few}]}}"#), |text, _| serde_json::json!({"code": text}).to_string());
    for answer in [answer, texts, nested] {
        let line = serde_json::json!({"task_id": "Python/0", "code": answer}).to_string();
        check.text("an answer in JSON", "x.jsonl", &vec![line; 20].join("\n"));
    }
    check.text("columns of no table", "x", &format!("a{}", ",a".repeat(1_000_000)));
}

#[test]
fn lines_of_datasets() {
    let mut check = Check::default();
    let first =
        r#"{"requirements":{"Code Standard":{"requirement":"r","unit_test":""}},"prompt":"p","test":"","task_id":1}"#;
    let objects = vec![r#"{"":0}"#; 450_000].join(",");
    let mut dataset = |what: &str, name: &str, text: &str| {
        check.file(what, name, text.as_bytes(), text.len(), read_dataset);
        check.file(what, "x.zip", &zipped(name, text), text.len(), |name, file| {
            let _ = kind::check(&FileKind::Dataset, name, Cursor::new(file));
            let _ = Files::zip(name, Cursor::new(file)).map(|files| formats::read(&files));
        });
    };
    dataset(
        "requirements of a second line",
        "L_1.jsonl",
        &format!("{first}\n{{\"requirements\":{{\"a\":[{objects}]}}}}"),
    );
    dataset("lines that are no objects", "L_1.jsonl", &format!("{first}\n{}", "x\n".repeat(1_000_000)));
    dataset("lines that are no tasks", "a.jsonl", &"{}\n".repeat(600_000));
    let tasks: String = (0..400_000).map(|at| format!("{{\"task_id\":{at},\"raw_nl\":\"x\"}}\n")).collect();
    dataset("tasks", "a.jsonl", &tasks);
    let text = "t".repeat(1_000_000);
    let turns = vec!["\"Code Standard\""; 1_000].join(",");
    let task = format!(
        r#"{{"requirements":{{"Code Standard":{{"requirement":"{text}","unit_test":""}}}},"prompt":"p","test":"","task_id":1,"multi-turn":[{turns}]}}"#
    );
    dataset("an instruction of many turns", "L_1.jsonl", &task);
    dataset("line breaks", "L_1.jsonl", &format!("{first}\n{}", "\n".repeat(10_000_000)));
}

#[test]
fn tests_that_many_tasks_name() {
    let mut check = Check::default();
    let task = |at: usize| {
        format!(
            r#"{{"task_id":"a{at}","raw_nl":"x","signature":"def f()","code_lang":"python","checks":["tests"],"tests":"T"}}"#
        )
    };
    let tasks = (0..2_000).map(task).collect::<Vec<_>>().join("\n");
    check.file("a test file", "tasks.jsonl", tasks.as_bytes(), tasks.len(), |name, tasks| {
        let mut files = Files::named("x");
        files.add(name, tasks.to_vec()).unwrap();
        files.add("dataset.json", br#"{"format":1,"slug":"x","name":{"en":"x"}}"#.to_vec()).unwrap();
        files.add("tests/T.py", vec![b'#'; 250 * 1024]).unwrap();
        let problems = formats::read(&files).unwrap_err();
        assert!(problems[0].to_string().contains("several tasks name the same file"), "{}", problems[0]);
    });
}

#[test]
fn names_that_many_columns_share() {
    use ::parquet::{file::writer::SerializedFileWriter, schema::parser::parse_message_type};
    let columns: String = (0..500).map(|at| format!("required int32 c{at}; ")).collect();
    let schema = format!("message m {{ required group {} {{ {columns} }} }}", "g".repeat(200_000));
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap().into_inner().unwrap();
    Check::default().file("columns of a group", "x", &file, file.len(), read_outputs);
}
