//! Which tasks of HumanEval-X have tests that accept a constant or another degenerate answer, guarded. What is known is in
//! `server/benchmarks/src/constants`; this test tries a few tasks again.
//!
//! All tasks of a language are tried, and its file is written, if `prerequisites::constants` names it (docs/engine.md has the command).
//! That takes from a minute to a quarter of an hour.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use benchmarks::{constants, humaneval::Task};
use lang::grader::{self, Sample};
use model::{code_lang::CodeLang, run::Verdict};

#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod common;

use common::{context, tasks, toolchain};

/// Tasks that are tried each time: some that accept something, some that need the guard to refuse NaN, infinities, large
/// numbers and changed arguments (2, 4, 32, 45), and some that are as most.
const SAMPLE: [u32; 6] = [2, 4, 32, 45, 101, 151];

/// Answers whatever the arguments are.
const PYTHON: &[&str] = &[
    "None",
    "True",
    "False",
    "0",
    "1",
    "-1",
    "2",
    "10",
    "2 ** 31",
    "-2 ** 31",
    "-2 ** 63",
    "10 ** 400",
    "0.0",
    "-0.0",
    "0.5",
    "1e13",
    "1e308",
    "float('nan')",
    "float('inf')",
    "-float('inf')",
    "complex(float('nan'), 0)",
    "np.float64('nan')",
    "''",
    "' '",
    "'\\0'",
    "'a'",
    "'YES'",
    "b''",
    "[]",
    "[0]",
    "['']",
    "[[]]",
    "[float('nan')] * 3",
    "[True] * 100",
    "()",
    "(None, None)",
    "(0, 0)",
    "{}",
    "{'a': 1}",
    "set()",
    "frozenset()",
    "iter([])",
];
const JAVASCRIPT: &[&str] = &[
    "undefined",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "10",
    "2 ** 31",
    "-(2 ** 31)",
    "2 ** 53",
    "1e308",
    "0.5",
    "1e13",
    "NaN",
    "Infinity",
    "-Infinity",
    "0n",
    "1n",
    "''",
    "' '",
    "'\\0'",
    "'a'",
    "'YES'",
    "'NaN'",
    "[]",
    "[0]",
    "['']",
    "[[]]",
    "[NaN]",
    "[NaN, NaN, NaN]",
    "[undefined]",
    "new Array(3)",
    "[null, null]",
    "{}",
    "{a: 1}",
    "new Map()",
    "new Set()",
    "Symbol('a')",
    "() => true",
    "/a/",
];

/// Answers from an argument, which is `$` here.
const PYTHON_FROM_ARGUMENT: &[&str] = &[
    "$",
    "[$]",
    "$[::-1]",
    "sorted($)",
    "sorted($)[::-1]",
    "list($)",
    "str($)",
    "len($)",
    "-$",
    "not $",
    "$.clear()",
    "$.clear() or 0",
];
const JAVASCRIPT_FROM_ARGUMENT: &[&str] = &[
    "$",
    "[$]",
    "$.reverse()",
    "$.sort()",
    "String($)",
    "$.length",
    "-$",
    "!$",
    "($.length = 0)",
    "($.length = 0, $)",
];

/// What looks degenerate and is right: the task asks for the length of a text.
const RIGHT: [(&str, &str); 2] = [("/23", "len(string)"), ("/23", "string.length")];

/// The names of the function's parameters.
fn parameters(lang: CodeLang, task: &Task) -> BTreeSet<String> {
    let head = task.declaration.lines().rev().find(|line| line.contains('(')).unwrap();
    let (opening, closing) = if lang == CodeLang::JavaScript { ("= (", ") =>") } else { ("(", ")") };
    let (_, inside) = head.split_once(opening).unwrap();
    let (inside, _) = inside.rsplit_once(closing).unwrap();
    let names = inside.split(',').filter_map(|part| part.split([':', '=']).next()).map(str::trim);
    // A comma within brackets of a type is followed by no name.
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    names.filter(is_name).map(str::to_owned).collect()
}

