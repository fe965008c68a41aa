//! Our own dataset format: datasets/README.md describes it.

use std::collections::BTreeMap;

use app::model::{
    dataset::Checks,
    lang::{Bilingual, Lang},
    problem::Problem,
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Found, FoundDataset, FoundTask, TestTree, description,
    files::Files,
    lines::{self, Fault},
    read_tasks, signature,
};

/// The version of the format that this program reads.
const FORMAT: u64 = 1;
/// The largest test class, in bytes.
const LARGEST_TEST: usize = 256 * 1024;

/// `dataset.json`
#[derive(Deserialize)]
struct Header {
    format: u64,
    slug: String,
    name: Text,
    #[serde(default)]
    description: Text,
    #[serde(default)]
    license: String,
    tests_package: Option<String>,
}

/// A text in one language or both.
#[derive(Default, Deserialize)]
struct Text {
    en: Option<String>,
    zh: Option<String>,
}

impl Text {
    /// In both languages: one stands in for the other.
    fn both(self) -> Bilingual {
        let en = self.en.filter(|text| !text.trim().is_empty());
        let zh = self.zh.filter(|text| !text.trim().is_empty());
        Bilingual { en: en.clone().or(zh.clone()).unwrap_or_default(), zh: zh.or(en).unwrap_or_default() }
    }
}

/// Reads the dataset that lies in the folder `root` of `files`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(files: &Files, root: &str) -> Result<Found, Vec<Problem>> {
    let (header, package) = header(files, &format!("{root}dataset.json"))?;
    let name = format!("{root}tasks.jsonl");
    let Some(bytes) = files.get(&name) else {
        return Err(vec![Problem::new(&files.name, "there is no tasks.jsonl", "Put the tasks beside dataset.json")]);
    };
    let mut tree = BTreeMap::new();
    let tasks = read_tasks("tasks.jsonl", bytes, |object| {
        let class = test_class(object)?;
        if let Some(class) = &class {
            let path = format!("tests/{class}.java");
            let file = check_test(files.get(&format!("{root}{path}")), &path, package.as_deref())?;
            tree.insert(path, file);
        }
        task(object, class.and_then(|class| Some(format!("{}.{class}", package.as_deref()?))))
    })?;
    let tests = (!tree.is_empty()).then_some(TestTree { kind: "aixgrade", files: tree });
    let dataset = FoundDataset {
        slug: header.slug,
        name: header.name.both(),
        description: header.description.both(),
        license: header.license,
        source: files.name.clone(),
        tasks,
        tests,
    };
    let notes = unused_tests(files, root, dataset.tests.as_ref());
    Ok(Found { datasets: vec![dataset], rubric: None, notes, bare: false })
}

fn header(files: &Files, path: &str) -> Result<(Header, Option<String>), Vec<Problem>> {
    let one = |what: String, remedy: &str| vec![Problem::new("dataset.json", what, remedy)];
    let text = match files.text(path) {
        Some(Ok(text)) => text,
        Some(Err(problem)) => return Err(vec![problem]),
        None => return Err(one("it is missing".into(), "Describe the dataset in a dataset.json")),
    };
    let header: Header = serde_json::from_str(text)
        .map_err(|e| one(format!("it is not as the format wants it: {e}"), "See datasets/README.md for its fields"))?;
    let mut problems = Vec::new();
    let mut wrong = |what: String, remedy: &str| problems.push(Problem::new("dataset.json", what, remedy));
    if header.format != FORMAT {
        wrong(format!("it is in format {}, and this program reads {FORMAT}", header.format), "Use a newer program");
    }
    if !is_slug(&header.slug) {
        wrong(
            format!("`{}` cannot be the slug", header.slug),
            "Use 1 to 40 lower-case letters, digits and hyphens, a letter first",
        );
    }
    if super::aixbench::AUTO == header.slug || super::aixbench::MANUAL == header.slug {
        wrong(format!("the slug `{}` belongs to the published benchmark", header.slug), "Choose another slug");
    }
    let names = [&header.name.en, &header.name.zh];
    if !names.iter().any(|name| name.as_deref().is_some_and(|n| !n.trim().is_empty())) {
        wrong("`name` is empty".into(), "Give it a name in English, in Chinese or both");
    }
    let too_long =
        |texts: [&Option<String>; 2], most| texts.iter().any(|t| t.as_ref().is_some_and(|t| t.chars().count() > most));
    if too_long(names, 200) || header.license.chars().count() > 200 {
        wrong("`name` or `license` is longer than 200 characters".into(), "Shorten it");
    }
    if too_long([&header.description.en, &header.description.zh], 5000) {
        wrong("`description` is longer than 5,000 characters".into(), "Shorten it");
    }
    let package = header.tests_package.clone();
    if let Some(package) = package.as_deref().filter(|p| !is_package(p) || *p == "aixgrade.api") {
        wrong(format!("`{package}` cannot be the package of the tests"), "Name a Java package of your own");
    }
    if problems.is_empty() { Ok((header, package)) } else { Err(problems) }
}

