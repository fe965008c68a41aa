//! Which tasks of HumanEval-X have tests that accept a constant or another degenerate answer, guarded. What is known is in
//! `server/benchmarks/src/constants`; this test tries a few tasks again.
//!
//! All tasks of a language are tried, and its file is written, if `prerequisites::constants` names it (docs/engine.md has the command).
//! That takes from a minute to half an hour.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use benchmarks::{
    constants::{self, Source},
    humaneval::Task,
};
use degenerate::choosing::{Choosing, Recording};
use lang::{
    RunContext, Toolchain,
    grader::{self, Sample},
    guard,
};
use model::{code_lang::CodeLang, run::Verdict};

#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod common;
mod degenerate;

use common::{context, tasks, toolchain};

/// Tasks that are tried each time: some that need the guard to refuse NaN, infinities, large numbers and changed arguments
/// (2, 4, 32, 45), one that accepts a right answer (23), one that accepts a constant in many languages (52), and some that
/// are as most.
const SAMPLE: [u32; 8] = [4, 23, 32, 52, 2, 45, 101, 151];

/// The first of the sample are enough where forty answers have to be compiled: a task takes seconds there.
const COMPILED: usize = 4;

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

/// What looks degenerate and is right: a task asks for the length of a text. That these are found shows that the others would
/// be.
const RIGHT: [(&str, &str); 6] = [
    ("Python/23", "len(string)"),
    ("JavaScript/23", "string.length"),
    ("CPP/23", "(int)(size(str))"),
    ("Go/23", "(int)(size(str))"),
    ("Java/23", "(int) (size(string))"),
    ("Rust/23", "(size(&strings)) as i32"),
];

/// Whether a task's answer is right.
fn is_right(task: &Task, answer: &str) -> bool {
    RIGHT.contains(&(task.task_id.as_str(), answer))
}

/// Whether functions declare types, so that an answer must be of one.
fn is_typed(lang: CodeLang) -> bool {
    !matches!(lang, CodeLang::Python | CodeLang::JavaScript)
}

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

/// The answers to try, as expressions.
fn tried(lang: CodeLang, task: &Task) -> Vec<String> {
    let (constants, from_argument) = match lang {
        CodeLang::Python => (PYTHON, PYTHON_FROM_ARGUMENT),
        CodeLang::JavaScript => (JAVASCRIPT, JAVASCRIPT_FROM_ARGUMENT),
        _ => return degenerate::answers(lang, task),
    };
    let names = parameters(lang, task);
    let of = |name: &String| from_argument.iter().map(|expression| expression.replace('$', name)).collect::<Vec<_>>();
    constants.iter().map(|answer| (*answer).to_owned()).chain(names.iter().flat_map(of)).collect()
}

/// The answers that each of these tasks accepts, without those that are right.
fn accepted(lang: CodeLang, tasks: &[&Task]) -> Option<BTreeMap<String, Vec<String>>> {
    let toolchain = toolchain(lang)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let context = context();
    let all = if is_typed(lang) {
        let of = |task: &&Task| accepted_typed(&*toolchain, &context, lang, task);
        on_all(tasks, processors, of).into_iter().flatten().collect()
    } else {
        let mut work: Vec<(&Task, String)> = Vec::new();
        for task in tasks {
            work.extend(tried(lang, task).into_iter().map(|answer| (*task, answer)));
        }
        let passes = |(task, answer): &(&Task, String)| {
            let body = body(lang, answer);
            let outcome = grader::grade(&*toolchain, &context, lang, task, Sample::of(&body)).unwrap();
            (outcome.verdict == Verdict::Passed).then(|| (task.task_id.clone(), answer.clone()))
        };
        on_all(&work, toolchain.workers(processors), passes).into_iter().flatten().collect::<Vec<_>>()
    };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, answer) in all {
        found.entry(id).or_default().push(answer);
    }
    for task in tasks {
        for (_, right) in RIGHT.iter().filter(|(id, _)| *id == task.task_id) {
            let is_found = found.get(&task.task_id).is_some_and(|answers| answers.iter().any(|answer| answer == right));
            assert!(is_found, "{} does not accept {right}, which is right", task.task_id);
        }
        if let Some(answers) = found.get_mut(&task.task_id) {
            answers.retain(|answer| !is_right(task, answer));
            answers.sort();
        }
    }
    Some(found)
}

