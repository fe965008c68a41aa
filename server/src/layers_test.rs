//! Compares the modules with ARCHITECTURE.md, section "Layers": every `crate::` path in a module must be an
//! edge there, and every edge there must be used.

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
    // Macros and items of the crate root are not modules.
    found.retain(|name| !name.is_empty() && name.chars().all(|c| c.is_lowercase() || c == '_' || c.is_numeric()));
    found
}

fn read(folder: &Path, module: Option<&str>, edges: &mut Edges) {
    each_source(folder, module, &mut |module, code| {
        edges.entry(module.to_owned()).or_default().extend(named(code).into_iter().filter(|to| to != module));
    });
}

/// Calls `each` with the top-level module and the code of every source file, without comments and tests.
fn each_source(folder: &Path, module: Option<&str>, each: &mut dyn FnMut(&str, &str)) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let module = module.unwrap_or(&name);
        if path.is_dir() {
            each_source(&path, Some(module), each);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.contains("test") {
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // Tests may use modules that the code itself may not.
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            each(module, &code);
        }
    }
}

#[test]
fn modules_use_only_the_layers_below_them() {
    let mut found = Edges::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut found);
    // The crate roots may use every module.
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

/// These modules return values; the modules that show them put them into words.
#[test]
fn the_engine_and_what_it_rests_on_know_no_texts_of_pages() {
    let wordless = ["engine", "assemble", "sandbox", "db", "formats", "layout", "plan", "stats"];
    let mut seen = BTreeSet::new();
    let mut check = |module: &str, code: &str| {
        if let Some(module) = wordless.iter().find(|name| **name == module) {
            seen.insert(*module);
            assert!(!code.contains("i18n"), "{module} uses app::i18n");
        }
    };
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    each_source(&server.join("src"), None, &mut check);
    each_source(&server.join("stats/src"), Some("stats"), &mut check);
    assert_eq!(seen.len(), wordless.len(), "a module of the list is gone: {seen:?}");
}

#[test]
fn crate_paths_are_found_in_every_form() {
    let check = |text, expected: &[&str]| assert_eq!(named(text), expected.iter().map(|s| (*s).to_owned()).collect());
    check("use crate::db;", &["db"]);
    check("use crate::{clock, db::{self, runs}, error::Failure};", &["clock", "db", "error"]);
    check("let x = crate::http::rest::reference();", &["http"]);
    check("pub(crate) fn f() {}", &[]);
}

/// The sources that name `word` outside comments and tests, below `server/src` and the server functions of `app`.
fn files_with(word: &str) -> Vec<String> {
    fn look(folder: &Path, word: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, word, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let names = |line: &str| {
                line.match_indices(word).any(|(at, _)| {
                    let part = |c: char| c.is_alphanumeric() || c == '_';
                    !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part)
                })
            };
            let name = path.to_string_lossy();
            if lines.any(names) && !name.contains("_test") {
                let (_, below) = name.rsplit_once("/src/").unwrap_or_default();
                found.push(below.to_owned());
            }
        }
    }
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    look(&server.join("src"), word, &mut found);
    look(&server.join("../app/src/rpc"), word, &mut found);
    found.sort();
    found
}

#[test]
fn nothing_that_answers_a_request_acts_as_the_system() {
    let files = files_with("System");
    let answering: Vec<_> = files.iter().filter(|file| file.starts_with("http/") || file.starts_with("rpc/")).collect();
    assert!(answering.is_empty(), "{answering:?}");
    // Work without a request, or for a secret link that itself decides what it opens.
    let services: Vec<_> = files.iter().filter(|file| file.starts_with("services/")).map(String::as_str).collect();
    let known = [
        "services/accounts.rs",
        "services/backup/mod.rs",
        "services/backup/schedule.rs",
        "services/codeif.rs",
        "services/demo_results.rs",
        "services/imports.rs",
        "services/prune.rs",
        "services/public_links.rs",
        "services/routines.rs",
        "services/single_sign_on.rs",
        "services/starter.rs",
        "services/tokens.rs",
        "services/webhooks/mod.rs",
    ];
    assert_eq!(services, known);
}

#[test]
fn callers_are_made_at_the_edge() {
    // The session's cookie, the access token, the demo's raters; the guard only reads.
    let known = ["http/guard.rs", "http/rest/scopes.rs", "http/session.rs", "services/demo_results.rs"];
    assert_eq!(files_with("Caller::User"), known);
}

#[test]
fn work_that_outlives_its_request_keeps_its_origin() {
    // `db::audit::spawn` carries the origin over. These tasks write nothing that the audit log records.
    let known = [
        "cli/collect.rs",
        "cli/serve.rs",
        "db/audit.rs",
        "http/download.rs",
        "http/listen.rs",
        // They answer no request.
        "jobs/cluster/coordinator.rs",
        "jobs/cluster/worker.rs",
        "layout/cached.rs",
        "services/collections/mod.rs",
        "services/comparisons.rs",
        "services/results.rs",
        "services/results/model.rs",
        "services/webhooks/mod.rs",
    ];
    assert_eq!(files_with("tokio::spawn"), known);
}

/// Services that write without an entry in the audit log, and what.
const NOT_AUDITED: [(&str, &str); 25] = [
    ("accounts.rs", "logins, failed ones and devices; a person's language"),
    ("announcements.rs", "what a person has read"),
    ("collections/driver.rs", "requests and responses"),
    (
        "collections/mod.rs",
        "failed requests to send again, rows of deleted collections; the first transaction is audited",
    ),
    ("collections/testing.rs", "what tests of answers showed"),
    ("comparisons.rs", "figures that were computed"),
    ("comparisons/export.rs", "pseudonyms of raters"),
    ("datasets.rs", "hidden rows of an import; its last transaction is audited"),
    ("grading/mod.rs", "ratings and drafts"),
    ("guidelines.rs", "which version a rater has read"),
    ("inbox.rs", "who dealt with an item; the runs' service audits it"),
    ("plans/new_study.rs", "hidden rows of a new study; its last transaction is audited"),
    ("prune.rs", "one entry follows for all that was deleted"),
    ("quality/feedback.rs", "what a rater has read; opaque names"),
    ("quality/monitoring.rs", "opaque names"),
    ("ratings_import.rs", "hidden rows of an import; its last transaction is audited"),
    ("routines.rs", "how daily backups and checks of the database ended"),
    ("rubrics.rs", "the bundled rubric"),
    ("runs.rs", "further items of a request to run again; its first transaction is audited"),
    ("settings.rs", "a person's shortcuts"),
    ("single_sign_on.rs", "which browsers are known"),
    ("steps.rs", "the rest of a change of a study; its first transaction is audited"),
    ("submissions.rs", "uploads; hidden rows of an import; its last transaction is audited"),
    ("tokens.rs", "when a token was used; answers to repeated requests"),
    ("webhooks/mod.rs", "deliveries"),
];

#[test]
fn changes_by_admins_are_audited() {
    fn look(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                look(&path, &format!("{below}{name}/"), found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code: String = code.split_whitespace().collect();
            if code.contains("db.write(") || code.contains("db.write_blocking(") {
                found.insert(format!("{below}{name}"));
            }
        }
    }
    let mut found = BTreeSet::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/services"), "", &mut found);
    let known: BTreeSet<String> = NOT_AUDITED.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(found, known);
}
