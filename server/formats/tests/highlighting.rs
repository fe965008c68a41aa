//! Programs of the published benchmarks, as people see them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use formats::files::Files;

#[tokio::test]
async fn every_published_program_is_highlighted() {
    let Some(folder) = prerequisites::humaneval_x() else { return };
    let found = formats::read(&Files::folder(&folder).unwrap()).unwrap();
    for task in found.datasets.iter().flat_map(|dataset| &dataset.tasks) {
        let body: benchmarks::humaneval::Task = serde_json::from_str(task.test_body.as_ref().unwrap()).unwrap();
        for code in [format!("{}{}", body.prompt, body.canonical_solution), body.canonical_solution] {
            let view = syntax::view(code.clone(), String::new(), task.code_lang).await;
            let colored = view.raw.iter().flat_map(|line| &line.0).any(|run| !run.0.is_empty());
            assert!(colored && view.remark.is_none(), "{}: {code}", task.task_id);
        }
    }
}