fn task(object: &lines::Object, test_class: Option<String>) -> Result<FoundTask, Fault> {
    let task_id = object.task_id()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if task_id.len() > 64 || !task_id.chars().all(allowed) {
        return Err(Fault(
            format!("`{task_id}` cannot be a task's id"),
            "Use 1 to 64 letters, digits, `.`, `_`, `-` and `/`".into(),
        ));
    }
    let raw_nl = description(object)?;
    let signature = signature(object)?;
    let checks = checks(object)?;
    if checks.tests && signature.is_none() {
        return Err(Fault("there is no `signature`".into(), "A task with tests needs the method's head".into()));
    }
    let lang = match object.text("lang")? {
        None => Lang::detect(&raw_nl),
        Some(code) => code
            .parse()
            .map_err(|_| Fault(format!("`lang` is `{code}`"), "Write `en` or `zh`, or leave it out".into()))?,
    };
    Ok(FoundTask { task_id, raw_nl, lang, signature, checks, test_class })
}

fn checks(object: &lines::Object) -> Result<Checks, Fault> {
    let remedy = "Write `checks` as `[\"human\"]`, `[\"tests\"]` or `[\"human\", \"tests\"]`";
    let Some(Value::Array(words)) = object.get("checks") else {
        return Err(Fault("`checks` is no list".into(), remedy.into()));
    };
    let mut checks = Checks::default();
    for word in words {
        match word.as_str() {
            Some("human") => checks.human = true,
            Some("tests") => checks.tests = true,
            _ => return Err(Fault(format!("`checks` holds {word}"), remedy.into())),
        }
    }
    if !checks.human && !checks.tests {
        return Err(Fault("`checks` is empty".into(), remedy.into()));
    }
    Ok(checks)
}

/// The simple name of the task's test class, where its checks have tests.
fn test_class(object: &lines::Object) -> Result<Option<String>, Fault> {
    if !checks(object)?.tests {
        return Ok(None);
    }
    match object.text("tests")? {
        Some(class) if is_identifier(class) => Ok(Some(class.to_owned())),
        Some(class) => {
            Err(Fault(format!("`{class}` cannot be a class"), "Name the class in `tests/`, without `.java`".into()))
        }
        None => Err(Fault("there is no `tests`".into(), "Name the task's test class, without `.java`".into())),
    }
}

fn check_test(file: Option<&[u8]>, path: &str, package: Option<&str>) -> Result<Vec<u8>, Fault> {
    let Some(package) = package else {
        return Err(Fault(
            "the task has tests, and dataset.json names no `tests_package`".into(),
            "Name it there".into(),
        ));
    };
    let Some(bytes) = file else {
        return Err(Fault(format!("there is no file {path}"), "Add it, or correct the name".into()));
    };
    if bytes.len() > LARGEST_TEST {
        return Err(Fault(format!("{path} is larger than {} KiB", LARGEST_TEST / 1024), "Shorten it".into()));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Fault(format!("{path} is not UTF-8"), "Save it as UTF-8".into()));
    };
    let declares = text.lines().any(|line| {
        let declared = line.trim().strip_prefix("package ").and_then(|rest| rest.split(';').next());
        declared.is_some_and(|declared| declared.trim() == package)
    });
    if !declares {
        return Err(Fault(format!("{path} does not begin with `package {package};`"), "Declare the package".into()));
    }
    Ok(bytes.to_vec())
}

/// A note about test classes that no task names: a misspelt name is found by it.
fn unused_tests(files: &Files, root: &str, tests: Option<&TestTree>) -> Vec<String> {
    let folder = format!("{root}tests/");
    let used = |name: &str| tests.is_some_and(|tree| tree.files.contains_key(&format!("tests/{name}")));
    let names = files.below(&folder).map(|(name, _)| name).filter(|name| name.ends_with(".java") && !used(name));
    let unused: Vec<&str> = names.collect();
    match unused.as_slice() {
        [] => Vec::new(),
        names => vec![format!("No task names these test classes: {}.", names.join(", "))],
    }
}

