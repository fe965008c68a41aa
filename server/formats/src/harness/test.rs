use std::{collections::HashMap, io::Cursor, sync::Arc};

use model::{code_lang::CodeLang, submission::Matching};
use proptest::prelude::*;

use super::*;
use crate::{
    chat::Wanted,
    humaneval,
    identity_leaks::LeakFinder,
    kind::{self, FileKind},
    matching::{Scan, Tasks},
    outputs::{KnownTasks, read_upload},
};

/// The fixtures, which the tools themselves wrote: see the README in each folder.
const FIXTURES: [(&str, &[u8]); 23] = [
    ("human-eval/samples.jsonl", include_bytes!("../../tests/fixtures/human-eval/samples.jsonl")),
    (
        "human-eval/samples.jsonl_results.jsonl",
        include_bytes!("../../tests/fixtures/human-eval/samples.jsonl_results.jsonl"),
    ),
    ("evalplus/samples.jsonl", include_bytes!("../../tests/fixtures/evalplus/samples.jsonl")),
    ("evalplus/samples.jsonl.zst", include_bytes!("../../tests/fixtures/evalplus/samples.jsonl.zst")),
    ("evalplus/samples_eval_results.json", include_bytes!("../../tests/fixtures/evalplus/samples_eval_results.json")),
    ("evalplus/tiny_temp_0.8.zip", include_bytes!("../../tests/fixtures/evalplus/tiny_temp_0.8.zip")),
    ("bigcode/generations_tiny.json", include_bytes!("../../tests/fixtures/bigcode/generations_tiny.json")),
    ("bigcode/references_tiny.json", include_bytes!("../../tests/fixtures/bigcode/references_tiny.json")),
    ("lm-eval/samples_tiny_code.jsonl", include_bytes!("../../tests/fixtures/lm-eval/samples_tiny_code.jsonl")),
    ("inspect/tiny.eval", include_bytes!("../../tests/fixtures/inspect/tiny.eval")),
    ("inspect/tiny.json", include_bytes!("../../tests/fixtures/inspect/tiny.json")),
    (
        "multipl-e/HumanEval_2_truncate_number.results.json.gz",
        include_bytes!("../../tests/fixtures/multipl-e/HumanEval_2_truncate_number.results.json.gz"),
    ),
    (
        "multipl-e/HumanEval_3_below_zero.json.gz",
        include_bytes!("../../tests/fixtures/multipl-e/HumanEval_3_below_zero.json.gz"),
    ),
    ("multipl-e/tiny-py.tar.gz", include_bytes!("../../tests/fixtures/multipl-e/tiny-py.tar.gz")),
    ("batches/openai_chat.jsonl", include_bytes!("../../tests/fixtures/batches/openai_chat.jsonl")),
    ("batches/openai_responses.jsonl", include_bytes!("../../tests/fixtures/batches/openai_responses.jsonl")),
    ("batches/anthropic.jsonl", include_bytes!("../../tests/fixtures/batches/anthropic.jsonl")),
    ("tables/outputs.csv", include_bytes!("../../tests/fixtures/tables/outputs.csv")),
    ("tables/outputs_snappy.parquet", include_bytes!("../../tests/fixtures/tables/outputs_snappy.parquet")),
    ("tables/outputs_zstd.parquet", include_bytes!("../../tests/fixtures/tables/outputs_zstd.parquet")),
    ("tables/outputs_gzip.parquet", include_bytes!("../../tests/fixtures/tables/outputs_gzip.parquet")),
    ("tables/other_columns.parquet", include_bytes!("../../tests/fixtures/tables/other_columns.parquet")),
    ("tables/semicolons.csv", include_bytes!("../../tests/fixtures/tables/semicolons.csv")),
];

fn fixture(path: &str) -> &'static [u8] {
    FIXTURES.iter().find(|(name, _)| *name == path).unwrap().1
}

