//! Constants and other degenerate answers that the tests of HumanEval-X's tasks accept, guarded.
//!
//! They were found by trying at least 40 answers a task (`server/lang/tests/constants.rs`). The files have a line for each task that
//! was tried: its ID, a digest of what decides the verdicts, and the answers that pass, if any, as expressions of the language.
//! The functions that these name (`size`, `reversed`) are in `server/lang/tests/degenerate`.

use std::{collections::HashMap, sync::OnceLock};

use model::code_lang::CodeLang;
use sha2::{Digest, Sha256};

use crate::humaneval::Task;

/// The languages whose tasks were tried, each with its file.
const FILES: [(CodeLang, &str); 6] = [
    (CodeLang::Python, include_str!("constants/python.tsv")),
    (CodeLang::Cpp, include_str!("constants/cpp.tsv")),
    (CodeLang::Java, include_str!("constants/java.tsv")),
    (CodeLang::JavaScript, include_str!("constants/javascript.tsv")),
    (CodeLang::Go, include_str!("constants/go.tsv")),
    (CodeLang::Rust, include_str!("constants/rust.tsv")),
];

/// The digest and the answers of a task.
type Line = (&'static str, Vec<&'static str>);

/// The tasks of each language with theirs.
fn all() -> &'static HashMap<CodeLang, HashMap<&'static str, Line>> {
    static ALL: OnceLock<HashMap<CodeLang, HashMap<&'static str, Line>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |line: &'static str| {
            let mut parts = line.split('\t');
            Some((parts.next()?, (parts.next()?, parts.collect())))
        };
        FILES.iter().map(|(lang, text)| (*lang, text.lines().filter_map(read).collect())).collect()
    })
}

/// The degenerate answers that the task's tests accept, in order; `None` if they were not tried, as for a task that is not as
/// published.
pub fn accepted(lang: CodeLang, task: &Task) -> Option<&'static [&'static str]> {
    let (known, answers) = all().get(&lang)?.get(task.task_id.as_str())?;
    (*known == digest(task)).then_some(answers)
}

/// Of what decides whether an answer is accepted: the tests, and the authors' solution, which says which changes of arguments and
/// which odd numbers the guard allows.
pub fn digest(task: &Task) -> String {
    let mut hasher = Sha256::new();
    for text in [&task.test, "\0", &task.canonical_solution] {
        hasher.update(text.as_bytes());
    }
    hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_was_tried() {
        for (lang, text) in FILES {
            let tasks: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
            assert!(tasks.len() == 164 && tasks.is_sorted(), "{lang:?}");
            for line in text.lines() {
                let parts: Vec<&str> = line.split('\t').collect();
                let is_digest = parts[1].len() == 16 && parts[1].chars().all(|c| c.is_ascii_hexdigit());
                assert!(is_digest && parts.iter().all(|part| !part.is_empty()), "{line}");
            }
        }
    }

    #[test]
    fn nothing_is_known_of_a_task_with_other_tests() {
        let task = Task { task_id: "Python/0".into(), test: "assert False".into(), ..Task::default() };
        assert_eq!(accepted(CodeLang::Python, &task), None);
        assert_eq!(accepted(CodeLang::Rust, &Task { task_id: "Rust/164".into(), ..Task::default() }), None);
    }
}
