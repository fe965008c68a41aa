//! The Python client in `docs/python` and its notebooks, run as their readers run them, against a server on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use crate::{
    comparisons::{compared, filled, selection},
    languages::{EACH, upload},
    util::{TestApp, verdicts},
};
use db::runs;
use model::{
    api::Scope,
    caller::System,
    code_lang::CodeLang,
    languages::{LanguageResults, ModelLanguages},
    page::PageOf,
    run::RunStatus,
};
use port::Runs;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use services::Services;

const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/python");

/// Python with the packages of `packages`, in `folder`, which leaves nothing in the checkout.
#[allow(clippy::disallowed_methods, reason = "the client runs in a process of its own")]
fn python(packages: &Path, folder: &Path) -> Command {
    let mut command = Command::new(packages.join("bin/python3"));
    // Agg draws without a screen; the folder is for the list of fonts.
    command.env("MPLBACKEND", "Agg").env("MPLCONFIGDIR", folder).env("PYTHONDONTWRITEBYTECODE", "1");
    command.current_dir(folder);
    command
}

/// What the program printed; both of its outputs where it failed.
fn printed(output: &Output) -> String {
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{errors}");
    text.into_owned()
}

/// Gives the outputs of every run verdicts, as the engine would, until the test ends.
async fn work(services: Services) {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    loop {
        let all = services.runs.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
        for run in all.iter().filter(|run| run.status == RunStatus::Running) {
            verdicts(&services, run.id, &mut random);
            let end = |tx: &rusqlite::Transaction<'_>| {
                // A run that was just created has no items yet.
                let (items, done, _) = runs::counts(tx, run.id)?;
                if items > 0 && items == done {
                    runs::end(tx, run.id, RunStatus::Finished, None)?;
                }
                Ok(())
            };
            services.db.write_blocking(end).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_client_is_installed_from_the_checkout_and_passes_its_tests() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let app = filled().await;
    let (address, token) = (app.serve().await, app.token(&[Scope::Admin]).await);
    let read_token = app.token(&[Scope::Read]).await;
    let engine = tokio::spawn(work(app.services.clone()));
    let tests = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let installed = folder.path().join("installed");
        let mut install = python(&packages, folder.path());
        // Nothing is downloaded: what builds the package is among the packages.
        install.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]);
        install.args(["--no-compile", "--disable-pip-version-check", "--target"]).arg(&installed).arg(PACKAGE);
        printed(&install.output().unwrap());
        assert!(installed.join("aixgrade/py.typed").is_file());
        let version = format!("aixgrade-{}.dist-info", env!("CARGO_PKG_VERSION"));
        assert!(installed.join(&version).is_dir(), "docs/python/pyproject.toml has another version than the server");
        let mut tests = python(&packages, folder.path());
        tests.args(["-m", "unittest", "discover", "--start-directory"]).arg(Path::new(PACKAGE).join("tests"));
        tests.envs([("AIXGRADE", &address), ("TOKEN", &token), ("READ_TOKEN", &read_token)]);
        tests.env("PYTHONPATH", &installed).output().unwrap()
    });
    let output = tests.await.unwrap();
    engine.abort();
    printed(&output);
    // unittest succeeds without any test.
    let summary = String::from_utf8_lossy(&output.stderr);
    let ran = summary.lines().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<u32>().ok());
    assert!(ran.is_some_and(|ran| ran >= 25) && !summary.contains("skipped"), "{summary}");
}

#[test]
fn the_types_of_the_client_are_consistent() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let folder = tempfile::tempdir().unwrap();
    // The names of files in its settings are relative to the package.
    let mut check = python(&packages, folder.path());
    check.args(["-m", "mypy", "--cache-dir"]).arg(folder.path()).current_dir(PACKAGE);
    printed(&check.output().unwrap());
}

/// The code of a notebook's cells.
fn cells(name: &str) -> Vec<String> {
    let path = Path::new(PACKAGE).join("notebooks").join(name);
    let notebook: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code").map(|cell| {
        assert!(cell["outputs"] == Value::Array(Vec::new()) && cell["execution_count"].is_null(), "{cell}");
        cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    });
    code.collect()
}

/// Runs the cells of a notebook in order, then `report`, a Python expression. Returns its value.
async fn notebook(app: &TestApp, packages: &Path, name: &str, report: &str) -> Value {
    let report = format!(
        "import json\npanels = [axes for number in plt.get_fignums() for axes in plt.figure(number).axes]\n\
         print('REPORT ' + json.dumps({report}))"
    );
    let script = [cells(name), vec![report]].concat().join("\n\n");
    let (address, token) = (app.serve().await, app.token(&[Scope::Read]).await);
    let packages = packages.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let mut command = python(&packages, folder.path());
        command.args(["-W", "error::UserWarning", "-c", &script]);
        command.envs([("AIXGRADE", &*address), ("TOKEN", &token), ("DATASET", "starter")]);
        command.env("PYTHONPATH", Path::new(PACKAGE).join("src")).output().unwrap()
    });
    let text = printed(&output.await.unwrap());
    let report = text.lines().find_map(|line| line.strip_prefix("REPORT ")).unwrap_or_else(|| panic!("{text}"));
    serde_json::from_str(report).unwrap()
}