/// The tasks that the fixtures have outputs for: whole functions, or continuations as in HumanEval-X.
fn asked(continued: bool) -> Asked {
    let tasks = [
        ("Python/2", "truncate_number", "def truncate_number(number: float) -> float:\n"),
        ("Python/3", "below_zero", "from typing import List\n\n\ndef below_zero(operations: List[int]) -> bool:\n"),
        ("S01", "add", "def add(a, b):\n"),
    ];
    let wanted = tasks.map(|(_, name, _)| Wanted { lang: CodeLang::Python, name: Some(name.into()) });
    let known = Tasks::new(tasks.map(|(id, name, _)| (id.to_owned(), format!("About {name}."), CodeLang::Python)));
    let humaneval = tasks.map(|(id, _, head)| {
        let prompt = format!("{head}    \"\"\"Text.\"\"\"\n");
        let task = serde_json::json!({"benchmark": "humaneval-x", "task_id": id, "prompt": prompt, "declaration": head,
            "test": "", "example_test": "", "canonical_solution": ""});
        serde_json::from_value(task).unwrap()
    });
    let humaneval = if continued { humaneval.into_iter().enumerate().collect() } else { HashMap::new() };
    let tasks = Some(Arc::new(KnownTasks { tasks: known, wanted: wanted.to_vec(), humaneval }));
    Asked { langs: vec![CodeLang::Python], continued, tasks, ..Asked::default() }
}

fn read(name: &str, bytes: &[u8], asked: &Asked) -> (Vec<OutputLine>, Vec<Problem>, bool) {
    let (mut outputs, mut problems) = (Vec::new(), Vec::new());
    let complete = read_upload(name, Cursor::new(bytes), asked, |line| match line {
        Ok(output) => outputs.push(output),
        Err(problem) => problems.push(problem),
    });
    (outputs, problems, complete)
}

/// The name of the file, without what names the tool: files are recognized by their content.
fn plain_name(path: &str) -> &str {
    if path.ends_with(".tar.gz") { "x.tar.gz" } else { "x" }
}

#[test]
fn every_fixture_is_read_by_its_content_alone() {
    let others = ["bigcode/references_tiny.json", "tables/outputs_gzip.parquet", "tables/other_columns.parquet"];
    let others = [&others[..], &["tables/semicolons.csv"]].concat();
    for (path, bytes) in FIXTURES.iter().filter(|(path, _)| !others.contains(path)) {
        for continued in [false, true] {
            let asked = asked(continued);
            let (outputs, problems, complete) = read(plain_name(path), bytes, &asked);
            let failed = path.starts_with("batches/") || path.ends_with(".parquet");
            assert_eq!((problems.is_empty(), complete), (!failed, true), "{path}: {problems:?}");
            assert!(!outputs.is_empty(), "{path}");
            let known = asked.tasks.as_deref().unwrap();
            for output in &outputs {
                assert!(known.tasks.find(output, Matching::TaskId).is_some(), "{path}: {}", output.task_id);
                assert!(!output.code.contains("```"), "{path}: {}", output.code);
                assert!(output.line > 0 || output.file.is_some(), "{path}");
            }
        }
        assert_eq!(kind::check(&FileKind::Outputs, plain_name(path), Cursor::new(bytes)), Ok(()), "{path}");
    }
}

/// The task, the epoch, the verdict and the tool's words of every output.
fn verdicts(outputs: &[OutputLine]) -> Vec<(&str, Option<u32>, Option<bool>, &str)> {
    let one = |output: &'_ OutputLine| {
        let reported = output.reported.as_ref();
        let passed = reported.and_then(|of| of.verdict).map(|verdict| verdict.passed);
        (reported.and_then(|of| of.epoch), passed)
    };
    let words = |output: &'_ OutputLine| output.reported.as_ref().and_then(|of| of.detail.clone());
    outputs
        .iter()
        .map(|output| {
            let (epoch, passed) = one(output);
            (&*output.task_id, epoch, passed, &*words(output).unwrap_or_default().leak())
        })
        .collect()
}

