//! Defects of CodeIF-Bench's data at repository level, because of which tests cannot judge answers.

use std::collections::BTreeMap;

use model::{code_lang::CodeLang, conversation::TurnDefect, reason::DataDefect};

use super::{Instruction, Task, stored};
use crate::{FoundTask, lines::Fault};

/// The defects that a task has by itself.
pub(super) fn of_task(task: &Task, instructions: &[Instruction]) -> Vec<TurnDefect> {
    let mut found = Vec::new();
    let function = task.task_id.rsplit('.').next().unwrap_or_default();
    let blanks = |line: &str| u32::try_from(line.len() - line.trim_start_matches(' ').len()).unwrap_or(0);
    let code = task.code.lines().find(|line| !line.trim().is_empty()).map_or(0, blanks);
    if let Some(answer) = task.place.as_ref().map(|place| place.indent).filter(|answer| *answer != code) {
        found.push(TurnDefect { turn: None, defect: DataDefect::Indent { answer, code } });
    }
    let early = task.code.lines().position(|line| defines(line, function)).and_then(|at| u32::try_from(at).ok());
    if let Some(lines) = early.filter(|lines| *lines > 0) {
        found.push(TurnDefect { turn: None, defect: DataDefect::EarlyLines { lines } });
    }
    for (turn, of) in (0..).zip(&task.turns) {
        let Some(instruction) = instructions.iter().find(|instruction| instruction.kind == of.kind) else { continue };
        let Some(test) = instruction.test_id.clone() else { continue };
        let defect = if test.starts_with(['\'', '"']) {
            DataDefect::QuotedTest { test }
        } else if syntax::outline::outline(&instruction.tests.join("\n"), CodeLang::Python)
            .is_some_and(|outline| outline.has_errors)
        {
            DataDefect::InvalidTest { test }
        } else {
            continue;
        };
        found.push(TurnDefect { turn: Some(turn), defect });
    }
    found
}

/// Whether a line begins the definition of a function.
fn defines(line: &str, function: &str) -> bool {
    let line = line.trim_start();
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ").map(str::trim_start);
    rest.and_then(|rest| rest.strip_prefix(function)).is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Adds the defects of IDs that several instructions have, of one task or of several of one project.
pub(super) fn share(tasks: &mut [FoundTask]) -> Result<(), Fault> {
    let mut read: Vec<Option<Task>> =
        tasks.iter().map(|task| serde_json::from_str(task.test_body.as_deref()?).ok()).collect();
    let mut owners: BTreeMap<(String, String), Vec<(usize, usize)>> = BTreeMap::new();
    for (at, task) in read.iter().enumerate() {
        let Some((task, place)) = task.as_ref().and_then(|task| Some((task, task.place.as_ref()?))) else { continue };
        // The base prompt's tests are the project's own.
        for (turn, of) in task.turns.iter().enumerate().skip(1) {
            for test in &of.tests {
                owners.entry((place.project.clone(), test.clone())).or_default().push((at, turn));
            }
        }
    }
    for ((_, test), of) in owners.into_iter().filter(|(_, of)| of.len() > 1) {
        for (at, turn) in &of {
            let other =
                of.iter().find(|other| *other != &(*at, *turn)).and_then(|(other, _)| read.get(*other)?.as_ref());
            let task = other.map(|other| other.task_id.clone()).unwrap_or_default();
            let defect = DataDefect::SharedTest { test: test.clone(), task };
            if let Some(Some(own)) = read.get_mut(*at) {
                own.defects.push(TurnDefect { turn: u32::try_from(*turn).ok(), defect });
            }
        }
    }
    for (task, read) in tasks.iter_mut().zip(read) {
        if let Some(read) = read.filter(|read| !read.defects.is_empty()) {
            task.test_body = Some(stored(&read)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::files::Files;

    fn task(namespace: &str, changes: Value) -> Value {
        let test = |id: &str, text: &str| json!({ "requirement": "Do.", "unit_test": [text], "test": id });
        let mut task = json!({
            "namespace": namespace, "prompt": "Write f.", "code": "    def f(self):\n        pass\n",
            "project_path": "A/b", "completion_path": "A/b/c.py", "signature_position": [1, 1], "body_position": [2, 2],
            "indent": 4, "tests": ["t.py::base"],
            "requirements": {
                "Code Standard": test(&format!("t.py::{namespace}_standard"), "def test(self):\n    pass"),
                "Exception Handling": test(&format!("t.py::{namespace}_exception"), "def test(self):\n    pass"),
            },
            "multi-turn": ["Code Standard", "Exception Handling"],
        });
        if let Value::Object(changes) = changes {
            for (path, value) in changes {
                *task.pointer_mut(&path).unwrap() = value;
            }
        }
        task
    }

    /// The defects of each task.
    fn found(tasks: &[Value]) -> Vec<Vec<TurnDefect>> {
        let mut files = Files::named("x");
        let text: String = tasks.iter().map(|task| format!("{task}\n")).collect();
        files.add("L_3.jsonl", text.into_bytes()).unwrap();
        let found = crate::read(&files).unwrap();
        let body = |task: &FoundTask| serde_json::from_str::<Task>(task.test_body.as_deref().unwrap()).unwrap().defects;
        found.datasets[0].tasks.iter().map(body).collect()
    }

    fn of(turn: Option<u32>, defect: DataDefect) -> Vec<TurnDefect> {
        vec![TurnDefect { turn, defect }]
    }

    #[test]
    fn each_kind_of_defect_is_found() {
        let early = "\n    @property\n    def f(self):\n        pass\n";
        let text = "/requirements/Code Standard/unit_test";
        let id = "/requirements/Exception Handling/test";
        let tasks = [
            task("a.f", json!({})),
            task("b.f", json!({ "/indent": 8 })),
            task("c.f", json!({ "/code": early })),
            task("d.f", json!({ text: "def test(self:\n    pass" })),
            task("e.f", json!({ id: "'t.py::quoted'" })),
            task("g.f", json!({ id: "t.py::same" })),
            task("h.f", json!({ id: "t.py::same" })),
            // Of another project.
            task("i.f", json!({ id: "t.py::same", "/project_path": "A/z", "/completion_path": "A/z/c.py" })),
        ];
        let shared = |task: &str| DataDefect::SharedTest { test: "t.py::same".into(), task: task.into() };
        let expected = [
            Vec::new(),
            of(None, DataDefect::Indent { answer: 8, code: 4 }),
            of(None, DataDefect::EarlyLines { lines: 2 }),
            of(Some(1), DataDefect::InvalidTest { test: "t.py::d.f_standard".into() }),
            of(Some(2), DataDefect::QuotedTest { test: "'t.py::quoted'".into() }),
            of(Some(2), shared("h.f")),
            of(Some(2), shared("g.f")),
            Vec::new(),
        ];
        assert_eq!(found(&tasks), expected);
    }
}