/// pandas writes ten decimals.
fn near(found: &Value, expected: Option<f64>) {
    match (found.as_f64(), expected) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-9, "{found} is not {expected}"),
        (found, expected) => assert_eq!(found, expected),
    }
}

/// What the notebook of AixBench ends with: its tables, and how many panels and points it drew.
const AIXBENCH: &str = r#"{
    "means": json.loads(means.to_json(orient="records")),
    "recomputed": json.loads(recomputed.to_json(orient="index")),
    "passed": json.loads(passed.to_json(orient="records")),
    "agreement": json.loads(agreement.to_json(orient="records")),
    "cells": table(means).map(str).to_dict(),
    "panels": [axes.get_title() for axes in panels],
    "points": [len(container[0].get_xdata()) for axes in panels for container in axes.containers],
}"#;

#[tokio::test]
async fn the_notebook_of_aixbench_redraws_what_the_api_returns() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let app = filled().await;
    let figures = compared(&app, selection()).await.figures;
    let report = notebook(&app, &packages, "aixbench.ipynb", AIXBENCH).await;

    let human = figures.human.unwrap();
    let dimensions = &human.comparison.rubric.dimensions;
    let mut means = report["means"].as_array().unwrap().iter();
    for (at, dimension) in dimensions.iter().enumerate() {
        for model in &human.comparison.models {
            let (scores, row) = (&model.dimensions[at], means.next().unwrap());
            assert_eq!((row["model"].as_str(), row["figure"].as_str()), (Some(&*model.model), Some(&*dimension.key)));
            near(&row["value"], scores.mean);
            near(&row["low"], scores.interval.map(|interval| interval.low));
            near(&row["high"], scores.interval.map(|interval| interval.high));
            // pandas computes the model's own mean from the exported ratings.
            near(&report["recomputed"][&model.model][&dimension.key], scores.own_mean);
            let interval = scores.interval.unwrap();
            let cell = format!("{:.2} [{:.2}, {:.2}]", scores.mean.unwrap(), interval.low, interval.high);
            let name = dimension.name.get(model::lang::Lang::En);
            assert_eq!(report["cells"][name][&model.model], cell);
        }
    }
    assert!(means.next().is_none());

    let mut passed = report["passed"].as_array().unwrap().iter();
    let checked: Vec<_> = figures.automated.unwrap().models.into_iter().map(Option::unwrap).collect();
    for figure in ["pass@1", "AvgPassRatio"] {
        for (model, checked) in figures.models.iter().zip(&checked) {
            let row = passed.next().unwrap();
            assert_eq!((&row["model"], &row["figure"]), (&json!(model), &json!(figure)));
            let (value, interval) = match figure {
                "pass@1" => (checked.metrics.pass_at_1, checked.pass_interval),
                _ => (checked.metrics.ratio_mean, checked.ratio_interval),
            };
            near(&row["value"], Some(value));
            near(&row["low"], interval.map(|interval| interval.low));
            near(&row["high"], interval.map(|interval| interval.high));
            assert_eq!(row["tasks"], checked.metrics.tasks);
        }
    }
    assert!(passed.next().is_none());

    let agreement = report["agreement"].as_array().unwrap();
    assert_eq!(agreement.len(), dimensions.len());
    for (row, reliability) in agreement.iter().zip(&human.reliability) {
        let alpha = reliability.alpha.unwrap();
        near(&row["alpha"], Some(alpha.value));
        near(&row["low"], alpha.interval.ok().map(|interval| interval.low));
        assert_eq!(row["pairs"], reliability.pairs);
    }

    let mut panels: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.get(model::lang::Lang::En)).collect();
    panels.extend(["pass@1", "AvgPassRatio", "Krippendorff's alpha"]);
    assert_eq!(report["panels"], Value::from(panels));
    let models = figures.models.len();
    let points = [vec![models; dimensions.len()], vec![models, models, agreement.len()]].concat();
    assert_eq!(report["points"], Value::from(points));
}

/// The same for the notebook of HumanEval-X.
const HUMANEVAL_X: &str = r#"{
    "results": json.loads(results.to_json(orient="records")),
    "outcomes": json.loads(outcomes.to_json(orient="records")),
    "average": [[*at, None if pd.isna(value) else value] for at, value in average.items()],
    "generated": generated.astype(object).where(generated.notna(), None).values.tolist(),
    "translated": [list(at) for at in translated.index],
    "panels": [axes.get_title() for axes in panels],
    "bars": [len(container) for container in panels[0].containers if hasattr(container, "patches")],
}"#;