#[test]
fn verdicts_and_samples_come_along() {
    let check = |path: &str, expected: &[(&str, Option<u32>, Option<bool>, &str)]| {
        let (outputs, problems, _) = read(path, fixture(path), &asked(false));
        assert_eq!(problems, [], "{path}");
        assert_eq!(verdicts(&outputs), expected, "{path}");
    };
    let (two, three, yes, no) = ("HumanEval/2", "HumanEval/3", Some(true), Some(false));
    check(
        "human-eval/samples.jsonl",
        &[(two, None, None, ""), (two, None, None, ""), (three, None, None, ""), (three, None, None, "")],
    );
    check(
        "human-eval/samples.jsonl_results.jsonl",
        &[
            (two, None, yes, "passed"),
            (two, None, no, "failed: invalid syntax (<string>, line 3)"),
            (three, None, yes, "passed"),
            (three, None, no, "failed:"),
        ],
    );
    check(
        "evalplus/samples_eval_results.json",
        &[
            (two, Some(1), yes, "base pass, plus fail"),
            (two, Some(2), yes, "base pass, plus pass"),
            (three, Some(1), yes, "base pass, plus pass"),
            (three, Some(2), no, "base fail, plus fail"),
        ],
    );
    let samples = [(two, Some(1)), (two, Some(2)), (three, Some(1)), (three, Some(2))];
    check("evalplus/tiny_temp_0.8.zip", &samples.map(|(task, sample)| (task, sample, None, "")));
    check(
        "lm-eval/samples_tiny_code.jsonl",
        &[
            (two, Some(1), yes, "pass_at_1: 1"),
            (two, Some(2), yes, "pass_at_1: 1"),
            ("S01", Some(1), None, "pass_at_1: 0.5"),
            ("S01", Some(2), None, "pass_at_1: 0.5"),
        ],
    );
    let inspect = [
        ("S01", Some(1), yes, "has_plus: C"),
        (two, Some(1), yes, "has_plus: C"),
        ("S01", Some(2), no, "has_plus: I"),
        (two, Some(2), no, "has_plus: I"),
    ];
    check("inspect/tiny.eval", &inspect);
    check("inspect/tiny.json", &[inspect[1], inspect[0], inspect[3], inspect[2]]);
    check(
        "multipl-e/tiny-py.tar.gz",
        &[
            ("Python/2", Some(1), yes, "OK"),
            ("Python/2", Some(2), no, "SyntaxError, exit code 1"),
            ("Python/3", Some(1), no, "Exception, exit code 1"),
            ("Python/3", Some(2), yes, "OK"),
        ],
    );
    check(
        "multipl-e/HumanEval_3_below_zero.json.gz",
        &[("Python/3", Some(1), None, ""), ("Python/3", Some(2), None, "")],
    );
    check(
        "bigcode/generations_tiny.json",
        &[
            ("Python/2", Some(1), None, ""),
            ("Python/2", Some(2), None, ""),
            ("Python/3", Some(1), None, ""),
            ("Python/3", Some(2), None, ""),
        ],
    );
}

#[test]
fn texts_become_code() {
    let check = |path: &str, continued: bool, at: usize, code: &str| {
        let (outputs, _, _) = read(path, fixture(path), &asked(continued));
        assert_eq!(outputs[at].code.trim_end(), code.trim_end(), "{path}, continued {continued}");
    };
    let whole = "def truncate_number(number: float) -> float:\n    return number % 1\n";
    let described = "def truncate_number(number: float) -> float:\n    \"\"\"Return what stands after the point.\"\"\"\n    return number % 1\n";
    check("human-eval/samples.jsonl", true, 0, "    return number % 1\n");
    check("evalplus/samples.jsonl.zst", false, 0, whole);
    check("evalplus/samples.jsonl", true, 0, "    return number % 1\n");
    check("evalplus/samples_eval_results.json", false, 0, whole);
    check("bigcode/generations_tiny.json", false, 0, described);
    check("lm-eval/samples_tiny_code.jsonl", true, 0, "    return number % 1\n");
    check("lm-eval/samples_tiny_code.jsonl", false, 0, described);
    check("multipl-e/tiny-py.tar.gz", false, 0, described);
    check("multipl-e/HumanEval_2_truncate_number.results.json.gz", false, 0, described);
    check("inspect/tiny.eval", false, 0, "def add(a, b):\n    return a + b\n");
    check("inspect/tiny.json", true, 0, "    return number % 1\n");
}

