//! Reads per-task results of another test runner: tab-separated `task_id`, `passed`, `total` with a
//! header. Counts are kept as reported, even more passes than cases.

use std::collections::HashMap;

use model::{
    code_lang::CodeLang,
    comparison::Selection,
    dataset::{Checks, TaskRow},
    ids::{ModelId, TaskId, TaskRevisionId},
    lang::Lang,
};

use base::error::Failure;
use comparison::input::{ComparisonInput, InputRun, InputVerdict};

/// The input of a comparison by such files alone. Each entry is model name, file name, text.
/// The tasks are the union over all files; a task missing in a file counts 0 for its model.
///
/// # Errors
/// Fails for an empty file, a line that is not three columns with two counts, or a duplicate task.
pub fn input(files: &[(String, String, String)]) -> Result<ComparisonInput, Failure> {
    let mut input = ComparisonInput {
        selection: Selection { dataset: "results".into(), ..Selection::default() },
        ..ComparisonInput::default()
    };
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut read = Vec::new();
    for (model, name, text) in files {
        let place = u32::try_from(input.models.len()).unwrap_or(u32::MAX);
        input.models.push((ModelId(i64::from(place) + 1), model.clone()));
        let mut verdicts: Vec<InputVerdict> = Vec::new();
        for (at, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: &str| {
                let place = format!("{name}, line {}", at + 1);
                Failure::invalid(&place, what, "Write three columns, tab-separated: task_id, passed, total")
            };
            let [id, passed, total] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(wrong("the line does not have three columns"));
            };
            let count = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong(&format!("`{text}` is not a count")));
            let (passed, total) = (count(passed)?, count(total)?);
            let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let task = *places.entry(id.trim().to_owned()).or_insert(next);
            if task == next {
                input.tasks.push(row(id.trim(), i64::from(next) + 1));
            }
            if verdicts.iter().any(|known| known.task == task) {
                return Err(wrong(&format!("task {id} occurs twice")));
            }
            verdicts.push(InputVerdict {
                task,
                output: None,
                sample: 0,
                turn: None,
                verdict: None,
                passed,
                total,
                published: None,
                cannot_judge: false,
            });
        }
        if verdicts.is_empty() {
            return Err(Failure::invalid(
                name,
                "the file contains no results",
                "Write a header and a line for each task",
            ));
        }
        verdicts.sort_by_key(|checked| checked.task);
        read.push((place, verdicts));
    }
    let tasks: Vec<u32> = (0..u32::try_from(input.tasks.len()).unwrap_or(u32::MAX)).collect();
    for (model, verdicts) in read {
        input.runs.push(InputRun { model, tasks: tasks.clone(), verdicts, ..InputRun::default() });
    }
    Ok(input)
}

fn row(task_id: &str, number: i64) -> TaskRow {
    TaskRow {
        id: TaskId(number),
        revision: TaskRevisionId(number),
        task_id: task_id.into(),
        raw_nl: String::new(),
        nl_lang: Lang::En,
        signature: None,
        checks: Checks { human: false, tests: true },
        code_lang: CodeLang::Java,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison_figures;

    fn of(texts: &[&str]) -> Result<ComparisonInput, Failure> {
        let files: Vec<_> =
            (1..).zip(texts).map(|(n, t)| (format!("m{n}"), format!("f{n}"), (*t).to_owned())).collect();
        input(&files)
    }

    #[test]
    fn counts_are_kept_as_reported() {
        // More passes than cases, an empty result, a task missing in the other file.
        let input = of(&["task_id\tpassed\ttotal\n0\t4\t4\n164\t7\t4\n7\t0\t0\n", "task_id\tpassed\ttotal\n0\t1\t4\n"]);
        let figures = comparison_figures::compute(&input.unwrap());
        let automated = figures.automated.unwrap();
        let metrics = |m: usize| automated.models[m].as_ref().unwrap().metrics;
        assert_eq!((metrics(0).tasks, metrics(0).solved), (3, 1));
        assert_eq!((metrics(0).ratio_sum, metrics(0).ratio_sum_clamped), (2.75, 2.0));
        assert_eq!(automated.models[0].as_ref().unwrap().anomalies, ["164"]);
        assert_eq!((metrics(1).tasks, metrics(1).answered, metrics(1).ratio_sum), (3, 1, 0.25));
        assert_eq!(automated.pairs[0].table, [0, 1, 0, 2]);
    }

    #[test]
    fn invalid_line_is_named() {
        let check = |text: &str, word: &str| match of(&[text]) {
            Err(Failure::App(e)) => assert!(e.to_string().contains(word), "{e}"),
            _ => panic!("taken: {text}"),
        };
        check("task_id\tpassed\ttotal\n0\t1\n", "f1, line 2");
        check("task_id\tpassed\ttotal\n0\t1\t2\n1\tx\t2\n", "f1, line 3");
        check("task_id\tpassed\ttotal\n0\t1\t2\n0\t1\t2\n", "twice");
        check("task_id\tpassed\ttotal\n", "no result");
    }
}
