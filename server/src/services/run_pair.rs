//! Two runs side by side. Called by `services::runs`, which has asked who may.

use std::collections::HashMap;

use app::model::{
    ids::RunId,
    run::{ItemDetail, ItemRow, RunDetail},
    run_pair::{PairCode, PairFocus, PairOutput, PairTask, Passes, RunPair},
};
use rusqlite::Connection;

use crate::{
    db::{run_results, runs},
    error::Failure,
    layout,
};

/// One of the two runs, as it was read.
pub struct Side {
    detail: RunDetail,
    /// Every task with tests, in the dataset's order.
    tasks: Vec<String>,
}

impl Side {
    /// Reads what a comparison needs besides the run itself.
    ///
    /// # Errors
    /// The database.
    pub fn load(conn: &Connection, id: RunId, detail: RunDetail) -> Result<Side, Failure> {
        Ok(Side { detail, tasks: run_results::task_ids(conn, id)? })
    }

    fn text(&self, task: &str) -> Option<String> {
        let item = self.detail.items.iter().find(|i| i.task_id == task).map(|i| &i.raw_nl);
        item.or_else(|| self.detail.missing.iter().find(|m| m.task_id == task).map(|m| &m.raw_nl)).cloned()
    }
}

/// Everything that is read in one snapshot; what costs time comes in [`Loaded::finish`].
pub struct Loaded {
    pair: RunPair,
    focus: Option<(String, Option<ItemDetail>, Option<ItemDetail>)>,
}

impl Loaded {
    /// Puts two runs beside each other, with one task's outputs where it is asked for.
    ///
    /// # Errors
    /// They are of different datasets, or there is no such task.
    pub fn new(conn: &Connection, a: Side, b: Side, task: Option<String>) -> Result<Loaded, Failure> {
        let (left, right) = (&a.detail.row, &b.detail.row);
        if left.dataset != right.dataset {
            return Err(Failure::conflict(format!(
                "Run {} belongs to the dataset {}, run {} to {}. Choose two runs of the same dataset.",
                left.id, left.dataset, right.id, right.dataset
            )));
        }
        let (first, second) = (samples(&a.detail.items), samples(&b.detail.items));
        let of = |items: &HashMap<&str, Vec<&ItemRow>>, task: &str| {
            items.get(task).map(|list| list.iter().map(|item| PairOutput::of(item)).collect()).unwrap_or_default()
        };
        let only_in_b = b.tasks.iter().filter(|task| !a.tasks.contains(task));
        let tasks: Vec<PairTask> = a
            .tasks
            .iter()
            .chain(only_in_b)
            .map(|task| PairTask {
                raw_nl: a.text(task).or_else(|| b.text(task)).unwrap_or_default(),
                a: of(&first, task),
                b: of(&second, task),
                task_id: task.clone(),
            })
            .collect();
        let focus = match task {
            None => None,
            Some(task) => {
                let row = tasks.iter().find(|t| t.task_id == task).ok_or_else(|| Failure::not_found("task"))?;
                let item = |detail: &RunDetail, outputs: &[PairOutput]| {
                    let (Some(run), Some(first)) = (runs::get(conn, detail.row.id)?, outputs.first()) else {
                        return Ok::<_, Failure>(None);
                    };
                    run_results::get_item(conn, &run, first.output)
                };
                Some((task, item(&a.detail, &row.a)?, item(&b.detail, &row.b)?))
            }
        };
        let passes = Passes::of(&tasks);
        Ok(Loaded { pair: RunPair { a: a.detail.row, b: b.detail.row, passes, tasks, focus: None }, focus })
    }

    /// Lays the code out that is to be shown.
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
    Some(PairCode {
        output: item.row.output,
        code: layout::view(item.code, String::new()).await,
        message: item.outcome.map(|o| o.message).or(item.fault).unwrap_or_default(),
    })
}
