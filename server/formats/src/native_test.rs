//! Tests of `native.rs`.

use super::*;

const HEADER: &str = r#"{"format": 1, "slug": "mine", "name": {"en": "Mine"}, "tests_package": "org.example.t"}"#;
const TASKS: &str = r#"{"task_id": "A1", "raw_nl": "Adds.", "signature": "int add(int a)", "checks": ["tests", "human"], "tests": "A1Test"}
{"task_id": "A/2", "raw_nl": "打印小票", "checks": ["human"], "mood": "good"}"#;
const TEST: &str = "package org.example.t;\npublic final class A1Test {}\n";

fn files(header: &str, tasks: &str, test: &str) -> Files {
    let mut files = Files::named("mine");
    for (path, text) in [("d/dataset.json", header), ("d/tasks.jsonl", tasks), ("d/tests/A1Test.java", test)] {
        files.add(path, text.as_bytes().to_vec()).unwrap();
    }
    files
}

#[test]
fn reads_a_dataset() {
    let found = super::super::read(&files(HEADER, TASKS, TEST)).unwrap();
    let dataset = &found.datasets[0];
    assert_eq!((dataset.slug.as_str(), dataset.name.zh.as_str()), ("mine", "Mine"));
    assert_eq!(dataset.tasks[0].test_class.as_deref(), Some("org.example.t.A1Test"));
    assert_eq!(dataset.tasks[0].checks, Checks { human: true, tests: true });
    assert_eq!((dataset.tasks[1].nl_lang, dataset.tasks[1].test_class.as_deref()), (Lang::Zh, None));
    assert_eq!(dataset.tests.as_ref().unwrap().files.keys().collect::<Vec<_>>(), ["tests/A1Test.java"]);
    assert_eq!(found.notes, [""; 0]);
}

#[test]
fn says_what_is_wrong() {
    let check = |(header, tasks, test): (&str, &str, &str), expected: &str| {
        let problems = super::super::read(&files(header, tasks, test)).unwrap_err();
        let text: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert!(text.join("\n").contains(expected), "{text:?} does not say {expected}");
    };
    check(("{", TASKS, TEST), "dataset.json: the file does not follow the format");
    check((&HEADER.replace(": 1", ": 2"), TASKS, TEST), "format 2, but this version reads 1");
    check((&HEADER.replace("mine", "Mine!"), TASKS, TEST), "\"Mine!\" is not a valid slug");
    check((&HEADER.replace("mine", "aixbench-auto"), TASKS, TEST), "is reserved for a published benchmark");
    check((&HEADER.replace("mine", "humaneval-x-go"), TASKS, TEST), "is reserved for a published benchmark");
    let python = |task: &str| TASKS.replace(task, &format!("{task}, \"code_lang\": \"python\""));
    check((HEADER, &python("\"A1\""), TEST), "line 1: \"signature\" is not the head of a function in one line");
    let rust = python("\"A1\"").replace("python", "rust");
    check((HEADER, &rust, TEST), "line 1: \"signature\" is not the head of a function in one line");
    let open = rust.replace("int add(int a)", "fn add(a: i32) -> i32 {");
    check((HEADER, &open, TEST), "line 1: \"signature\" is not the head of a function in one line");
    check((HEADER, &open.replace(" {\"", "\""), TEST), "line 1: the file tests/A1Test.rs is missing");
    let def = python("\"A1\"").replace("int add(int a)", "def add(a)");
    check((HEADER, &def, TEST), "line 1: the file tests/A1Test.py is missing");
    check((HEADER, &python("\"A/2\"").replace("python", "Basic"), TEST), "line 2: \"code_lang\" is \"Basic\"");
    assert!(super::super::read(&files(HEADER, &python("\"A/2\""), TEST)).is_ok());
    check((&HEADER.replace("org.example.t", "aixgrade.api"), TASKS, TEST), "cannot be the package");
    check((HEADER, "", TEST), "tasks.jsonl: the file is empty");
    check((HEADER, &TASKS.replace("A1Test", "B1Test"), TEST), "line 1: the file tests/B1Test.java is missing");
    check((HEADER, &TASKS.replace("A1Test", "../A1Test"), TEST), "\"../A1Test\" is not a valid class name");
    check((HEADER, &TASKS.replace("\"signature\"", "\"sig\""), TEST), "line 1: the field \"signature\" is missing");
    check((HEADER, &TASKS.replace("[\"human\"]", "[\"machine\"]"), TEST), "line 2: \"checks\" contains \"machine\"");
    check((HEADER, &TASKS.replace("[\"human\"]", "[]"), TEST), "\"checks\" is empty");
    check((HEADER, &TASKS.replace("A/2", "A 2"), TEST), "\"A 2\" is not a valid task ID");
    check((HEADER, TASKS, "package other;"), "does not declare \"package org.example.t;\"");
}

