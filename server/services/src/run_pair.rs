//! Comparison of two runs. Called by `services::runs`, which has authorized the caller.

use std::collections::{HashMap, HashSet};

use model::{
    run::{ItemDetail, ItemRow, MissingTask, RunRow},
    run_pair::{PairCode, PairFocus, PairOutput, PairTask, Passes, RunPair, Side as PairSide},
};
use rusqlite::Connection;

use base::error::Failure;
use db::{run_results, runs};
use stats::paired::mcnemar;

/// One of the two runs as read from the database.
pub struct Side {
    row: RunRow,
    items: Vec<ItemRow>,
    /// Every task with tests, in the dataset's order.
    tasks: Vec<MissingTask>,
}

impl Side {
    /// Reads what a comparison needs in addition to the run itself.
    ///
    /// # Errors
    ///
    /// Fails if the database fails.
    pub fn load(conn: &Connection, row: RunRow) -> Result<Side, Failure> {
        let id = row.id;
        Ok(Side { row, items: runs::brief_items(conn, id)?, tasks: run_results::tasks(conn, id)? })
    }
}

/// Data read in one snapshot; [`Loaded::finish`] does the slow part.
pub struct Loaded {
    pair: RunPair,
    focus: Option<(String, Option<ItemDetail>, Option<ItemDetail>)>,
}

impl Loaded {
    /// Compares two runs, with one task's outputs if requested.
    ///
    /// # Errors
    ///
    /// Fails if they belong to different datasets, or the task does not exist.
    pub fn new(conn: &Connection, a: Side, b: Side, task: Option<String>) -> Result<Loaded, Failure> {
        let (left, right) = (&a.row, &b.row);
        if left.dataset != right.dataset {
            let (a, b) = (left.id, right.id);
            return Err(Failure::conflict((
                format!(
                    "Run {a} belongs to the dataset {}, run {b} to {}. Choose two runs of the same dataset.",
                    left.dataset, right.dataset
                ),
                format!(
                    "运行 {a} 属于数据集 {}，运行 {b} 属于 {}。请选择同一数据集的两次运行。",
                    left.dataset, right.dataset
                ),
            )));
        }
        let (first, second) = (samples(&a.items), samples(&b.items));
        let of = |items: &HashMap<&str, Vec<&ItemRow>>, task: &str| {
            items.get(task).map(|list| list.iter().map(|item| PairOutput::of(item)).collect()).unwrap_or_default()
        };
        let in_a: HashSet<&str> = a.tasks.iter().map(|task| task.task_id.as_str()).collect();
        let only_in_b = b.tasks.iter().filter(|task| !in_a.contains(task.task_id.as_str()));
        let tasks: Vec<PairTask> = a
            .tasks
            .iter()
            .chain(only_in_b)
            .map(|task| PairTask {
                raw_nl: task.raw_nl.clone(),
                a: of(&first, &task.task_id),
                b: of(&second, &task.task_id),
                task_id: task.task_id.clone(),
            })
            .collect();
        let focus = match task {
            None => None,
            Some(task) => {
                let row = tasks.iter().find(|t| t.task_id == task).ok_or_else(|| Failure::not_found("task"))?;
                let item = |side: &RunRow, outputs: &[PairOutput]| {
                    let (Some(run), Some(first)) = (runs::get(conn, side.id)?, outputs.first()) else {
                        return Ok::<_, Failure>(None);
                    };
                    run_results::get_item(conn, &run, first.output)
                };
                Some((task, item(&a.row, &row.a)?, item(&b.row, &row.b)?))
            }
        };
        let passes = Passes::of(&tasks);
        let counting: Vec<&PairTask> = tasks.iter().filter(|task| task.counts()).collect();
        let passed = |side| counting.iter().map(|task| task.passes(side)).collect::<Vec<_>>();
        let p = mcnemar(&passed(PairSide::A), &passed(PairSide::B)).ok().map(|test| test.mid);
        Ok(Loaded { pair: RunPair { a: a.row, b: b.row, passes, p, tasks, focus: None }, focus })
    }

    /// Formats the code to be shown.
    pub async fn finish(self) -> RunPair {
        let Loaded { mut pair, focus } = self;
        if let Some((task_id, a, b)) = focus {
            let at = pair.tasks.iter().position(|t| t.task_id == task_id).unwrap_or_default();
            let differing: Vec<(usize, &PairTask)> =
                pair.tasks.iter().enumerate().filter(|(_, task)| task.differs()).collect();
            let id = |found: Option<&(usize, &PairTask)>| found.map(|(_, task)| task.task_id.clone());
            let whole = a.as_ref().or(b.as_ref());
            pair.focus = Some(PairFocus {
                raw_nl: whole
                    .map(|item| item.raw_nl.clone())
                    .or_else(|| Some(pair.tasks.get(at)?.raw_nl.clone()))
                    .unwrap_or_default(),
                signature: whole.and_then(|item| item.signature.clone()),
                previous: id(differing.iter().rev().find(|(place, _)| *place < at)),
                next: id(differing.iter().find(|(place, _)| *place > at)),
                a: code(a).await,
                b: code(b).await,
                task_id,
            });
        }
        pair
    }
}

fn samples(items: &[ItemRow]) -> HashMap<&str, Vec<&ItemRow>> {
    let mut by_task: HashMap<&str, Vec<&ItemRow>> = HashMap::new();
    for item in items {
        by_task.entry(&item.task_id).or_default().push(item);
    }
    by_task
}

async fn code(item: Option<ItemDetail>) -> Option<PairCode> {
    let item = item?;
    let (reason, message) = item.outcome.map(|o| (o.reason, o.message)).unwrap_or_default();
    Some(PairCode {
        output: item.row.output,
        code: syntax::view(item.code, String::new(), item.code_lang).await,
        reason,
        message,
        fault: item.fault,
    })
}
