//! Holds the modules to the picture in ARCHITECTURE.md, section "Layers": every `crate::` path in a module
//! must be an edge there, and every edge there must be used.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The lines `module -> module, module` of the section's code block.
fn documented() -> Edges {
    let text = include_str!("../../ARCHITECTURE.md");
    let section = text.split("## Layers").nth(1).unwrap_or_else(|| panic!("a section \"Layers\""));
    let block = section.split("```").nth(1).unwrap_or_else(|| panic!("a code block in \"Layers\""));
    let lines = block.lines().filter_map(|line| line.split_once("->"));
    lines
        .map(|(from, to)| {
            let to = to.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            (from.trim().to_owned(), to.collect())
        })
        .collect()
}

/// Every top-level module named after `crate::` in a source text, also within `use crate::{…}`.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    for rest in text.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let (mut depth, mut start) = (1, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => start = true,
                c if start && depth == 1 && !c.is_whitespace() => {
                    found.insert(word(&group[at..]));
                    start = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    // Macros and items of the crate root are no modules.
    found.retain(|name| !name.is_empty() && name.chars().all(|c| c.is_lowercase() || c == '_' || c.is_numeric()));
    found
}

fn read(folder: &Path, module: Option<&str>, edges: &mut Edges) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let module = module.unwrap_or(&name);
        if path.is_dir() {
            read(&path, Some(module), edges);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.contains("test") {
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // Tests may reach further than the code that they test.
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            edges.entry(module.to_owned()).or_default().extend(named(&code).into_iter().filter(|to| to != module));
        }
    }
}

#[test]
fn modules_use_only_the_layers_below_them() {
    let mut found = Edges::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut found);
    // The crate's roots put everything together.
    ["lib", "main"].iter().for_each(|root| drop(found.remove(*root)));
    let modules: BTreeSet<String> = found.keys().cloned().collect();
    let documented = documented();
    let mut wrong = Vec::new();
    for (from, to) in &mut found {
        to.retain(|name| modules.contains(name));
        let allowed = documented.get(from).cloned().unwrap_or_default();
        wrong.extend(to.difference(&allowed).map(|to| format!("{from} -> {to} is not in ARCHITECTURE.md")));
        wrong.extend(allowed.difference(to).map(|to| format!("{from} -> {to} is in ARCHITECTURE.md but unused")));
    }
    wrong.extend(documented.keys().filter(|from| !modules.contains(*from)).map(|from| format!("no module {from}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_in_every_form() {
    let check = |text, expected: &[&str]| assert_eq!(named(text), expected.iter().map(|s| (*s).to_owned()).collect());
    check("use crate::db;", &["db"]);
    check("use crate::{clock, db::{self, runs}, error::Failure};", &["clock", "db", "error"]);
    check("let x = crate::http::rest::reference();", &["http"]);
    check("pub(crate) fn f() {}", &[]);
}