#[test]
fn mentions_tests_that_no_task_names() {
    let mut files = files(HEADER, TASKS, TEST);
    files.add("d/tests/B2Test.java", TEST.into()).unwrap();
    let found = super::super::read(&files).unwrap();
    assert_eq!(found.notes, ["These test classes are not used by any task: B2Test.java."]);
}

#[test]
fn reads_test_programs_in_other_languages() {
    let tasks = r#"{"task_id": "G", "raw_nl": "Adds.", "signature": "func Add(a int) int", "code_lang": "go", "checks": ["tests"], "tests": "G1"}
{"task_id": "C", "raw_nl": "Adds.", "signature": "int add(int a)", "setup": "using namespace std;", "code_lang": "cpp", "checks": ["tests"], "tests": "C1"}
{"task_id": "R", "raw_nl": "Adds.", "signature": "fn add(a: i32) -> i32", "code_lang": "rust", "checks": ["tests"], "tests": "R1"}"#;
    let mut with = files(HEADER, tasks, TEST);
    let go = "package main\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {}\n";
    with.add("d/tests/G1.go", go.into()).unwrap();
    with.add("d/tests/C1.cpp", b"int main() {}\n".to_vec()).unwrap();
    with.add("d/reference/C1.cpp", b"int add(int a) { return a; }\n".to_vec()).unwrap();
    with.add("d/tests/R1.rs", b"#[test]\nfn test_add() {}\n".to_vec()).unwrap();
    let dataset = super::super::read(&with).unwrap().datasets.remove(0);
    let tests = dataset.tests.unwrap();
    assert_eq!((tests.kind, tests.files.len()), (TestKind::Programs, 0));
    let body = |at: usize| serde_json::from_str::<Value>(dataset.tasks[at].test_body.as_deref().unwrap()).unwrap();
    assert_eq!(body(0)["test_setup"], "package main\n\nimport \"testing\"\n\n");
    assert_eq!(
        (&body(0)["test"], &body(0)["prompt"]),
        (&"func TestAdd(t *testing.T) {}\n".into(), &"func Add(a int) int {\n".into())
    );
    assert_eq!(body(1)["prompt"], "using namespace std;\nint add(int a) {\n");
    assert_eq!((&body(2)["prompt"], &body(2)["declaration"]), (&"fn add(a: i32) -> i32 {\n".into(), &"".into()));
    assert_eq!(body(0)["canonical_solution"], "");
    assert_eq!(body(1)["canonical_solution"], "int add(int a) { return a; }\n");
    // Not next to test classes.
    let mut mixed = files(HEADER, &format!("{TASKS}\n{tasks}"), TEST);
    mixed.add("d/tests/G1.go", go.into()).unwrap();
    mixed.add("d/tests/C1.cpp", b"int main() {}\n".to_vec()).unwrap();
    mixed.add("d/tests/R1.rs", b"#[test]\nfn test_add() {}\n".to_vec()).unwrap();
    let problems = super::super::read(&mixed).unwrap_err();
    assert!(problems[0].to_string().contains("tests in Java and in other languages"), "{problems:?}");
}

#[test]
fn reads_the_starter_dataset() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/starter");
    let found = super::super::read(&Files::folder(&folder).unwrap()).unwrap();
    let dataset = &found.datasets[0];
    let count = |of: fn(&FoundTask) -> bool| dataset.tasks.iter().filter(|t| of(t)).count();
    assert_eq!((dataset.slug.as_str(), dataset.tasks.len()), ("starter", 40));
    assert_eq!((count(|t| t.checks.tests), count(|t| t.checks.human), count(|t| t.nl_lang == Lang::Zh)), (24, 28, 16));
    assert_eq!(found.notes, [""; 0]);
}
