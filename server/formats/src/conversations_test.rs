//! Tests of `conversations.rs`.

use super::*;
use crate::outputs::{self, Asked, OutputLine};

fn turn(turn: u32, kind: InstructionKind, listed: u32) -> TaskTurn {
    TaskTurn { turn, kind, instruction: kind.title().into(), listed, judged: true }
}

fn turns() -> Turns {
    let turns = vec![
        turn(0, InstructionKind::Base, 0),
        turn(1, InstructionKind::CodeStandard, 2),
        turn(2, InstructionKind::EdgeCase, 1),
    ];
    Turns(HashMap::from([("11".to_owned(), turns)]))
}

fn read(file: &str, text: &str) -> Result<Vec<OutputLine>, String> {
    let asked = Asked { turns: Some(turns()), ..Default::default() };
    let mut lines = Vec::new();
    let mut problem = None;
    outputs::read(file, text.as_bytes(), &asked, |line| match line {
        Ok(line) => lines.push(line),
        Err(e) => problem = Some(e.to_string()),
    });
    problem.map_or(Ok(lines), Err)
}

fn check(file: &str, text: &str, expected: &[(Way, u32)]) {
    let found = read(file, text).unwrap();
    let found: Vec<_> = found.iter().map(|line| line.turn.map(|at| (at.way, at.turn)).unwrap()).collect();
    assert_eq!(found, expected, "{file}");
}

#[test]
fn a_file_name_tells_the_way() {
    for (name, way) in [
        ("a/m_n.jsonl", Some(Way::N)),
        ("m7b-n.jsonl.gz", Some(Way::N)),
        ("m020.jsonl", Some(Way::Single)),
        ("m-390_single.jsonl", Some(Way::Single)),
        ("m03.jsonl", Some(Way::Multi)),
        ("m_multi.json", Some(Way::Multi)),
        ("m01.jsonl", Some(Way::Base)),
        ("qwen.jsonl", None),
    ] {
        assert_eq!(way_of_name(name), way, "{name}");
    }
}

#[test]
fn turns_are_found_by_name_number_and_position() {
    let named = r#"{"task_id": 11, "requirement": "Code Standard", "completion": "x"}
{"task_id": 11, "requirement": "edge-case_handling", "completion": "x"}"#;
    check("m_n.jsonl", named, &[(Way::N, 1), (Way::N, 2)]);
    check("m020.jsonl", named, &[(Way::Single, 1), (Way::Single, 2)]);
    let bare = "{\"task_id\": 11, \"completion\": \"x\"}\n{\"task_id\": 11, \"completion\": \"y\"}";
    check("m_multi.jsonl", bare, &[(Way::Multi, 2), (Way::Multi, 1)]);
    check("m_n.jsonl", bare, &[(Way::N, 1), (Way::N, 2)]);
    check("m.jsonl", bare, &[(Way::Base, 0), (Way::Base, 0)]);
    let numbered = r#"[ {"task_id": 11, "turn": 2, "way": "n", "completion": "x"},
        {"namespace": "11", "type": "Code Standard", "way": "single", "completion": "y"} ]"#;
    check("m.json", numbered, &[(Way::N, 2), (Way::Single, 1)]);
}

#[test]
fn an_answer_of_a_dynamic_conversation_has_a_place_and_an_instruction() {
    // The instruction is asked for twice, the second time after its tests failed.
    let text = r#"{"task_id": 11, "turn": 0, "instruction": 0, "completion": "x"}
{"task_id": 11, "turn": 1, "instruction": 2, "completion": "x"}
{"task_id": 11, "turn": 2, "requirement": "Edge Case Handling", "completion": "x"}"#;
    let found = read("m_dynamic.jsonl", text).unwrap();
    let places: Vec<_> = found.iter().map(|line| line.turn.map(|at| (at.way, at.turn, at.instruction))).collect();
    let at = |turn, instruction| Some((Way::Dynamic, turn, Some(instruction)));
    assert_eq!(places, [at(0, 0), at(1, 2), at(2, 2)]);
}

#[test]
fn lines_without_a_turn_are_refused() {
    for (file, line, expected) in [
        ("m.jsonl", r#"{"task_id": 11, "requirement": "Code Standard", "completion": ""}"#, "how the model was asked"),
        ("m_n.jsonl", r#"{"task_id": 11, "requirement": "Code Complexity", "completion": ""}"#, "no instruction"),
        ("m_n.jsonl", r#"{"task_id": 11, "requirement": "Mood", "completion": ""}"#, "no instruction \"Mood\""),
        ("m_n.jsonl", r#"{"task_id": 11, "turn": 3, "completion": ""}"#, "no instruction \"3\""),
        ("m_dynamic.jsonl", r#"{"task_id": 11, "turn": 1, "completion": ""}"#, "where in its dynamic conversation"),
        (
            "m_dynamic.jsonl",
            r#"{"task_id": 11, "instruction": 1, "completion": ""}"#,
            "where in its dynamic conversation",
        ),
        (
            "m_dynamic.jsonl",
            r#"{"task_id": 11, "turn": 9, "instruction": 3, "completion": ""}"#,
            "no instruction \"3\"",
        ),
        ("m_n.jsonl", r#"{"task_id": 11, "way": "twice", "completion": ""}"#, "\"way\" is \"twice\""),
        ("m_n.jsonl", "[{\"task_id\": 11,]", "not a valid JSON array"),
    ] {
        let problem = read(file, line).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn code_is_cut_out_as_published() {
    for (answer, code, around) in [
        (
            "Here:\n```python\r\na = 1\n\n```\nDone.\n```python\nb\n```",
            "a = 1\n\n",
            "Here:\n\nDone.\n```python\nb\n```",
        ),
        ("```\na\n```", "```\na\n```", ""),
        ("```python a\n```", "```python a\n```", ""),
        ("```python\nnever closed", "```python\nnever closed", ""),
    ] {
        let found = cut_out(answer);
        assert_eq!((&*found.code, &*found.surrounding_text), (code, around), "{answer}");
    }
}

#[test]
fn published_verdicts_are_kept() {
    let check = |fields: &str, expected: Option<(bool, bool)>| {
        let line = format!("{{\"task_id\": 11, \"completion\": \"x\"{fields}}}");
        let found = read("m.jsonl", &line).unwrap()[0].reported.clone().and_then(|reported| reported.verdict);
        assert_eq!(found.map(|found| (found.passed, found.other_text)), expected, "{fields}");
    };
    check("", None);
    check(r#", "passed": true, "result": "passed""#, Some((true, false)));
    check(r#", "Result": "TimeOut""#, Some((false, false)));
    check(r#", "passed": false, "judged": "```python\nx```""#, Some((false, false)));
    check(r#", "passed": true, "judged": "y""#, Some((true, true)));
}
