//! Tests of `codeif.rs`, with tasks of our own.

use super::*;

const TASK: &str = r#"{"prompt": "Write f.", "test": ["assert f() == 1"], "code": "def f(): return 1", "task_id": 11,
    "requirements": {"Exception Handling": {"requirement": "Raise.", "unit_test": "try: f(1)"},
        "Annotation Coverage": {"requirement": "Annotate.", "unit_test": ["import inspect", "assert 1"]},
        "Functionality Extension": {"requirement": "Add g.", "unit_test": ["assert g()"]}},
    "multi-turn": ["Annotation Coverage", "Functionality Extension"]}"#;

fn read_one(text: &str) -> Result<Found, Vec<Problem>> {
    let mut files = Files::named("x");
    files.add("function/L_1_part_1.jsonl", text.replace('\n', " ").into_bytes()).unwrap();
    files.add("README.md", b"# Title".to_vec()).unwrap();
    crate::read(&files)
}

#[test]
fn turns_follow_the_conversation_and_keep_the_listed_order() {
    let found = read_one(TASK).unwrap();
    let dataset = &found.datasets[0];
    assert!(dataset.slug.starts_with(SLUG) && dataset.slug.len() == SLUG.len() + 8, "{}", dataset.slug);
    assert!(found.notes[0].contains("no published file"), "{:?}", found.notes);
    let task = &dataset.tasks[0];
    let turns: Vec<_> = task.turns.iter().map(|turn| (turn.turn, turn.kind, turn.listed, turn.judged)).collect();
    assert_eq!(
        turns,
        [
            (0, InstructionKind::Base, 0, true),
            (1, InstructionKind::AnnotationCoverage, 2, true),
            (2, InstructionKind::FunctionalityExtension, 3, false),
            (3, InstructionKind::ExceptionHandling, 1, false),
        ]
    );
    let stored: Task = serde_json::from_str(task.test_body.as_deref().unwrap()).unwrap();
    assert_eq!(stored.turns[0].tests, ["assert f() == 1"]);
    assert_eq!(stored.turns[3].tests, ["try: f(1)"]);
    assert!(stored.turns.iter().all(|turn| !turn.unparsable_as_run), "only the first release has such tests");
}

#[test]
fn repository_tasks_are_for_people() {
    let task =
        TASK.replace(r#""test": ["assert f() == 1"],"#, r#""namespace": "a.b.f","#).replace("\"task_id\": 11,", "");
    let found = read_one(&task).unwrap();
    let task = &found.datasets[0].tasks[0];
    assert_eq!((found.datasets[0].slug.as_str(), task.task_id.as_str()), ("codeif-bench-l-1-part-1", "a.b.f"));
    assert_eq!((task.checks, task.test_body.clone()), (Checks { human: true, tests: false }, None));
    assert_eq!(task.turns.len(), 4);
}

#[test]
fn unsuitable_tasks_name_the_problem() {
    for (from, to, expected) in [
        ("\"Exception Handling\"", "\"Mood\"", "\"Mood\" is no kind of instruction"),
        ("\"try: f(1)\"", "3", "neither a string nor an array"),
        ("[\"Annotation Coverage\", ", "[\"Code Standard\", ", "for which there is no requirement"),
        ("\"Raise.\"", "1", "has no text"),
        ("\"Write f.\"", "\" \"", "\"prompt\" is missing or empty"),
    ] {
        let problems = read_one(&TASK.replace(from, to)).unwrap_err();
        assert!(problems[0].to_string().contains(expected), "{}", problems[0]);
    }
}
