//! Tests of `matching.rs`.

use model::code_lang::CodeLang;

use super::*;
use crate::outputs;

fn line(line: u64, label: &str) -> FileLine {
    FileLine { line, label: label.to_owned() }
}

fn java() -> outputs::Asked {
    outputs::Asked { langs: vec![CodeLang::Java], ..Default::default() }
}

fn scan(tasks: &[(&str, &str)], file: &str, asked: Matching) -> Summary {
    let tasks = Tasks::new(tasks.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned(), CodeLang::Java)));
    let finder = LeakFinder::new([]);
    let mut scan = Scan::new(&tasks, &finder);
    outputs::read("f.jsonl", file.as_bytes(), &java(), |line| scan.push(line));
    scan.finish(asked)
}

const TASKS: [(&str, &str); 3] = [("0", "Adds two numbers."), ("1", "Closes the reader"), ("12", "Sorts.")];

#[test]
fn matches_by_id_or_description() {
    let check = |lines: &[&str], asked, matching, matched, reason: &str| {
        let summary = scan(&TASKS, &lines.join("\n"), asked);
        assert_eq!((summary.matching, summary.matched), (matching, matched), "{lines:?}: {}", summary.reason);
        assert!(summary.reason.en.contains(reason), "{}", summary.reason);
    };
    let by_id =
        [r#"{"task_id": 0, "code": "a"}"#, r#"{"task_id": "Java/12", "code": "b"}"#, r#"{"task_id": 7, "code": "c"}"#];
    check(&by_id, Matching::Auto, Matching::TaskId, 2, "2 of 3 lines have a task ID");
    check(&by_id, Matching::Description, Matching::Description, 0, "");
    let other_ids = [
        r#"{"task_id": 1, "raw_nl": "Adds  two\nnumbers. ", "code": "a"}"#,
        r#"{"task_id": 0, "raw_nl": "Sorts.", "code": "b"}"#,
        r#"{"task_id": 12, "raw_nl": "Something else", "code": "b"}"#,
    ];
    check(&other_ids, Matching::Auto, Matching::Description, 2, "the description differs for 3 of 3 known IDs");
    check(&other_ids, Matching::TaskId, Matching::TaskId, 3, "");
    let reworded = [
        r#"{"task_id": 0, "raw_nl": "Adds two numbers.", "code": "a"}"#,
        r#"{"task_id": 1, "raw_nl": "Closes the Reader.", "code": "b"}"#,
    ];
    check(&reworded, Matching::Auto, Matching::TaskId, 2, "The description differs from the dataset for 1 of them");
    let strange_ids = [r#"{"task_id": "x9", "raw_nl": "Sorts.", "code": "a"}"#];
    check(&strange_ids, Matching::Auto, Matching::Description, 1, "No task ID belongs to this dataset");
}

#[test]
fn an_id_of_another_language_finds_nothing() {
    let find = |ids: &[&str], lang: CodeLang, id: &str| {
        Tasks::new(ids.iter().map(|id| ((*id).to_owned(), String::new(), lang))).by_task_id(id)
    };
    let cpp = ["CPP/0", "CPP/1"];
    assert_eq!(find(&cpp, CodeLang::Cpp, "CPP/1"), Some(1));
    for other in ["Python/1", "1", "cpp/1", "CPP/2"] {
        assert_eq!(find(&cpp, CodeLang::Cpp, other), None, "{other}");
    }
    let numbers = ["0", "1"];
    assert_eq!(find(&numbers, CodeLang::Java, "Java/1"), Some(1));
    assert_eq!(find(&numbers, CodeLang::Java, "AixBench/1"), Some(1));
    assert_eq!(find(&numbers, CodeLang::Java, "Python/1"), None);
    assert_eq!(find(&numbers, CodeLang::JavaScript, "JavaScript/1"), Some(1));
}

#[test]
fn preview_reports_every_finding() {
    let summary = scan(
        &TASKS,
        &[
            r#"{"task_id": 0, "code": "a"}"#,
            "",
            r#"{"task_id": 0, "code": "a"}"#,
            r#"{"task_id": 0, "code": "b // by ChatGPT"}"#,
            r#"{"task_id": 1, "generation": " \n"}"#,
            r#"{"task_id": 9, "code": "c"}"#,
            "oops",
        ]
        .join("\n"),
        Matching::Auto,
    );
    assert_eq!((summary.lines, summary.matched, summary.covered), (6, 4, 2));
    assert_eq!(summary.shapes, [(Shape::Aixbench, 4), (Shape::HumanEvalX, 1)]);
    assert_eq!(summary.missing.first, ["12"]);
    assert_eq!(summary.duplicates.first, [line(3, "0")]);
    assert_eq!(summary.empty.first, [line(5, "1")]);
    assert_eq!(summary.unknown.first, [line(6, "9")]);
    // The repeat is a sample, because the task has different outputs, too.
    assert_eq!((summary.sampled, summary.samples_max, summary.tasks_with_samples), (true, 3, 1));
    let twice = [r#"{"task_id": 0, "code": "a"}"#; 2].join("\n");
    let same = scan(&TASKS, &twice, Matching::Auto);
    assert_eq!((same.sampled, same.samples_max, same.duplicates.count), (false, 1, 1));
    let leaks = summary.identity_leaks;
    assert_eq!((leaks.count, leaks.first[0].line, leaks.first[0].name.as_str()), (1, 4, "ChatGPT"));
    assert_eq!((summary.problems.count, summary.problems.first[0].line), (1, Some(7)));
}

#[test]
fn lists_stay_short_and_counts_exact() {
    let file: String = (100..300).map(|id| format!("{{\"task_id\": {id}, \"code\": \"x\"}}\n")).collect();
    let summary = scan(&TASKS, &format!("{file}{}", "[]\n".repeat(70)), Matching::Auto);
    assert_eq!((summary.unknown.first.len(), summary.unknown.count), (PREVIEW_LIST, 200));
    assert_eq!((summary.problems.first.len(), summary.problems.count), (PREVIEW_LIST, 70));
}

#[test]
fn published_files_match_their_tasks() {
    let Some(folder) = prerequisites::aixbench_data() else { return };
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let tasks = |name: &str| {
        let of = |line: &str| {
            let task: serde_json::Value = serde_json::from_str(line).unwrap();
            (task["task_id"].to_string(), task["raw_nl"].as_str().unwrap().to_owned(), CodeLang::Java)
        };
        Tasks::new(text(name).lines().map(of))
    };
    let finder = LeakFinder::new([]);
    let check = |dataset: &str, file: &str, matching, matched, missing| {
        let tasks = tasks(dataset);
        let mut scan = Scan::new(&tasks, &finder);
        outputs::read(file, text(file).as_bytes(), &java(), |line| scan.push(line));
        let summary = scan.finish(Matching::Auto);
        assert_eq!((summary.matching, summary.matched, summary.missing.count), (matching, matched, missing));
        assert_eq!(summary.problems.count, 0);
    };
    check("dataset_autotest_nl.jsonl", "prediction.jsonl", Matching::TaskId, 175, 0);
    check("dataset_manual_nl.jsonl", "manual_outputs_aixcoder.jsonl", Matching::TaskId, 82, 79);
    check("dataset_manual_nl.jsonl", "prediction.jsonl", Matching::Description, 82, 79);
    check("dataset_autotest_nl.jsonl", "manual_outputs_aixcoder.jsonl", Matching::Description, 82, 93);
}
