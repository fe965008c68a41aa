//! What judges the outputs of a task, for people to read: its tests and its reference solution.

use std::iter;

use model::{
    code::CodeView,
    code_lang::CodeLang,
    dataset::{TestKind, TestPart, TestText},
    ids::TaskRevisionId,
};
use rusqlite::Connection;
use serde::Deserialize;

use base::error::Failure;
use db::{datasets, runs, stored};
use lang::codeif;

/// Tests of a task that are stored with it: those of HumanEval-X and of our own format (`formats::humaneval::Task`,
/// `formats::programs`).
#[derive(Deserialize)]
struct Program {
    #[serde(default)]
    declaration: String,
    #[serde(default)]
    test_setup: Option<String>,
    test: String,
    #[serde(default)]
    example_test: String,
    #[serde(default)]
    canonical_solution: String,
    /// Our own format only, whose solutions are whole functions.
    #[serde(default)]
    setup: Option<String>,
}

/// The texts of a task's tests, without their layout; empty if it has none.
pub fn texts(conn: &Connection, revision: TaskRevisionId) -> Result<Vec<(TestPart, String)>, Failure> {
    let Some(tests) = datasets::tests_of_task(conn, revision)? else { return Ok(Vec::new()) };
    let found: Vec<(TestPart, String)> = match tests.kind {
        TestKind::Aixgrade | TestKind::Aixbench => vec![(TestPart::Tests, tests.text)],
        TestKind::HumanevalX | TestKind::Programs => {
            let Program { declaration, test_setup, test, example_test, canonical_solution, setup } =
                stored::from_text(&tests.text, runs::TASK_TESTS, revision.0, "body")?;
            let solution = match (canonical_solution.trim(), setup) {
                ("", _) => String::new(),
                (_, Some(_)) => canonical_solution,
                (_, None) => declaration + &canonical_solution,
            };
            let code = test_setup.into_iter().chain(iter::once(test)).collect::<Vec<_>>().join("\n");
            vec![(TestPart::Tests, code), (TestPart::Examples, example_test), (TestPart::Reference, solution)]
        }
        TestKind::CodeIfBench | TestKind::Repositories => {
            let task: codeif::Task = stored::from_text(&tests.text, runs::TASK_TESTS, revision.0, "body")?;
            let turns = (0..).zip(task.turns);
            turns.map(|(turn, of)| (TestPart::Turn(turn), of.tests.join("\n"))).collect()
        }
    };
    Ok(found.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect())
}

/// The same, laid out and highlighted.
pub async fn shown(texts: Vec<(TestPart, String)>, lang: CodeLang) -> Vec<TestText> {
    let each = texts.into_iter().map(async |(part, text)| {
        let code: CodeView = syntax::view(text, String::new(), lang).await;
        TestText { part, code }
    });
    futures::future::join_all(each).await
}
