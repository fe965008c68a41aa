//! Studies, for admins: setting one up, watching it, comparing its models.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use app::{
    error::AppError,
    model::{
        comparison::{Comparison, Difference, DimensionScores, ModelScores, OutputRatings, TaskRatings, TaskScores},
        ids::{ModelId, OutputId, StudyId, TaskId, TaskRevisionId},
        rubric::Rubric,
        study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
    },
    port::{Answer, Caller, Studies},
};
use async_trait::async_trait;
use rusqlite::Connection;

use crate::{
    db::{
        Db, audit, plan,
        studies::{self, Scored},
    },
    error::Failure,
    layout, report,
    services::plans,
    stats::{
        agreement::agreement,
        bootstrap::{self, Cell},
    },
};

/// Resamples behind every interval: its ends are then steady to about a twentieth of its width.
const RESAMPLES: u32 = 2000;

/// The service; see the module.
pub struct StudyService {
    db: Db,
}

impl StudyService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        StudyService { db }
    }

    /// Every rating of the study as CSV, superseded ones included and marked.
    pub async fn ratings_csv(&self, caller: &Caller, id: StudyId) -> Answer<Vec<u8>> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let mut table = report::csv::Ratings::new(&setup.rubric)?;
                studies::each_rating(conn, id, |line| table.push(line))?;
                table.finish()
            })
            .await?)
    }

    /// The comparison's table as CSV.
    pub async fn comparison_csv(&self, caller: &Caller, id: StudyId) -> Answer<Vec<u8>> {
        let comparison = self.comparison(caller, id).await?;
        Ok(report::csv::comparison(&comparison)?)
    }

    async fn loaded<T: Send + 'static>(
        &self,
        id: StudyId,
        with: impl FnOnce(&Connection, Ground) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.db
            .read(move |conn| {
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let ground = Ground {
                    models: studies::models(conn, id)?,
                    tasks: studies::tasks(conn, id)?,
                    scored: studies::scored(conn, id, setup.rubric.dimensions.len())?,
                    setup,
                };
                with(conn, ground)
            })
            .await
    }
}

/// What figures are computed from.
struct Ground {
    setup: studies::Setup,
    models: Vec<(ModelId, String)>,
    tasks: Vec<app::model::dataset::TaskRow>,
    scored: Vec<Scored>,
}

#[async_trait]
impl Studies for StudyService {
    async fn list(&self, caller: &Caller) -> Answer<Vec<StudyRow>> {
        caller.admin()?;
        Ok(self.db.read(studies::list).await?)
    }

    async fn get(&self, caller: &Caller, id: StudyId) -> Answer<StudyDetail> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(StudyDetail {
                    row,
                    overlap: setup.overlap,
                    seed: setup.seed.to_string(),
                    rubric: format!("{} {}", setup.rubric.slug, setup.rubric.version),
                    raters: studies::raters(conn, id)?,
                    flags: studies::flags(conn, id)?,
                })
            })
            .await?)
    }

    async fn create(&self, caller: &Caller, new: NewStudy) -> Answer<StudyId> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                let id = plans::make(tx, &new, caller.id())?;
                audit::note(tx, &caller, "study create", &format!("{id}: {}", new.title.trim()))?;
                Ok(id)
            })
            .await?)
    }

    async fn set_status(&self, caller: &Caller, id: StudyId, status: StudyStatus) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
                if row.status == StudyStatus::Closed && status != StudyStatus::Closed {
                    return Err(Failure::conflict("A closed study stays closed; make a new one."));
                }
                if status == StudyStatus::Draft && row.status != StudyStatus::Draft {
                    return Err(Failure::conflict("A study that has begun is no draft again; pause it, or clone it."));
                }
                if row.status == StudyStatus::Draft && status == StudyStatus::Paused {
                    return Err(Failure::conflict("A draft takes no ratings yet: start it, or close it."));
                }
                if row.status == StudyStatus::Draft && status == StudyStatus::Running {
                    plan::note(tx, id, "started", None, &plan::Moved { ratings: row.wanted, from: None })?;
                }
                studies::set_status(tx, id, status)?;
                audit::note(tx, &caller, "study status", &format!("{id}: {status}"))
            })
            .await?)
    }

    async fn comparison(&self, caller: &Caller, id: StudyId) -> Answer<Comparison> {
        caller.admin()?;
        let ground = self.loaded(id, |_, ground| Ok(ground)).await?;
        // Tens of millions of random draws for a large study: off the async threads.
        tokio::task::spawn_blocking(move || compare(&ground)).await.map_err(|e| AppError::from(Failure::internal(e)))
    }

    async fn tasks(&self, caller: &Caller, id: StudyId) -> Answer<Vec<TaskScores>> {
        caller.admin()?;
        Ok(self.loaded(id, |_, ground| Ok(task_scores(ground))).await?)
    }

    async fn task(&self, caller: &Caller, id: StudyId, task: TaskId) -> Answer<TaskRatings> {
        caller.admin()?;
        let (title, row, rubric, outputs) = self
            .db
            .read(move |conn| {
                let study = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let row = studies::tasks(conn, id)?
                    .into_iter()
                    .find(|row| row.id == task)
                    .ok_or_else(|| Failure::not_found("task"))?;
                let outputs = studies::task_outputs(conn, id, row.revision)?
                    .into_iter()
                    .map(|output| Ok((studies::output_ratings(conn, id, output.id)?, output)))
                    .collect::<Result<Vec<_>, Failure>>()?;
                Ok((study.title, row, setup.rubric, outputs))
            })
            .await?;
        let outputs = outputs
            .into_iter()
            .map(|(ratings, output)| OutputRatings {
                model: output.model,
                sample: output.sample,
                code: layout::view(&output.code, &output.said),
                ratings,
            })
            .collect();
        Ok(TaskRatings { title, task: row, rubric, outputs })
    }
}