/// HumanEval-X in three languages with their translations, and two models with ten samples for each of two tasks; the
/// second has outputs in Python only. No toolchain is needed, because nothing runs.
async fn with_languages() -> TestApp {
    let app = TestApp::demo().await;
    let folder = tempfile::tempdir().unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let langs = [CodeLang::Python, CodeLang::Java, CodeLang::JavaScript];
    let each: Vec<_> = EACH.into_iter().filter(|(lang, ..)| langs.contains(lang)).collect();
    for (_, name, id, prompt, _) in &each {
        let task = |number: u32| {
            json!({
                "task_id": format!("{id}/{number}"), "prompt": prompt, "declaration": prompt, "test": "a test",
                "canonical_solution": "", "example_test": "",
            })
        };
        let file = folder.path().join(format!("humaneval_{name}.jsonl"));
        std::fs::write(file, format!("{}\n{}\n", task(0), task(1))).unwrap();
    }
    app.services.imports.with_translation(System, vec![folder.path().to_owned()]).await.unwrap();
    let mut wanted = vec![("Narrow", "humaneval-x-python".to_owned(), "Python", each[0].4)];
    for (_, name, id, _, code) in &each {
        wanted.push(("Broad", format!("humaneval-x-{name}"), id, code));
        for (_, source, source_id, ..) in each.iter().filter(|(_, source, ..)| source != name) {
            wanted.push(("Broad", format!("humaneval-x-{source}-to-{name}"), source_id, code));
        }
    }
    for (model, dataset, id, code) in wanted {
        let line = |at: u32| json!({"task_id": format!("{id}/{}", at / 10), "generation": format!("{code}{at}")});
        let lines: String = (0..20).map(|at| format!("{}\n", line(at))).collect();
        let submission = upload(&app, &dataset, model, &lines).await;
        let db = &app.services.db;
        let run = db.write_blocking(|tx| runs::insert(tx, submission, true, None)).unwrap();
        runs::fill(db, run, |_, _| 1).unwrap();
        assert_eq!(verdicts(&app.services, run, &mut random), 20);
    }
    app
}

/// What the table of pass@k must contain, in its order.
fn rows(results: &LanguageResults) -> Vec<(Value, model::run::PassAtK)> {
    let of = |model: &ModelLanguages| {
        let cells = results.datasets.iter().zip(&model.cells);
        let rows = cells.filter_map(|(dataset, cell)| Some((dataset, cell.as_ref()?)));
        let name = model.name.clone();
        let each = rows.flat_map(move |(dataset, cell)| {
            let name = name.clone();
            cell.pass_at.iter().map(move |at| (json!([name, dataset.slug, dataset.source, dataset.lang, at.k]), *at))
        });
        each.collect::<Vec<_>>()
    };
    results.models.iter().flat_map(of).collect()
}

#[tokio::test]
async fn the_notebook_of_humaneval_x_redraws_what_the_api_returns() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let app = with_languages().await;
    let results = app.services.runs.languages(&System.admin()).await.unwrap();
    let report = notebook(&app, &packages, "humaneval_x.ipynb", HUMANEVAL_X).await;

    let expected = rows(&results);
    assert_eq!(expected.len(), 2 * (9 + 1), "pass@1 and pass@10 on each dataset");
    let found = report["results"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (row, (of, at)) in found.iter().zip(&expected) {
        assert_eq!(&json!([row["model"], row["dataset"], row["source"], row["language"], row["k"]]), of);
        near(&row["value"], Some(at.value));
        near(&row["low"], at.interval.map(|interval| interval.low));
        near(&row["high"], at.interval.map(|interval| interval.high));
    }
    let outputs: u64 = report["outcomes"].as_array().unwrap().iter().map(|row| row["outputs"].as_u64().unwrap()).sum();
    assert_eq!(outputs, 10 * 20);

    // Only a model with runs in all languages has an average.
    let mut averages = report["average"].as_array().unwrap().iter();
    let mut lines = report["generated"].as_array().unwrap().iter();
    for model in &results.models {
        for k in [1, 10] {
            let row = averages.next().unwrap();
            assert_eq!(row.as_array().unwrap()[..2], [json!(model.name), json!(k)]);
            let mean = model.mean(&results.generation(), k);
            near(&row[2], mean);
            let line = lines.next().unwrap();
            assert_eq!(line[3], mean.map_or(Value::Null, |mean| json!(format!("{:.1}", 100.0 * mean))));
            assert_eq!(line[1].is_null(), model.name == "Narrow", "{line}");
        }
    }
    assert_eq!(report["translated"].as_array().unwrap().len(), 3 * 2, "a row for each source and k");
    let panels = [
        "pass@1 by language",
        "pass@10 by language",
        "pass@10",
        "Broad: pass@1 of translation",
        "Verdicts by model and language",
    ];
    assert_eq!((&report["panels"], &report["bars"]), (&json!(panels), &json!([3, 3])));
}

#[tokio::test]
async fn the_notebook_of_humaneval_x_says_so_without_results() {
    let Some(packages) = prerequisites::packages("analysis") else { return };
    let app = TestApp::demo().await;
    let report = notebook(&app, &packages, "humaneval_x.ipynb", "[len(panels), len(results), len(translated)]").await;
    assert_eq!(report, json!([0, 0, 0]));
}
