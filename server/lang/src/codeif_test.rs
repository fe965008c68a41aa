//! Tests of `codeif.rs`.

use super::*;

fn turn(kind: InstructionKind, judged: bool, test: &str) -> Turn {
    Turn { kind, judged, tests: vec![test.to_owned()], unparsable_as_run: kind == InstructionKind::ExceptionHandling }
}

fn task() -> Task {
    let turns = vec![
        turn(InstructionKind::Base, true, "base"),
        turn(InstructionKind::EdgeCase, true, "edge"),
        turn(InstructionKind::FunctionalityExtension, false, "extension"),
        turn(InstructionKind::ExceptionHandling, true, "exception"),
    ];
    Task { turns }
}

#[test]
fn tests_are_those_of_the_published_evaluator() {
    let check = |way, turn, profile, expected: &[&str]| {
        assert_eq!(task().tests(Answer::new("", way, turn), profile), expected);
    };
    let released = TestProfile::AsReleased;
    check(Way::Base, 0, released, &["base"]);
    check(Way::Single, 1, released, &["base", "edge"]);
    check(Way::Multi, 2, released, &["extension"]);
    check(Way::Multi, 1, TestProfile::V1, &["edge"]);
    check(Way::N, 1, released, &["base", "edge"]);
    check(Way::N, 2, released, &["extension"]);
    check(Way::N, 3, released, &["base", "edge", "exception"]);
    check(Way::N, 3, TestProfile::V1, &["base", "edge", "exception"]);
    check(Way::N, 3, TestProfile::AsRun, &["base", "edge", UNPARSABLE]);
    check(Way::Dynamic, 3, TestProfile::V1, &["exception"]);
    let (task, whole) = (task(), Answer::new("", Way::N, 3));
    let partial = Answer { answered: Some(&[2]), ..whole };
    assert_eq!(
        task.tests(partial, released),
        ["base", "exception"],
        "the conversation has no answer to the first turn"
    );
    assert_eq!(alone(&task, whole, false).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(alone(&task, partial, false).collect::<Vec<_>>(), [0, 3]);
    let keys = [whole, partial, Answer { answered: Some(&[1, 2]), ..whole }].map(|answer| key("b", "d", answer));
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
    assert_eq!(task.asked().collect::<Vec<_>>(), [0, 1, 3], "what a conversation can ask for");
    assert!(!task.is_judged(Way::N, 2) && task.is_judged(Way::Single, 2) && task.is_judged(Way::N, 0));
}

#[test]
fn docstrings_and_blank_lines_are_removed_as_published() {
    let check =
        |code: &str, expected: &str| assert_eq!(program(code, Way::N, &["t", "u"]), format!("{expected}\nt\nu\n"));
    check("def f():\n    \"\"\"\n    Doc.\n    \"\"\"\n    return 1\n", "def f():\n    return 1");
    // Only where the quotes are followed by a line break.
    check("def f():\n    \"\"\"Doc.\"\"\"\n\n    return 1", "def f():\n    \"\"\"Doc.\"\"\"\n    return 1");
    check("        \"\"\"\r\nDoc \"\"\"; x = 1\n    \"\"\"\nnever closed", "    ; x = 1\n    \"\"\"\nnever closed");
    check("a\r\n \t\u{a0}\nb\u{2028}c\x1dd\x0b\x1f\ne\r\rf", "a\nb\nc\nd\ne\nf");
    assert_eq!(program("a\n\nb\n", Way::Base, &["t"]), "a\n\nb\n\nt\n");
    // The program that converses keeps docstrings, and leaves a line free before the tests.
    let documented = "def f():\n    \"\"\"\n    Doc.\n\n    \"\"\"\n";
    let kept = "def f():\n    \"\"\"\n    Doc.\n    \"\"\"\n\nt\nu\n";
    assert_eq!(program(documented, Way::Dynamic, &["t", "u"]), kept);
}