/// Every figure of the comparison (docs/statistics.md).
fn compare(ground: &Ground) -> Comparison {
    let (rubric, seed) = (&ground.setup.rubric, ground.setup.seed);
    let cells: Vec<Vec<Vec<Cell>>> =
        (0..ground.models.len()).map(|m| (0..rubric.dimensions.len()).map(|d| cells(ground, m, d)).collect()).collect();
    // Each interval draws from a stream of its own, so that one more model changes no other figure.
    let stream = |a: usize, b: usize, d: usize| seed ^ (((a as u64) << 48) | ((b as u64) << 32) | (d as u64 + 1));
    let models = ground.models.iter().enumerate().map(|(m, (id, name))| {
        let own = || ground.scored.iter().filter(|s| s.model == *id);
        let dimensions = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
            let (low, high) = dimension.range();
            DimensionScores {
                mean: bootstrap::mean(&cells[m][d]),
                interval: bootstrap::mean_interval(&cells[m][d], RESAMPLES, stream(m, m, d)),
                distribution: (low..=high).map(|score| own().filter(|s| s.scores[d] == score).count() as u64).collect(),
            }
        });
        ModelScores {
            model: name.clone(),
            ratings: own().count() as u64,
            tasks: own().map(|s| s.task).collect::<BTreeSet<_>>().len() as u64,
            dimensions: dimensions.collect(),
        }
    });
    let pairs = (0..ground.models.len()).flat_map(|a| (a + 1..ground.models.len()).map(move |b| (a, b)));
    let differences = pairs.flat_map(|(a, b)| (0..rubric.dimensions.len()).map(move |d| (a, b, d))).map(|(a, b, d)| {
        let (mean, tasks) = bootstrap::difference(&cells[a][d], &cells[b][d]);
        let interval = bootstrap::difference_interval(&cells[a][d], &cells[b][d], RESAMPLES, stream(a, b, d));
        Difference { dimension: d, first: a, second: b, tasks, mean, interval }
    });
    Comparison {
        models: models.collect(),
        differences: differences.collect(),
        agreement: agreements(&ground.scored, rubric),
        rubric: rubric.clone(),
        resamples: RESAMPLES,
        seed: seed.to_string(),
    }
}

/// One model's ratings on one dimension, a cell for each of the study's tasks.
fn cells(ground: &Ground, model: usize, dimension: usize) -> Vec<Cell> {
    let mut by_task: HashMap<TaskRevisionId, Cell> = HashMap::new();
    for scored in ground.scored.iter().filter(|s| s.model == ground.models[model].0) {
        by_task.entry(scored.task).or_default().push(f64::from(scored.scores[dimension]));
    }
    ground.tasks.iter().map(|task| by_task.remove(&task.revision).unwrap_or_default()).collect()
}

fn agreements(scored: &[Scored], rubric: &Rubric) -> Vec<app::model::comparison::Agreement> {
    let place = |d: usize| {
        let mut units: BTreeMap<OutputId, Vec<u8>> = BTreeMap::new();
        for one in scored {
            units.entry(one.output).or_default().push(one.scores[d]);
        }
        units.into_values().collect::<Vec<_>>()
    };
    let each = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let (low, high) = dimension.range();
        agreement(&place(d), low, high)
    });
    each.collect()
}

fn task_scores(ground: Ground) -> Vec<TaskScores> {
    let dimensions = ground.setup.rubric.dimensions.len();
    let cells: Vec<Vec<Vec<Cell>>> =
        (0..ground.models.len()).map(|m| (0..dimensions).map(|d| cells(&ground, m, d)).collect()).collect();
    let mut ranges: HashMap<(OutputId, usize), (u8, u8)> = HashMap::new();
    let mut spread: HashMap<TaskRevisionId, u8> = HashMap::new();
    for one in &ground.scored {
        for (d, score) in one.scores.iter().enumerate() {
            let range = ranges.entry((one.output, d)).or_insert((*score, *score));
            *range = (range.0.min(*score), range.1.max(*score));
            let widest = spread.entry(one.task).or_default();
            *widest = (*widest).max(range.1 - range.0);
        }
    }
    let row = |(place, task): (usize, app::model::dataset::TaskRow)| TaskScores {
        models: cells
            .iter()
            .map(|dims| {
                let means = dims.iter().map(|tasks| bootstrap::mean(std::slice::from_ref(&tasks[place]))).collect();
                (means, dims.first().map_or(0, |tasks| tasks[place].len() as u64))
            })
            .collect(),
        spread: spread.get(&task.revision).copied().unwrap_or(0),
        task,
    };
    ground.tasks.into_iter().enumerate().map(row).collect()
}