/// A function's results for all of these, in threads.
fn on_all<T: Sync, R: Send>(work: &[T], threads: usize, of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = of(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// The answers that a task in a language with declared types accepts, with its ID: a guard's judge accepts them from the
/// program that has all of them, and then both verdicts of a sample with this answer alone are a pass.
fn accepted_typed(
    toolchain: &dyn Toolchain,
    context: &RunContext,
    lang: CodeLang,
    task: &Task,
) -> Vec<(String, String)> {
    if !toolchain.has_tests(task) {
        return Vec::new();
    }
    let answers = tried(lang, task);
    let by_guard = |choosing: &mut Choosing<'_>, context: &RunContext| {
        let passes = |number: &usize| {
            choosing.choice = *number;
            guard::judge(choosing, context, task, "", "").unwrap().outcome.verdict == Verdict::Passed
        };
        (0..answers.len()).filter(passes).collect::<Vec<_>>()
    };
    let numbers = {
        let recording = Recording::of(Arc::clone(&context.sandbox));
        let context = RunContext { sandbox: recording.clone(), ..context.clone() };
        let solution = degenerate::solution(lang, task, &answers);
        let mut choosing = Choosing::new(toolchain, &recording, &context, task, &solution);
        by_guard(&mut choosing, &context)
    };
    let prompt = degenerate::prompt(lang, task);
    let is_accepted = |answer: &String| {
        let generation = degenerate::generation(lang, task, answer);
        let sample = Sample { prompt: prompt.as_deref(), ..Sample::of(&generation) };
        grader::grade(toolchain, context, lang, task, sample).unwrap().verdict == Verdict::Passed
    };
    let of = |answer: String| (task.task_id.clone(), answer);
    numbers.into_iter().map(|number| answers[number].clone()).filter(is_accepted).map(of).collect()
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
        let digest = constants::of_program(task);
        let parts = [&[id.as_str(), &digest], &parts[..]].concat();
        writeln!(text, "{}", parts.join("\t")).unwrap();
    }
    fs::write(file(lang), text).unwrap();
}

fn check(lang: CodeLang) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let all = tasks(&data, lang);
    for task in all.values() {
        let count = tried(lang, task).iter().filter(|answer| !is_right(task, answer)).count();
        assert!(count >= 40, "only {count} answers are tried for {}", task.task_id);
    }
    match prerequisites::constants() {
        Some(asked) if asked == lang.code() => return record(lang, &all),
        // Only the language that is asked for.
        Some(_) => return,
        None => {}
    }
    let sample = match lang {
        CodeLang::Python | CodeLang::JavaScript => &SAMPLE[..],
        CodeLang::Java | CodeLang::Cpp | CodeLang::Go | CodeLang::Rust => &SAMPLE[..COMPILED],
    };
    let is_sample = |task: &&Task| sample.iter().any(|number| task.task_id.ends_with(&format!("/{number}")));
    let tasks: Vec<&Task> = all.values().filter(is_sample).collect();
    assert_eq!(tasks.len(), sample.len());
    let Some(found) = accepted(lang, &tasks) else { return };
    for task in tasks {
        let found: Vec<&str> = found.get(&task.task_id).into_iter().flatten().map(String::as_str).collect();
        let known = constants::accepted(Source::HumanevalX(lang), &task.task_id, &constants::of_program(task));
        assert_eq!(Some(&found[..]), known, "{}", task.task_id);
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

#[test]
fn cpp_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::Cpp);
}

#[test]
fn go_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::Go);
}

#[test]
fn java_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::Java);
}

#[test]
fn rust_tasks_accept_no_other_degenerate_answers_than_known() {
    check(CodeLang::Rust);
}