fn is_slug(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.len() <= 100
}

fn is_package(text: &str) -> bool {
    text.split('.').all(is_identifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"format": 1, "slug": "mine", "name": {"en": "Mine"}, "tests_package": "org.example.t"}"#;
    const TASKS: &str = r#"{"task_id": "A1", "raw_nl": "Adds.", "signature": "int add(int a)", "checks": ["tests", "human"], "tests": "A1Test"}
{"task_id": "A/2", "raw_nl": "打印小票", "checks": ["human"], "mood": "good"}"#;
    const TEST: &str = "package org.example.t;\npublic final class A1Test {}\n";

    fn files(header: &str, tasks: &str, test: &str) -> Files {
        let mut files = Files::named("mine");
        for (path, text) in [("d/dataset.json", header), ("d/tasks.jsonl", tasks), ("d/tests/A1Test.java", test)] {
            files.add(path, text.as_bytes().to_vec()).unwrap();
        }
        files
    }

    #[test]
    fn reads_a_dataset() {
        let found = super::super::read(&files(HEADER, TASKS, TEST)).unwrap();
        let dataset = &found.datasets[0];
        assert_eq!((dataset.slug.as_str(), dataset.name.zh.as_str()), ("mine", "Mine"));
        assert_eq!(dataset.tasks[0].test_class.as_deref(), Some("org.example.t.A1Test"));
        assert_eq!(dataset.tasks[0].checks, Checks { human: true, tests: true });
        assert_eq!((dataset.tasks[1].lang, dataset.tasks[1].test_class.as_deref()), (Lang::Zh, None));
        assert_eq!(dataset.tests.as_ref().unwrap().files.keys().collect::<Vec<_>>(), ["tests/A1Test.java"]);
        assert_eq!(found.notes, [""; 0]);
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |(header, tasks, test): (&str, &str, &str), expected: &str| {
            let problems = super::super::read(&files(header, tasks, test)).unwrap_err();
            let text: Vec<_> = problems.iter().map(Problem::to_string).collect();
            assert!(text.join("\n").contains(expected), "{text:?} does not say {expected}");
        };
        check(("{", TASKS, TEST), "dataset.json: it is not as the format wants it");
        check((&HEADER.replace(": 1", ": 2"), TASKS, TEST), "format 2, and this program reads 1");
        check((&HEADER.replace("mine", "Mine!"), TASKS, TEST), "`Mine!` cannot be the slug");
        check((&HEADER.replace("mine", "aixbench-auto"), TASKS, TEST), "belongs to the published benchmark");
        check((&HEADER.replace("org.example.t", "aixgrade.api"), TASKS, TEST), "cannot be the package");
        check((HEADER, "", TEST), "tasks.jsonl: the file is empty");
        check((HEADER, &TASKS.replace("A1Test", "B1Test"), TEST), "line 1: there is no file tests/B1Test.java");
        check((HEADER, &TASKS.replace("A1Test", "../A1Test"), TEST), "`../A1Test` cannot be a class");
        check((HEADER, &TASKS.replace("\"signature\"", "\"sig\""), TEST), "line 1: there is no `signature`");
        check((HEADER, &TASKS.replace("[\"human\"]", "[\"machine\"]"), TEST), "line 2: `checks` holds \"machine\"");
        check((HEADER, &TASKS.replace("[\"human\"]", "[]"), TEST), "`checks` is empty");
        check((HEADER, &TASKS.replace("A/2", "A 2"), TEST), "`A 2` cannot be a task's id");
        check((HEADER, TASKS, "package other;"), "does not begin with `package org.example.t;`");
    }

    #[test]
    fn mentions_tests_that_no_task_names() {
        let mut files = files(HEADER, TASKS, TEST);
        files.add("d/tests/B2Test.java", TEST.into()).unwrap();
        let found = super::super::read(&files).unwrap();
        assert_eq!(found.notes, ["No task names these test classes: B2Test.java."]);
    }

    #[test]
    fn reads_the_starter_dataset() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/starter");
        let found = super::super::read(&Files::folder(&folder).unwrap()).unwrap();
        let dataset = &found.datasets[0];
        let count = |of: fn(&FoundTask) -> bool| dataset.tasks.iter().filter(|t| of(t)).count();
        assert_eq!((dataset.slug.as_str(), dataset.tasks.len()), ("starter", 40));
        assert_eq!((count(|t| t.checks.tests), count(|t| t.checks.human), count(|t| t.lang == Lang::Zh)), (24, 28, 16));
        assert_eq!(found.notes, [""; 0]);
    }
}
