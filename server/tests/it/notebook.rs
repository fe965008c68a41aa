//! The notebook in `docs/`, run as its readers run it: its cells in order, against a server on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use crate::comparisons::{compared, filled, selection};
use model::api::Scope;
use serde_json::Value;

/// The code of the notebook's cells.
fn cells() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/comparison.ipynb");
    let notebook: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code").map(|cell| {
        assert!(cell["outputs"] == Value::Array(Vec::new()) && cell["execution_count"].is_null(), "{cell}");
        cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    });
    code.collect()
}

/// What the notebook ends with, as JSON: its tables, and how many panels and points it drew.
const REPORT: &str = r#"
panels = [axes for number in plt.get_fignums() for axes in plt.figure(number).axes]
print("REPORT " + json.dumps({
    "means": json.loads(means.to_json(orient="records")),
    "recomputed": json.loads(recomputed.to_json(orient="index")),
    "passed": json.loads(passed.to_json(orient="records")),
    "agreement": json.loads(agreement.to_json(orient="records")),
    "panels": [axes.get_title() for axes in panels],
    "points": [len(container[0].get_xdata()) for axes in panels for container in axes.containers],
    "times": str(ratings["rated_at"].dtype),
}))
"#;

#[allow(clippy::disallowed_methods, reason = "the notebook runs in a process of its own")]
fn run(python: &std::path::Path, script: &str, variables: [(&str, &str); 3]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    // Agg draws without a screen; the folder is for the list of fonts.
    let mut command = Command::new(python);
    command.args(["-c", script]).envs(variables).env("MPLBACKEND", "Agg").env("MPLCONFIGDIR", folder.path());
    command.current_dir(folder.path()).output().unwrap()
}

#[tokio::test]
async fn the_notebook_redraws_what_the_api_returns() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let app = filled().await;
    let figures = compared(&app, selection()).await.figures;
    let (address, token) = (app.serve().await, app.token(&[Scope::Read]).await);
    let script = [cells().join("\n\n"), REPORT.to_owned()].concat();
    let output = tokio::task::spawn_blocking(move || {
        run(&packages.join("bin/python3"), &script, [("AIXGRADE", &address), ("TOKEN", &token), ("DATASET", "starter")])
    });
    let output = output.await.unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    let report = text.lines().find_map(|line| line.strip_prefix("REPORT ")).unwrap_or_else(|| panic!("{text}{errors}"));
    let report: Value = serde_json::from_str(report).unwrap();

    // pandas writes ten decimals.
    let near = |found: &Value, expected: Option<f64>| match (found.as_f64(), expected) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-9, "{found} is not {expected}"),
        (found, expected) => assert_eq!(found, expected),
    };
    let human = figures.human.unwrap();
    let dimensions = &human.comparison.rubric.dimensions;
    let mut means = report["means"].as_array().unwrap().iter();
    for model in &human.comparison.models {
        for (scores, dimension) in model.dimensions.iter().zip(dimensions) {
            let row = means.next().unwrap();
            assert_eq!((row["model"].as_str(), row["key"].as_str()), (Some(&*model.model), Some(&*dimension.key)));
            near(&row["value"], scores.mean);
            near(&row["low"], scores.interval.map(|interval| interval.low));
            near(&row["high"], scores.interval.map(|interval| interval.high));
            // pandas computes the model's own mean from the exported ratings.
            near(&report["recomputed"][&model.model][&dimension.key], scores.own_mean);
        }
    }
    assert!(means.next().is_none());

    let checked: Vec<_> = figures.automated.unwrap().models;
    let passed = report["passed"].as_array().unwrap();
    assert_eq!(passed.len(), figures.models.len());
    for ((row, model), checked) in passed.iter().zip(&figures.models).zip(checked) {
        let checked = checked.unwrap();
        assert_eq!(row["label"], **model);
        near(&row["value"], Some(checked.metrics.pass_at_1));
        near(&row["low"], checked.pass_interval.map(|interval| interval.low));
        near(&row["high"], checked.pass_interval.map(|interval| interval.high));
    }

    let agreement = report["agreement"].as_array().unwrap();
    assert_eq!(agreement.len(), dimensions.len());
    for (row, reliability) in agreement.iter().zip(&human.reliability) {
        let alpha = reliability.alpha.unwrap();
        near(&row["value"], Some(alpha.value));
        near(&row["low"], alpha.interval.ok().map(|interval| interval.low));
        assert_eq!(row["pairs"], reliability.pairs);
    }

    let mut panels: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.get(model::lang::Lang::En)).collect();
    panels.extend(["pass@1", "Krippendorff's alpha"]);
    assert_eq!(report["panels"], Value::from(panels));
    let models = figures.models.len();
    assert_eq!(report["points"], Value::from([vec![models; dimensions.len()], vec![models, agreement.len()]].concat()));
    assert!(report["times"].as_str().unwrap().starts_with("datetime64"), "{}", report["times"]);
}