#[test]
fn what_inspect_and_batches_say_of_an_output_is_kept() {
    let check =
        |path: &str, at: usize, model: &str, tokens: (u32, u32), reasoning: Option<&str>, end_by: Option<&str>| {
            let (outputs, _, _) = read(path, fixture(path), &asked(false));
            let output = &outputs[at];
            let reported = output.reported.as_ref().unwrap();
            assert_eq!(
                (reported.model.as_deref(), reported.input_tokens.zip(reported.output_tokens)),
                (Some(model), Some(tokens)),
                "{path}"
            );
            assert_eq!((output.reasoning.as_deref(), output.end_by.as_deref()), (reasoning, end_by), "{path}");
        };
    let (sum, stop) = (Some("Two numbers, so sum works."), Some("stop"));
    for (path, [first, thought, cut_off]) in [("inspect/tiny.eval", [0, 2, 3]), ("inspect/tiny.json", [1, 3, 2])] {
        check(path, first, "mockllm/model", (11, 14), None, stop);
        check(path, thought, "mockllm/model", (11, 12), sum, stop);
        check(path, cut_off, "mockllm/model", (11, 14), None, Some("max_tokens"));
    }
    check("batches/openai_chat.jsonl", 0, "gpt-x-2026", (20, 30), None, stop);
    check("batches/openai_responses.jsonl", 0, "gpt-x-2026", (20, 30), sum, None);
    check("batches/anthropic.jsonl", 0, "claude-x", (20, 30), sum, Some("end_turn"));
}

