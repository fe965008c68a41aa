//! Constants and other degenerate answers that the tests of the benchmarks' tasks accept: those of HumanEval-X guarded, those of
//! AixBench by the verdict.
//!
//! They were found by trying at least 40 answers a task (`server/lang/tests/constants.rs`, `server/engine/tests/constants`). The
//! files have a line for each task that was tried: its ID, a digest of what decides the verdicts, and the answers that pass, if
//! any, as expressions of the language or, where a method of AixBench returns nothing, as statements. The functions that those of
//! HumanEval-X name (`size`, `reversed`) are in `server/lang/tests/degenerate`.

use std::{collections::HashMap, sync::OnceLock};

use model::code_lang::CodeLang;
use sha2::{Digest, Sha256};

use crate::humaneval::Task;

/// Whose tasks were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    HumanevalX(CodeLang),
    Aixbench,
}

/// Each with its file.
const FILES: [(Source, &str); 7] = [
    (Source::HumanevalX(CodeLang::Python), include_str!("constants/python.tsv")),
    (Source::HumanevalX(CodeLang::Cpp), include_str!("constants/cpp.tsv")),
    (Source::HumanevalX(CodeLang::Java), include_str!("constants/java.tsv")),
    (Source::HumanevalX(CodeLang::JavaScript), include_str!("constants/javascript.tsv")),
    (Source::HumanevalX(CodeLang::Go), include_str!("constants/go.tsv")),
    (Source::HumanevalX(CodeLang::Rust), include_str!("constants/rust.tsv")),
    (Source::Aixbench, include_str!("constants/aixbench.tsv")),
];

/// The digest and the answers of a task.
type Line = (&'static str, Vec<&'static str>);

/// The tasks of each source with theirs.
fn all() -> &'static HashMap<Source, HashMap<&'static str, Line>> {
    static ALL: OnceLock<HashMap<Source, HashMap<&'static str, Line>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |line: &'static str| {
            let mut parts = line.split('\t');
            Some((parts.next()?, (parts.next()?, parts.collect())))
        };
        FILES.iter().map(|(source, text)| (*source, text.lines().filter_map(read).collect())).collect()
    })
}

/// The degenerate answers that a task's tests accept, in order; `None` if they were not tried, as for a task with another
/// digest.
pub fn accepted(source: Source, task_id: &str, digest: &str) -> Option<&'static [&'static str]> {
    let (known, answers) = all().get(&source)?.get(task_id)?;
    (*known == digest).then_some(answers)
}

/// The digest of a task of HumanEval-X: of its tests, and of the authors' solution, which says which changes of arguments and which
/// odd numbers the guard allows.
pub fn of_program(task: &Task) -> String {
    digest(&[task.test.as_bytes(), b"\0", task.canonical_solution.as_bytes()])
}

/// The digest of a task of AixBench: of the source of its test class.
pub fn of_class(source: &[u8]) -> String {
    digest(&[source])
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hex::encode(&hasher.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_was_tried() {
        for (source, text) in FILES {
            let tasks: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
            let count = if source == Source::Aixbench { 175 } else { 164 };
            assert!(tasks.len() == count && tasks.is_sorted(), "{source:?}");
            for line in text.lines() {
                let parts: Vec<&str> = line.split('\t').collect();
                let is_digest = parts[1].len() == 16 && parts[1].chars().all(|c| c.is_ascii_hexdigit());
                assert!(is_digest && parts.iter().all(|part| !part.is_empty()), "{line}");
            }
        }
    }

    #[test]
    fn nothing_is_known_of_a_task_with_other_tests() {
        let source = Source::HumanevalX(CodeLang::Python);
        let task = Task { task_id: "Python/0".into(), test: "assert False".into(), ..Task::default() };
        assert_eq!(accepted(source, &task.task_id, &of_program(&task)), None);
        assert_eq!(accepted(Source::Aixbench, "10", &of_class(b"class Evaluation10 {}")), None);
        let (_, text) = FILES[6];
        let line = text.lines().find_map(|line| line.strip_prefix("10\t")).unwrap_or_default();
        let (digest, answers) = line.split_once('\t').unwrap_or_default();
        assert_eq!(accepted(Source::Aixbench, "10", digest), Some(&answers.split('\t').collect::<Vec<_>>()[..]));
        assert_eq!(accepted(Source::Aixbench, "175", digest), None);
    }
}
