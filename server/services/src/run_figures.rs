//! A run's figures, computed from its verdicts and kept while they do not change. Used by `services::runs` and
//! `services::languages`, which have authorized the caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use model::{
    ids::{ModelId, RunId},
    published::{AsPublished, differ},
    run::{Metrics, PassAtK},
};
use rusqlite::Connection;

use base::error::Failure;
use db::runs::{self, SampleResult, TaskSamples};
use stats::passk::{self, Sample};

/// Runs whose figures are kept, a few hundred bytes each. Above this, all are computed anew.
const MOST: usize = 50_000;

/// The figures of one run.
#[derive(Debug, Default)]
pub(super) struct RunFigures {
    pub metrics: Metrics,
    /// As published, if the benchmark has an evaluator.
    pub published: Option<AsPublished>,
    /// Tasks that the evaluator judges.
    pub published_tasks: u32,
    /// Outputs that pass only as published.
    pub differ: u32,
    intervals: OnceLock<Intervals>,
}

/// pass@k with intervals. Computing them takes some hundredths of a second.
#[derive(Debug)]
pub(super) struct Intervals {
    pub guarded: Vec<PassAtK>,
    /// As published; empty if the benchmark has no evaluator.
    pub published: Vec<PassAtK>,
}

impl RunFigures {
    fn of(results: &Results) -> RunFigures {
        RunFigures {
            metrics: results.metrics(),
            published: published(results),
            published_tasks: number(results.published.as_ref().map_or(0, Vec::len)),
            differ: results.differ,
            intervals: OnceLock::new(),
        }
    }

    /// Whether [`RunFigures::intervals`] needs no results.
    pub fn has_intervals(&self) -> bool {
        self.intervals.get().is_some()
    }

    /// The intervals, computed of `results` unless they are known.
    pub fn intervals(&self, model: ModelId, results: Results) -> &Intervals {
        let key = model.0.unsigned_abs();
        self.intervals.get_or_init(|| Intervals {
            guarded: passk::estimated(key, &results.guarded),
            published: results.published.map(|tasks| passk::estimated(key, &tasks)).unwrap_or_default(),
        })
    }
}

/// Figures of runs, each with the revision of the verdicts that they were computed of.
type Known = HashMap<RunId, (i64, Arc<RunFigures>)>;

/// The figures of each run that was shown.
#[derive(Clone, Default)]
pub(super) struct RunFiguresCache(Arc<Mutex<Known>>);

impl RunFiguresCache {
    /// The figures of these runs; those that changed are computed. A run without a task that has tests is left out.
    ///
    /// # Errors
    /// The database fails.
    pub fn read(&self, conn: &Connection, ids: &[RunId]) -> Result<HashMap<RunId, Arc<RunFigures>>, Failure> {
        let revisions = runs::revisions(conn, ids)?;
        let revision = |id: RunId| revisions.get(&id).copied().unwrap_or(0);
        let mut found: HashMap<RunId, Arc<RunFigures>> = self.lock(|cache| {
            let known =
                |id: &RunId| cache.get(id).filter(|(of, _)| *of == revision(*id)).map(|(_, f)| (*id, f.clone()));
            ids.iter().filter_map(known).collect()
        });
        let changed: Vec<RunId> = ids.iter().filter(|id| !found.contains_key(*id)).copied().collect();
        if changed.is_empty() {
            return Ok(found);
        }
        let samples = runs::samples_of(conn, &changed)?;
        let new = samples.into_iter().map(|(id, tasks)| (id, Arc::new(RunFigures::of(&Results::of(tasks)))));
        let new: Vec<(RunId, Arc<RunFigures>)> = new.collect();
        self.lock(|cache| {
            if cache.len() + new.len() > MOST {
                cache.clear();
            }
            cache.extend(new.iter().map(|(id, figures)| (*id, (revision(*id), figures.clone()))));
        });
        found.extend(new);
        Ok(found)
    }

    fn lock<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The figures' input: the samples of each task, guarded and, if the benchmark has an evaluator, as published.
#[derive(Default)]
pub(super) struct Results {
    /// Only of tasks that count.
    pub guarded: Vec<Vec<Sample>>,
    pub published: Option<Vec<Vec<Sample>>>,
    /// Outputs that pass only as published.
    differ: u32,
    /// Outputs that cannot be judged.
    not_counted: u32,
}

impl Results {
    /// The input from a run's results.
    pub fn of(tasks: Vec<TaskSamples>) -> Results {
        let all = || tasks.iter().flatten();
        let published = all().any(|result| result.published.is_some());
        let differ = all().filter(|result| differ(result.published, Some(result.verdict))).count();
        // Answers that the evaluator does not judge are in a conversation only.
        let is_judged = |task: &&TaskSamples| task.is_empty() || task.iter().any(|result| result.published.is_some());
        Results {
            guarded: tasks.iter().filter_map(|task| passk::counted(task.iter().map(guarded))).collect(),
            published: published.then(|| {
                let of = |task: &TaskSamples| task.iter().map(|result| Sample::published(result.published)).collect();
                tasks.iter().filter(is_judged).map(of).collect()
            }),
            differ: number(differ),
            not_counted: number(all().filter(|result| result.cannot_judge).count()),
        }
    }

    /// The guarded figures.
    pub fn metrics(&self) -> Metrics {
        Metrics { not_counted: self.not_counted, ..passk::metrics(&self.guarded) }
    }
}

fn guarded(result: &SampleResult) -> Option<Sample> {
    (!result.cannot_judge).then(|| Sample::guarded(result.verdict, result.passed, result.total))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The figures as published, if the benchmark has an evaluator.
pub(super) fn published(results: &Results) -> Option<AsPublished> {
    let metrics = passk::metrics(results.published.as_deref()?);
    Some(AsPublished { solved: metrics.solved, pass_at_1: metrics.pass_at_1, differ: results.differ })
}
