//! Journeys in a browser: `end2end/journeys`, run by Playwright.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    Counts,
    prerequisites::{Kind, Prerequisites, Skip},
    rust,
};
use crate::{client, server, setup, tools};

/// Journeys that measure the size of downloads; they need the release client.
const MEASURES: [&str; 1] = ["first_visit"];

/// The names of all journeys: their files without `.spec.ts`.
pub fn names() -> Result<Vec<String>> {
    let mut files = Vec::new();
    tools::files(&tools::root().join("end2end/journeys"), &mut files)?;
    let name = |file: &std::path::PathBuf| Some(file.file_name()?.to_str()?.strip_suffix(".spec.ts")?.to_owned());
    let mut names: Vec<String> = files.iter().filter_map(name).collect();
    names.sort();
    Ok(names)
}

/// Runs every journey with the release client, which earlier stages of a whole run have built, as they have the server.
pub fn all(prerequisites: &Prerequisites) -> Result<Counts> {
    client::build(client::Profile::Release)?;
    run(prerequisites, &rust::build()?.aixgrade, &[])
}

/// Runs some journeys by name, with the client that is fastest to build, unless one of them measures it.
pub fn some(prerequisites: &Prerequisites, names: &[String]) -> Result<Counts> {
    let measured = names.iter().any(|name| MEASURES.contains(&name.as_str()));
    if measured {
        client::build(client::Profile::Release)?;
        return run(prerequisites, &server::build(false)?, names);
    }
    run(prerequisites, &server::build_with_client(false)?, names)
}

fn run(prerequisites: &Prerequisites, aixgrade: &Path, names: &[String]) -> Result<Counts> {
    setup::for_journeys()?;
    let end2end = tools::root().join("end2end");
    let report = end2end.join("test-results/report.json");
    let _ = fs::remove_file(&report);
    let mut playwright = tools::command("npx");
    playwright.args(["--no-install", "playwright", "test"]).current_dir(&end2end);
    // Playwright reads them as patterns of paths.
    playwright.args(names.iter().map(|name| format!("/{name}\\.spec\\.ts$")));
    playwright.env("AIXGRADE_BINARY", aixgrade).env("AIXGRADE_REPORT", &report);
    prerequisites.pass_to(&mut playwright);
    let ran = tools::run(&mut playwright);
    let text = match fs::read_to_string(&report) {
        Ok(text) => text,
        // It ended before it wrote a report; its own error is more informative than the missing file.
        Err(e) => return ran.and_then(|()| Err(e).context("the browser tests wrote no report")),
    };
    let counts = counts(&serde_json::from_str(&text)?);
    if counts.failed == 0 { ran.map(|()| counts) } else { Ok(counts) }
}

/// A test that passed only at a second try has failed.
fn counts(report: &Value) -> Counts {
    let count = |what: &str| report["stats"][what].as_u64().unwrap_or(0);
    let mut counts =
        Counts { passed: count("expected"), failed: count("unexpected") + count("flaky"), ..Counts::default() };
    collect_names(report, &mut counts);
    counts
}

/// Finds the failed and the skipped tests in a report's tree of suites.
fn collect_names(suite: &Value, counts: &mut Counts) {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    for inner in list(suite, "suites") {
        collect_names(&inner, counts);
    }
    for spec in list(suite, "specs") {
        let name =
            format!("{}: {}", spec["file"].as_str().unwrap_or_default(), spec["title"].as_str().unwrap_or_default());
        for test in list(&spec, "tests") {
            let annotations = list(&test, "annotations");
            let reason = annotations.iter().find(|a| a["type"] == "skip").and_then(|a| a["description"].as_str());
            match test["status"].as_str() {
                Some("unexpected" | "flaky") => counts.failures.push(name.clone()),
                Some("skipped") => counts.skipped.push(match reason {
                    Some(why) => Skip { kind: Kind::Data, name: name.clone(), why: why.to_owned() },
                    None => Skip::ignored(&name),
                }),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaky_browser_test_counts_as_failed() {
        let report = serde_json::json!({
            "stats": { "expected": 7, "unexpected": 1, "flaky": 2, "skipped": 2 },
            "suites": [{ "suites": [{ "specs": [
                { "file": "data.spec.ts", "title": "published", "tests": [
                    { "status": "skipped", "annotations": [{ "type": "skip", "description": "no data" }] }] },
                { "file": "data.spec.ts", "title": "broken", "tests": [{ "status": "skipped", "annotations": [] }] },
                { "file": "data.spec.ts", "title": "fine", "tests": [{ "status": "expected" }] },
                { "file": "runs.spec.ts", "title": "late", "tests": [{ "status": "flaky" }] },
                { "file": "runs.spec.ts", "title": "wrong", "tests": [{ "status": "unexpected" }] },
            ] }] }],
        });
        let counts = counts(&report);
        assert_eq!((counts.passed, counts.failed), (7, 3));
        let names: Vec<_> = counts.skipped.iter().map(|s| (s.kind, s.name.as_str())).collect();
        assert_eq!(counts.failures, ["runs.spec.ts: late", "runs.spec.ts: wrong"]);
        assert_eq!(names, [(Kind::Data, "data.spec.ts: published"), (Kind::Ignored, "data.spec.ts: broken")]);
    }

    #[test]
    fn measuring_journeys_exist() {
        let names = names().unwrap();
        assert!(MEASURES.iter().all(|measure| names.iter().any(|name| name == measure)), "{names:?}");
    }
}
