//! Rules for the sources of the tests themselves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const HELPER: &str = "server/tests/util/prerequisites.rs";
/// This file contains examples of what it searches for.
const THIS: &str = "server/tests/it/sources.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The Rust sources of the app and the server, tests included: path from the workspace's folder, text.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![root().join("app/src"), root().join("server")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

#[test]
fn every_area_is_a_module_of_this_program() {
    let main = fs::read_to_string(root().join("server/tests/it/main.rs")).unwrap();
    let named: BTreeSet<String> =
        main.lines().filter_map(|line| Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())).collect();
    let mut files: BTreeSet<String> = fs::read_dir(root().join("server/tests/it"))
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    files.remove("main");
    // Modules from other folders.
    files.extend(["fill", "util"].map(str::to_owned));
    assert_eq!(named, files);
}

#[test]
fn text_areas_escape_what_they_contain() {
    // Leptos writes the children of this element as they are, so text in it could end it.
    for (name, text) in sources() {
        if !name.starts_with("app/src/pages") {
            continue;
        }
        for (before, _) in text.match_indices("</textarea>").map(|(at, _)| text.split_at(at)) {
            let content = before.trim_end();
            let escaped =
                content.rsplit_once('>').is_some_and(|(_, child)| child.trim_start().starts_with("{area_text("));
            assert!(content.ends_with('>') || escaped, "{name}: a text area without area_text");
        }
    }
}

/// The longest file without a reason, in lines.
const LONG: usize = 400;

#[test]
fn long_files_are_listed_with_their_reason() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, list) = text.split_once("## Long files").unwrap();
    let listed: BTreeSet<String> = list
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    let mut folders = ["app/src", "server/src", "xtask/src"].map(|folder| root().join(folder)).to_vec();
    let mut long = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs")
                && fs::read_to_string(&path).unwrap().lines().count() > LONG
            {
                long.insert(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    assert_eq!(listed, long, "ARCHITECTURE.md lists the files over {LONG} lines");
}

#[test]
fn tests_return_early_only_for_prerequisites() {
    let mut wrong = Vec::new();
    let mut tests = 0;
    for (file, text) in sources().into_iter().filter(|(file, _)| file != THIS) {
        let variable = "AIXGRADE_TEST_";
        if file != HELPER && text.contains(variable) {
            wrong.push(format!("{file} reads {variable}… by itself"));
        }
        for body in test_functions(&text) {
            tests += 1;
            wrong.extend(early_returns(body).map(|statement| format!("{file}: {statement}")));
        }
    }
    assert!(tests > 300, "found only {tests} tests");
    assert!(wrong.is_empty(), "{wrong:#?}\nA test that lacks something asks {HELPER} for it.");
}

#[test]
fn early_returns_are_found() {
    let source = "#[test]\nfn a() {\n    let Some(x) = prerequisites::aixbench_data() else { return };\n}\n\
        #[test]\nfn b() {\n    if x.is_none() {\n        return;\n    }\n    let f = |y| return y;\n}\n\
        #[test]\nfn d() {\n    let Some(x) = prerequisites_of_workers() else { return };\n}\n\
        fn no_test() {\n    return;\n}\n#[tokio::test]\nasync fn c() {\n    let Some(x) = found() else {\n        return;\n    };\n}\n";
    let found: Vec<Vec<String>> = test_functions(source).map(|body| early_returns(body).collect()).collect();
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], [""; 0]);
    assert_eq!(found[1], ["if x.is_none() {"]);
    assert_eq!(found[2], [""; 0]);
    assert_eq!(found[3], ["let Some(x) = found() else {"]);
}

/// The text of each test function, to its closing brace: the sources are formatted.
fn test_functions(text: &str) -> impl Iterator<Item = &str> {
    let attributes = ["#[test]\n", "#[tokio::test"];
    let starts = attributes.into_iter().flat_map(move |attribute| text.match_indices(attribute).map(|(at, _)| at));
    starts.map(move |at| {
        let indent = at - text[..at].rfind('\n').map_or(0, |line| line + 1);
        let close = format!("\n{}}}\n", &text[at - indent..at]);
        &text[at..text[at..].find(&close).map_or(text.len(), |end| at + end)]
    })
}

/// The statements that end a test without a value, except those that ask for a prerequisite.
fn early_returns(body: &str) -> impl Iterator<Item = String> {
    let returns = ["return;", "{ return }", "return Ok(());"];
    let at = returns.into_iter().flat_map(move |form| body.match_indices(form).map(|(at, _)| at));
    at.filter_map(move |at| {
        let before = &body[..at];
        let start = ["let ", "if ", "match "].into_iter().filter_map(|word| before.rfind(word)).max().unwrap_or(0);
        let statement = &before[start..];
        let asks = statement.contains("prerequisites::") || statement.contains("= prerequisites_of_");
        (!asks).then(|| statement.lines().next().unwrap_or_default().trim_end().to_owned())
    })
}