#[test]
fn invalid_numbers_of_tokens_are_refused() {
    let check = |path: &str, written: &str, value: &str, expected: Option<&str>| {
        let text = String::from_utf8(fixture(path).to_vec()).unwrap();
        assert!(text.contains(written), "{path}");
        let changed = text.replacen(written, value, 1);
        let (outputs, problems, _) = read(path, changed.as_bytes(), &asked(false));
        let problem = problems.iter().find(|one| one.line == Some(1)).map(|one| one.what.clone());
        assert_eq!(problem.is_some(), expected.is_some(), "{path}: {value}: {problem:?}");
        assert!(expected.is_none_or(|expected| problem.unwrap().contains(expected)), "{path}: {value}");
        assert_eq!(outputs.iter().any(|output| output.line == 1), expected.is_none(), "{path}: {value}");
    };
    let chat = "batches/openai_chat.jsonl";
    for (value, expected) in [("null", None), ("4294967295", None)] {
        check(chat, r#""prompt_tokens": 20"#, &format!(r#""prompt_tokens": {value}"#), expected);
    }
    for value in ["-1", "1.5", "\"20\"", "4294967296", "99999999999999999999"] {
        let expected = Some(r#""prompt_tokens" in "usage" is not a number of tokens"#);
        check(chat, r#""prompt_tokens": 20"#, &format!(r#""prompt_tokens": {value}"#), expected);
    }
    let expected = Some(r#""output_tokens" in "usage" is not a number of tokens"#);
    check("batches/anthropic.jsonl", r#""output_tokens": 30"#, r#""output_tokens": []"#, expected);
    // A status that is not a number does not mean success.
    check(chat, r#""status_code": 200"#, r#""status_code": "500""#, Some("the request failed"));
}

/// Our columns with those of the file that an admin chose for them.
fn chosen(columns: &[(&str, &str)]) -> Asked {
    let columns = columns.iter().map(|(ours, theirs)| ((*ours).to_owned(), (*theirs).to_owned()));
    Asked { columns: columns.collect(), ..asked(false) }
}

#[test]
fn tables_are_read_by_their_columns() {
    let check = |path: &str, asked: &Asked, expected: &[(&str, Option<bool>, &str, &str)], failed: &[&str]| {
        let (outputs, problems, complete) = read(path, fixture(path), asked);
        assert!(complete, "{path}: {problems:?}");
        let found = outputs.iter().map(|output| {
            let verdict = output.reported.as_ref().and_then(|of| of.verdict).map(|verdict| verdict.passed);
            let words = output.reported.as_ref().and_then(|of| of.detail.as_deref()).unwrap_or_default();
            (&*output.task_id, verdict, words, output.code.lines().next().unwrap_or_default())
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{path}");
        assert_eq!(problems.len(), failed.len(), "{path}: {problems:?}");
        for (problem, words) in problems.iter().zip(failed) {
            assert!(problem.to_string().contains(words), "{problem} does not say {words}");
        }
    };
    let (two, three) = ("HumanEval/2", "HumanEval/3");
    let (truncate, below) = ("def truncate_number(number):", "def below_zero(operations):");
    check(
        "tables/outputs.csv",
        &asked(false),
        &[(two, Some(true), "passed", truncate), (three, Some(false), "AssertionError", below), ("S01", None, "", "")],
        &[],
    );
    for path in ["tables/outputs_snappy.parquet", "tables/outputs_zstd.parquet"] {
        let rows =
            [(two, Some(true), "", truncate), (three, Some(false), "", below), ("S01", None, "", "def add(a, b):")];
        check(path, &asked(false), &rows, &["[2]: the row has no output"]);
    }
    let mapped = chosen(&[("task_id", "Nr"), ("code", "Answer")]);
    check("tables/other_columns.parquet", &mapped, &[("2", None, "", truncate), ("3", None, "", below)], &[]);
    let mapped = chosen(&[("task_id", "Nr"), ("code", "Answer; of the model")]);
    let rows = [("Python/2", None, "", truncate), ("Python/3", None, "", below)];
    check("tables/semicolons.csv", &mapped, &rows, &[]);
}

#[test]
fn tables_without_the_columns_are_refused() {
    let check = |name: &str, bytes: &[u8], asked: &Asked, expected: &[&str]| {
        let (outputs, problems, complete) = read(name, bytes, asked);
        assert!(outputs.is_empty() && !complete, "{name}");
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, words) in problems.iter().zip(expected) {
            assert!(problem.to_string().contains(words), "{problem} does not say {words}");
        }
    };
    let semicolons = fixture("tables/semicolons.csv");
    let both = [
        "no column for \"task_id\". Choose the column on the preview, or with --column OURS=THEIRS. The file has: Nr,",
    ];
    check("s.csv", semicolons, &asked(false), &[both[0], "no column for \"code\""]);
    let wrong = chosen(&[("task_id", "Nr"), ("code", "Antwort"), ("kode", "Nr")]);
    check("s.csv", semicolons, &wrong, &["the file has no column \"Antwort\"", "there is no column \"kode\" to map"]);
    let parquet = fixture("tables/other_columns.parquet");
    check("p", parquet, &asked(false), &["no column for \"task_id\""]);
    let lists = chosen(&[("code", "unused.list.element")]);
    check("p", fixture("tables/outputs_snappy.parquet"), &lists, &["has lists"]);
    check("p", fixture("tables/outputs_gzip.parquet"), &asked(false), &["snappy or zstd"]);
    check("p", b"PAR1", &asked(false), &["cannot be read"]);
    let row = "x".repeat(usize::try_from(document::LONGEST_ITEM).unwrap() + 1024 * 1024);
    let (_, problems, complete) = read("c.csv", format!("task_id,code\nS01,\"{row}").as_bytes(), &asked(false));
    assert!(!complete && problems[0].to_string().contains("one item is longer than 64 MiB"), "{problems:?}");
}

#[test]
fn the_columns_of_a_table_are_told() {
    let semicolons = "tables/semicolons.csv";
    let found = head(semicolons, Cursor::new(fixture(semicolons)), &table::Columns::new()).unwrap();
    assert_eq!(found.names, ["Nr", "Answer; of the model", "Note"]);
    let found = head("p", Cursor::new(fixture("tables/outputs_zstd.parquet")), &table::Columns::new()).unwrap();
    let fields = found.fields.iter().filter_map(|field| Some((field.name.as_str(), field.column.as_deref()?)));
    let expected = [("task_id", "problem_id"), ("code", "completion"), ("passed", "passed"), ("model", "model_name")];
    assert_eq!(fields.collect::<Vec<_>>(), expected);
    assert!(head("o.jsonl", Cursor::new(fixture("human-eval/samples.jsonl")), &table::Columns::new()).is_none());
}

#[test]
fn custom_ids_tell_the_task_and_the_sample() {
    let ids = ["Python/0", "Python/1", "S 1", "a_1", "a/1"];
    let tasks = Tasks::new(ids.map(|id| (id.to_owned(), "x".to_owned(), CodeLang::Python)));
    for (custom, expected) in [
        ("Python/0", Some("Python/0")),
        ("HumanEval/1", Some("Python/1")),
        ("HumanEval_1", Some("Python/1")),
        ("HumanEval-1-0", Some("Python/1")),
        ("HumanEval_1_sample_3", Some("Python/1")),
        ("HumanEval_1-s3", Some("Python/1")),
        ("Python_0", Some("Python/0")),
        ("S-1", Some("S 1")),
        ("S-1-7", Some("S 1")),
        // Which of the two is meant is unknown.
        ("a-1", None),
        ("a_1", Some("a_1")),
        ("Java_1", None),
        ("request-7", None),
        ("", None),
    ] {
        assert_eq!(tasks.by_custom_id(custom), expected, "{custom}");
    }
}

#[test]
fn references_tell_the_task_of_generations() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut lists: Vec<Vec<String>> = serde_json::from_slice(fixture("bigcode/generations_tiny.json")).unwrap();
    let mut references: Vec<String> = serde_json::from_slice(fixture("bigcode/references_tiny.json")).unwrap();
    lists.reverse();
    references.reverse();
    for (name, text) in [
        ("run/generations_tiny.json", serde_json::to_vec(&lists).unwrap()),
        ("run/references_tiny.json", serde_json::to_vec(&references).unwrap()),
    ] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, &text).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    let (outputs, problems, _) = read("x.zip", &bytes, &asked(false));
    assert_eq!(problems, []);
    let tasks: Vec<&str> = outputs.iter().map(|output| &*output.task_id).collect();
    assert_eq!(tasks, ["Python/3", "Python/3", "Python/2", "Python/2"]);
}

#[test]
fn problems_name_the_place_and_the_fix() {
    let check = |name: &str, bytes: &[u8], expected: &[&str]| {
        let (_, problems, _) = read(name, bytes, &asked(false));
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), expected.len(), "{shown:?}");
        for (problem, expected) in shown.iter().zip(expected) {
            assert!(problem.contains(expected), "{problem} does not say {expected}");
        }
    };
    check(
        "g.json",
        br#"[["x"], [], ["y"], ["z"]]"#,
        &["g.json [3][0]: the file has more lists than the dataset has tasks, 3"],
    );
    check("g.json", br#"[["x"], [null]]"#, &["g.json [1][0]: the output is not a string"]);
    check("g.json", br#"[["x"], ["y"#, &["the JSON document cannot be read: EOF"]);
    check("g.json", b"[[]]", &["the file contains no output"]);
    check("g.json", fixture("bigcode/references_tiny.json"), &["without task IDs, such as the references"]);
    let line = br#"{"task_id": "HumanEval/2", "solution": ["x", 3]}"#;
    check("e.jsonl", line, &["e.jsonl, line 1: \"solution\" is not a string"]);
    check("e.jsonl", br#"{"task_id": "HumanEval/2", "solution": []}"#, &["is an empty list"]);
    check("l.jsonl", br#"{"doc_id": 7, "doc": {}, "resps": [["x"]]}"#, &["line 1: \"doc\" has no \"task_id\""]);
    check("l.jsonl", br#"{"doc_id": 0, "doc": {"task_id": "S01"}, "resps": [[[-1.5, false]]]}"#, &["contains no text"]);
    let failed = br#"{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": "S01", "error": {"message": "boom"}}, {"id": null}]}"#;
    check(
        "i.json",
        failed,
        &[
            "i.json samples[0]: the sample ended with an error and has no output: boom",
            "i.json samples[1]: the sample has no ID",
        ],
    );
    check(
        "b.jsonl",
        br#"{"custom_id": "S01", "method": "POST", "url": "/v1", "body": {}}"#,
        &["is a request of a batch"],
    );
    let expired = br#"{"custom_id": "S01", "result": {"type": "expired"}}"#;
    check("b.jsonl", expired, &["the request failed and has no output: expired"]);
    let long = serde_json::json!([["x".repeat(outputs::LONGEST_CODE + 1)]]).to_string();
    check("g.json", long.as_bytes(), &["[0][0]: \"output\" is longer than 256 KiB"]);
    let mut cut = fixture("evalplus/samples.jsonl.zst").to_vec();
    cut.truncate(cut.len() - 9);
    check("e.jsonl.zst", &cut, &["the zstd file is incomplete"]);
}

/// The same program gets the same code and so the same verdict, whichever tool's file it comes in.
#[test]
fn canonical_solutions_are_the_same_in_every_file() {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let file = std::fs::File::open(data.join("humaneval_python.jsonl.gz")).unwrap();
    let (text, _) = crate::lines::unpacked(file);
    let tasks: Vec<humaneval::Task> = std::io::BufRead::lines(text)
        .map(|line| {
            let mut value: Value = serde_json::from_str(&line.unwrap()).unwrap();
            value["benchmark"] = "humaneval-x".into();
            serde_json::from_value(value).unwrap()
        })
        .collect();
    assert_eq!(tasks.len(), 164);
    let name = |task: &humaneval::Task| crate::chat::name(CodeLang::Python, &task.declaration).map(str::to_owned);
    let known = KnownTasks {
        tasks: Tasks::new(tasks.iter().map(|task| (task.task_id.clone(), task.prompt.clone(), CodeLang::Python))),
        wanted: tasks.iter().map(|task| Wanted { lang: CodeLang::Python, name: name(task) }).collect(),
        humaneval: tasks.iter().cloned().enumerate().collect(),
    };
    let langs = vec![CodeLang::Python];
    let asked = Asked { langs, continued: true, tasks: Some(Arc::new(known)), ..Asked::default() };
    let lines = |line: &dyn Fn(&humaneval::Task, String) -> Value| {
        let of = |task: &humaneval::Task| line(task, task.task_id.replace("Python", "HumanEval")).to_string();
        tasks.iter().map(of).collect::<Vec<_>>().join("\n")
    };
    let whole = |task: &humaneval::Task| format!("{}{}", task.prompt, task.canonical_solution);
    let multipl_e = lines(&|task, id| {
        let name = format!("{}_x", id.replace('/', "_"));
        let completions = [&task.canonical_solution];
        serde_json::json!({"name": name, "language": "py", "prompt": task.prompt, "tests": "", "completions": completions})
    });
    let files = [
        ("human-eval", lines(&|task, id| serde_json::json!({"task_id": id, "completion": task.canonical_solution}))),
        ("evalplus", lines(&|task, id| serde_json::json!({"task_id": id, "solution": whole(task)}))),
        ("bigcode", serde_json::json!(tasks.iter().map(|task| [whole(task)]).collect::<Vec<_>>()).to_string()),
        (
            "lm-eval",
            lines(&|task, id| {
                let doc = serde_json::json!({"task_id": id});
                serde_json::json!({"doc_id": 0, "doc": doc, "resps": [[task.canonical_solution]]})
            }),
        ),
        ("multipl-e", multipl_e),
        (
            "table",
            lines(&|task, id| {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                Value::String(format!("{id},{}", quoted(&task.canonical_solution)))
            }),
        ),
    ];
    for (tool, text) in files {
        let text = match tool {
            "table" => {
                let rows = text.lines().map(|row| serde_json::from_str::<String>(row).unwrap());
                std::iter::once("task_id,code".to_owned()).chain(rows).collect::<Vec<_>>().join("\n")
            }
            _ => text,
        };
        let (outputs, problems, _) = read("x", text.as_bytes(), &asked);
        assert_eq!((outputs.len(), problems.len()), (164, 0), "{tool}: {problems:?}");
        for (output, task) in outputs.iter().zip(&tasks) {
            let made = format!("{}{}", output.prompt.as_deref().unwrap_or(&task.prompt), output.code);
            let squeezed = |text: String| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(squeezed(made), squeezed(whole(task)), "{tool}: {}", task.task_id);
        }
    }
}

#[test]
fn numbers_that_are_none_are_read() {
    let log = br#"{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [
        {"id": "S01", "scores": {"a": {"value": NaN}, "b": {"value": -Infinity}, "c": {"value": "C"}},
         "output": {"choices": [{"message": {"content": "x = \"NaN\" # -Infinity \\"}}]}}]}"#;
    let (outputs, problems, _) = read("i.json", log, &asked(false));
    assert_eq!(problems, []);
    assert_eq!(outputs[0].code, "x = \"NaN\" # -Infinity \\");
    assert_eq!(verdicts(&outputs), [("S01", None, Some(true), "c: C")]);
}

#[test]
fn answers_are_read_once_for_all_filters() {
    let line = |filter: &str| {
        let doc = serde_json::json!({"task_id": "S01"});
        serde_json::json!({"doc_id": 0, "doc": doc, "resps": [["x"]], "filter": filter}).to_string()
    };
    let text = format!("{}\n{}\n", line("strict"), line("flexible"));
    assert_eq!(read("l.jsonl", text.as_bytes(), &asked(false)).0.len(), 1);
}

#[test]
fn files_in_another_language_match_nothing() {
    let text = br#"{"name": "HumanEval_2_truncate_number", "language": "js", "prompt": "", "tests": "", "completions": ["x"]}"#;
    let (outputs, _, _) = read("m.json", text, &asked(false));
    assert!(asked(false).tasks.unwrap().tasks.find(&outputs[0], Matching::TaskId).is_none());
}

#[test]
fn equal_samples_of_a_task_are_no_duplicates() {
    let text = br#"[["def truncate_number(n): return n % 1", "def truncate_number(n): return n % 1"]]"#;
    let asked = asked(false);
    let finder = LeakFinder::new([]);
    let mut scan = Scan::of_known(asked.tasks.as_deref().unwrap(), &finder);
    read_upload("g.json", Cursor::new(text), &asked, |line| scan.push(line));
    let summary = scan.finish(Matching::Auto);
    assert_eq!((summary.sampled, summary.samples_max, summary.stored()), (true, 2, 2));
}

/// A small file that expands to more than the limits does not take more memory or time than they allow.
#[test]
fn expanding_files_are_refused() {
    let huge = format!("[[\"{}\"]]", "x".repeat(usize::try_from(document::LONGEST_ITEM).unwrap() + 1));
    let packed = zstd::encode_all(huge.as_bytes(), 1).unwrap();
    let (outputs, problems, complete) = read("g.json.zst", &packed, &asked(false));
    assert!(outputs.is_empty() && !complete);
    assert!(problems[0].to_string().contains("one item is longer than 64 MiB"), "{problems:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged files give outputs or problems, and never a panic.
    #[test]
    fn damaged_files_are_reported(
        which in 0..FIXTURES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        continued: bool,
    ) {
        let (path, bytes) = FIXTURES[which];
        let mut bytes = bytes.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let (outputs, problems, _) = read(plain_name(path), &bytes, &asked(continued));
        prop_assert!(!outputs.is_empty() || !problems.is_empty());
        let _ = kind::check(&FileKind::Outputs, plain_name(path), Cursor::new(&bytes));
        for problem in problems {
            prop_assert!(!problem.remedy.is_empty());
        }
    }
}
