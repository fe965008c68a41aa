//! Three small projects of CodeIF-Bench, prepared from their releases and run in the sandbox. Skipped without Python 3.9, a
//! package index or the toolchain of Python.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{fs, path::PathBuf, sync::Arc};

use benchmarks::place::Place;
use engine::runner::Allowance;
use lang::{
    codeif::Answer,
    repositories::{Repositories, SOURCES},
};
use model::{
    code_lang::CodeLang,
    conversation::{TestProfile, Way},
    ids::TaskRevisionId,
    run::Verdict,
};
use projects::{Recipe, Request, prepare, recipe};
use sandbox::bubblewrap::Bubblewrap;
use serde_json::{Value, json};

/// Projects, each with the file of a task, a wrong answer to it, and a test of its base prompt.
const PROJECTS: [(&str, &str, &str, &str); 3] = [
    (
        "System/exodus-bundler",
        "src/exodus_bundler/bundling.py",
        "def bytes_to_int(bytes, byteorder='big'):\n    return -1\n",
        "tests/test_bundling.py::test_bytes_to_int",
    ),
    (
        "Utilities/PyJWT",
        "jwt/utils.py",
        "def force_bytes(value):\n    return b''\n",
        "tests/test_utils.py::test_force_bytes_raises_error_on_invalid_object",
    ),
    (
        "Utilities/pytube",
        "pytube/cli.py",
        "def display_progress_bar(*values, **more):\n    pass\n",
        "tests/test_cli.py::test_display_progress_bar",
    ),
];

/// What these projects need of their environment.
const PACKAGES: [&str; 9] = [
    "exceptiongroup",
    "iniconfig",
    "packaging",
    "pluggy",
    "pytest",
    "pytest-runner",
    "setuptools",
    "tomli",
    "typing-extensions",
];

/// The program's recipe with a small environment.
fn small() -> Recipe {
    let mut recipe = serde_json::to_value(recipe()).unwrap();
    let environment = &mut recipe["environments"]["common"];
    environment["sdists"] = json!([]);
    let is_needed = |wheel: &Value| PACKAGES.contains(&wheel.as_str().unwrap().split("==").next().unwrap());
    environment["wheels"].as_array_mut().unwrap().retain(is_needed);
    serde_json::from_value(recipe).unwrap()
}

/// Whether something outside of this repository is missing, as a preparation says it.
fn is_missing(why: &str) -> bool {
    why.contains("Python 3.9 was not found") || why.contains("pip install") || why.contains("main(['download'")
}

#[test]
fn three_projects_judge_their_own_code_and_wrong_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (made, checkout) = (folder.path().join("made"), folder.path().join("checkout"));
    fs::create_dir_all(&checkout).unwrap();
    fs::write(checkout.join("L_1.jsonl"), json!({ "namespace": "a.f", "project_path": "A/a" }).to_string()).unwrap();
    let names = PROJECTS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let request = Request { folder: made.clone(), benchmark: checkout, projects: names, ..Request::default() };
    let recipe = small();
    for prepared in prepare(&recipe, &request, &mut |_| {}).unwrap() {
        let Err(why) = prepared.state else { continue };
        assert!(is_missing(&why), "{why}");
        let Some(()) = prerequisites::host(Err::<(), _>(why)) else { return };
    }
    let lines = recipe.tasks();
    let tests: Vec<_> = PROJECTS
        .iter()
        .zip(1..)
        .map(|((name, file, _, test), at)| {
            let is_it = |place: &Place| place.project == *name && place.file == *file;
            let place = lines.iter().map(|(place, _)| place).find(|place| is_it(place)).unwrap();
            let text = fs::read_to_string(made.join(SOURCES).join(name).join(&place.file)).unwrap();
            let (first, last) = (place.first_line as usize, place.last_line as usize);
            let code: String = text.split_inclusive('\n').skip(first - 1).take(last - first + 1).collect();
            let turn = json!({ "kind": "base", "judged": true, "tests": [test] });
            let body = json!({ "place": place, "code": code, "turns": [turn] });
            (TaskRevisionId(at), CodeLang::Python, body.to_string(), code)
        })
        .collect();
    let stored: Vec<_> = tests.iter().map(|(at, lang, body, _)| (*at, *lang, body.clone())).collect();
    let engine = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("real");
    fs::create_dir_all(&engine).unwrap();
    let sandbox = Arc::new(Bubblewrap::new(prerequisites::program()).unwrap());
    let suite = Repositories::prepare(sandbox, &engine, &made, &stored, Allowance::default(), TestProfile::AsRun);
    let Some(suite) = prerequisites::toolchain("python", suite) else { return };
    for ((at, _, _, own), (name, _, wrong, _)) in tests.iter().zip(&PROJECTS) {
        for (code, expected) in [(own.as_str(), true), (wrong, false)] {
            let outcome = suite.grade(*at, Answer::new(code, Way::Base, 0), &Arc::default()).unwrap();
            assert_eq!(outcome.verdict == Verdict::Passed, expected, "{name}: {} {}", outcome.message, outcome.printed);
        }
    }
}
