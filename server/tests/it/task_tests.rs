//! The tests and the reference solution of a task on its page.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use model::{
    caller::System,
    comparison::{Selection, TaskFilter},
    dataset::{TestPart, TestText},
    page::PageOf,
};
use port::{Comparisons, Datasets};

use crate::{conversations, languages, util::TestApp};

/// The texts that the page of a dataset's first task shows.
async fn shown(app: &TestApp, dataset: &str) -> Vec<TestText> {
    let admin = System.admin();
    let tasks = app.services.datasets.tasks(&admin, dataset, None, PageOf::first(1)).await.unwrap().rows;
    let selection = Selection { dataset: dataset.into(), ..Selection::default() };
    app.services.comparisons.task(&admin, selection, TaskFilter::default(), tasks[0].id).await.unwrap().tests
}

fn text(of: &TestText) -> String {
    of.code.raw.iter().map(|line| line.text() + "\n").collect()
}

#[tokio::test]
async fn a_task_shows_its_tests_and_its_reference_solution() {
    let app = TestApp::demo().await;
    let java = shown(&app, "starter").await;
    assert_eq!(java.iter().map(|of| of.part).collect::<Vec<_>>(), [TestPart::Tests]);
    assert!(text(&java[0]).contains("class S01Test"), "{}", text(&java[0]));
    let mut admin = app.admin().await;
    let page = admin.get("/admin/datasets/starter").await.body;
    assert!(page.contains("/admin/compare/starter/tasks/1\""), "{page}");
    let page = admin.get("/admin/compare/starter/tasks/1").await.body;
    assert!(page.contains("<summary>Tests<"), "{page}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("humaneval_python.jsonl");
    std::fs::write(&file, languages::task(0, "assert f0(1) == 1")).unwrap();
    app.services.imports.paths(System, vec![file]).await.unwrap();
    let python = shown(&app, "humaneval-x-python").await;
    // It has no tests in its description.
    assert_eq!(python.iter().map(|of| of.part).collect::<Vec<_>>(), [TestPart::Tests, TestPart::Reference]);
    assert_eq!(text(&python[0]), "assert f0(1) == 1\n");
    assert_eq!(text(&python[1]).trim_end(), "def f0(x):\n    return x + 0");

    let dataset = conversations::import(&app, "L_1_part_1.jsonl", &[conversations::task(1)]).await;
    let turns = shown(&app, &dataset).await;
    assert_eq!(
        turns.iter().map(|of| of.part).collect::<Vec<_>>(),
        [TestPart::Turn(0), TestPart::Turn(1), TestPart::Turn(2)]
    );
    assert_eq!([text(&turns[0]), text(&turns[1])], ["assert f1() == 1\n", "import pycodestyle\n"]);
}
