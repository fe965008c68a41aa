//! Rules for the sources of the tests themselves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

const HELPER: &str = "server/prerequisites/src/lib.rs";
/// This file contains examples of what it searches for.
const THIS: &str = "server/tests/it/sources.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The Rust sources of the app and the server, tests included: path from the workspace's folder, text.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![root().join("app"), root().join("server")];
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
fn types_of_the_api_have_names_of_their_own() {
    // Of two types with one name, the document has one, in all places of both.
    let mut named: BTreeMap<String, String> = BTreeMap::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| file != THIS) {
        for name in api_types(&text) {
            if let Some(other) = named.insert(name.clone(), file.clone()) {
                panic!("{name} of {file} and of {other}: give one of them another name by `schema(as = …)`");
            }
        }
    }
    assert!(named.len() > 250, "found only {}", named.len());
    let source = "/// A.\n#[derive(ToSchema)]\n#[schema(as = Other)]\npub struct A {\n    a: u8,\n}\n\nenum B {\n}\n\n\
        #[derive(Debug, ToSchema)]\npub enum C<T> {";
    assert_eq!(api_types(source).collect::<Vec<_>>(), ["Other", "C"]);
}

/// The names that the types in a source have in the API's document.
fn api_types(text: &str) -> impl Iterator<Item = String> {
    let mut attributes = String::new();
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        let declared = line.strip_prefix("pub ").unwrap_or(line);
        let declared = declared.strip_prefix("struct ").or_else(|| declared.strip_prefix("enum "));
        let Some(declared) = declared else {
            attributes.push_str(line);
            if line.is_empty() {
                attributes.clear();
            }
            return None;
        };
        let before = std::mem::take(&mut attributes);
        let named = before.split_once("schema(as = ").map_or(declared, |(_, named)| named);
        let name: String = named.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // A macro's `$name` is none.
        (before.contains("ToSchema)") && !name.is_empty()).then_some(name)
    })
}

#[test]
fn text_areas_escape_what_they_contain() {
    // Leptos writes the children of this element as they are, so text in it could end it.
    for (name, text) in sources() {
        if !name.starts_with("app/") || name.ends_with("/text_area.rs") {
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
        let asks = statement.contains("prerequisites::")
            || ["= prerequisites_of_", "::prerequisites_of_"].iter().any(|asks| statement.contains(asks));
        (!asks).then(|| statement.lines().next().unwrap_or_default().trim_end().to_owned())
    })
}

/// The sources below these folders, without unit tests, in which one of `lines` holds: crate and file, such as
/// `services/runs.rs`.
fn files_in(crates: &[&str], holds: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, text) in sources() {
        let Some((folder, below)) = name.split_once("/src/") else { continue };
        let crate_name = folder.rsplit('/').next().unwrap_or_default();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        if crates.contains(&crate_name) && !below.contains("_test") && holds(&code) {
            found.insert(format!("{crate_name}/{below}"));
        }
    }
    found
}

/// Whether the code has this word, not as a part of another one.
fn has_word(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[test]
fn nothing_that_answers_a_request_acts_as_the_system() {
    let answering = files_in(&["web", "rpc"], |code| has_word(code, "System"));
    assert_eq!(answering, BTreeSet::new());
    // Work without a request, or for a secret link that itself decides what it opens.
    let known = [
        "services/accounts.rs",
        "services/backup/mod.rs",
        "services/backup/schedule.rs",
        "services/codeif.rs",
        "services/demo_results.rs",
        "services/imports.rs",
        "services/mail/notices.rs",
        "services/public_links.rs",
        "services/routines.rs",
        "services/single_sign_on.rs",
        "services/starter.rs",
        "services/tokens.rs",
        "services/webhooks/mod.rs",
    ];
    assert_eq!(files_in(&["services"], |code| has_word(code, "System")), known.map(str::to_owned).into());
}

#[test]
fn the_log_has_what_each_crate_says() {
    let mut logging = Vec::new();
    for entry in fs::read_dir(root().join("server")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("\ntracing.workspace") {
            logging.push(folder.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    logging.sort();
    assert_eq!(logging, command::log::LOGGING);
}

#[test]
fn callers_are_made_at_the_edge() {
    // The session's cookie, the access token, the demo's raters, and who asked for what is carried out later, as the account is
    // then; the guard only reads.
    let known =
        ["services/demo_results.rs", "services/inbox/later.rs", "web/guard.rs", "web/rest/scopes.rs", "web/session.rs"];
    let crates = ["server", "web", "services", "db", "rpc", "jobs", "port"];
    assert_eq!(files_in(&crates, |code| code.contains("Caller::User")), known.map(str::to_owned).into());
}

#[test]
fn work_that_outlives_its_request_keeps_its_origin() {
    // `db::audit::spawn` carries the origin over. These tasks write nothing that the audit log records.
    let known = [
        "db/audit.rs",
        // They answer no request.
        "jobs/cluster/coordinator.rs",
        "jobs/cluster/worker.rs",
        "server/cli/collect.rs",
        "server/cli/serve.rs",
        "services/collections/mod.rs",
        "services/comparisons.rs",
        "services/queue.rs",
        "services/results.rs",
        "services/results/model.rs",
        "syntax/cached.rs",
        "web/download.rs",
        "web/listen.rs",
    ];
    let crates = ["server", "web", "services", "db", "rpc", "jobs", "syntax", "clients", "base", "report", "formats"];
    assert_eq!(files_in(&crates, |code| code.contains("tokio::spawn")), known.map(str::to_owned).into());
}

/// Services that write without an entry in the audit log, and what.
const NOT_AUDITED: [(&str, &str); 29] = [
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
    ("inbox/later.rs", "what an admin asked for and can undo; it is audited when it is carried out"),
    ("inbox/mod.rs", "who dealt with an item; the runs' service audits it"),
    ("mail/mod.rs", "messages; what a person chose; what the owner of an address chose by a link"),
    ("mail/notices.rs", "messages"),
    ("overview.rs", "when an admin opened the overview"),
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
    let writes = |code: &str| {
        let code: String = code.split_whitespace().collect();
        code.contains("db.write(") || code.contains("db.write_blocking(")
    };
    let known: BTreeSet<String> = NOT_AUDITED.iter().map(|(file, _)| format!("services/{file}")).collect();
    assert_eq!(files_in(&["services"], writes), known);
}

#[test]
fn csv_is_written_by_one_writer() {
    // The one that guards against formulas.
    let crates = ["server", "web", "services", "db", "report", "formats", "jobs", "base"];
    let writers = files_in(&crates, |code| code.contains("csv::Writer") || code.contains("Writer::from_writer"));
    assert_eq!(writers, BTreeSet::from(["report/csv.rs".to_owned()]));
}