/// The rest of the function that returns this, or nothing where it cannot be computed.
fn body(lang: CodeLang, expression: &str) -> String {
    if lang == CodeLang::JavaScript {
        return format!("  try {{\n    return ({expression});\n  }} catch (e) {{\n    return undefined;\n  }}\n}}\n\n");
    }
    format!("    try:\n        return {expression}\n    except Exception:\n        return None\n")
}

/// The answers to try: what they are called, and the body that returns them.
fn tried(lang: CodeLang, task: &Task) -> Vec<(String, String)> {
    let (constants, from_argument) = match lang {
        CodeLang::JavaScript => (JAVASCRIPT, JAVASCRIPT_FROM_ARGUMENT),
        _ => (PYTHON, PYTHON_FROM_ARGUMENT),
    };
    let names = parameters(lang, task);
    let of = |name: &String| from_argument.iter().map(|expression| expression.replace('$', name)).collect::<Vec<_>>();
    let all = constants.iter().map(|answer| (*answer).to_owned()).chain(names.iter().flat_map(of));
    let is_right =
        |answer: &String| RIGHT.iter().any(|(task_id, right)| task.task_id.ends_with(task_id) && answer == right);
    all.filter(|answer| !is_right(answer)).map(|answer| (answer.clone(), body(lang, &answer))).collect()
}

/// The answers that each of these tasks accepts.
fn accepted(lang: CodeLang, tasks: &[&Task]) -> Option<BTreeMap<String, Vec<String>>> {
    let toolchain = toolchain(lang)?;
    let each = |task: &&Task| {
        let id = task.task_id.clone();
        tried(lang, task).into_iter().map(move |(name, body)| (id.clone(), name, body))
    };
    let work: Vec<(String, String, String)> = tasks.iter().flat_map(each).collect();
    let by_id: BTreeMap<&str, &Task> = tasks.iter().map(|task| (task.task_id.as_str(), *task)).collect();
    let (context, next, found) = (context(), AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..toolchain.workers(std::thread::available_parallelism().map_or(1, usize::from)) {
            scope.spawn(|| {
                while let Some((id, name, body)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let task = by_id[id.as_str()];
                    let outcome = grader::grade(&*toolchain, &context, lang, task, Sample::of(body)).unwrap();
                    if outcome.verdict == Verdict::Passed {
                        let mut found = found.lock().unwrap();
                        let of: &mut Vec<String> = found.entry(id.clone()).or_default();
                        of.push(name.clone());
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.values_mut().for_each(|names| names.sort());
    Some(found)
}

fn file(lang: CodeLang) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/src/constants");
    folder.join(format!("{}.tsv", lang.code()))
}

/// Tries all tasks and writes what they accept.
fn record(lang: CodeLang, all: &BTreeMap<String, Task>) {
    let tasks: Vec<&Task> = all.values().collect();
    let Some(found) = accepted(lang, &tasks) else { return };
    let mut text = String::new();
    for (id, task) in all {
        let answers = found.get(id).into_iter().flatten();
        let parts: Vec<&str> = answers.map(String::as_str).collect();
        let digest = constants::digest(task);
        let parts = [&[id.as_str(), &digest], &parts[..]].concat();
        writeln!(text, "{}", parts.join("\t")).unwrap();
    }
    fs::write(file(lang), text).unwrap();
}

fn check(lang: CodeLang) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let all = tasks(&data, lang);
    assert!(all.values().all(|task| tried(lang, task).len() >= 40));
    match prerequisites::constants() {
        Some(asked) if asked == lang.code() => return record(lang, &all),
        // Only the language that is asked for.
        Some(_) => return,
        None => {}
    }
    let is_sample = |task: &&Task| SAMPLE.iter().any(|number| task.task_id.ends_with(&format!("/{number}")));
    let tasks: Vec<&Task> = all.values().filter(is_sample).collect();
    assert_eq!(tasks.len(), SAMPLE.len());
    let Some(found) = accepted(lang, &tasks) else { return };
    for task in tasks {
        let found: Vec<&str> = found.get(&task.task_id).into_iter().flatten().map(String::as_str).collect();
        assert_eq!(Some(&found[..]), constants::accepted(lang, task), "{}", task.task_id);
    }
}

#[test]
fn python_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::Python);
}

#[test]
fn javascript_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::JavaScript);
}
